/*
 * Who belongs to the tree of processes that collect records, in a made-up /proc: one that
 * says no last pid, so that all processes are looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/base.h"
#include "collect/tree.h"

struct made_proc {
	char dir[32];
	int fd;
	struct tree tree;
};

static void put_file(const struct made_proc *proc, const char *path, const char *text)
{
	int fd = openat(proc->fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void put_process(const struct made_proc *proc, int pid, int parent, int session,
	int started, const char *name)
{
	char path[64], text[256];

	snprintf(path, sizeof path, "%d", pid);
	(void)mkdirat(proc->fd, path, 0777);
	snprintf(path, sizeof path, "%d/stat", pid);
	snprintf(text, sizeof text,
		"%d (%s) S %d %d %d 0 -1 0 1 1 1 1 1 1 1 1 20 0 1 0 %d 1 1\n", pid, name,
		parent, pid, session, started);
	put_file(proc, path, text);
	snprintf(path, sizeof path, "%d/status", pid);
	snprintf(text, sizeof text, "Name:\tsh\nTgid:\t%d\nPid:\t%d\n", pid, pid);
	put_file(proc, path, text);
}

/* Whose it is; environment: with its NULs. */
static void put_owner(const struct made_proc *proc, int pid, int user,
	const char *environment, size_t size)
{
	char path[64], text[256];
	int fd;

	snprintf(path, sizeof path, "%d/status", pid);
	snprintf(text, sizeof text, "Name:\tsh\nTgid:\t%d\nPid:\t%d\nUid:\t%d\t0\t0\t0\n",
		pid, pid, user);
	put_file(proc, path, text);
	snprintf(path, sizeof path, "%d/environ", pid);
	fd = openat(proc->fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, environment, size), size);
	close(fd);
}

static void end_process(const struct made_proc *proc, int pid)
{
	char path[64];

	snprintf(path, sizeof path, "%d/stat", pid);
	assert_int_equal(unlinkat(proc->fd, path, 0), 0);
	snprintf(path, sizeof path, "%d/status", pid);
	assert_int_equal(unlinkat(proc->fd, path, 0), 0);
	snprintf(path, sizeof path, "%d/environ", pid);
	(void)unlinkat(proc->fd, path, 0);
	snprintf(path, sizeof path, "%d", pid);
	assert_int_equal(unlinkat(proc->fd, path, AT_REMOVEDIR), 0);
}

static void begin(struct made_proc *proc, enum tree_scope scope)
{
	strcpy(proc->dir, "/tmp/collect_tree.XXXXXX");
	assert_non_null(mkdtemp(proc->dir));
	proc->fd = open(proc->dir, O_RDONLY | O_DIRECTORY);
	assert_true(proc->fd >= 0);
	put_file(proc, "loadavg", "0.00 0.00 0.00 1/2 1\n");
	tree_open(&proc->tree, proc->fd, 100, scope, "4711");
}

static void finish(struct made_proc *proc)
{
	static const int pids[] = {1, 50, 90, 99, 100, 101, 102, 103, 104};
	char path[64];

	free(proc->tree.member);
	free(proc->tree.candidate);
	fd_close(&proc->tree.loadavg_fd);
	for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
		snprintf(path, sizeof path, "%d", pids[i]);
		if (faccessat(proc->fd, path, F_OK, 0) == 0)
			end_process(proc, pids[i]);
	}
	assert_int_equal(unlinkat(proc->fd, "loadavg", 0), 0);
	close(proc->fd);
	assert_int_equal(rmdir(proc->dir), 0);
}

/* Looks as the recorder does: reads the stat of each member, and notes who has ended. */
static void look(struct made_proc *proc)
{
	tree_look(&proc->tree);
	for (size_t i = 0; i < proc->tree.count; i++) {
		struct member *member = &proc->tree.member[i];
		char text[1024];
		size_t size = proc_text(
			proc->tree.proc_fd, member->pid, "stat", text, sizeof text);

		member->ended = size == 0 || !tree_is_member(member, text, size);
	}
}

static void expect(const struct made_proc *proc, size_t count, const int pids[])
{
	size_t found = 0;

	for (size_t i = 0; i < proc->tree.count; i++) {
		if (proc->tree.member[i].ended)
			continue;
		assert_true(found < count);
		assert_int_equal(proc->tree.member[i].pid, pids[found]);
		found++;
	}
	assert_int_equal(found, count);
}

/* 50 is a child of 102, though its id is smaller: ids go in a circle. */
static void descendants(void **state)
{
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_ALONE);
	put_process(&proc, 1, 0, 1, 0, "init");
	put_process(&proc, 99, 1, 99, 10, "other");
	put_process(&proc, 100, 1, 99, 11, "a) S 1 (b");
	put_process(&proc, 102, 100, 99, 12, "line\nbreak");
	put_process(&proc, 50, 102, 99, 13, "sh");
	look(&proc);
	expect(&proc, 3, (int[]){50, 100, 102});
	put_process(&proc, 103, 50, 99, 20, "sh");
	look(&proc);
	expect(&proc, 4, (int[]){50, 100, 102, 103});
	finish(&proc);
}

