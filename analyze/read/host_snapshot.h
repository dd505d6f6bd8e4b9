/*
 * What one snapshot of host.log says: the kernel's files by their names, and the lines of
 * each. What lasts from one snapshot to the next (limits, how far disks had come) is
 * kept.
 */
#ifndef READ_HOST_SNAPSHOT_H
#define READ_HOST_SNAPSHOT_H

#include "base/text.h"
#include "model/run.h"
#include "read/host_energy.h"
#include "read/host_groups.h"
#include "read/host_lines.h"

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

#endif
