/* Breaks lines between words. Must not know what they say. */
#include "cmd/paragraph.h"

#include <stdbool.h>
#include <string.h>

#define BESIDE_LEAST 20 /* columns: less is no room for words */
#define BELOW	     8 /* the indent of what stands below it */
#define LEFT_HANGS   4 /* further than it begins */

void paragraph_print(
	const struct help_page *page, size_t used, size_t hang, const char *text)
{
	FILE *out = page->out;
	bool begun = false;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (begun && used + 1 + len > page->columns) {
			fprintf(out, "\n%*s", (int)hang, "");
			used = hang;
		} else if (begun) {
			fputc(' ', out);
			used++;
		}
		fprintf(out, "%.*s", (int)len, text);
		used += len;
		begun = true;
		text += len + (text[len] == ' ');
	}
	fputc('\n', out);
}

void paragraph_beside(
	const struct help_page *page, const char *left, size_t column, const char *text)
{
	size_t indent = strspn(left, " "), used;

	if (page->columns >= column + BESIDE_LEAST) {
		used = (size_t)fprintf(page->out, "%-*s ", (int)column - 1, left);
		paragraph_print(page, used, column, text);
		return;
	}
	fprintf(page->out, "%*s", (int)indent, "");
	paragraph_print(page, indent, indent + LEFT_HANGS, left + indent);
	fprintf(page->out, "%*s", BELOW, "");
	paragraph_print(page, BELOW, BELOW, text);
}
