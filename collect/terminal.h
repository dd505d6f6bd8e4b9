/*
 * A pseudo-terminal for a program that prints line by line only on one.
 * This room knows nothing of the program.
 */
#ifndef COLLECT_TERMINAL_H
#define COLLECT_TERMINAL_H

struct terminal {
	int our_fd; /* where to read, without blocking, what the program prints */
	int program_fd; /* what the program prints on */
};

/*
 * Opens one that passes every byte as it is; where there is none to be had (a chroot
 * without /dev/pts), a pipe. Both ends are closed on exec. Returns 0, or -1 with errno.
 */
int terminal_open(struct terminal *terminal);

#endif
