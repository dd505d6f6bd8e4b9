/*
 * A counter does not go back: if the values before and behind one are in order, and it is
 * not between them, it is wrong, and no reset. What has no value on one side must be
 * possible.
 */
#include "read/stray_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"

/* What no sensor exceeds. */
enum {
#define RANGE(metric, low, high) HIGHEST_##metric = (high),
#include "../schema/checks.def"
};

/* Of ticks, so many times as fast as in the fastest step; a shorter one tells nothing. */
#define TICKS_TIMES   2
#define TICKS_STEP_NS (NS_PER_S / 10)

/* The kernel sums ticks up as it likes: they may be off by so many. */
#define FEW_TICKS 10

/* ... and idle and waiting time in a step by that part of all its ticks. */
#define IDLE_SHARE 10

/* What goes back in more than one of so many steps is no counter. */
#define FALLS_SHARE 10

enum {
	FALLS_UNKNOWN,
	FALLS_SELDOM,
	FALLS_OFTEN
};

void stray_counts_release(struct stray_counts *counts)
{
	free(counts->next);
	free(counts->first);
	free(counts->device);
}

/* Sums over processes fall where one ends. */
static bool is_counter(const struct sample_batch *batch, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	return m->kind == KIND_TICKS ||
		(m->kind == KIND_COUNTER && m->device == DEVICE_GPU &&
			batch->source != SOURCE_NONE);
}

static size_t slot_of(struct stray_counts *counts, enum metric_id metric)
{
	size_t slot = 0;

	while (slot < counts->slots && counts->metric[slot] != metric)
		slot++;
	if (slot == counts->slots && slot < STRAY_COUNTERS)
		counts->metric[counts->slots++] = metric;
	return slot;
}

static void make_devices(struct stray_counts *counts, const struct sample_batch *batch)
{
	size_t count = counts->device_count;

	for (size_t row = 0; row < batch->rows; row++)
		if (batch->device[row] >= count)
			count = (size_t)batch->device[row] + 1;
	ALLOC_GROW(counts->device, count, counts->device_cap);
	ALLOC_GROW(counts->first, count, counts->first_cap);
	for (; counts->device_count < count; counts->device_count++) {
		struct stray_counters *device = &counts->device[counts->device_count];

		*device = (struct stray_counters){.step_ns = 0};
		for (size_t i = 0; i < STRAY_COUNTERS; i++)
			device->last[i] = device->before[i] = -1;
	}
}

/* From the last row to the first. */
static void link_rows(struct stray_counts *counts, const struct sample_batch *batch)
{
	for (size_t i = 0; i < counts->device_count; i++) {
		counts->first[i] = SIZE_MAX;
		memset(counts->device[i].falls, FALLS_UNKNOWN,
			sizeof counts->device[i].falls);
	}
	for (size_t row = batch->rows; row-- > 0;) {
		counts->next[row] = counts->first[batch->device[row]];
		counts->first[batch->device[row]] = row;
	}
}

bool stray_counts_begin(struct stray_counts *counts, const struct sample_batch *batch)
{
	bool any = false;

	for (size_t slot = 0; slot < STRAY_COUNTERS; slot++)
		counts->column[slot] = SIZE_MAX;
	for (size_t c = 0; c < batch->column_count; c++) {
		size_t slot;

		if (!is_counter(batch, batch->column[c].metric))
			continue;
		slot = slot_of(counts, batch->column[c].metric);
		if (slot < STRAY_COUNTERS)
			counts->column[slot] = c;
		any |= slot < STRAY_COUNTERS;
	}
	if (!any)
		return false;
	if (!counts->next)
		counts->next = xmalloc(SAMPLE_BATCH_ROWS * sizeof *counts->next);
	make_devices(counts, batch);
	link_rows(counts, batch);
	return true;
}

/* A row of one device: in the batch, or in the one behind. */
struct place {
	const struct sample_batch *batch; /* NULL: there is none */
	size_t row;
};

static struct place behind_of(const struct stray_counts *counts, struct ahead *ahead,
	const struct sample_batch *batch, struct place at)
{
	uint32_t device = at.batch->device[at.row];
	struct place next = {at.batch, at.row + 1};

	if (at.batch == batch && counts->next[at.row] != SIZE_MAX)
		return (struct place){batch, counts->next[at.row]};
	if (at.batch == batch)
		next = (struct place){ahead_behind(ahead), 0};
	while (next.row < next.batch->rows && next.batch->device[next.row] != device)
		next.row++;
	return next.row < next.batch->rows ? next : (struct place){NULL, 0};
}

