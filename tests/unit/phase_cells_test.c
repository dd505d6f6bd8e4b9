/*
 * What devices did in phases, sample by sample: a slice that a longer one interrupts, and
 * values that wait against the same sums made at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "base/timestamp.h"
#include "compute/phases/phase_cells.h"

static void add_phase(struct run *run, const char *name, int64_t from_ns, int64_t to_ns)
{
	struct event *event = run_add_event(run);

	event->type = EVENT_PHASE;
	event->t_ns = from_ns;
	event->end_ns = to_ns;
	event->name = run_keep(run, name);
}

static const struct phase_rules rules = {.outside = true, .sets = true};

static struct series *cell(
	const struct phase_cells *cells, uint32_t path, enum metric_id metric)
{
	for (size_t i = 0; i < cells->count; i++)
		if (cells->at[i].path == path && cells->at[i].metric == metric)
			return cells->at[i].series;
	fail_msg("path %u has no metric %d", (unsigned)path, (int)metric);
	return NULL;
}

/*
 * A sample at 10 s in b, [1.5 s, 20 s): the one before was at 9 s, but had no count of
 * replays, whose slice is from 0 s. 1 s of both gauges is in b.
 */
static void counter_between_gauges(void **state)
{
	const struct instant at = {.t_ns = 10 * NS_PER_S, .short_ns = 2 * NS_PER_S};
	const int64_t value = 1000;
	const struct slice second = {9 * NS_PER_S, 10 * NS_PER_S, 1000, 1000, 0, 0};
	const struct slice far = {0, 10 * NS_PER_S, 0, 1000, 0, 0};
	struct phase_cells cells = {0};
	struct phase_map *map;
	struct phase_row row;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "a", 0, 3 * NS_PER_S / 2);
	add_phase(&run, "b", 3 * NS_PER_S / 2, 20 * NS_PER_S);
	map = phase_map_new(&run, &rules);
	row = phase_row_at(map, &at);
	phase_cells_take(&cells, &row, METRIC_power_w, &value, &second, NULL);
	phase_cells_take(&cells, &row, METRIC_pcie_replays, &value, &far, NULL);
	phase_cells_take(&cells, &row, METRIC_temperature_c, &value, &second, NULL);
	phase_cells_end(&cells, &row);
	phase_cells_list(&cells, map);
	assert_int_equal(
		cell(&cells, 1, METRIC_power_w)->gauge.slices.near.time_ns, NS_PER_S);
	assert_int_equal(cell(&cells, 1, METRIC_temperature_c)->gauge.slices.near.time_ns,
		NS_PER_S);
	assert_int_equal(cell(&cells, 1, METRIC_temperature_c)->gauge.slices.near.area,
		2000 * NS_PER_S);
	phase_cells_release(&cells);
	phase_map_free(map);
	run_release(&run);
}

/*
 * 100 W at 0 s and 200 W at 1 s, and an edge at 0.25 s: the line has 125 W there. b has
 * the second sample, a has none but the line from 100 W on.
 */
static void line_at_an_edge(void **state)
{
	const struct instant at = {.t_ns = NS_PER_S, .short_ns = 2 * NS_PER_S};
	const int64_t value = 200000000;
	const struct slice slice = {0, NS_PER_S, 100000000, value, 0, 0};
	struct phase_cells cells = {0};
	struct metric_stats a, b;
	struct phase_map *map;
	struct phase_row row;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "a", 0, NS_PER_S / 4);
	add_phase(&run, "b", NS_PER_S / 4, 2 * NS_PER_S);
	map = phase_map_new(&run, &rules);
	row = phase_row_at(map, &at);
	phase_cells_take(&cells, &row, METRIC_power_w, &value, &slice, NULL);
	phase_cells_end(&cells, &row);
	phase_cells_list(&cells, map);
	series_finish(cell(&cells, 0, METRIC_power_w), 3 * NS_PER_S, -1, &run.texts, &a);
	series_finish(cell(&cells, 1, METRIC_power_w), 3 * NS_PER_S, -1, &run.texts, &b);
	assert_int_equal(a.n, 0);
	assert_true(a.min == 100 && a.mean == 112.5 && a.max == 125);
	assert_int_equal(a.max_at_ns, NS_PER_S / 4);
	assert_int_equal(b.n, 1);
	assert_true(b.min == 125 && b.mean == 162.5 && b.max == 200);
	assert_int_equal(b.min_at_ns, NS_PER_S / 4);
	phase_cells_release(&cells);
	phase_map_free(map);
	run_release(&run);
}

