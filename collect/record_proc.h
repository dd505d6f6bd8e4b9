/*
 * Records files of the kernel, as they are, at equal distances of time.
 * This room must not know what the numbers mean, nor of COMMAND.
 */
#ifndef COLLECT_RECORD_PROC_H
#define COLLECT_RECORD_PROC_H

#include "raw_log.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

struct proc_job {
	struct raw_log log;
	int64_t interval_ns;
	const char *const *file; /* absolute paths; NULL-terminated. One that can't be
				    read is left out */
	const char *const *once; /* likewise, of the first sample; NULL: none */
	const char *const *line; /* how the lines begin that are kept; NULL: all are */
	bool named; /* "> PATH" stands before each file */
	bool whole; /* it is one file, which the kernel gives whole, and stays open */
};

/* A recorder's body; job is a struct proc_job. */
recorder_body record_proc;

#endif
