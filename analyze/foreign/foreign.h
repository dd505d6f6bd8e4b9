/*
 * Other tools: their numbers of a run, by their rules, and how they print them. A tool is
 * a file here, and a row in cmd/formats.c.
 */
#ifndef FOREIGN_FOREIGN_H
#define FOREIGN_FOREIGN_H

#include "compute/run/aggregate.h"
#include "model/dialect.h"
#include "render/render.h"

struct levels;

struct tool {
	struct foreign_pass pass; /* for its numbers */
	/* report->dialect, after such a pass; everything else is in the report. */
	void (*report)(struct aggregate *agg, struct report *report,
		const struct tool_options *asked);
	const struct render_format
		*format; /* [format_count] of which each has the tool */
	size_t format_count;
};

extern const struct tool tool_pytyche, tool_calibrax, tool_gpu_tracker, tool_jumper;

/* A further item of that key, which is static; the report's. */
struct dialect_item *dialect_add(
	struct report *report, enum dialect_kind kind, const char *key);
void jumper_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options);
void tracker_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options);

int pytyche_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int calibrax_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int jumper_json_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int jumper_text_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);

int tracker_json_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int tracker_text_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int tracker_json_compare(const struct tracker_comparison *comparison,
	const struct render_options *opt, FILE *out, struct error *err);
int tracker_text_compare(const struct tracker_comparison *comparison,
	const struct render_options *opt, FILE *out, struct error *err);

#endif
