/*
 * Another tool's own object as JSON, as Python's json prints it. Which items there
 * are, and which are left out, compute has decided.
 */
#ifndef FOREIGN_PYTHON_H
#define FOREIGN_PYTHON_H

#include "base/text.h"
#include "model/report.h"
#include "render/json_writer.h"
#include "render/render.h"

/* decimals: that numbers are rounded to, as Python rounds; -1: they are not. */
void dialect_json(struct json_writer *w, const struct report *report, int decimals);

/* A number as Python's json prints it; NaN and infinities: null. */
void dialect_json_number(struct json_writer *w, const char *key, double x);

/*
 * Numbers as Python prints them, for the formats of tools that are written in it.
 * Knows no format.
 */

/* repr(x): the shortest digits that read back, "1.0", "1e+16", "2.5e-17"; "nan". */
void python_float(struct strbuf *sb, double x);

/* round(x, decimals): of the binary value, half to even; decimals up to 15. */
double python_round(double x, int decimals);

#endif
