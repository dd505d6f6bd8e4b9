/*
 * Snapshots of a process and its descendants: what they did in all, who inherited what,
 * and that a damaged snapshot is lost as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "base/text.h"
#include "tree_fixture.h"

/*
 * 100 has 2048 KiB of its own and 1024 of files, 101 512 and 512. In the first second 100
 * runs for 0.5 s, 101 for 0.25 s: 50 %, 25 %, 75 %.
 */
static void sums(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 10, 0, 5, 0, 0, 0, 2048, 1024, 2500, NULL},
		{101, 100, 60, 0, 0, 5, 0, 0, 0, 512, 512, 600, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 60, 0, 5, 0, 1048576, 0, 2048, 1024, -1, NULL},
		{101, 100, 60, 25, 0, 5, 0, 0, 524288, 512, 512, 700, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 2);
	read_log(&fx, &log);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, "main", METRIC_rss_mib, 3);
	expect(&fx, 0, "descendants", METRIC_rss_mib, 1);
	expect(&fx, 0, "combined", METRIC_private_mib, 2.5);
	expect(&fx, 0, "combined", METRIC_shared_mib, 1.5);
	expect(&fx, 0, "combined", METRIC_threads, 6);
	expect(&fx, 0, "combined", METRIC_processes, 2);
	expect(&fx, 0, "combined", METRIC_pss_mib, 3100 / 1024.0);
	expect(&fx, 1, "combined", METRIC_pss_mib, 3200 / 1024.0); /* 2500 as last read */
	expect(&fx, 0, "combined", METRIC_tree_cpu_pct, INFINITY); /* not yet known */
	expect(&fx, 1, "main", METRIC_tree_cpu_pct, 50);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_pct, 25);
	expect(&fx, 1, "combined", METRIC_tree_cpu_pct, 75);
	expect(&fx, 0, "combined", METRIC_tree_cpu_s, 0.1);
	expect(&fx, 1, "combined", METRIC_tree_cpu_s, 0.85);
	expect(&fx, 1, "main", METRIC_io_read_mib, 1);
	expect(&fx, 1, "descendants", METRIC_io_write_mib, 0.5);
	expect(&fx, 1, "combined", METRIC_io_read_calls, 1048576);
	log_release(&fx);
}

/* As the first process had them last: a command sets them when it has begun. */
static void cpus_of_the_first_process(void **state)
{
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int i = 0; i < 3; i++) {
		add_marker(&log, 10 * i);
		for (int pid = 100; pid <= 101; pid++) {
			const struct process p = {
				pid, 1, 50, 10, 0, 5, 0, 0, 0, 2048, 0, -1, NULL};

			add_process(&log, &p);
			if (pid == 101)
				strbuf_adds(&log, "Cpus_allowed_list:\t7\n");
			else if (i < 2)
				strbuf_addf(&log, "Cpus_allowed_list:\t%s\n",
					i ? "2-3,5" : "0-63");
		}
		strbuf_adds(&log, "# processes=2\n");
	}
	read_log(&fx, &log);
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, NULL);
	assert_string_equal(run_fact(&fx.run, RUN_FACT_PROCESS_CPUS), "2-3,5");
	log_release(&fx);
}

/*
 * 100 has 3072 KiB, 500 of them alone, and shares 2572; 101 has 1024, 424, 600. Then 101
 * does not say how many are dirty. Then 100 has 2048 more, and was not read again.
 */
static void shared_pages_once(void **state)
{
	static const struct {
		int anon_kib, read_kib;
		const char *main, *child;
		double alone_kib[3], shared_kib[3]; /* main, descendants, combined */
	} at[] = {
		{2048, 2500, "Private_Clean: 100 kB\nPrivate_Dirty: 400 kB\n",
			"Private_Clean: 24 kB\nPrivate_Dirty: 400 kB\n", {500, 424, 924},
			{2572, 600, 2572}},
		{2048, -1, "", "Private_Clean: 24 kB\n", {500, INFINITY, INFINITY},
			{2572, INFINITY, INFINITY}},
		{4096, -1, "", "Private_Clean: 24 kB\nPrivate_Dirty: 0 kB\n",
			{INFINITY, 24, INFINITY}, {INFINITY, 1000, INFINITY}},
	};
	static const char *const who[] = {"main", "descendants", "combined"};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int i = 0; i < 3; i++) {
		const struct process first = {100, 1, 50, 10, 0, 5, 0, 0, 0,
			at[i].anon_kib, 1024, at[i].read_kib, NULL};
		const struct process child = {
			101, 100, 60, 0, 0, 5, 0, 0, 0, 512, 512, 600, NULL};

		add_marker(&log, 10 * i);
		add_process(&log, &first);
		strbuf_adds(&log, at[i].main);
		add_process(&log, &child);
		strbuf_adds(&log, at[i].child);
		strbuf_adds(&log, "# processes=2\n");
	}
	read_log(&fx, &log);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++) {
			double alone = at[i].alone_kib[k], shared = at[i].shared_kib[k];

			expect(&fx, i, who[k], METRIC_uss_mib, alone / 1024);
			expect(&fx, i, who[k], METRIC_shared_once_mib, shared / 1024);
			expect(&fx, i, who[k], METRIC_rss_once_mib,
				(alone + shared) / 1024);
		}
	log_release(&fx);
}

