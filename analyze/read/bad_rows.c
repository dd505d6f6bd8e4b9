/*
 * Rows are judged one after the other, each against those let through before it and
 * those behind, for which a batch more is read where need be.
 */
#include "read/bad_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "model/sample.h"
#include "read/bad_gpu_id.h"

/* A row of a batch, or of the one behind it. */
struct row_place {
	const struct sample_batch *batch;
	size_t row;
};

/* The single CPUs of a snapshot, in its order: indexes into the run's devices. */
struct core_set {
	uint32_t *at; /* [count] owned; none: there is no snapshot */
	size_t count, cap;
};

struct bad_cpus {
	size_t known; /* the run's devices before the file */
	struct core_set before[2]; /* the last two that were believed, the later one
				      first */
	bool *seen; /* [seen_count] by device: of those; owned */
	size_t seen_count, seen_cap;
};

#define BAD_COUNTERS 16 /* of one log at most; others are believed */

/* The last two values of a device's counters that were let through. */
struct device_counters {
	int64_t t_ns[BAD_COUNTERS]; /* of the last one */
	int64_t last[BAD_COUNTERS], before[BAD_COUNTERS]; /* -1: none yet */
	uint8_t falls[BAD_COUNTERS]; /* in the batch: 0: not yet counted */
	int128 ticks; /* that all rose by in the step in which they did fastest, */
	int64_t step_ns; /* ... and its length; 0: none yet */
};

struct bad_counters {
	size_t column[BAD_COUNTERS]; /* of the batch: its counters, by slot; SIZE_MAX */
	enum metric_id metric[BAD_COUNTERS]; /* by slot; a slot is one of the log */
	size_t slots;
	size_t *next; /* [SAMPLE_BATCH_ROWS] the next row of a row's device, in the batch;
			 SIZE_MAX: none; owned */
	size_t *first; /* [device_count] the first row of a device; likewise */
	struct device_counters *device; /* [device_count] owned */
	size_t device_count, device_cap, first_cap;
};

struct bad_counter {
	enum metric_id metric;
	size_t column; /* of the batch */
	int64_t value, before, behind; /* what stands around it; -1: nothing */
};

/* Goes on to the next row. False: none is behind, or what is has other clocks. */
static bool ahead_step(struct ahead *ahead, struct row_place *at)
{
	const struct sample_batch *behind;

	if (++at->row < at->batch->rows)
		return true;
	if (at->batch == &ahead->behind)
		return false;
	behind = ahead_behind(ahead);
	*at = (struct row_place){behind, 0};
	return behind->rows && behind->timed;
}

/* A row is held against those that stand around it, before and behind. */

/* No clock is that far off by chance. */
#define FAR_LEAST_NS (10 * NS_PER_S)

/* Nor does a recorder whose rows go on, or went on, sleep that long around one of them.
 */
#define SLEEP_NS (24 * 3600 * NS_PER_S)

#define CHAIN_ROWS 3 /* one of which, at least, is right */
#define OWN_ROWS   4 /* of those behind */

void bad_times_release(struct bad_times *times)
{
	free(times->device);
}

static struct time_course *course_of(struct bad_times *times, uint32_t device)
{
	ALLOC_AT(times->device, device, times->device_count, times->device_cap);
	return &times->device[device];
}

struct nearby_rows {
	const struct time_course *course; /* of its device */
	int64_t behind_ns[BAD_NEAR], own_ns[OWN_ROWS]; /* of any, of its device */
	size_t behind, own;
	int64_t step_ns; /* of its device's rows; 0: not known */
	int64_t far_ns; /* from there on a row is none of those */
};

static int64_t distance(int64_t a, int64_t b)
{
	uint64_t d = a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;

	return d > INT64_MAX ? INT64_MAX : (int64_t)d;
}

/* The lower quartile: what is far off lengthens steps. */
static int64_t usual_step(const struct nearby_rows *around)
{
	int64_t step[BAD_STEPS + OWN_ROWS];
	size_t count = 0;

	for (size_t i = 0; i < BAD_STEPS; i++)
		if (around->course->step_ns[i])
			step[count++] = around->course->step_ns[i];
	for (size_t i = 1; i < around->own; i++)
		if (around->own_ns[i] != around->own_ns[i - 1])
			step[count++] =
				distance(around->own_ns[i], around->own_ns[i - 1]);
	sort_int64(step, count);
	return count ? step[(count - 1) / 4] : 0;
}

/* Rows of one snapshot have one time from one line: they say nothing of one another. */
static void look_around(struct nearby_rows *around, const struct bad_times *times,
	struct ahead *ahead, const struct sample_batch *batch, size_t row)
{
	struct row_place at = {batch, row};
	int64_t t_ns = batch->t_ns[row];
	bool snapshot = true;

