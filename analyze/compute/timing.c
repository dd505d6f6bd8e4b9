/*
 * Which interval and which gap limit hold for a device in a source. README.md, "Time".
 */
#include "compute/state.h"

int64_t assumed_interval_ns(const struct aggregate *agg)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		if (!source->timed)
			continue;
		for (size_t i = 0; i < source->device_count; i++) {
			int64_t h_ns = -1;

			if (source->device[i])
				h_ns = track_interval_ns(&source->device[i]->track,
					run_interval_ns(agg->run, kind));
			if (h_ns > 0)
				return h_ns;
		}
	}
	return -1;
}

int64_t untimed_step_ns(const struct aggregate *agg, enum source_kind kind)
{
	int64_t step_ns = agg->options.interval_ns;

	if (step_ns <= 0)
		step_ns = run_interval_ns(agg->run, kind);
	if (step_ns <= 0)
		step_ns = assumed_interval_ns(agg);
	return step_ns > 0 ? step_ns : 0;
}

struct timing device_timing(
	const struct aggregate *agg, enum source_kind kind, struct device_state *device)
{
	int64_t recorded_ns = run_interval_ns(agg->run, kind);
	struct timing timing = {.interval_ns = recorded_ns, .step_ns = -1};

	timing.interval_source = "recorded";
	if (device->track.timed) {
		timing.interval_ns = track_interval_ns(&device->track, recorded_ns);
		if (recorded_ns <= 0)
			timing.interval_source = "median";
	} else {
		if (agg->options.interval_ns > 0) {
			timing.interval_ns = agg->options.interval_ns;
			timing.interval_source = "option";
		} else if (recorded_ns <= 0) {
			timing.interval_ns = agg->assumed_ns;
			timing.interval_source = "assumed";
		}
		timing.step_ns = timing.interval_ns > 0 ? timing.interval_ns : 0;
	}
	if (timing.interval_ns <= 0)
		timing.interval_source = NULL;
	if (agg->options.gap_ns >= 0)
		timing.limit_ns = agg->options.gap_ns;
	else
		timing.limit_ns =
			timing.interval_ns > 0 ? gap_limit_ns(timing.interval_ns) : -1;
	return timing;
}