static int64_t cell(const struct sample_batch *batch, size_t column, size_t row)
{
	return column < batch->column_count &&
			batch->column[column].presence[row] == PRESENCE_VALUE
		? batch->column[column].value[row]
		: -1;
}

/* -1: it has none. */
static int64_t value_at(struct place at, enum metric_id metric)
{
	for (size_t c = 0; at.batch && c < at.batch->column_count; c++)
		if (at.batch->column[c].metric == metric)
			return cell(at.batch, c, at.row);
	return -1;
}

/* The device of a row, and its rows behind that one. */
struct around {
	const struct stray_counters *device;
	struct place here, next, then;
	bool ends; /* the file, with this row of the device */
};

/* The sum of what all ticks of two rows rise by; -1: one falls. */
static int128 add_rise(int128 sum, int64_t from, int64_t to)
{
	if (sum < 0 || from < 0 || to < 0)
		return sum;
	return to < from ? -1 : sum + to - from;
}

static int128 rise_between(
	const struct stray_counts *counts, struct place from, struct place to)
{
	int128 sum = 0;

	for (size_t slot = 0; slot < counts->slots; slot++)
		sum = add_rise(sum, value_at(from, counts->metric[slot]),
			value_at(to, counts->metric[slot]));
	return sum;
}

/* ... from the row before to the next one, but of what falls. */
static int128 rise_around(const struct stray_counts *counts, const struct around *around)
{
	int128 sum = 0;

	for (size_t slot = 0; slot < counts->slots; slot++) {
		int64_t from = around->device->last[slot];
		int64_t to = value_at(around->next, counts->metric[slot]);

		sum += from >= 0 && to > from ? to - from : 0;
	}
	return sum;
}

static bool may_fall(enum metric_id metric)
{
	return metric == METRIC_cpu_idle_ticks || metric == METRIC_cpu_iowait_ticks;
}

static bool is_between(const struct stray_counts *counts, const struct around *around,
	size_t slot, const struct stray_count *c)
{
	int64_t off = c->value > c->behind ? c->value - c->behind : c->before - c->value;
	int64_t then = value_at(around->then, c->metric);
	int64_t before = around->device->before[slot];

	if (off <= 0 || c->before > c->behind)
		return true;
	if ((before < 0 || before > c->before) && then < c->behind)
		return true; /* of three values each may be wrong */
	if (may_fall(c->metric))
		return off <= rise_around(counts, around) / IDLE_SHARE + FEW_TICKS;
	return metric_get(c->metric)->kind == KIND_TICKS && off <= FEW_TICKS;
}

/* ticks: of all in step_ns, in a step that is known; 0: the CPU was away; -1: not known.
 */
static bool may_rise(enum metric_id metric, int64_t rise, int64_t time_ns, int128 ticks,
	int64_t step_ns)
{
	const struct metric *m = metric_get(metric);

	if (m->stats == STATS_ENERGY && time_ns > 0)
		return (int128)rise * NS_PER_S <=
			(int128)HIGHEST_power_w * m->per_unit * time_ns;
	return m->kind != KIND_TICKS || ticks <= 0 || step_ns < TICKS_STEP_NS ||
		time_ns < TICKS_STEP_NS ||
		(int128)rise * step_ns <= TICKS_TIMES * ticks * time_ns;
}

/* The last value of a file: the two before it must be in order. */
static bool may_end(const struct around *around, size_t slot, const struct stray_count *c)
{
	const struct stray_counters *device = around->device;

	return device->before[slot] < 0 || device->before[slot] > c->before ||
		may_rise(c->metric, c->value - c->before,
			around->here.batch->t_ns[around->here.row] - device->t_ns[slot],
			device->step_ns ? device->ticks : -1, device->step_ns);
}

/* The first one: the two behind it. */
static bool may_begin(const struct stray_counts *counts, const struct around *around,
	const struct stray_count *c)
{
	struct place here = around->here, next = around->next, then = around->then;
	int64_t next_ns;

	if (!then.batch || value_at(then, c->metric) < c->behind)
		return true;
	next_ns = next.batch->t_ns[next.row];
	return may_rise(c->metric, c->behind - c->value,
		next_ns - here.batch->t_ns[here.row], rise_between(counts, next, then),
		then.batch->t_ns[then.row] - next_ns);
}

