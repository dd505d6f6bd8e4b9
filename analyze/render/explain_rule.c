/*
 * Rules and their findings explained: conditions, values and how each is made of others,
 * what came out, and where. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/timestamp.h"
#include "model/measure.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/json_run.h"
#include "render/told.h"

#define STRETCHES_SHOWN 20

/* What to ask `explain` for; NULL: no log has it as such. */
static const char *key_of(const struct reference *r)
{
	switch (r->kind) {
	case REFERENCE_STATISTIC:
	case REFERENCE_LAST:
	case REFERENCE_COURSE:
	case REFERENCE_WHILE:
	case REFERENCE_DRIFT:
		return reference_metric(r);
	case REFERENCE_SUMMARY:
		return summary_field_get((enum summary_key)r->item)->name;
	case REFERENCE_EVIDENCE:
		return r->item == EVIDENCE_WARM_UP_S	   ? "steady_warm_up_s"
			: r->item == EVIDENCE_BUSIEST_CORE ? "cpu_busy_pct"
							   : NULL;
	case REFERENCE_VALUE:
	case REFERENCE_NONE:
		break;
	}
	return NULL;
}

/* Of time in which conditions held the conditions say it. */
static const char *value_key(const struct rule *rule, const struct rule_value *value)
{
	const char *key = key_of(&value->of);

	return key || value->of.kind != REFERENCE_WHILE
		? key
		: metric_get(rule->row[0].metric)->name;
}

/* "while.seconds / evidence.duration_s" */
static void add_formula(struct strbuf *sb, const struct rule_value *v)
{
	bool group = v->minus.text && (v->times.text || v->over.text || v->scale != 1);

	strbuf_addf(sb, "%s%s", group ? "(" : "", v->of.text);
	if (v->minus.text)
		strbuf_addf(sb, " - %s", v->minus.text);
	strbuf_adds(sb, group ? ")" : "");
	strbuf_adds(sb, v->absolute ? ", without its sign" : "");
	if (v->times.text)
		strbuf_addf(sb, " * %s", v->times.text);
	if (v->over.text)
		strbuf_addf(sb, " / %s", v->over.text);
	if (v->scale < 1 || v->scale > 1)
		strbuf_addf(sb, " * %.15g", v->scale);
	if (v->up_to.text)
		strbuf_addf(sb, ", at most %s", v->up_to.text);
	strbuf_adds(sb, v->steps ? ", rounded up to a step" : "");
}

/* "share at_least 0.1", and what it is */
static void add_test(struct doc *doc, const char *label, const struct rule *rule,
	const struct value_test *test, const struct finding *finding)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s %s %.15g", rule->value[test->value].name,
		bound_name(test->bound), test->limit);
	if (finding && !isnan(finding->value[test->value]))
		strbuf_addf(&sb, ": it is %.15g", finding->value[test->value]);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_rows(struct doc *doc, const struct rule *rule)
{
	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_adds(&sb, test->unless ? "unless " : "");
		strbuf_adds(&sb, metric_get(test->metric)->name);
		if (row_test_over(test))
			strbuf_addf(&sb, " / %s", row_test_over(test));
		if (test->has)
			strbuf_addf(&sb, " has %s", test->has);
		else
			strbuf_addf(
				&sb, " %s %.15g", bound_name(test->bound), test->limit);
		strbuf_adds(&sb, test->or_next ? ", or" : "");
		explain_field(doc, i ? "" : "While", &sb);
		strbuf_release(&sb);
	}
}

/* Which of that time counts; NULL: all. */
static const char *alone_of(const struct rule *rule)
{
	switch (rule->alone) {
	case ALONE_HOLDS:
		return "of it, and of at most half of the GPUs";
	case ALONE_HOLDS_NOT:
		return "of all GPUs but it";
	case ALONE_NOT_ASKED:
		break;
	}
	return NULL;
}

/* "of all GPUs but it, for 1.9 s and 2 rows at least" */
static void add_alone(struct doc *doc, const struct rule *rule)
{
	struct strbuf sb;

	if (!alone_of(rule))
		return;
	strbuf_init(&sb);
	strbuf_adds(&sb, alone_of(rule));
	if (rule->stretch_rows)
		strbuf_addf(&sb, ", for %.15g s and %u rows at least", rule->stretch_s,
			rule->stretch_rows);
	explain_field(doc, "", &sb);
	strbuf_release(&sb);
}

static void add_rule(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->among_count; i++) {
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb, "%s %s %.15g", rule->among[i].of.text,
			bound_name(rule->among[i].bound), rule->among[i].limit);
		explain_field(doc, i ? "" : "Among", &sb);
		strbuf_release(&sb);
	}
	add_rows(doc, rule);
	add_alone(doc, rule);
	for (size_t i = 0; i < rule->applies_count; i++)
		add_test(doc, i ? "" : "Applies if", rule, &rule->applies[i], finding);
	for (size_t i = 0; i < rule->fires_count; i++)
		add_test(doc, i ? "" : "Fires if", rule, &rule->fires[i], finding);
	for (size_t i = 0; i < rule->doubt_count; i++)
		add_test(
			doc, i ? "" : "In doubt if", rule, &rule->doubt[i].test, finding);
}

static void add_values(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->value_count; i++) {
		const struct rule_value *value = &rule->value[i];
		const char *key = value_key(rule, value);
		struct strbuf sb;

		strbuf_init(&sb);
		if (finding && !isnan(finding->value[i]))
			strbuf_addf(&sb, "%.15g%s%s = ", finding->value[i],
				*rule_value_unit(value) ? " " : "",
				rule_value_unit(value));
		add_formula(&sb, value);
		if (key)
			strbuf_addf(&sb, "; explain %s", key);
		explain_field(doc, value->name, &sb);
		strbuf_release(&sb);
	}
}

