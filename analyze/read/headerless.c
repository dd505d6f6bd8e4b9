/* The shape of a row against the fields of a query. */
#include "read/headerless.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "model/metric.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/probe.h"

#define CELLS_MAX    32
#define READINGS_MAX 8

const char headerless_pytyche[] = "timestamp,utilization.gpu,utilization.memory,"
				  "memory.used,memory.total,power.draw,temperature.gpu,"
				  "clocks.sm,clocks.mem";

bool headerless_begins_with_time(const struct csv_row *cells)
{
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return cells->count >= 2 && cells->cell[0].len > 4 &&
		cells->cell[0].at[4] == '/' && time_parse(cells->cell[0], &utc, &t_ns);
}

/* A number where a number is asked for, in its range; a time where a time is. */
static bool could_be(struct span cell, struct span field)
{
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, field);
	const struct metric *metric;
	int64_t value;

	if (column_role(SOURCE_NVIDIA_QUERY, field) == ROLE_TIME)
		return clock_is_cell(cell);
	if (!binding)
		return true;
	metric = metric_get(binding->metric);
	if (metric_is_state(binding->metric))
		return true;
	switch (cell_read(
		cell, binding->unit, metric->per_unit, metric->per_unit, &value)) {
	case CELL_MISSING:
		return true;
	case CELL_UNREADABLE:
		return metric->kind == KIND_COUNTER; /* they may be large */
	case CELL_VALUE:
		break;
	}
	return value >= 0 &&
		!(metric->stats == STATS_ABOVE && value > 100 * metric->per_unit);
}

bool headerless_fits(const struct csv_row *cells, const char *fields)
{
	struct csv_row names;
	bool fits;

	names = csv_row_of(span_of(fields));
	fits = names.count == cells->count;
	for (size_t i = 0; fits && i < names.count; i++)
		fits = could_be(cells->cell[i], names.cell[i]);
	csv_row_release(&names);
	return fits;
}

/*
 * What units tell: the field that is asked for most in that unit, and the one that comes
 * second. Bare numbers tell nothing.
 */
static const struct {
	const char *unit;
	const char *field[2];
	bool ordered; /* the second one is not smaller, as a rule */
} shapes[] = {
	{" %", {"utilization.gpu", "utilization.memory"}, false},
	{" MiB", {"memory.used", "memory.total"}, true},
	{" W", {"power.draw", "power.limit"}, true},
	{" MHz", {"clocks.current.sm", "clocks.current.memory"}, false},
};

#define SHAPES (sizeof shapes / sizeof shapes[0])

/* The shape of a cell: a number and a unit; SHAPES: none. */
static size_t shape_of(struct span cell)
{
	int64_t quanta;

	for (size_t i = 0; i < SHAPES; i++) {
		struct span rest = cell;

		if (number_cut(&rest, 1000000, &quanta) && span_is(rest, shapes[i].unit))
			return i;
	}
	return SHAPES;
}

bool headerless_is_amount(struct span cell)
{
	return shape_of(cell) != SHAPES;
}

static const char not_used[] = "?", index_field[] = "index",
		  temperature_field[] = "temperature.gpu";

/* "00000000:0C:00.0" */
static bool is_bus_id(struct span cell)
{
	size_t colons = 0;

	for (size_t i = 0; i < cell.len; i++) {
		colons += cell.at[i] == ':';
		if (!strchr("0123456789abcdefABCDEF:.", cell.at[i]) || !cell.at[i])
			return false;
	}
	return colons == 2 && cell.len >= 12 && cell.at[cell.len - 2] == '.';
}

/*
 * A bare whole number is an index or a temperature: nothing else that is asked for often
 * is without a unit, and no GPU in use is as cold as the last index is large.
 */
static const char *whole_field(struct span cell)
{
	uint64_t number;

	if (!number_unsigned(cell, &number) || number > 120)
		return NULL;
	return number < 16 ? index_field : temperature_field;
}