static bool can_be(const struct stray_counts *counts, const struct around *around,
	size_t slot, const struct stray_count *c)
{
	if (c->before >= 0 && c->behind >= 0)
		return is_between(counts, around, slot, c);
	if (!around->here.batch->timed)
		return true;
	if (c->before >= 0)
		return !around->ends || may_end(around, slot, c);
	return c->behind < 0 || may_begin(counts, around, c);
}

/* Nearly every row: between those before and behind, which are known. */
static bool all_rise(const struct stray_counts *counts,
	const struct stray_counters *device, const struct sample_batch *batch, size_t row)
{
	size_t next = counts->next[row];

	for (size_t slot = 0; next != SIZE_MAX && slot < counts->slots; slot++) {
		const struct sample_column *column;

		if (counts->column[slot] == SIZE_MAX)
			continue;
		column = &batch->column[counts->column[slot]];
		if (column->presence[row] != PRESENCE_VALUE)
			continue;
		if (device->last[slot] < 0 || column->value[row] < device->last[slot] ||
			column->presence[next] != PRESENCE_VALUE ||
			column->value[next] < column->value[row])
			return false;
	}
	return next != SIZE_MAX;
}

/* Some loggers have each row's own energy, or errors, in such a column. */
static bool falls_often(struct stray_counts *counts, const struct sample_batch *batch,
	uint32_t device, size_t slot)
{
	uint8_t *known = &counts->device[device].falls[slot];
	int64_t last = counts->device[device].last[slot];
	size_t steps = 0, falls = 0;

	if (*known != FALLS_UNKNOWN)
		return *known == FALLS_OFTEN;
	for (size_t row = counts->first[device]; row != SIZE_MAX;
		row = counts->next[row]) {
		int64_t value = cell(batch, counts->column[slot], row);

		if (value < 0)
			continue;
		steps++;
		falls += value < last;
		last = value;
	}
	*known = falls > 1 && falls * FALLS_SHARE > steps ? FALLS_OFTEN : FALLS_SELDOM;
	return *known == FALLS_OFTEN;
}

bool stray_count_next(struct stray_counts *counts, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, size_t *slot,
	struct stray_count *found)
{
	uint32_t number = batch->device[row];
	struct stray_counters *device = &counts->device[number];
	struct around around = {.device = device, .here = {batch, row}};

	if (!*slot && all_rise(counts, device, batch, row))
		return false;
	around.next = behind_of(counts, ahead, batch, around.here);
	around.ends = !around.next.batch && ahead->got <= 0;
	if (around.next.batch)
		around.then = behind_of(counts, ahead, batch, around.next);
	for (; *slot < counts->slots; ++*slot) {
		size_t c = counts->column[*slot];

		if (c == SIZE_MAX || batch->column[c].presence[row] != PRESENCE_VALUE)
			continue;
		*found = (struct stray_count){counts->metric[*slot], c,
			batch->column[c].value[row], device->last[*slot],
			value_at(around.next, counts->metric[*slot])};
		if (!can_be(counts, &around, *slot, found) &&
			!falls_often(counts, batch, number, *slot)) {
			++*slot;
			return true;
		}
	}
	return false;
}

void stray_count_pass(
	struct stray_counts *counts, const struct sample_batch *batch, size_t row)
{
	struct stray_counters *device = &counts->device[batch->device[row]];
	int64_t step_ns = 0;
	int128 ticks = 0;

	for (size_t slot = 0; slot < counts->slots; slot++) {
		size_t c = counts->column[slot];
		int64_t value, last = device->last[slot];

		if (c == SIZE_MAX || batch->column[c].presence[row] != PRESENCE_VALUE)
			continue;
		value = batch->column[c].value[row];
		if (last >= 0)
			step_ns = batch->t_ns[row] - device->t_ns[slot];
		ticks = add_rise(ticks, last, value);
		device->before[slot] = last;
		device->last[slot] = value;
		device->t_ns[slot] = batch->t_ns[row];
	}
	if (step_ns > 0 && ticks >= 0 &&
		ticks * device->step_ns >= device->ticks * step_ns) {
		device->ticks = ticks;
		device->step_ns = step_ns;
	}
}
