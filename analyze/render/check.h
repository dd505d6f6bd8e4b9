/*
 * Prints `check`: files and their recognized formats, time, and all damage with id,
 * place and cost, the worst first.
 */
#ifndef RENDER_CHECK_H
#define RENDER_CHECK_H

#include "render/render.h"

/* A checked run. */
struct check_report {
	const struct report *report;
	size_t conditions; /* of schema/checks.def */
	uint64_t looks, failures; /* how often conditions were checked, and failed */
};

struct check_input {
	const struct check_report *run;
	size_t run_count;
	const char *const *warning; /* runs that could not be read */
	size_t warning_count;
};

/* False: there is damage, or a run could not be read. Remarks are no damage. */
bool check_is_sound(const struct check_input *in);

/*
 * A run's diagnostics, the worst first: by what is lost, then by how often, then as they
 * were found. The list is the caller's to free; NULL: none.
 */
const struct diag **check_sorted(const struct run *run);

int check_text(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
int check_json(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err);

#endif
