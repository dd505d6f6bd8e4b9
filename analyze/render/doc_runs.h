/*
 * Many runs at a glance: a table with a row for each run, for formats that would
 * otherwise print page after page.
 */
#ifndef RENDER_DOC_RUNS_H
#define RENDER_DOC_RUNS_H

#include "model/report.h"
#include "render/doc.h"
#include "render/render.h"

/* Up to so many runs have a page each; more of them have a row each. */
#define RUNS_IN_FULL 4

struct run_row;
struct run_problem;

struct runs_table {
	struct run_row *row; /* [count] owned */
	size_t count, cap;
	struct run_problem *problem; /* [problems] owned; by title */
	size_t problems, problems_cap;
};

/* Takes what the table says of a run; borrows nothing. */
void runs_table_add(struct runs_table *table, const struct report *report);
void runs_table_release(struct runs_table *table);

/* Appends the most frequent problem, and the table. */
void doc_runs(struct doc *doc, const struct runs_table *table,
	const struct render_options *opt);

#endif
