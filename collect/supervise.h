/*
 * A recording around a command, from its first sample to its last.
 */
#ifndef COLLECT_SUPERVISE_H
#define COLLECT_SUPERVISE_H

/*
 * The command `record -d DIR -i SECONDS [-l KEY=VALUE]... [-S] [-x BYTES] [-z GZIP]
 * [-s NVIDIA-SMI -g ROWS [-q FIELDS] [-m GROUPS]] ([-b] [-p PID] | -- COMMAND [ARG...])`:
 * records into DIR, an empty directory, while COMMAND runs, or the process PID; in the
 * background (-b) also without either, until SIGTERM. The values have been checked, the
 * GPU options are what the probing has found. Returns the exit status.
 */
int record_main(int argc, char **argv);

#endif
