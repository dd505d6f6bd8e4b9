/*
 * How a comparison came out, in a sentence. Must not compute.
 */
#include "base/name_match.h"
#include "render/doc_compare.h"
#include "render/doc_compare_parts.h"
#include "render/short_name.h"

#define UNRANKED_NAMED 4

static size_t count_of(const struct view *view, enum change change)
{
	const struct comparison *comparison = view->comparison;
	size_t count = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		count += comparison->row[i].change == change &&
			view_is_headline(view, &comparison->row[i]);
	return count;
}

/* Of devices there are many rows, of which most are not shown: how many got worse? */
static void say_devices(struct strbuf *text, const struct view *view)
{
	const struct comparison *comparison = view->comparison;
	size_t count = 0;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		count += row->change == CHANGE_WORSE && view_part(row) == SHOWN_DEVICE &&
			!view_is_headline(view, row);
	}
	if (count)
		strbuf_addf(text, "; %zu %s of devices worse (%s)", count,
			count == 1 ? "row" : "rows", view->more);
}

static void say_tested(struct strbuf *text, const struct view *view)
{
	static const struct {
		enum change change;
		const char *what;
	} said[] = {{CHANGE_WORSE, "worse"}, {CHANGE_BETTER, "better"},
		{CHANGE_OTHER, "changed otherwise"},
		{CHANGE_UNSEEN, "without a significant change"},
		{CHANGE_OTHER_WORK, "of other amounts of work"},
		{CHANGE_UNCOVERED, "not covered"}, {CHANGE_UNTESTED, "not tested"},
		{CHANGE_GONE, "only in the base"}, {CHANGE_NEW, "only in the new runs"}};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		size_t count = count_of(view, said[i].change);

		if (count)
			strbuf_addf(text, "%s%zu %s", text->len ? ", " : "", count,
				said[i].what);
	}
	say_devices(text, view);
}

static const char *runs(size_t count)
{
	return count == 1 ? "run" : "runs";
}

static void say_untested(struct strbuf *text, const struct comparison *comparison)
{
	size_t base = comparison->on_side[SIDE_BASE], new = comparison->on_side[SIDE_NEW];

	strbuf_addf(text, "not to be told from chance: with %zu %s against %zu ", base,
		runs(base), new);
	if (comparison->least_p < 1)
		strbuf_addf(text, "p is %.2f at least", comparison->least_p);
	else
		strbuf_adds(text, "nothing is known of their spread");
	strbuf_addf(text, "; take %zu on each side, or %zu against 1",
		comparison->runs_least, comparison->history_least);
}

/* letters: as the columns of a table that stands below it are called. */
static void say_name(struct strbuf *text, const struct comparison *comparison, size_t run,
	bool letters)
{
	if (letters)
		doc_compare_name(text, comparison, run);
	else
		short_name(text, comparison->run[run].name);
}

static void say_unranked(
	struct strbuf *text, const struct comparison *comparison, bool letters)
{
	struct name_list names;

	name_list_init(&names, UNRANKED_NAMED);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].unranked && name_list_next(&names))
			say_name(&names.text, comparison, i, letters);
	name_list_end(&names);
	if (names.count)
		strbuf_addf(text, "; not ranked, as of grade F: %s", names.text.text);
	name_list_release(&names);
}

static void say_winner(
	struct strbuf *text, const struct comparison *comparison, bool letters)
{
	if (comparison->winner >= comparison->run_count) {
		strbuf_adds(text, "no run is the best in most rows");
		return;
	}
	say_name(text, comparison, comparison->winner, letters);
	strbuf_addf(text, " is the best in %zu of %zu rows of the whole run",
		comparison->run[comparison->winner].best_in, comparison->won);
}

static void say_result(struct strbuf *text, const struct view *view, bool letters)
{
	const struct comparison *comparison = view->comparison;
	bool sides = comparison_has_sides(comparison);

	if (!comparison->row_count) {
		strbuf_adds(text, "no run knows a number that was asked for");
		return;
	}
	if (!sides)
		say_winner(text, comparison, letters);
	else if (comparison->tests)
		say_tested(text, view);
	else
		say_untested(text, comparison);
	if (comparison->work_differs) {
		strbuf_adds(text, "; other amounts of work (");
		comparison_say_work(text, comparison);
		strbuf_adds(text, "): totals are neither better nor worse");
	}
	if (comparison_has_undone(comparison, SIDES))
		strbuf_adds(text,
			sides ? "; some of these runs failed or were cut off"
			      : ", of those that neither failed nor were cut off");
	if (!sides)
		say_unranked(text, comparison, letters);
}

void doc_compare_result(struct doc *doc, const struct view *view)
{
	struct strbuf text;

	strbuf_init(&text);
	say_result(&text, view, true);
	doc_text(doc, view->comparison->tests ? "Rows" : "Result");
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* "; base: old-1 and 3 more, new: new-1": which is which. */
static void say_sides(struct strbuf *text, const struct comparison *comparison)
{
	static const char *const called[] = {"; base: ", ", new: "};

	for (enum side side = 0; side < SIDES && comparison_has_sides(comparison);
		side++) {
		struct name_list names;

		name_list_init(&names, 1);
		for (size_t i = 0; i < comparison->run_count; i++)
			if (comparison->run[i].side == side && name_list_next(&names))
				short_name(&names.text, comparison->run[i].name);
		name_list_end(&names);
		strbuf_addf(text, "%s%s", called[side], names.text.text);
		name_list_release(&names);
	}
}

void doc_compare_verdict(struct strbuf *text, const struct comparison *comparison,
	const struct render_options *opt)
{
	struct strbuf shortly;
	struct view view;

	strbuf_init(&shortly);
	view_short(&shortly, comparison);
	if (!shortly.len) {
		view_init(&view, comparison, opt->verbose > 0);
		view.more = "compare -v has them";
		strbuf_adds(text, "Result: ");
		say_result(text, &view, false);
	} else if (comparison->tests) {
		strbuf_addf(text, "Result: %s", shortly.text);
	} else {
		strbuf_addf(text,
			"Measured: %s; of so few runs not to be told from chance",
			shortly.text);
	}
	say_sides(text, comparison);
	strbuf_release(&shortly);
}
