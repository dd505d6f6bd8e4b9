/*
 * What the database may know of a run before one of its files is opened: the report that
 * it kept, while neither they nor the options have changed.
 */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "cmd/load.h"
#include "cmd/options.h"
#include "read/read_run.h"

struct memory {
	char *shape; /* the options that shape what is stored */
	char *stamp; /* of these, and the files as they are before they are read; NULL:
			not asked, or no report is kept */
};

void memory_init(struct memory *memory, const struct options *opt);
void memory_release(struct memory *memory);

/* Looks at the files, before one of them is opened. */
void memory_stamp(struct memory *memory, const struct options *opt,
	const struct read_options *read);

/* 1: there was a report, and *out is that now instead of what it was; 0, -1. */
int memory_ask(struct memory *memory, struct loaded *out, const struct options *opt,
	struct store *store, struct error *err);
/* Would there be one? Nothing is read of it. */
bool memory_has(const struct memory *memory, struct store *store);

#endif
