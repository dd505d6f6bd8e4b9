/* Cells and sentences. Must not judge. */
#include "render/doc_gate_parts.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/quantity.h"

#define RUNS_MOST 4 /* of a side, by name */

enum doc_tone doc_gate_tone(enum gate_outcome outcome, bool only_warns)
{
	if (outcome == GATE_PASS)
		return TONE_PLAIN;
	return outcome == GATE_INCONCLUSIVE || only_warns ? TONE_WARN : TONE_BAD;
}

void doc_gate_notes(struct doc *doc, const struct gate_note *note, size_t count)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < count;) {
		enum doc_tone tone = doc_gate_tone(note[i].outcome, note[i].rule->warn);

		strbuf_clear(&text);
		i += gate_note_say(&text, note + i, count - i);
		doc_text(doc, NULL);
		doc_text(doc, text.text)->tone = tone;
	}
	strbuf_release(&text);
}

void doc_gate_rule(struct doc *doc, const struct gate_rule *rule)
{
	struct strbuf title;

	strbuf_init(&title);
	strbuf_addf(&title, "%s%s: ", rule->name, rule->warn ? " (only warns)" : "");
	gate_rule_sentence(&title, rule);
	doc_row_title(doc, title.text);
	strbuf_release(&title);
}

void doc_gate_subject(struct doc *doc, const struct comparison_row *row, const char *run)
{
	struct strbuf subject;

	strbuf_init(&subject);
	gate_subject(&subject, row);
	if (run)
		strbuf_addf(&subject, "%s %s", subject.len ? " in" : "run", run);
	doc_text(doc, subject.len ? subject.text : "run");
	strbuf_release(&subject);
}

void doc_gate_value(struct doc *doc, const struct comparison_row *row, double x)
{
	struct strbuf text;

	if (!row || isnan(x)) {
		doc_text(doc, NULL)->blank = !row;
		return;
	}
	strbuf_init(&text);
	quantity_number(&text, x, row->measure.decimals);
	if (*row->measure.unit)
		strbuf_addf(&text, " %s", row->measure.unit);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

void doc_gate_limit(struct doc *doc, const struct gate_rule *rule, enum gate_limit limit,
	const struct comparison_row *row)
{
	static const char *const form[GATE_LIMITS][2] = {
		{">= ", ""}, {"<= ", ""}, {"+", ""}, {"-", ""}, {"+", " %"}, {"-", " %"}};
	struct strbuf text;

	if (limit == GATE_LIMITS) {
		doc_blank(doc);
		return;
	}
	strbuf_init(&text);
	if (rule->limit[limit] != 0 || !gate_limit_is_change(limit))
		strbuf_adds(&text, form[limit][0]);
	number_print(&text, rule->limit[limit]);
	strbuf_adds(&text, form[limit][1]);
	if (!*form[limit][1] && row && *row->measure.unit)
		strbuf_addf(&text, " %s",
			gate_limit_is_change(limit) && strcmp(row->measure.unit, "%") == 0
				? rule->limit[limit] == 1 ? "point" : "points"
				: row->measure.unit);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

void doc_gate_p(struct doc *doc, double p)
{
	if (isnan(p))
		doc_blank(doc);
	else if (p < 0.0005)
		doc_text(doc, "<0.001");
	else
		doc_number(doc, p, 3);
}

struct doc_cell *doc_gate_change(struct doc *doc, const struct comparison_row *row,
	enum gate_limit limit, double base, double change, const char *sign)
{
	bool pct = base != 0 && limit != GATE_MAX_INCREASE && limit != GATE_MAX_DECREASE;
	double part = pct ? 100 * change / fabs(base) : change;
	int decimals = pct || !row ? 1 : row->measure.decimals;
	struct strbuf text;
	struct doc_cell *cell;

	if (isnan(part))
		return doc_blank(doc);
	if (isinf(part))
		return doc_text(doc, "never");
	if (fabs(part) < 0.5 * pow(10, -decimals))
		part = 0;
	strbuf_init(&text);
	strbuf_adds(&text, part > 0 ? sign : "");
	quantity_number(&text, part, decimals);
	strbuf_adds(&text, pct ? " %" : "");
	cell = doc_text(doc, text.text);
	strbuf_release(&text);
	return cell;
}
