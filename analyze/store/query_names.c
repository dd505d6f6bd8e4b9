/*
 * Names in the queries of users: what an unknown one may mean, which names are near it,
 * and why a query may have no rows.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "store/internal.h"
#include "store/store.h"

static const char no_table[] = "no such table: ", no_column[] = "no such column: ",
		  ambiguous[] = "ambiguous column name: ";

#define NAMES_LISTED 30
#define WORD_LEAST   4 /* letters of a word that is looked for in names */

/* Views, and the columns of the views that the query names, with their views. */
static const char view_names[] =
	"SELECT name, NULL FROM sqlite_master WHERE type = 'view'";
static const char column_names[] =
	"SELECT c.name, m.name FROM sqlite_master m, pragma_table_info(m.name) c "
	"WHERE m.type = 'view' AND instr(lower(?), m.name) ORDER BY m.rowid, c.cid";

int query_stopped_at(const struct store *store)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	return sqlite3_error_offset(store->db);
#else
	(void)store;
	return -1;
#endif
}

/* Names that a query may use. */
struct known {
	struct known_name {
		char *name, *view; /* owned; view of a column, else NULL */
	} * at; /* [count] owned */
	size_t count, cap;
};

static void known_read(
	struct known *known, struct store *store, const char *query, const char *names)
{
	struct sql_row row;
	struct error none;

	sql_row_prepare(&row, store, names, &none);
	if (sqlite3_bind_parameter_count(row.stmt))
		sql_put_text(&row, query);
	while (sql_row_next(&row)) {
		struct known_name *last;

		last = &ALLOC_NEXT(known->at, known->count, known->cap);
		*last = (struct known_name){NULL, NULL};
		sql_get_text(&row, &last->name);
		sql_get_text(&row, &last->view);
	}
	sql_row_end(&row);
}

static bool is_word_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The word of a query that ends before `at`, but for blanks and quotes. */
static struct span word_before(const char *query, const char *at)
{
	const char *end;

	while (at > query && (isspace((unsigned char)at[-1]) || strchr("\"`[]", at[-1])))
		at--;
	end = at;
	while (at > query && is_word_part(at[-1]))
		at--;
	return (struct span){at, (size_t)(end - at)};
}

/* The word that begins there, but for blanks and quotes. */
static struct span word_after(const char *at)
{
	struct span word;

	at += strspn(at, " \t\r\n\"`[]");
	for (word = (struct span){at, 0}; is_word_part(word.at[word.len]); word.len++)
		;
	return word;
}

/* Does the query read from the view, under that name if it is not empty? */
static bool reads_view(const char *query, const char *view, struct span name)
{
	struct span word;

	for (const char *at = query; *at; at = word.at + word.len + (word.len == 0)) {
		struct span before, after;

		for (word = (struct span){at, 0}; is_word_part(at[word.len]); word.len++)
			;
		if (!word.len || !span_is_nocase(word, view))
			continue;
		before = word_before(query, at);
		if (!span_is_nocase(before, "from") && !span_is_nocase(before, "join") &&
			(before.len || before.at == query ||
				!strchr(",.", before.at[-1])))
			continue;
		after = word_after(at + word.len);
		if (span_is_nocase(after, "as"))
			after = word_after(after.at + after.len);
		if (!name.len || span_is_nocase(name, view) ||
			(after.len == name.len &&
				sqlite3_strnicmp(after.at, name.at, (int)name.len) == 0))
			return true;
	}
	return false;
}

/* Reads the columns of the views that the query reads, or of the one that it calls so. */
static void known_columns(
	struct known *known, struct store *store, const char *query, struct span name)
{
	size_t count = 0;

	known_read(known, store, query, column_names);
	for (size_t i = 0; i < known->count; i++) {
		struct known_name column = known->at[i];

		if (reads_view(query, column.view, name)) {
			known->at[count++] = column;
			continue;
		}
		free(column.name);
		free(column.view);
	}
	known->count = count;
}

