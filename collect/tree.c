/*
 * A look costs no more on a machine with thousands of processes: only new ones are asked
 * who they are. The kernel says which id it gave last, and gives ids in a circle, so new
 * processes have ids after the last one of the look before. From time to time all are
 * asked: the circle may have closed, and a process that changes its user may be a member.
 */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static int proc_open(int proc_fd, pid_t pid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof path, "%d/%s", (int)pid, name);
	return openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
}

size_t proc_text(int proc_fd, pid_t pid, const char *name, char *text, size_t size)
{
	int fd = proc_open(proc_fd, pid, name);
	ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;

	fd_close(&fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

ssize_t proc_append(struct record *record, int proc_fd, pid_t pid, const char *name)
{
	int fd = proc_open(proc_fd, pid, name);
	ssize_t size = fd >= 0 ? record_again(record, fd, RECORD_PIECES) : -1;

	fd_close(&fd);
	return size;
}

/* The number after a word in the status of a process; -1: there is none. */
static long long status_number(int proc_fd, pid_t pid, const char *word)
{
	const char *found;
	char text[1024];

	(void)proc_text(proc_fd, pid, "status", text, sizeof text);
	found = strstr(text, word);
	return found != NULL ? strtoll(found + strlen(word), NULL, 10) : -1;
}

int proc_open_ours(void)
{
	char text[24];
	ssize_t length = readlink("/proc/self", text, sizeof text - 1);

	text[length > 0 ? length : 0] = '\0';
	if (strtol(text, NULL, 10) != getpid())
		return -1;
	return open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Had it JOB_VARIABLE with that value when it began? */
static bool has_variable(int proc_fd, pid_t pid, const char *id)
{
	static const char name[] = JOB_VARIABLE "=";
	struct record all = {0};
	bool found = false;

	(void)proc_append(&all, proc_fd, pid, "environ");
	record_add(&all, "", 1);
	for (const char *at = all.text; at < all.text + all.size; at += strlen(at) + 1)
		found |= strncmp(at, name, sizeof name - 1) == 0 &&
			strcmp(at + sizeof name - 1, id) == 0;
	free(all.text);
	return found;
}

/* From one look at all processes to the next; where nobody becomes a member later, to see
 * those that a whole circle of ids hid. */
#define ALL_NS	      (10 * NS_PER_S)
#define ALL_SELDOM_NS (60 * NS_PER_S)

/* So many ids are tried one by one; beyond that all processes are listed. */
#define TRIED_MAX 4

/* Who a process is, in a line of stat. */
struct kin {
	pid_t pid, parent, session;
	unsigned flags; /* PF_ */
	uint64_t started;
	bool of_root;
};

#define PF_KTHREAD 0x00200000u /* include/linux/sched.h, as stat shows it */

/* The name between the brackets may hold anything, brackets and newlines too. */
static bool kin_read(const char *text, size_t size, struct kin *kin)
{
	const char *at = memrchr(text, ')', size);
	char words[512];

	if (at == NULL)
		return false;
	(void)snprintf(
		words, sizeof words, "%.*s", (int)(size - (size_t)(at - text)), at);
	return sscanf(words,
		       ") %*c %d %*d %d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d "
		       "%*d %*d %*d %*d %" SCNu64,
		       &kin->parent, &kin->session, &kin->flags, &kin->started) == 4;
}

/* Threads have ids of the same circle, and the same files. */
bool is_process(int proc_fd, pid_t pid)
{
	return status_number(proc_fd, pid, "\nTgid:") == pid;
}

bool process_lives(int proc_fd, pid_t pid)
{
	char text[1024];

	return proc_text(proc_fd, pid, "status", text, sizeof text) > 0 &&
		strstr(text, "\nState:\tX") == NULL &&
		(strstr(text, "\nState:\tZ") == NULL ||
			strstr(text, "\nThreads:\t1\n") == NULL);
}

/* The real user; -1: there is no such process. */
static uid_t user_of(const struct tree *tree, pid_t pid)
{
	return (uid_t)status_number(tree->proc_fd, pid, "\nUid:");
}

/* lxcfs and its like put another file there, which says no id, or an old one. */
static int loadavg_open(int proc_fd)
{
	int fd = openat(proc_fd, "loadavg", O_RDONLY | O_CLOEXEC);
	struct statfs what;

	if (fd >= 0 && fstatfs(fd, &what) == 0 && what.f_type == PROC_SUPER_MAGIC)
		return fd;
	fd_close(&fd);
	return -1;
}

void tree_open(struct tree *tree, int proc_fd, pid_t root, enum tree_scope scope,
	const char *job)
{
	*tree = (struct tree){.proc_fd = proc_fd,
		.root = root,
		.scope = scope,
		.job = job,
		.loadavg_fd = loadavg_open(proc_fd)};
}

static void close_files(struct member *member)
{
	for (size_t i = 0; i < MEMBER_FILES; i++)
		fd_close(&member->fd[i]);
}

/* The array with room for one item more than it has. */
static void *grown(void *array, size_t *capacity, size_t count, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity > 0 ? 2 * *capacity : 64;
	return memory_resize(array, *capacity * size);
}

/* NULL: it is none. */
static struct member *member_of(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->member[i].pid == pid)
			return &tree->member[i];
	return NULL;
}

static void add(struct tree *tree, const struct kin *kin)
{
	const struct member fresh = {.pid = kin->pid,
		.started = kin->started,
		.of_root = kin->of_root,
		.fd = {-1, -1, -1, -1}};
	struct member *member = member_of(tree, kin->pid);

	if (member == NULL) {
		tree->member =
			grown(tree->member, &tree->capacity, tree->count, sizeof *member);
		member = tree->member + tree->count++;
		for (; member > tree->member && member[-1].pid > kin->pid; member--)
			*member = member[-1];
		*member = fresh;
		member = member_of(tree, kin->parent);
		if (member != NULL)
			member->rolled_ns = 0; /* what it shares is another now */
	} else if (member->started != kin->started) {
		close_files(member);
		*member = fresh;
	}
}

static void forget_ended(struct tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < tree->count; i++) {
		if (tree->member[i].ended)
			close_files(&tree->member[i]);
		else
			tree->member[kept++] = tree->member[i];
	}
	tree->count = kept;
}

/* The id that was given last in this namespace; 0: unknown. */
static pid_t newest_id(const struct tree *tree)
{
	char text[128];
	ssize_t got = -1;
	const char *word;

	if (tree->loadavg_fd >= 0)
		got = pread(tree->loadavg_fd, text, sizeof text - 1, 0);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	word = strrchr(text, ' ');
	return word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
}

bool tree_id_is_new(const struct tree *tree, pid_t now, pid_t pid)
{
	pid_t from = tree->since;

	if (from == 0 || now == 0)
		return true;
	return from <= now ? pid > from && pid <= now : pid > from || pid <= now;
}

static void add_candidate(struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->refused; i++)
		if (tree->candidate[i] == pid)
			return;
	tree->candidate = grown(tree->candidate, &tree->candidate_capacity,
		tree->candidates, sizeof *tree->candidate);
	tree->candidate[tree->candidates++] = pid;
}

