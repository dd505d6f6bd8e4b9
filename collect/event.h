/*
 * Marks moments of a running recording: lines of events.jsonl, in the form of a
 * RunLog. Knows nothing of how the recording is made.
 */
#ifndef COLLECT_EVENT_H
#define COLLECT_EVENT_H

/*
 * The commands `begin NAME`, `end NAME`, `event TYPE [KEY=VALUE...]` and
 * `phase NAME [--] COMMAND [ARG...]`; TYPE is not one of the other three. argv[0] is the
 * command's name. The directory is the value of COLLECT_DIR. They return the exit status.
 */
int event_main(int argc, char **argv);
int phase_main(int argc, char **argv);

/* Asks a recording that goes on elsewhere how it is, and tells it to stop. */

/*
 * The commands `status DIR` and `stop DIR`. status prints "recording" or
 * "compressing" with the process id, "ended", or "died", and returns 0, 1, 2; 3 where DIR
 * is no recording, EXIT_COLLECT where nobody can tell. stop returns 0 when the recording
 * has ended whole, and EXIT_COLLECT where it can't be stopped.
 */
int status_main(int argc, char **argv);
int stop_main(int argc, char **argv);

#endif
