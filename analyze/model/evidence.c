/*
 * Names of the causes of gaps, and look-up of a device's logs in the evidence of a
 * run.
 */
#include <math.h>
#include <stdlib.h>

#include "model/evidence.h"
#include "model/metric.h"

const char *gap_cause_name(enum gap_cause cause)
{
	switch (cause) {
	case GAP_SUSPEND:
		return "suspend";
	case GAP_CLOCK_STEP:
		return "clock step";
	case GAP_RESTART:
		return "recorder restarted";
	case GAP_REFUSED:
		return "rows refused";
	case GAP_GPU_LOST:
		return "GPU lost";
	case GAP_LOG_SILENT:
		return "log silent";
	case GAP_ALL_SILENT:
		return "all silent";
	case GAP_UNKNOWN:
		break;
	}
	return NULL;
}

static int by_log(const void *a, const void *b)
{
	const struct device_evidence *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

const struct device_evidence *evidence_find(
	const struct evidence *evidence, enum source_kind source, uint32_t device)
{
	struct device_evidence wanted = {.source = source, .device = device};

	return evidence->device_count
		? bsearch(&wanted, evidence->device, evidence->device_count,
			  sizeof wanted, by_log)
		: NULL;
}

/* Has a log that is not of processes rows of it? */
static bool has_own_log(const struct evidence *evidence, uint32_t device)
{
	for (enum source_kind source = 0; source < SOURCE_KIND_COUNT; source++)
		if (!source_is_of_processes(source) &&
			evidence_find(evidence, source, device))
			return true;
	return false;
}

/* In the log behind e; as evidence_next, but also where no gap limit is known. */
static const struct device_evidence *next_log(
	const struct evidence *evidence, uint32_t device, const struct device_evidence *e)
{
	for (unsigned source = e ? (unsigned)e->source + 1 : 0;
		source < SOURCE_KIND_COUNT; source++) {
		e = evidence_find(evidence, (enum source_kind)source, device);
		if (e &&
			!(source_is_of_processes(e->source) &&
				has_own_log(evidence, device)))
			return e;
	}
	return NULL;
}

const struct device_evidence *evidence_next(
	const struct evidence *evidence, uint32_t device, const struct device_evidence *e)
{
	do
		e = next_log(evidence, device, e);
	while (e && isnan(e->gap_limit_s));
	return e;
}

int64_t evidence_limit_ns(const struct device_evidence *e)
{
	return llround(fmin(e->gap_limit_s * 1e9, 9e18));
}

const struct device_evidence *evidence_best(
	const struct evidence *evidence, uint32_t device)
{
	const struct device_evidence *first = next_log(evidence, device, NULL), *e;
	double most_s = 0;

	for (e = first; e; e = next_log(evidence, device, e))
		if (e->covered_s > most_s)
			most_s = e->covered_s;
	for (e = first; e; e = next_log(evidence, device, e))
		if (most_s > 0 && e->covered_s >= COVERS_ALIKE * most_s)
			return e;
	return first;
}
