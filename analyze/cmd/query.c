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
	struct strbuf hint = strbuf_new();
	int rc = 0;

	if (store_is_view(word, &hint))
		rc = 1;
	else if (hint.len)
		rc = error_set(err, "no view is called '%s'%s", word, hint.text);
	strbuf_release(&hint);
	return rc;
}

/* empty: has it no value?; NULL: of no interest. */
static int print(const struct options *opt, const char *db, struct answer *answer,
	bool *empty, struct error *err)
{
	const struct result result = {opt, NULL, 0, db};
	struct printing printing = {output_find(opt->format), answer};
	int rc = result_print(&result, write_answer, &printing, err);

	if (empty)
		*empty = !answer->has_value;
	answer_free(answer);
	return rc;
}

/* A misspelled text is no error of SQL: the answer is empty. */
static void explain_empty(
	struct store *store, const char *query, const struct console *console)
{
	char *why = store_why_empty(store, query);

	if (why)
		console->say("no rows: %s", why);
	free(why);
}

/* query: NULL: lists the runs that the operands name. */
static int ask(const struct options *opt, const char *query,
	const struct console *console, struct error *err)
{
	const struct run_choice choice = {
		opt->operand, query ? 0 : (size_t)opt->operand_count, &opt->where};
	const char *db = options_db(opt);
	struct answer *answer;
	struct store *store;
	struct strbuf note;
	bool empty = false;
	char *none;
	int rc;

	if (store_open_reader(&store, db, err) < 0)
		return -1;
	strbuf_init(&note);
	rc = store_none_chosen(store, &choice, &none, err);
	if (rc == 0)
		rc = query ? store_ask(store, query, opt->timeout_ns, &answer, &note, err)
			   : store_list(store, &choice, is_for_people(opt->format),
				     &answer, err);
	if (rc == 0 && none && opt->verbose >= 0)
		console->say("%s", none);
	if (rc == 0 && note.len && opt->verbose >= 0)
		console->say("%s", note.text);
	if (rc == 0)
		rc = print(opt, db, answer, &empty, err);
	if (rc == 0 && query && empty && opt->verbose >= 0)
		explain_empty(store, query, console);
	free(none);
	strbuf_release(&note);
	store_close(store);
	return rc;
}

int cmd_list_runs(
	const struct options *opt, const struct console *console, struct error *err)
{
	if (formats_check("list", opt->format, err) < 0)
		return -1;
	return ask(opt, NULL, console, err);
}

int cmd_sql(const struct options *opt, const struct console *console, struct error *err)
{
	const char *word = opt->operand_count ? opt->operand[0] : NULL;
	struct answer *answer = NULL;
	int view;

	if (formats_check("sql", opt->format, err) < 0)
		return -1;
	if (opt->operand_count > 1)
		return error_set(err,
			"sql takes one query in quotes; %d words were given",
			opt->operand_count);
	view = word ? view_named(word, err) : 0;
	if (word && view == 0)
		return ask(opt, word, console, err);
	if (!word)
		answer = store_views();
	else if (view < 0 || store_describe(word, &answer, err) < 0)
		return -1;
	return print(opt, options_db(opt), answer, NULL, err);
}
