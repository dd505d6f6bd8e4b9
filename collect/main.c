/*
 * The part of collect that can't be a shell script: one small program, its first argument
 * says which. The script `collect` beside it is what people call.
 */
#include "event.h"
#include "probe.h"
#include "say.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"record", record_main},
	{"phase", phase_main},
	{"begin", event_main},
	{"end", event_main},
	{"event", event_main},
	{"probe", probe_main},
};

/*
 * A standard stream that is closed would be taken by the next file that we open, and what
 * is meant for people would go into a log. The null device keeps the place; as it is
 * closed on exec, COMMAND gets the stream as closed as it was.
 */
static int streams_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].main(argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