	*around = (struct nearby_rows){.course = &times->device[batch->device[row]]};
	while ((around->behind < BAD_NEAR || around->own < OWN_ROWS) &&
		ahead_step(ahead, &at)) {
		int64_t next_ns = at.batch->t_ns[at.row];

		snapshot = snapshot && batch->snapshots && next_ns == t_ns;
		if (snapshot)
			continue;
		if (around->behind < BAD_NEAR)
			around->behind_ns[around->behind++] = next_ns;
		if (around->own < OWN_ROWS &&
			at.batch->device[at.row] == batch->device[row])
			around->own_ns[around->own++] = next_ns;
	}
	around->step_ns = usual_step(around);
	around->far_ns = FAR_LEAST_NS;
	if (around->step_ns > INT64_MAX / 10)
		around->far_ns = INT64_MAX;
	else if (around->step_ns > FAR_LEAST_NS / 10)
		around->far_ns = 10 * around->step_ns;
}

static bool is_near(const int64_t *at_ns, size_t count, int64_t t_ns, int64_t far_ns)
{
	for (size_t i = 0; i < count; i++)
		if (distance(at_ns[i], t_ns) <= far_ns)
			return true;
	return false;
}

static bool stands_alone(
	const struct nearby_rows *around, const struct bad_times *times, int64_t t_ns)
{
	const struct time_course *course = around->course;

	return !is_near(around->own_ns, around->own, t_ns, around->far_ns) &&
		!is_near(around->behind_ns, around->behind, t_ns, around->far_ns) &&
		!is_near(times->near_ns, times->near_count, t_ns, around->far_ns) &&
		!(course->seen && distance(course->last_ns, t_ns) <= around->far_ns);
}

/* The first row behind that doesn't stand alone itself. False: none does, or is there. */
static bool find_next(const struct nearby_rows *around, bool has_last, int64_t last_ns,
	int64_t *next_ns)
{
	const int64_t *at_ns = around->own ? around->own_ns : around->behind_ns;
	size_t count = around->own ? around->own : around->behind;

	for (size_t i = 0; i < count; i++) {
		*next_ns = at_ns[i];
		if ((has_last && distance(last_ns, at_ns[i]) <= around->far_ns) ||
			is_near(at_ns + i + 1, count - i - 1, at_ns[i], around->far_ns))
			return true;
	}
	return false;
}

static bool is_outside(const struct run *run, int64_t t_ns)
{
	return (run->started_ns != TIME_NONE && t_ns < run->started_ns &&
		       distance(t_ns, run->started_ns) > RUN_BESIDE_NS) ||
		(run->ended_ns != TIME_NONE && t_ns > run->ended_ns &&
			distance(t_ns, run->ended_ns) > RUN_BESIDE_NS);
}

/* At an end of the file: in order, but so far off that the row is none of the others. */
static bool is_off(const struct run *run, int64_t t_ns, int64_t other_ns, size_t others)
{
	return (is_outside(run, t_ns) && !is_outside(run, other_ns)) ||
		(others >= CHAIN_ROWS && run->started_ns == TIME_NONE &&
			distance(t_ns, other_ns) > SLEEP_NS);
}

/* A row that comes late: where it belongs one is missing. */
static bool fills_hole(const struct time_course *course, int64_t t_ns)
{
	for (size_t i = 0; i < BAD_HOLES; i++)
		if (course->hole_ns[i][0] < t_ns && t_ns < course->hole_ns[i][1])
			return true;
	return false;
}

/* A row before it and one behind are known, of which it is none. */
static bool leaves_both(const struct nearby_rows *around, const struct bad_times *times,
	int64_t t_ns, int64_t last_ns, int64_t next_ns)
{
	if (t_ns > time_later(last_ns, next_ns))
		return true;
	if (t_ns >= time_earlier(last_ns, next_ns))
		return false;
	if (t_ns < times->least_ns)
		return true;
	/* its own place is empty, and there is no other for it */
	return next_ns > last_ns && !fills_hole(around->course, t_ns) &&
		2 * ((int128)next_ns - last_ns) > 3 * (int128)around->step_ns;
}

static bool is_alone(const struct nearby_rows *around, const struct bad_times *times,
	const struct run *run, int64_t t_ns, int64_t *from_ns)
{
	const struct time_course *course = around->course;
	int64_t last_ns = course->seen ? course->last_ns : times->last_ns, next_ns = t_ns;
	bool has_next;

	if (!stands_alone(around, times, t_ns))
		return false;
	has_next = find_next(around, times->seen, last_ns, &next_ns);
	*from_ns = times->seen ? last_ns : next_ns;
	if (times->seen && has_next)
		return leaves_both(around, times, t_ns, last_ns, next_ns);
	if (has_next)
		return t_ns > next_ns || is_off(run, t_ns, next_ns, around->behind);
	if (times->seen && !around->behind)
		return (times->near_count > 1 && t_ns < last_ns &&
			       !fills_hole(course, t_ns)) ||
			is_off(run, t_ns, last_ns, times->near_count);
	return false;
}

