/*
 * hwsummarize list [RUN...]: which runs the database holds; hwsummarize sql QUERY: asks
 * it, which stays as it is whatever is asked; sql lists the views, sql VIEW its columns.
 * Reads no log.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "render/render.h"
#include "store/store.h"

struct printing {
	const struct render_format *format;
	struct answer *answer;
};

static int write_answer(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct printing *printing = context;

	return printing->format->answer(printing->answer, options, out, err);
}

/* Those whom columns of full names and all digits would not help. */
static bool is_for_people(const char *format)
{
	return strcmp(format, "text") == 0 || strcmp(format, "markdown") == 0;
}

static int list_views(
	const struct result *result, struct printing *printing, struct error *err)
{
	int rc;

	printing->answer = store_views();
	rc = result_print(result, write_answer, printing, err);
	answer_free(printing->answer);
	return rc;
}

static bool is_view(const char *word)
{
	struct strbuf unused;
	bool found;

	strbuf_init(&unused);
	found = store_is_view(word, &unused);
	strbuf_release(&unused);
	return found;
}

/* A word that is nearly a view is no query. */
static int check_word(const char *word, struct error *err)
{
	struct strbuf hint;
	int rc = 0;

	strbuf_init(&hint);
	if (!store_is_view(word, &hint) && hint.len)
		rc = error_set(err, "no view is called '%s'%s", word, hint.text);
	strbuf_release(&hint);
	return rc;
}

/* sql: the operand is a query or a view; else they are runs. */
static int query(const struct options *opt, bool sql, const struct console *console,
	struct error *err)
{
	const struct run_choice choice = {
		opt->operand, sql ? 0 : (size_t)opt->operand_count, &opt->where};
	const char *db = options_db(opt);
	const struct result result = {opt, NULL, 0, db};
	struct printing printing = {output_find(opt->format), NULL};
	struct store *store;
	char *none = NULL;
	int rc;

	if (sql && opt->operand_count > 1)
		return error_set(err,
			"sql takes one query in quotes; %d words were given",
			opt->operand_count);
	if (sql && opt->operand_count == 0)
		return list_views(&result, &printing, err);
	if (sql && check_word(opt->operand[0], err) < 0)
		return -1;
	if (store_open_reader(&store, db, err) < 0)
		return -1;
	rc = store_none_chosen(store, &choice, &none, err);
	if (rc == 0 && sql && is_view(opt->operand[0]))
		rc = store_describe(store, opt->operand[0], &printing.answer, err);
	else if (rc == 0 && sql)
		rc = store_ask(store, opt->operand[0], &printing.answer, err);
	else if (rc == 0)
		rc = store_list(store, &choice, is_for_people(opt->format),
			&printing.answer, err);
	if (rc == 0) {
		if (none && opt->verbose >= 0)
			console->say(none);
		rc = result_print(&result, write_answer, &printing, err);
		answer_free(printing.answer);
	}
	free(none);
	store_close(store);
	return rc;
}

static enum exit_status answer(
	const struct options *opt, bool sql, const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (formats_check(sql ? "sql" : "list", opt->format, &err) < 0 ||
		query(opt, sql, console, &err) < 0)
		console->say(err.message);
	else
		status = EXIT_DONE;
	return status;
}

enum exit_status cmd_list_runs(const struct options *opt, const struct console *console)
{
	return answer(opt, false, console);
}

enum exit_status cmd_sql(const struct options *opt, const struct console *console)
{
	return answer(opt, true, console);
}