static void add_stretches(
	struct doc *doc, const struct report *report, const struct finding *finding)
{
	for (size_t i = 0; i < finding->stretch_listed && i < STRETCHES_SHOWN; i++) {
		const struct finding_stretch *s = &finding->stretch[i];
		struct strbuf sb;

		strbuf_init(&sb);
		time_print(&sb, s->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->to_ns);
		if (s->phase != SIZE_MAX)
			strbuf_addf(&sb, ", in %s", report->path[s->phase].path);
		told_lines(&sb, report->run, s);
		explain_field(doc, i ? "" : "Stretches", &sb);
		strbuf_release(&sb);
	}
}

/* The first of the tests that does not hold; NULL: all do. */
static const struct value_test *failing(
	const struct value_test *test, size_t count, const struct finding *finding)
{
	for (size_t i = 0; i < count; i++) {
		double x = finding->value[test[i].value];

		if (isnan(x) || !bound_holds(test[i].bound, x, test[i].limit))
			return &test[i];
	}
	return NULL;
}

/* "does not fire: tail is 4, not at_least 30" */
static void add_silence(struct strbuf *sb, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	const struct value_test *applies =
		failing(rule->applies, rule->applies_count, finding);
	const struct value_test *test =
		applies ? applies : failing(rule->fires, rule->fires_count, finding);

	strbuf_addf(sb, "does not %s", applies ? "apply" : "fire");
	if (!test)
		return;
	strbuf_addf(sb, ": %s is ", rule->value[test->value].name);
	if (isnan(finding->value[test->value]))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g", finding->value[test->value]);
	strbuf_addf(sb, ", not %s %.15g", bound_name(test->bound), test->limit);
}

/* NULL: it was asked of nothing. */
static void add_outcome(
	struct strbuf *sb, const struct explain_input *in, const struct finding *finding)
{
	if (!finding && in->phases)
		strbuf_adds(sb, "nothing of it is known of these phases");
	else if (!finding)
		strbuf_adds(sb, "does not apply: there is no GPU that it looks at");
	else if (finding->outcome == OUTCOME_FIRES)
		finding_sentence(sb, in->report, finding, strbuf_adds);
	else if (finding->outcome == OUTCOME_SILENT)
		add_silence(sb, finding);
	else
		strbuf_addf(sb, "cannot tell: %s", finding->why);
}

/* One of the rule; NULL: there is none. */
static void add_finding(
	struct doc *doc, const struct explain_input *in, const struct finding *finding)
{
	const struct rule *rule = in->rule;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s%s%s", rule->id,
		finding && finding->device != FINDING_RUN ? " of " : "",
		finding && finding->device != FINDING_RUN
			? in->report->run->device[finding->device].name
			: "");
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	add_outcome(&sb, in, finding);
	explain_field(doc, "Outcome", &sb);
	if (finding && finding->outcome == OUTCOME_CANNOT_TELL)
		finding = NULL; /* its values say nothing */
	add_rule(doc, rule, finding);
	add_values(doc, rule, finding);
	if (finding && !isnan(finding->coverage)) {
		strbuf_clear(&sb);
		quantity_ratio(&sb, finding->coverage);
		explain_field(doc, "Coverage", &sb);
	}
	if (finding)
		add_stretches(doc, in->report, finding);
	strbuf_release(&sb);
}

/* The nth finding of the rule; NULL: there are fewer. */
static const struct finding *finding_of(const struct explain_input *in, size_t nth)
{
	for (size_t i = 0; i < in->report->finding_count; i++)
		if (in->report->finding[i].rule == in->rule && nth-- == 0)
			return &in->report->finding[i];
	return NULL;
}

void explain_rule_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; !i || finding_of(in, i); i++)
		add_finding(doc, in, finding_of(in, i));
}

static void put_tests(struct json_writer *w, const char *key, const struct rule *rule,
	const struct value_test *test, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++) {
		json_object(w, NULL);
		json_string(w, "value", rule->value[test[i].value].name);
		json_string(w, "bound", bound_name(test[i].bound));
		json_number(w, "limit", test[i].limit);
		json_close(w);
	}
	json_close(w);
}

static void put_doubts(struct json_writer *w, const struct rule *rule)
{
	json_array(w, "doubts");
	for (size_t i = 0; i < rule->doubt_count; i++) {
		const struct value_test *test = &rule->doubt[i].test;

		json_object(w, NULL);
		json_string(w, "value", rule->value[test->value].name);
		json_string(w, "bound", bound_name(test->bound));
		json_number(w, "limit", test->limit);
		json_bool(w, "always", rule->doubt[i].always);
		json_string(w, "why", rule->doubt[i].why);
		json_close(w);
	}
	json_close(w);
}

void explain_rule_json(struct json_writer *w, const struct explain_input *in)
{
	const struct rule *rule = in->rule;

	put_tests(w, "applies", rule, rule->applies, rule->applies_count);
	put_tests(w, "fires", rule, rule->fires, rule->fires_count);
	put_doubts(w, rule);
	json_array(w, "values");
	for (size_t i = 0; i < rule->value_count; i++) {
		struct strbuf formula;

		strbuf_init(&formula);
		add_formula(&formula, &rule->value[i]);
		json_object(w, NULL);
		json_string(w, "name", rule->value[i].name);
		json_string(w, "formula", formula.text);
		json_string(w, "explain", value_key(rule, &rule->value[i]));
		json_close(w);
		strbuf_release(&formula);
	}
	json_close(w);
	json_array(w, "findings");
	for (size_t i = 0; finding_of(in, i); i++) {
		json_object(w, NULL);
		json_run_finding(w, in->report, finding_of(in, i));
		json_close(w);
	}
	json_close(w);
}
