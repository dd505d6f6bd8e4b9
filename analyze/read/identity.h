/*
 * Which device a row is about: the union of UUID, bus id, index and place. A UUID that
 * is no mask is the GPU whatever the index, and so is a bus id; masked ones are told
 * apart by the index. dmon's gpu is the query's index; without any id the place within
 * a tick counts: it is an index, unless the device was given a place of its own, for
 * which it was made or by the census. Hosts tell GPUs of one index apart.
 */
#ifndef READ_IDENTITY_H
#define READ_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/run.h"

/* What a row says about its GPU; len 0, or -1: it does not say. */
struct gpu_id {
	struct span uuid, bus_id, model, host;
	struct span serial; /* of the board, or the PCI bus: of several GPUs, it may be */
	int32_t index;
	int32_t place; /* in the tick, from 0, of logs without ids */
	size_t places; /* ... that a tick has; 0: not known */
	bool first; /* ... or the one of the least number, whichever that is */
	bool by_model; /* of such a log, in which models tell the GPUs apart */
};

#define IDENTITY_GPUS_MAX 1024 /* of a run; more ids are damage */
#define IDENTITY_NONE	  UINT32_MAX
#define IDENTITY_DAMAGED  (UINT32_MAX - 1)

/*
 * An index, a UUID that is no mask, or a bus id that is not all zeros: others, such as
 * the host, several GPUs may have.
 */
bool identity_is_own(const struct gpu_id *id);

/*
 * The run's index of that GPU, which is added, or completed by what is new;
 * IDENTITY_NONE: it would be one too many.
 */
uint32_t identity_gpu(struct run *run, const struct gpu_id *id);

/*
 * The same for a sentence that names a GPU by bus id or index, and adds none. False: the
 * run's GPUs have no such id, or the sentence names none; IDENTITY_NONE: it is none of
 * them.
 */
bool identity_named_gpu(const struct run *run, const struct gpu_id *id, uint32_t *device);

/*
 * The same for a log whose rows name the same few GPUs again and again: remembers what
 * was asked and answered while the answers could not be others. Zeroed is empty; of one
 * run, and only while nobody else adds to its devices. Ids that are no text are
 * left aside; IDENTITY_DAMAGED: nothing else says which GPU it is. A row that has only an
 * index means the GPU that had it last in this log.
 */
#define KNOWN_GPUS	64
#define KNOWN_GPU_BYTES 192
#define KNOWN_GPU_TEXTS 5

struct known_gpus {
	struct {
		uint32_t device;
		int32_t index;
		/* of UUID, bus id, model, host and serial number, */
		size_t len[KNOWN_GPU_TEXTS];
		char text[KNOWN_GPU_BYTES]; /* ... which stand here */
	} at[KNOWN_GPUS];
	size_t count;
	size_t next; /* which is likely to be asked for next */
	unsigned forgotten; /* how often they may have become others */
	/* device + 1 that had an index last, by rows with a UUID or bus id; 0: none */
	uint32_t holder[KNOWN_GPUS];
};

uint32_t identity_gpu_again(
	struct known_gpus *known, struct run *run, const struct gpu_id *id);

/*
 * A process on a GPU: the same pid on another one is another device. So is one of type G,
 * a context that only draws, beside that of the same pid that computes: "gpu0/12/G"
 * beside "gpu0/12", whichever comes first; without the other it is "gpu0/12".
 */
enum process_context {
	CONTEXT_COMPUTES, /* C, C+G; or the row does not say */
	CONTEXT_DRAWS, /* G */
	CONTEXT_ANY /* the log has no types: the one that computes, if there are two */
};

struct process_id {
	uint32_t gpu; /* the run's index */
	int32_t pid; /* -1: the log does not say */
	enum process_context context;
	struct span command; /* len 0: unknown */
};

#define IDENTITY_PROCESSES_MAX 262144 /* of a run */

/* What was asked before. Zeroed is empty; of one run. */
struct known_processes {
	/* [slot_count] hashed by GPU, pid, and whether it draws: device + 1; 0: free */
	uint32_t *slot;
	size_t slot_count;
	size_t count; /* of the run's processes that are in the slots */
};

void known_processes_release(struct known_processes *known);

/* The run's index of that process, which is added; IDENTITY_NONE: one too many. */
uint32_t identity_process(
	struct known_processes *known, struct run *run, const struct process_id *id);

/* The run's index of the host. Added if it is new. */
uint32_t identity_host(struct run *run);

/* The run's index of a CPU; -1: all together. Added if it is new. */
uint32_t identity_cpu(struct run *run, int32_t cpu);

/* ... and of the device of a kind that is known by its name alone. */
uint32_t identity_named(struct run *run, enum device_kind kind, const char *name);

/* Adds the GPUs of a log; with_masks: also those that only a host or a mask tells apart.
 */
void gpu_ids_add(struct run *census, const struct run *log, bool with_masks);

#endif
