/*
 * Time in states, rises of counters, and the words that stand behind numbers: closed
 * forms, worked out beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "compute/series/counter.h"
#include "compute/series/series.h"
#include "model/run.h"

#define S     NS_PER_S
#define LIMIT (3 * S)

/* A row with a value, one without, and a counter's: all of the time is looked at. */
static void add_row(struct series *s, int64_t t_ns, int32_t segment, const int64_t *value)
{
	const struct instant at = {.t_ns = t_ns, .segment = segment, .short_ns = 2 * S};
	struct slice slice;

	if (series_follow(s, &at, value, &slice)) {
		const struct slice_piece whole = slice_whole(&slice);

		series_cover(s, &at, &slice, &whole, 0);
	}
	series_take(s, &at, value);
}

static void add(struct series *s, int64_t t_ns, int32_t segment, int64_t value)
{
	add_row(s, t_ns, segment, &value);
}

static void count(struct counter *c, int64_t t_ns, int segment, int64_t value)
{
	struct slice slice;

	if (counter_follow(c, t_ns, segment, value, &slice)) {
		const struct slice_piece whole = slice_whole(&slice);

		counter_cover(c, &slice, &whole);
	}
	counter_value(c, t_ns, segment, value);
}

static const struct state_time *state_of(
	const struct metric_stats *stats, const char *name)
{
	for (size_t i = 0; i < stats->state_count; i++)
		if (strcmp(stats->state[i].name, name) == 0)
			return &stats->state[i];
	fail_msg("no state %s", name);
	return NULL;
}

/* A value holds until the row after it; the last one holds for nothing. */
static void a_value_holds_until_the_next_row(void **state)
{
	struct metric_stats stats = {.source = SOURCE_NVIDIA_DMON, .device = 3};
	struct texts texts = {0};
	struct series *s;
	int64_t p0 = texts_number(&texts, span_of("P0"));
	int64_t p8 = texts_number(&texts, span_of("P8"));

	(void)state;
	s = series_new(METRIC_pstate);
	add(s, 0, 0, p8);
	add(s, 1 * S, 0, p0); /* P8: 1 s */
	add(s, 4 * S, 0, p0); /* P0: 3 s, no gap */
	add_row(s, 5 * S, 0, NULL); /* P0: 1 s */
	add(s, 6 * S, 0, p8); /* not covered */
	add(s, 16 * S, 0, p8); /* a gap */
	add(s, 17 * S, 0, p0); /* P8: 1 s */
	add(s, 17 * S, 1, p8); /* another segment */
	series_finish(s, LIMIT, -1, &texts, &stats);
	assert_int_equal(stats.n, 7);
	assert_int_equal(stats.missing, 1);
	assert_true(stats.covered_s == 6);
	assert_int_equal(stats.state_count, 2);
	assert_string_equal(stats.state[0].name, "P0"); /* the longest first */
	assert_true(stats.state[0].seconds == 4 && stats.state[0].n == 3);
	assert_true(stats.state[0].share == 4.0 / 6);
	assert_true(stats.state[1].seconds == 2 && stats.state[1].n == 4);
	assert_true(isnan(stats.mean) && isnan(stats.min) && isnan(stats.p50));
	assert_int_equal(stats.source, SOURCE_NVIDIA_DMON);
	assert_int_equal(stats.device, 3);
	free(stats.state);

	/* Where no gap can be told, nor can what is covered. */
	series_finish(s, -1, -1, &texts, &stats);
	assert_true(isnan(stats.covered_s) && isnan(stats.state[0].seconds) &&
		isnan(stats.state[0].share));
	free(stats.state);
	series_free(s);
	texts_release(&texts);
}

/* A mask counts for each of its bits, so shares need not sum to one. */
static void a_mask_is_its_bits(void **state)
{
	struct metric_stats stats = {0};
	struct texts texts = {0};
	struct series *s;

	(void)state;
	s = series_new(METRIC_clock_reasons);
	add(s, 0 * S, 0, 0x4); /* 1 s */
	add(s, 1 * S, 0, 0x24); /* 1 s */
	add(s, 2 * S, 0, 0x0); /* 2 s */
	add(s, 4 * S, 0, INT64_C(1) << 40); /* nothing */
	series_finish(s, LIMIT, -1, &texts, &stats);
	assert_int_equal(stats.state_count, 4);
	assert_true(state_of(&stats, "none")->seconds == 2);
	assert_true(state_of(&stats, "sw_power_cap")->seconds == 2);
	assert_true(state_of(&stats, "sw_power_cap")->share == 0.5);
	assert_int_equal(state_of(&stats, "sw_power_cap")->n, 2);
	assert_true(state_of(&stats, "sw_thermal_slowdown")->share == 0.25);
	assert_true(state_of(&stats, "0x10000000000")->seconds == 0);
	free(stats.state);
	series_free(s);
}

/* Rows of a log without times stand as far apart as --interval says. */
static void states_without_times(void **state)
{
	struct metric_stats stats = {0};
	struct texts texts = {0};
	struct series *s;

	(void)state;
	s = series_new(METRIC_clock_reasons);
	add(s, 0, 0, 1);
	add(s, 1 * S, 0, 0);
	add(s, 2 * S, 0, 0);
	series_finish(s, 60 * S, 10 * S, &texts, &stats);
	assert_true(stats.covered_s == 20);
	assert_true(state_of(&stats, "gpu_idle")->seconds == 10);
	free(stats.state);
	series_finish(s, -1, 0, &texts, &stats);
	assert_true(isnan(stats.covered_s) && isnan(stats.state[0].seconds));
	assert_int_equal(stats.state[0].n, 2);
	free(stats.state);
	series_free(s);
}

