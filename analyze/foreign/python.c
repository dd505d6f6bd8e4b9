/* One walk over the items. */
#include "foreign/python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "foreign/foreign.h"
#include "model/report.h"
#include "render/json_writer.h"
#include "render/render.h"

/* Digits by base/number.h, laid out anew. */

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

void dialect_json_number(struct json_writer *w, const char *key, double x)
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

static void add_number(
	struct json_writer *w, const struct dialect_item *item, int decimals)
{
	dialect_json_number(w, item->key,
		decimals < 0 ? item->number : python_round(item->number, decimals));
}

void dialect_json(struct json_writer *w, const struct report *report, int decimals)
{
	json_object(w, NULL);
	for (size_t i = 0; i < report->dialect_count; i++) {
		const struct dialect_item *item = &report->dialect[i];

		if (item->omitted)
			continue;
		switch (item->kind) {
		case ITEM_NUMBER:
			add_number(w, item, decimals);
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
	json_close(w);
}

/* The objects of all runs, a line each; name: the format's. As a format's write. */
static int dialect_json_lines(const struct render_input *in, const char *name,
	int decimals, FILE *out, struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_init(&w, out, JSON_SPACED);
	while ((report = render_take(in, &taken)))
		dialect_json(&w, report, decimals);
	json_finish(&w);
	return render_check(out, name, err);
}

/*
 * pytyche's own object (its to_dict() as Python's json.dumps prints it), one line a
 * run. Must not know where a number comes from.
 */

int pytyche_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return dialect_json_lines(in, "pytyche", 1, out, err);
}

/*
 * calibrax's own object (its ResourceSummary's to_dict() as Python's json.dumps prints
 * it), one line a run. Must not know where a number comes from.
 */

int calibrax_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return dialect_json_lines(in, "calibrax", -1, out, err);
}
