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
#include "read/process_use.h"
#include "read/reading.h"

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

/* What the kernel counts of a process, and of children that it waited for. */
enum tree_count {
	COUNT_CPU_US,
	COUNT_FAULTS, /* minor ones: every process has some */
	COUNT_MAJOR_FAULTS,
	COUNTS
};

/* Counted of processes that have ended, for who may inherit it; or of all so far. */
struct tree_totals {
	int64_t count[COUNTS], io[IO_COUNT];
};

/* What was said of a process, a bit for each. */
enum {
	HAS_IO = 1 << 0, /* ... and those of the other numbers */
	HAS_MEMORY = 1 << IO_COUNT, /* of anonymous, file, shared pages */
	HAS_SWAP = 8 << IO_COUNT,
	HAS_PSS = 16 << IO_COUNT, /* the last one that was read, at pss_ns */
	HAS_PEAK = 32 << IO_COUNT, /* its own */
	/* Nothing is left of it but what it did, and most_kib */
	IS_OVER = 64 << IO_COUNT,
	HAS_ALONE = 128 << IO_COUNT, /* read with Pss; clean and dirty pages */
	ALL_ALONE = 3 * HAS_ALONE,
	ALL_IO = (1 << IO_COUNT) - 1,
	ALL_MEMORY = 7 << IO_COUNT
};

#define NAME_MAX_LEN 16 /* of a process, as the kernel keeps it */

struct tree_process {
	int32_t pid, parent;
	char name[NAME_MAX_LEN + 1];
	uint64_t started; /* ticks since boot */
	bool has_stat;
	bool has_ended; /* it is a zombie: it inherits no more */
	unsigned has; /* HAS_ and IS_ bits */
	int64_t pss_ns, pss_memory_kib; /* then, and of how much memory */
	int64_t most_kib; /* the peak of it or one that it waited for */
	int64_t used_us; /* CPU time of it and those: beside ticks, which cut */
	int64_t own[COUNTS], inherited[COUNTS]; /* the latter also of theirs */
	int64_t io[IO_COUNT]; /* its own, and of children that it waited for */
	int64_t threads;
	int64_t memory_kib[3], swap_kib, pss_kib, peak_kib;
	int64_t alone_kib[2]; /* that no other process has: clean, dirty */
	/* Of those that have ended since the snapshot before; and what of that it had not
	 * inherited when it was read. */
	struct tree_totals credit, due;
	int64_t counted_io[IO_COUNT]; /* of io[], with what it inherited */
};

/* Ascending pids. */
struct tree_snapshot {
	struct tree_process *process;
	size_t count, capacity;
};

struct tree_account {
	struct tree_snapshot before;
	uint64_t main_started; /* 0: the first process was not there yet */
	int64_t newest_ns; /* of the last snapshot that had a new process */
	bool had_pss; /* of any process so far */
	struct tree_totals total[TREE_MEMBERS]; /* done up to a snapshot */
};

struct tree_moment {
	int64_t processes, threads;
	int64_t memory_kib[3], swap_kib, pss_kib, alone_kib;
	int64_t most_shared_kib; /* of one of them */
	int64_t peak_kib; /* of one of them; -1: not known */
	bool had_pss; /* the log has it, though maybe not now */
	bool unsettled; /* a smaps_rollup is older than a process that may share with it
			 */
	int64_t on_gpus[PROCESS_NUMBERS];
	bool gpu_unknown[PROCESS_NUMBERS]; /* ... of one of them */
	int64_t gpu_util; /* as JUmPER counts it; -1: not known */
	unsigned has; /* bits of a process: some have it, of memory all of it */
	unsigned lacks; /* ... that of one which should have it is not known */
	bool is_level;
	int64_t unreadable; /* of a level: processes that are left out of I/O and USS */
};

/*
 * The lines that the kernel has for a process, in /proc/PID/stat, io, status and
 * smaps_rollup, and what it says to whom waits for one that has ended (getrusage(2)).
 * Each function takes a line in, and gives false for one that is damaged; lines that
 * don't count here are fine.
 *
 * proc_pid_stat(5), proc_pid_io(5), proc_pid_status(5): words, numbers, kB.
 */

