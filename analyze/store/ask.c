/*
 * What users ask of the database: what the views and their columns mean, SQL queries, and
 * which runs there are. Reads no sample. A query writes nothing, and only this database
 * is read: the connection is read-only, an authorizer rejects all but reads, and SQLite
 * confirms that the compiled statement only reads. The views are described by
 * schema/columns.txt, which is part of the program; metrics and keys of the summary by
 * their titles.
 */
#include <ctype.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "model/measure.h"
#include "store/internal.h"
#include "store/store.h"

#define COLUMNS 3

static const struct {
	const char *name, *text;
} written[] = {
#include "columns_text.inc"
};

/* A line of columns.txt: PLACE [UNIT]: WHAT. The text of a view begins with a
 * capital letter, that of a column with a small one. */
struct line {
	struct span place, unit, what;
};

/* Rows of names, units and sentences, all borrowed but for names, which are owned. */
struct listing {
	struct answer answer;
	char **name;
	struct answer_cell *cell; /* [COLUMNS] each */
	size_t count, cap, cell_cap, at;
};

/* Takes the next line that is no comment from the text; false: there is none. */
static bool next_line(const char **text, struct line *line)
{
	while (**text) {
		struct span whole = {*text, strcspn(*text, "\n")};
		const char *colon = strstr(whole.at, ": ");
		const char *bracket;

		*text += whole.len + (whole.at[whole.len] != '\0');
		if (!whole.len || whole.at[0] == '#' || !colon ||
			colon >= whole.at + whole.len)
			continue;
		line->place = (struct span){whole.at, (size_t)(colon - whole.at)};
		line->what = (struct span){
			colon + 2, whole.len - (size_t)(colon + 2 - whole.at)};
		line->unit = (struct span){"", 0};
		bracket = memchr(line->place.at, '[', line->place.len);
		if (bracket) {
			line->unit = (struct span){bracket + 1,
				line->place.len - (size_t)(bracket + 2 - whole.at)};
			line->place.len = (size_t)(bracket - 1 - whole.at);
		}
		return true;
	}
	return false;
}

static bool is_view(const struct line *line)
{
	return !line->unit.len && !memchr(line->place.at, '.', line->place.len) &&
		line->what.at[0] >= 'A' && line->what.at[0] <= 'Z';
}

static bool find_column(const char *place, struct line *line)
{
	const char *text = written[0].text;

	while (next_line(&text, line))
		if (span_is(line->place, place) && !is_view(line))
			return true;
	return false;
}

static struct span plain_unit(const char *unit)
{
	return span_of(strcmp(unit, "C") == 0 ? "°C" : unit);
}

/* What a column is: by its view and name, by its name, as a metric, as a summary key. */
static void explain(const char *view, const char *column, struct line *line)
{
	enum metric_id metric = metric_find(span_of(column));
	enum summary_key key = summary_key_find(span_of(column));
	struct strbuf place = strbuf_new();
	bool found;

	strbuf_addf(&place, "%s.%s", view, column);
	found = find_column(place.text, line) || find_column(column, line);
	strbuf_release(&place);
	if (found)
		return;
	*line = (struct line){.unit = span_of(""), .what = span_of("")};
	if (metric != METRIC_none) {
		line->unit = plain_unit(metric_get(metric)->unit);
		line->what = span_of(metric_get(metric)->title);
		return;
	}
	if (key != SUMMARY_COUNT) {
		line->unit = plain_unit(summary_field_get(key)->unit);
		line->what = span_of(summary_field_get(key)->title);
	}
}

/* Does the description of a view's column begin with the words, which _ joins? */
static bool column_says(const char *view, const char *column, const char *words)
{
	size_t len = strlen(words), i = 0;
	struct line line;

	explain(view, column, &line);
	if (line.what.len < len)
		return false;
	while (i < len && line.what.at[i] == (words[i] == '_' ? ' ' : words[i]))
		i++;
	return i == len && !isalnum((unsigned char)line.what.at[len]);
}

