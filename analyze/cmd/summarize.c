/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never hides
 * the others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "render/render.h"

struct summary {
	const struct options *opt;
	const struct console *console;
	struct store *store; /* NULL: none */
	struct loaded *loaded;
	size_t count;
	char **warning; /* runs that could not be used */
	size_t warning_count;
};

/* A default database that can't be used is done without; an explicit one is an error. */
static int open_store(struct summary *s)
{
	const char *named = s->opt->db ? s->opt->db : getenv("HWSUMMARIZE_DB");
	struct error err;
	struct strbuf sb;

	if (s->opt->no_db)
		return 0;
	if (named && !named[0])
		named = NULL;
	if (store_open(&s->store, named ? named : "runs.db", &err) == 0)
		return 0;
	s->store = NULL;
	if (named) {
		s->console->say(err.message);
		return -1;
	}
	strbuf_init(&sb);
	strbuf_addf(&sb, "%s; going on without a database", err.message);
	s->console->say(sb.text);
	strbuf_release(&sb);
	return 0;
}

static void load_one(struct summary *s, const char *const *path, size_t count)
{
	struct error err;

	if (load_run(&s->loaded[s->count], path, count, s->opt, s->store, &err) == 0) {
		s->count++;
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

static int terminal_width(FILE *file)
{
	struct winsize size;

	if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 &&
		size.ws_col >= 40)
		return size.ws_col;
	return 80;
}

static bool speaks_unicode(void)
{
	const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && value[0])
			return strstr(value, "UTF-8") || strstr(value, "utf8");
	}
	return false;
}

static struct render_options render_options(const struct options *opt, FILE *file)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	bool terminal = isatty(fileno(file)) && term && strcmp(term, "dumb") != 0;

	return (struct render_options){
		.color = terminal && !opt->no_color && !(no_color && no_color[0]),
		.unicode = terminal && speaks_unicode(),
		.width = terminal_width(file),
		.calls = opt->calls,
		.verbose = opt->verbose};
}

static int print(struct summary *s, const struct render_format *format)
{
	struct report *reports = xcalloc(s->count, sizeof *reports);
	struct report_filter filter = {
		s->opt->metric, s->opt->device, s->opt->phase, s->opt->per_core};
	struct render_input in = {
		reports, s->count, (const char *const *)s->warning, s->warning_count};
	struct render_options options;
	struct output out;
	struct error err;
	int result;

	for (size_t i = 0; i < s->count; i++) {
		report_select(&s->loaded[i].report, &filter);
		reports[i] = s->loaded[i].report;
	}
	result = output_open(&out, s->opt->output, &err);
	if (result == 0) {
		options = render_options(s->opt, out.file);
		errno = 0;
		result = format->write(&in, &options, out.file, &err);
		if (result < 0 && ferror(out.file))
			output_failed(&out, errno, &err);
		if (result == 0)
			result = output_commit(&out, &err);
		else
			output_abandon(&out);
	}
	if (result < 0)
		s->console->say(err.message);
	free(reports);
	return result;
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
	for (size_t i = 0; i < s->count; i++) {
		if (run_is_unreadable(&s->loaded[i].run))
			return true;
	}
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
	struct summary s = {.opt = opt, .console = console};
	enum exit_status status = EXIT_USAGE;
	size_t operands = (size_t)opt->operand_count;
	struct strbuf sb;

	if (!format) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "unknown format '%s' (see hwsummarize --list-formats)",
			opt->format);
		console->say(sb.text);
		strbuf_release(&sb);
		return EXIT_USAGE;
	}
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
