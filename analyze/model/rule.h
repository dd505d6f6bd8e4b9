/*
 * A rule for findings, as in schema/findings: parsed and checked by rules/, evaluated
 * by compute/, its sentence printed by render/. Knows no JSON and computes nothing.
 *
 * A rule uses values of a run or of each GPU. A value is a number of the report, or a
 * number over the time in which all conditions of `while` held.
 */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

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
#define WHILE(id, ...) WHILE_##id,
#include "../schema/references.def"
	WHILE_ITEM_COUNT
};

/* What the evidence says of the run, or of a GPU. */
enum evidence_item {
#define EVIDENCE(id, ...) EVIDENCE_##id,
#include "../schema/references.def"
	EVIDENCE_ITEM_COUNT
};

/* Of a metric in the steady state that was found. */
enum drift_item {
#define DRIFT(id, ...) DRIFT_##id,
#include "../schema/references.def"
	DRIFT_ITEM_COUNT
};

/* Of values over time; not published as statistics are. */
enum course_item {
#define COURSE(id, ...) COURSE_ITEM_##id,
#include "../schema/references.def"
	COURSE_ITEM_COUNT
};

/* Of a GPU that hangs, with those that hang with it. */
enum hang_item {
#define HANG(id, ...) HANG_##id,
#include "../schema/references.def"
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

/* The item of that name of a WHILE, EVIDENCE, COURSE, DRIFT or HANG; -1: there is none.
 */
int reference_item_find(enum reference_kind kind, struct span name);

/* The name of the metric that it is of; NULL: of none. Static. */
const char *reference_metric(const struct reference *reference);

#define RULE_PARTS_MAX	   12 /* conditions or values of a rule */
#define RULE_MEANWHILE_MAX 8
#define RULE_SAID_BY_MAX   5
#define RULE_STEPS_MAX	   16
#define RULE_AMONG_MAX	   4
#define RULE_IN_PHASES_MAX 2
#define RULE_DOUBTS_MAX	   4
#define RULE_DISTRUSTS_MAX 4
#define RULE_MEANS_MAX	   3 /* metrics that it asks for in the time of `while` */

enum value_part {
	PART_OF,
	PART_OR, /* instead, if no log has `of` */
	PART_MINUS,
	PART_TIMES,
	PART_OVER,
	PART_UP_TO,
	VALUE_PARTS
};
const char *value_part_name(enum value_part part); /* "up_to" */

/*
 * of, or what stands for it, less minus (then without its sign, if so wished), times
 * times, over over, by scale, up_to at most, rounded up to the next of the steps; what is
 * not given is left out.
 */
struct rule_value {
	char *name;
	struct reference part[VALUE_PARTS];
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
	bool unclear; /* it is no problem by itself, but where it fires nobody can say
			 that all is well */
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
	enum metric_id distrusts[RULE_DISTRUSTS_MAX]; /* [distrusts_count] where it fires,
							 numbers of these are in doubt */
	size_t distrusts_count;
	char *distrusts_as; /* ... which is said beside them: "stuck sensor"; NULL */
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
