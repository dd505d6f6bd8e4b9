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

/* hwsummarize compare --format NAME RUN..., in a format of a tool that compares runs. */

struct compare {
	struct runs runs;
	const struct render_format *format;
	const struct named *named;
	struct tool_side *side; /* [runs.count] */
	struct tool_comparison comparison;
};

/* A sentence for what can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	if (window_is_asked(opt))
		return "compares whole runs: it can't be used with --since or --until";
	if (opt->vs >= 0)
		return "has no baseline: it can't be used with --vs";
	if (opt->paired || opt->paired_by)
		return "has no pairs: it can't be used with --paired or --paired-by";
	if (options_has_filter(opt))
		return "shows all numbers: it can't be used with --metric, --device or "
		       "--phase";
	return NULL;
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
	if (!found)
		return runs_load(runs, &path, 1);
	runs_took(runs);
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

	if (c->format->tool->compare(
		    &c->comparison, c->side, runs->count, opt->statistic, err) < 0)
		return -1;
	for (size_t i = 0; i < c->comparison.remark_count && opt->verbose >= 0; i++)
		runs->console->say(c->comparison.remark[i]);
	return result_print(&result, write_comparison, c, err);
}

static enum exit_status run_compare(
	struct compare *c, const struct options *asked, const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (runs_init(&c->runs, asked, console) == 0) {
		c->runs.plan.tool = c->format->tool;
		load_all(c);
		/* Of several runs one alone is no comparison. */
		if (c->runs.count > 1 || (c->runs.count && !c->runs.warning_count))
			status = runs_status(&c->runs);
		if (status != EXIT_USAGE && compare_and_print(c, &err) < 0) {
			console->say(err.message);
			status = EXIT_USAGE;
		}
	}
	tool_comparison_release(&c->comparison);
	runs_release(&c->runs);
	return status;
}

static enum exit_status compare_as_tool(const struct options *opt,
	const struct named *named, const struct console *console)
{
	const char *refused = refused_option(opt);
	struct options asked = *opt;
	struct compare c = {.format = output_find(opt->format), .named = named};
	enum exit_status status;
	struct error err;

	if (refused) {
		error_set(&err, "compare --format %s %s", opt->format, refused);
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.tools.compared = true;
	c.side = xcalloc(named->count, sizeof *c.side);
	status = run_compare(&c, &asked, console);
	free(c.side);
	return status;
}

/* Does it compare runs as its tool does? */
static bool tool_compares(const struct render_format *format)
{
	return format->tool && format->tool->compare;
}

/* A sentence for what can't be asked; NULL: all can. To be freed. */
static char *compare_refused_option(const struct options *opt)
{
	const struct render_format *asked = output_find(opt->format);
	struct strbuf sb;
	struct error err;

	strbuf_init(&sb);
	if (formats_check("compare", opt->format, &err) < 0) {
		strbuf_adds(&sb, err.message);
	} else if (sides_refused(opt)) {
		strbuf_adds(&sb, sides_refused(opt));
	} else if (opt->statistic && !tool_compares(asked)) {
		strbuf_addf(&sb,
			"compare takes --statistic only with --format gpu-tracker or "
			"gpu-tracker-text");
	} else if (opt->baseline_db && tool_compares(asked)) {
		strbuf_addf(&sb,
			"compare --format %s reads logs: it can't use --baseline-db",
			opt->format);
	} else if (opt->vs < 0 && opt->operand_count < 2 && !opt->baseline_db &&
		!tool_compares(asked)) {
		strbuf_adds(&sb,
			"compare needs at least two runs, e.g. hwsummarize compare old/ "
			"new/");
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

struct writing {
	const struct render_format *format;
	struct render_result result;
};

static int compare_write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->result(&writing->result, options, out, err);
}

static void say_nothing_matches(const struct options *opt, const struct console *console)
{
	const struct {
		const char *option, *glob;
	} asked[] = {
		{"metric", opt->metric}, {"device", opt->device}, {"phase", opt->phase}};
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, "no run has a number for");
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (asked[i].glob)
			strbuf_addf(&text, " --%s %s", asked[i].option, asked[i].glob);
	console->say(text.text);
	strbuf_release(&text);
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

static enum exit_status print(const struct sides *sides, const struct console *console)
{
	const struct runs *runs = &sides->runs;
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct writing writing = {output_find(runs->opt->format),
		{RESULT_COMPARISON, .comparison = &sides->comparison}};
	struct error err;

	if (baseline_check(&sides->baseline, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (!comparison_is_whole(&sides->comparison)) {
		error_set(&err, "compare: %s", sides_missing);
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (options_has_filter(runs->opt) && !has_numbers(sides)) {
		say_nothing_matches(runs->opt, console);
		return EXIT_USAGE;
	}
	if (result_print(&result, compare_write_comparison, &writing, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	return runs_status(runs);
}

static enum exit_status compare_run_compare(const struct options *opt,
	const struct named *named, const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	bool draws = output_find(opt->format)->timelines;
	struct sides sides;

	if (sides_load(&sides, opt, named, sides_plain, sides_wanted(opt), draws,
		    console) == 0) {
		sides.comparison.filter = options_filter(opt);
		sides.comparison.undrawn = draws && named->count > DRAWING_RUNS;
		status = print(&sides, console);
	}
	sides_release(&sides);
	return status;
}

enum exit_status cmd_compare(const struct options *opt, const struct console *console)
{
	char *refused = compare_refused_option(opt);
	struct named named = {0};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (refused)
		console->say(refused);
	else if (named_init(&named, opt, &err) < 0)
		console->say(err.message);
	else if (tool_compares(output_find(opt->format)))
		status = compare_as_tool(opt, &named, console);
	else
		status = compare_run_compare(opt, &named, console);
	named_release(&named);
	free(refused);
	return status;
}
