/*
 * How far a load has come, on a terminal: one line on stderr, drawn anew at most ten
 * times a second, and wiped before anything else is written. Where nobody watches
 * there is none.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "cmd/options.h"
#include "render/render.h"

struct options;
struct progress;

/* The operands of opt are what is to be loaded. NULL: out is no terminal that can wipe a
 * line, or --quiet. opt is borrowed. */
struct progress *progress_new(const struct options *opt, FILE *out);
void progress_free(struct progress *progress); /* NULL is fine, here and below */

/* A run that is being loaded, by any thread. */
struct progress_run {
	size_t nth; /* from 0; SIZE_MAX: none of the operands */
	uint64_t taken; /* bytes of its files so far, as read_taken says */
};

/* A run is begun: these operands of it. */
void progress_begin(struct progress *progress, struct progress_run *run,
	const char *const *path, size_t path_count);

/* More rows of it. The thread that all began with draws. */
void progress_add(
	struct progress *progress, struct progress_run *run, size_t rows, uint64_t taken);

/* It is loaded, or failed; the line is wiped. */
void progress_end(struct progress *progress, struct progress_run *run);

/* While others load: by the thread that all began with. */
void progress_watch(struct progress *progress);
void progress_wipe(struct progress *progress);

/* What there is to tell: of runs how many are loaded, of bytes those of all. */
struct progress_state {
	size_t ended, runs;
	uint64_t done, total; /* bytes; total 0: unknown */
	uint64_t rows;
	double left_s; /* NaN: unknown */
	bool again; /* more was read of a run than its files hold, as where rows are to be
		       put in order: nobody knows how much is left */
};

/* "run 12 of 200, 34 %, 1.2 of 3.5 GB, 12,345,678 rows, 8 s left" */
void progress_text(struct strbuf *sb, const struct progress_state *state);

/* What the place that a result goes to can show. */

/* Width, color and Unicode of a terminal; plain and 80 columns wide elsewhere. */
struct render_options terminal_options(const struct options *opt, FILE *file);

/* ... the width alone. */
int terminal_columns(FILE *file);

/* A sentence as one line that does nothing, whatever bytes it holds; the caller frees. */
char *terminal_line(const char *sentence);

#endif