#define NUMBER_MAX (INT64_C(1) << 56) /* no sum of such ones overflows */
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
		!number_up_to((struct span){path.at, (size_t)(slash - path.at)},
			INT32_MAX, &number) ||
		number == 0)
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

		if (count <= STAT_STARTED &&
			!number_up_to(text, NUMBER_MAX, &word[count]))
			word[count] = -1;
		count += text.len > 0;
	}
	return count >= STAT_WORDS;
}

static bool put_words(
	struct tree_process *process, const int64_t word[STAT_STARTED + 1], int64_t hz)
{
	const struct {
		enum stat_word word, add; /* SYSTEM to USER; else 0 */
		int64_t *to;
	} counts[] = {{STAT_FAULTS, 0, &process->own[COUNT_FAULTS]},
		{STAT_INHERITED_FAULTS, 0, &process->inherited[COUNT_FAULTS]},
		{STAT_MAJOR_FAULTS, 0, &process->own[COUNT_MAJOR_FAULTS]},
		{STAT_INHERITED_MAJOR_FAULTS, 0, &process->inherited[COUNT_MAJOR_FAULTS]},
		{STAT_USER, STAT_SYSTEM, &process->own[COUNT_CPU_US]},
		{STAT_INHERITED_USER, STAT_INHERITED_SYSTEM,
			&process->inherited[COUNT_CPU_US]},
		{STAT_THREADS, 0, &process->threads}};

	if (word[STAT_PARENT] < 0 || word[STAT_STARTED] < 0)
		return false;
	process->has_stat = true;
	process->parent = (int32_t)word[STAT_PARENT];
	process->started = (uint64_t)word[STAT_STARTED];
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		int128 all = word[counts[i].word];
		int64_t system = counts[i].add ? word[counts[i].add] : 0;

		if (all < 0 || system < 0)
			return false;
		if (counts[i].add)
			all = (all + system) * US_PER_S / hz;
		if (all > NUMBER_MAX)
			return false; /* no process has run so long */
		*counts[i].to = (int64_t)all;
	}
	return true;
}

/* "4711 (sh) S 4710 ...": what stands before the name is its pid. */
static bool is_of(struct span text, int32_t pid)
{
	struct span word = span_word(&text);
	int64_t number;

	return number_up_to(word, NUMBER_MAX, &number) && number == pid &&
		span_begins(span_trim(text), "(");
}

/* "4711 (name)"; a name may have brackets, too. */
static void take_name(struct tree_process *process, struct span text)
{
	const char *open = memchr(text.at, '(', text.len);
	size_t len = open ? text.len - (size_t)(open + 1 - text.at) : 0;

	snprintf(process->name, sizeof process->name, "%.*s", len ? (int)len - 1 : 0,
		len ? open + 1 : "");
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
	take_name(process, (struct span){text.at, behind});
	process->has_ended = span_begins(
		span_trim((struct span){text.at + behind, text.len - behind}), "Z");
	return behind && is_of(text, process->pid) &&
		read_words((struct span){text.at + behind, text.len - behind}, word) &&
		put_words(process, word, hz);
}

/* The lines of the other files that count here. */
enum line_form {
	LINE_NUMBER,
	LINE_KIB, /* "RssAnon:	     112 kB" */
	LINE_SECONDS /* added up */
};