static const char *other_field(struct span cell)
{
	int64_t number;

	if (cell_is_missing(cell))
		return not_used;
	if (span_begins(cell, "GPU-"))
		return "uuid";
	if (is_bus_id(cell))
		return "pci.bus_id";
	if (span_begins(cell, "0x"))
		return not_used;
	if (cell.len > 1 && cell.len < 4 && cell.at[0] == 'P' && cell.at[1] >= '0' &&
		cell.at[1] <= '9')
		return "pstate";
	if (span_begins(cell, "NVIDIA ") || span_begins(cell, "Tesla ") ||
		span_begins(cell, "GeForce ") || span_begins(cell, "Quadro "))
		return "name";
	if (clock_is_cell(cell))
		return "timestamp";
	if (number_scaled(cell, 1, &number))
		return whole_field(cell);
	return (cell.at[0] | 0x20) >= 'a' && (cell.at[0] | 0x20) <= 'z' ? not_used : NULL;
}

/* Is the field that a cell seems to be named already? All but "?" come once. */
static bool is_named(const char *const *field, size_t count, const char *name)
{
	for (size_t i = 0; i < count && name != not_used; i++)
		if (field[i] && name && strcmp(field[i], name) == 0)
			return true;
	return false;
}

/* What the units in one row tell; how many metrics are among its cells. */
static size_t name_cells(const struct csv_row *cells, const char **field)
{
	size_t seen[SHAPES] = {0}, metrics = 0;

	if (cells->count > CELLS_MAX)
		return 0;
	for (size_t i = 0; i < cells->count; i++) {
		size_t shape = shape_of(cells->cell[i]);

		if (shape == SHAPES) {
			field[i] = other_field(cells->cell[i]);
			if (!field[i] || is_named(field, i, field[i]))
				return 0;
			continue;
		}
		if (seen[shape] == 2)
			return 0; /* three amounts in one unit can't be told apart */
		field[i] = shapes[shape].field[seen[shape]++];
		metrics++;
	}
	return metrics;
}

bool headerless_guess(const struct csv_row *cells, struct strbuf *names)
{
	const char *field[CELLS_MAX];
	size_t numbers = 0;
	int64_t number;

	for (size_t i = 0; i < cells->count && i < CELLS_MAX; i++) {
		struct span cell = cells->cell[i];
		size_t shape = shape_of(cell);
		bool bare = number_scaled(cell, 1, &number);

		numbers += bare || shape != SHAPES;
		field[i] = shape != SHAPES ? shapes[shape].field[0] : other_field(cell);
		if (!field[i] || (bare && !clock_is_cell(cell)) ||
			is_named(field, i, field[i]))
			field[i] = not_used;
		strbuf_addf(names, "%s%s", i ? "," : "", field[i]);
	}
	return cells->count > 1 && cells->count <= CELLS_MAX && numbers;
}

/* A way to read the rows, and how many of them can be read so. */
struct reading_of_rows {
	const char *field[CELLS_MAX];
	size_t count, metrics, votes;
};

static bool same_reading(
	const struct reading_of_rows *r, const char *const *field, size_t count)
{
	bool same = r->count == count;

	/* the names are constants: one text, one address */
	for (size_t i = 0; same && i < count; i++)
		same = r->field[i] == field[i];
	return same;
}

/*
 * What is installed, and a limit, do not change; of several GPUs each value comes again.
 * Column c holds the larger amount of two.
 */
static bool is_constant(
	const struct probe *probe, const struct reading_of_rows *r, size_t c)
{
	struct span value[PROBE_LINES];
	size_t times[PROBE_LINES], values = 0, k;
	const char *field[CELLS_MAX];
	struct csv_row row = csv_row_new();
	bool constant = true;

	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (!name_cells(&row, field) || !same_reading(r, field, row.count))
			continue;
		for (k = 0; k < values && !span_equal(value[k], row.cell[c]); k++)
			;
		if (k == values) {
			value[values] = row.cell[c];
			times[values++] = 0;
		}
		times[k]++;
	}
	for (k = 0; k < values && values > 1; k++)
		constant = constant && times[k] >= 3;
	csv_row_release(&row);
	return constant;
}

/*
 * What a column of small numbers is: indexes count from 0 on, row by row, and begin anew;
 * one that stays 0 may be anything. NULL: it can't be told.
 */
