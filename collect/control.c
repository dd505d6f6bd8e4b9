/*
 * Asks a recording that goes on elsewhere how it is, and tells it to stop.
 */
#include "control.h"

#include "lock.h"
#include "regular.h"
#include "say.h"
#include "vigil.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum state {
	STATE_RECORDING,
	STATE_ENDED,
	STATE_DIED,
	STATE_NONE,
	STATE_UNKNOWN = EXIT_COLLECT
};

static enum state look(int dir_fd, const char *dir, struct lock *lock)
{
	if (lock_read(dir_fd, lock) == 0)
		return lock->held ? STATE_RECORDING : STATE_DIED;
	if (errno == EINVAL)
		return STATE_DIED;
	if (errno != ENOENT) {
		say("can't tell whether %s is being recorded: %s", dir,
			regular_why(errno));
		return STATE_UNKNOWN;
	}
	return faccessat(dir_fd, "run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? STATE_ENDED
									     : STATE_NONE;
}

/* -1 with errno: there is none that can be opened, which was said. */
static int recording_open(int argc, char **argv)
{
	int dir_fd, why;

	if (argc != 2) {
		say("usage: collect %s DIR", argv[0]);
		errno = EINVAL;
		return -1;
	}
	dir_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	why = errno;
	if (dir_fd < 0)
		say("can't use the directory %s: %s", argv[1], strerror(why));
	errno = why;
	return dir_fd;
}

int status_main(int argc, char **argv)
{
	int dir_fd = recording_open(argc, argv);
	enum state state;
	struct lock lock;

	if (dir_fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? STATE_NONE : STATE_UNKNOWN;
	state = look(dir_fd, argv[1], &lock);
	(void)close(dir_fd);
	switch (state) {
	case STATE_RECORDING:
		(void)printf("%s (process %d on %s)\n",
			lock.packing ? "compressing" : "recording", (int)lock.pid,
			lock.host);
		break;
	case STATE_ENDED:
		(void)printf("ended\n");
		break;
	case STATE_DIED:
		(void)printf("died\n");
		break;
	case STATE_NONE:
		say("%s is no recording", argv[1]);
		break;
	case STATE_UNKNOWN:
		break;
	}
	return fflush(stdout) == 0 ? (int)state : EXIT_COLLECT;
}

static bool is_here(const struct lock *lock)
{
	struct utsname names;

	return uname(&names) == 0 && strcmp(names.nodename, lock->host) == 0;
}

/* What it seems to be from here may be another process: in another container. */
static bool is_seen(const struct lock *lock)
{
	return lock->holder == lock->pid && is_here(lock);
}

/*
 * Tells the process that holds the lock to end, and no other that has its id by then.
 * Returns -1 with errno where it can't.
 */
static int end_holder(int dir_fd, const struct lock *lock)
{
	struct lock now;
	int fd = vigil_open(lock->pid), failed = 0, why = 0;

	if (fd < 0)
		return errno == ESRCH ? 0 : kill(lock->pid, SIGTERM);
	/* To one that compresses it would say to leave that. */
	if (lock_read(dir_fd, &now) == 0 && now.holder == lock->pid && !now.packing) {
		failed = (int)syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0);
		why = errno;
		/* One that is stopped would heed it only when it goes on. */
		(void)syscall(SYS_pidfd_send_signal, fd, SIGCONT, NULL, 0);
	}
	(void)close(fd);
	errno = why;
	return failed;
}

/* Waits for as long as it takes: nvidia-smi may have to be killed, much compressed. */
static enum state await_end(int dir_fd, const char *dir, struct lock *lock)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	enum state state = STATE_RECORDING;
	bool said = false;

	while (state == STATE_RECORDING) {
		(void)nanosleep(&moment, NULL);
		state = look(dir_fd, dir, lock);
		if (state != STATE_RECORDING || !lock->packing || said)
			continue;
		say("the recording in %s has ended, its logs are being compressed", dir);
		said = true;
	}
	return state;
}

static int stop(int dir_fd, const char *dir)
{
	struct lock lock;
	enum state state = look(dir_fd, dir, &lock);

	if (state == STATE_ENDED)
		return 0;
	if (state == STATE_DIED)
		say("the recording in %s has died", dir);
	else if (state == STATE_NONE)
		say("%s is no recording", dir);
	else if (state == STATE_RECORDING && !lock.alone)
		say("the recording in %s ends with its command", dir);
	else if (state == STATE_RECORDING && !is_seen(&lock))
		say("the recording in %s is process %d on another host or in another "
		    "container, %s",
			dir, (int)lock.pid, lock.host);
	if (state != STATE_RECORDING || !lock.alone || !is_seen(&lock))
		return EXIT_COLLECT;
	if (end_holder(dir_fd, &lock) != 0) {
		say("can't stop the recording in %s: %s", dir, strerror(errno));
		return EXIT_COLLECT;
	}
	if (await_end(dir_fd, dir, &lock) == STATE_ENDED)
		return 0;
	say("the recording in %s did not end whole", dir);
	return EXIT_COLLECT;
}

int stop_main(int argc, char **argv)
{
	int dir_fd = recording_open(argc, argv), status;

	if (dir_fd < 0)
		return EXIT_COLLECT;
	status = stop(dir_fd, argv[1]);
	(void)close(dir_fd);
	return status;
}
