/*
 * A log format bids for a file by what its first lines hold, never by its name; the
 * highest bid reads it. Adding one is a file and a row in schema/sources.def; the caller
 * of read_survey() has the table of all.
 */
#ifndef READ_FORMATS_H
#define READ_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/sample.h"
#include "read/probe.h"

struct log;

/* What a line of a file that several recorders wrote says about whose it is. */
enum claim {
	CLAIM_NONE, /* nothing */
	CLAIM_LINE, /* it is of this format, as no other line is */
	CLAIM_ON /* it is this format's header: those behind it are, too */
};

/* A bid for a header, which nothing overrules. */
#define SURE_BITS 40

struct format {
	enum source_kind kind;
	/* Bits of evidence that the lines are of this format; 0: they say nothing of it;
	 * -1: they are not, whatever words may explain. */
	int (*bid)(const struct probe *probe);
	/* NULL: such a log is a file of its own. */
	enum claim (*claims)(struct span line);
	bool around; /* lines with the time around its own tell it when they were */
	/*
	 * Of samples: what reads the rows of a log is a state, zeroed at first, that
	 * begins with a pointer to that, which is set. fill adds rows to an empty batch;
	 * none: the end. begin, end: NULL, if there is no more to set, or nothing but the
	 * log to free.
	 */
	size_t state_size;
	void (*begin)(void *state, enum source_kind kind);
	void (*fill)(void *state, struct sample_batch *batch);
	void (*end)(void *state);
	/* Reads events or a manifest into log->run; NULL for samples. */
	void (*survey)(struct log *log);
	bool claims_rows; /* lines that begin as rows and objects do, too (route_rows) */
	bool marked; /* its lines are objects behind a mark: one that lost it is no
			runlog's */
};

/* The rows of a log, which is taken over. */
struct sample_source *format_open(const struct format *format, struct log *log);

extern const struct format format_proc_stat; /* whose lines no prose looks like */

/*
 * The format that bids most; NULL: none bids. bid[] gets the bids of all.
 * formats: [SOURCE_KIND_COUNT], as read_options has them.
 */
const struct format *format_of(const struct format *const *formats,
	const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT]);

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

/* The kind that claims a line, of all, or those of rows; SOURCE_NONE: it says nothing. */
enum source_kind route_claimant(const struct format *const *formats, uint32_t all,
	uint32_t rows, struct span line, enum claim *claim);

#endif