static const char *index_or_not(
	const struct probe *probe, const struct reading_of_rows *r, size_t c)
{
	uint64_t number, last = 0, largest = 0, smallest = UINT64_MAX;
	size_t rows = 0, steps = 0;
	const char *field[CELLS_MAX];
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (!name_cells(&row, field) || !same_reading(r, field, row.count) ||
			!number_unsigned(row.cell[c], &number))
			continue;
		steps += rows && (number == last + 1 || (!number && last));
		rows++;
		largest = number > largest ? number : largest;
		smallest = number < smallest ? number : smallest;
		last = number;
	}
	csv_row_release(&row);
	if (largest == smallest)
		return largest ? index_field : not_used;
	return !smallest && steps * 10 >= (rows - 1) * 9 ? index_field : NULL;
}

/* Is the first of two amounts the larger one, in most rows? */
static bool is_reversed(const struct probe *probe, const struct reading_of_rows *r,
	size_t first, size_t second)
{
	size_t rows = 0, reversed = 0;
	const char *field[CELLS_MAX];
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count; i++) {
		struct span a, b;
		int64_t left = 0, right = 0;

		csv_split(&row, probe->line[i]);
		if (!name_cells(&row, field) || !same_reading(r, field, row.count))
			continue;
		a = row.cell[first];
		b = row.cell[second];
		number_cut(&a, 1000000, &left);
		number_cut(&b, 1000000, &right);
		reversed += left > right;
		rows++;
	}
	csv_row_release(&row);
	return reversed * 2 > rows;
}

/* Of two amounts of memory the larger one is what is installed, of power the limit. */
static void order_amounts(
	const struct probe *probe, const struct reading_of_rows *r, const char **field)
{
	for (size_t i = 0; i < SHAPES; i++) {
		size_t first = r->count, second = r->count;

		for (size_t c = 0; c < r->count; c++)
			if (r->field[c] == shapes[i].field[0])
				first = c;
			else if (r->field[c] == shapes[i].field[1])
				second = c;
		if (second < r->count && shapes[i].ordered &&
			is_reversed(probe, r, first, second)) {
			field[first] = shapes[i].field[1];
			field[second] = shapes[i].field[0];
		}
	}
}

#define SLOW_STEP 2 /* points: a fan turns no faster from row to row */
#define FAST_STEP 10 /* ... and utilization may jump */
#define FULL_PCT  90 /* ... and is often so high, as no fan is */

/* How two columns in one unit go on from row to row. */
struct course_of_two {
	size_t rows, first_less, first_full, equal;
	int64_t step[2]; /* the largest change from one row to the next */
};

static struct course_of_two course_of_two(const struct probe *probe,
	const struct reading_of_rows *r, size_t first, size_t second)
{
	struct course_of_two two = {0};
	const size_t column[2] = {first, second};
	int64_t value[2] = {0}, before[2] = {0};
	const char *field[CELLS_MAX];
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (!name_cells(&row, field) || !same_reading(r, field, row.count))
			continue;
		for (size_t k = 0; k < 2; k++) {
			struct span cell = row.cell[column[k]];
			int64_t step;

			number_cut(&cell, 1, &value[k]);
			step = llabs(value[k] - before[k]);
			if (two.rows && step > two.step[k])
				two.step[k] = step;
			before[k] = value[k];
		}
		two.first_less += value[0] < value[1];
		two.first_full += value[0] >= FULL_PCT;
		two.equal += value[0] == value[1];
		two.rows++;
	}
	csv_row_release(&row);
	return two;
}

/*
 * Two shares may be those of the GPU and its memory, or a fan's and one of these. Two
 * clocks may be of SM and memory, or of SM and graphics, in either order. Where another
 * reading fits as well, the column is not used.
 */
