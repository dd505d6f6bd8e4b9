/* The check for programs. Described by schema/check.schema.json. */
#include <stdlib.h>

#include "model/run.h"
#include "render/check.h"
#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_run.h"

static void add_file(struct json_writer *w, const struct run_file *file)
{
	json_object(w, NULL);
	json_string(w, "path", file->path);
	json_string(w, "kind", source_name(file->kind));
	json_count(w, "rows", file->rows);
	json_count(w, "refused", file->refused);
	json_object(w, "bids");
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (file->bid[kind])
			json_count(w, source_name(kind), file->bid[kind]);
	json_close(w);
	json_close(w);
}

static void add_gap(struct json_writer *w, const struct run *run, const struct gap *gap)
{
	json_object(w, NULL);
	json_string(w, "device", run->device[gap->device].name);
	json_string(w, "source", source_name(gap->source));
	json_time(w, "start_at", gap->start_ns);
	json_number(w, "length_s", gap->length_s);
	json_string(w, "cause", gap_cause_name(gap->cause));
	json_string(w, "file",
		gap->file < run->file_count ? run->file[gap->file].path : NULL);
	if (gap->line)
		json_count(w, "line", gap->line);
	else
		json_null(w, "line");
	json_close(w);
}

static void add_diag(struct json_writer *w, const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	json_object(w, NULL);
	json_string(w, "file", *diag->file ? diag->file : NULL);
	json_run_diag(w, diag);
	json_string(w, "rank", damage ? damage_rank_name(damage->rank) : NULL);
	json_string(w, "cost", damage ? damage->cost : NULL);
	json_close(w);
}

static void add_run(struct json_writer *w, const struct check_report *check)
{
	const struct run *run = check->report->run;
	const struct evidence *evidence = &check->report->evidence;
	const struct check_input one = {check, 1, NULL, 0};
	const struct diag **diags = check_sorted(run);

	json_object(w, NULL);
	json_run_identity(w, run);
	json_bool(w, "sound", check_is_sound(&one));
	json_array(w, "files");
	for (size_t i = 0; i < run->file_count; i++)
		add_file(w, &run->file[i]);
	json_close(w);
	json_object(w, "values");
	json_count(w, "conditions", check->conditions);
	json_count(w, "asked", check->looks);
	json_count(w, "not_met", check->failures);
	json_close(w);
	json_object(w, "evidence");
	json_run_grade(w, check->report);
	json_run_devices(w, check->report);
	json_count(w, "gap_count", evidence->gap_count);
	json_array(w, "gaps");
	for (size_t i = 0; i < evidence->gap_listed; i++)
		add_gap(w, run, &evidence->gap[i]);
	json_close(w);
	json_close(w);
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++)
		add_diag(w, diags[i]);
	json_close(w);
	json_close(w);
	free(diags);
}

int check_json(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_array(&w, "runs");
	for (size_t i = 0; i < in->run_count; i++)
		add_run(&w, &in->run[i]);
	json_close(&w);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	return json_document_end(&w, err);
}
