/*
 * The base beside its copy, into which one change after the other is put. What it means
 * is the gate's business alone.
 */
#include "compute/gate/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate.h"
#include "compute/gate/gate_limit.h"

#define BEYOND 1.1 /* times a limit */

struct testing {
	struct selftest *out;
	struct comparison twin; /* the base, and its copy as the new side */
	size_t runs; /* of the base */
};

static void add_run(
	struct comparison *twin, const struct compared_run *run, enum side side)
{
	const char *form = side == SIDE_NEW ? "copy of " : "";
	struct strbuf name;

	strbuf_init(&name);
	strbuf_addf(&name, "%s%s", form, run->name);
	ALLOC_GROW(twin->run, twin->run_count + 1, twin->run_cap);
	twin->run[twin->run_count++] = (struct compared_run){.name = strbuf_detach(&name),
		.key = xstrdup(run->key),
		.side = side,
		.duration_s = run->duration_s,
		.grade = run->grade};
	twin->on_side[side]++;
}

static void add_row(struct comparison *twin, const struct comparison_row *row)
{
	size_t runs = twin->run_count / 2;
	struct comparison_row *both;

	ALLOC_GROW(twin->row, twin->row_count + 1, twin->row_cap);
	both = &twin->row[twin->row_count++];
	*both = (struct comparison_row){.measure = measure_copy(&row->measure),
		.value = xcalloc(twin->run_count + 1, sizeof *both->value),
		.best = SIZE_MAX};
	memcpy(both->value, row->value, runs * sizeof *row->value);
	memcpy(both->value + runs, row->value, runs * sizeof *row->value);
	contrast_row(both, twin->run, twin->run_count);
}

static void begin(struct testing *t, const struct comparison *comparison)
{
	t->runs = comparison->run_count;
	t->twin = COMPARISON_INIT;
	for (size_t i = 0; i < t->runs; i++)
		add_run(&t->twin, &comparison->run[i], SIDE_BASE);
	for (size_t i = 0; i < t->runs; i++)
		add_run(&t->twin, &comparison->run[i], SIDE_NEW);
	for (size_t i = 0; i < comparison->row_count; i++)
		add_row(&t->twin, &comparison->row[i]);
}

/* The row of the comparison that a row of the twin is of. */
static const struct comparison_row *origin(
	const struct testing *t, const struct gate_result *result)
{
	return result->row ? &t->out->comparison->row[result->row - t->twin.row] : NULL;
}

/*
 * A change that is a tenth beyond what is allowed; where that is none, a tenth of the
 * base. None that can't be seen of a number with so many decimals: of a count 1.
 */
static double step(double allowed, double base, int decimals)
{
	double least = pow(10, -decimals);

	if (allowed > 0)
		return fmax(BEYOND * allowed, least);
	return base != 0 ? fmax(fabs(base) * (BEYOND - 1), least) : 1;
}

/* Puts a change a tenth beyond the limit into the copy. Gives what the new side is. */
static double inject_change(struct testing *t, struct comparison_row *row,
	const struct gate_rule *rule, enum gate_limit limit)
{
	double sign = gate_limit_is_upper(limit) ? 1 : -1;
	double *copy = row->value + t->runs, median = row->side[SIDE_BASE].median;
	int decimals = row->measure.decimals;

	if (!gate_limit_is_change(limit)) {
		double bound = rule->limit[limit];

		copy[t->runs - 1] =
			bound + sign * step(fabs(bound) / 10 / BEYOND, median, decimals);
		return copy[t->runs - 1];
	}
	for (size_t i = 0; i < t->runs; i++)
		copy[i] +=
			sign * step(gate_allowed(rule, limit, median), median, decimals);
	return median + sign * step(gate_allowed(rule, limit, median), median, decimals);
}

static void restore(struct testing *t, struct comparison_row *row)
{
	memcpy(row->value + t->runs, row->value, t->runs * sizeof *row->value);
	contrast_row(row, t->twin.run, t->twin.run_count);
}

