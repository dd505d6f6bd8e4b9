/*
 * The static data of gpu_tracker's tracking files: a row of names and one of values
 * before the header of the columns, or a table. They become facts of the run and say
 * the units of the columns. What a broken line may have cut is not used, and units
 * that are lost are not guessed.
 */
#ifndef FOREIGN_GPU_TRACKER_LOG_H
#define FOREIGN_GPU_TRACKER_LOG_H

#include "base/diag.h"
#include "model/dialect.h"
#include "model/report.h"
#include "read/records.h"

/* Cells that outlive their record. */
struct kept {
	struct strbuf text;
	struct span *cell; /* [count] */
	size_t count, cap;
};

/*
 * What another tool made of a recording, instead of the recording: gpu_tracker's
 * results of a sub-tracking analysis as JSON. Nothing in them is a sample.
 */

/*
 * 1: the file holds such results, and *run and *report are made of it: a run without
 * samples, a report with nothing but the results as its dialect. Release both. 0: it
 * does not, and both are untouched. -1: they can't be read to their end.
 */
int read_results(
	const char *path, struct run *run, struct report *report, struct error *err);

#endif
