/*
 * Records what the kernel says of each process of a tree: per sample a marker line with
 * the three clocks, the id of the first process, how many ticks of CPU time make a
 * second, and of more than a tree the level; then for each process "> PID/FILE" and the
 * kernel's own lines of that file, for stat, statm, io, status and, from time to time,
 * smaps_rollup; last a line that says how many processes they were: a sample without it
 * was cut. Orphans that have ended since the last sample are among them, with their last
 * stat and io; rusage, of them and of COMMAND, is the most memory that they or one that
 * they waited for had.
 *
 * stat comes first, and says whether the process is still the same. Of status and
 * smaps_rollup those lines are kept that the other files don't have and that change.
 * These and statm are those of another thread where the first one has ended.
 *
 * This room must not know what the numbers mean, nor who belongs to the tree.
 */
#include "record_tree.h"

#include "clock.h"
#include "orphans.h"
#include "record.h"
#include "regular.h"
#include "spokesman.h"
#include "ticker.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Of smaps_rollup the kernel walks all pages of a process: 20 us for a small one, 20 ms
 * for gigabytes in small pages, in which that process can't map memory. A two hundredth
 * of a core is what may go there: what was spent is waited for.
 */
#define ROLLUP_SHARE	200
#define ROLLUP_SAVED_NS (NS_PER_S / 20)
#define ROLLUP_LEAST_NS (1 * NS_PER_S) /* from one reading of a process to the next */

static const char *const status_lines[] = {"Uid:", "VmHWM:", "RssAnon:", "RssFile:",
	"RssShmem:", "VmSwap:", "Threads:", "Cpus_allowed_list:",
	"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:", NULL};
static const char *const rollup_lines[] = {"Rss:", "Pss:", "Shared_Clean:",
	"Shared_Dirty:", "Private_Clean:", "Private_Dirty:", "Swap:", "SwapPss:", NULL};

/*
 * A file of a process that stays open costs half as much to read. The kernel keeps a page
 * for each, so not too many do.
 */
#define OPEN_FILES_MOST 4096
#define OPEN_FILES_ELSE 32 /* descriptors for everything else */

static const struct {
	const char *name;
	const char *const *lines; /* that are wanted; NULL: all */
	bool memory; /* the spokesman's */
} member_file[MEMBER_FILES] = {{"stat", NULL, false}, {"statm", NULL, true},
	{"io", NULL, false}, {"status", status_lines, true}};

struct sampler {
	struct raw_log *log;
	const char *level; /* NULL: none */
	struct record record;
	struct tree tree;
	size_t open_files_most; /* how many of its members' files may stay open */
	int obituaries_fd; /* of the job */
	int64_t saved_ns; /* of a core's time, for smaps_rollup; below 0: owed */
	int64_t looked_ns;
};

/* Whose file it is. */
static pid_t speaker(const struct member *member, size_t file)
{
	return member_file[file].memory ? member->spokesman : member->pid;
}

/* The descriptor of a member's file; -1: it can't be read. */
static int file_open(struct sampler *sampler, const struct member *member, size_t file)
{
	pid_t pid = speaker(member, file);
	char path[48];

	if (member->fd[file] >= 0 && pid == member->pid)
		return member->fd[file];
	(void)snprintf(path, sizeof path, "%d/%s", (int)pid, member_file[file].name);
	return openat(sampler->tree.proc_fd, path, O_RDONLY | O_CLOEXEC);
}

/* Keeps it for the next sample, where there is room; that of a spokesman never. */
static void file_close(
	struct sampler *sampler, struct member *member, size_t file, int fd)
{
	if (fd < 0 || fd == member->fd[file])
		return;
	if (sampler->tree.open_files >= sampler->open_files_most ||
		speaker(member, file) != member->pid) {
		(void)close(fd);
		return;
	}
	member->fd[file] = fd;
	sampler->tree.open_files++;
}

/* Appends a file of a process, all of it or the lines that are wanted. */
static ssize_t append(struct sampler *sampler, struct member *member, size_t file)
{
	struct record *record = &sampler->record;
	const size_t before = record->size;
	int fd = file_open(sampler, member, file);
	ssize_t size = -1;
	size_t from;

	record_printf(record, "> %d/%s\n", (int)member->pid, member_file[file].name);
	from = record->size;
	if (fd >= 0)
		size = record_again(record, fd, RECORD_WHOLE);
	file_close(sampler, member, file, fd);
	if (size <= 0)
		record->size = before;
	else if (member_file[file].lines != NULL)
		record_keep(record, from, member_file[file].lines);
	return size;
}

/*
 * A file that this user must not read is left out. Returns false for a process that has
 * ended, of which nothing is appended.
 */
static bool append_member(struct sampler *sampler, struct member *member)
{
	struct record *record = &sampler->record;
	const size_t before = record->size;
	ssize_t size = append(sampler, member, 0);

	if (size <= 0 ||
		!tree_is_member(
			member, record->text + record->size - size, (size_t)size)) {
		record->size = before;
		member->ended = true;
		return false;
	}
	member->spokesman = spokesman_of(sampler->tree.proc_fd, member->pid,
		record->text + record->size - size, (size_t)size);
	for (size_t file = 1; file < MEMBER_FILES; file++)
		(void)append(sampler, member, file);
	return true;
}

