/*
 * Which processes belong to the one that is recorded.
 *
 * Only new processes are looked at: the kernel says which id it gave last, and gives
 * ids in a circle, so what has come since the last look has an id behind that. So a
 * look at a machine with thousands of processes costs no more than at a quiet one. All
 * are looked at where so much time has passed that the circle may have closed, and
 * from time to time where a process may become a member later, as one that changes its
 * user.
 *
 * Must not know what is recorded of them.
 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "proc_text.h"
#include "run_dir.h"
#include "ticker.h"

/* Fits into a pipe's atomic write. */
#define OBITUARY_SIZE 3072

/* What is told of one, from another process. */
struct obituary {
	pid_t pid;
	size_t size, usage_size; /* of all, of the first file */
	char text[OBITUARY_SIZE]; /* "> PID/FILE" over the kernel's lines: rusage (in
				     s and kB), stat, io */
};

/*
 * To which job of a batch system a process belongs: what its environment says, or its
 * control group.
 */

/* How far the bytes of an environment are those of an entry that is looked for. */
struct search {
	const char *entry; /* with its end, '\0' */
	size_t size, equal;
	bool passed; /* this entry of the environment is another one */
};

/* Says whether the entry ends in these bytes. */
static bool search_goes_on(struct search *search, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!search->passed && text[i] == search->entry[search->equal]) {
			if (++search->equal == search->size)
				return true;
			continue;
		}
		search->passed = text[i] != '\0';
		search->equal = 0;
	}
	return false;
}

/* "0::/system.slice/slurmstepd.scope/job_4711/step_0/user" */
static bool is_in_group(int proc_fd, pid_t pid, const char *id)
{
	char name[256], text[4096];
	int length = snprintf(name, sizeof name, "/job_%s", id);

	if (length < 0 || (size_t)length >= sizeof name ||
		proc_text(proc_fd, pid, "cgroup", text, sizeof text) == 0)
		return false;
	for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
		if (at[length] == '/' || at[length] == '\n' || at[length] == '\0')
			return true;
	return false;
}

