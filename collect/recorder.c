/*
 * A recording from its first to its last sample, in one process with one loop. Each turn
 * of the loop waits for the next event: a tick of a log, output of nvidia-smi, a signal,
 * the end of a child. It deals with the event at once. Only after the last sample does it
 * wait for gzip.
 *
 * Must not know what the logs contain.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "host.h"
#include "log.h"
#include "manifest.h"
#include "nvidia_smi.h"
#include "plan.h"
#include "tree.h"

/* How long to wait for first rows: to wake a GPU takes time. */
#define READY_NS (3 * NS_PER_S)

/* How often to look after vendors' programs and the process of --pid. */
#define LOOK_NS (NS_PER_S / 10)

/* Trouble that comes more often goes into run.json less often. */
#define NEWS_NS (10 * NS_PER_S)

struct recorder {
	struct plan plan;
	struct signals signals;
	int dir_fd; /* of the run directory; -1: none */
	bool dir_made; /* it was not there before */
	int lock_fd; /* of collect.pid; -1: not taken */
	int64_t origin_ns; /* of the ticks of all logs */
	int64_t began_cpu_ns; /* what this process had used before */
	int64_t size_left; /* bytes that all logs may still take */

	struct smis smis;
	struct host_job host[HOST_LOGS];
	int proc_fd; /* of /proc; -1: of another pid namespace */
	struct tree_job tree[TREE_LOGS];
	bool adopts; /* orphans of COMMAND */
	struct log *log[HOST_LOGS + TREE_LOGS + SMI_LOGS + 1]; /* that are recorded */
	size_t logs;

	struct command command;
	bool command_ended;
	int signal; /* that asked for the end; 0: none */
	struct manifest manifest;
	int64_t news_ns; /* when trouble of a vendor's tool went into it last */
	char trouble[4608]; /* the first: a path and a sentence */
	unsigned troubles;
};

/* Troubles are reported in one line at the end. */
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

/* Reports why the recording can't begin, by errno. Returns -1. */
static int cant(struct recorder *self, const char *what)
{
	const char *dir = self->plan.dir;

	if (errno == EEXIST && self->lock_fd < 0)
		trouble_add(self, "%s is being recorded already", dir);
	else
		trouble_add(self, "can't %s %s: %s", what, dir, strerror(errno));
	return -1;
}

static void log_add(struct recorder *self, struct log *log)
{
	if (log->dir_fd != 0)
		return; /* it is there */
	log->dir_fd = self->dir_fd;
	if (self->plan.max_size > 0)
		log->room = &self->size_left;
	self->log[self->logs++] = log;
}

/* Returns 0, or -1 with errno. */
static int log_create(struct recorder *self, struct log *log)
{
	log_add(self, log);
	log->fd = file_create(self->dir_fd, log->name);
	return log->fd < 0 ? -1 : 0;
}

/* Creates those of vendors' tools that have none yet. Returns 0, or -1 with errno. */
static int smi_logs_create(struct recorder *self)
{
	for (enum smi_log kind = 0; kind < SMI_LOGS; kind++) {
		const struct smi *smi = &self->smis.smi[kind];
		struct log *log = &self->smis.smi[kind].log;

		if (log->fd >= 0 || (smi->state == SMI_OVER && log->state == NULL))
			continue;
		if (log->state == NULL && log_create(self, log) != 0)
			return -1;
		if (log->state != NULL) {
			log_add(self, log);
			(void)log_note(log, log->state, "message", log->said, NULL);
		}
	}
	return 0;
}

/* Creates all logs except those of processes, which begin with COMMAND. */
static int logs_create(struct recorder *self)
{
	if (smi_logs_create(self) != 0)
		return cant(self, "make a log in");
	for (enum host_log kind = 0; kind < HOST_LOGS; kind++) {
		host_job_open(&self->host[kind], kind);
		if (log_create(self, &self->host[kind].log) != 0)
			return cant(self, "make a log in");
	}
	return 0;
}

static void sample(struct log *log)
{
	const int64_t began_ns = clock_mono_ns();

	log->take(log->job);
	if (!log->over) {
		log->ready = true;
		ticker_sampled(&log->ticker, began_ns);
	}
	ticker_pass(&log->ticker, began_ns);
}

