/*
 * The log that a GPU is in: of all files of a kind those that have its rows, and the GPUs
 * of its host that have rows there too. Only these can be witnesses that it was lost: the
 * recorder of another file, or of another host, is another's. README.md, "Time": its log.
 */
#ifndef COMPUTE_OWN_LOG_H
#define COMPUTE_OWN_LOG_H

#include "compute/run/state.h"

/* Is it all that there is of the kind? So it is of what is no GPU. */
bool own_log_is_whole(
	const struct aggregate *agg, enum source_kind kind, uint32_t device);

/* From its first row to its last, of any device in it. */
struct stretch own_log_span(
	const struct aggregate *agg, enum source_kind kind, uint32_t device);

/*
 * The last of its rows in their order, as a clock that was set back goes on from there;
 * but of the session that the device's last row is in: whose recorder ended with it says
 * nothing of a GPU that another one behind it was not asked of. The device has rows
 * there.
 */
int64_t own_log_end(const struct aggregate *agg, enum source_kind kind, uint32_t device);

/*
 * Of a time in which a GPU has no row, that in which its log has others no further apart
 * than the gap limit: a pause of all, of which one row comes late, is no silence of the
 * others.
 */
int64_t own_log_covered_ns(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *time, int64_t limit_ns);

#endif
