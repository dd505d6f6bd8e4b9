/*
 * Which recordings are the same: by what their logs hold, wherever they lie, and whatever
 * packs them. Files that no reader claims change nothing.
 */
#ifndef MODEL_SAME_H
#define MODEL_SAME_H

#include "model/run.h"

/* By what a run is known again. */
struct run_identity {
	const char *key; /* borrowed */
	bool named; /* by its manifest; else the key is a place, which other recordings
		       may come to */
	/* Of the logs with rows, in whatever order, without the manifest, which may say
	 * something else of the same ones; 0: not known. */
	uint64_t content; /* what they hold */
	uint64_t bytes; /* as they are on disk */
};

struct run_identity run_identity(const struct run *run);
/* By their keys; what lies at one place one after the other is told by its content. */
bool run_identity_same(const struct run_identity *a, const struct run_identity *b);
/* The same logs, whatever their keys. */
bool run_identity_same_logs(const struct run_identity *a, const struct run_identity *b);

/* The same files as they were: names, sizes, times of change, bytes at both ends. */
bool run_is_unchanged(const struct run *now, const struct run *stored);

/*
 * The same logs in the same order, in a directory under the same names but for their
 * packing. What single logs are called is the operands' business.
 */
bool run_has_same_logs(const struct run *a, const struct run *b);
/* Of two with the same logs: are these packed alike, too? */
bool run_is_packed_alike(const struct run *a, const struct run *b);

/* Equal for runs with the same logs, but for those that an older version loaded packed.
 */
uint64_t run_hash_logs(const struct run *run);

/* The log that holds most; NULL: there is none. */
const struct run_file *run_largest_log(const struct run *run);

/* Are the names of two files of a run, or of parts of files, the same unpacked? */
bool file_has_same_name(const struct run_file *a, const struct run_file *b);

#endif
