/* Walks over the rows of a comparison for a gate. */
#include "compute/gate/gate_rows.h"

#include <math.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate.h"

/* The same but for the kind of log, which may be another? */
static bool gate_same_but_log(const struct measure *a, const struct measure *b)
{
	struct measure x = *a, y = *b;

	x.source = y.source = NULL;
	return measure_same(&x, &y);
}

static bool is_first(
	const struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	for (size_t i = 0; i < nth && !rule->source; i++)
		if (gate_same_but_log(
			    &comparison->row[i].measure, &comparison->row[nth].measure))
			return false;
	return true;
}

/*
 * Is a row of what the rule names instead, and another one the rule's, of the same
 * device (phase, units of work)?
 */
static bool gate_row_stands_in(const struct comparison *comparison,
	const struct gate_rule *rule, size_t nth, size_t other)
{
	const struct measure *a = &comparison->row[nth].measure;
	const struct measure *b = &comparison->row[other].measure;

	return rule->instead && gate_rule_wants(rule->instead, a) &&
		gate_rule_wants(rule, b) && text_equal(a->device, b->device) &&
		text_equal(a->phase, b->phase) && text_equal(a->work, b->work);
}

/* Is it of what the rule names instead, where the number itself has no row? */
static bool is_instead(
	const struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	if (!rule->instead ||
		!gate_rule_wants(rule->instead, &comparison->row[nth].measure))
		return false;
	for (size_t i = 0; i < comparison->row_count; i++)
		if (gate_row_stands_in(comparison, rule, nth, i))
			return false;
	return true;
}

const struct comparison_row *gate_next_row(
	const struct comparison *comparison, const struct gate_rule *rule, size_t *at)
{
	while (*at < comparison->row_count) {
		size_t nth = (*at)++;

		if ((gate_rule_wants(rule, &comparison->row[nth].measure) ||
			    is_instead(comparison, rule, nth)) &&
			is_first(comparison, rule, nth))
			return &comparison->row[nth];
	}
	return NULL;
}

/* Limits in the unit of their number. */

/*
 * 95 against 100 keeps 5 %, and so does 0.315 against 0.3, whose difference is
 * 0.015000000000000013: what is smaller than this part of the values is rounding.
 */
#define ROUNDING 1e-12

bool gate_limit_is_upper(enum gate_limit limit)
{
	return limit == GATE_AT_MOST || limit == GATE_MAX_INCREASE ||
		limit == GATE_MAX_INCREASE_PCT;
}

bool gate_limit_is_percentage(enum gate_limit limit)
{
	return limit == GATE_MAX_INCREASE_PCT || limit == GATE_MAX_DECREASE_PCT;
}

double gate_allowed(const struct gate_rule *rule, enum gate_limit limit, double base)
{
	double allowed = rule->limit[limit];

	if (isnan(allowed) || !gate_limit_is_change(limit))
		return NAN;
	if (gate_limit_is_percentage(limit)) {
		if (base == 0)
			return NAN;
		allowed *= fabs(base) / 100;
	}
	return fmax(allowed, rule->min_abs);
}

double gate_beyond(
	const struct gate_rule *rule, enum gate_limit limit, double base, double value)
{
	double sign = gate_limit_is_upper(limit) ? 1 : -1, far;

	if (!gate_limit_is_change(limit))
		return sign * (value - rule->limit[limit]);
	far = sign * (value - base) - gate_allowed(rule, limit, base);
	return fabs(far) <= ROUNDING * (fabs(value) + fabs(base)) ? 0 : far;
}

/* GPUs and logs for which a rule has no value. */

static const struct compared_gpu *find_gpu(
	const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->gpu_count && name; i++)
		if (strcmp(comparison->gpu[i].name, name) == 0)
			return &comparison->gpu[i];
	return NULL;
}

bool gate_has_no_value(
	const struct comparison *comparison, const struct comparison_row *row)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (!isnan(row->value[i]) || comparison_doubt(row, i))
			return false;
	return true;
}

