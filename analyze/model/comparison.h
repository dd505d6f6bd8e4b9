/*
 * The result of comparing runs: one row per number. Either the runs have two sides,
 * base and new, or they are listed without sides. Filled by compute, printed by
 * render; unknown is NAN.
 */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include "model/measure.h"

enum side {
	SIDE_BASE,
	SIDE_NEW,
	SIDES
};

/* A run of a comparison, by the name that the user calls it. */
struct compared_run {
	char *name; /* owned; no two are equal */
	char *key; /* owned; no two are the same run */
	enum side side; /* SIDES: there are none */
	double duration_s; /* NAN: not known */
	char grade; /* of its evidence; 0: not known */
	bool checked; /* the rules of findings were asked about it */
	bool unranked; /* its samples are of grade F: it is never called the best */
	struct run_outcome outcome; /* owned */
	double units; /* of the comparison's work that it did; NAN: not known */
	bool other_work; /* its totals were left out of the base, as of another amount */
	struct outline *outline; /* what it was over time; NULL: not asked for, or nothing
				    to draw; owned */
	size_t pair; /* of both sides, from 1 on; 0: it has no partner */
	size_t best_in; /* without sides: of time and energy, in how many it alone is the
			   best in all rows that decide */
	double score; /* by the weights, 0 to 1; NAN: none, or a number is unknown */
};

/* How much numbers of the whole run count for a score. */
struct score_weight {
	char *key; /* "duration_s", "units_per_s"; owned */
	double weight; /* above 0 */
};

struct score_weights {
	struct score_weight *at; /* [count] owned */
	size_t count, cap;
};

/* A GPU that counts in a run, by its name. */
struct compared_gpu {
	char *name; /* owned */
	bool *has; /* [run_count] owned */
	bool *lost; /* [run_count] it fell silent before its log ended; owned */
};

/* A finding more severe than info, of a GPU or of whole runs. */
struct compared_problem {
	char *rule, *title; /* owned */
	char *device; /* its name; NULL: the run; owned */
	enum severity severity;
	enum outcome *outcome; /* [run_count] of runs that were checked; owned */
};

/* The known values of a side: their median with its interval, where there is one. */
struct compared_side {
	size_t n;
	double mean, median, low, high;
};

/* What the test of a row can say. */
enum change {
	CHANGE_NONE, /* not asked: no sides, or nothing known */
	CHANGE_GONE, /* known of the base alone */
	CHANGE_NEW, /* known of the new side alone */
	CHANGE_OTHER_WORK, /* a total of runs that did other amounts of work */
	CHANGE_UNCOVERED, /* so little of the time of a value is covered that the truth
			     may be another */
	CHANGE_UNTESTED, /* too few runs for any test to be significant */
	CHANGE_UNSEEN, /* tested, not significant */
	CHANGE_BETTER, /* significant, as all below */
	CHANGE_WORSE,
	CHANGE_OTHER /* neither good nor bad */
};
const char *change_name(enum change change); /* "gone" ...; NULL for NONE */

enum compared_by {
	COMPARED_BY_NOTHING,
	COMPARED_BY_RANKS, /* Mann-Whitney */
	COMPARED_BY_PAIRS, /* Wilcoxon's signed ranks, of runs in pairs */
	COMPARED_BY_HISTORY /* one run against a prediction interval of several */
};
const char *compared_by_name(enum compared_by by); /* NULL for NOTHING */

