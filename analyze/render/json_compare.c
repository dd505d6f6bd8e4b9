/*
 * Comparisons, trends, gates, calibrations and self-tests as JSON. Computes and judges
 * nothing.
 */
#include <math.h>

#include "render/formats.h"
#include "render/json.h"

static const char *const side_name[] = {"base", "new", NULL};

static const char *name_of(const struct comparison *comparison, size_t run)
{
	return run < comparison->run_count ? comparison->run[run].name : NULL;
}

/* "part", "key" ... "better" */
static void json_measure(struct json_writer *w, const struct measure *measure)
{
	json_string(w, "part", measure_part_name(measure->part));
	json_string(w, "key", measure->key);
	json_string(w, "statistic", measure->statistic);
	json_string(w, "state", measure->state);
	json_string(w, "phase", measure->phase);
	json_string(w, "work", measure->work);
	json_string(w, "device", measure->device);
	json_string(w, "source", measure->source);
	json_string(w, "unit", measure->unit);
	json_string(w, "better", direction_name(measure->better));
}

/*
 * "rule", "asks", "severity", and the measure of the number; where there is none (NULL),
 * null but for the key.
 */
static void json_rule(struct json_writer *w, const struct gate_rule *rule,
	const struct comparison_row *row)
{
	static const char *const keys[] = {"statistic", "state", "phase", "work",
		"device", "source", "unit", "better"};
	struct strbuf text = strbuf_new();

	gate_rule_sentence(&text, rule);
	json_string(w, "rule", rule->name);
	json_string(w, "asks", text.text);
	json_string(w, "severity", rule->warn ? "warning" : "fail");
	strbuf_release(&text);
	if (row) {
		json_measure(w, &row->measure);
		return;
	}
	json_null(w, "part");
	json_string(w, "key", rule->metric);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_null(w, keys[i]);
}

static void json_limit(
	struct json_writer *w, const struct gate_rule *rule, enum gate_limit limit)
{
	json_string(w, "limit", limit == GATE_LIMITS ? NULL : gate_limit_name(limit));
	json_number(w, "limit_value", limit == GATE_LIMITS ? NAN : rule->limit[limit]);
}

static void json_side(
	struct json_writer *w, const char *key, const struct compared_side *side)
{
	json_object(w, key);
	json_count(w, "n", side->n);
	json_number(w, "mean", side->mean);
	json_number(w, "median", side->median);
	json_number(w, "low", side->low);
	json_number(w, "high", side->high);
	json_close(w);
}

/* The names of the runs of one side; SIDES: of those on none. */
static void json_side_runs(struct json_writer *w, const char *key,
	const struct comparison *comparison, enum side side)
{
	json_array(w, key);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == side)
			json_string(w, NULL, comparison->run[i].name);
	json_close(w);
}

/* What of the runs' circumstances differs, as each run says it. */
static void json_differs(struct json_writer *w, const struct difference *difference,
	size_t count, size_t runs)
{
	json_array(w, "differs");
	for (size_t i = 0; i < count; i++, difference++) {
		json_object(w, NULL);
		json_string(w, "what", difference->what);
		json_texts(w, "said", (const char *const *)difference->said, runs);
		json_close(w);
	}
	json_close(w);
}

static void json_outcome(struct json_writer *w, const struct run_outcome *outcome)
{
	json_string(w, "failed", outcome->kind == RUN_FAILED ? outcome->how : NULL);
	json_string(w, "cut_off", outcome->kind == RUN_CUT_OFF ? outcome->how : NULL);
}

static void add_work(struct json_writer *w, const struct comparison *comparison)
{
	if (!json_object_if(w, "work", comparison->work))
		return;
	json_string(w, "name", comparison->work);
	json_bool(w, "differs", comparison->work_differs);
	json_array(w, "units");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, comparison->run[i].units);
	json_close(w);
	json_close(w);
}

