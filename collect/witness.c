/*
 * The kernel gives a signal for a process group to its youngest process first, so that
 * the witness, a child, has it before its parent; who sends one to each process, as
 * systemd and Slurm do, takes a moment. It keeps a signal for good: when one was seen,
 * another witness takes its place.
 * This room knows nothing of what signals are for.
 */
#include "witness.h"

#include "clock.h"
#include "lifeline.h"
#include "proc_text.h"
#include "streams.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

void witness_start(struct witness *witness)
{
	*witness = (struct witness){.pid = start()};
}

void witness_end(struct witness *witness)
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

bool witness_saw(struct witness *witness, const struct signalfd_siginfo *signal)
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