static void known_release(struct known *known)
{
	for (size_t i = 0; i < known->count; i++) {
		free(known->at[i].name);
		free(known->at[i].view);
	}
	free(known->at);
}

/* Takes names with a word of the asked one in them: "avg_power". */
static void offer_words(struct near *near, const struct known *known)
{
	const char *asked = near->asked;
	char *words = xstrdup(asked), *rest;

	for (char *word = strtok_r(words, "_", &rest); word && !near->count;
		word = strtok_r(NULL, "_", &rest)) {
		near->asked = word;
		for (size_t i = 0; i < known->count && strlen(word) >= WORD_LEAST; i++)
			near_offer_part(near, known->at[i].name);
	}
	near->asked = asked;
	free(words);
}

static const char views_with_column[] =
	"SELECT m.name, NULL FROM sqlite_master m, pragma_table_info(m.name) c "
	"WHERE m.type = 'view' AND c.name = lower(?) ORDER BY m.rowid LIMIT 3";
static const char labels_called[] =
	"SELECT key, NULL FROM run_label WHERE key = ? LIMIT 1";

/* Appends where else there is such a name: a label, or columns of other views. */
static size_t say_elsewhere(struct store *store, const char *asked, struct strbuf *sb)
{
	struct known known = {.count = 0};
	size_t count;

	known_read(&known, store, asked, labels_called);
	if (known.count) {
		strbuf_addf(sb,
			"; %s is a label: read l.value of JOIN labels l USING "
			"(run_id) WHERE l.name = '%s'",
			known.at[0].name, known.at[0].name);
	} else {
		known_read(&known, store, asked, views_with_column);
		for (size_t i = 0; i < known.count; i++) {
			strbuf_adds(sb, i ? "" : "; it is a column of ");
			strbuf_add_or(sb, i, i + 1 == known.count);
			strbuf_adds(sb, known.at[i].name);
		}
		strbuf_adds(sb, known.count ? ": join by run_id" : "");
	}
	count = known.count;
	known_release(&known);
	return count;
}

/* Appends the names near the unknown one; if there are none, the first names. */
static void say_nearest(struct store *store, const char *query, const char *names,
	const char *what, const char *asked, struct strbuf *sb)
{
	const char *dot = strrchr(asked, '.');
	struct near near = {.asked = dot ? dot + 1 : asked};
	struct known known = {.count = 0};
	struct name_list list;
	size_t near_count;

	if (names == column_names)
		known_columns(&known, store, query,
			(struct span){asked, dot ? (size_t)(dot - asked) : 0});
	else
		known_read(&known, store, query, names);
	for (size_t i = 0; i < known.count; i++)
		near_offer_sense(&near, known.at[i].name, true);
	near_count = near.count;
	for (size_t i = 0; i < known.count && !near_count; i++)
		near_offer(&near, known.at[i].name);
	near_count = near.count;
	for (size_t i = 0; i < known.count && !near_count; i++)
		near_offer_sense(&near, known.at[i].name, false);
	for (size_t i = 0; i < known.count && !near.count; i++)
		near_offer_words(&near, known.at[i].name);
	near_count = near.count;
	for (size_t i = 0; i < known.count && !near_count; i++)
		near_offer_part(&near, known.at[i].name);
	if (!near.count)
		offer_words(&near, &known);
	near_say(sb, &near, "");
	near_count = near.count;
	if (!near_count && names == column_names)
		near_count = say_elsewhere(store, near.asked, sb);
	name_list_init(&list, NAMES_LISTED);
	for (size_t i = 0; i < known.count && !near_count; i++)
		if (name_list_next(&list))
			strbuf_adds(&list.text, known.at[i].name);
	name_list_end(&list);
	if (list.count)
		strbuf_addf(sb, "; the %s are %s", what, list.text.text);
	name_list_release(&list);
	known_release(&known);
}

