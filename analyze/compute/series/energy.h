/*
 * The energy of a GPU in a run or a part of it: the increase of its own counter, else
 * the integral of its power (README.md, "Energy"). Chosen here; all others call
 * metric_stats_energy. Private to compute/.
 */
#ifndef COMPUTE_ENERGY_H
#define COMPUTE_ENERGY_H

#include "model/report.h"

/*
 * Marks, of the report's statistics, which are the energies of their GPUs, and says what
 * each energy covers. This is for good: no part of the run, and no selection, makes
 * another choice.
 */
void energy_choose(struct report *report);

/* The same marks of what a phase of so many seconds knows of them. */
void energy_mark(const struct report *report, struct metric_stats *stats, size_t count,
	double seconds);

/* Over the GPUs that count. */
struct energy_sum {
	size_t gpus, known; /* all of them; those whose energy is known */
	size_t chosen; /* those whose energy the run knows */
	enum energy_method method;
	double energy_j;
	double coverage; /* share of GPUs times seconds, 0 to 1; 0 where the run knows
			    more; NAN: unknown */
	double uncovered_s;
};

/* Of statistics in which the energies are marked. */
struct energy_sum energy_over_gpus(const struct report *report,
	const struct metric_stats *stats, size_t count, double seconds);

/* Of a report from which was selected: is that energy of all GPUs still one of it? */
bool energy_is_wanted(const struct report *report, enum energy_method method);

#endif