/* Has it ticks, and goes on? */
static bool ticks(const struct log *log)
{
	return !log->over && log->ticker.interval_ns > 0;
}

static void tick(struct recorder *self)
{
	const int64_t now_ns = clock_mono_ns();

	for (size_t i = 0; i < self->logs; i++)
		if (ticks(self->log[i]) && now_ns >= self->log[i]->ticker.next_ns)
			sample(self->log[i]);
}

/* When something is due. */
static int64_t next_ns(const struct recorder *self, int64_t until_ns)
{
	int64_t next = until_ns;

	for (size_t i = 0; i < self->logs; i++)
		if (ticks(self->log[i]))
			next = MIN(next, self->log[i]->ticker.next_ns);
	return self->plan.pid > 0 || !smis_are_over(&self->smis)
		? MIN(next, clock_mono_ns() + LOOK_NS)
		: next;
}

/* COMMAND stays to be read until its last sample is taken. */
static void children_reap(struct recorder *self)
{
	struct rusage used;
	pid_t pid;
	int status;

	while ((pid = child_ended(&used)) > 0 && pid != self->command.pid) {
		if (self->adopts)
			tree_job_child_ended(&self->tree[TREE_LOG], pid, &used);
		(void)waitpid(pid, &status, 0);
		smis_child_ended(&self->smis, pid, status, &used);
	}
}

static void signals_heed(struct recorder *self)
{
	if (self->command.pid > 0 && !self->command_ended) {
		self->command_ended = command_signals(&self->command, &self->signals);
	} else {
		int number = signals_end_asked(&self->signals);

		if (number != 0)
			self->signal = number;
	}
	children_reap(self);
}

/* Whoever kills this process finds the trouble in run.json. */
static void news_write(struct recorder *self)
{
	const int64_t now_ns = clock_mono_ns();

	if (!self->smis.news || now_ns - self->news_ns < NEWS_NS)
		return;
	self->smis.news = false;
	self->news_ns = now_ns;
	(void)manifest_write(&self->manifest, self->dir_fd);
}

/* Waits for the next event, at most until that time, and deals with it. */
static void turn(struct recorder *self, int64_t until_ns)
{
	struct pollfd fds[1 + SMI_POLLS] = {{.fd = self->signals.fd, .events = POLLIN}};
	const int64_t next = next_ns(self, until_ns);
	const int64_t left_ns = MAX(0, next - clock_mono_ns());
	const struct timespec left = {left_ns / NS_PER_S, left_ns % NS_PER_S};
	const size_t programs = smis_poll(&self->smis, fds + 1);

	(void)ppoll(fds, 1 + programs, next == INT64_MAX ? NULL : &left, NULL);
	tick(self);
	if (fds[0].revents != 0)
		signals_heed(self);
	smis_hear(&self->smis, fds + 1);
	smis_turn(&self->smis);
	if (self->smis.planned && smi_logs_create(self) != 0)
		cant(self, "make a log in");
	self->smis.planned = false;
	news_write(self);
	if (self->plan.pid > 0)
		self->command_ended = !process_lives(self->proc_fd, self->plan.pid);
}

/* Is nothing recorded any more? */
static bool is_over(const struct recorder *self)
{
	bool over = true;

	for (size_t i = 0; i < self->logs; i++)
		over &= self->log[i]->over;
	return over || self->size_left < 0;
}

static void log_start(struct recorder *self, struct log *log)
{
	ticker_start(&log->ticker, MAX(self->plan.interval_ns, log->least_ns),
		self->origin_ns, clock_mono_ns());
	sample(log);
}

/* What there is to record: a process that has ended by now is none. Returns 0, or -1. */
static int process_check(struct recorder *self)
{
	const pid_t pid = self->plan.pid;

	if (pid == 0 ||
		(is_process(self->proc_fd, pid) && process_lives(self->proc_fd, pid)))
		return 0;
	trouble_add(self, "there is no process %d", (int)pid);
	return -1;
}

