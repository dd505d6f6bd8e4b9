/*
 * The parts of a run that JSON and ndjson print alike, key by key in their fixed order
 * (schema/report.schema.json). Each adds keys to the object that is open.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include "base/diag.h"
#include "model/gate.h"
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
 * Parts that JSON of comparisons, gates and trends shares: the number that an object
 * describes, differences between runs, remarks.
 */

/* "part", "key" ... "better" */
void json_measure(struct json_writer *w, const struct measure *measure);

/*
 * "rule", "asks", "severity", and the measure of the number; where there is none (NULL),
 * null but for the key.
 */
void json_rule(struct json_writer *w, const struct gate_rule *rule,
	const struct comparison_row *row);

/* "limit", "limit_value": the name and the value of one of its limits, or nulls. */
void json_limit(
	struct json_writer *w, const struct gate_rule *rule, enum gate_limit limit);

/* An object: what of a number the runs of one side have together. */
void json_side(struct json_writer *w, const char *key, const struct compared_side *side);

/* An array: the names of the runs of one side; SIDES: of those on none. */
void json_side_runs(struct json_writer *w, const char *key,
	const struct comparison *comparison, enum side side);

/* "runs_needed": null where nobody knows (0). */
void json_runs_needed(struct json_writer *w, uint64_t runs);

/* "differs": what of the runs' circumstances differs, as each run says it. */
void json_differs(struct json_writer *w, const struct difference *difference,
	size_t count, size_t runs);

/* "failed", "cut_off": how a run did, or was; else null. */
void json_outcome(struct json_writer *w, const struct run_outcome *outcome);

/* "remarks" */
void json_remarks(struct json_writer *w, const struct comparison *comparison);

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
