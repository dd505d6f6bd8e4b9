/*
 * A recorder is a child process that writes one log: the supervisor's side, and the
 * messages between the two. Knows nothing of what is recorded.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "signals.h"
#include "ticker.h"

/* The kernel sends no signal for a parent that had died before it was asked to. */

bool lifeline_tie(pid_t parent, int number)
{
	return prctl(PR_SET_PDEATHSIG, number) == 0 && getppid() == parent;
}

/*
 * What a recorder says. Each is written whole or not at all, as it fits into a pipe's
 * atomic write, and read whole, as all are of one size.
 */
enum word {
	WORD_READY,
	WORD_TROUBLE,
	WORD_NO_ROOM
};

struct report {
	enum word word;
	char sentence[200];
};

/* A supervisor that is gone needs no report, and SIGTERM is already on its way. */
static void say_report(const struct recording *recording, const struct report *report)
{
	if (write(recording->report_fd, report, sizeof *report) < 0)
		return;
}

void recording_ready(const struct recording *recording)
{
	const struct report report = {.word = WORD_READY};

	say_report(recording, &report);
}

void recording_trouble(const struct recording *recording, const char *format, ...)
{
	struct report report = {.word = WORD_TROUBLE};
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(report.sentence, sizeof report.sentence, format, arguments);
	va_end(arguments);
	if (length > 0)
		say_report(recording, &report);
}

void recording_ends_early(
	const struct recording *recording, const char *why, bool no_room)
{
	const struct report report = {.word = WORD_NO_ROOM};

	if (no_room)
		say_report(recording, &report);
	recording_trouble(recording, "ends early: %s", why);
}

/*
 * Makes the process that fork() gave into one that holds nothing of COMMAND's. A session
 * of its own keeps Ctrl-C, Ctrl-Z and hang-ups away; readers of COMMAND's pipes must not
 * wait for recorders too.
 */
static int recording_enter(struct recording *recording)
{
	sigset_t stop, kept;

	(void)setsid();
	if (streams_leave() != 0)
		return -1;
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTERM);
	(void)sigaddset(&stop, SIGCHLD);
	kept = stop;
	(void)sigaddset(&kept, SIGPIPE);
	(void)sigaddset(&kept, SIGXFSZ);
	(void)sigprocmask(SIG_SETMASK, &kept, NULL);
	recording->stop_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
	if (recording->stop_fd < 0)
		return -1;
	return lifeline_tie(recording->supervisor, SIGTERM) ? 0 : -1;
}

/* False: told to stop before the time has passed. */
static bool recording_pause(const struct recording *recording, int64_t ns)
{
	struct pollfd stop = {.fd = recording->stop_fd, .events = POLLIN};
	int64_t deadline_ns = clock_mono_ns() + ns;

	while (clock_left_ms(deadline_ns) > 0)
		if (poll(&stop, 1, clock_left_ms(deadline_ns)) > 0)
			return false;
	return true;
}

static int launch(
	struct recorder *recorder, recorder_body *body, void *job, int64_t pause_ns)
{
	struct recording recording = {
		.stop_fd = -1,
		.supervisor = getpid(),
		.origin_ns = recorder->origin_ns,
		.punctuality = recorder->punctuality,
	};
	int ends[2];

	recorder->pid = recorder->report_fd = -1;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	recorder->pid = fork();
	backoff_starts(&recorder->backoff, clock_mono_ns() + pause_ns);
	if (recorder->pid == 0) {
		(void)close(ends[0]);
		recording.report_fd = ends[1];
		if (recording_enter(&recording) == 0 &&
			recording_pause(&recording, pause_ns))
			body(job, &recording);
		_exit(0);
	}
	(void)close(ends[1]);
	recorder->report_fd = ends[0];
	if (recorder->pid > 0)
		return 0;
	(void)close(ends[0]);
	recorder->report_fd = -1;
	return -1;
}

