/* For those who see no picture, and for those who want the numbers. */
#include "render/html_numbers.h"

#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

/* What of a run alone is left out of several. */
struct column {
	const char *title;
	bool alone;
};

static const struct column number_columns[] = {{"mean", false}, {"min", false},
	{"max", false}, {"max first after", true}, {"missing", true}, {"gaps", false}};

#define COLUMNS (sizeof number_columns / sizeof *number_columns)

static size_t columns_of(const struct report *alone)
{
	size_t count = 1; /* the name */

	for (size_t i = 0; i < COLUMNS; i++)
		count += alone || !number_columns[i].alone;
	return count;
}

void html_numbers_begin(struct strbuf *sb, const struct report *alone)
{
	strbuf_addf(sb,
		"<details><summary>%s numbers as a table</summary>\n"
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"Over time, as a table\"><table "
		"class=\"numbers%s\">\n<thead><tr><td></td>",
		alone ? "Its" : "Their", alone ? " wide" : "");
	for (size_t i = 0; i < COLUMNS; i++)
		if (alone || !number_columns[i].alone)
			strbuf_addf(sb, "<th scope=\"col\" class=\"n\">%s</th>",
				number_columns[i].title);
	strbuf_adds(sb, "</tr></thead>\n<tbody>\n");
}

void html_numbers_title(struct strbuf *sb, const struct report *alone, const char *title,
	const char *unit)
{
	strbuf_addf(sb, "<tr><th class=\"title\" scope=\"col\" colspan=\"%zu\">%s",
		columns_of(alone), title);
	if (*unit)
		strbuf_addf(sb, " (%s)", unit);
	strbuf_adds(sb, "</th></tr>\n");
}

static void add_cell(struct strbuf *sb, double x, int decimals)
{
	strbuf_adds(sb, "<td>");
	quantity_number(sb, x, decimals);
	strbuf_adds(sb, "</td>");
}

void html_numbers_row(struct strbuf *sb, const struct metric *metric,
	const struct html_numbers *numbers, const struct report *alone)
{
	strbuf_adds(sb, "<tr><td>");
	xml_text(sb, numbers->name);
	strbuf_adds(sb, "</td>");
	add_cell(sb, numbers->mean, metric->decimals);
	add_cell(sb, numbers->min, metric->decimals);
	add_cell(sb, numbers->max, metric->decimals);
	if (alone) {
		strbuf_adds(sb, "<td>");
		timeline_since_start(sb, alone, numbers->max_at_ns);
		strbuf_adds(sb, "</td><td>");
		quantity_count(sb, numbers->missing);
		strbuf_adds(sb, "</td>");
	}
	strbuf_adds(sb, "<td>");
	if (numbers->series)
		timeline_gaps(sb, numbers->series);
	else
		strbuf_addc(sb, '-');
	strbuf_adds(sb, "</td></tr>\n");
}

void html_numbers_end_rows(struct strbuf *sb)
{
	strbuf_adds(sb, "</tbody></table>");
}

void html_numbers_end(struct strbuf *sb)
{
	strbuf_adds(sb, "</div></details>\n");
}
