/*
 * Runs that are loaded ahead of their turn, by several threads: what is read from logs
 * alone needs nothing of the other runs. Not more of them than a few wait for their turn,
 * so that many runs need no more memory than few. Knows no database; of what is to be put
 * into one, drafts are made, one at a time, of those runs that somebody names.
 */
#ifndef CMD_AHEAD_H
#define CMD_AHEAD_H

#include "cmd/draft.h"

struct ahead;

/*
 * Begins to load the runs that these paths are, one each, in their order. All is borrowed
 * until ahead_free. NULL: one thread does as well.
 */
struct ahead *ahead_new(const char *const *path, size_t count, const struct options *opt);
/* The same, but that each waits for ahead_draft. */
struct ahead *ahead_new_drafts(
	const char *const *path, size_t count, const struct options *opt);
/* What is loaded and was not taken is dropped. */
void ahead_free(struct ahead *ahead); /* NULL is fine */

/* Is it one of those paths? */
bool ahead_has(const struct ahead *ahead, const char *const *path);
/* The next one is this, of which a draft is begun. All before it that were begun are
 * taken. */
void ahead_draft(struct ahead *ahead, const char *const *path);

/* The next run; as load_run. False: that is not the next one, or not begun. */
bool ahead_is_next(const struct ahead *ahead, const char *const *path);
int ahead_take(struct ahead *ahead, struct loaded *out, struct error *err);
struct draft *ahead_take_draft(struct ahead *ahead); /* owned by the caller */

#endif
