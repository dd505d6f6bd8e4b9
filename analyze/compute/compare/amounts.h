/*
 * How much runs did, by the kinds of their events; which kind counts where runs are set
 * beside one another, and which amounts are the same. README.md, "Comparing runs".
 */
#ifndef COMPUTE_AMOUNTS_H
#define COMPUTE_AMOUNTS_H

#include "model/comparison.h"

/* A kind of events that a run has. */
struct amount_kind {
	char *name; /* owned */
	bool numbered; /* in every run that has it */
	double *units; /* [count] of the runs up to the last that knows it; owned */
	size_t count, cap;
};

/* Zeroed is empty. */
struct amounts {
	struct amount_kind *kind; /* [count] owned */
	size_t count, cap;
};

void amounts_release(struct amounts *amounts);

/* The units of a run; runs are added in their order, each once. */
void amounts_add(struct amounts *amounts, size_t run, const struct report *report);

/* NAN: the run does not say, or there is no kind (NULL). */
double amount_of(const struct amount_kind *kind, size_t run);

/* Are they other amounts? Unknown is no amount that is the same. */
bool amounts_apart(double a, double b);

/*
 * Rather a kind whose events have a number than one that happens; of those rather one of
 * which the runs did other amounts; the finest of them. run[run_count]: their sides;
 * NULL: there are none. NULL: no kind can tell the sides, or two runs, apart.
 */
const struct amount_kind *amounts_choose(
	const struct amounts *amounts, const struct compared_run *run, size_t run_count);

#endif
