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
#include "fleet.h"
#include "host.h"
#include "lock.h"
#include "manifest.h"
#include "orphans.h"
#include "plan.h"
#include "regular.h"
#include "run_dir.h"
#include "say.h"
#include "signals.h"
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
