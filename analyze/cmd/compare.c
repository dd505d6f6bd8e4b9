/*
 * hwsummarize compare RUN...: runs beside one another, in a format that has a comparison.
 * A run is called NAME where the operand says NAME=RUN, else as it is given.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cmd/command.h"
#include "cmd/result.h"
#include "cmd/runs.h"
#include "compute/compare_tracker.h"
#include "read/results.h"
#include "render/render.h"

struct compare {
	struct runs runs;
	const struct render_format *format;
	char **name; /* [operand_count] as the user calls the runs; owned */
	const char **path; /* [operand_count] borrowed from the operands */
	struct compared_run *side; /* [runs.count] */
	struct tracker_comparison comparison;
};

/* A sentence for what can't be asked; NULL: all can. To be freed. */
static char *refused_option(const struct options *opt)
{
	const struct render_format *formats, *asked = render_find(opt->format);
	size_t count, named = 0;
	struct strbuf sb;

	strbuf_init(&sb);
	if (!asked || !asked->compare) {
		formats = render_formats(&count);
		strbuf_addf(&sb, "compare has no format '%s'; expected --format",
			opt->format);
		for (size_t i = 0; i < count; i++)
			if (formats[i].compare)
				strbuf_addf(&sb, "%s %s", named++ ? " or" : "",
					formats[i].name);
	} else if (opt->since_ns >= 0 || opt->until_ns >= 0) {
		strbuf_adds(
			&sb, "compare takes whole runs; expected no --since or --until");
	} else if (opt->join) {
		strbuf_adds(&sb,
			"compare wants several runs; expected a run directory "
			"for each, and no --join");
	} else if (opt->metric || opt->device || opt->phase) {
		strbuf_addf(&sb,
			"compare --format %s shows everything; expected no --metric, "
			"--device or --phase",
			opt->format);
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

/* "A=run" is a run with a name, unless there is a file that is called so. */
static void name_run(struct compare *c, size_t nth, const char *operand)
{
	const char *equals = strchr(operand, '=');
	size_t len = strlen(operand);

	if (equals && equals != operand && equals[1] && access(operand, F_OK) != 0) {
		c->name[nth] = xstrndup(operand, (size_t)(equals - operand));
		c->path[nth] = equals + 1;
		return;
	}
	while (len > 1 && operand[len - 1] == '/')
		len--;
	c->name[nth] = xstrndup(operand, len);
	c->path[nth] = operand;
}

static int name_runs(struct compare *c, const struct options *opt, struct error *err)
{
	for (size_t i = 0; i < (size_t)opt->operand_count; i++) {
		name_run(c, i, opt->operand[i]);
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->name[i], c->name[k]) == 0)
				return error_set(err,
					"two runs are called %s; expected NAME=RUN for "
					"one of them",
					c->name[i]);
	}
	return 0;
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
	runs->count++;
	return 0;
}

static void load_all(struct compare *c)
{
	for (size_t i = 0; i < (size_t)c->runs.opt->operand_count; i++) {
		size_t nth = c->runs.count;

		if (load_one(c, c->path[i]) == 0)
			c->side[nth] = (struct compared_run){
				c->name[i], &c->runs.loaded[nth].report};
	}
}

static int write_comparison(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct compare *c = context;

	return c->format->compare(&c->comparison, options, out, err);
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

enum exit_status cmd_compare(const struct options *opt, const struct console *console)
{
	size_t operands = (size_t)opt->operand_count;
	char *refused = refused_option(opt);
	struct options asked = *opt;
	struct compare c = {.format = render_find(opt->format)};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (refused) {
		console->say(refused);
		free(refused);
		return EXIT_USAGE;
	}
	asked.dialect.dialect = c.format->dialect;
	asked.dialect.analysis = true;
	c.name = xcalloc(operands, sizeof *c.name);
	c.path = xcalloc(operands, sizeof *c.path);
	c.side = xcalloc(operands, sizeof *c.side);
	if (name_runs(&c, opt, &err) == 0)
		status = run_compare(&c, &asked, console);
	else
		console->say(err.message);
	for (size_t i = 0; i < operands; i++)
		free(c.name[i]);
	free(c.name);
	free(c.path);
	free(c.side);
	return status;
}
