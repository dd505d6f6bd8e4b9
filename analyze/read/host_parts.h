/*
 * Counters of parts that come and go: the disks of a host, its interfaces, the processors
 * that count their energy. Of one that is gone the last values stay in the sum, of one
 * that began anew its new ones come on top: so the sum rises by what the parts do, and
 * never falls. That a part is away for one snapshot only makes it late.
 *
 * A snapshot may turn out to be damaged: nothing of it counts before host_parts_sum.
 */
#ifndef READ_HOST_PARTS_H
#define READ_HOST_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define HOST_PART_NAME	 32 /* with its end: the kernel's names are no longer */
#define HOST_PART_VALUES 5

/* No sum of parts is larger: a double holds any whole number up to it. */
#define HOST_PART_SUM_MAX (INT64_C(1) << 53)

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

/* A part of the snapshot. False: it is there already, or has no name that can be. */
bool host_parts_add(
	struct host_parts *parts, struct span name, const int64_t now[HOST_PART_VALUES]);

/* Is every part here that was there in the sound snapshots before, and was there one? */
bool host_parts_whole(const struct host_parts *parts);

/*
 * The snapshot is sound: takes it in. False: no part is here, or the sums are absurd, and
 * nothing is known of them.
 */
bool host_parts_sum(struct host_parts *parts, int64_t sum[HOST_PART_VALUES]);

#endif
