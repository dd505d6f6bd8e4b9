/*
 * Which interval and which gap limit hold for a device in a source. README.md, "Time".
 */
#include <string.h>

#include "compute/run/state.h"

#define STEPS_MIN 5 /* that tell an interval */

#define DOUBT_DIVISOR 5 /* a fifth of a run is more than a late begin, and a late end */

/* The interval of a timed log; -1: none. */
static int64_t timed_interval_ns(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];

	for (size_t i = 0; source->timed && i < source->device_count; i++) {
		int64_t h_ns = -1;

		if (source->device[i])
			h_ns = track_interval_ns(&source->device[i]->track,
				run_interval_ns(agg->run, kind));
		if (h_ns > 0)
			return h_ns;
	}
	return -1;
}

/* Of the first other device of its log that tells one; -1: none does. */
static int64_t shared_interval_ns(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];

	for (uint32_t i = 0; i < source->device_count; i++) {
		int64_t h_ns = source->device[i]
			? track_interval_ns(&source->device[i]->track, -1)
			: -1;

		if (h_ns > 0 && run_shares_log(agg->run, kind, device, i))
			return h_ns;
	}
	return -1;
}

/* Where its own rows are too few. */
static void assume_from_log(struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];
	bool told = timed_interval_ns(agg, kind) > 0;

	for (uint32_t i = 0; i < source->device_count; i++) {
		struct device_state *device = source->device[i];

		if (device)
			device->assumed_ns =
				told && track_interval_ns(&device->track, -1) <= 0
				? shared_interval_ns(agg, kind, i)
				: -1;
	}
}

/* From the first to the last row of a timed log. */
static int64_t timed_length_ns(const struct source_state *source)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;

	for (size_t i = 0; i < source->device_count; i++) {
		const struct device_state *device = source->device[i];

		if (device && device->track.first_ns < from_ns)
			from_ns = device->track.first_ns;
		if (device && device->track.last_ns > to_ns)
			to_ns = device->track.last_ns;
	}
	return to_ns - from_ns;
}

/* One that ran as long as the other has as many ticks of the interval. */
static bool fits(const struct assumption *a)
{
	int64_t apart_ns = a->ticks_ns > a->length_ns ? a->ticks_ns - a->length_ns
						      : a->length_ns - a->ticks_ns;

	return apart_ns <= a->interval_ns || apart_ns <= a->length_ns / DOUBT_DIVISOR;
}

bool aggregate_assumption(
	const struct aggregate *agg, enum source_kind kind, struct assumption *out)
{
	const struct source_state *source = &agg->source[kind];
	bool found = false;

	if (!source->seen || source->timed)
		return false;
	for (enum source_kind from = 0; from < SOURCE_KIND_COUNT; from++) {
		int64_t h_ns = timed_interval_ns(agg, from);
		struct assumption a = {.from = from, .interval_ns = h_ns};

		if (h_ns <= 0 || source->ticks.count > (uint64_t)(TIME_END_NS / h_ns))
			continue;
		a.ticks_ns = (int64_t)source->ticks.count * h_ns;
		a.length_ns = timed_length_ns(&agg->source[from]) + h_ns;
		a.fits = fits(&a);
		if (!found || (a.fits && !out->fits))
			*out = a;
		found = true;
	}
	return found;
}

/* The interval of the first timed log, for windows of rows that are still to come. */
static int64_t first_interval_ns(const struct aggregate *agg)
{
	int64_t h_ns = -1;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && h_ns < 0; kind++)
		h_ns = timed_interval_ns(agg, kind);
	return h_ns;
}

void assume_intervals(struct aggregate *agg)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct assumption a;

		agg->assumed_ns[kind] = -1;
		if (aggregate_assumption(agg, kind, &a) && a.fits)
			agg->assumed_ns[kind] = a.interval_ns;
		assume_from_log(agg, kind);
	}
}

int64_t untimed_step_ns(const struct aggregate *agg, enum source_kind kind)
{
	int64_t step_ns = agg->options.interval_ns;

	if (step_ns <= 0)
		step_ns = run_interval_ns(agg->run, kind);
	if (step_ns <= 0)
		step_ns = first_interval_ns(agg);
	return step_ns > 0 ? step_ns : 0;
}

int64_t untimed_interval_ns(const struct aggregate *agg, enum source_kind kind)
{
	if (agg->options.interval_ns > 0)
		return agg->options.interval_ns;
	if (run_interval_ns(agg->run, kind) > 0)
		return run_interval_ns(agg->run, kind);
	return agg->assumed_ns[kind];
}

/* h of a log with times, and where it is from. */
static int64_t find_interval(const struct aggregate *agg, enum source_kind kind,
	struct device_state *device, const char **from)
{
	int64_t recorded_ns = run_interval_ns(agg->run, kind);
	int64_t own_ns = track_interval_ns(&device->track, recorded_ns);

	*from = "option";
	if (agg->options.laid)
		return agg->options.interval_ns;
	if (own_ns > 0) {
		*from = recorded_ns > 0 ? "recorded" : "median";
		return own_ns;
	}
	if (device->assumed_ns > 0) {
		*from = "assumed";
		return device->assumed_ns;
	}
	return agg->options.interval_ns;
}

/* The same without times. */
static int64_t find_untimed_interval(
	const struct aggregate *agg, enum source_kind kind, const char **from)
{
	if (agg->options.interval_ns > 0)
		*from = "option";
	else if (run_interval_ns(agg->run, kind) > 0)
		*from = "recorded";
	else
		*from = "assumed";
	return untimed_interval_ns(agg, kind);
}

struct timing device_timing(
	const struct aggregate *agg, enum source_kind kind, struct device_state *device)
{
	struct timing timing = {.step_ns = -1};

	if (device->track.timed) {
		timing.interval_ns =
			find_interval(agg, kind, device, &timing.interval_source);
	} else {
		timing.interval_ns =
			find_untimed_interval(agg, kind, &timing.interval_source);
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

/* A metric that most rows do not even ask for, though it was there when it was asked for.
 */
static bool is_of_other_rows(const struct device_state *device, const struct gauge *gauge)
{
	return gauge->n > STEPS_MIN && gauge->missing * 10 <= gauge->n &&
		(gauge->n + gauge->missing) * 2 <= device->track.rows;
}

int64_t metric_limit_ns(const struct device_state *device, const struct timing *timing,
	enum metric_id metric)
{
	const struct series *series = device->series[metric];
	int64_t h_ns;

	if (!series || series->kind != KIND_GAUGE || timing->limit_ns < 0 ||
		!timing->interval_source ||
		strcmp(timing->interval_source, "median") != 0 ||
		!is_of_other_rows(device, &series->gauge) || series->gauge.limit_known)
		return timing->limit_ns;
	h_ns = slices_far_median(&series->gauge.slices);
	return h_ns > timing->limit_ns ? gap_limit_ns(h_ns) : timing->limit_ns;
}
