/* The statistics of one metric: empty ones, and where those of a device stand. */
#include <math.h>

#include "base/timestamp.h"
#include "model/metric_stats.h"

/* Unknown as nothing. */
static double covered_s(const struct metric_stats *stats)
{
	return stats->covered_s > 0 ? stats->covered_s : 0;
}

static void add_mean(struct mean_over *over, const struct metric_stats *stats)
{
	double known_s = covered_s(stats);
	bool first = !over->devices++;

	over->total += stats->mean;
	over->least = first ? stats->mean : fmin(over->least, stats->mean);
	over->most = first ? stats->mean : fmax(over->most, stats->mean);
	over->least_s = first ? known_s : fmin(over->least_s, known_s);
	over->most_s = first ? known_s : fmax(over->most_s, known_s);
}

void mean_over_add(struct mean_over *over, const struct metric_stats *stats)
{
	if (!isnan(stats->mean)) /* a phase may have samples, and no covered time */
		add_mean(over, stats);
	if (stats->n) {
		over->sum += stats->sum;
		over->n += (double)stats->n;
	}
	if (stats->covered_s > 0) {
		over->integral += stats->mean * stats->covered_s;
		over->covered_s += stats->covered_s;
	}
}

double mean_over_all(const struct mean_over *over)
{
	if (over->devices == 1)
		return over->total; /* the one device's, to the last digit */
	if (over->covered_s > 0) /* rounded, it lies between them all the same */
		return fmin(
			fmax(over->integral / over->covered_s, over->least), over->most);
	return over->devices ? over->sum / over->n : NAN;
}

double mean_over_total(const struct mean_over *over)
{
	return over->devices && over->least_s >= COVERAGE_MIN * over->most_s ? over->total
									     : NAN;
}

bool mean_over_joins(const struct mean_over *over, const struct metric_stats *stats)
{
	return covered_s(stats) >= COVERAGE_MIN * over->most_s;
}

/* The place of the statistics, source and device, is the caller's. */
void metric_stats_init(struct metric_stats *stats, enum metric_id metric)
{
	*stats = (struct metric_stats){.metric = metric,
		.source = stats->source,
		.device = stats->device,
		.min_at_ns = TIME_NONE,
		.max_at_ns = TIME_NONE,
		.min_window.from_ns = TIME_NONE,
		.max_window.from_ns = TIME_NONE};
	stats->gap_limit_s = NAN;
	stats->covered_s = stats->mean = stats->mean_samples = NAN;
	stats->min = stats->max = stats->stddev = NAN;
	stats->p50 = stats->p90 = stats->p95 = stats->p99 = NAN;
	stats->energy_j = stats->energy_coverage = NAN;
	stats->increase = stats->rate_per_s = NAN;
	stats->growth = stats->slope_per_h = NAN;
	stats->least_rise = stats->recent = NAN;
	stats->recent_at_ns = TIME_NONE;
	for (int i = 0; i < ABOVE_COUNT; i++)
		stats->above[i] = NAN;
}

enum energy_method energy_method(const struct metric_stats *stats)
{
	if (!stats->has_energy || isnan(stats->energy_j))
		return ENERGY_UNKNOWN;
	return metric_get(stats->metric)->kind == KIND_COUNTER ? ENERGY_COUNTER
							       : ENERGY_INTEGRATED;
}

const char *energy_method_name(enum energy_method method)
{
	switch (method) {
	case ENERGY_UNKNOWN:
		break;
	case ENERGY_COUNTER:
		return "counter";
	case ENERGY_INTEGRATED:
		return "integrated";
	case ENERGY_MIXED:
		return "mixed";
	}
	return NULL;
}

size_t metric_stats_find(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct metric_stats *s = &stats[middle];

		if (s->source < source || (s->source == source && s->device < device))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool metric_stats_speaks(const struct metric_stats *s)
{
	return s && (s->n || !isnan(s->mean));
}

const struct metric_stats *metric_stats_of(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device, enum metric_id metric)
{
	for (size_t i = metric_stats_find(stats, count, source, device);
		i < count && stats[i].device == device && stats[i].source == source; i++)
		if (stats[i].metric == metric)
			return &stats[i];
	return NULL;
}

/* How much one kind of log says of a metric, of which another covers so many seconds. */
static int eloquence(const struct metric_stats *s, double most_s)
{
	if (!s)
		return 0;
	if (metric_stats_speaks(s) && most_s > 0 && s->covered_s >= COVERS_ALIKE * most_s)
		return 4;
	if (!isnan(s->mean))
		return 3;
	return metric_stats_speaks(s) ? 2 : 1;
}

/* The place of the first of stats[count] that is of a later kind of log than one at i. */
static size_t next_kind(const struct metric_stats *stats, size_t count, size_t i)
{
	return metric_stats_find(stats, count, stats[i].source + 1, 0);
}

const struct metric_stats *metric_stats_best(const struct metric_stats *stats,
	size_t count, uint32_t device, enum metric_id metric)
{
	const struct metric_stats *of[SOURCE_KIND_COUNT], *best = NULL;
	double most_s = 0;
	size_t kinds = 0;

	for (size_t i = 0; i < count; i = next_kind(stats, count, i)) {
		const struct metric_stats *s =
			metric_stats_of(stats, count, stats[i].source, device, metric);

		if (!s)
			continue;
		of[kinds++] = s;
		if (metric_stats_speaks(s) && s->covered_s > most_s)
			most_s = s->covered_s;
	}
	for (size_t i = 0; i < kinds; i++)
		if (eloquence(of[i], most_s) > eloquence(best, most_s))
			best = of[i];
	return best;
}

const struct metric_stats *metric_stats_energy(
	const struct metric_stats *stats, size_t count, uint32_t device)
{
	for (size_t at = 0; at < count; at = next_kind(stats, count, at))
		for (size_t i = metric_stats_find(stats, count, stats[at].source, device);
			i < count && stats[i].device == device &&
			stats[i].source == stats[at].source;
			i++)
			if (stats[i].energy_chosen)
				return &stats[i];
	return NULL;
}