/*
 * What was read of 100 holds while its memory is within 1 MiB, or a tenth, of what it was
 * then, up and down; what is gone comes back with the next reading only. 101 stays.
 */
static void pss_of_other_memory(void **state)
{
	static const struct {
		int anon_kib, read_kib;
		double told_kib;
	} first[] = {
		{2048, 2500, 2500},
		{3072, -1, 2500}, /* 1024 more, a third */
		{3073, -1, INFINITY},
		{2048, -1, INFINITY},
		{101376, 90000, 90000}, /* of 102400 */
		{107000, -1, 90000},
		{111616, -1, 90000}, /* 10240 more, slowly */
		{111617, -1, INFINITY},
		{101376, 80000, 80000},
		{91136, -1, 80000},
		{91135, -1, INFINITY},
	};
	const size_t count = sizeof first / sizeof first[0];
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (size_t i = 0; i < count; i++) {
		const struct process both[] = {
			{100, 1, 50, 10, 0, 5, 0, 0, 0, first[i].anon_kib, 1024,
				first[i].read_kib, NULL},
			{101, 100, 60, 0, 0, 5, 0, 0, 0, 512, 512, i ? -1 : 600, NULL},
		};

		add_snapshot(&log, (int)i * 10, both, 2);
	}
	read_log(&fx, &log);
	for (size_t i = 0; i < count; i++) {
		bool known = isfinite(first[i].told_kib);

		assert_int_equal(
			isfinite(row_of(&fx, i, "main")->value[METRIC_pss_mib]), known);
		assert_int_equal(
			isfinite(row_of(&fx, i, "combined")->value[METRIC_pss_mib]),
			known);
		expect(&fx, i, "descendants", METRIC_pss_mib, 600 / 1024.0);
		if (!known)
			continue;
		expect(&fx, i, "main", METRIC_pss_mib, first[i].told_kib / 1024);
		expect(&fx, i, "combined", METRIC_pss_mib,
			(first[i].told_kib + 600) / 1024);
	}
	log_release(&fx);
}

/*
 * Before the first process was there, all counters are 0: what it did until it was seen
 * counts. There is nothing yet that could have memory.
 */
static void before(void **state)
{
	const struct process first = {100, 1, 50, 10, 0, 5, 0, 7, 0, 1024, 0, -1, NULL};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	strbuf_adds(&log, "# t=1740823199.5 mono=1 boot=1 pid=0 hz=100\n# processes=0\n");
	add_snapshot(&log, 0, &first, 1);
	read_log(&fx, &log);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, "main", METRIC_tree_cpu_s, 0);
	expect(&fx, 0, "main", METRIC_io_read_calls, 0);
	expect(&fx, 0, "combined", METRIC_rss_mib, INFINITY);
	expect(&fx, 0, "combined", METRIC_processes, INFINITY);
	expect(&fx, 1, "main", METRIC_tree_cpu_s, 0.1);
	expect(&fx, 1, "main", METRIC_io_read_calls, 7);
	expect(&fx, 1, "main", METRIC_tree_cpu_pct, 20); /* 0.1 s in 0.5 s */
	log_release(&fx);
}

/* The shell that began the session is older than the first process, 100: what it did, and
 * waited for, before it is first seen does not count; what it does then does. */
