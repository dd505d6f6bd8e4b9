/*
 * GPUs that hang: a kernel waits for something that does not come, as a collective does
 * whose other rank is gone. Utilization is then 100 %, because a kernel runs; what it
 * does shows in power, or in the activity of SMs, tensor cores and memory. README.md,
 * "Hangs".
 */
#ifndef COMPUTE_REPORT_HANG_H
#define COMPUTE_REPORT_HANG_H

#include "compute/run/state.h"
#include "model/report.h"
#include "model/rule.h"

/* The metrics that show whether a kernel works. */
#define HANG_METRICS 7

struct hang {
	bool judged; /* its log has utilization and one of those metrics */
	enum source_kind source; /* ... this one */
	bool has[HANG_METRICS]; /* it has shown work by this metric */
	double low[HANG_METRICS], busy[HANG_METRICS]; /* medians in the hang, and at work;
							 of its group the mean; NAN */
	bool found;
	int64_t from_ns, to_ns; /* of its group from the earliest to the latest */
	double util_pct; /* median in the hang, of its group the mean */
	double own_s; /* how long it hangs, of its group the mean */
	double gpu_seconds, energy_j; /* of its group; energy NAN: no power is known */
	size_t others; /* GPUs that hang with it */
	double brief_s; /* of a GPU that does not: its longest end like one; else 0 */
	double maybe_s; /* of a GPU that does not: how long it may hang; else 0 */
	double waited_s; /* it was like one that hangs, and worked on */
	double waited_level; /* ... at this share of the level of work */
};

/* [device_count of the run], by its index. Free it. The evidence is known. */
struct hang *hangs_find(const struct aggregate *agg, const struct report *report);

/* The place of a metric in has, low and busy; HANG_METRICS: it is none of them. */
size_t hang_metric(enum metric_id metric);

/* The metric of such a place. */
enum metric_id hang_metric_at(size_t place);

#endif