static void leave_doubtful(
	const struct probe *probe, const struct reading_of_rows *r, const char **field)
{
	size_t at[2][2] = {{r->count, r->count}, {r->count, r->count}};
	static const size_t shape[2] = {0, 3}; /* shares, clocks */

	for (size_t c = 0; c < r->count; c++)
		for (size_t i = 0; i < 2; i++)
			for (size_t k = 0; k < 2; k++)
				if (field[c] == shapes[shape[i]].field[k])
					at[i][k] = c;
	for (size_t i = 0; i < 2; i++) {
		struct course_of_two two;
		bool first, second;

		if (at[i][1] == r->count)
			continue;
		two = course_of_two(probe, r, at[i][0], at[i][1]);
		if (i == 0) {
			/* memory is hardly busier than its GPU, and no fan jumps */
			first = two.first_less * 10 > two.rows ||
				(two.step[0] <= SLOW_STEP && two.step[1] >= FAST_STEP &&
					two.first_full * 2 <= two.rows);
			second = first ||
				(two.step[1] <= SLOW_STEP && two.step[0] >= FAST_STEP);
		} else {
			first = !two.step[0] && two.step[1];
			second = first || two.equal * 2 > two.rows;
		}
		if (first)
			field[at[i][0]] = not_used;
		if (second)
			field[at[i][1]] = not_used;
	}
}

static bool is_ordered_second(const char *field)
{
	for (size_t i = 0; i < SHAPES; i++)
		if (shapes[i].ordered && shapes[i].field[1] == field)
			return true;
	return false;
}

bool memory_pair_begin(struct memory_pair *pair, const char *fields)
{
	struct csv_row names = csv_row_of(span_of(fields ? fields : ""));
	size_t none = names.count;

	*pair = (struct memory_pair){none, none, none, -1, -1, false};
	for (size_t i = 0; i < names.count; i++) {
		if (span_is(names.cell[i], "memory.used"))
			pair->used = i;
		else if (span_is(names.cell[i], "memory.total"))
			pair->total = i;
	}
	csv_row_release(&names);
	return pair->used < none && pair->total < none;
}

bool memory_pair_take(struct memory_pair *pair, const struct csv_row *row)
{
	int64_t used, total;

	if (row->count != pair->fields ||
		cell_read(row->cell[pair->used], UNIT_MIB, 1, 1, &used) != CELL_VALUE ||
		cell_read(row->cell[pair->total], UNIT_MIB, 1, 1, &total) != CELL_VALUE)
		return false;
	if (pair->first_used < 0) {
		pair->first_used = used;
		pair->first_total = total;
	}
	pair->sum_stays = total != pair->first_total &&
		used + total == pair->first_used + pair->first_total;
	return used != pair->first_used;
}

void memory_pair_rename(const struct memory_pair *pair, char *fields)
{
	bool little = pair->first_used * 8 <= pair->first_total;
	struct csv_row names = csv_row_of(span_of(fields));
	struct strbuf renamed = strbuf_new();

	for (size_t i = 0; i < names.count; i++) {
		struct span name = names.cell[i];

		if (!little && (i == pair->used || i == pair->total))
			name = span_of(not_used);
		else if (i == pair->total)
			name = span_of("memory.free");
		strbuf_addf(&renamed, "%s%.*s", i ? "," : "", (int)name.len, name.at);
	}
	strcpy(fields, renamed.text); /* which is shorter */
	strbuf_release(&renamed);
	csv_row_release(&names);
}

/* Both amounts of memory change in the probe, and their sum stays. */
static bool sum_stays(const struct probe *probe, struct strbuf *names)
{
	struct memory_pair pair;
	struct csv_row row;

	if (!memory_pair_begin(&pair, names->text))
		return false;
	row = csv_row_new();
	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (memory_pair_take(&pair, &row))
			break;
	}
	csv_row_release(&row);
	if (pair.sum_stays)
		memory_pair_rename(&pair, names->text);
	return pair.sum_stays;
}

