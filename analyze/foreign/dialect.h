/* Numbers as other tools publish them, by their rules, beside the report's own. */
#ifndef FOREIGN_DIALECT_H
#define FOREIGN_DIALECT_H

#include "compute/run/aggregate.h"
#include "render/render.h"

struct levels;

/* report->dialect, of the one that is asked for; everything else is in the report. */
void dialect_report(struct aggregate *agg, struct report *report);

/* A further item of that key, which is static; the report's. */
struct dialect_item *dialect_add(
	struct report *report, enum dialect_kind kind, const char *key);
/* JUmPER's object, of its levels. */
void jumper_report(struct report *report, const struct levels *levels,
	const struct dialect_options *options);
/* gpu_tracker's object; levels: of the run, for what several GPUs do together. */
void tracker_report(struct report *report, const struct levels *levels,
	const struct dialect_options *options);

const struct render_format *dialect_formats(size_t *count); /* of all tools */

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
