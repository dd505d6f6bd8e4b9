/*
 * hwsummarize check RUN...: is the recording sound? Reads the logs themselves, never the
 * database, and looks at every value.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "cmd/terminal.h"
#include "compute/soundness.h"
#include "render/check.h"

struct check {
	const struct options *opt;
	const struct console *console;
	struct loaded *loaded;
	struct check_report *report;
	size_t count;
	char **warning;
	size_t warning_count;
};

/* Gaps and steps back, device by device: what the evidence knows. */
static void note_times(struct loaded *loaded)
{
	const struct evidence *e = &loaded->report.evidence;
	struct run *run = &loaded->run;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		const char *name = run->device[d->device].name;

		for (uint64_t k = 0; k < d->gaps; k++)
			diag_add(&run->diags, true, "gap", "", 0, span_of(name),
				"%s (%s): a step of more than %.3f s", name,
				source_name(d->source), d->gap_limit_s);
		for (uint64_t k = 0; k < d->steps_back; k++)
			diag_add(&run->diags, true, "step-back", "", 0, span_of(name),
				"%s (%s): the time goes back by more than the gap limit",
				name, source_name(d->source));
	}
}

static void check_one(struct check *c, const char *const *path, size_t count)
{
	struct loaded *loaded = &c->loaded[c->count];
	struct soundness *soundness = soundness_new();
	struct soundness_count found;
	struct error err;

	if (load_and_check(loaded, path, count, c->opt, soundness, &err) < 0) {
		c->console->say(err.message);
		c->warning[c->warning_count++] = xstrdup(err.message);
		soundness_free(soundness);
		return;
	}
	note_times(loaded);
	found = soundness_count(soundness);
	c->report[c->count++] = (struct check_report){
		&loaded->report, found.conditions, found.looks, found.failures};
	soundness_free(soundness);
}

static int print(const struct check *c, const struct check_input *in)
{
	bool json = strcmp(c->opt->format, "json") == 0;
	struct render_options options;
	struct output out;
	struct error err;
	int result = output_open(&out, c->opt->output, &err);

	if (result == 0) {
		options = terminal_options(c->opt, out.file);
		result = json ? check_json(in, out.file, &err)
			      : check_text(in, &options, out.file, &err);
		if (result == 0)
			result = output_commit(&out, &err);
		else
			output_abandon(&out);
	}
	if (result < 0)
		c->console->say(err.message);
	return result;
}

enum exit_status cmd_check(const struct options *opt, const struct console *console)
{
	struct check c = {.opt = opt, .console = console};
	struct check_input in;
	enum exit_status status;
	size_t operands = (size_t)opt->operand_count;

	if (strcmp(opt->format, "json") != 0 && strcmp(opt->format, "text") != 0) {
		console->say(
			"check prints text or json; expected --format text or --json");
		return EXIT_USAGE;
	}
	c.loaded = xcalloc(operands, sizeof *c.loaded);
	c.report = xcalloc(operands, sizeof *c.report);
	c.warning = xcalloc(operands, sizeof *c.warning);
	for (size_t i = 0; i < operands && !opt->join; i++)
		check_one(&c, &opt->operand[i], 1);
	if (opt->join)
		check_one(&c, opt->operand, operands);
	in = (struct check_input){
		c.report, c.count, (const char *const *)c.warning, c.warning_count};
	status = !c.count ? EXIT_USAGE : check_is_sound(&in) ? EXIT_DONE : EXIT_UNUSABLE;
	if (c.count && print(&c, &in) < 0)
		status = EXIT_USAGE;
	for (size_t i = 0; i < c.count; i++)
		loaded_release(&c.loaded[i]);
	for (size_t i = 0; i < c.warning_count; i++)
		free(c.warning[i]);
	free(c.loaded);
	free(c.report);
	free(c.warning);
	return status;
}