/* Appends how to write a column that several views of the query have. */
static void say_ambiguous(
	struct store *store, const char *query, const char *asked, struct strbuf *sb)
{
	struct known known = {.count = 0};
	size_t views = 0;

	known_columns(&known, store, query, SPAN_NONE);
	for (size_t i = 0; i < known.count; i++)
		if (sqlite3_stricmp(known.at[i].name, asked) == 0)
			strbuf_addf(sb, "%s%s.%s",
				views++ ? " or " : "; name the view (or its alias): ",
				known.at[i].view, asked);
	known_release(&known);
}

void query_say_names(struct store *store, const char *query, struct strbuf *sb)
{
	char *message = xstrdup(sqlite3_errmsg(store->db));
	int code = sqlite3_errcode(store->db);

	strbuf_addf(sb, "the query: %s", message);
	if (code == SQLITE_ERROR && strncmp(message, no_table, strlen(no_table)) == 0)
		say_nearest(store, query, view_names, "views", message + strlen(no_table),
			sb);
	else if (code == SQLITE_ERROR &&
		strncmp(message, no_column, strlen(no_column)) == 0)
		say_nearest(store, query, column_names, "columns",
			message + strlen(no_column), sb);
	else if (code == SQLITE_ERROR &&
		strncmp(message, ambiguous, strlen(ambiguous)) == 0)
		say_ambiguous(store, query, message + strlen(ambiguous), sb);
	else
		strbuf_clear(sb);
	free(message);
}

/* Does the description of a view's column begin with the words, which _ joins? */
static bool column_says(const char *view, const char *column, const char *words)
{
	size_t len = strlen(words), i = 0;
	struct column_text line;

	column_explain(view, column, &line);
	if (line.what.len < len)
		return false;
	while (i < len && line.what.at[i] == (words[i] == '_' ? ' ' : words[i]))
		i++;
	return i == len && !isalnum((unsigned char)line.what.at[len]);
}

/*
 * A column by other words for its name ("avg_power_w" of power_mean_w) is taken, if no
 * other column is as near, and said. A name without a statistic is the mean.
 */

#define SUBSTITUTES_MOST 32

/* Does the description of b say that it is a, as "mean power (power_mean_w)"? */
static bool is_alias(const struct known_name *a, const struct known_name *b)
{
	struct strbuf in_brackets = strbuf_new(), in = strbuf_new();
	struct column_text line;
	bool alias;

	column_explain(b->view, b->name, &line);
	strbuf_addf(&in_brackets, "(%s)", a->name);
	strbuf_addf(&in, "%s in ", a->name);
	alias = strcmp(a->view, b->view) == 0 &&
		(span_is(line.what, a->name) ||
			span_has_nocase(line.what, in_brackets.text) ||
			span_begins(line.what, in.text));
	strbuf_release(&in_brackets);
	strbuf_release(&in);
	return alias;
}

/* The column that the asked name, with a statistic behind, means; NULL: none, or
 * several. whole: see near_offer_sense(). */
static const struct known_name *column_meant(
	const struct known *known, const char *asked, const char *statistic, bool whole)
{
	struct strbuf name = strbuf_new();
	const struct known_name *meant = NULL;
	size_t least = SIZE_MAX;
	bool several = false;

	strbuf_addf(&name, "%s%s", asked, statistic);
	for (size_t i = 0; i < known->count; i++) {
		const struct known_name *one = &known->at[i];
		struct near near = {.asked = name.text,
			.owner = strcmp(one->view, "samples") == 0 ? "gpu_samples"
								   : one->view};

		near_offer_sense(&near, one->name, whole);
		if (!near.count || near.edits[0] > least)
			continue;
		if (near.edits[0] == least && meant) {
			if (is_alias(one, meant))
				meant = one;
			else if (!is_alias(meant, one))
				several |= strcmp(one->name, meant->name) != 0;
			continue;
		}
		least = near.edits[0];
		meant = one;
		several = false;
	}
	strbuf_release(&name);
	return several ? NULL : meant;
}

