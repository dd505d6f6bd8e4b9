/*
 * pytyche's own object (its to_dict() as Python's json.dumps prints it), one line a run.
 * Which keys there are, and which are left out, compute has decided; this room rounds
 * and prints. Must not know where a number comes from.
 */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "render/formats.h"
#include "render/json_writer.h"

/*
 * round(x, 1) of Python rounds the exact binary value, half to even, and so does printf
 * in glibc and musl; below 1e16 Python prints the result without an exponent.
 */
static void add_rounded(struct json_writer *w, const char *key, double x)
{
	struct strbuf text;

	if (!isfinite(x)) {
		json_null(w, key);
		return;
	}
	strbuf_init(&text);
	if (fabs(x) < 1e16)
		strbuf_addf(&text, "%.1f", x);
	else
		number_print(&text, x);
	json_raw(w, key, text.text);
	strbuf_release(&text);
}

int pytyche_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_SPACED);
	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		json_object(&w, NULL);
		for (size_t k = 0; k < report->dialect_count; k++) {
			const struct dialect_item *item = &report->dialect[k];

			if (!item->omitted)
				add_rounded(&w, item->key, item->number);
		}
		json_close(&w);
	}
	json_finish(&w);
	return render_check(out, "pytyche", err);
}