static void add_runs(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "runs");
	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compared_run *run = &comparison->run[i];
		const char grade[] = {run->grade, '\0'};

		json_object(w, NULL);
		json_string(w, "name", run->name);
		json_string(w, "run", run->key);
		json_string(w, "side", side_name[run->side]);
		json_number(w, "duration_s", run->duration_s);
		json_string(w, "grade", *grade ? grade : NULL);
		json_bool(w, "ranked", !run->unranked);
		json_outcome(w, &run->outcome);
		json_count(w, "best_in", run->best_in);
		json_number(w, "score", comparison->weights.count ? run->score : NAN);
		json_close(w);
	}
	json_close(w);
	add_work(w, comparison);
	json_string(w, "winner", name_of(comparison, comparison->winner));
	json_run_selection(w, &comparison->filter);
}

static void add_contrast(struct json_writer *w, const struct comparison *comparison,
	const struct comparison_row *row)
{
	for (enum side side = 0; side < SIDES; side++)
		if (comparison->on_side[side])
			json_side(w, side_name[side], &row->side[side]);
		else
			json_null(w, side_name[side]);
	json_number(w, "difference", row->difference);
	json_number(w, "ratio", row->ratio);
	json_string(w, "change", change_name(row->change));
	if (json_object_if(w, "per_unit", row->change == CHANGE_OTHER_WORK)) {
		for (enum side side = 0; side < SIDES; side++)
			json_number(w, side_name[side], row->per_unit[side]);
		json_close(w);
	}
	json_string(w, "method", compared_by_name(row->by));
	if (row->by == COMPARED_BY_RANKS || row->by == COMPARED_BY_PAIRS)
		json_bool(w, "exact", row->exact);
	else
		json_null(w, "exact");
	json_count_if(w, "pairs", row->by == COMPARED_BY_PAIRS ? row->pairs : 0);
	json_number(w, "p", row->p);
	json_number(w, "p_together", row->p_together);
	json_number(w, "shift", row->shift);
	json_number(w, "shift_low", row->shift_low);
	json_number(w, "shift_high", row->shift_high);
	json_number(w, "expected_low", row->expected_low);
	json_number(w, "expected_high", row->expected_high);
	json_number(w, "detectable", row->detectable);
	json_count_if(w, "runs_needed", row->runs_needed);
}

/* What every run has of a row; how far from the best it is matters in a table of runs. */
static void add_values(struct json_writer *w, const struct comparison *comparison,
	const struct comparison_row *row)
{
	json_array(w, "values");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, row->value[i]);
	json_close(w);
	json_array(w, "coverage");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, row->covered ? row->covered[i].coverage : NAN);
	json_close(w);
	json_string(w, "best", name_of(comparison, row->best));
	if (comparison_has_sides(comparison)) {
		json_null(w, "factors");
		json_null(w, "from_best_pct");
		json_null(w, "ranks");
		return;
	}
	json_array(w, "factors");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, comparison_factor(comparison, row, i));
	json_close(w);
	json_array(w, "from_best_pct");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, comparison_from_best(comparison, row, i));
	json_close(w);
	json_array(w, "ranks");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_count_if(w, NULL, comparison_rank(comparison, row, i));
	json_close(w);
}

static void add_rows(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "rows");
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		json_object(w, NULL);
		json_measure(w, &row->measure);
		add_values(w, comparison, row);
		add_contrast(w, comparison, row);
		json_close(w);
	}
	json_close(w);
}

static void add_tests(struct json_writer *w, const struct comparison *comparison)
{
	json_object(w, "tests");
	json_count(w, "rows", comparison->tests);
	json_number(w, "level", comparison->level);
	json_number(w, "least_p", comparison->least_p);
	json_count(w, "runs_least", comparison->runs_least);
	json_count(w, "history_least", comparison->history_least);
	json_close(w);
}

static void add_ratios(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "geometric_means");
	for (enum direction better = 0; better < BETTER_NEITHER; better++) {
		const struct mean_ratio *mean = &comparison->ratio[better];

		if (!mean->rows)
			continue;
		json_object(w, NULL);
		json_string(w, "better", direction_name(better));
		json_number(w, "ratio", mean->ratio);
		json_count(w, "rows", mean->rows);
		json_close(w);
	}
	json_close(w);
}