/* The column whose description begins with the asked words: "mean_duration_s". */
static const struct known_name *column_described(
	const struct known *known, const char *asked)
{
	const char *bar = strrchr(asked, '_');
	const struct known_name *meant = NULL;
	char *words = xstrndup(asked, bar ? (size_t)(bar - asked) : 0);
	size_t count = 0;

	for (size_t i = 0; i < known->count && bar; i++) {
		const struct known_name *one = &known->at[i];
		const char *unit = strrchr(one->name, '_');

		if (!strchr(words, '_') || !unit || strcmp(unit, bar) != 0 ||
			!column_says(one->view, one->name, words))
			continue;
		count++;
		meant = one;
	}
	free(words);
	return count == 1 ? meant : NULL;
}

/* The column of means whose name says no statistic: "temperature_c" of "mean_temp_c". */
static const struct known_name *column_of_means(
	const struct known *known, const char *asked)
{
	const char *bar = strchr(asked, '_');
	const struct known_name *meant = NULL;
	struct near near = {.asked = "mean"};
	struct column_text line;
	char *first = xstrndup(asked, bar ? (size_t)(bar - asked) : 0);

	near_offer_sense(&near, first, true);
	if (near.count)
		meant = column_meant(known, bar + 1, "", true);
	free(first);
	if (meant)
		column_explain(meant->view, meant->name, &line);
	return meant && span_begins(line.what, "mean ") ? meant : NULL;
}

/* Puts the column that a name of the query means in its place, and says so. */
static bool substitute(
	struct store *store, struct strbuf *query, struct span name, struct strbuf *note)
{
	char *asked = xstrndup(name.at, name.len);
	struct known known = {.count = 0};
	const struct known_name *meant;
	struct strbuf made = strbuf_new();
	struct column_text line;

	known_columns(&known, store, query->text,
		name.at > query->text && name.at[-1] == '.'
			? word_before(query->text, name.at - 1)
			: SPAN_NONE);
	meant = column_meant(&known, asked, "", true);
	if (!meant && strchr(asked, '_'))
		meant = column_meant(&known, asked, "_mean", true);
	if (!meant)
		meant = column_of_means(&known, asked);
	if (!meant)
		meant = column_described(&known, asked);
	if (!meant)
		meant = column_meant(&known, asked, "", false);
	if (meant) {
		column_explain(meant->view, meant->name, &line);
		strbuf_addf(&made, "%s is read as %s (%.*s)", asked, meant->name,
			(int)line.what.len, line.what.at);
		if (!strstr(note->text, made.text))
			strbuf_addf(note, "%s%s", note->len ? "; " : "", made.text);
		strbuf_clear(&made);
		strbuf_add(&made, query->text, (size_t)(name.at - query->text));
		strbuf_adds(&made, meant->name);
		strbuf_adds(&made, name.at + name.len);
		strbuf_clear(query);
		strbuf_adds(query, made.text);
	}
	strbuf_release(&made);
	known_release(&known);
	free(asked);
	return meant;
}

void query_say_maxima(struct store *store, const char *query, struct strbuf *note)
{
	struct strbuf asked = strbuf_new();
	struct known known = {.count = 0};

	known_columns(&known, store, query, SPAN_NONE);
	for (size_t i = 0; i < known.count; i++) {
		const struct known_name *mean = &known.at[i], *most;
		struct column_text line;

		column_explain(mean->view, mean->name, &line);
		strbuf_clear(&asked);
		strbuf_addf(&asked, "max(%s)", mean->name);
		if (!span_begins(line.what, "mean ") || !strstr(query, asked.text))
			continue;
		strbuf_clear(&asked);
		strbuf_addf(&asked, "max_%s", mean->name);
		most = column_meant(&known, asked.text, "", true);
		if (most)
			strbuf_addf(note,
				"%smax(%s) is the largest mean; %s is the maximum",
				note->len ? "; " : "", mean->name, most->name);
	}
	known_release(&known);
	strbuf_release(&asked);
}

