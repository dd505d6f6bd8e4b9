/*
 * What a gate promises, tried out: without a true change it fails in at most 5 % of all
 * cases; with one of twice the effect that it says it would show, in at least 80 %. The
 * rules tolerate nothing, so that only the tests stand between; but five deviations of
 * one run with skewed noise, which a history of ten can't tell from a change.
 * longer: 2,000 experiments, not 500
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/numbers/rank.h"
#include "gate_fixture.h"
#include "often.h"

#define RULES 4

/* In (0, 1). */
static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Noise of mean 0 and deviation 1. */
typedef double noise_of(uint64_t *seed);

static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(2 * acos(-1) * uniform(seed));
}

/* The exponential distribution, of skewness 2: a long tail in the bad direction. */
static double skewed(uint64_t *seed)
{
	return -log(uniform(seed)) - 1;
}

/* Of RULES numbers, of which rules tolerate an increase by so much. */
static void make(struct made_gate *made, size_t base, size_t new, double tolerance)
{
	static const char *const key[RULES] = {
		"duration_s", "energy_j", "rss_peak_mib", "peak_vram_mib"};
	double *value = xcalloc(base + new, sizeof *value);
	struct strbuf rules;

	strbuf_init(&rules);
	for (size_t k = 0; k < RULES; k++)
		strbuf_addf(&rules,
			"%s{\"name\": \"%zu\", \"metric\": \"%s\", \"max_increase\": "
			"%g}",
			k ? "," : "", k, key[k], tolerance);
	gate_make(made, rules.text, base, new);
	for (size_t k = 0; k < RULES; k++)
		gate_row(made, of_run(key[k]), value);
	strbuf_release(&rules);
	free(value);
}

/* The part of the experiments that fails if the first number has changed so much. */
static double failures(
	size_t base, size_t new, noise_of *noise, double tolerance, double change)
{
	uint64_t seed = 20260301;
	struct made_gate made;
	int experiments = often(500, 2000), failed = 0;

	make(&made, base, new, tolerance);
	for (int i = 0; i < experiments; i++) {
		for (size_t k = 0; k < RULES; k++) {
			struct comparison_row *row = &made.comparison.row[k];

			for (size_t r = 0; r < base + new; r++)
				row->value[r] = 100 + noise(&seed) +
					(k == 0 && r >= base ? change : 0);
			contrast_row(row, made.comparison.run, base + new);
		}
		gate_decide(&made);
		failed += made.gate.outcome == GATE_REGRESSION;
	}
	gate_unmake(&made);
	return (double)failed / experiments;
}

static void assert_between(double part, double least, double most)
{
	if (!(part >= least && part <= most))
		fail_msg("%.2f %% fail", 100 * part);
}

static void six_runs_against_six(void **state)
{
	double shown = rank_detectable(1, 6, 6, RANK_ALPHA / RULES);

	(void)state;
	assert_between(failures(6, 6, normal, 0, 0), 0, 0.05);
	assert_between(failures(6, 6, skewed, 0, 0), 0, 0.05);
	assert_between(failures(6, 6, normal, 0, 2 * shown), 0.8, 1);
	assert_between(failures(6, 6, skewed, 0, 2 * shown), 0.8, 1);
}

static void one_run_against_ten(void **state)
{
	double level = RANK_ALPHA / RULES;
	double shown = sqrt(1 + 1 / 10.0) *
		(t_quantile(1 - level / 2, 9) + t_quantile(RANK_POWER, 9));

	(void)state;
	assert_between(failures(10, 1, normal, 0, 0), 0, 0.05);
	assert_between(failures(10, 1, skewed, 5, 0), 0, 0.05);
	assert_between(failures(10, 1, normal, 0, 2 * shown), 0.8, 1);
	assert_between(failures(10, 1, skewed, 0, 2 * shown), 0.8, 1);
	/* What README.md says of skewed noise that no limit tolerates. */
	assert_between(failures(10, 1, skewed, 0, 0), 0, 0.16);
}

/* The part that fails of runs that lack the first number so often, and new ones so often.
 */
static double failures_of_lack(size_t base, size_t new, double lack, double new_lack)
{
	uint64_t seed = 20261124;
	struct made_gate made;
	int experiments = often(500, 2000), failed = 0, tried = 0;

	make(&made, base, new, 0);
	while (tried < experiments) {
		bool is_whole = true;

		for (size_t k = 0; k < RULES; k++) {
			struct comparison_row *row = &made.comparison.row[k];

			for (size_t r = 0; r < base + new; r++) {
				bool lacks = k == 0 &&
					uniform(&seed) < (r < base ? lack : new_lack);

				row->value[r] = lacks ? NAN : 100 + normal(&seed);
				is_whole &= k || r >= base || !lacks;
			}
			contrast_row(row, made.comparison.run, base + new);
		}
		/* What the whole base has, each new run has to have, by definition. */
		if (is_whole)
			continue;
		tried++;
		gate_decide(&made);
		failed += made.gate.outcome == GATE_REGRESSION;
	}
	gate_unmake(&made);
	return (double)failed / experiments;
}

/* Of 20 base runs 18 have it, of 6 new ones 1: p 5 * 0.0013. */
static void what_comes_and_goes(void **state)
{
	(void)state;
	for (int percent = 5; percent <= 20; percent += 5) {
		double lack = percent / 100.0;

		assert_between(failures_of_lack(6, 6, lack, lack), 0, 0.05);
		assert_between(failures_of_lack(20, 6, lack, lack), 0, 0.05);
	}
	assert_between(failures_of_lack(20, 6, 0.1, 0.9), 0.8, 1);
	assert_between(failures_of_lack(10, 10, 0.1, 0.9), 0.8, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_runs_against_six),
		cmocka_unit_test(one_run_against_ten),
		cmocka_unit_test(what_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
