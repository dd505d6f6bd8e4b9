/* Names and circumstances of runs, by their side. */
#include "render/doc_sides.h"

#include <string.h>

#include "base/strbuf.h"

#define NAMES_MOST 4 /* of runs, and of what they say */

/* SIDES: of any. */
static bool is_of(const struct compared_run *run, enum side side)
{
	return side == SIDES || run->side == side;
}

static size_t count_of(const struct comparison *comparison, enum side side)
{
	return side == SIDES ? comparison->run_count : comparison->on_side[side];
}

/* Four names, or five, as one more takes no more room than that there is one. */
void doc_side(struct doc *doc, const char *title, const struct comparison *comparison,
	enum side side)
{
	size_t count = count_of(comparison, side), named = 0;
	size_t shown = count > NAMES_MOST + 1 ? NAMES_MOST : count;
	struct strbuf text;

	if (!count)
		return;
	strbuf_init(&text);
	for (size_t i = 0; i < comparison->run_count && named < shown; i++)
		if (is_of(&comparison->run[i], side))
			strbuf_addf(&text, "%s%s", named++ ? ", " : "",
				comparison->run[i].name);
	if (shown < count)
		strbuf_addf(&text, " and %zu more, %zu runs", count - shown, count);
	doc_text(doc, title);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

static bool was_said(const struct comparison *comparison,
	const struct difference *difference, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (comparison->run[i].side == comparison->run[before].side &&
			difference->said[i] &&
			strcmp(difference->said[i], difference->said[before]) == 0)
			return true;
	return false;
}

/* "550.54 or 555.42": what a side's runs say, every text once. */
static void say_side(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!is_of(&comparison->run[i], side) || !difference->said[i] ||
			was_said(comparison, difference, i))
			continue;
		if (count++ < NAMES_MOST)
			strbuf_addf(text, "%s%s", count > 1 ? " or " : "",
				difference->said[i]);
	}
	if (count > NAMES_MOST)
		strbuf_addf(text, " and %zu more", count - NAMES_MOST);
	if (!count)
		strbuf_adds(text, "not said");
}

static void say_sides(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference)
{
	struct strbuf new;

	strbuf_init(&new);
	say_side(text, comparison, difference, SIDE_BASE);
	say_side(&new, comparison, difference, SIDE_NEW);
	if (strcmp(text->text, new.text) == 0)
		strbuf_adds(text, ", on both sides");
	else
		strbuf_addf(text, " -> %s", new.text);
	strbuf_release(&new);
}

void doc_differences(struct doc *doc, const struct comparison *comparison)
{
	struct strbuf text;

	if (!comparison->difference_count)
		return;
	strbuf_init(&text);
	doc_heading(doc, 2, "Not alike");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	for (size_t i = 0; i < comparison->difference_count; i++) {
		const struct difference *difference = &comparison->difference[i];

		strbuf_clear(&text);
		if (comparison->on_side[SIDE_BASE] && comparison->on_side[SIDE_NEW])
			say_sides(&text, comparison, difference);
		else
			say_side(&text, comparison, difference, SIDES);
		doc_text(doc, difference->what);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}