/* How far a row between those two is off, either way. */
static int64_t off_by(int64_t before_ns, int64_t t_ns, int64_t behind_ns)
{
	return distance(t_ns, (int64_t)(((int128)before_ns + behind_ns) / 2));
}

/* As the next row of another recorder is, whose clock differs. */
static bool is_as_far(const struct nearby_rows *around, int64_t a_ns, int64_t b_ns)
{
	return distance(a_ns, b_ns) / 2 <= around->step_ns;
}

/* Of the rows of its device behind it one is off by as much, or where it belongs one is
 * missing. */
static bool is_explained(const struct nearby_rows *around, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t off_ns)
{
	struct row_place at = {batch, row};
	int64_t t_ns = batch->t_ns[row], near_ns[2] = {0, 0};
	size_t count = 0;

	while (ahead_step(ahead, &at)) {
		int64_t next_ns = at.batch->t_ns[at.row];
		bool back = count > 1 && near_ns[0] < near_ns[1];

		if (at.batch->device[at.row] != batch->device[row])
			continue;
		if (count > 0 && !back && near_ns[0] < t_ns && t_ns < next_ns &&
			2 * ((int128)next_ns - near_ns[0]) > 3 * (int128)around->step_ns)
			return true;
		if (count > 1 && near_ns[1] < next_ns && (back || near_ns[0] > next_ns) &&
			is_as_far(
				around, off_by(near_ns[1], near_ns[0], next_ns), off_ns))
			return true;
		near_ns[1] = near_ns[0];
		near_ns[0] = next_ns;
		count++;
	}
	return false;
}

/* The row before or behind it, which is another device's, has its time, too. */
static bool goes_with(
	const struct nearby_rows *around, const struct bad_times *times, int64_t t_ns)
{
	return distance(times->last_ns, t_ns) <= around->step_ns ||
		is_near(around->behind_ns, 1, t_ns, around->step_ns);
}

/*
 * In the wrong order beside rows of its device that are in order, with its own place
 * there empty. By half a step less than a gap, as no step is known exactly.
 */
static bool is_out_of_order(const struct nearby_rows *around,
	const struct bad_times *times, struct ahead *ahead,
	const struct sample_batch *batch, size_t row)
{
	struct time_course *course = &times->device[batch->device[row]];
	int128 step_ns = around->step_ns, apart_ns, away_ns;
	int128 gap_ns = gap_limit_ns(around->step_ns);
	int64_t t_ns = batch->t_ns[row], last_ns = course->last_ns, off_ns;
	int64_t before_off_ns = course->off_ns;

	if (!course->seen || !around->own || !step_ns)
		return false;
	apart_ns = (int128)around->own_ns[0] - last_ns;
	away_ns = t_ns < last_ns ? (int128)last_ns - t_ns
				 : (int128)t_ns - around->own_ns[0];
	if (apart_ns <= 0 || away_ns <= 0)
		return false;
	off_ns = off_by(last_ns, t_ns, around->own_ns[0]);
	course->off_ns = off_ns;
	return 2 * away_ns > 2 * gap_ns - step_ns && 2 * apart_ns > 3 * step_ns &&
		apart_ns <= gap_ns && !goes_with(around, times, t_ns) &&
		!fills_hole(course, t_ns) &&
		!(before_off_ns && is_as_far(around, before_off_ns, off_ns)) &&
		!is_explained(around, ahead, batch, row, off_ns);
}

/* By a step that is longer than a gap may be. */
static bool goes_on(const struct time_course *course, int64_t t_ns)
{
	int64_t step_ns = course->step_ns[(course->steps + BAD_STEPS - 1) % BAD_STEPS];

	return !course->seen ||
		(t_ns > course->last_ns &&
			distance(t_ns, course->last_ns) / 2 <= step_ns);
}

/* No gap is that short, and it is beside the row before it. */
static bool is_close(const struct time_course *course, int64_t t_ns)
{
	return course->seen && distance(t_ns, course->last_ns) <= GAP_LIMIT_MIN_NS;
}

bool bad_time(struct bad_times *times, const struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t *from_ns)
{
	int64_t t_ns = batch->t_ns[row];
	struct time_course *course = course_of(times, batch->device[row]);
	struct nearby_rows around;
	bool beside;

	if (is_close(course, t_ns))
		return false;
	beside = (times->seen && t_ns >= times->last_ns &&
			 distance(t_ns, times->last_ns) <= FAR_LEAST_NS) ||
		(course->seen && distance(t_ns, course->last_ns) <= FAR_LEAST_NS);
	if (beside && goes_on(course, t_ns))
		return false;
	look_around(&around, times, ahead, batch, row);
	if (!beside && is_alone(&around, times, run, t_ns, from_ns))
		return true;
	*from_ns = course->last_ns;
	return is_out_of_order(&around, times, ahead, batch, row);
}

