/*
 * What the kernel says of a process and its descendants, in snapshots: a marker line
 * with the clocks, the id of the first process and the ticks of a second ("# t=...
 * mono=... boot=... pid=4711 hz=100"), for each process "> PID/FILE" over the lines of
 * that file, and "# processes=N" at the end. One with pid=0 was taken before the first
 * process was there, and says that nothing was done until then. A snapshot with a line
 * that is damaged, or without its end, is lost as a whole: sums that lack a process
 * would be wrong. Where markers say level=user or level=slurm, sums are of all and of
 * that level.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

enum tree_member {
	TREE_MAIN,
	TREE_DESCENDANTS,
	TREE_COMBINED,
	TREE_MEMBERS
};

/* The numbers of /proc/PID/io that count here, in its order. */
enum io_number {
	IO_READ_CHARS,
	IO_WRITE_CHARS,
	IO_READ_CALLS,
	IO_WRITE_CALLS,
	IO_READ_BYTES,
	IO_WRITE_BYTES,
	IO_COUNT
};

/* What was counted of processes that have ended, for who may inherit it. */
struct tree_credit {
	int64_t cpu_us, faults, major_faults, io[IO_COUNT];
};

struct tree_process {
	int32_t pid, parent;
	uint64_t started; /* ticks since boot */
	bool has_stat;
	bool has_ended; /* it is a zombie: it inherits no more */
	unsigned has_io; /* a bit for each number */
	unsigned has_memory; /* a bit for each of anonymous, file, shared pages */
	bool has_swap, has_pss; /* the latter is the last one that was read, at: */
	int64_t pss_ns, pss_memory_kib; /* then, and of how much memory */
	bool has_peak; /* its own */
	bool is_over; /* nothing is left of it but what it did, and: */
	int64_t most_kib; /* the peak of it or one that it waited for */
	int64_t used_us; /* CPU time of it and those: beside ticks, which cut */
	/* Of its own; of children that it waited for, and theirs. */
	int64_t cpu_us, inherited_cpu_us;
	int64_t faults, inherited_faults; /* minor ones: every process has some */
	int64_t major_faults, inherited_major_faults;
	int64_t io[IO_COUNT]; /* its own, and of children that it waited for */
	int64_t threads;
	int64_t memory_kib[3], swap_kib, pss_kib, peak_kib;
	/* Of those that have ended since the snapshot before; and what of that it had not
	 * inherited when it was read. */
	struct tree_credit credit, due;
	int64_t counted_io[IO_COUNT]; /* of io[], with what it inherited */
};

/* Ascending pids. */
struct tree_snapshot {
	struct tree_process *process;
	size_t count, capacity;
};

/* What was done up to a snapshot. */
struct tree_totals {
	int64_t cpu_us, major_faults, io[IO_COUNT];
};

struct tree_account {
	struct tree_snapshot before;
	uint64_t main_started; /* 0: the first process was not there yet */
	struct tree_totals total[TREE_MEMBERS];
};

/* has_: of all that have any memory. */
struct tree_moment {
	int64_t processes, threads;
	int64_t memory_kib[3], swap_kib, pss_kib;
	int64_t peak_kib; /* of one of them; -1: not known */
	bool has_memory, has_swap, has_pss, lacks_pss;
	bool lacks_memory; /* that of one that has some is not known */
	unsigned lacks_io, has_io; /* a bit for each number */
};

/*
 * The lines that the kernel has for a process, in /proc/PID/stat, io, status and
 * smaps_rollup, and what it says to whom waits for one that has ended (getrusage(2)).
 * Each function takes a line in, and gives false for one that is damaged; lines that
 * don't count here are fine.
 *
 * proc_pid_stat(5), proc_pid_io(5), proc_pid_status(5): words, numbers, kB.
 */

#define NUMBER_MAX (INT64_C(1) << 56)
#define US_PER_S   1000000

/* The words of stat behind the name, from the state on, that count here. */
enum stat_word {
	STAT_PARENT = 1,
	STAT_FAULTS = 7,
	STAT_INHERITED_FAULTS,
	STAT_MAJOR_FAULTS,
	STAT_INHERITED_MAJOR_FAULTS,
	STAT_USER,
	STAT_SYSTEM,
	STAT_INHERITED_USER,
	STAT_INHERITED_SYSTEM,
	STAT_THREADS = 17,
	STAT_STARTED = 19,
	STAT_WORDS = 39 /* that every kernel has from Linux 2.6 on */
};

static const char *const io_names[IO_COUNT] = {
	"rchar:", "wchar:", "syscr:", "syscw:", "read_bytes:", "write_bytes:"};
static const char *const memory_names[] = {"RssAnon:", "RssFile:", "RssShmem:"};

/* A number that no sum of such ones makes overflow. */
static bool process_number(struct span word, int64_t *value)
{
	uint64_t number;

	if (!number_unsigned(word, &number) || number > NUMBER_MAX)
		return false;
	*value = (int64_t)number;
	return true;
}

