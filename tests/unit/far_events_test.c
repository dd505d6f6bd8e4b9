/*
 * Which events can't be of a run: of the time of its samples and of its command, of its
 * events alone, and of none that is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>

#include "compute/phases/calls.h"

/* 2025-03-01T10:00:00Z */
#define T0  (1740823200LL * NS_PER_S)
#define DAY NS_PER_DAY

static void add(struct run *run, int64_t t_ns, int64_t end_ns)
{
	struct event *event = run_add_event(run);

	event->type = end_ns == TIME_NONE ? EVENT_POINT : EVENT_PHASE;
	event->t_ns = t_ns;
	event->end_ns = end_ns;
}

static void expect(struct run *run, int64_t from_ns, int64_t to_ns, const char *expected)
{
	struct far_event *far;
	char found[64] = "";
	size_t count = far_events_find(run, from_ns, to_ns, &far);

	assert_true(count < sizeof found);
	for (size_t i = 0; i < count; i++)
		found[i] = (char)('0' + far[i].event);
	assert_string_equal(found, expected);
	free(far);
	run_release(run);
	run_init(run, "run");
}

/* Samples of a minute: what is near, and what is not. */
static void beside_samples(void **state)
{
	int64_t end = T0 + 60 * NS_PER_S;
	struct far_event *far;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add(&run, T0 - 7 * DAY, TIME_NONE); /* waited a week */
	add(&run, T0 + NS_PER_S, TIME_NONE);
	add(&run, TIME_NONE, TIME_NONE);
	add(&run, end + 7 * DAY, TIME_NONE);
	expect(&run, T0, end, "");
	add(&run, T0 - 7 * DAY - 1, TIME_NONE);
	add(&run, T0 + NS_PER_S, TIME_NONE);
	add(&run, end + 7 * DAY + 1, TIME_NONE);
	expect(&run, T0, end, "02");
	/* a phase of 1e9 s that ends in the run: its begin is 11574 days before */
	add(&run, T0 + 30 * NS_PER_S - 1000000000 * NS_PER_S, T0 + 30 * NS_PER_S);
	assert_int_equal(far_events_find(&run, T0, end, &far), 1);
	assert_int_equal(far->t_ns, T0 - 999999970 * NS_PER_S);
	assert_int_equal(far->away_ns, -999999970 * NS_PER_S);
	free(far);
	expect(&run, T0, end, "0");
	/* and one that begins in it; the first and the last instant that are read */
	add(&run, T0, TIME_END_NS - 1);
	add(&run, 0, TIME_NONE);
	add(&run, TIME_END_NS - 1, TIME_NONE);
	expect(&run, T0, end, "012");
}

/* What is a week from what is near is near, too; and no less than the run is long. */
static void of_weeks(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	/* one a day for 40 days, the samples are of the last minute of them */
	for (int i = 0; i < 41; i++)
		add(&run, T0 - i * DAY, TIME_NONE);
	expect(&run, T0 - 60 * NS_PER_S, T0, "");
	add(&run, T0 - 30 * DAY, TIME_NONE);
	add(&run, T0 + 60 * DAY, TIME_NONE);
	add(&run, T0 - 91 * DAY, TIME_NONE); /* 61 days, where the run has 90 by then */
	add(&run, T0 + 242 * DAY, TIME_NONE); /* 182, where it has 151 */
	expect(&run, T0, T0 + 30 * DAY, "3");
}

/* What was recorded for a while says it as samples do; its start alone leaves the end
 * open. */
static void beside_a_recording(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	run.started_ns = T0;
	run.ended_ns = T0 + 60 * NS_PER_S;
	add(&run, T0 + 8 * DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "0");
	run.started_ns = T0;
	add(&run, T0 + 300 * DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "");
	run.started_ns = T0;
	add(&run, T0 + 300 * DAY, TIME_NONE);
	expect(&run, T0, T0 + 60 * NS_PER_S, "0");
	/* a recorder whose clock had no time, and was set: both are its run's */
	run.started_ns = DAY;
	add(&run, DAY, TIME_NONE);
	add(&run, T0, TIME_NONE);
	expect(&run, T0, T0 + 60 * NS_PER_S, "");
}

static void command(struct run *run, int64_t from_ns, int64_t to_ns)
{
	run->started_ns = from_ns;
	run->ended_ns = to_ns;
	run->exit_status = 0;
}