static void add_hole(struct time_course *course, int64_t from_ns, int64_t to_ns)
{
	course->hole_ns[course->holes][0] = from_ns;
	course->hole_ns[course->holes][1] = to_ns;
	course->holes = (uint8_t)(course->holes + 1) % BAD_HOLES;
}

/* The second shortest, as a late row makes two long ones; 0: none was. */
static int64_t short_step(const struct time_course *course)
{
	uint64_t first = UINT64_MAX, second = UINT64_MAX;

	for (size_t i = 0; i < BAD_STEPS; i++) {
		/* less one, so that none is the longest */
		uint64_t step = (uint64_t)course->step_ns[i] - 1;

		second = step < first ? first : step < second ? step : second;
		first = step < first ? step : first;
	}
	return (int64_t)((second == UINT64_MAX ? first : second) + 1);
}

/* The row before it, too, may come late: where its place begins. */
static int64_t before_first(int64_t first_ns, int64_t step_ns)
{
	int128 from_ns = first_ns - 3 * (int128)step_ns / 2;

	return from_ns < INT64_MIN ? INT64_MIN : (int64_t)from_ns;
}

static void step_to(struct time_course *course, int64_t t_ns)
{
	int64_t before_ns = short_step(course);
	int64_t step_ns = distance(t_ns, course->last_ns);

	if (!step_ns)
		return;
	if (t_ns > course->last_ns && !before_ns)
		add_hole(course, before_first(course->last_ns, step_ns), course->last_ns);
	else if (t_ns > course->last_ns && 2 * (int128)step_ns > 3 * (int128)before_ns)
		add_hole(course, course->last_ns, t_ns);
	course->step_ns[course->steps] = step_ns;
	course->steps = (uint8_t)(course->steps + 1) % BAD_STEPS;
}

static void let_through(struct bad_times *times, struct time_course *course, int64_t t_ns)
{
	if (course->seen)
		step_to(course, t_ns);
	course->seen = true;
	course->last_ns = t_ns;
	if (!times->seen || t_ns < times->least_ns)
		times->least_ns = t_ns;
	if (!times->seen || t_ns != times->last_ns) {
		times->near_ns[times->near_next] = t_ns;
		times->near_next = (times->near_next + 1) % BAD_NEAR;
		times->near_count += times->near_count < BAD_NEAR;
	}
	times->last_ns = t_ns;
	times->seen = true;
}

void bad_time_pass(struct bad_times *times, const struct sample_batch *batch, size_t row)
{
	let_through(times, course_of(times, batch->device[row]), batch->t_ns[row]);
}

/*
 * Lets the rows of a batch from that one on through of which each goes on where its
 * device was, as nearly all do; returns the first one that is to be judged, or
 * batch->rows.
 */
static size_t bad_times_go_on(
	struct bad_times *times, const struct sample_batch *batch, size_t row)
{
	for (; row < batch->rows && batch->device[row] < times->device_count; row++) {
		struct time_course *course = &times->device[batch->device[row]];

		if (!is_close(course, batch->t_ns[row]))
			break;
		let_through(times, course, batch->t_ns[row]);
	}
	return row;
}

/*
 * Counters of a device, which only rise, and one value that stands outside of those
 * around it. docs/logs.md, "Rows that contradict all others".
 *
 * A counter does not go back: if the values before and behind one are in order, and it
 * is not between them, it is wrong, and no reset. What has no value on one side must
 * be possible.
 */

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

/* Sums over processes fall where one ends. */
static bool is_counter(const struct sample_batch *batch, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	return m->kind == KIND_TICKS ||
		(m->kind == KIND_COUNTER && m->device == DEVICE_GPU &&
			batch->source != SOURCE_NONE);
}

static size_t slot_of(struct bad_counters *counts, enum metric_id metric)
{
	size_t slot = 0;

	while (slot < counts->slots && counts->metric[slot] != metric)
		slot++;
	if (slot == counts->slots && slot < BAD_COUNTERS)
		counts->metric[counts->slots++] = metric;
	return slot;
}

static void make_devices(struct bad_counters *counts, const struct sample_batch *batch)
{
	size_t count = counts->device_count;

	for (size_t row = 0; row < batch->rows; row++)
		if (batch->device[row] >= count)
			count = (size_t)batch->device[row] + 1;
	ALLOC_GROW(counts->device, count, counts->device_cap);
	ALLOC_GROW(counts->first, count, counts->first_cap);
	for (; counts->device_count < count; counts->device_count++) {
		struct device_counters *device = &counts->device[counts->device_count];

		*device = (struct device_counters){.step_ns = 0};
		for (size_t i = 0; i < BAD_COUNTERS; i++)
			device->last[i] = device->before[i] = -1;
	}
}

/* From the last row to the first. */
static void link_rows(struct bad_counters *counts, const struct sample_batch *batch)
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

