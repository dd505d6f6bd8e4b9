/* What of a phase's energy is its own: in none of the phases right in it. */
#include <math.h>

#include "compute/report/parts.h"

/* By which the calls in another may stick out (README.md, "Phases"). */
#define STICKS_OUT_S 0.002

/* What the paths right in one have. */
struct inner {
	double union_s, energy_j;
	uint64_t calls;
};

static bool is_right_in(const struct phase_path *in, const struct phase_path *path)
{
	return in->depth == path->depth + 1;
}

/* The place behind the paths that are in one. */
static size_t end_of(const struct report *report, size_t at)
{
	size_t end = at + 1;

	while (end < report->path_count &&
		report->path[end].depth > report->path[at].depth)
		end++;
	return end;
}

static struct inner inner_of(const struct report *report, size_t at)
{
	const struct phase_path *path = &report->path[at];
	struct inner inner = {0};

	for (size_t i = at + 1; i < end_of(report, at); i++) {
		const struct phase_path *in = &report->path[i];
		double energy_j = in->summary[PHASE_energy_partial_j].number;

		if (!is_right_in(in, path))
			continue;
		inner.union_s += in->union_s;
		inner.energy_j += isnan(energy_j) ? 0 : energy_j;
		inner.calls += in->calls;
	}
	return inner;
}

static double slack_of(const struct phase_path *path, const struct inner *inner)
{
	return STICKS_OUT_S * (double)(path->calls + inner->calls);
}

/* Is every instant of it in one call, and in one of the calls in that at most? */
static bool is_apart(const struct phase_path *path, const struct inner *inner)
{
	double slack_s = slack_of(path, inner);

	return path->total_s - path->union_s <= slack_s &&
		fabs(path->union_s - inner->union_s - path->exclusive_s) <= slack_s;
}

/*
 * Has a path, beside the known energies of those in it, none of their time? A counter
 * goes on over a gap: where one in it cuts or lies in a gap, the rise over that is in the
 * energy of the outer one, and how much of it is the inner one's nobody knows.
 */
static bool is_counted_apart(const struct report *report, size_t at,
	const struct metric_stats *run, const struct inner *inner)
{
	const struct phase_path *path = &report->path[at];
	const struct metric_stats *own = metric_stats_of(
		path->stats, path->stats_count, run->source, run->device, run->metric);
	double slack_s = slack_of(path, inner), covered_s = 0;

	for (size_t i = at + 1; i < end_of(report, at); i++) {
		const struct phase_path *in = &report->path[i];
		const struct metric_stats *s = metric_stats_of(in->stats, in->stats_count,
			run->source, run->device, run->metric);

		if (!is_right_in(in, path) || !s || !(s->covered_s > 0))
			continue;
		if (isnan(s->energy_j))
			return false;
		covered_s += s->covered_s;
	}
	return inner->union_s - covered_s <= slack_s ||
		(own && fabs(own->covered_s - covered_s - path->exclusive_s) <= slack_s);
}

static bool are_counted_apart(
	const struct report *report, size_t at, const struct inner *inner)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *run = metric_stats_energy(
			report->stats, report->stats_count, gpus->at[i]);

		if (run && report_counts_gpu(report, gpus->at[i]) &&
			energy_method(run) == ENERGY_COUNTER &&
			!is_counted_apart(report, at, run, inner))
			return false;
	}
	return true;
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
		else if (is_apart(path, &inner) && are_counted_apart(report, i, &inner))
			path->exclusive_energy_j = own_energy(path, &inner);
	}
}
