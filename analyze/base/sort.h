/* Sorts numbers in ascending order, in place. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In time that grows with count only, since most are times of one day. */
void sort_int64(int64_t *at, size_t count);

void sort_double(double *at, size_t count); /* none of them NAN */

#endif
