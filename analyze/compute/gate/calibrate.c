/*
 * Calibrates a gate: spread of each number, the limit that follows, and the noisiest
 * number of each rule. Also the self-test. README.md, "Gate".
 */
#include "compute/gate/gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate_rows.h"
#include "compute/numbers/rank.h"

/* Noise is learnt from so many repeats, or more. */
#define CALIBRATION_RUNS 5

#define DIGITS 4 /* of a number that people are to write into a rule */

/* Does a limit become less tight by more? */
static bool is_more(enum gate_limit limit)
{
	return gate_limit_is_upper(limit) || gate_limit_is_change(limit);
}

/* The next number of few digits that is as large, or, downwards, as small. */
static double rounded(double x, bool up)
{
	double digit = x == 0 ? 1 : pow(10, floor(log10(fabs(x))) + 1 - DIGITS);
	double steps = up ? ceil(x / digit) : floor(x / digit);

	/* A power of ten below 1 is not exact, its inverse is. */
	return digit < 1 ? steps / round(1 / digit) : steps * digit;
}

/*
 * What a limit would have to be so that noise alone keeps it: of a change what two
 * repeats differ by, of a bound what the next run may have.
 */
static double least_limit(const struct calibration_result *result, enum gate_limit limit,
	const struct sample *repeats)
{
	double sign = gate_limit_is_upper(limit) ? 1 : -1;
	double t = t_quantile(1 - RANK_ALPHA / 2, (double)repeats->n - 1);
	double scale = repeats->deviation * sqrt(1 + 1 / (double)repeats->n);

	if (gate_limit_is_percentage(limit))
		return 100 * result->noise / fabs(result->median);
	if (gate_limit_is_change(limit))
		return result->noise;
	return repeats->mean + sign * t * scale;
}

/* Would noise alone break a limit? Of 0 there is no percentage, tight or not. */
static bool is_tight(
	const struct calibration_result *result, enum gate_limit limit, double least)
{
	const struct gate_rule *rule = result->rule;

	if (gate_limit_is_change(limit))
		return gate_allowed(rule, limit, result->median) < result->noise;
	return gate_limit_is_upper(limit) ? rule->limit[limit] < least
					  : rule->limit[limit] > least;
}

/* The first limit that is too tight is named. */
static bool find_tight(struct calibration_result *result, const struct sample *repeats)
{
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		double least = least_limit(result, limit, repeats);

		if (!is_tight(result, limit, least))
			continue;
		result->limit = limit;
		result->least = rounded(least, is_more(limit));
		return true;
	}
	return false;
}

static void say_number(
	struct strbuf *sb, const struct calibration_result *result, double x)
{
	quantity_number(sb, x, result->row->measure.decimals);
	if (*result->row->measure.unit)
		strbuf_addf(sb, " %s", result->row->measure.unit);
}

/* "two repeats differ by up to 8.1 s, 6.8 %" */
static void say_noise(struct strbuf *sb, const struct calibration_result *result)
{
	strbuf_adds(sb, "two repeats differ by up to ");
	say_number(sb, result, result->noise);
	if (result->median != 0)
		strbuf_addf(sb, ", %.1f %%", 100 * result->noise / fabs(result->median));
}

static void say_tight(struct strbuf *sb, const struct calibration_result *result,
	const struct sample *repeats)
{
	enum gate_limit limit = result->limit;

	strbuf_addf(sb, "%s is ", gate_limit_name(limit));
	number_print(sb, result->rule->limit[limit]);
	strbuf_adds(sb, ", but ");
	if (gate_limit_is_change(limit)) {
		say_noise(sb, result);
	} else {
		strbuf_adds(sb, "the next repeat may have ");
		say_number(sb, result, least_limit(result, limit, repeats));
	}
	strbuf_adds(sb, "; expected ");
	number_print(sb, result->least);
	strbuf_adds(sb, is_more(limit) ? " or more" : " or less");
}

static void say_why(struct calibration_result *result, const struct sample *repeats)
{
	struct strbuf sb = strbuf_new();

	switch (result->outcome) {
	case CALIBRATION_LEARNT:
		say_noise(&sb, result);
		break;
	case CALIBRATION_TIGHT:
		say_tight(&sb, result, repeats);
		break;
	case CALIBRATION_TOO_FEW:
		strbuf_addf(&sb, "%zu repeat%s ha%s it, but %d are needed", result->n,
			result->n == 1 ? "" : "s", result->n == 1 ? "s" : "ve",
			CALIBRATION_RUNS);
		break;
	case CALIBRATION_ABSENT:
		strbuf_adds(&sb, "no repeat recorded it");
		break;
	}
	result->why = strbuf_detach(&sb);
}

