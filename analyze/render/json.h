/*
 * The parts of a run that JSON and ndjson print alike, key by key in their fixed order
 * (schema/report.schema.json). Each adds keys to the object that is open.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include "base/diag.h"
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

/* Has it any value? A metric without one is listed apart (json_run_not_recorded). */
bool json_has_value(const struct metric_stats *stats);

/* "not_recorded": the metrics that have a column and not one value, and why. */
void json_run_not_recorded(struct json_writer *w, const struct report *report,
	const struct missing_index *missing);

/* missing: an index of the run's list; NULL: of a phase, which has no reasons. */
void json_run_metric(struct json_writer *w, const struct report *report,
	const struct missing_index *missing, const struct metric_stats *stats);

/* A path of phases; with `calls` each of its calls too. */
void json_run_phase(
	struct json_writer *w, const struct report *report, size_t path, bool calls);

/* Units of work of one kind. */
void json_run_work(
	struct json_writer *w, const struct report *report, const struct work *work);

/* A line of a log: an object of file and line, or null where it is not known. */
void json_place(struct json_writer *w, const char *key, const struct run *run,
	struct event_place place);
void json_run_finding(struct json_writer *w, const struct report *report,
	const struct finding *finding);

/* "checks": how many rules ran, and why the others could not. */
void json_run_checks(struct json_writer *w, const struct report *report);

/* The parts of the evidence: grade to sessions; the array of devices. */
void json_run_grade(struct json_writer *w, const struct report *report);

/* All but processes, which are many and cover what time they like. */
void json_run_devices(struct json_writer *w, const struct report *report);

/* All of it; gaps, what the clocks did and per-device evidence only where `whole` */
void json_run_evidence(struct json_writer *w, const struct report *report, bool whole);
void json_run_ending(struct json_writer *w, const struct report *report);
void json_run_diag(struct json_writer *w, const struct diag *diag);

/*
 * The frame of every JSON document: an object that begins with its format version and
 * the program's version.
 */

/* Opens the document's object, with "format_version" and "generator" in it. */
void json_document_begin(struct json_writer *w, FILE *out);

/* Closes the object and releases the writer; -1: err is set, out has an error. */
int json_document_end(struct json_writer *w, struct error *err);

/* The member `key`: an array of texts, such as "warnings" and "remarks". */
void json_texts(
	struct json_writer *w, const char *key, const char *const *text, size_t count);

#endif
