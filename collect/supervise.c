/*
 * A recording from its first to its last sample: starts the recorders and COMMAND,
 * waits, ends the recorders, writes run.json before and after. Must not know what the
 * recorders write.
 */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "command.h"
#include "gpu.h"
#include "host.h"
#include "manifest.h"
#include "nvidia_smi.h"
#include "plan.h"
#include "proc_text.h"
#include "recorder.h"
#include "run_dir.h"
#include "say.h"
#include "signals.h"
#include "ticker.h"
#include "tree.h"

struct troubles {
	char first[4608]; /* a path and a sentence */
	unsigned count;
};

enum {
	RECORDERS_MAX = HOST_LOGS + TREE_LOGS + SMI_LOGS
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

/* What went wrong during a recording, said in one line at its end. */

static void troubles_add(struct troubles *troubles, const char *format, ...)
{
	va_list arguments;

	if (troubles->count++ > 0)
		return;
	va_start(arguments, format);
	(void)vsnprintf(troubles->first, sizeof troubles->first, format, arguments);
	va_end(arguments);
}

/* Says the first, and how many more there are; nothing where there is none. */
static void troubles_say(const struct troubles *troubles)
{
	if (troubles->count == 1)
		say("%s", troubles->first);
	else if (troubles->count > 1)
		say("%s (and %u more)", troubles->first, troubles->count - 1);
}

/* Starts, watches and ends the recorders. */

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

/*
 * Makes all logs, and starts what takes its time until its first row: nvidia-smi.
 * Returns 0; or says why not and returns -1.
 */
static int fleet_start(struct fleet *fleet)
{
	if (hosts_create(fleet) != 0 || smis_start(fleet, false) != 0)
		return -1;
	fleet->leads_at = fleet->count;
	return smis_start(fleet, true) == 0 && trees_create(fleet) == 0 ? 0 : -1;
}

/*
 * Waits for the first rows of those that lead, and no longer: what is recorded before
 * COMMAND begins is none of it. As recorders_await.
 */
static int fleet_await(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals)
{
	return recorders_await(fleet->recorders + fleet->leads_at,
		fleet->count - fleet->leads_at, deadline_mono_ns, signals);
}

/* Starts those of the host. Returns 0; or says why not and returns -1. */
static int fleet_start_hosts(struct fleet *fleet)
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

/*
 * Starts those of trees. One that can't is said; the rest is recorded all the same, as
 * COMMAND runs already. For the arguments see tree_log_plan.
 */
static void fleet_start_trees(struct fleet *fleet, pid_t root,
	const struct instant *started, const struct orphans *orphans)
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

/* Removes their logs instead. */
static void fleet_without_trees(struct fleet *fleet)
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

/*
 * One that was killed is started anew, and one that was stopped goes on; one that gave
 * up has said why.
 */
static void fleet_watch(struct fleet *fleet)
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

/* Ends those of trees, while what they record is kept for their last sample. */
static void fleet_end_trees(struct fleet *fleet)
{
	end_from(fleet, fleet->tree_at, TREE_STOP_NS);
}

/*
 * Ends those that lead, as COMMAND has ended; the others are waited for where they
 * have no row yet, until the deadline or a signal that asks for the end.
 */
static void fleet_end_leading(
	struct fleet *fleet, int64_t deadline_mono_ns, const struct signals *signals)
{
	end_from(fleet, fleet->leads_at, SMI_STOP_NS + NS_PER_S / 2);
	(void)recorders_await(
		fleet->recorders, fleet->leads_at, deadline_mono_ns, signals);
}

/* Ends all that run, and takes what went wrong. */
static void fleet_end(struct fleet *fleet)
{
	end_from(fleet, 0, SMI_STOP_NS + NS_PER_S / 2);
}

/* Is nothing recorded any more? One that has nothing to say would not notice. */
static bool fleet_is_over(const struct fleet *fleet)
{
	if (raw_log_is_full(fleet->room) || regular_is_removed(fleet->dir_fd))
		return true;
	for (size_t i = 0; i < fleet->count - fleet->stopped; i++)
		if (!recorder_has_ended(&fleet->recorders[i]))
			return false;
	return true;
}

/* Whose child of this process is it? CHILD_ORPHAN: none of a recorder. */
static enum child fleet_child(const struct fleet *fleet, pid_t pid)
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

/* Waits where no COMMAND is started. */

/* How often one is asked whether it lives that can't be waited for. */
#define ASK_MS 100

int vigil_open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	/* What newer kernels say of a thread. */
	if (fd < 0 && errno == ENOENT)
		errno = EINVAL;
	if (fd < 0 && errno != ESRCH && kill(pid, 0) != 0 && errno != EPERM)
		errno = ESRCH;
	return fd;
}

/*
 * Returns when the process has ended, or a signal asks to end. fd: of vigil_open, or
 * -1. Calls others(context) at first and where a child may have ended meanwhile, and
 * returns where that says false.
 */
