/*
 * Names in the queries of users: what an unknown one may mean, which names are near it,
 * and why a query may have no rows.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "model/metric.h"
#include "store/internal.h"
#include "store/store.h"

static const char no_table[] = "no such table: ", no_column[] = "no such column: ",
		  no_function[] = "no such function: ",
		  ambiguous[] = "ambiguous column name: ";

#define NAMES_LISTED   30
#define WORD_LEAST     4 /* letters of a word that is looked for in names */
#define STEM_LEAST     5
#define ENDING_LETTERS 2

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

/* Appends the names that the statement selects for so many texts as it has parameters. */
static void known_read_for(struct known *known, struct store *store, const char *first,
	const char *second, const char *names)
{
	struct sql_row row;
	struct error none;
	int texts;

	sql_row_prepare(&row, store, names, &none);
	texts = sqlite3_bind_parameter_count(row.stmt);
	for (int i = 0; i < texts; i++)
		sql_put_text(&row, i ? second : first);
	while (sql_row_next(&row)) {
		struct known_name *last;

		last = &ALLOC_NEXT(known->at, known->count, known->cap);
		*last = (struct known_name){NULL, NULL};
		sql_get_text(&row, &last->name);
		sql_get_text(&row, &last->view);
	}
	sql_row_end(&row);
}

static void known_read(
	struct known *known, struct store *store, const char *text, const char *names)
{
	known_read_for(known, store, text, NULL, names);
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

/* Takes names that have some of the asked words. */
static void offer_parts(struct near *near, const struct known *known)
{
	size_t near_count;

	for (size_t i = 0; i < known->count; i++)
		near_offer_sense(near, known->at[i].name, false);
	for (size_t i = 0; i < known->count && !near->count; i++)
		near_offer_words(near, known->at[i].name);
	near_count = near->count;
	for (size_t i = 0; i < known->count && !near_count; i++)
		near_offer_part(near, known->at[i].name);
	if (!near->count)
		offer_words(near, known);
}

static const char views_with_column[] =
	"SELECT m.name, NULL FROM sqlite_master m, pragma_table_info(m.name) c "
	"WHERE m.type = 'view' AND c.name = lower(?1) "
	"ORDER BY instr(?2, substr(m.name, 1, 5)) = 0, m.rowid LIMIT 3";
static const char labels_called[] =
	"SELECT key, NULL FROM run_label WHERE key = ? LIMIT 1";

/* Appends where else there is such a name: a label, or columns of other views, first of
 * those with a name like `view`. */
static size_t say_elsewhere(
	struct store *store, const char *view, const char *asked, struct strbuf *sb)
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
		known_read_for(&known, store, asked, view, views_with_column);
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

/* Appends the view whose description has a word of the asked ones, whatever its ending;
 * false: none has. */
static bool say_view_of(const char *asked, struct strbuf *sb)
{
	struct answer *views = store_views();
	size_t len = strcspn(asked, "_");
	char *stem = xstrndup(asked, len > STEM_LEAST ? len - ENDING_LETTERS : 0);
	struct error none;
	bool found = false;

	while (*stem && !found && views->next(views, &none) > 0) {
		found = span_has_nocase(views->cell[1].bytes, stem);
		if (found)
			strbuf_addf(sb, "; see the view %.*s: %.*s",
				(int)views->cell[0].bytes.len, views->cell[0].bytes.at,
				(int)views->cell[1].bytes.len, views->cell[1].bytes.at);
	}
	answer_free(views);
	free(stem);
	return found;
}

/* First words of names that no view has, and where the answer is; view NULL: any. */
static const struct {
	const char *view, *word, *how;
} elsewhere[] = {
	{"calls", "count", "each row is a call: count(*) ... GROUP BY name"},
	{"calls", "calls", "each row is a call: count(*) ... GROUP BY name"},
	{"calls", "total", "each row is a call: sum(duration_s) ... GROUP BY name"},
	{"calls", "mean", "each row is a call: avg(duration_s) ... GROUP BY name"},
	{"calls", "avg", "each row is a call: avg(duration_s) ... GROUP BY name"},
	{"calls", "min", "each row is a call: min(duration_s) ... GROUP BY name"},
	{"calls", "max", "each row is a call: max(duration_s) ... GROUP BY name"},
	{"processes", "cpu",
		"the CPU time of all processes of the command is in metrics: SELECT run, "
		"increase FROM metrics WHERE metric = 'tree_cpu_s' AND device = "
		"'combined'"},
	{NULL, "cuda", "the CUDA version is not recorded; runs has driver_version"},
	{NULL, "rank",
		"ranks are not recorded; collect --label rank=0 labels the run of one, "
		"and "
		"processes has the pids"},
};

static bool is_first_word(const char *asked, const char *word)
{
	size_t len = strlen(word);

	return strncmp(asked, word, len) == 0 && (!asked[len] || asked[len] == '_');
}

/* Appends where the statistic of a metric is that a view lacks: "sm_clock_max". */
static bool say_metric(const char *asked, struct strbuf *sb)
{
	static const char *const statistics[] = {
		"mean", "min", "max", "p50", "p90", "p95", "p99", "stddev"};

	for (size_t id = 0; id < METRIC_COUNT; id++) {
		const char *name = metric_get((enum metric_id)id)->name;
		const char *unit = strrchr(name, '_');
		size_t len = unit ? (size_t)(unit - name) : strlen(name);

		if (strncmp(asked, name, len) != 0 || asked[len] != '_')
			continue;
		for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
			if (!is_first_word(asked + len + 1, statistics[i]))
				continue;
			strbuf_addf(sb,
				"; it is in metrics: SELECT run, device, %s FROM metrics "
				"WHERE metric = '%s'",
				statistics[i], name);
			return true;
		}
	}
	return false;
}

