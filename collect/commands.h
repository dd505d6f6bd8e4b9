/*
 * The commands of collect-recorder. argv[0] is the command's name; each returns the exit
 * status.
 */
#ifndef COLLECT_COMMANDS_H
#define COLLECT_COMMANDS_H

/*
 * `record -d DIR -i SECONDS [OPTIONS] ([-b] [-p PID] | -- COMMAND [ARG...])`: records
 * into DIR, an empty directory, while COMMAND runs, or the process PID; in the background
 * (-b) also without either, until SIGTERM. The script `collect` has checked the values;
 * plan.h says what OPTIONS become.
 */
int record_main(int argc, char **argv);

/*
 * `probe SECONDS PROGRAM [ARG...]`: copies what PROGRAM prints, on either stream, to
 * standard output. Returns PROGRAM's exit status, or EXIT_TIMEOUT.
 */
int probe_main(int argc, char **argv);

/*
 * `begin NAME`, `end NAME`, `event TYPE [KEY=VALUE...]`, where TYPE is none of the other
 * three, and `phase NAME [--] COMMAND [ARG...]`: mark in the recording that COLLECT_DIR
 * names.
 */
int event_main(int argc, char **argv);
int phase_main(int argc, char **argv);

/*
 * `status DIR` prints "recording" or "compressing" with the process id, "ended", or
 * "died", and returns 0, 1, 2; 3 where DIR is no recording, EXIT_COLLECT where nobody can
 * tell. `stop DIR` returns 0 when the recording has ended whole.
 */
int status_main(int argc, char **argv);
int stop_main(int argc, char **argv);

#endif
