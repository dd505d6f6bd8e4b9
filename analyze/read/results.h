/*
 * What another tool made of a recording, instead of the recording: gpu_tracker's results
 * of a sub-tracking analysis as JSON. Nothing in them is a sample.
 */
#ifndef READ_RESULTS_H
#define READ_RESULTS_H

#include "base/diag.h"
#include "model/report.h"

/*
 * 1: the file holds such results, and *run and *report are made of it: a run without
 * samples, a report with nothing but the results as its dialect. Release both. 0: it
 * does not, and both are untouched. -1: they can't be read to their end.
 */
int read_results(
	const char *path, struct run *run, struct report *report, struct error *err);

#endif
