/* What a file is that no reader claims, where its begin says it: for the message. */
#ifndef READ_IDENTIFY_H
#define READ_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "model/sample.h"
#include "read/log.h"
#include "read/probe.h"

#define FOREIGN_TAR_HEADER 512 /* bytes before what the first member holds */

/*
 * Does a file whose first line this is begin with the header of a tar? What follows it in
 * the line is of a member. Source: POSIX.1-2017, pax, "ustar Interchange Format".
 */
bool foreign_is_tar(struct span line);

/* What follows on "it is ", static; NULL: not known. */
const char *foreign_name(const struct probe *probe);

/*
 * A log format bids for a file by what its first lines hold, never by its name; the
 * highest bid reads it. Adding one is a file and a row in schema/sources.def; the caller
 * of read_survey() has the table of all.
 */

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
	/* Bits of evidence that the lines are of this format; 0: they are not. */
	int (*bid)(const struct probe *probe);
	/* NULL: such a log is a file of its own. */
	enum claim (*claims)(struct span line);
	bool around; /* lines with the time around its own tell it when they were */
	/* A source of samples over a log that it takes over; NULL for events and
	 * manifests. */
	struct sample_source *(*open)(struct log *log);
	/* Reads events or a manifest into log->run; NULL for samples. */
	void (*survey)(struct log *log);
	bool claims_rows; /* lines that begin as rows and objects do, too (struct route)
			   */
	bool marked; /* its lines are objects behind a mark: one that lost it is no
			runlog's */
};

extern const struct format format_proc_stat; /* whose lines no prose looks like */

/*
 * The format that bids most; NULL: none bids. bid[] gets the bids of all.
 * formats: [SOURCE_KIND_COUNT], as read_options has them.
 */
const struct format *format_of(const struct format *const *formats,
	const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT]);

#endif
