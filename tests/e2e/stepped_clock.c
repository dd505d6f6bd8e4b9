/*
 * A library to be preloaded: once the file STEPPED is there, the wall clock is further by
 * STEP_BY seconds, as if somebody had set it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const char *file = getenv("STEPPED"), *by = getenv("STEP_BY");
	int failed = (int)syscall(SYS_clock_gettime, clock, now);

	if (!failed && clock == CLOCK_REALTIME && file && by && access(file, F_OK) == 0)
		now->tv_sec += atol(by);
	return failed;
}
