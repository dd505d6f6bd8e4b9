/*
 * gpu_tracker's own object, as JSON and as its text: of its Tracker an indented list, of
 * its sub-tracking analysis the tables as pandas prints them. Which of the two it is, the
 * items tell: the latter has a list of code blocks. Must not know where a number comes
 * from.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "render/dialect_json.h"
#include "render/formats.h"
#include "render/pandas.h"
#include "render/python.h"
#include "render/utf8.h"

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
