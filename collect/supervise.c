/*
 * A recording around a command, from its first sample to its last: starts the recorders
 * and COMMAND, waits, ends the recorders, writes run.json before and after. This room
 * must not know what the recorders write.
 */
#include "supervise.h"

#include "background.h"
#include "clock.h"
#include "command.h"
#include "compress.h"
#include "host.h"
#include "host_logs.h"
#include "lock.h"
#include "manifest.h"
#include "orphans.h"
#include "plan.h"
#include "recorder.h"
#include "recorder_note.h"
#include "regular.h"
#include "say.h"
#include "signals.h"
#include "smi_logs.h"
#include "tree_logs.h"
#include "troubles.h"
#include "unrecorded.h"
#include "vigil.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long COMMAND waits for the first samples: to wake a GPU takes time. */
#define READY_NS (3 * NS_PER_S)

/* How long the tree's recorder may take for its last sample, as COMMAND is kept for it.
 */
#define TREE_STOP_NS (1 * NS_PER_S)

enum {
	RECORDERS_MAX = HOST_LOGS + TREE_LOGS + SMI_LOGS
};

/* What a recorder does, should it have to be started anew. */
struct task {
	recorder_body *body;
	void *job;
	struct raw_log *log; /* in the job */
};

struct supervisor {
	const struct plan *plan;
	struct signals signals;
	int dir_fd;
	struct proc_job host_job[HOST_LOGS];
	struct smi_job smi[SMI_LOGS];
	struct tree_job tree[TREE_LOGS];
	struct recorder recorders[RECORDERS_MAX]; /* that of /proc/stat first, those of
						     trees last */
	struct task task[RECORDERS_MAX]; /* of each of them */
	size_t count;
	size_t stopped; /* of them, the last ones first */
	size_t tree_at; /* the first of them that records a tree */
	int64_t origin_ns; /* of the ticks of all, on CLOCK_MONOTONIC */
	int64_t began_cpu_ns; /* of the manifest */
	_Atomic int64_t *room; /* of all logs, shared with the recorders; NULL: any */
	int lock_fd; /* of collect.pid; -1: not taken */
	bool no_room; /* for the begin of a recording */
	struct troubles troubles;
	int starter_fd; /* of background_begin */
	struct orphans orphans; /* of COMMAND */
	struct host host;
	struct manifest manifest;
	struct command command;
};

static int create(struct supervisor *self, struct raw_log *log, const char *name)
{
	if (raw_log_create(log, self->dir_fd, name) == 0) {
		log->room = self->room;
		return 0;
	}
	self->no_room = regular_is_no_room(errno);
	say("can't record %s/%s: %s", self->plan->dir, name, strerror(errno));
	return -1;
}

/* Starts one recorder, which has the log from then on. */
static int hand_over(struct supervisor *self, struct raw_log *log, const char *name,
	recorder_body *body, void *job)
{
	int failed = recorder_start(
		&self->recorders[self->count], name, self->origin_ns, body, job);

	if (failed != 0)
		say("can't record %s/%s: %s", self->plan->dir, name, strerror(errno));
	else
		self->task[self->count++] = (struct task){body, job, log};
	raw_log_close(log);
	return failed;
}

/* Starts one recorder with a log of its own. */
static int start(struct supervisor *self, struct raw_log *log, const char *name,
	recorder_body *body, void *job)
{
	return create(self, log, name) == 0 ? hand_over(self, log, name, body, job) : -1;
}

static int hosts_start(struct supervisor *self)
{
	for (enum host_log log = 0; log < HOST_LOGS; log++) {
		struct proc_job *job = &self->host_job[log];

		if (host_log_plan(log, job, self->plan) != 0) {
			say("can't record %s/%s: %s", self->plan->dir, host_log_name(log),
				strerror(errno));
			return -1;
		}
		if (start(self, &job->log, host_log_name(log), record_proc, job) != 0)
			return -1;
	}
	return 0;
}

