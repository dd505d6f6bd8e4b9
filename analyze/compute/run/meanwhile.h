/*
 * What the host did while the GPUs waited: the costliest stretches of rules that ask for
 * it become calls of a phase map of their own, so that means in them are those that a
 * phase would have. The logs of GPUs come before those of hosts (sources.def), so that
 * the stretches are known when the host's rows come.
 */
#ifndef COMPUTE_MEANWHILE_H
#define COMPUTE_MEANWHILE_H

#include "compute/phases/phase_map.h"
#include "model/finding.h"

struct aggregate;

/* Of a rule; the others have none. */
#define MEANWHILE_SPANS 100

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

/* Once all rows of GPUs are there. */
void meanwhile_find(struct meanwhile *meanwhile, struct aggregate *agg);
void meanwhile_release(struct meanwhile *meanwhile); /* zeroed is empty */

/* Is it the log of a host, that comes behind those of GPUs? */
bool meanwhile_is_told_by(enum source_kind kind);

/* Fills the means; all rows are there. */
void meanwhile_report(struct meanwhile *meanwhile, struct aggregate *agg);

/* Of that stretch of the rule; NULL: not known. Valid as long as meanwhile. */
const double *meanwhile_means(const struct meanwhile *meanwhile, const struct rule *rule,
	const struct stretch *time);

#endif
