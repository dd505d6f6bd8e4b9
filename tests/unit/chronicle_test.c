/* What is drawn of samples, worked out by hand from rows a second apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/inspect/chronicle.h"
#include "model/run.h"

#define S NS_PER_S

/* Of seconds from 100 s on; a longer step than 3 s is a gap. */
struct made {
	struct chronicle_taker taker;
	struct run run;
	struct report report;
	struct sample_batch batch;
	struct compute_window window;
	struct strbuf told;
};

static void begin_line(struct made *m, const char *what, const struct chronicle_of *of)
{
	strbuf_addf(&m->told, "%s %s%s%s", what, m->run.device[of->device].name,
		of->metric == METRIC_none ? "" : " ",
		of->metric == METRIC_none ? "" : metric_get(of->metric)->name);
	if (++*of->mark == 1)
		strbuf_adds(&m->told, " (new)");
}

static double seconds(int64_t t_ns)
{
	return (double)(t_ns - 100 * S) / 1e9;
}

static void take_value(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t t_ns, double value)
{
	struct made *m = (struct made *)taker;

	begin_line(m, "value", of);
	strbuf_addf(&m->told, " %g: %g\n", seconds(t_ns), value);
}

static void take_state(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns, const char *word)
{
	struct made *m = (struct made *)taker;

	begin_line(m, "state", of);
	strbuf_addf(&m->told, " %g to %g: %s\n", seconds(from_ns), seconds(to_ns), word);
}

static void take_silence(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns)
{
	struct made *m = (struct made *)taker;

	begin_line(m, "silence", of);
	strbuf_addf(&m->told, " %g to %g\n", seconds(from_ns), seconds(to_ns));
}

static void make(struct made *m, enum source_kind source, enum device_kind kind)
{
	struct device_evidence *e = xcalloc(1, sizeof *e);

	*m = (struct made){.taker = {take_value, take_state, take_silence}};
	run_init(&m->run, "made");
	run_add_device(&m->run, kind, kind == DEVICE_GPU ? 0 : -1);
	report_init(&m->report, &m->run);
	m->report.origin_ns = m->report.started_ns = 100 * S;
	m->report.ended_ns = 120 * S;
	*e = (struct device_evidence){
		.source = source, .first_ns = 100 * S, .interval_s = 1, .gap_limit_s = 3};
	m->report.evidence.device = e;
	m->report.evidence.device_count = 1;
	sample_batch_init(&m->batch);
	m->batch.source = source;
	m->batch.timed = true;
	strbuf_init(&m->told);
}

static size_t row(struct made *m, double t_s)
{
	return sample_batch_add(&m->batch, 100 * S + (int64_t)(t_s * 1e9), 0);
}

static void put(struct made *m, size_t at, enum metric_id id, double value)
{
	sample_batch_put(&m->batch, at, sample_batch_column(&m->batch, id),
		(int64_t)(value * (double)metric_get(id)->per_unit));
}

static void put_missing(struct made *m, size_t at, enum metric_id id)
{
	m->batch.column[sample_batch_column(&m->batch, id)].presence[at] =
		PRESENCE_MISSING;
}

static void put_word(struct made *m, size_t at, enum metric_id id, const char *word)
{
	sample_batch_put(&m->batch, at, sample_batch_column(&m->batch, id),
		texts_number(&m->run.texts, span_of(word)));
}

/* All rows in one batch; the end. */
static void says(struct made *m, const char *expected)
{
	struct chronicle *t = chronicle_new(&m->report, &m->window, &m->taker);

	chronicle_add(t, &m->batch);
	chronicle_end_source(t);
	assert_string_equal(m->told.text, expected);
	chronicle_free(t);
	strbuf_release(&m->told);
	sample_batch_release(&m->batch);
	report_release(&m->report);
	run_release(&m->run);
}

static void a_value_that_is_missing_is_not_there(void **state)
{
	struct made m;
	size_t at;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 102 * S;
	at = row(&m, 0);
	put(&m, at, METRIC_power_w, 70.5);
	put(&m, at, METRIC_temperature_c, 0);
	at = row(&m, 1);
	put_missing(&m, at, METRIC_power_w);
	put(&m, at, METRIC_temperature_c, 30);
	put(&m, row(&m, 2), METRIC_power_w, 99999); /* which no GPU draws */
	says(&m,
		"value gpu0 power_w (new) 0: 70.5\n"
		"value gpu0 temperature_c (new) 0: 0\n"
		"value gpu0 temperature_c 1: 30\n");
}

