/*
 * hwsummarize sql QUERY: asks the runs database, which stays as it is whatever is asked.
 * What can be asked of which view, schema/README.md tells.
 */
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "store/store.h"

static int ask(
	const struct options *opt, const struct console *console, struct error *err)
{
	const char *db = options_db(opt);
	const struct run_choice all = {.where = &opt->where};
	struct store *store;
	struct answer *answer;
	char *none = NULL;
	int rc;

	if (opt->operand_count != 1)
		return error_set(err,
			"sql takes one query, in quotes, and %d words were given",
			opt->operand_count);
	if (store_open_reader(&store, db, err) < 0)
		return -1;
	rc = store_none_chosen(store, &all, &none, err);
	if (rc == 0)
		rc = store_ask(store, opt->operand[0], &answer, err);
	if (rc == 0) {
		if (none && opt->verbose >= 0)
			console->say(none);
		rc = stored_print(opt, db, answer, err);
		answer_free(answer);
	}
	free(none);
	store_close(store);
	return rc;
}

enum exit_status cmd_sql(const struct options *opt, const struct console *console)
{
	char *refused = stored_refuse(opt, "sql", false);
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (refused)
		console->say(refused);
	else if (ask(opt, console, &err) < 0)
		console->say(err.message);
	else
		status = EXIT_DONE;
	free(refused);
	return status;
}
