/*
 * A recording from its first to its last sample, in one process with one loop. Each turn
 * of it waits until something comes or is due: a tick of a log, what an nvidia-smi
 * prints, a signal, the end of a child. All that follows from that is done at once, and
 * nothing in it waits.
 *
 * Must not know what the logs hold.
 */
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
#include <sys/param.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "commands.h"
#include "host.h"
#include "log.h"
#include "manifest.h"
#include "nvidia_smi.h"
#include "plan.h"
#include "run_dir.h"
#include "text.h"
#include "tree.h"

/* How long a first sample is waited for: to wake a GPU takes time. */
#define READY_NS (3 * NS_PER_S)

/* How often a process is asked whether it lives that can't be waited for. */
#define ASK_NS (NS_PER_S / 10)

enum {
	LOGS = HOST_LOGS + TREE_LOGS + SMI_LOGS
};

struct recorder {
	struct plan plan;
	struct signals signals;
	struct run_dir dir;
	int lock_fd; /* of collect.pid; -1: not taken */
	int starter_fd; /* who waits until samples are on disk; -1: nobody */
	int timer_fd;
	int64_t timer_ns; /* when it wakes us, on CLOCK_MONOTONIC */
	int64_t origin_ns; /* of the ticks of all logs */
	int64_t began_cpu_ns; /* what this process had used before */
	int64_t size_left; /* bytes that all logs may still take */
	bool no_room; /* for the begin of a recording */

	struct smis smis;
	struct host_job host[HOST_LOGS];
	int proc_fd; /* of /proc */
	struct tree_job tree[TREE_LOGS];
	struct orphans orphans; /* of COMMAND */
	struct log *log[LOGS]; /* all of the above that are recorded */
	size_t logs;

	struct command command;
	bool command_ended;
	int process_fd; /* of the process that ran already; -1: none */
	int signal; /* that asked for the end; 0: none */
	struct host machine;
	struct manifest manifest;
	char trouble[4608]; /* the first: a path and a sentence */
	unsigned troubles;
};

/* What went wrong is said in one line at the end. */
__attribute__((format(printf, 2, 3))) static void trouble_add(
	struct recorder *self, const char *format, ...)
{
	va_list arguments;

	if (self->troubles++ > 0)
		return;
	va_start(arguments, format);
	(void)vsnprintf(self->trouble, sizeof self->trouble, format, arguments);
	va_end(arguments);
}

static void troubles_say(const struct recorder *self)
{
	if (self->troubles == 1)
		say("%s", self->trouble);
	else if (self->troubles > 1)
		say("%s (and %u more)", self->trouble, self->troubles - 1);
}

/* Nobody may be there to read what is said in the end. */
static void trouble_note(struct log *log)
{
	if (log->noted || log->trouble[0] == '\0')
		return;
	log->noted = true;
	log_note_text(log, "trouble", "message", log->trouble);
}

static int log_create(struct recorder *self, struct log *log)
{
	log->dir_fd = self->dir.fd;
	if (raw_log_create(&log->file, self->dir.fd, log->name) == 0) {
		if (self->plan.max_size > 0)
			log->file.room = &self->size_left;
		self->log[self->logs++] = log;
		return 0;
	}
	/* Later COMMAND runs already. */
	if (self->manifest.pid == 0)
		self->no_room = regular_is_no_room(errno);
	trouble_add(self, "can't record %s/%s: %s", self->plan.dir, log->name,
		strerror(errno));
	return -1;
}

/* All but those of processes, which begin with COMMAND. */
static int logs_create(struct recorder *self)
{
	smis_init(&self->smis, &self->plan);
	for (enum smi_log kind = 0; kind < SMI_LOGS; kind++)
		if (self->smis.smi[kind].state != SMI_OVER &&
			log_create(self, &self->smis.smi[kind].log) != 0)
			return -1;
	for (enum host_log kind = 0; kind < HOST_LOGS; kind++) {
		if (host_job_open(&self->host[kind], kind) != 0) {
			trouble_add(self, "can't record the host: %s", strerror(ENOMEM));
			return -1;
		}
		if (log_create(self, &self->host[kind].log) != 0)
			return -1;
	}
	return 0;
}

/* Takes a sample; what that costs, from that time of this process on, counts for the log.
 * Returns the time then. */
