/* An array that grows by what is known; a device's shares as its ticks have them. */
#include "compute/run/path_stats.h"

#include "base/alloc.h"

struct metric_stats *path_stats_add(
	struct phase_path *path, enum source_kind kind, uint32_t device)
{
	struct metric_stats *stats;

	ALLOC_GROW(path->stats, path->stats_count + 1, path->stats_cap);
	stats = &path->stats[path->stats_count++];
	*stats = (struct metric_stats){.source = kind, .device = device};
	return stats;
}

void path_stats_shares(struct aggregate *agg, enum source_kind kind, uint32_t index,
	struct phase_ticks *ticks, struct phase_path *path, const uint32_t *place)
{
	struct device_state *device = agg->source[kind].device[index];

	if (!ticks->paths)
		return;
	phase_ticks_finish(ticks, device_timing(agg, kind, device).limit_ns);
	for (size_t i = 0; i < ticks->paths; i++)
		for (int k = 0; k < SHARE_COUNT; k++) {
			struct metric_stats stats;

			if ((place && !phase_map_counts(agg->phases, (uint32_t)i)) ||
				!phase_ticks_get(ticks, i, k, &stats))
				continue;
			stats.source = kind;
			stats.device = index;
			*path_stats_add(&path[place ? place[i] : i], kind, index) = stats;
		}
}
