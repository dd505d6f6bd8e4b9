/*
 * Records what a long-lived nvidia-smi prints, byte for byte.
 *
 * Into a file or a pipe nvidia-smi prints in blocks of 4096 bytes: minutes late, and what
 * is in its buffer when it is killed is lost in the middle of a line. On a terminal it
 * prints line by line, so it gets one, and whole lines are written on from here.
 * (LD_PRELOAD as in stdbuf(1) would need a dynamic executable and coreutils; a terminal
 * always works.)
 *
 * One that ends by itself is started anew, at first at once, then ever later; so is one
 * that says nothing for long (silence.c): it is told, then killed. One that has nothing
 * to say is known to loop by its sleeps. Where GPUs don't answer it is started for the
 * others, and those are asked now and then, until they do.
 *
 * This room must not know what the lines mean, nor of COMMAND.
 */
#include "record_smi.h"

#include "answering.h"
#include "asker.h"
#include "backoff.h"
#include "clock.h"
#include "recorder_note.h"
#include "regular.h"
#include "rows_note.h"
#include "silence.h"
#include "sleeps.h"
#include "smi_child.h"
#include "smi_rows.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long it may take to end when told so, to die when killed, to take a last sample. */
#define END_NS	(1 * NS_PER_S)
#define KILL_NS (NS_PER_S / 2)
#define LAST_NS (2 * NS_PER_S)

/* How long the first line may take where the plan says nothing of it. */
#define PATIENCE_S 8

struct pump {
	struct smi_job *job;
	const struct recording *recording;
	struct raw_log errors;
	pid_t pid; /* of nvidia-smi; 0 when it has ended */
	pid_t group; /* its, with all that it started; 0: none yet */
	int status;
	int out_fd, err_fd; /* -1 at their ends */
	bool stopping; /* SIGTERM came */
	bool broken; /* the log can't be written */
	bool ready;
	struct silence silence;
	bool hung; /* and it was killed */
	unsigned long long sleeps; /* of sleeps_of(), when it was looked at last */
	unsigned restarts;
	char ids[GPU_IDS_SIZE]; /* of the GPUs that answer, where others don't; else "" */
	struct asker asker; /* of those that don't */
	unsigned lines;
	struct smi_rows rows;
	size_t used;
	char text[65536]; /* what has come of a line that has not ended */
};

/* With all that it has started. */
static void pump_kill(const struct pump *pump, int number)
{
	if (pump->group > 0)
		(void)kill(-pump->group, number);
}

static void note(const struct pump *pump, const char *state)
{
	recorder_note(pump->job->dir_fd, pump->job->name, state);
}

static void note_text(
	const struct pump *pump, const char *state, const char *key, const char *value)
{
	recorder_note_text(pump->job->dir_fd, pump->job->name, state, key, value);
}

static void note_number(
	const struct pump *pump, const char *state, const char *key, long long value)
{
	recorder_note_number(pump->job->dir_fd, pump->job->name, state, key, value);
}

static void note_started(const struct pump *pump)
{
	if (pump->ids[0] == '\0')
		note(pump, "started");
	else
		note_text(pump, "started", "gpus", pump->ids);
}

/* Does one that says nothing go on? */
static bool pump_goes_on(struct pump *pump)
{
	unsigned long long before = pump->sleeps;

	pump->sleeps = sleeps_of(pump->pid);
	return pump->sleeps == 0 || pump->sleeps != before;
}

static void pump_heard(struct pump *pump, bool spoke)
{
	if (silence_break(&pump->silence, spoke) && !pump->hung)
		note(pump, "speaks again");
}

/* Reports a silence; one that lasts ends it, which is dealt with like any other end. */
static void pump_listen(struct pump *pump)
{
	if (pump->hung || pump->pid == 0 ||
		clock_mono_ns() < silence_ends_ns(&pump->silence))
		return;
	if (pump->job->quiet && pump_goes_on(pump)) {
		pump_heard(pump, false);
		return;
	}
	if (!pump->silence.told) {
		pump->silence.told = true;
		note(pump, "silent");
		return;
	}
	pump->hung = true;
	note(pump, "hangs");
	pump_kill(pump, SIGKILL);
}

static void pump_close(struct pump *pump)
{
	if (pump->out_fd >= 0)
		(void)close(pump->out_fd);
	if (pump->err_fd >= 0)
		(void)close(pump->err_fd);
	pump->out_fd = pump->err_fd = -1;
}

