/*
 * GPUs as nvidia-smi lists them: parses its inventory, asks which GPUs answer, lists
 * the logs of GPU tools. Must not know how logs are recorded.
 */
#ifndef COLLECT_GPU_H
#define COLLECT_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nvidia_smi.h"
#include "plan.h"

struct gpu {
	long index;
	char uuid[96];
	char pci_bus_id[32];
	char memory_total_mib[24]; /* a number, or "null" */
	char driver_version[64];
	char name[160];
};

/*
 * Takes the next row of
 * --query-gpu=index,uuid,pci.bus_id,memory.total,driver_version,name
 * --format=csv,noheader,nounits and moves *rows behind it. Rows that are none (nvidia-smi
 * prints its complaints among them) are passed over. Returns false at the end; NULL has
 * none.
 */
bool gpu_next(const char **rows, struct gpu *gpu);

/* Runs a program that may hang, with a limit of time. */

/*
 * The command `probe SECONDS PROGRAM [ARG...]`: copies what PROGRAM prints, on either
 * stream, to standard output. Returns PROGRAM's exit status, or EXIT_TIMEOUT.
 */
int probe_main(int argc, char **argv);

/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of
 * one.
 */

/* Room for the UUIDs of all GPUs that a machine may have. */
#define GPU_IDS_SIZE 4096

/*
 * Asks for each GPU of the plan alone, with its patience, and leaves in ids the UUIDs of
 * those that answer, commas between: "" if all do or none does, so that nothing is gained
 * by leaving some out. Returns how many answer, -1 if SIGTERM, which the caller blocks,
 * came first.
 */
int gpus_answering(const struct plan *plan, char ids[GPU_IDS_SIZE]);

/* Asks GPUs that don't answer again, now and then, beside those that are recorded. */

struct asker {
	pid_t pid; /* of who asks; 0: nobody does */
	int64_t next_ns; /* when they are asked */
	int64_t pause_ns; /* and after that: doubled each time */
	bool more; /* one of them has answered */
};

/* Asks after a second at first. */
void asker_open(struct asker *asker);

/* The others are recorded from now on. */
void asker_begin(struct asker *asker);

/* Asks if it is time to, whether more GPUs answer than those of ids, which is "" for all.
 */
void asker_go_on(struct asker *asker, const struct plan *plan, const char *ids);

/* A child has ended: this one? */
void asker_reap(struct asker *asker);

/* Asks no more. */
void asker_end(struct asker *asker);

/* Which logs of nvidia-smi and its like a recording has. */

/* Are its rows those of all GPUs that a run is told by? COMMAND begins with the first. */
bool smi_log_leads(enum smi_log log);

/* Fills the job of a log in, but for the log itself. False: it is not wanted. */
bool smi_log_plan(
	enum smi_log log, struct smi_job *job, const struct plan *plan, int dir_fd);

#endif
