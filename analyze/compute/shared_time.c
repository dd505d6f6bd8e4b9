/* Two spans with their gaps: where neither has one, swept in time. */
#include "compute/shared_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

/* Where a log begins or ends to say something. */
struct turn {
	double at_s; /* from the run's start */
	int by; /* 1: it speaks from here on; -1: it does not */
};

struct turns {
	struct turn *at; /* [count] owned */
	size_t count, cap;
};

static int by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static void add(struct turns *turns, double at_s, int by)
{
	ALLOC_GROW(turns->at, turns->count + 1, turns->cap);
	turns->at[turns->count++] = (struct turn){at_s, by};
}

static double since_start(const struct report *report, int64_t t_ns)
{
	return number_ratio((int128)t_ns - report->started_ns, NS_PER_S);
}

static const struct device_evidence *find(
	const struct report *report, enum source_kind source, uint32_t device)
{
	const struct evidence *evidence = &report->evidence;

	for (size_t i = 0; i < evidence->device_count; i++)
		if (evidence->device[i].source == source &&
			evidence->device[i].device == device)
			return &evidence->device[i];
	return NULL;
}

/* A log without the gaps in it. False: they are not all known. */
static bool add_log(
	struct turns *turns, const struct report *report, const struct device_evidence *e)
{
	const struct evidence *evidence = &report->evidence;
	uint64_t gaps = 0;

	if (!e || e->first_ns == TIME_NONE || isnan(e->gap_limit_s))
		return false;
	add(turns, since_start(report, e->first_ns), 1);
	add(turns, since_start(report, e->last_ns), -1);
	for (size_t i = 0; i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];
		double from_s = since_start(report, gap->start_ns);

		if (gap->source != e->source || gap->device != e->device)
			continue;
		add(turns, from_s, -1);
		add(turns, from_s + gap->length_s, 1);
		gaps++;
	}
	return gaps == e->gaps;
}

/* How long both speak. Sorts. */
static double both_s(struct turns *turns)
{
	double sum_s = 0;
	int speak = 0;

	qsort(turns->at, turns->count, sizeof *turns->at, by_time);
	for (size_t i = 0; i < turns->count; i++) {
		if (speak == 2)
			sum_s += turns->at[i].at_s - turns->at[i - 1].at_s;
		speak += turns->at[i].by;
	}
	return sum_s;
}

double shared_time(const struct report *report, uint32_t device)
{
	const struct device_evidence *query = find(report, SOURCE_NVIDIA_QUERY, device);
	const struct device_evidence *dmon = find(report, SOURCE_NVIDIA_DMON, device);
	struct turns turns = {0};
	double share = NAN;

	if (add_log(&turns, report, query) && add_log(&turns, report, dmon) &&
		fmax(query->covered_s, dmon->covered_s) > 0)
		share = both_s(&turns) / fmax(query->covered_s, dmon->covered_s);
	free(turns.at);
	return share;
}
