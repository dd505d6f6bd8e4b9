/* What the runs of each side say, every text once. Must not judge. */
#include "render/not_alike.h"

#include <string.h>

#define SAID_MOST 4 /* texts of a side */

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

/* "550.54 or 555.42": what a side's runs say, every text once; SIDES: of any. */
static void say_side(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if ((side != SIDES && comparison->run[i].side != side) ||
			!difference->said[i] || was_said(comparison, difference, i))
			continue;
		if (count++ < SAID_MOST)
			strbuf_addf(text, "%s%s", count > 1 ? " or " : "",
				difference->said[i]);
	}
	if (count > SAID_MOST)
		strbuf_addf(text, " and %zu more", count - SAID_MOST);
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

void not_alike_say(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference)
{
	if (comparison->on_side[SIDE_BASE] && comparison->on_side[SIDE_NEW])
		say_sides(text, comparison, difference);
	else
		say_side(text, comparison, difference, SIDES);
}

void not_alike_say_all(struct strbuf *text, const struct comparison *comparison)
{
	struct strbuf sides;

	strbuf_init(&sides);
	for (size_t i = 0; i < comparison->difference_count; i++) {
		strbuf_clear(&sides);
		not_alike_say(&sides, comparison, &comparison->difference[i]);
		strbuf_addf(text, "%s%s: %s", i ? "; " : "",
			comparison->difference[i].what, sides.text);
	}
	strbuf_release(&sides);
}
