/*
 * gpu_tracker's own object, as JSON and as its text: of its Tracker an indented list,
 * of its sub-tracking analysis the tables as pandas prints them. Which of the two it
 * is, the items tell: the latter has a list of code blocks. Must not know where a
 * number comes from.
 */

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "foreign/foreign.h"
#include "foreign/python.h"
#include "render/utf8.h"

/*
 * Tables as pandas prints its frames: an index on the left, columns to the right of
 * their names, every cell right-justified. Knows no numbers.
 */

/* Cells, row by row; the first row is the header, the first column the index. */
struct table {
	char **cell; /* owned */
	size_t count, cap;
	size_t columns;
};

static void table_add(struct table *table, struct strbuf *text)
{
	ALLOC_GROW(table->cell, table->count + 1, table->cap);
	table->cell[table->count++] = strbuf_detach(text);
}

static void table_add_text(struct table *table, const char *text)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_adds(&sb, text);
	table_add(table, &sb);
}

static void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cell[i]);
	free(table->cell);
	*table = (struct table){0};
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < table->count; i += table->columns) {
		size_t len = utf8_width(table->cell[i]);

		width = len > width ? len : width;
	}
	return width;
}

/* The blanks that bring a text to a width. */
static void table_pad(struct strbuf *sb, const char *text, size_t width)
{
	for (size_t used = utf8_width(text); used < width; used++)
		strbuf_addc(sb, ' ');
}

/* Each line begins with the indent. */
static void table_print(struct strbuf *sb, const struct table *table, const char *indent)
{
	size_t *width = xcalloc(table->columns, sizeof *width);

	for (size_t c = 0; c < table->columns; c++)
		width[c] = column_width(table, c);
	for (size_t i = 0; i < table->count; i++) {
		size_t c = i % table->columns;
		const char *text = table->cell[i];

		strbuf_adds(sb, c ? " " : indent);
		if (c)
			table_pad(sb, text, width[c]);
		strbuf_adds(sb, text);
		if (!c)
			table_pad(sb, text, width[c]);
		if (c + 1 == table->columns)
			strbuf_addc(sb, '\n');
	}
	free(width);
}

#define TRACKER_DECIMALS 3
#define TABLE_DECIMALS	 8

static bool has_blocks(const struct report *report)
{
	for (size_t i = 0; i < report->dialect_count; i++)
		if (report->dialect[i].kind == ITEM_ARRAY)
			return true;
	return false;
}

/* 0; -1: the tool would not take the run. */
static int check_refusal(const struct report *report, struct error *err)
{
	if (!report->dialect_refusal)
		return 0;
	return error_set(err, "%s: the recording of code blocks is invalid: %s",
		report->run->path, report->dialect_refusal);
}

int tracker_json_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	bool pretty = in->report_count == 1 && !has_blocks(&in->report[0]);
	struct json_writer w;

	(void)opt;
	for (size_t i = 0; i < in->report_count; i++)
		if (check_refusal(&in->report[i], err) < 0)
			return -1;
	json_init(&w, out, pretty ? JSON_PRETTY : JSON_SPACED);
	for (size_t i = 0; i < in->report_count; i++)
		dialect_json(&w, &in->report[i], -1);
	json_finish(&w);
	return render_check(out, "gpu-tracker", err);
}

/*
 * A name or number in text; a name's control bytes can't move the cursor. unknown: in
 * place of a number.
 */
static void add_scalar(struct strbuf *sb, const struct dialect_item *item, int decimals,
	const char *unknown)
{
	if ((item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT) &&
		isnan(item->number)) {
		strbuf_adds(sb, unknown);
		return;
	}
	switch (item->kind) {
	case ITEM_NUMBER:
		python_float(sb, python_round(item->number, decimals));
		break;
	case ITEM_COUNT:
		strbuf_addf(sb, "%.0f", item->number);
		break;
	case ITEM_TEXT:
		utf8_inert(sb, item->text);
		break;
	case ITEM_OBJECT:
	case ITEM_ARRAY:
	case ITEM_CLOSE:
		break;
	}
}

static bool is_scalar(const struct dialect_item *item)
{
	return item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT ||
		item->kind == ITEM_TEXT;
}

/* "n_expected_gpus" as "Number of expected GPUs" */
static void add_words(struct strbuf *sb, const char *key)
{
	static const char *const words[][2] = {{"n", "number of"}, {"ram", "RAM"},
		{"rss", "RSS"}, {"cpu", "CPU"}, {"gpu", "GPU"}, {"gpus", "GPUs"}};
	size_t begin = sb->len;

	for (const char *at = key; *at;) {
		size_t len = strcspn(at, "_");
		struct span word = {at, len};

		for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
			if (span_is(word, words[i][0]))
				word = span_of(words[i][1]);
		if (at != key)
			strbuf_addc(sb, ' ');
		strbuf_add(sb, word.at, word.len);
		at += len + (at[len] != '\0');
	}
	sb->text[begin] = (char)toupper((unsigned char)sb->text[begin]);
}

static void add_tracker(struct strbuf *sb, const struct report *report)
{
	int depth = 0;

	for (size_t i = 0; i < report->dialect_count; i++) {
		const struct dialect_item *item = &report->dialect[i];

		if (item->kind == ITEM_CLOSE) {
			depth--;
			continue;
		}
		strbuf_addf(sb, "%*s", 3 * depth, "");
		add_words(sb, item->key);
		strbuf_addc(sb, ':');
		if (is_scalar(item)) {
			strbuf_addc(sb, ' ');
			add_scalar(sb, item, TRACKER_DECIMALS, "null");
		} else {
			depth++;
		}
		strbuf_addc(sb, '\n');
	}
}

