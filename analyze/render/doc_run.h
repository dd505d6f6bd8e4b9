/*
 * From a report to a document: what people read about a run, in which order. doc_run.c
 * has the order, head, grade, end, damage and events; doc_usage.c resources, devices,
 * metrics and the steady state; doc_phases.c phases and work; doc_findings.c findings.
 */
#ifndef RENDER_DOC_RUN_H
#define RENDER_DOC_RUN_H

#include "base/text.h"
#include "model/report.h"
#include "render/doc.h"
#include "render/render.h"

/* Appends all that is said about a run. */
void doc_run(
	struct doc *doc, const struct report *report, const struct render_options *opt);

/* The same in three parts: who it was and what is to be said first; what it used, and how
 * far to trust that; all else. */
void doc_run_lead(
	struct doc *doc, const struct report *report, const struct render_options *opt);
void doc_run_usage(
	struct doc *doc, const struct report *report, const struct render_options *opt);
void doc_run_rest(
	struct doc *doc, const struct report *report, const struct render_options *opt);

/* Appends what went wrong with other runs; nothing if there is nothing. */
void doc_warnings(struct doc *doc, const struct render_input *in);

/* Its parts, each a few blocks, or nothing where there is nothing to say. */
bool doc_has_findings(const struct doc *doc, const struct report *report,
	const struct render_options *opt);
void doc_findings(
	struct doc *doc, const struct report *report, const struct render_options *opt);

/* Where the document has that apart: tables of when and in which phases problems
 * happened, under their numbers, and what is left out of the list. */
void doc_findings_evidence(
	struct doc *doc, const struct report *report, const struct render_options *opt);

/* A field of the steady state; of verbose text, and of longer runs, why there is none. */
void doc_steady(struct doc *doc, const struct report *report, bool verbose);
void doc_usage(struct doc *doc, const struct report *report, bool all);
void doc_gpus(struct doc *doc, const struct report *report, bool all);

/* Of single CPUs, which the report's filter leaves out unless they are asked for. */
void doc_cores(struct doc *doc, const struct report *report);

/* Of the paths that are shown[path_count]. False: there is nothing to say. */
bool doc_gpus_in_phases(struct doc *doc, const struct report *report, const bool *shown);
void doc_phases(
	struct doc *doc, const struct report *report, const struct render_options *opt);
void doc_work(struct doc *doc, const struct report *report);
void doc_processes(struct doc *doc, const struct report *report, bool all);

/* Tables: what has a mean, what of it is memory, what only rises, what is a word. */
enum doc_stats {
	SHOWN_NUMBERS,
	SHOWN_GROWTH,
	SHOWN_COUNTERS,
	SHOWN_STATES
};

void doc_stats(struct doc *doc, const struct report *report, enum doc_stats shown);

/*
 * Beside an energy in a table: does it cover less than all of its time, so that the table
 * has a column that says so? And its cell, per cent; blank where no energy is known.
 */
bool doc_energy_is_partial(double energy_j, double coverage);
void doc_energy_coverage(struct doc *doc, double energy_j, double coverage);

/* Entries of a list that are shown before it is cut and counted. */
#define DOC_LIST_MAX 20

/* A kind of log in words: "table" where the header is that of another tool or script. */
const char *doc_source(const struct run *run, enum source_kind source);

/* What the header of a file of no known log was read as; NULL: there is none. */
const char *doc_header_read_as(const struct run *run, const char *file);

/* Of the run's grade; a run that has no samples at all was not meant to have any. */
/* Are values of its logs lost, which the first screen says? */
bool doc_is_damaged(const struct run *run);

enum doc_tone doc_grade_tone(const struct report *report);

/* The request in words. */

/* Is the report of some devices, metrics or phases only? */
bool doc_is_part(const struct report_filter *filter);

/* "gpu1, *_w, from 10.0 s to 20.0 s"; nothing, if all was. Appends. */
void doc_selection(struct strbuf *sb, const struct report_filter *filter);

/* A field of it, "Only"; nothing, if all was asked for. */
void doc_only(struct doc *doc, const struct report_filter *filter);

/* Many runs at a glance: doc_runs.c. */

/* Up to so many runs have a page each; more of them have a row each. */
#define RUNS_IN_FULL 4

struct run_row;
struct run_problem;

struct runs_table {
	struct run_row *row; /* [count] owned */
	size_t count, cap;
	struct run_problem *problem; /* [problems] owned; by title */
	size_t problems, problems_cap;
	size_t damaged; /* runs with damaged logs */
	size_t unclear; /* runs without a problem, of which it is not known whether all is
			   well */
	char *why; /* the first of them; owned; NULL: none */
	size_t checks, checks_ran; /* of the run in which the fewest ran; 0: none */
};

/* Appends why it is not known whether all is well; false: it is. */
bool doc_unclear(struct strbuf *why, const struct report *report);

/* Takes what the table says of a run; borrows nothing. */
void runs_table_add(struct runs_table *table, const struct report *report);
void runs_table_release(struct runs_table *table);

/* Appends the most frequent problem, and the table. */
void doc_runs(struct doc *doc, const struct runs_table *table,
	const struct render_options *opt);

#endif
