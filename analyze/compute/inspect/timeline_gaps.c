/*
 * Where a series of a timeline has no values: between two bins of its envelope, within
 * one, before the first value and behind the last.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/inspect/tracks.h"

#define STEPS_KEPT 1000

static int64_t length_of(const struct track_step *step)
{
	return step->to_ns - step->from_ns;
}

static int longest_first(const void *a, const void *b)
{
	const struct track_step *x = a, *y = b;

	if (length_of(x) != length_of(y))
		return length_of(x) > length_of(y) ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void steps_add(struct step_list *steps, int64_t from_ns, int64_t to_ns)
{
	if (to_ns - from_ns <= steps->dropped_ns)
		return;
	ALLOC_GROW(steps->step, steps->count + 1, steps->cap);
	steps->step[steps->count++] = (struct track_step){from_ns, to_ns};
	if (steps->count < 2 * STEPS_KEPT)
		return;
	qsort(steps->step, steps->count, sizeof *steps->step, longest_first);
	steps->count = STEPS_KEPT;
	steps->dropped_ns = length_of(&steps->step[STEPS_KEPT - 1]);
}

/* A stretch of time, if it is a gap. */
struct finder {
	struct timeline_series *series;
	const struct timeline *timeline;
	int64_t limit_ns;
};

static bool take(const struct finder *finder, int64_t from_ns, int64_t to_ns)
{
	struct timeline_series *series = finder->series;

	if ((int128)to_ns - from_ns <= finder->limit_ns)
		return false;
	ALLOC_GROW(series->gap, series->gap_count + 1, series->gap_cap);
	series->gap[series->gap_count++] =
		(struct timeline_gap){timeline_place(finder->timeline, from_ns),
			timeline_place(finder->timeline, to_ns)};
	return true;
}

static void between_bins(const struct finder *finder, const struct envelope *envelope)
{
	const struct envelope_bin *before = NULL;

	for (int64_t i = 0; i < envelope->count; i++) {
		const struct envelope_bin *bin = &envelope->bin[i];

		if (!bin->n)
			continue;
		if (before)
			take(finder, before->last_ns, bin->first_ns);
		before = bin;
	}
}

static void within_bins(const struct finder *finder, const struct timeline_track *track)
{
	unsigned shift = track->envelope.shift;

	for (size_t i = 0; i < track->steps.count; i++) {
		const struct track_step *step = &track->steps.step[i];

		if (envelope_number(step->from_ns, shift) ==
			envelope_number(step->to_ns, shift))
			take(finder, step->from_ns, step->to_ns);
	}
}

/* What an envelope says of a bin, of those that all have one length. */
static struct envelope_bin bin_at(const struct envelope *envelope, int64_t number)
{
	int64_t at = number - envelope->first;

	return at >= 0 && at < envelope->count ? envelope->bin[at]
					       : (struct envelope_bin){0};
}

static void leave_unrecorded(const struct finder *finder, int64_t from_ns, int64_t to_ns)
{
	struct timeline_series *series = finder->series;

	if ((int128)to_ns - from_ns <= finder->limit_ns)
		return;
	ALLOC_GROW(
		series->unrecorded, series->unrecorded_count + 1, series->unrecorded_cap);
	series->unrecorded[series->unrecorded_count++] =
		(struct timeline_gap){timeline_place(finder->timeline, from_ns),
			timeline_place(finder->timeline, to_ns)};
}

/* Between two rows, of which either has a value or says that there is none. */
static void find_unrecorded(const struct finder *finder, const struct timeline_track *track)
{
	const struct envelope *values = &track->envelope, *missing = &track->missing;
	int64_t first = values->first, end = first + values->count;
	int64_t last_ns = finder->timeline->from_ns;

	if (missing->count && missing->first < first)
		first = missing->first;
	if (missing->count && missing->first + missing->count > end)
		end = missing->first + missing->count;
	for (int64_t i = first; i < end; i++) {
		struct envelope_bin all = bin_at(values, i), none = bin_at(missing, i);

		envelope_bin_add(&all, &none);
		if (!all.n)
			continue;
		leave_unrecorded(finder, last_ns, all.first_ns);
		last_ns = all.last_ns;
	}
	leave_unrecorded(finder, last_ns, finder->timeline->to_ns);
}

static int by_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

void timeline_find_gaps(struct timeline_series *series, const struct timeline *timeline,
	const struct timeline_track *track, int64_t limit_ns)
{
	const struct finder finder = {series, timeline, limit_ns};
	const struct envelope *envelope = &track->envelope;

	series->gaps_known = limit_ns >= 0;
	if (!series->gaps_known)
		return;
	series->starts_late = take(&finder, timeline->from_ns, envelope->bin[0].first_ns);
	between_bins(&finder, envelope);
	within_bins(&finder, track);
	series->ends_early = take(
		&finder, envelope->bin[envelope->count - 1].last_ns, timeline->to_ns);
	series->edge_gaps = (size_t)series->starts_late + (size_t)series->ends_early;
	find_unrecorded(&finder, track);
	qsort(series->gap, series->gap_count, sizeof *series->gap, by_time);
}
