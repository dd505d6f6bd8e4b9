/*
 * Asks a recording that goes on elsewhere how it is, and tells it to stop.
 */
#ifndef COLLECT_CONTROL_H
#define COLLECT_CONTROL_H

/*
 * The commands `status DIR` and `stop DIR`. status prints "recording" or
 * "compressing" with the process id, "ended", or "died", and returns 0, 1, 2; 3 where DIR
 * is no recording, EXIT_COLLECT where nobody can tell. stop returns 0 when the recording
 * has ended whole, and EXIT_COLLECT where it can't be stopped.
 */
int status_main(int argc, char **argv);
int stop_main(int argc, char **argv);

#endif