/* Starts that command, for those GPUs that answer. Returns 0, or -1 with errno. */
static int pump_start(struct pump *pump, const struct smi_command *command)
{
	char *argv[SMI_WORDS], only[] = "-i";
	struct terminal terminal;
	int err[2], why;
	pid_t parent = getpid();

	(void)memcpy(argv, command->argv, sizeof argv);
	if (pump->ids[0] != '\0') {
		argv[command->words] = only;
		argv[command->words + 1] = pump->ids;
	}
	if (terminal_open(&terminal) != 0)
		return -1;
	if (pipe2(err, O_CLOEXEC) != 0) {
		why = errno;
		(void)close(terminal.our_fd);
		(void)close(terminal.program_fd);
		errno = why;
		return -1;
	}
	(void)fcntl(err[0], F_SETFL, O_NONBLOCK);
	pump->pid = fork();
	if (pump->pid == 0)
		smi_become(argv, terminal.program_fd, err[1], parent);
	why = errno;
	pump->group = pump->pid;
	if (pump->pid > 0)
		(void)setpgid(pump->pid, pump->pid);
	(void)close(terminal.program_fd);
	(void)close(err[1]);
	pump->out_fd = terminal.our_fd;
	pump->err_fd = err[0];
	silence_begin(&pump->silence);
	pump->hung = false;
	asker_begin(&pump->asker);
	smi_rows_begin(&pump->rows);
	if (pump->pid > 0)
		return 0;
	pump_close(pump);
	errno = why;
	return -1;
}

static void pump_write(struct pump *pump, size_t size)
{
	if (size == 0)
		return;
	if (!pump->broken && raw_log_append(&pump->job->log, pump->text, size) != 0) {
		pump->broken = true;
		recording_ends_early(pump->recording, raw_log_why(&pump->job->log, errno),
			regular_is_no_room(errno));
	}
	pump->used -= size;
	memmove(pump->text, pump->text + size, pump->used);
}

/* Writes on the whole lines that have come. */
static void pump_lines(struct pump *pump, size_t from)
{
	size_t whole = 0;

	for (size_t i = from; i < pump->used; i++) {
		if (pump->text[i] != '\n')
			continue;
		if (pump->job->rows)
			rows_note(&pump->rows, pump->job->dir_fd, pump->job->name,
				pump->text + whole, i - whole);
		whole = i + 1;
		pump->lines++;
	}
	if (whole == 0 && pump->used == sizeof pump->text)
		whole = pump->used;
	pump_write(pump, whole);
	if (!pump->ready && !pump->broken && pump->lines >= pump->job->lines_to_ready) {
		pump->ready = true;
		recording_ready(pump->recording);
	}
}

/* A terminal's end is EIO, a pipe's 0; both say that nvidia-smi holds it no more. */
static void pump_out(struct pump *pump)
{
	size_t from = pump->used;
	ssize_t got = read(pump->out_fd, pump->text + from, sizeof pump->text - from);

	if (got > 0) {
		pump->used += (size_t)got;
		pump_heard(pump, true);
		pump_lines(pump, from);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(pump->out_fd);
		pump->out_fd = -1;
		/* A line cut short by its death is a fact too. */
		pump_write(pump, pump->used);
	}
}