static bool has_variable(int proc_fd, pid_t pid, const char *id)
{
	char path[40], entry[256], text[4096];
	struct search search = {.entry = entry};
	int fd, length = snprintf(entry, sizeof entry, JOB_VARIABLE "=%s", id);
	bool found = false;
	ssize_t got;

	if (length < 0 || (size_t)length >= sizeof entry)
		return false;
	search.size = (size_t)length + 1;
	(void)snprintf(path, sizeof path, "%d/environ", (int)pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (!found && (got = read(fd, text, sizeof text)) > 0)
		found = search_goes_on(&search, text, (size_t)got);
	(void)close(fd);
	return found;
}

/*
 * Says whether the process began with JOB_VARIABLE set to id, or is in a control group
 * below one named job_ID, as Slurm makes them. proc_fd: of /proc.
 */
static bool job_has(int proc_fd, pid_t pid, const char *id)
{
	return has_variable(proc_fd, pid, id) || is_in_group(proc_fd, pid, id);
}

/* From one look at all processes to the next, where there must be any. */
#define ALL_NS (10 * NS_PER_S)

/* So many ids are tried one by one; beyond that listing all processes is cheaper. */
#define TRIED_MAX 32

/* Who a process is, in a line of stat. */
struct kin {
	pid_t pid, parent, session;
	unsigned flags; /* PF_ */
	uint64_t started;
	bool of_root;
};

#define PF_KTHREAD 0x00200000u /* include/linux/sched.h, as stat shows it */

/* Words behind the name, from the state on. */
enum stat_word {
	STAT_PARENT = 1,
	STAT_SESSION = 3,
	STAT_FLAGS = 6,
	STAT_STARTED = 19,
	STAT_WORDS
};

/* The name between the brackets may hold anything, brackets and newlines too. */
static bool kin_read(const char *text, size_t size, struct kin *kin)
{
	const char *at = memrchr(text, ')', size), *end = text + size;
	uint64_t word[STAT_WORDS] = {0};
	int count = 0;

	if (at == NULL)
		return false;
	for (at++; at < end && count < STAT_WORDS; count++) {
		while (at < end && *at == ' ')
			at++;
		if (at == end || *at == '\n')
			break;
		for (; at < end && *at != ' ' && *at != '\n'; at++)
			if (*at >= '0' && *at <= '9')
				word[count] = 10 * word[count] + (uint64_t)(*at - '0');
	}
	kin->pid = (pid_t)strtol(text, NULL, 10);
	kin->parent = (pid_t)word[STAT_PARENT];
	kin->session = (pid_t)word[STAT_SESSION];
	kin->flags = (unsigned)word[STAT_FLAGS];
	kin->started = word[STAT_STARTED];
	return count == STAT_WORDS;
}

/* Threads have ids of the same circle, and files of that name. */
static bool is_process(const struct tree *tree, pid_t pid)
{
	unsigned long long group;
	char text[1024];

	return proc_text(tree->proc_fd, pid, "status", text, sizeof text) > 0 &&
		proc_number(text, "\nTgid:", 10, &group) && (pid_t)group == pid;
}

/* The real one. False: there is no such process. */
static bool user_read(const struct tree *tree, pid_t pid, uid_t *user)
{
	unsigned long long number = 0;
	char text[1024];
	bool known = proc_text(tree->proc_fd, pid, "status", text, sizeof text) > 0 &&
		proc_number(text, "\nUid:", 10, &number);

	*user = known ? (uid_t)number : (uid_t)-1;
	return known;
}

/* lxcfs and its like put another file there, which says no id, or an old one. */
static int last_open(int proc_fd)
{
	int fd = openat(proc_fd, "loadavg", O_RDONLY | O_CLOEXEC);
	struct statfs what;

	if (fd >= 0 && fstatfs(fd, &what) == 0 && what.f_type == PROC_SUPER_MAGIC)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

int tree_open(struct tree *tree, int proc_fd, pid_t root, enum tree_scope scope,
	const char *job)
{
	*tree = (struct tree){.proc_fd = proc_fd,
		.root = root,
		.scope = scope,
		.job = job,
		.last_fd = last_open(proc_fd)};
	tree->fresh_capacity = 64;
	tree->capacity = 64;
	tree->member = calloc(tree->capacity, sizeof *tree->member);
	tree->fresh = calloc(tree->fresh_capacity, sizeof *tree->fresh);
	return tree->member != NULL && tree->fresh != NULL ? 0 : -1;
}

static void close_files(struct tree *tree, struct member *member)
{
	for (size_t i = 0; i < MEMBER_FILES; i++) {
		if (member->fd[i] < 0)
			continue;
		(void)close(member->fd[i]);
		tree->open_files--;
	}
}

void tree_close(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		close_files(tree, &tree->member[i]);
	if (tree->last_fd >= 0)
		(void)close(tree->last_fd);
	free(tree->member);
	free(tree->fresh);
	tree->member = NULL;
	tree->fresh = NULL;
}

/* Where a process is among the members, or would be. */
static size_t place_of(const struct tree *tree, pid_t pid)
{
	size_t low = 0, high = tree->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tree->member[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct tree *tree, pid_t pid)
{
	size_t at = place_of(tree, pid);

	return at < tree->count && tree->member[at].pid == pid;
}

/* Is a process a member that has not ended? */
static bool tree_has(const struct tree *tree, pid_t pid)
{
	return has(tree, pid) && !tree->member[place_of(tree, pid)].ended;
}

static void add(struct tree *tree, const struct kin *kin)
{
	const struct member fresh = {.pid = kin->pid,
		.started = kin->started,
		.of_root = kin->of_root,
		.fd = {-1, -1, -1, -1}};
	size_t at = place_of(tree, kin->pid);

	if (at < tree->count && tree->member[at].pid == kin->pid) {
		if (tree->member[at].started == kin->started)
			return;
		close_files(tree, &tree->member[at]);
		tree->member[at] = fresh;
		return;
	}
	if (tree->count == tree->capacity) {
		struct member *grown =
			realloc(tree->member, 2 * tree->capacity * sizeof *tree->member);

		if (grown == NULL)
			return;
		tree->member = grown;
		tree->capacity *= 2;
	}
	memmove(tree->member + at + 1, tree->member + at,
		(tree->count - at) * sizeof *tree->member);
	tree->member[at] = fresh;
	tree->count++;
}

static void forget_ended(struct tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < tree->count; i++) {
		if (tree->member[i].ended)
			close_files(tree, &tree->member[i]);
		else
			tree->member[kept++] = tree->member[i];
	}
	tree->count = kept;
}

/* The id that was given last in this namespace; 0: unknown. */
static pid_t last_given(const struct tree *tree)
{
	char text[128];
	ssize_t got = -1;
	const char *word;

	if (tree->last_fd >= 0)
		got = pread(tree->last_fd, text, sizeof text - 1, 0);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	word = strrchr(text, ' ');
	return word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
}

bool tree_id_is_fresh(const struct tree *tree, pid_t now, pid_t pid)
{
	pid_t from = tree->last[1];

	if (from == 0 || now == 0)
		return true;
	return from <= now ? pid > from && pid <= now : pid > from || pid <= now;
}

static void note_fresh(struct tree *tree, pid_t pid)
{
	if (tree->fresh_count == tree->fresh_capacity) {
		pid_t *grown = realloc(
			tree->fresh, 2 * tree->fresh_capacity * sizeof *tree->fresh);

		if (grown == NULL)
			return;
		tree->fresh = grown;
		tree->fresh_capacity *= 2;
	}
	tree->fresh[tree->fresh_count++] = pid;
}

static void list_fresh(struct tree *tree, pid_t now)
{
	int fd = openat(tree->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && tree_id_is_fresh(tree, now, pid))
			note_fresh(tree, pid);
	}
	(void)closedir(dir);
}

/* Runs it what we run? So do all recorders. */
static bool is_recorder(const struct tree *tree, pid_t pid)
{
	char path[40], ours[4096], its[4096];
	ssize_t own = readlink("/proc/self/exe", ours, sizeof ours), size;

	(void)snprintf(path, sizeof path, "%d/exe", (int)pid);
	size = readlinkat(tree->proc_fd, path, its, sizeof its);
	return size > 0 && size == own && memcmp(ours, its, (size_t)size) == 0;
}

/* Whoever is older than the root was the supervisor's child before. */
static bool is_adopted(const struct tree *tree, const struct kin *kin)
{
	return tree->adopts && tree->has_root && kin->parent == tree->spared &&
		kin->started >= tree->started && !is_recorder(tree, kin->pid);
}

/* Of whoever is not the supervisor's child: its recorders lead sessions of their own, in
 * which their programs are. */
static bool is_recorders(const struct tree *tree, const struct kin *kin)
{
	char text[1024];
	size_t size = proc_text(tree->proc_fd, kin->session, "stat", text, sizeof text);
	struct kin leader;

	return size > 0 && kin_read(text, size, &leader) &&
		leader.parent == tree->spared && !has(tree, kin->session);
}

static bool is_in_scope(const struct tree *tree, const struct kin *kin)
{
	uid_t user;

	if (!tree->has_root || kin->parent == tree->spared ||
		(tree->spared > 0 && is_recorders(tree, kin)))
		return false;
	switch (tree->scope) {
	case TREE_SESSION:
		return kin->session == tree->session;
	case TREE_USER:
		return (kin->flags & PF_KTHREAD) == 0 &&
			user_read(tree, kin->pid, &user) && user == tree->user;
	case TREE_JOB:
		return job_has(tree->proc_fd, kin->pid, tree->job);
	case TREE_ALONE:
		break;
	}
	return false;
}

/* The member that it is a child of, and not of another process that has its id by now;
 * NULL. */
static const struct member *parent_of(const struct tree *tree, const struct kin *kin)
{
	const struct member *parent = tree->member + place_of(tree, kin->parent);
	char text[1024];
	size_t size;

	if (!has(tree, kin->parent))
		return NULL;
	size = proc_text(tree->proc_fd, kin->parent, "stat", text, sizeof text);
	return size == 0 || tree_is_member(parent, text, size) ? parent : NULL;
}

/* Who is of the root is so whosever it is; a child of another one of the user's need not
 * be the user's. */
static bool is_child(const struct tree *tree, struct kin *kin)
{
	const struct member *parent = parent_of(tree, kin);

	kin->of_root = is_adopted(tree, kin) || (parent != NULL && parent->of_root);
	return kin->of_root || (parent != NULL && tree->scope != TREE_USER);
}

static bool belongs(struct tree *tree, struct kin *kin)
{
	if (kin->pid == tree->spared)
		return false;
	if (kin->pid == tree->root && !tree->has_root) {
		tree->has_root = true;
		tree->started = kin->started;
		tree->session = kin->session;
		(void)user_read(tree, kin->pid, &tree->user);
		kin->of_root = true;
		return true;
	}
	return is_child(tree, kin) || is_in_scope(tree, kin);
}

/* One that has become another user's is none of this one's any more. */
static void let_go(struct tree *tree, const struct kin *kin)
{
	struct member *member = tree->member + place_of(tree, kin->pid);

	if (tree->scope == TREE_USER && has(tree, kin->pid) && !member->of_root)
		member->ended = true;
}

/* Takes in those of the fresh ones that belong to us. Returns whether there were any. */
static bool take_in(struct tree *tree)
{
	size_t left = 0;
	bool any = false;

	for (size_t i = 0; i < tree->fresh_count; i++) {
		char text[1024];
		size_t size = proc_text(
			tree->proc_fd, tree->fresh[i], "stat", text, sizeof text);
		struct kin kin;

		if (size == 0 || !kin_read(text, size, &kin))
			continue;
		kin.pid = tree->fresh[i];
		if (!belongs(tree, &kin)) {
			let_go(tree, &kin);
			tree->fresh[left++] = tree->fresh[i];
		} else if (is_process(tree, kin.pid)) {
			add(tree, &kin);
			any = true;
		}
	}
	tree->fresh_count = left;
	return any;
}

bool tree_must_see_all(struct tree *tree)
{
	int64_t now_ns = clock_mono_ns();
	bool others = tree->scope == TREE_USER || tree->scope == TREE_JOB;
	bool all = now_ns - (others ? tree->all_ns : tree->looked_ns) >= ALL_NS;

	tree->looked_ns = now_ns;
	if (all)
		tree->all_ns = now_ns;
	return all;
}

void tree_look(struct tree *tree)
{
	pid_t now = last_given(tree);

	if (tree_must_see_all(tree))
		tree->last[1] = 0;
	forget_ended(tree);
	tree->fresh_count = 0;
	if (now == 0 || tree->last[1] == 0 || now < tree->last[1] ||
		now - tree->last[1] > TRIED_MAX)
		list_fresh(tree, now);
	else
		for (pid_t pid = tree->last[1] + 1; pid <= now; pid++)
			note_fresh(tree, pid);
	/* A child may stand before its parent. */
	while (tree->fresh_count > 0 && take_in(tree))
		continue;
	forget_ended(tree);
	tree->last[1] = tree->last[0];
	tree->last[0] = now;
}

bool tree_is_member(const struct member *member, const char *text, size_t size)
{
	struct kin kin;

	return kin_read(text, size, &kin) && kin.started == member->started;
}

/*
 * Which thread the kernel's account of a process's memory is to be read from. Where
 * the first thread has ended before the others, the kernel answers for the process as
 * for a zombie: without memory. Any other of its threads has the same memory, and says
 * it.
 *
 * Which thread speaks for a process, when it comes to memory.
 */

static bool has_ended(const char *text, size_t size)
{
	char state = proc_state(text, size);

	return state == 'Z' || state == 'X';
}

static bool is_at_work(int task_fd, pid_t thread)
{
	char text[1024];
	size_t size = proc_text(task_fd, thread, "stat", text, sizeof text);

	return size > 0 && !has_ended(text, size);
}

/*
 * The thread of a process whose stat says text, of that size: its first one, unless
 * that has ended and another is at work.
 */
static pid_t spokesman_of(int proc_fd, pid_t pid, const char *text, size_t size)
{
	const struct dirent *entry;
	char path[32];
	pid_t found = pid;
	DIR *dir;
	int fd;

	if (!has_ended(text, size))
		return pid;
	(void)snprintf(path, sizeof path, "%d/task", (int)pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return pid;
	}
	while (found == pid && (entry = readdir(dir)) != NULL) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

		if (thread > 0 && is_at_work(fd, thread))
			found = thread;
	}
	(void)closedir(dir);
	return found;
}

