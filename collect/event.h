/*
 * Marks moments of a running recording: lines of events.jsonl, in the form of a RunLog.
 * This room knows nothing of how the recording is made.
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

#endif
