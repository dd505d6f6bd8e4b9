/*
 * hwsummarize merge OTHER.db...: takes the runs of other databases into the one in
 * use, each database whole or not at all. One that can't be used hides no other.
 * hwsummarize push --dsn URL [RUN...]: copies runs and their summaries from the database
 * into PostgreSQL, as often as you like.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "render/utf8.h"
#include "store/store.h"

/* Says what was not taken, and adds a line of numbers: of a database, or into one. */
static void tell_counts(struct strbuf *lines, const char *name,
	const struct transfer_counts *counts, const struct console *console)
{
	for (size_t i = 0; i < counts->refusal_count; i++)
		console->say(counts->refusal[i]);
	utf8_inert(lines, name);
	strbuf_addf(lines, ": %zu added, %zu replaced, %zu unchanged", counts->taken,
		counts->renewed, counts->known);
	if (counts->refused)
		strbuf_addf(lines, ", %zu refused", counts->refused);
	strbuf_addc(lines, '\n');
}

static int write_lines(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct strbuf *lines = context;

	(void)options;
	(void)err;
	return fputs(lines->text, out) < 0 ? -1 : 0;
}

/* Prints the lines where the options say, unless they want to be spared. */
static int print_lines(
	const struct options *opt, const struct strbuf *lines, struct error *err)
{
	const struct result result = {opt, NULL, 0, options_db(opt)};

	return opt->verbose < 0 ? 0
				: result_print(&result, write_lines, (void *)lines, err);
}

struct merging {
	const struct options *opt;
	const struct console *console;
	struct strbuf lines; /* of those that were merged */
	int lost, conflicts;
};

static int merge_one(struct merging *m, const char *path, struct error *err)
{
	struct transfer_counts result;
	struct store *store, *other;
	int rc;

	if (store_open_source(&other, path, err) < 0)
		return -1;
	if (store_open(&store, options_db(m->opt), err) < 0) {
		store_close(other);
		return -1;
	}
	rc = store_merge(store, other, &result, err);
	store_close(store);
	store_close(other);
	if (rc < 0)
		return -1;
	m->conflicts += result.refusal_count > 0;
	tell_counts(&m->lines, path, &result, m->console);
	transfer_counts_release(&result);
	return 0;
}

static enum exit_status merge(struct merging *m)
{
	const struct options *opt = m->opt;
	struct error err;

	for (int i = 0; i < opt->operand_count; i++)
		if (merge_one(m, opt->operand[i], &err) < 0) {
			m->console->say(err.message);
			m->lost++;
		}
	if (m->lost == opt->operand_count)
		return EXIT_USAGE;
	if (print_lines(opt, &m->lines, &err) < 0) {
		m->console->say(err.message);
		return EXIT_USAGE;
	}
	return m->lost || m->conflicts ? EXIT_UNUSABLE : EXIT_DONE;
}

enum exit_status cmd_merge(const struct options *opt, const struct console *console)
{
	struct merging merging = {.opt = opt, .console = console};
	enum exit_status status;

	strbuf_init(&merging.lines);
	status = merge(&merging);
	strbuf_release(&merging.lines);
	return status;
}

static int push(
	const struct options *opt, struct transfer_counts *result, struct error *err)
{
	const struct run_choice choice = {
		opt->operand, (size_t)opt->operand_count, &opt->where};
	struct store *store;
	int rc;

	if (store_open_reader(&store, options_db(opt), err) < 0)
		return -1;
	rc = store_push(store, opt->dsn, &choice, result, err);
	store_close(store);
	return rc;
}

/* What was pushed before it failed is told, too. */
static enum exit_status push_and_tell(
	const struct options *opt, const struct console *console)
{
	struct transfer_counts result = {0};
	struct strbuf lines;
	struct error err;
	enum exit_status status = EXIT_DONE;

	strbuf_init(&lines);
	if (push(opt, &result, &err) < 0) {
		console->say(err.message);
		status = EXIT_USAGE;
	} else if (result.refused) {
		status = EXIT_UNUSABLE;
	}
	if (status != EXIT_USAGE || result.taken || result.renewed) {
		tell_counts(&lines, options_db(opt), &result, console);
		if (print_lines(opt, &lines, &err) < 0) {
			console->say(err.message);
			status = EXIT_USAGE;
		}
	}
	strbuf_release(&lines);
	transfer_counts_release(&result);
	return status;
}

enum exit_status cmd_push(const struct options *opt, const struct console *console)
{
	enum exit_status status = EXIT_USAGE;

	if (!opt->dsn || !*opt->dsn)
		console->say(
			"push needs the server: --dsn postgresql://USER@HOST/DATABASE");
	else
		status = push_and_tell(opt, console);
	return status;
}
