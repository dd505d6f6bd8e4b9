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
	const struct asked_list *rows; /* of numbers that no single value is */
	enum summary_key key; /* that was asked for; SUMMARY_COUNT: none was */
	bool phases; /* those of its phases, not those of the run */
	bool series; /* the statistics are asked for, too */
	/* what else was asked for; NULL: was not */
	const char *steady; /* a number of the steady state, as in model/measure.h */
	const char *times; /* of the times of phases */
	const struct inner_calls *inner; /* in those phases, if that was */
	const char *work; /* of units of work */
	const struct work_told *told; /* of each work of the report, if that was */
	bool whole; /* the key is of the run as such, not of a metric */
	const struct rule *rule; /* whose findings are */
};

/* The statistics of the run, or of one of the phases. */
struct explain_part {
	const struct phase_path *path; /* NULL: the run */
	const struct metric_stats *stats; /* [count] */
	size_t count;
	const struct summary_item *item; /* the key that was asked for; NULL: none */
};

/* The values behind some statistics; NULL: not a line has any, as of shares of ticks. */
const struct origin *explain_origin(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats);

/* Of the percentiles of an origin, in its order; static. */
extern const char *const explain_percentile_names[ORIGIN_PERCENTILES];

/* Is it a counter that those shares are made of? */
bool explain_is_part(const struct origin *origin, const struct explain_part *part,
	const struct metric_stats *stats);

/* The rows of the windows that made the extremes of a share of ticks; NULL: not known. */
const struct asked_rows *explain_min(
	const struct explain_input *in, const struct metric_stats *stats);
const struct asked_rows *explain_max(
	const struct explain_input *in, const struct metric_stats *stats);

/*
 * Why no line is named of what only a second reading of the logs tells: of percentiles,
 * of the extremes of a share of ticks; static. NULL: they are named, or there are none.
 */
const char *explain_no_lines(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats);

/* The first of either, which says where the phase begins and ends; NULL: none. */
const struct origin *explain_edges(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats);

/* The cell that all values stand in; 0: not known, or not always the same. */
uint32_t explain_cell(const struct origin *origin);

/* Rows that were refused in all files of a kind. */
uint64_t explain_refused(const struct run *run, enum source_kind kind);

/* A label, and what stands beside it. */
void explain_field(struct doc *doc, const char *label, const struct strbuf *text);

/* "75.5 W"; "unknown" */
void explain_number(struct strbuf *sb, double x, const char *unit);

/* "gpu.csv:14" */
void explain_place(struct strbuf *sb, const struct run *run, size_t file, uint64_t line);

/* How many values there are, in which lines and cells, of one of the statistics. */
void explain_values(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s);

/* " at events.jsonl:3"; nothing where it is not known. */
void explain_at(struct strbuf *sb, const struct run *run, struct event_place place);

/* Its kinds, each in a file of its own; in JSON the members of the object. */
void explain_rule_text(struct doc *doc, const struct explain_input *in);
void explain_rule_json(struct json_writer *w, const struct explain_input *in);
void explain_times_text(struct doc *doc, const struct explain_input *in);
void explain_times_json(struct json_writer *w, const struct explain_input *in);
void explain_steady_text(struct doc *doc, const struct explain_input *in);
void explain_steady_json(struct json_writer *w, const struct explain_input *in);
void explain_work_text(struct doc *doc, const struct explain_input *in);
void explain_work_json(struct json_writer *w, const struct explain_input *in);
void explain_whole_text(struct doc *doc, const struct explain_input *in);
void explain_whole_json(struct json_writer *w, const struct explain_input *in);

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int explain_json(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);

#endif
