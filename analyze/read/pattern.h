/*
 * Whether rows in groups of a constant size are as many GPUs or one, as their values
 * tell: those of a GPU stay with its place in the group, while those of one GPU that is
 * asked again and again go on from row to row. Knows nothing of times.
 */
#ifndef READ_PATTERN_H
#define READ_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pattern {
	PATTERN_CONSTANT, /* no value ever changes: nothing tells */
	PATTERN_ALIKE, /* they change, but no place differs from the others */
	PATTERN_PLACES, /* the places' means differ */
	PATTERN_ONE, /* they go on from row to row, also from group to group */
	PATTERN_SEVERAL /* each stays with its place, or changes with the group */
};

#define PATTERN_GROUPS_MIN 8 /* below that only plain differences count */
#define GPUS_LIKELY	   16 /* that a machine has, at most */
#define PATTERN_NO_VALUE   INT64_MIN

/*
 * Of one metric: value[row[i]] for i < count, which are whole groups of `size` rows; size
 * is 2 at least.
 */
enum pattern pattern_find(
	const int64_t *value, const size_t *row, size_t count, size_t size);

/*
 * Whether the values of rows lie further from those of the row before than from the last
 * but one, as of two GPUs in turns; of one GPU they are nearer, or as near.
 */
bool pattern_alternates(const int64_t *value, const size_t *row, size_t count);

/*
 * Whether a value differs from row to row in a group far more than from group to group:
 * by a factor of four.
 */
bool pattern_repeats(const int64_t *value, const size_t *row, size_t count, size_t size);

/* What two metrics say together: the plainer of both. */
enum pattern pattern_join(enum pattern a, enum pattern b);

#endif
