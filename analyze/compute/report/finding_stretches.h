/*
 * When the conditions of a rule that fires held, and in which phases. Judges nothing.
 */
#ifndef COMPUTE_FINDING_STRETCHES_H
#define COMPUTE_FINDING_STRETCHES_H

#include "compute/report/figure.h"

struct aggregate;

/* Fills a finding's stretches, with what hosts did meanwhile, and its phases, if its rule
 * lists them. */
void finding_stretches(struct finding *finding, const struct figure_scope *scope,
	const struct aggregate *agg);

#endif
