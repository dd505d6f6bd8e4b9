/*
 * The progress of loading, as a line on the terminal of stderr: updated at most ten times
 * a second, and wiped before other output. Also the properties of that terminal.
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

/* Of loading the operands of opt, which is borrowed. NULL: out is not a terminal that can
 * wipe a line, or --quiet. */
struct progress *progress_new(const struct options *opt, FILE *out);
void progress_free(struct progress *progress); /* NULL is fine, here and below */

/* A run that is being loaded, by any thread. */
struct progress_run {
	size_t nth; /* from 0; SIZE_MAX: none of the operands */
	uint64_t taken; /* bytes read of its files so far (read_taken()) */
};

/* Begins a run, of these operands. */
void progress_begin(struct progress *progress, struct progress_run *run,
	const char *const *path, size_t path_count);

/* Adds rows to it. Draws if the caller is the first thread. */
void progress_add(
	struct progress *progress, struct progress_run *run, size_t rows, uint64_t taken);

/* Ends it, loaded or failed, and wipes the line. */
void progress_end(struct progress *progress, struct progress_run *run);

/* Draws and wipes while other threads load; only the first thread does. */
void progress_watch(struct progress *progress);
void progress_wipe(struct progress *progress);

/* The numbers on the line. */
struct progress_state {
	size_t ended, runs;
	uint64_t done, total; /* bytes; total 0: unknown */
	uint64_t rows;
	double left_s; /* NaN: unknown */
	bool again; /* a log is read twice, e.g. to sort its rows: what is left is unknown
		     */
};

/* "run 12 of 200, 34 %, 1.2 of 3.5 GB, 12,345,678 rows, 8 s left" */
void progress_text(struct strbuf *sb, const struct progress_state *state);

/* Width, color and Unicode of a terminal; plain and 80 columns wide elsewhere. */
struct render_options terminal_options(const struct options *opt, FILE *file);

/* Only the width. */
int terminal_columns(FILE *file);

/* A sentence as one line without control characters. Freed by the caller. */
char *terminal_line(const char *sentence);

#endif
