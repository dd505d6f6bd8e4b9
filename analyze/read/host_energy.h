/*
 * The energy that processors and their memory count themselves (RAPL, as the kernel's
 * powercap shows it): "intel-rapl:0" is a zone whose file "name" says what it is of. A
 * counter begins anew at its max_energy_range_uj: it went round once if that is known,
 * and the power in between is one that a processor can have; else nobody knows.
 */
#ifndef READ_HOST_ENERGY_H
#define READ_HOST_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

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

/* "/sys/class/powercap/ZONE/FILE": whose line it is. False: it is none of these. */
bool host_energy_cut(struct span path, struct span *zone, struct span *file);

/* A snapshot begins. */
void host_energy_clear(struct host_energy *energy);

/* The line of a file of a zone. False: it is damaged. */
bool host_energy_take(
	struct host_energy *energy, struct span zone, struct span file, struct span line);

/*
 * The snapshot is sound. What the zones of a sort have counted, in microjoules, that are
 * in this snapshot. False: none is. Where it is not known what they rose by since the
 * last time, the sum falls by one, so that whoever counts leaves that step out.
 */
void host_energy_sum(struct host_energy *energy, int64_t t_ns,
	bool known[ENERGY_OF_COUNT], int64_t uj[ENERGY_OF_COUNT]);

#endif
