/*
 * The only file that asks for memory. It ends the program when there is none: no
 * caller could do anything about it.
 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MIB   (1024 * 1024)
#define LARGE ((size_t)4 * MIB) /* has pages of its own */

void alloc_keep_freed(void)
{
#ifdef __GLIBC__
	mallopt(M_TRIM_THRESHOLD, 64 * MIB);
	mallopt(M_MMAP_THRESHOLD, LARGE); /* those grow without being copied */
#endif
}

/* What is freed and stays at hand is no room for a large one, but would count beside it.
 */
static void make_way(size_t bytes)
{
#ifdef __GLIBC__
	if (bytes >= LARGE)
		malloc_trim(0);
#else
	(void)bytes;
#endif
}

static void *or_die(void *p, size_t size)
{
	if (p || !size)
		return p;
	fprintf(stderr, "hwsummarize: out of memory (%zu bytes requested)\n", size);
	exit(2);
}

void *xmalloc(size_t size)
{
	make_way(size);
	return or_die(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	if (!size || count <= SIZE_MAX / size)
		make_way(count * size);
	return or_die(calloc(count ? count : 1, size ? size : 1), size);
}

void *xrealloc(void *p, size_t count, size_t size)
{
	size_t bytes = count * size;

	if (size && count > SIZE_MAX / size)
		or_die(NULL, SIZE_MAX);
	make_way(bytes);
	return or_die(realloc(p, bytes ? bytes : 1), bytes);
}

char *xstrndup(const char *s, size_t n)
{
	char *copy = xmalloc(n + 1);

	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

void free_texts(char **text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(text[i]);
	free(text);
}

size_t alloc_next_capacity(size_t cap, size_t need)
{
	size_t next = cap < 8 ? 16 : cap * 2;

	return next < need ? need : next;
}
