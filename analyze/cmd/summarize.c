/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never
 * hides the others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/runs.h"
#include "compute/inspect/selection.h"
#include "compute/inspect/timeline.h"
#include "foreign/foreign.h"
#include "model/report.h"
#include "render/render.h"

/* All that were loaded, to be freed. */
static struct report *list_reports(struct runs *runs, const struct render_format *format)
{
	struct report *reports = xcalloc(runs->count, sizeof *reports);

	for (size_t i = 0; i < runs->count; i++) {
		stream_find_lines(runs, &runs->loaded[i]);
		reports[i] = runs->loaded[i].report;
		/* Its readers may not expect null, nor 0 where nothing was measured. */
		if (format->tool && !format->marks && !format->omits &&
			runs->opt->verbose >= 0)
			foreign_remarks(&reports[i], runs->console->say);
	}
	return reports;
}

static void set_comparison(
	struct render_input *in, const struct page_comparison *comparison)
{
	if (*comparison->why.message)
		in->uncompared = comparison->why.message;
	else
		in->comparison = &comparison->comparison;
}

/* Those that are loaded already, or one by one. */
static int print(struct run_stream *s, bool one_by_one, struct error *err)
{
	struct runs *runs = s->runs;
	const struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct report *reports = NULL;
	int printed;

	if (one_by_one) {
		stream_one_by_one(s);
	} else {
		reports = list_reports(runs, s->format);
		s->in = (struct render_input){.report = reports,
			.report_count = runs->count,
			.warning = (const char *const *)runs->warning,
			.warning_count = runs->warning_count};
		if (s->comparison)
			set_comparison(&s->in, s->comparison);
	}
	printed = result_print(&result, stream_write, s, err);
	if (printed == 0 && runs->opt->output && !options_has(runs->opt, "output") &&
		runs->opt->verbose >= 0)
		runs->console->say("the page is %s", runs->opt->output);
	free(reports);
	return printed;
}

/* -1: what was asked for is in no run, which is said. */
static int select_asked(struct run_stream *s, const size_t *nth)
{
	struct runs *runs = s->runs;

	if (matching_check(runs->loaded, runs->count, &s->filter, runs->console) < 0)
		return -1;
	if (s->comparison)
		page_comparison_init(s->comparison, runs, nth);
	for (size_t i = 0; i < runs->count; i++)
		selection_apply(&runs->loaded[i].report, &s->filter);
	return matching_check_left(runs->loaded, runs->count, &s->filter, runs->console);
}

/* As cmd_summarize, of runs of which the first is loaded. Whether one of all has what is
 * asked for must be known before the first is printed. */
static int print_asked(struct run_stream *s, struct error *err)
{
	struct runs *runs = s->runs;
	bool one_by_one = s->format->one_by_one && !options_has_filter(runs->opt);
	bool found = true;
	size_t *nth;

	if (!one_by_one) {
		nth = xcalloc((size_t)runs->opt->operand_count, sizeof *nth);
		do
			nth[runs->count - 1] = s->operand - 1;
		while (stream_load_next(s));
		found = select_asked(s, nth) == 0;
		free(nth);
	}
	if (!found)
		return EXIT_USAGE;
	return print(s, one_by_one, err) < 0 ? -1 : (int)runs_status(runs);
}

/* Another tool's object is of the whole run; filters would be ignored. */
static int check_filters(
	const struct options *opt, const struct render_format *format, struct error *err)
{
	if (!format->tool || !options_has_filter(opt))
		return 0;
	return error_set(err,
		"--format %s shows whole runs: it can't be used with --metric, --device "
		"or --phase",
		opt->format);
}

/* Nor is an option ignored that means nothing in this format. */
static int check_tool_options(
	const struct options *opt, const struct render_format *format, struct error *err)
{
	const struct tool_option *option;
	const char *ending = opt->output ? strrchr(opt->output, '.') : NULL;

	for (size_t nth = 0; (option = tool_option_nth(nth)); nth++)
		if (option->own && options_has(opt, option->name) &&
			tool_of_option(option) != format->tool)
			return error_set(err, "--%s needs --format %s", option->name,
				tool_of_option(option)->format->name);
	if (format->marks && ending &&
		(strcmp(ending, ".sqlite") == 0 || strcmp(ending, ".db") == 0))
		return error_set(err, "--output %s: --format %s writes CSV, no database",
			opt->output, format->name);
	return 0;
}

/* Of each run's timeline; what draws none is not to wait for it. */
static size_t columns_of(const struct options *opt, const struct render_format *format)
{
	size_t runs = opt->join ? 1 : (size_t)opt->operand_count, fit;
	size_t most = drawing_columns(runs);
	struct render_options shown;

	if (format->timelines)
		return most;
	if (!format->columns || opt->output)
		return 0;
	shown = terminal_options(opt, stdout);
	fit = format->columns(&shown);
	return fit < TIMELINE_COLUMNS ? fit : TIMELINE_COLUMNS;
}

int cmd_summarize(
	const struct options *opt, const struct console *console, struct error *err)
{
	const struct render_format *format = output_find(opt->format);
	struct runs runs;
	struct page_comparison comparison = {.why = {""}};
	struct run_stream stream = {
		.runs = &runs, .format = format, .filter = options_filter(opt)};
	int status;

	if (!format || !format->write)
		return formats_check("summary", opt->format, err);
	if (check_filters(opt, format, err) < 0 ||
		check_tool_options(opt, format, err) < 0)
		return -1;
	if (format->compares && opt->operand_count > 1 && !opt->join)
		stream.comparison = &comparison;
	status = runs_init(&runs, opt, console, err);
	if (status == 0) {
		runs.plan.tool = format->tool;
		runs.plan.timeline_columns = columns_of(opt, format);
		runs.plan.timeline_of[0] =
			(struct timeline_share){opt->operand, DRAWING_RUNS};
		runs.plan.samples = format->samples;
		runs.plan.several = stream.comparison;
		runs_announce(&runs, opt->operand, (size_t)opt->operand_count);
		/* Without a usable run nothing is written that looks like a result. */
		status = stream_load_next(&stream) ? print_asked(&stream, err)
						   : EXIT_USAGE;
	}
	comparison_release(&comparison.comparison);
	runs_release(&runs);
	return status;
}

int cmd_report(
	const struct options *opt, const struct console *console, struct error *err)
{
	struct options asked = *opt;

	if (sides_refused(opt))
		return error_set(err, "%s", sides_refused(opt));
	asked.output = options_has(opt, "output") ? opt->output : "report.html";
	asked.format = asked.output ? formats_of_file("summary", asked.output, "html")
				    : "html"; /* to standard output */
	return cmd_summarize(&asked, console, err);
}

/*
 * hwsummarize export RUN...: the runs for another program. It prints what --format
 * prints; without it a trace.
 */
int cmd_export(
	const struct options *opt, const struct console *console, struct error *err)
{
	struct options asked = *opt;

	if (strcmp(opt->format, "text") == 0 && !options_has(opt, "format"))
		asked.format = "trace";
	if (formats_check("export", asked.format, err) < 0)
		return -1;
	return cmd_summarize(&asked, console, err);
}
