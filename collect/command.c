/*
 * A signal to the process group must reach COMMAND once, and so must one to collect
 * alone, whose process id is the one that others know. The kernel does not say which of
 * the two it was. So collect leaves the process group once COMMAND is in it: what reaches
 * the group reaches COMMAND without collect, and what reaches collect is passed on.
 */
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

int signals_take(struct signals *signals)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &all, &signals->before) != 0)
		return -1;
	signals->fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? -1 : 0;
}

int signals_end_asked(const struct signals *signals)
{
	struct signalfd_siginfo info;
	struct sigaction now;

	while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
		int number = (int)info.ssi_signo;

		if (number != SIGHUP && number != SIGINT && number != SIGQUIT &&
			number != SIGTERM)
			continue;
		/* A blocked signal comes even if it is ignored, as SIGHUP under nohup. */
		if (sigaction(number, NULL, &now) != 0 || now.sa_handler != SIG_IGN)
			return number;
	}
	return 0;
}

/* Does what that signal does by default to this process. */
static void raise_default(int number)
{
	struct sigaction before = {0}, plain = {.sa_handler = SIG_DFL};
	sigset_t one, mask;

	(void)sigemptyset(&one);
	(void)sigaddset(&one, number);
	(void)sigaction(number, &plain, &before);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &one, &mask);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	(void)sigaction(number, &before, NULL);
}

int streams_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

/* All that collect opens is closed on exec; what is not was open before. */
static void inherited_close(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10), flags = fcntl(fd, F_GETFD);

		if (fd > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0)
			(void)close(fd);
	}
	(void)closedir(dir);
}

int streams_leave(int last)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), fd = STDIN_FILENO;

	inherited_close();
	while (null_fd >= 0 && fd <= last && dup2(null_fd, fd) >= 0)
		fd++;
	fd_close(&null_fd);
	return fd > last ? 0 : -1;
}

/* When one end of a pipe is closed the kernel signals the owner of the other end: the
 * group. It may close the two in either order when this process ends. */
void leash_tie(struct leash *leash, pid_t group)
{
	size_t at = 0;

	while (at < leash->groups && leash->group[at] != group)
		at++;
	/* Until its setsid() a child is in our group. */
	if (group <= 0 || group == getpgrp() || at < leash->groups ||
		at == LEASH_GROUPS || pipe2(leash->fd[at], O_CLOEXEC | O_NONBLOCK) != 0)
		return;
	leash->group[leash->groups++] = group;
	for (size_t i = 0; i < 2; i++) {
		(void)fcntl(leash->fd[at][i], F_SETOWN, -group);
		(void)fcntl(leash->fd[at][i], F_SETSIG, SIGKILL);
		(void)fcntl(leash->fd[at][i], F_SETFL, O_NONBLOCK | O_ASYNC);
	}
}

void leash_cut(struct leash *leash)
{
	for (; leash->groups > 0; leash->groups--)
		for (size_t i = 0; i < 2; i++)
			(void)close(leash->fd[leash->groups - 1][i]);
}

pid_t child_start(
	char *const argv[], struct leash *leash, int in_fd, int out_fd, int err_fd)
{
	const pid_t parent = getpid(), pid = fork();
	const int fds[] = {in_fd, out_fd, err_fd};
	sigset_t none;

	if (pid > 0 && leash != NULL)
		leash_tie(leash, pid);
	if (pid != 0)
		return pid;
	(void)setsid();
	if (streams_leave(STDERR_FILENO) != 0)
		_exit(EXIT_COLLECT);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fds[fd] >= 0 && dup2(fds[fd], fd) < 0)
			_exit(EXIT_COLLECT);
	/* No signal comes for a parent that had died before. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(EXIT_COLLECT);
	(void)setenv("TZ", "UTC", 1);
	/* COMMAND may be meant to ignore these, this program is not. */
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)execvp(argv[0], argv);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	const bool has = fd >= 0;

	fd_close(&fd);
	return has;
}

/* Moves this process into another process group; the leader of one into that of a child,
 * which need not live on. The leader of a session has to stay. */
