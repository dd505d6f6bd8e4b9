/*
 * Makes the report once all samples were added. The parts are computed in the order of
 * aggregate_report; each uses the parts before it.
 */
#ifndef COMPUTE_REPORT_REPORT_H
#define COMPUTE_REPORT_REPORT_H

#include "compute/run/aggregate.h"
#include "compute/run/state.h"

/* Computes all of the report but what was put there before; report_init'ed, run set. */
void aggregate_report(struct aggregate *agg, struct report *report);

/* The parts of a report, in the order of aggregate_report. Private to compute/. */

/* Times, coverage, gaps and grade of report->evidence, and the run's duration. */
void evidence_report(struct aggregate *agg, struct report *report);

/* How the run ended; its times, and which GPUs count, are known. */
void ending_report(const struct aggregate *agg, struct report *report);

/* report->steady: the evidence is known. */
void steady_report(const struct aggregate *agg, struct report *report);

/* exclusive_energy_j of all paths, whose summaries are known. */
void phase_own_energy(struct report *report);

/* summary, from the statistics and the evidence. */
void summary_report(struct report *report, const struct tick_total *peak_total,
	const struct compute_window *window);

/* The same of a phase: path->stats and path->union_s are known. */
void summary_phase(const struct report *report, struct phase_path *path);

/* What the rules say of the run: report->finding. Everything else is in the report. */
void findings_report(struct aggregate *agg, struct report *report);

/*
 * The evidence, the summary and the units of work of what report_select has left: each
 * after the one before.
 */
void evidence_select(struct report *report);
void summary_select(struct report *report);
void work_select(struct report *report);

#endif
