/*
 * The object that a tool prints of a run: a list of items, its JSON as Python prints it,
 * and what the run has no number for. Knows no tool.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "foreign/shared.h"
#include "render/utf8.h"

/* The list. */

static const struct item close_item = {.kind = ITEM_CLOSE};

struct foreign_object *object_make(struct report *report)
{
	if (!report->foreign)
		report->foreign = xcalloc(1, sizeof *report->foreign + sizeof close_item);
	report->foreign->item[report->foreign->count] = close_item;
	return report->foreign;
}

struct item *item_add(struct report *report, enum item_kind kind, const char *key)
{
	struct foreign_object *object = object_make(report);
	struct item *item;

	if (object->count == object->cap) {
		object->cap = 2 * object->cap + 16;
		object = xrealloc(object, 1,
			sizeof *object + (object->cap + 1) * sizeof object->item[0]);
		report->foreign = object;
	}
	item = &object->item[object->count++];
	item[0] = (struct item){.kind = kind, .key = key};
	item[1] = close_item;
	return item;
}

void item_text(struct report *report, const char *key, const char *text)
{
	item_add(report, ITEM_TEXT, key)->text = text;
}

void item_close(struct report *report)
{
	item_add(report, ITEM_CLOSE, NULL);
}

const struct item *items_of(const struct report *report)
{
	return report->foreign ? report->foreign->item : &close_item;
}

const char *refusal_of(const struct report *report)
{
	return report->foreign ? report->foreign->refusal : NULL;
}

int refusal_check(const struct render_input *in, struct error *err)
{
	for (size_t i = 0; i < in->report_count; i++)
		if (refusal_of(&in->report[i]))
			return error_set(err, "%s: %s", in->report[i].run->path,
				refusal_of(&in->report[i]));
	return 0;
}

static bool opens(const struct item *item)
{
	return item->kind == ITEM_OBJECT || item->kind == ITEM_ARRAY;
}

const struct item *item_behind(const struct item *item)
{
	int depth = 0;

	do {
		depth += opens(item);
		depth -= item->kind == ITEM_CLOSE;
		item++;
	} while (depth);
	return item;
}

