/*
 * Records /proc/stat, as it is, at equal distances of time.
 * This room must not know what the numbers mean, nor of COMMAND.
 */
#ifndef COLLECT_RECORD_PROC_H
#define COLLECT_RECORD_PROC_H

#include "raw_log.h"
#include "recorder.h"

#include <stdint.h>

struct proc_job {
	struct raw_log log;
	int64_t interval_ns;
};

/* A recorder's body; job is a struct proc_job. */
recorder_body record_proc;

#endif
