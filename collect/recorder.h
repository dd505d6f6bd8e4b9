/*
 * Runs a whole recording: one process with one loop, which samples at each tick, writes
 * on what nvidia-smi prints, and is around COMMAND.
 */
#ifndef COLLECT_RECORDER_H
#define COLLECT_RECORDER_H

/*
 * The command `record -d DIR -i SECONDS [-l KEY=VALUE]... [-S LEVELS] [-x BYTES]
 * [-z GZIP] [-A AMD-SMI] [-f WHAT-FAILED] [-s NVIDIA-SMI -w SECONDS -g ROWS [-G IDS] [-q
 * FIELDS]
 * [-m GROUPS] [-n GROUPS] [-a FIELDS]] ([-b] [-p PID] | -- COMMAND [ARG...])`:
 * records into DIR, an empty directory, while COMMAND runs, or the process PID; in the
 * background (-b) also without either, until SIGTERM. The values have been checked, the
 * GPU options are what the probing has found. Returns the exit status.
 */
int record_main(int argc, char **argv);

#endif
