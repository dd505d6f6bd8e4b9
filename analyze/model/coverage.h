/*
 * How much of its time a number of a report is of, and which way the truth may lie if
 * that is not all of it. README.md of compute/, "Numbers of a part of the time".
 */
#ifndef MODEL_COVERAGE_H
#define MODEL_COVERAGE_H

#include "model/report.h"
#include "model/statistic.h"

/* A sum of less than this part of its time is a lower bound. */
#define COVERAGE_WHOLE 0.98

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
};

struct covered covered_summary(const struct report *report, enum summary_key key);
struct covered covered_steady(const struct report *report);
/* The energy of a unit of work, and the utilisation in its time. */
struct covered covered_work(
	const struct report *report, const struct work *work, bool energy);
struct covered covered_path(
	const struct report *report, const struct phase_path *path, enum summary_key key);

/* Of a metric of a device, in the run or in a path (NULL: the run); NAN: as above. */
double coverage_of_stats(const struct report *report, const struct phase_path *path,
	const struct metric_stats *stats);
/* ... one of its statistics; STATISTIC_COUNT: a state's share. */
struct covered covered_statistic(double coverage, enum statistic statistic);

/* The time in which any of a path's calls is, in seconds; NAN: no call is known. */
double coverage_union_s(const struct report *report, const struct phase_path *path);

#endif