/* Before the rows of a batch are judged. False: it has no such counters. */
static bool bad_counters_begin(
	struct bad_counters *counts, const struct sample_batch *batch)
{
	bool any = false;

	for (size_t slot = 0; slot < BAD_COUNTERS; slot++)
		counts->column[slot] = SIZE_MAX;
	for (size_t c = 0; c < batch->column_count; c++) {
		size_t slot;

		if (!is_counter(batch, batch->column[c].metric))
			continue;
		slot = slot_of(counts, batch->column[c].metric);
		if (slot < BAD_COUNTERS)
			counts->column[slot] = c;
		any |= slot < BAD_COUNTERS;
	}
	if (!any)
		return false;
	if (!counts->next)
		counts->next = xmalloc(SAMPLE_BATCH_ROWS * sizeof *counts->next);
	make_devices(counts, batch);
	link_rows(counts, batch);
	return true;
}

/* The next row of the device: in the batch, or in the one behind; batch NULL: none. */
static struct row_place behind_of(const struct bad_counters *counts, struct ahead *ahead,
	const struct sample_batch *batch, struct row_place at)
{
	uint32_t device = at.batch->device[at.row];
	struct row_place next = {at.batch, at.row + 1};

	if (at.batch == batch && counts->next[at.row] != SIZE_MAX)
		return (struct row_place){batch, counts->next[at.row]};
	if (at.batch == batch)
		next = (struct row_place){ahead_behind(ahead), 0};
	while (next.row < next.batch->rows && next.batch->device[next.row] != device)
		next.row++;
	return next.row < next.batch->rows ? next : (struct row_place){NULL, 0};
}

static int64_t counter_value(const struct sample_batch *batch, size_t column, size_t row)
{
	return column < batch->column_count &&
			batch->column[column].presence[row] == PRESENCE_VALUE
		? batch->column[column].value[row]
		: -1;
}

/* -1: it has none. */
static int64_t value_at(struct row_place at, enum metric_id metric)
{
	for (size_t c = 0; at.batch && c < at.batch->column_count; c++)
		if (at.batch->column[c].metric == metric)
			return counter_value(at.batch, c, at.row);
	return -1;
}

/* The device of a row, and its rows behind that one. */
struct bad_counter_around {
	const struct device_counters *device;
	struct row_place here, next, then;
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
	const struct bad_counters *counts, struct row_place from, struct row_place to)
{
	int128 sum = 0;

	for (size_t slot = 0; slot < counts->slots; slot++)
		sum = add_rise(sum, value_at(from, counts->metric[slot]),
			value_at(to, counts->metric[slot]));
	return sum;
}

/* ... from the row before to the next one, but of what falls. */
static int128 rise_around(
	const struct bad_counters *counts, const struct bad_counter_around *around)
{
	int128 sum = 0;

	for (size_t slot = 0; slot < counts->slots; slot++) {
		int64_t from = around->device->last[slot];
		int64_t to = value_at(around->next, counts->metric[slot]);

		sum += from >= 0 && to > from ? to - from : 0;
	}
	return sum;
}

