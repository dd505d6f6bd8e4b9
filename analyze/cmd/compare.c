/*
 * hwsummarize compare BASE... --vs NEW..., or RUN RUN...: runs beside one another. In
 * a format that compares as another tool does, that is done.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/runs.h"
#include "foreign/foreign.h"
#include "render/render.h"
#include "rules/weights.h"

/* hwsummarize compare --format NAME RUN..., in a format of a tool that compares runs. */

struct compare {
	struct runs runs;
	const struct render_format *format;
	const struct named *named;
	struct tool_side *side; /* [runs.count] */
	struct report comparison;
};

static int check_tool_options(const struct options *opt, struct error *err)
{
	const char *why = NULL;

	if (window_is_asked(opt))
		why = "compares whole runs: it can't be used with --since or --until";
	else if (opt->vs >= 0)
		why = "has no baseline: it can't be used with --vs";
	else if (opt->paired || opt->paired_by)
		why = "has no pairs: it can't be used with --paired or --paired-by";
	else if (options_has_filter(opt))
		why = "shows all numbers: it can't be used with --metric, --device or "
		      "--phase";
	return why ? error_set(err, "compare --format %s %s", opt->format, why) : 0;
}

/* A recording, or what the tool has made of one. */
static int load_one(struct compare *c, const char *path)
{
	struct runs *runs = &c->runs;
	struct loaded *loaded = &runs->loaded[runs->count];
	struct error err;
	int found =
		c->format->tool->read_result(path, &loaded->run, &loaded->report, &err);

	if (found < 0)
		return runs_fail(runs, &err);
	if (found) {
		runs_took(runs);
		return 0;
	}
	if (runs_load(runs, &path, 1) != 0)
		return -1;
	if (runs->opt->verbose >= 0)
		foreign_remarks(&loaded->report, runs->console->say);
	return 0;
}

static void load_all(struct compare *c)
{
	for (size_t i = 0; i < (size_t)c->runs.opt->operand_count; i++) {
		size_t nth = c->runs.count;

		if (load_one(c, c->named->path[i]) == 0)
			c->side[nth] = (struct tool_side){
				c->named->name[i], &c->runs.loaded[nth].report};
	}
}

static int write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct compare *c = context;

	(void)options;
	return c->format->tool->print_comparison(&c->comparison, c->format, out, err);
}

static int compare_and_print(struct compare *c, struct error *err)
{
	const struct runs *runs = &c->runs;
	const struct options *opt = runs->opt;
	struct result result = {
		opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};

	if (c->format->tool->compare(&c->comparison, c->side, runs->count, opt->statistic,
		    opt->verbose >= 0 ? runs->console->say : NULL, err) < 0)
		return -1;
	return result_print(&result, write_comparison, c, err);
}

static int compare_as_tool(const struct options *opt, const struct named *named,
	const struct console *console, struct error *err)
{
	struct options asked = *opt;
	struct compare c = {.format = output_find(opt->format), .named = named};
	int status = EXIT_USAGE;

	if (check_tool_options(opt, err) < 0)
		return -1;
	asked.tools.compared = true;
	c.side = xcalloc(named->count, sizeof *c.side);
	if (runs_init(&c.runs, &asked, console, err) < 0) {
		status = -1;
	} else {
		c.runs.plan.tool = c.format->tool;
		load_all(&c);
		/* One of several runs alone is no comparison. */
		if (c.runs.count > 1 || (c.runs.count && !c.runs.warning_count))
			status = (int)runs_status(&c.runs);
		if (status != EXIT_USAGE && compare_and_print(&c, err) < 0)
			status = -1;
	}
	report_release(&c.comparison);
	runs_release(&c.runs);
	free(c.side);
	return status;
}

/* Does it compare runs as its tool does? */
static bool tool_compares(const struct render_format *format)
{
	return format->tool && format->tool->compare;
}

