/*
 * hwsummarize compare BASE... --vs NEW..., or RUN RUN...: runs beside one another. In a
 * format that compares as another tool does, that is done.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/command.h"
#include "cmd/drawing.h"
#include "cmd/formats.h"
#include "cmd/named.h"
#include "cmd/result.h"
#include "cmd/sides.h"
#include "render/render.h"

/* A sentence for what can't be asked; NULL: all can. To be freed. */
static char *refused_option(const struct options *opt)
{
	const struct render_format *asked = render_find(opt->format);
	struct strbuf sb;
	struct error err;

	strbuf_init(&sb);
	if (formats_check("compare", opt->format, &err) < 0) {
		strbuf_adds(&sb, err.message);
	} else if (opt->join) {
		strbuf_adds(&sb,
			"compare wants several runs; expected a run directory "
			"for each, and no --join");
	} else if (sides_refused(opt)) {
		strbuf_adds(&sb, sides_refused(opt));
	} else if (opt->statistic && !asked->compare_tracker) {
		strbuf_addf(&sb,
			"compare --format %s has rows of every statistic; expected no "
			"--statistic but with --format gpu-tracker or gpu-tracker-text",
			opt->format);
	} else if (opt->baseline_db && asked->compare_tracker) {
		strbuf_addf(&sb,
			"--format %s compares recordings; expected no "
			"--baseline-db",
			opt->format);
	} else if (opt->vs < 0 && opt->operand_count < 2 && !opt->baseline_db &&
		!asked->compare_tracker) {
		strbuf_adds(&sb, "compare: one run alone; expected two or more");
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

struct writing {
	const struct render_format *format;
	const struct comparison *comparison;
};

static int write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->compare(writing->comparison, options, out, err);
}

static void say_nothing_matches(const struct options *opt, const struct console *console)
{
	const struct {
		const char *option, *glob;
	} asked[] = {
		{"metric", opt->metric}, {"device", opt->device}, {"phase", opt->phase}};
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, "no run knows a number that matches");
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
	struct writing writing = {render_find(runs->opt->format), &sides->comparison};
	struct error err;

	if (baseline_check(&sides->baseline, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (!comparison_is_whole(&sides->comparison)) {
		error_set(&err, "compare: %s; expected two", sides_missing);
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (options_has_filter(runs->opt) && !has_numbers(sides)) {
		say_nothing_matches(runs->opt, console);
		return EXIT_USAGE;
	}
	if (result_print(&result, write_comparison, &writing, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	return runs_status(runs);
}

/* Of many runs the first ones of each side: more are not shown. */
static void ask_timelines(struct options *asked, const struct named *named)
{
	size_t new = asked->vs > 0 ? (size_t)asked->vs : 0;
	size_t most = new ? DRAWING_RUNS / SIDES : DRAWING_RUNS;

	asked->timeline_columns = drawing_columns(named->count);
	asked->timeline_of[0] = (struct timeline_share){named->path, most};
	if (new > 0 && new < named->count)
		asked->timeline_of[1] = (struct timeline_share){named->path + new, most};
}

static enum exit_status run_compare(const struct options *opt, const struct named *named,
	const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	struct options asked = *opt;
	bool draws = render_find(opt->format)->timelines;
	struct sides sides;

	if (draws)
		ask_timelines(&asked, named);
	if (sides_load(&sides, &asked, named, sides_plain, sides_wanted(opt), console) ==
		0) {
		sides.comparison.filter = options_filter(opt);
		sides.comparison.undrawn = draws && named->count > DRAWING_RUNS;
		status = print(&sides, console);
	}
	sides_release(&sides);
	return status;
}

enum exit_status cmd_compare(const struct options *opt, const struct console *console)
{
	char *refused = refused_option(opt);
	struct named named = {0};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (refused)
		console->say(refused);
	else if (named_init(&named, opt, &err) < 0)
		console->say(err.message);
	else if (render_find(opt->format)->compare_tracker)
		status = cmd_compare_tracker(opt, &named, console);
	else
		status = run_compare(opt, &named, console);
	named_release(&named);
	free(refused);
	return status;
}