static const struct process_line {
	const char *file, *key;
	enum line_form form;
	size_t at; /* of the number in the process */
	unsigned has;
} process_lines[] = {
#define LINE(file, key, form, member, has)                                              \
	{                                                                               \
		file, key, form, offsetof(struct tree_process, member), (unsigned)(has) \
	}
	LINE("io", "rchar:", LINE_NUMBER, io[IO_READ_CHARS], HAS_IO << IO_READ_CHARS),
	LINE("io", "wchar:", LINE_NUMBER, io[IO_WRITE_CHARS], HAS_IO << IO_WRITE_CHARS),
	LINE("io", "syscr:", LINE_NUMBER, io[IO_READ_CALLS], HAS_IO << IO_READ_CALLS),
	LINE("io", "syscw:", LINE_NUMBER, io[IO_WRITE_CALLS], HAS_IO << IO_WRITE_CALLS),
	LINE("io", "read_bytes:", LINE_NUMBER, io[IO_READ_BYTES],
		HAS_IO << IO_READ_BYTES),
	LINE("io", "write_bytes:", LINE_NUMBER, io[IO_WRITE_BYTES],
		HAS_IO << IO_WRITE_BYTES),
	LINE("status", "RssAnon:", LINE_KIB, memory_kib[0], HAS_MEMORY),
	LINE("status", "RssFile:", LINE_KIB, memory_kib[1], HAS_MEMORY << 1),
	LINE("status", "RssShmem:", LINE_KIB, memory_kib[2], HAS_MEMORY << 2),
	LINE("status", "VmSwap:", LINE_KIB, swap_kib, HAS_SWAP),
	LINE("status", "VmHWM:", LINE_KIB, peak_kib, HAS_PEAK),
	LINE("smaps_rollup", "Pss:", LINE_KIB, pss_kib, HAS_PSS),
	LINE("smaps_rollup", "Private_Clean:", LINE_KIB, alone_kib[0], HAS_ALONE),
	LINE("smaps_rollup", "Private_Dirty:", LINE_KIB, alone_kib[1], HAS_ALONE << 1),
	LINE("rusage", "maxrss:", LINE_KIB, most_kib, IS_OVER),
	LINE("rusage", "utime:", LINE_SECONDS, used_us, 0),
	LINE("rusage", "stime:", LINE_SECONDS, used_us, 0),
};

static const char file_stat[] = "stat";

#define PROCESS_LINES (sizeof process_lines / sizeof process_lines[0])

static bool process_take_line(
	struct tree_process *process, const char *file, struct span line)
{
	struct span key = span_word(&line);

