/*
 * hwsummarize check RUN...: is the recording sound? Reads the logs themselves, never the
 * database, and looks at every value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "render/check.h"

struct check {
	const struct options *opt;
	struct load_plan plan;
	const struct console *console;
	struct loaded *loaded;
	struct check_report *report;
	size_t count;
	char **warning;
	size_t warning_count;
};

static void check_one(struct check *c, const char *const *path, size_t count)
{
	struct loaded *loaded = &c->loaded[c->count];
	struct soundness_count found;
	struct error err;

	if (load_checked(loaded, path, count, &c->plan, &found, &err) < 0) {
		c->console->say("%s", err.message);
		c->warning[c->warning_count++] = xstrdup(err.message);
		return;
	}
	c->report[c->count++] = (struct check_report){
		&loaded->report, found.conditions, found.looks, found.failures};
}

static struct check_input input_of(const struct check *c)
{
	return (struct check_input){
		c->report, c->count, (const char *const *)c->warning, c->warning_count};
}

static int write_check(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct check *c = context;
	const struct check_input in = input_of(c);

	if (strcmp(c->opt->format, "json") == 0)
		return check_json(&in, options, out, err);
	return check_text(&in, options, out, err);
}

int cmd_check(const struct options *opt, const struct console *console, struct error *err)
{
	struct check c = {.opt = opt, .plan = load_plan_of(opt), .console = console};
	size_t operands = (size_t)opt->operand_count;
	struct result result = {.opt = opt};
	struct check_input in;
	int status;

	if (formats_check("check", opt->format, err) < 0)
		return -1;
	c.loaded = xcalloc(operands, sizeof *c.loaded);
	c.report = xcalloc(operands, sizeof *c.report);
	c.warning = xcalloc(operands, sizeof *c.warning);
	for (size_t i = 0; i < operands && !opt->join; i++)
		check_one(&c, &opt->operand[i], 1);
	if (opt->join)
		check_one(&c, opt->operand, operands);
	in = input_of(&c);
	status = !c.count ? EXIT_USAGE : check_is_sound(&in) ? EXIT_DONE : EXIT_UNUSABLE;
	result.loaded = c.loaded;
	result.count = c.count;
	if (c.count && result_print(&result, write_check, &c, err) < 0)
		status = -1;
	for (size_t i = 0; i < c.count; i++)
		loaded_release(&c.loaded[i]);
	free_texts(c.warning, c.warning_count);
	free(c.loaded);
	free(c.report);
	return status;
}
