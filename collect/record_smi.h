/*
 * Records what a long-lived nvidia-smi prints, byte for byte; starts it anew when it ends
 * by itself, or hangs, for those GPUs that answer. What happens to it is in events.jsonl.
 * This room must not know what the lines mean, nor of COMMAND.
 */
#ifndef COLLECT_RECORD_SMI_H
#define COLLECT_RECORD_SMI_H

#include "plan.h"
#include "raw_log.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

struct smi_job {
	struct raw_log log;
	int dir_fd;
	const char *name; /* of the log */
	int64_t interval_ns; /* from one sample to the next */
	const char
		*errors_name; /* the file for its standard error, made when it has some */
	const char *program; /* what people call it */
	const struct plan *plan; /* what nvidia-smi there is, and which GPUs */
	const struct smi_command *command; /* prints until it is ended */
	const struct smi_command *last; /* prints a last sample; NULL for none */
	unsigned lines_to_ready; /* how many lines show that it works: header and a row */
	bool rows; /* those of its GPUs, in turn, which smi_rows looks at */
	bool quiet; /* there may be nothing to print for it */
};

/* A recorder's body; job is a struct smi_job. */
recorder_body record_smi;

/* The longest that a record_smi takes to stop. */
#define SMI_STOP_NS (INT64_C(4500) * 1000000)

#endif
