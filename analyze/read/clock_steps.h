/*
 * A wall clock that was set while a run was recorded. nvidia-smi and most others tell
 * nothing else: behind a step their rows would stand an hour too late, or on top of
 * those before it. Where the manifest, events and markers have the clock since boot,
 * which nobody sets, all times of the run are told by the wall clock as it was when
 * the command began.
 */
#ifndef READ_CLOCK_STEPS_H
#define READ_CLOCK_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/run.h"
#include "model/sample.h"

struct log;

/*
 * The three clocks of a recorder's marker: the wall clock, which can be set; the
 * monotonic one, which stands while the machine sleeps; the one since boot, which does
 * not. Where one went ahead of another between two markers, the run is told; nothing
 * else is kept, unless somebody wants the readings around a step of the wall clock.
 */

struct clock_reading {
	bool known; /* a marker had them; zeroed is none */
	int64_t wall_ns, mono_ns, boot_ns; /* mono, boot: since some begin; boot: -1 */
};

/* Of a marker: its time, and the words behind it ("mono=... boot=..."). */
struct clock_reading clock_reading_of(int64_t wall_ns, struct span words);

/* The wall clock was set between two readings. */
struct clock_step {
	struct clock_reading before, after;
	int64_t by_ns; /* forward; never 0 */
};

/* Zeroed is none. */
struct clocks {
	struct clock_reading last;
	struct clock_reading
		held; /* behind it, and contradicts it: one of both is wrong */
	bool keeps_steps; /* of clocks that NTP slews together, as Linux has them */
	struct clock_step *step; /* ... [step_count] in their order; owned */
	size_t step_count, step_cap;
	bool boots; /* ... two readings were of two boots */
};

void clocks_release(struct clocks *clocks); /* of one that keeps no steps: nothing */

/*
 * The next reading. A change is told when a reading behind it does not take it back, as
 * if it had not been.
 */
void clocks_take(struct clocks *clocks, struct run *run, const struct clock_reading *now);

/* Behind the last one. */
void clocks_end(struct clocks *clocks, struct run *run);

/* What the manifest and the events of a run read. Zeroed has seen nothing. */
struct clock_watch {
	struct clock_reading started, ended; /* the manifest's, of the command */
	bool stepped; /* the wall clock was set between `started` and another reading */
};

/* Has it the clock since boot, and is of the boot that the command began in? */
bool clock_watch_knows(
	const struct clock_watch *watch, const struct clock_reading *reading);
void clock_watch_see(struct clock_watch *watch, const struct clock_reading *reading);

struct clock_steps {
	struct clock_step *at; /* [count] by the clock since boot; owned */
	size_t count;
	int64_t *ahead_ns; /* [count + 1] of the wall clock before and behind each step,
			      how far it is ahead of the command's start; owned */
};

/* Takes the steps of `clocks` over. started: the command's. */
void clock_steps_init(struct clock_steps *steps, struct clocks *clocks,
	const struct clock_reading *started);
void clock_steps_release(struct clock_steps *steps);

/* When a reading was, by the wall clock of the command's start. */
int64_t clock_steps_at(
	const struct clock_steps *steps, const struct clock_reading *reading);

/*
 * The same of times that stand one after the other and have no other clock: of what a
 * wall clock's time may mean, what best goes on from the one before. Zeroed is none
 * before.
 */
struct clock_course {
	bool seen;
	int64_t last_ns;
};

int64_t clock_course_take(
	struct clock_course *course, const struct clock_steps *steps, int64_t wall_ns);

/* ... of which some have, unless it can't be right. */
int64_t clock_course_read(struct clock_course *course, const struct clock_steps *steps,
	const struct clock_reading *reading);

/*
 * The rows of a log, with their times told so, unless its markers did that. Takes rows
 * over, is released as a sample_source. log: of these rows; lives as long.
 */
struct sample_source *clock_steps_filter(struct sample_source *rows, struct log *log);

#endif