	for (size_t i = 0; i < PROCESS_LINES; i++) {
		const struct process_line *known = &process_lines[i];
		int64_t *to = (int64_t *)(void *)((char *)process + known->at), us;

		if (!span_is(key, known->key) || strcmp(file, known->file) != 0)
			continue;
		process->has |= known->has;
		switch (known->form) {
		case LINE_NUMBER:
			return number_up_to(span_trim(line), NUMBER_MAX, to);
		case LINE_KIB:
			return number_up_to(span_word(&line), NUMBER_MAX, to) &&
				span_is(span_trim(line), "kB");
		case LINE_SECONDS:
			if (!number_scaled(span_trim(line), US_PER_S, &us) || us < 0 ||
				us > NUMBER_MAX)
				return false;
			*to += us;
			return true;
		}
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
		for (size_t c = 0; c < COUNTS; c++)
			heir->credit.count[c] += ended->own[c] + ended->inherited[c];
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
	bool waited = faults > 0,
	     settled = waited && faults >= before->due.count[COUNT_FAULTS];
	int64_t base = before->counted_io[k] + (settled ? before->due.io[k] : 0);
	int64_t credit = now->credit.io[k], more;
	bool late = now->due.count[COUNT_FAULTS] > 0 &&
		!(now->has_ended && now->threads <= 1);

	more = rise(base + (waited || late ? credit : 0), now->io[k]);
	now->counted_io[k] = late ? base + more : now->io[k];
	now->due.io[k] = late ? credit : 0;
	return more;
}

/* What could not be read any more of one that ended meanwhile is as it was. */
static void keep_io(struct tree_process *now, const struct tree_process *before)
{
	for (enum io_number k = 0; k < IO_COUNT; k++)
		if (!(now->has & (unsigned)HAS_IO << k))
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
	faults = rise(before->inherited[COUNT_FAULTS], now->inherited[COUNT_FAULTS]);
	now->due = before->due;
	if (now->pid == INIT && !is_main)
		children = &orphans;
	for (size_t c = 0; c < COUNTS; c++) {
		own->count[c] += rise(before->own[c], now->own[c]);
		children->count[c] +=
			beyond(rise(before->inherited[c], now->inherited[c]),
				now->credit.count[c], &now->due.count[c]);
	}
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
	if (now->has & HAS_PSS)
		now->pss_memory_kib = tree_process_memory_kib(now);
	if (now->has & HAS_PSS || !before || !(before->has & HAS_PSS) ||
		is_other_memory(before->pss_memory_kib, tree_process_memory_kib(now)))
		return;
	now->has |= HAS_PSS | (before->has & ALL_ALONE);
	now->pss_kib = before->pss_kib;
	memcpy(now->alone_kib, before->alone_kib, sizeof now->alone_kib);
	now->pss_ns = before->pss_ns;
	now->pss_memory_kib = before->pss_memory_kib;
}

/* What a process shares is another since it forked: an older smaps_rollup is void. */
static void void_shares(struct tree_process *parent, int64_t t_ns)
{
	if (parent && parent->pss_ns < t_ns)
		parent->has &= ~(unsigned)(HAS_PSS | ALL_ALONE);
}

static void combine(struct tree_account *account)
{
	const struct tree_totals *a = &account->total[TREE_MAIN];
	const struct tree_totals *b = &account->total[TREE_DESCENDANTS];
	struct tree_totals *both = &account->total[TREE_COMBINED];

	for (size_t c = 0; c < COUNTS; c++)
		both->count[c] = a->count[c] + b->count[c];
	for (size_t k = 0; k < IO_COUNT; k++)
		both->io[k] = a->io[k] + b->io[k];
}

/*
 * Adds what was done up to this snapshot, in which main_pid is the first process; the
 * snapshot is the account's from then on, and `snapshot` is empty.
 */
static void tree_account_add(struct tree_account *account, struct tree_snapshot *snapshot,
	int32_t main_pid, int64_t t_ns)
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
		account->had_pss |= (now->has & HAS_PSS) != 0;
		if (!before)
			account->newest_ns = t_ns;
	}
	for (size_t i = 0; i < snapshot->count; i++)
		if (!same(&account->before, &snapshot->process[i]))
			void_shares(find_process(snapshot, snapshot->process[i].parent),
				t_ns);
	combine(account);
	account->before = *snapshot;
	*snapshot = spare;
	snapshot->count = 0;
}

/* Sums over a process, its descendants and both at one moment, out of a snapshot. */

/* A smaps_rollup that is older says nothing of now. */
#define PSS_MOST_NS (60 * NS_PER_S)

/*
 * A user may run what the recorder may not read, such as sshd. Of the tree, in which the
 * work is done, everything is unknown then.
 */
static bool is_unreadable(
	const struct tree_moment *sum, const struct tree_process *process)
{
	return sum->is_level && !(process->has & (ALL_IO | HAS_PSS));
}

static void add_alone(struct tree_moment *sum, const struct tree_process *process)
{
	int64_t alone_kib = process->alone_kib[0] + process->alone_kib[1];
	int64_t shared_kib = process->pss_memory_kib - alone_kib;

	sum->lacks |= ~process->has & ALL_ALONE;
	sum->alone_kib += alone_kib;
	if (shared_kib > sum->most_shared_kib)
		sum->most_shared_kib = shared_kib;
}

static void add_memory(
	struct tree_moment *sum, const struct tree_process *process, int64_t t_ns)
{
	bool any = tree_process_memory_kib(process) > 0;

