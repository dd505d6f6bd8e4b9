/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never hides
 * the others.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/result.h"
#include "render/render.h"

struct summary {
	const struct options *opt;
	const struct console *console;
	struct store *store; /* NULL: none */
	const char *db; /* its path */
	struct loaded *loaded;
	size_t count;
	char **warning; /* runs that could not be used */
	size_t warning_count;
};

static void say(const struct summary *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct summary *s, const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	s->console->say(sentence);
}

/* A default database that can't be used is done without; an explicit one is an error. */
static int open_store(struct summary *s)
{
	const char *named = s->opt->db ? s->opt->db : getenv("HWSUMMARIZE_DB");
	struct error err;

	if (s->opt->no_db)
		return 0;
	if (named && !named[0])
		named = NULL;
	s->db = named ? named : "runs.db";
	if (store_open(&s->store, s->db, &err) == 0)
		return 0;
	s->store = NULL;
	if (named) {
		s->console->say(err.message);
		return -1;
	}
	say(s, "%s; going on without a database", err.message);
	return 0;
}

/* A copy of a run directory has the same run id, and is the same run. */
static void say_replaced(const struct summary *s)
{
	const struct run *last = &s->loaded[s->count - 1].run;

	for (size_t i = 0; i + 1 < s->count; i++)
		if (strcmp(s->loaded[i].run.key, last->key) == 0 &&
			strcmp(s->loaded[i].run.path, last->path) != 0)
			say(s,
				"%s: has the run id of %s, whose place it takes in the "
				"database",
				last->path, s->loaded[i].run.path);
}

static void load_one(struct summary *s, const char *const *path, size_t count)
{
	struct error err;

	if (load_run(&s->loaded[s->count], path, count, s->opt, s->store, &err) == 0) {
		s->count++;
		if (s->store)
			say_replaced(s);
		return;
	}
	s->console->say(err.message);
	s->warning[s->warning_count++] = xstrdup(err.message);
}

static void load_all(struct summary *s)
{
	size_t operands = (size_t)s->opt->operand_count;

	if (s->opt->join) {
		load_one(s, s->opt->operand, operands);
		return;
	}
	for (size_t i = 0; i < operands; i++)
		load_one(s, &s->opt->operand[i], 1);
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

static int print(struct summary *s, const struct render_format *format)
{
	struct report *reports = xcalloc(s->count, sizeof *reports);
	struct report_filter filter = {
		s->opt->metric, s->opt->device, s->opt->phase, s->opt->per_core};
	struct render_input in = {
		reports, s->count, (const char *const *)s->warning, s->warning_count};
	struct result result = {s->opt, s->loaded, s->count, s->store ? s->db : NULL};
	struct error err;
	size_t selected = 0;
	int printed;

	for (size_t i = 0; i < s->count; i++) {
		report_select(&s->loaded[i].report, &filter);
		reports[i] = s->loaded[i].report;
		selected += reports[i].stats_count;
	}
	if (!selected && (filter.metric || filter.device))
		say(s, "nothing matches --metric %s --device %s",
			filter.metric ? filter.metric : "'*'",
			filter.device ? filter.device : "'*'");
	printed = result_print(
		&result, write_reports, &(struct writing){format, &in}, &err);
	if (printed < 0)
		s->console->say(err.message);
	free(reports);
	return printed;
}

static bool has_damage(const struct summary *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct diag_list *diags = &s->loaded[i].run.diags;

		for (size_t j = 0; j < diags->count; j++)
			if (diags->at[j].damage)
				return true;
	}
	return false;
}

static bool has_unreadable(const struct summary *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (run_is_unreadable(&s->loaded[i].run))
			return true;
	return false;
}

static enum exit_status status_of(const struct summary *s)
{
	if (!s->count)
		return EXIT_USAGE;
	if (s->warning_count || has_unreadable(s))
		return EXIT_UNUSABLE;
	return s->opt->strict && has_damage(s) ? EXIT_UNUSABLE : EXIT_DONE;
}

enum exit_status cmd_summarize(const struct options *opt, const struct console *console)
{
	const struct render_format *format = render_find(opt->format);
	struct options asked = *opt;
	struct summary s = {.opt = &asked, .console = console};
	enum exit_status status = EXIT_USAGE;
	size_t operands = (size_t)opt->operand_count;

	if (!format) {
		say(&s, "unknown format '%s' (see hwsummarize --list-formats)",
			opt->format);
		return EXIT_USAGE;
	}
	asked.dialect.dialect = format->dialect;
	s.loaded = xcalloc(operands, sizeof *s.loaded);
	s.warning = xcalloc(operands, sizeof *s.warning);
	if (open_store(&s) == 0) {
		load_all(&s);
		status = status_of(&s);
		/* Without a usable run nothing is written that looks like a result. */
		if (s.count && print(&s, format) < 0)
			status = EXIT_USAGE;
	}
	store_close(s.store);
	for (size_t i = 0; i < s.count; i++)
		loaded_release(&s.loaded[i]);
	for (size_t i = 0; i < s.warning_count; i++)
		free(s.warning[i]);
	free(s.loaded);
	free(s.warning);
	return status;
}
