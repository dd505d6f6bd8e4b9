/*
 * The parts of a run that other JSON documents print, too, key by key in their fixed
 * order (schema/report.schema.json). Each adds keys to the object that is open.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include "base/diag.h"
#include "model/report.h"
#include "render/json_writer.h"

void json_run_identity(struct json_writer *w, const struct run *run); /* run, path */
void json_run_selection(struct json_writer *w, const struct report_filter *filter);

/* steady: an object, or null */
void json_run_steady(struct json_writer *w, const struct report *report);

/* missing: an index of the run's list; NULL: of a phase, which has no reasons. */
void json_run_metric(struct json_writer *w, const struct report *report,
	const struct missing_index *missing, const struct metric_stats *stats);

/* Units of work of one kind. */
void json_run_work(
	struct json_writer *w, const struct report *report, const struct work *work);

/* A line of a log: an object of file and line, or null where it is not known. */
void json_place(struct json_writer *w, const char *key, const struct run *run,
	struct event_place place);
void json_run_finding(struct json_writer *w, const struct report *report,
	const struct finding *finding);

/* The parts of the evidence: grade to sessions; the array of devices. */
void json_run_grade(struct json_writer *w, const struct report *report);

/* All but processes, which are many and cover what time they like. */
void json_run_devices(struct json_writer *w, const struct report *report);

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
