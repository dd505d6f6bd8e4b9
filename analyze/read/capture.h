/*
 * Whole captures: one text file that holds the outputs of many commands, each under a
 * banner that names it:
 *
 *   ################################
 *   # idle :: dmon
 *   # $ nvidia-smi dmon -c 5
 *   ################################
 *
 * The sections of commands that make logs are files of their own; help texts, tables for
 * people and the like are no data.
 */
#ifndef READ_CAPTURE_H
#define READ_CAPTURE_H

#include <stdbool.h>

#include "read/reading.h"

/* Do the first lines of a file say so? */
bool capture_begins(const struct probe *probe);

/* Adds a file for each section of file i that holds a log. -1: it can't be opened. */
int capture_split(struct reading *reading, size_t i, struct error *err);

#endif