/*
 * Processes whose parent has ended before them become this process's children. This
 * room must not know what is recorded of them.
 */

/* So much is told between two samples at most: of more than a thousand processes. */
#define TOLD_SIZE (1024 * 1024)

/* In front of each text in the pipe; both are written at once, and read whole. */
struct head {
	pid_t pid;
	size_t size, usage_size;
};

/*
 * A process group whose leader's parent is of the same session is no orphan to the
 * terminal: it would be stopped, by a read as by Ctrl-Z, where it would get an error.
 */
static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

void orphans_adopt(struct orphans *orphans)
{
	int ends[2] = {-1, -1};

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0)
		(void)fcntl(ends[1], F_SETPIPE_SZ, TOLD_SIZE);
	*orphans = (struct orphans){
		.children_fd = -1, .told_fd = ends[1], .heard_fd = ends[0]};
	/* Without the list one that somebody else waits for would hide all others. */
	if (!has_terminal())
		orphans->children_fd =
			open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	if (orphans->children_fd >= 0)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_release(struct orphans *orphans)
{
	int fd[] = {orphans->children_fd, orphans->told_fd, orphans->heard_fd};

	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
		if (fd[i] >= 0)
			(void)close(fd[i]);
	record_release(&orphans->record);
	orphans->children_fd = orphans->told_fd = orphans->heard_fd = -1;
}

