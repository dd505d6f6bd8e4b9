/*
 * Ids at random.
 * This room knows nothing of what they are of.
 */
#ifndef COLLECT_RANDOM_ID_H
#define COLLECT_RANDOM_ID_H

#include <stddef.h>

#define RANDOM_ID_MOST 16 /* bytes */

/* Writes so many random bytes, as two digits each, and a terminator. Returns 0, or -1
 * with errno; then text is "". */
int random_id(char *text, size_t bytes);

#endif
