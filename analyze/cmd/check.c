/*
 * hwsummarize check RUN...: is the recording sound? Reads the logs themselves, never the
 * database, and looks at every value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/result.h"
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

/* The only file of a kind; NULL: there are several. */
static const char *only_file(const struct run *run, enum source_kind kind)
{
	const char *path = NULL;

	for (size_t i = 0; i < run->file_count; i++) {
		if (run->file[i].kind != kind)
			continue;
		if (path)
			return NULL;
		path = run->file[i].path;
	}
	return path;
}

/* Rows that had to be sorted have lost their lines, and their file if there are several.
 */
static void find_place(const struct run *run, struct gap *gap)
{
	for (size_t i = 0; gap->file >= run->file_count && i < run->file_count; i++)
		if (run->file[i].kind == gap->source && only_file(run, gap->source))
			gap->file = i;
}

/* d: has gaps which nothing explains; gap: the longest of them. */
static void add_gap(
	struct run *run, const struct device_evidence *d, const struct gap *gap)
{
	const char *name = run->device[d->device].name;
	uint64_t again = d->gaps - d->restarts - 1;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "no %s row of %s for %.3f s after ", source_name(d->source),
		name, gap->length_s);
	time_print(&text, gap->start_ns);
	if (again)
		strbuf_adds(&text, ", the longest");
	for (uint64_t i = 0; i <= again; i++)
		diag_add(&run->diags, true, "gap",
			gap->file < run->file_count ? run->file[gap->file].path : "",
			gap->line, span_of(name), "%s", text.text);
	strbuf_release(&text);
}

/*
 * One entry for the gaps of a device in a log, at the longest of them. Where the recorder
 * was started again behind one, nothing is missing.
 */
static void note_gaps(struct loaded *loaded)
{
	struct evidence *e = &loaded->report.evidence;
	struct run *run = &loaded->run;

	for (size_t k = 0; k < e->gap_listed; k++)
		find_place(run, &e->gap[k]);
	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		size_t k = 0;

		if (d->gaps == d->restarts)
			continue;
		while (k < e->gap_listed &&
			(e->gap[k].device != d->device || e->gap[k].source != d->source ||
				e->gap[k].restart))
			k++;
		if (k < e->gap_listed)
			add_gap(run, d, &e->gap[k]);
	}
}

static void check_one(struct check *c, const char *const *path, size_t count)
{
	struct loaded *loaded = &c->loaded[c->count];
	struct soundness *soundness = soundness_new();
	struct soundness_count found;
	struct error err;

	if (load_watched(loaded, path, count, c->opt, soundness_witness(soundness),
		    &err) < 0) {
		c->console->say(err.message);
		c->warning[c->warning_count++] = xstrdup(err.message);
		soundness_free(soundness);
		return;
	}
	note_gaps(loaded);
	found = soundness_count(soundness);
	c->report[c->count++] = (struct check_report){
		&loaded->report, found.conditions, found.looks, found.failures};
	soundness_free(soundness);
}

static int write_check(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct check *c = context;
	const struct check_input in = {
		c->report, c->count, (const char *const *)c->warning, c->warning_count};

	if (strcmp(c->opt->format, "json") == 0)
		return check_json(&in, options, out, err);
	return check_text(&in, options, out, err);
}

/* Damage in the runs, or runs that are none. */
static enum exit_status status_of(const struct check *c)
{
	const struct check_input in = {
		c->report, c->count, (const char *const *)c->warning, c->warning_count};

	if (!c->count)
		return EXIT_USAGE;
	return check_is_sound(&in) ? EXIT_DONE : EXIT_UNUSABLE;
}

/* It looks at everything: an option that asks for less is a misunderstanding. */
static const char *refused_option(const struct options *opt)
{
	if (strcmp(opt->format, "json") != 0 && strcmp(opt->format, "text") != 0)
		return "check prints text or json; expected --format text or --json";
	if (opt->metric || opt->device || opt->phase)
		return "check looks at everything; expected no --metric, --device or "
		       "--phase";
	if (opt->since_ns >= 0 || opt->until_ns >= 0)
		return "check looks at everything; expected no --since or --until";
	if (opt->db)
		return "check reads the logs, never a database; expected no --db";
	return NULL;
}

enum exit_status cmd_check(const struct options *opt, const struct console *console)
{
	struct check c = {.opt = opt, .console = console};
	size_t operands = (size_t)opt->operand_count;
	const char *refused = refused_option(opt);
	struct result result = {.opt = opt};
	enum exit_status status;
	struct error err;

	if (refused) {
		console->say(refused);
		return EXIT_USAGE;
	}
	c.loaded = xcalloc(operands, sizeof *c.loaded);
	c.report = xcalloc(operands, sizeof *c.report);
	c.warning = xcalloc(operands, sizeof *c.warning);
	for (size_t i = 0; i < operands && !opt->join; i++)
		check_one(&c, &opt->operand[i], 1);
	if (opt->join)
		check_one(&c, opt->operand, operands);
	status = status_of(&c);
	result.loaded = c.loaded;
	result.count = c.count;
	if (c.count && result_print(&result, write_check, &c, &err) < 0) {
		console->say(err.message);
		status = EXIT_USAGE;
	}
	for (size_t i = 0; i < c.count; i++)
		loaded_release(&c.loaded[i]);
	for (size_t i = 0; i < c.warning_count; i++)
		free(c.warning[i]);
	free(c.loaded);
	free(c.report);
	free(c.warning);
	return status;
}