/* "num_non_empty_calls" as "Num Non Empty Calls" */
static void add_title(struct strbuf *sb, const char *key)
{
	bool first = true;

	for (const char *c = key; *c; c++) {
		strbuf_addc(sb,
			*c == '_'	? ' '
				: first ? (char)toupper((unsigned char)*c)
					: *c);
		first = *c == '_';
	}
}

static struct strbuf new_cell(void)
{
	struct strbuf sb;

	strbuf_init(&sb);
	return sb;
}

/* One row of scalars, up to what is none. */
static const struct dialect_item *add_row(
	struct table *table, const char *index, const struct dialect_item *item)
{
	table_add_text(table, index);
	for (; is_scalar(item); item++) {
		struct strbuf sb = new_cell();

		if (item->kind == ITEM_TEXT)
			strbuf_addc(&sb, ' ');
		add_scalar(&sb, item, TABLE_DECIMALS, "NaN");
		table_add(table, &sb);
	}
	return item;
}

/* pandas puts a blank before numbers' names, or before texts, where there are any. */
static void add_header(struct table *table, const struct dialect_item *item)
{
	bool texts = false;

	for (const struct dialect_item *i = item; is_scalar(i); i++)
		texts |= i->kind == ITEM_TEXT;
	table_add_text(table, "");
	for (table->columns = 1; is_scalar(item); item++) {
		struct strbuf sb = new_cell();

		strbuf_addf(&sb, "%s%s", texts ? "" : " ", item->key);
		table_add(table, &sb);
		table->columns++;
	}
}

/* An object of scalars is one row, an object of such objects several. Gives what follows
 * it. */
static const struct dialect_item *add_object(
	struct strbuf *sb, const struct dialect_item *object, const char *indent)
{
	const struct dialect_item *item = object + 1;
	struct table table = {0};

	if (is_scalar(item)) {
		add_header(&table, item);
		item = add_row(&table, "", item);
	} else if (item->kind == ITEM_OBJECT) {
		add_header(&table, item + 1);
		while (item->kind == ITEM_OBJECT)
			item = add_row(&table, item->key, item + 1) + 1;
	}
	table_print(sb, &table, indent);
	table_release(&table);
	return item + 1;
}

/* A code block: its scalars under one another, then its tables. */
static const struct dialect_item *add_block(
	struct strbuf *sb, const struct dialect_item *object)
{
	const struct dialect_item *item;
	struct strbuf title = new_cell();
	size_t width = 0;

	for (item = object + 1; is_scalar(item); item++)
		width = strlen(item->key) > width ? strlen(item->key) : width;
	for (item = object + 1; item->kind != ITEM_CLOSE;) {
		strbuf_clear(&title);
		add_title(&title, item->key);
		strbuf_addc(&title, ':');
		strbuf_addf(sb, "\t%s", title.text);
		if (is_scalar(item)) {
			table_pad(sb, title.text, width + 2);
			add_scalar(sb, item++, TABLE_DECIMALS, "NaN");
			strbuf_addc(sb, '\n');
		} else {
			strbuf_addc(sb, '\n');
			item = add_object(sb, item, "\t\t");
		}
	}
	strbuf_addc(sb, '\n');
	strbuf_release(&title);
	return item + 1;
}

static void add_blocks(struct strbuf *sb, const struct report *report)
{
	const struct dialect_item *item = report->dialect,
				  *end = item + report->dialect_count;

	while (item < end) {
		add_title(sb, item->key);
		strbuf_adds(sb, ":\n");
		if (item->kind == ITEM_OBJECT) {
			item = add_object(sb, item, "\t");
			continue;
		}
		for (item++; item->kind == ITEM_OBJECT;)
			item = add_block(sb, item);
		item++;
	}
}

int tracker_text_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct strbuf sb = new_cell(), inert = new_cell();

	(void)opt;
	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		if (check_refusal(report, err) < 0) {
			strbuf_release(&sb);
			strbuf_release(&inert);
			return -1;
		}
		if (has_blocks(report))
			add_blocks(&sb, report);
		else
			add_tracker(&sb, report);
	}
	utf8_no_commands(&inert, sb.text);
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_release(&sb);
	return render_check(out, "gpu-tracker-text", err);
}

/*
 * A comparison as gpu_tracker prints it, as JSON and as its text: under each
 * measurement, or each code block of it, the runs in the order of their values. Must
 * not know where a number comes from.
 */

#define COMPARE_TABLE_DECIMALS 8

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
static void compare_add_title(struct strbuf *sb, const char *key)
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
		python_float(sb, python_round(x, COMPARE_TABLE_DECIMALS));
}

static void compare_add_row(struct strbuf *sb,
	const struct tracker_comparison *comparison,
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
				compare_add_title(&sb, row->key);
			}
			if (row->phase)
				add_phase(&sb, row->phase, deep ? "\t\t" : "\t");
			compare_add_row(&sb, comparison, row, deep ? "\t\t\t" : "\t\t");
		}
	}
	utf8_no_commands(&inert, sb.text);
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_release(&sb);
	return render_check(out, "gpu-tracker-text", err);
}
