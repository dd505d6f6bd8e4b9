/* Statistics of a device in phases and single calls, including shares of CPU time. */
#include "compute/run/aggregate.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/state.h"

const struct compute_window *aggregate_window(const struct aggregate *agg)
{
	return agg->options.window.set ? &agg->options.window : NULL;
}

struct phase_rules aggregate_phase_rules(const struct aggregate *agg)
{
	const struct foreign_pass *foreign = agg->options.foreign;
	struct phase_rules rules = {.outside = true, .sets = true};

	if (foreign && foreign->phases)
		rules = *foreign->phases;
	rules.window = aggregate_window(agg);
	return rules;
}

struct phase_map *aggregate_phases(struct aggregate *agg)
{
	struct phase_rules rules = aggregate_phase_rules(agg);

	if (!agg->phases)
		agg->phases = phase_map_new(agg->run, &rules);
	if (!agg->calls && agg->options.calls)
		agg->calls = phase_map_of_calls(agg->phases);
	return agg->phases;
}

struct work_kinds *aggregate_work(struct aggregate *agg)
{
	if (!agg->work) {
		agg->work = xcalloc(1, sizeof *agg->work);
		work_find(agg->work, agg->run, aggregate_window(agg));
	}
	return agg->work;
}

struct metric_stats *path_stats_add(
	struct phase_path *path, enum source_kind kind, uint32_t device)
{
	struct metric_stats *stats;

	stats = &ALLOC_NEXT(path->stats, path->stats_count, path->stats_cap);
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

/* Single calls: merges what the devices have, by number of the call. */

void singles_begin(struct singles *s, struct aggregate *agg, enum part part)
{
	size_t cap = 0;

	*s = (struct singles){.agg = agg};
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < agg->source[kind].device_count; i++) {
			struct device_state *device = agg->source[kind].device[i];

			if (!device)
				continue;
			phase_cells_list(&device->in[part], NULL);
			ALLOC_NEXT(s->device, s->count, cap) = (struct single_device){
				kind, (uint32_t)i, &device->in[part], 0,
				device_timing(agg, kind, device)};
		}
}

void singles_take(struct singles *s, uint32_t number, struct phase_path *path)
{
	for (size_t i = 0; i < s->count; i++) {
		struct single_device *d = &s->device[i];

		for (; d->at < d->cells->count && d->cells->at[d->at].path == number;
			d->at++) {
			const struct phase_cell *cell = &d->cells->at[d->at];

			series_finish(cell->series,
				metric_limit_ns(s->agg->source[d->kind].device[d->index],
					&d->timing, cell->metric),
				d->timing.step_ns, &s->agg->run->texts,
				path_stats_add(path, d->kind, d->index));
		}
	}
}

void singles_release(struct singles *s)
{
	free(s->device);
	*s = (struct singles){.agg = NULL};
}
