/*
 * The members of the structs of a report: schema/report.def as a table, and what walks
 * it to print, keep or read all of them. Computes nothing.
 */
#ifndef MODEL_MEMBER_H
#define MODEL_MEMBER_H

#include "model/metric.h"

enum member_kind {
	MEMBER_NUMBER, /* double; NAN: unknown */
	MEMBER_COUNT, /* uint64_t */
	MEMBER_TIME, /* int64_t; TIME_NONE: unknown */
	MEMBER_FLAG, /* bool */
	MEMBER_TEXT /* const char *, not owned; NULL: unknown */
};

/* The struct that a member is of. */
enum member_of {
	OF_metric_stats,
	OF_phase_path,
	OF_phase_call,
	OF_device_evidence,
	OF_steady,
	OF_work,
	OF_NOTHING
};

struct member {
	enum member_of of;
	enum member_kind kind;
	enum stats_part part; /* of struct metric_stats; PART_ALL of the others */
	size_t offset;
	const char *key, *column, *unit; /* as in report.def */
	const char *name; /* where the struct is not told: the key, "steady_" before it */
	bool is_measure; /* compared between runs; the rest is of such */
	int decimals;
	enum direction better;
	bool total;
};

/* The first of a struct; the others follow, then those of another struct. */
const struct member *members_of(enum member_of of);

static inline void *member_at(const struct member *m, const void *of)
{
	return (char *)of + m->offset;
}

/* As a number: NAN of an instant, a text and what is unknown. */
double member_number(const struct member *m, const void *of);

#endif
