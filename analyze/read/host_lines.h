/*
 * The lines of the files of host.log that are the same for the whole host: loadavg(5),
 * diskstats, net/dev, pressure. Each function takes a line in; false: it is damaged.
 * Which disks and interfaces count stands here too: no byte twice.
 */
#ifndef READ_HOST_LINES_H
#define READ_HOST_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "read/host_parts.h"

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