static void older(void **state)
{
	const struct process first[] = {
		{90, 1, 10, 300, 500, 5, 9, 70, 80, 1024, 0, -1, NULL},
		{100, 90, 50, 10, 0, 5, 0, 7, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{90, 1, 10, 320, 510, 5, 10, 71, 80, 1024, 0, -1, NULL},
		{100, 90, 50, 10, 0, 5, 0, 7, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	strbuf_adds(&log, "# t=1740823199.5 mono=1 boot=1 pid=0 hz=100\n# processes=0\n");
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 2);
	read_log(&fx, &log);
	log_expect_rows(&fx, 3, 0);
	expect(&fx, 1, "main", METRIC_tree_cpu_s, 0.1);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0);
	expect(&fx, 1, "descendants", METRIC_io_read_calls, 0);
	expect(&fx, 2, "descendants", METRIC_tree_cpu_s, 0.3);
	expect(&fx, 2, "descendants", METRIC_io_read_calls, 1);
	log_release(&fx);
}

/*
 * 101 was seen with 30 ticks and 1000 characters, and ended with 40 and 1500, which 100
 * inherits, as it does 5 ticks and 7 characters of a child that was never seen. 100
 * itself ran for 2 ticks and read 11 characters. So main has 10 + 2 ticks, the
 * descendants 30 + 10
 * + 5. What was read beyond what was seen counts as main's: the kernel adds it there.
 */
static void inherited(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 10, 0, 5, 0, 100, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 1000, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 12, 45, 5, 9, 100 + 11 + 1500 + 7, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 1);
	read_log(&fx, &log);
	expect(&fx, 1, "main", METRIC_tree_cpu_s, 0.12);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.45);
	expect(&fx, 1, "combined", METRIC_tree_cpu_s, 0.57);
	expect(&fx, 1, "main", METRIC_io_read_calls, 100 + 11 + 500 + 7);
	expect(&fx, 1, "combined", METRIC_io_read_calls, 1000 + 100 + 11 + 500 + 7);
	expect(&fx, 1, "descendants", METRIC_processes, 0);
	expect(&fx, 1, "descendants", METRIC_rss_mib, 0);
	log_release(&fx);
}

/*
 * 102, a child of 101, and 101 end: 100 inherits both. 101 had inherited nothing; 102's
 * 20 ticks and 101's 30 were seen; 60 came: 10 more.
 */
static void inherited_twice(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 0, 0, 5, 0, 0, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 0, 0, 1024, 0, -1, NULL},
		{102, 101, 61, 20, 0, 6, 0, 0, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 0, 60, 5, 13, 0, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 3);
	add_snapshot(&log, 10, second, 1);
	read_log(&fx, &log);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.6);
	log_release(&fx);
}

/* Nobody waited for 101: nothing is inherited, and nothing is taken from what 100 read,
 * which is told when it can no longer have been inherited. */
static void not_waited_for(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 0, 0, 5, 0, 10, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 1000, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 0, 0, 5, 0, 60, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 1);
	add_snapshot(&log, 20, second, 1);
	read_log(&fx, &log);
	expect(&fx, 2, "combined", METRIC_tree_cpu_s, 0.3);
	expect(&fx, 1, "combined", METRIC_io_read_calls, 1010);
	expect(&fx, 2, "combined", METRIC_io_read_calls, 1060);
	log_release(&fx);
}

/* Another process has the id of 101: its 3 ticks come on top of the 30. */
static void id_again(void **state)
{
	const struct process first[] = {
		{100, 1, 50, 0, 0, 5, 0, 0, 0, 1024, 0, -1, NULL},
		{101, 100, 60, 30, 0, 6, 0, 0, 0, 1024, 0, -1, NULL},
	};
	const struct process second[] = {
		{100, 1, 50, 0, 30, 5, 6, 0, 0, 1024, 0, -1, NULL},
		{101, 100, 90, 3, 0, 6, 0, 0, 0, 1024, 0, -1, NULL},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, first, 2);
	add_snapshot(&log, 10, second, 2);
	read_log(&fx, &log);
	expect(&fx, 1, "descendants", METRIC_tree_cpu_s, 0.33);
	log_release(&fx);
}

/* Ticks of 10 ms are too coarse for shares of 0.1 s: they are told every half a second.
 */
static void coarse(void **state)
{
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int i = 0; i <= 10; i++)
		add_snapshot(&log, i,
			&(struct process){
				100, 1, 50, 4 * i, 0, 5, 0, 0, 0, 1024, 0, -1, NULL},
			1);
	read_log(&fx, &log);
	log_expect_rows(&fx, 11, 0);
	for (size_t i = 0; i <= 10; i++)
		expect(&fx, i, "main", METRIC_tree_cpu_pct,
			i == 5 || i == 10 ? 40 : INFINITY);
	log_release(&fx);
}

/* Names that break the line, hold brackets, or look like a marker. */
static void odd_names(void **state)
{
	const struct process odd[] = {
		{100, 1, 50, 10, 0, 5, 0, 0, 0, 1024, 0, -1, "a) R 1 1 (b"},
		{101, 100, 60, 20, 0, 5, 0, 0, 0, 1024, 0, -1, "x\n# t=1\n> 7/io"},
		{102, 100, 60, 40, 0, 5, 0, 0, 0, 1024, 0, -1, "x\n# t=1.0"},
		{103, 100, 60, 80, 0, 5, 0, 0, 0, 1024, 0, -1, "\n# t=2 pid=1 hz"},
	};
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	add_snapshot(&log, 0, odd, 4);
	read_log(&fx, &log);
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, "combined", METRIC_tree_cpu_s, 1.5);
	expect(&fx, 0, "combined", METRIC_processes, 4);
	log_release(&fx);
}

static const struct process alone = {100, 1, 50, 10, 0, 5, 0, 0, 0, 1024, 0, -1, NULL};

