/*
 * When the conditions of a rule held: for each GPU, and for the run, which means all
 * GPUs at once. README.md, "Findings". Doesn't evaluate rules.
 */
#ifndef COMPUTE_RUN_ALONE_H
#define COMPUTE_RUN_ALONE_H

#include "compute/phases/phase_map.h"
#include "compute/run/watch.h"
#include "model/finding.h"

struct aggregate;

/*
 * Stretches in which a condition holds for all GPUs that are there. README.md,
 * "Findings".
 */

struct joint_stretch {
	struct stretch time;
	int128 gpu_ns; /* summed over the GPUs that are there, within it */
};

struct joint {
	struct joint_stretch *at; /* [count] ascending; owned */
	size_t count;
};

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
bool held_counts(const struct rule *rule, const struct stretch *time);

/*
 * Host metrics while GPUs waited: the costliest stretches of rules that ask become
 * calls of a separate phase map, so that means are computed as for a phase. Logs of
 * GPUs are read before those of hosts (sources.def), so the stretches are known when
 * host rows come.
 */

struct meanwhile_span {
	const struct rule *rule;
	struct stretch time;
	double mean[RULE_MEANWHILE_MAX]; /* of the rule's metrics, of counters the rate;
					    once reported; NAN */
};

struct meanwhile {
	struct run spans; /* event[i] is the time of at[i]; the map's */
	struct meanwhile_span *at; /* [count] */
	size_t count, cap;
	struct phase_map *map; /* NULL: nobody asks, or nothing was found */
};
void meanwhile_release(struct meanwhile *meanwhile); /* zeroed is empty */

/* Is it the log of a host, that comes behind those of GPUs? */
static inline bool meanwhile_is_host_log(enum source_kind kind)
{
	return kind > SOURCE_NVIDIA_APPS;
}

/* Fills the means; all rows are there. */
void meanwhile_report(struct meanwhile *meanwhile, struct aggregate *agg);

/* Of that stretch of the rule; NULL: not known. Valid as long as meanwhile. */
const double *meanwhile_means(const struct meanwhile *meanwhile, const struct rule *rule,
	const struct stretch *time);

#endif
