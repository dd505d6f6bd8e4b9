/*
 * The base of a comparison out of a database: --baseline-db, of whose runs --where
 * chooses by labels. Runs that are new ones as well are left out.
 */
#ifndef CMD_BASELINE_H
#define CMD_BASELINE_H

#include "cmd/named.h"
#include "cmd/runs.h"
#include "compute/compare/compare.h"
#include "store/store.h"

struct baseline {
	const struct options *opt;
	const struct named *named; /* the new ones, whose names are taken */
	const struct runs *new; /* those that are not to be in it */
	struct store *store; /* NULL: there is none */
	size_t runs; /* that the database has */
	size_t others; /* ... that are none of the new ones */
	size_t count; /* of them those of the base */
	/* while they are added */
	struct comparing *comparing;
	struct comparison *out;
	int added; /* -1: a run could not be, err says why */
	struct error err;
};

/* Opens the database that the options name; none: no effect. Release in either case. */
int baseline_open(struct baseline *baseline, const struct options *opt,
	const struct named *named, struct error *err);
void baseline_release(struct baseline *baseline);

/* Counts the runs; the new ones are loaded. */
int baseline_count(struct baseline *baseline, const struct runs *new, struct error *err);

/* -1: a base was asked for, and is empty, which err says. */
int baseline_check(const struct baseline *baseline, struct error *err);

/*
 * Adds them on their side, in the order of time, each by the name of its path; where that
 * is taken, by a new one or an older one, with its start behind it, else with its key.
 */
int baseline_add(struct baseline *baseline, struct comparing *comparing,
	struct comparison *out, struct error *err);

#endif
