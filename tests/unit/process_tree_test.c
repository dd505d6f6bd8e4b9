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

#include <math.h>

#include "base/strbuf.h"
#include "log_fixture.h"

/* A process in a snapshot: its lines as the kernel writes them. */
struct process {
	int pid, parent, started;
	int ticks, inherited_ticks; /* all of it in user mode */
	int faults, inherited_faults;
	int read, written; /* characters, in as many calls */
	int anon_kib, file_kib, pss_kib; /* the last -1: not read */
	const char *name;
};

static void add_marker(struct strbuf *log, int seconds_tenth)
{
	strbuf_addf(log, "# t=%d.%d mono=%d.%d boot=%d.%d pid=100 hz=100\n",
		1740823200 + seconds_tenth / 10, seconds_tenth % 10, seconds_tenth / 10,
		seconds_tenth % 10, seconds_tenth / 10, seconds_tenth % 10);
}

static void add_process(struct strbuf *log, const struct process *p)
{
	strbuf_addf(log,
		"> %d/stat\n%d (%s) S %d 1 1 0 -1 4194304 %d %d 0 0 %d 0 %d 0 20 0 3 0 "
		"%d 1 1 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0\n",
		p->pid, p->pid, p->name ? p->name : "sh", p->parent, p->faults,
		p->inherited_faults, p->ticks, p->inherited_ticks, p->started);
	strbuf_addf(log, "> %d/statm\n1 1 1 1 0 1 0\n", p->pid);
	strbuf_addf(log,
		"> %d/io\nrchar: %d\nwchar: %d\nsyscr: %d\nsyscw: %d\nread_bytes: "
		"0\nwrite_bytes: 4096\ncancelled_write_bytes: 0\n",
		p->pid, p->read, p->written, p->read, p->written);
	strbuf_addf(log,
		"> %d/status\nUid:\t0\t0\t0\t0\nRssAnon:\t%d kB\nRssFile:\t%d kB\n"
		"RssShmem:\t0 kB\nVmSwap:\t0 kB\n",
		p->pid, p->anon_kib, p->file_kib);
	if (p->pss_kib >= 0)
		strbuf_addf(log, "> %d/smaps_rollup\nPss: %d kB\n", p->pid, p->pss_kib);
}

static void add_snapshot(struct strbuf *log, int seconds_tenth,
	const struct process *process, size_t count)
{
	add_marker(log, seconds_tenth);
	for (size_t i = 0; i < count; i++)
		add_process(log, &process[i]);
	strbuf_addf(log, "# processes=%zu\n", count);
}

/* The row of that device in the nth snapshot, in which all three have one. */
static const struct log_row *row_of(
	const struct log_fixture *fx, size_t snapshot, const char *device)
{
	for (size_t i = 3 * snapshot; i < fx->rows; i++)
		if (strcmp(fx->run.device[fx->row[i].device].name, device) == 0)
			return &fx->row[i];
	fail_msg("no row of %s", device);
	return NULL;
}

static void expect(const struct log_fixture *fx, size_t snapshot, const char *device,
	enum metric_id metric, double value)
{
	assert_double(row_of(fx, snapshot, device)->value[metric], value);
}

static void read_log(struct log_fixture *fx, struct strbuf *log)
{
	log_init(fx);
	log_read_bytes(fx, SOURCE_PROCESS_TREE, log->text, log->len);
	strbuf_release(log);
}

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

/* Nobody waited for 101: nothing is inherited, and nothing is taken from what 100 read.
 */
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
	read_log(&fx, &log);
	expect(&fx, 1, "combined", METRIC_tree_cpu_s, 0.3);
	expect(&fx, 1, "combined", METRIC_io_read_calls, 1060);
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

/* Of a process of another user io can't be read: then the sum is not known. */
static void without_io(void **state)
{
	const struct process two[] = {
		{100, 1, 50, 10, 0, 5, 0, 7, 0, 1024, 0, -1, NULL},
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
	read_log(&fx, &without);
	expect(&fx, 0, "main", METRIC_io_read_calls, 7);
	expect(&fx, 0, "descendants", METRIC_io_read_calls, INFINITY);
	assert_true(isnan(row_of(&fx, 0, "combined")->value[METRIC_io_read_calls]));
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(ended),
		cmocka_unit_test(without_leader),
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