/* No row for 4 s; then no power for 4 s, while rows go on; then none to the end. */
static void silence_is_told(void **state)
{
	static const double with[] = {0, 1, 5, 9.5, 10};
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 114 * S;
	for (size_t i = 0; i < 5; i++) {
		size_t at;

		if (with[i] == 9.5)
			for (double t_s = 6; t_s < 9.5; t_s++)
				put(&m, row(&m, t_s), METRIC_temperature_c, 40);
		at = row(&m, with[i]);
		put(&m, at, METRIC_power_w, 100);
		put(&m, at, METRIC_temperature_c, 40);
	}
	m.report.filter.metric = "power_w";
	says(&m,
		"value gpu0 power_w (new) 0: 100\n"
		"value gpu0 power_w 1: 100\n"
		"silence gpu0 (new) 1 to 5\n"
		"value gpu0 power_w 5: 100\n"
		"silence gpu0 power_w (new) 5 to 9.5\n"
		"value gpu0 power_w 9.5: 100\n"
		"value gpu0 power_w 10: 100\n"
		"silence gpu0 10 to 14\n");
}

/* One row alone, 6 s behind the start, 14 s before the end; in 3 s it is no late one. */
static void what_a_row_leaves_is_silence(void **state)
{
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.evidence.device->first_ns = 106 * S;
	put(&m, row(&m, 6), METRIC_power_w, 100);
	says(&m,
		"silence gpu0 (new) 0 to 6\n"
		"value gpu0 power_w (new) 6: 100\n"
		"silence gpu0 6 to 20\n");
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.evidence.device->first_ns = 103 * S;
	put(&m, row(&m, 3), METRIC_power_w, 100);
	says(&m,
		"value gpu0 power_w (new) 3: 100\n"
		"silence gpu0 (new) 3 to 20\n");
}

/* Exactly the limit is no gap; while it is unknown none can be told. */
static void a_step_of_the_limit_is_no_silence(void **state)
{
	struct made m;

	(void)state;
	for (int known = 1; known >= 0; known--) {
		make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
		m.report.ended_ns = known ? 106 * S : 900 * S;
		if (!known)
			m.report.evidence.device->gap_limit_s = NAN;
		put(&m, row(&m, 0), METRIC_power_w, 1);
		put(&m, row(&m, 3), METRIC_power_w, 2);
		says(&m,
			"value gpu0 power_w (new) 0: 1\n"
			"value gpu0 power_w 3: 2\n");
	}
}

/* Nothing goes on over a step back: no silence, and tracks are new. */
static void a_step_back_begins_anew(void **state)
{
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 130 * S;
	put(&m, row(&m, 10), METRIC_power_w, 1);
	put(&m, row(&m, 20), METRIC_power_w, 2);
	put(&m, row(&m, 0), METRIC_power_w, 3);
	put(&m, row(&m, 8), METRIC_power_w, 4);
	m.batch.segment[2] = m.batch.segment[3] = 1;
	says(&m,
		"value gpu0 power_w (new) 10: 1\n"
		"silence gpu0 (new) 10 to 20\n"
		"value gpu0 power_w 20: 2\n"
		"value gpu0 power_w 0: 3\n"
		"silence gpu0 (new) 0 to 8\n"
		"value gpu0 power_w 8: 4\n");
}

/* An average is of the time before it: from the value before, or an interval. */
static void averages_hold_before(void **state)
{
	struct made m;

	(void)state;
	make(&m, SOURCE_HOST_TABLE, DEVICE_CPU);
	m.report.ended_ns = 112 * S;
	put(&m, row(&m, 0.5), METRIC_cpu_busy_pct, 10);
	put(&m, row(&m, 2), METRIC_cpu_busy_pct, 20);
	put(&m, row(&m, 3), METRIC_cpu_busy_pct, 30);
	put(&m, row(&m, 10), METRIC_cpu_busy_pct, 40);
	says(&m,
		"value cpu cpu_busy_pct (new) 0: 10\n" /* not before the run */
		"value cpu cpu_busy_pct 0.5: 20\n"
		"value cpu cpu_busy_pct 2: 30\n"
		"silence cpu (new) 3 to 10\n"
		"value cpu cpu_busy_pct 9: 40\n");
}

/* At 2 Hz: 40 of 100 ticks; then 100 of 150, as the half second joins. */
static void shares_hold_in_their_windows(void **state)
{
	static const int64_t user[] = {1000, 1010, 1040, 1090, 1140, 1140};
	static const int64_t idle[] = {5000, 5040, 5060, 5060, 5060, 5110};
	struct made m;

	(void)state;
	make(&m, SOURCE_PROC_STAT, DEVICE_CPU);
	m.report.ended_ns = 103 * S;
	m.report.filter.metric = "cpu_user_pct";
	for (size_t i = 0; i < 6; i++) {
		size_t at = row(&m, (double)i / 2);

		sample_batch_put(&m.batch, at,
			sample_batch_column(&m.batch, METRIC_cpu_user_ticks), user[i]);
		sample_batch_put(&m.batch, at,
			sample_batch_column(&m.batch, METRIC_cpu_idle_ticks), idle[i]);
	}
	says(&m,
		"value cpu cpu_user_pct (new) 0: 40\n"
		"value cpu cpu_user_pct 1: 66.6667\n");
}