/* The one that has ended, of all children (P_ALL) or of that id; 0: none. What it used is
 * said, while it stays to be read and to be waited for. */
static pid_t ended(idtype_t which, pid_t pid, struct rusage *used)
{
	siginfo_t end = {.si_pid = 0};

	/* The kernel's own call says both, that of the C library does not. */
	if (syscall(SYS_waitid, which, pid, &end, WEXITED | WNOHANG | WNOWAIT, used) != 0)
		return 0;
	return end.si_pid;
}

static void tell(struct orphans *orphans, pid_t pid, const struct rusage *used)
{
	struct record *record = &orphans->record;
	struct head head = {.pid = pid};
	char message[sizeof head + OBITUARY_SIZE];

	record->size = 0;
	record->broken = false;
	record_printf(record,
		"> %d/rusage\nutime: %lld.%06ld\nstime: %lld.%06ld\nmaxrss: %ld kB\n",
		(int)pid, (long long)used->ru_utime.tv_sec, (long)used->ru_utime.tv_usec,
		(long long)used->ru_stime.tv_sec, (long)used->ru_stime.tv_usec,
		used->ru_maxrss);
	head.usage_size = record->size;
	record_process(record, pid, pid, "stat", NULL);
	record_process(record, pid, pid, "io", NULL);
	if (orphans->told_fd < 0 || record->broken || record->size > OBITUARY_SIZE)
		return;
	head.size = record->size;
	memcpy(message, &head, sizeof head);
	memcpy(message + sizeof head, record->text, head.size);
	if (write(orphans->told_fd, message, sizeof head + head.size) < 0)
		return;
}

