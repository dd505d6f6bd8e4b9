/*
 * How often a test of chance is tried: by make test-long, which sets LONG, more often
 * than by make test.
 */
#ifndef OFTEN_H
#define OFTEN_H

#include <stdlib.h>

static inline int often(int times, int times_if_long)
{
	const char *is_long = getenv("LONG");

	return is_long && *is_long ? times_if_long : times;
}

#endif
