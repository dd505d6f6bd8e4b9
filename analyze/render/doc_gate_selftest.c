/*
 * What a gate said of changes put into a copy of its base: the verdict, what it did not
 * see, then a table of all. Must not judge.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "render/doc_gate.h"
#include "render/doc_gate_parts.h"
#include "render/doc_selection.h"
#include "render/doc_sides.h"

static void add_verdict(struct doc *doc, const struct selftest *selftest)
{
	doc_begin(doc, DOC_HEADING)->level = 1;
	doc_textf(doc, "Self-test %s: the gate was right %zu of %zu time%s",
		selftest->failed ? "failed" : "passed",
		selftest->counted - selftest->failed, selftest->counted,
		plural(selftest->counted))
		->tone = selftest->failed ? TONE_BAD : TONE_PLAIN;
}

static void add_failures(struct doc *doc, const struct selftest *selftest)
{
	struct gate_note *note = xcalloc(selftest->count + 1, sizeof *note);
	size_t count = 0;

	/* Those that only warn at last. */
	for (size_t i = 0; i < 2 * selftest->count; i++) {
		const struct selftest_result *result =
			&selftest->result[i % selftest->count];
		bool warns = i >= selftest->count;

		if (!result->proved && result->rule->warn == warns)
			note[count++] = (struct gate_note){
				result->rule, result->row, result->why, GATE_REGRESSION};
	}
	doc_begin(doc, DOC_NOTES);
	doc_gate_notes(doc, note, count);
	free(note);
}

static void add_table(struct doc *doc, const struct selftest *selftest)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, true},
		{"", "", DOC_LEFT, false}, {"base", "", DOC_RIGHT, false},
		{"copy", "", DOC_RIGHT, false}, {"change", "", DOC_RIGHT, false},
		{"p", "", DOC_RIGHT, false}, {"the gate says", "", DOC_LEFT, false}};
	const struct gate_rule *last = NULL;

	doc_heading(doc, 2, "Put into a copy of the base");
	doc_table(doc, columns, sizeof columns / sizeof *columns)->follows = true;
	for (size_t i = 0; i < selftest->count; i++) {
		const struct selftest_result *result = &selftest->result[i];

		if (result->rule != last)
			doc_gate_rule(doc, result->rule);
		last = result->rule;
		doc_gate_subject(doc, result->row, NULL);
		doc_text(doc, injection_name(result->injection));
		doc_gate_value(doc, result->row, result->base);
		doc_gate_value(doc, result->row, result->new);
		doc_gate_change(doc, result->row, result->limit, result->base,
			result->new - result->base, "+");
		doc_gate_p(doc, result->p);
		doc_text(doc, gate_outcome_name(result->outcome))->tone =
			result->proved ? TONE_PLAIN : TONE_BAD;
	}
}

static void add_remarks(struct doc *doc, const struct selftest *selftest)
{
	const struct comparison *comparison = selftest->comparison;
	size_t runs = comparison->run_count;

	doc_begin(doc, DOC_NOTES);
	doc_text(doc, NULL);
	doc_textf(doc,
		"This is what the gate says of %zu new run%s against such a base of %zu.",
		runs, plural(runs), runs);
	for (size_t i = 0; i < comparison->remark_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, comparison->remark[i]);
	}
}

void doc_gate_selftest(struct doc *doc, const struct selftest *selftest,
	const struct render_options *opt)
{
	add_verdict(doc, selftest);
	if (opt->verbose >= 0) {
		doc_begin(doc, DOC_FIELDS)->follows = true;
		doc_text(doc, "Rules");
		doc_text(doc, selftest->rules->file);
		doc_side(doc, "Base", selftest->comparison, SIDES);
		doc_only(doc, &selftest->comparison->filter);
	}
	add_failures(doc, selftest);
	if (opt->verbose < 0) {
		doc->block[doc->count - 1].follows = true;
		return;
	}
	doc_differences(doc, selftest->comparison);
	add_table(doc, selftest);
	add_remarks(doc, selftest);
}
