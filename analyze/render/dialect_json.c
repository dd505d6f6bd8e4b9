/* One walk over the items. */
#include "render/dialect_json.h"

#include <math.h>

#include "render/formats.h"
#include "render/python.h"

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

int dialect_json_lines(const struct render_input *in, const char *name, int decimals,
	FILE *out, struct error *err)
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