static int listing_next(struct answer *answer, struct error *err)
{
	struct listing *listing = (struct listing *)answer;

	(void)err;
	if (listing->at == listing->count)
		return 0;
	answer->cell = &listing->cell[COLUMNS * listing->at++];
	return 1;
}

static void listing_release(struct answer *answer)
{
	struct listing *listing = (struct listing *)answer;

	free_texts(listing->name, listing->count);
	free(listing->cell);
	free(listing);
}

static struct listing *listing_new(const char *const *column, size_t column_count)
{
	struct listing *listing = xcalloc(1, sizeof *listing);

	listing->answer = (struct answer){.column = column,
		.column_count = column_count,
		.next = listing_next,
		.free = listing_release};
	return listing;
}

/* Takes the name. second: the unit, or the sentence where there is no third. */
static void add(
	struct listing *listing, char *name, struct span second, struct span third)
{
	struct answer_cell *cell;

	ALLOC_GROW(listing->name, listing->count + 1, listing->cap);
	ALLOC_GROW(listing->cell, COLUMNS * (listing->count + 1), listing->cell_cap);
	listing->name[listing->count] = name;
	cell = &listing->cell[COLUMNS * listing->count++];
	cell[0] = (struct answer_cell){.kind = ANSWER_TEXT, .bytes = span_of(name)};
	cell[1] = (struct answer_cell){.kind = ANSWER_TEXT, .bytes = second};
	cell[2] = (struct answer_cell){.kind = ANSWER_TEXT, .bytes = third};
}

struct answer *store_views(void)
{
	static const char *const column[] = {"view", "content"};
	struct listing *listing = listing_new(column, 2);
	const char *text = written[0].text;
	struct line line;

	while (next_line(&text, &line))
		if (is_view(&line))
			add(listing, xstrndup(line.place.at, line.place.len), line.what,
				(struct span){"", 0});
	return &listing->answer;
}

int store_describe(const char *view, struct answer **out, struct error *err)
{
	static const char *const column[] = {"column", "unit", "meaning"};
	struct listing *listing = listing_new(column, COLUMNS);
	struct store *store = NULL; /* an empty one, for the columns */
	struct sql_row row;
	struct line line;
	int rc = store_open_temporary(&store, err);

	if (rc == 0) {
		sql_row_prepare(
			&row, store, "SELECT name FROM pragma_table_info(?)", err);
		sql_put_text(&row, view);
		while (sql_row_next(&row)) {
			char *name = NULL;

			sql_get_text(&row, &name);
			explain(view, name, &line);
			add(listing, name, line.unit, line.what);
		}
		rc = sql_row_end(&row);
	}
	store_close(store);
	if (rc < 0)
		listing_release(&listing->answer);
	else
		*out = &listing->answer;
	return rc;
}

bool store_is_view(const char *word, struct strbuf *near_text)
{
	struct near near = {.asked = word};
	struct answer *views = store_views();
	struct listing *listing = (struct listing *)views;
	bool found = false;

	for (size_t i = 0; i < listing->count; i++) {
		found = found || strcmp(listing->name[i], word) == 0;
		near_offer(&near, listing->name[i]);
	}
	near_say(near_text, &near, "");
	answer_free(views);
	return found;
}

/* The longest value that an answer may hold, or make on its way. */
#define VALUE_BYTES_MAX (1 << 26)

struct asking {
	struct answer answer;
	struct store *store;
	sqlite3_stmt *stmt;
	char **column;
	struct answer_cell *cell;
	int64_t limit_ns; /* for all rows together; 0: none */
	int64_t spent_ns; /* on the rows before */
	int64_t since_ns; /* when this row began, by the monotonic clock */
};

