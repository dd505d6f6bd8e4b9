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
	bool terminal; /* it is one: its lines are no longer than width */
	bool color; /* a terminal that likes it */
	bool unicode; /* bars and sparklines beyond ASCII */
	int width; /* columns; 80 where unknown */
	bool calls; /* every phase line, else long lists are cut and counted */
	int verbose; /* -1 quiet, 0, 1: all metrics in text */
};

/* Reports of several runs, and what went wrong with others ("warnings"). */
struct render_input {
	const struct report *report;
	size_t report_count;
	const char *const *warning; /* sentences */
	size_t warning_count;
	/* For a format that sets them beside one another: as compare does, or why it
	 * can't, as a sentence. NULL, both: it is one run. */
	const struct comparison *comparison;
	const char *uncompared;
	/*
	 * For a format that takes runs one by one: those behind, each valid until the
	 * next call; NULL: there is none left, and now the warnings are all there.
	 */
	const struct report *(*more)(void *context); /* NULL: there are no further ones */
	void *context;
	/*
	 * For a format that has samples: those of a report that was taken, and of what it
	 * was selected from, go to the taker. -1: err is set, they are not to be had.
	 * NULL: there are none.
	 */
	int (*samples)(void *samples_context, const struct report *report,
		struct chronicle_taker *taker, struct error *err);
	void *samples_context;
};

/* The report behind those that were taken, whose number it counts; NULL: that was all. */
static inline const struct report *render_take(
	const struct render_input *in, size_t *taken)
{
	if (*taken < in->report_count)
		return &in->report[(*taken)++];
	return in->more ? in->more(in->context) : NULL;
}

/* What is said of several runs together. */
enum result_kind {
	RESULT_COMPARISON,
	RESULT_GATE,
	RESULT_CALIBRATION, /* what a gate's repeats tell */
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

struct render_format {
	const char *name; /* as in --format NAME */
	const char *help; /* one line */
	/* Writes everything to out; -1: err is set. Does not flush or close. NULL: it is
	 * not for runs. */
	int (*write)(const struct render_input *in, const struct render_options *opt,
		FILE *out, struct error *err);
	bool one_by_one; /* ... it takes each run once */
	bool timelines; /* ... it draws the reports' timelines */
	bool compares; /* ... it sets several beside one another */
	/* ... it draws them in so many columns there, 0: not at all; NULL: it never does
	 */
	size_t (*columns)(const struct render_options *opt);
	bool samples; /* ... it asks for the samples of each */
	const struct tool *tool; /* of foreign/, whose numbers it prints; NULL: ours */
	/* The same of a result of a kind that it has; NULL: it has none. */
	int (*result)(const struct render_result *result,
		const struct render_options *opt, FILE *out, struct error *err);
	unsigned results; /* their bits, 1u << kind */
	bool for_use; /* what it prints of a calibration is used, not read: nothing of one
			 that is refused */
	/* The rows of an answer as they are pulled; -1 also where they can't be. */
	int (*answer)(struct answer *answer, const struct render_options *opt, FILE *out,
		struct error *err);
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
