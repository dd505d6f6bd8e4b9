/*
 * Records what a long-lived nvidia-smi prints, byte for byte. Restarts it, for the
 * GPUs that answer, when it ends by itself or hangs; logs this in events.jsonl. Must
 * not know what the lines mean, nor of COMMAND.
 */
#ifndef COLLECT_NVIDIA_SMI_H
#define COLLECT_NVIDIA_SMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"
#include "recorder.h"
#include "run_dir.h"

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

/*
 * What somebody must be told who supervises an nvidia-smi that prints rows of several
 * GPUs in turn: another header, another order, a GPU that is lost or back, words that
 * are no row, or but the begin of one. No more than that is read out of them: of a
 * value, whether it is a number.
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

#endif
