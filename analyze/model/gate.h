/*
 * A gate: rules that a comparison must pass, and the result of each. Rules are read by
 * rules/, judged by compute/, printed by render/ (compute/README.md, "Gate"). Also the
 * results of a gate's calibration and self-test.
 */
#ifndef MODEL_GATE_H
#define MODEL_GATE_H

#include "model/comparison.h"

/* "format_version" of a file of rules, read and written. */
#define GATE_RULES_VERSION "1.0"

/* Bounds of values, which are compared; and largest changes, which are tested. */
enum gate_limit {
	GATE_AT_LEAST, /* of each new run */
	GATE_AT_MOST,
	GATE_MAX_INCREASE, /* of the median, in the unit */
	GATE_MAX_DECREASE,
	GATE_MAX_INCREASE_PCT, /* in per cent of the base */
	GATE_MAX_DECREASE_PCT,
	GATE_LIMITS
};
const char *gate_limit_name(enum gate_limit limit); /* "at_least" ... */
bool gate_limit_is_change(enum gate_limit limit);

struct gate_rule {
	char *name; /* no two are equal */
	char *metric; /* a metric, or a key of any part of a report */
	char *statistic; /* of a metric; NULL: "mean" */
	char *state; /* of a metric that is a state: its share of time */
	char *device, *phase, *work; /* globs; NULL: of the run, and of any device */
	char *source; /* the kind of log; NULL: the first that has it */
	struct gate_rule *instead; /* the same number by another name, for runs that lack
				      this one; else the same subject; owned; NULL */
	double limit[GATE_LIMITS]; /* NAN: not given; one is */
	double min_abs; /* a change that is not larger is none; 0 */
	bool exact; /* changes are compared, not tested: there is no noise */
	bool warn; /* changes no exit status */
	size_t line; /* of the file */
};

struct gate_rules {
	char *file; /* for sentences; owned */
	struct gate_rule *rule; /* [count] */
	size_t count, cap;
	bool judges_other_work; /* totals are compared whatever amounts of work the runs
				   did */
	bool judges_failed; /* runs that failed, or were cut off, are judged as all others
			     */
	bool skips_no_base; /* what has no base, or one of 0 for a percentage, counts for
			       nothing */
	bool allows_undetected; /* a limit that these runs can't show to be kept passes;
				   of no file: it is asked for with the gate */
};

#define GATE_RULES_INIT ((struct gate_rules){0})
void gate_rules_release(struct gate_rules *rules);

/* Does a rule ask for a number that reports have? By all but whether there is one. */
bool gate_rule_wants(const struct gate_rule *rule, const struct measure *measure);

/* The same, or for another state of the metric: that tells where it is recorded. */
bool gate_rule_reads(const struct gate_rule *rule, const struct measure *measure);

/* Has it a limit of changes, which needs a base? */
bool gate_rule_compares(const struct gate_rule *rule);

/* Has it a bound, which each new run has to keep? */
bool gate_rule_bounds(const struct gate_rule *rule);

/* From good to bad; a gate comes out as its worst rule. */
enum gate_outcome {
	GATE_PASS,
	GATE_INCONCLUSIVE, /* so many runs can't tell */
	GATE_REGRESSION, /* a limit is broken, or what it is of has vanished */
	GATE_UNUSABLE /* there is nothing that the rule could be of */
};
const char *gate_outcome_name(enum gate_outcome outcome);

/* Why a rule came out so; it is what decides the outcome. */
enum gate_cause {
	GATE_KEPT, /* every limit is */
	GATE_NOT_SIGNIFICANT, /* chance could have broken the limit */
	GATE_NEW, /* the base has none, and has of others that the rule is of */
	GATE_TOO_FEW, /* no change could be significant in so few runs */
	GATE_UNDETECTED, /* these runs could miss a change as large as a limit */
	GATE_NO_PERCENTAGE, /* the base is 0 */
	GATE_NO_BASE, /* the base has none */
	GATE_OTHER_WORK, /* a total of other amounts of work: for the same the change may
			    be another */
	GATE_UNCOVERED, /* so little of the time of a value is covered that the truth may
			   be another */
	GATE_SPARSE, /* not every run has it, neither in the base, and nothing can be told
			of those that have */
	GATE_ELSEWHERE, /* new runs have it of other GPUs, as many, or from another kind
			   of log */
	GATE_BROKEN, /* a limit is */
	GATE_VANISHED, /* every run of the base has it, but not every new one; or half of
			  the base or more, and no new one; or by chance not so few */
	GATE_ABSENT, /* no run has it */
	GATE_CAUSES
};
const char *gate_cause_name(enum gate_cause cause); /* "kept" ... */
enum gate_outcome gate_cause_outcome(enum gate_cause cause);

/* How a rule came out for one number, or, without one, at all. */
struct gate_result {
	const struct gate_rule *rule; /* borrowed */
	const struct comparison_row *row; /* borrowed; NULL: no number fits the rule */
	enum gate_cause cause;
	enum gate_outcome outcome; /* the cause's */
	enum gate_limit limit; /* that decided; GATE_LIMITS: none did */
	double p; /* Holm's, over the tests; NAN: not tested, or there is none */
	double lost_p; /* likewise, that so few of the new runs have it; NAN: nobody asks,
			  as either all of a side have it, or chance is not to be asked */
	size_t tests; /* by rules of that severity */
	double detectable; /* the smallest shift that this gate would show; NAN */
	double allowed; /* the smallest change that the rule may forbid; NAN: none */
	double excess; /* how far the limit is broken, in parts of it; INFINITY: it is 0,
			  or all has vanished; NAN: it is not broken */
	size_t run; /* whose value is farthest beyond a bound, or nearest to it; without
		       noise the one that changed farthest, if it is not the median;
		       SIZE_MAX: none */
	bool uncovered; /* the truth may be another than a value of it */
	bool undetected; /* these runs could miss a change as large as a limit */
	size_t runs_needed; /* on each side, to show any change, or one that the rule
			       forbids; 0: there are enough, or it is not known, or
			       more than a million are needed */
	char *why; /* a sentence, without what the rule is of; owned */
};

