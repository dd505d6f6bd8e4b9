/* What the formats see of a file when they bid for it. */
#ifndef READ_PROBE_H
#define READ_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/sample.h"

struct format;
struct log;

#define PROBE_LINES 64

/*
 * The first lines of a file, trimmed, without blank ones. Of a database the columns of
 * its tables, as lines of CSV. Of a tar its first header alone: the members are no lines.
 */
struct probe {
	bool sqlite;
	struct span line[PROBE_LINES];
	size_t count;
};

/*
 * Reads the next lines of a log into a probe; they are copied into text and point into
 * it. A database's *said becomes what it is, should nobody claim it.
 */
void probe_fill(
	struct probe *probe, struct log *log, struct strbuf *text, struct strbuf *said);

/*
 * Files that several recorders wrote, one after the other or in turns: a loop that
 * runs nvidia-smi twice and then prints /proc/stat. Every kind of log among them is
 * read by its own reader, as a file of its own that has only its lines: those that say
 * by themselves what they are, and those behind a header up to the next one of another
 * kind. Lines with the time are for all that have none of their own.
 */

struct route {
	uint32_t kinds; /* a bit for each kind in the file; 0: it is of one kind */
	uint32_t rows; /* route_rows() of them */
	enum source_kind own; /* what is being read */
	enum source_kind owner; /* of a line that says nothing; first: of those before any
				   header */
	bool around; /* lines with the time are its, too */
};

/*
 * Of kinds those that claim lines which begin with a digit or a brace, as rows and
 * objects do: nearly all lines, which the others are not asked about.
 */
uint32_t route_rows(const struct format *const *formats, uint32_t kinds);

/* Is the line for the reader of the log? What it says about the next ones is noted. */
bool route_is_own(
	struct route *route, const struct format *const *formats, struct span line);
struct route_survey {
	uint32_t kinds, timed, again;
};
struct route_survey route_survey(struct log *log);

#endif
