/*
 * The values are laid side by side, and each sum is made in a loop of its own, with what
 * it needs in registers. Sums of a batch fit into 64 bits where each summand does.
 */
#include "compute/series/series_rows.h"

struct values {
	size_t count;
	int64_t t_ns[SAMPLE_BATCH_ROWS], value[SAMPLE_BATCH_ROWS];
	int32_t segment[SAMPLE_BATCH_ROWS];
};

/* Those that are there; of what is missing the number is returned. */
static uint64_t gather(struct values *v, const struct sample_batch *batch,
	const struct sample_column *column, const struct row_group *group)
{
	uint64_t missing = 0;

	v->count = 0;
	for (size_t i = 0; i < group->count; i++) {
		size_t row = group->row[i];

		v->t_ns[v->count] = batch->t_ns[row];
		v->value[v->count] = column->value[row];
		v->segment[v->count] = batch->segment[row];
		v->count += column->presence[row] == PRESENCE_VALUE;
		missing += column->presence[row] == PRESENCE_MISSING;
	}
	return missing;
}

static void keep_course(struct series *series, const struct values *v)
{
	if (series->course)
		course_add_each(series->course, v->t_ns, v->value, v->count);
	if (series->tail)
		tail_add_each(series->tail, v->t_ns, v->value, v->count);
}

/* The least and the largest of them. */
static void take_extremes(struct gauge *g, const struct values *v)
{
	int64_t low = v->value[0], high = v->value[0];
	bool has_least = g->n > 0, has_largest = has_least;

	for (size_t i = 1; i < v->count; i++) {
		low = v->value[i] < low ? v->value[i] : low;
		high = v->value[i] > high ? v->value[i] : high;
	}
	if (has_least && low > g->least.value && high < g->largest.value)
		return;
	for (size_t i = 0; i < v->count; i++) {
		const struct extreme here = {v->value[i], v->t_ns[i], v->segment[i]};

		if (v->value[i] == low) {
			extreme_least(&g->least, has_least, &here);
			has_least = true;
		}
		if (v->value[i] == high) {
			extreme_largest(&g->largest, has_largest, &here);
			has_largest = true;
		}
	}
}

/* A slice that is not like most. */
static void take_slice(struct series *series, const struct slice *slice, int32_t segment,
	int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	const struct slice_piece whole = slice_whole(slice);
	bool is_long = slice->to_ns - slice->from_ns > short_ns;

	if (is_long && series->steps)
		steps_keep(series->steps, GAPS_LISTED,
			(struct step){.start_ns = slice->from_ns,
				.dt_ns = slice->to_ns - slice->from_ns,
				.segment = segment});
	if (!is_long || !limit_known)
		gauge_cover(g, slice, &whole, slice_area(slice), short_ns);
}

/* Sums of slices that stay in a band and can't be gaps, none of them longer than that. */
#define NEAR_NS_MAX (INT64_MAX / SAMPLE_BATCH_ROWS)

struct near_sum {
	uint64_t count;
	int64_t time_ns;
	int128 area;
	int64_t band_ns[BAND_COUNT];
};

static void add_near(struct gauge *g, const struct near_sum *near)
{
	struct slice_sum *sum = &g->slices.near;

	sum->count += near->count;
	sum->time_ns += near->time_ns;
	sum->area += near->area;
	for (size_t i = 0; g->with_above && i < BAND_COUNT; i++)
		sum->band[i] += (int128)near->band_ns[i] * ABOVE_FRACTION;
}

/* As gauge_follow and gauge_cover, from the gauge's last value on. */
static void take_slices(struct series *series, const struct values *v, size_t from,
	int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	int64_t prev_ns = g->prev_ns, prev = g->prev;
	int64_t near_ns = short_ns < NEAR_NS_MAX ? short_ns : NEAR_NS_MAX;
	int32_t prev_segment = g->prev_segment;
	int prev_band = g->prev_band;
	struct near_sum near = {0};

	for (size_t i = from; i < v->count; i++) {
		int64_t t_ns = v->t_ns[i], value = v->value[i], sum;
		int band = g->with_above ? gauge_band(g, value) : 0;

		if (v->segment[i] == prev_segment && t_ns > prev_ns) {
			if (t_ns - prev_ns <= near_ns && band == prev_band &&
				!__builtin_add_overflow(prev, value, &sum)) {
				near.count++;
				near.time_ns += t_ns - prev_ns;
				near.area += (int128)sum * (t_ns - prev_ns);
				near.band_ns[band] += t_ns - prev_ns;
			} else {
				take_slice(series,
					&(struct slice){prev_ns, t_ns, prev, value,
						prev_band, band},
					prev_segment, short_ns, limit_known);
			}
		}
		prev_ns = t_ns;
		prev = value;
		prev_band = band;
		prev_segment = v->segment[i];
	}
	g->prev_band = prev_band;
	add_near(g, &near);
}

/* What gauge_follow leaves behind. */
static void end_with(struct gauge *g, const struct values *v)
{
	size_t last = v->count - 1;

	g->before = last ? v->value[last - 1] : g->prev;
	g->before_ns = last ? v->t_ns[last - 1] : g->prev_ns;
	g->prev = v->value[last];
	g->prev_ns = v->t_ns[last];
	g->prev_segment = v->segment[last];
}

/* The first value of all begins no slice before it. */
static void begin(struct gauge *g, const struct values *v)
{
	g->first = g->prev = v->value[0];
	g->prev_ns = v->t_ns[0];
	g->prev_segment = v->segment[0];
	g->prev_band = g->with_above ? gauge_band(g, v->value[0]) : 0;
	g->has_ends = true;
}

void series_take_rows(struct series *series, const struct sample_batch *batch,
	const struct sample_column *column, const struct row_group *group,
	int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	struct values v;
	size_t from = 0;

	g->missing += gather(&v, batch, column, group);
	g->limit_known = limit_known;
	if (!v.count)
		return;
	keep_course(series, &v);
	if (!g->has_ends) {
		begin(g, &v);
		from = 1;
	}
	take_slices(series, &v, from, short_ns, limit_known);
	end_with(g, &v);
	take_extremes(g, &v);
	g->n += v.count;
	tally_add_each(&g->values, v.value, v.count);
}
