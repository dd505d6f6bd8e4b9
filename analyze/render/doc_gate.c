/*
 * How a gate came out: the verdict, then what broke it, the worst first, then all that
 * passed. Must not judge.
 */
#include "render/doc_gate.h"

#include <string.h>

#include "base/strbuf.h"

void gate_verdict(struct strbuf *sb, const struct gate *gate)
{
	static const char *const verdict[] = {[GATE_PASS] = "passed",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_REGRESSION] = "failed",
		[GATE_UNUSABLE] = "unusable"};
	size_t all = 0;

	for (enum gate_outcome outcome = 0; outcome <= GATE_UNUSABLE; outcome++)
		all += gate->outcomes[outcome];
	strbuf_addf(sb, "%s: %zu of %zu check%s passed", verdict[gate->outcome],
		gate->outcomes[GATE_PASS], all, all == 1 ? "" : "s");
	for (enum gate_outcome outcome = GATE_UNUSABLE; outcome > GATE_PASS; outcome--)
		if (gate->outcomes[outcome])
			strbuf_addf(sb, ", %zu %s", gate->outcomes[outcome],
				gate_outcome_name(outcome));
	if (gate->lost_count)
		strbuf_addf(sb, ", %zu new run%s lost", gate->lost_count,
			gate->lost_count == 1 ? "" : "s");
}

/* Which number it was, where the rule may be of several. */
static void name_subject(struct strbuf *sb, const struct gate_result *result)
{
	const struct measure *measure = &result->row->measure;
	const char *const part[] = {measure->work, measure->device, measure->phase};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			strbuf_addf(sb, "%s%s", sb->len ? ", " : "", part[i]);
}

static void add_result(struct doc *doc, const struct gate_result *result)
{
	static const enum doc_tone tone[] = {[GATE_PASS] = TONE_PLAIN,
		[GATE_INCONCLUSIVE] = TONE_WARN,
		[GATE_REGRESSION] = TONE_BAD,
		[GATE_UNUSABLE] = TONE_BAD};
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s%s", result->rule->warn ? "(only warns) " : "",
		gate_outcome_name(result->outcome));
	doc_text(doc, text.text)->tone = tone[result->outcome];
	strbuf_clear(&text);
	strbuf_addf(&text, "%s: ", result->rule->name);
	gate_rule_sentence(&text, result->rule);
	strbuf_addf(&text, ": %s", result->why);
	if (result->row) {
		struct strbuf subject;

		strbuf_init(&subject);
		name_subject(&subject, result);
		if (subject.len)
			strbuf_addf(&text, " (%s)", subject.text);
		strbuf_release(&subject);
	}
	doc_text(doc, text.text);
	strbuf_release(&text);
}

void doc_gate(struct doc *doc, const struct gate *gate, const struct render_options *opt)
{
	struct strbuf text;

	strbuf_init(&text);
	gate_verdict(&text, gate);
	doc_heading(doc, 1, "Gate");
	doc_text(doc, text.text);
	doc_begin(doc, DOC_NOTES)->follows = true;
	for (enum gate_outcome outcome = GATE_UNUSABLE + 1; outcome-- > 0;)
		for (size_t i = 0; i < gate->count; i++)
			if (gate->result[i].outcome == outcome &&
				(outcome != GATE_PASS || opt->verbose >= 0))
				add_result(doc, &gate->result[i]);
	for (size_t i = 0; i < gate->lost_count; i++) {
		doc_text(doc, "lost")->tone = TONE_BAD;
		doc_textf(doc, "%s: this new run could not be used", gate->lost[i]);
	}
	strbuf_release(&text);
}
