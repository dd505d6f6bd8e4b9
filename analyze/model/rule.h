/*
 * A rule for findings, as in schema/findings: parsed and checked by rules/, evaluated
 * by compute/, its sentence printed by render/. Knows no JSON and computes nothing.
 *
 * A rule uses values of a run or of each GPU. A value is a number of the report, or a
 * number over the time in which all conditions of `while` held.
 */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/metric.h"

enum severity {
	SEVERITY_INFO, /* good to know */
	SEVERITY_WARN, /* costs something */
	SEVERITY_BAD, /* something is broken or lost */
	SEVERITY_COUNT
};
const char *severity_name(enum severity severity);

enum rule_scope {
	SCOPE_RUN,
	SCOPE_GPU /* one finding a GPU */
};

/* What is known of a condition; of alternatives the largest counts. */
enum verdict {
	VERDICT_UNKNOWN,
	VERDICT_NO,
	VERDICT_YES
};

enum bound {
	BOUND_ABOVE,
	BOUND_AT_LEAST,
	BOUND_BELOW,
	BOUND_AT_MOST,
	BOUND_COUNT
};
const char *bound_name(enum bound bound); /* "at_least" */
static inline bool bound_holds(enum bound bound, double x, double limit)
{
	switch (bound) {
	case BOUND_ABOVE:
		return x > limit;
	case BOUND_AT_LEAST:
		return x >= limit;
	case BOUND_BELOW:
		return x < limit;
	case BOUND_AT_MOST:
		return x <= limit;
	case BOUND_COUNT:
		break;
	}
	return false;
}

/* A condition on one row of a GPU's log. */
struct row_test {
	enum metric_id metric;
	enum metric_id over; /* the ratio to it is meant; METRIC_none */
	char *has; /* of a state its word, of flags the bit's name; NULL: by the bound */
	enum bound bound;
	double limit; /* in the metric's unit, or of the ratio */
	bool or_next; /* this one or the next: a log has the one or the other */
	bool unless; /* a row of which it is known to hold does not count; of alternatives
			all are such */
};

/* Of a GPU's time that which sets it apart from the others that are there. */
enum rule_alone {
	ALONE_NOT_ASKED,
	ALONE_HOLDS, /* it fulfils the conditions, and at most half of them do */
	ALONE_HOLDS_NOT /* it does not, and all others do, two at least */
};

/* The name of the metric that the ratio is to; NULL: none is meant. Static. */
const char *row_test_over(const struct row_test *test);

/* What is known of the time in which the conditions of `while` held. */
enum while_item {
	WHILE_SAMPLES, /* rows that fulfil them */
	WHILE_SAMPLE_SHARE, /* ... of the rows that have all the values */
	WHILE_SECONDS, /* a row counts until the next one, gaps count not */
	WHILE_SHARE, /* ... of the time of the rows that have all the values */
	WHILE_STRETCHES, /* stretches of it, of at least stretch_s */
	WHILE_LONGEST_S, /* the longest of all */
	WHILE_MEDIAN_S, /* of the lengths of those of at least stretch_s */
	WHILE_PERIOD_S, /* of the times from the begin of one of them to the next one's */
	WHILE_FIRST_S, /* the one that the log begins with; 0: none */
	WHILE_LAST_S, /* the one that lasts to the end of the log; 0: none */
	WHILE_GPU_SECONDS, /* of a run: sum over the GPUs */
	WHILE_GPUS, /* of a run: that it is asked of */
	WHILE_POSSIBLE_S, /* of `alone`: seconds, and those of stretches that may be of
			     them: the log has too few rows to tell */
	WHILE_TOGETHER, /* of `alone`: how much the others go with one another: README.md,
			   "Findings" */
	WHILE_MEAN, /* of a metric in that time */
	WHILE_INTEGRAL, /* ... its mean times the seconds */
	WHILE_COMMON, /* ... its mean over what of it is of the time of all GPUs */
	WHILE_COMMON_N, /* ... the samples that this one is of */
	WHILE_ITEM_COUNT
};

