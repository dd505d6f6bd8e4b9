/*
 * Memory that is either there or ends the program. Nobody else checks for NULL.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>
#include <string.h>

/* Each ends the program with one sentence and status 2 when memory is exhausted. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size); /* zeroed */
void *xrealloc(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
void free_texts(char **text, size_t count); /* each, and the array */

/*
 * What is freed stays at hand for what is asked for next, as the next run of many will,
 * up to 64 MiB: else the C library gives it back to the system, and the system zeroes it,
 * page by page, once more. From here on; without glibc it does nothing.
 */
void alloc_keep_freed(void);

size_t alloc_next_capacity(size_t cap, size_t need);

/*
 * Makes room for at least `need` elements in the array `p` of capacity `cap`,
 * at least doubling it. Both are lvalues; the capacity is a size_t.
 */
#define ALLOC_GROW(p, need, cap)                                    \
	do {                                                        \
		if ((need) > (cap)) {                               \
			(cap) = alloc_next_capacity((cap), (need)); \
			(p) = xrealloc((p), (cap), sizeof *(p));    \
		}                                                   \
	} while (0)

/* As ALLOC_GROW, for one element behind the `count` that are there. Gives the array. */
static inline void *alloc_room(void *p, size_t count, size_t *cap, size_t size)
{
	if (count >= *cap) {
		*cap = alloc_next_capacity(*cap, count + 1);
		p = xrealloc(p, *cap, size);
	}
	return p;
}

/* The next element of the array `p`, an lvalue without a value; `count` counts it. */
#define ALLOC_NEXT(p, count, cap) \
	((p) = alloc_room((p), (count), &(cap), sizeof *(p)), (p) + (count)++)[0]

/* Makes room for p[index] of an array of `count` elements; those that come are zeroed. */
#define ALLOC_AT(p, index, count, cap)                                                   \
	do {                                                                             \
		size_t alloc_count = (size_t)(index) + 1;                                \
		if (alloc_count > (count)) {                                             \
			ALLOC_GROW((p), alloc_count, (cap));                             \
			memset((p) + (count), 0, (alloc_count - (count)) * sizeof *(p)); \
			(count) = alloc_count;                                           \
		}                                                                        \
	} while (0)

#endif
