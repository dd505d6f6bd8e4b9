/*
 * What lies right in the phases that somebody asks for: paths, and their calls, noted
 * before all but those phases are left out of a report.
 */
#ifndef MODEL_INNER_CALLS_H
#define MODEL_INNER_CALLS_H

#include "model/report.h"

struct inner_phase {
	char *outer, *path; /* that it lies in, and its own; owned */
	double union_s;
	double energy_j; /* of the GPUs where it is known; NAN: of none */
	const char *method; /* static; NULL: unknown */
};

struct inner_call {
	size_t phase; /* index of its inner_phase */
	struct phase_call call; /* its path is of the report as it was */
};

struct inner_calls {
	struct inner_phase *phase; /* [phase_count] owned */
	size_t phase_count, phase_cap;
	struct inner_call *call; /* [count] by start; owned */
	size_t count, cap;
};

/* In the phases that match (phase_path_matches); zeroed is empty. */
void inner_calls_find(
	struct inner_calls *inner, const struct report *report, const char *pattern);
void inner_calls_release(struct inner_calls *inner);

#endif
