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
	bool alive; /* it had a percentage or a wattage, ever */
	bool lost, told; /* now; when it was reported last */
	unsigned times; /* it was lost */
	int64_t away_ns,
		since_ns; /* in all, when it was back; its last row until it was lost */
	struct repeats reports;
};

/* How long it was lost until now, in all. */
int64_t smi_gpu_away_ns(const struct smi_gpu *gpu);

/* Begins zeroed, and with smi_rows_begin(). */
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

/* How long a program that loops may print no row before that is noted, and before it is
 * taken for hung and killed. */
struct silence {
	int64_t interval_ns; /* between its rounds */
	int64_t patience_ns; /* how much longer the first round may take */
	int64_t heard_ns; /* when it started, or printed a row last */
	bool spoke; /* it has printed a row or a header */
	bool told; /* this silence is known */
	bool noted; /* and an event */
	struct repeats reports;
};

/* When to note the silence or, if it is noted, to take the program for hung. */
int64_t silence_ends_ns(const struct silence *silence);

enum {
	GPU_IDS_SIZE = 4096, /* room for the UUIDs of all GPUs that a machine may have */
	SMI_SESSIONS = SMI_LOGS + SMI_GPUS
};

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
	struct leash leash; /* of it, and of what it has started */
	int status;
	int out_fd, err_fd; /* of its output; -1: closed */
	int errors_fd; /* of the file for standard error, made when there is something */
	bool is_last; /* it takes the sample at the very end */
	bool more; /* more GPUs answer than it was started for */
	const char *fault; /* for which it was killed: that it hung; NULL */
	bool reported; /* how it started, or ended, is an event */
	struct repeats reports;
	struct silence silence;
	int64_t printed_ns; /* since when what it printed is counted */
	size_t printed;
	int64_t used_ns; /* its CPU time at the last look */
	struct backoff backoff;
	size_t gpus; /* how many it was started for; 0: all */
	unsigned lines; /* headers and rows */
	bool complained; /* that is an event */
	char said[128]; /* the last complaint since it was started, or "" */
	size_t used;
	char text[65536]; /* of a line that has not ended */
};

struct question {
	char uuid[96];
	pid_t pid; /* of the nvidia-smi that asks this GPU; 0: none */
	struct leash leash;
	bool answered;
};

struct smis {
	const struct plan *plan;
	int proc_fd; /* of /proc; -1 */
	struct smi smi[SMI_LOGS];
	struct smi_rows rows;
	bool news; /* something has changed that run.json says */
	pid_t session[SMI_SESSIONS]; /* no process of these is COMMAND's */
	int64_t turned_ns; /* the last smis_turn() */
	int64_t stop_ns; /* when those without a row stop, too; 0: nothing stops yet */
	/* If one of several GPUs is lost nvidia-smi may die. Then each GPU is asked by an
	 * nvidia-smi of its own, all at once, so that one that hangs delays no other. */
	bool asks;
	struct question question[SMI_GPUS];
	size_t questions, answered;
	int64_t deadline_ns;
	int64_t again_ns; /* when those that don't answer are asked again */
	struct backoff again;
	char ids[GPU_IDS_SIZE]; /* who answered, with commas; "": all did, or none */
};

/* Prepares the logs that the plan wants; the others are over. proc_fd is borrowed. */
void smis_init(struct smis *smis, const struct plan *plan, int proc_fd);

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
