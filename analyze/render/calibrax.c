/*
 * calibrax's own object (its ResourceSummary's to_dict() as Python's json.dumps prints
 * it), one line a run. Must not know where a number comes from.
 */
#include "render/dialect_json.h"
#include "render/formats.h"

int calibrax_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return dialect_json_lines(in, "calibrax", -1, out, err);
}
