/*
 * hwsummarize list [RUN...]: lists the runs in the database. hwsummarize sql QUERY: runs
 * a read-only query on it. sql alone lists the views, sql VIEW the columns of a view;
 * these need no database. Reads no log.
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

/* 1: it is the name of a view; 0: it is not; -1: it is nearly one. */
static int view_named(const char *word, struct error *err)
{
	struct strbuf hint;
	int rc = 0;

	strbuf_init(&hint);
	if (store_is_view(word, &hint))
		rc = 1;
	else if (hint.len)
		rc = error_set(err, "no view is called '%s'%s", word, hint.text);
	strbuf_release(&hint);
	return rc;
}

/* Describes the views, or the columns of one. Reads no database.
 * 0: it is a query instead. */
static int describe(const struct options *opt, struct answer **answer, struct error *err)
{
	const char *word = opt->operand_count ? opt->operand[0] : NULL;
	int rc = word ? view_named(word, err) : 1;

	if (rc <= 0)
		return rc;
	if (word)
		return store_describe(word, answer, err) < 0 ? -1 : 1;
	*answer = store_views();
	return 1;
}

/* sql: the operand is a query; else the operands are runs. */
static int query(const struct options *opt, bool sql, const struct console *console,
	struct error *err)
{
	const struct run_choice choice = {
		opt->operand, sql ? 0 : (size_t)opt->operand_count, &opt->where};
	const char *db = options_db(opt);
	const struct result result = {opt, NULL, 0, db};
	struct printing printing = {output_find(opt->format), NULL};
	struct store *store = NULL;
	char *none = NULL;
	int rc;

	if (sql && opt->operand_count > 1)
		return error_set(err,
			"sql takes one query in quotes; %d words were given",
			opt->operand_count);
	rc = sql ? describe(opt, &printing.answer, err) : 0;
	if (rc == 0) {
		rc = store_open_reader(&store, db, err);
		if (rc == 0)
			rc = store_none_chosen(store, &choice, &none, err);
		if (rc == 0 && sql)
			rc = store_ask(store, opt->operand[0], &printing.answer, err);
		else if (rc == 0)
			rc = store_list(store, &choice, is_for_people(opt->format),
				&printing.answer, err);
	}
	if (rc >= 0) {
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
