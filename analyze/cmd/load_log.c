/* The logs of a run, kind by kind, and what is said once all are read. */
#include "cmd/loading.h"

#include "cmd/far.h"
#include "cmd/notes.h"
#include "cmd/usable.h"
#include "compute/run/soundness.h"

static int64_t first_step_limit(const struct loading *l, enum source_kind kind)
{
	int64_t interval_ns = run_interval_ns(&l->out->run, kind);

	return interval_ns > 0 ? gap_limit_ns(interval_ns) : GAP_LIMIT_MIN_NS;
}

/* A kind of log is read again: so does the witness, if it wants to see that. */
static void watch_again(struct loading *l, enum source_kind kind)
{
	loading_draw_again(l, kind);
	if (l->witness && l->witness->again)
		l->witness->again(l->witness, kind, &l->window);
	else
		l->witness = NULL;
}

static int pump_log(struct loading *l, enum source_kind kind, int64_t limit_ns,
	bool aggregate, bool keep)
{
	struct sample_source *source = read_samples(l->reading, kind, limit_ns);
	int result = loading_pump(l, source, aggregate, keep);

	sample_source_free(source);
	return result;
}

/*
 * The rows were out of order: read the log again with the limit that is now known, let
 * a database sort it, and aggregate from there.
 */
static int replay(struct loading *l, enum source_kind kind)
{
	int64_t limit_ns = aggregate_step_limit(l->agg, kind);
	struct loading sorting = *l;
	struct sample_source *source;
	int result = -1;

	sorting.store = NULL;
	sorting.tape = NULL;
	sorting.begun = false;
	watch_again(&sorting, kind);
	sorting.maker = NULL; /* it gets them sorted */
	l->witness = NULL; /* sorted rows have no lines */
	aggregate_reset(l->agg, kind);
	if (loading_begin_store(&sorting) < 0 ||
		pump_log(&sorting, kind, limit_ns, false, true) < 0)
		goto out;
	source = store_samples(
		sorting.store, l->out->run.key, kind, &l->out->run.texts, l->err);
	if (!source)
		goto out;
	result = loading_pump(l, source, true, l->begun);
	sample_source_free(source);
out:
	store_abandon_run(sorting.store);
	store_close(sorting.store);
	return result;
}

static int load_kind(struct loading *l, enum source_kind kind)
{
	struct sample_witness *witness = l->witness;
	int result;

	if (pump_log(l, kind, first_step_limit(l, kind), true, l->begun) < 0)
		return -1;
	if (aggregate_order(l->agg, kind) == ORDER_KEPT)
		return 0;
	if (l->begun && loading_drop_kept(l, kind) < 0)
		return -1;
	result = replay(l, kind);
	l->witness = witness;
	return result;
}

int loading_log_again(struct loading *l)
{
	bool begun = l->begun;
	int result = 0;

	l->begun = false;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && result == 0; kind++) {
		if (!source_has_samples(kind))
			continue;
		watch_again(l, kind);
		result = load_kind(l, kind);
	}
	l->begun = begun;
	return result;
}

bool loading_is_laid(struct loading *l)
{
	if (l->lays || !aggregate_lay(l->agg))
		return false;
	l->lays = true;
	return true;
}

bool loading_is_cut(struct loading *l)
{
	if (!aggregate_beyond_command(l->agg, &l->window))
		return false;
	aggregate_restrict(l->agg, &l->window);
	return true;
}

int loading_from_log(struct loading *l)
{
	struct run *run = &l->out->run;

	if (l->store && loading_begin_store(l) < 0)
		return -1;
	l->begun |= l->tape != NULL;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		loading_draw_again(l, kind);
		if (source_has_samples(kind) && load_kind(l, kind) < 0)
			return -1;
	}
	if (far_refuse(run, l->agg) && loading_log_again(l) < 0)
		return -1;
	if (loading_is_laid(l) && loading_log_again(l) < 0)
		return -1;
	if (loading_is_cut(l) && loading_log_again(l) < 0)
		return -1;
	run_leave_damaged(run);
	if (usable_check(run, l->err) < 0)
		return -1;
	read_note_steps_back(l->reading);
	loading_report(l);
	notes_add(run, l->agg, &l->out->report, l->opt);
	if (!l->witness)
		note_impossible(run, l->agg);
	loading_end_aggregate(l);
	if (l->tape)
		return 0;
	if (l->begun &&
		store_finish_run(l->store, &l->out->report, l->memory.stamp, l->err) < 0)
		return -1;
	l->out->is_new = l->begun;
	l->begun = false;
	return 0;
}
