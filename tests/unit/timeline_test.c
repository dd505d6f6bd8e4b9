/*
 * From the samples of made-up runs to the columns that are drawn: one sample of a day is
 * seen, a gap is none that is joined, what holds clocks down is marked, whatever the
 * batches and the order of the rows. The report's numbers are the other side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compute/inspect/timeline.h"
#include "made_run.h"

#define DAY_S 86400

/* A maker beside an aggregate, with rows that go to both. */
struct drawn {
	struct made made;
	struct timeline_maker *maker;
	struct timeline *timeline;
};

static void draw_begin(struct drawn *d, int gpus)
{
	begin(&d->made, gpus);
	d->maker = timeline_maker_new();
	d->timeline = NULL;
}

static void draw_flush(struct drawn *d)
{
	timeline_maker_add(d->maker, &d->made.run, &d->made.batch);
	flush(&d->made);
}

static void draw_row(
	struct drawn *d, double s, uint32_t device, enum metric_id metric, double value)
{
	if (d->made.batch.rows >= d->made.batch_rows)
		draw_flush(d);
	sample(&d->made, s, device, metric, value);
}

static const struct timeline *draw_end(struct drawn *d, size_t columns)
{
	draw_flush(d);
	report_init(&d->made.report, &d->made.run);
	aggregate_report(d->made.agg, &d->made.report);
	d->timeline = timeline_make(d->maker, &d->made.report, columns);
	return d->timeline;
}

static void draw_release(struct drawn *d)
{
	timeline_free(d->timeline);
	timeline_maker_free(d->maker);
	release(&d->made);
}

static const struct timeline_series *series_of(
	const struct timeline *t, enum metric_id metric, uint32_t device)
{
	for (size_t i = 0; i < t->series_count; i++)
		if (t->series[i].metric == metric && t->series[i].device == device)
			return &t->series[i];
	return NULL;
}

static size_t with_value(const struct timeline *t, const struct timeline_series *s)
{
	size_t n = 0;

	for (size_t c = 0; c < t->columns; c++)
		n += isnan(s->column[c].min) ? 0 : 1;
	return n;
}

/* A day at one hertz, idle but for one sample. */
static void one_sample_of_a_day(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;
	size_t at;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < DAY_S; i++)
		draw_row(&d, i, 0, METRIC_gpu_util_pct, i == 50000 ? 97 : 0);
	t = draw_end(&d, TIMELINE_COLUMNS);
	assert_non_null(t);
	assert_in_range(t->columns, TIMELINE_COLUMNS / 2, TIMELINE_COLUMNS);
	assert_true(t->from_ns == at_ns(0) && t->to_ns == at_ns(DAY_S - 1));
	assert_true(t->grid_ns <= t->from_ns);
	assert_true(t->grid_ns + (int64_t)t->columns * t->step_ns > t->to_ns);
	s = series_of(t, METRIC_gpu_util_pct, 0);
	assert_non_null(s);
	assert_int_equal(with_value(t, s), t->columns);
	near(s->max, 97);
	near(s->min, 0);
	at = (size_t)timeline_place(t, at_ns(50000));
	for (size_t c = 0; c < t->columns; c++) {
		near(s->column[c].max, c == at ? 97 : 0);
		near(s->column[c].min, 0);
		assert_true(s->column[c].joined == (c > 0));
	}
	/* 97 over the samples of its column, which is one of 500 or more. */
	assert_true(s->column[at].mean > 97.0 / (DAY_S / 300));
	assert_true(s->column[at].mean < 97.0 / (DAY_S / 1500));
	draw_release(&d);
}

/* 0..99 s and 200..299 s of a log of a row a second, with one row missing at 50 s. */
static void gaps(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;
	size_t before, after;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 300; i++)
		if (i != 50 && (i < 100 || i >= 200))
			draw_row(&d, i, 0, METRIC_power_w, 300 + i % 3);
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_power_w, 0);
	before = (size_t)timeline_place(t, at_ns(99));
	after = (size_t)timeline_place(t, at_ns(200));
	for (size_t c = before + 1; c < after; c++)
		assert_true(isnan(s->column[c].min) && isnan(s->column[c].max) &&
			isnan(s->column[c].mean));
	assert_false(s->column[after].joined);
	/* Two seconds are no gap: the limit is max(3 h, h + 2 s). */
	assert_true(s->column[(size_t)timeline_place(t, at_ns(51))].joined);
	assert_int_equal(with_value(t, s), 199);
	assert_true(s->gaps_known && !s->starts_late && !s->ends_early);
	assert_int_equal(s->gap_count, 1);
	near(s->gap[0].from, timeline_place(t, at_ns(99)));
	near(s->gap[0].to, timeline_place(t, at_ns(200)));
	assert_int_equal(s->unrecorded_count, 1);
	assert_memory_equal(s->unrecorded, s->gap, sizeof *s->gap);
	draw_release(&d);
}