void orphans_tell(struct orphans *orphans, pid_t pid)
{
	struct rusage used;

	if (ended(P_PID, pid, &used) == pid)
		tell(orphans, pid, &used);
}

/* False: somebody else waits for it. */
static bool bury(
	struct orphans *orphans, pid_t pid, enum child child, const struct rusage *used)
{
	if (child == CHILD_AWAITED)
		return false;
	if (child == CHILD_ORPHAN)
		tell(orphans, pid, used);
	(void)waitpid(pid, NULL, WNOHANG);
	return true;
}

/* The next number of a list, and what is behind it; 0: there is none. */
static pid_t next_pid(char **rest)
{
	return (pid_t)strtol(*rest, rest, 10);
}

/* Each in the list, as the one that the kernel names is somebody else's. */
static void bury_all(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context)
{
	struct record list = {0};
	struct rusage used;
	char *rest;
	pid_t pid;

	if (record_again(&list, orphans->children_fd, RECORD_PIECES) > 0) {
		/* There was room for more. */
		list.text[list.size] = '\0';
		for (rest = list.text; (pid = next_pid(&rest)) > 0;)
			if (ended(P_PID, pid, &used) == pid)
				(void)bury(orphans, pid, child_is(context, pid), &used);
	}
	record_release(&list);
}

void orphans_bury(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context)
{
	struct rusage used;
	pid_t pid;

	if (orphans->children_fd < 0)
		return;
	while ((pid = ended(P_ALL, 0, &used)) != 0)
		if (!bury(orphans, pid, child_is(context, pid), &used)) {
			/* It is the first for as long as nobody waits for it. */
			bury_all(orphans, child_is, context);
			return;
		}
}

static bool take(int fd, void *to, size_t size)
{
	return read(fd, to, size) == (ssize_t)size;
}

