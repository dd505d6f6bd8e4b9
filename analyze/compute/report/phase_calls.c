/* The numbers of single calls: a merge of what the devices have, one call at a time. */
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/report/parts.h"
#include "compute/run/path_stats.h"
#include "compute/run/phase_single.h"
#include "compute/series/energy.h"

/* A device in a log, and the next of its sums. */
struct calls_device {
	enum source_kind kind;
	uint32_t index;
	struct device_state *state;
	struct timing timing;
	size_t at;
};

/* All of them; *count is set. To be freed. */
static struct calls_device *list_devices(struct aggregate *agg, size_t *count)
{
	struct calls_device *list = NULL;
	size_t cap = 0;

	*count = 0;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < agg->source[kind].device_count; i++) {
			struct device_state *device = agg->source[kind].device[i];

			if (!device)
				continue;
			call_sums_sort(&device->in_calls);
			ALLOC_GROW(list, *count + 1, cap);
			list[(*count)++] = (struct calls_device){kind, (uint32_t)i,
				device, device_timing(agg, kind, device), 0};
		}
	return list;
}

/* Appends what the device has of the call; ascending calls, each once. */
static void take_device(const struct aggregate *agg, struct calls_device *device,
	size_t call, struct phase_path *path)
{
	const struct call_sums *sums = &device->state->in_calls;

	for (; device->at < sums->count && sums->at[device->at].call == call;
		device->at++) {
		const struct call_sum *sum = &sums->at[device->at];

		call_sum_finish(sum,
			metric_limit_ns(device->state, &device->timing, sum->metric),
			device->timing.step_ns, &agg->run->texts,
			path_stats_add(path, device->kind, device->index));
	}
}

/* known: it is not beyond the longest, of which nothing is known, not even how much. */
static void take_numbers(struct phase_call *call, const struct report *report,
	struct phase_path *path, bool known)
{
	summary_phase(report, path);
	call->gpu_util_mean_pct = path->summary[PHASE_gpu_util_mean_pct].number;
	call->power_total_mean_w = path->summary[PHASE_power_total_mean_w].number;
	call->energy_j = path->summary[PHASE_energy_j].number;
	if (known)
		call->energy_coverage = path->summary[PHASE_energy_coverage].number;
	call->energy_method =
		energy_over_gpus(report, path->stats, path->stats_count, call->seconds)
			.method;
}

void phase_calls_report(struct aggregate *agg, struct report *report)
{
	size_t count;
	struct calls_device *device = list_devices(agg, &count);

	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_path path = {.union_s = report->call[i].seconds};

		for (size_t k = 0; k < count; k++)
			take_device(agg, &device[k], i, &path);
		take_numbers(&report->call[i], report, &path,
			phase_map_counts(agg->calls, (uint32_t)i));
		phase_path_release(&path);
	}
	for (size_t k = 0; k < count; k++)
		call_sums_release(&device[k].state->in_calls);
	free(device);
}