int recorder_start(struct recorder *recorder, const char *name, int64_t origin_ns,
	recorder_body *body, void *job)
{
	*recorder = (struct recorder){.name = name,
		.origin_ns = origin_ns,
		.cpu_ns = -1,
		.punctuality = punctuality_share()};
	return recorder->punctuality != NULL ? launch(recorder, body, job, 0) : -1;
}

static int64_t time_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS_PER_S + (int64_t)time.tv_usec * 1000;
}

static int64_t cpu_ns_of(const struct rusage *used)
{
	return time_ns(used->ru_utime) + time_ns(used->ru_stime);
}

/* One sentence behind the other; one that begins with a comma goes on. */
static void trouble_add(struct recorder *recorder, const char *text)
{
	size_t used = strlen(recorder->trouble);

	(void)snprintf(recorder->trouble + used, sizeof recorder->trouble - used, "%s%s",
		used > 0 && text[0] != ',' ? "; " : "", text);
}

static void trouble_killed(struct recorder *recorder, int number)
{
	char text[64];

	(void)snprintf(text, sizeof text, "its recorder was killed by signal %d", number);
	trouble_add(recorder, text);
}

/* Reads a report if there is one. Returns false at their end, which is the recorder's. */
static bool recorder_listen(struct recorder *recorder)
{
	struct report report;
	ssize_t got = read(recorder->report_fd, &report, sizeof report);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	recorder->reported = true;
	if (got != (ssize_t)sizeof report)
		return false;
	switch (report.word) {
	case WORD_READY:
		recorder->ready = true;
		break;
	case WORD_TROUBLE:
		trouble_add(recorder, report.sentence);
		break;
	case WORD_NO_ROOM:
		recorder->no_room = true;
		break;
	}
	return true;
}

/* What it said before it was killed counts. */
static void hear_rest(struct recorder *recorder)
{
	struct pollfd report = {.fd = recorder->report_fd, .events = POLLIN};

	while (poll(&report, 1, 0) > 0 && recorder_listen(recorder))
		continue;
}

int recorder_killed(struct recorder *recorder)
{
	siginfo_t end = {.si_pid = 0};
	struct rusage used;
	int status;

	if (recorder->pid <= 0 ||
		waitid(P_PID, (id_t)recorder->pid, &end, WEXITED | WNOHANG | WNOWAIT) !=
			0 ||
		end.si_pid != recorder->pid || end.si_code == CLD_EXITED ||
		wait4(recorder->pid, &status, 0, &used) != recorder->pid)
		return 0;
	recorder->killed_cpu_ns += cpu_ns_of(&used);
	recorder->cpu_ns = recorder->killed_cpu_ns;
	recorder->killed_pid = recorder->pid;
	recorder->pid = -1;
	hear_rest(recorder);
	(void)close(recorder->report_fd);
	if (recorder->trouble[0] == '\0')
		trouble_killed(recorder, end.si_status);
	return end.si_status;
}

int recorder_stopped(const struct recorder *recorder)
{
	siginfo_t stop = {.si_pid = 0};

	if (recorder->pid <= 0 ||
		waitid(P_PID, (id_t)recorder->pid, &stop, WSTOPPED | WNOHANG) != 0 ||
		stop.si_pid != recorder->pid)
		return 0;
	(void)kill(recorder->pid, SIGCONT);
	return stop.si_status;
}

bool recorder_has_ended(const struct recorder *recorder)
{
	siginfo_t end = {.si_pid = 0};

	return recorder->pid <= 0 ||
		(waitid(P_PID, (id_t)recorder->pid, &end, WEXITED | WNOHANG | WNOWAIT) ==
				0 &&
			end.si_pid == recorder->pid);
}

bool recorder_left(struct recorder *recorder)
{
	if (recorder->trouble_said || recorder->pid <= 0 || !recorder_has_ended(recorder))
		return false;
	hear_rest(recorder);
	recorder->trouble_said = recorder->trouble[0] != '\0';
	return recorder->trouble_said;
}

