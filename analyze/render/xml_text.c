/* Character references, by number: XML and HTML both know them. */
#include "render/xml_text.h"

#include <string.h>

#include "render/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* XML 1.0 has no character for two that are none. */
void xml_text(struct strbuf *sb, const char *text)
{
	struct strbuf clean;
	int32_t point = 0;

	strbuf_init(&clean);
	utf8_inert_whole(&clean, text);
	text = clean.text ? clean.text : "";
	for (size_t n; *text; text += n) {
		n = utf8_read(text, &point);
		if (point == 0xfffe || point == 0xffff)
			strbuf_adds(sb, REPLACEMENT);
		else if (strchr("&<>\"", *text))
			strbuf_addf(sb, "&#%d;", (int)point);
		else
			strbuf_add(sb, text, n);
	}
	strbuf_release(&clean);
}
