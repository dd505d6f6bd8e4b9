/*
 * The processes of a recording: the root (COMMAND, or --pid), its descendants, and those
 * of its session, its user or its job; and logs of what the kernel says of them. A
 * process that was seen stays a member until it ends, also if its parent ends before. Its
 * start time tells it from a later process with the same id.
 */
#ifndef COLLECT_TREE_H
#define COLLECT_TREE_H

#include <sys/resource.h>

#include "base.h"
#include "command.h"
#include "host.h"
#include "log.h"
#include "plan.h"

/* Fills text with what fits of PID/NAME in that /proc, and terminates it. Returns the
 * bytes; 0 if it can't be read. */
size_t proc_text(int proc_fd, pid_t pid, const char *name, char *text, size_t size);

/* Appends PID/NAME of that /proc, which comes in pieces. Returns its bytes, or -1. */
ssize_t proc_append(struct record *record, int proc_fd, pid_t pid, const char *name);

/* Does it live: is it there, and no zombie? One whose main thread ended has others. */
bool process_lives(int proc_fd, pid_t pid);

/* Is that the id of a process, and not of another thread of one? */
bool is_process(int proc_fd, pid_t pid);

/* Ties the process groups of the process and its descendants; then cuts the leash. */
void leash_tie_below(struct leash *leash, int proc_fd, pid_t root);
void leash_end(struct leash *leash, int proc_fd, pid_t root);

/* Opens /proc. Returns -1 if it is that of another pid namespace. */
int proc_open_ours(void);

/* Which processes are members, besides the root and its descendants. */
enum tree_scope {
	TREE_ALONE,
	TREE_SESSION,
	TREE_USER, /* those of the root's real user, except kernel threads */
	TREE_JOB /* of the batch system */
};

#define MEMBER_FILES 4

struct member {
	pid_t pid;
	uint64_t started; /* in ticks since boot: the kernel's 22nd word of stat */
	int64_t rolled_ns; /* CLOCK_MONOTONIC when its smaps_rollup was read; 0: never */
	bool of_root; /* the root, or a descendant */
	bool ended;
	int fd[MEMBER_FILES]; /* of its files, closed when it leaves; -1: not open */
};

struct tree {
	int proc_fd;
	pid_t root;
	pid_t spared; /* never a member: collect; 0: none */
	const pid_t *tool; /* the sessions of programs that collect runs, [tools] */
	size_t tools;
	bool adopts; /* orphans of the root become children of collect */
	enum tree_scope scope;
	const char *job; /* its id, for TREE_JOB; borrowed */
	bool has_root; /* it was seen, and the following is its */
	uint64_t started;
	pid_t session;
	uid_t user;
	struct member *member; /* ascending pids, as readers expect */
	size_t count, capacity;
	int loadavg_fd; /* which says the newest id; -1: it does not */
	pid_t newest; /* the id that was given last, at the last look; 0: not known */
	pid_t since; /* the same, at the look before that: later ids are looked at */
	int64_t all_ns; /* CLOCK_MONOTONIC of the last look at all processes */
	pid_t *candidate; /* those that were refused at the last look, then new ones */
	size_t refused, candidates, candidate_capacity;
};

/* proc_fd and job are borrowed. */
void tree_open(struct tree *tree, int proc_fd, pid_t root, enum tree_scope scope,
	const char *job);

/* Removes the members that have ended, and adds new ones. */
void tree_look(struct tree *tree);

/* Is this text, read from stat, of this member, and not of a later process of its id? */
bool tree_is_member(const struct member *member, const char *text, size_t size);

/* Was the id given since the look before the last? The last look may have missed one that
 * was given just before it: an id is given before its process exists. */
bool tree_id_is_new(const struct tree *tree, pid_t now, pid_t pid);

/* Is it time to look at all processes, not only at new ones? Then the look is noted. */
bool tree_begin_full_look(struct tree *tree);

/* From now on processes that lose their parent, as daemons do, become children of this
 * process, so that they stay in the tree. Returns whether they do: not at a terminal. */
bool orphans_adopt(void);

/* A child that has ended and was not waited for, and what it used; 0: there is none. */
pid_t child_ended(struct rusage *used);

/* The logs of processes: that of the tree around the command, and of more processes. */
enum tree_log {
	TREE_LOG,
	USER_LOG,
	JOB_LOG,
	TREE_LOGS
};

struct tree_job {
	struct log log;
	enum tree_log kind;
	struct tree tree;
	struct record record;
	struct record ended; /* of processes that have ended since the last sample */
	size_t ended_count;
	int kept_below; /* files of its members with lower descriptors stay open */
	size_t rolls; /* how many turns at smaps_rollup there were */
	int64_t saved_ns; /* CPU time left for smaps_rollup; below 0: overspent */
	int64_t looked_ns;
};

/* Opens a log of processes around the root. The caller creates its file. proc_fd is
 * borrowed. */
void tree_job_open(struct tree_job *job, enum tree_log kind, const struct plan *plan,
	int proc_fd, pid_t root);

/* A sample without processes, from just before COMMAND began: else what COMMAND does
 * until its first sample would be unknown. */
void tree_job_sample_none(struct tree_job *job, const struct instant *when);

/* Adds to the next sample the last numbers of a child that has ended and was not waited
 * for yet, unless it is a vendor's tool. */
void tree_job_child_ended(struct tree_job *job, pid_t pid, const struct rusage *used);

#endif