static void group_leave(void)
{
	pid_t pid;

	if (getsid(0) == getpid())
		return;
	if (getpgrp() != getpid()) {
		(void)setpgid(0, 0);
		return;
	}
	pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return;
	if (setpgid(pid, pid) == 0)
		(void)setpgid(0, pid);
	(void)waitpid(pid, NULL, 0);
}

int command_start(struct command *command, char *const argv[],
	const struct signals *signals, bool here)
{
	volatile int why =
		0; /* vfork: the child writes here, and we go on after its exec */

	*command = (struct command){.group = getpgrp()};
	command->pid = here ? -1 : vfork();
	if (command->pid < 0 && !here)
		say("can't start a process, the command takes the place of collect: %s",
			strerror(errno));
	if (command->pid <= 0) {
		(void)sigprocmask(SIG_SETMASK, &signals->before, NULL);
		(void)execvp(argv[0], argv);
		why = errno;
		if (command->pid == 0)
			_exit(EXIT_CANNOT_RUN);
	}
	if (why == 0) {
		group_leave();
		/* Standard error is kept for a last sentence. */
		(void)streams_leave(STDOUT_FILENO);
		return 0;
	}
	if (command->pid > 0)
		(void)waitpid(command->pid, NULL, 0);
	command->pid = 0;
	say("can't run '%s': %s", argv[0], strerror(why));
	return why == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/*
 * A shell waits until its job stops or ends. So if the command has stopped collect stops,
 * too, in the process group that the shell continues. Whoever continues collect alone
 * means the command: the SIGCONT is passed on like other signals. Without a terminal
 * collect waits in that group: else its death would leave stopped processes that no other
 * process of the session can continue, and the kernel would hang them up.
 */
static void stop_as(const struct command *command, int number)
{
	(void)setpgid(0, command->group);
	if (!has_terminal())
		return;
	raise_default(number);
	group_leave();
}

/* Looks what became of the command. Returns whether it has ended. */
static bool look(struct command *command)
{
	siginfo_t now = {.si_pid = 0};

	if (waitid(P_PID, (id_t)command->pid, &now, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		now.si_pid == command->pid) {
		instant_now(&command->ended);
		command->signal = now.si_code == CLD_EXITED ? 0 : now.si_status;
		command->exit_status = command->signal != 0 ? 128 + command->signal
							    : now.si_status & 0xff;
		return true;
	}
	now.si_pid = 0;
	if (waitid(P_PID, (id_t)command->pid, &now, WSTOPPED | WCONTINUED | WNOHANG) !=
			0 ||
		now.si_pid != command->pid)
		return false;
	if (now.si_code == CLD_CONTINUED)
		group_leave();
	else
		stop_as(command, now.si_status);
	return false;
}

/*
 * Signals that the command itself sends must not come back to it, nor does SIGPIPE or
 * SIGXFSZ of a write of collect reach it. The terminal has sent its signals to all of the
 * group, but a hang-up only to the leader of the session. An alarm may be of whoever
 * became collect.
 */
static bool is_meant_for(
	const struct command *command, const struct signalfd_siginfo *info)
{
	if (info->ssi_code == SI_KERNEL)
		return info->ssi_signo == SIGHUP || info->ssi_signo == SIGALRM;
	return info->ssi_pid != (uint32_t)command->pid &&
		info->ssi_pid != (uint32_t)getpid();
}

bool command_signals(struct command *command, const struct signals *signals)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo != SIGCHLD) {
			if (is_meant_for(command, &info))
				(void)kill(command->pid, (int)info.ssi_signo);
		} else if (look(command)) {
			return true;
		}
	}
	return false;
}

void command_wait(struct command *command, const struct signals *signals)
{
	struct pollfd ready = {.fd = signals->fd, .events = POLLIN};

	while (!command_signals(command, signals))
		(void)poll(&ready, 1, -1);
	(void)waitpid(command->pid, NULL, 0);
}

int command_follow(const struct command *command)
{
	if (command->signal != 0) {
		(void)prctl(PR_SET_DUMPABLE, 0);
		raise_default(command->signal);
	}
	return command->exit_status;
}