/* Takes the first samples, /proc/stat after those of the GPUs. Without it there is no
 * recording. Returns 0; or -1 with the reason in the trouble, or the signal. */
static int first_samples(struct recorder *self)
{
	smis_turn(&self->smis);
	while (self->signal == 0 && !smis_are_ready(&self->smis) &&
		clock_mono_ns() < self->origin_ns + READY_NS)
		turn(self, self->origin_ns + READY_NS);
	if (self->signal != 0 || process_check(self) != 0)
		return -1;
	log_start(self, &self->host[STAT_LOG].log);
	if (!self->host[STAT_LOG].log.ready)
		return -1;
	log_start(self, &self->host[MEMINFO_LOG].log);
	log_start(self, &self->host[HOST_LOG].log);
	signals_heed(self);
	if (self->signal != 0)
		return -1;
	instant_now(&self->manifest.started);
	if (manifest_write(&self->manifest, self->dir_fd) != 0)
		return cant(self, "write run.json in");
	return 0;
}

static void tree_start(struct recorder *self, enum tree_log kind)
{
	struct tree_job *job = &self->tree[kind];

	tree_job_open(job, kind, &self->plan, self->proc_fd, self->manifest.pid);
	job->tree.spared = getpid();
	job->tree.tool = self->smis.session;
	job->tree.tools = SMI_SESSIONS;
	job->tree.adopts = self->adopts;
	if (self->proc_fd < 0) {
		log_add(self, &job->log);
		log_trouble(&job->log, "/proc is that of another pid namespace");
	} else if (log_create(self, &job->log) != 0) {
		log_trouble(&job->log, "can't be made: %s", strerror(errno));
		/* Where no more files may be open an event needs one, too. */
		fd_close(&job->tree.loadavg_fd);
	} else {
		if (self->plan.command != NULL)
			tree_job_sample_none(job, &self->manifest.started);
		if (!job->log.over)
			log_start(self, &job->log);
		return;
	}
	log_over(&job->log);
}

/* COMMAND runs already: if one can't start, the rest is recorded all the same. */
static void trees_start(struct recorder *self)
{
	tree_start(self, TREE_LOG);
	if (self->plan.whole_user)
		tree_start(self, USER_LOG);
	if (self->plan.batch_job != NULL)
		tree_start(self, JOB_LOG);
}

/* Ends the logs with a last sample, unless nvidia-smi takes that; processes first. */
static void last_samples(struct recorder *self)
{
	for (size_t i = self->logs; i-- > 0;) {
		struct log *log = self->log[i];

		if (log->take == NULL)
			continue;
		if (ticks(log))
			sample(log);
		log->over = true;
	}
}

/* Records around COMMAND. Returns its exit status. */
static int around_command(struct recorder *self)
{
	struct command *command = &self->command;
	struct rusage used;

	self->adopts = orphans_adopt();
	command->exit_status =
		command_start(command, self->plan.command, &self->signals, false);
	if (command->exit_status != 0) {
		instant_now(&command->ended);
		return command->exit_status;
	}
	self->manifest.pid = command->pid;
	trees_start(self);
	while (!self->command_ended) {
		turn(self, INT64_MAX);
		/* COMMAND goes on without a recording. */
		if (is_over(self))
			lock_drop(self->dir_fd, &self->lock_fd);
	}
	children_reap(self);
	if (child_ended(&used) == command->pid)
		tree_job_child_ended(&self->tree[TREE_LOG], command->pid, &used);
	last_samples(self);
	(void)waitpid(command->pid, NULL, 0);
	return command->exit_status;
}

/* Records around a running process until it ends, or until a signal; without a process
 * until a signal. Returns the exit status. */
static int around_process(struct recorder *self)
{
	const pid_t pid = self->plan.pid;

	self->manifest.pid = pid;
	if (pid > 0)
		trees_start(self);
	/* Whoever reads the streams of the script must not wait for us. */
	if (self->plan.background)
		(void)streams_leave(STDERR_FILENO);
	while (!self->command_ended && self->signal == 0 && !is_over(self))
		turn(self, INT64_MAX);
	instant_now(&self->command.ended);
	last_samples(self);
	return 0;
}