	for (int i = 0; i < 3; i++)
		sum->memory_kib[i] += process->memory_kib[i];
	if ((process->has & ALL_MEMORY) == ALL_MEMORY)
		sum->has |= ALL_MEMORY;
	/* Of a process whose first thread has ended the kernel says no memory. */
	else if (process->threads > 1)
		sum->lacks |= ALL_MEMORY;
	sum->swap_kib += process->swap_kib;
	sum->pss_kib += any ? process->pss_kib : 0;
	sum->has |= process->has & (HAS_SWAP | HAS_PSS | ALL_ALONE);
	if (is_unreadable(sum, process))
		sum->unreadable += any;
	else if (any &&
		(!(process->has & HAS_PSS) || t_ns - process->pss_ns > PSS_MOST_NS))
		sum->lacks |= HAS_PSS | ALL_ALONE;
	else if (any)
		add_alone(sum, process);
}

/* One that is over was there until the snapshot: what it did counts. */
static void add_moment(struct tree_moment *sum, const struct tree_process *process,
	int64_t t_ns, bool is_main)
{
	sum->has |= process->has & ALL_IO;
	sum->lacks |= is_unreadable(sum, process) ? 0 : ~process->has & ALL_IO;
	if (process->has & IS_OVER && !is_main)
		return;
	sum->processes++;
	sum->threads += process->threads;
	add_memory(sum, process, t_ns);
}

/* t_ns: of the snapshot. */
static void tree_moment_add(struct tree_moment sum[TREE_MEMBERS],
	const struct tree_process *process, bool is_main, int64_t t_ns)
{
	struct tree_moment *own = &sum[is_main ? TREE_MAIN : TREE_DESCENDANTS];
	struct tree_moment *all = &sum[TREE_COMBINED];
	struct tree_moment *sums[] = {own, all};

	for (size_t i = 0; i < 2; i++) {
		/* of children that it waited for: whose peak it is nothing says */
		bool most = process->has & IS_OVER &&
			(sums[i] == all || !is_main || !process->inherited[COUNT_FAULTS]);

		add_moment(sums[i], process, t_ns, is_main);
		if (process->has & HAS_PEAK && process->peak_kib > sums[i]->peak_kib)
			sums[i]->peak_kib = process->peak_kib;
		if (most && process->most_kib > sums[i]->peak_kib)
			sums[i]->peak_kib = process->most_kib;
	}
}

#define HZ_MAX	      1000000
#define STAT_LINE_MAX 1024 /* a number has up to 20 bytes */

/* Below that a tick is too coarse for a share. */
#define SHARE_LEAST_NS (NS_PER_S / 2)

static const char *const device_names[TREE_MEMBERS] = {"main", "descendants", "combined"};
static const enum metric_id io_metrics[IO_COUNT] = {METRIC_io_read_mib,
	METRIC_io_write_mib, METRIC_io_read_calls, METRIC_io_write_calls,
	METRIC_disk_read_mib, METRIC_disk_write_mib};

struct process_source {
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
	const char *file; /* its name; NULL: none that counts here */
	struct strbuf stat; /* of a line that the name of the process broke */
	struct strbuf cpus; /* that the first process may use, as it was seen last */
	/* One of the processes was listed on a GPU, or would be if it were on one. */
	bool on_gpu[PROCESS_NUMBERS];
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
		s->file = NULL;
	} else if (s->stat.len > STAT_LINE_MAX) {
		if (lose(s))
			log_refuse(s->log, "bad-value",
				"invalid line in stat (snapshot skipped)");
		s->file = NULL;
	}
}

/* A level's first process is none of its own. */
static void take_cpus(struct process_source *s, struct span line)
{
	struct span key = span_word(&line);

	if (s->level || s->pid != s->main_pid || strcmp(s->file, "status") != 0 ||
		!span_is(key, "Cpus_allowed_list:"))
		return;
	line = span_trim(line);
	strbuf_clear(&s->cpus);
	strbuf_add(&s->cpus, line.at, line.len);
}

static void take_file_line(struct process_source *s, struct span line)
{
	struct tree_process *process = tree_snapshot_at(&s->snapshot, s->pid);

	take_cpus(s, line);
	if (!process_take_line(process, s->file, line) && lose(s))
		log_refuse(s->log, "bad-value",
			"line of a process without its number (snapshot skipped)");
	if (strcmp(s->file, "smaps_rollup") == 0)
		process->pss_ns = s->marker.t_ns;
}

