/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never
 * hides the others.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/runs.h"
#include "compute/inspect/selection.h"
#include "model/report.h"
#include "render/render.h"

/*
 * What another tool's object has a number for, and the run has none.
 *
 * A walk over the object; one whose numbers are all unknown is named as a whole.
 */

#define UNKNOWN_NAMED 4
#define DIALECT_DEPTH 8

static bool is_number(const struct dialect_item *item)
{
	return item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT;
}

static bool lacks(const struct dialect_item *item)
{
	return is_number(item) && (isnan(item->number) || item->absent) &&
		!item->omitted && !item->unsaid;
}

/* Has the object numbers, all of them unknown, and nothing else but texts? */
static bool is_unknown(const struct dialect_item *object, const struct dialect_item *end)
{
	bool any = false;

	for (object++; object < end && object->kind != ITEM_CLOSE; object++) {
		if (object->kind == ITEM_OBJECT || object->kind == ITEM_ARRAY)
			return false;
		if (is_number(object) && !isnan(object->number) && !object->absent)
			return false;
		any |= is_number(object) && !object->unsaid;
	}
	return any;
}

static void add_name(struct strbuf *names, const char *const *path, size_t depth,
	const struct dialect_item *item)
{
	strbuf_adds(names, names->len ? ", " : "");
	for (size_t i = 0; i < depth; i++)
		strbuf_addf(names, "%s.", path[i]);
	strbuf_adds(names, item->key);
}

/*
 * The names of report->dialect's unknown numbers, the first ones, as text; NULL: all
 * are known, or the tool refuses the run. What single calls of phases lack is not
 * said. To be freed.
 */
static char *unknown_names(const struct report *report)
{
	const struct dialect_item *item = report->dialect,
				  *end = item + report->dialect_count;
	const char *path[DIALECT_DEPTH] = {NULL};
	size_t depth = 0, count = 0;
	struct strbuf names;

	strbuf_init(&names);
	for (; item < end && item->kind != ITEM_ARRAY; item++) {
		bool whole = item->kind == ITEM_OBJECT && is_unknown(item, end);

		if (item->kind == ITEM_CLOSE) {
			depth--;
			continue;
		}
		if ((whole || lacks(item)) && count++ < UNKNOWN_NAMED)
			add_name(&names, path, depth, item);
		if (whole)
			while (item->kind != ITEM_CLOSE)
				item++;
		else if (item->kind == ITEM_OBJECT && depth < DIALECT_DEPTH)
			path[depth++] = item->key;
	}
	if (count > UNKNOWN_NAMED)
		strbuf_addf(&names, " and %zu more", count - UNKNOWN_NAMED);
	if (count && !report->dialect_refusal)
		return strbuf_detach(&names);
	strbuf_release(&names);
	return NULL;
}

/* Does 0 stand for one of them, as that tool knows no null there? */
static bool unknown_has_zeros(const struct report *report)
{
	for (size_t i = 0; i < report->dialect_count; i++)
		if (lacks(&report->dialect[i]) && !isnan(report->dialect[i].number))
			return true;
	return false;
}

/* Its readers may not expect null, nor 0 where nothing was measured. */
static void say_unknown(const struct runs *runs, const struct report *report)
{
	char *names = unknown_names(report);
	struct error said;

	if (!names)
		return;
	error_set(&said, "%s: its logs have no value for %s, null%s in the output",
		report->run->path, names, unknown_has_zeros(report) ? " or 0" : "");
	runs->console->say(said.message);
	free(names);
}

/* All that were loaded, to be freed. */
static struct report *list_reports(struct runs *runs, const struct render_format *format)
{
	struct report *reports = xcalloc(runs->count, sizeof *reports);

	for (size_t i = 0; i < runs->count; i++) {
		stream_find_lines(runs, &runs->loaded[i]);
		reports[i] = runs->loaded[i].report;
		if (format->tool)
			say_unknown(runs, &reports[i]);
	}
	return reports;
}

static void set_beside(struct render_input *in, const struct beside *beside)
{
	if (*beside->why.message)
		in->uncompared = beside->why.message;
	else
		in->comparison = &beside->comparison;
}

