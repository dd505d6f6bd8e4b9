/*
 * What must hold in every sample (schema/checks.def), looked at one by one: ranges,
 * orders, sums, counters that go back. A sink of batches beside the aggregate.
 */
#ifndef COMPUTE_SOUNDNESS_H
#define COMPUTE_SOUNDNESS_H

#include "compute/run/witness.h"

struct soundness;

struct soundness *soundness_new(void);
void soundness_free(struct soundness *soundness); /* NULL is fine */

/*
 * Looks at every row; what does not hold is counted in the run's diagnostics, with the
 * file and line of the first time. Borrowed.
 */
struct sample_witness *soundness_witness(struct soundness *soundness);

/* How many conditions there are, and how often one was looked at. */
struct soundness_count {
	size_t conditions;
	uint64_t looks, failures;
};

struct soundness_count soundness_count(const struct soundness *soundness);

#endif
