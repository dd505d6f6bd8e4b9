/*
 * nvidia-smi and its like: the inventory of GPUs that it prints, which GPUs answer, and
 * the logs of those that loop, byte for byte. One that ends by itself or hangs is
 * restarted, for the GPUs that answer. Must not know of COMMAND.
 */
#ifndef COLLECT_NVIDIA_SMI_H
#define COLLECT_NVIDIA_SMI_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock.h"
#include "log.h"
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
 * --format=csv,noheader,nounits and moves *rows behind it. Other lines, such as
 * complaints of nvidia-smi, are passed over. Returns false at the end; NULL has none.
 */
bool gpu_next(const char **rows, struct gpu *gpu);

#define SMI_GPUS 64

/* Which GPUs are lost, by the rows of the query log. */
struct smi_gpu {
	char uuid[64]; /* "": none seen */
	long index; /* in its last row */
	uint64_t round; /* of its last row; 0: none of this nvidia-smi */
	bool alive; /* it had a percentage or a wattage, ever */
	bool lost, told; /* it is; the last note said so */
};

/* Begins zeroed, and with smi_rows_begin(). */
struct smi_rows {
	uint64_t round; /* a round ends with the first GPU that comes again */
	struct smi_gpu gpu[SMI_GPUS];
	size_t count;
};

/* Another nvidia-smi begins. */
void smi_rows_begin(struct smi_rows *rows);

/* Takes the next line, without its end. */
void smi_rows_take(struct smi_rows *rows, const char *line);

/* A GPU that is lost, or back, and was not returned as that yet; NULL. */
const struct smi_gpu *smi_rows_news(struct smi_rows *rows);

/*
 * How long a program that loops may print nothing before that is noted, and before it is
 * killed as one that hangs.
 */
struct silence {
	int64_t interval_ns; /* between its rounds */
	int64_t patience_ns; /* how much longer the first round may take */
	bool quiet; /* a round may print nothing */
	int64_t heard_ns; /* when it was started, or printed something last */
	int64_t longest_ns; /* that it took between two rounds so far */
	bool spoke; /* it has printed something */
	bool told; /* this silence is noted */
};

/* When the silence is to be noted or, where it is, shows that the program hangs. */
int64_t silence_ends_ns(const struct silence *silence);

enum {
	GPUS_MAX = 128,
	GPU_IDS_SIZE = 4096, /* room for the UUIDs of all GPUs that a machine may have */
	SMI_SESSIONS = SMI_LOGS + GPUS_MAX
};

enum smi_state {
	SMI_WAITS, /* to be started */
	SMI_ASKS, /* which GPUs answer */
	SMI_RUNS,
	SMI_OVER
};

/* One that loops. */
struct smi {
	struct log log;
	enum smi_log kind;
	struct smis *all;
	enum smi_state state;
	int64_t start_ns; /* when it is started, while it waits */
	pid_t pid; /* 0: it has ended */
	int status;
	int out_fd, err_fd; /* -1 at their ends */
	struct raw_log errors; /* made when standard error has something */
	int64_t deadline_ns; /* when it is told to end, or killed; -1: not yet */
	unsigned blows; /* how often it was told to end, or killed */
	bool stopping; /* no other one is to be started */
	bool is_last; /* it takes the sample at the very end */
	bool more; /* GPUs answer that it was not asked for */
	bool hung; /* and it was killed */
	struct silence silence;
	int64_t used_ns; /* CPU time when it was looked at last */
	struct backoff backoff;
	unsigned restarts;
	char ids[GPU_IDS_SIZE]; /* of the GPUs that answer, where others don't; else "" */
	unsigned lines;
	size_t used;
	char text[65536]; /* of a line that has not ended */
};

struct question {
	char uuid[96];
	pid_t pid; /* who asks; 0: nobody does */
	bool answered;
};

/* All of a recording, and who is asked which GPUs still answer. */
struct smis {
	const struct plan *plan;
	struct smi smi[SMI_LOGS];
	struct smi_rows rows;
	/* No process of these sessions is COMMAND's. */
	pid_t session[SMI_SESSIONS];
	/*
	 * When an nvidia-smi of several GPUs has died of one, each GPU is asked by an
	 * nvidia-smi of its own, all at once, so that one that hangs holds up no other.
	 */
	bool asks;
	struct question question[GPUS_MAX];
	size_t questions, answered;
	int64_t began_ns, deadline_ns;
	int64_t again_ns, pause_ns; /* when those that don't answer are asked again */
	char ids[GPU_IDS_SIZE]; /* who answered, commas between; "": all did, or none */
};

/* Those that the plan wants wait then, the others are over. */
void smis_init(struct smis *smis, const struct plan *plan);

const char *smi_log_name(enum smi_log log);

/* Two for each: what to wait for, and what to do when it comes. */
void smis_poll(const struct smis *smis, struct pollfd fds[2 * SMI_LOGS]);
void smis_hear(struct smis *smis, const struct pollfd fds[2 * SMI_LOGS]);

/* Buries those that have ended. */
void smis_reap(struct smis *smis);
bool smis_have_child(const struct smis *smis, pid_t pid);

/* Does what it is time for. */
void smis_turn(struct smis *smis);

/* When that will be; INT64_MAX: when something comes. */
int64_t smis_next_ns(const struct smis *smis);

/* Has each that leads, or does not, a first row, or shown that it has none? */
bool smis_are_ready(const struct smis *smis, bool leading);

/* Ends each that leads, or does not: it takes a last sample, where it can, and is over.
 */
void smis_stop(struct smis *smis, bool leading);
bool smis_are_over(const struct smis *smis);

/* Ends those that ask. */
void smis_ask_no_more(struct smis *smis);

#endif
