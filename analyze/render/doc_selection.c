/* The filters of a report, or of a comparison, as a list. Must not lay out. */
#include "render/doc_selection.h"

#include "base/quantity.h"
#include "base/timestamp.h"

static void add_moment(struct strbuf *sb, const char *word, int64_t t_ns)
{
	if (t_ns <= 0)
		return;
	strbuf_addf(sb, "%s%s ", sb->len ? " " : "", word);
	quantity_given(sb, t_ns);
}

void doc_selection(struct strbuf *sb, const struct report_filter *filter)
{
	const char *const globs[] = {filter->device, filter->metric, filter->phase};
	struct strbuf window;

	strbuf_init(&window);
	add_moment(&window, "from", filter->since_ns);
	add_moment(&window, "to", filter->until_ns);
	for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
		if (globs[i])
			strbuf_addf(sb, "%s%s", sb->len ? ", " : "", globs[i]);
	if (window.len)
		strbuf_addf(sb, "%s%s", sb->len ? ", " : "", window.text);
	strbuf_release(&window);
}

void doc_only(struct doc *doc, const struct report_filter *filter)
{
	struct strbuf text;

	strbuf_init(&text);
	doc_selection(&text, filter);
	if (text.len) {
		doc_text(doc, "Only");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}
