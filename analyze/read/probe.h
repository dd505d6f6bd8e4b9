/* What the formats see of a file when they bid for it. */
#ifndef READ_PROBE_H
#define READ_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/sample.h"

struct log;
struct table_maps;

#define PROBE_LINES 64

/*
 * The first lines of a file, trimmed, without blank ones. Of a database the columns of
 * its tables, as lines of CSV. Of a tar its first header alone: the members are no lines.
 */
struct probe {
	const struct table_maps *maps; /* of other tools' tables; NULL: none */
	bool sqlite;
	bool recast; /* a header of paths, and rows (recast.h) */
	const char *path; /* of the file; borrowed; NULL: it has none */
	struct span line[PROBE_LINES];
	size_t count;
};

/*
 * Reads the next lines of a log into a probe; they are copied into text and point into
 * it. A database's *said becomes what it is, should nobody claim it.
 */
void probe_fill(
	struct probe *probe, struct log *log, struct strbuf *text, struct strbuf *said);

#define FOREIGN_TAR_HEADER 512 /* bytes before what the first member holds */

/*
 * Does a file whose first line this is begin with the header of a tar? What follows it in
 * the line is of a member. Source: POSIX.1-2017, pax, "ustar Interchange Format".
 */
bool foreign_is_tar(struct span line);

#endif