static void take_file(struct process_source *s, int32_t pid, struct span name)
{
	if (s->file == file_stat && lose(s))
		log_refuse(s->log, "prose", "stat without its line (snapshot skipped)");
	s->pid = pid;
	s->file = span_is(name, file_stat) ? file_stat : NULL;
	for (size_t i = 0; i < PROCESS_LINES && !s->file; i++)
		if (span_is(name, process_lines[i].file))
			s->file = process_lines[i].file;
	strbuf_clear(&s->stat);
}

/* lacks: it is known that it is not known. */
static void put_number(struct sample_batch *batch, size_t row, enum metric_id metric,
	bool has, bool lacks, int64_t value)
{
	struct sample_column *column;
	size_t at;

	if (!has && !lacks)
		return;
	at = sample_batch_column(batch, metric); /* which may move the columns */
	column = &batch->column[at];
	column->presence[row] = lacks ? PRESENCE_MISSING : PRESENCE_VALUE;
	column->value[row] = lacks ? 0 : value;
}

static void put_counts(const struct process_source *s, struct sample_batch *batch,
	size_t row, enum tree_member who, const struct tree_moment *sum)
{
	const struct tree_totals *total = &s->account.total[who];

	sample_batch_put_metric(
		batch, row, METRIC_tree_cpu_s, total->count[COUNT_CPU_US]);
	sample_batch_put_metric(
		batch, row, METRIC_tree_major_faults, total->count[COUNT_MAJOR_FAULTS]);
	for (unsigned i = 0; i < IO_COUNT; i++)
		put_number(batch, row, io_metrics[i], sum->has >> i & 1,
			sum->lacks & sum->has & 1u << i, total->io[i]);
}

static void put_moment(
	struct sample_batch *batch, size_t row, const struct tree_moment *sum)
{
	const int64_t *kib = sum->memory_kib;
	bool memory = sum->has & ALL_MEMORY, lacks = sum->lacks & ALL_MEMORY;
	bool alone =
		memory && !lacks && (sum->has & ~sum->lacks & ALL_ALONE) == ALL_ALONE;
	bool pss = memory && !lacks && sum->had_pss;
	/* Of several mappings, each of other processes, one has not all that is shared.
	 */
	int64_t once_kib = sum->alone_kib + sum->most_shared_kib;
	bool more = alone && sum->pss_kib > once_kib, stale = more && sum->unsettled;

	if (more && !stale)
		once_kib = sum->pss_kib;
	sample_batch_put_metric(batch, row, METRIC_processes, sum->processes);
	put_number(batch, row, METRIC_unreadable_processes, sum->unreadable > 0, false,
		sum->unreadable);
	sample_batch_put_metric(batch, row, METRIC_threads, sum->threads);
	put_number(batch, row, METRIC_rss_mib, memory, lacks,
		(kib[0] + kib[1] + kib[2]) * 1024);
	put_number(batch, row, METRIC_private_mib, memory, lacks, kib[0] * 1024);
	put_number(
		batch, row, METRIC_shared_mib, memory, lacks, (kib[1] + kib[2]) * 1024);
	put_number(batch, row, METRIC_uss_mib, alone, false, sum->alone_kib * 1024);
	put_number(batch, row, METRIC_shared_once_mib, alone, false,
		(once_kib - sum->alone_kib) * 1024);
	put_number(batch, row, METRIC_rss_once_mib, alone, false, once_kib * 1024);
	put_number(batch, row, METRIC_tree_swap_mib, sum->has & HAS_SWAP, false,
		sum->swap_kib * 1024);
	put_number(batch, row, METRIC_process_peak_mib, sum->peak_kib >= 0, false,
		sum->peak_kib * 1024);
	put_number(batch, row, METRIC_pss_mib, pss,
		pss && (stale || !(sum->has & ~sum->lacks & HAS_PSS)),
		sum->pss_kib * 1024);
}

