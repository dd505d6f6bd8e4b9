/* Keys in their order. */
#include "render/json_measure.h"

#include <math.h>

void json_measure(struct json_writer *w, const struct measure *measure)
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

void json_rule(struct json_writer *w, const struct gate_rule *rule,
	const struct comparison_row *row)
{
	static const char *const keys[] = {"statistic", "state", "phase", "work",
		"device", "source", "unit", "better"};
	struct strbuf text;

	strbuf_init(&text);
	gate_rule_sentence(&text, rule);
	json_string(w, "rule", rule->name);
	json_string(w, "asks", text.text);
	json_string(w, "severity", rule->warn ? "warn" : "fail");
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

void json_limit(
	struct json_writer *w, const struct gate_rule *rule, enum gate_limit limit)
{
	json_string(w, "limit", limit == GATE_LIMITS ? NULL : gate_limit_name(limit));
	json_number(w, "limit_value", limit == GATE_LIMITS ? NAN : rule->limit[limit]);
}

void json_side(struct json_writer *w, const char *key, const struct compared_side *side)
{
	json_object(w, key);
	json_count(w, "n", side->n);
	json_number(w, "mean", side->mean);
	json_number(w, "median", side->median);
	json_number(w, "low", side->low);
	json_number(w, "high", side->high);
	json_close(w);
}

void json_side_runs(struct json_writer *w, const char *key,
	const struct comparison *comparison, enum side side)
{
	json_array(w, key);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == side)
			json_string(w, NULL, comparison->run[i].name);
	json_close(w);
}

void json_runs_needed(struct json_writer *w, uint64_t runs)
{
	if (runs)
		json_count(w, "runs_needed", runs);
	else
		json_null(w, "runs_needed");
}

void json_differs(struct json_writer *w, const struct difference *difference,
	size_t count, size_t runs)
{
	json_array(w, "differs");
	for (size_t i = 0; i < count; i++, difference++) {
		json_object(w, NULL);
		json_string(w, "what", difference->what);
		json_array(w, "said");
		for (size_t k = 0; k < runs; k++)
			json_string(w, NULL, difference->said[k]);
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

void json_fate(struct json_writer *w, const struct fate *fate)
{
	json_string(w, "failed", fate->kind == FATE_FAILED ? fate->how : NULL);
	json_string(w, "cut_off", fate->kind == FATE_CUT_OFF ? fate->how : NULL);
}

void json_remarks(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "remarks");
	for (size_t i = 0; i < comparison->remark_count; i++)
		json_string(w, NULL, comparison->remark[i]);
	json_close(w);
}