static int smis_start(struct supervisor *self)
{
	for (enum smi_log log = 0; log < SMI_LOGS; log++) {
		struct smi_job *job = &self->smi[log];

		if (smi_log_plan(log, job, self->plan, self->dir_fd) &&
			start(self, &job->log, job->name, record_smi, job) != 0)
			return -1;
	}
	return 0;
}

static int trees_create(struct supervisor *self)
{
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		if (tree_log_is_wanted(log, self->plan) &&
			create(self, &self->tree[log].log, tree_log_name(log)) != 0)
			return -1;
	return 0;
}

static int recorders_start(struct supervisor *self)
{
	return hosts_start(self) == 0 && smis_start(self) == 0 && trees_create(self) == 0
		? 0
		: -1;
}

/* Without it the rest is recorded all the same: COMMAND runs already. */
static void trees_start(struct supervisor *self)
{
	for (enum tree_log log = 0; log < TREE_LOGS; log++) {
		struct tree_job *tree = &self->tree[log];

		if (!tree_log_is_wanted(log, self->plan))
			continue;
		tree_log_plan(log, tree, self->plan, self->manifest.pid,
			&self->manifest.started, &self->orphans);
		(void)hand_over(self, &tree->log, tree_log_name(log), record_tree, tree);
	}
}

/* One that was killed is started anew, and one that was stopped goes on; one that gave up
 * has said why. */
static void recorders_watch(void *context)
{
	struct supervisor *self = context;

	/* Only the first one begins before the command. */
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		self->tree[log].before = NULL;
	for (size_t i = 0; i < self->count - self->stopped; i++) {
		struct recorder *recorder = &self->recorders[i];
		const struct task *task = &self->task[i];
		int number = recorder_stopped(recorder);

		if (number != 0)
			recorder_note_number(self->dir_fd, recorder->name, "stopped",
				"status", 128 + number);
		number = recorder_killed(recorder);
		if (number == 0)
			continue;
		recorder_note_number(
			self->dir_fd, recorder->name, "killed", "status", 128 + number);
		if (raw_log_reopen(task->log, self->dir_fd, recorder->name) != 0) {
			recorder_note_text(self->dir_fd, recorder->name, "not started",
				"message", strerror(errno));
			continue;
		}
		if (recorder_restart(recorder, task->body, task->job) == 0)
			recorder_note(self->dir_fd, recorder->name, "started");
		else
			recorder_note_text(self->dir_fd, recorder->name, "not started",
				"message", strerror(errno));
		raw_log_close(task->log);
	}
}

/* Keeps what went wrong meanwhile; COMMAND's status stays what it is. */
static void troubles_take(struct supervisor *self)
{
	for (size_t i = 0; i < self->count; i++) {
		const struct recorder *recorder = &self->recorders[i];

		if (recorder->trouble[0] == '\0')
			continue;
		troubles_add(&self->troubles, "%s/%s: %s", self->plan->dir,
			recorder->name, recorder->trouble);
		/* Nobody may be there to read what is said. */
		recorder_note_text(self->dir_fd, recorder->name, "trouble", "message",
			recorder->trouble);
	}
}

/* Ends those recorders from the given one on that run, if any do. */
static void recorders_end(struct supervisor *self, size_t from, int64_t patience_ns)
{
	size_t running = self->count - self->stopped;

	if (from >= running)
		return;
	recorders_stop(
		self->recorders + from, running - from, clock_mono_ns() + patience_ns);
	self->stopped += running - from;
	if (from == 0)
		troubles_take(self);
}

static void all_end(struct supervisor *self)
{
	recorders_end(self, 0, SMI_STOP_NS + NS_PER_S / 2);
}

/* Is nothing recorded any more? One that has nothing to say would not notice. */
static bool is_over(const struct supervisor *self)
{
	if (raw_log_is_full(self->room))
		return true;
	for (size_t i = 0; i < self->count - self->stopped; i++)
		if (!recorder_has_ended(&self->recorders[i]))
			return false;
	return true;
}

static bool process_watch(void *context)
{
	recorders_watch(context);
	return !is_over(context);
}