/* A child whose parent has ended is init's by name, and ours by what we know. */
static void orphan(void **state)
{
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_ALONE);
	put_process(&proc, 100, 1, 99, 11, "sh");
	put_process(&proc, 101, 100, 99, 12, "sh");
	put_process(&proc, 102, 101, 99, 13, "sh");
	look(&proc);
	end_process(&proc, 101);
	put_process(&proc, 102, 1, 99, 13, "sh");
	look(&proc);
	expect(&proc, 2, (int[]){100, 102});
	put_process(&proc, 103, 102, 99, 30, "sh");
	look(&proc);
	expect(&proc, 3, (int[]){100, 102, 103});
	finish(&proc);
}

/* Who is orphaned becomes collect's child; what it had before is none of ours. */
static void adopted(void **state)
{
	struct made_proc proc;

	(void)state;
	for (int adopts = 0; adopts < 2; adopts++) {
		begin(&proc, adopts ? TREE_USER : TREE_ALONE);
		proc.tree.spared = 99;
		proc.tree.adopts = true;
		put_process(&proc, 90, 99, 90, 10, "before");
		put_process(&proc, 99, 1, 99, 10, "collect");
		put_process(&proc, 100, 99, 99, 11, "sh");
		put_process(&proc, 102, 99, 102, 11, "daemon");
		put_process(&proc, 103, 102, 102, 12, "its child");
		for (int pid = 90; pid <= 103; pid += pid == 90 ? 9 : 1)
			if (pid != 101)
				put_owner(&proc, pid, 5, "", 0);
		look(&proc);
		expect(&proc, 3, (int[]){100, 102, 103});
		finish(&proc);
	}
	begin(&proc, TREE_ALONE);
	proc.tree.spared = 99;
	put_process(&proc, 100, 99, 99, 11, "sh");
	put_process(&proc, 102, 99, 102, 12, "nvidia-smi");
	look(&proc);
	expect(&proc, 1, (int[]){100});
	finish(&proc);
}

/* A line that is cut says nothing of who it is; the name may look like one. */
static void cut_lines(void **state)
{
	static const char line[] =
		"7 (a) S 1 (b) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
		"20 21 22 23\n";
	const struct member member = {.pid = 7, .started = 22};
	size_t whole = strlen(line) - strlen(" 23\n");

	(void)state;
	assert_true(tree_is_member(&member, line, strlen(line)));
	assert_true(tree_is_member(&member, line, whole));
	for (size_t size = 0; size < whole; size++)
		assert_false(tree_is_member(&member, line, size));
	assert_false(tree_is_member(&member, "7 (a) S 1\n", 10));
}

/* Another process gets the id of a child that has ended: it is none of ours. */
static void id_again(void **state)
{
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_ALONE);
	put_process(&proc, 100, 1, 99, 11, "sh");
	put_process(&proc, 101, 100, 99, 12, "sh");
	look(&proc);
	put_process(&proc, 101, 1, 101, 40, "other");
	look(&proc);
	expect(&proc, 1, (int[]){100});
	look(&proc);
	expect(&proc, 1, (int[]){100});
	/* or a further child of ours */
	put_process(&proc, 101, 100, 99, 50, "sh");
	look(&proc);
	expect(&proc, 2, (int[]){100, 101});
	finish(&proc);
}

static void session(void **state)
{
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_SESSION);
	put_process(&proc, 90, 1, 77, 5, "other");
	put_process(&proc, 99, 1, 99, 10, "shell");
	put_process(&proc, 100, 99, 99, 11, "sh");
	put_process(&proc, 101, 1, 99, 12, "left");
	put_process(&proc, 102, 100, 102, 13, "setsid");
	put_process(&proc, 103, 99, 99, 13, "collect");
	proc.tree.spared = 103;
	look(&proc);
	expect(&proc, 4, (int[]){99, 100, 101, 102});
	finish(&proc);
}

static void user(void **state)
{
	static const int users[][2] = {{50, 5}, {90, 7}, {99, 5}, {100, 5}, {101, 5},
		{102, 7}, {103, 5}, {104, 5}};
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_USER);
	put_process(&proc, 90, 1, 77, 5, "another's");
	put_process(&proc, 99, 1, 99, 10, "its shell");
	put_process(&proc, 100, 103, 99, 11, "sh");
	put_process(&proc, 101, 1, 101, 12, "its other shell");
	put_process(&proc, 102, 100, 99, 13, "became another's");
	put_process(&proc, 103, 99, 99, 13, "collect");
	put_process(&proc, 104, 103, 104, 13, "script around nvidia-smi");
	put_process(&proc, 50, 104, 104, 14, "nvidia-smi");
	for (size_t i = 0; i < sizeof users / sizeof *users; i++)
		put_owner(&proc, users[i][0], users[i][1], "", 0);
	put_file(&proc, "101/stat",
		"101 (kworker) S 1 0 101 0 -1 2097152 1 1 1 1 1 1 1 1 20 0 1 0 12 1 1\n");
	proc.tree.spared = 103;
	proc.tree.tool = (const pid_t[]){0, 104};
	proc.tree.tools = 2;
	look(&proc);
	expect(&proc, 3, (int[]){99, 100, 102});
	finish(&proc);
}