/*
 * The same value at 1 s, which waits, and at 12 s, which can't, as 11 s are no short
 * step: the least and the largest are those of 1 s.
 */
static void first_of_equal(void **state)
{
	const struct instant at = {.t_ns = 1 * NS_PER_S, .short_ns = 2 * NS_PER_S};
	const struct instant later = {.t_ns = 12 * NS_PER_S, .short_ns = 2 * NS_PER_S};
	const struct slice far = {1 * NS_PER_S, 12 * NS_PER_S, 1000, 1000, 0, 0};
	const int64_t value = 1000;
	struct phase_cells cells = {0};
	struct phase_map *map;
	struct phase_row row;
	struct gauge *gauge;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "a", 0, 20 * NS_PER_S);
	map = phase_map_new(&run, &rules);
	row = phase_row_at(map, &at);
	phase_cells_take(&cells, &row, METRIC_power_w, &value, NULL, NULL);
	phase_cells_end(&cells, &row);
	row = phase_row_at(map, &later);
	phase_cells_take(&cells, &row, METRIC_power_w, &value, &far, NULL);
	phase_cells_end(&cells, &row);
	phase_cells_list(&cells, map);
	gauge = &cell(&cells, 0, METRIC_power_w)->gauge;
	assert_int_equal(gauge->n, 2);
	assert_int_equal(gauge->least.t_ns, NS_PER_S);
	assert_int_equal(gauge->largest.t_ns, NS_PER_S);
	phase_cells_release(&cells);
	phase_map_free(map);
	run_release(&run);
}

/* Each is in every sample, every second one and so on, and more and more of them. */
static const enum metric_id metrics[] = {METRIC_power_w, METRIC_gpu_util_pct,
	METRIC_mem_util_pct, METRIC_temperature_c, METRIC_sm_clock_mhz,
	METRIC_mem_clock_mhz, METRIC_mem_used_mib, METRIC_mem_total_mib,
	METRIC_mem_temperature_c, METRIC_fan_pct, METRIC_enc_util_pct,
	METRIC_dec_util_pct};

#define METRICS (sizeof metrics / sizeof *metrics)
#define SAMPLES 500

static bool has(int64_t s, size_t metric)
{
	return s >= 7 * (int64_t)metric && s % (1 + (int64_t)metric / 2) == 0;
}

/* Of all bands, and rarely the same twice. */
static int64_t value_at(int64_t s, size_t metric)
{
	return s * (int64_t)(37 + metric) % 101 * metric_get(metrics[metric])->per_unit;
}

/* Into a gauge of the time in the phase, one outside, without waiting. */
static void take_at_once(struct gauge *in, struct gauge *out, const struct instant *at,
	const int64_t *edge_ns, int64_t value, const struct slice *ended)
{
	bool inside = at->t_ns >= edge_ns[0] && at->t_ns < edge_ns[1];
	int64_t cut_ns[4] = {0};
	int128 done = 0;

	gauge_value(inside ? in : out, at->t_ns, at->segment, value);
	if (!ended)
		return;
	cut_ns[0] = ended->from_ns;
	cut_ns[3] = ended->to_ns;
	for (int i = 0; i < 2; i++) {
		int64_t least = edge_ns[i] > cut_ns[i] ? edge_ns[i] : cut_ns[i];

		cut_ns[i + 1] = least < ended->to_ns ? least : ended->to_ns;
	}
	for (int i = 0; i < 3; i++) {
		const struct slice_piece piece = {cut_ns[i], cut_ns[i + 1],
			slice_ramp(cut_ns[i + 1] - ended->from_ns,
				ended->to_ns - ended->from_ns)};
		int128 to = slice_area_to(ended, &piece);

		if (piece.from_ns < piece.to_ns)
			gauge_cover(i == 1 ? in : out, ended, &piece, to - done,
				at->short_ns);
		done = to;
	}
}