/* The next one; false: there is none yet. */
static bool orphans_hear(int heard_fd, struct obituary *obituary)
{
	struct head head;

	if (heard_fd < 0 || !take(heard_fd, &head, sizeof head))
		return false;
	/* Who was killed while it heard half of one has left the other half: what is
	 * told then makes no sense any more. */
	if (head.pid <= 0 || head.size > sizeof obituary->text ||
		head.usage_size > head.size ||
		!take(heard_fd, obituary->text, head.size)) {
		while (read(heard_fd, obituary->text, sizeof obituary->text) > 0)
			continue;
		return false;
	}
	obituary->pid = head.pid;
	obituary->size = head.size;
	obituary->usage_size = head.usage_size;
	return true;
}

/*
 * Records what the kernel says of each process of a tree: per sample a marker line
 * with the three clocks, the id of the first process, how many ticks of CPU time make
 * a second, and of more than a tree the level; then for each process "> PID/FILE" and
 * the kernel's own lines of that file, for stat, statm, io, status and, from time to
 * time, smaps_rollup; last a line that says how many processes they were: a sample
 * without it was cut. Orphans that have ended since the last sample are among them,
 * with their last stat and io; rusage, of them and of COMMAND, is the most memory that
 * they or one that they waited for had.
 *
 * stat comes first, and says whether the process is still the same. Of status and
 * smaps_rollup those lines are kept that the other files don't have and that change.
 * These and statm are those of another thread where the first one has ended.
 */

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

static int record_tree_take(void *context)
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
			ticker_sample(&ticker, record_tree_take, &sampler) != 0;
	if (!failed) {
		recording_ready(recording);
		failed = ticker_keep(&ticker, recording->stop_fd, record_tree_take,
				 &sampler) != 0;
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

/*
 * Which logs of processes a recording has: that of the tree around it, and those of
 * the levels beside it.
 */

static const struct {
	const char *name, *level;
	enum tree_scope scope;
} tree_logs[TREE_LOGS] = {
	[TREE_LOG] = {"processes.log", NULL, TREE_ALONE},
	[USER_LOG] = {"processes-user.log", "user", TREE_USER},
	[JOB_LOG] = {"processes-job.log", "slurm", TREE_JOB},
};

const char *tree_log_name(enum tree_log log)
{
	return tree_logs[log].name;
}

bool tree_log_is_wanted(enum tree_log log, const struct plan *plan)
{
	if (plan->command == NULL && plan->pid <= 0)
		return false;
	return log == TREE_LOG || (log == USER_LOG && plan->whole_user) ||
		(log == JOB_LOG && plan->batch_job != NULL);
}

void tree_log_plan(enum tree_log log, struct tree_job *job, const struct plan *plan,
	pid_t root, const struct instant *started, const struct orphans *orphans)
{
	job->interval_ns = plan->interval_ns;
	job->root = root;
	job->scope = tree_logs[log].scope;
	if (log == TREE_LOG && plan->whole_session)
		job->scope = TREE_SESSION;
	job->batch_job = plan->batch_job;
	job->level = tree_logs[log].level;
	job->adopts = plan->command != NULL && orphans->children_fd >= 0;
	job->obituaries_fd =
		log == TREE_LOG && plan->command != NULL ? orphans->heard_fd : -1;
	job->before = plan->command != NULL ? started : NULL;
}

/* The kernel counts how often a thread gave up its CPU of itself, in /proc. */

/* How often a thread has gone to sleep; 0: not known. */
static unsigned long long sleeps_of_thread(int tasks_fd, pid_t thread)
{
	unsigned long long sleeps = 0;
	char text[4096];

	(void)proc_text(tasks_fd, thread, "status", text, sizeof text);
	(void)proc_number(text, "\nvoluntary_ctxt_switches:", 10, &sleeps);
	return sleeps;
}

unsigned long long sleeps_of(pid_t pid)
{
	const struct dirent *thread;
	unsigned long long sleeps = 0;
	char path[32];
	DIR *tasks;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && (thread = readdir(tasks)) != NULL)
		if (thread->d_name[0] != '.')
			sleeps += sleeps_of_thread(
				dirfd(tasks), (pid_t)strtol(thread->d_name, NULL, 10));
	if (tasks != NULL)
		(void)closedir(tasks);
	return sleeps;
}
