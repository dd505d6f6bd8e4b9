/*
 * Where the numbers of a phase come from: the rows in it and around its edges, in closed
 * forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "compute/inspect/origins.h"
#include "made_run.h"

static void phase(struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->name = run_keep(&made->run, name);
}

/* What a observer of all rows so far says; they are added to the report, too. */
static const struct origins *settle(struct made *made, struct origins_observer **observer,
	const char *metric, const char *path)
{
	struct batch_observer *w;

	*observer = origins_new(metric, path);
	w = origins_as_observer(*observer);
	for (size_t row = 0; row < made->batch.rows; row++)
		made->batch.line[row] = row + 1;
	w->add(w, &made->run, &made->batch);
	finish(made);
	return origins_settle(*observer, &made->report);
}

static void is_edge(const struct origin_edge *edge, enum origin_edge_kind kind, double s,
	double quanta, uint64_t before, uint64_t behind)
{
	assert_int_equal(edge->kind, kind);
	assert_int_equal(edge->t_ns, at_ns(s));
	if (isnan(quanta))
		assert_true(isnan(edge->quanta));
	else
		near(edge->quanta, quanta);
	assert_int_equal(edge->before.line, before);
	assert_int_equal(edge->behind.line, behind);
}

/* P(t) = t W from 0 to 10 s and from 30 s on; line t + 1, then t - 18. */
static void edges_of_a_gauge(void **state)
{
	struct origins_observer *observer;
	const struct origins *origins;
	const struct origin *o;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "x", 2.25, 4);
	phase(&made, "x", 3.5, 5.75); /* overlaps: one stretch */
	phase(&made, "x", 6.25, 6.5); /* between two rows */
	phase(&made, "x", 8, 12); /* into the gap */
	phase(&made, "x", 39.5, 41); /* behind the last row */
	for (int t = 0; t <= 40; t++)
		if (t <= 10 || t >= 30)
			sample(&made, t, 0, METRIC_power_w, t);
	origins = settle(&made, &observer, "power_w", "x");
	assert_int_equal(origins->count, 1);
	o = origins->at;
	assert_string_equal(o->phase, "x");
	assert_ptr_equal(o->phase, made.report.path[0].path);
	assert_int_equal(o->stretch_count, 4);
	is_edge(&o->stretch[0].from, EDGE_BETWEEN, 2.25, 2.25e6, 3, 4);
	is_edge(&o->stretch[0].to, EDGE_BETWEEN, 5.75, 5.75e6, 6, 7);
	assert_int_equal(o->stretch[0].values, 3);
	assert_int_equal(o->stretch[0].first.line, 4);
	assert_int_equal(o->stretch[0].last.line, 6);
	is_edge(&o->stretch[1].from, EDGE_BETWEEN, 6.25, 6.25e6, 7, 8);
	is_edge(&o->stretch[1].to, EDGE_BETWEEN, 6.5, 6.5e6, 7, 8);
	assert_int_equal(o->stretch[1].values, 0);
	is_edge(&o->stretch[2].from, EDGE_ROW, 8, 8e6, 9, 9);
	is_edge(&o->stretch[2].to, EDGE_GAP, 12, NAN, 11, 12);
	is_edge(&o->stretch[3].from, EDGE_BETWEEN, 39.5, 39.5e6, 21, 22);
	is_edge(&o->stretch[3].to, EDGE_NO_ROW, 41, NAN, 0, 0);
	assert_int_equal(o->values, 3 + 0 + 3 + 1);
	assert_int_equal(o->first.line, 4);
	assert_int_equal(o->last.line, 22);
	assert_int_equal(o->min.line, 4);
	assert_int_equal(o->max.line, 22);
	origins_free(observer);
	release(&made);
}

/* What is in no call begins and ends with the run; the call has no row. */
static void outside(void **state)
{
	struct origins_observer *observer;
	const struct origins *origins;
	const struct origin *o;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "x", 2.25, 2.75);
	for (int t = 0; t <= 5; t++)
		sample(&made, t, 0, METRIC_power_w, 10 - t);
	origins = settle(&made, &observer, "power_w", "(out*");
	o = origins->at;
	assert_int_equal(origins->count, 1);
	assert_int_equal(o->stretch_count, 2);
	is_edge(&o->stretch[0].from, EDGE_NO_ROW, 0, NAN, 0, 0);
	is_edge(&o->stretch[0].to, EDGE_BETWEEN, 2.25, 7.75e6, 3, 4);
	is_edge(&o->stretch[1].from, EDGE_BETWEEN, 2.75, 7.25e6, 3, 4);
	is_edge(&o->stretch[1].to, EDGE_NO_ROW, 5, NAN, 0, 0);
	assert_int_equal(o->values, 6);
	assert_int_equal(o->min.line, 6);
	assert_int_equal(o->max.line, 1);
	origins_free(observer);
	release(&made);
}