static int64_t sample(struct log *log, int64_t cpu_ns)
{
	int64_t began_ns = clock_mono_ns(), now_ns;

	log->take(log->job);
	if (!log->over)
		ticker_sampled(&log->ticker, began_ns);
	ticker_pass(&log->ticker, began_ns);
	now_ns = clock_cpu_ns();
	log->cpu_ns += now_ns - cpu_ns;
	return now_ns;
}

static void tick(struct recorder *self)
{
	int64_t now_ns = clock_mono_ns(), cpu_ns = -1;

	for (size_t i = 0; i < self->logs; i++) {
		struct log *log = self->log[i];

		if (log->over || log->ticker.interval_ns == 0 ||
			now_ns < log->ticker.next_ns)
			continue;
		if (cpu_ns < 0)
			cpu_ns = clock_cpu_ns();
		cpu_ns = sample(log, cpu_ns);
	}
}

/* The kernel tells nobody of the end of that process. */
static bool is_asked(const struct recorder *self)
{
	return self->plan.pid > 0 && self->process_fd < 0 && !self->command_ended;
}

/* When something is due. */
static int64_t next_ns(const struct recorder *self, int64_t until_ns)
{
	int64_t next = MIN(until_ns, smis_next_ns(&self->smis));

	for (size_t i = 0; i < self->logs; i++)
		if (!self->log[i]->over && self->log[i]->ticker.interval_ns > 0)
			next = MIN(next, self->log[i]->ticker.next_ns);
	return is_asked(self) ? MIN(next, clock_mono_ns() + ASK_NS) : next;
}

