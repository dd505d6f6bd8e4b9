/*
 * Which processes belong to the one that is recorded.
 *
 * Only new processes are looked at: the kernel says which id it gave last, and gives ids
 * in a circle, so what has come since the last look has an id behind that. So a look at
 * a machine with thousands of processes costs no more than at a quiet one. All are looked
 * at where so much time has passed that the circle may have closed, and from time to time
 * where a process may become a member later, as one that changes its user.
 *
 * This room must not know what is recorded of them.
 */
#include "tree.h"

#include "clock.h"
#include "job.h"
#include "proc_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

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

bool tree_has(const struct tree *tree, pid_t pid)
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

/*
 * Was the id given since the look before the last? One that was given right before the
 * last look may not have been seen then: it is given before the process is there.
 */
static bool is_fresh(const struct tree *tree, pid_t now, pid_t pid)
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

		if (pid > 0 && is_fresh(tree, now, pid))
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

/* Must all processes be looked at, not only those that have come? */
static bool must_see_all(struct tree *tree)
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

	if (must_see_all(tree))
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