/* Has a run that is judged a number of a row, and another GPU of which it may be, too? */
static bool is_expected(const struct comparison *comparison,
	const struct comparison_row *row, const struct compared_gpu *gpu)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side != SIDE_BASE && gpu->has[i] &&
			!isnan(row->value[i]))
			return true;
	return false;
}

/* Without any value. */
static struct comparison_row *add_row(
	struct comparison *comparison, const struct measure *measure)
{
	size_t runs = comparison->run_count;
	struct comparison_row *row;

	row = &ALLOC_NEXT(comparison->row, comparison->row_count, comparison->row_cap);
	*row = (struct comparison_row){.measure = measure_copy(measure),
		.value = xcalloc(runs, sizeof *row->value),
		.covered = xcalloc(runs, sizeof *row->covered),
		.best = SIZE_MAX};
	for (size_t i = 0; i < runs; i++)
		row->value[i] = row->covered[i].coverage = NAN;
	return row;
}

static bool is_of(const struct gate_rule *rule, const struct measure *measure)
{
	return gate_rule_wants(rule, measure) ||
		(rule->instead && gate_rule_wants(rule->instead, measure));
}

/* Has the rule a row of that GPU in that phase, whichever log or name it is from? */
static bool has_row_of(const struct comparison *comparison, const struct gate_rule *rule,
	const struct measure *measure)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct measure *other = &comparison->row[i].measure;

		if (text_equal(other->device, measure->device) &&
			text_equal(other->phase, measure->phase) && is_of(rule, other))
			return true;
	}
	return false;
}

/* Beside the nth row, one of each GPU that has none. */
static void add_other_gpus(
	struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct compared_gpu *gpu = &comparison->gpu[i];
		struct measure measure = comparison->row[nth].measure;

		measure.device = gpu->name;
		if (is_of(rule, &measure) && !has_row_of(comparison, rule, &measure) &&
			is_expected(comparison, &comparison->row[nth], gpu))
			contrast_row(add_row(comparison, &measure), comparison->run,
				comparison->run_count);
	}
}

/*
 * A bound is of each GPU that its rule is of: adds a row without any value for a GPU
 * that counts in a run that is judged, and of which no run has the number that the run
 * has of another GPU.
 */
static void gate_add_missing(struct comparison *comparison, const struct gate_rule *rule)
{
	size_t rows = comparison->row_count;

	for (size_t at = 0; gate_rule_bounds(rule) && at < rows;) {
		const struct comparison_row *row = gate_next_row(comparison, rule, &at);

		if (row && at <= rows && find_gpu(comparison, row->measure.device))
			add_other_gpus(comparison, rule, at - 1);
	}
}

/* How many GPUs count in a run. */
static size_t gate_count_gpus(const struct comparison *comparison, size_t run)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->gpu_count; i++)
		count += comparison->gpu[i].has[run];
	return count;
}

/*
 * Has a new run that lacks a row's number other GPUs instead of the row's, no fewer than
 * any run that has it? Of a rule that names the GPU itself, never.
 */
static bool has_other_gpus(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run)
{
	const struct compared_gpu *gpu = find_gpu(comparison, row->measure.device);
	size_t gpus = gate_count_gpus(comparison, run);

	if (!gpu || gpu->has[run] ||
		(rule->device && strcmp(rule->device, gpu->name) == 0))
		return false;
	for (size_t i = 0; i < comparison->run_count; i++)
		if (!isnan(row->value[i]) && gpus < gate_count_gpus(comparison, i))
			return false;
	return gpus > 0;
}

const struct comparison_row *gate_other_log(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run)
{
	for (size_t i = 0; i < comparison->row_count && !rule->source; i++) {
		const struct comparison_row *other = &comparison->row[i];

		if (other != row && !isnan(other->value[run]) &&
			gate_same_but_log(&other->measure, &row->measure))
			return other;
	}
	return NULL;
}

/* What a run has from another log breaks a bound, or the whole base has it, too, and what
 * is compared is gone. */
static bool is_no_substitute(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *other, size_t run)
{
	size_t bases = comparison->on_side[SIDE_BASE];

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (!gate_limit_is_change(limit) &&
			gate_beyond(rule, limit, NAN, other->value[run]) > 0)
			return true;
	return bases && other->side[SIDE_BASE].n == bases;
}

