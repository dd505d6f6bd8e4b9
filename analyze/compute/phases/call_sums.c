/* Open addressing over calls and metrics; a series only at the end, of one at a time. */
#include "compute/phases/call_sums.h"

#include <stdlib.h>

#include "base/alloc.h"

bool phase_is_main(enum metric_id metric)
{
	return metric == METRIC_gpu_util_pct || metric == METRIC_power_w ||
		metric == METRIC_gpu_energy_j;
}

static void release_far(struct call_sum *sum)
{
	if (sum->far)
		slices_release(sum->far);
	free(sum->far);
}

void call_sums_release(struct call_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		release_far(&sums->at[i]);
	free(sums->at);
	free(sums->slot);
	*sums = (struct call_sums){0};
}

/* The slot of a call's metric, or the free one where it belongs. */
static uint32_t *slot_of(
	const struct call_sums *sums, uint32_t call, enum metric_id metric)
{
	size_t mask = sums->slot_count - 1;
	uint64_t hash = ((uint64_t)call * METRIC_COUNT + metric) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; sums->slot[i]; i = (i + 1) & mask) {
		const struct call_sum *sum = &sums->at[sums->slot[i] - 1];

		if (sum->call == call && sum->metric == metric)
			break;
	}
	return &sums->slot[i];
}

static void grow(struct call_sums *sums)
{
	sums->slot_count = sums->slot_count ? 2 * sums->slot_count : 16;
	free(sums->slot);
	sums->slot = xcalloc(sums->slot_count, sizeof *sums->slot);
	for (size_t i = 0; i < sums->count; i++)
		*slot_of(sums, sums->at[i].call, sums->at[i].metric) = (uint32_t)i + 1;
}

static struct call_sum *sum_of(
	struct call_sums *sums, uint32_t call, enum metric_id metric)
{
	uint32_t *slot;

	if (2 * (sums->count + 1) > sums->slot_count)
		grow(sums);
	slot = slot_of(sums, call, metric);
	if (!*slot) {
		ALLOC_GROW(sums->at, sums->count + 1, sums->cap);
		sums->at[sums->count++] =
			(struct call_sum){.call = call, .metric = metric};
		*slot = (uint32_t)sums->count;
	}
	return &sums->at[*slot - 1];
}

static struct slices *far_of(struct call_sum *sum)
{
	if (!sum->far)
		sum->far = xcalloc(1, sizeof *sum->far);
	return sum->far;
}

/* A piece of a gauge's slice, and twice the integral over it. */
static void add_gauge(struct call_sum *sum, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns, time_ns;
	struct slice_sum *far;

	time_ns = piece->to_ns - piece->from_ns;
	if (instant_is_gap(at, slice))
		return;
	if (dt_ns <= at->short_ns) {
		sum->time_ns += time_ns;
		sum->amount += area;
		return;
	}
	far = slices_far(far_of(sum), dt_ns);
	far->count += piece->from_ns == slice->from_ns;
	far->time_ns += time_ns;
	far->area += area;
}

/* What a counter says of a slice, or of a part of it, goes into the sum. */
static void add_counter(struct call_sum *sum, struct counter *counter)
{
	sum->time_ns += counter->time_ns;
	sum->amount += counter->rise;
	if (counter->parts.lengths)
		slices_join(far_of(sum), &counter->parts);
	counter_release(counter);
}

static void cover_gauge(struct call_sums *sums, const struct phase_row *row,
	enum metric_id metric, const struct slice *slice)
{
	struct phase_pieces pieces =
		phase_map_pieces(row->map, slice->from_ns, slice->to_ns);
	int128 done = 0;

	for (size_t i = 0; i < pieces.count; i++) {
		const struct phase_piece *piece = &pieces.at[i];
		int128 to = slice_area_to(slice, &piece->at);

		for (size_t k = 0; k < piece->paths; k++)
			add_gauge(sum_of(sums, pieces.path[piece->first + k], metric),
				&row->at, slice, &piece->at, to - done);
		done = to;
	}
}

static void cover_counter(struct call_sums *sums, const struct phase_row *row,
	enum metric_id metric, const struct slice *slice)
{
	struct phase_pieces pieces =
		phase_map_pieces(row->map, slice->from_ns, slice->to_ns);

	for (size_t i = 0; i < pieces.count; i++)
		for (size_t k = 0; k < pieces.at[i].paths; k++) {
			struct counter counter;

			counter_init(&counter, metric);
			counter_cover(&counter, slice, &pieces.at[i].at);
			add_counter(
				sum_of(sums, pieces.path[pieces.at[i].first + k], metric),
				&counter);
		}
}

static void cover_far(struct call_sums *sums, const struct phase_row *row,
	enum metric_id metric, const struct slice *slice)
{
	size_t parts;
	const struct phase_part *part =
		phase_map_parts(row->map, slice->from_ns, slice->to_ns, &parts);

	for (size_t i = 0; i < parts; i++) {
		struct counter counter;

		counter_init(&counter, metric);
		counter_cover_far(&counter, slice, part[i].time_ns);
		add_counter(sum_of(sums, part[i].path, metric), &counter);
	}
}

void call_sums_take(struct call_sums *sums, const struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended)
{
	bool counts = metric_get(metric)->kind == KIND_COUNTER;

	if (ended && counts && ended->to_ns - ended->from_ns > row->at.short_ns)
		cover_far(sums, row, metric, ended);
	else if (ended && counts)
		cover_counter(sums, row, metric, ended);
	else if (ended)
		cover_gauge(sums, row, metric, ended);
	for (size_t i = 0; i < row->paths; i++) {
		struct call_sum *sum = sum_of(sums, row->path[i], metric);

		sum->n += value != NULL;
		sum->missing += value == NULL;
	}
}

static int by_call(const void *a, const void *b)
{
	const struct call_sum *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

void call_sums_sort(struct call_sums *sums)
{
	if (sums->count)
		qsort(sums->at, sums->count, sizeof *sums->at, by_call);
	free(sums->slot);
	sums->slot = NULL;
	sums->slot_count = 0;
}

/* The slices are borrowed. */
static struct slices slices_of(const struct call_sum *sum)
{
	return sum->far ? *sum->far : (struct slices){.far = NULL};
}

void call_sum_finish(const struct call_sum *sum, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats)
{
	struct series series = {.kind = metric_get(sum->metric)->kind};

	if (series.kind == KIND_COUNTER) {
		counter_init(&series.counter, sum->metric);
		series.counter.n = sum->n;
		series.counter.missing = sum->missing;
		series.counter.time_ns = sum->time_ns;
		series.counter.rise = sum->amount;
		series.counter.parts = slices_of(sum);
	} else {
		gauge_init(&series.gauge, sum->metric);
		series.gauge.n = sum->n;
		series.gauge.missing = sum->missing;
		series.gauge.slices = slices_of(sum);
		series.gauge.slices.near.time_ns = sum->time_ns;
		series.gauge.slices.near.area = sum->amount;
	}
	series_finish(&series, limit_ns, step_ns, texts, stats);
}