/* COMMAND is buried when it has been looked at, a recorder where its end is noticed. What
 * a recorder ran that was killed is an orphan, too, and none of COMMAND's. */
static enum child child_is(void *context, pid_t pid)
{
	const struct supervisor *self = context;
	pid_t session = getsid(pid);

	if (pid == self->command.pid || pid == self->command.waker)
		return CHILD_AWAITED;
	for (size_t i = 0; i < self->count; i++) {
		if (pid == self->recorders[i].pid)
			return CHILD_AWAITED;
		if (self->recorders[i].killed_pid > 0 &&
			session == self->recorders[i].killed_pid)
			return CHILD_STRAY;
	}
	return CHILD_ORPHAN;
}

/* COMMAND goes on without a recording. */
static void command_watch(void *context)
{
	struct supervisor *self = context;

	recorders_watch(self);
	orphans_bury(&self->orphans, child_is, self);
	if (is_over(self))
		lock_drop(self->dir_fd, &self->lock_fd);
}

static int manifest_begin(struct supervisor *self)
{
	const struct plan *plan = self->plan;
	struct manifest *manifest = &self->manifest;

	host_read(&self->host);
	*manifest = (struct manifest){
		.command = plan->command,
		.label = plan->label,
		.directory = plan->cwd,
		.host = &self->host,
		.gpu_rows = plan->gpu_rows,
		.query_fields = plan->query_fields,
		.dmon_groups = plan->dmon_groups,
		.smi_command = plan->smi_command,
		.interval_ns = plan->interval_ns,
		.began_cpu_ns = self->began_cpu_ns,
	};
	if (manifest_identify(manifest) != 0)
		return -1;
	instant_now(&manifest->started);
	return manifest_write(manifest, self->dir_fd);
}

/* There are no processes to record: a log of none would seem to have lost them. */
static int without_tree(struct supervisor *self, int status)
{
	instant_now(&self->command.ended);
	self->command.exit_status = status;
	for (enum tree_log log = 0; log < TREE_LOGS; log++)
		if (tree_log_is_wanted(log, self->plan))
			(void)unlinkat(self->dir_fd, tree_log_name(log), 0);
	return status;
}

/* Records around COMMAND. Returns its exit status. */
static int around_command(struct supervisor *self)
{
	struct command *command = &self->command;
	int status;

	orphans_adopt(&self->orphans);
	status = command_start(command, self->plan->command, &self->signals);
	if (status != 0) {
		orphans_release(&self->orphans);
		return without_tree(self, status);
	}
	self->manifest.pid = command->pid;
	trees_start(self);
	command_wait(command, &self->signals, command_watch, self);
	orphans_bury(&self->orphans, child_is, self);
	orphans_tell(&self->orphans, command->pid);
	recorders_end(self, self->tree_at, TREE_STOP_NS);
	command_bury(command);
	orphans_release(&self->orphans);
	return command->exit_status;
}

/*
 * Records around a process that runs already, until it ends or somebody says so; without
 * one until somebody does.
 */
static int around_process(struct supervisor *self)
{
	pid_t pid = self->plan->pid;
	int fd = pid > 0 ? vigil_open(pid) : -1;

	if (pid > 0 && fd < 0 && errno == ESRCH) {
		say("there is no process %d", (int)pid);
		return without_tree(self, EXIT_COLLECT);
	}
	self->manifest.pid = pid;
	if (pid > 0)
		trees_start(self);
	if (self->plan->background)
		background_ready(self->starter_fd);
	vigil_keep(fd, pid, &self->signals, process_watch, self);
	instant_now(&self->command.ended);
	if (fd >= 0)
		(void)close(fd);
	return 0;
}

/* Until somebody asks for the end: what is left stays as it is. */
static void compress_all(struct supervisor *self)
{
	unsigned failed = 0;
	bool asked = false;

	if (self->plan->gzip == NULL)
		return;
	lock_packing(self->lock_fd);
	for (size_t i = 0; !asked && i < self->count; i++)
		if (compress_log(self->dir_fd, self->recorders[i].name, self->plan->gzip,
			    &self->signals) != 0) {
			asked = errno == EINTR;
			failed++;
		}
	if (failed > 0)
		troubles_add(&self->troubles, "%s in %s",
			asked ? "told to end, logs are left uncompressed"
			      : "logs can't be compressed",
			self->plan->dir);
}