/* Those that are loaded already, or one by one. */
static int print(struct run_stream *s, bool one_by_one)
{
	struct runs *runs = s->runs;
	const struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct report *reports = NULL;
	struct error err;
	int printed;

	if (one_by_one) {
		stream_one_by_one(s);
	} else {
		reports = list_reports(runs, s->format);
		s->in = (struct render_input){.report = reports,
			.report_count = runs->count,
			.warning = (const char *const *)runs->warning,
			.warning_count = runs->warning_count};
		if (s->beside)
			set_beside(&s->in, s->beside);
	}
	printed = result_print(&result, stream_write, s, &err);
	if (printed < 0)
		runs->console->say(err.message);
	free(reports);
	return printed;
}

/* -1: what was asked for is in no run, which is said. */
static int select_asked(struct run_stream *s, const size_t *nth)
{
	struct runs *runs = s->runs;

	if (matching_check(runs->loaded, runs->count, &s->filter, runs->console) < 0)
		return -1;
	if (s->beside)
		beside_init(s->beside, runs, nth);
	for (size_t i = 0; i < runs->count; i++)
		selection_apply(&runs->loaded[i].report, &s->filter);
	return matching_check_left(runs->loaded, runs->count, &s->filter, runs->console);
}

/* Whether one of all the runs has what is asked for must be known before the first. */
static int print_asked(struct run_stream *s)
{
	struct runs *runs = s->runs;
	size_t *nth;
	int printed;

	if (s->format->one_by_one && !options_has_filter(runs->opt))
		return print(s, true);
	nth = xcalloc((size_t)runs->opt->operand_count, sizeof *nth);
	do
		nth[runs->count - 1] = s->operand - 1;
	while (stream_load_next(s));
	printed = select_asked(s, nth) < 0 ? -1 : print(s, false);
	free(nth);
	return printed;
}

/* Another tool's object is of the whole run; filters would be ignored. */
static int check_filters(
	const struct options *opt, const struct render_format *format, struct error *err)
{
	if (!format->tool || !options_has_filter(opt))
		return 0;
	return error_set(err,
		"--format %s is of the whole run; expected no --metric, --device or "
		"--phase",
		opt->format);
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

enum exit_status cmd_summarize(const struct options *opt, const struct console *console)
{
	const struct render_format *format = output_find(opt->format);
	struct options asked = *opt;
	struct runs runs;
	struct beside beside = {.why = {""}};
	struct run_stream stream = {
		.runs = &runs, .format = format, .filter = options_filter(opt)};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (!format || !format->write) {
		formats_refuse(opt->format, &err);
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (check_filters(opt, format, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.tool = format->tool;
	asked.timeline_columns = columns_of(opt, format);
	asked.timeline_of[0] = (struct timeline_share){opt->operand, DRAWING_RUNS};
	asked.samples = format->samples;
	asked.several = format->compares && beside_is_asked(opt);
	stream.beside = asked.several ? &beside : NULL;
	if (runs_init(&runs, &asked, console) == 0) {
		runs_announce(&runs, runs.opt->operand, (size_t)runs.opt->operand_count);
		/* Without a usable run nothing is written that looks like a result. */
		if (stream_load_next(&stream) && print_asked(&stream) == 0)
			status = runs_status(&runs);
	}
	beside_release(&beside);
	runs_release(&runs);
	return status;
}

enum exit_status cmd_report(const struct options *opt, const struct console *console)
{
	struct options asked = *opt;
	struct error err;

	if (sides_refused(opt)) {
		console->say(sides_refused(opt));
		return EXIT_USAGE;
	}
	if ((options_has(opt, "format") || options_has(opt, "json")) &&
		strcmp(opt->format, "html") != 0) {
		error_set(&err, "report makes a page, not '%s'; expected no --format",
			opt->format);
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.format = "html";
	asked.output = options_has(opt, "output") ? opt->output : "report.html";
	return cmd_summarize(&asked, console);
}

/*
 * hwsummarize export RUN...: the runs for another program. What it prints is what
 * --format prints; a trace if nothing else is asked for.
 */

enum exit_status cmd_export(const struct options *opt, const struct console *console)
{
	struct options asked = *opt;
	struct error err;

	if (!options_has(opt, "format") && !options_has(opt, "json"))
		asked.format = "trace";
	if (formats_check("export", asked.format, &err) == 0)
		return cmd_summarize(&asked, console);
	console->say(err.message);
	return EXIT_USAGE;
}
