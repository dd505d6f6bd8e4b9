/*
 * Where a result goes: stdout, or a file that is written beside its place and renamed,
 * so that nothing half written ever looks like a result. Devices and pipes are written
 * to.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdio.h>

#include "base/diag.h"
#include "cmd/load.h"
#include "render/render.h"

/*
 * Prints a result where the options say: whole or not at all, and never over what it
 * was made from.
 */

struct result {
	const struct options *opt;
	const struct loaded *loaded; /* [count] the runs it was made from */
	size_t count;
	const char *db; /* the database in use; NULL: none */
};

/* -1: the output would be written over a file of the run. */
int result_protect(const struct options *opt, const struct run *run, struct error *err);

/* -1: err says what can't be written, or would be written over. */
int result_print(const struct result *result,
	int (*write)(void *context, const struct render_options *options, FILE *out,
		struct error *err),
	void *context, struct error *err);

/* The same of what is said of several runs, in the format of the options. */
int result_render(const struct result *result, const struct render_result *rendered,
	struct error *err);

#endif
