/*
 * What the views of the database and their columns mean: described by schema/columns.txt,
 * which is part of the program; metrics and keys of the summary by their titles.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "model/measure.h"
#include "store/internal.h"
#include "store/store.h"

#define COLUMNS 3

static const struct {
	const char *name, *text;
} written[] = {
#include "columns_text.inc"
};

/* Rows of names, units and sentences, all borrowed but for names, which are owned. */
struct listing {
	struct answer answer;
	char **name;
	struct answer_cell *cell; /* [COLUMNS] each */
	size_t count, cap, cell_cap, at;
};

/* Takes the next line that is no comment from the text; false: there is none. */
static bool next_line(const char **text, struct column_text *line)
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

static bool is_view(const struct column_text *line)
{
	return !line->unit.len && !memchr(line->place.at, '.', line->place.len) &&
		line->what.at[0] >= 'A' && line->what.at[0] <= 'Z';
}

static bool find_column(const char *place, struct column_text *line)
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

/* By its view and name, by its name, as a metric, as a summary key. */
void column_explain(const char *view, const char *column, struct column_text *line)
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
	*line = (struct column_text){.unit = span_of(""), .what = span_of("")};
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
	struct column_text line;

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
	struct column_text line;
	int rc = store_open_temporary(&store, err);

	if (rc == 0) {
		sql_row_prepare(
			&row, store, "SELECT name FROM pragma_table_info(?)", err);
		sql_put_text(&row, view);
		while (sql_row_next(&row)) {
			char *name = NULL;

			sql_get_text(&row, &name);
			column_explain(view, name, &line);
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
