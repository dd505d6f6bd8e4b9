/*
 * Looks up in which lines the rows stand that are asked for, while the logs are read once
 * more. A witness of batches.
 */
#ifndef COMPUTE_ROW_LINES_H
#define COMPUTE_ROW_LINES_H

#include "compute/run/witness.h"
#include "model/row_question.h"

struct row_lines;

/* The list is borrowed, and answered while its entries stay where they are. */
struct row_lines *row_lines_new(struct asked_list *list);
void row_lines_free(struct row_lines *lines); /* NULL is fine */

struct sample_witness *row_lines_as_witness(struct row_lines *lines);

/* The answers name the files of `read`, the run as it was read for the witness: they are
 * to name those of `run`. */
void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read);

#endif