/* At an absolute time, as a timeout of poll() would be late by a thousandth of itself. */
static void timer_set(struct recorder *self, int64_t at_ns)
{
	struct itimerspec spec = {.it_value = {at_ns / NS_PER_S, at_ns % NS_PER_S}};

	if (self->timer_ns == at_ns)
		return;
	self->timer_ns = at_ns;
	if (at_ns == INT64_MAX)
		spec = (struct itimerspec){{0, 0}, {0, 0}};
	else if (at_ns <= 0)
		spec.it_value = (struct timespec){.tv_nsec = 1};
	(void)timerfd_settime(self->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static bool is_awaited(const void *context, pid_t pid)
{
	const struct recorder *self = context;

	return pid == self->command.pid || smis_have_child(&self->smis, pid);
}

static void heed_signals(struct recorder *self)
{
	if (self->command.pid > 0 && !self->command_ended) {
		self->command_ended = command_heed(&self->command, &self->signals);
	} else {
		int number = signals_end_asked(&self->signals);

		if (number != 0)
			self->signal = number;
	}
	smis_reap(&self->smis);
	if (self->command.pid > 0)
		orphans_bury(&self->orphans, self->smis.session, SMI_SESSIONS, is_awaited,
			self);
}

/* Waits until something comes or is due, at most until that time, and deals with it. */
static void turn(struct recorder *self, int64_t until_ns)
{
	enum {
		TIMER,
		SIGNALS,
		PROCESS,
		SMIS,
		FDS = SMIS + 2 * SMI_LOGS
	};
	struct pollfd fds[FDS] = {
		[TIMER] = {.fd = self->timer_fd, .events = POLLIN},
		[SIGNALS] = {.fd = self->signals.fd, .events = POLLIN},
		[PROCESS] = {.fd = self->command_ended ? -1 : self->process_fd,
			.events = POLLIN},
	};

	smis_poll(&self->smis, fds + SMIS);
	timer_set(self, next_ns(self, until_ns));
	(void)poll(fds, FDS, -1);
	tick(self);
	if (fds[SIGNALS].revents != 0)
		heed_signals(self);
	smis_hear(&self->smis, fds + SMIS);
	smis_turn(&self->smis);
	for (size_t i = 0; i < self->logs; i++)
		if (self->log[i]->over)
			trouble_note(self->log[i]);
	if (fds[PROCESS].revents != 0 ||
		(is_asked(self) && kill(self->plan.pid, 0) != 0 && errno == ESRCH))
		self->command_ended = true;
}

static void await_rows(struct recorder *self, bool leading, int64_t until_ns)
{
	while (self->signal == 0 && !smis_are_ready(&self->smis, leading) &&
		clock_mono_ns() < until_ns)
		turn(self, until_ns);
}

/* Is nothing recorded any more? */
static bool is_over(const struct recorder *self)
{
	bool over = true, any = false;

	for (size_t i = 0; i < self->logs; i++) {
		over &= self->log[i]->over;
		any |= self->log[i]->over;
	}
	return over || (any && (self->size_left < 0 || regular_is_removed(self->dir.fd)));
}

/* What the run is, before anything is recorded: what is killed then can be read, too. */
static int manifest_begin(struct recorder *self)
{
	self->manifest = (struct manifest){
		.plan = &self->plan, .host = &self->machine, .end_fd = -1};
	return manifest_identify(&self->manifest) != 0
		? -1
		: manifest_write(&self->manifest, self->dir.fd);
}

/* Why that failed with this errno; keeps whether there is no room for it. */
static int begins_not(struct recorder *self, const char *what)
{
	const char *dir = self->plan.dir;

	self->no_room = regular_is_no_room(errno);
	if (errno == ELOOP)
		trouble_add(self,
			"%s is a link that another user made, or could have made", dir);
	else if (errno == EEXIST)
		trouble_add(self, "%s is being recorded already", dir);
	else
		trouble_add(self, "can't %s %s: %s", what, dir, strerror(errno));
	return -1;
}

static void log_start(struct recorder *self, struct log *log, int64_t interval_ns)
{
	ticker_start(&log->ticker, interval_ns, self->origin_ns, clock_mono_ns());
	(void)sample(log, clock_cpu_ns());
}

static void host_start(struct recorder *self, enum host_log kind)
{
	struct host_job *host = &self->host[kind];

	log_start(self, &host->log, host_job_interval_ns(host, self->plan.interval_ns));
}

/*
 * Takes the first samples, those of the host last, of which those of /proc/stat are the
 * first: with them the directory appears. COMMAND starts without a GPU, and not without
 * them. Returns 0; or says why not and returns -1.
 */
static int first_samples(struct recorder *self)
{
	smis_turn(&self->smis);
	await_rows(self, true, self->origin_ns + READY_NS);
	if (self->signal != 0)
		return -1;
	host_start(self, STAT_LOG);
	if (!self->host[STAT_LOG].log.ready) {
		self->no_room = self->host[STAT_LOG].log.no_room;
		return -1;
	}
	if (run_dir_show(&self->dir) != 0)
		return begins_not(self, "make the directory");
	host_start(self, MEMINFO_LOG);
	host_start(self, HOST_LOG);
	heed_signals(self);
	if (self->signal != 0)
		return -1;
	instant_now(&self->manifest.started);
	return manifest_write(&self->manifest, self->dir.fd) == 0
		? 0
		: begins_not(self, "write run.json in");
}

static void tree_start(struct recorder *self, enum tree_log kind)
{
	struct tree_job *job = &self->tree[kind];
	const bool around = self->plan.command != NULL;

	if (tree_job_open(job, kind, &self->plan, self->proc_fd, self->manifest.pid) !=
		0) {
		trouble_add(self, "no process is recorded: %s", strerror(errno));
		return;
	}
	job->tree.spared = getpid();
	job->tree.tool = self->smis.session;
	job->tree.tools = SMI_SESSIONS;
	job->tree.adopts = around && self->orphans.children_fd >= 0;
	if (around && kind == TREE_LOG)
		job->orphans = &self->orphans;
	if (log_create(self, &job->log) != 0)
		return;
	if (around)
		tree_job_sample_none(job, &self->manifest.started);
	if (!job->log.over)
		log_start(self, &job->log, self->plan.interval_ns);
}

/* Where one can't be the rest is recorded all the same, as COMMAND runs already. */
static void trees_start(struct recorder *self)
{
	if (self->proc_fd < 0) {
		trouble_add(self,
			"no process is recorded in %s: /proc is that of another pid "
			"namespace",
			self->plan.dir);
		return;
	}
	for (enum tree_log kind = 0; kind < TREE_LOGS; kind++)
		if (tree_log_is_wanted(kind, &self->plan))
			tree_start(self, kind);
}

/* There are no processes to record. */
static int without_trees(struct recorder *self, int status)
{
	instant_now(&self->command.ended);
	self->command.exit_status = status;
	return status;
}

/* Of those that have begun; those of processes first. */
static void last_samples(struct recorder *self)
{
	for (size_t i = self->logs; i-- > 0;) {
		struct log *log = self->log[i];

		if (log->take == NULL)
			continue;
		if (!log->over && log->ticker.interval_ns > 0)
			(void)sample(log, clock_cpu_ns());
		log->over = true;
	}
}

/* Records around COMMAND. Returns its exit status. */
static int around_command(struct recorder *self)
{
	int status;

	self->proc_fd = proc_open_ours();
	orphans_adopt(&self->orphans, self->proc_fd);
	status = command_start(&self->command, self->plan.command, &self->signals);
	if (status != 0) {
		orphans_release(&self->orphans);
		return without_trees(self, status);
	}
	self->manifest.pid = self->command.pid;
	trees_start(self);
	/* COMMAND goes on without a recording. */
	while (!self->command_ended) {
		turn(self, INT64_MAX);
		if (self->lock_fd >= 0 && is_over(self))
			lock_drop(self->dir.fd, &self->lock_fd);
	}
	orphans_tell_usage(&self->orphans, self->command.pid);
	last_samples(self);
	command_bury(&self->command);
	orphans_release(&self->orphans);
	return self->command.exit_status;
}

/* Becomes a process of its own, whose starter waits until it is under way. Returns 0, or
 * -1 with errno. */
static int background_begin(struct recorder *self)
{
	int ends[2];
	pid_t pid;
	ssize_t got;
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		return -1;
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
	self->starter_fd = ends[1];
	return 0;
}

/* From now on nobody listens: whoever reads its streams must not wait for it. */
static void background_ready(struct recorder *self)
{
	(void)streams_leave();
	if (write(self->starter_fd, "+", 1) < 0)
		_exit(EXIT_COLLECT);
	(void)close(self->starter_fd);
}

/*
 * Records around a process that runs already, until it ends or somebody says so; without
 * one until somebody does.
 */
static int around_process(struct recorder *self)
{
	const pid_t pid = self->plan.pid;

	self->proc_fd = proc_open_ours();
	self->process_fd = pid > 0 ? process_open(pid) : -1;
	if (pid > 0 && self->process_fd < 0 && (errno == ESRCH || errno == EINVAL)) {
		say(errno == ESRCH ? "there is no process %d"
				   : "%d is no process, but a thread of one",
			(int)pid);
		return without_trees(self, EXIT_COLLECT);
	}
	self->manifest.pid = pid;
	if (pid > 0)
		trees_start(self);
	if (self->plan.background)
		background_ready(self);
	while (!self->command_ended && self->signal == 0 && !is_over(self))
		turn(self, INT64_MAX);
	self->signal = 0;
	instant_now(&self->command.ended);
	last_samples(self);
	return 0;
}

/*
 * Ends what records still: those that lead at once, the others when they have a first
 * row, or have been waited for long enough.
 */
static void end_all(struct recorder *self, int64_t deadline_ns)
{
	last_samples(self);
	smis_stop(&self->smis, true);
	await_rows(self, false, deadline_ns);
	smis_stop(&self->smis, false);
	while (!smis_are_over(&self->smis))
		turn(self, INT64_MAX);
	smis_ask_no_more(&self->smis);
}

/* COMMAND's status stays what it is. */
static void troubles_take(struct recorder *self)
{
	for (size_t i = 0; i < self->logs; i++) {
		struct log *log = self->log[i];

		if (log->trouble[0] == '\0' && !log->ready)
			log_trouble(log, "no sample was recorded");
		if (log->trouble[0] == '\0')
			continue;
		trouble_add(self, "%s/%s: %s", self->plan.dir, log->name, log->trouble);
		trouble_note(log);
	}
}

/* Until somebody asks for the end: what is left stays as it is. */
static void compress_all(struct recorder *self)
{
	unsigned failed = 0;
	bool asked = false;

	if (self->plan.gzip == NULL)
		return;
	lock_packing(self->lock_fd);
	/* Others, too, who wanted it to stop have seen it do so. */
	if (self->plan.command == NULL)
		(void)signals_end_asked(&self->signals);
	for (size_t i = 0; !asked && i < self->logs; i++)
		if (compress_log(self->dir.fd, self->log[i]->name, self->plan.gzip,
			    &self->signals) != 0) {
			asked = errno == EINTR;
			failed++;
		}
	if (failed > 0)
		trouble_add(self, "%s in %s",
			asked ? "told to end, logs are left uncompressed"
			      : "logs can't be compressed",
			self->plan.dir);
}

static void manifest_end(struct recorder *self)
{
	struct manifest *manifest = &self->manifest;

	manifest->ended = &self->command;
	manifest->log = (const struct log *const *)self->log;
	manifest->logs = self->logs;
	manifest->rest_cpu_ns = clock_cpu_ns() - self->began_cpu_ns;
	for (size_t i = 0; i < self->logs; i++)
		manifest->rest_cpu_ns -= self->log[i]->cpu_ns;
	if (manifest_write(manifest, self->dir.fd) == 0)
		return;
	trouble_add(self, "can't write the end into %s/run.json: %s", self->plan.dir,
		strerror(errno));
	/* It is left behind, as by one that died. */
	self->lock_fd = -1;
}

/* Becomes the process that records. Returns 0; or says why not and returns -1. */
static int enter(struct recorder *self)
{
	if (self->plan.background && background_begin(self) != 0) {
		say("can't start a process: %s", strerror(errno));
		return -1;
	}
	self->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (self->timer_fd < 0 || signals_take(&self->signals) != 0) {
		say("can't take signals: %s", strerror(errno));
		return -1;
	}
	self->size_left = self->plan.max_size;
	return 0;
}

/* Nobody would read in the logs that there are GPUs. */
static void note_failed(const struct recorder *self)
{
	const struct log query = {
		.name = smi_log_name(SMI_QUERY), .dir_fd = self->dir.fd};

	if (self->plan.smi_failed != NULL)
		log_note_text(&query, "failed", "message", self->plan.smi_failed);
}

/* Makes the run directory. Returns 0; or says why not and returns -1. */
static int settle(struct recorder *self)
{
	const char *path = self->plan.dir;

	/* First, so that all that follows is done in no time. */
	host_read(&self->machine);
	if (run_dir_make(&self->dir, path) != 0)
		return begins_not(self, "use the directory");
	if ((self->lock_fd = lock_take(self->dir.fd, self->plan.command == NULL)) < 0)
		return begins_not(self, "write " LOCK_NAME " in");
	if (manifest_begin(self) != 0)
		return begins_not(self, "write run.json in");
	note_failed(self);
	self->origin_ns = clock_mono_ns();
	self->began_cpu_ns = clock_cpu_ns();
	/* A phase around this recording is none of it. */
	(void)unsetenv("COLLECT_SPAN");
	return setenv("COLLECT_DIR", path, 1) != 0 ? begins_not(self, "name") : 0;
}

/* Records, once there are samples; returns the exit status. */
static int record(struct recorder *self)
{
	bool began = logs_create(self) == 0 && first_samples(self) == 0;
	int status = EXIT_COLLECT;

	if (began && self->plan.command != NULL)
		status = around_command(self);
	else if (began)
		status = around_process(self);
	else if (self->signal != 0)
		status = 128 + (self->command.signal = self->signal);
	end_all(self, began ? self->origin_ns + READY_NS : 0);
	troubles_take(self);
	if (began) {
		manifest_end(self);
		compress_all(self);
	}
	return status;
}

/* A full disk is no reason not to do the work. */
static int unrecorded_run(struct recorder *self)
{
	int status;

	say("%s: the command runs without a recording", self->trouble);
	(void)unsetenv("COLLECT_DIR");
	status = command_start(&self->command, self->plan.command, &self->signals);
	if (status != 0)
		return status;
	command_wait(&self->command, &self->signals);
	return command_follow(&self->command);
}

int record_main(int argc, char **argv)
{
	static struct recorder self = {.lock_fd = -1,
		.starter_fd = -1,
		.process_fd = -1,
		.proc_fd = -1,
		.timer_ns = -1,
		.dir = {.fd = -1, .parent_fd = -1}};
	int status = EXIT_COLLECT;
	bool unrecorded;

	if (plan_read(&self.plan, argc, argv) != 0)
		return EXIT_COLLECT;
	if (enter(&self) == 0 && settle(&self) == 0)
		status = record(&self);
	unrecorded = self.no_room && self.plan.command != NULL;
	if (!unrecorded)
		troubles_say(&self);
	lock_drop(self.dir.fd, &self.lock_fd);
	if (self.no_room)
		run_dir_withdraw(&self.dir);
	run_dir_close(&self.dir);
	if (unrecorded)
		return unrecorded_run(&self);
	self.command.exit_status = status;
	return command_follow(&self.command);
}
