/*
 * nvidia-smi and its like: the inventory of GPUs that it prints, which GPUs answer, and
 * the logs of those that loop, byte for byte. One that ends by itself or hangs is
 * restarted, for the GPUs that answer. Must not know of COMMAND.
 */
#ifndef COLLECT_NVIDIA_SMI_H
#define COLLECT_NVIDIA_SMI_H

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
 * --format=csv,noheader,nounits and moves *rows behind it. Rows that are none (nvidia-smi
 * prints its complaints among them) are passed over. Returns false at the end; NULL has
 * none.
 */
bool gpu_next(const char **rows, struct gpu *gpu);

/*
 * The command `probe SECONDS PROGRAM [ARG...]`: copies what PROGRAM prints, on either
 * stream, to standard output. Returns PROGRAM's exit status, or EXIT_TIMEOUT.
 */
int probe_main(int argc, char **argv);

/*
 * What is new in the rows of several GPUs that an nvidia-smi prints in turn: another
 * header, another order, a GPU that is lost or back, words that are no row, or but the
 * begin of one. No more than that is read out of them: of a value, whether it is a
 * number.
 */

#define SMI_ROWS_GPUS 64

/* How often in a row a GPU is told as lost or back, and in how many rounds it may be once
 * more: one that flaps would fill the disk. */
#define SMI_ROWS_TOLD	16
#define SMI_ROWS_ROUNDS 256

enum smi_news {
	SMI_NOTHING_NEW,
	SMI_HEADER_CHANGED,
	SMI_ORDER_CHANGED,
	SMI_NO_ROW,
	SMI_GPU_LOST, /* that of .gpu */
	SMI_GPU_BACK /* likewise */
};

struct smi_gpu {
	uint64_t uuid; /* its hash; 0: none seen */
	long index; /* in its last row */
	size_t cells; /* of its first row below this header; 0: none yet */
	uint64_t round; /* of its last row; 0: none of this nvidia-smi */
	uint64_t place; /* grows along the order of a round */
	bool answered; /* with a number, ever */
	bool alive; /* with one of a sign of life, ever */
	bool lost, told; /* it is; it was told as that */
	unsigned tellings; /* how often lately */
};

/* Begins zeroed, and with smi_rows_begin(). */
struct smi_rows {
	uint64_t header; /* its hash; 0: not seen yet */
	size_t identities, values; /* how many columns it has of these */
	uint64_t signs; /* of life: bits of those columns that only a GPU that is there
			   fills */
	uint64_t round; /* a round ends with the first GPU that comes again */
	uint64_t places, place; /* the last one given, that of the row before */
	struct smi_gpu known[SMI_ROWS_GPUS];
	size_t count;
	unsigned news, told; /* a bit for each news that is of no GPU */
	long gpu;
};

/* Another nvidia-smi begins: each news that is of no GPU may be told once more. */
void smi_rows_begin(struct smi_rows *rows);

/* Takes the next line, without its end. */
void smi_rows_take(struct smi_rows *rows, const char *line, size_t size);

/* What is new by now, one after the other: each loss and each return once. */
enum smi_news smi_rows_news(struct smi_rows *rows);

/*
 * How long a program that loops may say nothing before that is told, and before it is
 * taken for one that hangs.
 */
struct silence {
	int64_t interval_ns; /* from one thing that it says to the next */
	int64_t patience_ns; /* how much longer the first one may take */
	bool quiet; /* there may be nothing to say */
	int64_t heard_ns; /* when it was started, or last said something */
	int64_t longest_ns; /* that it took to go on so far */
	bool spoke; /* it has said something */
	bool told; /* of this silence */
};

/* When the silence is to be told or, where it was, shows that it hangs. */
int64_t silence_ends_ns(const struct silence *silence);

/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of
 * one: it gives up all of them then, or hangs for all. All are asked at once, each by
 * an nvidia-smi of its own, so that one that hangs holds up no other.
 */

#define GPUS_MAX 128

/* Room for the UUIDs of all GPUs that a machine may have. */
#define GPU_IDS_SIZE 4096

struct question {
	char uuid[96];
	pid_t pid; /* of who asks; 0: nobody does */
	bool answered;
};

/* Begins zeroed, but for the first part. */
struct asker {
	const struct plan *plan;
	pid_t *session; /* [GPUS_MAX] of those who ask */
	bool asks; /* a round is under way */
	struct question question[GPUS_MAX];
	size_t count, answered;
	int64_t began_ns, deadline_ns;
	int64_t next_ns, pause_ns; /* when those that don't answer are asked again */
	char ids[GPU_IDS_SIZE]; /* that answered in the last round, commas between: "" if
				   all or none did, so that nothing is gained by leaving
				   some out */
};

/* Begins a round, unless one is under way. */
void asker_begin(struct asker *asker);

/* A child has ended: one of those who ask? */
void asker_reap(struct asker *asker);

/* Returns whether a round has ended now. */
bool asker_turn(struct asker *asker);
void asker_end(struct asker *asker);

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
	const struct plan *plan;
	const struct asker *asker;
	pid_t *session; /* of its last one, with all that it started; 0: none yet */
	enum smi_state state;
	int64_t start_ns; /* when it is started, while it waits */
	pid_t pid; /* 0: it has ended */
	int status;
	int out_fd, err_fd; /* -1 at their ends */
	struct raw_log errors; /* the file for its standard error, made when it has some
				*/
	int64_t deadline_ns; /* when it is told to end, or killed; -1: not yet */
	unsigned blows; /* that it got */
	bool stopping; /* no other one is to be started */
	bool is_last; /* it takes the sample at the very end */
	bool more; /* GPUs answer that it was not asked for */
	bool hung; /* and it was killed */
	struct silence silence;
	unsigned long long sleeps; /* of sleeps_of(), when it was looked at last */
	struct backoff backoff;
	unsigned restarts;
	char ids[GPU_IDS_SIZE]; /* of the GPUs that answer, where others don't; else "" */
	unsigned lines;
	struct smi_rows rows;
	size_t used;
	char text[65536]; /* what has come of a line that has not ended */
};

/* Are its rows those of all GPUs that a run is told by? COMMAND begins with the first. */
bool smi_log_leads(enum smi_log log);
const char *smi_log_name(enum smi_log log);

/* False: that log is not wanted. It is started at its first turn. */
bool smi_open(struct smi *smi, enum smi_log kind, const struct plan *plan);

/* Takes what has come from one of its two descriptors. */
void smi_hear(struct smi *smi, int fd);

/* A child has ended: this one? */
void smi_reap(struct smi *smi);

/* A round of questions has ended. */
void smi_answer(struct smi *smi);

/* Does what it is time for. */
void smi_turn(struct smi *smi);

/* When it is time for something; INT64_MAX: when something comes. */
int64_t smi_next_ns(const struct smi *smi);

/* Ends it; it takes a last sample, where it can, and is over then. */
void smi_stop(struct smi *smi);

#endif
