/* Breaks lines between words. Must not know what they say. */
#include "cmd/paragraph.h"

#include <stdbool.h>
#include <string.h>

#define COLUMNS 80

void paragraph_print(FILE *out, size_t used, size_t hang, const char *text)
{
	bool begun = false;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (begun && used + 1 + len > COLUMNS) {
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
