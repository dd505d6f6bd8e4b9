/*
 * How often each metric of each device was missing, by the reason that the log gave.
 * Counted by the reader of a log, stored with the run, printed with its statistics.
 */
#ifndef MODEL_MISSING_H
#define MODEL_MISSING_H

#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"

struct missing {
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	enum metric_id metric;
	uint32_t reason; /* number in the run's texts; 0: the cell was empty */
	uint64_t count;
};

struct missing_list {
	struct missing *at; /* [count] in the order of appearance */
	size_t count, cap;
	uint32_t *slot; /* [slot_count] hashed: place in `at` + 1, 0: free */
	size_t slot_count; /* 0 or a power of two */
};

void missing_list_release(struct missing_list *list); /* zeroed is empty */

/* Adds missing->count to what is equal in all but the count. */
void missing_add(struct missing_list *list, const struct missing *missing);

/*
 * The same by source, device and metric; of equal ones in the order of appearance. Valid
 * while the list stays as it is.
 */
struct missing_index {
	const struct missing **at; /* [count] owned; what it points to is the list's */
	size_t count;
};

void missing_index_init(struct missing_index *index, const struct missing_list *list);
void missing_index_release(struct missing_index *index);

/* The place in index->at of the first of a metric of a device in a source, *count of
 * which follow one another; there may be none. */
size_t missing_index_find(const struct missing_index *index, enum source_kind source,
	uint32_t device, enum metric_id metric, size_t *count);

#endif