static void list_candidates(struct tree *tree, pid_t now)
{
	_Alignas(struct dirent64) char entries[16384];
	const struct dirent64 *entry;
	ssize_t size;

	(void)lseek(tree->proc_fd, 0, SEEK_SET);
	while ((size = getdents64(tree->proc_fd, entries, sizeof entries)) > 0)
		for (ssize_t at = 0; at < size; at += entry->d_reclen) {
			pid_t pid;

			entry = (const struct dirent64 *)(entries + at);
			pid = (pid_t)strtol(entry->d_name, NULL, 10);
			if (pid > 0 && tree_id_is_new(tree, now, pid))
				add_candidate(tree, pid);
		}
}

static bool is_tool(const struct tree *tree, pid_t session)
{
	for (size_t i = 0; i < tree->tools; i++)
		if (tree->tool[i] > 0 && tree->tool[i] == session)
			return true;
	return false;
}

/* Children of collect that are older than the root are none of its orphans. */
static bool is_adopted(const struct tree *tree, const struct kin *kin)
{
	return tree->adopts && tree->has_root && kin->parent == tree->spared &&
		kin->started >= tree->started;
}

static bool is_in_scope(const struct tree *tree, const struct kin *kin)
{
	if (!tree->has_root || kin->parent == tree->spared)
		return false;
	switch (tree->scope) {
	case TREE_SESSION:
		return kin->session == tree->session;
	case TREE_USER:
		return (kin->flags & PF_KTHREAD) == 0 && tree->user != (uid_t)-1 &&
			user_of(tree, kin->pid) == tree->user;
	case TREE_JOB:
		return has_variable(tree->proc_fd, kin->pid, tree->job);
	case TREE_ALONE:
		break;
	}
	return false;
}

