/*
 * The series of gpu_tracker's recordings as it names and scales them: in the units and
 * over the denominators that are asked for, else those of the recording.
 */
#ifndef FOREIGN_GPU_TRACKER_H
#define FOREIGN_GPU_TRACKER_H

#include "base/diag.h"
#include "foreign/levels.h"
#include "model/dialect.h"
#include "model/report.h"

struct tracker {
	struct report *report; /* borrowed */
	enum data_unit ram, gpu_ram;
	enum time_unit time;
	double ram_capacity, gpu_ram_capacity; /* bytes */
	double cores, expected_cores, gpus, expected_gpus;
	/* What all GPUs did together; NULL: the run's logs do not tell it of all, or some
	 * are asked for. Borrowed. */
	const struct round_sums *together;
	bool tracked; /* the run has gpu_tracker's own series */
};

/*
 * gpu_tracker's analysis of one run, found again among the pieces of its dialect.
 * Compares nothing.
 */

struct block {
	const struct dialect_item *item; /* its object */
	const char *name;
	char *order; /* the name, its line number padded with zeros; owned */
};

struct analysis {
	const char *name; /* of the run */
	const struct dialect_item *overall, *facts;
	struct block *block; /* [block_count] by their order */
	size_t block_count;
};

/*
 * Reports of several runs beside one another. Their numbers are those of the reports:
 * nothing is computed here a second time.
 */

#define COMPARE_STATISTIC "mean" /* where none is asked for */

/*
 * As gpu_tracker compares its analyses: one statistic ("min", "max", "mean", "std") of
 * every measurement, over the runs and over their code blocks, and of the blocks' times.
 * Blocks belong together by their names, or in the order of their line numbers where only
 * those differ. The reports carry the analyses (dialect). -1: it is unknown, a report is
 * none or is refused, blocks or units differ; release *out in either case.
 */
int compare_tracker(struct tracker_comparison *out, const struct tracker_side *side,
	size_t count, const char *statistic, struct error *err);

#endif