static void expect_same(struct gauge *g, struct gauge *expected)
{
	struct slice_sum sum = slices_within(&g->slices, INT64_MAX);
	struct slice_sum of = slices_within(&expected->slices, INT64_MAX);

	assert_int_equal(g->n, expected->n);
	assert_int_equal(g->least.value, expected->least.value);
	assert_int_equal(g->least.t_ns, expected->least.t_ns);
	assert_int_equal(g->largest.value, expected->largest.value);
	assert_int_equal(g->largest.t_ns, expected->largest.t_ns);
	assert_int_equal(g->slices.near.time_ns, expected->slices.near.time_ns);
	assert_int_equal(g->slices.lengths, expected->slices.lengths);
	assert_int_equal(sum.count, of.count);
	assert_true(sum.time_ns == of.time_ns && sum.area == of.area);
	for (int i = 0; i < BAND_COUNT; i++)
		assert_true(sum.band[i] == of.band[i]);
	tally_sort(&g->values);
	tally_sort(&expected->values);
	assert_int_equal(g->values.total, expected->values.total);
	assert_int_equal(g->values.distinct, expected->values.distinct);
	for (size_t i = 0; i < g->values.distinct; i++) {
		assert_int_equal(
			g->values.entry[i].value, expected->values.entry[i].value);
		assert_int_equal(
			g->values.entry[i].count, expected->values.entry[i].count);
	}
}

/*
 * A sample a second, with ever other metrics, so that a row is widened while samples
 * wait, and pieces are covered by other columns each time; of the last metrics steps are
 * longer than 5 s and may be gaps. A phase from 40.25 s to 400.75 s.
 */
static void waiting_is_taking(void **state)
{
	const int64_t edge_ns[] = {
		40 * NS_PER_S + NS_PER_S / 4, 400 * NS_PER_S + 3 * (NS_PER_S / 4)};
	struct phase_cells cells = {0};
	struct gauge in[METRICS], out[METRICS];
	struct series *whole[METRICS];
	struct phase_map *map;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "a", edge_ns[0], edge_ns[1]);
	map = phase_map_new(&run, &rules);
	for (size_t i = 0; i < METRICS; i++) {
		gauge_init(&in[i], metrics[i]);
		gauge_init(&out[i], metrics[i]);
		whole[i] = series_new(metrics[i]);
	}
	for (int64_t s = 0; s < SAMPLES; s++) {
		const struct instant at = {
			.t_ns = s * NS_PER_S, .short_ns = 5 * NS_PER_S};
		struct phase_row row = phase_row_at(map, &at);

		for (size_t i = 0; i < METRICS; i++) {
			int64_t value = value_at(s, i);
			struct slice slice, *ended;

			if (!has(s, i))
				continue;
			ended = series_follow(whole[i], &at, &value, &slice) ? &slice
									     : NULL;
			phase_cells_take(
				&cells, &row, metrics[i], &value, ended, whole[i]);
			take_at_once(&in[i], &out[i], &at, edge_ns, value, ended);
		}
		phase_cells_end(&cells, &row);
	}
	phase_cells_list(&cells, map);
	for (size_t i = 0; i < METRICS; i++) {
		expect_same(&cell(&cells, 0, metrics[i])->gauge, &in[i]);
		expect_same(&cell(&cells, 1, metrics[i])->gauge, &out[i]);
		gauge_release(&in[i]);
		gauge_release(&out[i]);
		series_free(whole[i]);
	}
	phase_cells_release(&cells);
	phase_map_free(map);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counter_between_gauges),
		cmocka_unit_test(line_at_an_edge),
		cmocka_unit_test(first_of_equal),
		cmocka_unit_test(waiting_is_taking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