bool gate_is_elsewhere(const struct comparison *comparison, const struct gate_rule *rule,
	const struct comparison_row *row)
{
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct comparison_row *other;

		if (comparison->run[i].side != SIDE_NEW || !isnan(row->value[i]))
			continue;
		any = true;
		other = gate_other_log(comparison, rule, row, i);
		if (other ? is_no_substitute(comparison, rule, other, i)
			  : !has_other_gpus(comparison, rule, row, i))
			return false;
	}
	return any;
}

/* Rows of a rule that no run has, and values under another name. */

static bool is_in(const struct comparison *comparison, const struct measure *measure)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (measure_same(&comparison->row[i].measure, measure))
			return true;
	return false;
}

/* The runs that have any state of the metric were not in this one. */
static void states_add_row(struct comparison *comparison, const struct measure *measure)
{
	struct comparison_row *row = add_row(comparison, measure);

	for (size_t i = 0; i + 1 < comparison->row_count; i++) {
		struct measure other = comparison->row[i].measure;

		if (!other.state)
			continue;
		other.state = measure->state;
		for (size_t k = 0;
			k < comparison->run_count && measure_same(&other, measure); k++)
			if (!isnan(comparison->row[i].value[k])) {
				row->value[k] = 0;
				if (comparison->row[i].covered)
					row->covered[k] = comparison->row[i].covered[k];
			}
	}
	contrast_row(row, comparison->run, comparison->run_count);
}

static void add_states(struct comparison *comparison, const struct gate_rule *rule)
{
	size_t rows = comparison->row_count;

	for (size_t k = 0; k < rows && rule->state; k++) {
		struct measure measure = comparison->row[k].measure;

		if (!gate_rule_reads(rule, &measure))
			continue;
		measure.state = rule->state;
		if (!is_in(comparison, &measure))
			states_add_row(comparison, &measure);
	}
}

/* The values that a row lacks, of another one. */
static void fill(struct comparison *comparison, size_t to, size_t from)
{
	struct comparison_row *row = &comparison->row[to];
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		double value = comparison->row[from].value[i];

		if (!isnan(row->value[i]) || isnan(value))
			continue;
		row->value[i] = value;
		if (row->covered && comparison->row[from].covered)
			row->covered[i] = comparison->row[from].covered[i];
		any = true;
	}
	if (any)
		contrast_row(row, comparison->run, comparison->run_count);
}

static void fill_rows(struct comparison *comparison, const struct gate_rule *rule)
{
	for (size_t to = 0; to < comparison->row_count; to++)
		for (size_t from = 0; from < comparison->row_count; from++)
			if (gate_row_stands_in(comparison, rule, from, to))
				fill(comparison, to, from);
}

void gate_complete(struct comparison *comparison, const struct gate_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		for (const struct gate_rule *rule = &rules->rule[i]; rule;
			rule = rule->instead)
			add_states(comparison, rule);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->rule[i].instead)
			fill_rows(comparison, &rules->rule[i]);
	for (size_t i = 0; i < rules->count; i++)
		gate_add_missing(comparison, &rules->rule[i]);
}

/* Incidents: lost GPUs, failed, crashed and truncated runs, vanished logs. */

static void add(struct gate *gate, enum gate_incident_kind kind, const char *subject,
	const char *why, const char *how)
{
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "%s%s", why, how);
	ALLOC_NEXT(gate->incident, gate->incident_count, gate->incident_cap) =
		(struct gate_incident){kind, xstrdup(subject), strbuf_detach(&text)};
}

/* Whom a new run is held against. */
enum others {
	OTHERS_BASE,
	OTHERS_NEW /* the other new runs */
};

static bool is_other(
	const struct comparison *comparison, size_t run, enum others others, size_t other)
{
	enum side side = others == OTHERS_BASE ? SIDE_BASE : SIDE_NEW;

	return other != run && comparison->run[other].side == side;
}

