/*
 * hwsummarize compare BASE... --vs NEW..., or RUN RUN...: runs beside one another. In a
 * format that compares as another tool does, that is done.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/command.h"
#include "cmd/named.h"
#include "cmd/result.h"
#include "cmd/runs.h"
#include "compute/compare.h"
#include "compute/selection.h"
#include "render/render.h"

struct compare {
	struct runs runs;
	const struct render_format *format;
	const struct named *named;
	struct comparison comparison;
};

/* A sentence for what can't be asked; NULL: all can. To be freed. */
static char *refused_option(const struct options *opt)
{
	const struct render_format *formats, *asked = render_find(opt->format);
	size_t count, named = 0;
	struct strbuf sb;

	strbuf_init(&sb);
	if (!asked || (!asked->compare && !asked->compare_tracker)) {
		formats = render_formats(&count);
		strbuf_addf(&sb, "compare has no format '%s'; expected --format",
			opt->format);
		for (size_t i = 0; i < count; i++)
			if (formats[i].compare || formats[i].compare_tracker)
				strbuf_addf(&sb, "%s %s", named++ ? " or" : "",
					formats[i].name);
	} else if (opt->join) {
		strbuf_adds(&sb,
			"compare wants several runs; expected a run directory "
			"for each, and no --join");
	} else if (opt->vs == 0 || opt->vs == opt->operand_count) {
		strbuf_adds(&sb, "compare: expected runs on both sides of --vs");
	} else if (opt->vs < 0 && opt->operand_count < 2 && !asked->compare_tracker) {
		strbuf_adds(&sb, "compare: one run alone; expected two or more");
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

static bool matches(const char *pattern, const char *name)
{
	return !pattern || (name && fnmatch(pattern, name, 0) == 0);
}

/* A path is also known by its last name. */
static bool matches_phase(const char *pattern, const char *path)
{
	const char *last = path ? strrchr(path, '/') : NULL;

	return matches(pattern, path) || (last && matches(pattern, last + 1));
}

/* Are there numbers that were asked for? Else it is what people look at first. */
static bool has_choice(const struct options *opt)
{
	return opt->verbose > 0 || opt->metric || opt->device || opt->phase;
}

/* Of all devices that are asked for: the report is of these alone. */
static bool is_wanted(void *context, const struct measure *measure)
{
	const struct options *opt = context;

	return (measure->headline || opt->verbose > 0 || opt->metric) &&
		matches(opt->metric, measure->key) &&
		matches_phase(opt->phase, measure->phase);
}

/* Without --vs two runs are base and new, more are on no side. */
static enum side side_of(const struct options *opt, int nth)
{
	if (opt->vs >= 0)
		return nth < opt->vs ? SIDE_BASE : SIDE_NEW;
	if (opt->operand_count == 2)
		return nth ? SIDE_NEW : SIDE_BASE;
	return SIDES;
}

static int load_all(struct compare *c, struct error *err)
{
	struct runs *runs = &c->runs;
	struct comparing *comparing = compare_begin(&c->comparison, c->named->count,
		has_choice(runs->opt) ? is_wanted : NULL, (void *)runs->opt);
	const struct report_filter filter = {
		.device = runs->opt->device, .per_core = runs->opt->per_core};
	int added = 0;

	c->comparison.filter = (struct report_filter){
		runs->opt->metric, runs->opt->device, runs->opt->phase, false};

	for (size_t i = 0; i < c->named->count && added == 0; i++) {
		struct loaded *loaded = &runs->loaded[runs->count];

		if (runs_load(runs, &c->named->path[i], 1) < 0) {
			comparison_remark(&c->comparison, "not compared: %s",
				runs->warning[runs->warning_count - 1]);
			continue;
		}
		selection_apply(&loaded->report, &filter);
		added = compare_add(comparing, c->named->name[i],
			side_of(runs->opt, (int)i), &loaded->report, err);
		/* The numbers are in the rows; many runs' reports are much memory. */
		report_release(&loaded->report);
		report_init(&loaded->report, &loaded->run);
	}
	compare_end(comparing);
	return added;
}

static int write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct compare *c = context;

	return c->format->compare(&c->comparison, options, out, err);
}

static void say_nothing_matches(const struct compare *c)
{
	const struct options *opt = c->runs.opt;
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
	c->runs.console->say(text.text);
	strbuf_release(&text);
}

static enum exit_status compare_and_print(struct compare *c)
{
	const struct runs *runs = &c->runs;
	struct result result = {.opt = runs->opt,
		.loaded = runs->loaded,
		.db = runs->store ? runs->db : NULL};
	struct error err;

	if (load_all(c, &err) < 0) {
		runs->console->say(err.message);
		return EXIT_USAGE;
	}
	if (!comparison_is_whole(&c->comparison)) {
		runs->console->say(
			"compare: a side without a usable run, or one run alone; "
			"expected two");
		return EXIT_USAGE;
	}
	if (!c->comparison.row_count)
		say_nothing_matches(c);
	result.count = runs->count;
	if (result_print(&result, write_comparison, c, &err) < 0) {
		runs->console->say(err.message);
		return EXIT_USAGE;
	}
	return runs_status(runs);
}

static enum exit_status run_compare(const struct options *opt, const struct named *named,
	const struct console *console)
{
	struct compare c = {.format = render_find(opt->format), .named = named};
	enum exit_status status = EXIT_USAGE;

	if (runs_init(&c.runs, opt, console) == 0)
		status = compare_and_print(&c);
	comparison_release(&c.comparison);
	runs_release(&c.runs);
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
