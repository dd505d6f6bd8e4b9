/* What each file of a run is. */
#ifndef READ_IDENTIFY_H
#define READ_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "model/sample.h"
#include "read/log.h"
#include "read/reading.h"

/*
 * What a file is, by its first lines: its kind and the bids of all. A capture is replaced
 * by its sections. A sentence about a file that nobody claims goes to *said.
 */
int reading_find_kind(
	struct reading *reading, size_t file, struct strbuf *said, struct error *err);

/* The same of all files; -1: not one is known. */
int reading_find_kinds(struct reading *reading, struct error *err);

/*
 * --columns: names of fields of one query, "?" for what is not to be used, each name
 * once. -1: err is set.
 */
int headerless_check(const char *fields, struct error *err);

#endif
