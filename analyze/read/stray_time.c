/* A row is held against those that stand around it, before and behind. */
#include "read/stray_time.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"

/* No clock is that far off by chance. */
#define FAR_LEAST_NS (10 * NS_PER_S)

/* Nor does a recorder whose rows go on, or went on, sleep that long around one of them.
 */
#define SLEEP_NS (24 * 3600 * NS_PER_S)

/* The shortest step that a gap is longer than (compute/run/aggregate.h). */
#define GAP_LEAST_NS (2 * NS_PER_S)

#define CHAIN_ROWS 3 /* one of which, at least, is right */
#define OWN_ROWS   4 /* of those behind */

void stray_times_release(struct stray_times *times)
{
	free(times->device);
}

static struct stray_course *course_of(struct stray_times *times, uint32_t device)
{
	if (device < times->device_count)
		return &times->device[device];
	ALLOC_GROW(times->device, (size_t)device + 1, times->device_cap);
	while (times->device_count <= device)
		times->device[times->device_count++] =
			(struct stray_course){.seen = false};
	return &times->device[device];
}

/* What stands around a row. */
struct around {
	const struct stray_course *course; /* of its device */
	int64_t behind_ns[STRAY_NEAR], own_ns[OWN_ROWS]; /* of any, of its device */
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
static int64_t usual_step(const struct around *around)
{
	int64_t step[STRAY_STEPS + OWN_ROWS];
	size_t count = 0;

	for (size_t i = 0; i < STRAY_STEPS; i++)
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
static void look_around(struct around *around, const struct stray_times *times,
	struct ahead *ahead, const struct sample_batch *batch, size_t row)
{
	struct ahead_rows at = ahead_from(batch, row);
	int64_t t_ns = batch->t_ns[row];
	bool snapshot = true;

	*around = (struct around){.course = &times->device[batch->device[row]]};
	while ((around->behind < STRAY_NEAR || around->own < OWN_ROWS) &&
		ahead_step(ahead, &at)) {
		int64_t next_ns = at.batch->t_ns[at.row];

		snapshot = snapshot && batch->snapshots && next_ns == t_ns;
		if (snapshot)
			continue;
		if (around->behind < STRAY_NEAR)
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
	const struct around *around, const struct stray_times *times, int64_t t_ns)
{
	const struct stray_course *course = around->course;

	return !is_near(around->own_ns, around->own, t_ns, around->far_ns) &&
		!is_near(around->behind_ns, around->behind, t_ns, around->far_ns) &&
		!is_near(times->near_ns, times->near_count, t_ns, around->far_ns) &&
		!(course->seen && distance(course->last_ns, t_ns) <= around->far_ns);
}

/* The first row behind that doesn't stand alone itself. False: none does, or is there. */
static bool find_next(
	const struct around *around, bool has_last, int64_t last_ns, int64_t *next_ns)
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
static bool fills_hole(const struct stray_course *course, int64_t t_ns)
{
	for (size_t i = 0; i < STRAY_HOLES; i++)
		if (course->hole_ns[i][0] < t_ns && t_ns < course->hole_ns[i][1])
			return true;
	return false;
}

/* A row before it and one behind are known, of which it is none. */
static bool leaves_both(const struct around *around, const struct stray_times *times,
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

static bool is_alone(const struct around *around, const struct stray_times *times,
	const struct run *run, int64_t t_ns, int64_t *from_ns)
{
	const struct stray_course *course = around->course;
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
static bool is_as_far(const struct around *around, int64_t a_ns, int64_t b_ns)
{
	return distance(a_ns, b_ns) / 2 <= around->step_ns;
}

/* Of the rows of its device behind it one is off by as much, or where it belongs one is
 * missing. */
static bool is_explained(const struct around *around, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t off_ns)
{
	struct ahead_rows at = ahead_from(batch, row);
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
	const struct around *around, const struct stray_times *times, int64_t t_ns)
{
	return distance(times->last_ns, t_ns) <= around->step_ns ||
		is_near(around->behind_ns, 1, t_ns, around->step_ns);
}

/*
 * In the wrong order beside rows of its device that are in order, with its own place
 * there empty. By half a step less than a gap, as no step is known exactly.
 */
static bool is_out_of_order(const struct around *around, const struct stray_times *times,
	struct ahead *ahead, const struct sample_batch *batch, size_t row)
{
	struct stray_course *course = &times->device[batch->device[row]];
	int128 step_ns = around->step_ns, apart_ns, away_ns;
	int128 gap_ns = 3 * step_ns > step_ns + GAP_LEAST_NS ? 3 * step_ns
							     : step_ns + GAP_LEAST_NS;
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
static bool goes_on(const struct stray_course *course, int64_t t_ns)
{
	int64_t step_ns =
		course->step_ns[(course->steps + STRAY_STEPS - 1) % STRAY_STEPS];

	return !course->seen ||
		(t_ns > course->last_ns &&
			distance(t_ns, course->last_ns) / 2 <= step_ns);
}

/* No gap is that short, and it is beside the row before it. */
static bool is_close(const struct stray_course *course, int64_t t_ns)
{
	return course->seen && distance(t_ns, course->last_ns) <= GAP_LEAST_NS;
}

bool stray_time(struct stray_times *times, const struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t *from_ns)
{
	int64_t t_ns = batch->t_ns[row];
	struct stray_course *course = course_of(times, batch->device[row]);
	struct around around;
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

static void add_hole(struct stray_course *course, int64_t from_ns, int64_t to_ns)
{
	course->hole_ns[course->holes][0] = from_ns;
	course->hole_ns[course->holes][1] = to_ns;
	course->holes = (uint8_t)(course->holes + 1) % STRAY_HOLES;
}

/* Less one, so that none is the longest. */
static uint64_t length_of(int64_t step_ns)
{
	return (uint64_t)step_ns - 1;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

/* The second shortest, as a late row makes two long ones; 0: none was. */
static int64_t short_step(const struct stray_course *course)
{
	const int64_t *step = course->step_ns;
	uint64_t a = length_of(step[0]), b = length_of(step[1]);
	uint64_t c = length_of(step[2]), d = length_of(step[3]);
	uint64_t first = shorter(shorter(a, b), shorter(c, d));
	uint64_t second = shorter(longer(shorter(a, b), shorter(c, d)),
		shorter(longer(a, b), longer(c, d)));

	_Static_assert(STRAY_STEPS == 4, "of four");
	return (int64_t)((second == UINT64_MAX ? first : second) + 1);
}

/* The row before it, too, may come late: where its place begins. */
static int64_t before_first(int64_t first_ns, int64_t step_ns)
{
	int128 from_ns = first_ns - 3 * (int128)step_ns / 2;

	return from_ns < INT64_MIN ? INT64_MIN : (int64_t)from_ns;
}

static void step_to(struct stray_course *course, int64_t t_ns)
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
	course->steps = (uint8_t)(course->steps + 1) % STRAY_STEPS;
}

static void let_through(
	struct stray_times *times, struct stray_course *course, int64_t t_ns)
{
	if (course->seen)
		step_to(course, t_ns);
	course->seen = true;
	course->last_ns = t_ns;
	if (!times->seen || t_ns < times->least_ns)
		times->least_ns = t_ns;
	if (!times->seen || t_ns != times->last_ns) {
		times->near_ns[times->near_next] = t_ns;
		times->near_next = (times->near_next + 1) % STRAY_NEAR;
		times->near_count += times->near_count < STRAY_NEAR;
	}
	times->last_ns = t_ns;
	times->seen = true;
}

void stray_time_pass(
	struct stray_times *times, const struct sample_batch *batch, size_t row)
{
	let_through(times, course_of(times, batch->device[row]), batch->t_ns[row]);
}

size_t stray_times_go_on(
	struct stray_times *times, const struct sample_batch *batch, size_t row)
{
	for (; row < batch->rows && batch->device[row] < times->device_count; row++) {
		struct stray_course *course = &times->device[batch->device[row]];

		if (!is_close(course, batch->t_ns[row]))
			break;
		let_through(times, course, batch->t_ns[row]);
	}
	return row;
}