/*
 * Have all others a GPU that a new run lacks, which has fewer than any of them? As many
 * of other names, as a scheduler gives them, stand for those. Of the new side two others
 * say what is usual, and where there is no base nothing does: runs that only keep bounds
 * may differ in their GPUs.
 */
static bool has_lost(const struct comparison *comparison, const struct compared_gpu *gpu,
	size_t run, enum others others)
{
	size_t count = 0, least = SIZE_MAX;

	if (comparison->run[run].side != SIDE_NEW || gpu->has[run])
		return false;
	for (size_t i = 0; i < comparison->run_count; i++) {
		size_t gpus = gate_count_gpus(comparison, i);

		if (!is_other(comparison, run, others, i))
			continue;
		if (!gpu->has[i])
			return false;
		least = gpus < least ? gpus : least;
		count++;
	}
	return comparison->on_side[SIDE_BASE] &&
		count >= (others == OTHERS_NEW ? 2 : 1) &&
		gate_count_gpus(comparison, run) < least;
}

#define NAMES_MOST 4 /* of runs */

/* The new runs that lost a GPU in one sentence. */
static void find_lost(
	struct gate *gate, const struct compared_gpu *gpu, enum others others)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!has_lost(comparison, gpu, i, others) ||
			(others == OTHERS_NEW &&
				has_lost(comparison, gpu, i, OTHERS_BASE)) ||
			!name_list_next(&names))
			continue;
		strbuf_adds(&names.text, comparison->run[i].name);
	}
	name_list_end(&names);
	strbuf_adds(&names.text,
		others == OTHERS_BASE ? ": in every run of the base"
				      : ": in every other new run");
	if (names.count && names.count == comparison->on_side[SIDE_NEW])
		add(gate, GATE_DEVICE_VANISHED, gpu->name,
			"vanished: in every run of the base, and in no new one", "");
	else if (names.count)
		add(gate, GATE_DEVICE_VANISHED, gpu->name, "vanished from ",
			names.text.text);
	name_list_release(&names);
}

/* Was a GPU lost in every run of the base that had it? Then that is how it is. */
static bool is_ever_lost(
	const struct comparison *comparison, const struct compared_gpu *gpu)
{
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (comparison->run[i].side != SIDE_BASE || !gpu->has[i])
			continue;
		if (!gpu->lost[i])
			return false;
		any = true;
	}
	return any;
}

/* The new runs in which a GPU fell silent, in one sentence. */
static void find_silent(struct gate *gate, const struct compared_gpu *gpu)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == SIDE_NEW && gpu->lost[i] &&
			name_list_next(&names))
			strbuf_adds(&names.text, comparison->run[i].name);
	name_list_end(&names);
	if (names.count && !is_ever_lost(comparison, gpu))
		add(gate, GATE_DEVICE_LOST, gpu->name,
			"fell silent before its log ended, in ", names.text.text);
	name_list_release(&names);
}

static void find_vanished(struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < comparison->gpu_count; i++)
		for (enum others others = 0; others <= OTHERS_NEW; others++)
			find_lost(gate, &comparison->gpu[i], others);
	for (size_t i = 0; i < comparison->gpu_count; i++)
		find_silent(gate, &comparison->gpu[i]);
}

/* New runs whose numbers can't stand for their work, by how that is. */
static void find_undone(struct gate *gate, enum gate_incident_kind kind,
	enum run_outcome_kind outcome, const char *why)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < comparison->run_count && !gate->rules->judges_failed; i++)
		if (comparison->run[i].side == SIDE_NEW &&
			comparison->run[i].outcome.kind == outcome)
			add(gate, kind, comparison->run[i].name, why,
				comparison->run[i].outcome.how);
}

void gate_find_incidents(
	struct gate *gate, const struct lost_run *lost, size_t lost_count)
{
	for (size_t i = 0; i < lost_count; i++)
		add(gate, GATE_RUN_LOST, lost[i].name,
			"could not be used: ", lost[i].why);
	find_undone(gate, GATE_RUN_FAILED, RUN_FAILED, "failed: ");
	find_undone(gate, GATE_RUN_CUT_OFF, RUN_CUT_OFF, "cut off: ");
	find_vanished(gate);
}
