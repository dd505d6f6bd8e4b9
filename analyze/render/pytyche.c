/*
 * pytyche's own object (its to_dict() as Python's json.dumps prints it), one line a run.
 * Must not know where a number comes from.
 */
#include "render/dialect_json.h"
#include "render/formats.h"

int pytyche_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_SPACED);
	for (size_t i = 0; i < in->report_count; i++)
		dialect_json(&w, &in->report[i], 1);
	json_finish(&w);
	return render_check(out, "pytyche", err);
}