size_t headerless_by_shape(const struct probe *probe, struct strbuf *names)
{
	struct reading_of_rows reading[READINGS_MAX], *best = reading;
	const char *field[CELLS_MAX];
	size_t readings = 0, rivals = 0, k;
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count; i++) {
		size_t metrics;

		csv_split(&row, probe->line[i]);
		metrics = name_cells(&row, field);
		if (!metrics)
			continue;
		for (k = 0; k < readings && !same_reading(&reading[k], field, row.count);
			k++)
			;
		if (k == READINGS_MAX)
			continue;
		if (k == readings) {
			reading[readings++] = (struct reading_of_rows){
				.count = row.count, .metrics = metrics};
			memcpy(reading[k].field, field, row.count * sizeof *field);
		}
		reading[k].votes++;
	}
	csv_row_release(&row);
	for (k = 1; k < readings; k++)
		if (reading[k].votes > best->votes)
			best = &reading[k];
	for (k = 0; k < readings; k++)
		if (&reading[k] != best && reading[k].count == best->count)
			rivals += reading[k].votes;
	if (!readings || rivals * 10 > best->votes)
		return 0;
	memcpy(field, best->field, best->count * sizeof *field);
	order_amounts(probe, best, field);
	leave_doubtful(probe, best, field);
	strbuf_clear(names);
	for (size_t c = 0; c < best->count; c++) {
		if (field[c] == index_field)
			field[c] = index_or_not(probe, best, c);
		if (!field[c])
			return 0;
		strbuf_addf(names, "%s%s", c ? "," : "", field[c]);
	}
	for (size_t c = 0; c < best->count; c++)
		if (is_ordered_second(field[c]) &&
			!(strcmp(field[c], "memory.total") == 0 &&
				sum_stays(probe, names)) &&
			!is_constant(probe, best, c))
			return 0;
	return best->metrics;
}

/*
 * Bounds of schema/checks.def, held against the cells of rows that no header explains.
 */

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

bool plausible_value(enum metric_id metric, int64_t value)
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
		if (!plausible_value(metric, v))
			return false;
		value[metric] = v;
		has[metric] = true;
	}
	return in_order(value, has);
}

/* Could the cells be a row of these fields, which nobody named? */
static bool plausible_row(const struct csv_row *cells, const char *fields)
{
	struct csv_row names;
	bool plausible = headerless_fits(cells, fields);

	names = csv_row_of(span_of(fields));
	plausible = plausible && fits(cells, &names);
	csv_row_release(&names);
	return plausible;
}

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
	struct csv_row row = csv_row_new(), names;

	names = csv_row_of(span_of(fields));
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

/* Whose word is taken for the fields of a query without header, and the notes of it. */

/* What --columns says, the recorded query, or another file. */
static const char *named_fields(const struct log *log, const struct csv_row *row)
{
	const char *const queries[] = {
		log->opt->columns, log->run->query, log->facts.by_sibling};

	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		if (queries[i] && headerless_fits(row, queries[i]))
			return queries[i];
	return NULL;
}

/* ... or pytyche's nine, or what the units of the first rows tell. */
static const char *guessed_fields(const struct log *log, const struct csv_row *row)
{
	if (log->facts.maybe_pytyche && plausible_row(row, headerless_pytyche))
		return headerless_pytyche;
	if (log->facts.by_units && headerless_fits(row, log->facts.by_units))
		return log->facts.by_units;
	return NULL;
}

/* Nobody said what was asked for. */
static void note_doubt(struct log *log, const struct csv_row *row, const char *fields)
{
	if (fields == log->facts.by_units)
		log_note(log, true, "guessed-units", SPAN_NONE,
			"no header: the %zu cells are read as %s, guessed from units and "
			"values. Use --columns to name them",
			row->count, fields);
	else
		log_note(log, true, "doubtful-columns", SPAN_NONE,
			"no header and no units: the %zu cells are read as %s, guessed "
			"from values. Use --columns to name them",
			row->count, fields);
}

/* pytyche's recorder of the CPUs ran, so that its one of the GPUs did. */
static bool has_cpu_table(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == SOURCE_HOST_TABLE &&
			run->file[i].bid[SOURCE_HOST_TABLE] >
				run->file[i].bid[SOURCE_NVIDIA_QUERY])
			return true;
	return false;
}

const char *headerless_fields(struct log *log, const struct csv_row *row)
{
	const char *fields = named_fields(log, row);
	bool guessed = !fields;

	if (guessed)
		fields = guessed_fields(log, row);
	if (!fields)
		return NULL;
	if (guessed && !(fields == headerless_pytyche && has_cpu_table(log->run)))
		note_doubt(log, row, fields);
	else if (fields != log->opt->columns)
		log_note(log, false, "guessed-columns", SPAN_NONE,
			"no header: the %zu cells are read as %s", row->count, fields);
	return fields;
}