/* The name of a column, without its table, at which SQLite stopped; else an empty one. */
static struct span unknown_column(struct store *store, const struct strbuf *query)
{
	const char *message = sqlite3_errmsg(store->db), *at, *dot;
	int offset = query_stopped_at(store);

	if (strncmp(message, no_column, strlen(no_column)) != 0)
		return SPAN_NONE;
	message += strlen(no_column);
	if (offset < 0 || (size_t)offset > query->len ||
		strncmp(query->text + offset, message, strlen(message)) != 0)
		return SPAN_NONE;
	dot = strrchr(message, '.');
	at = query->text + offset + (dot ? dot + 1 - message : 0);
	return (struct span){at, strlen(dot ? dot + 1 : message)};
}

void query_use_meant(struct store *store, struct strbuf *query, struct strbuf *note)
{
	for (int i = 0; i < SUBSTITUTES_MOST; i++) {
		sqlite3_stmt *stmt = NULL;
		int code = sqlite3_prepare_v2(store->db, query->text, -1, &stmt, NULL);
		struct span name;

		sqlite3_finalize(stmt);
		name = code == SQLITE_OK ? SPAN_NONE : unknown_column(store, query);
		if (!name.len || !substitute(store, query, name, note))
			return;
	}
}

/*
 * Why an answer may be empty: a text that a column is compared with and never has.
 *
 * Only columns with few texts are looked at, and no samples, which are many.
 */

#define TEXTS_MOST   500
#define TEXTS_LISTED 12
#define TEXT_LONG    40 /* bytes of what is a sentence, not a word to choose from */

/* Samples are many; the devices and runs that they name are those of the GPUs. */
static const char *view_of_texts(const struct known_name *column)
{
	static const char *const shared[] = {"device", "gpu", "run", "path"};

	if (!strstr(column->view, "samples"))
		return column->view;
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		if (strcmp(column->name, shared[i]) == 0)
			return "gpus";
	return NULL;
}

/* A literal of a query: a text without its quotes, or a number. */
struct literal {
	char *text; /* owned */
	bool is_number;
};

/* Appends what the column has instead of the literal; nothing if it has it. */
static void say_texts(struct store *store, const struct known_name *column,
	const struct literal *asked, struct strbuf *sb)
{
	const char *view = view_of_texts(column), *quote = asked->is_number ? "" : "'";
	struct strbuf query = strbuf_new();
	struct known known = {.count = 0};
	struct near near = {.asked = asked->text};
	bool has = false, long_texts = false, listed;

	if (view) {
		strbuf_addf(&query,
			"SELECT DISTINCT \"%s\", NULL FROM \"%s\" "
			"WHERE typeof(\"%s\") = 'text' ORDER BY 1 LIMIT %d",
			column->name, view, column->name, TEXTS_MOST);
		known_read(&known, store, NULL, query.text);
	}
	listed = known.count && known.count <= TEXTS_LISTED;
	for (size_t i = 0; i < known.count; i++) {
		has |= !asked->is_number && strcmp(known.at[i].name, asked->text) == 0;
		long_texts |= strlen(known.at[i].name) > TEXT_LONG;
		if (!asked->is_number)
			near_offer(&near, known.at[i].name);
	}
	for (size_t i = 0; i < known.count && !near.count && !asked->is_number; i++)
		near_offer_words(&near, known.at[i].name);
	listed = listed && !long_texts && !near.count;
	if (!has && (near.count || listed || (asked->is_number && known.count)))
		strbuf_addf(sb, "%s.%s is never %s%s%s", column->view, column->name,
			quote, asked->text, quote);
	if (sb->len && near.count)
		near_say(sb, &near, "");
	else if (sb->len && !listed)
		strbuf_addf(sb, ", it is a text such as '%s'%s", known.at[0].name,
			strcmp(column->name, "run") == 0 ? "; run_id is the number" : "");
	for (size_t i = 0; sb->len && listed && i < known.count; i++)
		strbuf_addf(sb, "%s'%s'",
			!i			      ? ", only "
				: i + 1 < known.count ? ", "
						      : " or ",
			known.at[i].name);
	known_release(&known);
	strbuf_release(&query);
}

