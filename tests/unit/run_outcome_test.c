/*
 * Which runs' numbers can't stand for their work: by the exit status, the end and the
 * manifest as they were read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/report/run_outcome.h"

static void outcomes(void **state)
{
	static const struct {
		bool started, ended, manifest, read;
		const char *id, *refused;
		int64_t size;
		int32_t status;
		enum run_outcome_kind kind;
		const char *how;
	} cases[] = {
		/* no manifest: nothing is known */
		{0, 0, 0, 0, NULL, NULL, 0, -1, RUN_WHOLE, NULL},
		/* ended; the exit status is 0, not known, or another */
		{1, 1, 1, 1, "a", NULL, 9, 0, RUN_WHOLE, NULL},
		{1, 1, 1, 1, "a", NULL, 9, -1, RUN_WHOLE, NULL},
		{1, 1, 1, 1, "a", NULL, 9, 1, RUN_FAILED, "exit status 1"},
		{1, 1, 1, 1, "a", NULL, 9, 137, RUN_FAILED, "exit status 137 (SIGKILL)"},
		{1, 1, 1, 1, "a", "-9", 9, -1, RUN_FAILED,
			"exit status -9, which is none from 0 to 255"},
		/* no end; that it failed says more */
		{1, 0, 1, 1, "a", NULL, 9, -1, RUN_CUT_OFF, "its manifest has no end"},
		{1, 0, 1, 1, "a", NULL, 9, 0, RUN_CUT_OFF, "its manifest has no end"},
		{1, 0, 1, 1, "a", NULL, 9, 1, RUN_FAILED, "exit status 1"},
		/* says neither start nor end: as without one */
		{0, 0, 1, 1, "a", NULL, 9, -1, RUN_WHOLE, NULL},
		/* a manifest that can't be read, alone and beside another */
		{0, 0, 1, 0, NULL, NULL, 0, -1, RUN_CUT_OFF, "run.json is empty"},
		{0, 0, 1, 0, NULL, NULL, 9, -1, RUN_CUT_OFF,
			"run.json is not a complete JSON object"},
		{1, 1, 1, 0, "a", NULL, 9, 0, RUN_WHOLE, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run run;
		struct run_outcome outcome;

		run_init(&run, "x");
		run.started_ns = cases[i].started ? 1 : TIME_NONE;
		run.ended_ns = cases[i].ended ? 2 : TIME_NONE;
		run.exit_status = cases[i].status;
		run_set_string(&run.run_id, cases[i].id);
		if (cases[i].refused)
			run_add_fact(
				&run, RUN_FACT_EXIT_STATUS, span_of(cases[i].refused));
		if (cases[i].manifest) {
			struct run_file *file = run_add_file(&run, "run.json");

			file->kind = SOURCE_MANIFEST;
			file->size = cases[i].size;
			file->rows = cases[i].read;
		}
		outcome = run_outcome_of(&run);
		assert_int_equal(outcome.kind, cases[i].kind);
		if (cases[i].how)
			assert_string_equal(outcome.how, cases[i].how);
		else
			assert_null(outcome.how);
		run_outcome_release(&outcome);
		run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