/* "> 4711/stat": whose file the lines behind it are of. */
static bool process_file_cut(struct span line, int32_t *pid, struct span *name)
{
	struct span path;
	const char *slash;
	int64_t number;

	if (!span_begins(line, "> "))
		return false;
	path = (struct span){line.at + 2, line.len - 2};
	slash = path.len ? memchr(path.at, '/', path.len) : NULL;
	if (!slash ||
		!process_number(
			(struct span){path.at, (size_t)(slash - path.at)}, &number) ||
		number == 0 || number > INT32_MAX)
		return false;
	*pid = (int32_t)number;
	*name = (struct span){slash + 1, (size_t)(path.at + path.len - slash - 1)};
	return true;
}

/* Some words may be negative, or beyond our numbers: those that count here are not. */
static bool read_words(struct span rest, int64_t word[STAT_STARTED + 1])
{
	int count = 0;

	while (rest.len) {
		struct span text = span_word(&rest);

		if (count <= STAT_STARTED && !process_number(text, &word[count]))
			word[count] = -1;
		count += text.len > 0;
	}
	return count >= STAT_WORDS;
}

/* False: no process has run so long. */
static bool put_cpu(int64_t *us, int64_t user, int64_t system, int64_t hz)
{
	int128 all = ((int128)user + system) * US_PER_S / hz;

	*us = all <= NUMBER_MAX ? (int64_t)all : 0;
	return all <= NUMBER_MAX;
}

static bool put_words(
	struct tree_process *process, const int64_t word[STAT_STARTED + 1], int64_t hz)
{
	static const enum stat_word counts[] = {STAT_PARENT, STAT_FAULTS,
		STAT_INHERITED_FAULTS, STAT_MAJOR_FAULTS, STAT_INHERITED_MAJOR_FAULTS,
		STAT_USER, STAT_SYSTEM, STAT_INHERITED_USER, STAT_INHERITED_SYSTEM,
		STAT_THREADS, STAT_STARTED};

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (word[counts[i]] < 0)
			return false;
	process->has_stat = true;
	process->parent = (int32_t)word[STAT_PARENT];
	process->started = (uint64_t)word[STAT_STARTED];
	process->faults = word[STAT_FAULTS];
	process->inherited_faults = word[STAT_INHERITED_FAULTS];
	process->major_faults = word[STAT_MAJOR_FAULTS];
	process->inherited_major_faults = word[STAT_INHERITED_MAJOR_FAULTS];
	process->threads = word[STAT_THREADS];
	return put_cpu(&process->cpu_us, word[STAT_USER], word[STAT_SYSTEM], hz) &&
		put_cpu(&process->inherited_cpu_us, word[STAT_INHERITED_USER],
			word[STAT_INHERITED_SYSTEM], hz);
}

/* "4711 (sh) S 4710 ...": what stands before the name is its pid. */
static bool is_of(struct span text, int32_t pid)
{
	struct span word = span_word(&text);
	int64_t number;

	return process_number(word, &number) && number == pid &&
		span_begins(span_trim(text), "(");
}

/*
 * The name of a process may hold anything, newlines and brackets too: text is what
 * came so far, and false only means that a part of it may be missing. hz: the ticks of
 * a second.
 */
static bool process_take_stat(struct tree_process *process, struct span text, int64_t hz)
{
	int64_t word[STAT_STARTED + 1] = {0};
	size_t behind = text.len;

	while (behind && text.at[behind - 1] != ')')
		behind--;
	process->has_ended = span_begins(
		span_trim((struct span){text.at + behind, text.len - behind}), "Z");
	return behind && is_of(text, process->pid) &&
		read_words((struct span){text.at + behind, text.len - behind}, word) &&
		put_words(process, word, hz);
}

static bool process_take_io(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	for (unsigned i = 0; i < IO_COUNT; i++) {
		if (!span_is(key, io_names[i]))
			continue;
		process->has_io |= 1u << i;
		return process_number(span_trim(line), &process->io[i]);
	}
	return key.len && key.at[key.len - 1] == ':';
}

/* "RssAnon:	     112 kB" */
static bool read_kib(struct span rest, int64_t *kib)
{
	return process_number(span_word(&rest), kib) && span_is(span_trim(rest), "kB");
}

static bool process_take_status(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	for (unsigned i = 0; i < 3; i++) {
		if (!span_is(key, memory_names[i]))
			continue;
		process->has_memory |= 1u << i;
		return read_kib(line, &process->memory_kib[i]);
	}
	if (span_is(key, "VmSwap:")) {
		process->has_swap = true;
		return read_kib(line, &process->swap_kib);
	}
	if (span_is(key, "VmHWM:")) {
		process->has_peak = true;
		return read_kib(line, &process->peak_kib);
	}
	return key.len && key.at[key.len - 1] == ':';
}

