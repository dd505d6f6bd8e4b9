/*
 * Which GPUs said nothing more, behind which line, and what nvidia-smi said of it: in
 * the cells of their rows ("[GPU is lost]"), or in a sentence between the rows
 * ("Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost. ..."),
 * which may name the GPU by bus id, by index, by both or not at all; or the driver
 * with all of them ("Failed to initialize NVML: ..."). What comes of it is the
 * business of compute; here it becomes a diagnostic of each such GPU.
 */
#ifndef READ_GPU_LOSS_H
#define READ_GPU_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "model/run.h"
#include "model/sample.h"

#define LOSS_WORDS 128 /* bytes of what was said that are kept */

/* What was said of a GPU, and where; line 0: nothing. */
struct gpu_loss_words {
	size_t file;
	uint64_t line;
	bool named; /* the words are of this GPU alone; else of one, whichever */
	bool sure; /* they say that it is gone, not only that something failed */
	char text[LOSS_WORDS];
};

struct gpu_loss_gpu {
	size_t file;
	uint64_t line; /* of its last row with a value; 0: none yet */
	int64_t t_ns;
	struct gpu_loss_words said; /* the first behind it; the surest, and of it alone */
	char passed[LOSS_WORDS]; /* what was said of any GPU, before values of this one */
};

/* nvidia-smi does not reach the driver, and a file has no value behind that. */
struct gpu_loss_driver {
	struct gpu_loss_words words;
	int64_t t_ns; /* of the last value before it */
	uint64_t line; /* ... and where that is */
};

/* Of one kind of log; zeroed is empty. */
struct gpu_loss {
	struct gpu_loss_gpu *gpu; /* [count] by the run's index of a device; owned */
	size_t count, cap;
	struct gpu_loss_driver *driver; /* [driver_count] of a file one at most; owned */
	size_t driver_count, driver_cap;
	struct gpu_loss_words
		*heard; /* [heard_count] since the rows that were taken; owned */
	size_t heard_count, heard_cap;
};

void gpu_loss_release(struct gpu_loss *loss);

/* Rows of the log, in its order. */
void gpu_loss_take(
	struct gpu_loss *loss, const struct run *run, const struct sample_batch *batch);

/* A line that is no row, before the rows of its batch are taken. */
void gpu_loss_hear(struct gpu_loss *loss, size_t file, uint64_t line, struct span words);

/* Does a sentence say that a GPU is gone, or the driver? */
bool gpu_loss_is_said(struct span words);

/* Does it say so, or that nvidia-smi could not run? */
bool gpu_loss_is_blind(struct span words);

/*
 * At the end of the last file: "gpu-is-lost" of each GPU that nvidia-smi said so of,
 * "gpu-falls-silent" of one without any value for the last nine seconds of its file;
 * "driver-gone" of a file that ends with nvidia-smi not reaching the driver.
 */
void gpu_loss_tell(struct gpu_loss *loss, struct run *run);

#endif
