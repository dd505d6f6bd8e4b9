/*
 * time_run FILE COMMAND [ARG...]: runs COMMAND and appends to FILE one line with its wall
 * clock, user and system seconds and its largest resident set in KiB. Its standard
 * streams are COMMAND's. Exits with COMMAND's status, 126 if it can't be run, or 125 if
 * it can't be timed.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int fail(const char *what)
{
	perror(what);
	return 125;
}

int main(int argc, char **argv)
{
	struct rusage used;
	double start_s, wall_s;
	int status;
	pid_t child;
	FILE *out;

	if (argc < 3) {
		fputs("usage: time_run FILE COMMAND [ARG...]\n", stderr);
		return 125;
	}
	out = fopen(argv[1], "a");
	if (!out)
		return fail(argv[1]);
	start_s = now_s();
	child = fork();
	if (child < 0)
		return fail("time_run");
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(126);
	}
	if (waitpid(child, &status, 0) < 0)
		return fail("time_run");
	wall_s = now_s() - start_s;
	/* The only child so far, with all that it waited for itself. */
	if (getrusage(RUSAGE_CHILDREN, &used) != 0)
		return fail("time_run");
	fprintf(out, "%.6f %.6f %.6f %ld\n", wall_s, seconds(used.ru_utime),
		seconds(used.ru_stime), used.ru_maxrss);
	if (fclose(out) != 0)
		return fail(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
