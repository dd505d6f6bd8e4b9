/* Snapshots of processes as collect writes them, and the rows that are read of them. */
#ifndef TESTS_UNIT_TREE_FIXTURE_H
#define TESTS_UNIT_TREE_FIXTURE_H

#include "base/text.h"
#include "log_fixture.h"

/* A process in a snapshot: its lines as the kernel writes them. */
struct process {
	int pid, parent, started;
	int ticks, inherited_ticks; /* all of it in user mode */
	int faults, inherited_faults;
	int read, written; /* characters, in as many calls */
	int anon_kib, file_kib, pss_kib; /* the last -1: not read; the others: a zombie */
	const char *name;
};

static inline void add_marker(struct strbuf *log, int seconds_tenth)
{
	strbuf_addf(log, "# t=%d.%d mono=%d.%d boot=%d.%d pid=100 hz=100\n",
		1740823200 + seconds_tenth / 10, seconds_tenth % 10, seconds_tenth / 10,
		seconds_tenth % 10, seconds_tenth / 10, seconds_tenth % 10);
}

static inline void add_process(struct strbuf *log, const struct process *p)
{
	strbuf_addf(log,
		"> %d/stat\n%d (%s) %c %d 1 1 0 -1 4194304 %d %d 0 0 %d 0 %d 0 20 0 %d 0 "
		"%d 1 1 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0\n",
		p->pid, p->pid, p->name ? p->name : "sh", p->anon_kib < 0 ? 'Z' : 'S',
		p->parent, p->faults, p->inherited_faults, p->ticks, p->inherited_ticks,
		p->anon_kib < 0 ? 1 : 3, p->started);
	strbuf_addf(log, "> %d/statm\n1 1 1 1 0 1 0\n", p->pid);
	strbuf_addf(log,
		"> %d/io\nrchar: %d\nwchar: %d\nsyscr: %d\nsyscw: %d\nread_bytes: "
		"0\nwrite_bytes: 4096\ncancelled_write_bytes: 0\n",
		p->pid, p->read, p->written, p->read, p->written);
	if (p->anon_kib < 0)
		return;
	strbuf_addf(log,
		"> %d/status\nUid:\t0\t0\t0\t0\nRssAnon:\t%d kB\nRssFile:\t%d kB\n"
		"RssShmem:\t0 kB\nVmSwap:\t0 kB\n",
		p->pid, p->anon_kib, p->file_kib);
	if (p->pss_kib >= 0)
		strbuf_addf(log, "> %d/smaps_rollup\nPss: %d kB\n", p->pid, p->pss_kib);
}

static inline void add_snapshot(struct strbuf *log, int seconds_tenth,
	const struct process *process, size_t count)
{
	add_marker(log, seconds_tenth);
	for (size_t i = 0; i < count; i++)
		add_process(log, &process[i]);
	strbuf_addf(log, "# processes=%zu\n", count);
}

/* The row of that device in the nth snapshot, in which all three have one. */
static inline const struct log_row *row_of(
	const struct log_fixture *fx, size_t snapshot, const char *device)
{
	for (size_t i = 3 * snapshot; i < fx->rows; i++)
		if (strcmp(fx->run.device[fx->row[i].device].name, device) == 0)
			return &fx->row[i];
	fail_msg("no row of %s", device);
	return NULL;
}

static inline void expect(const struct log_fixture *fx, size_t snapshot,
	const char *device, enum metric_id metric, double value)
{
	assert_double(row_of(fx, snapshot, device)->value[metric], value);
}

static inline void read_log(struct log_fixture *fx, struct strbuf *log)
{
	log_init(fx);
	log_read_bytes(fx, SOURCE_PROCESS_TREE, log->text, log->len);
	strbuf_release(log);
}

#endif
