/*
 * Which processes belong to the one that is recorded: it, its descendants, and those
 * of its session, its user or its job; and samples of what the kernel says of them. A
 * process that has been met stays until it ends, also where its parent has ended before
 * it. One that gets the id of another that has ended is told from that by its start time.
 */
#ifndef COLLECT_TREE_H
#define COLLECT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock.h"
#include "host.h"
#include "log.h"
#include "plan.h"

/*
 * Fills text with what fits of PID/NAME in that directory, a /proc, and ends it. The
 * bytes; 0 and "" where it can't be read.
 */
size_t proc_text(int proc_fd, pid_t pid, const char *name, char *text, size_t size);

/* Opens /proc. Returns -1 where it is that of another pid namespace. */
int proc_open_ours(void);

/* Whose processes they are, beside those that come from the root. */
enum tree_scope {
	TREE_ALONE,
	TREE_SESSION,
	TREE_USER, /* the real user's of the root, and its descendants whosever they are;
		      none of the kernel's own */
	TREE_JOB /* of the batch system */
};

/* What says to which job of a batch system a process belongs, beside its control group.
 */
#define JOB_VARIABLE "SLURM_JOB_ID"

#define MEMBER_FILES 4

struct member {
	pid_t pid;
	uint64_t started; /* in ticks since boot: the kernel's 22nd word of stat */
	int64_t rolled_ns; /* CLOCK_MONOTONIC when its smaps_rollup was read; 0: never */
	bool of_root; /* it, or a descendant */
	bool ended;
	int fd[MEMBER_FILES]; /* of its files, closed when it leaves; -1: not open */
};

struct tree {
	int proc_fd;
	pid_t root;
	pid_t spared; /* never a member: collect; 0: none */
	const pid_t *tool; /* the sessions of programs that collect runs, [tools] */
	size_t tools;
	bool adopts; /* who was orphaned and is collect's child now is a member */
	enum tree_scope scope;
	const char *job; /* its id, for TREE_JOB; borrowed */
	bool has_root; /* it was seen, and the following is its */
	uint64_t started;
	pid_t session;
	uid_t user;
	struct member *member; /* ascending pids */
	size_t count, capacity;
	size_t open_files; /* of all members */
	int last_fd; /* of /proc/loadavg; -1: it does not say the last pid */
	pid_t last[2]; /* the last pid that was given, at the last look and the one before
			  that; 0: not known */
	int64_t looked_ns, all_ns; /* CLOCK_MONOTONIC of the last look, and of the last
				      one at all processes; 0: there was none */
	pid_t *fresh; /* the processes of a look that are to be asked who they are */
	size_t fresh_count, fresh_capacity;
};

/* proc_fd is borrowed. job: see there. Returns 0, or -1 with errno. */
int tree_open(struct tree *tree, int proc_fd, pid_t root, enum tree_scope scope,
	const char *job);
void tree_close(struct tree *tree);

/* Lets go of the members that have ended, and looks who has come. */
void tree_look(struct tree *tree);

/*
 * Says whether text, of that size, as it was read from stat, is of this member and not of
 * another process that has its id.
 */
bool tree_is_member(const struct member *member, const char *text, size_t size);

/*
 * Was the id given since the look before the last? An id is given before its process is
 * there, so that the last look may not have seen one that was given right before it.
 */
bool tree_id_is_fresh(const struct tree *tree, pid_t now, pid_t pid);

/* Must all processes be looked at, not only those that are new? */
bool tree_must_see_all(struct tree *tree);

/*
 * Processes whose parent has ended before them, as what becomes a daemon: they become
 * this process's children instead of process 1's, for as long as it lives. So they
 * stay in the tree, and what the kernel knows of each at its end is kept for the next
 * sample: CPU time and bytes, its last as well as those of a process that came and
 * went between two samples.
 */
struct orphans {
	int children_fd; /* the kernel's list of them; -1: it has none, and they go to
			    process 1 as ever */
	int proc_fd; /* of /proc; borrowed */
	struct record told, list;
	size_t count; /* of those of whom it is told */
};

/* Becomes who they come to, unless there is a terminal, to which that makes a difference.
 */
void orphans_adopt(struct orphans *orphans, int proc_fd);
void orphans_release(struct orphans *orphans);

/*
 * Buries those that have ended, and keeps what is to be told of them; of one of the
 * sessions nothing. Leaves alone whom is_awaited(context) names.
 */
void orphans_bury(struct orphans *orphans, const pid_t *session, size_t sessions,
	bool (*is_awaited)(const void *context, pid_t pid), const void *context);

/* Keeps what a child has used that has ended and that somebody else buries. */
void orphans_tell_usage(struct orphans *orphans, pid_t pid);

/* The logs of processes: that of the tree around the command, and levels beside it. */
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
	struct orphans *orphans; /* NULL: of nobody it is told */
	struct record record;
	size_t open_files_most; /* how many of its members' files may stay open */
	size_t rolls; /* how many turns at smaps_rollup there were */
	int64_t saved_ns; /* of a core's time, for smaps_rollup; below 0: owed */
	int64_t looked_ns;
};

bool tree_log_is_wanted(enum tree_log log, const struct plan *plan);

/* Of processes that come from the root; its log, whose file is the caller's to make,
 * takes the samples. proc_fd, of /proc, is borrowed. Returns 0, or -1 with errno. */
int tree_job_open(struct tree_job *job, enum tree_log kind, const struct plan *plan,
	int proc_fd, pid_t root);

/* What COMMAND does until the first look at it would be lost without a sample of nothing
 * before. */
void tree_job_sample_none(struct tree_job *job, const struct instant *when);

#endif
