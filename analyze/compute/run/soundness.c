/* Each condition is asked of every row that has its metrics. */
#include "compute/run/soundness.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/condition.h"

static bool may_fall(enum metric_id metric)
{
	static const enum metric_id metrics[] = {
#define MAY_FALL(metric) METRIC_##metric,
#include "../schema/checks.def"
	};

	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		if (metrics[i] == metric)
			return true;
	return false;
}

/* The last value of a counter of a device; counters only ever rise. */
struct counted {
	bool seen;
	int32_t segment;
	int64_t t_ns, value;
};

struct soundness {
	struct sample_witness witness;
	uint64_t looks, failures;
	enum source_kind source; /* the kind of log being read: one after the other */
	struct counted **counted; /* [device][METRIC_COUNT], NULL: none yet */
	size_t counted_count, counted_cap;
};

static void say(struct run *run, const struct sample_batch *batch, size_t row,
	const char *id, enum metric_id metric, const struct strbuf *text)
{
	const char *file =
		batch->file < run->file_count ? run->file[batch->file].path : "";

	diag_add(&run->diags, true, id, file, batch->line[row],
		span_of(metric_get(metric)->name), "%s", text->text);
}

static const char *const condition_id[] = {[CONDITION_RANGE] = "range",
	[CONDITION_ORDER] = "order",
	[CONDITION_BUSY] = "busy",
	[CONDITION_SUM] = "sum"};

static struct counted *counted_of(
	struct soundness *soundness, uint32_t device, enum metric_id metric)
{
	ALLOC_GROW(soundness->counted, (size_t)device + 1, soundness->counted_cap);
	while (soundness->counted_count <= device)
		soundness->counted[soundness->counted_count++] = NULL;
	if (!soundness->counted[device])
		soundness->counted[device] =
			xcalloc(METRIC_COUNT, sizeof(struct counted));
	return &soundness->counted[device][metric];
}

/*
 * Single CPUs are passed over: there are many, and they fall with all together. So is a
 * row that comes late: its counters are those of an earlier time.
 */
static void check_counter(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, size_t row, const struct sample_column *column)
{
	struct counted now = {
		true, batch->segment[row], batch->t_ns[row], column->value[row]};
	uint32_t device = batch->device[row];
	struct counted *before;
	struct strbuf text;

	if (column->presence[row] != PRESENCE_VALUE ||
		device_is_core(&run->device[device]))
		return;
	before = counted_of(soundness, device, column->metric);
	soundness->looks++;
	if (before->seen && before->segment == now.segment) {
		if (now.t_ns < before->t_ns)
			return;
		if (now.value < before->value && !may_fall(column->metric)) {
			strbuf_init(&text);
			condition_say_value(
				&text, run, column->metric, device, now.value);
			strbuf_adds(&text, ", less than before, ");
			condition_say_amount(&text, column->metric, before->value);
			say(run, batch, row, "counter-reset", column->metric, &text);
			strbuf_release(&text);
			soundness->failures++;
		}
	}
	*before = now;
}

static void check_condition(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, const struct condition_columns *columns,
	const struct condition *c)
{
	struct strbuf text;
	struct condition_found found = {0};

	strbuf_init(&text);
	for (size_t row = 0; row < batch->rows; row++) {
		bool holds = condition_holds(c, columns, row, &found);

		soundness->looks += found.looked;
		if (holds)
			continue;
		soundness->failures++;
		strbuf_clear(&text);
		condition_say(&text, c, run, batch->device[row], &found);
		say(run, batch, row, condition_id[c->kind], c->a, &text);
	}
	strbuf_release(&text);
}

/* Another kind of log begins. */
static void forget_counted(struct soundness *soundness)
{
	for (size_t i = 0; i < soundness->counted_count; i++)
		free(soundness->counted[i]);
	soundness->counted_count = 0;
}

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct soundness *soundness = (struct soundness *)witness;
	struct condition_columns columns;

	if (soundness->source != batch->source)
		forget_counted(soundness);
	soundness->source = batch->source;
	condition_columns(&columns, batch);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum metric_kind kind = metric_get(column->metric)->kind;

		if (kind != KIND_COUNTER && kind != KIND_TICKS)
			continue;
		for (size_t row = 0; row < batch->rows; row++)
			check_counter(soundness, run, batch, row, column);
	}
	for (size_t i = 0; i < condition_count(); i++)
		if (columns.column[condition_get(i)->a])
			check_condition(
				soundness, run, batch, &columns, condition_get(i));
}

struct soundness *soundness_new(void)
{
	struct soundness *soundness = xcalloc(1, sizeof *soundness);

	soundness->witness.add = add;
	soundness->witness.sees_all = true;
	soundness->source = SOURCE_NONE;
	return soundness;
}

void soundness_free(struct soundness *soundness)
{
	if (!soundness)
		return;
	forget_counted(soundness);
	free(soundness->counted);
	free(soundness);
}

struct sample_witness *soundness_witness(struct soundness *soundness)
{
	return &soundness->witness;
}

struct soundness_count soundness_count(const struct soundness *soundness)
{
	return (struct soundness_count){
		condition_count(), soundness->looks, soundness->failures};
}
