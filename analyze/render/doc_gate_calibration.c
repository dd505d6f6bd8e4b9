/*
 * What was learnt of noise: the verdict, the rules that are too tight, then a table of
 * all numbers. Must not compute.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "render/doc_gate.h"
#include "render/doc_gate_parts.h"
#include "render/doc_selection.h"
#include "render/doc_sides.h"

static size_t count_of(
	const struct calibration *calibration, enum calibration_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < calibration->count; i++)
		count += calibration->result[i].outcome == outcome;
	return count;
}

/* The worst first, so that what is cut off matters least. */
static void add_verdict(struct doc *doc, const struct calibration *calibration)
{
	size_t tight = count_of(calibration, CALIBRATION_TIGHT);
	size_t few = count_of(calibration, CALIBRATION_TOO_FEW);
	size_t absent = count_of(calibration, CALIBRATION_ABSENT);
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "Calibration %s: ", calibration->refused ? "refused" : "done");
	if (tight)
		strbuf_addf(&text, "%zu too tight, ", tight);
	if (few)
		strbuf_addf(&text, "%zu with too few repeats, ", few);
	if (absent)
		strbuf_addf(&text, "%zu absent, ", absent);
	strbuf_addf(&text, "%zu of %zu number%s learnt",
		count_of(calibration, CALIBRATION_LEARNT), calibration->count,
		plural(calibration->count));
	doc_begin(doc, DOC_HEADING)->level = 1;
	doc_text(doc, text.text)->tone = calibration->refused ? TONE_BAD : TONE_PLAIN;
	strbuf_release(&text);
}

static void add_refusals(struct doc *doc, const struct calibration *calibration)
{
	struct gate_note *note = xcalloc(calibration->count + 1, sizeof *note);
	size_t count = 0;

	/* Those that only warn at last. */
	for (size_t i = 0; i < 2 * calibration->count; i++) {
		const struct calibration_result *result =
			&calibration->result[i % calibration->count];
		bool warns = i >= calibration->count;

		if (result->outcome != CALIBRATION_LEARNT && result->rule->warn == warns)
			note[count++] = (struct gate_note){
				result->rule, result->row, result->why, GATE_REGRESSION};
	}
	doc_begin(doc, DOC_NOTES);
	doc_gate_notes(doc, note, count);
	free(note);
}

static void add_row(struct doc *doc, const struct calibration_result *result)
{
	const struct comparison_row *row = result->row;

	doc_gate_subject(doc, row, NULL);
	doc_gate_value(doc, row, result->median);
	doc_gate_value(doc, row, result->deviation);
	doc_gate_value(doc, row, result->noise);
	doc_gate_change(doc, row, GATE_LIMITS, result->median, result->noise, "");
	doc_gate_limit(doc, result->rule, result->limit, row);
	if (isnan(result->least))
		doc_blank(doc);
	else
		doc_textf(doc, "%g", result->least);
}

/* What the rule gets, where its noise is known. */
static void add_min_abs(struct doc *doc, const struct gate_rule *rule, double min_abs)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, "-> min_abs ");
	number_print(&text, min_abs);
	if (min_abs == rule->min_abs)
		strbuf_adds(&text, ", its own");
	doc_row_title(doc, text.text);
	strbuf_release(&text);
}

static void add_table(struct doc *doc, const struct calibration *calibration)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, true},
		{"median", "", DOC_RIGHT, false}, {"deviation", "", DOC_RIGHT, false},
		{"noise", "", DOC_RIGHT, false}, {"", "", DOC_RIGHT, false},
		{"limit", "", DOC_RIGHT, false}, {"least", "", DOC_RIGHT, false}};

	doc_heading(doc, 2, "Noise");
	doc_table(doc, columns, sizeof columns / sizeof *columns)->follows = true;
	for (size_t i = 0, at = 0; i < calibration->rules->count; i++) {
		const struct gate_rule *rule = &calibration->rules->rule[i];
		bool learnt = false;

		doc_gate_rule(doc, rule);
		for (; at < calibration->count && calibration->result[at].rule == rule;
			at++) {
			add_row(doc, &calibration->result[at]);
			learnt |= !isnan(calibration->result[at].noise);
		}
		if (learnt && gate_rule_compares(rule))
			add_min_abs(doc, rule, calibration->min_abs[i]);
	}
}

/* Was noise learnt of any number? */
static bool has_noise(const struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->count; i++)
		if (!isnan(calibration->result[i].noise))
			return true;
	return false;
}

static void add_remarks(struct doc *doc, const struct calibration *calibration)
{
	const struct comparison *comparison = calibration->comparison;

	doc_begin(doc, DOC_NOTES);
	if (has_noise(calibration)) {
		doc_text(doc, NULL);
		doc_text(doc,
			"In 5 of 100 cases two repeats differ by more than the noise.");
	}
	if (!calibration->refused) {
		doc_text(doc, NULL);
		doc_text(doc, "--format rules prints the rules with these min_abs.");
	}
	for (size_t i = 0; i < comparison->remark_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, comparison->remark[i]);
	}
}

void doc_gate_calibration(struct doc *doc, const struct calibration *calibration,
	const struct render_options *opt)
{
	add_verdict(doc, calibration);
	if (opt->verbose >= 0) {
		doc_begin(doc, DOC_FIELDS)->follows = true;
		doc_text(doc, "Rules");
		doc_text(doc, calibration->rules->file);
		doc_side(doc, "Repeats", calibration->comparison, SIDES);
		doc_only(doc, &calibration->comparison->filter);
	}
	add_refusals(doc, calibration);
	if (opt->verbose < 0) {
		doc->block[doc->count - 1].follows = true;
		return;
	}
	doc_differences(doc, calibration->comparison);
	add_table(doc, calibration);
	add_remarks(doc, calibration);
}
