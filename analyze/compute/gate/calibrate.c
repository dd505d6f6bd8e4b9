/*
 * Of each number its spread, what that makes of each limit, and of each rule the noisiest
 * number. README.md, "Gate".
 */
#include "compute/gate/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/text.h"
#include "compute/gate/gate_limit.h"
#include "compute/gate/gate_rows.h"
#include "compute/numbers/distribution.h"
#include "compute/numbers/rank.h"

#define DIGITS 4 /* of a number that people are to write into a rule */

/* The known values of the repeats. */
struct repeats {
	double *x; /* [n] owned */
	size_t n;
	double mean, deviation; /* NAN: none, fewer than two */
};

static struct repeats repeats_of(
	const struct comparison *comparison, const struct comparison_row *row)
{
	struct repeats r = {xcalloc(comparison->run_count + 1, sizeof *r.x), 0, 0, 0};

	for (size_t i = 0; i < comparison->run_count; i++)
		if (!isnan(row->value[i]))
			r.x[r.n++] = row->value[i];
	/* From one of them on, so that the mean of equal values is that value. */
	for (size_t i = 0; i < r.n; i++)
		r.mean += (r.x[i] - r.x[0]) / (double)r.n;
	r.mean += r.n ? r.x[0] : 0;
	for (size_t i = 0; i < r.n; i++)
		r.deviation += (r.x[i] - r.mean) * (r.x[i] - r.mean);
	r.deviation = r.n > 1 ? sqrt(r.deviation / (double)(r.n - 1)) : NAN;
	r.mean = r.n ? r.mean : NAN;
	return r;
}

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
	const struct repeats *repeats)
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
static bool find_tight(struct calibration_result *result, const struct repeats *repeats)
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
	const struct repeats *repeats)
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

static void say_why(struct calibration_result *result, const struct repeats *repeats)
{
	struct strbuf sb;

	strbuf_init(&sb);
	switch (result->outcome) {
	case CALIBRATION_LEARNT:
		say_noise(&sb, result);
		break;
	case CALIBRATION_TIGHT:
		say_tight(&sb, result, repeats);
		break;
	case CALIBRATION_TOO_FEW:
		strbuf_addf(&sb, "%zu repeat%s ha%s it; expected %d or more", result->n,
			result->n == 1 ? "" : "s", result->n == 1 ? "s" : "ve",
			CALIBRATION_RUNS);
		break;
	case CALIBRATION_ABSENT:
		strbuf_adds(&sb,
			"no repeat has it; expected a number that the "
			"recordings hold");
		break;
	}
	result->why = strbuf_detach(&sb);
}

/* In 95 % the difference of two runs is no more, if they are normal and independent. */
static void learn(struct calibration_result *result, const struct repeats *repeats)
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
	struct repeats repeats = {0};

	ALLOC_GROW(out->result, out->count + 1, out->cap);
	result = &out->result[out->count++];
	*result = (struct calibration_result){.rule = rule,
		.row = row,
		.outcome = CALIBRATION_ABSENT,
		.median = NAN,
		.deviation = NAN,
		.noise = NAN,
		.limit = GATE_LIMITS,
		.least = NAN};
	if (row) {
		repeats = repeats_of(out->comparison, row);
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
