/*
 * Starts, watches and ends the recorders.
 * This room must not know of COMMAND, nor what is written.
 */
#include "fleet.h"

#include "clock.h"
#include "proc_text.h"
#include "recorder_note.h"
#include "regular.h"
#include "say.h"
#include "smi_logs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How long the tree's recorder may take for its last sample, as COMMAND is kept for it.
 */
#define TREE_STOP_NS (1 * NS_PER_S)

static int create(struct fleet *fleet, struct raw_log *log, const char *name)
{
	if (raw_log_create(log, fleet->dir_fd, name) == 0) {
		log->room = fleet->room;
		return 0;
	}
	fleet->no_room = regular_is_no_room(errno);
	troubles_add(fleet->troubles, "can't record %s/%s: %s", fleet->plan->dir, name,
		strerror(errno));
	return -1;
}

/* Starts one recorder, which has the log from then on. */
static int hand_over(struct fleet *fleet, struct raw_log *log, const char *name,
	recorder_body *body, void *job)
{
	int failed = recorder_start(
		&fleet->recorders[fleet->count], name, fleet->origin_ns, body, job);

	if (failed != 0)
		say("can't record %s/%s: %s", fleet->plan->dir, name, strerror(errno));
	else
		fleet->task[fleet->count++] = (struct task){body, job, log};
	raw_log_close(log);
	return failed;
}

static int hosts_create(struct fleet *fleet)
{
	for (enum host_log log = 0; log < HOST_LOGS; log++) {
		struct proc_job *job = &fleet->host[log];

		if (host_log_plan(log, job, fleet->plan) != 0) {
			say("can't record %s/%s: %s", fleet->plan->dir,
				host_log_name(log), strerror(errno));
			return -1;
		}
		if (create(fleet, &job->log, host_log_name(log)) != 0)
			return -1;
	}
	return 0;
}

static int smis_start(struct fleet *fleet, bool leading)
{
	for (enum smi_log log = 0; log < SMI_LOGS; log++) {
		struct smi_job *job = &fleet->smi[log];

		if (smi_log_leads(log) != leading ||
			!smi_log_plan(log, job, fleet->plan, fleet->dir_fd))
			continue;
		if (create(fleet, &job->log, job->name) != 0 ||
			hand_over(fleet, &job->log, job->name, record_smi, job) != 0)
			return -1;
	}
	return 0;
}

static bool is_wanted(const struct fleet *fleet, enum tree_log log)
{
	return !fleet->foreign && tree_log_is_wanted(log, fleet->plan);
}

static int trees_create(struct fleet *fleet)
{
	fleet->foreign = !proc_is_ours();
	if (fleet->foreign)
		troubles_add(fleet->troubles,
			"no process is recorded in %s: /proc is that of another pid "
			"namespace",
			fleet->plan->dir);
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		if (is_wanted(fleet, log) &&
			create(fleet, &fleet->tree[log].log, tree_log_name(log)) != 0)
			return -1;
	return 0;
}

int fleet_start(struct fleet *fleet)
{
	if (hosts_create(fleet) != 0 || smis_start(fleet, false) != 0)
		return -1;
	fleet->leads_at = fleet->count;
	return smis_start(fleet, true) == 0 && trees_create(fleet) == 0 ? 0 : -1;
}

int fleet_await(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals)
{
	return recorders_await(fleet->recorders + fleet->leads_at,
		fleet->count - fleet->leads_at, deadline_mono_ns, signals);
}

int fleet_start_hosts(struct fleet *fleet)
{
	fleet->host_at = fleet->count;
	for (enum host_log log = 0; log < HOST_LOGS; log++) {
		struct proc_job *job = &fleet->host[log];

		if (hand_over(fleet, &job->log, host_log_name(log), record_proc, job) !=
			0)
			return -1;
	}
	return 0;
}

void fleet_start_trees(struct fleet *fleet, pid_t root, const struct instant *started,
	const struct orphans *orphans)
{
	fleet->tree_at = fleet->count;
	for (enum tree_log log = 0; log < TREE_LOGS; log++) {
		struct tree_job *tree = &fleet->tree[log];

		if (!is_wanted(fleet, log))
			continue;
		tree_log_plan(log, tree, fleet->plan, root, started, orphans);
		(void)hand_over(fleet, &tree->log, tree_log_name(log), record_tree, tree);
	}
}

