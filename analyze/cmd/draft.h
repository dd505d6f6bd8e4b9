/*
 * A run that is read and worked out before there is a database for it, which one thread
 * at a time can have: another one stores it. Only what the usual options ask for, of
 * files that can be read again: of anything else there is no draft.
 */
#ifndef CMD_DRAFT_H
#define CMD_DRAFT_H

#include "cmd/load.h"

struct draft;

/* Is the run that this operand is one to be drafted? Not where the store knows it. */
bool draft_pays(const char *const *path, const struct options *opt, struct store *store);

/* By any thread. The operand is borrowed. What fails then is not said. */
struct draft *draft_new(const char *const *path, const struct options *opt);
/* It was a run of more samples than may wait in memory. */
bool draft_is_too_long(const struct draft *draft);
/*
 * As load_run, and the draft is freed. 1: done; 0: it is of no use, which load_run will
 * say; -1.
 */
int draft_store(
	struct draft *draft, struct loaded *out, struct store *store, struct error *err);
void draft_drop(struct draft *draft); /* NULL is fine */

#endif