/* When it began; where no clock says that, it was not there at the snapshot before. */
static int64_t begin_of(const struct process_source *s, uint64_t started)
{
	const struct clock_reading *now = &s->marker.clocks.last;
	const struct process_use *use = &s->log->reading->process_use[PROCESS_MEMORY];

	if (now->known && now->boot_ns >= 0)
		return s->marker.t_ns - now->boot_ns +
			(int64_t)((int128)started * NS_PER_S / s->hz);
	return s->marker.t_ns - use->tree_step_ns;
}

/* In a container its pid may be that of another process of the host. */
static const char *program_of(
	const struct process_source *s, const struct tree_process *process)
{
	return run_fact_is(s->log->reading->run, RUN_FACT_HOST_PIDS, "false")
		? process->name
		: NULL;
}

/*
 * What nvidia-smi says of one of them at that time. Before the first of them is listed
 * nothing is known: in a container it may list other pids.
 */
static void add_process_use(struct process_source *s, struct tree_moment *own,
	struct tree_moment *all, const struct used_process *process,
	enum process_number number, struct gpu_hold *hold)
{
	int64_t value = 0;
	enum use_known known = process_use_add(s->log->reading->process_use, number,
		process, s->marker.t_ns, &value, number == PROCESS_MEMORY ? hold : NULL);

	own->on_gpus[number] += value;
	all->on_gpus[number] += value;
	own->gpu_unknown[number] |= known == USE_UNKNOWN;
	all->gpu_unknown[number] |= known == USE_UNKNOWN;
	s->on_gpu[number] |= known == USE_SOME ||
		(known == USE_NONE &&
			run_fact_is(s->log->reading->run, RUN_FACT_HOST_PIDS, "true"));
}

static void add_gpu_use(struct process_source *s, struct tree_moment sum[TREE_MEMBERS])
{
	const struct tree_snapshot *now = &s->account.before;
	struct process_use *use = s->log->reading->process_use;
	const struct run *run = s->log->reading->run; /* not that of a preview */
	struct gpu_hold *hold = xcalloc(run->device_count + 1, sizeof *hold);

	for (enum process_number n = 0; n < PROCESS_NUMBERS; n++) {
		if (!s->level && now->count)
			process_use_snapshot(&use[n], s->marker.t_ns);
		for (size_t i = 0; i < now->count; i++) {
			const struct tree_process *one = &now->process[i];
			bool is_main = one->pid == s->main_pid;
			struct used_process process = {
				one->pid, program_of(s, one), begin_of(s, one->started)};

			add_process_use(s, &sum[is_main ? TREE_MAIN : TREE_DESCENDANTS],
				&sum[TREE_COMBINED], &process, n, hold);
			if (!s->level)
				process_use_own(&use[n], &process, s->marker.t_ns);
		}
	}
	sum[TREE_COMBINED].gpu_util =
		process_use_util(use, run, hold, s->level != NULL, s->marker.t_ns);
	free(hold);
}

static void put_gpu_use(const struct process_source *s, struct sample_batch *batch,
	size_t row, enum tree_member who, const struct tree_moment *sum)
{
	static const enum metric_id from[PROCESS_NUMBERS] = {METRIC_process_gpu_mem_mib,
		METRIC_process_sm_pct},
				    to[PROCESS_NUMBERS] = {METRIC_tree_gpu_mem_mib,
					    METRIC_tree_gpu_util_pct};

	for (enum process_number n = 0; n < PROCESS_NUMBERS; n++)
		if (s->on_gpu[n])
			put_number(batch, row, to[n], true, sum->gpu_unknown[n],
				(int64_t)((int128)sum->on_gpus[n] *
					metric_get(to[n])->per_unit /
					metric_get(from[n])->per_unit));
	if (s->on_gpu[PROCESS_MEMORY] && who == TREE_COMBINED)
		put_number(batch, row, METRIC_level_gpu_util_pct, true,
			sum->gpu_unknown[PROCESS_MEMORY] || sum->gpu_util < 0,
			sum->gpu_util);
}

