/*
 * A look at the first lines of a file of the run, of which nothing is said and nothing
 * counted: what one line alone does not tell.
 */
#ifndef READ_GLANCE_H
#define READ_GLANCE_H

#include <stdbool.h>

#include "read/csv.h"
#include "read/reading.h"

#define GLANCE_LINES 16384

struct glance {
	struct log *log; /* NULL: it can't be opened */
	struct diag_list diags;
	struct run_file counts;
	struct csv_row row; /* for the caller */
	int lines;
};

/* Until glance_end. */
void glance_begin(struct glance *g, struct reading *reading, size_t file);
/* The next of at most GLANCE_LINES lines; false: there is none. */
bool glance_on(struct glance *g, struct span *line);
void glance_end(struct glance *g);

#endif
