/*
 * In which lines of the logs the stretches of findings stand, noted while the logs are
 * read once more. A witness of batches; only when somebody wants to open them.
 */
#ifndef COMPUTE_STRETCH_LINES_H
#define COMPUTE_STRETCH_LINES_H

#include "compute/run/witness.h"
#include "model/report.h"

struct stretch_lines;

/* The report, of the same logs, is borrowed. NULL: no finding of it has stretches. */
struct stretch_lines *stretch_lines_new(struct report *report);
void stretch_lines_free(struct stretch_lines *lines); /* NULL is fine */

struct sample_witness *stretch_lines_as_witness(struct stretch_lines *lines);

/* Fills `first` and `last` of the report's stretches. read: the run as it was read for
 * the witness. */
void stretch_lines_settle(struct stretch_lines *lines, const struct run *read);

#endif
