/*
 * Processes in snapshots that have ended, whole or with their first thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "tree_fixture.h"

/*
 * 101 has ended between the samples: it did something, and isn't there. Of 100, which has
 * waited for a child, nobody knows whose peak it is that is said at its end.
 */
static void ended(void **state)
{
	const struct process first = {100, 1, 50, 10, 0, 5, 0, 0, 0, 1024, 0, -1, NULL};
	const struct process second[] = {
		{100, 1, 50, 60, 5, 5, 3, 0, 0, 1024, 0, -1, NULL},
		{101, 99, 60, 25, 0, 5, 0, 0, 524288, 0, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_marker(&log, 0);
	add_process(&log, &first);
	strbuf_adds(&log, "> 100/status\nVmHWM:\t2048 kB\n# processes=1\n");
	add_marker(&log, 10);
	strbuf_adds(&log,
		"> 101/rusage\nutime: 0.200000\nstime: 0.077000\nmaxrss: 3072 kB\n");
	add_process(&log, &second[1]);
	add_process(&log, &second[0]);
	strbuf_adds(&log, "> 100/rusage\nmaxrss: 4096 kB\n# processes=2\n");
	read_log(&fx, &log);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, "main", METRIC_process_peak_mib, 2);
	expect(&fx, 0, "descendants", METRIC_process_peak_mib, INFINITY);
	expect(&fx, 0, "combined", METRIC_process_peak_mib, 2);
	expect(&fx, 1, "main", METRIC_process_peak_mib, INFINITY);
	expect(&fx, 1, "descendants", METRIC_process_peak_mib, 3);
	expect(&fx, 1, "combined", METRIC_process_peak_mib, 4);
	expect(&fx, 1, "combined", METRIC_processes, 1);
	expect(&fx, 1, "descendants", METRIC_processes, 0);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.327); /* not 0.05 + 0.25 */
	expect(&fx, 1, "descendants", METRIC_io_write_mib, 0.5);
	expect(&fx, 1, "combined", METRIC_rss_mib, 1);
	log_release(&fx);
}

/* The first thread of 101 has ended, others go on: what they hold nobody says. */
static void without_leader(void **state)
{
	const struct process first = {100, 1, 50, 10, 0, 5, 0, 0, 0, 1024, 0, -1, NULL};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_marker(&log, 0);
	add_process(&log, &first);
	strbuf_adds(&log,
		"> 101/stat\n101 (sh) Z 100 1 1 0 -1 4194304 5 0 0 0 7 0 0 0 20 0 3 0 60 "
		"1 1 "
		"18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0\n"
		"> 101/status\nThreads:\t3\n# processes=2\n");
	read_log(&fx, &log);
	log_expect_rows(&fx, 1, 0);
	expect(&fx, 0, "main", METRIC_rss_mib, 1);
	assert_true(isnan(row_of(&fx, 0, "descendants")->value[METRIC_rss_mib]));
	assert_true(isnan(row_of(&fx, 0, "combined")->value[METRIC_rss_mib]));
	assert_true(isnan(row_of(&fx, 0, "combined")->value[METRIC_private_mib]));
	expect(&fx, 0, "combined", METRIC_threads, 6);
	log_release(&fx);
}

/* Nobody waited for 101 before 100 ended itself: nobody will, and all is told. */
static void ended_without_waiting(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 0, 0, 5, 0, 10, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 1000, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 0, 0, 5, 0, 60, 0, -1, -1, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 1);
	read_log(&fx, &log);
	expect(&fx, 1, "combined", METRIC_io_read_calls, 1060);
	log_release(&fx);
}

/* What the first process of the system inherits is of orphans of anybody. */
static void init_inherits(void **state)
{
	const struct process first[] = {
		{1, 0, 40, 3, 7, 5, 1, 0, 0, 1024, 0, -1, NULL},
		{100, 1, 50, 0, 0, 5, 0, 10, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{1, 0, 40, 4, 1307, 5, 90, 0, 0, 1024, 0, -1, NULL},
		{100, 1, 50, 2, 0, 5, 0, 10, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 2);
	read_log(&fx, &log);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.01);
	expect(&fx, 1, "combined", METRIC_tree_cpu_s, 0.03);
	log_release(&fx);
}

/*
 * 101 and then 102 end between the reading of the stat of 100 and their own: each is
 * inherited one snapshot later, but for what is in the io of 100, which is read behind
 * its stat. 101 did 1 tick and 5 calls more than was seen, 100 itself 11 and 20 calls.
 */
static void inherited_late(void **state)
{
	const struct process snapshot[][2] = {
		{{100, 1, 50, 0, 0, 5, 0, 100, 0, 1024, 0, -1, NULL},
			{101, 100, 60, 30, 0, 6, 0, 1000, 0, 1024, 0, -1, NULL}},
		{{100, 1, 50, 0, 0, 5, 0, 100 + 11 + 1005, 0, 1024, 0, -1, NULL},
			{102, 100, 70, 20, 0, 6, 0, 500, 0, 1024, 0, -1, NULL}},
		{{100, 1, 50, 0, 31, 5, 7, 131 + 1005 + 500, 0, 1024, 0, -1, NULL}},
		{{100, 1, 50, 0, 51, 5, 13, 131 + 1005 + 500, 0, 1024, 0, -1, NULL}},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int i = 0; i < 4; i++)
		add_snapshot(&log, 10 * i, snapshot[i], i < 2 ? 2 : 1);
	read_log(&fx, &log);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.5);
	expect(&fx, 1, "main", METRIC_io_read_calls, 116);
	expect(&fx, 1, "descendants", METRIC_io_read_calls, 1500);
	expect(&fx, 2, "descendants", METRIC_tree_cpu_s,
		0.5); /* 31 of 50 that may have come */
	expect(&fx, 3, "descendants", METRIC_tree_cpu_s, 0.51);
	expect(&fx, 3, "main", METRIC_io_read_calls, 136);
	expect(&fx, 3, "combined", METRIC_io_read_calls, 1636);
	log_release(&fx);
}

/*
 * 101 ends between its stat and its io, which is not there then: what it had read before
 * counts once, though 100 inherits it a snapshot later. 100 itself read 5 calls more.
 */
static void io_that_has_gone(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 0, 0, 5, 0, 10, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 1000, 0, 1024, 0, -1, NULL},
	};
	const struct process third = {
		100, 1, 50, 0, 30, 5, 6, 10 + 5 + 1000, 0, 1024, 0, -1, NULL};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_marker(&log, 10);
	add_process(&log, &first[0]);
	strbuf_adds(&log,
		"> 101/stat\n101 (sh) Z 100 1 1 0 -1 4194304 6 0 0 0 30 0 0 0 20 0 1 0 "
		"60 "
		"0 0 "
		"18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0\n# processes=2\n");
	add_snapshot(&log, 20, &third, 1);
	read_log(&fx, &log);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, "combined", METRIC_io_read_calls, 1010);
	expect(&fx, 2, "combined", METRIC_io_read_calls, 1015);
	expect(&fx, 2, "main", METRIC_io_read_calls, 15);
	expect(&fx, 2, "descendants", METRIC_tree_cpu_s, 0.3);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_without_waiting),
		cmocka_unit_test(init_inherits),
		cmocka_unit_test(inherited_late),
		cmocka_unit_test(io_that_has_gone),
		cmocka_unit_test(ended),
		cmocka_unit_test(without_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
