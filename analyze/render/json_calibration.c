/*
 * A calibration as JSON, described by calibration.schema.json, and its rules as a file of
 * rules, described by rules.schema.json. Computes nothing.
 */
#include <math.h>

#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_measure.h"
#include "render/json_run.h"

static void add_result(struct json_writer *w, const struct calibration_result *result)
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

int json_calibrate(const struct calibration *calibration,
	const struct render_options *opt, FILE *out, struct error *err)
{
	const struct comparison *comparison = calibration->comparison;
	const struct gate_rules *rules = calibration->rules;
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_string(&w, "rules", rules->file);
	json_string(&w, "outcome", calibration->refused ? "refused" : "done");
	json_side_runs(&w, "repeats", comparison, SIDES);
	json_run_selection(&w, &comparison->filter);
	json_array(&w, "learnt");
	for (size_t i = 0; i < rules->count; i++) {
		if (!gate_rule_compares(&rules->rule[i]))
			continue;
		json_object(&w, NULL);
		json_string(&w, "rule", rules->rule[i].name);
		json_number(&w, "min_abs", calibration->min_abs[i]);
		json_close(&w);
	}
	json_close(&w);
	json_differs(&w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(&w, "results");
	for (size_t i = 0; i < calibration->count; i++)
		add_result(&w, &calibration->result[i]);
	json_close(&w);
	json_remarks(&w, comparison);
	return json_document_end(&w, err);
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
		json_string(w, "severity", "warn");
	json_close(w);
}

int rules_calibrate(const struct calibration *calibration,
	const struct render_options *opt, FILE *out, struct error *err)
{
	const struct gate_rules *rules = calibration->rules;
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_PRETTY);
	json_object(&w, NULL);
	json_string(&w, "format_version", RENDER_FORMAT_VERSION);
	if (rules->judges_failed)
		json_string(&w, "failed_runs", "judge");
	if (rules->judges_other_work)
		json_string(&w, "other_work", "judge");
	json_array(&w, "rules");
	for (size_t i = 0; i < rules->count; i++)
		add_rule(&w, &rules->rule[i], calibration->min_abs[i]);
	json_close(&w);
	json_close(&w);
	json_finish(&w);
	return render_check(out, "rules", err);
}
