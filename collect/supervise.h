/*
 * A recording around a command, from its first sample to its last.
 */
#ifndef COLLECT_SUPERVISE_H
#define COLLECT_SUPERVISE_H

/*
 * The command `record -d DIR -i SECONDS [-l KEY=VALUE]... [-S LEVELS] [-x BYTES]
 * [-z GZIP] [-A AMD-SMI] [-s NVIDIA-SMI -w SECONDS -g ROWS [-G IDS] [-q FIELDS]
 * [-m GROUPS] [-n GROUPS] [-a FIELDS]] ([-b] [-p PID] | -- COMMAND [ARG...])`:
 * records into DIR, an empty directory, while COMMAND runs, or the process PID; in the
 * background (-b) also without either, until SIGTERM. The values have been checked, the
 * GPU options are what the probing has found. Returns the exit status.
 */
int record_main(int argc, char **argv);

#endif
