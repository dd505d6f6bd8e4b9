/* The conditions as a table, and what is said where one does not hold. */
#include "compute/run/condition.h"

static const struct condition conditions[] = {
#define RANGE(metric, low, high)                                                       \
	{CONDITION_RANGE, METRIC_##metric, METRIC_none, METRIC_none, METRIC_none, low, \
		high},
#define ORDER(small, large) \
	{CONDITION_ORDER, METRIC_##small, METRIC_##large, METRIC_none, METRIC_none, 0, 0},
#define BUSY(metric, least)                                                              \
	{CONDITION_BUSY, METRIC_##metric, METRIC_gpu_util_pct, METRIC_none, METRIC_none, \
		least, 0},
#define SUM(total, x, y, z, tolerance) \
	{CONDITION_SUM, METRIC_##total, METRIC_##x, METRIC_##y, METRIC_##z, 0, tolerance},
#include "../schema/checks.def"
};

size_t condition_count(void)
{
	return sizeof conditions / sizeof conditions[0];
}

const struct condition *condition_get(size_t i)
{
	return &conditions[i];
}

void condition_columns(
	struct condition_columns *columns, const struct sample_batch *batch)
{
	*columns = (struct condition_columns){{NULL}};
	for (size_t c = 0; c < batch->column_count; c++)
		columns->column[batch->column[c].metric] = &batch->column[c];
}

static bool get(const struct condition_columns *columns, enum metric_id metric,
	size_t row, int64_t *value)
{
	const struct sample_column *column =
		metric == METRIC_none ? NULL : columns->column[metric];

	if (!column || column->presence[row] != PRESENCE_VALUE)
		return false;
	*value = column->value[row];
	return true;
}

bool condition_holds(const struct condition *c, const struct condition_columns *columns,
	size_t row, struct condition_found *f)
{
	int64_t per_unit = metric_get(c->a)->per_unit;
	int128 tolerance = (int128)c->high * per_unit;
	int64_t y = 0, z = 0;
	bool whole;

	f->looked = get(columns, c->a, row, &f->a) &&
		(c->kind == CONDITION_RANGE || get(columns, c->b, row, &f->b)) &&
		(c->kind != CONDITION_SUM || get(columns, c->c, row, &y));
	if (!f->looked)
		return true;
	switch (c->kind) {
	case CONDITION_RANGE:
		return f->a >= c->low * per_unit && f->a <= c->high * per_unit;
	case CONDITION_ORDER:
		return f->a <= f->b;
	case CONDITION_BUSY:
		return f->a >= c->low * per_unit ||
			f->b < CONDITION_BUSY_PCT * metric_get(c->b)->per_unit;
	case CONDITION_SUM:
		whole = c->d == METRIC_none || get(columns, c->d, row, &z);
		f->sum = (int128)f->b + y + z;
		return f->sum <= f->a + tolerance &&
			(!whole || f->sum >= f->a - tolerance);
	}
	return true;
}

void condition_say_amount(struct strbuf *sb, enum metric_id metric, int128 value)
{
	const struct metric *m = metric_get(metric);

	number_print(sb, number_ratio(value, m->per_unit));
	if (m->unit[0])
		strbuf_addf(sb, " %s", m->unit);
}

void condition_say_value(struct strbuf *sb, const struct run *run, enum metric_id metric,
	uint32_t device, int64_t value)
{
	const struct metric *m = metric_get(metric);

	strbuf_addf(sb, "%s of %s is ", m->name, run->device[device].name);
	condition_say_amount(sb, metric, value);
}

static void say_range(struct strbuf *sb, const struct condition *c)
{
	const char *unit = metric_get(c->a)->unit;

	strbuf_addf(sb, "; expected %lld to %lld", (long long)c->low, (long long)c->high);
	if (unit[0])
		strbuf_addf(sb, " %s", unit);
}

void condition_say(struct strbuf *sb, const struct condition *c, const struct run *run,
	uint32_t device, const struct condition_found *f)
{
	condition_say_value(sb, run, c->a, device, f->a);
	switch (c->kind) {
	case CONDITION_RANGE:
		say_range(sb, c);
		break;
	case CONDITION_ORDER:
		strbuf_addf(sb, ", more than %s, ", metric_get(c->b)->name);
		condition_say_amount(sb, c->b, f->b);
		break;
	case CONDITION_BUSY:
		strbuf_addf(sb, " while %s is ", metric_get(c->b)->name);
		condition_say_amount(sb, c->b, f->b);
		break;
	case CONDITION_SUM:
		strbuf_adds(sb, ", but its parts sum to ");
		condition_say_amount(sb, c->a, f->sum);
		break;
	}
}