/* Those that tell of the schema or the file; the last ones only without a new value. */
static bool is_harmless_pragma(const char *name, const char *argument)
{
	static const char *const with[] = {"table_info", "table_xinfo", "table_list",
		"index_list", "index_info", "index_xinfo", "foreign_key_list",
		"integrity_check", "quick_check"};
	static const char *const without[] = {"application_id", "user_version",
		"schema_version", "page_count", "page_size", "freelist_count", "encoding",
		"database_list", "compile_options", "function_list", "collation_list",
		"query_only", "journal_mode"};

	for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
		if (sqlite3_stricmp(name, with[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof without / sizeof without[0] && !argument; i++)
		if (sqlite3_stricmp(name, without[i]) == 0)
			return true;
	return false;
}

/* What else SQLite has by itself only computes. */
static bool is_harmless_function(const char *name)
{
	return sqlite3_stricmp(name, "load_extension") != 0 &&
		sqlite3_stricmp(name, "fts3_tokenizer") != 0;
}

static int authorize(void *context, int action, const char *first, const char *second,
	const char *database, const char *by)
{
	(void)context;
	(void)database;
	(void)by;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_harmless_function(second) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE: /* so SQLite asks for json_each() and its like, of which it
			       makes tables that are nowhere written; who really wants to
			       change the schema is told so by SQLite */
		return sqlite3_stricmp(first, "sqlite_master") == 0 ? SQLITE_OK
								    : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_harmless_pragma(first, second) ? SQLITE_OK : SQLITE_DENY;
	default: /* an int of SQLite's, which learns new ones */
		return SQLITE_DENY;
	}
}

static int refuse_change(struct error *err)
{
	return error_set(err,
		"only queries that read the runs database are allowed: SELECT, WITH, "
		"VALUES, EXPLAIN");
}

/* Where in the query SQLite stopped; -1: unknown. */
static int stopped_at(const struct store *store)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	return sqlite3_error_offset(store->db);
#else
	(void)store;
	return -1;
#endif
}

