/* Batches on their way, one after the other. */
#include "cmd/loading.h"

#include "compute/run/pass.h"
#include "compute/run/soundness.h"

/* Single CPUs are aggregated always, but stored only on demand: they are many. */
static void leave_out_cores(const struct run *run, struct sample_batch *batch)
{
	size_t kept = 0;

	for (size_t row = 0; row < batch->rows; row++)
		if (!device_is_core(&run->device[batch->device[row]]))
			sample_batch_move(batch, kept++, row);
	sample_batch_drop(batch, batch->rows - kept);
}

int loading_begin_store(struct loading *l)
{
	if (!l->store) {
		if (store_open_temporary(&l->store, l->err) < 0)
			return -1;
		l->temporary = true;
	}
	if (!l->begun &&
		store_begin_run(l->store, &l->out->run, l->memory.shape, l->err) < 0)
		return -1;
	l->begun = true;
	return 0;
}

void loading_draw_again(struct loading *l, enum source_kind kind)
{
	if (l->maker)
		timeline_maker_again(l->maker, kind, &l->window);
}

int loading_drop_kept(struct loading *l, enum source_kind kind)
{
	if (!l->tape)
		return store_drop_source(l->store, kind, l->err);
	tape_drop_source(l->tape, kind);
	return 0;
}

static int keep(struct loading *l, struct sample_batch *batch)
{
	if (!l->temporary && !l->opt->per_core)
		leave_out_cores(&l->out->run, batch);
	if (!batch->rows)
		return 0;
	return l->tape ? tape_add(l->tape, batch, l->err)
		       : store_add(l->store, batch, l->err);
}

/* Those who look on: of values that can't be, most want none. */
static void show(struct loading *l, const struct sample_batch *batch,
	struct masked_batch *in_range)
{
	struct run *run = &l->out->run;

	if (l->witness)
		l->witness->add(l->witness, run,
			l->witness->sees_all ? batch
					     : impossible_in_range(in_range, batch));
	if (l->maker)
		timeline_maker_add(l->maker, run, impossible_in_range(in_range, batch));
}

int loading_pump(
	struct loading *l, struct sample_source *source, bool aggregate, bool keeps)
{
	struct masked_batch in_range = {.presence = NULL};
	struct laying laying = {.step_ns = l->lays ? l->opt->interval_ns : 0};
	struct sample_batch batch;
	int got;

	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, l->err)) > 0) {
		progress_add(l->opt->progress, &l->waited, batch.rows,
			l->reading ? read_taken(l->reading) : 0);
		laying_put(&laying, &l->out->run, &batch);
		if (aggregate)
			aggregate_add(l->agg, &batch);
		show(l, &batch, &in_range);
		if (keeps && keep(l, &batch) < 0) {
			got = -1;
			break;
		}
	}
	laying_release(&laying);
	masked_batch_release(&in_range);
	sample_batch_release(&batch);
	return got;
}
