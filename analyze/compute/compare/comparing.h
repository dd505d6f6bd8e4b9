/*
 * A comparison while runs are added to it. Only the rooms of the comparison include this;
 * everybody else asks compute/compare/compare.h.
 */
#ifndef COMPUTE_COMPARING_H
#define COMPUTE_COMPARING_H

#include "base/name_match.h"
#include "compute/compare/amounts.h"
#include "compute/compare/compare.h"
#include "compute/numbers/lookup.h"
#include "model/coverage.h"

#define LEFT_OUT_MOST 6 /* by name, in one sentence */

struct comparing {
	struct comparison *out;
	size_t runs_most;
	compare_wanted *wanted;
	void *context;
	struct lookup rows; /* of out->row */
	struct lookup steps[WATERFALLS]; /* of out->waterfall[].step */
	bool leaves_undone; /* but for new runs */
	bool base_is_sample;
	struct amounts amounts; /* of units of work */
	struct waterfall_part *part[WATERFALLS]; /* [part_count] owned */
	size_t part_count[WATERFALLS], part_cap[WATERFALLS];
	uint32_t *sources; /* [runs_most][METRIC_COUNT] a bit for each kind of log; NULL
			      before the first report; owned */
	struct compared_phase *phase; /* [phase_count] owned */
	size_t phase_count, phase_cap;
	struct lookup phases; /* of phase */
	struct run_identity *identity; /* [out->run_count] keys: theirs */
	size_t identity_cap;
};

/*
 * Which values are in doubt beside others; of a base that is a sample those are left out.
 * Then whether the doubt of its values undoes what a row says; and the remarks on it all.
 */
void compare_doubts_end(struct comparing *comparing);
void compare_doubt_row(const struct comparison *out, struct comparison_row *row);
void compare_doubts_remark(struct comparison *out);

/* The share 0 of the states that a run was never in, where it has others. */
void states_end(struct comparing *comparing);

/*
 * How much the last run did; which kind of work that is counted in, and whether the runs
 * did other amounts of it; then, of a total of such runs, what a unit took on each side.
 */
void compare_work_add(struct comparing *comparing, const struct report *report);
void compare_work_end(struct comparing *comparing);
void compare_per_unit(const struct comparison *out, struct comparison_row *row);

/*
 * The phases of a run, by what it is called where it was left out (NULL: it counts);
 * remarks those that no run has which counts.
 */
void phases_add(
	struct comparing *comparing, const struct report *report, const char *left_out);
void phases_end(struct comparing *comparing);

/* The GPUs that count in the last run. */
void gpus_add(struct comparing *comparing, const struct report *report);

/* What the last run says of its circumstances; drops what does not differ, but for
 * the exit statuses where a run failed, and the ends where one was cut off. */
void circumstances_add(struct comparing *comparing, const struct report *report);
void circumstances_end(struct comparing *comparing);

/* From which kinds of logs the last run has its metrics; which of them differ in that. */
void sources_add(struct comparing *comparing, const struct report *report);
void sources_end(struct comparing *comparing);

/*
 * The times and energies of the last run's phases, of which nothing is known without a
 * report (NULL); the differences of the means.
 */
void waterfall_add(struct comparing *comparing, const struct report *report);
void waterfall_end(struct comparing *comparing);

#endif
