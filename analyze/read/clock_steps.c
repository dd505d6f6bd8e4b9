/* Between two steps the wall clock is ahead of the others by one and the same time. */
#include "read/clock_steps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/log.h"

/* Of clocks that NTP slews together less is nothing but that they are read one after the
 * other; ntpd steps from 128 ms on. */
#define CLOCK_STEP_NS (NS_PER_S / 20)

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

/*
 * Differences of clocks, from one marker to the next. One digit of a marker may be
 * wrong: then the next one agrees with that before it.
 */

/* A clock that NTP slews gains or loses a second in so many at most (adjtimex(2)). */
#define SLEW_MOST 2000

/* "mono=2082.658161011" */
static bool read_clock(struct span word, const char *name, int64_t *ns)
{
	size_t len = span_of(name).len;

	if (!span_begins(word, name))
		return false;
	word.at += len, word.len -= len;
	return number_scaled(word, NS_PER_S, ns) && *ns >= 0;
}

struct clock_reading clock_reading_of(int64_t wall_ns, struct span words)
{
	struct clock_reading clocks = {.wall_ns = wall_ns, .boot_ns = -1};
	int64_t ns;

	while (words.len) {
		struct span word = span_word(&words);

		if (read_clock(word, "mono=", &ns)) {
			clocks.mono_ns = ns;
			clocks.known = true;
		} else if (read_clock(word, "boot=", &ns)) {
			clocks.boot_ns = ns;
		}
	}
	return clocks;
}

void clocks_release(struct clocks *clocks)
{
	free(clocks->step);
	*clocks = (struct clocks){.last.known = false};
}

/* What the clocks did between two markers; as if nothing, if they are of two boots. */
struct change {
	bool boots;
	int128 slept_ns, set_ns; /* 0: not more than jitter */
};

/*
 * Without the clock since boot a wall clock that went ahead may have been set, or the
 * machine slept: only one that fell behind was set for certain.
 */
static struct change compare(const struct clocks *clocks,
	const struct clock_reading *before, const struct clock_reading *now)
{
	bool boot = before->boot_ns >= 0 && now->boot_ns >= 0;
	int128 mono_ns = (int128)now->mono_ns - before->mono_ns, ran_ns = mono_ns,
	       slept_ns, set_ns, jitter_ns = CLOCK_STEP_NS;
	struct change change = {0};

	if (boot)
		ran_ns = (int128)now->boot_ns - before->boot_ns;
	change.boots = mono_ns < 0 || ran_ns < 0;
	if (change.boots)
		return change;
	if (!clocks->keeps_steps)
		jitter_ns = CLOCK_CHANGE_NS + ran_ns / SLEW_MOST;
	slept_ns = ran_ns - mono_ns;
	set_ns = (int128)now->wall_ns - before->wall_ns - ran_ns;
	if (slept_ns > CLOCK_CHANGE_NS)
		change.slept_ns = slept_ns;
	if (-set_ns > jitter_ns || (boot && set_ns > jitter_ns))
		change.set_ns = set_ns;
	return change;
}

static bool agree(const struct clocks *clocks, const struct clock_reading *now)
{
	struct change change = compare(clocks, &clocks->last, now);

	return !change.boots && !change.slept_ns && !change.set_ns;
}

static bool is_told(int128 by_ns)
{
	return by_ns && by_ns <= INT64_MAX && by_ns >= INT64_MIN;
}

static void add_change(struct run *run, enum clock_change_kind kind,
	const struct clock_reading *before, const struct clock_reading *now, int128 by_ns)
{
	if (is_told(by_ns))
		run_add_clock_change(run,
			&(struct clock_change){
				kind, before->wall_ns, now->wall_ns, (int64_t)by_ns});
}

static void keep_step(struct clocks *clocks, const struct change *change)
{
	clocks->boots |= change->boots;
	if (!is_told(change->set_ns))
		return;
	ALLOC_NEXT(clocks->step, clocks->step_count, clocks->step_cap) =
		(struct clock_step){clocks->last, clocks->held, (int64_t)change->set_ns};
}

void clocks_end(struct clocks *clocks, struct run *run)
{
	struct change change;

	if (!clocks->held.known)
		return;
	change = compare(clocks, &clocks->last, &clocks->held);
	add_change(run, CLOCK_SUSPENDED, &clocks->last, &clocks->held, change.slept_ns);
	add_change(run, CLOCK_STEPPED, &clocks->last, &clocks->held, change.set_ns);
	if (clocks->keeps_steps)
		keep_step(clocks, &change);
	clocks->last = clocks->held;
	clocks->held.known = false;
}

void clocks_take(struct clocks *clocks, struct run *run, const struct clock_reading *now)
{
	if (!now->known || !agree(clocks, now))
		clocks_end(clocks, run);
	if (clocks->last.known && now->known && !agree(clocks, now)) {
		clocks->held = *now;
	} else {
		clocks->last = *now;
		clocks->held.known = false;
	}
}
