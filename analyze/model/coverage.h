/*
 * How much of its time a number of a report is of, and which way the truth may lie if
 * that is not all of it. README.md of compute/, "Numbers of a part of the time".
 */
#ifndef MODEL_COVERAGE_H
#define MODEL_COVERAGE_H

#include "base/text.h"
#include "model/report.h"
#include "model/statistic.h"

/* A sum of less than this part of its time is a lower bound. */
#define COVERAGE_WHOLE 0.98

/*
 * Of values that have times, but no interval that would tell what between them is a gap:
 * a number of them is in doubt as one of which nothing is covered, and how much is, is
 * unknown.
 */
#define COVERAGE_UNTOLD (-1.0)

/* Beside an interval, what is forgiven at each end of a recording. */
#define EDGE_MOST_S 2

/* Which way the truth may lie; bits. */
enum doubt {
	DOUBT_NONE = 0,
	DOUBT_MORE = 1, /* it is a lower bound */
	DOUBT_LESS = 2,
	DOUBT_EITHER = 3 /* nothing can be said */
};

/* A number with the share of its time that it is of. */
struct covered {
	double coverage; /* 0 to 1; NAN: it is not of samples, or it can't be told */
	unsigned doubt; /* of enum doubt */
	unsigned doubt_fewer; /* ... if it leaves out GPUs that it should be of */
	size_t gpus, gpus_all; /* that it is of, and that count in the run; 0: it is not
				  of GPUs together */
	bool fewer; /* it leaves some out that it should be of: its coverage is 0 */
	bool left_out; /* there was a value, which is no part of its side */
};

struct covered covered_summary(const struct report *report, enum summary_key key);
struct covered covered_steady(const struct report *report);
/* The energy of a unit of work, and the utilisation in its time. */
struct covered covered_work(
	const struct report *report, const struct work *work, bool energy);
struct covered covered_path(
	const struct report *report, const struct phase_path *path, enum summary_key key);

/*
 * Of one number of several runs, covered[count]: is in doubt, too, what leaves out GPUs
 * of its run while in another run it is of more GPUs. (Where none is of more, no run
 * knows better, and they are alike.)
 */
void covered_beside(struct covered *covered, size_t count);
/* Which way the truth may lie from it where it is beside no other: it should be of all.
 */
unsigned covered_alone(const struct covered *covered);
/* "61.0 % covered", "of 1 of 2 GPUs": what is in doubt, and why. */
void covered_say(struct strbuf *sb, const struct covered *covered);

/* Is less known to be covered of one than of another? */
bool covered_less(const struct covered *one, const struct covered *other);

/*
 * Of a metric of a device, in the run or in a path (NULL: the run), for
 * covered_statistic; NAN: as above; COVERAGE_UNTOLD.
 */
double coverage_of_stats(const struct report *report, const struct phase_path *path,
	const struct metric_stats *stats);
/* ... one of its statistics; STATISTIC_COUNT: a state's share. */
struct covered covered_statistic(double coverage, enum statistic statistic);

/* The time in which any of a path's calls is, in seconds; NAN: no call is known. */
double coverage_union_s(const struct report *report, const struct phase_path *path);

/* ... as a share of the run's duration, without what of it lies before or after the run.
 */
double coverage_run_share(const struct report *report, const struct phase_path *path);

#endif
