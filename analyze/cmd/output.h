/*
 * Writes a result to stdout or a file: completely or not at all. A file gets a temporary
 * name first; devices and pipes are written in place.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdio.h>

#include "base/diag.h"
#include "cmd/load.h"
#include "render/render.h"

struct result {
	const struct options *opt;
	const struct loaded *loaded; /* [count] its runs, which it must not overwrite */
	size_t count;
	const char *db; /* the database in use; NULL: none */
};

/* -1: the output would overwrite a file of the run. */
int result_protect(const struct options *opt, const struct run *run, struct error *err);

/* -1: the output can't be written, or would overwrite an input. */
int result_print(const struct result *result,
	int (*write)(void *context, const struct render_options *options, FILE *out,
		struct error *err),
	void *context, struct error *err);

/* The same for a result over several runs, in the format of the options. */
int result_render(const struct result *result, const struct render_result *rendered,
	struct error *err);

#endif
