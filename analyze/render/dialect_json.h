/*
 * Another tool's own object as JSON, as Python's json prints it. Which items there are,
 * and which are left out, compute has decided.
 */
#ifndef RENDER_DIALECT_JSON_H
#define RENDER_DIALECT_JSON_H

#include "model/report.h"
#include "render/json_writer.h"
#include "render/render.h"

/* decimals: that numbers are rounded to, as Python rounds; -1: they are not. */
void dialect_json(struct json_writer *w, const struct report *report, int decimals);

/* The objects of all runs, a line each; name: the format's. As a format's write. */
int dialect_json_lines(const struct render_input *in, const char *name, int decimals,
	FILE *out, struct error *err);

/* A number as Python's json prints it; NaN and infinities: null. */
void dialect_json_number(struct json_writer *w, const char *key, double x);

#endif