/* The text that begins with the quote there, and the end of it in *at; a quote in it is
 * written twice. */
static char *quoted_text(const char **at)
{
	struct strbuf text = strbuf_new();
	char quote = *(*at)++;

	for (; **at; (*at)++) {
		if (**at == quote && *++*at != quote)
			break;
		strbuf_addc(&text, **at);
	}
	return strbuf_detach(&text);
}

/* The literal there, and the end of it in *at; its text is NULL if there is none. */
static struct literal read_literal(const char **at)
{
	size_t digits = strspn(*at, "0123456789");
	struct literal literal = {NULL, false};

	if (**at == '\'' || **at == '"') {
		literal.text = quoted_text(at);
	} else if (digits && !strchr(".eE", (*at)[digits] ? (*at)[digits] : ' ')) {
		literal = (struct literal){xstrndup(*at, digits), true};
		*at += digits;
	}
	return literal;
}

/* Appends that a run is named by its path, if only that has the literal. */
static void say_path(struct store *store, const char *view, bool pattern,
	const char *asked, struct strbuf *sb)
{
	struct known known = {.count = 0};

	known_read(&known, store, asked,
		"SELECT r.path, NULL FROM runs r, (SELECT ? AS text) a WHERE NOT EXISTS "
		"(SELECT 1 FROM runs o WHERE o.run = a.text OR o.run LIKE a.text OR "
		"o.run GLOB a.text) AND (r.name = a.text OR r.path LIKE a.text OR "
		"r.path GLOB a.text) LIMIT 1");
	if (known.count)
		strbuf_addf(sb, "%s.run is an id; use path%s%s%s", view,
			pattern ? "" : " LIKE '%", pattern ? "" : asked,
			pattern ? "" : "'");
	known_release(&known);
}

/* Appends why the word of the query, compared with the literal, has no rows. */
static void say_compared(struct store *store, const char *query, struct span word,
	bool pattern, const struct literal *literal, struct strbuf *sb)
{
	struct known known = {.count = 0};
	struct span view = word.at > query && word.at[-1] == '.'
		? word_before(query, word.at - 1)
		: SPAN_NONE;

	known_columns(&known, store, query, view);
	for (size_t i = 0; i < known.count && !sb->len; i++) {
		const struct known_name *column = &known.at[i];

		if (!span_is_nocase(word, column->name))
			continue;
		if (strcmp(column->name, "run") == 0 && !literal->is_number)
			say_path(store, column->view, pattern, literal->text, sb);
		if (!sb->len && !pattern)
			say_texts(store, column, literal, sb);
	}
	known_release(&known);
}

char *store_why_empty(struct store *store, const char *query)
{
	struct strbuf sb = strbuf_new();

	for (const char *at = query; (at = strpbrk(at, "='\"")) && !sb.len;) {
		struct span word = word_before(query, at);
		bool pattern =
			span_is_nocase(word, "like") || span_is_nocase(word, "glob");
		struct literal literal;

		if (*at == '=')
			at += strspn(at, "= \t\n");
		else if (pattern)
			word = word_before(query, word.at);
		else
			word.len = 0;
		literal = read_literal(&at);
		if (word.len && literal.text)
			say_compared(store, query, word, pattern, &literal, &sb);
		free(literal.text);
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}
