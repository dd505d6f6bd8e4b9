/*
 * What somebody must be told who supervises an nvidia-smi that prints rows of several
 * GPUs in turn: another header, another order, a GPU that is lost, words that are no row.
 * No more than that is read out of them. This room must not know what is recorded of
 * them, nor what is done about it.
 */
#ifndef COLLECT_SMI_ROWS_H
#define COLLECT_SMI_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMI_ROWS_GPUS 64

enum smi_news {
	SMI_NOTHING_NEW,
	SMI_HEADER_CHANGED,
	SMI_ORDER_CHANGED,
	SMI_GPU_LOST, /* that of .gpu */
	SMI_NO_ROW
};

/* Begins zeroed with each nvidia-smi that is started. */
struct smi_rows {
	uint64_t header; /* its hash; 0: not seen yet */
	long order[SMI_ROWS_GPUS]; /* the indexes of the GPUs of a round */
	size_t count, at; /* how many they are, and which comes next */
	bool learned; /* a second round has begun */
	long gpu;
	uint64_t uuid[SMI_ROWS_GPUS]; /* a hash of that of each index; 0: not seen yet */
	uint64_t lost; /* a bit for each index that was told as lost */
	unsigned told; /* a bit for each other news */
};

/* Takes the next line, without its end. Each news is told once, a lost GPU once for each.
 */
enum smi_news smi_rows_take(struct smi_rows *rows, const char *line, size_t size);

#endif
