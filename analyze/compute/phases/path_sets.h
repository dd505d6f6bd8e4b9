/*
 * Which paths of phases hold together, by a number beyond those of all paths, the same
 * whenever they meet. There are as many sets as are worth it.
 */
#ifndef COMPUTE_PATH_SETS_H
#define COMPUTE_PATH_SETS_H

#include <stddef.h>
#include <stdint.h>

#define PATH_SET_NONE UINT32_MAX

struct path_set {
	size_t first, count; /* of path */
};

/* Zeroed it has no numbers. */
struct path_sets {
	uint32_t paths; /* the first set's number */
	struct path_set *set; /* [count] */
	size_t count, cap;
	uint32_t *path; /* [path_count] the members of all */
	size_t path_count, path_cap;
	uint32_t *slot; /* [slot_count] hashed by its paths: place + 1, 0: free */
	size_t slot_count; /* a power of two, never full */
};

void path_sets_init(struct path_sets *sets, uint32_t paths);
void path_sets_release(struct path_sets *sets);

/* PATH_SET_NONE: of no path, or there are enough sets without this one. */
uint32_t path_sets_number(struct path_sets *sets, const uint32_t *path, size_t count);

/* The paths of a number beyond all paths; valid until a number is asked for. */
const uint32_t *path_sets_get(
	const struct path_sets *sets, uint32_t number, size_t *count);

#endif
