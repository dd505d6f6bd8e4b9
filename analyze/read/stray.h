/*
 * Rows whose time can't be: one digit of it was damaged, or the clock was wrong for a
 * moment. README.md, "Stray rows".
 */
#ifndef READ_STRAY_H
#define READ_STRAY_H

#include "read/log.h"

/*
 * The rows of a file, without those that stand far outside of the two rows of their
 * device around them, between which one is missing; each is refused ("stray-time") with
 * its line. Takes rows over, is released as a sample_source. log: of these rows; lives
 * as long.
 */
struct sample_source *stray_filter(struct sample_source *rows, struct log *log);

#endif
