/*
 * Records what the kernel says of each process of a tree, at equal distances of time.
 * This room must not know what the numbers mean, nor who belongs to the tree.
 */
#ifndef COLLECT_RECORD_TREE_H
#define COLLECT_RECORD_TREE_H

#include "clock.h"
#include "raw_log.h"
#include "recorder.h"
#include "tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
