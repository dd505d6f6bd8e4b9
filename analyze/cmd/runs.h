/*
 * The runs of a call: loaded one by one, from the database where one is in use. One bad
 * run never hides the others.
 */
#ifndef CMD_RUNS_H
#define CMD_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/ahead.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "model/rule.h"

struct past_run {
	char *key, *path;
};

struct runs {
	const struct options *opt; /* those asked for, and the rules */
	struct options asked;
	struct rule_set rules;
	const struct console *console;
	struct store *store; /* NULL: none */
	bool store_fails; /* it is not asked any more */
	bool unkept; /* it did not take a run, as it can't be written */
	struct ahead *ahead; /* NULL: each run is loaded when it is its turn */
	const char *db; /* its path */
	struct loaded *loaded; /* [count] */
	size_t count;
	struct past_run *past; /* [past_count] all that were loaded, in order */
	size_t past_count;
	bool unreadable; /* one of them has a file that can't be read */
	bool damaged; /* with --strict: one of them is not sound, as check says */
	char *spoilt; /* why the last one that was loaded is damaged or unreadable in the
			 above sense, as a sentence; NULL: it is not; owned */
	char **warning; /* [warning_count] runs that could not be used */
	size_t warning_count;
};

/* Room for as many runs as there are operands, and the database; -1: it is said why an
 * explicit one can't be used. Release in either case. */
int runs_init(
	struct runs *runs, const struct options *opt, const struct console *console);
void runs_release(struct runs *runs);

/* These runs, one each, are to be loaded in their order, with these options: without a
 * database by several threads, into one the next is read beside the one before. The paths
 * are borrowed until runs_release. */
void runs_announce(struct runs *runs, const char *const *path, size_t count);

/* Loads the run that these operands are; 0, -1: it is said, and kept as a warning. */
int runs_load(struct runs *runs, const char *const *path, size_t count);
/* The next of loaded has been filled. */
void runs_took(struct runs *runs);
/* Lets go of the last one that was loaded. */
void runs_drop(struct runs *runs);
/* One more run that could not be used: said, and kept. Returns -1. */
int runs_fail(struct runs *runs, const struct error *err);

enum exit_status runs_status(const struct runs *runs);

#endif
