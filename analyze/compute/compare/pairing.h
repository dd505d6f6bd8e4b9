/*
 * Pairs of runs: each new run belongs to one of the base, as both ran under the same
 * conditions, such as one after the other. README.md, "Comparing runs".
 */
#ifndef COMPUTE_COMPARE_PAIRING_H
#define COMPUTE_COMPARE_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "model/comparison.h"
#include "model/report.h"

/* A run that is to have a partner, whether or not it can be compared in the end. */
struct paired_run {
	const char *name; /* borrowed */
	enum side side;
	int64_t started_ns; /* TIME_NONE: not known */
	char *label; /* its value; NULL: it has none; owned */
	size_t order; /* in which it was added */
};

/* Zeroed but for `by` is empty. */
struct pairing {
	const char *by; /* "order", "time", or the key of a label; NULL: no pairs */
	struct paired_run *run; /* [count] owned */
	size_t count, cap;
};

void pairing_release(struct pairing *pairing);

/* The next run of a side; its name outlives the pairing. NULL: it could not be read. */
void pairing_add(struct pairing *pairing, const char *name, enum side side,
	const struct report *report);

/*
 * Tells the runs of a comparison, which were added by these names, their pairs. -1: some
 * run has no partner, or not one alone. Before compare_end().
 */
int pairing_end(
	struct pairing *pairing, struct comparison *comparison, struct error *err);

/* Is any of these runs paired? */
bool pairing_has(const struct compared_run *run, size_t run_count);

/*
 * The logarithms of the ratios new / base of the pairs that know the row; or, if a value
 * or the median of the base is not above 0, the differences. The row has its sides. To be
 * freed.
 */
struct pair_changes {
	double *x; /* [n] */
	size_t n;
	bool relative; /* they are logarithms of ratios */
};
struct pair_changes pairing_changes(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count);

#endif
