/*
 * Prints reports, comparisons, gates, trends and answers in every output format.
 * Formats walk the structs of model/ and the tables (schema/metrics.def,
 * schema/summary.def); they compute nothing and name no metric.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "model/answer.h"
#include "model/comparison.h"
#include "model/gate.h"
#include "model/report.h"
#include "model/timeline.h"
#include "model/trend.h"

struct tool;

struct render_options {
	bool terminal; /* the output is a terminal: no line is longer than width */
	bool color; /* the terminal shows colors */
	bool unicode; /* bars and sparklines beyond ASCII */
	int width; /* columns; 80 if unknown */
	bool calls; /* list every call of a phase; else long lists are cut */
	int verbose; /* -1 quiet, 0, 1: all metrics */
};

/* Reports of several runs, and what went wrong with others ("warnings"). */
struct render_input {
	const struct report *report;
	size_t report_count;
	const char *const *warning; /* sentences */
	size_t warning_count;
	/* For formats that compare the runs: the comparison, or why there is none, as a
	 * sentence. Both are NULL for one run. */
	const struct comparison *comparison;
	const char *uncompared;
	/*
	 * For formats that print run by run: the next report, valid until the next call.
	 * When it returns NULL, there are no more, and the warnings are complete.
	 */
	const struct report *(*more)(void *context); /* NULL: all are in `report` */
	void *context;
	/*
	 * For formats that print samples: passes the samples of a report to the taker.
	 * -1: err is set, they can't be read. NULL: there are none.
	 */
	int (*samples)(void *samples_context, const struct report *report,
		struct chronicle_taker *taker, struct error *err);
	void *samples_context;
};

/* The next report; *taken counts them. NULL: there are no more. */
static inline const struct report *render_take(
	const struct render_input *in, size_t *taken)
{
	if (*taken < in->report_count)
		return &in->report[(*taken)++];
	return in->more ? in->more(in->context) : NULL;
}

/* Results about several runs. */
enum result_kind {
	RESULT_COMPARISON,
	RESULT_GATE,
	RESULT_CALIBRATION, /* the noise of repeats, for a gate */
	RESULT_SELFTEST,
	RESULT_TRENDS,
	RESULT_KINDS
};

struct render_result {
	enum result_kind kind;
	union { /* borrowed */
		const struct comparison *comparison;
		const struct gate *gate;
		const struct calibration *calibration;
		const struct selftest *selftest;
		const struct trends *trends;
	};
};

/* Each writes to out, which it does not flush or close. -1: err is set. */

/* All runs. */
typedef int render_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
typedef int render_write_result(const struct render_result *result,
	const struct render_options *opt, FILE *out, struct error *err);

/* The rows of an answer, while it fetches them. */
typedef int render_write_answer(struct answer *answer, const struct render_options *opt,
	FILE *out, struct error *err);

struct render_format {
	const char *name; /* as in --format NAME */
	const char *help; /* one line */
	render_write *write; /* NULL: the format is not for runs */
	bool one_by_one; /* it prints run by run */
	bool timelines; /* it draws timelines */
	bool compares; /* it compares several runs */
	/* The columns of a timeline in these options; 0: none is drawn. NULL: never. */
	size_t (*columns)(const struct render_options *opt);
	bool samples; /* it prints samples */
	bool marks; /* it prints when phases began and ended, and no numbers */
	bool omits; /* it prints nothing in the place of an unknown number */
	const struct tool *tool; /* of foreign/, whose numbers it prints; NULL: ours */
	render_write_result *result; /* of one of the kinds in `results`; NULL: none */
	unsigned results; /* bits 1u << kind */
	bool for_use; /* a calibration is printed for a program: nothing if refused */
	render_write_answer *answer; /* NULL: none */
};

static inline bool render_has(const struct render_format *format, enum result_kind kind)
{
	return format->results >> kind & 1;
}

const struct render_format *render_formats(size_t *count); /* all of render's own */

/* How every writer ends: 0, or -1 and err if out has an error. */
static inline int render_check(FILE *out, const char *format, struct error *err)
{
	if (ferror(out))
		return error_set(err, "the output (format %s) can't be written", format);
	return 0;
}

#endif