static bool say_where(const char *query, const char *asked, struct strbuf *sb)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (!is_first_word(asked, elsewhere[i].word) ||
			(elsewhere[i].view &&
				!reads_view(query, elsewhere[i].view, SPAN_NONE)))
			continue;
		strbuf_addf(sb, "; %s", elsewhere[i].how);
		return true;
	}
	return say_metric(asked, sb);
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

	if (names == column_names && say_where(query, near.asked, sb))
		return;
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
	if (!near_count && names == column_names)
		near_count = say_elsewhere(
			store, known.count ? known.at[0].view : "", near.asked, sb);
	if (!near_count)
		offer_parts(&near, &known);
	near_say(sb, &near, "");
	near_count += near.count;
	if (!near_count && names == column_names)
		near_count = say_view_of(near.asked, sb);
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
	else if (code == SQLITE_ERROR &&
		strncmp(message, no_function, strlen(no_function)) == 0)
		strbuf_adds(sb,
			"; hwsummarize adds median(x), percentile(x, p) and "
			"stddev(x) to those of SQLite");
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

/* What has the columns of a view: a process of the view is one on a GPU. */
static const char *owner_of(const char *view)
{
	return strcmp(view, "samples") == 0	 ? "gpu_samples"
		: strcmp(view, "processes") == 0 ? "gpu_processes"
						 : view;
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
		struct near near = {.asked = name.text, .owner = owner_of(one->view)};

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

static const struct known_name *column_by_sense(
	const struct known *known, const char *asked)
{
	const struct known_name *meant = column_meant(known, asked, "", true);

	if (!meant && strchr(asked, '_'))
		meant = column_meant(known, asked, "_mean", true);
	if (!meant)
		meant = column_of_means(known, asked);
	return meant ? meant : column_described(known, asked);
}

/* Units that a column is converted to: energy_kwh of energy_j. */
static const struct {
	const char *asked, *stored, *conversion;
} conversions[] = {{"ms", "s", "* 1000"}, {"min", "s", "/ 60"}, {"minutes", "s", "/ 60"},
	{"h", "s", "/ 3600"}, {"hours", "s", "/ 3600"}, {"kj", "j", "/ 1000"},
	{"wh", "j", "/ 3600"}, {"kwh", "j", "/ 3.6e6"}, {"kw", "w", "/ 1000"},
	{"j", "wh", "* 3600"}, {"gib", "mib", "/ 1024"}, {"mb", "mib", "* 1.048576"},
	{"gb", "mib", "* 1.048576e-3"}, {"ghz", "mhz", "/ 1000"}};

/* The column of the name that is a share from 0 to 1; NULL: none. */
static const struct known_name *share_called(const struct known *known, struct span name)
{
	for (size_t i = 0; i < known->count; i++) {
		struct column_text line;

		column_explain(known->at[i].view, known->at[i].name, &line);
		if (span_is(name, known->at[i].name) && span_begins(line.what, "share "))
			return &known->at[i];
	}
	return NULL;
}

/* Appends a column that has the asked words and another unit, converted. */
static void convert_unit(const struct known *known, const char *asked, struct span owner,
	struct strbuf *expression)
{
	const char *bar = strrchr(asked, '_');
	struct span words = {asked, bar ? (size_t)(bar - asked) : 0};
	const struct known_name *column = NULL;
	const char *conversion = "* 100";

	if (bar && strcmp(bar, "_pct") == 0)
		column = share_called(known, words);
	for (size_t i = 0; bar && i < sizeof conversions / sizeof *conversions; i++) {
		struct strbuf name = strbuf_new();

		strbuf_addf(
			&name, "%.*s_%s", (int)words.len, asked, conversions[i].stored);
		if (!column && strcmp(bar + 1, conversions[i].asked) == 0) {
			column = column_by_sense(known, name.text);
			if (!column)
				column = column_meant(known, name.text, "", false);
			conversion = conversions[i].conversion;
		}
		strbuf_release(&name);
	}
	if (column)
		strbuf_addf(expression, "%.*s%s %s", (int)owner.len, owner.at,
			column->name, conversion);
}

static bool has_name(struct store *store, const char *asked, const char *names)
{
	struct known known = {.count = 0};
	bool has;

	known_read(&known, store, asked, names);
	has = known.count;
	known_release(&known);
	return has;
}

/* The columns of the view runs that are true of each row of a run. What was measured
 * is not: a phase has its own energy. A label has no such own. */
static void run_columns(
	struct known *known, struct store *store, const struct known *of_query)
{
	bool is_label = false, keep;
	size_t count = 0;

	for (size_t i = 0; i < of_query->count; i++)
		is_label |= strcmp(of_query->at[i].view, "labels") == 0;
	known_read(
		known, store, NULL, "SELECT name, 'runs' FROM pragma_table_info('runs')");
	for (size_t i = 0; i < known->count; i++) {
		struct known_name column = known->at[i];
		struct column_text line;

		column_explain(column.view, column.name, &line);
		keep = is_label || !line.unit.len || span_is(line.unit, "UTC") ||
			span_is(line.unit, "s");
		if (keep) {
			known->at[count++] = column;
			continue;
		}
		free(column.name);
		free(column.view);
	}
	known->count = count;
}

/* Appends what the run of the row has under the name: its label or its column of the view
 * runs; and to `says` what that is. */
static void add_value_of_run(struct store *store, const char *asked, struct span owner,
	const struct known *of_query, struct strbuf *expression, struct strbuf *says)
{
	struct known known = {.count = 0};
	struct strbuf value = strbuf_new();
	bool is_label = has_name(store, asked, labels_called);

	if (is_label) {
		strbuf_adds(&value, "value");
		strbuf_addf(says, "the label %s", asked);
	} else {
		const struct known_name *column;

		run_columns(&known, store, of_query);
		column = column_by_sense(&known, asked);
		if (column)
			strbuf_adds(&value, column->name);
		else
			convert_unit(&known, asked, SPAN_NONE, &value);
		strbuf_addf(says, "runs.%s", value.text);
	}
	/* The inner names are new, so run_id is that of the row. The view is in brackets
	 * for known_columns(), which looks for the views that the query itself reads. */
	if (value.len)
		strbuf_addf(expression,
			"SELECT of_run.value FROM (SELECT run_id AS of_run_id, %s AS "
			"value "
			"FROM (%s)%s%s%s) of_run WHERE of_run.of_run_id = %.*srun_id",
			value.text, is_label ? "labels" : "runs",
			is_label ? " WHERE name = '" : "", is_label ? asked : "",
			is_label ? "'" : "", (int)owner.len, owner.at);
	strbuf_release(&value);
	known_release(&known);
}

/* Appends once what a name is read as. */
static void say_read_as(
	struct strbuf *note, const char *asked, const char *name, struct span what)
{
	struct strbuf says = strbuf_new();

	strbuf_addf(&says, "%s is read as %s", asked, name);
	if (what.len)
		strbuf_addf(&says, " (%.*s)", (int)what.len, what.at);
	if (!strstr(note->text, says.text))
		strbuf_addf(note, "%s%s", note->len ? "; " : "", says.text);
	strbuf_release(&says);
}

static void meant_names_add(
	struct meant_names *names, const char *expression, const char *asked)
{
	struct strbuf in_brackets = strbuf_new();
	struct meant_name *last;

	strbuf_addf(&in_brackets, "(%s)", expression);
	last = &ALLOC_NEXT(names->at, names->count, names->cap);
	*last = (struct meant_name){strbuf_detach(&in_brackets), xstrdup(asked)};
}

/* Puts what a name of the query means in its place, and says so. */
static bool substitute(struct store *store, struct strbuf *query, struct span name,
	struct meant_names *names, struct strbuf *note)
{
	char *asked = xstrndup(name.at, name.len);
	struct known known = {.count = 0};
	const struct known_name *meant = NULL;
	struct strbuf put = strbuf_new(), made = strbuf_new(), says = strbuf_new();
	struct span owner = {name.at, 0}; /* with its dot */
	struct column_text line;
	bool is_label = has_name(store, asked, labels_called), computed;

	if (name.at > query->text && name.at[-1] == '.') {
		owner = word_before(query->text, name.at - 1);
		owner.len = (size_t)(name.at - owner.at);
	}
	known_columns(&known, store, query->text,
		(struct span){owner.at, owner.len ? owner.len - 1 : 0});
	if (!is_label)
		meant = column_by_sense(&known, asked);
	if (!meant && known.count && !is_label)
		convert_unit(&known, asked, owner, &put);
	if (put.len)
		say_read_as(note, asked, put.text, SPAN_NONE);
	if (!meant && known.count && !put.len)
		add_value_of_run(store, asked, owner, &known, &put, &says);
	if (put.len && says.len)
		say_read_as(note, asked, says.text, SPAN_NONE);
	computed = put.len;
	if (!meant && !computed)
		meant = column_meant(&known, asked, "", false);
	if (meant) {
		column_explain(meant->view, meant->name, &line);
		say_read_as(note, asked, meant->name, line.what);
		strbuf_addf(&put, "%.*s%s", (int)owner.len, owner.at, meant->name);
	}
	if (put.len) {
		strbuf_add(&made, query->text, (size_t)(owner.at - query->text));
		strbuf_addf(&made, computed ? "(%s)" : "%s", put.text);
		strbuf_adds(&made, name.at + name.len);
		strbuf_clear(query);
		strbuf_adds(query, made.text);
	}
	if (computed)
		meant_names_add(names, put.text, asked);
	strbuf_release(&put);
	strbuf_release(&made);
	strbuf_release(&says);
	known_release(&known);
	free(asked);
	return meant || computed;
}

void meant_names_release(struct meant_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->at[i].expression);
		free(names->at[i].asked);
	}
	free(names->at);
}

