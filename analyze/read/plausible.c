/* Bounds of schema/checks.def, held against the cells of rows that no header explains. */
#include "read/plausible.h"

#include <stdint.h>

#include "base/number.h"
#include "model/metric.h"
#include "read/cell.h"
#include "read/headerless.h"

#define INDEX_ROWS 4 /* of numbers that count: fewer may be chance */

/* What a metric can be, in its unit. */
static const struct {
	enum metric_id metric;
	int64_t low, high;
} ranges[] = {
#define RANGE(metric, low, high) {METRIC_##metric, low, high},
#include "../schema/checks.def"
};

/* Of two metrics in one row the first is never larger. */
static const struct {
	enum metric_id small, large;
} orders[] = {
#define ORDER(small, large) {METRIC_##small, METRIC_##large},
#include "../schema/checks.def"
};

/* A cell as a value of its field; false: the field is no gauge, or it has none. */
static bool value_of(
	struct span cell, struct span field, enum metric_id *metric, int64_t *value)
{
	const struct binding *binding =
		binding_find(SOURCE_NVIDIA_QUERY, cell_strip_unit(field));
	int64_t per_unit;

	if (!binding || metric_get(binding->metric)->kind != KIND_GAUGE)
		return false;
	*metric = binding->metric;
	per_unit = metric_get(*metric)->per_unit;
	return cell_read(cell, binding->unit, per_unit, per_unit, value) == CELL_VALUE;
}

static bool in_range(enum metric_id metric, int64_t value)
{
	int64_t per_unit = metric_get(metric)->per_unit;

	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (ranges[i].metric == metric &&
			(value < ranges[i].low * per_unit ||
				value > ranges[i].high * per_unit))
			return false;
	return true;
}

static bool in_order(const int64_t *value, const bool *has)
{
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
		if (has[orders[i].small] && has[orders[i].large] &&
			value[orders[i].small] > value[orders[i].large])
			return false;
	return true;
}

static bool fits(const struct csv_row *cells, const struct csv_row *names)
{
	int64_t value[METRIC_COUNT];
	bool has[METRIC_COUNT] = {false};

	for (size_t i = 0; i < names->count; i++) {
		enum metric_id metric;
		int64_t v;

		if (!value_of(cells->cell[i], names->cell[i], &metric, &v))
			continue;
		if (!in_range(metric, v))
			return false;
		value[metric] = v;
		has[metric] = true;
	}
	return in_order(value, has);
}

bool plausible_row(const struct csv_row *cells, const char *fields)
{
	struct csv_row names;
	bool plausible = headerless_fits(cells, fields);

	csv_row_init(&names);
	csv_split(&names, span_of(fields));
	plausible = plausible && fits(cells, &names);
	csv_row_release(&names);
	return plausible;
}

/* Numbers of a column, one behind the other. */
struct counting {
	size_t numbers, steps;
	uint64_t last, largest;
};

static void count_on(struct counting *c, struct span cell)
{
	uint64_t number;

	if (!number_unsigned(cell, &number))
		return;
	c->steps += c->numbers && (number == c->last + 1 || (!number && c->last));
	c->numbers++;
	c->last = number;
	c->largest = number > c->largest ? number : c->largest;
}

/* 0, 1, 0, 1: one column of them is the index, and no share of anything. */
static bool counts_gpus(const struct counting *c)
{
	return c->numbers >= INDEX_ROWS && c->largest > 0 &&
		c->steps * 10 >= (c->numbers - 1) * 9;
}

bool plausible_rows(const struct probe *probe, const char *fields)
{
	struct counting counting = {0};
	size_t rows = 0, plausible = 0;
	struct csv_row row, names;

	csv_row_init(&row);
	csv_row_init(&names);
	csv_split(&names, span_of(fields));
	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (!headerless_fits(&row, fields))
			continue;
		rows++;
		plausible += fits(&row, &names);
		count_on(&counting, row.cell[1]);
	}
	csv_row_release(&row);
	csv_row_release(&names);
	return plausible * 2 > rows && !counts_gpus(&counting);
}
