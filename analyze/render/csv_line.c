/* Quotes where the RFC wants them, and where a blank at an end would be lost. */
#include "render/csv_line.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/utf8.h"

void csv_text(struct strbuf *line, const char *text)
{
	struct strbuf clean;

	strbuf_addc(line, ',');
	if (!text || !*text)
		return;
	strbuf_init(&clean);
	utf8_repair(&clean, text);
	text = clean.text;
	if (strpbrk(text, "\",\r\n") || *text == ' ' || text[clean.len - 1] == ' ') {
		strbuf_addc(line, '"');
		for (; *text; text++) {
			if (*text == '"')
				strbuf_addc(line, '"');
			strbuf_addc(line, *text);
		}
		strbuf_addc(line, '"');
	} else {
		strbuf_add(line, text, clean.len);
	}
	strbuf_release(&clean);
}

void csv_number(struct strbuf *line, double x)
{
	strbuf_addc(line, ',');
	if (isfinite(x))
		number_print(line, x);
}

void csv_count(struct strbuf *line, uint64_t n)
{
	strbuf_addf(line, ",%llu", (unsigned long long)n);
}

void csv_time(struct strbuf *line, int64_t t_ns)
{
	strbuf_addc(line, ',');
	if (t_ns != TIME_NONE)
		time_print(line, t_ns);
}

void csv_end(struct strbuf *line, FILE *out)
{
	strbuf_addc(line, '\n');
	fwrite(line->text + 1, 1, line->len - 1, out);
	strbuf_clear(line);
}