static bool is_between(const struct bad_counters *counts,
	const struct bad_counter_around *around, size_t slot, const struct bad_counter *c)
{
	int64_t off = c->value > c->behind ? c->value - c->behind : c->before - c->value;
	int64_t then = value_at(around->then, c->metric);
	int64_t before = around->device->before[slot];

	if (off <= 0 || c->before > c->behind)
		return true;
	if ((before < 0 || before > c->before) && then < c->behind)
		return true; /* of three values each may be wrong */
	if (c->metric == METRIC_cpu_idle_ticks || c->metric == METRIC_cpu_iowait_ticks)
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
static bool may_end(
	const struct bad_counter_around *around, size_t slot, const struct bad_counter *c)
{
	const struct device_counters *device = around->device;

	return device->before[slot] < 0 || device->before[slot] > c->before ||
		may_rise(c->metric, c->value - c->before,
			around->here.batch->t_ns[around->here.row] - device->t_ns[slot],
			device->step_ns ? device->ticks : -1, device->step_ns);
}

/* The first one: the two behind it. */
static bool may_begin(const struct bad_counters *counts,
	const struct bad_counter_around *around, const struct bad_counter *c)
{
	struct row_place here = around->here, next = around->next, then = around->then;
	int64_t next_ns;

	if (!then.batch || value_at(then, c->metric) < c->behind)
		return true;
	next_ns = next.batch->t_ns[next.row];
	return may_rise(c->metric, c->behind - c->value,
		next_ns - here.batch->t_ns[here.row], rise_between(counts, next, then),
		then.batch->t_ns[then.row] - next_ns);
}

static bool can_be(const struct bad_counters *counts,
	const struct bad_counter_around *around, size_t slot, const struct bad_counter *c)
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
static bool all_rise(const struct bad_counters *counts,
	const struct device_counters *device, const struct sample_batch *batch,
	size_t row)
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
static bool falls_often(struct bad_counters *counts, const struct sample_batch *batch,
	uint32_t device, size_t slot)
{
	uint8_t *known = &counts->device[device].falls[slot];
	int64_t last = counts->device[device].last[slot];
	size_t steps = 0, falls = 0;

	if (*known != FALLS_UNKNOWN)
		return *known == FALLS_OFTEN;
	for (size_t row = counts->first[device]; row != SIZE_MAX;
		row = counts->next[row]) {
		int64_t value = counter_value(batch, counts->column[slot], row);

		if (value < 0)
			continue;
		steps++;
		falls += value < last;
		last = value;
	}
	*known = falls > 1 && falls * FALLS_SHARE > steps ? FALLS_OFTEN : FALLS_SELDOM;
	return *known == FALLS_OFTEN;
}

/*
 * Judges the counters of a row from *slot on: the next one that can't be. False: none.
 */
static bool bad_counter_next(struct bad_counters *counts, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, size_t *slot,
	struct bad_counter *found)
{
	uint32_t number = batch->device[row];
	struct device_counters *device = &counts->device[number];
	struct bad_counter_around around = {.device = device, .here = {batch, row}};

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
		*found = (struct bad_counter){counts->metric[*slot], c,
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

/* The row goes on; what can't be of it is MISSING by now. */
static void bad_counter_pass(
	struct bad_counters *counts, const struct sample_batch *batch, size_t row)
{
	struct device_counters *device = &counts->device[batch->device[row]];
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

/*
 * A snapshot of /proc/stat that names a CPU which none beside it has, in place of one
 * which they have: one digit of its id was damaged. docs/logs.md, "Rows that contradict
 * all others".
 *
 * CPUs come and go, but none for one snapshot alone in which another one is away.
 */

static bool set_has(const struct core_set *set, uint32_t device)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->at[i] == device)
			return true;
	return false;
}

static bool is_same(const struct core_set *a, const struct core_set *b)
{
	return a->count == b->count &&
		(!a->count || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

/*
 * From the line of all CPUs up to the next one, where *at stands then; *more: it is
 * there. Of what is not known to its end the set is empty.
 */
static void read_set(struct core_set *set, const struct run *run, struct ahead *ahead,
	struct row_place *at, bool *more)
{
	set->count = 0;
	while (*more) {
		uint32_t device;

		*more = ahead_step(ahead, at);
		device = *more ? at->batch->device[at->row] : 0;
		if (*more && !device_is_core(&run->device[device]))
			return;
		if (!*more)
			break;
		ALLOC_NEXT(set->at, set->count, set->cap) = device;
	}
	if (ahead->got > 0)
		set->count = 0;
}

static bool is_seen(const struct bad_cpus *cores, uint32_t device)
{
	return device < cores->seen_count && cores->seen[device];
}

/* The set takes the place of the one before, and gets the memory of the oldest. */
static void believe_cpus(struct bad_cpus *cores, struct run *run, struct core_set *here)
{
	struct core_set oldest = cores->before[1];

	for (size_t i = 0; i < here->count; i++) {
		if (is_seen(cores, here->at[i]))
			continue;
		ALLOC_AT(cores->seen, here->at[i], cores->seen_count, cores->seen_cap);
		cores->seen[here->at[i]] = true;
		run->device[here->at[i]].damaged = false;
	}
	cores->before[1] = cores->before[0];
	cores->before[0] = *here;
	*here = oldest;
}

/* What both sides have, and the snapshot has not. */
static bool find_lacking(const struct core_set *here, const struct core_set *a,
	const struct core_set *b, uint32_t *device)
{
	for (size_t i = 0; i < a->count; i++) {
		*device = a->at[i];
		if (set_has(b, *device) && !set_has(here, *device))
			return true;
	}
	return false;
}

/* Two snapshots beside it: one on either side, or two on one. */
static bool find_bad_cpu(const struct bad_cpus *cores, const struct core_set *here,
	const struct core_set behind[2], size_t *i, uint32_t *instead)
{
	const struct core_set *before = cores->before;
	const struct core_set *a = before[0].count ? &before[0] : &behind[1];
	const struct core_set *b = behind[0].count ? &behind[0] : &before[1];

	if (!find_lacking(here, a, b, instead))
		return false;
	for (*i = 0; *i < here->count; ++*i) {
		uint32_t device = here->at[*i];

		if (!set_has(a, device) && !set_has(b, device) && !is_seen(cores, device))
			return true;
	}
	return false;
}

/*
 * Of the snapshot whose line of all CPUs is that row of the batch: has it a CPU that
 * can't be? *row: the one's; instead: the CPU that it lacks; defined if so. A CPU that
 * no file had before, and that only such rows name, is `damaged`.
 */
static bool bad_cpu(struct bad_cpus *cores, struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t *row, uint32_t *instead)
{
	struct core_set here = {0}, behind[2] = {0};
	struct row_place at = {batch, *row};
	bool more = true, bad = false;
	size_t i = 0;

	read_set(&here, run, ahead, &at, &more);
	if (here.count && !is_same(&here, &cores->before[0])) {
		read_set(&behind[0], run, ahead, &at, &more);
		read_set(&behind[1], run, ahead, &at, &more);
		bad = find_bad_cpu(cores, &here, behind, &i, instead);
		free(behind[0].at);
		free(behind[1].at);
	}
	*row += 1 + i;
	bad = bad && *row < batch->rows;
	if (bad && here.at[i] >= cores->known)
		run->device[here.at[i]].damaged = true;
	if (!bad && here.count)
		believe_cpus(cores, run, &here);
	free(here.at);
	return bad;
}

/* The last row that was refused, if the one before was. */
struct refused {
	bool any;
	int64_t t_ns;
	uint64_t line;
};

struct bad_rows {
	struct sample_source source;
	struct ahead ahead;
	struct log *log;
	struct bad_gpu_ids ids;
	struct bad_cpus cores;
	struct bad_times times;
	struct bad_counters counts;
	struct refused late, wrong; /* of a time that can't be; of a counter */
	bool header; /* stood before a last row that was left out */
};

static const char *name_of(const struct bad_rows *bad, uint32_t device)
{
	return bad->log->run->device[device].name;
}

static bool is_core(
	const struct bad_rows *bad, const struct sample_batch *batch, size_t row)
{
	return device_is_core(&bad->log->run->device[batch->device[row]]);
}

/* A snapshot counts as one row, as that of all CPUs together. */
static void lose_row(struct bad_rows *bad, const struct sample_batch *batch, size_t row)
{
	bad->log->file->rows -= !is_core(bad, batch, row);
	bad->log->file->refused++;
	log_lose(bad->log, batch->line[row], 1);
}

/* One sample has one time: its other rows go with the first one. */
static bool goes_along(
	const struct refused *refused, const struct sample_batch *batch, size_t row)
{
	return refused->any && batch->t_ns[row] == refused->t_ns &&
		(batch->snapshots || batch->line[row] == refused->line);
}

static bool time_passes(
	struct bad_rows *bad, const struct sample_batch *batch, size_t row)
{
	const struct log *log = bad->log;
	int64_t from_ns;
	int128 away_ns;

	if (goes_along(&bad->late, batch, row))
		return false;
	bad->late = (struct refused){
		bad_time(&bad->times, log->run, &bad->ahead, batch, row, &from_ns),
		batch->t_ns[row], batch->line[row]};
	if (!bad->late.any)
		return true;
	lose_row(bad, batch, row);
	away_ns = (int128)batch->t_ns[row] - from_ns;
	diag_add(log->diags, true, "stray-time", log->name, batch->line[row], SPAN_NONE,
		"%s: time is %.3f s %s the rows around it (row skipped)",
		name_of(bad, batch->device[row]),
		number_ratio(away_ns < 0 ? -away_ns : away_ns, NS_PER_S),
		away_ns < 0 ? "before" : "after");
	return false;
}

static bool id_passes(struct bad_rows *bad, const struct sample_batch *batch, size_t row)
{
	const struct log *log = bad->log;
	uint32_t instead;

	if (!bad_gpu_id(&bad->ids, log->run, &bad->ahead, batch, row, &instead))
		return true;
	lose_row(bad, batch, row);
	diag_add(log->diags, true, "stray-id", log->name, batch->line[row], SPAN_NONE,
		"found a row of %s, expected one of %s as in the other rounds (row "
		"skipped)",
		name_of(bad, batch->device[row]), name_of(bad, instead));
	return false;
}

static void say_count(struct bad_rows *bad, const struct sample_batch *batch, size_t row,
	const struct bad_counter *count)
{
	const struct log *log = bad->log;
	const struct metric *m = metric_get(count->metric);
	const char *lost = m->kind == KIND_TICKS ? "row skipped" : "value ignored";
	bool between = count->before >= 0 && count->behind >= 0;
	double value = number_ratio(count->value, m->per_unit);
	double before = number_ratio(count->before, m->per_unit);
	double behind = number_ratio(count->behind, m->per_unit);

	if (between)
		diag_add(log->diags, true, "stray-value", log->name, batch->line[row],
			span_of(m->name),
			"counter %s of %s: %.15g is not between its neighbors %.15g and "
			"%.15g (%s)",
			m->name, name_of(bad, batch->device[row]), value, before, behind,
			lost);
	else
		diag_add(log->diags, true, "stray-value", log->name, batch->line[row],
			span_of(m->name),
			"counter %s of %s: %.15g is too far from its neighbor %.15g for "
			"the time between them (%s)",
			m->name, name_of(bad, batch->device[row]), value,
			count->before >= 0 ? before : behind, lost);
}

/* Shares are of all ticks of a row: it goes as a whole, and with a snapshot's first row
 * the others. */
static bool counts_pass(struct bad_rows *bad, struct sample_batch *batch, size_t row)
{
	struct bad_counter count;
	size_t slot = 0;

	if (goes_along(&bad->wrong, batch, row) &&
		(batch->timed || is_core(bad, batch, row)))
		return false;
	bad->wrong.any = false;
	while (bad_counter_next(&bad->counts, &bad->ahead, batch, row, &slot, &count)) {
		say_count(bad, batch, row, &count);
		if (metric_get(count.metric)->kind == KIND_TICKS) {
			lose_row(bad, batch, row);
			bad->wrong = (struct refused){!is_core(bad, batch, row),
				batch->t_ns[row], batch->line[row]};
			return false;
		}
		batch->column[count.column].presence[row] = PRESENCE_MISSING;
		batch->column[count.column].value[row] = 0;
	}
	bad_counter_pass(&bad->counts, batch, row);
	return true;
}

static void leave_out(struct bad_rows *bad, struct sample_batch *batch, const bool *keep)
{
	for (size_t row = batch->rows; row-- > 0;)
		if (!keep[row])
			sample_batch_remove(batch, row, &bad->header);
}

/* In whole snapshots alone a CPU that is not there is away. */
static void judge_cores(struct bad_rows *bad, struct sample_batch *batch)
{
	const struct log *log = bad->log;
	bool keep[SAMPLE_BATCH_ROWS];

	memset(keep, true, sizeof keep);
	for (size_t i = 0; i < batch->rows; i++) {
		uint32_t instead;
		size_t row = i;

		if (is_core(bad, batch, i) ||
			!bad_cpu(&bad->cores, log->run, &bad->ahead, batch, &row,
				&instead))
			continue;
		keep[row] = false;
		lose_row(bad, batch, row);
		diag_add(log->diags, true, "stray-id", log->name, batch->line[row],
			SPAN_NONE,
			"found a line of %s, expected one of %s as in the snapshots "
			"before and after (line skipped)",
			name_of(bad, batch->device[row]), name_of(bad, instead));
	}
	leave_out(bad, batch, keep);
}

static void judge_ids(struct bad_rows *bad, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];
	size_t row = 0;

	if (batch->source == SOURCE_PROC_STAT)
		judge_cores(bad, batch);
	/* Rows of pmon are of a GPU only while no process is on it. */
	if (batch->source == SOURCE_NVIDIA_PMON ||
		bad->log->run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	memset(keep, true, sizeof keep);
	while ((row = bad_gpu_ids_take_turns(&bad->ids, batch, row)) < batch->rows) {
		keep[row] = id_passes(bad, batch, row);
		row++;
	}
	bad_gpu_ids_end(&bad->ids, batch);
	leave_out(bad, batch, keep);
}

static void judge_times(struct bad_rows *bad, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];

	if (!batch->timed)
		return;
	memset(keep, true, sizeof keep);
	for (size_t row = 0; row < batch->rows; row++) {
		if (!bad->late.any)
			row = bad_times_go_on(&bad->times, batch, row);
		if (row == batch->rows)
			break;
		keep[row] = time_passes(bad, batch, row);
		if (keep[row])
			bad_time_pass(&bad->times, batch, row);
	}
	leave_out(bad, batch, keep);
}

static void judge_counts(struct bad_rows *bad, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];

	if (!bad_counters_begin(&bad->counts, batch))
		return;
	for (size_t row = 0; row < batch->rows; row++)
		keep[row] = counts_pass(bad, batch, row);
	leave_out(bad, batch, keep);
}

static int bad_rows_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct bad_rows *bad = (struct bad_rows *)source;

	do {
		int got = ahead_next(&bad->ahead, batch, err);

		if (got <= 0)
			return got;
		if (bad->header)
			batch->header[0] = 1;
		bad->header = false;
		judge_ids(bad, batch);
		judge_times(bad, batch);
		judge_counts(bad, batch);
	} while (!batch->rows);
	return 1;
}

static void bad_rows_free(struct sample_source *source)
{
	struct bad_rows *bad = (struct bad_rows *)source;

	ahead_release(&bad->ahead);
	bad_gpu_ids_release(&bad->ids);
	free(bad->cores.before[0].at);
	free(bad->cores.before[1].at);
	free(bad->cores.seen);
	bad_times_release(&bad->times);
	free(bad->counts.next);
	free(bad->counts.first);
	free(bad->counts.device);
	free(bad);
}

struct sample_source *bad_rows_filter(struct sample_source *rows, struct log *log)
{
	struct bad_rows *bad = xcalloc(1, sizeof *bad);

	bad->source = (struct sample_source){bad_rows_next, bad_rows_free};
	bad->log = log;
	bad->ids.known = bad->cores.known = log->run->device_count;
	ahead_init(&bad->ahead, rows);
	return &bad->source;
}
