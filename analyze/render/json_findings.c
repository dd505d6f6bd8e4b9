/*
 * What the rules found, as JSON: which rule, how it came to it, where. Walks the report;
 * computes nothing.
 */
#include "model/finding.h"
#include "render/json_run.h"

static void add_test(struct json_writer *w, const struct rule *rule,
	const struct value_test *test, const struct finding *finding)
{
	json_object(w, NULL);
	json_string(w, "value", rule->value[test->value].name);
	json_number(w, "is", finding->value[test->value]);
	json_string(w, "bound", bound_name(test->bound));
	json_number(w, "limit", test->limit);
	json_close(w);
}

/* Nothing of what can't be told: the reason says it; nor of phases. */
static void add_values(struct json_writer *w, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	bool known = finding->outcome != OUTCOME_CANNOT_TELL && !finding->of_phases;

	json_array(w, "values");
	for (size_t i = 0; known && i < rule->value_count; i++) {
		json_object(w, NULL);
		json_string(w, "name", rule->value[i].name);
		json_number(w, "value", finding->value[i]);
		json_string(w, "unit", rule_value_unit(&rule->value[i]));
		json_close(w);
	}
	json_close(w);
	json_array(w, "because");
	for (size_t i = 0; known && i < rule->fires_count; i++)
		add_test(w, rule, &rule->fires[i], finding);
	json_close(w);
}

void json_place(struct json_writer *w, const char *key, const struct run *run,
	struct event_place place)
{
	if (!place.line || place.file >= run->file_count) {
		json_null(w, key);
		return;
	}
	json_object(w, key);
	json_string(w, "file", run->file[place.file].path);
	json_count(w, "line", place.line);
	json_close(w);
}

static void add_stretches(
	struct json_writer *w, const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	json_count(w, "stretch_count", finding->stretch_count);
	json_array(w, "stretches");
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		const struct finding_stretch *s = &finding->stretch[i];

		json_object(w, NULL);
		json_time(w, "start_at", s->from_ns);
		json_number(w, "start_s", s->start_s);
		json_number(w, "seconds", s->seconds);
		json_number(w, "gpu_seconds", s->gpu_seconds);
		json_string(w, "phase",
			s->phase == SIZE_MAX ? NULL : report->path[s->phase].path);
		json_place(w, "first_line", report->run, s->first);
		json_place(w, "last_line", report->run, s->last);
		json_object(w, "meanwhile");
		for (size_t k = 0; k < rule->meanwhile_count; k++)
			json_number(w, meanwhile_name(rule->meanwhile[k]).text,
				s->meanwhile[k]);
		json_close(w);
		json_close(w);
	}
	json_close(w);
	json_array(w, "phases");
	for (size_t i = 0; i < finding->phase_count; i++) {
		json_object(w, NULL);
		json_string(w, "phase", report->path[finding->phase[i].path].path);
		json_number(w, "seconds", finding->phase[i].seconds);
		json_object(w, "values");
		for (size_t k = 0; k < rule->in_phases_count; k++)
			json_number(w, rule->value[rule->in_phases[k]].name,
				finding->phase[i].value[k]);
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

void json_run_finding(
	struct json_writer *w, const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	struct strbuf sentence;

	strbuf_init(&sentence);
	if (fires)
		finding_sentence(&sentence, report, finding, strbuf_adds);
	json_string(w, "rule", rule->id);
	json_count(w, "version", (uint64_t)rule->version);
	json_string(w, "outcome",
		fires					     ? "fires"
			: finding->outcome == OUTCOME_SILENT ? "silent"
							     : "cannot_tell");
	json_string(w, "severity", severity_name(rule->severity));
	json_string(w, "title", rule->title);
	json_string(w, "device",
		finding->device == FINDING_RUN
			? NULL
			: report->run->device[finding->device].name);
	json_string(w, "sentence", fires ? sentence.text : NULL);
	json_string(w, "remedy", fires ? rule->remedy : NULL);
	json_string(w, "why", finding->why);
	json_number(w, "cost_gpu_s", finding->cost_gpu_s);
	json_number(w, "coverage", finding->coverage);
	add_values(w, finding);
	add_stretches(w, report, finding);
	strbuf_release(&sentence);
}