static bool process_take_usage(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	if (span_is(key, "maxrss:")) {
		process->is_over = true;
		return read_kib(line, &process->most_kib);
	}
	if (span_is(key, "utime:") || span_is(key, "stime:")) {
		int64_t us;

		if (!number_scaled(span_trim(line), US_PER_S, &us) || us < 0 ||
			us > NUMBER_MAX)
			return false;
		process->used_us += us;
		return true;
	}
	return key.len && key.at[key.len - 1] == ':';
}

static bool process_take_rollup(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	if (span_is(key, "Pss:")) {
		process->has_pss = true;
		return read_kib(line, &process->pss_kib);
	}
	return key.len && key.at[key.len - 1] == ':';
}

/*
 * Sums over a process, its descendants and both, from one snapshot of them to the
 * next.
 *
 * Of what a process did the kernel tells totals, which go with it when it ends; but
 * whoever waits for it inherits them. So what a tree did in all is the sum of what its
 * processes rose by, and of what somebody inherited beyond what was already counted of
 * those that have ended. A snapshot takes time: one that is gone when it is its turn
 * may not have been waited for yet when its parent was read, nor that parent's io be
 * of the moment of its stat, so that it is inherited by the next snapshot at the
 * latest, or by nobody. What nobody waits for is lost from the last snapshot on. One
 * that is older than the first process (of its session) counts from when it is first
 * seen.
 *
 * Differences of the totals of processes, and who inherited what.
 */

/* By more than that, and more than one in so many, the memory of a process is another. */
#define PSS_CHANGE_KIB	 1024
#define PSS_CHANGE_SHARE 10

static void tree_snapshot_clear(struct tree_snapshot *snapshot)
{
	snapshot->count = 0;
}

static void tree_snapshot_release(struct tree_snapshot *snapshot)
{
	free(snapshot->process);
	*snapshot = (struct tree_snapshot){0};
}

