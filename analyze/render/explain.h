/*
 * Prints `explain`: where the numbers of a metric come from, series by series: the
 * formula, how many values in which lines, gaps between them, and where edges of a
 * phase fall between two rows.
 */
#ifndef RENDER_EXPLAIN_H
#define RENDER_EXPLAIN_H

#include "model/report.h"
#include "model/row_question.h"
#include "model/run.h"
#include "render/render.h"

struct doc;
struct json_writer;

struct explain_input {
	const struct report *report; /* its statistics are those that are explained */
	const struct origins *origins;
	const struct asked_list *rows; /* rows of numbers that are not one value */
	enum summary_key key; /* the key to explain; SUMMARY_COUNT: none */
	bool phases; /* statistics of phases instead of the run */
	bool series; /* print statistics */
	/* other subjects; NULL: not asked for */
	const char *steady; /* a number of the steady state, as in model/measure.h */
	const char *times; /* of the times of phases */
	const struct inner_calls *inner; /* in those phases, if that was */
	const char *work; /* of units of work */
	const struct work_told *told; /* of each work of the report, if that was */
	bool whole; /* the key is of the run as such, not of a metric */
	const struct rule *rule; /* whose findings are */
};

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int explain_json(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);

/* explain_subject.c: subjects other than metrics, for explain.c. */

void explain_subject_text(struct doc *doc, const struct explain_input *in, bool verbose);

/* "subject": an object, or null. */
void explain_subject_json(struct json_writer *w, const struct explain_input *in);

/* To nine digits, of which sums still come out; or all before the point. JSON has all. */
double explain_round(double x);

/* "75.5 W"; "unknown" */
void explain_number(struct strbuf *sb, double x, const char *unit);

/* "gpu.csv:14" */
void explain_place(struct strbuf *sb, const struct run *run, size_t file, uint64_t line);

/* "2026-03-01T12:00:00Z to 2026-03-01T12:00:10Z" */
void explain_span(struct strbuf *sb, int64_t from_ns, int64_t to_ns);

/* "... and 3 more": what a list of that many leaves out. */
void explain_more(struct doc *doc, size_t count, size_t shown);

#endif