struct comparison_row {
	struct measure measure; /* its strings are owned */
	double *value; /* [run_count] owned */
	struct covered *covered; /* [run_count] owned; NULL: nothing is known of it. A
				    value in doubt that is NAN was left out of a sample */
	size_t best; /* the run with the best value, of those that did their work;
			SIZE_MAX: none, or several */
	size_t best_runs; /* that have this value */
	double best_value, worst_value; /* NAN: none is better, or nothing is known */
	double median; /* of the same values; where none is better, too; NAN: there are
			  none */
	size_t left_out; /* values that are in none of these: of runs that failed or were
			    cut off, or in doubt */
	struct compared_side side[SIDES];
	double per_unit[SIDES]; /* of OTHER_WORK: the median of what a unit took; NAN */
	double difference; /* of the medians, new less base; by pairs: the median change
			      within a pair, as of the base's median */
	double ratio; /* new to base; NAN too where the base is not above 0; by pairs: the
			 median of the pairs' ratios */
	size_t pairs; /* by pairs: those that both have a value; 0 */
	enum change change;
	enum compared_by by;
	bool exact; /* by ranks or pairs: p is counted, not approximated */
	double p; /* two-sided; of this row alone */
	double p_together; /* ... if all rows tested are one question (Holm); NAN */
	double shift, shift_low, shift_high; /* Hodges-Lehmann, with its interval */
	double expected_low, expected_high; /* by history: the prediction interval */
	double deviation; /* of one run from another of its side; by pairs: of the changes
			     within them; NAN: not known */
	double detectable; /* the smallest shift that these runs would show; INFINITY:
			      none */
	size_t runs_needed; /* on each side, to see a shift as large as the difference; 0:
			       beyond a million, or nothing to see */
};

/* What of the runs' circumstances differs, as each run says it. */
struct difference {
	const char *what; /* static: "driver" */
	bool machine; /* it is of the machine, of which other numbers are to be expected
		       */
	bool work; /* how much was done: of more of it totals are to be more */
	char **said; /* [run_count] owned; NULL: it does not say */
};

/*
 * A part of the difference between two sides' means: what a phase has without its inner
 * phases. The parts sum to the whole.
 */
struct waterfall_step {
	char *phase; /* owned; PHASE_BEYOND: what phases have of no recorded time, below
			0; NULL: what is left, as several phases had it at once, or of
			none it is known */
	double base, new; /* means over the runs of the side, 0 in one without it; NAN:
			     none of them has it */
	double difference; /* not there is 0 */
};

struct waterfall {
	const char *key, *unit; /* "duration_s", "energy_j"; static */
	const char *title; /* "time", "GPU energy"; static */
	const char *per; /* of each run's part for one of these; borrowed; NULL: of all */
	double base, new, difference; /* of the whole; NAN: there is no waterfall */
	struct waterfall_step *step; /* [count] the largest first, the rest last; owned */
	size_t count, cap;
};

/* The geometric mean of the ratios of several rows. */
struct mean_ratio {
	double ratio; /* NAN: there are none */
	size_t rows;
};

enum {
	WATERFALL_TIME,
	WATERFALL_ENERGY,
	WATERFALLS
};

struct comparison {
	struct compared_run *run;
	size_t run_count, run_cap;
	size_t on_side[SIDES]; /* runs */
	size_t pairs; /* of which both runs are here; 0: they are not compared in pairs */
	struct comparison_row *row;
	size_t row_count, row_cap;
	struct report_filter filter; /* of the rows; its texts outlive the comparison */
	bool chosen; /* rows were asked for by name, not taken as what people see first */
	char *work; /* the events that say how much each run did; NULL: none of which
		       both sides know; owned */
	bool work_differs; /* runs whose totals are compared did other amounts of it */
	struct score_weights weights; /* empty: nobody asked for scores; owned */
	size_t won; /* without sides: of time and energy those in which a row decides */
	size_t winner; /* the run that is the best in all of them; SIZE_MAX: none, or it
			  is not ranked */
	size_t tests; /* rows that were tested */
	double level; /* at which a change is significant: 0.05 */
	double least_p; /* that sides of so many runs can have; NAN: there are no sides */
	size_t runs_least; /* on each side, below which no change can be significant */
	size_t history_least; /* of the base, for one new run to be tested against it */
	struct mean_ratio ratio[BETTER_NEITHER]; /* by what is good */
	struct difference *difference;
	size_t difference_count, difference_cap;
	struct waterfall waterfall[WATERFALLS];
	struct compared_gpu *gpu; /* [gpu_count] of all runs of which there is a report */
	size_t gpu_count, gpu_cap;
	struct compared_problem *problem; /* [problem_count] in no order */
	size_t problem_count, problem_cap;
	bool undrawn; /* of a page that draws timelines: of some runs it has not asked */
	char **left_out; /* "x1 (exit status 1)": runs that failed, or were cut off,
			    which are none of the above; owned */
	size_t left_out_count, left_out_cap;
	char **remark; /* sentences: what was left out, and why; owned */
	size_t remark_count, remark_cap;
};