/* A day with a gap of ten seconds an hour, less than a bin of the envelope is long. */
static void short_gaps(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < DAY_S; i++)
		if (i % 3600 < 1800 || i % 3600 > 1808)
			draw_row(&d, i, 0, METRIC_power_w, 300 + i % 3);
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_power_w, 0);
	assert_int_equal(s->gap_count, 24);
	assert_int_equal(timeline_gaps_between(s), 24);
	for (int i = 0; i < 24; i++) {
		near(s->gap[i].from, timeline_place(t, at_ns(3600 * i + 1799)));
		near(s->gap[i].to, timeline_place(t, at_ns(3600 * i + 1809)));
	}
	draw_release(&d);
}

/* A GPU says nothing of its utilization at 0..9 s, 30..59 s and 90..99 s, while its rows
 * go on: its power has no gap. */
static void not_available(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 100; i++) {
		draw_row(&d, i, 0, METRIC_power_w, 300);
		also(&d.made, METRIC_gpu_util_pct,
			i < 10 || (i >= 30 && i < 60) || i >= 90 ? NAN : 80);
	}
	t = draw_end(&d, TIMELINE_COLUMNS);
	assert_int_equal(series_of(t, METRIC_power_w, 0)->gap_count, 0);
	s = series_of(t, METRIC_gpu_util_pct, 0);
	assert_int_equal(s->gap_count, 3);
	assert_true(s->starts_late && s->ends_early);
	assert_int_equal(timeline_gaps_between(s), 1);
	near(s->gap[0].to, timeline_place(t, at_ns(10)));
	near(s->gap[1].from, timeline_place(t, at_ns(29)));
	near(s->gap[1].to, timeline_place(t, at_ns(60)));
	near(s->gap[2].from, timeline_place(t, at_ns(89)));
	assert_int_equal(s->unrecorded_count, 0);
	draw_release(&d);
}

/* Rows say that there is no value at 30..59 s, but for 40..49 s, in which there is no
 * row: all of it is one gap. */
static void partly_recorded(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 100; i++)
		if (i < 40 || i >= 50)
			draw_row(&d, i, 0, METRIC_power_w, i >= 30 && i < 60 ? NAN : 300);
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_power_w, 0);
	assert_int_equal(s->gap_count, 1);
	assert_int_equal(s->unrecorded_count, 1);
	near(s->unrecorded[0].from, timeline_place(t, at_ns(39)));
	near(s->unrecorded[0].to, timeline_place(t, at_ns(50)));
	draw_release(&d);
}

/* Of few rows nobody knows what a gap is: nothing is joined. */
static void unknown_interval(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	d.made.run.interval_ns = -1;
	for (int i = 0; i < 3; i++)
		draw_row(&d, i, 0, METRIC_power_w, 300);
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_power_w, 0);
	assert_false(s->gaps_known);
	assert_int_equal(s->gap_count, 0);
	for (size_t c = 0; c < t->columns; c++)
		assert_false(s->column[c].joined);
	draw_release(&d);
}

/* Of a GPU with one row, or two, its log knows: of 60 s those but for the 20th, the 40th.
 */
static void few_rows(void **state)
{
	(void)state;
	for (size_t rows = 1; rows <= 2; rows++) {
		const struct timeline_series *s;
		const struct timeline *t;
		struct drawn d;

		draw_begin(&d, 2);
		d.made.run.interval_ns = -1;
		for (int i = 0; i <= 60; i++) {
			draw_row(&d, i, 0, METRIC_power_w, 300);
			if (i == 20 || (i == 40 && rows > 1))
				draw_row(&d, i, 1, METRIC_power_w, 100);
		}
		t = draw_end(&d, TIMELINE_COLUMNS);
		s = series_of(t, METRIC_power_w, 1);
		assert_true(s->gaps_known && s->starts_late && s->ends_early);
		assert_int_equal(s->gap_count, rows + 1);
		assert_int_equal(s->unrecorded_count, rows + 1);
		for (size_t i = 0; i <= rows; i++) {
			double to = i == rows ? 60 : 20 * (double)(i + 1);

			near(s->gap[i].from, timeline_place(t, at_ns(20 * (double)i)));
			near(s->gap[i].to, timeline_place(t, at_ns(to)));
		}
		draw_release(&d);
	}
}

