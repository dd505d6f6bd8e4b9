/*
 * Becomes a process of its own, of which its starter waits only until it is under way.
 * This room knows nothing of what it does there.
 */
#include "background.h"

#include "say.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int background_begin(void)
{
	int ends[2];
	pid_t pid;
	ssize_t got;
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		return -1;
	}
	if (pid > 0) {
		(void)close(ends[1]);
		do
			got = read(ends[0], &byte, 1);
		while (got < 0 && errno == EINTR);
		_exit(got == 1 ? 0 : EXIT_COLLECT);
	}
	(void)close(ends[0]);
	/* Neither the terminal's signals nor its end are meant for it. */
	(void)setsid();
	return ends[1];
}

/* From now on nobody listens: whoever reads its streams must not wait for it. */
void background_ready(int fd)
{
	(void)streams_leave();
	if (write(fd, "+", 1) < 0)
		_exit(EXIT_COLLECT);
	(void)close(fd);
}