/* In 95 % the difference of two runs is no more, if they are normal and independent. */
static void learn(struct calibration_result *result, const struct sample *repeats)
{
	result->n = repeats->n;
	result->median = rank_median(repeats->x, repeats->n).value;
	result->deviation = repeats->deviation;
	if (repeats->n < CALIBRATION_RUNS) {
		result->outcome = CALIBRATION_TOO_FEW;
		return;
	}
	result->noise = t_quantile(1 - RANK_ALPHA / 2, (double)repeats->n - 1) *
		repeats->deviation * sqrt(2);
	result->outcome =
		find_tight(result, repeats) ? CALIBRATION_TIGHT : CALIBRATION_LEARNT;
}

static void add_result(struct calibration *out, const struct gate_rule *rule,
	const struct comparison_row *row)
{
	struct calibration_result *result;
	struct sample repeats = {0};

	result = &ALLOC_NEXT(out->result, out->count, out->cap);
	*result = (struct calibration_result){.rule = rule,
		.row = row,
		.outcome = CALIBRATION_ABSENT,
		.median = NAN,
		.deviation = NAN,
		.noise = NAN,
		.limit = GATE_LIMITS,
		.least = NAN};
	if (row) {
		repeats = side_sample(
			row, out->comparison->run, out->comparison->run_count, SIDES);
		learn(result, &repeats);
	}
	say_why(result, &repeats);
	free(repeats.x);
	out->refused += result->outcome != CALIBRATION_LEARNT && !rule->warn;
}

/* The noisiest number counts; a rule keeps a larger min_abs of its own. */
static double min_abs_of(const struct calibration *out, const struct gate_rule *rule)
{
	double most = 0;

	for (size_t i = 0; i < out->count && gate_rule_compares(rule); i++)
		if (out->result[i].rule == rule && out->result[i].noise > most)
			most = out->result[i].noise;
	return most > rule->min_abs ? rounded(most, true) : rule->min_abs;
}

void calibrate(struct calibration *out, const struct gate_rules *rules,
	const struct comparison *comparison)
{
	out->rules = rules;
	out->comparison = comparison;
	out->min_abs = xcalloc(rules->count + 1, sizeof *out->min_abs);
	for (size_t i = 0; i < rules->count; i++) {
		const struct gate_rule *rule = &rules->rule[i];
		const struct comparison_row *row;
		size_t from = out->count, at = 0;

		while ((row = gate_next_row(comparison, rule, &at)))
			add_result(out, rule, row);
		if (out->count == from)
			add_result(out, rule, NULL);
		out->min_abs[i] = min_abs_of(out, rule);
	}
}

/*
 * Self-test: compares the base with a copy of it that has one change. The gate judges.
 */

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
	struct strbuf name = strbuf_new();

	strbuf_addf(&name, "%s%s", form, run->name);
	ALLOC_NEXT(twin->run, twin->run_count, twin->run_cap) =
		(struct compared_run){.name = strbuf_detach(&name),
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

	both = &ALLOC_NEXT(twin->row, twin->row_count, twin->row_cap);
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

static struct selftest_result *selftest_add_result(
	struct testing *t, const struct gate_result *result, enum injection injection)
{
	struct selftest *out = t->out;
	const struct comparison_row *row = result->row;

	ALLOC_NEXT(out->result, out->count, out->cap) = (struct selftest_result){
		.rule = result->rule,
		.row = origin(t, result),
		.injection = injection,
		.limit = GATE_LIMITS,
		.base = row ? row->side[SIDE_BASE].median : NAN,
		.new = row ? row->side[SIDE_NEW].median : NAN,
		.expected = injection == INJECTION_NOTHING ? GATE_PASS : GATE_REGRESSION,
		.p = NAN};
	return &out->result[out->count - 1];
}

/* The gate's sentence, unless noise hid what it was to see. */
static void selftest_say_why(
	struct selftest_result *said, const struct gate_result *result)
{
	struct strbuf sb = strbuf_new();

	strbuf_adds(&sb, result->why);
	if (result->cause == GATE_NOT_SIGNIFICANT && said->runs_needed)
		strbuf_addf(&sb, "; hidden by noise, %zu runs on each side would show it",
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
	selftest_say_why(said, result);
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
		said = selftest_add_result(t, result, INJECTION_CHANGE);
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
	struct selftest_result *said = selftest_add_result(t, result, INJECTION_VANISHED);

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
		struct selftest_result *said =
			selftest_add_result(&t, result, INJECTION_NOTHING);

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
