/*
 * Runs COMMAND as if nothing were around it: its streams, signals, process group and
 * terminal are the ones that collect was given. Knows nothing of recordings.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proc_text.h"
#include "recorder.h"
#include "say.h"
#include "signals.h"
#include "ticker.h"

/*
 * The kernel gives a signal for a process group to its youngest process first, so that
 * the witness, a child, has it before its parent; who sends one to each process, as
 * systemd and Slurm do, takes a moment. It keeps a signal for good: when one was seen,
 * another witness takes its place.
 */

/* How long a signal may take from the one process to the other. */
#define MOMENT_NS (20 * (NS_PER_S / 1000))

/* Those of one number and sender that come so soon are one: the kernel keeps one of them,
 * or two, as it happens. */
#define BURST_NS (100 * (NS_PER_S / 1000))

static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t all;

	if (pid != 0)
		return pid;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	if (streams_leave() == 0 && lifeline_tie(parent, SIGKILL))
		while (getppid() == parent)
			(void)pause();
	_exit(0);
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* Where none can be started, each signal seems to have come alone. */
static void witness_start(struct witness *witness)
{
	*witness = (struct witness){.pid = start()};
}

static void witness_end(struct witness *witness)
{
	end(witness->pid);
	witness->pid = -1;
}

/* The signals that a child was sent and has not taken; of /proc of another namespace,
 * where its id is somebody else's, none. */
static uint64_t pending(pid_t pid)
{
	unsigned long long parent, signals;
	char text[4096];

	(void)proc_text(PROC_OF_ALL, pid, "status", text, sizeof text);
	return proc_number(text, "\nPPid:", 10, &parent) && (pid_t)parent == getpid() &&
			proc_number(text, "\nShdPnd:", 16, &signals)
		? signals
		: 0;
}

static bool take(struct witness *witness, uint64_t bit)
{
	uint64_t got = witness->had;
	pid_t before = witness->pid;

	if ((got & bit) == 0)
		got |= pending(before);
	if ((got & bit) == 0)
		return false;
	if ((witness->had & bit) == 0) {
		/* What comes meanwhile reaches both. */
		witness->pid = start();
		got |= pending(before);
		end(before);
	}
	witness->had = got & ~bit;
	return true;
}

/*
 * Has it got this signal, too? Waits a moment, as the one may have come before the
 * other.
 */
static bool witness_saw(struct witness *witness, const struct signalfd_siginfo *signal)
{
	const struct timespec nap = {.tv_nsec = NS_PER_S / 1000};
	uint32_t number = signal->ssi_signo % SIGNALS;
	uint64_t bit = number > 0 ? UINT64_C(1) << (number - 1) : 0;
	int64_t now_ns = clock_mono_ns(), until_ns = now_ns + MOMENT_NS;

	if (witness->pid <= 0)
		return false;
	if (witness->seen[number].at_ns > 0 &&
		witness->seen[number].sender == signal->ssi_pid &&
		now_ns - witness->seen[number].at_ns <= BURST_NS) {
		(void)take(witness, bit);
		return true;
	}
	while (!take(witness, bit)) {
		if (clock_mono_ns() >= until_ns)
			return false;
		(void)nanosleep(&nap, NULL);
	}
	witness->seen[number].sender = signal->ssi_pid;
	witness->seen[number].at_ns = clock_mono_ns();
	return true;
}

/* Becomes argv; where that fails, says why through the pipe, which exec closes. */
_Noreturn static void become(char *const argv[], const sigset_t *mask, int why_fd)
{
	int why;

	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	(void)execvp(argv[0], argv);
	why = errno;
	if (write(why_fd, &why, sizeof why) < 0)
		_exit(EXIT_COLLECT);
	_exit(EXIT_CANNOT_RUN);
}

int command_start(
	struct command *command, char *const argv[], const struct signals *signals)
{
	int why, ends[2];
	ssize_t got;

