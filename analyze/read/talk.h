/*
 * Lines among the rows that are none: prompts and echoes of commands, titles, rules,
 * sentences; and which of them say that something went wrong.
 */
#ifndef READ_TALK_H
#define READ_TALK_H

#include <stdbool.h>

#include "read/csv.h"

/* A prompt, an echo, a title, a line of dashes: no row, and none that was cut. */
bool talk_is_noise(const struct csv_row *row, struct span line);

/* Does the line say that something went wrong? */
bool talk_is_complaint(struct span line);

/* A row whose cells all tell of trouble, be it the time: of a GPU that is lost, but
 * which?
 */
bool talk_is_failure(const struct csv_row *row);

/* What a job may say before a log begins, commas and all: no cell is an amount. */
bool talk_is_prose(const struct csv_row *row, struct span line);

/* The echo of a command that runs nvidia-smi; it may look like a header. */
bool talk_is_echo(struct span line);

/* "-----": between rows; of a log of one column it would be a missing value. */
bool talk_is_rule(struct span line);

#endif