/* What fails a gate, whatever its rules ask for. */
enum gate_incident_kind {
	GATE_RUN_LOST, /* a new run could not be used */
	GATE_RUN_FAILED, /* a new run's command failed */
	GATE_RUN_CUT_OFF, /* nobody wrote down that a new run ended */
	GATE_DEVICE_VANISHED, /* every base run, or every other new one, has a GPU, and
				 new ones have not, nor another one instead */
	GATE_DEVICE_LOST, /* a GPU of a new run fell silent while its log went on, and
			     not so in every run of the base */
	GATE_INCIDENTS
};
const char *gate_incident_id(enum gate_incident_kind kind); /* "run-lost" ... */

/* "this new run", or of several "these new runs"; "this GPU" */
const char *gate_incident_noun(enum gate_incident_kind kind, size_t count);

/* A new run that could not be used, and why. */
struct lost_run {
	char *name, *why; /* owned by whoever lists it */
};

struct gate_incident {
	enum gate_incident_kind kind;
	char *subject; /* the name of the run, or of the GPU; owned */
	char *why; /* the sentence that the noun begins; owned */
};

struct gate {
	const struct gate_rules *rules; /* borrowed */
	const struct comparison *comparison; /* borrowed */
	struct gate_result *result; /* [count] in the order of the rules and the rows */
	size_t count, cap;
	size_t tests; /* numbers that are tested, of all rules */
	struct gate_incident *incident; /* [incident_count] by kind; owned */
	size_t incident_count, incident_cap;
	size_t outcomes[GATE_UNUSABLE + 1]; /* rules without warn, by how they came out */
	enum gate_outcome outcome;
};

#define GATE_INIT ((struct gate){0})
void gate_release(struct gate *gate);

/* "at most 5 % above the base", "at least 9 1/s"; unit: of the number, "" for none. */
void gate_limit_sentence(struct strbuf *sb, const struct gate_rule *rule,
	enum gate_limit limit, const char *unit);

/* "duration_s at most 5 % above the base": what a rule asks for. */
void gate_rule_sentence(struct strbuf *sb, const struct gate_rule *rule);

/*
 * Calibration: the noise of the numbers that a gate's rules use, learned from repeated
 * runs of one program. Filled by compute, printed by render. compute/README.md,
 * "Gate".
 */

enum calibration_outcome {
	CALIBRATION_LEARNT,
	CALIBRATION_TIGHT, /* noise alone would break a limit */
	CALIBRATION_TOO_FEW, /* too few repeats have the number */
	CALIBRATION_ABSENT /* none has */
};
const char *calibration_outcome_name(enum calibration_outcome outcome);

struct calibration_result {
	const struct gate_rule *rule; /* borrowed */
	const struct comparison_row *row; /* borrowed; NULL: no number fits the rule */
	enum calibration_outcome outcome;
	size_t n; /* repeats that have it */
	double median, deviation; /* of them; NAN: none, fewer than two */
	double noise; /* in 95 % two repeats differ by no more; NAN: not learnt */
	enum gate_limit limit; /* of TIGHT; GATE_LIMITS */
	double least; /* of TIGHT: the limit that is nearest to it and not too tight, as
			 the rule would give it; NAN */
	char *why; /* a sentence; owned */
};

struct calibration {
	const struct gate_rules *rules; /* borrowed */
	const struct comparison *comparison; /* borrowed */
	struct calibration_result
		*result; /* [count] in the order of the rules and rows */
	size_t count, cap;
	double *min_abs; /* [rules->count] for each rule, in its unit; owned */
	size_t refused; /* results that are not learnt, of rules that do not only warn */
};

#define CALIBRATION_INIT ((struct calibration){0})
void calibration_release(struct calibration *calibration);

/*
 * Self-test: does each rule catch a change that was made in a copy of the base? Filled
 * by compute, printed by render. compute/README.md, "Gate".
 */

enum injection {
	INJECTION_NOTHING, /* passes */
	INJECTION_CHANGE, /* a tenth beyond a limit: a regression */
	INJECTION_VANISHED /* one run has the number no longer: a regression */
};
const char *injection_name(enum injection injection); /* "nothing" ... */

struct selftest_result {
	const struct gate_rule *rule; /* borrowed */
	const struct comparison_row *row; /* of the base; borrowed; NULL: no number fits
					     the rule */
	enum injection injection;
	enum gate_limit limit; /* of CHANGE; GATE_LIMITS */
	double base, new; /* medians; of a bound, new is the value injected */
	enum gate_outcome expected, outcome;
	double p; /* as the gate's; NAN */
	size_t runs_needed; /* on each side, to show it; 0: there are enough, or it is not
			       known */
	bool proved; /* it came out as expected */
	char *why; /* a sentence; owned */
};

struct selftest {
	const struct gate_rules *rules; /* borrowed */
	const struct comparison *comparison; /* borrowed */
	struct selftest_result *result; /* [count] in the order of the rules and rows */
	size_t count, cap;
	size_t counted, failed; /* results, and those not proved, of rules that do not
				   only warn */
};

#define SELFTEST_INIT ((struct selftest){0})
void selftest_release(struct selftest *selftest);

#endif
