/*
 * A guess at the time zone of a log that does not say it: the quarter of an hour that
 * brings samples and events together.
 */
#include "compute/state.h"

#define QUARTER_NS (900 * NS_PER_S)
#define QUARTERS   56 /* of an hour, within 14 hours */

/* How long two spans overlap; negative: how far they are apart. */
static int64_t overlap(int64_t a_from, int64_t a_to, int64_t b_from, int64_t b_to)
{
	return (a_to < b_to ? a_to : b_to) - (a_from > b_from ? a_from : b_from);
}

static bool has_no_zone(enum source_kind kind)
{
	return kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_NVIDIA_DMON;
}

int64_t aggregate_zone_hint_ns(const struct aggregate *agg)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN, begin_ns, end_ns;
	int64_t best_ns = 0, most = 0;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		for (size_t i = 0; i < source->device_count; i++) {
			const struct device_state *device = source->device[i];

			if (!device || !source->timed || !has_no_zone(kind))
				continue;
			if (device->track.first_ns < from_ns)
				from_ns = device->track.first_ns;
			if (device->track.last_ns > to_ns)
				to_ns = device->track.last_ns;
		}
	}
	if (from_ns > to_ns || !run_event_span(agg->run, &begin_ns, &end_ns))
		return 0;
	if (overlap(from_ns, to_ns, begin_ns, end_ns) >= 0)
		return 0;
	for (int quarter = -QUARTERS; quarter <= QUARTERS; quarter++) {
		int64_t east_ns = quarter * QUARTER_NS;
		int64_t shared =
			overlap(from_ns - east_ns, to_ns - east_ns, begin_ns, end_ns);

		if (shared <= most)
			continue;
		most = shared;
		best_ns = east_ns;
	}
	return best_ns;
}
