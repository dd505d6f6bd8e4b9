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
		console->say("%s", counts->refusal[i]);
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

/* 1: something was not taken; 0: all was; -1 */
static int merge_one(const struct options *opt, const char *path, struct strbuf *lines,
	const struct console *console, struct error *err)
{
	struct transfer_counts result;
	struct store *store, *other;
	int rc;

	if (store_open_source(&other, path, err) < 0)
		return -1;
	if (store_open(&store, options_db(opt), err) < 0) {
		store_close(other);
		return -1;
	}
	rc = store_merge(store, other, &result, err);
	store_close(store);
	store_close(other);
	if (rc < 0)
		return -1;
	rc = result.refusal_count > 0;
	tell_counts(lines, path, &result, console);
	transfer_counts_release(&result);
	return rc;
}

int cmd_merge(const struct options *opt, const struct console *console, struct error *err)
{
	int lost = 0, conflicts = 0, status = EXIT_USAGE;
	struct strbuf lines = strbuf_new();

	for (int i = 0; i < opt->operand_count; i++) {
		int merged = merge_one(opt, opt->operand[i], &lines, console, err);

		if (merged < 0)
			console->say("%s", err->message);
		lost += merged < 0;
		conflicts += merged > 0;
	}
	if (lost < opt->operand_count)
		status = print_lines(opt, &lines, err) < 0 ? -1
			: lost || conflicts		   ? EXIT_UNUSABLE
							   : EXIT_DONE;
	strbuf_release(&lines);
	return status;
}

int cmd_push(const struct options *opt, const struct console *console, struct error *err)
{
	const struct run_choice choice = {
		opt->operand, (size_t)opt->operand_count, &opt->where};
	struct transfer_counts result = {0};
	struct strbuf lines;
	struct store *store;
	struct error why;
	int status;

	if (!opt->dsn || !*opt->dsn)
		return error_set(err,
			"push needs the server: --dsn postgresql://USER@HOST/DATABASE");
	if (store_open_reader(&store, options_db(opt), err) < 0)
		return -1;
	status = store_push(store, opt->dsn, &choice, &result, err);
	store_close(store);
	if (status == 0 && result.refused)
		status = EXIT_UNUSABLE;
	strbuf_init(&lines);
	/* Also what was pushed before it failed. */
	if (status >= 0 || result.taken || result.renewed) {
		tell_counts(&lines, options_db(opt), &result, console);
		if (print_lines(opt, &lines, &why) < 0) {
			*err = why;
			status = -1;
		}
	}
	strbuf_release(&lines);
	transfer_counts_release(&result);
	return status;
}