static void vigil_keep(int fd, pid_t pid, const struct signals *signals,
	bool (*others)(void *), void *context)
{
	struct pollfd either[2] = {
		{.fd = signals->fd, .events = POLLIN},
		{.fd = fd, .events = POLLIN},
	};

	while (others(context)) {
		(void)poll(either, 2, fd < 0 && pid > 0 ? ASK_MS : -1);
		if (signals_end_asked(signals) != 0 || either[1].revents != 0)
			return;
		if (fd < 0 && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
			return;
	}
}

/*
 * Becomes a process of its own, of which its starter waits only until it is under way.
 */

/*
 * Forks. The starter does not return: it exits with 0 once background_ready is called
 * with what this returns, or with EXIT_COLLECT when the process ends before. Standard
 * error is kept until then. Returns -1 with errno where it can't.
 */
static int background_begin(void)
{
	int ends[2];
	pid_t pid;
	ssize_t got;
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		return -1;
	}
	if (pid > 0) {
		(void)close(ends[1]);
		do
			got = read(ends[0], &byte, 1);
		while (got < 0 && errno == EINTR);
		_exit(got == 1 ? 0 : EXIT_COLLECT);
	}
	(void)close(ends[0]);
	/* Neither the terminal's signals nor its end are meant for it. */
	(void)setsid();
	return ends[1];
}

/* From now on nobody listens: whoever reads its streams must not wait for it. */
static void background_ready(int fd)
{
	(void)streams_leave();
	if (write(fd, "+", 1) < 0)
		_exit(EXIT_COLLECT);
	(void)close(fd);
}

/*
 * A command that runs without a recording, as the disk is full: that is no reason not
 * to do the work.
 *
 * A command that runs without a recording, as the disk is full.
 */

/* Says so, and why, and runs it. Ends as it has ended, or returns the exit status. */
static int unrecorded_run(
	const char *why, char *const argv[], const struct signals *signals)
{
	struct command command = {0};
	int status;

	say("%s: the command runs without a recording", why);
	(void)unsetenv("COLLECT_DIR");
	status = command_start(&command, argv, signals);
	if (status != 0)
		return status;
	command_wait(&command, signals, NULL, NULL);
	command_bury(&command);
	return command_follow(&command);
}

/* How long a first sample is waited for: to wake a GPU takes time. */
#define READY_NS (3 * NS_PER_S)

struct supervisor {
	const struct plan *plan;
	struct signals signals;
	struct run_dir dir;
	struct fleet fleet;
	int lock_fd; /* of collect.pid; -1: not taken */
	bool no_room; /* for the begin of a recording */
	int64_t deadline_ns; /* of the first rows of nvidia-smi, on CLOCK_MONOTONIC */
	struct troubles troubles;
	int starter_fd; /* of background_begin */
	struct orphans orphans; /* of COMMAND */
	struct host host;
	struct manifest manifest;
	struct command command;
};

static bool process_watch(void *context)
{
	struct supervisor *self = context;

	fleet_watch(&self->fleet);
	return !fleet_is_over(&self->fleet);
}

/* COMMAND is buried when it has been looked at, a recorder where its end is noticed. */
static enum child child_is(void *context, pid_t pid)
{
	const struct supervisor *self = context;

	if (pid == self->command.pid || pid == self->command.waker ||
		pid == self->command.witness.pid)
		return CHILD_AWAITED;
	return fleet_child(&self->fleet, pid);
}

/* COMMAND goes on without a recording. */
static void command_watch(void *context)
{
	struct supervisor *self = context;

	fleet_watch(&self->fleet);
	orphans_bury(&self->orphans, child_is, self);
	if (fleet_is_over(&self->fleet))
		lock_drop(self->fleet.dir_fd, &self->lock_fd);
}

/* What the run is, before anything is recorded: what is killed then can be read, too. */
static int manifest_begin(struct supervisor *self)
{
	const struct plan *plan = self->plan;
	struct manifest *manifest = &self->manifest;

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
		.began_cpu_ns = clock_cpu_ns(),
		.end_fd = -1,
	};
	return manifest_identify(manifest) != 0 ? -1
						: manifest_write(manifest, self->dir.fd);
}

static int manifest_start(struct supervisor *self)
{
	instant_now(&self->manifest.started);
	return manifest_write(&self->manifest, self->dir.fd);
}

/* Why that failed with this errno; keeps whether there is no room for it. */
static int begins_not(struct supervisor *self, const char *what)
{
	struct troubles *troubles = &self->troubles;
	const char *dir = self->plan->dir;

	self->no_room = regular_is_no_room(errno);
	if (errno == ELOOP)
		troubles_add(troubles,
			"%s is a link that another user made, or could have made", dir);
	else if (errno == EEXIST)
		troubles_add(troubles, "%s is being recorded already", dir);
	else
		troubles_add(troubles, "can't %s %s: %s", what, dir, strerror(errno));
	return -1;
}

/* There are no processes to record: a log of none would seem to have lost them. */
static int without_tree(struct supervisor *self, int status)
{
	instant_now(&self->command.ended);
	self->command.exit_status = status;
	fleet_without_trees(&self->fleet);
	return status;
}

