/* A self-test as JSON, described by selftest.schema.json. Judges nothing. */
#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_measure.h"
#include "render/json_run.h"

static void add_result(struct json_writer *w, const struct selftest_result *result)
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
	json_runs_needed(w, result->runs_needed);
	json_close(w);
}

int json_selftest(const struct selftest *selftest, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct comparison *comparison = selftest->comparison;
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_string(&w, "rules", selftest->rules->file);
	json_string(&w, "outcome", selftest->failed ? "failed" : "passed");
	json_side_runs(&w, "base_runs", comparison, SIDES);
	json_run_selection(&w, &comparison->filter);
	json_differs(&w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	json_array(&w, "results");
	for (size_t i = 0; i < selftest->count; i++)
		add_result(&w, &selftest->result[i]);
	json_close(&w);
	json_remarks(&w, comparison);
	return json_document_end(&w, err);
}
