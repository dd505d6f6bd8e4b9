/*
 * The numbers of the parts of a report, each by the name that JSON and the database give
 * it: for those who list them all, or ask for one. Computes nothing.
 */
#ifndef MODEL_NUMBERS_H
#define MODEL_NUMBERS_H

#include "model/report.h"

#define NUMBERS_MAX 40 /* of one part at most */

struct named_number {
	const char *name; /* static */
	const char *unit; /* "": a plain number; static */
	double value; /* NAN: unknown */
};

/* Each fills out[] and tells how many there are; the names are always the same. */
size_t numbers_of_steady(
	const struct steady *steady, struct named_number out[NUMBERS_MAX]);
/* Its times, then its keys of resource_summary. */
size_t numbers_of_path(
	const struct phase_path *path, struct named_number out[NUMBERS_MAX]);
size_t numbers_of_call(
	const struct phase_call *call, struct named_number out[NUMBERS_MAX]);
size_t numbers_of_work(const struct work *work, struct named_number out[NUMBERS_MAX]);

/* The one of that name; NULL: there is none. */
const struct named_number *numbers_find(
	const struct named_number *numbers, size_t count, const char *name);

/* The key of resource_summary of that name; SUMMARY_COUNT: there is none. */
enum summary_key summary_key_find(const char *name);

#endif
