/*
 * Notes where values come from, while a log is read. A witness of batches beside the
 * aggregate.
 */
#ifndef COMPUTE_ORIGINS_H
#define COMPUTE_ORIGINS_H

#include "model/origin.h"
#include "model/sample.h"

struct origins_witness;

/*
 * metric: which ones are noted (fnmatch(3)), borrowed; the tick counters too where a
 * share of CPU time is.
 */
struct origins_witness *origins_new(const char *metric);
void origins_free(struct origins_witness *witness); /* NULL is fine */

struct sample_witness *origins_as_witness(struct origins_witness *witness);
const struct origins *origins_get(const struct origins_witness *witness);

#endif
