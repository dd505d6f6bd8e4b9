/* Two spans with their gaps: where neither has one, swept in time. */
#include "compute/report/shared_time.h"

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

/* A log without the gaps in it. False: they are not all known. */
static bool add_log(
	struct turns *turns, const struct report *report, const struct device_evidence *e)
{
	const struct evidence *evidence = &report->evidence;
	uint64_t gaps = 0;

	if (!e || e->first_ns == TIME_NONE || isnan(e->gap_limit_s))
		return false;
	add(turns, report_second(report, e->first_ns), 1);
	add(turns, report_second(report, e->last_ns), -1);
	for (size_t i = 0; i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];
		double from_s = report_second(report, gap->start_ns);

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

/* A GPU's query log and its dmon. */
struct pair {
	const struct device_evidence *query, *dmon;
	double both_s; /* NAN: it can't be told */
};

static struct pair pair_of(const struct report *report, uint32_t device)
{
	const struct evidence *evidence = &report->evidence;
	struct pair pair = {evidence_find(evidence, SOURCE_NVIDIA_QUERY, device),
		evidence_find(evidence, SOURCE_NVIDIA_DMON, device), NAN};
	struct turns turns = {0};

	if (add_log(&turns, report, pair.query) && add_log(&turns, report, pair.dmon) &&
		pair.query->covered_s > 0 && pair.dmon->covered_s > 0)
		pair.both_s = both_s(&turns);
	free(turns.at);
	return pair;
}

double shared_time(const struct report *report, uint32_t device)
{
	struct pair pair = pair_of(report, device);

	return isnan(pair.both_s)
		? NAN
		: pair.both_s / fmax(pair.query->covered_s, pair.dmon->covered_s);
}

double unshared_time(const struct report *report, uint32_t device)
{
	struct pair pair = pair_of(report, device);

	return isnan(pair.both_s) ? NAN
				  : fmax(0, 1 - pair.both_s / pair.query->covered_s) +
			fmax(0, 1 - pair.both_s / pair.dmon->covered_s);
}
