/*
 * When the conditions of a rule held: of each GPU, and of the run, which is the time in
 * which they held of all GPUs at once. README.md, "Findings". Judges nothing.
 */
#ifndef COMPUTE_HELD_H
#define COMPUTE_HELD_H

#include "compute/run/joint.h"
#include "compute/run/watch.h"

struct aggregate;

/* What a GPU's log says of the time of a rule's conditions. */
struct gpu_watch {
	uint32_t device;
	bool known; /* a log has rows with all the values */
	enum source_kind source;
	uint64_t rows; /* that have them */
	bool always; /* all of them fulfil the conditions */
	int64_t first_ns, last_ns; /* of its log's rows */
	int64_t interval_ns; /* h; -1: not known */
	int64_t limit_ns; /* the gap limit; -1: none */
	const struct watch *watch; /* the aggregate's; NULL: nothing is known */
	struct watched at;
	double together; /* of `alone`: see WHILE_TOGETHER; NAN: not known */
};

struct held {
	struct gpu_watch *gpu; /* [gpu_count] owned */
	size_t gpu_count;
	struct joint joint; /* of the run; owned */
	size_t joined; /* GPUs that it is asked of */
	double seconds, gpu_seconds; /* sums over all joint stretches; NAN: not known */
	double first_s,
		last_s; /* of the one that the logs begin with, or end with; 0; NAN */
};

/* Of the GPUs that count in a report; NULL: of all. Release it. */
void held_find(struct held *held, struct aggregate *agg, size_t rule,
	const struct report *report);
/* Of the run too: in its time, from the command's start to its end, where both are known
 * and no window is asked for. */
void held_join(struct held *held, const struct aggregate *agg);
/* Leaves of the time of each GPU that which sets it apart from the others: alone.c. */
void held_leave_alone(struct held *held, const struct rule *rule);
void held_release(struct held *held);

/* Is a stretch of the rule, which has a stretch_s, long enough to be counted? */
int64_t held_least_ns(const struct rule *rule);
bool held_counts(const struct rule *rule, const struct stretch *time);

#endif