static void fill_two(struct drawn *d, size_t batch_rows, bool backwards)
{
	draw_begin(d, 2);
	d->made.batch_rows = batch_rows;
	for (int i = 0; i < 4000; i++)
		for (uint32_t gpu = 0; gpu < 2; gpu++) {
			int at = backwards ? 3999 - i : i;

			if (at % 700 < 650)
				draw_row(d, at, gpu, METRIC_temperature_c,
					30 + (at * 7 + (int)gpu) % 40);
		}
}

/* Batches of one row, and a log that is read from its end, give the same columns. */
static void batches_and_order(void **state)
{
	struct drawn d[3];
	const struct timeline *t[3];

	(void)state;
	fill_two(&d[0], SAMPLE_BATCH_ROWS, false);
	fill_two(&d[1], 1, false);
	fill_two(&d[2], 77, true);
	for (int i = 0; i < 2; i++)
		t[i] = draw_end(&d[i], 200);
	timeline_maker_add(d[2].maker, &d[2].made.run, &d[2].made.batch);
	t[2] = d[2].timeline = timeline_make(d[2].maker, &d[0].made.report, 200);
	for (int k = 1; k < 3; k++) {
		assert_int_equal(t[k]->columns, t[0]->columns);
		assert_int_equal(t[k]->series_count, 2);
		assert_true(t[k]->grid_ns == t[0]->grid_ns);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(t[k]->series[i].gap_count, 5);
			assert_memory_equal(t[k]->series[i].gap, t[0]->series[i].gap,
				5 * sizeof(struct timeline_gap));
		}
		for (size_t i = 0; i < 2; i++)
			for (size_t c = 0; c < t[0]->columns; c++) {
				const struct timeline_column
					*a = &t[0]->series[i].column[c],
					*b = &t[k]->series[i].column[c];

				assert_int_equal(isnan(a->min), isnan(b->min));
				assert_int_equal(a->joined, b->joined);
				if (isnan(a->min))
					continue;
				assert_true(a->min == b->min && a->max == b->max &&
					a->mean == b->mean);
			}
	}
	for (int k = 0; k < 3; k++)
		draw_release(&d[k]);
}

static void draw_windowed(struct drawn *d, int i)
{
	draw_row(d, i, 0, METRIC_power_w, i == 250 ? 700 : 300 + i % 2);
	also(&d->made, METRIC_gpu_util_pct, 99);
	also(&d->made, METRIC_clock_reasons, i < 50 || (i >= 150 && i < 170) ? 4 : 0);
}

/* Only a window counts, as of a second reading. */
static void window(void **state)
{
	const struct timeline_series *s;
	const struct timeline *t;
	struct drawn d;
	struct compute_window window = {
		.set = true, .from_ns = at_ns(100), .to_ns = at_ns(200)};

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 300; i++)
		draw_windowed(&d, i);
	draw_flush(&d);
	timeline_maker_again(d.maker, SOURCE_NVIDIA_QUERY, &window);
	aggregate_restrict(d.made.agg, &window);
	for (int i = 0; i < 300; i++)
		draw_windowed(&d, i);
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_power_w, 0);
	near(s->max, 301);
	assert_int_equal(with_value(t, s), 100);
	assert_int_equal(t->held[0].why, SLOWED_POWER);
	assert_true(t->held[0].from_ns == at_ns(150));
	near(t->held[0].seconds, 20);
	draw_release(&d);
}

/* 0..9 s free, 10..19 s by heat, 20..29 s by heat while idle, 30..39 s by power. */
static void slowed(void **state)
{
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 40; i++) {
		draw_row(&d, i, 0, METRIC_gpu_util_pct, i / 10 == 2 ? 0 : 99);
		also(&d.made, METRIC_clock_reasons, (double[]){0, 0x20, 0x20, 4}[i / 10]);
	}
	t = draw_end(&d, TIMELINE_COLUMNS);
	assert_int_equal(t->mark_count, 2);
	assert_int_equal(t->mark[0].why, SLOWED_POWER);
	assert_int_equal(t->mark[0].from, (size_t)timeline_place(t, at_ns(30)));
	assert_int_equal(t->mark[0].to, (size_t)timeline_place(t, at_ns(39)) + 1);
	assert_int_equal(t->mark[1].why, SLOWED_HEAT);
	assert_int_equal(t->mark[1].from, (size_t)timeline_place(t, at_ns(10)));
	assert_int_equal(t->mark[1].to, (size_t)timeline_place(t, at_ns(20)));
	/* The last row has no next one until which it holds. */
	assert_int_equal(t->held_count, SLOWED_COUNT);
	assert_int_equal(t->held[0].why, SLOWED_POWER);
	assert_true(t->held[0].from_ns == at_ns(30));
	near(t->held[0].seconds, 9);
	assert_int_equal(t->held[1].why, SLOWED_HEAT);
	assert_true(t->held[1].from_ns == at_ns(10));
	near(t->held[1].seconds, 10);
	assert_int_equal(t->held[2].why, SLOWED_HARDWARE);
	assert_true(t->held[2].from_ns == TIME_NONE);
	for (size_t i = 0; i < t->held_count; i++)
		assert_int_equal(t->held[i].known.gap_count, 0);
	draw_release(&d);
}

