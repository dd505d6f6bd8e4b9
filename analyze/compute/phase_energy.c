/* What of a phase's energy is its own: in none of the phases right in it. */
#include <math.h>
#include <string.h>

#include "compute/state.h"

/* By which the calls in another may stick out (README.md, "Phases"). */
#define STICKS_OUT_S 0.002

/* What the paths right in one have. */
struct inner {
	double union_s, energy_j;
	uint64_t calls;
	bool same_method;
};

static bool has_method(const struct phase_path *path, const char *method)
{
	const char *own = path->summary[PHASE_energy_method].text;

	return !own || (method && strcmp(own, method) == 0);
}

static struct inner inner_of(const struct report *report, size_t at)
{
	const struct phase_path *path = &report->path[at];
	const char *method = path->summary[PHASE_energy_method].text;
	struct inner inner = {.same_method = true};

	for (size_t i = at + 1;
		i < report->path_count && report->path[i].depth > path->depth; i++) {
		const struct phase_path *in = &report->path[i];
		double energy_j = in->summary[PHASE_energy_partial_j].number;

		if (in->depth != path->depth + 1)
			continue;
		inner.union_s += in->union_s;
		inner.energy_j += isnan(energy_j) ? 0 : energy_j;
		inner.calls += in->calls;
		inner.same_method &= has_method(in, method);
	}
	return inner;
}

/* Is every instant of it in one call, and in one of the calls in that at most? */
static bool is_apart(const struct phase_path *path, const struct inner *inner)
{
	double slack_s = STICKS_OUT_S * (double)(path->calls + inner->calls);

	return path->total_s - path->union_s <= slack_s &&
		fabs(path->union_s - inner->union_s - path->exclusive_s) <= slack_s;
}

/* NAN: unknown, and not 0, which fmax would make of it. */
static double own_energy(const struct phase_path *path, const struct inner *inner)
{
	double own_j = path->summary[PHASE_energy_j].number - inner->energy_j;

	return own_j < 0 ? 0 : own_j;
}

void phase_own_energy(struct report *report)
{
	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];
		struct inner inner = inner_of(report, i);

		path->exclusive_energy_j = NAN;
		if (path->outside)
			path->exclusive_energy_j = path->summary[PHASE_energy_j].number;
		else if (inner.same_method && is_apart(path, &inner))
			path->exclusive_energy_j = own_energy(path, &inner);
	}
}
