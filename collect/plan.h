/*
 * The plan of a recording: what to record, around which command. Parsed from the
 * command line that the script `collect` made. Must not know how it is recorded.
 */
#ifndef COLLECT_PLAN_H
#define COLLECT_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The logs of nvidia-smi, and of amd-smi or rocm-smi. */
enum smi_log {
	SMI_QUERY,
	SMI_DMON,
	SMI_PMON,
	SMI_APPS,
	SMI_AMD,
	SMI_AMD_PROCESS,
	SMI_AMD_LIST,
	SMI_AMD_STATIC,
	SMI_LOGS,
	SMI_LAST = SMI_LOGS, /* the query once, at the end */
	SMI_ASK, /* the script, for a plan; its third word is how many GPUs have one, and
		  * their UUIDs */
	SMI_COMMANDS
};

/* Their names on the command line and in run.json. */
extern const char *const smi_names[SMI_COMMANDS];

#define SMI_WORDS 16

/* The answer of the script if an nvidia-smi gave none. */
#define SMI_HUNG "hung"

/* A program and its arguments, the selected GPUs last: "-i IDS". */
struct smi_command {
	char *argv[SMI_WORDS + 1]; /* argv[0] is NULL for none */
	int64_t interval_ns;
	bool each; /* it does not loop: it is started for each sample */
	/* Of one that was tried in vain: "refused" or "failed", and what it said */
	const char *state, *said;
};

/* Says to which job of the batch system a process belongs. */
#define JOB_VARIABLE "SLURM_JOB_ID"

#define PLAN_LABELS 257 /* one more than the script takes */

/* Borrows from the command line. */
struct plan {
	char *dir; /* absolute */
	char cwd[4096];
	int64_t interval_ns;
	/* NULL where there is none. */
	char *facts; /* for run.json, about the machine: see facts_print() in manifest.c
		      */
	char *recorded; /* the same about GPUs that are recorded */
	char *lost; /* what nvidia-smi said of a GPU that was lost before */
	const char *uuids; /* of the GPUs to record, with commas, or "" */
	int64_t patience_ns; /* how long nvidia-smi may take to answer */
	char *label[PLAN_LABELS + 1]; /* KEY=VALUE, no key twice; NULL-terminated */
	struct smi_command smi_command[SMI_COMMANDS];
	char **command; /* NULL: none, and then */
	pid_t pid; /* the process whose tree is recorded until it ends; 0: none */
	bool whole_session; /* of the command or the process */
	bool whole_user; /* its user's processes in a log of their own */
	char *batch_job; /* the id of its job, whose processes have one too; NULL */
	int64_t max_size; /* bytes that all logs may take together; 0: any number */
	char *gzip; /* compresses the logs at the end; NULL: they stay as they are */
	bool background; /* the starter does not wait; goes without a command */
};

/* Returns 0; or says what is wrong and returns -1. */
int plan_read(struct plan *plan, int argc, char **argv);

/* Takes command lines as the script prints them, which stay in use. Returns 0, or -1. */
int plan_commands(struct plan *plan, char *text);

#endif