/* 100 is one CPU busy: the average since the share was told last. */
static void put_share(struct process_source *s, struct sample_batch *batch, size_t row,
	enum tree_member who, int64_t dt_ns)
{
	int64_t us = s->account.total[who].count[COUNT_CPU_US] - s->share_us[who];

	sample_batch_put_metric(batch, row, METRIC_tree_cpu_pct,
		(int64_t)((int128)us * 100 * NS_PER_S / dt_ns));
}

/* What was done since then is not known yet: shares begin anew. */
static void begin_share(struct process_source *s)
{
	s->has_share = true;
	s->share_ns = s->marker.t_ns;
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		s->share_us[who] = s->account.total[who].count[COUNT_CPU_US];
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
	const struct tree_moment all = {.has = ALL_IO};

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
		put_gpu_use(s, batch, row, who, &sum[who]);
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
	int64_t own_us = process->used_us - process->inherited[COUNT_CPU_US];

	if (process->pid != main_pid && own_us > process->own[COUNT_CPU_US])
		process->own[COUNT_CPU_US] = own_us;
}

static void close_snapshot(struct process_source *s, struct sample_batch *batch)
{
	struct tree_moment sum[TREE_MEMBERS];
	const struct tree_snapshot *now = &s->account.before;

	if (!s->open)
		return;
	s->open = false;
	if (!is_whole(s)) {
		s->snapshot.count = 0;
		return;
	}
	for (size_t i = 0; i < s->snapshot.count; i++)
		settle_usage(&s->snapshot.process[i], s->main_pid);
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		sum[who] = (struct tree_moment){
			.peak_kib = -1, .is_level = s->level != NULL};
	tree_account_add(&s->account, &s->snapshot, s->main_pid, s->marker.t_ns);
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		sum[who].had_pss = s->account.had_pss;
	for (size_t i = 0; i < now->count; i++) {
		for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
			sum[who].unsettled |=
				now->process[i].pss_ns < s->account.newest_ns;
		tree_moment_add(sum, &now->process[i], now->process[i].pid == s->main_pid,
			s->marker.t_ns);
	}
	/* No descendants have no memory, where others have some. */
	if (!sum[TREE_DESCENDANTS].processes)
		sum[TREE_DESCENDANTS].has |= sum[TREE_COMBINED].has;
	add_gpu_use(s, sum);
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

	return number_up_to(word, most, &value) ? value : -1;
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
	s->file = NULL;
	strbuf_clear(&s->stat);
	s->snapshot.count = 0;
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
	s->ended = number_up_to(line, NUMBER_MAX, &count) &&
		(size_t)count == s->snapshot.count;
}

/* No name of a process is long enough to look like one, with what stands behind it. */
static bool is_own_marker(const struct process_source *s, struct span line)
{
	return marker_is(line) && line.len > NAME_MAX_LEN &&
		(s->file != file_stat ||
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
	if (s->file == file_stat) {
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
	else if (s->file)
		take_file_line(s, line);
}

/* A line may close a snapshot, so rows of the batch are kept free for the end. */
static void process_fill(void *state, struct sample_batch *batch)
{
	struct process_source *s = state;
	struct span line;

	batch->snapshots = true;
	while (batch->rows + 2 * TREE_MEMBERS <= SAMPLE_BATCH_ROWS) {
		if (!log_line(s->log, &line)) {
			close_snapshot(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
}

static void process_end(void *state)
{
	struct process_source *s = state;

	tree_snapshot_release(&s->snapshot);
	tree_snapshot_release(&s->account.before);
	strbuf_release(&s->stat);
	if (s->cpus.len)
		run_add_fact(s->log->run, RUN_FACT_PROCESS_CPUS,
			(struct span){s->cpus.text, s->cpus.len});
	strbuf_release(&s->cpus);
	clocks_end(&s->marker.clocks, s->log->run);
}

const struct format format_process_tree = {.kind = SOURCE_PROCESS_TREE,
	.bid = bid,
	.around = true,
	.state_size = sizeof(struct process_source),
	.fill = process_fill,
	.end = process_end};