/* Whose turn it is: the one whose last reading is the oldest. */
static struct member *next_to_roll(struct tree *tree)
{
	struct member *next = NULL;

	for (size_t i = 0; i < tree->count; i++) {
		struct member *member = &tree->member[i];

		if (!member->ended &&
			(next == NULL || member->rolled_ns < next->rolled_ns))
			next = member;
	}
	return next;
}

static void append_rollups(struct sampler *sampler)
{
	int64_t now_ns = clock_mono_ns();

	sampler->saved_ns += (now_ns - sampler->looked_ns) / ROLLUP_SHARE;
	sampler->looked_ns = now_ns;
	if (sampler->saved_ns > ROLLUP_SAVED_NS)
		sampler->saved_ns = ROLLUP_SAVED_NS;
	while (sampler->saved_ns > 0) {
		struct member *member = next_to_roll(&sampler->tree);
		int64_t began_ns = clock_cpu_ns();

		if (member == NULL ||
			(member->rolled_ns != 0 &&
				now_ns - member->rolled_ns < ROLLUP_LEAST_NS))
			return;
		/* Open it would keep the memory of a process that has ended. */
		record_process(&sampler->record, member->pid, member->spokesman,
			"smaps_rollup", rollup_lines);
		member->rolled_ns = now_ns;
		sampler->saved_ns -= clock_cpu_ns() - began_ns;
	}
}

static void begin(struct sampler *sampler, const struct instant *when, pid_t root)
{
	record_begin(&sampler->record, when);
	record_printf(&sampler->record, " pid=%d hz=%ld%s%s\n", (int)root,
		sysconf(_SC_CLK_TCK), sampler->level != NULL ? " level=" : "",
		sampler->level != NULL ? sampler->level : "");
}

static int end(struct sampler *sampler, size_t processes)
{
	struct record *record = &sampler->record;

	record_printf(record, "# processes=%zu\n", processes);
	if (!record->broken)
		return raw_log_append(sampler->log, record->text, record->size);
	errno = ENOMEM;
	return -1;
}

/* Of one that has a last stat and io already only what it used in all. Returns how many
 * processes come to the sample. */
static size_t append_obituaries(struct sampler *sampler)
{
	struct record *record = &sampler->record;
	struct obituary obituary;
	size_t count = 0;

	while (orphans_hear(sampler->obituaries_fd, &obituary)) {
		bool known = tree_has(&sampler->tree, obituary.pid);

		record_add(record, obituary.text,
			known ? obituary.usage_size : obituary.size);
		count += !known;
	}
	return count;
}

static int take(void *context)
{
	struct sampler *sampler = context;
	struct instant now;
	size_t processes = 0;

	instant_now(&now);
	begin(sampler, &now, sampler->tree.root);
	tree_look(&sampler->tree);
	for (size_t i = 0; i < sampler->tree.count; i++)
		processes += append_member(sampler, &sampler->tree.member[i]);
	processes += append_obituaries(sampler);
	if (sampler->level == NULL)
		append_rollups(sampler);
	return end(sampler, processes);
}

/* What COMMAND does until the first look at it would be lost without one before. */
static int take_before(struct sampler *sampler, const struct instant *when)
{
	if (when == NULL)
		return 0;
	begin(sampler, when, 0);
	return end(sampler, 0);
}

/* No limit is COMMAND's: this is a process of its own. */
static size_t open_files_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 0;
	limit.rlim_cur =
		limit.rlim_max < OPEN_FILES_MOST ? limit.rlim_max : OPEN_FILES_MOST;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < OPEN_FILES_ELSE)
		return 0;
	return limit.rlim_cur - OPEN_FILES_ELSE;
}

void record_tree(void *job, const struct recording *recording)
{
	const struct tree_job *asked = job;
	struct raw_log log = asked->log;
	struct sampler sampler = {.log = &log,
		.level = asked->level,
		.open_files_most = open_files_most(),
		.obituaries_fd = asked->obituaries_fd,
		.tree = {.last_fd = -1},
		.looked_ns = clock_mono_ns()};
	struct ticker ticker = {.fd = -1};
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = proc_fd < 0 ||
		tree_open(&sampler.tree, proc_fd, asked->root, asked->scope,
			asked->batch_job) != 0 ||
		ticker_open(&ticker, recording->punctuality, asked->interval_ns,
			recording->origin_ns) != 0;

	sampler.tree.spared = recording->supervisor;
	sampler.tree.adopts = asked->adopts;
	if (!failed)
		failed = take_before(&sampler, asked->before) != 0 ||
			ticker_sample(&ticker, take, &sampler) != 0;
	if (!failed) {
		recording_ready(recording);
		failed = ticker_keep(&ticker, recording->stop_fd, take, &sampler) != 0;
	}
	if (failed)
		recording_ends_early(
			recording, raw_log_why(&log, errno), regular_is_no_room(errno));
	tree_close(&sampler.tree);
	record_release(&sampler.record);
	ticker_close(&ticker);
	if (proc_fd >= 0)
		(void)close(proc_fd);
}
