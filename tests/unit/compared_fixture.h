/*
 * Comparisons of reports made by hand, for the tests of render/. Included after cmocka.h.
 */
#ifndef UNIT_COMPARED_FIXTURE_H
#define UNIT_COMPARED_FIXTURE_H

#include "cmd/formats.h"
#include "compute/compare/compare.h"
#include "render_fixture.h"

/*
 * Runs of the fixture, the first `base` of them on that side, the next `new` on the
 * other, or, where there are no new ones, none on any. New runs take a tenth longer in
 * train, and of every run each number is some thousandths off. names: of all; NULL: r0
 * ...
 */
static inline void compared_fixture(
	struct comparison *out, size_t base, size_t new, const char *const *names)
{
	struct comparing *comparing;

	*out = COMPARISON_INIT;
	comparing = compare_begin(out, base + new, NULL, NULL);
	for (size_t i = 0; i < base + new; i++) {
		double noise = 1 + (double)(i * 7 % 11) / 1000;
		struct fixture f;
		struct error err;
		char name[32], driver[32];

		fixture_init(&f);
		snprintf(name, sizeof name, "r%zu", i);
		snprintf(driver, sizeof driver, "550.%zu", i / base);
		run_set_string(&f.run.key, name);
		run_set_string(&f.run.driver, driver);
		f.run.file[0].hash = (int64_t)i;
		f.report.path[2].duration_s *= noise * (i < base ? 1 : 1.1);
		f.report.summary[SUMMARY_duration_s].number *=
			noise * (i < base ? 1 : 1.08);
		f.report.summary[SUMMARY_energy_j].number *= noise;
		f.report.summary[SUMMARY_gpu_util_mean_pct].number *=
			noise * (i < base ? 1 : 0.5);
		f.report.call[2].end_ns += (int64_t)(i < base ? 0 : 310e9);
		assert_int_equal(compare_add(comparing, names ? names[i] : name,
					 !new		    ? SIDES
						 : i < base ? SIDE_BASE
							    : SIDE_NEW,
					 &f.report, &err),
			0);
		fixture_release(&f);
	}
	compare_end(comparing);
}

/* To be freed. */
static inline char *compared_render(const struct comparison *comparison,
	const char *format, const struct render_options *opt)
{
	char *text = NULL, *copy;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const struct render_result result = {RESULT_COMPARISON, .comparison = comparison};
	struct error err;

	assert_non_null(out);
	assert_int_equal(output_find(format)->result(&result, opt, out, &err), 0);
	fclose(out);
	copy = xstrdup(text);
	free(text);
	return copy;
}

#endif
