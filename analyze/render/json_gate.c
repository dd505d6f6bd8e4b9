/* A gate as JSON, described by gate.schema.json. Judges nothing. */
#include <math.h>

#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_measure.h"
#include "render/json_run.h"

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
	json_number(w, "p", result->p);
	json_number(w, "detectable", result->detectable);
	json_runs_needed(w, result->runs_needed);
	json_close(w);
}

static void add_incidents(struct json_writer *w, const struct gate *gate)
{
	json_array(w, "incidents");
	for (size_t i = 0; i < gate->incident_count; i++) {
		const struct gate_incident *incident = &gate->incident[i];
		struct strbuf why;

		strbuf_init(&why);
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

int json_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct comparison *comparison = gate->comparison;
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_string(&w, "rules", gate->rules->file);
	json_string(&w, "outcome", gate_outcome_name(gate->outcome));
	json_side_runs(&w, "base_runs", comparison, SIDE_BASE);
	json_side_runs(&w, "new_runs", comparison, SIDE_NEW);
	json_run_selection(&w, &comparison->filter);
	json_array(&w, "lost_runs");
	for (size_t i = 0; i < gate->incident_count; i++)
		if (gate->incident[i].kind == GATE_RUN_LOST)
			json_string(&w, NULL, gate->incident[i].subject);
	json_close(&w);
	json_array(&w, "left_out_runs");
	for (size_t i = 0; i < comparison->left_out_count; i++)
		json_string(&w, NULL, comparison->left_out[i]);
	json_close(&w);
	add_incidents(&w, gate);
	json_number(&w, "level", comparison->level);
	json_count(&w, "tests", gate->tests);
	json_differs(&w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(&w, "results");
	for (size_t i = 0; i < gate->count; i++)
		add_result(&w, gate, &gate->result[i]);
	json_close(&w);
	json_remarks(&w, comparison);
	return json_document_end(&w, err);
}
