/*
 * pytyche's own object (its to_dict() as Python's json.dumps prints it), one line a run.
 * Must not know where a number comes from.
 */
#include "render/dialect_json.h"
#include "render/formats.h"

int pytyche_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return dialect_json_lines(in, "pytyche", 1, out, err);
}