	/* First, as it must not hold the pipe, whose end says that COMMAND runs. */
	witness_start(&command->witness);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		say("can't make a pipe: %s", strerror(errno));
		witness_end(&command->witness);
		return EXIT_COLLECT;
	}
	command->pid = fork();
	if (command->pid == 0)
		become(argv, &signals->before, ends[1]);
	why = errno;
	command->waker = -1;
	(void)close(ends[1]);
	if (command->pid < 0) {
		(void)close(ends[0]);
		witness_end(&command->witness);
		say("can't start a process: %s", strerror(why));
		return EXIT_COLLECT;
	}
	do
		got = read(ends[0], &why, sizeof why);
	while (got < 0 && errno == EINTR);
	(void)close(ends[0]);
	if (got != (ssize_t)sizeof why) {
		streams_let_go();
		return 0;
	}
	(void)waitpid(command->pid, NULL, 0);
	witness_end(&command->witness);
	say("can't run '%s': %s", argv[0], strerror(why));
	return why == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static bool command_ended(struct command *command)
{
	siginfo_t end = {.si_pid = 0};

	if (waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		end.si_pid != command->pid)
		return false;
	instant_now(&command->ended);
	command->signal = end.si_code == CLD_EXITED ? 0 : end.si_status;
	command->exit_status =
		end.si_code == CLD_EXITED ? end.si_status & 0xff : 128 + command->signal;
	return true;
}

static bool is_stopped(pid_t pid)
{
	char text[512];
	size_t size = proc_text(PROC_OF_ALL, pid, "stat", text, sizeof text);
	char state = proc_state(text, size);

	return state == 'T' || state == 't';
}

/*
 * A child that continues the process which waits for the command when the command goes
 * on: a process that is stopped itself can't see that. Runs until it is killed.
 */
static pid_t waker_start(pid_t command)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	pid_t pid, sleeper = getpid();

	pid = fork();
	if (pid != 0)
		return pid;
	(void)setsid();
	if (streams_leave() != 0 || !lifeline_tie(sleeper, SIGKILL))
		_exit(EXIT_COLLECT);
	/* Again and again: a signal that comes before the stop is lost. */
	while (getppid() == sleeper) {
		if (!is_stopped(command))
			(void)kill(sleeper, SIGCONT);
		(void)nanosleep(&moment, NULL);
	}
	_exit(0);
}

/* Where the command has stopped, so does collect: a shell waits for that, or an end. */
static void command_stopped(struct command *command)
{
	siginfo_t stop = {.si_pid = 0};

	if (waitid(P_PID, (id_t)command->pid, &stop, WSTOPPED | WNOHANG) != 0 ||
		stop.si_pid != command->pid)
		return;
	command->waker = waker_start(command->pid);
	if (command->waker < 0)
		return;
	signals_stop(stop.si_status);
	(void)kill(command->waker, SIGKILL);
	(void)waitpid(command->waker, NULL, 0);
	command->waker = -1;
}

void command_bury(struct command *command)
{
	witness_end(&command->witness);
	(void)waitpid(command->pid, NULL, 0);
}

int command_follow(const struct command *command)
{
	if (command->signal != 0)
		signals_die(command->signal);
	return command->exit_status;
}

/* Where COMMAND has left the process group, what reaches that does not reach it. */
static bool has_reached(struct command *command, const struct signalfd_siginfo *info)
{
	return witness_saw(&command->witness, info) && getpgid(command->pid) == getpgrp();
}

/*
 * What the command itself sends must not come back to it, nor come again what has reached
 * the whole process group, as what a key (Ctrl-C) or a shell sends does. The rest was
 * meant for the command but sent to collect, whose process id is the one that others
 * know.
 */
static void command_forward(struct command *command, const struct signalfd_siginfo *info)
{
	if (info->ssi_pid != (uint32_t)command->pid &&
		info->ssi_pid != (uint32_t)command->waker && !has_reached(command, info))
		(void)kill(command->pid, (int)info->ssi_signo);
}

void command_wait(struct command *command, const struct signals *signals,
	void (*others)(void *), void *context)
{
	struct pollfd ready = {.fd = signals->fd, .events = POLLIN, .revents = 0};

	/* One that ended before is not told any more. */
	if (others != NULL)
		others(context);
	for (;;) {
		struct signalfd_siginfo info;

		if (read(signals->fd, &info, sizeof info) != (ssize_t)sizeof info) {
			(void)poll(&ready, 1, -1);
			continue;
		}
		if (info.ssi_signo != SIGCHLD)
			command_forward(command, &info);
		else if (command_ended(command))
			return;
		else
			command_stopped(command);
		if (info.ssi_signo == SIGCHLD && others != NULL)
			others(context);
	}
}
