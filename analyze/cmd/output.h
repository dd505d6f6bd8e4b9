/*
 * Where a result goes: stdout, or a file that is written beside its place and renamed, so
 * that nothing half written ever looks like a result. Devices and pipes are written to.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdio.h>

#include "base/diag.h"

struct output {
	FILE *file;
	char *path; /* NULL: stdout */
	char *temporary; /* NULL: written in place */
};

int output_open(struct output *out, const char *path, struct error *err);
/* Flushes, closes, renames; -1: what could not be written, and no file is left. */
int output_commit(struct output *out, struct error *err);
/* The sentence for a write that failed with this errno (0: not known). Returns -1. */
int output_failed(const struct output *out, int why, struct error *err);
void output_abandon(struct output *out); /* after output_open, instead of commit */

#endif
