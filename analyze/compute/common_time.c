/* Courses of several GPUs, laid over one another. */
#include "compute/common_time.h"

#include <math.h>
#include <string.h>

/* Of the bins of a GPU so many may lack others: the logs begin and end as they like. */
#define OWN_SHARE_MAX 0.05

/* Of the kind of log that counts; NULL: it has none. */
static const struct course *course_of(const struct figure_scope *scope, uint32_t device,
	enum metric_id metric, enum source_kind *kind)
{
	const struct metric_stats *s = metric_stats_best(
		scope->report->stats, scope->report->stats_count, device, metric);
	const struct source_state *source;
	const struct series *series;

	if (!metric_stats_speaks(s))
		return NULL;
	*kind = s->source;
	source = &scope->agg->source[s->source];
	if (device >= source->device_count || !source->device[device])
		return NULL;
	series = source->device[device]->series[metric];
	return series && series->course && series->course->count ? series->course : NULL;
}

/* Bins in which each GPU has a row: of two intervals at least. */
static unsigned shift_for(const struct figure_scope *scope, enum metric_id metric)
{
	unsigned shift = COURSE_SHIFT;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		const struct gpu_watch *gpu = &scope->held->gpu[i];
		enum source_kind kind;
		const struct course *course =
			course_of(scope, gpu->device, metric, &kind);

		if (course && course->shift > shift)
			shift = course->shift;
		while (gpu->interval_ns > 0 && shift < 62 &&
			(int128)1 << shift < 2 * (int128)gpu->interval_ns)
			shift++;
	}
	return shift;
}

/* has[number]: as counted from the origin. How many there are. */
static uint64_t see_bins(const struct course *course, unsigned shift, bool *has)
{
	struct course bins = course_in_bins(course, shift);
	uint64_t count = 0;

	memset(has, 0, COURSE_BINS * sizeof *has);
	for (uint64_t i = 0; i < bins.count; i++) {
		has[bins.first + i] = bins.bin[i].n > 0;
		count += bins.bin[i].n > 0;
	}
	course_release(&bins);
	return count;
}

static uint64_t count_common(const bool *has, const bool *common)
{
	uint64_t count = 0;

	for (size_t i = 0; i < COURSE_BINS; i++)
		count += has[i] && common[i];
	return count;
}

/* The bins in which all have values. False: they are about all that any of them has. */
static bool find_common(
	const struct figure_scope *scope, enum metric_id metric, bool *common)
{
	unsigned shift = shift_for(scope, metric);
	enum source_kind kind, first = SOURCE_NONE;
	bool has[COURSE_BINS], differ = false;

	memset(common, true, COURSE_BINS * sizeof *common);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < scope->held->gpu_count; i++) {
			const struct course *course = course_of(
				scope, scope->held->gpu[i].device, metric, &kind);
			uint64_t own;

			if (!course)
				continue;
			first = first == SOURCE_NONE ? kind : first;
			if (kind != first)
				return false; /* their bins begin elsewhere */
			own = see_bins(course, shift, has);
			for (size_t k = 0; pass == 0 && k < COURSE_BINS; k++)
				common[k] &= has[k];
			differ |= pass == 1 &&
				(double)(own - count_common(has, common)) >
					OWN_SHARE_MAX * (double)own;
		}
	return differ;
}

double common_mean(
	const struct figure_scope *scope, uint32_t device, enum metric_id metric)
{
	enum source_kind kind;
	const struct course *course = course_of(scope, device, metric, &kind);
	bool common[COURSE_BINS];
	struct course bins;
	double mean;

	if (!course || !find_common(scope, metric, common))
		return NAN;
	bins = course_in_bins(course, shift_for(scope, metric));
	mean = course_mean(&bins, common, metric_get(metric)->per_unit);
	course_release(&bins);
	return mean;
}
