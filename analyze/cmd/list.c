/* What can be measured and what can be printed, out of the tables. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "model/metric.h"
#include "model/report.h"

/* Columns of the glossary; columns of the terminal, 0 where there is none. */
struct glossary {
	int name, unit, columns;
};

static int wider(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

#define INDENT 4 /* of a description, which is under its name on a terminal */

/* A line for an entry, in columns; on a terminal as many as it takes. */
static void print_entry(
	const struct glossary *g, const char *name, const char *unit, const char *text)
{
	struct span rest = span_of(text);
	int at = g->columns;

	if (!g->columns) {
		printf("%-*s  %-*s  %s\n", g->name, name, g->unit, unit, text);
		return;
	}
	printf("%s%s%s", name, unit[0] ? "  " : "", unit);
	while (rest.len) {
		struct span word = span_word(&rest);

		if (at + (int)word.len >= g->columns) {
			printf("\n%*s", INDENT - 1, "");
			at = INDENT - 1;
		}
		printf(" %.*s", (int)word.len, word.at);
		at += (int)word.len + 1;
	}
	putchar('\n');
}

static bool is_listed(const struct metric *metric)
{
	return metric->kind != KIND_TICKS;
}

static struct glossary glossary_make(const struct options *opt)
{
	struct glossary g = {0};

	if (isatty(STDOUT_FILENO))
		g.columns = terminal_options(opt, stdout).width;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		g.name = wider(g.name, summary_field_get(key)->name);
		g.unit = wider(g.unit, summary_field_get(key)->unit);
	}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (is_listed(metric_get(id))) {
			g.name = wider(g.name, metric_get(id)->name);
			g.unit = wider(g.unit, metric_get(id)->unit);
		}
	return g;
}

/* The keys of summary, then what they and all other numbers are made of. */
static void list_metrics(const struct options *opt)
{
	const struct glossary g = glossary_make(opt);
	struct strbuf text = strbuf_new();

	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const struct summary_field *field = summary_field_get(key);

		strbuf_clear(&text);
		strbuf_addf(&text, "summary: %s", field->title);
		print_entry(&g, field->name, field->unit, text.text);
	}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = metric_get(id);

		if (!is_listed(m))
			continue;
		strbuf_clear(&text);
		strbuf_addf(&text, "%s: %s", m->title, m->help);
		print_entry(&g, m->name, m->unit, text.text);
	}
	strbuf_release(&text);
}

/* command: those that it prints; NULL: all. For a word that is no command: all. */
static void list_formats(const char *command)
{
	const struct render_format *format;

	for (size_t i = 0; (format = output_nth(i)); i++)
		if (!command || formats_has(command, format->name))
			printf("%-23s  %s\n", format->name, format->help);
}

enum exit_status cmd_list(const struct options *opt)
{
	if (opt->list_metrics)
		list_metrics(opt);
	if (opt->list_formats)
		list_formats(opt->operand_count ? opt->operand[0] : NULL);
	return EXIT_DONE;
}
