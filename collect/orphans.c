/*
 * Processes whose parent has ended before them become this process's children.
 * This room must not know what is recorded of them.
 */
#include "orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* So much is told between two samples at most: of more than a thousand processes. */
#define TOLD_SIZE (1024 * 1024)

/* In front of each text in the pipe; both are written at once, and read whole. */
struct head {
	pid_t pid;
	size_t size, usage_size;
};

/*
 * A process group whose leader's parent is of the same session is no orphan to the
 * terminal: it would be stopped, by a read as by Ctrl-Z, where it would get an error.
 */
static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

void orphans_adopt(struct orphans *orphans)
{
	int ends[2] = {-1, -1};

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0)
		(void)fcntl(ends[1], F_SETPIPE_SZ, TOLD_SIZE);
	*orphans = (struct orphans){
		.children_fd = -1, .told_fd = ends[1], .heard_fd = ends[0]};
	/* Without the list one that somebody else waits for would hide all others. */
	if (!has_terminal())
		orphans->children_fd =
			open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	if (orphans->children_fd >= 0)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_release(struct orphans *orphans)
{
	int fd[] = {orphans->children_fd, orphans->told_fd, orphans->heard_fd};

	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
		if (fd[i] >= 0)
			(void)close(fd[i]);
	record_release(&orphans->record);
	orphans->children_fd = orphans->told_fd = orphans->heard_fd = -1;
}

/* The one that has ended, of all children (P_ALL) or of that id; 0: none. What it used is
 * said, while it stays to be read and to be waited for. */
static pid_t ended(idtype_t which, pid_t pid, struct rusage *used)
{
	siginfo_t end = {.si_pid = 0};

	/* The kernel's own call says both, that of the C library does not. */
	if (syscall(SYS_waitid, which, pid, &end, WEXITED | WNOHANG | WNOWAIT, used) != 0)
		return 0;
	return end.si_pid;
}

static void tell(struct orphans *orphans, pid_t pid, const struct rusage *used)
{
	struct record *record = &orphans->record;
	struct head head = {.pid = pid};
	char message[sizeof head + OBITUARY_SIZE];

	record->size = 0;
	record->broken = false;
	record_printf(record,
		"> %d/rusage\nutime: %lld.%06ld\nstime: %lld.%06ld\nmaxrss: %ld kB\n",
		(int)pid, (long long)used->ru_utime.tv_sec, (long)used->ru_utime.tv_usec,
		(long long)used->ru_stime.tv_sec, (long)used->ru_stime.tv_usec,
		used->ru_maxrss);
	head.usage_size = record->size;
	record_process(record, pid, pid, "stat", NULL);
	record_process(record, pid, pid, "io", NULL);
	if (orphans->told_fd < 0 || record->broken || record->size > OBITUARY_SIZE)
		return;
	head.size = record->size;
	memcpy(message, &head, sizeof head);
	memcpy(message + sizeof head, record->text, head.size);
	if (write(orphans->told_fd, message, sizeof head + head.size) < 0)
		return;
}

void orphans_tell(struct orphans *orphans, pid_t pid)
{
	struct rusage used;

	if (ended(P_PID, pid, &used) == pid)
		tell(orphans, pid, &used);
}

/* False: somebody else waits for it. */
static bool bury(
	struct orphans *orphans, pid_t pid, enum child child, const struct rusage *used)
{
	if (child == CHILD_AWAITED)
		return false;
	if (child == CHILD_ORPHAN)
		tell(orphans, pid, used);
	(void)waitpid(pid, NULL, WNOHANG);
	return true;
}

/* The next number of a list, and what is behind it; 0: there is none. */
static pid_t next_pid(char **rest)
{
	return (pid_t)strtol(*rest, rest, 10);
}

/* Each in the list, as the one that the kernel names is somebody else's. */
static void bury_all(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context)
{
	struct record list = {0};
	struct rusage used;
	char *rest;
	pid_t pid;

	if (record_again(&list, orphans->children_fd, RECORD_PIECES) > 0) {
		/* There was room for more. */
		list.text[list.size] = '\0';
		for (rest = list.text; (pid = next_pid(&rest)) > 0;)
			if (ended(P_PID, pid, &used) == pid)
				(void)bury(orphans, pid, child_is(context, pid), &used);
	}
	record_release(&list);
}

void orphans_bury(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context)
{
	struct rusage used;
	pid_t pid;

	if (orphans->children_fd < 0)
		return;
	while ((pid = ended(P_ALL, 0, &used)) != 0)
		if (!bury(orphans, pid, child_is(context, pid), &used)) {
			/* It is the first for as long as nobody waits for it. */
			bury_all(orphans, child_is, context);
			return;
		}
}

static bool take(int fd, void *to, size_t size)
{
	return read(fd, to, size) == (ssize_t)size;
}

bool orphans_hear(int heard_fd, struct obituary *obituary)
{
	struct head head;

	if (heard_fd < 0 || !take(heard_fd, &head, sizeof head))
		return false;
	/* Who was killed while it heard half of one has left the other half: what is
	 * told then makes no sense any more. */
	if (head.pid <= 0 || head.size > sizeof obituary->text ||
		head.usage_size > head.size ||
		!take(heard_fd, obituary->text, head.size)) {
		while (read(heard_fd, obituary->text, sizeof obituary->text) > 0)
			continue;
		return false;
	}
	obituary->pid = head.pid;
	obituary->size = head.size;
	obituary->usage_size = head.usage_size;
	return true;
}
