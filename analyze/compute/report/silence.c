/* Silences of each GPU, then those of any. */
#include "compute/report/silence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

const struct series *series_heard(const struct aggregate *agg,
	const struct report *report, enum source_kind kind, size_t device,
	enum metric_id metric)
{
	const struct source_state *source = &agg->source[kind];
	const struct series *series = NULL;

	if (device < source->device_count && source->device[device] &&
		agg->run->device[device].kind == DEVICE_GPU &&
		report_counts_gpu(report, device))
		series = source->device[device]->series[metric];
	return series && series->course && series->course->count ? series : NULL;
}

static void add(struct silence *silence, int64_t from_ns, int64_t to_ns)
{
	ALLOC_GROW(silence->each, silence->each_count + 1, silence->each_cap);
	silence->each[silence->each_count++] = (struct stretch){from_ns, to_ns};
}

/* all: from the first row of any GPU to the last one. */
static void add_gpu(struct silence *silence, const struct series *series,
	int64_t limit_ns, const struct stretch *all)
{
	const struct course *course = series->course;

	if (course->first_ns - all->from_ns > limit_ns)
		add(silence, all->from_ns, course->first_ns);
	if (all->to_ns - course->last_ns > limit_ns)
		add(silence, course->last_ns, all->to_ns);
	for (size_t i = 0; series->steps && i < series->steps->count; i++) {
		const struct step *step = &series->steps->at[i];

		if (step->dt_ns > limit_ns)
			add(silence, step->start_ns, step->start_ns + step->dt_ns);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

size_t stretches_join(struct stretch *stretch, size_t count)
{
	size_t joined = 0;

	if (count)
		qsort(stretch, count, sizeof *stretch, by_begin);
	for (size_t i = 0; i < count; i++) {
		struct stretch *last = joined ? &stretch[joined - 1] : NULL;

		if (!last || stretch[i].from_ns > last->to_ns)
			stretch[joined++] = stretch[i];
		else if (stretch[i].to_ns > last->to_ns)
			last->to_ns = stretch[i].to_ns;
	}
	return joined;
}

void silence_find(struct silence *silence, const struct aggregate *agg,
	const struct report *report, enum source_kind kind, enum metric_id metric)
{
	const struct source_state *source = &agg->source[kind];
	struct stretch all = {INT64_MAX, INT64_MIN};

	*silence = (struct silence){.known = true};
	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *series = series_heard(agg, report, kind, i, metric);

		const struct track *track;

		if (!series)
			continue;
		track = &source->device[i]->track;
		if (track->first_ns < all.from_ns)
			all.from_ns = track->first_ns > source->origin_ns
				? track->first_ns
				: source->origin_ns;
		if (track->last_ns > all.to_ns)
			all.to_ns = track->last_ns;
	}
	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *series = series_heard(agg, report, kind, i, metric);
		struct timing timing;
		int64_t limit_ns;

		if (!series)
			continue;
		timing = device_timing(agg, kind, source->device[i]);
		limit_ns = metric_limit_ns(source->device[i], &timing, metric);
		silence->gpus++;
		silence->known &= limit_ns >= 0;
		if (limit_ns >= 0)
			add_gpu(silence, series, limit_ns, &all);
	}
	silence->rows = all;
	silence->any = xcalloc(silence->each_count + 1, sizeof *silence->any);
	if (silence->each_count)
		memcpy(silence->any, silence->each,
			silence->each_count * sizeof *silence->any);
	silence->any_count = stretches_join(silence->any, silence->each_count);
}

void silence_release(struct silence *silence)
{
	free(silence->each);
	free(silence->any);
}

const struct stretch *silence_around(const struct silence *silence, struct stretch time)
{
	for (size_t i = 0; i < silence->any_count; i++)
		if (silence->any[i].from_ns <= time.from_ns &&
			silence->any[i].to_ns >= time.to_ns)
			return &silence->any[i];
	return NULL;
}

int64_t stretch_common_ns(const struct stretch *a, const struct stretch *b)
{
	int64_t from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
	int64_t to_ns = a->to_ns < b->to_ns ? a->to_ns : b->to_ns;

	return to_ns > from_ns ? to_ns - from_ns : 0;
}

double silence_coverage(const struct silence *silence, struct stretch time)
{
	int128 all_ns = ((int128)time.to_ns - time.from_ns) * (int64_t)silence->gpus;
	int128 silent_ns = 0;

	if (!silence->known || all_ns <= 0)
		return NAN;
	for (size_t i = 0; i < silence->each_count; i++)
		silent_ns += stretch_common_ns(&silence->each[i], &time);
	return number_ratio(all_ns - silent_ns, all_ns);
}