/* What the evidence says of the run, or of a GPU. */
enum evidence_item {
	EVIDENCE_COVERAGE,
	EVIDENCE_GAPS,
	EVIDENCE_LONGEST_GAP_S,
	EVIDENCE_STEPS_BACK,
	EVIDENCE_SESSIONS,
	EVIDENCE_LOST, /* of a GPU: 1: it was lost; 0 */
	EVIDENCE_LOST_AT_S, /* ... when it said something last, from the run's start */
	EVIDENCE_LOST_S, /* ... from there to the run's end; else 0 */
	EVIDENCE_UNRECORDED_S, /* from a GPU's logs' end to the run's; up to a gap, and of
				  one that was lost: 0 */
	EVIDENCE_BEGINS_LATE_S, /* from the run's start to a GPU's logs' begin, or of the
				   run to the last one's to begin; up to h + 2 s: 0 */
	EVIDENCE_MISSING_BEFORE_S, /* of a GPU: from its logs' begin to its own first row;
				      likewise */
	EVIDENCE_MISSING_AFTER_S, /* ... from its last row to their end; of one that was
				     lost: 0 */
	EVIDENCE_MISSING_AT_S, /* ... when that begins, from the run's start */
	EVIDENCE_STUCK_ROWS, /* of a GPU: rows in which its power stays, whatever else
				changes; 0 */
	EVIDENCE_STUCK_W, /* ... that power */
	EVIDENCE_SPIKES, /* of a GPU: single samples of power far above a GPU at rest */
	EVIDENCE_SPIKE_W, /* ... the highest */
	EVIDENCE_SPIKE_AROUND_W, /* ... the sample before it */
	EVIDENCE_IMPOSSIBLE, /* of a GPU: values of any metric that can't be */
	EVIDENCE_ROWS, /* of a GPU and its processes, in all logs; of one that no log has
			  rows of: 0 */
	EVIDENCE_SHARED, /* of a GPU: time that query log and dmon cover both, over that
			    of the one that covers more */
	EVIDENCE_UNSHARED, /* ... parts of their time that the other has not, both */
	EVIDENCE_AWAY_S, /* of a GPU: gaps of its log in which others go on */
	EVIDENCE_LONGEST_AWAY_S, /* ... the longest of them */
	EVIDENCE_AWAY_AT_S, /* ... when it began, from the run's start */
	EVIDENCE_DURATION_S,
	EVIDENCE_EXIT_STATUS,
	EVIDENCE_GPUS, /* that count */
	EVIDENCE_MODELS, /* of them; unknown is one */
	EVIDENCE_PROCESSES, /* of a GPU: that compute on it */
	EVIDENCE_PROCESS_MIB, /* ... the most memory that they held at once */
	EVIDENCE_ABRUPT, /* 1: the run was cut off; 0 */
	EVIDENCE_SIGNAL, /* that ended the command, where one did */
	EVIDENCE_GPUS_UNSEEN, /* 1: run_gpus_unseen */
	EVIDENCE_WARM_UP_S, /* until the steady state that was found */
	EVIDENCE_STEADY_S, /* how long that was, from its begin to its end */
	EVIDENCE_BUSIEST_CORE, /* mean cpu_busy_pct of the CPU that has the largest */
	EVIDENCE_ITEM_COUNT
};

/* Of a metric in the steady state that was found. */
enum drift_item {
	DRIFT_FROM,
	DRIFT_TO,
	DRIFT_CHANGE, /* as a part of DRIFT_FROM; 0: it does not drift */
	DRIFT_AT_S, /* of a step, from the run's start */
	DRIFT_ITEM_COUNT
};

/* Of values over time; not published as statistics are. */
enum course_item {
	COURSE_ITEM_LEAST_RISE, /* from what was before to a tenth of its second half */
	COURSE_ITEM_RECENT, /* the larger of the last two values, one before the run's end
			     */
	COURSE_ITEM_COMMON, /* of use or clocks: the mean over the time of all GPUs */
	COURSE_ITEM_COMMON_N, /* ... the samples that it is of */
	COURSE_ITEM_COUNT
};

/* Of a GPU that hangs, with those that hang with it. */
enum hang_item {
	HANG_SECONDS, /* from its begin to its end; 0: it does not hang */
	HANG_AT_S, /* its begin, from the run's start */
	HANG_OWN_S, /* how long one GPU hangs, the mean of them */
	HANG_OTHERS, /* the other GPUs that hang with it */
	HANG_GPU_SECONDS, /* ... the sum over all of them */
	HANG_ENERGY_J,
	HANG_UTIL, /* utilization meanwhile */
	HANG_LOW, /* a metric meanwhile */
	HANG_BUSY, /* ... while the GPU worked */
	HANG_ITEM_COUNT
};

enum reference_kind {
	REFERENCE_NONE,
	REFERENCE_STATISTIC, /* of a metric */
	REFERENCE_SUMMARY, /* a key of summary */
	REFERENCE_WHILE,
	REFERENCE_EVIDENCE,
	REFERENCE_LAST, /* of a GPU the last value of a metric, where the ending has it */
	REFERENCE_COURSE,
	REFERENCE_DRIFT, /* of a GPU's metric in the steady state */
	REFERENCE_HANG, /* of a GPU */
	REFERENCE_VALUE /* one of the rule's, which stands before */
};

/* Over the GPUs that count, instead of the one in question. */
enum pool {
	POOL_NONE,
	POOL_MIN,
	POOL_MAX,
	POOL_MEDIAN,
	POOL_SUM,
	POOL_COUNT
};

