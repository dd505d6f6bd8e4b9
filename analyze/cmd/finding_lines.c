/* The same options, but for what is asked of the run. */
#include "cmd/finding_lines.h"

#include "compute/stretch_lines.h"

void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct options *opt)
{
	struct options whole = *opt;
	struct stretch_lines *lines;
	struct loaded again;
	struct error ignored;

	if (loaded->run.is_passing)
		return;
	lines = stretch_lines_new(&loaded->report);
	if (!lines)
		return;
	whole.rules = NULL;
	whole.since_ns = whole.until_ns = -1;
	if (load_watched(&again, path, path_count, &whole,
		    stretch_lines_as_witness(lines), &ignored) == 0) {
		stretch_lines_settle(lines, &again.run);
		loaded_release(&again);
	}
	stretch_lines_free(lines);
}
