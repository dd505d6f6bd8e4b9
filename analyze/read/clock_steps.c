/* Between two steps the wall clock is ahead of the others by one and the same time. */
#include "read/clock_steps.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/log.h"

bool clock_watch_knows(
	const struct clock_watch *watch, const struct clock_reading *reading)
{
	return watch->started.known && watch->started.boot_ns >= 0 && reading->known &&
		reading->boot_ns >= 0 &&
		reading->boot_ns >= watch->started.boot_ns - RUN_BESIDE_NS;
}

void clock_watch_see(struct clock_watch *watch, const struct clock_reading *reading)
{
	int128 apart_ns;

	if (!clock_watch_knows(watch, reading))
		return;
	apart_ns = (int128)reading->wall_ns - watch->started.wall_ns -
		(reading->boot_ns - watch->started.boot_ns);
	watch->stepped |= apart_ns > CLOCK_STEP_NS || apart_ns < -CLOCK_STEP_NS;
}

/* How many of the steps were before it. */
static size_t steps_before(
	const struct clock_steps *steps, const struct clock_reading *reading)
{
	size_t count = 0;

	while (count < steps->count && steps->at[count].after.boot_ns <= reading->boot_ns)
		count++;
	return count;
}

void clock_steps_init(struct clock_steps *steps, struct clocks *clocks,
	const struct clock_reading *started)
{
	int64_t begin_ns;

	*steps = (struct clock_steps){clocks->step, clocks->step_count, NULL};
	clocks->step = NULL;
	clocks->step_count = clocks->step_cap = 0;
	steps->ahead_ns = xcalloc(steps->count + 1, sizeof *steps->ahead_ns);
	for (size_t i = 0; i < steps->count; i++)
		steps->ahead_ns[i + 1] = steps->ahead_ns[i] + steps->at[i].by_ns;
	begin_ns = steps->ahead_ns[steps_before(steps, started)];
	for (size_t i = 0; i <= steps->count; i++)
		steps->ahead_ns[i] -= begin_ns;
}

void clock_steps_release(struct clock_steps *steps)
{
	free(steps->at);
	free(steps->ahead_ns);
	*steps = (struct clock_steps){.count = 0};
}

int64_t clock_steps_at(
	const struct clock_steps *steps, const struct clock_reading *reading)
{
	return reading->wall_ns - steps->ahead_ns[steps_before(steps, reading)];
}

/*
 * Between the last reading before that many steps, or so much earlier, and the first one
 * behind.
 */
static bool is_possible(
	const struct clock_steps *steps, size_t before, int128 at_ns, int64_t early_ns)
{
	const struct clock_step *step = steps->at;

	return (!before ||
		       at_ns >= (int128)step[before - 1].before.wall_ns -
				       steps->ahead_ns[before - 1] - early_ns) &&
		(before == steps->count ||
			at_ns <= (int128)step[before].after.wall_ns -
					steps->ahead_ns[before + 1]);
}

/* Logs go on in time: a late row is as likely as a gap so many times as long. */
#define LATE_WEIGHT 4

int64_t clock_course_take(
	struct clock_course *course, const struct clock_steps *steps, int64_t wall_ns)
{
	/* what a clock of whole seconds says was up to a second ago */
	int64_t early_ns = wall_ns % NS_PER_S ? 0 : NS_PER_S - 1, is_ns = wall_ns;
	int128 best_ns = -1; /* none */

	for (size_t i = 0; i <= steps->count; i++) {
		int128 at_ns = (int128)wall_ns - steps->ahead_ns[i], off_ns;

		if (at_ns < INT64_MIN || at_ns > INT64_MAX ||
			!is_possible(steps, i, at_ns, early_ns))
			continue;
		off_ns = course->seen ? at_ns - course->last_ns : 0;
		if (off_ns < 0)
			off_ns = -off_ns * LATE_WEIGHT;
		/* of two that are as far the later one: time goes on */
		if (best_ns >= 0 && (!course->seen || off_ns > best_ns))
			continue;
		best_ns = off_ns;
		is_ns = (int64_t)at_ns;
	}
	*course = (struct clock_course){true, is_ns};
	return is_ns;
}

int64_t clock_course_read(struct clock_course *course, const struct clock_steps *steps,
	const struct clock_reading *reading)
{
	size_t before = steps_before(steps, reading);
	int128 at_ns = (int128)reading->wall_ns - steps->ahead_ns[before];

	if (!reading->known || reading->boot_ns < 0 ||
		!is_possible(steps, before, at_ns, 0))
		return clock_course_take(course, steps, reading->wall_ns);
	*course = (struct clock_course){true, (int64_t)at_ns};
	return course->last_ns;
}

struct stepped {
	struct sample_source source;
	struct sample_source *rows; /* owned */
	struct log *log;
	struct clock_course course;
};

static int stepped_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct stepped *s = (struct stepped *)source;
	int more = sample_source_next(s->rows, batch, err);

	if (more <= 0 || !batch->timed || s->log->by_clocks)
		return more;
	for (size_t row = 0; row < batch->rows; row++)
		batch->t_ns[row] =
			clock_course_take(&s->course, s->log->steps, batch->t_ns[row]);
	return more;
}

static void stepped_free(struct sample_source *source)
{
	struct stepped *s = (struct stepped *)source;

	sample_source_free(s->rows);
	free(s);
}

struct sample_source *clock_steps_filter(struct sample_source *rows, struct log *log)
{
	struct stepped *s;

	if (!log->steps)
		return rows;
	s = xcalloc(1, sizeof *s);
	s->source = (struct sample_source){stepped_next, stepped_free};
	s->rows = rows;
	s->log = log;
	return &s->source;
}
