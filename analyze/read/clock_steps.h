/*
 * A wall clock that was set while a run was recorded. nvidia-smi and most others tell
 * nothing else: behind a step their rows would stand an hour too late, or on top of those
 * before it. Where the manifest, events and markers have the clock since boot, which
 * nobody sets, all times of the run are told by the wall clock as it was when the command
 * began.
 */
#ifndef READ_CLOCK_STEPS_H
#define READ_CLOCK_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"
#include "read/clocks.h"

struct log;
struct reading;

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

/*
 * Finds the steps, and tells the run's end and events by them, once all are read; the
 * markers of a log are read for it only if the wall clock was set, or might have been as
 * the recording has no end. clock_find.c
 */
void reading_find_clock_steps(struct reading *reading);

#endif
