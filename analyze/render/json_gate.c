/* A gate as JSON, described by gate.schema.json. Judges nothing. */
#include <math.h>

#include "render/formats.h"
#include "render/json_writer.h"

static void add_result(
	struct json_writer *w, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	const struct gate_rule *rule = result->rule;
	struct strbuf text;

	strbuf_init(&text);
	gate_rule_sentence(&text, rule);
	json_object(w, NULL);
	json_string(w, "rule", rule->name);
	json_string(w, "asks", text.text);
	json_string(w, "severity", rule->warn ? "warn" : "fail");
	json_string(w, "outcome", gate_outcome_name(result->outcome));
	json_string(w, "why", result->why);
	json_string(w, "key", rule->metric);
	json_string(w, "statistic", row ? row->measure.statistic : NULL);
	json_string(w, "state", row ? row->measure.state : NULL);
	json_string(w, "phase", row ? row->measure.phase : NULL);
	json_string(w, "work", row ? row->measure.work : NULL);
	json_string(w, "device", row ? row->measure.device : NULL);
	json_string(w, "source", row ? row->measure.source : NULL);
	json_string(w, "unit", row ? row->measure.unit : NULL);
	json_number(w, "base", row ? row->side[SIDE_BASE].median : NAN);
	json_number(w, "new", row ? row->side[SIDE_NEW].median : NAN);
	json_number(w, "difference", row ? row->difference : NAN);
	json_string(w, "broken",
		result->limit < GATE_LIMITS ? gate_limit_name(result->limit) : NULL);
	json_number(w, "limit",
		result->limit < GATE_LIMITS ? rule->limit[result->limit] : NAN);
	json_string(w, "run",
		result->run < gate->comparison->run_count
			? gate->comparison->run[result->run].name
			: NULL);
	json_number(w, "p", result->p);
	json_number(w, "detectable", result->detectable);
	if (result->runs_needed)
		json_count(w, "runs_needed", result->runs_needed);
	else
		json_null(w, "runs_needed");
	json_close(w);
	strbuf_release(&text);
}

int json_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_PRETTY);
	json_object(&w, NULL);
	json_string(&w, "format_version", RENDER_FORMAT_VERSION);
	json_string(&w, "generator", "hwsummarize " VERSION);
	json_string(&w, "rules", gate->rules->file);
	json_string(&w, "outcome", gate_outcome_name(gate->outcome));
	json_count(&w, "base_runs", gate->comparison->on_side[SIDE_BASE]);
	json_count(&w, "new_runs", gate->comparison->on_side[SIDE_NEW]);
	json_array(&w, "lost_runs");
	for (size_t i = 0; i < gate->lost_count; i++)
		json_string(&w, NULL, gate->lost[i]);
	json_close(&w);
	json_count(&w, "tests", gate->tests);
	json_array(&w, "results");
	for (size_t i = 0; i < gate->count; i++)
		add_result(&w, gate, &gate->result[i]);
	json_close(&w);
	json_close(&w);
	json_finish(&w);
	return render_check(out, "json", err);
}