/* More values than are told apart are one. */
static void too_many_states(void **state)
{
	struct metric_stats stats = {0};
	struct texts texts = {0};
	struct series *s;
	char word[32];

	(void)state;
	s = series_new(METRIC_pstate);
	for (int i = 0; i < STATES_MAX + 50; i++) {
		snprintf(word, sizeof word, "P%d", i);
		add(s, i * S, 0, texts_number(&texts, span_of(word)));
	}
	series_finish(s, LIMIT, -1, &texts, &stats);
	assert_int_equal(stats.state_count, STATES_MAX + 1);
	assert_int_equal(state_of(&stats, "(others)")->n, 50);
	assert_true(state_of(&stats, "(others)")->seconds == 49);
	free(stats.state);
	series_free(s);
	texts_release(&texts);
}

static void a_counter_rises(void **state)
{
	struct metric_stats stats = {0};
	struct counter c;

	(void)state;
	counter_init(&c, METRIC_held_sw_power_cap_us);
	counter_finish(&c, LIMIT, -1, &stats);
	assert_true(isnan(stats.increase) && isnan(stats.min) && stats.n == 0);
	count(&c, 0, 0, 1000);
	counter_finish(&c, LIMIT, -1, &stats);
	assert_true(isnan(stats.increase) && stats.min == 1000);
	count(&c, 10 * S, 0, 1600); /* + 600 over a gap, which counts */
	count(&c, 11 * S, 0, 40); /* a reset: left out */
	count(&c, 13 * S, 0, 100); /* + 60 */
	count(&c, 5 * S, 1, 9000); /* another segment */
	counter_finish(&c, LIMIT, -1, &stats);
	assert_true(stats.increase == 660);
	assert_true(stats.rate_per_s == 660.0 / 12);
	assert_int_equal(stats.resets, 1);
	assert_true(stats.covered_s == 12);
	assert_true(stats.min == 40 && stats.max == 9000);
	assert_int_equal(stats.min_at_ns, 11 * S);
	/* without times: 12 steps of 5 s */
	counter_finish(&c, LIMIT, 5 * S, &stats);
	assert_true(stats.covered_s == 60 && stats.rate_per_s == 11);
	counter_finish(&c, LIMIT, 0, &stats);
	assert_true(isnan(stats.covered_s) && isnan(stats.rate_per_s));
	assert_true(stats.increase == 660);
}

static void words_keep_their_numbers(void **state)
{
	struct texts texts = {0};
	char word[TEXT_BYTES_MAX + 2];

	(void)state;
	for (int i = 0; i < TEXTS_MAX; i++) {
		snprintf(word, sizeof word, "w%d", i * 7919);
		assert_int_equal(texts_number(&texts, span_of(word)), i + 1);
	}
	assert_int_equal(texts_number(&texts, span_of("one more")), 0);
	assert_int_equal(texts_number(&texts, span_of("w7919")), 2);
	assert_string_equal(texts_word(&texts, 2), "w7919");
	assert_null(texts_word(&texts, 0));
	assert_null(texts_word(&texts, TEXTS_MAX + 1));
	texts_release(&texts);
	memset(word, 'a', sizeof word);
	assert_int_equal(texts_number(&texts, (struct span){word, TEXT_BYTES_MAX}), 1);
	assert_int_equal(
		texts_number(&texts, (struct span){word, TEXT_BYTES_MAX + 1}), 0);
	assert_int_equal(texts_number(&texts, span_of("")), 0);
	assert_int_equal(texts_number(&texts, span_of("P\xff")), 0);
	assert_int_equal(texts_number(&texts, (struct span){"a\0b", 3}), 0);
	texts_release(&texts);
}

static void utf8_by_the_letter(void **state)
{
	static const char *const good[] = {"", "a", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf",
		"\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xe2\x82", "\xe2\x28\xa1", "a\xff"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(utf8_is_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(utf8_is_valid(bad[i]));
}

/* Many of them, so that the table grows; each is found again. */
static void reasons_are_counted(void **state)
{
	struct missing_list list = {0};

	(void)state;
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 5000; i++)
			missing_add(&list,
				&(struct missing){SOURCE_NVIDIA_DMON, i % 50,
					(enum metric_id)(i / 50 % 20), i / 1000, 1});
	assert_int_equal(list.count, 5000);
	for (uint32_t i = 0; i < 5000; i++) {
		assert_int_equal(list.at[i].device, i % 50);
		assert_int_equal(list.at[i].count, 3);
	}
	missing_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_holds_until_the_next_row),
		cmocka_unit_test(a_mask_is_its_bits),
		cmocka_unit_test(states_without_times),
		cmocka_unit_test(too_many_states),
		cmocka_unit_test(a_counter_rises),
		cmocka_unit_test(words_keep_their_numbers),
		cmocka_unit_test(utf8_by_the_letter),
		cmocka_unit_test(reasons_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