static struct selftest_result *add_result(
	struct testing *t, const struct gate_result *result, enum injection injection)
{
	struct selftest *out = t->out;
	const struct comparison_row *row = result->row;

	ALLOC_GROW(out->result, out->count + 1, out->cap);
	out->result[out->count] = (struct selftest_result){.rule = result->rule,
		.row = origin(t, result),
		.injection = injection,
		.limit = GATE_LIMITS,
		.base = row ? row->side[SIDE_BASE].median : NAN,
		.new = row ? row->side[SIDE_NEW].median : NAN,
		.expected = injection == INJECTION_NOTHING ? GATE_PASS : GATE_REGRESSION,
		.p = NAN};
	return &out->result[out->count++];
}

/* The gate's sentence, unless noise hid what it was to see. */
static void say_why(struct selftest_result *said, const struct gate_result *result)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_adds(&sb, result->why);
	if (result->cause == GATE_NOT_SIGNIFICANT && said->runs_needed)
		strbuf_addf(&sb,
			"; the noise hides it, %zu runs on each side would show it",
			said->runs_needed);
	said->why = strbuf_detach(&sb);
}

static void take(
	struct testing *t, struct selftest_result *said, const struct gate_result *result)
{
	said->outcome = result->outcome;
	said->p = result->p;
	said->runs_needed = result->runs_needed;
	said->proved = said->outcome == said->expected;
	say_why(said, result);
	t->out->counted += !said->rule->warn;
	t->out->failed += !said->proved && !said->rule->warn;
}

/* Judges the twin, and takes what its nth result says. */
static void judge(struct testing *t, struct selftest_result *said, size_t nth)
{
	struct gate gate = GATE_INIT;

	gate_judge(&gate, t->out->rules, &t->twin, NULL, 0);
	take(t, said, &gate.result[nth]);
	gate_release(&gate);
}

static void test_changes(struct testing *t, const struct gate_result *result, size_t nth)
{
	struct comparison_row *row = &t->twin.row[result->row - t->twin.row];

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		struct selftest_result *said;

		if (isnan(result->rule->limit[limit]))
			continue;
		said = add_result(t, result, INJECTION_CHANGE);
		said->limit = limit;
		said->new = inject_change(t, row, result->rule, limit);
		contrast_row(row, t->twin.run, t->twin.run_count);
		judge(t, said, nth);
		restore(t, row);
	}
}

/* One run without it is a loss where all have it; else it goes from all of them. */
static void test_vanished(struct testing *t, const struct gate_result *result, size_t nth)
{
	struct comparison_row *row = &t->twin.row[result->row - t->twin.row];
	struct selftest_result *said = add_result(t, result, INJECTION_VANISHED);

	said->new = NAN;
	for (size_t i = t->runs; i < 2 * t->runs; i++)
		if (i + 1 == 2 * t->runs || row->side[SIDE_BASE].n < t->runs)
			row->value[i] = NAN;
	contrast_row(row, t->twin.run, t->twin.run_count);
	judge(t, said, nth);
	restore(t, row);
}

void selftest(struct selftest *out, const struct gate_rules *rules,
	const struct comparison *comparison)
{
	struct testing t = {.out = out};
	struct gate unchanged = GATE_INIT;

	out->rules = rules;
	out->comparison = comparison;
	begin(&t, comparison);
	gate_judge(&unchanged, rules, &t.twin, NULL, 0);
	for (size_t i = 0; i < unchanged.count; i++) {
		const struct gate_result *result = &unchanged.result[i];
		struct selftest_result *said = add_result(&t, result, INJECTION_NOTHING);

		take(&t, said, result);
		/* A rule that does not pass what is the same proves nothing by failing.
		 */
		if (result->outcome != GATE_PASS)
			continue;
		test_changes(&t, result, i);
		test_vanished(&t, result, i);
	}
	gate_release(&unchanged);
	comparison_release(&t.twin);
}
