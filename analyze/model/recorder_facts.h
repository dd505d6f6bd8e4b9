/*
 * What a recorder reports about itself: the cost of recording and how punctual it was.
 * Kept among the facts of a run.
 */
#ifndef MODEL_RECORDER_FACTS_H
#define MODEL_RECORDER_FACTS_H

#include "model/run.h"

/* Of all logs together; -1: not said. */
struct observer {
	int64_t logs;
	int64_t cpu_ns; /* of the recorders and the programs that they ran */
	int64_t bytes; /* that they wrote */
	int64_t ticks, missed_ticks; /* of those that keep time themselves */
	int64_t late_p99_ns, late_max_ns; /* the worst of them */
	int64_t troubled; /* logs whose recorder had trouble */
	const char *trouble; /* of the first of these: "proc-stat.log ends early: ...";
				of observer_read borrowed from the run; NULL */
	const char *early; /* logs that ended early, with commas between;
			      likewise */
};

/* What the trouble of such a log begins with, as collect writes it. */
#define OBSERVER_EARLY "ends early"

void observer_keep(struct run *run, const struct observer *observer);

/* False: nothing is said. */
bool observer_read(const struct run *run, struct observer *observer);

/* The CPU time as a part of one core's in the run's time, in per cent; NaN: not known. */
double observer_core_pct(const struct run *run, const struct observer *observer);

#endif
