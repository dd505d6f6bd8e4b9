/*
 * Asks GPUs that don't answer again, now and then, beside those that are recorded.
 * This room knows nothing of what is recorded of them.
 */
#ifndef COLLECT_ASKER_H
#define COLLECT_ASKER_H

#include "plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct asker {
	pid_t pid; /* of who asks; 0: nobody does */
	int64_t next_ns; /* when they are asked */
	int64_t pause_ns; /* and after that: doubled each time */
	bool more; /* one of them has answered */
};

/* Asks after a second at first. */
void asker_open(struct asker *asker);

/* The others are recorded from now on. */
void asker_begin(struct asker *asker);

/* Asks if it is time to, whether more GPUs answer than those of ids, which is "" for all.
 */
void asker_go_on(struct asker *asker, const struct plan *plan, const char *ids);

/* A child has ended: this one? */
void asker_reap(struct asker *asker);

/* Asks no more. */
void asker_end(struct asker *asker);

#endif