/* What is wrong with the query itself is no fault of the database. */
static int failed(struct store *store, struct error *err)
{
	int code = sqlite3_errcode(store->db), at = stopped_at(store);

	if (code == SQLITE_AUTH)
		return refuse_change(err);
	if (code != SQLITE_ERROR && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
		return sql_error(store, err);
	if (at >= 0)
		return error_set(
			err, "query: %s (at byte %d)", sqlite3_errmsg(store->db), at + 1);
	return error_set(err, "the query: %s", sqlite3_errmsg(store->db));
}

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

/* With the nearest names, if a name is unknown. */
static int cannot_compile(struct store *store, const char *query, struct error *err)
{
	char *message = xstrdup(sqlite3_errmsg(store->db));
	int code = sqlite3_errcode(store->db), rc;
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb, "the query: %s", message);
	if (code == SQLITE_ERROR && strncmp(message, no_table, strlen(no_table)) == 0)
		say_nearest(store, query, view_names, "views", message + strlen(no_table),
			&sb);
	else if (code == SQLITE_ERROR &&
		strncmp(message, no_column, strlen(no_column)) == 0)
		say_nearest(store, query, column_names, "columns",
			message + strlen(no_column), &sb);
	else if (code == SQLITE_ERROR &&
		strncmp(message, ambiguous, strlen(ambiguous)) == 0)
		say_ambiguous(store, query, message + strlen(ambiguous), &sb);
	else
		strbuf_clear(&sb);
	rc = sb.len ? error_set(err, "%s", sb.text) : failed(store, err);
	strbuf_release(&sb);
	free(message);
	return rc;
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
	struct line line;
	bool alias;

	explain(b->view, b->name, &line);
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
	struct line line;
	char *first = xstrndup(asked, bar ? (size_t)(bar - asked) : 0);

	near_offer_sense(&near, first, true);
	if (near.count)
		meant = column_meant(known, bar + 1, "", true);
	free(first);
	if (meant)
		explain(meant->view, meant->name, &line);
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
	struct line line;

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
		explain(meant->view, meant->name, &line);
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

/* Says of each max() of a column of means which column has the maximum. */
static void say_maxima(struct store *store, const char *query, struct strbuf *note)
{
	struct strbuf asked = strbuf_new();
	struct known known = {.count = 0};

	known_columns(&known, store, query, SPAN_NONE);
	for (size_t i = 0; i < known.count; i++) {
		const struct known_name *mean = &known.at[i], *most;
		struct line line;

		explain(mean->view, mean->name, &line);
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
	int offset = stopped_at(store);

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

/* Puts the columns that names of the query mean in their places, until SQLite takes it
 * or stops at another fault. */
static void use_meant_columns(
	struct store *store, struct strbuf *query, struct strbuf *note)
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

static struct answer_cell cell_of(sqlite3_stmt *stmt, int column)
{
	struct answer_cell cell = {.kind = ANSWER_NULL};

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		cell.kind = ANSWER_INTEGER;
		cell.integer = sqlite3_column_int64(stmt, column);
		break;
	case SQLITE_FLOAT:
		cell.kind = ANSWER_REAL;
		cell.real = sqlite3_column_double(stmt, column);
		break;
	case SQLITE_TEXT:
		cell.kind = ANSWER_TEXT;
		cell.bytes.at = (const char *)sqlite3_column_text(stmt, column);
		break;
	case SQLITE_BLOB:
		cell.kind = ANSWER_BLOB;
		cell.bytes.at = sqlite3_column_blob(stmt, column);
		break;
	default:
		break;
	}
	if (cell.kind == ANSWER_TEXT || cell.kind == ANSWER_BLOB)
		cell.bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
	return cell;
}

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

#define STEPS_BETWEEN_LOOKS 100000 /* of SQLite's machine: some milliseconds */

static int is_too_long(void *context)
{
	const struct asking *asking = context;

	return asking->spent_ns + clock_ns() - asking->since_ns > asking->limit_ns;
}

static int tell_too_long(const struct asking *asking, struct error *err)
{
	struct strbuf limit = strbuf_new();

	quantity_span(&limit, (double)asking->limit_ns / (double)NS_PER_S);
	error_set(err,
		"the query was stopped after %s; --timeout TIME gives it more, a WHERE "
		"makes it shorter",
		limit.text);
	strbuf_release(&limit);
	return -1;
}

static int next(struct answer *answer, struct error *err)
{
	struct asking *asking = (struct asking *)answer;
	int rc;

	asking->since_ns = clock_ns();
	rc = sqlite3_step(asking->stmt);
	asking->spent_ns += clock_ns() - asking->since_ns;
	switch (rc) {
	case SQLITE_ROW:
		break;
	case SQLITE_DONE:
		return 0;
	case SQLITE_INTERRUPT:
		return tell_too_long(asking, err);
	default:
		return failed(asking->store, err);
	}
	for (size_t i = 0; i < answer->column_count; i++) {
		struct answer_cell *cell = &asking->cell[i];

		*cell = cell_of(asking->stmt, (int)i);
		answer->has_value |= cell->kind != ANSWER_NULL &&
			(cell->kind != ANSWER_INTEGER || cell->integer);
	}
	return 1;
}

static void release(struct answer *answer)
{
	struct asking *asking = (struct asking *)answer;

	sqlite3_finalize(asking->stmt);
	sqlite3_progress_handler(asking->store->db, 0, NULL, NULL);
	free_texts(asking->column, answer->column_count);
	free(asking->cell);
	free(asking);
}

static struct answer *ask_answer(
	struct store *store, sqlite3_stmt *stmt, int64_t limit_ns)
{
	struct asking *asking = xcalloc(1, sizeof *asking);
	size_t count = (size_t)sqlite3_column_count(stmt);

	asking->store = store;
	asking->stmt = stmt;
	asking->limit_ns = limit_ns;
	if (limit_ns)
		sqlite3_progress_handler(
			store->db, STEPS_BETWEEN_LOOKS, is_too_long, asking);
	asking->column = xcalloc(count, sizeof *asking->column);
	asking->cell = xcalloc(count, sizeof *asking->cell);
	/* The first step may compile the statement anew, and its names with it. */
	for (size_t i = 0; i < count; i++)
		asking->column[i] = xstrdup(sqlite3_column_name(stmt, (int)i));
	asking->answer = (struct answer){.column = (const char *const *)asking->column,
		.cell = asking->cell,
		.column_count = count,
		.next = next,
		.free = release};
	return &asking->answer;
}

/* Behind the query there may be blanks, comments and semicolons. */
static int check_alone(struct store *store, const char *rest, struct error *err)
{
	while (*rest) {
		sqlite3_stmt *stmt = NULL;

		if (sqlite3_prepare_v2(store->db, rest, -1, &stmt, &rest) != SQLITE_OK)
			return failed(store, err);
		if (!stmt)
			continue;
		sqlite3_finalize(stmt);
		return error_set(
			err, "the query has several statements; only one is run");
	}
	return 0;
}

static int compile(
	struct store *store, const char *query, sqlite3_stmt **stmt, struct error *err)
{
	const char *rest = query;

	if (strlen(query) >= VALUE_BYTES_MAX)
		return error_set(
			err, "the query is too long (at most %d bytes)", VALUE_BYTES_MAX);
	while (*rest && !*stmt)
		if (sqlite3_prepare_v2(store->db, rest, -1, stmt, &rest) != SQLITE_OK)
			return cannot_compile(store, query, err);
	if (!*stmt)
		return error_set(err, "the query is empty; expected a SELECT");
	if (check_alone(store, rest, err) < 0)
		return -1;
	if (!sqlite3_stmt_readonly(*stmt) || !sqlite3_column_count(*stmt))
		return refuse_change(err);
	if (sqlite3_bind_parameter_count(*stmt))
		return error_set(err,
			"the query has a parameter (%s); write its value instead",
			sqlite3_bind_parameter_name(*stmt, 1)
				? sqlite3_bind_parameter_name(*stmt, 1)
				: "?");
	return 0;
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

int store_ask(struct store *store, const char *query, int64_t limit_ns,
	struct answer **out, struct strbuf *note, struct error *err)
{
	struct strbuf meant = strbuf_new();
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(store->db, authorize, NULL);
	strbuf_adds(&meant, strlen(query) < VALUE_BYTES_MAX ? query : "");
	use_meant_columns(store, &meant, note);
	rc = compile(store, note->len ? meant.text : query, &stmt, err);
	if (rc == 0)
		say_maxima(store, meant.text, note);
	strbuf_release(&meant);
	if (rc < 0) {
		sqlite3_finalize(stmt);
		return -1;
	}
	*out = ask_answer(store, stmt, limit_ns);
	return 0;
}

/* Is run r called n.name: by its key, its path, the last part of that, or a glob? */
#define IS_CALLED                                                             \
	"(r.run_key = n.name OR rtrim(r.path, '/') = n.name "                 \
	"OR substr(rtrim(r.path, '/'), -length(n.name) - 1) = '/' || n.name " \
	"OR rtrim(r.path, '/') GLOB n.name "                                  \
	"OR rtrim(r.path, '/') GLOB '*/' || n.name)"

/* Begins a statement: the names as a table. */
static void add_names(struct strbuf *sb, const struct run_choice *choice)
{
	for (size_t i = 0; i < choice->name_count; i++)
		strbuf_adds(sb, i ? ", (?)" : "WITH n (name) AS (VALUES (?)");
	strbuf_adds(sb, choice->name_count ? ") " : "");
}

static void add_labels(struct strbuf *sb, const struct run_choice *choice)
{
	for (size_t i = 0; i < choice->where->count; i++)
		strbuf_adds(sb,
			" AND EXISTS (SELECT 1 FROM run_label l WHERE l.run_id = "
			"r.run_id AND l.key = ? AND l.value = ?)");
}

/* Ends one on run r: behind WHERE. */
static void add_choice(struct strbuf *sb, const struct run_choice *choice)
{
	strbuf_adds(sb,
		choice->name_count ? "EXISTS (SELECT 1 FROM n WHERE " IS_CALLED ")"
				   : "1");
	add_labels(sb, choice);
}

/* A path is the same with slashes at its end. */
static void put_name(struct sql_row *row, const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	sql_put_span(row, (struct span){name, len});
}

static void prepare(struct store *store, struct sql_row *row, const char *text,
	const struct run_choice *choice, struct error *err)
{
	sql_row_prepare(row, store, text, err);
	for (size_t i = 0; i < choice->name_count; i++)
		put_name(row, choice->name[i]);
	for (size_t i = 0; i < choice->where->count; i++) {
		sql_put_text(row, choice->where->at[i].key);
		sql_put_text(row, choice->where->at[i].value);
	}
}

/* Each name is to be one of a run that has the labels. */
static int check_names(
	struct store *store, const struct run_choice *choice, struct error *err)
{
	int64_t runs = 0;
	char *name = NULL;
	struct strbuf sb;
	struct sql_row row;
	int rc;

	if (!choice->name_count)
		return 0;
	if (choice->name_count >
		(size_t)sqlite3_limit(store->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1) / 2)
		return error_set(
			err, "%zu names are too many; use a glob", choice->name_count);
	strbuf_init(&sb);
	add_names(&sb, choice);
	strbuf_adds(&sb,
		"SELECT name FROM n WHERE NOT EXISTS (SELECT 1 FROM run r "
		"WHERE " IS_CALLED);
	add_labels(&sb, choice);
	strbuf_adds(&sb, ") LIMIT 1");
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	if (sql_row_next(&row))
		sql_get_text(&row, &name);
	rc = sql_row_end(&row);
	if (rc < 0 || !name)
		return rc;
	rc = sql_number(store, "SELECT count(*) FROM run", &runs, err);
	if (rc == 0)
		rc = error_set(err, "%s: none of the %lld runs matches %s%s", store->path,
			(long long)runs, name,
			choice->where->count ? " with the labels of --where" : "");
	free(name);
	return rc;
}

/* clang-format off */
#define LABELS                                                                     \
	"(SELECT group_concat(t.text, ', ') FROM (SELECT l.key || '=' || l.value " \
	"AS text FROM run_label l WHERE l.run_id = r.run_id ORDER BY l.key) t)"

/* Such a BLOB is a number to those who print it. */
#define TENTHS(x) \
	"CASE WHEN " x " IS NOT NULL THEN CAST(printf('%.1f', " x ") AS BLOB) END"

static const char brief_columns[] =
	"rtrim(r.path, '/') AS run, "
	"replace(substr(v.started_at, 1, 19), 'T', ' ') AS started, "
	"span(v.duration_s) AS time, v.gpu_count AS GPUs, "
	TENTHS("v.gpu_util_mean_pct") " AS \"GPU %\", v.grade, "
	"coalesce(" LABELS ", '') AS labels, "
	"CASE WHEN outdated THEN 'outdated' WHEN (SELECT e.no_end FROM ending e "
	"WHERE e.run_id = r.run_id) THEN 'recorder ended' ELSE '' END AS note";
static const bool brief_names[] = {true, [6] = true, [7] = false};
static const char all_columns[] =
	"v.run, v.path, v.started_at, v.ended_at, v.duration_s, v.host, v.command, "
	"v.exit_status, v.grade, v.gpu_count, v.gpu_util_mean_pct, v.peak_vram_mib, "
	LABELS " AS labels, outdated";
/* clang-format on */

/* As everybody else tells people how long something was. */
static void span_text(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct strbuf sb;

	if (count != 1 || sqlite3_value_type(value[0]) == SQLITE_NULL)
		return; /* NULL */
	strbuf_init(&sb);
	quantity_span(&sb, sqlite3_value_double(value[0]));
	sqlite3_result_text(context, sb.text, -1, SQLITE_TRANSIENT);
	strbuf_release(&sb);
}

/* Are the rows of chosen runs, of which a list tells, as they were written? */
static int check_chosen(struct store *store, const struct run_choice *choice,
	bool summaries, struct error *err)
{
	struct strbuf sb = strbuf_new();
	struct sql_row row;

	add_names(&sb, choice);
	strbuf_adds(&sb, "SELECT 1");
	if (summaries)
		strbuf_adds(&sb, ", " SQL_SEALED "s.*");
	else
		run_add_sealed(&sb);
	strbuf_addf(&sb, " FROM run r %s WHERE ",
		summaries ? "JOIN run_summary s ON s.run_id = r.run_id" : "");
	add_choice(&sb, choice);
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	sql_check_seals(&row, summaries ? "run_summary" : "run");
	while (sql_row_next(&row))
		;
	return sql_row_end(&row);
}

int store_list(struct store *store, const struct run_choice *choice, bool brief,
	struct answer **out, struct error *err)
{
	struct strbuf sb;
	struct sql_row row;

	if (check_names(store, choice, err) < 0 ||
		check_chosen(store, choice, false, err) < 0 ||
		check_chosen(store, choice, true, err) < 0)
		return -1;
	strbuf_init(&sb);
	add_names(&sb, choice);
	strbuf_addf(&sb,
		"SELECT %s FROM (SELECT *, definitions_version <> %d AS outdated "
		"FROM run) r JOIN runs v ON v.run_id = r.run_id WHERE ",
		brief ? brief_columns : all_columns, DEFINITIONS_VERSION);
	add_choice(&sb, choice);
	strbuf_adds(&sb, " ORDER BY r.started_ns IS NULL, r.started_ns, r.run_id");
	sqlite3_create_function(store->db, "span", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
		NULL, span_text, NULL, NULL);
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	if (row.rc < 0)
		return sql_row_end(&row);
	*out = ask_answer(store, row.stmt, 0);
	(*out)->names = brief ? brief_names : NULL;
	return 0;
}

static int find_chosen(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	struct strbuf sb = strbuf_new();
	struct sql_row row;

	add_names(&sb, choice);
	strbuf_adds(&sb, "SELECT r.run_id, r.run_key, r.path FROM run r WHERE ");
	add_choice(&sb, choice);
	strbuf_adds(&sb, " ORDER BY r.started_ns IS NULL, r.started_ns, r.run_id");
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	while (sql_row_next(&row)) {
		struct listed_run *run;

		run = &ALLOC_NEXT(list->run, list->count, list->cap);
		*run = (struct listed_run){.run_id = sql_get_int(&row)};
		sql_get_text(&row, &run->key);
		sql_get_text(&row, &run->path);
	}
	return sql_row_end(&row);
}

int runs_choose(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	*list = (struct run_list){0};
	if (check_names(store, choice, err) == 0 &&
		find_chosen(store, choice, list, err) == 0)
		return 0;
	run_list_release(list);
	return -1;
}

/* Is one chosen? 1; 0; -1 */
static int is_any_chosen(
	struct store *store, const struct run_choice *choice, struct error *err)
{
	struct run_list list;
	int64_t any = 0;
	int rc;

	if (choice->name_count || choice->where->count) {
		rc = runs_choose(store, choice, &list, err);
		if (rc == 0) {
			any = list.count > 0;
			run_list_release(&list);
		}
	} else {
		/* Of all runs one is enough, however many there are. */
		rc = sql_number(store, "SELECT EXISTS (SELECT 1 FROM run)", &any, err);
	}
	return rc < 0 ? -1 : any > 0;
}

int store_none_chosen(struct store *store, const struct run_choice *choice,
	char **sentence, struct error *err)
{
	int64_t runs;
	struct strbuf sb;
	int any = is_any_chosen(store, choice, err);

	*sentence = NULL;
	if (any)
		return any < 0 ? -1 : 0;
	if (sql_number(store, "SELECT count(*) FROM run", &runs, err) < 0)
		return -1;
	strbuf_init(&sb);
	strbuf_addf(&sb, "%s: ", store->path);
	if (runs)
		strbuf_addf(&sb, "none of the %lld runs has the labels of --where",
			(long long)runs);
	else
		strbuf_adds(&sb, "the database has no runs");
	*sentence = strbuf_detach(&sb);
	return 0;
}

static int forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	if (runs_choose(store, choice, list, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		if (run_delete(store, list->run[i].run_id, err) < 0)
			return -1;
	return sql_exec(store, "COMMIT", err);
}

int store_forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	*list = (struct run_list){0};
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (forget(store, choice, list, err) == 0)
		return 0;
	sql_rollback(store);
	run_list_release(list);
	return -1;
}

void run_list_release(struct run_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->run[i].key);
		free(list->run[i].path);
	}
	free(list->run);
	*list = (struct run_list){0};
}