/* Rises by 10 a second, reset at 20 s; the states P8 up to 6 s, unknown from 8 s on. */
static void edges_of_counters_and_states(void **state)
{
	struct origins_observer *observer;
	const struct origin *o;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a", 2.5, 19.5);
	for (int t = 0; t <= 25; t++)
		sample(&made, t, 0, METRIC_held_sw_power_cap_us,
			t < 20 ? 10 * t : 10 * (t - 20));
	o = settle(&made, &observer, "held_sw_power_cap_us", "a")->at;
	is_edge(&o->stretch[0].from, EDGE_BETWEEN, 2.5, 25, 3, 4);
	is_edge(&o->stretch[0].to, EDGE_RESET, 19.5, NAN, 20, 21);
	origins_free(observer);
	release(&made);

	begin(&made, 1);
	phase(&made, "a", 2.5, 6.5);
	phase(&made, "a", 7.25, 8.5);
	for (int t = 0; t <= 10; t++)
		sample(&made, t, 0, METRIC_clock_reasons, t == 8 ? NAN : t < 6 ? 4 : 1);
	o = settle(&made, &observer, "clock_reasons", "a")->at;
	is_edge(&o->stretch[0].from, EDGE_BETWEEN, 2.5, 4, 3, 4);
	is_edge(&o->stretch[0].to, EDGE_BETWEEN, 6.5, 1, 7, 8);
	is_edge(&o->stretch[1].from, EDGE_BETWEEN, 7.25, 1, 8, 10);
	is_edge(&o->stretch[1].to, EDGE_NO_ROW, 8.5, NAN, 0, 0);
	assert_int_equal(o->missing, 1);
	origins_free(observer);
	release(&made);
}

/* The clock goes back from 9 s to 0 s: each segment has its own rows around an edge. */
static void edges_in_two_segments(void **state)
{
	struct origins_observer *observer;
	const struct origin *o;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a", 2.5, 4.5);
	for (int i = 0; i < 20; i++) {
		sample(&made, i % 10, 0, METRIC_power_w, i);
		made.batch.segment[made.batch.rows - 1] = i / 10;
	}
	o = settle(&made, &observer, "power_w", "a")->at;
	assert_int_equal(o->stretch_count, 2);
	is_edge(&o->stretch[0].from, EDGE_BETWEEN, 2.5, 2.5e6, 3, 4);
	is_edge(&o->stretch[1].from, EDGE_BETWEEN, 2.5, 12.5e6, 13, 14);
	assert_int_equal(o->values, 4);
	assert_int_equal(o->max.line, 15);
	origins_free(observer);
	release(&made);
}

/* A second reading, of a window, makes what was seen void. */
static void read_again(void **state)
{
	const struct compute_window window = {
		.set = true, .from_ns = at_ns(2), .to_ns = at_ns(5)};
	struct origins_observer *observer = origins_new("power_w", NULL);
	struct batch_observer *w = origins_as_observer(observer);
	const struct origins *origins;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 10; t++)
		sample(&made, t, 0, METRIC_power_w, t);
	w->add(w, &made.run, &made.batch);
	w->again(w, SOURCE_NVIDIA_QUERY, &window);
	w->add(w, &made.run, &made.batch);
	w->again(w, SOURCE_NVIDIA_DMON, &window);
	finish(&made);
	origins = origins_settle(observer, &made.report);
	assert_int_equal(origins->count, 1);
	assert_int_equal(origins->at->values, 3);
	assert_null(origins->at->phase);
	assert_int_equal(origins->at->stretch_count, 0);
	assert_int_equal(origins->at->first.t_ns, at_ns(2));
	assert_int_equal(origins->at->last.t_ns, at_ns(4));
	origins_free(observer);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_of_a_gauge),
		cmocka_unit_test(outside),
		cmocka_unit_test(edges_of_counters_and_states),
		cmocka_unit_test(edges_in_two_segments),
		cmocka_unit_test(read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
