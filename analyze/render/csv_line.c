/* Quotes where the RFC wants them, where a blank at an end would be lost, and where a
 * line could begin like a runner's command. Quotes don't keep a spreadsheet from taking a
 * text for a formula: an escape does. */
#include "render/csv_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/utf8.h"

/* Would a spreadsheet compute it? A number, and the sign alone, say what they are. */
static bool is_formula(const char *text)
{
	char *end;

	if (!strchr("=+-@", *text) || !text[1])
		return false;
	strtod(text, &end);
	return *end != '\0';
}

static void add_inert(struct strbuf *sb, const char *text)
{
	if (is_formula(text))
		strbuf_addf(sb, "\\x%02x", (unsigned)*text++);
	utf8_inert_whole(sb, text);
}

void csv_text(struct strbuf *line, const char *text)
{
	struct strbuf clean;

	strbuf_addc(line, ',');
	if (!text || !*text)
		return;
	strbuf_init(&clean);
	add_inert(&clean, text);
	text = clean.text;
	if (strpbrk(text, "\",") || strchr(" :#", *text) || utf8_is_command(text) ||
		text[clean.len - 1] == ' ') {
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
	if (time_is_dated(t_ns))
		time_print(line, t_ns);
}

void csv_measure_names(struct strbuf *line)
{
	static const char *const name[] = {"part", "key", "statistic", "state", "phase",
		"work", "device", "source", "unit", "better"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		csv_text(line, name[i]);
}

void csv_measure(struct strbuf *line, const struct measure *measure)
{
	csv_text(line, measure_part_name(measure->part));
	csv_text(line, measure->key);
	csv_text(line, measure->statistic);
	csv_text(line, measure->state);
	csv_text(line, measure->phase);
	csv_text(line, measure->work);
	csv_text(line, measure->device);
	csv_text(line, measure->source);
	csv_text(line, measure->unit);
	csv_text(line, direction_name(measure->better));
}

void csv_end(struct strbuf *line, FILE *out)
{
	strbuf_addc(line, '\n');
	fwrite(line->text + 1, 1, line->len - 1, out);
	strbuf_clear(line);
}
