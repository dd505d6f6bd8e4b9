/*
 * Asks a recording that goes on elsewhere how it is, and tells it to stop.
 */
#include "control.h"

#include "clock.h"
#include "lock.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* How long a recording may take to end: nvidia-smi may have to be killed. */
#define STOP_NS (10 * NS_PER_S)

enum state {
	STATE_RECORDING,
	STATE_ENDED,
	STATE_DIED,
	STATE_NONE
};

static enum state look(int dir_fd, struct lock *lock)
{
	if (lock_read(dir_fd, lock) == 0)
		return lock->held ? STATE_RECORDING : STATE_DIED;
	if (errno != ENOENT)
		return STATE_DIED;
	return faccessat(dir_fd, "run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? STATE_ENDED
									     : STATE_NONE;
}

static int directory_open(int argc, char **argv)
{
	int dir_fd;

	if (argc != 2) {
		say("usage: collect %s DIR", argv[0]);
		return -1;
	}
	dir_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		say("can't use the directory %s: %s", argv[1], strerror(errno));
	return dir_fd;
}

int status_main(int argc, char **argv)
{
	int dir_fd = directory_open(argc, argv);
	enum state state;
	struct lock lock;

	if (dir_fd < 0)
		return EXIT_COLLECT;
	state = look(dir_fd, &lock);
	(void)close(dir_fd);
	switch (state) {
	case STATE_RECORDING:
		(void)printf("recording (process %d on %s)\n", (int)lock.pid, lock.host);
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
	}
	return fflush(stdout) == 0 ? (int)state : EXIT_COLLECT;
}

static bool is_here(const struct lock *lock)
{
	struct utsname names;

	return uname(&names) == 0 && strcmp(names.nodename, lock->host) == 0;
}

static int stop(int dir_fd, const char *dir)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int64_t deadline_ns = clock_mono_ns() + STOP_NS;
	struct lock lock;
	enum state state = look(dir_fd, &lock);

	if (state == STATE_ENDED)
		return 0;
	if (state == STATE_DIED)
		say("the recording in %s has died", dir);
	else if (state == STATE_NONE)
		say("%s is no recording", dir);
	else if (!lock.alone)
		say("the recording in %s ends with its command", dir);
	else if (!is_here(&lock))
		say("the recording in %s is on another host, %s", dir, lock.host);
	if (state != STATE_RECORDING || !lock.alone || !is_here(&lock))
		return EXIT_COLLECT;
	if (kill(lock.pid, SIGTERM) != 0) {
		say("can't stop the recording in %s: %s", dir, strerror(errno));
		return EXIT_COLLECT;
	}
	while (state == STATE_RECORDING && clock_left_ms(deadline_ns) > 0) {
		(void)nanosleep(&moment, NULL);
		state = look(dir_fd, &lock);
	}
	if (state == STATE_ENDED)
		return 0;
	say("the recording in %s did not end whole", dir);
	return EXIT_COLLECT;
}

int stop_main(int argc, char **argv)
{
	int dir_fd = directory_open(argc, argv), status;

	if (dir_fd < 0)
		return EXIT_COLLECT;
	status = stop(dir_fd, argv[1]);
	(void)close(dir_fd);
	return status;
}