/* Of a command of a minute, whose samples go on for another one. */
static void of_a_command(void **state)
{
	int64_t end = T0 + 60 * NS_PER_S;
	struct run run;

	(void)state;
	run_init(&run, "run");
	command(&run, T0, end);
	add(&run, T0 - RUN_BESIDE_NS, TIME_NONE);
	add(&run, end + RUN_BESIDE_NS, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "");
	command(&run, T0, end);
	add(&run, T0 - RUN_BESIDE_NS - 1, TIME_NONE);
	add(&run, end + RUN_BESIDE_NS + 1, TIME_NONE);
	add(&run, T0 + NS_PER_S, end + 8 * RUN_BESIDE_NS); /* its end */
	add(&run, end + 6 * 3600 * NS_PER_S, end + 6 * 3600 * NS_PER_S + 1);
	expect(&run, TIME_NONE, TIME_NONE, "0123");
	/* of the recording that goes on behind it, and of one after the other */
	command(&run, T0, end);
	add(&run, end + 2 * RUN_BESIDE_NS, TIME_NONE);
	add(&run, end + 3 * RUN_BESIDE_NS, TIME_NONE);
	expect(&run, T0, end + 60 * NS_PER_S, "");
	/* however long it is */
	command(&run, T0, T0 + DAY);
	add(&run, T0 + DAY + 2 * RUN_BESIDE_NS, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "0");
	/* a clock that was set back says neither end */
	command(&run, end, T0);
	add(&run, end + DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "");
}

/* A log whose times name no zone, and none of which is of the run; and one of which one
 * is. */
static void of_another_zone(void **state)
{
	int64_t end = T0 + 60 * NS_PER_S, east = 2 * 3600 * NS_PER_S;
	struct run run;

	(void)state;
	for (int met = 0; met < 2; met++) {
		run_init(&run, "run");
		command(&run, T0, end);
		run_add_file(&run, "a.jsonl")->wall = true;
		run_add_file(&run, "b.jsonl");
		add(&run, T0 + east, TIME_NONE);
		add(&run, met ? end : end + east, TIME_NONE);
		add(&run, T0 + east, TIME_NONE);
		for (size_t i = 0; i < 3; i++)
			run.event[i].at = (struct event_place){i / 2, i + 1};
		expect(&run, TIME_NONE, TIME_NONE, met ? "02" : "2");
		run_release(&run);
	}
}

/* Where there are only events, most of them say when; a month between them is no harm. */
static void alone(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < 3; i++)
		add(&run, T0 + i * NS_PER_S, TIME_NONE);
	add(&run, T0 + 300 * DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "");
	for (int i = 0; i < 3; i++)
		add(&run, T0 + i * NS_PER_S, TIME_NONE);
	add(&run, T0 - 20000 * DAY, TIME_NONE);
	add(&run, T0 + 20000 * DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "34");
	/* two against two: nobody knows which */
	for (int i = 0; i < 2; i++)
		add(&run, T0 + i * NS_PER_S, TIME_NONE);
	for (int i = 0; i < 2; i++)
		add(&run, T0 + 20000 * DAY, TIME_NONE);
	expect(&run, TIME_NONE, TIME_NONE, "");
}

/* Dates of samples that had to be guessed say nothing against those of events. */
static void guessed_dates(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	diag_add(&run.diags, false, "no-date", "log", 1, (struct span){NULL, 0},
		"no date");
	add(&run, T0, TIME_NONE);
	expect(&run, 0, 60 * NS_PER_S, "");
}

static void dropped(void **state)
{
	static const size_t lost[] = {0, 2, 3};
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < 5; i++)
		add(&run, i, TIME_NONE);
	run.event[0].name = run_keep(&run, "a");
	run.event[4].name = run_keep(&run, "e");
	run_drop_events(&run, lost, 3);
	assert_int_equal(run.event_count, 2);
	assert_int_equal(run.event[0].t_ns, 1);
	assert_string_equal(run.event[1].name, "e");
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_samples),
		cmocka_unit_test(of_weeks),
		cmocka_unit_test(beside_a_recording),
		cmocka_unit_test(of_a_command),
		cmocka_unit_test(of_another_zone),
		cmocka_unit_test(alone),
		cmocka_unit_test(guessed_dates),
		cmocka_unit_test(dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
