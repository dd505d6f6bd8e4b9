/*
 * Waits where no COMMAND is started.
 * This room knows nothing of recordings.
 */
#include "vigil.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often one is asked whether it lives that can't be waited for. */
#define ASK_MS 100

int vigil_open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	/* What newer kernels say of a thread. */
	if (fd < 0 && errno == ENOENT)
		errno = EINVAL;
	if (fd < 0 && errno != ESRCH && kill(pid, 0) != 0 && errno != EPERM)
		errno = ESRCH;
	return fd;
}

void vigil_keep(int fd, pid_t pid, const struct signals *signals, bool (*others)(void *),
	void *context)
{
	struct pollfd either[2] = {
		{.fd = signals->fd, .events = POLLIN},
		{.fd = fd, .events = POLLIN},
	};

	while (others(context)) {
		(void)poll(either, 2, fd < 0 && pid > 0 ? ASK_MS : -1);
		if (signals_end_asked(signals) != 0 || either[1].revents != 0)
			return;
		if (fd < 0 && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
			return;
	}
}
