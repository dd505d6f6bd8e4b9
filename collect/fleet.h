/*
 * All recorders of a recording, from the first one's start to the last one's end: which
 * logs there are, what happens to one that is killed, stopped or has nothing more to
 * record.
 * This room must not know of COMMAND, nor what is written.
 */
#ifndef COLLECT_FLEET_H
#define COLLECT_FLEET_H

#include "host_logs.h"
#include "orphans.h"
#include "plan.h"
#include "record_proc.h"
#include "record_smi.h"
#include "record_tree.h"
#include "recorder.h"
#include "tree_logs.h"
#include "troubles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RECORDERS_MAX = HOST_LOGS + TREE_LOGS + SMI_LOGS
};

/* What a recorder does, should it have to be started anew. */
struct task {
	recorder_body *body;
	void *job;
	struct raw_log *log; /* in the job */
};

/* The first part is the caller's, before fleet_start; the rest is zeroed. */
struct fleet {
	const struct plan *plan;
	int dir_fd; /* of the recording */
	int64_t origin_ns; /* of the ticks of all, on CLOCK_MONOTONIC */
	_Atomic int64_t *room; /* of all logs, shared with the recorders; NULL: any */
	struct troubles *troubles;

	/*
	 * [count] those of nvidia-smi that COMMAND does not wait for; from leads_at on
	 * those that it begins and ends with, the host's last, that of /proc/stat first;
	 * those of trees.
	 */
	struct recorder recorders[RECORDERS_MAX];
	struct task task[RECORDERS_MAX]; /* of each of them */
	size_t count;
	size_t stopped; /* of them, the last ones first */
	size_t leads_at, host_at;
	size_t tree_at; /* the first of them that records a tree, once these start */
	bool no_room; /* why it could not start */
	bool foreign; /* /proc has other processes by the ids that are ours */
	struct proc_job host[HOST_LOGS];
	struct smi_job smi[SMI_LOGS];
	struct tree_job tree[TREE_LOGS];
};

/*
 * Makes all logs, and starts what takes its time until its first row: nvidia-smi. Returns
 * 0; or says why not and returns -1.
 */
int fleet_start(struct fleet *fleet);

/*
 * Waits for the first rows of those that lead, and no longer: what is recorded before
 * COMMAND begins is none of it. As recorders_await.
 */
int fleet_await(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals);

/* Starts those of the host. Returns 0; or says why not and returns -1. */
int fleet_start_hosts(struct fleet *fleet);

/*
 * Starts those of trees. One that can't is said; the rest is recorded all the same, as
 * COMMAND runs already. For the arguments see tree_log_plan.
 */
void fleet_start_trees(struct fleet *fleet, pid_t root, const struct instant *started,
	const struct orphans *orphans);

/* Removes their logs instead. */
void fleet_without_trees(struct fleet *fleet);

/*
 * One that was killed is started anew, and one that was stopped goes on; one that gave up
 * has said why.
 */
void fleet_watch(struct fleet *fleet);

/* Is nothing recorded any more? One that has nothing to say would not notice. */
bool fleet_is_over(const struct fleet *fleet);

/* Whose child of this process is it? CHILD_ORPHAN: none of a recorder. */
enum child fleet_child(const struct fleet *fleet, pid_t pid);

/* Ends those of trees, while what they record is kept for their last sample. */
void fleet_end_trees(struct fleet *fleet);

/*
 * Ends those that lead, as COMMAND has ended; the others are waited for where they have
 * no row yet, until the deadline or a signal that asks for the end.
 */
void fleet_end_leading(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals);

/* Ends all that run, and takes what went wrong. */
void fleet_end(struct fleet *fleet);

#endif
