/*
 * Which processes belong to the one that is recorded: it, its descendants, and those
 * of its session, its user or its job. A process that has been met stays until it
 * ends, also where its parent has ended before it. One that gets the id of another
 * that has ended is told from that by its start time. Must not know what is recorded
 * of them.
 */
#ifndef COLLECT_TREE_H
#define COLLECT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host.h"
#include "plan.h"
#include "recorder.h"
#include "run_dir.h"
#include "ticker.h"

/* Whose processes they are, beside those that come from the root. */
enum tree_scope {
	TREE_ALONE,
	TREE_SESSION,
	TREE_USER, /* the real user's of the root, and its descendants whosever they are;
		      none of the kernel's own */
	TREE_JOB /* of the batch system, see struct job */
};

#define MEMBER_FILES 4

struct member {
	pid_t pid;
	pid_t spokesman; /* whose memory is read, for who records it */
	uint64_t started; /* in ticks since boot: the kernel's 22nd word of stat */
	int64_t rolled_ns; /* CLOCK_MONOTONIC when its smaps_rollup was read; 0: never */
	bool of_root; /* it, or a descendant */
	bool ended;
	int fd[MEMBER_FILES]; /* of its files, for who records them: closed when it
				 leaves; -1: none */
};

struct tree {
	int proc_fd;
	pid_t root;
	pid_t spared; /* never a member: the supervisor, whose recorders belong to none of
			 the scopes either; 0: none */
	bool adopts; /* who was orphaned and is the supervisor's child now is a member */
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
 * Records what the kernel says of each process of a tree, at equal distances of time.
 */

struct tree_job {
	struct raw_log log;
	int64_t interval_ns;
	pid_t root; /* the process whose tree it is, with more of */
	enum tree_scope scope;
	const char *batch_job; /* for TREE_JOB; borrowed */
	const char *level; /* that the log is of, for the markers; NULL: the tree */
	const struct instant
		*before; /* when there was none of it yet; NULL: it was there */
	bool adopts; /* who is orphaned stays in the tree */
	int obituaries_fd; /* where orphans_hear tells of those that have ended; -1: none
			    */
};

/* A recorder's body; job is a struct tree_job. */
recorder_body record_tree;

/*
 * Processes whose parent has ended before them, as what becomes a daemon: they become
 * this process's children instead of process 1's, for as long as it lives. So they
 * stay in the tree, and what the kernel knows of each at its end is told before it is
 * forgotten: CPU time and bytes, its last as well as those of a process that came and
 * went between two samples.
 */

struct orphans {
	int children_fd; /* the kernel's list of them; -1: it has none, and they go to
			    process 1 as ever */
	int told_fd, heard_fd; /* a pipe; -1: nothing can be told */
	struct record record;
};

/* Becomes who they come to, unless there is a terminal, to which that makes a difference.
 */
void orphans_adopt(struct orphans *orphans);
void orphans_release(struct orphans *orphans);

/* What a child of this process is. */
enum child {
	CHILD_AWAITED, /* somebody else waits for it */
	CHILD_STRAY, /* nobody does, or wants to know of it */
	CHILD_ORPHAN
};

/* Buries strays and orphans that have ended, and tells of each of the latter. */
void orphans_bury(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context);

/* Tells of a child that has ended and is buried by somebody else, later. */
void orphans_tell(struct orphans *orphans, pid_t pid);

/*
 * Which logs of processes a recording has: that of the tree around it, and those of
 * the levels beside it.
 */

enum tree_log {
	TREE_LOG,
	USER_LOG,
	JOB_LOG,
	TREE_LOGS
};

const char *tree_log_name(enum tree_log log);
bool tree_log_is_wanted(enum tree_log log, const struct plan *plan);

/*
 * Fills the job of a log in, but for the log itself. root: of the tree; started: when the
 * command did; orphans: what is told of them, borrowed.
 */
void tree_log_plan(enum tree_log log, struct tree_job *job, const struct plan *plan,
	pid_t root, const struct instant *started, const struct orphans *orphans);

/*
 * To which job of a batch system a process belongs: what its environment says, or its
 * control group.
 */

#define JOB_VARIABLE "SLURM_JOB_ID"

/*
 * Whether a process goes on that says nothing: one that loops goes to sleep again and
 * again, one that hangs no more.
 */

/* How often it has gone to sleep in any of its threads; 0: not known. */
unsigned long long sleeps_of(pid_t pid);

#endif