static void add_waterfall(struct json_writer *w, const struct waterfall *waterfall)
{
	json_object(w, NULL);
	json_string(w, "key", waterfall->key);
	json_string(w, "unit", waterfall->unit);
	json_string(w, "per", waterfall->per);
	json_number(w, "base", waterfall->base);
	json_number(w, "new", waterfall->new);
	json_number(w, "difference", waterfall->difference);
	json_array(w, "steps");
	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		json_object(w, NULL);
		json_string(w, "phase", step->phase);
		json_number(w, "base", step->base);
		json_number(w, "new", step->new);
		json_number(w, "difference", step->difference);
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

static void add_problems(
	struct json_writer *w, const struct comparison *comparison, enum side side)
{
	enum change change = side == SIDE_NEW ? CHANGE_NEW : CHANGE_GONE;

	json_array(w, change_name(change));
	for (size_t i = 0; i < comparison->problem_count; i++) {
		const struct compared_problem *problem = &comparison->problem[i];
		size_t known, runs;

		if (comparison_problem_change(comparison, problem) != change)
			continue;
		runs = comparison_with_problem(comparison, problem, side, &known);
		json_object(w, NULL);
		json_string(w, "rule", problem->rule);
		json_string(w, "title", problem->title);
		json_string(w, "severity", severity_name(problem->severity));
		json_string(w, "device", problem->device);
		json_count(w, "runs", runs);
		json_count(w, "runs_checked", known);
		json_close(w);
	}
	json_close(w);
}

static void add_comparison(struct json_writer *w, const struct comparison *comparison)
{
	add_runs(w, comparison);
	json_differs(w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_object(w, "problems");
	add_problems(w, comparison, SIDE_NEW);
	add_problems(w, comparison, SIDE_BASE);
	json_close(w);
	add_tests(w, comparison);
	add_ratios(w, comparison);
	add_rows(w, comparison);
	json_array(w, "waterfalls");
	for (size_t i = 0; i < WATERFALLS; i++)
		if (comparison->waterfall[i].count)
			add_waterfall(w, &comparison->waterfall[i]);
	json_close(w);
	json_texts(w, "remarks", (const char *const *)comparison->remark,
		comparison->remark_count);
}

/* Trends: trend.schema.json. */

static void trend_add_runs(struct json_writer *w, const char *key,
	const struct trend_run *runs, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++) {
		const struct trend_run *run = &runs[i];

		json_object(w, NULL);
		json_string(w, "run", run->key);
		json_string(w, "path", run->path);
		json_time(w, "started_at", run->started_ns);
		json_object(w, "labels");
		for (size_t k = 0; k < run->labels.count; k++)
			json_string(w, run->labels.at[k].key, run->labels.at[k].value);
		json_close(w);
		json_outcome(w, &run->outcome);
		json_close(w);
	}
	json_close(w);
}

/* The names of what is not alike: trend_differs. */
static void add_differs(struct json_writer *w, const struct trends *trends,
	const struct trend *trend, size_t from, size_t at, size_t to)
{
	json_array(w, "differs");
	for (size_t i = 0; i < trends->difference_count; i++)
		if (trend_differs(trends, trend, &trends->difference[i], from, at, to))
			json_string(w, NULL, trends->difference[i].what);
	json_close(w);
}

static void add_points(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	json_array(w, "points");
	for (size_t i = 0; i < trends->point_count; i++) {
		const struct trend_point *point = &trends->point[i];
		const struct trend_value *value = &trend->value[i];

		json_object(w, NULL);
		json_string(w, "name", trend_point_name(trends, i));
		json_time(w, "started_at", trends->run[point->first].started_ns);
		json_count(w, "n", value->n);
		json_number(w, "median", value->median);
		json_number(w, "low", value->low);
		json_number(w, "high", value->high);
		json_array(w, "values");
		for (size_t k = 0; k < point->count; k++)
			json_number(w, NULL, trend->run[point->first + k]);
		json_close(w);
		json_array(w, "coverages");
		for (size_t k = 0; k < point->count; k++)
			json_number(w, NULL, trend->covered[point->first + k].coverage);
		json_close(w);
		json_array(w, "counts");
		for (size_t k = 0; k < point->count; k++)
			json_bool(w, NULL, trend_counts(trends, trend, point->first + k));
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

static void add_changes(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	json_array(w, "changes");
	for (size_t i = 0; i < trend->change_count; i++) {
		const struct trend_change *change = &trend->change[i];
		const struct trend_run *run =
			&trends->run[trends->point[change->point].first];

		json_object(w, NULL);
		json_string(w, "since", trend_point_name(trends, change->point));
		json_string(w, "run", run->key);
		json_time(w, "started_at", run->started_ns);
		json_string(w, "change", change_name(change->change));
		json_side(w, "before", &change->before);
		json_side(w, "after", &change->after);
		json_number(w, "difference", change->difference);
		json_number(w, "ratio", change->ratio);
		json_number(w, "p", change->p);
		json_number(w, "p_ranks", change->p_ranks);
		add_differs(w, trends, trend, change->from, change->point, change->to);
		json_close(w);
	}
	json_close(w);
}

static void add_drift(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	if (!json_object_if(w, "drift", trend->drifts))
		return;
	json_string(w, "change", change_name(trend->drift));
	json_number(w, "from", trend->drift_from);
	json_number(w, "to", trend->drift_to);
	add_differs(w, trends, trend, 0, trends->point_count, trends->point_count);
	json_close(w);
}

static void add_open(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	const struct trend_open *open = &trend->open;

	if (!json_object_if(w, "open", open->n))
		return;
	json_count(w, "n", open->n);
	json_string(w, "since", trend_point_name(trends, open->point));
	json_string(w, "change", change_name(open->change));
	json_number(w, "before", open->before);
	json_number(w, "after", open->after);
	json_count_if(w, "runs_needed", open->needed);
	add_differs(w, trends, trend, open->from, open->point, trends->point_count);
	json_close(w);
}

static void add_trends(struct json_writer *w, const struct trends *trends)
{
	json_string(w, "by", trends->by);
	json_count(w, "runs_least", trends->runs_least);
	trend_add_runs(w, "runs", trends->run, trends->run_count);
	trend_add_runs(w, "lost", trends->lost, trends->lost_count);
	json_differs(w, trends->difference, trends->difference_count, trends->run_count);
	json_array(w, "trends");
	for (size_t i = 0; i < trends->count; i++) {
		const struct trend *trend = &trends->at[i];

		json_object(w, NULL);
		json_measure(w, &trend->measure);
		json_count(w, "n", trend->known);
		json_bool(w, "tested", trend->tested);
		add_changes(w, trends, trend);
		add_drift(w, trends, trend);
		add_open(w, trends, trend);
		add_points(w, trends, trend);
		json_close(w);
	}
	json_close(w);
	json_texts(
		w, "remarks", (const char *const *)trends->remark, trends->remark_count);
}

/* A gate: gate.schema.json. */

/* The least that is covered of a value of a side. */
static double least_covered(const struct comparison *comparison,
	const struct comparison_row *row, enum side side)
{
	double least = NAN;

	for (size_t i = 0; row && row->covered && i < comparison->run_count; i++)
		if (comparison->run[i].side == side && !isnan(row->value[i]))
			least = fmin(least, row->covered[i].coverage);
	return least;
}

static void add_result(
	struct json_writer *w, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	const struct comparison *comparison = gate->comparison;

	json_object(w, NULL);
	json_rule(w, result->rule, row);
	json_string(w, "outcome", gate_outcome_name(result->outcome));
	json_string(w, "cause", gate_cause_name(result->cause));
	json_string(w, "why", result->why);
	json_number(w, "base", row ? row->side[SIDE_BASE].median : NAN);
	json_count(w, "base_n", row ? row->side[SIDE_BASE].n : 0);
	json_number(w, "base_coverage", least_covered(comparison, row, SIDE_BASE));
	json_number(w, "new", row ? row->side[SIDE_NEW].median : NAN);
	json_count(w, "new_n", row ? row->side[SIDE_NEW].n : 0);
	json_number(w, "new_coverage", least_covered(comparison, row, SIDE_NEW));
	json_number(w, "difference", row ? row->difference : NAN);
	json_limit(w, result->rule, result->limit);
	json_number(w, "allowed", result->allowed);
	json_string(w, "run",
		result->run < comparison->run_count ? comparison->run[result->run].name
						    : NULL);
	json_number(w, "run_value",
		result->run < comparison->run_count ? row->value[result->run] : NAN);
	json_string(w, "method", isnan(result->p) ? NULL : compared_by_name(row->by));
	json_count_if(w, "pairs", row && row->by == COMPARED_BY_PAIRS ? row->pairs : 0);
	json_number(w, "p", result->p);
	json_number(w, "detectable", result->detectable);
	json_count_if(w, "runs_needed", result->runs_needed);
	json_close(w);
}

static void add_incidents(struct json_writer *w, const struct gate *gate)
{
	json_array(w, "incidents");
	for (size_t i = 0; i < gate->incident_count; i++) {
		const struct gate_incident *incident = &gate->incident[i];
		struct strbuf why = strbuf_new();

		strbuf_addf(&why, "%s %s", gate_incident_noun(incident->kind, 1),
			incident->why);
		json_object(w, NULL);
		json_string(w, "id", gate_incident_id(incident->kind));
		json_string(w, "subject", incident->subject);
		json_string(w, "why", why.text);
		json_close(w);
		strbuf_release(&why);
	}
	json_close(w);
}

static void add_gate(struct json_writer *w, const struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	json_string(w, "rules", gate->rules->file);
	json_string(w, "outcome", gate_outcome_name(gate->outcome));
	json_side_runs(w, "base_runs", comparison, SIDE_BASE);
	json_side_runs(w, "new_runs", comparison, SIDE_NEW);
	json_run_selection(w, &comparison->filter);
	json_array(w, "lost_runs");
	for (size_t i = 0; i < gate->incident_count; i++)
		if (gate->incident[i].kind == GATE_RUN_LOST)
			json_string(w, NULL, gate->incident[i].subject);
	json_close(w);
	json_texts(w, "left_out_runs", (const char *const *)comparison->left_out,
		comparison->left_out_count);
	add_incidents(w, gate);
	json_number(w, "level", comparison->level);
	json_count(w, "tests", gate->tests);
	json_differs(w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(w, "results");
	for (size_t i = 0; i < gate->count; i++)
		add_result(w, gate, &gate->result[i]);
	json_close(w);
	json_texts(w, "remarks", (const char *const *)comparison->remark,
		comparison->remark_count);
}

/*
 * A calibration: calibration.schema.json; and its rules as a file: rules.schema.json.
 */

static void calibration_add_result(
	struct json_writer *w, const struct calibration_result *result)
{
	json_object(w, NULL);
	json_rule(w, result->rule, result->row);
	json_string(w, "outcome", calibration_outcome_name(result->outcome));
	json_string(w, "why", result->why);
	json_count(w, "n", result->n);
	json_number(w, "median", result->median);
	json_number(w, "stddev", result->deviation);
	json_number(w, "noise", result->noise);
	json_limit(w, result->rule, result->limit);
	json_number(w, "least", result->least);
	json_close(w);
}

static void add_calibration(struct json_writer *w, const struct calibration *calibration)
{
	const struct comparison *comparison = calibration->comparison;
	const struct gate_rules *rules = calibration->rules;

	json_string(w, "rules", rules->file);
	json_string(w, "outcome", calibration->refused ? "refused" : "done");
	json_side_runs(w, "repeats", comparison, SIDES);
	json_run_selection(w, &comparison->filter);
	json_array(w, "learnt");
	for (size_t i = 0; i < rules->count; i++) {
		if (!gate_rule_compares(&rules->rule[i]))
			continue;
		json_object(w, NULL);
		json_string(w, "rule", rules->rule[i].name);
		json_number(w, "min_abs", calibration->min_abs[i]);
		json_close(w);
	}
	json_close(w);
	json_differs(w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(w, "results");
	for (size_t i = 0; i < calibration->count; i++)
		calibration_add_result(w, &calibration->result[i]);
	json_close(w);
	json_texts(w, "remarks", (const char *const *)comparison->remark,
		comparison->remark_count);
}

static void add_text(struct json_writer *w, const char *key, const char *text)
{
	if (text)
		json_string(w, key, text);
}

static void add_number(struct json_writer *w, const struct gate_rule *rule)
{
	json_string(w, "metric", rule->metric);
	add_text(w, "statistic", rule->statistic);
	add_text(w, "state", rule->state);
}

static void add_rule(struct json_writer *w, const struct gate_rule *rule, double min_abs)
{
	json_object(w, NULL);
	json_string(w, "name", rule->name);
	add_number(w, rule);
	if (rule->instead) {
		json_object(w, "instead");
		add_number(w, rule->instead);
		json_close(w);
	}
	add_text(w, "device", rule->device);
	add_text(w, "phase", rule->phase);
	add_text(w, "work", rule->work);
	add_text(w, "source", rule->source);
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (!isnan(rule->limit[limit]))
			json_number(w, gate_limit_name(limit), rule->limit[limit]);
	if (gate_rule_compares(rule))
		json_number(w, "min_abs", min_abs);
	if (rule->exact)
		json_string(w, "assume", "exact");
	if (rule->warn)
		json_string(w, "severity", "warning");
	json_close(w);
}

int rules_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct calibration *calibration = result->calibration;
	const struct gate_rules *rules = calibration->rules;
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_PRETTY);
	json_object(&w, NULL);
	json_string(&w, "format_version", GATE_RULES_VERSION);
	if (rules->judges_failed)
		json_string(&w, "failed_runs", "judge");
	if (rules->judges_other_work)
		json_string(&w, "other_work", "judge");
	if (rules->skips_no_base)
		json_string(&w, "no_base", "skip");
	json_array(&w, "rules");
	for (size_t i = 0; i < rules->count; i++)
		add_rule(&w, &rules->rule[i], calibration->min_abs[i]);
	json_close(&w);
	json_close(&w);
	json_finish(&w);
	return render_check(out, "rules", err);
}

/* A self-test: selftest.schema.json. */

static void json_selftest_add_result(
	struct json_writer *w, const struct selftest_result *result)
{
	json_object(w, NULL);
	json_rule(w, result->rule, result->row);
	json_string(w, "injected", injection_name(result->injection));
	json_limit(w, result->rule, result->limit);
	json_number(w, "base", result->base);
	json_number(w, "new", result->new);
	json_string(w, "expected", gate_outcome_name(result->expected));
	json_string(w, "outcome", gate_outcome_name(result->outcome));
	json_bool(w, "proved", result->proved);
	json_string(w, "why", result->why);
	json_number(w, "p", result->p);
	json_count_if(w, "runs_needed", result->runs_needed);
	json_close(w);
}

static void add_selftest(struct json_writer *w, const struct selftest *selftest)
{
	const struct comparison *comparison = selftest->comparison;

	json_string(w, "rules", selftest->rules->file);
	json_string(w, "outcome", selftest->failed ? "failed" : "passed");
	json_side_runs(w, "base_runs", comparison, SIDES);
	json_run_selection(w, &comparison->filter);
	json_differs(w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(w, "results");
	for (size_t i = 0; i < selftest->count; i++)
		json_selftest_add_result(w, &selftest->result[i]);
	json_close(w);
	json_texts(w, "remarks", (const char *const *)comparison->remark,
		comparison->remark_count);
}

int json_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	switch (result->kind) {
	case RESULT_COMPARISON:
		add_comparison(&w, result->comparison);
		break;
	case RESULT_GATE:
		add_gate(&w, result->gate);
		break;
	case RESULT_CALIBRATION:
		add_calibration(&w, result->calibration);
		break;
	case RESULT_SELFTEST:
		add_selftest(&w, result->selftest);
		break;
	case RESULT_TRENDS:
		add_trends(&w, result->trends);
		break;
	case RESULT_KINDS:
		break;
	}
	return json_document_end(&w, err);
}
