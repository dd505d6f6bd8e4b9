/*
 * Which processes belong to the one that is recorded: it, its descendants, and those of
 * its session, its user or its job. A process that has been met stays until it ends, also
 * where its parent has ended before it. One that gets the id of another that has ended is
 * told from that by its start time.
 * This room must not know what is recorded of them.
 */
#ifndef COLLECT_TREE_H
#define COLLECT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose processes they are, beside those that come from the root. */
enum tree_scope {
	TREE_ALONE,
	TREE_SESSION,
	TREE_USER, /* the real user's of the root, and its descendants whosever they are;
		      none of the kernel's own */
	TREE_JOB /* of the batch system, see job.h */
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

/* Is a process a member that has not ended? */
bool tree_has(const struct tree *tree, pid_t pid);

/*
 * Says whether text, of that size, as it was read from stat, is of this member and not of
 * another process that has its id.
 */
bool tree_is_member(const struct member *member, const char *text, size_t size);

#endif
