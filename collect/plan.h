/*
 * The plan of a recording: what to record, around which command. Parsed from the
 * command line that the script `collect` made. Must not know how it is recorded.
 */
#ifndef COLLECT_PLAN_H
#define COLLECT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SMI_WORDS 16
#define SMI_LINE  4608

/* An nvidia-smi command line; argv[0] is NULL for none. */
struct smi_command {
	char *argv[SMI_WORDS]; /* in the line */
	size_t words; /* of them before -i and the ids of GPUs; 0: it knows no -i */
	int64_t interval_ns;
	char line[SMI_LINE];
};

/* What nvidia-smi, amd-smi and rocm-smi are asked for. */
enum smi_log {
	SMI_QUERY,
	SMI_DMON,
	SMI_PMON,
	SMI_APPS,
	SMI_AMD,
	SMI_AMD_PROCESS,
	SMI_AMD_LIST,
	SMI_AMD_STATIC,
	SMI_LOGS
};

#define PLAN_LABELS 256

/* Borrows from the command line. */
struct plan {
	char *dir; /* absolute */
	char cwd[4096];
	int64_t interval_ns;
	/* NULL where there is none. */
	char *smi;
	char *smi_failed; /* what an nvidia-smi said that failed when it was asked */
	char *patience; /* how many seconds it may take to answer */
	char *amd; /* amd-smi, or rocm-smi */
	char *gpu_rows;
	char *gpu_ids; /* UUIDs with commas between: those to record; NULL: all */
	char *query_fields;
	char *dmon_groups;
	char *gpm_metrics; /* of dmon */
	char *pmon_groups;
	char *apps_fields;
	char *label[PLAN_LABELS + 1]; /* KEY=VALUE, no key twice; NULL-terminated */
	struct smi_command smi_command[SMI_LOGS], query_last;
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

#endif
