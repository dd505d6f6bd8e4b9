/*
 * hwsummarize explain RUN METRIC: where a number comes from. Reads the logs themselves,
 * because only they have lines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/result.h"
#include "compute/origins.h"
#include "compute/selection.h"
#include "render/explain.h"

struct explain {
	const struct options *opt;
	struct loaded loaded;
	const char *metric; /* a glob */
	enum summary_key key; /* that was asked for instead; SUMMARY_COUNT */
	struct origins_witness *origins;
};

/* What can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	if (strcmp(opt->format, "json") != 0 && strcmp(opt->format, "text") != 0)
		return "explain prints text or json; expected --format text or --json";
	if (opt->metric)
		return "explain takes the metric as its last operand; expected no "
		       "--metric";
	if (opt->phase || opt->since_ns >= 0 || opt->until_ns >= 0)
		return "explain looks at the whole run; expected no --phase, --since or "
		       "--until";
	if (opt->db)
		return "explain reads the logs, never a database; expected no --db";
	if (opt->operand_count < 2)
		return "explain wants a run and a metric (--list-metrics names them)";
	if (opt->operand_count > 2 && !opt->join)
		return "explain takes one run and one metric; expected --join for a run "
		       "of several files";
	return NULL;
}

/* A key of resource_summary stands for the metric that it is of. */
static void find_metric(struct explain *e, const char *asked)
{
	e->metric = asked;
	for (e->key = 0; e->key < SUMMARY_COUNT; e->key++)
		if (strcmp(summary_field_get(e->key)->name, asked) == 0)
			break;
	if (e->key < SUMMARY_COUNT && summary_field_get(e->key)->metric != METRIC_none)
		e->metric = metric_get(summary_field_get(e->key)->metric)->name;
}

static int write_explanation(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct explain *e = context;
	const struct explain_input in = {
		&e->loaded.report, origins_get(e->origins), e->key};

	if (strcmp(e->opt->format, "json") == 0)
		return explain_json(&in, options, out, err);
	return explain_text(&in, options, out, err);
}

static int explain_loaded(struct explain *e, struct error *err)
{
	const struct report_filter filter = {
		e->metric, e->opt->device, NULL, e->opt->per_core};
	const struct result result = {e->opt, &e->loaded, 1, NULL};

	selection_apply(&e->loaded.report, &filter);
	if (!e->loaded.report.stats_count)
		return error_set(err,
			"%s: nothing matches %s%s%s; --list-metrics names the metrics",
			e->loaded.run.path, e->metric,
			e->opt->device ? " of device " : "",
			e->opt->device ? e->opt->device : "");
	return result_print(&result, write_explanation, e, err);
}

enum exit_status cmd_explain(const struct options *opt, const struct console *console)
{
	const char *refused = refused_option(opt);
	struct explain e = {.opt = opt};
	enum exit_status status = EXIT_USAGE;
	struct error err;
	size_t runs;

	if (refused) {
		console->say(refused);
		return EXIT_USAGE;
	}
	runs = (size_t)opt->operand_count - 1;
	find_metric(&e, opt->operand[runs]);
	e.origins = origins_new(e.metric);
	if (load_watched(&e.loaded, opt->operand, runs, opt,
		    origins_as_witness(e.origins), &err) < 0) {
		console->say(err.message);
		origins_free(e.origins);
		return EXIT_USAGE;
	}
	if (explain_loaded(&e, &err) == 0)
		status = EXIT_DONE;
	else
		console->say(err.message);
	loaded_release(&e.loaded);
	origins_free(e.origins);
	return status;
}
