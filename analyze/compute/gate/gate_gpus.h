/*
 * What a rule with a glob is of where not every run has the number of every GPU. Only the
 * rooms of the gate include this. README.md, "Gate".
 */
#ifndef COMPUTE_GATE_GPUS_H
#define COMPUTE_GATE_GPUS_H

#include "model/gate.h"

/*
 * A bound is of each GPU that its rule is of: adds a row without any value for a GPU that
 * counts in a run that is judged, and of which no run has the number that the run has of
 * another GPU.
 */
void gate_add_untold(struct comparison *comparison, const struct gate_rule *rule);

/* Is a row without any value, of the base as of the new runs, and none was left out? */
bool gate_is_untold(
	const struct comparison *comparison, const struct comparison_row *row);

/* How many GPUs count in a run. */
size_t gate_count_gpus(const struct comparison *comparison, size_t run);

/* The row of another kind of log from which a run has a row's number; NULL: there is
 * none, or the rule names the kind. */
const struct comparison_row *gate_other_log(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run);

/* Does every new run that lacks a row's number have it so, and no whole base, too? */
bool gate_is_elsewhere(const struct comparison *comparison, const struct gate_rule *rule,
	const struct comparison_row *row);

#endif