/*
 * How many times worse than the best value of its row that of a run is: 1 or more; NAN
 * where that can't be said, as beside 0, and of a run that failed or was cut off, or a
 * value in doubt.
 */
double comparison_factor(const struct comparison *comparison,
	const struct comparison_row *row, size_t run);
/* Among the runs of its row, from 1; equal values have one rank. 0: it has none. */
size_t comparison_rank(const struct comparison *comparison,
	const struct comparison_row *row, size_t run);
/* How far from the best of its row, in percent of it; NAN: it has no rank, or of 0. */
double comparison_from_best(const struct comparison *comparison,
	const struct comparison_row *row, size_t run);
/*
 * Does a row say which run is the best? Time, work a second and energy do, if one run
 * alone is the best in it. A total of energy only if the work of the runs is known: a
 * run that does nothing is frugal.
 */
bool comparison_decides(
	const struct comparison *comparison, const struct comparison_row *row);
/* Did a run of a side fail, or was it cut off? SIDES: of any. */
bool comparison_has_undone(const struct comparison *comparison, enum side side);

/*
 * Is a row a total of runs that did other amounts of work? And if so, could it come out
 * otherwise, for the same work, that its new side is more (or less) than its base?
 */
bool comparison_is_other_work(
	const struct comparison *comparison, const struct comparison_row *row);
bool comparison_work_may_undo(
	const struct comparison *comparison, const struct comparison_row *row, bool more);
/* "1,000 step -> 2,000", "1,000 to 2,000 step": how much runs did that do differ. */
void comparison_say_work(struct strbuf *sb, const struct comparison *comparison);

/* Which way the truth may lie from a value; if it is held against a bound; and from any
 * of a side. */
unsigned comparison_doubt(const struct comparison_row *row, size_t run);

/* The value of a run is no part of its side any more; that it had one is kept. */
void comparison_leave_out(struct comparison_row *row, size_t run);
/* How many runs of a side have a value, left out or not. */
size_t comparison_had(const struct comparison_row *row, const struct compared_run *run,
	size_t run_count, enum side side);
unsigned comparison_bound_doubt(const struct comparison_row *row, size_t run);
unsigned comparison_side_doubt(const struct comparison *comparison,
	const struct comparison_row *row, enum side side);
/* Could the truth undo that a row's new side is more (or less) than its base? */
bool comparison_may_undo(
	const struct comparison *comparison, const struct comparison_row *row, bool more);
/*
 * "a lower bound in b (61.0 % covered), c (...)": what of a row is in doubt; of its new
 * side, if it is held against a bound (`bound`). False: nothing is.
 */
bool comparison_say_doubt(struct strbuf *sb, const struct comparison *comparison,
	const struct comparison_row *row, bool bound);

/*
 * How many runs of a side have a problem, and of how many it is known whether they have:
 * a check that could not run tells nothing.
 */
size_t comparison_with_problem(const struct comparison *comparison,
	const struct compared_problem *problem, enum side side, size_t *known);

/*
 * CHANGE_NEW: runs of the new side alone have it; CHANGE_GONE: runs of the base alone;
 * CHANGE_NONE: both, neither, or of no run of the other side it is known.
 */
enum change comparison_problem_change(
	const struct comparison *comparison, const struct compared_problem *problem);

#define COMPARISON_INIT ((struct comparison){0})
/* Has it runs on a side? Else it is a table of runs. */
bool comparison_has_sides(const struct comparison *comparison);
/* Has it runs on both sides, or, where there are none, two runs or more? */
bool comparison_is_whole(const struct comparison *comparison);
void comparison_release(struct comparison *comparison);
void comparison_remark(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
