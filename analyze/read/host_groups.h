/*
 * Control groups (cgroups(7)), of version 1 and of 2: what a snapshot says of the group
 * that the command runs in and of those around it, which those of a batch job and of a
 * user may be.
 */
#ifndef READ_HOST_GROUPS_H
#define READ_HOST_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Whose group it is, as its name says. */
enum group_level {
	GROUP_ANY,
	GROUP_JOB, /* Slurm's "job_4711" */
	GROUP_USER, /* systemd's "user-1000.slice", Slurm's "uid_1000" */
	GROUP_LEVELS
};

enum group_value {
	GROUP_MEM_USED, /* bytes */
	GROUP_CPU_US,
	GROUP_THROTTLED_US, /* summed over the processors */
	GROUP_PERIODS, /* of its quota, in which it wanted to run */
	GROUP_THROTTLED, /* ... and was throttled */
	GROUP_TASKS,
	GROUP_OOM_KILLS,
	/* Limits, which are told once */
	GROUP_MEM_LIMIT, /* bytes */
	GROUP_QUOTA_US, /* in each: */
	GROUP_PERIOD_US,
	GROUP_VALUES
};

#define GROUPS_MAX 64

struct host_group {
	uint64_t id; /* of its path */
	size_t depth; /* how many groups are around it */
	enum group_level level;
	unsigned has; /* a bit for each value */
	int64_t value[GROUP_VALUES];
};

struct host_groups {
	struct host_group at[GROUPS_MAX];
	size_t count;
};

/* A file of a group, and what its line, or lines, say. */
struct group_file {
	uint64_t id;
	enum group_level level;
	size_t depth;
	int kind; /* of file: host_groups.c */
};

/* "/sys/fs/cgroup/...": False: no file that counts here. */
bool host_group_cut(struct span path, struct group_file *file);
/* Is it a file of groups at all? */
bool host_group_is(struct span path);

/* A snapshot begins: what it tells anew is forgotten, limits are not. */
void host_groups_clear(struct host_groups *groups);

/* A line of that file; first: the first one. False: it is damaged, or one group too many.
 */
bool host_groups_take(struct host_groups *groups, const struct group_file *file,
	struct span line, bool first);

/* False: the group does not say. */
bool host_group_value(
	const struct host_group *group, enum group_value value, int64_t *out);

/*
 * The group whose memory is limited most, of several the innermost; where none is
 * limited, the innermost that says how much it uses. Likewise of processors. NULL: none.
 */
const struct host_group *host_groups_memory(const struct host_groups *groups);
const struct host_group *host_groups_cpu(const struct host_groups *groups);

/* The innermost of a level that says anything of now; NULL: none. */
const struct host_group *host_groups_level(
	const struct host_groups *groups, enum group_level level);

/* Of how many processors the group may have the time, in millionths; -1: no limit. */
int64_t host_group_cpus(const struct host_group *group);

#endif