int recorder_restart(struct recorder *recorder, recorder_body *body, void *job)
{
	backoff_ends(&recorder->backoff, clock_mono_ns());
	if (launch(recorder, body, job, backoff_pause(&recorder->backoff)) != 0)
		return -1;
	if (!recorder->restarted)
		trouble_add(recorder, ", and was started again");
	recorder->restarted = true;
	return 0;
}

int recorders_await(struct recorder recorders[], size_t count, int64_t deadline_mono_ns,
	const struct signals *signals)
{
	for (size_t i = 0; i < count; i++) {
		struct pollfd either[2] = {
			{.fd = recorders[i].report_fd, .events = POLLIN},
			{.fd = signals->fd, .events = POLLIN},
		};

		while (!recorders[i].reported) {
			int number;

			if (poll(either, 2, clock_left_ms(deadline_mono_ns)) <= 0)
				return 0;
			number = signals_end_asked(signals);
			if (number != 0)
				return number;
			(void)recorder_listen(&recorders[i]);
		}
	}
	return signals_end_asked(signals);
}

/* Waits for its end, without sparing one that overstays the deadline. */
static void recorder_end(struct recorder *recorder, int64_t deadline_mono_ns)
{
	struct pollfd report = {.fd = recorder->report_fd, .events = POLLIN};
	const size_t room = sizeof recorder->trouble;
	struct rusage used;
	bool ended = false;
	int status;

	if (recorder->pid <= 0)
		return;
	while (!ended && poll(&report, 1, clock_left_ms(deadline_mono_ns)) > 0)
		ended = !recorder_listen(recorder);
	(void)close(recorder->report_fd);
	if (!ended) {
		/* Not waited for: one that hangs in the kernel can't die yet. */
		(void)kill(recorder->pid, SIGKILL);
		(void)waitpid(recorder->pid, NULL, WNOHANG);
		(void)snprintf(recorder->trouble, room, "its recorder did not end");
		return;
	}
	if (wait4(recorder->pid, &status, 0, &used) != recorder->pid)
		return;
	recorder->cpu_ns = recorder->killed_cpu_ns + cpu_ns_of(&used);
	if (recorder->trouble[0] != '\0')
		return;
	if (WIFSIGNALED(status))
		trouble_killed(recorder, WTERMSIG(status));
	else if (!recorder->ready)
		(void)snprintf(recorder->trouble, room, "no sample was recorded");
}

void recorders_stop(struct recorder recorders[], size_t count, int64_t deadline_mono_ns)
{
	int64_t asked_ns = clock_mono_ns();

	for (size_t i = 0; i < count; i++)
		if (recorders[i].pid > 0) {
			(void)kill(recorders[i].pid, SIGTERM);
			(void)kill(recorders[i].pid, SIGCONT);
		}
	for (size_t i = 0; i < count; i++) {
		recorder_end(&recorders[i], deadline_mono_ns);
		/* One that was killed, or hangs, has not told its own end. */
		punctuality_end(recorders[i].punctuality, asked_ns);
	}
}

/* Lines of the type "recorder". */

static bool begin(struct event_line *line, const char *log, const char *state)
{
	struct instant now;

	instant_now(&now);
	if (event_line_begin(line, &now, "recorder") != 0)
		return false;
	event_line_text(line, "log", log);
	event_line_text(line, "state", state);
	return true;
}

void recorder_note(int dir_fd, const char *log, const char *state)
{
	struct event_line line;

	if (begin(&line, log, state))
		(void)event_line_append(&line, dir_fd);
}

void recorder_note_number(
	int dir_fd, const char *log, const char *state, const char *key, long long value)
{
	struct event_line line;

	if (!begin(&line, log, state))
		return;
	event_line_number(&line, key, value);
	(void)event_line_append(&line, dir_fd);
}

void recorder_note_text(int dir_fd, const char *log, const char *state, const char *key,
	const char *value)
{
	struct event_line line;

	if (!begin(&line, log, state))
		return;
	event_line_text(&line, key, value);
	(void)event_line_append(&line, dir_fd);
}
