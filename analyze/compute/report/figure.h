/* The number that a rule refers to, or why it is unknown. Doesn't evaluate rules. */
#ifndef COMPUTE_REPORT_FIGURE_H
#define COMPUTE_REPORT_FIGURE_H

#include "base/text.h"
#include "compute/report/evidence.h"
#include "compute/report/hang.h"
#include "compute/run/alone.h"
#include "compute/run/soundness.h"
#include "model/report.h"

struct common_time;

/*
 * Samples of less time say nothing. nvidia-smi's utilization and power are averages of
 * up to 1 s, so that quicker rows repeat one another: SAMPLES_MIN that don't begin 9 s
 * apart, less half a second by which rows may be late.
 */
#define FIGURE_SPAN_MIN_S 8.5

/* Of what a figure is asked for. */
struct figure_scope {
	const struct aggregate *agg;
	const struct report *report;
	const struct impossible_list *impossible;
	const struct rule *rule;
	const char *conditions; /* of the rule, as conditions_name names them */
	const struct watch_plan *plan;
	uint32_t device; /* FINDING_RUN: of the run */
	const struct held *held;
	const struct watched *within; /* stands for the device's time that held; NULL */
	const double *value; /* those of the rule that were worked out before */
	const struct hang *hang; /* [device_count] */
	struct common_time *common; /* of the rule's GPUs, as far as it was asked for */
	uint32_t *giver; /* [values] the GPU that gave the max or min that such a value
			    is; FINDING_RUN: none did. NULL: not wanted */
	struct strbuf *why; /* the first reason why a figure is not known */
	struct strbuf *damage; /* ... why rows behind those known may be wrong */
	struct strbuf *doubt; /* ... why too many of them may be missing */
	struct strbuf *absurd; /* ... which of them can't be */
	const struct metric_stats
		*shifting; /* whose level was asked for last; NULL: none's */
	struct level_shift level;
	bool ran; /* the rule was judged: it fires, or applies and does not fire */
	bool refused; /* a figure is not known because rows were, or may be another's */
	bool divides; /* what is asked for now is what another number is divided by */
	bool weighed; /* one was asked for that comes from samples */
	uint64_t fewest; /* samples behind the figures asked for; UINT64_MAX: none */
	double briefest_s; /* the least time that those cover; INFINITY: none is known */
	enum metric_id fewest_of; /* the metric that they are of; if there are */
};

/* Of a value of the rule. NAN: not known; scope->why says why. */
double figure_value(struct figure_scope *scope, const struct rule_value *value);

/* Of FINDING_RUN, or of a device. NAN: the logs don't say it. */
double figure_evidence(
	struct figure_scope *scope, enum evidence_item item, uint32_t device);

/* Whether there are enough samples to evaluate a rule. README.md, "Findings". */

/* One that comes from the run as a whole: all of its GPUs, or its CPUs. */
void trust_weigh_run(struct figure_scope *scope);

/* Is the run of grade F, and no device of it covered better? Then there is one reason. */
bool trust_nothing(const struct report *report);

/*
 * Whether a condition on a value of the rule is settled, whatever was not seen: a peak is
 * reached by one row, and more of them can only raise it. x: the value.
 */
bool trust_settles(struct figure_scope *scope, const struct rule_value *value,
	const struct value_test *test, double x);

#endif
