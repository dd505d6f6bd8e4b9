/*
 * The parts of a run that JSON and ndjson print alike, key by key in their fixed order
 * (schema/report.schema.json). Each adds keys to the object that is open.
 */
#ifndef RENDER_JSON_RUN_H
#define RENDER_JSON_RUN_H

#include "model/report.h"
#include "render/json_writer.h"

void json_run_identity(struct json_writer *w, const struct run *run); /* run, path */
void json_run_selection(struct json_writer *w, const struct report_filter *filter);
void json_run_head(struct json_writer *w, const struct report *report);
void json_run_gpus(struct json_writer *w, const struct report *report);
void json_run_processes(struct json_writer *w, const struct report *report);
void json_run_summary(struct json_writer *w, const struct report *report);
/* steady: an object, or null */
void json_run_steady(struct json_writer *w, const struct report *report);
/* missing: an index of the run's list; NULL: of a phase, which has no reasons. */
void json_run_metric(struct json_writer *w, const struct report *report,
	const struct missing_index *missing, const struct metric_stats *stats);
/* An energy with its method and coverage, which always stand beside it. */
void json_run_energy(struct json_writer *w, double energy_j, enum energy_method method,
	double coverage);
/* A path of phases; with `calls` each of its calls too. */
void json_run_phase(
	struct json_writer *w, const struct report *report, size_t path, bool calls);
/* Units of work of one kind. */
void json_run_work(struct json_writer *w, const struct work *work);
/* A line of a log: an object of file and line, or null where it is not known. */
void json_place(struct json_writer *w, const char *key, const struct run *run,
	struct event_place place);
void json_run_finding(struct json_writer *w, const struct report *report,
	const struct finding *finding);
/* The parts of the evidence: grade to sessions; the array of devices. */
void json_run_grade(struct json_writer *w, const struct report *report);
/* All but processes, which are many and cover what time they like. */
void json_run_devices(struct json_writer *w, const struct report *report);
/* All of it; gaps, what the clocks did and per-device evidence only where `whole` */
void json_run_evidence(struct json_writer *w, const struct report *report, bool whole);
/* json_ending.c: the array of what the clocks did, only where `whole`, and the object of
 * what recording cost; the object of how the run ended. */
void json_run_recorder(struct json_writer *w, const struct run *run, bool whole);
void json_run_ending(struct json_writer *w, const struct report *report);
void json_run_diag(struct json_writer *w, const struct diag *diag);

#endif
