/* Operand by operand. */
#include "cmd/sides.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/selection.h"

static void lose(struct sides *sides, const char *name)
{
	ALLOC_GROW(sides->lost, sides->lost_count + 1, sides->lost_cap);
	sides->lost[sides->lost_count++] = xstrdup(name);
}

int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, const struct console *console)
{
	struct runs *runs = &sides->runs;
	const struct report_filter filter = {
		.device = opt->device, .per_core = opt->per_core};
	struct comparing *comparing;
	struct error err;
	int added = 0;

	*sides = (struct sides){.named = named};
	if (runs_init(runs, opt, console) < 0)
		return -1;
	comparing = compare_begin(
		&sides->comparison, named->count, wanted, (void *)runs->opt);
	for (size_t i = 0; i < named->count && added == 0; i++) {
		struct loaded *loaded = &runs->loaded[runs->count];
		enum side side = side_of(opt, (int)i);

		if (runs_load(runs, &named->path[i], 1) < 0) {
			comparison_remark(&sides->comparison, "not compared: %s",
				runs->warning[runs->warning_count - 1]);
			if (side == SIDE_NEW)
				lose(sides, named->name[i]);
			continue;
		}
		selection_apply(&loaded->report, &filter);
		added = compare_add(
			comparing, named->name[i], side, &loaded->report, &err);
		/* The numbers are in the rows; many runs' reports are much memory. */
		report_release(&loaded->report);
		report_init(&loaded->report, &loaded->run);
	}
	compare_end(comparing);
	if (added < 0)
		console->say(err.message);
	return added;
}

void sides_release(struct sides *sides)
{
	comparison_release(&sides->comparison);
	runs_release(&sides->runs);
	for (size_t i = 0; i < sides->lost_count; i++)
		free(sides->lost[i]);
	free(sides->lost);
}
