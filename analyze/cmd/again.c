/* The same options, but for what is asked of the run. */
#include "cmd/again.h"

bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct options *opt, struct sample_witness *witness)
{
	struct options whole = *opt;
	struct error ignored;

	whole.rules = NULL;
	whole.timeline_columns = 0;
	whole.since_ns = whole.until_ns = -1;
	return !loaded->run.is_passing &&
		load_watched(out, path, path_count, &whole, witness, &ignored) == 0;
}
