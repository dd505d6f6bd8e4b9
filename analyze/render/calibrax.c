/*
 * calibrax's own object (its ResourceSummary's to_dict() as Python's json.dumps prints
 * it), one line a run. Must not know where a number comes from.
 */
#include "render/dialect_json.h"
#include "render/formats.h"

int calibrax_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	(void)opt;
	json_init(&w, out, JSON_SPACED);
	while ((report = render_take(in, &taken)))
		dialect_json(&w, report, -1);
	json_finish(&w);
	return render_check(out, "calibrax", err);
}
