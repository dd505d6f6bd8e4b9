/* The conditions as a table; each is asked of every row that has its metrics. */
#include "compute/soundness.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

enum condition_kind {
	CONDITION_RANGE,
	CONDITION_ORDER,
	CONDITION_SUM
};

static const struct condition {
	enum condition_kind kind;
	enum metric_id a, b, c, d;
	int64_t low, high; /* in the unit of a; of a SUM high is the tolerance */
} conditions[] = {
#define RANGE(metric, low, high)                                                       \
	{CONDITION_RANGE, METRIC_##metric, METRIC_none, METRIC_none, METRIC_none, low, \
		high},
#define ORDER(small, large) \
	{CONDITION_ORDER, METRIC_##small, METRIC_##large, METRIC_none, METRIC_none, 0, 0},
#define SUM(total, x, y, z, tolerance) \
	{CONDITION_SUM, METRIC_##total, METRIC_##x, METRIC_##y, METRIC_##z, 0, tolerance},
#include "../schema/checks.def"
};

#define CONDITIONS (sizeof conditions / sizeof conditions[0])

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

/* The values of a batch by metric, so that a condition finds its own. */
struct values {
	const struct sample_column *column[METRIC_COUNT];
};

/* What was looked at. */
struct found {
	int64_t a, b;
	int128 sum;
};

static bool get(
	const struct values *values, enum metric_id metric, size_t row, int64_t *value)
{
	const struct sample_column *column =
		metric == METRIC_none ? NULL : values->column[metric];

	if (!column || column->presence[row] != PRESENCE_VALUE)
		return false;
	*value = column->value[row];
	return true;
}

static void say(struct run *run, const struct sample_batch *batch, size_t row,
	const char *id, enum metric_id metric, const struct strbuf *text)
{
	const char *file =
		batch->file < run->file_count ? run->file[batch->file].path : "";

	diag_add(&run->diags, true, id, file, batch->line[row],
		span_of(metric_get(metric)->name), "%s", text->text);
}

static void add_amount(struct strbuf *sb, enum metric_id metric, int128 value)
{
	const struct metric *m = metric_get(metric);

	number_print(sb, number_ratio(value, m->per_unit));
	if (m->unit[0])
		strbuf_addf(sb, " %s", m->unit);
}

/* "mem_used_mib of gpu0 is 5 MiB" */
static void say_value(struct strbuf *sb, const struct run *run, enum metric_id metric,
	uint32_t device, int64_t value)
{
	const struct metric *m = metric_get(metric);

	strbuf_addf(sb, "%s of %s is ", m->name, run->device[device].name);
	add_amount(sb, metric, value);
}

static void say_range(struct strbuf *sb, const struct condition *c)
{
	const char *unit = metric_get(c->a)->unit;

	strbuf_addf(sb, "; expected %lld to %lld", (long long)c->low, (long long)c->high);
	if (unit[0])
		strbuf_addf(sb, " %s", unit);
}

/*
 * True also where a value is missing. Of a sum without its last part only too much can be
 * told. Sums are of any numbers that a log may hold.
 */
static bool holds(struct soundness *soundness, const struct condition *c,
	const struct values *values, size_t row, struct found *f)
{
	int64_t per_unit = metric_get(c->a)->per_unit;
	int128 tolerance = (int128)c->high * per_unit;
	int64_t y, z = 0;
	bool whole;

	if (!get(values, c->a, row, &f->a))
		return true;
	if (c->kind != CONDITION_RANGE && !get(values, c->b, row, &f->b))
		return true;
	if (c->kind == CONDITION_SUM && !get(values, c->c, row, &y))
		return true;
	soundness->looks++;
	switch (c->kind) {
	case CONDITION_RANGE:
		return f->a >= c->low * per_unit && f->a <= c->high * per_unit;
	case CONDITION_ORDER:
		return f->a <= f->b;
	case CONDITION_SUM:
		whole = c->d == METRIC_none || get(values, c->d, row, &z);
		f->sum = (int128)f->b + y + z;
		return f->sum <= f->a + tolerance &&
			(!whole || f->sum >= f->a - tolerance);
	}
	return true;
}

static void say_failure(struct strbuf *sb, const struct run *run,
	const struct condition *c, uint32_t device, const struct found *f)
{
	say_value(sb, run, c->a, device, f->a);
	switch (c->kind) {
	case CONDITION_RANGE:
		say_range(sb, c);
		break;
	case CONDITION_ORDER:
		strbuf_addf(sb, ", more than %s, ", metric_get(c->b)->name);
		add_amount(sb, c->b, f->b);
		break;
	case CONDITION_SUM:
		strbuf_adds(sb, ", but its parts sum to ");
		add_amount(sb, c->a, f->sum);
		break;
	}
}

static const char *const condition_id[] = {[CONDITION_RANGE] = "range",
	[CONDITION_ORDER] = "order",
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
			say_value(&text, run, column->metric, device, now.value);
			strbuf_adds(&text, ", less than before, ");
			add_amount(&text, column->metric, before->value);
			say(run, batch, row, "counter-reset", column->metric, &text);
			strbuf_release(&text);
			soundness->failures++;
		}
	}
	*before = now;
}

static void check_condition(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, const struct values *values,
	const struct condition *c)
{
	struct strbuf text;
	struct found found = {0};

	strbuf_init(&text);
	for (size_t row = 0; row < batch->rows; row++) {
		if (holds(soundness, c, values, row, &found))
			continue;
		soundness->failures++;
		strbuf_clear(&text);
		say_failure(&text, run, c, batch->device[row], &found);
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
	struct values values = {{NULL}};

	if (soundness->source != batch->source)
		forget_counted(soundness);
	soundness->source = batch->source;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum metric_kind kind = metric_get(column->metric)->kind;

		values.column[column->metric] = column;
		if (kind != KIND_COUNTER && kind != KIND_TICKS)
			continue;
		for (size_t row = 0; row < batch->rows; row++)
			check_counter(soundness, run, batch, row, column);
	}
	for (size_t i = 0; i < CONDITIONS; i++)
		if (values.column[conditions[i].a])
			check_condition(soundness, run, batch, &values, &conditions[i]);
}

struct soundness *soundness_new(void)
{
	struct soundness *soundness = xcalloc(1, sizeof *soundness);

	soundness->witness.add = add;
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
		CONDITIONS, soundness->looks, soundness->failures};
}