/* An entry of the environment, whole, wherever in it. */
static void job(void **state)
{
	static const char other[] = "SLURM_JOB_ID=47110\0SLURM_JOB_ID=471",
			  within[] = "XSLURM_JOB_ID=4711\0A=SLURM_JOB_ID=4711";
	static char late[9000];
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_JOB);
	for (int pid = 99; pid <= 103; pid++)
		put_process(&proc, pid, 1, pid, pid, "sh");
	memset(late, 'a', sizeof late);
	memcpy(late + 4090, "\0SLURM_JOB_ID=4711", 19);
	put_owner(&proc, 99, 5, "SLURM_JOB_ID=4711", 18);
	put_owner(&proc, 100, 5, "", 0);
	put_owner(&proc, 101, 5, other, sizeof other);
	put_owner(&proc, 102, 5, within, sizeof within);
	put_owner(&proc, 103, 5, late, sizeof late);
	look(&proc);
	expect(&proc, 3, (int[]){99, 100, 103});
	finish(&proc);
}

/* What another user does below a process of this one's is not this one's. */
static void child_of_users(void **state)
{
	static const int users[][2] = {
		{99, 5}, {100, 5}, {101, 6}, {102, 6}, {103, 5}, {104, 6}};
	struct made_proc proc;

	(void)state;
	begin(&proc, TREE_USER);
	put_process(&proc, 99, 1, 99, 10, "its shell");
	put_process(&proc, 100, 99, 99, 11, "sh");
	put_process(&proc, 101, 99, 99, 12, "su");
	put_process(&proc, 102, 100, 99, 12, "COMMAND's");
	put_process(&proc, 103, 101, 99, 13, "its own again");
	put_process(&proc, 104, 102, 99, 13, "COMMAND's");
	for (size_t i = 0; i < sizeof users / sizeof *users; i++)
		put_owner(&proc, users[i][0], users[i][1], "", 0);
	look(&proc);
	look(&proc);
	expect(&proc, 5, (int[]){99, 100, 102, 103, 104});
	put_owner(&proc, 101, 5, "", 0);
	look(&proc);
	expect(&proc, 6, (int[]){99, 100, 101, 102, 103, 104});
	put_owner(&proc, 103, 7, "", 0);
	put_owner(&proc, 100, 7, "", 0);
	look(&proc);
	expect(&proc, 6, (int[]){99, 100, 101, 102, 103, 104});
	finish(&proc);
}

/* The circle of ids may have closed, and a process may become a member later. */
static void all_again(void **state)
{
	struct tree tree = {.all_ns = clock_mono_ns(), .scope = TREE_USER};

	(void)state;
	assert_false(tree_begin_full_look(&tree));
	tree.all_ns -= 11 * NS_PER_S;
	assert_true(tree_begin_full_look(&tree));
	assert_false(tree_begin_full_look(&tree));
	/* Nobody becomes a descendant later. */
	tree.scope = TREE_ALONE;
	tree.all_ns -= 50 * NS_PER_S;
	assert_false(tree_begin_full_look(&tree));
	tree.all_ns -= 11 * NS_PER_S;
	assert_true(tree_begin_full_look(&tree));
}

/* Ids go in a circle: what came since the look before the last. */
static void new_ids(void **state)
{
	struct tree tree = {.newest = 900, .since = 800};

	(void)state;
	assert_true(tree_id_is_new(&tree, 950, 801));
	assert_true(tree_id_is_new(&tree, 950, 950));
	assert_false(tree_id_is_new(&tree, 950, 800));
	assert_false(tree_id_is_new(&tree, 950, 951));
	assert_true(tree_id_is_new(&tree, 20, 801));
	assert_true(tree_id_is_new(&tree, 20, 20));
	assert_false(tree_id_is_new(&tree, 20, 21));
	tree.since = 0;
	assert_true(tree_id_is_new(&tree, 950, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descendants),
		cmocka_unit_test(orphan),
		cmocka_unit_test(adopted),
		cmocka_unit_test(cut_lines),
		cmocka_unit_test(id_again),
		cmocka_unit_test(session),
		cmocka_unit_test(user),
		cmocka_unit_test(job),
		cmocka_unit_test(child_of_users),
		cmocka_unit_test(all_again),
		cmocka_unit_test(new_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
