/*
 * A recording around a command, from its first sample to its last: starts the recorders
 * and COMMAND, waits, ends the recorders, writes run.json before and after. This room
 * must not know what the recorders write.
 */
#include "supervise.h"

#include "clock.h"
#include "command.h"
#include "host.h"
#include "manifest.h"
#include "plan.h"
#include "record_proc.h"
#include "record_smi.h"
#include "recorder.h"
#include "say.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long COMMAND waits for the first samples: nvidia-smi takes its time to wake a GPU.
 */
#define READY_NS (3 * NS_PER_S)

enum {
	RECORDERS_MAX = 3
};

struct supervisor {
	const struct plan *plan;
	struct signals signals;
	int dir_fd;
	struct proc_job proc;
	struct smi_job query, dmon;
	struct recorder recorders[RECORDERS_MAX]; /* that of /proc first */
	size_t count;
	struct host host;
	struct manifest manifest;
	struct command command;
};

/* Starts one recorder with a log of its own. */
static int start(struct supervisor *self, struct raw_log *log, const char *name,
	recorder_body *body, void *job)
{
	if (raw_log_create(log, self->dir_fd, name) != 0 ||
		recorder_start(&self->recorders[self->count], name, body, job) != 0) {
		say("can't record %s/%s: %s", self->plan->dir, name, strerror(errno));
		return -1;
	}
	raw_log_close(log);
	self->count++;
	return 0;
}

static int recorders_start(struct supervisor *self)
{
	const struct plan *plan = self->plan;

	self->proc.interval_ns = plan->interval_ns;
	if (start(self, &self->proc.log, "proc-stat.log", record_proc, &self->proc) != 0)
		return -1;
	if (plan->query.argv[0] != NULL) {
		self->query = (struct smi_job){
			.dir_fd = self->dir_fd,
			.errors_name = "nvidia-smi.err",
			.argv = plan->query.argv,
			.last_argv = plan->query_last.argv,
			.lines_to_ready = 2,
		};
		if (start(self, &self->query.log, "nvidia-smi.csv", record_smi,
			    &self->query) != 0)
			return -1;
	}
	if (plan->dmon.argv[0] != NULL) {
		self->dmon = (struct smi_job){
			.dir_fd = self->dir_fd,
			.errors_name = "nvidia-smi-dmon.err",
			.argv = plan->dmon.argv,
			.lines_to_ready = 2,
		};
		if (start(self, &self->dmon.log, "nvidia-smi-dmon.log", record_smi,
			    &self->dmon) != 0)
			return -1;
	}
	return 0;
}

/* Says in one line what went wrong meanwhile; COMMAND's status stays what it is. */
static void troubles_say(const struct supervisor *self)
{
	const struct recorder *first = NULL;
	char more[32] = "";
	unsigned count = 0;

	for (size_t i = 0; i < self->count; i++) {
		if (self->recorders[i].trouble[0] == '\0')
			continue;
		if (count++ == 0)
			first = &self->recorders[i];
	}
	if (count > 1)
		(void)snprintf(more, sizeof more, " (and %u more)", count - 1);
	if (first != NULL)
		say("%s/%s: %s%s", self->plan->dir, first->name, first->trouble, more);
}

/* Ends the recorders that run, if any do. */
static void recorders_end(struct supervisor *self)
{
	recorders_stop(self->recorders, self->count,
		clock_mono_ns() + SMI_STOP_NS + NS_PER_S / 2);
	troubles_say(self);
	self->count = 0;
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
		.query_argv = plan->query.argv[0] != NULL ? plan->query.argv : NULL,
		.dmon_argv = plan->dmon.argv[0] != NULL ? plan->dmon.argv : NULL,
		.interval_ns = plan->interval_ns,
		.dmon_interval_ns = plan->dmon_interval_ns,
	};
	if (manifest_identify(manifest) != 0)
		return -1;
	instant_now(&manifest->started);
	return manifest_write(manifest, self->dir_fd);
}

/* Waits for the first samples, then records around COMMAND; returns the exit status. */
static int supervise(struct supervisor *self)
{
	struct command *command = &self->command;
	int64_t deadline_ns = clock_mono_ns() + READY_NS;
	int status = recorders_await(
		self->recorders, self->count, deadline_ns, &self->signals);

	if (status != 0)
		return 128 + status;
	/* Without a GPU, or with a slow one, COMMAND starts; without /proc/stat it
	 * doesn't. */
	if (self->recorders[0].reported && !self->recorders[0].ready)
		return EXIT_COLLECT;
	if (manifest_begin(self) != 0) {
		say("can't write %s/run.json: %s", self->plan->dir, strerror(errno));
		return EXIT_COLLECT;
	}
	status = command_start(command, self->plan->command, &self->signals);
	if (status == 0) {
		command_wait(command, &self->signals);
	} else {
		instant_now(&command->ended);
		command->exit_status = status;
	}
	recorders_end(self);
	self->manifest.ended = command;
	if (manifest_write(&self->manifest, self->dir_fd) != 0)
		say("can't write the end into %s/run.json: %s", self->plan->dir,
			strerror(errno));
	return command->exit_status;
}

int record_main(int argc, char **argv)
{
	struct plan plan;
	struct supervisor self = {.plan = &plan, .dir_fd = -1};
	int status = EXIT_COLLECT;

	if (plan_read(&plan, argc, argv) != 0)
		return EXIT_COLLECT;
	self.dir_fd = open(plan.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (self.dir_fd < 0 || setenv("COLLECT_DIR", plan.dir, 1) != 0) {
		say("can't use the directory %s: %s", plan.dir, strerror(errno));
		return EXIT_COLLECT;
	}
	if (signals_take(&self.signals) != 0)
		say("can't take signals: %s", strerror(errno));
	else if (recorders_start(&self) == 0)
		status = supervise(&self);
	recorders_end(&self);
	(void)close(self.dir_fd);
	return status;
}
