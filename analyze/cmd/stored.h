/*
 * What the commands share that ask the database and read no log: which options mean
 * nothing to them, and the printing of an answer.
 */
#ifndef CMD_STORED_H
#define CMD_STORED_H

#include <stdbool.h>

#include "cmd/options.h"
#include "model/answer.h"

/*
 * A sentence for an option that such a command does not take; NULL: there is none. To be
 * freed. chooses: it takes --where.
 */
char *stored_refuse(const struct options *opt, const char *command, bool chooses);

/* Prints the answer of the database where the options say. */
int stored_print(const struct options *opt, const char *db, struct answer *answer,
	struct error *err);

#endif