/* Waits for the first samples, then records; returns the exit status. */
static int supervise(struct supervisor *self)
{
	int64_t deadline_ns = clock_mono_ns() + READY_NS;
	int status = recorders_await(
		self->recorders, self->count, deadline_ns, &self->signals);

	if (status != 0) {
		self->command.signal = status;
		return 128 + status;
	}
	/* Without a GPU COMMAND starts, without /proc/stat it doesn't. */
	if (self->recorders[0].reported && !self->recorders[0].ready) {
		self->no_room = self->recorders[0].no_room;
		return EXIT_COLLECT;
	}
	if (manifest_begin(self) != 0) {
		self->no_room = regular_is_no_room(errno);
		say("can't write %s/run.json: %s", self->plan->dir, strerror(errno));
		return EXIT_COLLECT;
	}
	self->tree_at = self->count;
	status =
		self->plan->command != NULL ? around_command(self) : around_process(self);
	all_end(self);
	self->manifest.ended = &self->command;
	self->manifest.recorder = self->recorders;
	self->manifest.recorders = self->count;
	if (manifest_write(&self->manifest, self->dir_fd) != 0) {
		troubles_add(&self->troubles, "can't write the end into %s/run.json: %s",
			self->plan->dir, strerror(errno));
		/* It is left behind, as by one that died. */
		self->lock_fd = -1;
	}
	compress_all(self);
	return status;
}

/* Becomes the process that records. Returns 0; or says why not and returns -1. */
static int enter(struct supervisor *self)
{
	if (self->plan->background && (self->starter_fd = background_begin()) < 0) {
		say("can't start a process: %s", strerror(errno));
		return -1;
	}
	if (signals_take(&self->signals) != 0) {
		say("can't take signals: %s", strerror(errno));
		return -1;
	}
	self->origin_ns = clock_mono_ns();
	self->began_cpu_ns = clock_cpu_ns();
	if (self->plan->max_size > 0 &&
		(self->room = raw_log_room(self->plan->max_size)) == NULL) {
		say("can't share memory: %s", strerror(errno));
		return -1;
	}
	self->lock_fd = lock_take(self->dir_fd, self->plan->command == NULL);
	if (self->lock_fd >= 0)
		return 0;
	self->no_room = regular_is_no_room(errno);
	say("can't write %s/%s: %s", self->plan->dir, LOCK_NAME, strerror(errno));
	return -1;
}

int record_main(int argc, char **argv)
{
	struct plan plan;
	struct supervisor self = {.plan = &plan, .dir_fd = -1, .lock_fd = -1};
	int status = EXIT_COLLECT;

	if (plan_read(&plan, argc, argv) != 0)
		return EXIT_COLLECT;
	self.dir_fd = directory_open(plan.dir);
	if (self.dir_fd < 0 && errno == ELOOP) {
		say("%s is a link that another user made, or could have made", plan.dir);
		return EXIT_COLLECT;
	}
	/* A phase around this recording is none of it. */
	(void)unsetenv("COLLECT_SPAN");
	if (self.dir_fd < 0 || setenv("COLLECT_DIR", plan.dir, 1) != 0) {
		say("can't use the directory %s: %s", plan.dir, strerror(errno));
		return EXIT_COLLECT;
	}
	if (enter(&self) == 0 && recorders_start(&self) == 0)
		status = supervise(&self);
	all_end(&self);
	troubles_say(&self.troubles);
	lock_drop(self.dir_fd, &self.lock_fd);
	(void)close(self.dir_fd);
	if (self.no_room && plan.command != NULL)
		return unrecorded_run(plan.command, &self.signals);
	self.command.exit_status = status;
	return command_follow(&self.command);
}
