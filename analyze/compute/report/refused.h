/*
 * Whether rows that were refused may be those that a log lacks: who accuses a GPU, or a
 * recorder, of silence must know that it did not speak. README.md, "Refused rows".
 */
#ifndef COMPUTE_REFUSED_H
#define COMPUTE_REFUSED_H

#include <stdbool.h>

#include "base/text.h"
#include "compute/run/state.h"

struct refused {
	uint64_t rows; /* that may be of the time */
	const char *file; /* that has the first of them; borrowed from the run; NULL */
	uint64_t line;
};

/*
 * Those of the logs of a kind that a device is in, SOURCE_NONE: of all kinds of samples,
 * which may be of a time without rows. Were all of them the device's, evenly spread, its
 * steps were (rows + 1) times shorter than that time. True: no longer than limit_ns.
 */
bool refused_may_fill(const struct run *run, enum source_kind kind, uint32_t device,
	const struct stretch *time, int64_t limit_ns, struct refused *out);

#endif