void fleet_without_trees(struct fleet *fleet)
{
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		if (is_wanted(fleet, log))
			(void)unlinkat(fleet->dir_fd, tree_log_name(log), 0);
}

/* Of a recorder that is started anew. */
struct revival {
	const struct fleet *fleet;
	const char *name;
	const struct task *task;
};

/* It may have had to wait: only now it records again. */
static void revive(void *job, const struct recording *recording)
{
	const struct revival *revival = job;

	recorder_note(revival->fleet->dir_fd, revival->name, "started");
	revival->task->body(revival->task->job, recording);
}

/* Nobody may be there to read what is said in the end. */
static void trouble_note(const struct fleet *fleet, const struct recorder *recorder)
{
	recorder_note_text(
		fleet->dir_fd, recorder->name, "trouble", "message", recorder->trouble);
}

void fleet_watch(struct fleet *fleet)
{
	/* Only the first one begins before the command. */
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		fleet->tree[log].before = NULL;
	for (size_t i = 0; i < fleet->count - fleet->stopped; i++) {
		struct recorder *recorder = &fleet->recorders[i];
		const struct task *task = &fleet->task[i];
		struct revival revival = {fleet, recorder->name, task};
		int number = recorder_stopped(recorder);

		if (number != 0)
			recorder_note_number(fleet->dir_fd, recorder->name, "stopped",
				"status", 128 + number);
		number = recorder_killed(recorder);
		if (number == 0) {
			if (recorder_left(recorder))
				trouble_note(fleet, recorder);
			continue;
		}
		recorder_note_number(
			fleet->dir_fd, recorder->name, "killed", "status", 128 + number);
		if (raw_log_reopen(task->log, fleet->dir_fd, recorder->name) != 0) {
			recorder_note_text(fleet->dir_fd, recorder->name, "not started",
				"message", strerror(errno));
			continue;
		}
		if (recorder_restart(recorder, revive, &revival) != 0)
			recorder_note_text(fleet->dir_fd, recorder->name, "not started",
				"message", strerror(errno));
		raw_log_close(task->log);
	}
}

/* Keeps what went wrong meanwhile, first of those that lead; COMMAND's status stays what
 * it is. */
static void troubles_take(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		const struct recorder *recorder =
			&fleet->recorders[(i + fleet->leads_at) % fleet->count];

		if (recorder->trouble[0] == '\0')
			continue;
		troubles_add(fleet->troubles, "%s/%s: %s", fleet->plan->dir,
			recorder->name, recorder->trouble);
		if (!recorder->trouble_said)
			trouble_note(fleet, recorder);
	}
}

/* Ends those recorders from the given one on that run, if any do. */
static void end_from(struct fleet *fleet, size_t from, int64_t patience_ns)
{
	size_t running = fleet->count - fleet->stopped;

	if (from >= running)
		return;
	recorders_stop(
		fleet->recorders + from, running - from, clock_mono_ns() + patience_ns);
	fleet->stopped += running - from;
	if (from == 0)
		troubles_take(fleet);
}

void fleet_end_trees(struct fleet *fleet)
{
	end_from(fleet, fleet->tree_at, TREE_STOP_NS);
}

void fleet_end_leading(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals)
{
	end_from(fleet, fleet->leads_at, SMI_STOP_NS + NS_PER_S / 2);
	(void)recorders_await(
		fleet->recorders, fleet->leads_at, deadline_mono_ns, signals);
}

void fleet_end(struct fleet *fleet)
{
	end_from(fleet, 0, SMI_STOP_NS + NS_PER_S / 2);
}

bool fleet_is_over(const struct fleet *fleet)
{
	if (raw_log_is_full(fleet->room) || regular_is_removed(fleet->dir_fd))
		return true;
	for (size_t i = 0; i < fleet->count - fleet->stopped; i++)
		if (!recorder_has_ended(&fleet->recorders[i]))
			return false;
	return true;
}

enum child fleet_child(const struct fleet *fleet, pid_t pid)
{
	pid_t session = getsid(pid);

	for (size_t i = 0; i < fleet->count; i++) {
		if (pid == fleet->recorders[i].pid)
			return CHILD_AWAITED;
		/* What one ran that was killed is an orphan, too, and none of COMMAND's.
		 */
		if (fleet->recorders[i].killed_pid > 0 &&
			session == fleet->recorders[i].killed_pid)
			return CHILD_STRAY;
	}
	return CHILD_ORPHAN;
}