/* Descendants of the root are members whoever their user is. A child of another process
 * of the user is one only if it is the user's. */
static bool is_child(const struct tree *tree, struct kin *kin)
{
	const struct member *parent = member_of(tree, kin->parent);

	kin->of_root = is_adopted(tree, kin) || (parent != NULL && parent->of_root);
	return kin->of_root || (parent != NULL && tree->scope != TREE_USER);
}

static bool belongs(struct tree *tree, struct kin *kin)
{
	if (kin->pid == tree->spared || is_tool(tree, kin->session))
		return false;
	if (kin->pid == tree->root && !tree->has_root) {
		tree->has_root = true;
		tree->started = kin->started;
		tree->session = kin->session;
		tree->user = user_of(tree, kin->pid);
		kin->of_root = true;
		return true;
	}
	return is_child(tree, kin) || is_in_scope(tree, kin);
}

/* Adds the new candidates that belong to us. Returns whether there were any. */
static bool take_in(struct tree *tree)
{
	size_t left = tree->refused;
	bool any = false;

	for (size_t i = left; i < tree->candidates; i++) {
		char text[1024];
		size_t size = proc_text(
			tree->proc_fd, tree->candidate[i], "stat", text, sizeof text);
		struct kin kin;

		if (size == 0 || !kin_read(text, size, &kin))
			continue;
		kin.pid = tree->candidate[i];
		if (!belongs(tree, &kin)) {
			tree->candidate[left++] = tree->candidate[i];
		} else if (is_process(tree->proc_fd, kin.pid)) {
			add(tree, &kin);
			any = true;
		}
	}
	tree->candidates = left;
	return any;
}

bool tree_begin_full_look(struct tree *tree)
{
	const int64_t now_ns = clock_mono_ns();
	const bool changes = tree->scope == TREE_USER || tree->scope == TREE_JOB;

	if (now_ns - tree->all_ns < (changes ? ALL_NS : ALL_SELDOM_NS))
		return false;
	tree->all_ns = now_ns;
	return true;
}

void tree_look(struct tree *tree)
{
	pid_t now = newest_id(tree);

	tree->refused = tree->candidates;
	if (tree_begin_full_look(tree)) {
		tree->since = 0;
		tree->refused = tree->candidates = 0;
	}
	forget_ended(tree);
	if (now == 0 || tree->since == 0 || now < tree->since ||
		now - tree->since > TRIED_MAX)
		list_candidates(tree, now);
	else
		for (pid_t pid = tree->since + 1; pid <= now; pid++)
			add_candidate(tree, pid);
	/* A child may be listed before its parent. */
	while (tree->candidates > tree->refused && take_in(tree))
		continue;
	forget_ended(tree);
	tree->candidates -= tree->refused;
	memmove(tree->candidate, tree->candidate + tree->refused,
		tree->candidates * sizeof *tree->candidate);
	tree->since = tree->newest;
	tree->newest = now;
}

void leash_tie_below(struct leash *leash, int proc_fd, pid_t root)
{
	char name[40], text[1024], *word, *rest = text;

	leash_tie(leash, getpgid(root));
	(void)snprintf(name, sizeof name, "task/%d/children", (int)root);
	(void)proc_text(proc_fd, root, name, text, sizeof text);
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			leash_tie_below(leash, proc_fd, (pid_t)strtol(word, NULL, 10));
}

void leash_end(struct leash *leash, int proc_fd, pid_t root)
{
	leash_tie_below(leash, proc_fd, root);
	leash_cut(leash);
}

bool tree_is_member(const struct member *member, const char *text, size_t size)
{
	struct kin kin;

	return kin_read(text, size, &kin) && kin.started == member->started;
}

/*
 * Appends "> PID/NAME" and that file of a process: all of it, or those lines. It stays
 * open below that descriptor. Returns its bytes; nothing is appended if it can't be read.
 */
