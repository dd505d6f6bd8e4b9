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
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	int32_t segment;
	int64_t value;
};

struct soundness {
	uint64_t looks, failures;
	struct counted *counted;
	size_t counted_count, counted_cap;
};

struct soundness *soundness_new(void)
{
	return xcalloc(1, sizeof(struct soundness));
}

void soundness_free(struct soundness *soundness)
{
	if (!soundness)
		return;
	free(soundness->counted);
	free(soundness);
}

/* The values of a batch by metric, so that a condition finds its own. */
struct values {
	const struct sample_column *column[METRIC_COUNT];
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
		span_of(metric_get(metric)->name), "%s: %s",
		run->device[batch->device[row]].name, text->text);
}

static void add_value(struct strbuf *sb, enum metric_id metric, int64_t value)
{
	const struct metric *m = metric_get(metric);

	strbuf_addf(sb, "%s ", m->name);
	number_print(sb, number_ratio(value, m->per_unit));
	if (m->unit[0])
		strbuf_addf(sb, " %s", m->unit);
}

static bool check_range(const struct condition *c, int64_t a, struct strbuf *text)
{
	int64_t per_unit = metric_get(c->a)->per_unit;

	if (a >= c->low * per_unit && a <= c->high * per_unit)
		return true;
	add_value(text, c->a, a);
	strbuf_addf(text, ", which is not within %lld to %lld", (long long)c->low,
		(long long)c->high);
	return false;
}

static bool check_order(
	const struct condition *c, int64_t a, int64_t b, struct strbuf *text)
{
	if (a <= b)
		return true;
	add_value(text, c->a, a);
	strbuf_adds(text, " is more than ");
	add_value(text, c->b, b);
	return false;
}

/* parts: 2 or 3 of them; without the third the sum can only be too large. */
static bool check_sum(const struct condition *c, int64_t total, int64_t sum, bool whole,
	struct strbuf *text)
{
	int64_t tolerance = c->high * metric_get(c->a)->per_unit;

	if (sum <= total + tolerance && (!whole || sum >= total - tolerance))
		return true;
	add_value(text, c->a, total);
	strbuf_adds(text, ", but its parts sum to ");
	number_print(text, number_ratio(sum, metric_get(c->a)->per_unit));
	return false;
}

static bool holds(struct soundness *soundness, const struct condition *c,
	const struct values *values, size_t row, struct strbuf *text)
{
	int64_t a, x, y, z = 0;

	if (!get(values, c->a, row, &a))
		return true;
	if (c->kind != CONDITION_RANGE && !get(values, c->b, row, &x))
		return true;
	if (c->kind == CONDITION_SUM && !get(values, c->c, row, &y))
		return true;
	soundness->looks++;
	switch (c->kind) {
	case CONDITION_RANGE:
		return check_range(c, a, text);
	case CONDITION_ORDER:
		return check_order(c, a, x, text);
	case CONDITION_SUM:
		return check_sum(c, a, x + y + (get(values, c->d, row, &z) ? z : 0),
			c->d == METRIC_none || get(values, c->d, row, &z), text);
	}
	return true;
}

static const char *const condition_id[] = {[CONDITION_RANGE] = "range",
	[CONDITION_ORDER] = "order",
	[CONDITION_SUM] = "sum"};

static struct counted *counted_of(struct soundness *soundness,
	const struct sample_batch *batch, size_t row, enum metric_id metric)
{
	struct counted *counted;

	for (size_t i = 0; i < soundness->counted_count; i++) {
		counted = &soundness->counted[i];
		if (counted->metric == metric && counted->device == batch->device[row] &&
			counted->source == batch->source)
			return counted;
	}
	ALLOC_GROW(
		soundness->counted, soundness->counted_count + 1, soundness->counted_cap);
	counted = &soundness->counted[soundness->counted_count++];
	*counted = (struct counted){
		batch->source, batch->device[row], metric, batch->segment[row], -1};
	return counted;
}

/* Single CPUs are passed over: there are many, and they fall with all together. */
static void check_counter(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, size_t row, const struct sample_column *column)
{
	struct counted *before;
	struct strbuf text;

	if (column->presence[row] != PRESENCE_VALUE ||
		device_is_core(&run->device[batch->device[row]]))
		return;
	before = counted_of(soundness, batch, row, column->metric);
	soundness->looks++;
	if (before->segment == batch->segment[row] &&
		column->value[row] < before->value && !may_fall(column->metric)) {
		strbuf_init(&text);
		add_value(&text, column->metric, column->value[row]);
		strbuf_adds(&text, " is less than before, ");
		number_print(&text,
			number_ratio(
				before->value, metric_get(column->metric)->per_unit));
		say(run, batch, row, "counter-reset", column->metric, &text);
		strbuf_release(&text);
		soundness->failures++;
	}
	before->segment = batch->segment[row];
	before->value = column->value[row];
}

void soundness_add(
	struct soundness *soundness, struct run *run, const struct sample_batch *batch)
{
	struct values values = {{NULL}};
	struct strbuf text;

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum metric_kind kind = metric_get(column->metric)->kind;

		values.column[column->metric] = column;
		for (size_t row = 0; row < batch->rows; row++)
			if (kind == KIND_COUNTER || kind == KIND_TICKS)
				check_counter(soundness, run, batch, row, column);
	}
	strbuf_init(&text);
	for (size_t i = 0; i < CONDITIONS; i++) {
		if (!values.column[conditions[i].a])
			continue;
		for (size_t row = 0; row < batch->rows; row++) {
			strbuf_clear(&text);
			if (holds(soundness, &conditions[i], &values, row, &text))
				continue;
			soundness->failures++;
			say(run, batch, row, condition_id[conditions[i].kind],
				conditions[i].a, &text);
		}
	}
	strbuf_release(&text);
}

struct soundness_count soundness_count(const struct soundness *soundness)
{
	return (struct soundness_count){
		CONDITIONS, soundness->looks, soundness->failures};
}
