/* The stretches of a report, through their witness. */
#include "cmd/finding_lines.h"

#include "cmd/again.h"
#include "compute/inspect/origins.h"

void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct options *opt)
{
	struct stretch_lines *lines = stretch_lines_new(&loaded->report);
	struct loaded again;

	if (!lines)
		return;
	if (load_again(&again, loaded, path, path_count, opt,
		    stretch_lines_as_witness(lines))) {
		stretch_lines_settle(lines, &again.run);
		loaded_release(&again);
	}
	stretch_lines_free(lines);
}
