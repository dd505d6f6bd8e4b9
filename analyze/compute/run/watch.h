/*
 * The time in which the conditions of a rule held in one GPU's log. A row holds until
 * the next row of that GPU. A row that lacks a value ends the time; gaps count neither
 * way. README.md, "Findings".
 */
#ifndef COMPUTE_RUN_WATCH_H
#define COMPUTE_RUN_WATCH_H

#include "compute/run/timing.h"
#include "compute/series/counter.h"
#include "compute/series/course.h"
#include "compute/series/series.h"
#include "model/rule.h"
#include "model/sample.h"

/* Metrics of a plan whose mean in that time is wanted: those of several rules. */
#define WATCH_MEANS (2 * RULE_MEANS_MAX)

/* Within a segment: times of two segments may overlap. */
struct held_stretch {
	struct stretch time;
	int32_t segment;
	uint32_t rows; /* that say so; of a part of a stretch those of the whole */
};

struct held_stretches {
	struct held_stretch *at; /* [count] ascending within a segment; owned */
	size_t count, cap;
};

struct watch {
	uint64_t known, held; /* rows with all values; those that fulfil the conditions */
	struct slices known_time, held_time, mean_time[WATCH_MEANS];
	int64_t first_not_ns, last_not_ns; /* of rows that do not; if known > held */
	bool open; /* the last row had all values */
	bool holds; /* ... and fulfilled the conditions */
	bool has_mean[WATCH_MEANS];
	int64_t mean[WATCH_MEANS]; /* values of the last row, in quanta */
	int64_t prev_ns;
	int32_t prev_segment;
	int64_t since_ns; /* begin of the open stretch; defined if holds */
	uint64_t held_before; /* rows that held before it; defined if holds */
	int64_t silent_ns; /* of the first row of the last ones that lack values; if !open
			    */
	struct held_stretches held_at;
	struct held_stretches lacking; /* in which rows lack values; if the plan wants it
					*/
	int64_t origin_ns; /* of courses: that of the source */
	struct course
		*course; /* [WATCH_MEANS] of the plan's means in the rows that hold;
			    owned; NULL: none holds, has times, or the plan wants none */
	bool overflowed;
	struct slices *in_phase; /* [in_phases]: of each path one for each of the plan's
				    means; NULL: nothing held yet */
	size_t in_phases;
};

/* The metrics of conditions, and where a batch has them. */
struct watch_plan {
	const struct rule *rule; /* that has these conditions */
	enum metric_id mean[WATCH_MEANS];
	size_t means;
	bool courses; /* a rule asks for them over the time of all GPUs */
	bool in_phases; /* a rule asks for means in phases */
	bool lacking; /* a rule asks when rows lack values */
	/* of the batch, for each condition and mean; NULL: it has no such column */
	const struct sample_column *at[RULE_PARTS_MAX], *over[RULE_PARTS_MAX];
	const struct sample_column *mean_at[WATCH_MEANS];
	double limit[RULE_PARTS_MAX]; /* of the conditions, in quanta */
	int64_t word[RULE_PARTS_MAX]; /* what `has` is in the batch; 0: nothing */
	bool judges; /* else the batch can neither fulfil the conditions nor fail them, so
			that its rows only end what was open before */
};

/* The plans of all rules: those with the same conditions share one. */
struct watch_list {
	struct watch_plan *plan; /* [count] */
	size_t count;
	size_t *of_rule; /* [rules] its plan; SIZE_MAX: the rule has no conditions */
};

void watch_list_init(struct watch_list *list, const struct rule_set *rules);
void watch_list_release(struct watch_list *list);
void watch_release(struct watch *watch);

/* What it comes to, once the gap limit is known. */
struct watched {
	double samples, sample_share;
	double known_s; /* the time of the rows that have all values; NAN as seconds */
	double seconds, share; /* NAN: no times, or no gap can be told */
	double mean[WATCH_MEANS]; /* in units, weighted by time; NAN */
	double mean_s[WATCH_MEANS]; /* the time of the rows in it that have the metric */
	double integral[WATCH_MEANS]; /* their mean times that time */
	double first_s; /* of the stretch that is open at the beginning; 0: none */
	double last_s; /* of the stretch that is open at the end; 0: none */
	double possible_s; /* of `alone`: see WHILE_POSSIBLE_S; else NAN */
	double gpu_seconds; /* `seconds` times the GPUs that it is of: 1, but of `alone`
			     */
	bool listed; /* the stretches are all known */
	struct held_stretches at; /* without gaps */
	int128 *gpu_ns; /* [at.count] of `alone`: of each, summed over the GPUs that it is
			   of; owned. NULL: of this one */
	struct held_stretches away; /* gaps of its log and, if the plan wants them, times
				       in which rows lack values; if listed */
};

void watched_release(struct watched *watched);

/* The means and integrals of what holds in a path of the phases, for so many seconds; all
 * else is NAN. */
struct watched watch_in_phase(const struct watch *watch, const struct watch_plan *plan,
	int64_t limit_ns, uint32_t path, double seconds);

/* track: of the same device, with its gaps. limit_ns: the gap limit, -1: none. */
void watch_finish(struct watch *watch, const struct watch_plan *plan,
	const struct track *track, int64_t limit_ns, struct watched *out);

#endif