/* Ends all logs. Those of vendors' programs may wait for a first row until that time. */
static void end_all(struct recorder *self, int64_t deadline_ns)
{
	last_samples(self);
	children_reap(self);
	smis_stop(&self->smis, deadline_ns);
	while (!smis_are_over(&self->smis))
		turn(self, INT64_MAX);
}

/* Collects the troubles of the logs; they don't change the exit status. */
static void troubles_take(struct recorder *self)
{
	for (size_t i = 0; i < self->logs; i++) {
		struct log *log = self->log[i];

		/* The script has said it. */
		if (log->state != NULL)
			continue;
		if (log->trouble[0] == '\0' && !log->ready)
			log_trouble(log, "no sample was recorded");
		log_over(log);
		if (log->trouble[0] != '\0')
			trouble_add(self, "%s/%s: %s", self->plan.dir, log->name,
				log->trouble);
	}
}

/* One that works writes more often than that. */
#define GZIP_HANGS_NS (10 * NS_PER_S)

/* Returns the status of gzip; -1 if it hung. */
static int gzip_wait(struct recorder *self, pid_t pid, int out_fd)
{
	struct pollfd ready = {.fd = self->signals.fd, .events = POLLIN};
	int64_t until_ns = clock_mono_ns() + GZIP_HANGS_NS;
	struct stat out = {.st_size = 0};
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		const off_t size = out.st_size;

		(void)poll(&ready, 1, 100);
		(void)signals_end_asked(&self->signals);
		if (fstat(out_fd, &out) == 0 && out.st_size != size)
			until_ns = clock_mono_ns() + GZIP_HANGS_NS;
		if (clock_mono_ns() >= until_ns) {
			(void)kill(pid, SIGKILL);
			self->plan.gzip = NULL;
			return -1;
		}
	}
	return status;
}

/* Replaces NAME by NAME.gz. At any moment one of them is complete. Returns 0, or -1. */
static int compress_log(struct recorder *self, const char *name)
{
	char option[] = "-c", *argv[] = {self->plan.gzip, option, NULL};
	const int dir_fd = self->dir_fd;
	int in_fd = regular_open(dir_fd, name, O_RDONLY), out_fd, status = -1;
	char part[64], packed[64];
	pid_t pid;

	(void)snprintf(part, sizeof part, "%s.gz.new", name);
	(void)snprintf(packed, sizeof packed, "%s.gz", name);
	out_fd = in_fd >= 0 ? file_create(dir_fd, part) : -1;
	pid = out_fd >= 0 ? child_start(argv, NULL, in_fd, out_fd, -1) : -1;
	if (pid > 0)
		status = gzip_wait(self, pid, out_fd);
	fd_close(&in_fd);
	if (out_fd < 0)
		return -1;
	if (close(out_fd) != 0 || status != 0 ||
		renameat(dir_fd, part, dir_fd, packed) != 0)
		status = -1;
	(void)unlinkat(dir_fd, status != 0 ? part : name, 0);
	return status;
}

static void compress_all(struct recorder *self)
{
	unsigned failed = 0;

	for (size_t i = 0; self->plan.gzip != NULL && i < self->logs; i++)
		if (self->log[i]->fd >= 0)
			failed += compress_log(self, self->log[i]->name) != 0;
	if (failed > 0)
		trouble_add(self, "logs can't be compressed in %s", self->plan.dir);
}

static void manifest_end(struct recorder *self)
{
	struct manifest *manifest = &self->manifest;

	manifest->ended = &self->command;
	manifest->cpu_ns = clock_cpu_of_ns(0) - self->began_cpu_ns;
	if (manifest_write(&self->manifest, self->dir_fd) == 0)
		return;
	trouble_add(self, "can't write the end into %s/run.json: %s", self->plan.dir,
		strerror(errno));
	/* collect.pid stays, as that of a recording that died. */
	self->lock_fd = -1;
}