static ssize_t append(struct record *record, int proc_fd, pid_t pid, const char *name,
	const char *const lines[], int *fd, int kept_below)
{
	const size_t before = record->size;
	char path[64];
	const struct record_file file = {
		proc_fd, path, RECORD_WHOLE, lines, true, kept_below};
	ssize_t size;

	(void)snprintf(path, sizeof path, "%d/%s", (int)pid, name);
	size = record_file(record, &file, fd);
	if (size <= 0)
		record->size = before;
	return size;
}

/* A file that is not to stay open. */
static void append_once(struct record *record, int proc_fd, pid_t pid, const char *name,
	const char *const lines[])
{
	int fd = -1;

	(void)append(record, proc_fd, pid, name, lines, &fd, 0);
}

/* At a terminal a process group whose leader's parent is in the same session is not
 * orphaned: Ctrl-Z, and a read in the background, would stop it instead of failing. */
bool orphans_adopt(void)
{
	return !has_terminal() && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

pid_t child_ended(struct rusage *used)
{
	siginfo_t end = {.si_pid = 0};

	/* The system call says both, the function of the C library does not. */
	if (syscall(SYS_waitid, P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT, used) != 0)
		return 0;
	return end.si_pid;
}

/* At most so many bytes between two samples: of more than a thousand processes. */
#define ENDED_SIZE (1024 * 1024)

void tree_job_child_ended(struct tree_job *job, pid_t pid, const struct rusage *used)
{
	struct record *ended = &job->ended;

	if (job->tree.root == 0 || ended->size > ENDED_SIZE ||
		is_tool(&job->tree, getsid(pid)))
		return;
	record_printf(ended,
		"> %d/rusage\nutime: %lld.%06ld\nstime: %lld.%06ld\nmaxrss: %ld kB\n",
		(int)pid, (long long)used->ru_utime.tv_sec, (long)used->ru_utime.tv_usec,
		(long long)used->ru_stime.tv_sec, (long)used->ru_stime.tv_usec,
		used->ru_maxrss);
	/* The root is still a member, and has its other files. */
	if (pid == job->tree.root)
		return;
	append_once(ended, job->tree.proc_fd, pid, "stat", NULL);
	append_once(ended, job->tree.proc_fd, pid, "io", NULL);
	job->ended_count++;
}

/*
 * For smaps_rollup the kernel walks all pages of a process: 20 us for a small one, 20 ms
 * for gigabytes in small pages, in which that process can't map memory. So processes are
 * read in turn, new ones first, for at most a five hundredth of a core's time, and some
 * more at the start, when processes grow. New ones may take it in advance: sums need all.
 */
#define ROLLUP_SHARE	500
#define ROLLUP_SAVED_NS (NS_PER_S / 50)
#define ROLLUP_DEBT_NS	(NS_PER_S / 10)
#define ROLLUP_LEAST_NS (1 * NS_PER_S) /* from one reading of a process to the next */

static const char *const status_lines[] = {"Uid:", "VmHWM:", "RssAnon:", "RssFile:",
	"RssShmem:", "VmSwap:", "Threads:", "Cpus_allowed_list:",
	"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:", NULL};
static const char *const rollup_lines[] = {"Rss:", "Pss:", "Shared_Clean:",
	"Shared_Dirty:", "Private_Clean:", "Private_Dirty:", "Swap:", "SwapPss:", NULL};

static const struct {
	const char *name;
	const char *const *lines; /* that are kept; NULL: all */
} member_file[MEMBER_FILES] = {
	{"stat", NULL}, {"statm", NULL}, {"io", NULL}, {"status", status_lines}};

/* Files that stay open for the next sample cost half as much. */
static ssize_t append_kept(struct tree_job *job, struct member *member, size_t file)
{
	return append(&job->record, job->tree.proc_fd, member->pid,
		member_file[file].name, member_file[file].lines, &member->fd[file],
		job->kept_below);
}

/* Files that this user must not read are left out. Returns false, and appends nothing, if
 * the process has ended. */
static bool append_member(struct tree_job *job, struct member *member)
{
	struct record *record = &job->record;
	const size_t before = record->size;
	const bool was_open = member->fd[0] >= 0; /* then it is of the same process */
	ssize_t size = append_kept(job, member, 0);

	if (size <= 0 ||
		(!was_open &&
			!tree_is_member(member, record->text + record->size - size,
				(size_t)size))) {
		record->size = before;
		member->ended = true;
		return false;
	}
	for (size_t file = 1; file < MEMBER_FILES; file++)
		(void)append_kept(job, member, file);
	return true;
}

static void append_rollups(struct tree_job *job)
{
	const struct tree *tree = &job->tree;
	const int64_t now_ns = clock_mono_ns();

	job->saved_ns = MIN(ROLLUP_SAVED_NS,
		job->saved_ns + (now_ns - job->looked_ns) / ROLLUP_SHARE);
	job->looked_ns = now_ns;
	for (size_t i = 0; i < 2 * tree->count; i++) {
		bool is_new = i < tree->count;
		struct member *member;
		int64_t began_ns;

		if (job->saved_ns <= (is_new ? -ROLLUP_DEBT_NS : 0))
			continue;
		member = &tree->member[is_new ? i : job->rolls++ % tree->count];
		if (member->ended || (is_new && member->rolled_ns) ||
			now_ns < member->rolled_ns + ROLLUP_LEAST_NS)
			continue;
		began_ns = clock_cpu_of_ns(0);
		/* An open one would keep the memory of a process that has ended. */
		append_once(&job->record, tree->proc_fd, member->pid, "smaps_rollup",
			rollup_lines);
		member->rolled_ns = now_ns;
		job->saved_ns -= clock_cpu_of_ns(0) - began_ns;
	}
}

static const struct {
	const char *name, *level;
	enum tree_scope scope;
} tree_logs[TREE_LOGS] = {
	[TREE_LOG] = {"processes.log", NULL, TREE_ALONE},
	[USER_LOG] = {"processes-user.log", "user", TREE_USER},
	[JOB_LOG] = {"processes-job.log", "slurm", TREE_JOB},
};

static void begin(struct tree_job *job, const struct instant *when, pid_t root)
{
	const char *level = tree_logs[job->kind].level;

	record_begin(&job->record, when);
	record_printf(&job->record, " pid=%d hz=%ld%s%s\n", (int)root,
		sysconf(_SC_CLK_TCK), level != NULL ? " level=" : "",
		level != NULL ? level : "");
}

static void end(struct tree_job *job, size_t processes)
{
	record_printf(&job->record, "# processes=%zu\n", processes);
	(void)log_append(&job->log, job->record.text, job->record.size);
}

static void tree_job_sample(void *context)
{
	struct tree_job *job = context;
	struct instant now;
	size_t processes = 0;

	instant_now(&now);
	begin(job, &now, job->tree.root);
	tree_look(&job->tree);
	for (size_t i = 0; i < job->tree.count; i++)
		processes += append_member(job, &job->tree.member[i]);
	record_add(&job->record, job->ended.text, job->ended.size);
	processes += job->ended_count;
	job->ended.size = job->ended_count = 0;
	append_rollups(job);
	end(job, processes);
}

void tree_job_sample_none(struct tree_job *job, const struct instant *when)
{
	begin(job, when, 0);
	end(job, 0);
}

/* The kernel keeps a page for each open file. Others need descriptors, too. */
#define KEPT_MOST 4096
#define KEPT_ELSE 128

void tree_job_open(struct tree_job *job, enum tree_log kind, const struct plan *plan,
	int proc_fd, pid_t root)
{
	enum tree_scope scope = tree_logs[kind].scope;
	struct rlimit limit = {0, 0};

	*job = (struct tree_job){.kind = kind,
		.log = {.name = tree_logs[kind].name,
			.fd = -1,
			.take = tree_job_sample,
			.job = job}};
	if (job->kind == TREE_LOG && plan->whole_session)
		scope = TREE_SESSION;
	/* COMMAND runs already, with the limit that it was given. */
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = MIN(limit.rlim_max, KEPT_MOST);
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		job->kept_below = (int)limit.rlim_cur - KEPT_ELSE;
	job->looked_ns = clock_mono_ns();
	job->saved_ns = ROLLUP_SAVED_NS;
	tree_open(&job->tree, proc_fd, root, scope, plan->batch_job);
}
