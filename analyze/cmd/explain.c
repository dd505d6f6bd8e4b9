/*
 * hwsummarize explain RUN METRIC: where a number comes from. Reads the logs themselves,
 * because only they have lines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/result.h"
#include "compute/origins.h"
#include "compute/selection.h"
#include "render/explain.h"

struct explain {
	const struct options *opt;
	struct loaded loaded;
	struct strbuf metric; /* as of globs_match */
	enum summary_key key; /* that was asked for instead; SUMMARY_COUNT */
	struct origins_witness *witness;
	const struct origins *origins;
};

/* What can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	if (strcmp(opt->format, "json") != 0 && strcmp(opt->format, "text") != 0)
		return "explain prints text or json; expected --format text or --json";
	if (opt->metric)
		return "explain takes the metric as its last operand; expected no "
		       "--metric";
	if (opt->db)
		return "explain reads the logs, never a database; expected no --db";
	if (opt->operand_count < 2)
		return "explain wants a run and a metric (--list-metrics names them)";
	if (opt->operand_count > 2 && !opt->join)
		return "explain takes one run and one metric; expected --join for a run "
		       "of several files";
	return NULL;
}

/* A key of resource_summary stands for the metrics that it may be of. */
static void find_metric(struct explain *e, const char *asked)
{
	for (e->key = 0; e->key < SUMMARY_COUNT; e->key++)
		if (strcmp(summary_field_get(e->key)->name, asked) == 0)
			break;
	for (enum metric_id id = 0; id < METRIC_COUNT && e->key < SUMMARY_COUNT; id++)
		if (summary_is_of(e->key, id))
			strbuf_addf(&e->metric, "%s%s", e->metric.len ? "," : "",
				metric_get(id)->name);
	if (!e->metric.len)
		strbuf_adds(&e->metric, asked);
}

static int write_explanation(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct explain *e = context;
	const struct explain_input in = {
		&e->loaded.report, e->origins, e->key, e->opt->phase != NULL};

	if (strcmp(e->opt->format, "json") == 0)
		return explain_json(&in, options, out, err);
	return explain_text(&in, options, out, err);
}

static bool is_key_of_phases(enum summary_key key)
{
	for (enum phase_key of = 0; of < PHASE_KEY_COUNT; of++)
		if (phase_key_summary(of) == key)
			return true;
	return false;
}

/* Is there a series of what was asked for? */
static bool has_series(const struct explain *e)
{
	const struct report *report = &e->loaded.report;

	if (!e->opt->phase)
		return report->stats_count > 0;
	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].stats_count)
			return true;
	return false;
}

static int explain_loaded(struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	const struct report_filter filter = {
		e->metric.text, opt->device, opt->phase, opt->per_core};
	const struct result result = {opt, &e->loaded, 1, NULL};

	e->origins = origins_settle(e->witness, &e->loaded.report);
	selection_apply(&e->loaded.report, &filter);
	if (!has_series(e))
		return error_set(err,
			"%s: nothing matches %s%s%s%s%s; --list-metrics names the "
			"metrics",
			e->loaded.run.path, e->metric.text,
			opt->device ? " of device " : "", opt->device ? opt->device : "",
			opt->phase ? " in phase " : "", opt->phase ? opt->phase : "");
	return result_print(&result, write_explanation, e, err);
}

static enum exit_status fail(const struct console *console, const struct error *err)
{
	console->say(err->message);
	return EXIT_USAGE;
}

static enum exit_status explain(struct explain *e, const struct console *console)
{
	const struct options *opt = e->opt;
	enum exit_status status = EXIT_DONE;
	size_t runs = (size_t)opt->operand_count - 1;
	struct error err;

	find_metric(e, opt->operand[runs]);
	if (opt->phase && e->key < SUMMARY_COUNT && !is_key_of_phases(e->key)) {
		error_set(&err, "%s is a number of the run; expected no --phase",
			summary_field_get(e->key)->name);
		return fail(console, &err);
	}
	e->witness = origins_new(e->metric.text, opt->phase);
	if (load_watched(&e->loaded, opt->operand, runs, opt,
		    origins_as_witness(e->witness), &err) < 0) {
		status = fail(console, &err);
	} else {
		if (explain_loaded(e, &err) < 0)
			status = fail(console, &err);
		loaded_release(&e->loaded);
	}
	origins_free(e->witness);
	return status;
}

enum exit_status cmd_explain(const struct options *opt, const struct console *console)
{
	const char *refused = refused_option(opt);
	struct explain e = {.opt = opt};
	enum exit_status status;

	if (refused) {
		console->say(refused);
		return EXIT_USAGE;
	}
	strbuf_init(&e.metric);
	status = explain(&e, console);
	strbuf_release(&e.metric);
	return status;
}