const struct item *item_find(const struct item *first, const char *key)
{
	for (const struct item *i = first; i->kind != ITEM_CLOSE; i = item_behind(i))
		if (i->key && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

const struct item *item_member(
	const struct item *first, const char *key, enum item_kind kind)
{
	for (const struct item *i = first; i->kind != ITEM_CLOSE; i = item_behind(i))
		if (i->kind == kind && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

/* Numbers: digits by base/number.h, laid out anew. */

void python_float(struct strbuf *sb, double x)
{
	struct strbuf text;

	if (!isfinite(x)) {
		strbuf_adds(sb, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
		return;
	}
	strbuf_init(&text);
	number_print(&text, x);
	/* Python has no exponent from 1e-4 to below 1e16; there all digits fit. */
	if (strchr(text.text, 'e') && fabs(x) >= 1 && fabs(x) < 1e16) {
		strbuf_clear(&text);
		strbuf_addf(&text, "%.0f", x);
	}
	strbuf_add(sb, text.text, text.len);
	if (!strpbrk(text.text, ".e"))
		strbuf_adds(sb, ".0");
	strbuf_release(&text);
}

double python_round(double x, int decimals)
{
	char text[400];

	if (!isfinite(x) || fabs(x) >= 1e16)
		return x;
	snprintf(text, sizeof text, "%.*f", decimals, x);
	return strtod(text, NULL);
}

/* As Python's json prints it; NaN and infinities: null. */
static void python_json_number(struct json_writer *w, const char *key, double x)
{
	struct strbuf text;

	if (!isfinite(x)) {
		json_null(w, key);
		return;
	}
	strbuf_init(&text);
	python_float(&text, x);
	json_raw(w, key, text.text);
	strbuf_release(&text);
}

/* JSON. */

static void print_item(struct json_writer *w, const struct item *item, int decimals)
{
	switch (item->kind) {
	case ITEM_NUMBER:
		python_json_number(w, item->key,
			decimals < 0 ? item->number
				     : python_round(item->number, decimals));
		break;
	case ITEM_COUNT:
		if (isnan(item->number))
			json_null(w, item->key);
		else
			json_integer(w, item->key, (int64_t)item->number);
		break;
	case ITEM_TEXT:
		json_string(w, item->key, item->text);
		break;
	case ITEM_OBJECT:
		json_object(w, item->key);
		break;
	case ITEM_ARRAY:
		json_array(w, item->key);
		break;
	case ITEM_CLOSE:
		json_close(w);
		break;
	}
}

void item_json(struct json_writer *w, const struct report *report, int decimals)
{
	const struct foreign_object *object = report->foreign;

	json_object(w, NULL);
	for (size_t i = 0; object && i < object->count; i++)
		if (!object->item[i].omitted)
			print_item(w, &object->item[i], decimals);
	json_close(w);
}

int item_json_lines(const struct render_input *in, const char *name, int decimals,
	FILE *out, struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_init(&w, out, JSON_SPACED);
	while ((report = render_take(in, &taken)))
		item_json(&w, report, decimals);
	json_finish(&w);
	return render_check(out, name, err);
}

/* Text, and tables in it. */

int python_print(struct strbuf *sb, const char *name, FILE *out, struct error *err)
{
	struct strbuf inert = strbuf_new();

	utf8_no_commands(&inert, sb->text);
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_release(sb);
	return render_check(out, name, err);
}

void table_add(struct table *table, struct strbuf *text)
{
	ALLOC_NEXT(table->cell, table->count, table->cap) = strbuf_detach(text);
}

void table_add_text(struct table *table, const char *text)
{
	struct strbuf sb = strbuf_new();

	strbuf_adds(&sb, text);
	table_add(table, &sb);
}

void table_release(struct table *table)
{
	free_texts(table->cell, table->count);
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

void table_pad(struct strbuf *sb, const char *text, size_t width)
{
	for (size_t used = utf8_width(text); used < width; used++)
		strbuf_addc(sb, ' ');
}

void table_print(struct strbuf *sb, const struct table *table, const char *indent)
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

/* Keys of an object without depth. */

/*
 * All devices of a source, but of the CPUs only all together, of processes the first.
 * Tables of other tools are about one.
 */
static bool is_pooled(const struct report *report, const struct metric_stats *s)
{
	const struct device *device = &report->run->device[s->device];

	if (device->kind == DEVICE_TREE && s->source != SOURCE_HOST_TABLE &&
		strcmp(device->name, "main") != 0)
		return false;
	return s->n && (device->kind != DEVICE_CPU || device->index < 0);
}

const enum source_kind gpu_sources[] = {SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON,
	SOURCE_NVIDIA_TABLE, SOURCE_JUMPER, SOURCE_NONE};

static double pooled(
	const struct report *report, const struct tool_key *key, enum source_kind source)
{
	double sum = 0, n = 0, max = NAN, growth = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric != key->metric || s->source != source ||
			!is_pooled(report, s))
			continue;
		sum += s->sum;
		n += (double)s->n;
		max = isnan(max) || s->max > max ? s->max : max;
		growth = s->n > 1 ? s->growth : 0; /* one value is first and last */
	}
	if (n <= 0)
		return NAN;
	if (key->statistic == STATISTIC_GROWTH)
		return growth;
	return key->statistic == STATISTIC_MAX ? max : sum / n;
}

double peak_of(const struct report *report, const char *who, double sampled_mib)
{
	report->foreign->has_peaks = true;
	/* the kernel's is of all of a process's life */
	for (size_t i = 0; i < report->stats_count && !report->windowed; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric == METRIC_process_peak_mib && s->n &&
			strcmp(report->run->device[s->device].name, who) == 0)
			return fmax(s->max, sampled_mib);
	}
	return sampled_mib;
}

double key_number(const struct report *report, const struct tool_key *key)
{
	double number = NAN;

	for (size_t i = 0; isnan(number) && key->source[i] != SOURCE_NONE; i++)
		number = pooled(report, key, key->source[i]);
	return number;
}

/* Is the key before the next one omitted? */
static bool is_omitted(const struct report *report)
{
	const struct foreign_object *object = report->foreign;

	return object && object->count && object->item[object->count - 1].omitted;
}

void key_add(struct report *report, const struct tool_key *key, double number)
{
	bool absent = isnan(number), omitted = is_omitted(report);
	struct item *item;

	if (absent && key->omission != OMIT_EMPTY)
		number = 0; /* that format knows no null there */
	if (key->omission == OMIT_OMIT)
		omitted = !(number > 0);
	else if (key->omission != OMIT_WITH)
		omitted = absent && key->omission == OMIT_ABSENT;
	item = item_add(report,
		key->statistic == STATISTIC_SAMPLES ? ITEM_COUNT : ITEM_NUMBER, key->key);
	item->omitted = omitted;
	item->absent = absent && !omitted;
	item->number = number;
}

/* What the run lacks; an object whose numbers are all unknown is named as a whole. */

#define UNKNOWN_NAMED 4
#define OBJECT_DEPTH  8

static bool is_number(const struct item *item)
{
	return item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT;
}

static bool lacks(const struct item *item)
{
	return is_number(item) && (isnan(item->number) || item->absent) &&
		!item->omitted && !item->unsaid;
}

/* Is it one that lacks, and is 0 printed for it, as where that tool knows no null? */
static bool lacks_as(const struct item *item, bool zero)
{
	return lacks(item) && !isnan(item->number) == zero;
}

/* Has the object numbers, all of them unknown and printed so, and else only texts? */
static bool is_unknown(const struct item *object, bool zero)
{
	bool any = false;

	for (object++; object->kind != ITEM_CLOSE; object++) {
		if (opens(object))
			return false;
		if (is_number(object) && !isnan(object->number) && !object->absent)
			return false;
		if (lacks_as(object, !zero))
			return false;
		any |= is_number(object) && !object->unsaid;
	}
	return any;
}

static void add_name(struct strbuf *names, const char *const *path, size_t depth,
	const struct item *item)
{
	strbuf_adds(names, names->len ? ", " : "");
	for (size_t i = 0; i < depth; i++)
		strbuf_addf(names, "%s.", path[i]);
	strbuf_adds(names, item->key);
}

/* All zeros, which look like numbers; of nulls the first ones. What single calls of
 * phases lack is not said. */
static void add_unknown(
	struct strbuf *names, const struct foreign_object *object, bool zero)
{
	const size_t named = zero ? SIZE_MAX : UNKNOWN_NAMED;
	const struct item *item = object->item, *end = item + object->count;
	const char *path[OBJECT_DEPTH] = {NULL};
	size_t depth = 0, count = 0;

	for (; item < end; item++) {
		bool whole = item->kind == ITEM_ARRAY ||
			(item->kind == ITEM_OBJECT && is_unknown(item, zero));

		if (item->kind == ITEM_CLOSE) {
			depth--;
			continue;
		}
		if (((whole && item->kind == ITEM_OBJECT) || lacks_as(item, zero)) &&
			count++ < named)
			add_name(names, path, depth, item);
		if (whole)
			item = item_behind(item) - 1;
		else if (item->kind == ITEM_OBJECT && depth < OBJECT_DEPTH)
			path[depth++] = item->key;
	}
	if (count > named)
		strbuf_addf(names, " and %zu more", count - named);
}

void foreign_remarks(const struct report *report, void (*say)(const char *format, ...))
{
	const struct foreign_object *object = report->foreign;
	struct strbuf text;

	if (!object || object->refusal)
		return;
	strbuf_init(&text);
	for (int zero = 0; zero < 2; zero++) {
		strbuf_clear(&text);
		add_unknown(&text, object, zero);
		if (text.len)
			say("%s: the logs have no value for %s (%s in the output)",
				report->run->path, text.text, zero ? "0" : "null");
	}
	if (object->own_missing)
		say("%s: GPU memory of the run's processes is known in %llu of %llu "
		    "samples",
			report->run->path, (unsigned long long)object->own_known,
			(unsigned long long)(object->own_known + object->own_missing));
	if (run_fact_is(report->run, RUN_FACT_HOST_PIDS, "false") &&
		report->run->of_kind[DEVICE_PROCESS].count)
		say("%s: the run has pids of a container: its processes on GPUs are "
		    "known only if nvidia-smi lists the same pids",
			report->run->path);
	strbuf_clear(&text);
	if (object->has_peaks && host_use_between(&text, report))
		say("%s: between samples %s", report->run->path, text.text);
	strbuf_release(&text);
}

/* Units. */

static const struct {
	const char *name;
	int64_t factor;
} data_units[DATA_UNIT_COUNT] =
	{
		[DATA_UNIT_BYTES] = {"bytes", 1},
		[DATA_UNIT_KILOBYTES] = {"kilobytes", 1000},
		[DATA_UNIT_MEGABYTES] = {"megabytes", 1000000},
		[DATA_UNIT_GIGABYTES] = {"gigabytes", 1000000000},
		[DATA_UNIT_TERABYTES] = {"terabytes", 1000000000000},
},
  time_units[TIME_UNIT_COUNT] = {
	  [TIME_UNIT_SECONDS] = {"seconds", 1},
	  [TIME_UNIT_MINUTES] = {"minutes", 60},
	  [TIME_UNIT_HOURS] = {"hours", 3600},
	  [TIME_UNIT_DAYS] = {"days", 86400},
};

const char *data_unit_name(enum data_unit unit)
{
	return data_units[unit].name;
}

const char *time_unit_name(enum time_unit unit)
{
	return time_units[unit].name;
}

enum data_unit data_unit_find(struct span name)
{
	for (enum data_unit unit = DATA_UNIT_NONE + 1; unit < DATA_UNIT_COUNT; unit++)
		if (span_is(name, data_units[unit].name))
			return unit;
	return DATA_UNIT_NONE;
}

enum time_unit time_unit_find(struct span name)
{
	for (enum time_unit unit = TIME_UNIT_NONE + 1; unit < TIME_UNIT_COUNT; unit++)
		if (span_is(name, time_units[unit].name))
			return unit;
	return TIME_UNIT_NONE;
}

int64_t data_unit_bytes(enum data_unit unit)
{
	return data_units[unit].factor;
}

int64_t time_unit_seconds(enum time_unit unit)
{
	return time_units[unit].factor;
}
