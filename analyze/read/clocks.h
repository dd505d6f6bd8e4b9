/*
 * The three clocks of a recorder's marker: the wall clock, which can be set; the
 * monotonic one, which stands while the machine sleeps; the one since boot, which does
 * not. Where one went ahead of another between two markers, the run is told; nothing else
 * is kept.
 */
#ifndef READ_CLOCKS_H
#define READ_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "model/run.h"

struct clock_reading {
	bool known; /* a marker had them; zeroed is none */
	int64_t wall_ns, mono_ns, boot_ns; /* mono, boot: since some begin; boot: -1 */
};

/* Zeroed is none. */
struct clocks {
	struct clock_reading last;
	struct clock_reading
		held; /* behind it, and contradicts it: one of both is wrong */
};

/*
 * Of the next marker of a file: its time, and the words behind it ("mono=... boot=...").
 * A change is told when a marker behind it does not take it back, as if it had not been.
 */
void clocks_take(
	struct clocks *clocks, struct run *run, int64_t wall_ns, struct span words);

/* Behind the last marker of the file. */
void clocks_end(struct clocks *clocks, struct run *run);

#endif
