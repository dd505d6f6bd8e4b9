/* Zones, their names and ranges, and how each of them went on. */
#include "read/host_energy.h"

#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"

#define POWERCAP "/sys/class/powercap/"

/* A second driver shows the same counters as "intel-rapl-mmio:0". */
#define ZONES "intel-rapl:"

#define ENERGY_MAX_UJ (INT64_C(1) << 52)

/* No processor takes as much, nor its memory: microjoules in a second. */
#define POWER_MAX_UJ_S INT64_C(1000000000)

bool host_energy_cut(struct span path, struct span *zone, struct span *file)
{
	const size_t len = strlen(POWERCAP);
	const char *slash;

	if (!span_begins(path, POWERCAP))
		return false;
	path.at += len, path.len -= len;
	slash = path.len ? memchr(path.at, '/', path.len) : NULL;
	if (!slash || !span_is_text(path))
		return false;
	*zone = (struct span){path.at, (size_t)(slash - path.at)};
	*file = (struct span){slash + 1, (size_t)(path.at + path.len - slash - 1)};
	return span_is(*file, "energy_uj") || span_is(*file, "name") ||
		span_is(*file, "max_energy_range_uj");
}

void host_energy_clear(struct host_energy *energy)
{
	for (size_t i = 0; i < energy->count; i++)
		energy->zone[i].here = false;
}

static struct energy_zone *zone_of(struct host_energy *energy, struct span name)
{
	uint64_t id = span_hash(name, SPAN_HASH);

	for (size_t i = 0; i < energy->count; i++)
		if (energy->zone[i].id == id)
			return &energy->zone[i];
	if (energy->count == ENERGY_ZONES)
		return NULL;
	energy->zone[energy->count] =
		(struct energy_zone){.id = id, .of = ENERGY_OF_COUNT};
	return &energy->zone[energy->count++];
}

static bool read_uj(struct span line, int64_t *uj)
{
	uint64_t number;

	if (!number_unsigned(line, &number) || number > (uint64_t)ENERGY_MAX_UJ)
		return false;
	*uj = (int64_t)number;
	return true;
}

bool host_energy_take(
	struct host_energy *energy, struct span zone, struct span file, struct span line)
{
	struct energy_zone *z;
	bool again;

	if (!span_begins(zone, ZONES))
		return true;
	z = zone_of(energy, zone);
	if (!z)
		return false;
	if (span_is(file, "name")) {
		z->of = span_begins(line, "package-") ? ENERGY_PACKAGE
			: span_is(line, "dram")	      ? ENERGY_DRAM
						      : ENERGY_OF_COUNT;
		return span_is_text(line);
	}
	if (span_is(file, "max_energy_range_uj"))
		return read_uj(line, &z->range_uj);
	again = z->here;
	z->here = true;
	return !again && read_uj(line, &z->now_uj);
}

/* What a zone took in that time; false: nobody knows. */
static bool rise_of(const struct energy_zone *zone, int64_t dt_ns, int64_t *rise_uj)
{
	int128 most = dt_ns > 0 ? (int128)POWER_MAX_UJ_S * dt_ns / NS_PER_S : 0;

	*rise_uj = zone->now_uj - zone->last_uj;
	if (!zone->known)
		return false;
	if (zone->range_uj > 0 && most >= zone->range_uj)
		return false; /* it may have gone round more than once */
	if (*rise_uj < 0 && zone->range_uj > 0 && zone->last_uj <= zone->range_uj)
		*rise_uj += zone->range_uj;
	return *rise_uj >= 0 && *rise_uj <= most;
}

void host_energy_sum(struct host_energy *energy, int64_t t_ns,
	bool known[ENERGY_OF_COUNT], int64_t uj[ENERGY_OF_COUNT])
{
	int64_t dt_ns = energy->has_last ? t_ns - energy->last_ns : 0;
	int64_t rise[ENERGY_OF_COUNT] = {0}, raw[ENERGY_OF_COUNT] = {0};
	bool here[ENERGY_OF_COUNT] = {false}, lost[ENERGY_OF_COUNT] = {false};

	for (size_t i = 0; i < energy->count; i++) {
		struct energy_zone *zone = &energy->zone[i];
		int64_t one;

		if (zone->of == ENERGY_OF_COUNT || (!zone->here && !zone->known))
			continue;
		here[zone->of] |= zone->here;
		if (zone->here && rise_of(zone, dt_ns, &one))
			rise[zone->of] += one;
		else
			lost[zone->of] = true;
		raw[zone->of] += zone->here ? zone->now_uj : 0;
		zone->known = zone->here;
		zone->last_uj = zone->now_uj;
	}
	for (int of = 0; of < ENERGY_OF_COUNT; of++) {
		struct energy_sum *sum = &energy->sum[of];

		known[of] = here[of];
		if (!here[of])
			continue;
		if (!sum->begun)
			sum->uj = raw[of];
		else if (lost[of])
			sum->uj--;
		else
			sum->uj += rise[of];
		sum->begun = true;
		uj[of] = sum->uj;
	}
	energy->has_last = true;
	energy->last_ns = t_ns;
}
