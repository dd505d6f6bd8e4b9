/*
 * One line of events.jsonl: made whole, then appended with one write, as many processes
 * append to it at once.
 * This room knows nothing of what happens.
 */
#ifndef COLLECT_EVENT_LINE_H
#define COLLECT_EVENT_LINE_H

#include "clock.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
void event_line_drop(struct event_line *line);

#endif
