/*
 * An archive as an operand: session.zip, runs.tar.gz, or a folder or a file in one,
 * runs.tar.gz/run-1. A shell with tar and unzip unpacks it into a temporary folder,
 * within limits, and removes that when the program ends, however that ends.
 */
#ifndef READ_ARCHIVE_H
#define READ_ARCHIVE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/diag.h"

struct archive {
	pid_t pid; /* of the shell, which keeps the folder */
	FILE *shell; /* what it says; it waits for the end of what it is told */
	char *path; /* of the run: a folder, or one log; owned */
};

/* How much of a path is that of an archive; 0: it leads to none. */
size_t archive_length(const char *path);

/*
 * Unpacks the run that a path leads to. What is lost or left out of the archive is added
 * to diags. -1: nothing is unpacked.
 */
int archive_open(struct archive *out, const char *path, struct diag_list *diags,
	struct error *err);
void archive_close(struct archive *archive);

/* The runs of an archive: [*count] an operand for each, owned. NULL: of no archive. */
char **archive_runs(const char *path, size_t *count);

#endif
