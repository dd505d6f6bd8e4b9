/*
 * nvidia-smi, amd-smi and rocm-smi: logs of what they print while they loop, byte for
 * byte. One that ends by itself or hangs is restarted, for the GPUs that answer. Must not
 * know of COMMAND.
 */
#ifndef COLLECT_NVIDIA_SMI_H
#define COLLECT_NVIDIA_SMI_H

#include <poll.h>
#include <sys/resource.h>

#include "base.h"
#include "command.h"
#include "log.h"
#include "plan.h"
#include "tree.h"

#define SMI_GPUS 128 /* more than a machine has */

/* What the rows of the query log say of a GPU. */
struct smi_gpu {
	char uuid[64]; /* "": none seen */
	long index; /* in its last row */
	uint64_t round; /* of its last row; 0: none of this nvidia-smi */
	int64_t second; /* of that row, where amd-smi says it */
	unsigned most; /* numbers that a row of it had */
	bool lost, told; /* now; when it was reported last */
	unsigned times; /* it was lost */
	int64_t away_ns; /* in all, without the present loss */
	int64_t since_ns; /* when its last row came */
};

/* How long it was lost until now, in all. */
int64_t smi_gpu_away_ns(const struct smi_gpu *gpu);

/* Begins zeroed. */
struct smi_rows {
	uint64_t round; /* a round ends with the first GPU that has a second row in it */
	struct smi_gpu gpu[SMI_GPUS];
	size_t count;
};

/* To be called when another nvidia-smi begins. */
void smi_rows_begin(struct smi_rows *rows);

/* Takes the next line, without its end. */
void smi_rows_take(struct smi_rows *rows, const char *line);

/* A GPU that is lost or back, and was not yet returned as that; NULL if there is none. Of
 * one that comes and goes all the time it returns a few changes. */
const struct smi_gpu *smi_rows_news(struct smi_rows *rows);

/* Of a program that loops: how long it prints no row. */
struct silence {
	int64_t interval_ns; /* between its rounds */
	int64_t patience_ns; /* how much longer the first round may take */
	int64_t heard_ns; /* when it started, or printed a row last */
	bool spoke; /* it has printed a row or a header */
};

/* From when on rows are missing; and from when on it is taken for hung, and killed. */
int64_t silence_begins_ns(const struct silence *silence);
int64_t silence_ends_ns(const struct silence *silence);

/* The sessions of the tools, and of the script that asks them. */
#define SMI_SESSIONS (SMI_LOGS + 1)

enum smi_state {
	SMI_WAITS, /* to be started, when it is due */
	SMI_ASKS, /* which GPUs answer */
	SMI_RUNS,
	SMI_ENDS, /* is told to end, and killed when that is due */
	SMI_KILLED, /* given up when that is due */
	SMI_OVER
};

/* A log of a vendor's program, and the program. */
struct smi {
	struct log log;
	enum smi_log kind;
	struct smis *all;
	enum smi_state state;
	int64_t due_ns; /* when the state is over */
	pid_t pid; /* 0: it has ended */
	struct smi_rows rows; /* of GPUs, if the log has such */
	struct leash leash; /* of it, and of what it has started */
	int status;
	int out_fd, err_fd; /* of its output; -1: closed */
	int errors_fd; /* of the file for standard error, made when there is something */
	bool is_last; /* it takes the sample at the very end */
	const char *fault; /* for which it was killed: that it hung; NULL */
	struct silence silence;
	int64_t tied_ns; /* when its processes were looked for last */
	int64_t printed_ns; /* since when what it printed is counted */
	size_t printed;
	int64_t used_ns; /* its CPU time at the last look */
	struct backoff backoff;
	size_t gpus; /* how many it was started for */
	unsigned lines; /* headers and rows */
	bool complained; /* that is an event */
	char said[128]; /* the last complaint since it was started, or "" */
	size_t used;
	char text[65536]; /* of a line that has not ended */
};

struct smis {
	struct plan *plan;
	int proc_fd; /* of /proc; -1 */
	struct smi smi[SMI_LOGS];
	bool news; /* something has changed that run.json says */
	bool planned; /* there are logs to be made */
	pid_t session[SMI_SESSIONS]; /* no process of these is COMMAND's */
	int64_t turned_ns; /* the last smis_turn() */
	int64_t stop_ns; /* when those without a row stop, too; 0: nothing stops yet */
	/* If a GPU is lost nvidia-smi may die, or not begin. Then the script is asked
	 * which GPUs answer, and how to record those that are new. */
	pid_t asker; /* 0: it has ended */
	int answer_fd; /* -1: it is not asked */
	bool is_short; /* a GPU is left out */
	struct backoff again;
	int64_t again_ns; /* when it is asked again, while a GPU is left out */
	size_t gpus; /* that answered, when any did last; at first that were planned */
	char ids[8192]; /* who answered, with commas; "": all of the plan, or none */
};

/* Prepares the logs that the plan wants; the others are over. proc_fd is borrowed. */
void smis_init(struct smis *smis, struct plan *plan, int proc_fd);

/* What to wait for: returns up to which one, as poll() takes no more than may be open.
 * And what to do when it comes. */
#define SMI_POLLS (2 * SMI_LOGS)
size_t smis_poll(const struct smis *smis, struct pollfd fds[SMI_POLLS]);
void smis_hear(struct smis *smis, const struct pollfd fds[SMI_POLLS]);

/* A child has ended, perhaps one of these. */
void smis_child_ended(
	struct smis *smis, pid_t pid, int status, const struct rusage *used);

/* Does what is due. To be called after events, and ten times a second. */
void smis_turn(struct smis *smis);

/* Has each log that COMMAND waits for a first row, or shown that it gets none? */
bool smis_are_ready(const struct smis *smis);

/* Why nvidia-smi gave no row of a GPU; NULL: it gave one, or still may. */
const char *smis_failure(const struct smis *smis);

/* Ends them all: those that COMMAND waited for at once, the others when they have a first
 * row, at the latest at that time. A last sample is taken where that is possible. */
void smis_stop(struct smis *smis, int64_t latest_ns);
bool smis_are_over(const struct smis *smis);

#endif