static void give_states(struct made *m, enum metric_id id, size_t count)
{
	m->report.stats = xcalloc(1, sizeof *m->report.stats);
	m->report.stats_count = 1;
	metric_stats_init(m->report.stats, id);
	m->report.stats->source = m->batch.source;
	m->report.stats->state = xcalloc(count, sizeof *m->report.stats->state);
	m->report.stats->state_count = count;
}

/* It holds until the row behind it, not over a gap, nor where it is not available. */
static void states_last(void **state)
{
	static const double t_s[] = {0, 1, 2, 3, 4, 9, 10};
	static const char *const word[] = {"P8", "P8", "P0", NULL, "P0", "P0", "P0"};
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 110 * S;
	give_states(&m, METRIC_pstate, 2);
	for (size_t i = 0; i < 7; i++) {
		size_t at = row(&m, t_s[i]);

		put(&m, at, METRIC_temperature_c, 40);
		if (word[i])
			put_word(&m, at, METRIC_pstate, word[i]);
		else
			put_missing(&m, at, METRIC_pstate);
	}
	m.report.filter.metric = "pstate";
	says(&m,
		"state gpu0 pstate (new) 0 to 2: P8\n"
		"state gpu0 pstate 2 to 3: P0\n"
		"silence gpu0 (new) 4 to 9\n"
		"state gpu0 pstate 4 to 4: P0\n"
		"state gpu0 pstate 9 to 10: P0\n");
}

/* A word that never changes says nothing, unless one of its words is bad. */
static void constant_words_are_left_out(void **state)
{
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 101 * S;
	give_states(&m, METRIC_driver_version, 1);
	for (int t_s = 0; t_s < 2; t_s++) {
		size_t at = row(&m, t_s);

		put_word(&m, at, METRIC_driver_version, "550.54.15");
		put_word(&m, at, METRIC_reason_hw_slowdown, "Not Active");
		sample_batch_put(&m.batch, at,
			sample_batch_column(&m.batch, METRIC_clock_reasons), 0x805);
	}
	says(&m,
		"state gpu0 clock_reasons (new) 0 to 1: gpu_idle, sw_power_cap, 0x800\n"
		"state gpu0 reason_hw_slowdown (new) 0 to 1: Not Active\n");
}

static void a_window_has_its_rows(void **state)
{
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_QUERY, DEVICE_GPU);
	m.report.ended_ns = 103 * S;
	m.window = (struct compute_window){
		.set = true, .from_ns = 101 * S, .to_ns = 103 * S};
	for (int t_s = 0; t_s < 5; t_s++)
		put(&m, row(&m, t_s), METRIC_power_w, t_s);
	says(&m,
		"value gpu0 power_w (new) 1: 1\n"
		"value gpu0 power_w 2: 2\n");
}

static void rows_without_times_are_left_out(void **state)
{
	struct chronicle *t;
	struct made m;

	(void)state;
	make(&m, SOURCE_NVIDIA_DMON, DEVICE_GPU);
	m.batch.timed = false;
	for (uint32_t i = 0; i < 4; i++) {
		size_t at = sample_batch_add(&m.batch, 0, 0);

		m.batch.ordinal[at] = i;
		put(&m, at, METRIC_power_w, i);
	}
	t = chronicle_new(&m.report, &m.window, &m.taker);
	chronicle_add(t, &m.batch);
	assert_int_equal(chronicle_left_out(t), 4);
	chronicle_free(t);
	assert_string_equal(m.told.text, "");
	strbuf_release(&m.told);
	sample_batch_release(&m.batch);
	report_release(&m.report);
	run_release(&m.run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_that_is_missing_is_not_there),
		cmocka_unit_test(silence_is_told),
		cmocka_unit_test(what_a_row_leaves_is_silence),
		cmocka_unit_test(a_step_of_the_limit_is_no_silence),
		cmocka_unit_test(a_step_back_begins_anew),
		cmocka_unit_test(averages_hold_before),
		cmocka_unit_test(shares_hold_in_their_windows),
		cmocka_unit_test(states_last),
		cmocka_unit_test(constant_words_are_left_out),
		cmocka_unit_test(a_window_has_its_rows),
		cmocka_unit_test(rows_without_times_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
