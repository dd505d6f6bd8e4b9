/*
 * hwsummarize compare --format gpu-tracker RUN...: as gpu_tracker compares its analyses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/named.h"
#include "cmd/result.h"
#include "cmd/runs.h"
#include "cmd/window.h"
#include "compute/dialects/gpu_tracker.h"
#include "read/gpu_tracker.h"
#include "render/render.h"

struct compare {
	struct runs runs;
	const struct render_format *format;
	const struct named *named;
	struct tracker_side *side; /* [runs.count] */
	struct tracker_comparison comparison;
};

/* A sentence for what can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	if (window_is_asked(opt))
		return "takes whole runs; expected no --since or --until";
	if (opt->vs >= 0)
		return "knows no sides; expected no --vs";
	if (options_has_filter(opt))
		return "shows everything; expected no --metric, --device or --phase";
	return NULL;
}

/* A recording, or what gpu_tracker has made of one. */
static int load_one(struct compare *c, const char *path)
{
	struct runs *runs = &c->runs;
	struct loaded *loaded = &runs->loaded[runs->count];
	struct error err;
	int found = read_results(path, &loaded->run, &loaded->report, &err);

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
			c->side[nth] = (struct tracker_side){
				c->named->name[i], &c->runs.loaded[nth].report};
	}
}

static int write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct compare *c = context;

	return c->format->compare_tracker(&c->comparison, options, out, err);
}

static int compare_and_print(struct compare *c, struct error *err)
{
	const struct runs *runs = &c->runs;
	const struct options *opt = runs->opt;
	struct result result = {
		opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};

	if (compare_tracker(&c->comparison, c->side, runs->count,
		    opt->statistic ? opt->statistic : COMPARE_STATISTIC, err) < 0)
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
		load_all(c);
		/* Of several runs one alone is no comparison. */
		if (c->runs.count > 1 || (c->runs.count && !c->runs.warning_count))
			status = runs_status(&c->runs);
		if (status != EXIT_USAGE && compare_and_print(c, &err) < 0) {
			console->say(err.message);
			status = EXIT_USAGE;
		}
	}
	tracker_comparison_release(&c->comparison);
	runs_release(&c->runs);
	return status;
}

enum exit_status cmd_compare_tracker(const struct options *opt, const struct named *named,
	const struct console *console)
{
	const char *refused = refused_option(opt);
	struct options asked = *opt;
	struct compare c = {.format = render_find(opt->format), .named = named};
	enum exit_status status;
	struct error err;

	if (refused) {
		error_set(&err, "compare --format %s %s", opt->format, refused);
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.dialect.dialect = c.format->dialect;
	asked.dialect.analysis = true;
	c.side = xcalloc(named->count, sizeof *c.side);
	status = run_compare(&c, &asked, console);
	free(c.side);
	return status;
}