static int check_options(const struct options *opt, struct error *err)
{
	bool as_tool;

	if (formats_check("compare", opt->format, err) < 0)
		return -1;
	as_tool = tool_compares(output_find(opt->format));
	if (sides_refused(opt))
		return error_set(err, "%s", sides_refused(opt));
	if (opt->statistic && !as_tool)
		return error_set(err,
			"compare takes --statistic only with --format gpu-tracker or "
			"gpu-tracker-text");
	if (opt->weights && (as_tool || opt->vs >= 0 || opt->baseline_db))
		return error_set(err,
			"compare --weights ranks runs without a baseline: it can't be "
			"used with %s",
			as_tool		       ? "the format of another tool"
				: opt->vs >= 0 ? "--vs"
					       : "--baseline-db");
	if (opt->baseline_db && as_tool)
		return error_set(err,
			"compare --format %s reads logs: it can't use --baseline-db",
			opt->format);
	if (opt->vs < 0 && opt->operand_count < 2 && !opt->baseline_db && !as_tool)
		return error_set(err,
			"compare needs at least two runs, e.g. hwsummarize compare old/ "
			"new/");
	return 0;
}

static int fail_nothing_matches(const struct options *opt, struct error *err)
{
	const struct {
		const char *option, *glob;
	} asked[] = {
		{"metric", opt->metric}, {"device", opt->device}, {"phase", opt->phase}};
	struct strbuf text = strbuf_new();

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (asked[i].glob)
			strbuf_addf(&text, " --%s %s", asked[i].option, asked[i].glob);
	error_set(err, "no run has a number for%s", text.text);
	strbuf_release(&text);
	return -1;
}

/*
 * Of what was asked for. A device that no run has leaves rows as well: those of the run
 * itself. What a base out of a database has is not looked at.
 */
static bool has_numbers(const struct sides *sides)
{
	const struct options *opt = sides->runs.opt;

	return sides->comparison.row_count &&
		(!opt->device || opt->baseline_db || sides->has_devices);
}

static int print(const struct sides *sides, struct error *err)
{
	const struct runs *runs = &sides->runs;
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	const struct render_result rendered = {
		RESULT_COMPARISON, .comparison = &sides->comparison};

	if (baseline_check(&sides->baseline, err) < 0)
		return -1;
	if (!comparison_is_whole(&sides->comparison))
		return error_set(err, "compare: %s", sides_missing);
	if (options_has_filter(runs->opt) && !has_numbers(sides))
		return fail_nothing_matches(runs->opt, err);
	if (result_render(&result, &rendered, err) < 0)
		return -1;
	return (int)runs_status(runs);
}

#define WEIGHTS_MAX (64 << 10) /* bytes */

static int read_weights(
	struct score_weights *weights, const char *name, struct error *err)
{
	struct strbuf text = strbuf_new();
	int status = options_read_json(&text, name, WEIGHTS_MAX, name,
		"not a file of weights: expected JSON of at most 64 KiB", err);

	if (status == 0)
		status = weights_parse(weights, name, text.text, err);
	strbuf_release(&text);
	return status;
}

static int compare_runs(const struct options *opt, const struct named *named,
	const struct console *console, struct error *err)
{
	bool draws = output_find(opt->format)->timelines;
	struct sides sides;
	int status = sides_load(
		&sides, opt, named, sides_plain, sides_wanted(opt), draws, console, err);

	if (status == 0) {
		sides.comparison.filter = options_filter(opt);
		sides.comparison.undrawn = draws && named->count > DRAWING_RUNS;
		if (opt->weights &&
			read_weights(&sides.comparison.weights, opt->weights, err) < 0)
			status = -1;
		else if (compare_score(&sides.comparison, err) < 0)
			status = -1;
		else
			status = print(&sides, err);
	}
	sides_release(&sides);
	return status;
}

int cmd_compare(
	const struct options *opt, const struct console *console, struct error *err)
{
	struct named named = {0};
	int status;

	if (check_options(opt, err) < 0)
		return -1;
	if (named_init(&named, opt, err) < 0)
		status = -1;
	else if (tool_compares(output_find(opt->format)))
		status = compare_as_tool(opt, &named, console, err);
	else
		status = compare_runs(opt, &named, console, err);
	named_release(&named);
	return status;
}
