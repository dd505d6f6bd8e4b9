/*
 * CPUs that come and go. The kernel's line of all CPUs together may drop or jump by
 * the whole history of a CPU when that goes offline or returns (fs/proc/stat.c: idle
 * and iowait of an offline CPU are taken from another clock). The single CPUs show
 * what really passed; the difference is kept and taken out of all later snapshots, so
 * that the counters go on as if nothing had happened.
 */
#ifndef READ_PROC_STAT_H
#define READ_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOTPLUG_FIELDS 10 /* numbers of a cpu line */

struct hotplug_core {
	uint64_t snapshot; /* in which it was last seen; 0: never */
	int64_t ticks[HOTPLUG_FIELDS];
};

struct hotplug {
	struct hotplug_core *core; /* [core_count] by id */
	size_t core_count, core_cap;
	uint64_t snapshot; /* from 1 */
	size_t cores,
		matched; /* of the open snapshot; matched: the one before had them */
	size_t cores_before;
	int64_t total[HOTPLUG_FIELDS], before[HOTPLUG_FIELDS]; /* as the log has them */
	int64_t rise[HOTPLUG_FIELDS]; /* of the matched CPUs, together */
	int64_t most; /* ticks that passed on one of them */
	int64_t offset[HOTPLUG_FIELDS]; /* what is taken out */
};
void hotplug_core(
	struct hotplug *hotplug, int32_t cpu, const int64_t *ticks, int numbers);

#endif
