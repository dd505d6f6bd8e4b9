/*
 * A comparison as gpu_tracker prints it, as JSON and as its text: under each measurement,
 * or each code block of it, the runs in the order of their values. Must not know where a
 * number comes from.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/dialect_json.h"
#include "render/formats.h"
#include "render/pandas.h"
#include "render/python.h"
#include "render/utf8.h"

#define TABLE_DECIMALS 8

struct part {
	enum tracker_comparison_part part;
	const char *key, *title;
};

static const struct part parts[] = {
	{TRACKER_COMPARISON_RUN, "overall_resource_usage", "Overall Resource Usage"},
	{TRACKER_COMPARISON_PHASE, "code_block_resource_usage",
		"Code Block Resource Usage"},
	{TRACKER_COMPARISON_TIME, "code_block_compute_time", "Code Block Compute Time"},
};

#define PARTS (sizeof parts / sizeof parts[0])

struct place {
	const char *name;
	double value;
	size_t side;
};

/* Ascending, what is unknown last; equal ones as the runs were given. */
static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (isnan(x->value) != isnan(y->value))
		return isnan(x->value) ? 1 : -1;
	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	return (x->side > y->side) - (x->side < y->side);
}

/* The sides of a row, to be freed. */
static struct place *sort_row(const struct tracker_comparison *comparison,
	const struct tracker_comparison_row *row)
{
	struct place *place = xcalloc(comparison->side_count, sizeof *place);

	for (size_t i = 0; i < comparison->side_count; i++)
		place[i] = (struct place){comparison->side[i].name, row->value[i], i};
	qsort(place, comparison->side_count, sizeof *place, by_value);
	return place;
}

static void json_row(struct json_writer *w, const struct tracker_comparison *comparison,
	const struct tracker_comparison_row *row)
{
	struct place *place = sort_row(comparison, row);

	json_object(w, row->phase ? row->phase : row->key);
	for (size_t i = 0; i < comparison->side_count; i++) {
		if (row->counts)
			json_integer(w, place[i].name, (int64_t)place[i].value);
		else
			dialect_json_number(w, place[i].name, place[i].value);
	}
	json_close(w);
	free(place);
}

/* The first row of a measurement's phases, and the last. */
static bool begins(const struct tracker_comparison *comparison, size_t i)
{
	const struct tracker_comparison_row *row = &comparison->row[i];

	return row->part == TRACKER_COMPARISON_PHASE &&
		(!i || row[-1].part != row->part || strcmp(row[-1].key, row->key) != 0);
}

static bool ends(const struct tracker_comparison *comparison, size_t i)
{
	return comparison->row[i].part == TRACKER_COMPARISON_PHASE &&
		(i + 1 == comparison->row_count ||
			comparison->row[i + 1].part != TRACKER_COMPARISON_PHASE ||
			begins(comparison, i + 1));
}

int tracker_json_compare(const struct tracker_comparison *comparison,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_SPACED);
	json_object(&w, NULL);
	for (size_t p = 0; p < PARTS; p++) {
		json_object(&w, parts[p].key);
		for (size_t i = 0; i < comparison->row_count; i++) {
			if (comparison->row[i].part != parts[p].part)
				continue;
			if (begins(comparison, i))
				json_object(&w, comparison->row[i].key);
			json_row(&w, comparison, &comparison->row[i]);
			if (ends(comparison, i))
				json_close(&w);
		}
		json_close(&w);
	}
	json_close(&w);
	json_finish(&w);
	return render_check(out, "gpu-tracker", err);
}

/* "gpu_sum_utilization_percent" as "Gpu Sum Utilization Percent". */
static void add_title(struct strbuf *sb, const char *key)
{
	size_t begin = sb->len;
	bool letter = false;

	utf8_inert(sb, key);
	for (char *c = sb->text + begin; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		*c = (char)(letter ? tolower(byte) : toupper(byte));
		letter = isalpha(byte) || byte >= 0x80;
		if (*c == '_')
			*c = ' ';
	}
	strbuf_adds(sb, ":\n");
}

static void add_number(struct strbuf *sb, double x, bool counts)
{
	if (isnan(x))
		strbuf_adds(sb, "NaN");
	else if (counts)
		strbuf_addf(sb, " %.0f", x);
	else
		python_float(sb, python_round(x, TABLE_DECIMALS));
}

static void add_row(struct strbuf *sb, const struct tracker_comparison *comparison,
	const struct tracker_comparison_row *row, const char *indent)
{
	struct place *place = sort_row(comparison, row);
	struct table table = {.columns = comparison->side_count + 1};

	for (int line = 0; line < 2; line++) {
		table_add_text(&table, "");
		for (size_t i = 0; i < comparison->side_count; i++) {
			struct strbuf cell;

			strbuf_init(&cell);
			if (line) {
				add_number(&cell, place[i].value, row->counts);
			} else {
				strbuf_addc(&cell, ' ');
				utf8_inert(&cell, place[i].name);
			}
			table_add(&table, &cell);
		}
	}
	table_print(sb, &table, indent);
	table_release(&table);
	free(place);
}

static void add_phase(struct strbuf *sb, const char *phase, const char *indent)
{
	strbuf_adds(sb, indent);
	utf8_inert(sb, phase);
	strbuf_adds(sb, ":\n");
}

int tracker_text_compare(const struct tracker_comparison *comparison,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct strbuf sb, inert;

	(void)opt;
	strbuf_init(&sb);
	strbuf_init(&inert);
	for (size_t p = 0; p < PARTS; p++) {
		strbuf_addf(&sb, "%s:\n", parts[p].title);
		for (size_t i = 0; i < comparison->row_count; i++) {
			const struct tracker_comparison_row *row = &comparison->row[i];
			bool deep = row->part == TRACKER_COMPARISON_PHASE;

			if (row->part != parts[p].part)
				continue;
			if (row->part == TRACKER_COMPARISON_RUN ||
				begins(comparison, i)) {
				strbuf_addc(&sb, '\t');
				add_title(&sb, row->key);
			}
			if (row->phase)
				add_phase(&sb, row->phase, deep ? "\t\t" : "\t");
			add_row(&sb, comparison, row, deep ? "\t\t\t" : "\t\t");
		}
	}
	utf8_no_commands(&inert, sb.text);
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_release(&sb);
	return render_check(out, "gpu-tracker-text", err);
}
