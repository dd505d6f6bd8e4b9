/*
 * The lines of the files of host.log that are the same for the whole host: loadavg(5),
 * diskstats, net/dev, pressure. Each function takes a line in; false: it is damaged.
 * Which disks and interfaces count stands here too: no byte twice.
 */
#ifndef READ_HOST_LOG_H
#define READ_HOST_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

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

void host_parts_release(struct host_parts *parts); /* zeroed is empty */

/* A snapshot begins: no part is here yet. */
void host_parts_clear(struct host_parts *parts);

/* Is every part here that was there in the sound snapshots before, and was there one? */
bool host_parts_whole(const struct host_parts *parts);

/* The disk whose partitions stand behind it. Zeroed before the first line. */
struct disk_line {
	char whole[HOST_PART_NAME];
};

bool host_take_loadavg(struct span line, int64_t per_unit, int64_t *load1);
bool host_take_disk(struct disk_line *before, struct host_parts *disks, struct span line);
bool host_take_interface(struct host_parts *interfaces, struct span line);

/* "some avg10=0.43 avg60=1.22 avg300=1.44 total=37431818": microseconds. */
bool host_take_pressure(struct span line, bool *full, int64_t *total_us);

/* A whole number that no sum of some thousand such ones makes overflow. */
bool host_number(struct span word, int64_t *value);

#endif
