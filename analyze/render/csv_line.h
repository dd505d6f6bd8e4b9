/*
 * Cells of a CSV line after RFC 4180. Text is inert, as in formats for people: a control
 * is \x1b, a line break \n, so that a line is a row; and no line is a command to a
 * runner. Every cell brings the comma before it: the first one of a line loses it when
 * the line is written.
 */
#ifndef RENDER_CSV_LINE_H
#define RENDER_CSV_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "model/measure.h"

void csv_text(struct strbuf *line, const char *text); /* NULL: an empty cell */
void csv_number(struct strbuf *line, double x); /* NAN, infinite: an empty cell */
void csv_count(struct strbuf *line, uint64_t n);
/* Of an instant that no wall clock told, as TIME_NONE, an empty cell. */
void csv_time(struct strbuf *line, int64_t t_ns);

/* The columns that say what a number is of, and their cells: "part", "key" ... "better".
 */
void csv_measure_names(struct strbuf *line);
void csv_measure(struct strbuf *line, const struct measure *measure);

/* Writes the line and empties it. */
void csv_end(struct strbuf *line, FILE *out);

#endif