/* 0..9 s by power, no row until 30 s, free, and nothing said from 40 s on. */
static void slowed_gaps(void **state)
{
	const struct timeline_series *known;
	const struct timeline *t;
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	for (int i = 0; i < 60; i++) {
		if (i >= 10 && i < 30)
			continue;
		draw_row(&d, i, 0, METRIC_gpu_util_pct, 99);
		also(&d.made, METRIC_clock_reasons, i < 10 ? 4 : i < 40 ? 0 : NAN);
	}
	t = draw_end(&d, TIMELINE_COLUMNS);
	assert_int_equal(t->held_count, SLOWED_COUNT);
	for (size_t i = 0; i < t->held_count; i++) {
		known = &t->held[i].known;
		assert_int_equal(known->gap_count, 2);
		assert_true(known->ends_early);
		near(known->gap[0].from, timeline_place(t, at_ns(9)));
		near(known->gap[0].to, timeline_place(t, at_ns(30)));
		near(known->gap[1].from, timeline_place(t, at_ns(39)));
		assert_int_equal(known->unrecorded_count, 1);
		near(known->unrecorded[0].to, timeline_place(t, at_ns(30)));
	}
	draw_release(&d);
}

/* What is not drawn, not known, or of one instant. */
static void nothing(void **state)
{
	struct drawn d;

	(void)state;
	draw_begin(&d, 1);
	draw_row(&d, 0, 0, METRIC_power_w, 300);
	draw_row(&d, 0, 0, METRIC_power_w, 301);
	assert_null(draw_end(&d, TIMELINE_COLUMNS));
	draw_release(&d);
	draw_begin(&d, 1);
	for (int i = 0; i < 10; i++) {
		draw_row(&d, i, 0, METRIC_fan_pct, 30);
		also(&d.made, METRIC_power_w, NAN);
	}
	assert_null(draw_end(&d, TIMELINE_COLUMNS));
	draw_release(&d);
	assert_true(timeline_wants(METRIC_power_w) && !timeline_wants(METRIC_fan_pct));
	assert_true(timeline_wants(METRIC_clock_reasons));
	assert_true(timeline_wants(METRIC_cpu_idle_ticks));
}

/* Ticks: the largest of the report's windows is the largest that is drawn. */
static void ticks(void **state)
{
	const struct metric_stats *stats;
	const struct timeline_series *s;
	const struct timeline *t;
	double user = 0, idle = 0;
	struct drawn d;

	(void)state;
	draw_begin(&d, 0);
	run_add_device(&d.made.run, DEVICE_CPU, -1);
	d.made.batch.source = SOURCE_PROC_STAT;
	for (int i = 0; i < 200; i++) {
		user += i % 50 == 30 ? 90 : 20;
		idle += i % 50 == 30 ? 10 : 80;
		draw_row(&d, i, 0, METRIC_cpu_user_ticks, user);
		also(&d.made, METRIC_cpu_idle_ticks, idle);
	}
	t = draw_end(&d, TIMELINE_COLUMNS);
	s = series_of(t, METRIC_cpu_busy_pct, 0);
	stats = report_stats_best(&d.made.report, d.made.report.stats,
		d.made.report.stats_count, 0, METRIC_cpu_busy_pct);
	assert_non_null(s);
	assert_non_null(stats);
	near(s->max, 90);
	near(s->max, stats->max);
	near(s->min, stats->min);
	assert_int_equal(with_value(t, s), stats->n);
	draw_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sample_of_a_day),
		cmocka_unit_test(gaps),
		cmocka_unit_test(short_gaps),
		cmocka_unit_test(not_available),
		cmocka_unit_test(partly_recorded),
		cmocka_unit_test(unknown_interval),
		cmocka_unit_test(few_rows),
		cmocka_unit_test(batches_and_order),
		cmocka_unit_test(window),
		cmocka_unit_test(slowed),
		cmocka_unit_test(slowed_gaps),
		cmocka_unit_test(nothing),
		cmocka_unit_test(ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
