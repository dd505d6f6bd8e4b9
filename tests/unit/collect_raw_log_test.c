/* A log of the recorder that is opened again after its writer was killed in a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/run_dir.h"

#define RECORD "whole\ntorn"

struct place {
	char path[32];
	int dir_fd;
};

static void make(struct place *place)
{
	int fd;

	(void)snprintf(place->path, sizeof place->path, "/tmp/raw-log.XXXXXX");
	assert_non_null(mkdtemp(place->path));
	place->dir_fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(place->dir_fd >= 0);
	fd = openat(place->dir_fd, "log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, RECORD, strlen(RECORD)), strlen(RECORD));
	(void)close(fd);
}

static void drop(struct place *place)
{
	(void)unlinkat(place->dir_fd, "log", 0);
	(void)close(place->dir_fd);
	(void)rmdir(place->path);
}

/* The number that the next file would get. */
static int next_fd(void)
{
	int fd = dup(STDERR_FILENO);

	(void)close(fd);
	return fd;
}

static void ends_the_torn_line(void **state)
{
	struct place place;
	struct raw_log log = {.fd = -1};
	char text[32] = "";

	(void)state;
	make(&place);
	assert_int_equal(raw_log_reopen(&log, place.dir_fd, "log"), 0);
	assert_int_equal(raw_log_append(&log, "next\n", 5), 0);
	assert_int_equal(log.size, strlen(RECORD "\nnext\n"));
	assert_int_equal(pread(log.fd, text, sizeof text - 1, 0), log.size);
	assert_string_equal(text, RECORD "\nnext\n");
	raw_log_close(&log);
	drop(&place);
}

static void stays_closed_where_the_line_cannot_be_ended(void **state)
{
	const struct rlimit small = {strlen(RECORD), RLIM_INFINITY};
	struct raw_log log = {.fd = -1};
	struct rlimit before;
	struct place place;
	int free_fd;

	(void)state;
	make(&place);
	free_fd = next_fd();
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	errno = 0;
	assert_int_equal(raw_log_reopen(&log, place.dir_fd, "log"), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(log.fd, -1);
	assert_int_equal(next_fd(), free_fd);
	drop(&place);
}

static void stays_closed_where_there_is_none(void **state)
{
	struct raw_log log = {.fd = -1};
	struct place place;

	(void)state;
	make(&place);
	assert_int_equal(raw_log_reopen(&log, place.dir_fd, "none"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(log.fd, -1);
	drop(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_the_torn_line),
		cmocka_unit_test(stays_closed_where_the_line_cannot_be_ended),
		cmocka_unit_test(stays_closed_where_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
