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

#define CHAIN_ROWS 3 /* one of which, at least, is right */
#define OWN_ROWS   4 /* of those behind */

void stray_times_release(struct stray_times *times)
{
	free(times->device);
}

static struct stray_course *course_of(struct stray_times *times, uint32_t device)
{
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
	int128 d = (int128)a - b;

	d = d < 0 ? -d : d;
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

bool stray_time(struct stray_times *times, const struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t *from_ns)
{
	int64_t t_ns = batch->t_ns[row], next_ns = t_ns;
	const struct stray_course *course = course_of(times, batch->device[row]);
	int64_t last_ns = course->seen ? course->last_ns : times->last_ns;
	struct around around;
	bool has_next;

	if ((times->seen && t_ns >= times->last_ns &&
		    distance(t_ns, times->last_ns) <= FAR_LEAST_NS) ||
		(course->seen && distance(t_ns, course->last_ns) <= FAR_LEAST_NS))
		return false;
	look_around(&around, times, ahead, batch, row);
	if (!stands_alone(&around, times, t_ns))
		return false;
	has_next = find_next(&around, times->seen, last_ns, &next_ns);
	*from_ns = times->seen ? last_ns : next_ns;
	if (times->seen && has_next)
		return leaves_both(&around, times, t_ns, last_ns, next_ns);
	if (has_next)
		return t_ns > next_ns || is_off(run, t_ns, next_ns, around.behind);
	if (times->seen && !around.behind)
		return (times->near_count > 1 && t_ns < last_ns &&
			       !fills_hole(course, t_ns)) ||
			is_off(run, t_ns, last_ns, times->near_count);
	return false;
}

static void step_to(struct stray_course *course, int64_t t_ns)
{
	int64_t before_ns =
		course->step_ns[(course->steps + STRAY_STEPS - 1) % STRAY_STEPS];
	int64_t step_ns = distance(t_ns, course->last_ns);

	if (!step_ns)
		return;
	if (t_ns > course->last_ns && 2 * (int128)step_ns > 3 * (int128)before_ns) {
		course->hole_ns[course->holes][0] = course->last_ns;
		course->hole_ns[course->holes][1] = t_ns;
		course->holes = (uint8_t)(course->holes + 1) % STRAY_HOLES;
	}
	course->step_ns[course->steps] = step_ns;
	course->steps = (uint8_t)(course->steps + 1) % STRAY_STEPS;
}

void stray_time_pass(
	struct stray_times *times, const struct sample_batch *batch, size_t row)
{
	struct stray_course *course = course_of(times, batch->device[row]);
	int64_t t_ns = batch->t_ns[row];

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