static void pump_err(struct pump *pump)
{
	char text[4096];
	ssize_t got = read(pump->err_fd, text, sizeof text);

	if (got > 0) {
		if (pump->errors.fd < 0 &&
			raw_log_resume(&pump->errors, pump->job->dir_fd,
				pump->job->errors_name) != 0)
			return;
		pump->errors.room = pump->job->log.room;
		(void)raw_log_append(&pump->errors, text, (size_t)got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(pump->err_fd);
		pump->err_fd = -1;
	}
}

/* The signals of several that end at once may be one. */
static void pump_signals(struct pump *pump)
{
	struct signalfd_siginfo info;

	while (read(pump->recording->stop_fd, &info, sizeof info) == (ssize_t)sizeof info)
		if (info.ssi_signo == SIGTERM)
			pump->stopping = true;
	if (pump->pid > 0 && waitpid(pump->pid, &pump->status, WNOHANG) == pump->pid) {
		pump->pid = 0;
		/* a shell whose child were ended before it would say so in the log */
		pump_kill(pump, SIGTERM);
	}
	asker_reap(&pump->asker);
}

/* How long there is nothing to do but for what comes. */
static int pump_idle_ms(const struct pump *pump)
{
	int64_t next_ns = silence_ends_ns(&pump->silence);

	if (pump->hung)
		return (int)(KILL_NS / 1000000);
	if (pump->ids[0] != '\0' && pump->asker.pid <= 0 && pump->asker.next_ns < next_ns)
		next_ns = pump->asker.next_ns;
	return clock_left_ms(next_ns);
}

/*
 * Pumps until nvidia-smi has ended and all it printed is written, or until it must be
 * given up. Past the deadline (-1: none), when told to stop and when the log is broken,
 * it is told to end, by and by killed.
 */
static void pump_run(struct pump *pump, int64_t deadline_ns)
{
	int blows = 0;

	while (pump->pid > 0 || pump->out_fd >= 0) {
		struct pollfd any[3] = {
			{.fd = pump->recording->stop_fd, .events = POLLIN},
			{.fd = pump->out_fd, .events = POLLIN},
			{.fd = pump->err_fd, .events = POLLIN},
		};
		bool late = deadline_ns >= 0 && clock_mono_ns() >= deadline_ns;

		if (late ||
			(blows == 0 && deadline_ns < 0 &&
				(pump->stopping || pump->broken || pump->asker.more))) {
			if (blows == 2)
				break;
			if (blows > 0)
				pump_kill(pump, SIGKILL);
			else if (pump->pid > 0)
				(void)kill(pump->pid, SIGTERM);
			deadline_ns = clock_mono_ns() + (blows == 0 ? END_NS : KILL_NS);
			blows++;
		}
		if (deadline_ns < 0) {
			pump_listen(pump);
			asker_go_on(&pump->asker, pump->job->plan, pump->ids);
		}
		(void)poll(any, 3,
			deadline_ns >= 0 ? clock_left_ms(deadline_ns)
					 : pump_idle_ms(pump));
		if (any[0].revents != 0)
			pump_signals(pump);
		if (any[1].revents != 0)
			pump_out(pump);
		if (any[2].revents != 0)
			pump_err(pump);
	}
	pump_kill(pump, SIGKILL);
	/* What it said last may lie in the pipe yet; never more than 64 KiB do. */
	for (int i = 0; i < 16 && pump->err_fd >= 0; i++)
		pump_err(pump);
	pump_close(pump);
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* That it ended by itself is said once, and how often at the end. */
static void pump_ended(struct pump *pump)
{
	note_number(pump, "ended", "status", status_of(pump->status));
	if (pump->restarts > 0)
		return;
	if (pump->hung)
		recording_trouble(pump->recording, "%s hung", pump->job->program);
	else
		recording_trouble(pump->recording, "%s ended by itself with %s %d",
			pump->job->program,
			WIFSIGNALED(pump->status) ? "signal" : "status",
			WIFSIGNALED(pump->status) ? WTERMSIG(pump->status)
						  : WEXITSTATUS(pump->status));
}

/* Returns when the time has passed, or it is time to stop. */
static void pump_pause(struct pump *pump, int64_t ns)
{
	struct pollfd stop = {.fd = pump->recording->stop_fd, .events = POLLIN};
	int64_t deadline_ns = clock_mono_ns() + ns;

	while (!pump->stopping && clock_left_ms(deadline_ns) > 0)
		if (poll(&stop, 1, clock_left_ms(deadline_ns)) > 0)
			pump_signals(pump);
}

/* Those that answer by now are recorded from here on. */
static void pump_choose(struct pump *pump)
{
	asker_end(&pump->asker);
	if (!pump->stopping && pump->job->command->words > 0)
		pump->stopping = gpus_answering(pump->job->plan, pump->ids) < 0;
	pump->restarts += !pump->stopping;
}

/* Keeps one running until it is time to stop. Returns -1 with errno if none starts. */
static int pump_keep(struct pump *pump)
{
	struct backoff backoff = {0};

	while (!pump->stopping && !pump->broken) {
		backoff_starts(&backoff, clock_mono_ns());
		if (pump_start(pump, pump->job->command) != 0)
			return -1;
		if (pump->restarts > 0)
			note_started(pump);
		pump_run(pump, -1);
		if (pump->stopping || pump->broken)
			break;
		/* What can't be killed may still hold the driver: no other one helps. */
		if (pump->pid > 0) {
			recording_trouble(pump->recording, "%s can't be killed",
				pump->job->program);
			return 0;
		}
		backoff_ends(&backoff, clock_mono_ns());
		if (pump->asker.more) {
			note(pump, "GPU back");
		} else {
			pump_ended(pump);
			pump_pause(pump, backoff_pause(&backoff));
		}
		pump_choose(pump);
	}
	return 0;
}

static void pump_open(
	struct pump *pump, struct smi_job *job, const struct recording *recording)
{
	const char *patience = job->plan->patience;

	pump->job = job;
	pump->recording = recording;
	pump->errors.fd = -1;
	asker_open(&pump->asker);
	pump->silence.interval_ns = job->interval_ns;
	pump->silence.patience_ns =
		NS_PER_S * (patience != NULL ? strtol(patience, NULL, 10) : PATIENCE_S);
	pump->silence.quiet = job->quiet;
}

void record_smi(void *job, const struct recording *recording)
{
	struct pump *pump = calloc(1, sizeof *pump);

	if (pump == NULL) {
		recording_trouble(recording, "can't start %s: %s",
			((struct smi_job *)job)->program, strerror(errno));
		return;
	}
	pump_open(pump, job, recording);
	if (pump_keep(pump) != 0)
		recording_trouble(recording, "can't start %s: %s", pump->job->program,
			strerror(errno));
	asker_end(&pump->asker);
	if (pump->restarts > 0)
		recording_trouble(recording, ", and was started again %u time%s%s",
			pump->restarts, pump->restarts == 1 ? "" : "s",
			pump->ids[0] != '\0' ? ", at last for the GPUs that answer" : "");
	/*
	 * nvidia-smi can't be asked for a sample between two ticks: a second one, started
	 * when the first has ended, takes the sample at the very end.
	 */
	if (pump->stopping && pump->ready && !pump->broken && pump->pid == 0 &&
		pump->job->last != NULL && getppid() == recording->supervisor &&
		pump_start(pump, pump->job->last) == 0)
		pump_run(pump, clock_mono_ns() + LAST_NS);
	if (pump->errors.fd >= 0)
		raw_log_close(&pump->errors);
	free(pump);
}
