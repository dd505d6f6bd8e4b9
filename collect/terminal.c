/*
 * A pseudo-terminal for a program that prints line by line only on one.
 * This room knows nothing of the program.
 */
#include "terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int slave_open(int master_fd)
{
	/* dmon leaves away the columns that the terminal is too narrow for. */
	const struct winsize wide = {.ws_row = 50, .ws_col = 1000};
	struct termios modes;
	char name[64];
	int fd;

	if (grantpt(master_fd) != 0 || unlockpt(master_fd) != 0 ||
		ptsname_r(master_fd, name, sizeof name) != 0)
		return -1;
	fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* Raw, else the terminal makes CR LF of every newline. */
	if (tcgetattr(fd, &modes) == 0) {
		cfmakeraw(&modes);
		if (tcsetattr(fd, TCSANOW, &modes) == 0 &&
			ioctl(fd, TIOCSWINSZ, &wide) == 0)
			return fd;
	}
	(void)close(fd);
	return -1;
}

int terminal_open(struct terminal *terminal)
{
	int ends[2], master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (master_fd >= 0) {
		terminal->our_fd = master_fd;
		terminal->program_fd = slave_open(master_fd);
		if (terminal->program_fd >= 0)
			return 0;
		(void)close(master_fd);
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	terminal->our_fd = ends[0];
	terminal->program_fd = ends[1];
	return 0;
}