/* Becomes the process that records. Returns 0, or -1 with errno. */
static int process_begin(struct recorder *self)
{
	/* Neither the terminal's signals nor its end are meant for it. */
	if (self->plan.background)
		(void)setsid();
	if (signals_take(&self->signals) != 0)
		return -1;
	self->size_left = self->plan.max_size;
	self->proc_fd = proc_open_ours();
	smis_init(&self->smis, &self->plan, self->proc_fd);
	return 0;
}

/* Makes the run directory, with a run.json without a start. Returns 0, or -1. */
static int dir_begin(struct recorder *self)
{
	const char *path = self->plan.dir;

	self->dir_made = mkdir(path, 0777) == 0;
	if (self->dir_made || errno == EEXIST)
		self->dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (self->dir_fd < 0)
		return cant(self, "use the directory");
	if ((self->lock_fd = lock_take(self->dir_fd, self->plan.command == NULL)) < 0)
		return cant(self, "write " LOCK_NAME " in");
	self->manifest = (struct manifest){.plan = &self->plan,
		.smis = &self->smis,
		.log = (const struct log *const *)self->log,
		.end_fd = -1};
	if (random_id(self->manifest.run_id, RUN_ID_BYTES) != 0 ||
		manifest_write(&self->manifest, self->dir_fd) != 0)
		return cant(self, "write run.json in");
	self->origin_ns = clock_mono_ns();
	self->began_cpu_ns = clock_cpu_of_ns(0);
	/* A phase around this recording is none of it. */
	(void)unsetenv("COLLECT_SPAN");
	return setenv("COLLECT_DIR", path, 1) != 0 ? cant(self, "name") : 0;
}

/* Records what has begun. Returns the exit status. */
static int record(struct recorder *self)
{
	int status =
		self->plan.command != NULL ? around_command(self) : around_process(self);

	end_all(self, self->origin_ns + READY_NS);
	troubles_take(self);
	manifest_end(self);
	compress_all(self);
	troubles_say(self);
	lock_drop(self->dir_fd, &self->lock_fd);
	return status;
}

/* Becomes COMMAND, which runs all the same. Returns the exit status if it can't. */
static int run_unrecorded(struct recorder *self)
{
	(void)unsetenv("COLLECT_DIR");
	return command_start(&self->command, self->plan.command, &self->signals, true);
}

/* What this recording has made; others may have put files beside them. */
static void files_remove(const struct recorder *self)
{
	for (size_t i = 0; i < self->logs; i++)
		if (self->log[i]->fd >= 0)
			(void)unlinkat(self->dir_fd, self->log[i]->name, 0);
	(void)unlinkat(self->dir_fd, "events.jsonl", 0);
	(void)unlinkat(self->dir_fd, "run.json", 0);
}

/* Removes what has not begun, and no other recording. Returns the exit status. */
static int give_up(struct recorder *self)
{
	const bool ours = self->lock_fd >= 0;

	end_all(self, 0);
	troubles_take(self);
	if (ours)
		files_remove(self);
	lock_drop(self->dir_fd, &self->lock_fd);
	/* It stays if others put files there. */
	if (self->dir_made)
		(void)rmdir(self->plan.dir);
	fd_close(&self->dir_fd);
	if (self->plan.command != NULL && self->signal == 0) {
		say("%s: the command runs without a recording", self->trouble);
		return run_unrecorded(self);
	}
	troubles_say(self);
	self->command.signal = self->signal;
	return self->signal != 0 ? 128 + self->signal : EXIT_COLLECT;
}

int record_main(int argc, char **argv)
{
	struct recorder *self = memory_resize(NULL, sizeof *self);

	*self = (struct recorder){0};
	if (plan_read(&self->plan, argc, argv) != 0)
		return EXIT_COLLECT;
	self->lock_fd = self->proc_fd = self->dir_fd = -1;
	if (process_begin(self) != 0) {
		say("can't take signals, nothing is recorded: %s", strerror(errno));
		return self->plan.command != NULL ? run_unrecorded(self) : EXIT_COLLECT;
	}
	if (process_check(self) == 0 && dir_begin(self) == 0 && logs_create(self) == 0 &&
		first_samples(self) == 0)
		self->command.exit_status = record(self);
	else
		self->command.exit_status = give_up(self);
	return command_follow(&self->command);
}
