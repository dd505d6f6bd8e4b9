/* A log of the recorder that finds no room, or whose file is gone: whole records or none.
 */
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
#include <unistd.h>

#include "collect/log.h"

struct place {
	char path[32];
	int dir_fd;
	struct log log;
};

static void make(struct place *place)
{
	*place = (struct place){.log.name = "log"};
	(void)snprintf(place->path, sizeof place->path, "/tmp/raw-log.XXXXXX");
	assert_non_null(mkdtemp(place->path));
	place->dir_fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(place->dir_fd >= 0);
	place->log.fd = file_create(place->dir_fd, "log");
	assert_true(place->log.fd >= 0);
	assert_int_equal(log_append(&place->log, "first\n", 6), 0);
}

static void check(const struct place *place, const char *expected)
{
	char path[64], text[64] = "";
	int fd;

	(void)snprintf(path, sizeof path, "%s/log", place->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof text - 1), strlen(expected));
	assert_string_equal(text, expected);
	(void)close(fd);
}

static void drop(struct place *place)
{
	fd_close(&place->log.fd);
	(void)unlinkat(place->dir_fd, "log", 0);
	(void)close(place->dir_fd);
	assert_int_equal(rmdir(place->path), 0);
}

static void is_made_once(void **state)
{
	struct place place;

	(void)state;
	make(&place);
	assert_int_equal(file_create(place.dir_fd, "log"), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(symlinkat("elsewhere", place.dir_fd, "link"), 0);
	assert_int_equal(file_create(place.dir_fd, "link"), -1);
	assert_int_equal(unlinkat(place.dir_fd, "link", 0), 0);
	drop(&place);
}

/* What fits is written by the kernel, and taken back. */
static void takes_half_a_record_back(void **state)
{
	const struct rlimit small = {9, RLIM_INFINITY};
	struct rlimit before;
	struct place place;

	(void)state;
	make(&place);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(log_append(&place.log, "second\n", 7), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(place.log.over);
	assert_string_equal(place.log.trouble, "ends early: File too large");
	check(&place, "first\n");
	drop(&place);
}

/* Once one has found no room a smaller record has none either, in whichever log. */
static void shares_its_room(void **state)
{
	int64_t room = 10;
	struct place place;
	int other;

	(void)state;
	make(&place);
	other = file_create(place.dir_fd, "other");
	assert_true(other >= 0);
	place.log.room = &room;
	assert_int_equal(file_append(other, &room, "12345678\n", 9), 0);
	assert_int_equal(log_append(&place.log, "9\n", 2), -1);
	assert_string_equal(place.log.trouble,
		"ends early: the recording has reached its --max-size");
	assert_int_equal(file_append(other, &room, "\n", 1), -1);
	check(&place, "first\n");
	fd_close(&other);
	assert_int_equal(unlinkat(place.dir_fd, "other", 0), 0);
	drop(&place);
}

static void ends_where_its_file_is_gone(void **state)
{
	struct place place;

	(void)state;
	make(&place);
	assert_int_equal(unlinkat(place.dir_fd, "log", 0), 0);
	assert_int_equal(log_append(&place.log, "next\n", 5), -1);
	assert_true(place.log.over);
	log_trouble(&place.log, "and %s", "more");
	log_trouble(&place.log, ", so far");
	assert_string_equal(
		place.log.trouble, "ends early: the log was removed; and more, so far");
	drop(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_made_once),
		cmocka_unit_test(takes_half_a_record_back),
		cmocka_unit_test(shares_its_room),
		cmocka_unit_test(ends_where_its_file_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
