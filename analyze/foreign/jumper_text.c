/*
 * JUmPER's levels as JSON, and each as the text of its own performance report: numbers
 * as Python's format prints them. Must not know where a number comes from.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "foreign/foreign.h"
#include "foreign/python.h"
#include "render/utf8.h"

#define RULE	   "----------------------------------------\n" /* of 40 */
#define TABLE_RULE "-------------------------" RULE /* of 65 */

/* 0; -1: the run has no such cells. */
static int check_refusals(const struct render_input *in, struct error *err)
{
	for (size_t i = 0; i < in->report_count; i++)
		if (in->report[i].dialect_refusal)
			return error_set(err, "%s: --cell: %s", in->report[i].run->path,
				in->report[i].dialect_refusal);
	return 0;
}

int jumper_json_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	if (check_refusals(in, err) < 0)
		return -1;
	json_init(&w, out, JSON_SPACED);
	for (size_t i = 0; i < in->report_count; i++)
		dialect_json(&w, &in->report[i], -1);
	json_finish(&w);
	return render_check(out, "jumper", err);
}

/* A walk over the items of an object. */
struct cursor {
	const struct dialect_item *at, *end;
};

static bool opens(const struct dialect_item *item)
{
	return item->kind == ITEM_OBJECT || item->kind == ITEM_ARRAY;
}

/* The next item on the level of the cursor; false: the object ends. */
static bool next(struct cursor *c, const struct dialect_item **item)
{
	int depth = 0;

	if (c->at == c->end || c->at->kind == ITEM_CLOSE)
		return false;
	*item = c->at;
	do {
		depth += opens(c->at) - (c->at->kind == ITEM_CLOSE);
		c->at++;
	} while (depth && c->at < c->end);
	return true;
}

/* Where an object, or the whole, has that key; NULL: nowhere. */
static const struct dialect_item *find(struct cursor c, const char *key)
{
	const struct dialect_item *item;

	while (next(&c, &item))
		if (item->key && strcmp(item->key, key) == 0)
			return item;
	return NULL;
}

static struct cursor into(const struct cursor *c, const struct dialect_item *object)
{
	return (struct cursor){object + 1, c->end};
}

static double number_of(struct cursor c, const char *key)
{
	const struct dialect_item *item = find(c, key);

	return item ? item->number : (double)NAN;
}

/* In a column of 8; unknown: a dash, as where the tool has no limit. */
static void add_cell(struct strbuf *sb, double x)
{
	char text[64] = "-";

	if (!isnan(x))
		snprintf(text, sizeof text, "%.2f", x);
	strbuf_addf(sb, " %-8s", text);
}

static void add_row(
	struct strbuf *sb, const char *title, struct cursor metrics, const char *key)
{
	const struct dialect_item *metric = find(metrics, key);
	struct cursor values;

	if (!metric)
		return;
	values = into(&metrics, metric);
	strbuf_addf(sb, "%-25s", title);
	add_cell(sb, number_of(values, "avg"));
	add_cell(sb, number_of(values, "min"));
	add_cell(sb, number_of(values, "max"));
	add_cell(sb, number_of(values, "total"));
	strbuf_addc(sb, '\n');
}

/* "CPU Util (Across 8 CPUs)" */
static void title_of(char title[64], const char *what, double count)
{
	if (isnan(count))
		snprintf(title, 64, "%s Util (Across %ss)", what, what);
	else
		snprintf(title, 64, "%s Util (Across %.0f %ss)", what, count, what);
}

/* One that is only normal has none. */
static void add_tags(struct strbuf *sb, struct cursor level)
{
	const struct dialect_item *tags = find(level, "tags"), *item;
	struct cursor each = into(&level, tags);
	bool any = false;

	while (next(&each, &item)) {
		const char *tag = find(into(&each, item), "tag")->text;

		if (strcmp(tag, "normal") == 0)
			return;
		strbuf_adds(sb, any ? " | " : "Signature(s):\n");
		any = true;
		for (const char *c = tag; *c; c++)
			strbuf_addc(sb, (char)toupper((unsigned char)*c));
	}
	strbuf_adds(sb, "\n" RULE);
}

static void add_report(struct strbuf *sb, struct cursor run, struct cursor level)
{
	const struct dialect_item *metrics = find(level, "metrics");
	double cells = number_of(run, "n_cells"), duration_s = number_of(run, "duration");
	struct cursor of;
	char title[64];

	strbuf_adds(sb, RULE "JUmPER Performance Report\n" RULE);
	if (isnan(duration_s))
		strbuf_adds(sb, "Duration: - ");
	else
		strbuf_addf(sb, "Duration: %.2fs ", duration_s);
	strbuf_addf(sb, "(%.0f cell%s)\n" RULE, cells, cells == 1 ? "" : "s");
	add_tags(sb, level);
	strbuf_addf(sb, "%-25s %-8s %-8s %-8s %-8s\n" TABLE_RULE, "Metric", "AVG", "MIN",
		"MAX", "TOTAL");
	of = into(&level, metrics);
	title_of(title, "CPU", number_of(level, "num_cpus"));
	add_row(sb, title, of, "cpu_util_avg");
	add_row(sb, "Memory (GB)", of, "memory");
	title_of(title, "GPU", number_of(run, "num_gpus"));
	add_row(sb, title, of, "gpu_util_avg");
	add_row(sb, "GPU Memory (GB)", of, "gpu_mem_avg");
}

/* Of several runs, or levels, which one it is stands before a report. */
static void add_run(struct strbuf *sb, const struct report *report, bool several)
{
	struct cursor run = {report->dialect, report->dialect + report->dialect_count};
	const struct dialect_item *levels = find(run, "levels"), *level;
	double missed = number_of(run, "missed_measurements");
	struct cursor each = levels ? into(&run, levels) : (struct cursor){0};
	bool two = next(&each, &level) && next(&each, &level), any = false;

	if (several) {
		strbuf_adds(sb, "Run: ");
		utf8_inert(sb, report->run->path);
		strbuf_addc(sb, '\n');
	}
	each = levels ? into(&run, levels) : each;
	while (next(&each, &level)) {
		struct cursor inner = into(&run, level);

		if (!find(inner, "metrics"))
			continue;
		any = true;
		if (two)
			strbuf_addf(sb, "Level: %s\n", level->key);
		add_report(sb, run, inner);
	}
	if (!any)
		strbuf_adds(sb,
			"[JUmPER]: No performance data available or recorded "
			"cells are too short\n");
	if (!isnan(missed))
		strbuf_addf(sb, "[JUmPER]: Missed measurements: (% .2f)\n", missed);
}

int jumper_text_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct strbuf sb, inert;

	(void)opt;
	if (check_refusals(in, err) < 0)
		return -1;
	strbuf_init(&sb);
	strbuf_init(&inert);
	for (size_t i = 0; i < in->report_count; i++)
		add_run(&sb, &in->report[i], in->report_count > 1);
	utf8_no_commands(&inert, sb.text);
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_release(&sb);
	return render_check(out, "jumper-text", err);
}