static size_t place_of(const struct tree_snapshot *snapshot, int32_t pid)
{
	size_t low = 0, high = snapshot->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (snapshot->process[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tree_process *find_process(
	const struct tree_snapshot *snapshot, int32_t pid)
{
	size_t at = place_of(snapshot, pid);

	if (at == snapshot->count || snapshot->process[at].pid != pid)
		return NULL;
	return &snapshot->process[at];
}

/*
 * The process of that pid, which is added; zeroed but for the pid. Until the next one.
 */
static struct tree_process *tree_snapshot_at(struct tree_snapshot *snapshot, int32_t pid)
{
	size_t at = place_of(snapshot, pid);

	if (at < snapshot->count && snapshot->process[at].pid == pid)
		return &snapshot->process[at];
	ALLOC_GROW(snapshot->process, snapshot->count + 1, snapshot->capacity);
	memmove(snapshot->process + at + 1, snapshot->process + at,
		(snapshot->count - at) * sizeof *snapshot->process);
	snapshot->count++;
	snapshot->process[at] = (struct tree_process){.pid = pid};
	return &snapshot->process[at];
}

static int64_t tree_process_memory_kib(const struct tree_process *process)
{
	return process->memory_kib[0] + process->memory_kib[1] + process->memory_kib[2];
}

/* The same process, not another that has its id. */
static struct tree_process *same(
	const struct tree_snapshot *snapshot, const struct tree_process *process)
{
	struct tree_process *found = find_process(snapshot, process->pid);

	return found && found->started == process->started ? found : NULL;
}

/* Who is still there of those that a process of the snapshot before came from; NULL. */
static struct tree_process *heir_of(const struct tree_snapshot *before,
	const struct tree_snapshot *now, const struct tree_process *ended)
{
	const struct tree_process *parent = find_process(before, ended->parent);

	for (size_t i = 0; parent && i < before->count; i++) {
		struct tree_process *heir = same(now, parent);

		if (heir)
			return heir;
		parent = find_process(before, parent->parent);
	}
	return NULL;
}

/* What was counted of those that have ended is not to count again where it was inherited.
 */
static void credit_ended(
	const struct tree_snapshot *before, const struct tree_snapshot *now)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct tree_process *ended = &before->process[i];
		struct tree_process *heir;

		if (same(now, ended))
			continue;
		heir = heir_of(before, now, ended);
		if (!heir)
			continue;
		heir->credit.cpu_us += ended->cpu_us + ended->inherited_cpu_us;
		heir->credit.faults += ended->faults + ended->inherited_faults;
		heir->credit.major_faults +=
			ended->major_faults + ended->inherited_major_faults;
		for (size_t k = 0; k < IO_COUNT; k++)
			heir->credit.io[k] += ended->counted_io[k];
	}
}

/* It inherits from the orphans of all: what it gets is nobody's here. */
#define INIT 1

static int64_t rise(int64_t before, int64_t now)
{
	return now > before ? now - before : 0;
}

/*
 * Of what was inherited what goes beyond the credit. due: what was due before; then what
 * is, of the credit that is new.
 */
static int64_t beyond(int64_t inherited, int64_t credit, int64_t *due)
{
	int64_t all = credit + *due, left = rise(inherited, all);

	*due = left < credit ? left : credit;
	return rise(all, inherited);
}

/*
 * What is due counts as inherited where as much was waited for since, else never was;
 * what is new may have been, and is held back where somebody is yet to be waited for.
 * faults: those that were inherited since.
 */
static int64_t add_io(struct tree_process *now, const struct tree_process *before,
	enum io_number k, int64_t faults)
{
	bool waited = faults > 0, settled = waited && faults >= before->due.faults;
	int64_t base = before->counted_io[k] + (settled ? before->due.io[k] : 0);
	int64_t credit = now->credit.io[k], more;
	bool late = now->due.faults > 0 && !(now->has_ended && now->threads <= 1);

	more = rise(base + (waited || late ? credit : 0), now->io[k]);
	now->counted_io[k] = late ? base + more : now->io[k];
	now->due.io[k] = late ? credit : 0;
	return more;
}

/* What could not be read any more of one that ended meanwhile is as it was. */
static void keep_io(struct tree_process *now, const struct tree_process *before)
{
	for (enum io_number k = 0; k < IO_COUNT; k++)
		if (!(now->has_io & 1u << k))
			now->io[k] = before->io[k];
}

static void add_process(struct tree_account *account, struct tree_process *now,
	const struct tree_process *before, bool is_main)
{
	static const struct tree_process unborn = {0};
	bool was_there = account->main_started > now->started;
	struct tree_totals *own = &account->total[is_main ? TREE_MAIN : TREE_DESCENDANTS];
	struct tree_totals *children = &account->total[TREE_DESCENDANTS], orphans = {0};
	int64_t faults;

	if (!before && was_there)
		memcpy(now->counted_io, now->io, sizeof now->io);
	if (!before)
		before = was_there ? now : &unborn;
	keep_io(now, before);
	faults = rise(before->inherited_faults, now->inherited_faults);
	own->cpu_us += rise(before->cpu_us, now->cpu_us);
	own->major_faults += rise(before->major_faults, now->major_faults);
	now->due = before->due;
	(void)beyond(faults, now->credit.faults, &now->due.faults);
	if (now->pid == INIT && !is_main)
		children = &orphans;
	children->cpu_us += beyond(rise(before->inherited_cpu_us, now->inherited_cpu_us),
		now->credit.cpu_us, &now->due.cpu_us);
	children->major_faults +=
		beyond(rise(before->inherited_major_faults, now->inherited_major_faults),
			now->credit.major_faults, &now->due.major_faults);
	for (enum io_number k = 0; k < IO_COUNT; k++)
		own->io[k] += add_io(now, before, k, faults);
}

/* The Pss of so much memory says nothing of what a process has that has so much now. */
static bool is_other_memory(int64_t then_kib, int64_t now_kib)
{
	int64_t change_kib = llabs(now_kib - then_kib);

	return change_kib > PSS_CHANGE_KIB && change_kib * PSS_CHANGE_SHARE > then_kib;
}

/* It is read from time to time only. */
static void keep_pss(struct tree_process *now, const struct tree_process *before)
{
	if (now->has_pss)
		now->pss_memory_kib = tree_process_memory_kib(now);
	if (now->has_pss || !before || !before->has_pss ||
		is_other_memory(before->pss_memory_kib, tree_process_memory_kib(now)))
		return;
	now->has_pss = true;
	now->pss_kib = before->pss_kib;
	now->pss_ns = before->pss_ns;
	now->pss_memory_kib = before->pss_memory_kib;
}

static void combine(struct tree_account *account)
{
	const struct tree_totals *a = &account->total[TREE_MAIN];
	const struct tree_totals *b = &account->total[TREE_DESCENDANTS];
	struct tree_totals *both = &account->total[TREE_COMBINED];

	both->cpu_us = a->cpu_us + b->cpu_us;
	both->major_faults = a->major_faults + b->major_faults;
	for (size_t k = 0; k < IO_COUNT; k++)
		both->io[k] = a->io[k] + b->io[k];
}

/*
 * Adds what was done up to this snapshot, in which main_pid is the first process; the
 * snapshot is the account's from then on, and `snapshot` is empty.
 */
static void tree_account_add(
	struct tree_account *account, struct tree_snapshot *snapshot, int32_t main_pid)
{
	struct tree_snapshot spare = account->before;
	const struct tree_process *first = find_process(snapshot, main_pid);

	if (first)
		account->main_started = first->started;
	credit_ended(&account->before, snapshot);
	for (size_t i = 0; i < snapshot->count; i++) {
		struct tree_process *now = &snapshot->process[i];
		const struct tree_process *before = same(&account->before, now);

		add_process(account, now, before, now->pid == main_pid);
		keep_pss(now, before);
	}
	combine(account);
	account->before = *snapshot;
	*snapshot = spare;
	tree_snapshot_clear(snapshot);
}

/* Sums over a process, its descendants and both at one moment, out of a snapshot. */

/* A smaps_rollup that is older says nothing of now. */
#define PSS_MOST_NS (60 * NS_PER_S)

static void add_memory(
	struct tree_moment *sum, const struct tree_process *process, int64_t t_ns)
{
	bool any = tree_process_memory_kib(process) > 0;

	for (int i = 0; i < 3; i++)
		sum->memory_kib[i] += process->memory_kib[i];
	sum->has_memory |= process->has_memory == 7;
	/* Of a process whose first thread has ended the kernel says no memory. */
	sum->lacks_memory |= process->has_memory != 7 && process->threads > 1;
	sum->swap_kib += process->swap_kib;
	sum->has_swap |= process->has_swap;
	sum->pss_kib += any ? process->pss_kib : 0;
	sum->has_pss |= process->has_pss;
	sum->lacks_pss |=
		any && (!process->has_pss || t_ns - process->pss_ns > PSS_MOST_NS);
}

/* One that is over was there until the snapshot: what it did counts. */
static void add_moment(struct tree_moment *sum, const struct tree_process *process,
	int64_t t_ns, bool is_main)
{
	sum->has_io |= process->has_io;
	sum->lacks_io |= ~process->has_io;
	if (process->is_over && !is_main)
		return;
	sum->processes++;
	sum->threads += process->threads;
	add_memory(sum, process, t_ns);
}

static void add_peak(struct tree_moment *sum, bool is, int64_t kib)
{
	if (is && kib > sum->peak_kib)
		sum->peak_kib = kib;
}

static void tree_moment_begin(struct tree_moment sum[TREE_MEMBERS])
{
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		sum[who] = (struct tree_moment){.peak_kib = -1};
}

/* t_ns: of the snapshot. */
static void tree_moment_add(struct tree_moment sum[TREE_MEMBERS],
	const struct tree_process *process, bool is_main, int64_t t_ns)
{
	struct tree_moment *own = &sum[is_main ? TREE_MAIN : TREE_DESCENDANTS];
	struct tree_moment *all = &sum[TREE_COMBINED];
	/* Of the one whose peak it is nothing is said. */
	bool is_own = !is_main || process->inherited_faults == 0;

	add_moment(own, process, t_ns, is_main);
	add_moment(all, process, t_ns, is_main);
	add_peak(own, process->has_peak, process->peak_kib);
	add_peak(all, process->has_peak, process->peak_kib);
	add_peak(own, process->is_over && is_own, process->most_kib);
	add_peak(all, process->is_over, process->most_kib);
}

/*
 * When all are added: that there are no descendants means that they have no memory,
 * where others have some.
 */
static void tree_moment_end(struct tree_moment sum[TREE_MEMBERS])
{
	struct tree_moment *children = &sum[TREE_DESCENDANTS];
	const struct tree_moment *all = &sum[TREE_COMBINED];

	if (children->processes)
		return;
	children->has_memory = all->has_memory;
	children->has_swap = all->has_swap;
	children->has_pss = all->has_pss;
	children->has_io |= all->has_io;
}

#define HZ_MAX	      1000000
#define STAT_LINE_MAX 1024 /* a number has up to 20 bytes */
#define NAME_MAX_LEN  16 /* of a process, as the kernel keeps it */

/* Below that a tick is too coarse for a share. */
#define SHARE_LEAST_NS (NS_PER_S / 2)

enum process_file {
	FILE_OTHER,
	FILE_STAT,
	FILE_IO,
	FILE_STATUS,
	FILE_ROLLUP,
	FILE_USAGE
};

static const char *const device_names[TREE_MEMBERS] = {"main", "descendants", "combined"};
static const enum metric_id io_metrics[IO_COUNT] = {METRIC_io_read_mib,
	METRIC_io_write_mib, METRIC_io_read_calls, METRIC_io_write_calls,
	METRIC_disk_read_mib, METRIC_disk_write_mib};

struct process_source {
	struct sample_source source;
	struct log *log;
	struct marker marker;
	uint64_t line; /* of the marker */
	int64_t hz;
	int32_t main_pid;
	const char *level; /* that the log is of; NULL: the tree */
	bool open, broken, ended; /* the snapshot; its end was read */
	struct tree_snapshot snapshot;
	struct tree_account account;
	int32_t pid; /* of the file that is being read */
	enum process_file file;
	struct strbuf stat; /* of a line that the name of the process broke */
	struct strbuf cpus; /* that the first process may use, as it was seen last */
	/* Where the share of CPU time begins that is told next. */
	bool has_share;
	int64_t share_ns, share_us[TREE_MEMBERS];
};

static int bid(const struct probe *probe)
{
	struct span name;
	int32_t pid;

	for (size_t i = 0; i < probe->count; i++)
		if (process_file_cut(probe->line[i], &pid, &name) &&
			span_is(name, "stat"))
			return i && marker_is(probe->line[i - 1]) ? 85 : 65;
	return 0;
}

/* True: the snapshot was sound so far, and the caller says why it is not. */
static bool lose(struct process_source *s)
{
	bool was_sound = !s->broken;

	s->broken = true;
	return was_sound;
}

/* The line of stat, which goes on where the name of the process breaks it. */
static void take_stat_line(struct process_source *s, struct span line)
{
	struct tree_process *process = tree_snapshot_at(&s->snapshot, s->pid);

	if (s->stat.len)
		strbuf_addc(&s->stat, '\n');
	strbuf_add(&s->stat, line.at, line.len);
	if (process->has_stat && lose(s))
		log_refuse(s->log, "prose", "the same process twice (snapshot skipped)");
	if (process_take_stat(process, (struct span){s->stat.text, s->stat.len}, s->hz)) {
		strbuf_clear(&s->stat);
		s->file = FILE_OTHER;
	} else if (s->stat.len > STAT_LINE_MAX) {
		if (lose(s))
			log_refuse(s->log, "bad-value",
				"invalid line in stat (snapshot skipped)");
		s->file = FILE_OTHER;
	}
}

/* A level's first process is none of its own. */
static void take_cpus(struct process_source *s, struct span line)
{
	struct span key = span_word(&line);

	if (s->level || s->pid != s->main_pid || !span_is(key, "Cpus_allowed_list:"))
		return;
	line = span_trim(line);
	strbuf_clear(&s->cpus);
	strbuf_add(&s->cpus, line.at, line.len);
}

static void take_file_line(struct process_source *s, struct span line)
{
	struct tree_process *process = tree_snapshot_at(&s->snapshot, s->pid);
	bool sound = true;

	switch (s->file) {
	case FILE_STAT: /* taken before */
	case FILE_OTHER:
		break;
	case FILE_IO:
		sound = process_take_io(process, line);
		break;
	case FILE_STATUS:
		take_cpus(s, line);
		sound = process_take_status(process, line);
		break;
	case FILE_USAGE:
		sound = process_take_usage(process, line);
		break;
	case FILE_ROLLUP:
		sound = process_take_rollup(process, line);
		process->pss_ns = s->marker.t_ns;
		break;
	}
	if (!sound && lose(s))
		log_refuse(s->log, "bad-value",
			"line of a process without its number (snapshot skipped)");
}

static void take_file(struct process_source *s, int32_t pid, struct span name)
{
	if (s->file == FILE_STAT && lose(s))
		log_refuse(s->log, "prose", "stat without its line (snapshot skipped)");
	s->pid = pid;
	s->file = span_is(name, "stat")		? FILE_STAT
		: span_is(name, "io")		? FILE_IO
		: span_is(name, "status")	? FILE_STATUS
		: span_is(name, "smaps_rollup") ? FILE_ROLLUP
		: span_is(name, "rusage")	? FILE_USAGE
						: FILE_OTHER;
	strbuf_clear(&s->stat);
}

static void put_missing(struct sample_batch *batch, size_t row, enum metric_id metric)
{
	struct sample_column *column = &batch->column[sample_batch_column(batch, metric)];

	column->presence[row] = PRESENCE_MISSING;
	column->value[row] = 0;
}

static void put_counts(const struct process_source *s, struct sample_batch *batch,
	size_t row, enum tree_member who, const struct tree_moment *sum)
{
	const struct tree_totals *total = &s->account.total[who];

	sample_batch_put_metric(batch, row, METRIC_tree_cpu_s, total->cpu_us);
	sample_batch_put_metric(
		batch, row, METRIC_tree_major_faults, total->major_faults);
	for (unsigned i = 0; i < IO_COUNT; i++) {
		if (sum->lacks_io & sum->has_io & 1u << i)
			put_missing(batch, row, io_metrics[i]);
		else if (sum->has_io & 1u << i)
			sample_batch_put_metric(batch, row, io_metrics[i], total->io[i]);
	}
}

static void put_moment(
	struct sample_batch *batch, size_t row, const struct tree_moment *sum)
{
	const int64_t *kib = sum->memory_kib;

	sample_batch_put_metric(batch, row, METRIC_processes, sum->processes);
	sample_batch_put_metric(batch, row, METRIC_threads, sum->threads);
	if (sum->lacks_memory) {
		put_missing(batch, row, METRIC_rss_mib);
		put_missing(batch, row, METRIC_private_mib);
		put_missing(batch, row, METRIC_shared_mib);
	} else if (sum->has_memory) {
		sample_batch_put_metric(
			batch, row, METRIC_rss_mib, (kib[0] + kib[1] + kib[2]) * 1024);
		sample_batch_put_metric(batch, row, METRIC_private_mib, kib[0] * 1024);
		sample_batch_put_metric(
			batch, row, METRIC_shared_mib, (kib[1] + kib[2]) * 1024);
	}
	if (sum->has_swap)
		sample_batch_put_metric(
			batch, row, METRIC_tree_swap_mib, sum->swap_kib * 1024);
	if (sum->peak_kib >= 0)
		sample_batch_put_metric(
			batch, row, METRIC_process_peak_mib, sum->peak_kib * 1024);
	if (sum->has_memory && !sum->lacks_memory && sum->has_pss && !sum->lacks_pss)
		sample_batch_put_metric(batch, row, METRIC_pss_mib, sum->pss_kib * 1024);
}

/* 100 is one CPU busy: the average since the share was told last. */
static void put_share(struct process_source *s, struct sample_batch *batch, size_t row,
	enum tree_member who, int64_t dt_ns)
{
	int64_t us = s->account.total[who].cpu_us - s->share_us[who];

	sample_batch_put_metric(batch, row, METRIC_tree_cpu_pct,
		(int64_t)((int128)us * 100 * NS_PER_S / dt_ns));
}

/* What was done since then is not known yet: shares begin anew. */
static void begin_share(struct process_source *s)
{
	s->has_share = true;
	s->share_ns = s->marker.t_ns;
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		s->share_us[who] = s->account.total[who].cpu_us;
}

/* A level has nothing but its sum. */
static bool is_wanted(const struct process_source *s, enum tree_member who)
{
	return !s->level || who == TREE_COMBINED;
}

static size_t add_row(
	struct process_source *s, struct sample_batch *batch, enum tree_member who)
{
	uint32_t device = identity_named(
		s->log->run, DEVICE_TREE, s->level ? s->level : device_names[who]);
	size_t row = sample_batch_add(batch, s->marker.t_ns, device);

	batch->timed = true;
	batch->line[row] = s->line;
	return row;
}

/* Before the first process was there nothing was done, and there is nothing to measure.
 */
static void put_before(struct process_source *s, struct sample_batch *batch)
{
	const struct tree_moment all = {.has_io = ~0u};

	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		if (is_wanted(s, who))
			put_counts(s, batch, add_row(s, batch, who), who, &all);
	begin_share(s);
}

static void put_rows(struct process_source *s, struct sample_batch *batch,
	const struct tree_moment sum[TREE_MEMBERS])
{
	int64_t dt_ns = s->has_share ? s->marker.t_ns - s->share_ns : 0;
	bool share = dt_ns >= SHARE_LEAST_NS;

	for (enum tree_member who = 0; who < TREE_MEMBERS; who++) {
		size_t row;

		if (!is_wanted(s, who) || (who == TREE_MAIN && !sum[who].processes))
			continue;
		row = add_row(s, batch, who);
		put_moment(batch, row, &sum[who]);
		put_counts(s, batch, row, who, &sum[who]);
		if (share)
			put_share(s, batch, row, who, dt_ns);
	}
	if (share || !s->has_share || dt_ns < 0)
		begin_share(s);
}

static bool is_whole(struct process_source *s)
{
	if (!s->ended && lose(s))
		log_refuse(
			s->log, "torn-sample", "incomplete snapshot (snapshot skipped)");
	for (size_t i = 0; i < s->snapshot.count; i++)
		if (!s->snapshot.process[i].has_stat && lose(s))
			log_refuse(s->log, "torn-sample",
				"process without its stat (snapshot skipped)");
	if (s->snapshot.count && !s->main_pid && lose(s))
		log_refuse(s->log, "bad-value",
			"processes before the first process started (snapshot skipped)");
	return !s->broken;
}

/*
 * Of one that was buried the time is known better than in two ticks that are cut: many
 * short ones would have none. Of the first process it would be its children's, too.
 */
static void settle_usage(struct tree_process *process, int32_t main_pid)
{
	int64_t own_us = process->used_us - process->inherited_cpu_us;

	if (process->pid != main_pid && own_us > process->cpu_us)
		process->cpu_us = own_us;
}

static void close_snapshot(struct process_source *s, struct sample_batch *batch)
{
	struct tree_moment sum[TREE_MEMBERS];
	const struct tree_snapshot *now = &s->account.before;

	if (!s->open)
		return;
	s->open = false;
	if (!is_whole(s)) {
		tree_snapshot_clear(&s->snapshot);
		return;
	}
	for (size_t i = 0; i < s->snapshot.count; i++)
		settle_usage(&s->snapshot.process[i], s->main_pid);
	tree_moment_begin(sum);
	tree_account_add(&s->account, &s->snapshot, s->main_pid);
	for (size_t i = 0; i < now->count; i++)
		tree_moment_add(sum, &now->process[i], now->process[i].pid == s->main_pid,
			s->marker.t_ns);
	tree_moment_end(sum);
	if (s->main_pid)
		put_rows(s, batch, sum);
	else
		put_before(s, batch);
	s->log->file->rows++;
}

/* Of "pid=4711" among the marker's words "4711"; at NULL: there is no such word. */
static struct span marker_word(struct span words, const char *name)
{
	size_t len = strlen(name);

	while (words.len) {
		struct span word = span_word(&words);

		if (span_begins(word, name))
			return (struct span){word.at + len, word.len - len};
	}
	return SPAN_NONE;
}

/* -1: it has none. */
static int64_t marker_number(struct span words, const char *name, int64_t most)
{
	struct span word = marker_word(words, name);
	int64_t value;

	return word.at && process_number(word, &value) && value <= most ? value : -1;
}

/* NULL: the log is of the tree. */
static const char *marker_level(struct span words)
{
	static const char *const levels[] = {"process", "user", "system", "slurm"};
	struct span word = marker_word(words, "level=");

	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
		if (span_is(word, levels[i]))
			return levels[i];
	return NULL;
}

static void open_snapshot(
	struct process_source *s, struct sample_batch *batch, struct span line)
{
	int64_t pid = marker_number(line, "pid=", INT32_MAX);
	int64_t hz = marker_number(line, "hz=", HZ_MAX);

	close_snapshot(s, batch);
	marker_read(&s->marker, s->log, batch, line);
	s->open = !s->marker.lost;
	s->line = input_line_number(s->log->in);
	s->level = marker_level(line);
	s->broken = s->ended = false;
	s->file = FILE_OTHER;
	strbuf_clear(&s->stat);
	tree_snapshot_clear(&s->snapshot);
	if (!s->open)
		return;
	if ((pid < 0 || hz <= 0) && lose(s))
		log_refuse(s->log, "bad-value",
			"time marker without pid= or hz= (snapshot skipped)");
	s->main_pid = (int32_t)pid;
	s->hz = hz > 0 ? hz : 100;
}

static void take_end(struct process_source *s, struct span line)
{
	int64_t count;

	if (!span_begins(line, "# processes="))
		return;
	line.at += 12, line.len -= 12;
	s->ended = process_number(line, &count) && (size_t)count == s->snapshot.count;
}

/* No name of a process is long enough to look like one, with what stands behind it. */
static bool is_own_marker(const struct process_source *s, struct span line)
{
	return marker_is(line) && line.len > NAME_MAX_LEN &&
		(s->file != FILE_STAT ||
			(marker_number(line, "pid=", INT32_MAX) >= 0 &&
				marker_number(line, "hz=", HZ_MAX) >= 0));
}

static void take_line(
	struct process_source *s, struct sample_batch *batch, struct span line)
{
	struct span name;
	int32_t pid;

	if (is_own_marker(s, line)) {
		open_snapshot(s, batch, line);
		return;
	}
	if (!s->open)
		return;
	if (s->file == FILE_STAT) {
		take_stat_line(s, line);
		return;
	}
	if (input_line_torn(s->log->in)) {
		if (lose(s))
			log_refuse(s->log, "torn-line",
				"file ends without a newline, so its last line may be "
				"truncated (snapshot skipped)");
		return;
	}
	if (process_file_cut(line, &pid, &name))
		take_file(s, pid, name);
	else if (span_begins(line, "#"))
		take_end(s, line);
	else if (s->file != FILE_OTHER)
		take_file_line(s, line);
}

/* A line may close a snapshot, so rows of the batch are kept free for the end. */
static int process_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct process_source *s = (struct process_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_PROCESS_TREE;
	batch->snapshots = true;
	while (batch->rows + 2 * TREE_MEMBERS <= SAMPLE_BATCH_ROWS) {
		if (!log_line(s->log, &line)) {
			close_snapshot(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
	return batch->rows > 0;
}

static void process_free(struct sample_source *source)
{
	struct process_source *s = (struct process_source *)source;

	tree_snapshot_release(&s->snapshot);
	tree_snapshot_release(&s->account.before);
	strbuf_release(&s->stat);
	if (s->cpus.len)
		run_add_fact(s->log->run, RUN_FACT_PROCESS_CPUS,
			(struct span){s->cpus.text, s->cpus.len});
	strbuf_release(&s->cpus);
	clocks_end(&s->marker.clocks, s->log->run);
	log_free(s->log);
	free(s);
}

static struct sample_source *process_open(struct log *log)
{
	struct process_source *s = xcalloc(1, sizeof *s);

	s->source = (struct sample_source){process_next, process_free};
	s->log = log;
	strbuf_init(&s->stat);
	strbuf_init(&s->cpus);
	return &s->source;
}

const struct format format_process_tree = {
	.kind = SOURCE_PROCESS_TREE, .bid = bid, .around = true, .open = process_open};
