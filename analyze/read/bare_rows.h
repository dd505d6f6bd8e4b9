/*
 * Rows of nvidia-smi without a header and without units, as --format=csv,noheader,nounits
 * writes them: "2025/09/21 16:12:24.315, 0, 40, 12, 10537, 24564". What a column is, its
 * numbers in many rows tell.
 */
#ifndef READ_BARE_ROWS_H
#define READ_BARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "read/probe.h"

struct reading;

/*
 * The fields by the first rows of a file, as names separated by commas; "?": it can't be
 * told, or the column is not used. False: no amount seems to be the memory that is
 * installed, or nothing says that the rows are about GPUs.
 */
bool bare_rows_probe(const struct probe *probe, struct strbuf *names);

/* The fields of a file of such rows by many of them; they may be idle at first. */
void bare_rows_settle(struct reading *reading, size_t file);

#endif
