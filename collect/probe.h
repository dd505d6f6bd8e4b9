/*
 * Runs a program that may hang, with a limit of time.
 * This room knows nothing of what is asked or answered.
 */
#ifndef COLLECT_PROBE_H
#define COLLECT_PROBE_H

/*
 * The command `probe SECONDS PROGRAM [ARG...]`: copies what PROGRAM prints, on either
 * stream, to standard output. Returns PROGRAM's exit status, or EXIT_TIMEOUT.
 */
int probe_main(int argc, char **argv);

enum {
	EXIT_TIMEOUT = 124
};

#endif
