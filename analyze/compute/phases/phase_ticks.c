/* Counters of ticks that look at parts of slices, and shares that look at some calls. */
#include "compute/phases/phase_ticks.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

struct phase_ticks_of {
	struct counter rise[TICK_COUNT];
	struct shares windows;
	uint64_t snapshot; /* the last one in it; 0: none */
	struct slices whole; /* that lie in it and may be gaps: ticks count in these,
				time does not */
	double covered_s, gap_limit_s;
};

void phase_ticks_release(struct phase_ticks *ticks)
{
	for (size_t i = 0; i < ticks->paths; i++) {
		struct phase_ticks_of *of = ticks->of[i];

		if (!of)
			continue;
		for (int k = 0; k < TICK_COUNT; k++)
			counter_release(&of->rise[k]);
		shares_release(&of->windows);
		slices_release(&of->whole);
		free(of);
	}
	free(ticks->of);
	*ticks = (struct phase_ticks){NULL, 0, 0};
}

static struct phase_ticks_of *get(
	struct phase_ticks *ticks, const struct phase_row *row, uint32_t path)
{
	if (!ticks->of) {
		ticks->paths = phase_map_paths(row->map);
		ticks->of = xcalloc(ticks->paths, sizeof(struct phase_ticks_of *));
	}
	if (!ticks->of[path]) {
		ticks->of[path] = xcalloc(1, sizeof(struct phase_ticks_of));
		for (int k = 0; k < TICK_COUNT; k++)
			counter_init(&ticks->of[path]->rise[k],
				(enum metric_id)(METRIC_cpu_user_ticks + k));
		shares_init(&ticks->of[path]->windows, -1);
	}
	return ticks->of[path];
}

/* A field that fell rose by nothing, as in the whole run. */
static void cover(struct phase_ticks_of *of, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before, int64_t time_ns)
{
	int64_t dt_ns = row->at.t_ns - before->prev_ns;

	if (time_ns == dt_ns && dt_ns > row->at.short_ns) {
		struct slice_sum *sum = slices_far(&of->whole, dt_ns);

		sum->count++;
		sum->time_ns += dt_ns;
	}
	for (int k = 0; k < TICK_COUNT; k++) {
		struct slice slice = {.from_ns = before->prev_ns, .to_ns = row->at.t_ns};

		if (now[k] < 0 || before->prev[k] < 0)
			continue;
		if (now[k] > before->prev[k])
			slice.to = now[k] - before->prev[k];
		if (dt_ns > row->at.short_ns)
			counter_cover_far(&of->rise[k], &slice, time_ns);
		else
			counter_cover(&of->rise[k], &slice,
				&(struct slice_piece){.from_ns = slice.from_ns,
					.to_ns = slice.from_ns + time_ns});
		of->windows.has[k] = true;
	}
}

void phase_ticks_take(struct phase_ticks *ticks, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before)
{
	const struct phase_part *part = NULL;
	size_t parts = 0, paths;
	const uint32_t *path;

	ticks->snapshots++;
	if (before && before->has_prev && before->prev_segment == row->at.segment &&
		row->at.t_ns > before->prev_ns)
		part = phase_map_parts(row->map, before->prev_ns, row->at.t_ns, &parts);
	for (size_t i = 0; i < parts; i++)
		cover(get(ticks, row, part[i].path), row, now, before, part[i].time_ns);
	path = phase_map_at(row->map, row->at.t_ns, &paths);
	for (size_t i = 0; i < paths; i++) {
		struct phase_ticks_of *of = get(ticks, row, path[i]);

		if (of->snapshot + 1 != ticks->snapshots)
			shares_break(&of->windows);
		of->snapshot = ticks->snapshots;
		shares_add(&of->windows, row->at.t_ns, row->at.segment, now, true);
	}
}

/* Of the slices that lie in a path those that are gaps. */
static int128 gaps_ns(const struct phase_ticks_of *of, int64_t limit_ns)
{
	return slices_within(&of->whole, INT64_MAX).time_ns -
		slices_within(&of->whole, limit_ns).time_ns;
}

void phase_ticks_finish(struct phase_ticks *ticks, int64_t limit_ns)
{
	for (size_t i = 0; i < ticks->paths; i++) {
		struct phase_ticks_of *of = ticks->of[i];
		int128 total[TICK_COUNT], time_ns = 0;

		if (!of)
			continue;
		for (int k = 0; k < TICK_COUNT; k++) {
			total[k] = counter_rise(&of->rise[k], limit_ns, &time_ns);
			if (k == TICK_USER)
				of->covered_s = limit_ns < 0
					? NAN
					: number_ratio(time_ns - gaps_ns(of, limit_ns),
						  NS_PER_S);
		}
		of->gap_limit_s = limit_ns < 0 ? NAN : number_ratio(limit_ns, NS_PER_S);
		shares_finish(&of->windows);
		shares_replace(&of->windows, total);
	}
}

bool phase_ticks_get(
	struct phase_ticks *ticks, size_t path, int i, struct metric_stats *stats)
{
	struct phase_ticks_of *of = path < ticks->paths ? ticks->of[path] : NULL;

	if (!of || !shares_get(&of->windows, i, stats))
		return false;
	stats->covered_s = of->covered_s;
	stats->gap_limit_s = of->gap_limit_s;
	return true;
}
