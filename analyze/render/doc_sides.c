/* Names and circumstances of runs, by their side. */
#include "render/doc_sides.h"

#include "base/text.h"
#include "render/not_alike.h"
#include "render/short_name.h"

#define NAMES_MOST 4

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
		if (is_of(&comparison->run[i], side)) {
			strbuf_adds(&text, named++ ? ", " : "");
			short_name(&text, comparison->run[i].name);
		}
	if (shown < count)
		strbuf_addf(&text, " and %zu more, %zu runs", count - shown, count);
	doc_text(doc, title);
	doc_text(doc, text.text);
	strbuf_release(&text);
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
		strbuf_clear(&text);
		not_alike_say(&text, comparison, &comparison->difference[i]);
		doc_text(doc, comparison->difference[i].what);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}
