/*
 * How a gate came out: the verdict, then what did not pass, the worst first, then a table
 * of all that was judged. Must not judge.
 */
#include "render/doc_gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "render/doc_gate_parts.h"
#include "render/doc_selection.h"
#include "render/doc_sides.h"

static void add_incidents(struct doc *doc, const struct gate *gate)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < gate->incident_count;) {
		strbuf_clear(&text);
		i += gate_incident_say(
			&text, &gate->incident[i], gate->incident_count - i);
		doc_text(doc, NULL);
		doc_text(doc, text.text)->tone = TONE_BAD;
	}
	strbuf_release(&text);
}

/* All that did not pass. */
static void add_failures(struct doc *doc, const struct gate *gate)
{
	struct gate_note *note = xcalloc(gate->count + 1, sizeof *note);
	size_t count = gate_notes(gate, note);

	doc_begin(doc, DOC_NOTES);
	add_incidents(doc, gate);
	doc_gate_notes(doc, note, count);
	free(note);
}

/* Of one new run, where that decides: beyond a bound, or without noise. */
static bool is_of_one(const struct gate_result *result)
{
	return result->row && result->run != SIZE_MAX;
}

/* All of it is of that run, or all of the medians. */
static void add_row(struct doc *doc, const struct gate *gate,
	const struct gate_result *result, bool compares)
{
	const struct comparison_row *row = result->row;
	const struct comparison *comparison = gate->comparison;
	bool one = is_of_one(result);
	double base = row ? row->side[SIDE_BASE].median : NAN;
	double new = one ? row->value[result->run]
		: row	 ? row->side[SIDE_NEW].median
			 : NAN;

	doc_gate_subject(doc, row,
		one && comparison->on_side[SIDE_NEW] > 1
			? comparison->run[result->run].name
			: NULL);
	if (compares)
		doc_gate_value(doc, row, base);
	doc_gate_value(doc, row, new);
	if (compares)
		doc_gate_change(doc, row, result->limit, base, new - base, "+");
	doc_gate_limit(doc, result->rule, result->limit, row);
	if (gate->tests) {
		/* No p where no change could have been significant. */
		doc_gate_p(doc, one || isinf(result->detectable) ? NAN : result->p);
		doc_gate_change(
			doc, row, result->limit, base, one ? NAN : result->detectable, "")
			->tone =
			result->detectable > result->allowed ? TONE_WARN : TONE_PLAIN;
	}
	doc_text(doc, gate_outcome_name(result->outcome))->tone =
		doc_gate_tone(result->outcome, result->rule->warn);
}

static void begin_table(struct doc *doc, const struct gate *gate, bool compares)
{
	static const struct doc_column all[] = {{"", "", DOC_LEFT, true},
		{"base", "", DOC_RIGHT, false}, {"new", "", DOC_RIGHT, false},
		{"change", "", DOC_RIGHT, false}, {"limit", "", DOC_RIGHT, false},
		{"p", "", DOC_RIGHT, false}, {"shows", "from", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false}};
	struct doc_column columns[sizeof all / sizeof *all];
	size_t count = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		bool of_change = i == 1 || i == 3, of_test = i == 5 || i == 6;

		if ((!of_change || compares) && (!of_test || gate->tests))
			columns[count++] = all[i];
	}
	doc_table(doc, columns, count)->follows = true;
}

static void add_table(struct doc *doc, const struct gate *gate)
{
	bool compares = gate->comparison->on_side[SIDE_BASE] > 0;
	const struct gate_rule *last = NULL;

	doc_heading(doc, 2, "Checks");
	begin_table(doc, gate, compares);
	for (size_t i = 0; i < gate->count; i++) {
		if (gate->result[i].rule != last)
			doc_gate_rule(doc, gate->result[i].rule);
		last = gate->result[i].rule;
		add_row(doc, gate, &gate->result[i], compares);
	}
}

/* What the passes leave open. */
static void add_doubts(struct doc *doc, const struct gate *gate)
{
	struct strbuf text;

	strbuf_init(&text);
	gate_say_doubts(&text, gate);
	if (text.len) {
		doc_text(doc, NULL);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

static void add_remarks(struct doc *doc, const struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	add_doubts(doc, gate);
	for (size_t i = 0; i < comparison->remark_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, comparison->remark[i]);
	}
}

void doc_gate(struct doc *doc, const struct gate *gate, const struct render_options *opt)
{
	struct strbuf verdict;

	strbuf_init(&verdict);
	strbuf_adds(&verdict, "Gate ");
	gate_verdict(&verdict, gate);
	doc_begin(doc, DOC_HEADING)->level = 1;
	doc_text(doc, verdict.text)->tone = doc_gate_tone(gate->outcome, false);
	strbuf_release(&verdict);
	if (opt->verbose >= 0) {
		doc_begin(doc, DOC_FIELDS)->follows = true;
		doc_text(doc, "Rules");
		doc_text(doc, gate->rules->file);
		doc_side(doc, "Base", gate->comparison, SIDE_BASE);
		doc_side(doc, "New", gate->comparison, SIDE_NEW);
		doc_only(doc, &gate->comparison->filter);
	}
	add_failures(doc, gate);
	if (opt->verbose < 0) {
		add_remarks(doc, gate);
		doc->block[doc->count - 1].follows = true;
		return;
	}
	doc_differences(doc, gate->comparison);
	add_table(doc, gate);
	doc_begin(doc, DOC_NOTES);
	add_remarks(doc, gate);
}
