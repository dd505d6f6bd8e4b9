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
#include "compute/phase_cells.h"

static void add_phase(struct run *run, const char *name, int64_t from_ns, int64_t to_ns)
{
	struct event *event = run_add_event(run);

	event->type = EVENT_PHASE;
	event->t_ns = from_ns;
	event->end_ns = to_ns;
	run_set_string(&event->name, name);
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
	phase_cells_take(&cells, &row, METRIC_temp_c, &value, &second, NULL);
	phase_cells_list(&cells, map);
	assert_int_equal(
		cell(&cells, 1, METRIC_power_w)->gauge.slices.near.time_ns, NS_PER_S);
	assert_int_equal(
		cell(&cells, 1, METRIC_temp_c)->gauge.slices.near.time_ns, NS_PER_S);
	assert_int_equal(
		cell(&cells, 1, METRIC_temp_c)->gauge.slices.near.area, 2000 * NS_PER_S);
	phase_cells_release(&cells);
	phase_map_free(map);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counter_between_gauges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
