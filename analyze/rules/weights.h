/* Parses the weights of a ranking: {"duration_s": 2, "energy_j": 1}. */
#ifndef RULES_WEIGHTS_H
#define RULES_WEIGHTS_H

#include "model/comparison.h"

/* -1: err names the file, the line and what was expected; release *weights in either
 * case. */
int weights_parse(struct score_weights *weights, const char *file, const char *json,
	struct error *err);

#endif
