/*
 * Tables as pandas prints its frames: an index on the left, columns to the right of
 * their names, every cell right-justified. Knows no numbers.
 */
#ifndef RENDER_GPU_TRACKER_H
#define RENDER_GPU_TRACKER_H

#include <stddef.h>

#include "base/text.h"

/* Cells, row by row; the first row is the header, the first column the index. */
struct table {
	char **cell; /* owned */
	size_t count, cap;
	size_t columns;
};

#endif