static void trees_start(struct supervisor *self)
{
	fleet_start_trees(&self->fleet, self->manifest.pid, &self->manifest.started,
		&self->orphans);
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
	fleet_end_trees(&self->fleet);
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

	if (pid > 0 && fd < 0 && (errno == ESRCH || errno == EINVAL)) {
		say(errno == ESRCH ? "there is no process %d"
				   : "%d is no process, but a thread of one",
			(int)pid);
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
	/* Others, too, who wanted it to stop have seen it do so. */
	if (self->plan->command == NULL)
		(void)signals_end_asked(&self->signals);
	for (size_t i = 0; !asked && i < self->fleet.count; i++)
		if (compress_log(self->fleet.dir_fd, self->fleet.recorders[i].name,
			    self->plan->gzip, &self->signals) != 0) {
			asked = errno == EINTR;
			failed++;
		}
	if (failed > 0)
		troubles_add(&self->troubles, "%s in %s",
			asked ? "told to end, logs are left uncompressed"
			      : "logs can't be compressed",
			self->plan->dir);
}

/*
 * Waits for the first samples, those of the host last, of which those of /proc/stat are
 * the first: with them the directory appears. Returns 0, or the exit status.
 */
static int first_samples(struct supervisor *self)
{
	struct fleet *fleet = &self->fleet;
	const struct recorder *first;
	int signal;

	self->deadline_ns = clock_mono_ns() + READY_NS;
	signal = fleet_await(fleet, self->deadline_ns, &self->signals);
	if (signal == 0 && fleet_start_hosts(fleet) != 0)
		return EXIT_COLLECT;
	first = &fleet->recorders[fleet->host_at];
	if (signal == 0)
		signal = recorders_await(&fleet->recorders[fleet->host_at], 1,
			clock_mono_ns() + READY_NS, &self->signals);
	/* Without a GPU COMMAND starts, without /proc/stat it doesn't. */
	if (signal == 0 && first->reported && !first->ready) {
		self->no_room = first->no_room;
		return EXIT_COLLECT;
	}
	if (signal == 0 && run_dir_show(&self->dir) != 0) {
		(void)begins_not(self, "make the directory");
		return EXIT_COLLECT;
	}
	if (signal == 0)
		signal = fleet_await(fleet, clock_mono_ns() + READY_NS, &self->signals);
	self->command.signal = signal;
	return signal != 0 ? 128 + signal : 0;
}

/* Records, once there are samples; returns the exit status. */
static int supervise(struct supervisor *self)
{
	int status = first_samples(self);

	if (status != 0)
		return status;
	if (manifest_start(self) != 0) {
		(void)begins_not(self, "write run.json in");
		return EXIT_COLLECT;
	}
	status =
		self->plan->command != NULL ? around_command(self) : around_process(self);
	fleet_end_leading(&self->fleet, self->deadline_ns, &self->signals);
	fleet_end(&self->fleet);
	self->manifest.ended = &self->command;
	self->manifest.recorder = self->fleet.recorders;
	self->manifest.recorders = self->fleet.count;
	if (manifest_write(&self->manifest, self->dir.fd) != 0) {
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
	if (self->plan->max_size > 0 &&
		(self->fleet.room = raw_log_room(self->plan->max_size)) == NULL) {
		say("can't share memory: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/* Makes the run directory. Returns 0; or says why not and returns -1. */
static int settle(struct supervisor *self)
{
	const char *path = self->plan->dir;

	/* First, so that all that follows is done in no time. */
	host_read(&self->host);
	if (run_dir_make(&self->dir, path) != 0)
		return begins_not(self, "use the directory");
	if ((self->lock_fd = lock_take(self->dir.fd, self->plan->command == NULL)) < 0)
		return begins_not(self, "write " LOCK_NAME " in");
	if (manifest_begin(self) != 0)
		return begins_not(self, "write run.json in");
	self->fleet.dir_fd = self->dir.fd;
	self->fleet.origin_ns = clock_mono_ns();
	/* A phase around this recording is none of it. */
	(void)unsetenv("COLLECT_SPAN");
	return setenv("COLLECT_DIR", path, 1) != 0 ? begins_not(self, "name") : 0;
}

int record_main(int argc, char **argv)
{
	struct plan plan;
	struct supervisor self = {
		.plan = &plan, .lock_fd = -1, .dir = {.fd = -1, .parent_fd = -1}};
	int status = EXIT_COLLECT;
	bool no_room, unrecorded;

	if (plan_read(&plan, argc, argv) != 0)
		return EXIT_COLLECT;
	self.fleet.plan = &plan;
	self.fleet.troubles = &self.troubles;
	if (enter(&self) == 0 && settle(&self) == 0 && fleet_start(&self.fleet) == 0)
		status = supervise(&self);
	fleet_end(&self.fleet);
	no_room = self.no_room || self.fleet.no_room;
	unrecorded = no_room && plan.command != NULL;
	if (!unrecorded)
		troubles_say(&self.troubles);
	lock_drop(self.dir.fd, &self.lock_fd);
	if (no_room)
		run_dir_withdraw(&self.dir);
	run_dir_close(&self.dir);
	if (unrecorded)
		return unrecorded_run(self.troubles.first, plan.command, &self.signals);
	self.command.exit_status = status;
	return command_follow(&self.command);
}
