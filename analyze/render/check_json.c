/* The check for programs. Described by schema/check.schema.json. */
#include "model/damage.h"
#include "render/check.h"
#include "render/formats.h"
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

static void add_diag(struct json_writer *w, const struct diag *diag)
{
	json_object(w, NULL);
	json_string(w, "file", *diag->file ? diag->file : NULL);
	json_run_diag(w, diag);
	json_string(w, "cost", damage_cost(diag->id));
	json_close(w);
}

static void add_run(struct json_writer *w, const struct check_report *check)
{
	const struct run *run = check->report->run;
	const struct check_input one = {check, 1, NULL, 0};

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
	json_run_evidence(w, check->report, true);
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++)
		add_diag(w, &run->diags.at[i]);
	json_close(w);
	json_close(w);
}

int check_json(const struct check_input *in, FILE *out, struct error *err)
{
	struct json_writer w;

	json_init(&w, out, JSON_PRETTY);
	json_object(&w, NULL);
	json_string(&w, "format_version", RENDER_FORMAT_VERSION);
	json_string(&w, "generator", "hwsummarize " VERSION);
	json_array(&w, "runs");
	for (size_t i = 0; i < in->run_count; i++)
		add_run(&w, &in->run[i]);
	json_close(&w);
	json_array(&w, "warnings");
	for (size_t i = 0; i < in->warning_count; i++)
		json_string(&w, NULL, in->warning[i]);
	json_close(&w);
	json_close(&w);
	json_finish(&w);
	return render_check(out, "json", err);
}
