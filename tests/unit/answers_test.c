/*
 * Rows in which a GPU says nothing are none of its rows: whatever is told of time where
 * its cells fail is what is told where its rows are missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "made_run.h"

#define LAST_S 100

/* How the second GPU is away. */
enum away {
	NO_ROW, /* as the GPU of a driver that leaves it out */
	NO_VALUE,
	NO_LIFE, /* its memory is told, which is the driver's answer */
	AWAY_COUNT
};

/* It is away in the seconds between those of each pair. */
struct when {
	int pairs[4]; /* two of them */
	/* of the second GPU, h = 1 s: what is told of either */
	int gaps;
	double covered_s;
	double coverage;
	char grade;
};

static bool is_away(const struct when *when, int s)
{
	const int *p = when->pairs;

	return (s > p[0] && s < p[1]) || (s > p[2] && s < p[3]);
}

static void row(struct made *made, int s, uint32_t gpu, bool away, enum away how)
{
	if (away && how == NO_ROW)
		return;
	sample(made, s, gpu, METRIC_gpu_util_pct, away ? NAN : 50);
	also(made, METRIC_power_w, away ? NAN : 100);
	also(made, METRIC_mem_used_mib, away && how == NO_VALUE ? NAN : 1000);
}

static const struct device_evidence *evidence_of(const struct made *made, uint32_t gpu)
{
	for (size_t i = 0; i < made->report.evidence.device_count; i++)
		if (made->report.evidence.device[i].device == gpu)
			return &made->report.evidence.device[i];
	fail_msg("gpu%u has no evidence", (unsigned)gpu);
	return NULL;
}

static void make_two(struct made *made, const struct when *when, enum away how)
{
	for (int s = 0; s <= LAST_S; s++) {
		row(made, s, 0, false, how);
		row(made, s, 1, is_away(when, s), how);
	}
	finish(made);
}

/*
 * 100 s, and a lead and a trail of h + 2 s = 3 s at most.
 */
static const struct when whens[] = {
	/* 40 -> 50 s is a gap */
	{{40, 50}, 1, 90, 0.9, 'B'},
	/* 2 -> 22 s and 60 -> 90 s are */
	{{2, 22, 60, 90}, 2, 50, 0.5, 'F'},
	/* 3 s are none, as that is the limit */
	{{40, 43}, 0, 100, 1, 'A'},
	/* it comes at 30 s */
	{{-1, 30}, 0, 70, 70 / 97.0, 'C'},
	/* it goes at 80 s */
	{{80, LAST_S + 1}, 0, 80, 80 / 97.0, 'C'},
	/* it comes at 10 s and goes at 95 s */
	{{-1, 10, 95, LAST_S + 1}, 0, 85, 85 / 94.0, 'B'},
	/* it comes at 10 s, and is away from 20 to 50 s */
	{{-1, 10, 20, 50}, 1, 60, 60 / 97.0, 'F'},
};

static void as_missing_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof whens / sizeof whens[0]; i++)
		for (int k = 0; k < AWAY_COUNT * 2; k++) {
			const struct evidence *evidence;
			const struct device_evidence *e;
			struct made made;

			begin(&made, 2);
			made.run.interval_ns = k % 2 ? NS_PER_S : 0;
			make_two(&made, &whens[i], (enum away)(k / 2));
			evidence = &made.report.evidence;
			e = evidence_of(&made, 1);
			near(e->interval_s, 1);
			assert_int_equal(e->gaps, whens[i].gaps);
			near(e->covered_s, whens[i].covered_s);
			near(e->coverage, whens[i].coverage);
			near(evidence->coverage, whens[i].coverage);
			assert_int_equal(evidence->grade, whens[i].grade);
			near(evidence_of(&made, 0)->coverage, 1);
			assert_int_equal(evidence->gap_listed, whens[i].gaps);
			for (size_t g = 0; g < evidence->gap_listed; g++) {
				assert_int_equal(evidence->gap[g].cause, GAP_GPU_LOST);
				assert_int_equal(evidence->gap[g].unanswered, k >= 2);
			}
			release(&made);
		}
}

/* Rows of the only GPU which say nothing are observers that the recorder went on. */
static void alone(void **state)
{
	(void)state;
	for (int how = NO_ROW; how < AWAY_COUNT; how++) {
		static const struct when when = {.pairs = {40, 60}};
		struct made made;

		begin(&made, 1);
		for (int s = 0; s <= LAST_S; s++)
			row(&made, s, 0, is_away(&when, s), (enum away)how);
		finish(&made);
		assert_int_equal(made.report.evidence.gap_listed, 1);
		near(made.report.evidence.gap[0].length_s, 20);
		assert_int_equal(made.report.evidence.gap[0].cause,
			how == NO_ROW ? GAP_ALL_SILENT : GAP_GPU_LOST);
		assert_int_equal(
			evidence_of(&made, 0)->rows, how == NO_ROW ? 82 : LAST_S + 1);
		release(&made);
	}
}

/* What a log never knew of a GPU accuses nobody, nor what another recorder never asks. */
static void innocent(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 3);
	for (int s = 0; s <= LAST_S; s++) {
		row(&made, s, 0, true, NO_LIFE);
		row(&made, s, 1, true, NO_VALUE);
		sample(&made, s, 2, METRIC_power_w, s % 20 ? 100 : NAN);
		also(&made, METRIC_gpu_util_pct, s % 2 ? NAN : 50);
		sample(&made, s + 0.5, 2, METRIC_mem_used_mib, 1000);
	}
	finish(&made);
	assert_int_equal(made.report.evidence.gap_count, 0);
	assert_int_equal(made.report.evidence.grade, 'A');
	for (uint32_t gpu = 0; gpu < 3; gpu++)
		near(evidence_of(&made, gpu)->coverage, 1);
	release(&made);
}

/*
 * The clock goes back by 30 s while a GPU says nothing: that is known of all rows. It
 * answers from 0 to 40 s, and, behind the step from 60 to 30 s, from 35 to 100 s.
 */
static void step_back(void **state)
{
	const struct device_evidence *e;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int s = 0; s <= 60; s++)
		row(&made, s, 0, s > 40, NO_VALUE);
	for (int s = 30; s <= LAST_S; s++) {
		row(&made, s, 0, s < 35, NO_VALUE);
		made.batch.segment[made.batch.rows - 1] = 1;
	}
	finish(&made);
	e = evidence_of(&made, 0);
	assert_int_equal(e->steps_back, 1);
	assert_int_equal(e->gaps, 0);
	near(e->covered_s, 40 + 65);
	assert_int_equal(aggregate_order(made.agg, SOURCE_NVIDIA_QUERY), ORDER_KEPT);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_missing_rows),
		cmocka_unit_test(alone),
		cmocka_unit_test(innocent),
		cmocka_unit_test(step_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
