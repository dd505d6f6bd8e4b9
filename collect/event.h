/*
 * Marks moments of a running recording: lines of events.jsonl, in the form of a
 * RunLog. Knows nothing of how the recording is made.
 */
#ifndef COLLECT_EVENT_H
#define COLLECT_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ticker.h"

/*
 * The commands `begin NAME`, `end NAME`, `event TYPE [KEY=VALUE...]` and
 * `phase NAME [--] COMMAND [ARG...]`; TYPE is not one of the other three. argv[0] is the
 * command's name. The directory is the value of COLLECT_DIR. They return the exit status.
 */
int event_main(int argc, char **argv);
int phase_main(int argc, char **argv);

/*
 * One line of events.jsonl: made whole, then appended with one write, as many
 * processes append to it at once.
 */

struct event_line {
	FILE *out;
	char *text;
	size_t size;
};

/*
 * Writes {"ts":...,"mono":...,"boot":...,"type":... : the three clocks, the wall clock as
 * people write it, the others in seconds. Returns 0, or -1 with errno. Then one of the
 * two ends.
 */
int event_line_begin(
	struct event_line *line, const struct instant *when, const char *type);
void event_line_text(struct event_line *line, const char *key, const char *value);
void event_line_number(struct event_line *line, const char *key, long long value);

/* Ends the line and appends it. Returns 0, or -1 with errno. */
int event_line_append(struct event_line *line, int dir_fd);

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
