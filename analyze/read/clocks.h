/*
 * The three clocks of a recorder's marker: the wall clock, which can be set; the
 * monotonic one, which stands while the machine sleeps; the one since boot, which does
 * not. Where one went ahead of another between two markers, the run is told; nothing else
 * is kept, unless somebody wants the readings around a step of the wall clock.
 */
#ifndef READ_CLOCKS_H
#define READ_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/run.h"

struct clock_reading {
	bool known; /* a marker had them; zeroed is none */
	int64_t wall_ns, mono_ns, boot_ns; /* mono, boot: since some begin; boot: -1 */
};

/* Of a marker: its time, and the words behind it ("mono=... boot=..."). */
struct clock_reading clock_reading_of(int64_t wall_ns, struct span words);

/* Of clocks that NTP slews together less is nothing but that they are read one after the
 * other; ntpd steps from 128 ms on. */
#define CLOCK_STEP_NS (NS_PER_S / 20)

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

#endif
