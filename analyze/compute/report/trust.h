/*
 * Whether the samples behind the numbers of a rule are enough to judge by. README.md,
 * "Findings".
 */
#ifndef COMPUTE_TRUST_H
#define COMPUTE_TRUST_H

#include "compute/report/figure.h"

/* The values that a number is made of. */
struct trust_values {
	const char *name; /* of what, as people read it: "gpu_util_pct"; borrowed */
	double covered_s; /* the time that they cover; NAN: the log has no times */
};

/*
 * A number was asked for that comes from the rows of a device in a kind of log: both they
 * and the values in them must cover the run, as grade C does.
 */
void trust_weigh(struct figure_scope *scope, enum source_kind source, uint32_t device,
	const struct trust_values *values);

/* One that comes from all values of a metric of a device, of which some may be absurd. */
void trust_weigh_possible(struct figure_scope *scope, const struct metric_stats *stats);

/* One that comes from the run as a whole: all of its GPUs, or its CPUs. */
void trust_weigh_run(struct figure_scope *scope);

/*
 * One over GPUs, of which this one was not asked, as it has no rows at all, or none with
 * what is asked. name: of that; NULL: rows will do.
 */
void trust_weigh_absent(struct figure_scope *scope, uint32_t device, const char *name);

/* Is the run of grade F, and no device of it covered better? Then there is one reason. */
bool trust_nothing(const struct report *report);

/*
 * Whether a condition on a value of the rule is settled, whatever was not seen: a peak is
 * reached by one row, and more of them can only raise it. x: the value.
 */
bool trust_settles(struct figure_scope *scope, const struct rule_value *value,
	const struct value_test *test, double x);

#endif
