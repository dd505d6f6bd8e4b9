/*
 * The JSON document: everything that is known, in a fixed order, described by
 * schema/report.schema.json. Walks reports; must not compute or round.
 */
#include <string.h>

#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_run.h"

static void add_events(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_array(w, "events");
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (event->type == EVENT_PHASE ||
			!report_has_instant(report, event->t_ns))
			continue;
		json_object(w, NULL);
		json_string(w, "type", event->type_name);
		json_string(w, "name", event->name);
		json_time(w, "at", event->t_ns);
		json_raw(w, "extras", event->extras);
		json_close(w);
	}
	json_close(w);
}

static void add_source(
	struct json_writer *w, const struct run *run, const struct run_file *file)
{
	json_object(w, NULL);
	json_string(w, "path", file->path);
	json_string(w, "kind", source_name(file->kind));
	json_count(w, "rows", file->rows);
	json_count(w, "refused", file->refused);
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		if (strcmp(diag->file, file->path) != 0)
			continue;
		json_object(w, NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

static bool has_file(const struct run *run, const char *path)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (strcmp(run->file[i].path, path) == 0)
			return true;
	return false;
}

/* What belongs to no file of sources[]: the run itself, or a file that could not be had.
 */
static void add_run_diagnostics(struct json_writer *w, const struct run *run)
{
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		if (*diag->file && has_file(run, diag->file))
			continue;
		json_object(w, NULL);
		json_string(w, "file", *diag->file ? diag->file : NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
	json_close(w);
}

static void add_run(struct json_writer *w, const struct report *report, bool calls)
{
	const struct run *run = report->run;
	struct missing_index missing;

	missing_index_init(&missing, &run->missing);
	json_object(w, NULL);
	json_run_head(w, report);
	json_run_gpus(w, report);
	json_run_processes(w, report);
	json_run_summary(w, report);
	json_run_steady(w, report);
	json_array(w, "metrics");
	for (size_t i = 0; i < report->stats_count; i++) {
		json_object(w, NULL);
		json_run_metric(w, report, &missing, &report->stats[i]);
		json_close(w);
	}
	json_close(w);
	json_array(w, "phases");
	for (size_t i = 0; i < report->path_count; i++) {
		json_object(w, NULL);
		json_run_phase(w, report, i, calls);
		json_close(w);
	}
	json_close(w);
	json_array(w, "work");
	for (size_t i = 0; i < report->work_count; i++) {
		json_object(w, NULL);
		json_run_work(w, &report->work[i]);
		json_close(w);
	}
	json_close(w);
	json_array(w, "findings");
	for (size_t i = 0; i < report->finding_count; i++) {
		json_object(w, NULL);
		json_run_finding(w, report, &report->finding[i]);
		json_close(w);
	}
	json_close(w);
	add_events(w, report);
	json_run_evidence(w, report, true);
	json_run_ending(w, report);
	json_array(w, "sources");
	for (size_t i = 0; i < run->file_count; i++)
		add_source(w, run, &run->file[i]);
	json_close(w);
	add_run_diagnostics(w, run);
	json_close(w);
	missing_index_release(&missing);
}

int json_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_document_begin(&w, out);
	json_array(&w, "runs");
	while ((report = render_take(in, &taken)))
		add_run(&w, report, opt->calls);
	json_close(&w);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	return json_document_end(&w, err);
}
