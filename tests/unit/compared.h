/*
 * Comparisons of plain numbers: runs that are a name, a side and a value of each of a few
 * measures.
 */
#ifndef UNIT_COMPARED_H
#define UNIT_COMPARED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A key of the summary. */
static inline struct measure key_of(const char *key, enum direction better)
{
	return (struct measure){.part = MEASURE_SUMMARY,
		.key = key,
		.unit = "",
		.better = better,
		.headline = true,
		.outcome = true,
		.decides = true};
}

/* One measure of runs on two sides, which are called b0, b1 ... and n0, n1 ... */
static inline void compare_values(struct comparison *out, enum direction better,
	const double *base, size_t n, const double *new, size_t m)
{
	const struct measure measure = key_of("duration_s", better);
	struct comparing *comparing;
	struct error err;

	*out = COMPARISON_INIT;
	comparing = compare_begin(out, n + m, NULL, NULL);
	for (size_t i = 0; i < n + m; i++) {
		char name[32];

		snprintf(
			name, sizeof name, "%c%zu", i < n ? 'b' : 'n', i < n ? i : i - n);
		assert_int_equal(compare_add_numbers(comparing, name, name,
					 i < n ? SIDE_BASE : SIDE_NEW, &measure,
					 i < n ? &base[i] : &new[i - n], 1, &err),
			0);
	}
	compare_end(comparing);
}

/* The row of a key, of the run or of a phase (NULL: none). */
static inline const struct comparison_row *row_of(
	const struct comparison *comparison, const char *key, const char *phase)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct measure *measure = &comparison->row[i].measure;

		if (strcmp(measure->key, key) == 0 && !measure->phase == !phase &&
			(!phase || strcmp(measure->phase, phase) == 0))
			return &comparison->row[i];
	}
	fail_msg("no row of %s", key);
	return NULL;
}

static inline void assert_near(double x, double expected, double within)
{
	if (isnan(x) != isnan(expected) || !(isnan(x) || fabs(x - expected) <= within))
		fail_msg("%.17g, not %.17g", x, expected);
}

#endif
