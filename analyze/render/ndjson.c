/*
 * The report as a stream of lines: each line is an object that can be understood alone
 * (it begins with type, format_version, run and path). Must not compute.
 */
#include "render/doc_findings.h"
#include "render/formats.h"
#include "render/json.h"

static void begin_line(struct json_writer *w, const char *type)
{
	json_object(w, NULL);
	json_string(w, "type", type);
	json_string(w, "format_version", RENDER_FORMAT_VERSION);
}

static void write_run(struct json_writer *w, const struct report *report, bool calls)
{
	const struct run *run = report->run;
	struct missing_index missing;

	missing_index_init(&missing, &run->missing);
	begin_line(w, "run");
	json_run_head(w, report);
	json_run_summary(w, report);
	json_run_gpus(w, report);
	json_run_checks(w, report);
	json_run_not_recorded(w, report, &missing);
	json_run_processes(w, report);
	json_run_steady(w, report);
	json_run_evidence(w, report, false);
	json_run_ending(w, report);
	json_close(w);
	for (size_t i = 0; i < report->stats_count; i++) {
		if (!json_has_value(&report->stats[i]))
			continue;
		begin_line(w, "metric");
		json_run_identity(w, run);
		json_run_metric(w, report, &missing, &report->stats[i]);
		json_close(w);
	}
	missing_index_release(&missing);
	for (size_t i = 0; i < report->path_count; i++) {
		begin_line(w, "phase");
		json_run_identity(w, run);
		json_object(w, "phase");
		json_run_phase(w, report, i, calls);
		json_close(w);
		json_close(w);
	}
	for (size_t i = 0; i < report->work_count; i++) {
		begin_line(w, "work");
		json_run_identity(w, run);
		json_object(w, "work");
		json_run_work(w, report, &report->work[i]);
		json_close(w);
		json_close(w);
	}
	for (size_t i = 0; i < findings_fired(report); i++) {
		begin_line(w, "finding");
		json_run_identity(w, run);
		json_run_finding(w, report, &report->finding[i]);
		json_close(w);
	}
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		begin_line(w, "diagnostic");
		json_run_identity(w, run);
		json_string(w, "file", *diag->file ? diag->file : NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
}

int ndjson_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_init(&w, out, JSON_COMPACT);
	while ((report = render_take(in, &taken)))
		write_run(&w, report, opt->calls);
	for (size_t i = 0; i < in->warning_count; i++) {
		begin_line(&w, "warning");
		json_string(&w, "text", in->warning[i]);
		json_close(&w);
	}
	json_finish(&w);
	return render_check(out, "ndjson", err);
}
