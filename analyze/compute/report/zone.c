/*
 * A guess at the time zone of times that don't name it: the quarter of an hour that
 * brings them and the others of the run together.
 */
#include <string.h>

#include "compute/run/state.h"

#define QUARTER_NS   (900 * NS_PER_S)
#define QUARTERS     56 /* of an hour, within 14 hours */
#define NEAR_MIN_NS  (60 * NS_PER_S) /* recorders begin and end together */
#define NEAR_MAX_NS  (QUARTER_NS / 3)
#define NEAR_DIVISOR 50 /* ... or within 2 % of what the longer one recorded */

/* From the first to the last of some instants. */
struct extent {
	int64_t from_ns, to_ns;
	bool events; /* all of them are of events */
};

#define EXTENT_NONE ((struct extent){INT64_MAX, INT64_MIN, true})

static bool is_empty(const struct extent *e)
{
	return e->from_ns > e->to_ns;
}

static void widen(struct extent *e, int64_t from_ns, int64_t to_ns)
{
	if (from_ns < e->from_ns)
		e->from_ns = from_ns;
	if (to_ns > e->to_ns)
		e->to_ns = to_ns;
}

/* Whose times name no zone; false as well where only some of a kind's do. */
struct clocks {
	bool wall, absolute;
};

static void see_file(struct clocks *clocks, const struct run_file *file)
{
	clocks->wall |= file->rows && file->wall;
	clocks->absolute |= file->rows && !file->wall;
}

static struct clocks clocks_of_samples(const struct run *run, enum source_kind kind)
{
	struct clocks clocks = {false, false};

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			see_file(&clocks, &run->file[i]);
	return clocks;
}

static struct clocks clocks_of_events(const struct run *run)
{
	struct clocks clocks = {false, false};

	for (size_t i = 0; i < run->file_count; i++)
		if (source_has_events(run->file[i].kind))
			see_file(&clocks, &run->file[i]);
	return clocks;
}

/* What counts as both counts as neither. */
static struct extent *extent_for(
	const struct clocks *clocks, struct extent *wall, struct extent *absolute)
{
	if (clocks->wall == clocks->absolute)
		return NULL;
	return clocks->wall ? wall : absolute;
}

static void look_at_samples(
	const struct aggregate *agg, struct extent *wall, struct extent *absolute)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];
		struct clocks clocks = clocks_of_samples(agg->run, kind);
		struct extent *e = extent_for(&clocks, wall, absolute);

		for (size_t i = 0; e && source->timed && i < source->device_count; i++) {
			if (!source->device[i])
				continue;
			widen(e, source->device[i]->track.first_ns,
				source->device[i]->track.last_ns);
			e->events = false;
		}
	}
}

static void look_at_events(
	const struct aggregate *agg, struct extent *wall, struct extent *absolute)
{
	struct clocks clocks = clocks_of_events(agg->run);
	struct extent *e = extent_for(&clocks, wall, absolute);
	int64_t from_ns, to_ns;

	if (e && run_event_span(agg->run, &from_ns, &to_ns))
		widen(e, from_ns, to_ns);
}

/* Quarters of an hour that some place is east of UTC. */
static bool exists(int64_t quarters)
{
	static const int8_t odd[] = {-38, -14, 14, 18, 22, 23, 26, 35, 38, 42, 51};

	for (size_t i = 0; i < sizeof odd; i++)
		if (quarters == odd[i])
			return true;
	return quarters % 4 == 0 && quarters >= -48 && quarters <= 56;
}

/* How long two extents overlap; negative: how far they are apart. */
static int64_t overlap(const struct extent *a, const struct extent *b)
{
	return (a->to_ns < b->to_ns ? a->to_ns : b->to_ns) -
		(a->from_ns > b->from_ns ? a->from_ns : b->from_ns);
}

static struct extent shifted(const struct extent *e, int64_t east_ns)
{
	return (struct extent){e->from_ns - east_ns, e->to_ns - east_ns, e->events};
}

static bool is_near(int64_t a_ns, int64_t b_ns, int64_t near_ns)
{
	return a_ns - b_ns <= near_ns && b_ns - a_ns <= near_ns;
}

/* How far the ends of two logs may lie apart that ran together. */
static int64_t nearness(const struct extent *a, const struct extent *b)
{
	int64_t a_ns = a->to_ns - a->from_ns, b_ns = b->to_ns - b->from_ns;
	int64_t near_ns = (a_ns > b_ns ? a_ns : b_ns) / NEAR_DIVISOR;

	if (near_ns < NEAR_MIN_NS)
		return NEAR_MIN_NS;
	return near_ns < NEAR_MAX_NS ? near_ns : NEAR_MAX_NS;
}

/* The shift that brings both begins and both ends together; 0: none, or none needed. */
static int64_t shift_of_ends(
	const struct extent *wall, const struct extent *absolute, int64_t read_as)
{
	int64_t near_ns = nearness(wall, absolute);

	for (int quarter = -QUARTERS; quarter <= QUARTERS; quarter++) {
		struct extent moved = shifted(wall, quarter * QUARTER_NS);

		if (exists(quarter + read_as) &&
			is_near(moved.from_ns, absolute->from_ns, near_ns) &&
			is_near(moved.to_ns, absolute->to_ns, near_ns))
			return quarter * QUARTER_NS;
	}
	return 0;
}

/* The shift by which two that don't meet overlap most. */
static int64_t shift_of_overlap(
	const struct extent *wall, const struct extent *absolute, int64_t read_as)
{
	int64_t best_ns = 0, most = 0;

	for (int quarter = -QUARTERS; quarter <= QUARTERS; quarter++) {
		struct extent moved = shifted(wall, quarter * QUARTER_NS);
		int64_t shared = overlap(&moved, absolute);

		if (shared <= most || !exists(quarter + read_as))
			continue;
		most = shared;
		best_ns = quarter * QUARTER_NS;
	}
	return best_ns;
}

/* How many quarters of an hour east of UTC times were taken for. */
static int64_t read_as(const struct run *run, int64_t t_ns)
{
	struct zone zone;
	struct error unknown;

	if (zone_parse(&zone, run->time_zone, &unknown) < 0)
		return 0;
	return (time_to_wall(t_ns, &zone) - t_ns) / QUARTER_NS;
}

/*
 * Events are of the command that the samples were recorded for; two logs that don't meet
 * may be of one hour and the next, unless they are as long.
 */
int64_t aggregate_zone_hint_ns(const struct aggregate *agg, int64_t *at_ns, bool *meet)
{
	struct extent wall = EXTENT_NONE, absolute = EXTENT_NONE;

	look_at_samples(agg, &wall, &absolute);
	look_at_events(agg, &wall, &absolute);
	if (is_empty(&wall) || is_empty(&absolute))
		return 0;
	*at_ns = wall.from_ns;
	*meet = overlap(&wall, &absolute) >= 0;
	/* Who named the zone knows it, unless nothing meets. */
	if (*meet && strcmp(agg->run->time_source, "option") == 0)
		return 0;
	if (wall.events != absolute.events && !*meet)
		return shift_of_overlap(&wall, &absolute, read_as(agg->run, *at_ns));
	return shift_of_ends(&wall, &absolute, read_as(agg->run, *at_ns));
}
