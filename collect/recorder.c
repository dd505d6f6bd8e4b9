/*
 * A recorder is a child process that writes one log: the supervisor's side of it and the
 * few words that pass between the two.
 * This room knows nothing of what is recorded.
 */
#include "recorder.h"

#include "clock.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first byte of a report; a sentence, if any, follows. */
#define READY '+'

void recording_ready(const struct recording *recording)
{
	const char byte = READY;

	/* A supervisor that is gone needs no report, and SIGTERM is already on its way.
	 */
	if (write(recording->report_fd, &byte, 1) < 0)
		return;
}

void recording_trouble(const struct recording *recording, const char *format, ...)
{
	char sentence[200];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(sentence, sizeof sentence, format, arguments);
	va_end(arguments);
	if (length <= 0)
		return;
	if (write(recording->report_fd, sentence, strlen(sentence)) < 0)
		return;
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
	/* A supervisor that died before this line sends no death signal any more. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != recording->supervisor)
		return -1;
	return 0;
}

int recorder_start(
	struct recorder *recorder, const char *name, recorder_body *body, void *job)
{
	struct recording recording = {.stop_fd = -1, .supervisor = getpid()};
	int ends[2];

	*recorder = (struct recorder){.name = name, .pid = -1, .report_fd = -1};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	recorder->pid = fork();
	if (recorder->pid == 0) {
		(void)close(ends[0]);
		recording.report_fd = ends[1];
		if (recording_enter(&recording) == 0)
			body(job, &recording);
		_exit(0);
	}
	(void)close(ends[1]);
	recorder->report_fd = ends[0];
	if (recorder->pid > 0)
		return 0;
	(void)close(ends[0]);
	return -1;
}

/* Reads what there is of a report. Returns false at its end, which is the recorder's. */
static bool recorder_listen(struct recorder *recorder)
{
	size_t used = strlen(recorder->trouble);
	char text[256];
	ssize_t got = read(recorder->report_fd, text, sizeof text);
	const char *said = text;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	recorder->reported = true;
	if (got == 0)
		return false;
	if (*said == READY) {
		recorder->ready = true;
		said++;
		got--;
	}
	(void)snprintf(recorder->trouble + used, sizeof recorder->trouble - used, "%.*s",
		(int)got, said);
	return true;
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
	bool ended = false;
	int status;

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
	if (waitpid(recorder->pid, &status, 0) != recorder->pid ||
		recorder->trouble[0] != '\0')
		return;
	if (WIFSIGNALED(status))
		(void)snprintf(recorder->trouble, room,
			"its recorder was killed by signal %d", WTERMSIG(status));
	else if (!recorder->ready)
		(void)snprintf(recorder->trouble, room, "no sample was recorded");
}

void recorders_stop(struct recorder recorders[], size_t count, int64_t deadline_mono_ns)
{
	for (size_t i = 0; i < count; i++)
		(void)kill(recorders[i].pid, SIGTERM);
	for (size_t i = 0; i < count; i++)
		recorder_end(&recorders[i], deadline_mono_ns);
}