/* A snapshot whose text is another in one place is lost, and the next one is not. */
static void expect_lost(const char *from, const char *to, const char *id)
{
	struct strbuf log, damaged;
	struct log_fixture fx;
	const char *at;

	strbuf_init(&log);
	strbuf_init(&damaged);
	add_snapshot(&log, 0, &alone, 1);
	at = strstr(log.text, from);
	assert_non_null(at);
	strbuf_add(&damaged, log.text, (size_t)(at - log.text));
	strbuf_addf(&damaged, "%s%s", to, at + strlen(from));
	strbuf_release(&log);
	add_snapshot(&damaged, 10, &alone, 1);
	read_log(&fx, &damaged);
	log_expect_rows(&fx, 1, 1);
	assert_non_null(log_diag(&fx, id));
	expect(&fx, 0, "main", METRIC_tree_cpu_s, 0.1);
	log_release(&fx);
}

static void damaged(void **state)
{
	(void)state;
	expect_lost("# processes=1\n", "", "torn-sample");
	expect_lost("# processes=1\n", "# processes=2\n", "torn-sample");
	expect_lost("RssAnon:\t1024 kB", "RssAnon:\t10,4 kB", "bad-value");
	expect_lost("RssAnon:\t1024 kB", "RssAnon:\t1024", "bad-value");
	expect_lost("syscr: 0", "syscr: -", "bad-value");
	expect_lost("VmSwap:\t0 kB", "VmSwap", "bad-value");
	expect_lost("100 (sh) S 1 1", "101 (sh) S 1 1", "torn-sample");
	expect_lost(
		"> 100/stat\n100 (sh)", "> 100/stat\n> 100/statm\n(sh)", "torn-sample");
	expect_lost(" pid=100", "", "bad-value");
	expect_lost(" pid=100", " pid=0", "bad-value");
	expect_lost(" hz=100", " hz=0", "bad-value");
}

/* What was being written when the recorder was killed. */
static void cut(void **state)
{
	struct log_fixture fx;
	struct strbuf log;

	(void)state;
	for (size_t tail = 1; tail < 200; tail += 7) {
		strbuf_init(&log);
		add_snapshot(&log, 0, &alone, 1);
		add_snapshot(&log, 10, &alone, 1);
		log.len -= tail;
		read_log(&fx, &log);
		log_expect_rows(&fx, 1, 1);
		log_release(&fx);
	}
}

/*
 * Of a process of another user io and smaps_rollup can't be read: then the sum is not
 * known. All that a user runs is without it.
 */
static void without_io(void **state)
{
	const struct process two[] = {
		{100, 1, 50, 10, 0, 5, 0, 7, 0, 1024, 0, 600, NULL},
		{101, 100, 60, 20, 0, 5, 0, 7, 0, 1024, 0, -1, NULL},
	};
	struct strbuf log, without;
	struct log_fixture fx;
	const char *at, *behind;

	(void)state;
	strbuf_init(&log);
	strbuf_init(&without);
	add_snapshot(&log, 0, two, 2);
	at = strstr(log.text, "> 101/io");
	behind = strstr(at, "> 101/status");
	strbuf_add(&without, log.text, (size_t)(at - log.text));
	strbuf_adds(&without, behind);
	strbuf_release(&log);
	strbuf_init(&log);
	strbuf_adds(&log, without.text);
	read_log(&fx, &without);
	expect(&fx, 0, "main", METRIC_io_read_calls, 7);
	expect(&fx, 0, "descendants", METRIC_io_read_calls, INFINITY);
	assert_true(isnan(row_of(&fx, 0, "combined")->value[METRIC_io_read_calls]));
	assert_true(isnan(row_of(&fx, 0, "combined")->value[METRIC_pss_mib]));
	log_release(&fx);

	at = strstr(log.text, "\n");
	strbuf_init(&without);
	strbuf_addf(&without, "%.*s level=user%s", (int)(at - log.text), log.text, at);
	strbuf_release(&log);
	read_log(&fx, &without);
	assert_float_equal(fx.row[0].value[METRIC_io_read_calls], 7, 0);
	assert_float_equal(fx.row[0].value[METRIC_pss_mib], 600 / 1024.0, 0);
	assert_float_equal(fx.row[0].value[METRIC_unreadable_processes], 1, 0);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(cpus_of_the_first_process),
		cmocka_unit_test(pss_of_other_memory),
		cmocka_unit_test(shared_pages_once),
		cmocka_unit_test(before),
		cmocka_unit_test(older),
		cmocka_unit_test(inherited),
		cmocka_unit_test(inherited_twice),
		cmocka_unit_test(not_waited_for),
		cmocka_unit_test(id_again),
		cmocka_unit_test(coarse),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(damaged),
		cmocka_unit_test(cut),
		cmocka_unit_test(without_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
