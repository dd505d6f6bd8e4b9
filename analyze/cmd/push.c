/*
 * hwsummarize push --dsn URL [RUN...]: copies runs and their summaries from the database
 * into PostgreSQL, as often as you like.
 */
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/merge.h"
#include "cmd/options.h"
#include "store/store.h"

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
static enum exit_status run(const struct options *opt, const struct console *console)
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
		transfer_counts_tell(&lines, options_db(opt), &result, console);
		if (transfer_counts_print(opt, &lines, &err) < 0) {
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
	char *refused = stored_refuse(opt, "push", true);
	enum exit_status status = EXIT_USAGE;

	if (!opt->dsn || !*opt->dsn)
		console->say("no server given: expected push --dsn "
			     "postgresql://USER@HOST/DATABASE");
	else if (refused)
		console->say(refused);
	else
		status = run(opt, console);
	free(refused);
	return status;
}
