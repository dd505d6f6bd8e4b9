/*
 * Runs that are loaded ahead of their turn, by several threads: what is read from logs
 * alone needs nothing of the other runs. Not more of them than a few wait for their turn,
 * so that many runs need no more memory than few. Knows no database.
 */
#ifndef CMD_AHEAD_H
#define CMD_AHEAD_H

#include "cmd/load.h"

struct ahead;

/*
 * Begins to load the runs that these paths are, one each, in their order. All is borrowed
 * until ahead_free. NULL: one thread does as well.
 */
struct ahead *ahead_new(const char *const *path, size_t count, const struct options *opt);
/* What is loaded and was not taken is dropped. */
void ahead_free(struct ahead *ahead); /* NULL is fine */

/* The next run; as load_run. False: that is not the next one. */
bool ahead_is_next(const struct ahead *ahead, const char *const *path);
int ahead_take(struct ahead *ahead, struct loaded *out, struct error *err);

#endif
