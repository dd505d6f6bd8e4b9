/* Paths stand depth first: those right in one follow it, one deeper. */
#include "model/inner_calls.h"

#include <stdlib.h>

#include "base/alloc.h"

static void add_phase(struct inner_calls *inner, const struct phase_path *outer,
	const struct phase_path *path)
{
	ALLOC_GROW(inner->phase, inner->phase_count + 1, inner->phase_cap);
	inner->phase[inner->phase_count++] =
		(struct inner_phase){.outer = xstrdup(outer->path),
			.path = xstrdup(path->path),
			.union_s = path->union_s,
			.energy_j = path->summary[PHASE_energy_partial_j].number,
			.method = path->summary[PHASE_energy_method].text};
}

void inner_calls_find(
	struct inner_calls *inner, const struct report *report, const char *pattern)
{
	/* of each path its inner phase + 1; 0: none */
	size_t *of = xcalloc(report->path_count + 1, sizeof *of);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *outer = &report->path[i];

		if (!phase_path_matches(outer, pattern))
			continue;
		for (size_t k = i + 1;
			k < report->path_count && report->path[k].depth > outer->depth;
			k++) {
			if (report->path[k].depth != outer->depth + 1 ||
				report->path[k].outside)
				continue;
			add_phase(inner, outer, &report->path[k]);
			of[k] = inner->phase_count;
		}
	}
	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *call = &report->call[i];

		if (!of[call->path])
			continue;
		ALLOC_GROW(inner->call, inner->count + 1, inner->cap);
		inner->call[inner->count++] =
			(struct inner_call){of[call->path] - 1, *call};
	}
	free(of);
}

void inner_calls_release(struct inner_calls *inner)
{
	for (size_t i = 0; i < inner->phase_count; i++) {
		free(inner->phase[i].outer);
		free(inner->phase[i].path);
	}
	free(inner->phase);
	free(inner->call);
	*inner = (struct inner_calls){0};
}