/* Appends the text, with `word` in all places of `part`. */
static void add_replaced(
	struct strbuf *sb, const char *text, const char *part, const char *word)
{
	for (const char *found; (found = strstr(text, part));
		text = found + strlen(part)) {
		strbuf_add(sb, text, (size_t)(found - text));
		strbuf_adds(sb, word);
	}
	strbuf_adds(sb, text);
}

char *meant_names_title(const struct meant_names *names, const char *title)
{
	struct strbuf made = strbuf_new();

	strbuf_adds(&made, title);
	for (size_t i = 0; i < names->count; i++) {
		struct strbuf next = strbuf_new();

		add_replaced(
			&next, made.text, names->at[i].expression, names->at[i].asked);
		strbuf_release(&made);
		made = next;
	}
	return strbuf_detach(&made);
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

/* The name of a column, without its table, at which SQLite stopped; else an empty one. A
 * word of SQL's own may be meant as one, such as index. */
static struct span unknown_column(struct store *store, const struct strbuf *query)
{
	const char *message = sqlite3_errmsg(store->db), *at, *dot;
	int offset = query_stopped_at(store);

	if (offset < 0 || (size_t)offset > query->len)
		return SPAN_NONE;
	if (strncmp(message, "near ", strlen("near ")) == 0) {
		struct span word = word_after(query->text + offset);

		return sqlite3_keyword_check(word.at, (int)word.len) ? word : SPAN_NONE;
	}
	if (strncmp(message, no_column, strlen(no_column)) != 0)
		return SPAN_NONE;
	message += strlen(no_column);
	if (strncmp(query->text + offset, message, strlen(message)) != 0)
		return SPAN_NONE;
	dot = strrchr(message, '.');
	at = query->text + offset + (dot ? dot + 1 - message : 0);
	return (struct span){at, strlen(dot ? dot + 1 : message)};
}

/* Does it stop because the run of several views may be meant? */
static bool is_run_ambiguous(struct store *store)
{
	return strcmp(sqlite3_errmsg(store->db), "ambiguous column name: run_id") == 0;
}

static void use_columns(struct store *store, struct strbuf *query,
	struct meant_names *names, struct strbuf *note)
{
	struct strbuf before = strbuf_new();
	size_t note_before = note->len;
	bool go_on = true;

	for (int i = 0; i < SUBSTITUTES_MOST && go_on; i++) {
		sqlite3_stmt *stmt = NULL;
		int code = sqlite3_prepare_v2(store->db, query->text, -1, &stmt, NULL);
		struct span name;

		sqlite3_finalize(stmt);
		name = code == SQLITE_OK ? SPAN_NONE : unknown_column(store, query);
		if (before.len && code != SQLITE_OK && is_run_ambiguous(store)) {
			strbuf_clear(query);
			strbuf_adds(query, before.text);
			strbuf_cut(note, note_before);
		}
		strbuf_clear(&before);
		strbuf_adds(&before, query->text);
		note_before = note->len;
		go_on = name.len && substitute(store, query, name, names, note);
	}
	strbuf_release(&before);
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

/* The word that the query compares with the literal there: run of "run = 'a'" and of
 * "run IN ('b', 'a')"; else an empty one. */
static struct span compared_word(const char *query, const char *literal)
{
	const char *at = literal;
	struct span word;

	while (at > query && isspace((unsigned char)at[-1]))
		at--;
	if (at > query && strchr("=>", at[-1])) {
		while (at > query && strchr("=<>!", at[-1]))
			at--;
		return word_before(query, at);
	}
	while (at > query && at[-1] != '(')
		at--;
	word = at > query ? word_before(query, at - 1) : SPAN_NONE;
	if (!span_is_nocase(word, "in"))
		return SPAN_NONE;
	word = word_before(query, word.at);
	return span_is_nocase(word, "not") ? word_before(query, word.at) : word;
}

static const char run_called[] =
	"SELECT r.run_key, NULL FROM run r, (SELECT ? AS name) n WHERE "
	"rtrim(r.path, '/') = n.name OR substr(rtrim(r.path, '/'), -length(n.name) - 1) "
	"= '/' || n.name OR r.run_key = n.name ORDER BY r.run_key <> n.name LIMIT 2";

/* Puts the id of a run in the place of its name or path, where the query compares `run`
 * with that, and one run alone is called so. */
static void use_runs(struct store *store, struct strbuf *query, struct strbuf *note)
{
	struct strbuf made = strbuf_new();
	const char *from = query->text, *at = from;

	while ((at = strpbrk(at, "'\""))) {
		const char *literal = at;
		struct span word = compared_word(query->text, literal);
		char *text = quoted_text(&at);
		struct known runs = {.count = 0};

		if (span_is_nocase(word, "run"))
			known_read(&runs, store, text, run_called);
		if (runs.count == 1 && strcmp(runs.at[0].name, text) != 0 &&
			!strchr(runs.at[0].name, '\'')) {
			strbuf_add(&made, from, (size_t)(literal - from));
			strbuf_addf(&made, "'%s'", runs.at[0].name);
			from = at;
			say_read_as(note, text, runs.at[0].name,
				span_of("the id of this run"));
		}
		known_release(&runs);
		free(text);
	}
	strbuf_adds(&made, from);
	strbuf_clear(query);
	strbuf_adds(query, made.text);
	strbuf_release(&made);
}

void query_use_meant(struct store *store, struct strbuf *query, struct meant_names *names,
	struct strbuf *note)
{
	use_runs(store, query, note);
	use_columns(store, query, names, note);
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

static bool has_rows(struct store *store, const char *view)
{
	struct strbuf query = strbuf_new();
	bool has;

	strbuf_addf(&query, "SELECT 'a', NULL FROM \"%s\" LIMIT 1", view);
	has = has_name(store, NULL, query.text);
	strbuf_release(&query);
	return has;
}

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
	if (view && !known.count && !has_rows(store, view))
		strbuf_addf(sb, "%s has no rows", view);
	if (!has && known.count &&
		(near.count || (!long_texts && known.count < TEXTS_MOST)))
		strbuf_addf(sb, "%s.%s is never %s%s%s", column->view, column->name,
			quote, asked->text, quote);
	if (sb->len && near.count)
		near_say(sb, &near, "");
	else if (sb->len && known.count && !listed)
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
