/*
 * What one snapshot of host.log says: the kernel's files by their names, and the lines
 * of each. What lasts from one snapshot to the next (limits, how far disks had come)
 * is kept.
 */
#ifndef READ_HOST_SNAPSHOT_H
#define READ_HOST_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/run.h"

/*
 * Counters of parts that come and go: the disks of a host, its interfaces, the
 * processors that count their energy. Of one that is gone the last values stay in the
 * sum, of one that began anew its new ones come on top: so the sum rises by what the
 * parts do, and never falls. That a part is away for one snapshot only makes it late.
 *
 * A snapshot may turn out to be damaged: nothing of it counts before host_parts_sum.
 */

#define HOST_PART_NAME	 32 /* with its end: the kernel's names are no longer */
#define HOST_PART_VALUES 5

struct host_part {
	char name[HOST_PART_NAME];
	bool here; /* in the snapshot that is being read */
	bool known; /* ... or in a sound one before it */
	int64_t now[HOST_PART_VALUES]; /* if here */
	int64_t last[HOST_PART_VALUES]; /* of the last sound snapshot that it is in */
	int64_t before[HOST_PART_VALUES]; /* what it counted until it last began anew */
};

struct host_parts {
	struct host_part *part; /* [count] owned */
	size_t count, cap;
	size_t next; /* where the next one of a snapshot stands, as a rule */
};

/* The disk whose partitions stand behind it. Zeroed before the first line. */
struct disk_line {
	char whole[HOST_PART_NAME];
};

/*
 * The snapshot is sound: takes it in. False: no part is here, or the sums are absurd,
 * and nothing is known of them.
 */
bool host_parts_sum(struct host_parts *parts, int64_t sum[HOST_PART_VALUES]);

/* What the values of a disk are. */
enum disk_value {
	DISK_READ, /* sectors of 512 bytes */
	DISK_WRITTEN,
	DISK_REQUESTS, /* reads and writes that are done */
	DISK_WAIT_MS, /* what they took, summed over all */
	DISK_BUSY_MS /* in which one was under way, at least */
};

/* Of an interface. */
enum net_value {
	NET_RECEIVED, /* 512 bytes */
	NET_SENT
};

/*
 * The energy that processors and their memory count themselves (RAPL, as the kernel's
 * powercap shows it): "intel-rapl:0" is a zone whose file "name" says what it is of. A
 * counter begins anew at its max_energy_range_uj: it went round once if that is known,
 * and the power in between is one that a processor can have; else nobody knows.
 */

/* What zones are of; others are parts of these, or all of them together. */
enum energy_of {
	ENERGY_PACKAGE,
	ENERGY_DRAM,
	ENERGY_OF_COUNT
};

#define ENERGY_ZONES 64

struct energy_zone {
	uint64_t id; /* of its name */
	enum energy_of of; /* ENERGY_OF_COUNT: nothing that counts, or not known */
	int64_t range_uj; /* 0: not known */
	bool here; /* in the snapshot that is being read */
	int64_t now_uj;
	bool known; /* in the sound snapshot before it */
	int64_t last_uj;
};

struct host_energy {
	struct energy_zone zone[ENERGY_ZONES];
	size_t count;
	bool has_last;
	int64_t last_ns;
	struct energy_sum {
		bool begun;
		int64_t uj; /* what is told of all zones */
	} sum[ENERGY_OF_COUNT];
};

/*
 * The snapshot is sound. What the zones of a sort have counted, in microjoules, that are
 * in this snapshot. False: none is. Where it is not known what they rose by since the
 * last time, the sum falls by one, so that whoever counts leaves that step out.
 */
void host_energy_sum(struct host_energy *energy, int64_t t_ns,
	bool known[ENERGY_OF_COUNT], int64_t uj[ENERGY_OF_COUNT]);

/*
 * Control groups (cgroups(7)), of version 1 and of 2: what a snapshot says of the
 * group that the command runs in and of those around it, which those of a batch job
 * and of a user may be.
 */

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
	int kind; /* of file */
};

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

enum host_file {
	HOST_NONE, /* none yet; or one that is not known, or not used */
	HOST_LOADAVG,
	HOST_PRESSURE_CPU,
	HOST_PRESSURE_MEMORY,
	HOST_PRESSURE_IO,
	HOST_DISKS,
	HOST_NET,
	HOST_LIMITS,
	HOST_GROUP_NAMES,
	HOST_BOOT,
	HOST_ENERGY,
	HOST_CPUSET,
	HOST_GROUP
};

#define HOST_PRESSURES 3 /* cpu, memory, io */
#define HOST_FILES_MAX 256 /* of a snapshot that are told apart */

struct host_files {
	struct {
		uint64_t id; /* of its name */
		bool again; /* each snapshot should have it: known, and not told once */
	} at[HOST_FILES_MAX];
	size_t count;
};

struct host_snapshot {
	struct host_files files, before; /* before: of the last sound one */
	struct strbuf name; /* of the file that is being read */
	enum host_file file;
	size_t lines; /* of it, so far */
	struct span zone, zone_file; /* of HOST_ENERGY: pieces of the name */
	struct group_file group; /* of HOST_GROUP */
	struct disk_line disk; /* of HOST_DISKS */

	bool has_load1;
	int64_t load1; /* in the metric's quanta */
	bool has_pressure[HOST_PRESSURES][2]; /* some, full */
	int64_t pressure_us[HOST_PRESSURES][2];
	struct host_parts disks, interfaces;
	struct host_energy energy;
	struct host_groups groups;
};

void host_snapshot_init(struct host_snapshot *snapshot);
void host_snapshot_release(struct host_snapshot *snapshot);

/* The next one begins. */
void host_snapshot_clear(struct host_snapshot *snapshot);

/* "> /proc/loadavg" gives the name; false: another line. */
bool host_file_cut(struct span line, struct span *path);

/* Which file it is; *used: false: one that is recorded, and told nothing of. */
enum host_file host_file_of(struct span path, bool *used);

/* A file begins. False: the snapshot has it already. */
bool host_snapshot_open(struct host_snapshot *snapshot, struct span path);

/* A line of the file. Facts become the run's. False: it is damaged. */
bool host_snapshot_take(
	struct host_snapshot *snapshot, struct run *run, struct span line);

/* The log ends within the file: a sum that may lack some of its parts is not known.
 * False: nothing is lost by that. */
bool host_snapshot_drop_sum(struct host_snapshot *snapshot, bool torn);

/* Does it lack a file that the sound one before had, other than once; or the lines of its
 * last file? */
bool host_snapshot_is_cut(const struct host_snapshot *snapshot);

/* It is sound: the next one is compared with it. */
void host_snapshot_keep(struct host_snapshot *snapshot);

/*
 * What host.log says once, of limits: those of the process that recorded, which are
 * those of the command; and whose boot, and which control group, it was. They become
 * facts of the run, as they stand there.
 */

/* The lowest limits of the groups. */
void host_fact_groups(struct run *run, const struct host_groups *groups);

#endif