struct reference {
	char *text; /* as the rule has it; NULL: not given */
	enum reference_kind kind;
	enum metric_id metric; /* METRIC_none */
	enum source_kind source; /* SOURCE_NONE: the kind of log that counts */
	/* enum statistic, while_item, evidence_item, course_item, drift_item,
	   hang_item, summary_key; or a value's place */
	int item;
	enum pool pool;
};

/* The name of the metric that it is of; NULL: of none. Static. */
const char *reference_metric(const struct reference *reference);

#define RULE_PARTS_MAX	   12 /* conditions or values of a rule */
#define RULE_MEANWHILE_MAX 8
#define RULE_SAID_BY_MAX   4
#define RULE_STEPS_MAX	   16
#define RULE_AMONG_MAX	   4
#define RULE_IN_PHASES_MAX 2
#define RULE_DOUBTS_MAX	   4
#define RULE_MEANS_MAX	   3 /* metrics that it asks for in the time of `while` */

/*
 * of, less minus (then without its sign, if so wished), times times, over over, by scale,
 * up_to at most, rounded up to the next of the steps; what is not given is left out.
 */
struct rule_value {
	char *name;
	struct reference of, minus, times, over, up_to;
	bool absolute;
	size_t gpu_of; /* instead of the one in question, of the GPU that gave this value,
			  the max or min of a pool; SIZE_MAX */
	char *unit; /* NULL: that of `of`, or none if there is `over` */
	double scale; /* 1, or what else it is multiplied by */
	double step[RULE_STEPS_MAX]; /* [steps] ascending; beyond the last: unknown */
	size_t steps;
};

struct value_test {
	size_t value; /* index into the rule's */
	enum bound bound;
	double limit;
};

/* Where it holds, what would fire can't be told; an unknown value is no doubt. */
struct rule_doubt {
	struct value_test test;
	bool always; /* nor can what would not fire */
	char *why;
};

/* A condition on a GPU. */
struct gpu_test {
	struct reference of; /* a statistic of a metric of GPUs, or of `while` */
	enum bound bound;
	double limit;
};

struct rule {
	char *id;
	int version;
	char *title, *sentence, *remedy; /* sentence: with {names} of values,
						 {device}, and [parts] that are left out
						 if a value in them is unknown, or one
						 named {+so} reads as nought */
	enum severity severity;
	enum rule_scope scope;
	struct gpu_test among[RULE_AMONG_MAX]; /* [among_count]: it looks at the GPUs for
						  which all hold; the others are not there
						*/
	size_t among_count;
	enum rule_alone alone;
	unsigned stretch_rows; /* of `alone`: stretches of fewer rows, or shorter than
				  stretch_s, don't count; 0: all do */
	bool any_evidence; /* needs no grade, no number of samples and no time */
	double stretch_s; /* shorter stretches are not listed; -1: none are */
	struct row_test row[RULE_PARTS_MAX]; /* [row_count]: `while`, all of them */
	size_t row_count;
	struct rule_value value[RULE_PARTS_MAX];
	size_t value_count;
	struct value_test applies[RULE_PARTS_MAX]; /* else the rule is silent */
	size_t applies_count;
	struct value_test fires[RULE_PARTS_MAX]; /* all of them */
	size_t fires_count;
	struct rule_doubt doubt[RULE_DOUBTS_MAX]; /* [doubt_count] the first counts */
	size_t doubt_count;
	enum metric_id meanwhile[RULE_MEANWHILE_MAX]; /* [meanwhile_count] of hosts: their
							 means go with each stretch */
	size_t meanwhile_count;
	size_t in_phases[RULE_IN_PHASES_MAX]; /* [in_phases_count] values that are told of
						 each phase as well */
	size_t in_phases_count;
	char *said_by[RULE_SAID_BY_MAX]; /* [said_by_count] ids of rules that, if they
					    fire, say the same and more */
	size_t said_by_count;
	size_t cost; /* the value that says how many GPU-seconds it costs; SIZE_MAX */
};

struct rule_set {
	struct rule *rule; /* [count] no two of one id */
	size_t count, cap;
};

#define RULE_SET_INIT ((struct rule_set){0})
void rule_release(struct rule *rule);
void rule_set_release(struct rule_set *set);
const struct rule *rule_set_find(const struct rule_set *set, const char *id); /* NULL */

/*
 * What a rule looks at, in its conditions and its values: metrics, and the kinds of
 * devices that it is about; all devices alike if it asks how complete the rows are.
 */
struct rule_topics {
	bool metric[METRIC_COUNT];
	bool kind[DEVICE_KIND_COUNT];
	bool all_devices;
};
struct rule_topics rule_topics(const struct rule *rule);

/* The unit of a value; static, or the rule's. */
const char *rule_value_unit(const struct rule_value *value);

#endif
