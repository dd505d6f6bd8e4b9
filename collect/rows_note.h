/*
 * What is new in the rows of an nvidia-smi, as lines of events.jsonl.
 * This room must not know how it is noticed, nor what is done about it.
 */
#ifndef COLLECT_ROWS_NOTE_H
#define COLLECT_ROWS_NOTE_H

#include "smi_rows.h"

#include <stddef.h>

/* Takes the next line of that log, without its end, and notes what is new by it. dir_fd:
 * of the run directory. */
void rows_note(struct smi_rows *rows, int dir_fd, const char *log, const char *line,
	size_t size);

#endif
