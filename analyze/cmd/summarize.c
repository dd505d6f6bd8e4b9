/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never hides
 * the others.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/finding_lines.h"
#include "cmd/matching.h"
#include "cmd/result.h"
#include "cmd/runs.h"
#include "cmd/unknown.h"
#include "compute/selection.h"
#include "render/render.h"

static void load_all(struct runs *runs)
{
	size_t operands = (size_t)runs->opt->operand_count;

	if (runs->opt->join) {
		runs_load(runs, runs->opt->operand, operands);
		return;
	}
	for (size_t i = 0; i < operands; i++)
		runs_load(runs, &runs->opt->operand[i], 1);
}

/* Where each of its findings stands in the logs, whatever it was loaded from. */
static void find_lines(struct runs *runs, size_t nth)
{
	const struct options *opt = runs->opt;
	struct loaded *loaded = &runs->loaded[nth];
	const char *path = loaded->run.path;

	if (opt->verbose > 0 && opt->join)
		finding_lines(loaded, opt->operand, (size_t)opt->operand_count, opt);
	else if (opt->verbose > 0)
		finding_lines(loaded, &path, 1, opt);
}

struct writing {
	const struct render_format *format;
	const struct render_input *in;
};

static int write_reports(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->write(writing->in, options, out, err);
}

/* Its readers may not expect null. */
static void say_unknown(const struct runs *runs, const struct report *report)
{
	char *names = unknown_names(report);
	struct error said;

	if (!names)
		return;
	error_set(&said, "%s: its logs have no value for %s, null in the output",
		report->run->path, names);
	runs->console->say(said.message);
	free(names);
}

static int print(struct runs *runs, const struct render_format *format)
{
	struct report *reports = xcalloc(runs->count, sizeof *reports);
	struct render_input in = {reports, runs->count,
		(const char *const *)runs->warning, runs->warning_count};
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct error err;
	int printed;

	for (size_t i = 0; i < runs->count; i++) {
		find_lines(runs, i);
		reports[i] = runs->loaded[i].report;
	}
	if (format->dialect == DIALECT_GPU_TRACKER)
		for (size_t i = 0; i < runs->count; i++)
			say_unknown(runs, &reports[i]);
	printed = result_print(
		&result, write_reports, &(struct writing){format, &in}, &err);
	if (printed < 0)
		runs->console->say(err.message);
	free(reports);
	return printed;
}

/* -1: what was asked for is in no run, which is said. */
static int select_asked(struct runs *runs)
{
	struct report_filter filter = options_filter(runs->opt);

	if (matching_check(runs->loaded, runs->count, &filter, runs->console) < 0)
		return -1;
	for (size_t i = 0; i < runs->count; i++)
		selection_apply(&runs->loaded[i].report, &filter);
	return matching_check_left(runs->loaded, runs->count, &filter, runs->console);
}

/* Another tool's object is of the whole run; filters would be ignored. */
static int check_filters(
	const struct options *opt, const struct render_format *format, struct error *err)
{
	if (format->dialect == DIALECT_NONE ||
		!(opt->metric || opt->device || opt->phase))
		return 0;
	return error_set(err,
		"--format %s is of the whole run; expected no --metric, --device or "
		"--phase",
		opt->format);
}

enum exit_status cmd_summarize(const struct options *opt, const struct console *console)
{
	const struct render_format *format = render_find(opt->format);
	struct options asked = *opt;
	struct runs runs;
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (!format || !format->write) {
		error_set(&err,
			format ? "format '%s' is for the command gate"
			       : "unknown format '%s' (see hwsummarize --list-formats)",
			opt->format);
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (check_filters(opt, format, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.dialect.dialect = format->dialect;
	if (runs_init(&runs, &asked, console) == 0) {
		load_all(&runs);
		status = runs_status(&runs);
		/* Without a usable run nothing is written that looks like a result. */
		if (runs.count && (select_asked(&runs) < 0 || print(&runs, format) < 0))
			status = EXIT_USAGE;
	}
	runs_release(&runs);
	return status;
}
