/* Calls come by their start, so that their union is made in one go. */
#include "compute/inspect/origin_phases.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "model/report.h"

static struct origin_phase *add_phase(struct origin_phases *phases, uint32_t path)
{
	ALLOC_GROW(phases->at, phases->count + 1, phases->cap);
	phases->at[phases->count] = (struct origin_phase){.path = path};
	return &phases->at[phases->count++];
}

/* Joined with the one before where they touch. */
static void add_stretch(struct origin_phase *phase, int64_t from_ns, int64_t to_ns)
{
	struct stretch *last = phase->count ? &phase->at[phase->count - 1] : NULL;

	if (from_ns >= to_ns)
		return;
	if (last && from_ns <= last->to_ns) {
		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		return;
	}
	ALLOC_GROW(phase->at, phase->count + 1, phase->cap);
	phase->at[phase->count++] = (struct stretch){from_ns, to_ns};
}

/* What is in no call. */
static void add_outside(struct origin_phases *phases)
{
	const struct phase_tree *tree = &phases->tree;
	struct origin_phase *outside = add_phase(phases, (uint32_t)tree->path_count);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < tree->calls.count; i++) {
		const struct call *call = &tree->calls.at[i];

		if (call->start_ns > until_ns)
			add_stretch(outside, until_ns, call->start_ns);
		if (call->end_ns > until_ns)
			until_ns = call->end_ns;
	}
	add_stretch(outside, until_ns, INT64_MAX);
}

static void add_paths(struct origin_phases *phases, const char *glob)
{
	const struct phase_tree *tree = &phases->tree;
	size_t *of = xcalloc(tree->path_count + 1, sizeof *of); /* phase + 1; 0: none */

	for (size_t i = 0; i < tree->path_count; i++) {
		if (!phase_fits(glob, tree->path[i].name))
			continue;
		add_phase(phases, (uint32_t)i);
		of[i] = phases->count;
	}
	for (size_t i = 0; i < tree->calls.count; i++) {
		const struct call *call = &tree->calls.at[i];

		if (of[tree->of[i].path])
			add_stretch(&phases->at[of[tree->of[i].path] - 1], call->start_ns,
				call->end_ns);
	}
	free(of);
	if (tree->path_count && phase_fits(glob, PHASE_OUTSIDE))
		add_outside(phases);
}

static void add_edge(struct time_edges *edges, int64_t t_ns)
{
	if (t_ns != INT64_MIN && t_ns != INT64_MAX)
		edges->at[edges->count++] = t_ns;
}

static void find_edges(struct origin_phases *phases)
{
	struct time_edges *edges = &phases->edges;
	size_t stretches = 0, kept = 0;

	for (size_t i = 0; i < phases->count; i++)
		stretches += phases->at[i].count;
	edges->at = xcalloc(2 * stretches + 1, sizeof *edges->at);
	for (size_t i = 0; i < phases->count; i++)
		for (size_t k = 0; k < phases->at[i].count; k++) {
			add_edge(edges, phases->at[i].at[k].from_ns);
			add_edge(edges, phases->at[i].at[k].to_ns);
		}
	sort_int64(edges->at, edges->count);
	for (size_t i = 0; i < edges->count; i++)
		if (!kept || edges->at[kept - 1] != edges->at[i])
			edges->at[kept++] = edges->at[i];
	edges->count = kept;
}

void origin_phases_find(struct origin_phases *phases, const struct run *run,
	const char *glob, const struct compute_window *window)
{
	*phases = (struct origin_phases){.count = 0};
	phase_tree_build(&phases->tree, run, false, window);
	if (glob)
		add_paths(phases, glob);
	else
		add_stretch(add_phase(phases, (uint32_t)phases->tree.path_count),
			INT64_MIN, INT64_MAX);
	find_edges(phases);
}

void origin_phases_release(struct origin_phases *phases)
{
	for (size_t i = 0; i < phases->count; i++)
		free(phases->at[i].at);
	free(phases->at);
	free(phases->edges.at);
	phase_tree_release(&phases->tree);
	*phases = (struct origin_phases){.count = 0};
}

const char *origin_phase_name(const struct origin_phases *phases,
	const struct origin_phase *phase, const struct report *report)
{
	const struct phase_tree *tree = &phases->tree;

	for (size_t i = 0; i < report->call_count && i < tree->calls.count; i++)
		if (tree->of[i].path == phase->path)
			return report->path[report->call[i].path].path;
	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].outside && phase->path == tree->path_count)
			return report->path[i].path;
	return NULL;
}
