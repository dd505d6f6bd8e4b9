/*
 * The documents of a gate, its calibration and its self-test. A gate: the verdict,
 * then what did not pass, the worst first, then all that was judged. Must not judge or
 * compute.
 */
#include "render/doc_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/gate.h"
#include "render/doc.h"
#include "render/doc_compare.h"
#include "render/doc_run.h"
#include "render/run_names.h"

/* "s" of several. */
static inline const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

#define NAMES_MOST 6 /* of a sentence that is said of several */

/* "1 run lost, 2 runs failed, " */
static void say_incidents(struct strbuf *sb, const struct gate *gate)
{
	static const char *const word[GATE_INCIDENTS][2] = {
		[GATE_RUN_LOST] = {"run", "lost"},
		[GATE_RUN_FAILED] = {"run", "failed"},
		[GATE_RUN_CUT_OFF] = {"run", "cut off"},
		[GATE_DEVICE_VANISHED] = {"GPU", "vanished"},
		[GATE_DEVICE_LOST] = {"GPU", "lost"}};

	for (enum gate_incident_kind kind = 0; kind < GATE_INCIDENTS; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < gate->incident_count; i++)
			count += gate->incident[i].kind == kind;
		if (count)
			strbuf_addf(sb, "%zu %s%s %s, ", count, word[kind][0],
				plural(count), word[kind][1]);
	}
}

/* It passes, as its rules say so, because its base is missing or 0. */
static bool is_skipped(const struct gate_result *result)
{
	return result->outcome == GATE_PASS &&
		(result->cause == GATE_NO_BASE || result->cause == GATE_NO_PERCENTAGE);
}

/* Only where that is allowed. */
static bool may_miss(const struct gate_result *result)
{
	return result->outcome == GATE_PASS && result->undetected;
}

/* The worst first, so that what is cut off matters least. */
void gate_verdict(struct strbuf *sb, const struct gate *gate)
{
	static const char *const verdict[] = {[GATE_PASS] = "passed",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_REGRESSION] = "failed",
		[GATE_UNUSABLE] = "unusable"};
	const size_t *outcomes = gate->outcomes;
	size_t all = 0, missed = 0, skipped = 0;

	for (enum gate_outcome outcome = 0; outcome <= GATE_UNUSABLE; outcome++)
		all += outcomes[outcome];
	strbuf_addf(sb, "%s: ", verdict[gate->outcome]);
	say_incidents(sb, gate);
	if (outcomes[GATE_UNUSABLE])
		strbuf_addf(sb, "%zu unusable, ", outcomes[GATE_UNUSABLE]);
	if (outcomes[GATE_REGRESSION])
		strbuf_addf(sb, "%zu regression%s, ", outcomes[GATE_REGRESSION],
			plural(outcomes[GATE_REGRESSION]));
	if (outcomes[GATE_INCONCLUSIVE])
		strbuf_addf(sb, "%zu inconclusive, ", outcomes[GATE_INCONCLUSIVE]);
	strbuf_addf(sb, "%zu of %zu passed", outcomes[GATE_PASS], all);
	for (size_t i = 0; i < gate->count; i++) {
		missed += may_miss(&gate->result[i]) && !gate->result[i].rule->warn;
		skipped += is_skipped(&gate->result[i]) && !gate->result[i].rule->warn;
	}
	if (skipped)
		strbuf_addf(sb, ", %zu of them skipped without a base", skipped);
	if (missed)
		strbuf_addf(sb, ", %zu by --allow-undetected", missed);
}

/* "gpu0, train": which number of a rule it is; of the whole run nothing, without what
 * stands before and behind. */
static void gate_subject(struct strbuf *sb, const struct comparison_row *row,
	const char *before, const char *behind)
{
	const char *const part[] = {row ? row->measure.work : NULL,
		row ? row->measure.device : NULL, row ? row->measure.phase : NULL};
	bool any = false;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		if (part[i])
			strbuf_addf(sb, "%s%s", any ? ", " : before, part[i]);
		any |= part[i] != NULL;
	}
	strbuf_adds(sb, any ? behind : "");
}

void gate_name(
	struct strbuf *sb, const struct gate_rule *rule, const struct comparison_row *row)
{
	strbuf_adds(sb, rule->name);
	gate_subject(sb, row, " (", ")");
	if (rule->warn)
		strbuf_adds(sb, " (only warns)");
}

size_t gate_note_say(struct strbuf *text, const struct gate_note *note, size_t count)
{
	size_t alike = 1, named;

	while (alike < count && note[alike].outcome == note->outcome &&
		strcmp(note[alike].why, note->why) == 0)
		alike++;
	named = alike > NAMES_MOST ? NAMES_MOST - 1 : alike;
	for (size_t i = 0; i < named; i++) {
		strbuf_adds(text, i ? "; " : "");
		gate_name(text, note[i].rule, note[i].row);
	}
	if (named < alike)
		strbuf_addf(text, " and %zu more", alike - named);
	strbuf_addf(text, ": %s", note->why);
	return alike;
}

static bool is_beyond(const struct gate_result *result)
{
	return result->cause == GATE_NOT_SIGNIFICANT;
}

/* The truth may be another, but it would pass, too. */
static bool is_uncovered(const struct gate_result *result)
{
	return result->outcome == GATE_PASS && result->uncovered;
}

bool gate_say_doubt(struct strbuf *text, const struct gate_result *result)
{
	if (!is_beyond(result) && !may_miss(result) && !is_uncovered(result) &&
		!is_skipped(result))
		return false;
	strbuf_adds(text, result->why);
	if (is_beyond(result)) {
		strbuf_adds(text, "; expected ");
		gate_limit_sentence(
			text, result->rule, result->limit, result->row->measure.unit);
	}
	if (may_miss(result))
		strbuf_adds(
			text, "; these runs could miss a change as large as the limit");
	if (may_miss(result) && result->runs_needed)
		strbuf_addf(text, ", which %zu runs on each side would show",
			result->runs_needed);
	return true;
}

/* How many passes leave what open, in one sentence. Nothing: none does. */
static void gate_say_doubts(struct strbuf *text, const struct gate *gate)
{
	size_t beyond = 0, weak = 0, uncovered = 0, runs = 0;

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->result[i];

		beyond += is_beyond(result);
		weak += may_miss(result);
		uncovered += is_uncovered(result);
		if (may_miss(result) && result->runs_needed > runs)
			runs = result->runs_needed;
	}
	if (beyond)
		strbuf_addf(text,
			"%zu check%s passed beyond the limit: this could be chance",
			beyond, plural(beyond));
	if (weak)
		strbuf_addf(text,
			"%s%zu check%s passed by --allow-undetected: these runs could "
			"miss a change as large as the limit",
			beyond ? "; " : "", weak, plural(weak));
	if (runs)
		strbuf_addf(text, ", which %zu runs on each side would show", runs);
	if (uncovered)
		strbuf_addf(text,
			"%s%zu check%s passed with only part of the time covered",
			text->len ? "; " : "", uncovered, plural(uncovered));
}

/* What fails before what only warns, the worst outcome first, then the farthest. */
static int by_weight(const void *a, const void *b)
{
	const struct gate_result *x = *(const struct gate_result *const *)a;
	const struct gate_result *y = *(const struct gate_result *const *)b;

	if (x->rule->warn != y->rule->warn)
		return x->rule->warn - y->rule->warn;
	if (x->outcome != y->outcome)
		return x->outcome < y->outcome ? 1 : -1;
	if (x->excess < y->excess || x->excess > y->excess)
		return x->excess < y->excess ? 1 : -1;
	return (x > y) - (x < y); /* as the rules stand */
}

size_t gate_notes(const struct gate *gate, struct gate_note *note)
{
	const struct gate_result **order = xcalloc(gate->count + 1, sizeof *order);
	size_t count = 0;

	for (size_t i = 0; i < gate->count; i++)
		if (gate->result[i].outcome != GATE_PASS)
			order[count++] = &gate->result[i];
	qsort(order, count, sizeof *order, by_weight);
	for (size_t i = 0; i < count; i++)
		note[i] = (struct gate_note){
			order[i]->rule, order[i]->row, order[i]->why, order[i]->outcome};
	free(order);
	return count;
}

size_t gate_incident_say(
	struct strbuf *text, const struct gate_incident *incident, size_t count)
{
	size_t alike = 1, named;

	while (alike < count && incident[alike].kind == incident->kind &&
		strcmp(incident[alike].why, incident->why) == 0)
		alike++;
	named = alike > NAMES_MOST ? NAMES_MOST : alike;
	for (size_t i = 0; i < named; i++)
		strbuf_addf(text, "%s%s", i ? ", " : "", incident[i].subject);
	if (named < alike)
		strbuf_addf(text, " and %zu more", alike - named);
	strbuf_addf(text, ": %s %s, which fails the gate",
		gate_incident_noun(incident->kind, alike), incident->why);
	return alike;
}

/* Cells and sentences that the three documents share. */

/* Of what only warns, nothing is as bad as what fails a gate. */
static enum doc_tone doc_gate_tone(enum gate_outcome outcome, bool only_warns)
{
	if (outcome == GATE_PASS)
		return TONE_PLAIN;
	return outcome == GATE_INCONCLUSIVE || only_warns ? TONE_WARN : TONE_BAD;
}

/* Sentences after one another; of those that are the same, one. */
static void doc_gate_notes(struct doc *doc, const struct gate_note *note, size_t count)
{
	for (size_t i = 0; i < count;) {
		enum doc_tone tone = doc_gate_tone(note[i].outcome, note[i].rule->warn);

		i += gate_note_say(doc_note(doc), note + i, count - i);
		doc_last(doc)->tone = tone;
	}
}

/* A title over the rows of a rule: its name, and what it asks. */
static void doc_gate_rule(struct doc *doc, const struct gate_rule *rule)
{
	struct strbuf *title = doc_row_title(doc);

	strbuf_addf(title, "%s%s: ", rule->name, rule->warn ? " (only warns)" : "");
	gate_rule_sentence(title, rule);
}

/*
 * Cells: which number it is, and of which run, if it is of one of several ("gpu0 in
 * a"; NULL); a number with its unit; ">= 80", "+5 %"; a p.
 */
static void doc_gate_subject(
	struct doc *doc, const struct comparison_row *row, const char *run)
{
	struct strbuf *subject = doc_write(doc);

	gate_subject(subject, row, "", "");
	if (run)
		strbuf_addf(subject, "%s %s", subject->len ? " in" : "run", run);
	else if (!subject->len)
		strbuf_adds(subject, "run");
}

static void doc_gate_value(struct doc *doc, const struct comparison_row *row, double x)
{
	struct doc_cell *cell =
		row ? doc_number(doc, x, row->measure.decimals) : doc_blank(doc);

	if (cell->words.len && *row->measure.unit)
		strbuf_addf(&cell->words, " %s", row->measure.unit);
}

static void doc_gate_limit(struct doc *doc, const struct gate_rule *rule,
	enum gate_limit limit, const struct comparison_row *row)
{
	static const char *const form[GATE_LIMITS][2] = {
		{">= ", ""}, {"<= ", ""}, {"+", ""}, {"-", ""}, {"+", " %"}, {"-", " %"}};
	struct strbuf *text;

	if (limit == GATE_LIMITS) {
		doc_blank(doc);
		return;
	}
	text = doc_write(doc);
	if (rule->limit[limit] != 0 || !gate_limit_is_change(limit))
		strbuf_adds(text, form[limit][0]);
	number_print(text, rule->limit[limit]);
	strbuf_adds(text, form[limit][1]);
	if (!*form[limit][1] && row && *row->measure.unit)
		strbuf_addf(text, " %s",
			gate_limit_is_change(limit) && strcmp(row->measure.unit, "%") == 0
				? rule->limit[limit] == 1 ? "point" : "points"
				: row->measure.unit);
}

static void doc_gate_p(struct doc *doc, double p)
{
	if (isnan(p))
		doc_blank(doc);
	else if (p < 0.0005)
		doc_text(doc, "<0.001");
	else
		doc_number(doc, p, 3);
}

/*
 * A change from a base, in per cent of it or, where the limit is in the unit, in that;
 * with a sign before a rise.
 */
static struct doc_cell *doc_gate_change(struct doc *doc, const struct comparison_row *row,
	enum gate_limit limit, double base, double change, const char *sign)
{
	bool pct = base != 0 && limit != GATE_MAX_INCREASE && limit != GATE_MAX_DECREASE;
	double part = pct ? 100 * change / fabs(base) : change;
	int decimals = pct || !row ? 1 : row->measure.decimals;
	struct strbuf *text;

	if (isnan(part))
		return doc_blank(doc);
	if (isinf(part))
		return doc_text(doc, "never");
	if (fabs(part) < 0.5 * pow(10, -decimals))
		part = 0;
	text = doc_write(doc);
	strbuf_adds(text, part > 0 ? sign : "");
	quantity_number(text, part, decimals);
	strbuf_adds(text, pct ? " %" : "");
	return doc_last(doc);
}

/* Notes of a calibration or a self-test: those that only warn at last. Frees them. */
static void add_refusals(struct doc *doc, struct gate_note *note, size_t count)
{
	struct gate_note *order = xcalloc(count + 1, sizeof *order);
	size_t n = 0;

	for (int warns = 0; warns < 2; warns++)
		for (size_t i = 0; i < count; i++)
			if (note[i].rule->warn == warns)
				order[n++] = note[i];
	doc_begin(doc, DOC_NOTES);
	doc_gate_notes(doc, order, n);
	free(order);
	free(note);
}

static void add_failures(struct doc *doc, const struct gate *gate)
{
	struct gate_note *note = xcalloc(gate->count + 1, sizeof *note);
	size_t count = gate_notes(gate, note);

	doc_begin(doc, DOC_NOTES);
	for (size_t i = 0; i < gate->incident_count;) {
		i += gate_incident_say(
			doc_note(doc), &gate->incident[i], gate->incident_count - i);
		doc_last(doc)->tone = TONE_BAD;
	}
	doc_gate_notes(doc, note, count);
	free(note);
}

/* All of it is of that run, or all of the medians. */
static void add_row(
	struct doc *doc, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	const struct comparison *comparison = gate->comparison;
	bool one = row && result->run != SIZE_MAX; /* that decides */
	double base = row ? row->side[SIDE_BASE].median : NAN;
	double new = one ? row->value[result->run]
		: row	 ? row->side[SIDE_NEW].median
			 : NAN;
	bool paired = row && !one && row->by == COMPARED_BY_PAIRS;
	double change = paired ? row->difference : new - base;

	doc_gate_subject(doc, row,
		one && comparison->on_side[SIDE_NEW] > 1
			? compared_name(comparison, result->run)
			: NULL);
	doc_gate_value(doc, row, base);
	doc_gate_value(doc, row, new);
	doc_gate_change(doc, row, result->limit, base, change, "+");
	doc_gate_limit(doc, result->rule, result->limit, row);
	/* No p where no change could have been significant. */
	doc_gate_p(doc, one || isinf(result->detectable) ? NAN : result->p);
	doc_gate_change(doc, row, result->limit, base, one ? NAN : result->detectable, "")
		->tone = result->detectable > result->allowed ? TONE_WARN : TONE_PLAIN;
	doc_text(doc, is_skipped(result) ? "skipped" : gate_outcome_name(result->outcome))
		->tone = doc_gate_tone(result->outcome, result->rule->warn);
}

static void add_table(struct doc *doc, const struct gate *gate)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, true},
		{"base", "", DOC_RIGHT, false}, {"new", "", DOC_RIGHT, false},
		{"change", "", DOC_RIGHT, false}, {"limit", "", DOC_RIGHT, false},
		{"p", "", DOC_RIGHT, false}, {"detects", "from", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false}};
	bool compares = gate->comparison->on_side[SIDE_BASE] > 0, tests = gate->tests;
	const bool shown[] = {true, compares, true, compares, true, tests, tests, true};
	const struct gate_rule *last = NULL;

	doc_heading(doc, 2, "Checks");
	doc_table_of(doc, columns, shown, sizeof shown)->follows = true;
	for (size_t i = 0; i < gate->count; i++) {
		if (gate->result[i].rule != last)
			doc_gate_rule(doc, gate->result[i].rule);
		last = gate->result[i].rule;
		add_row(doc, gate, &gate->result[i]);
	}
}

static void add_remarks(struct doc *doc, const struct gate *gate)
{
	gate_say_doubts(doc_note(doc), gate);
	doc_keep(doc);
	doc_notes(doc, gate->comparison->remark, gate->comparison->remark_count);
}

/* What was judged by which rules; second: NULL: all runs are of the first title. */
static void add_fields(struct doc *doc, const struct gate_rules *rules,
	const struct comparison *comparison, const char *first, const char *second)
{
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_adds(doc_field(doc, "Rules"), rules->file);
	doc_side(doc, first, comparison, second ? SIDE_BASE : SIDES);
	if (second)
		doc_side(doc, second, comparison, SIDE_NEW);
	doc_only(doc, &comparison->filter);
}

static void doc_gate(
	struct doc *doc, const struct gate *gate, const struct render_options *opt)
{
	doc_heading(doc, 1, "Gate ");
	doc_last(doc)->tone = doc_gate_tone(gate->outcome, false);
	gate_verdict(&doc_last(doc)->words, gate);
	if (opt->verbose >= 0)
		add_fields(doc, gate->rules, gate->comparison, "Base", "New");
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
	if (gate->outcome == GATE_REGRESSION && gate->comparison->on_side[SIDE_BASE])
		strbuf_adds(doc_note(doc),
			"hwsummarize compare with the same runs shows which phases "
			"changed.");
}

/* Calibration: the verdict, rules that are too tight, then all numbers. */

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
	struct strbuf *text;

	doc_heading(doc, 1, "Calibration ");
	doc_last(doc)->tone = calibration->refused ? TONE_BAD : TONE_PLAIN;
	text = &doc_last(doc)->words;
	strbuf_adds(text, calibration->refused ? "refused: " : "done: ");
	if (tight)
		strbuf_addf(text, "%zu too tight, ", tight);
	if (few)
		strbuf_addf(text, "%zu with too few repeats, ", few);
	if (absent)
		strbuf_addf(text, "%zu absent, ", absent);
	strbuf_addf(text, "%zu of %zu number%s learned",
		count_of(calibration, CALIBRATION_LEARNT), calibration->count,
		plural(calibration->count));
}

static void calibration_add_refusals(
	struct doc *doc, const struct calibration *calibration)
{
	struct gate_note *note = xcalloc(calibration->count + 1, sizeof *note);
	size_t count = 0;

	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibration_result *result = &calibration->result[i];

		if (result->outcome != CALIBRATION_LEARNT)
			note[count++] = (struct gate_note){
				result->rule, result->row, result->why, GATE_REGRESSION};
	}
	add_refusals(doc, note, count);
}

static void calibration_add_row(struct doc *doc, const struct calibration_result *result)
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

static void add_min_abs(struct doc *doc, const struct gate_rule *rule, double min_abs)
{
	struct strbuf *text = doc_row_title(doc);

	strbuf_adds(text, "-> min_abs ");
	number_print(text, min_abs);
	if (min_abs == rule->min_abs)
		strbuf_adds(text, " (unchanged)");
}

static void calibration_add_table(struct doc *doc, const struct calibration *calibration)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, true},
		{"median", "", DOC_RIGHT, false}, {"deviation", "", DOC_RIGHT, false},
		{"noise", "", DOC_RIGHT, false}, {"", "", DOC_RIGHT, false},
		{"limit", "", DOC_RIGHT, false}, {"least", "", DOC_RIGHT, false}};

	doc_section(doc, "Noise", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0, at = 0; i < calibration->rules->count; i++) {
		const struct gate_rule *rule = &calibration->rules->rule[i];
		bool learnt = false;

		doc_gate_rule(doc, rule);
		for (; at < calibration->count && calibration->result[at].rule == rule;
			at++) {
			calibration_add_row(doc, &calibration->result[at]);
			learnt |= !isnan(calibration->result[at].noise);
		}
		if (learnt && gate_rule_compares(rule))
			add_min_abs(doc, rule, calibration->min_abs[i]);
	}
}

static bool has_noise(const struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->count; i++)
		if (!isnan(calibration->result[i].noise))
			return true;
	return false;
}

static void calibration_add_remarks(
	struct doc *doc, const struct calibration *calibration)
{
	doc_begin(doc, DOC_NOTES);
	if (has_noise(calibration))
		strbuf_adds(doc_note(doc),
			"In 5 of 100 cases two repeats differ by more than the noise.");
	if (!calibration->refused)
		strbuf_adds(doc_note(doc),
			"--format rules prints the rules with these min_abs.");
	doc_notes(doc, calibration->comparison->remark,
		calibration->comparison->remark_count);
}

static void doc_gate_calibration(struct doc *doc, const struct calibration *calibration,
	const struct render_options *opt)
{
	add_verdict(doc, calibration);
	if (opt->verbose >= 0)
		add_fields(doc, calibration->rules, calibration->comparison, "Repeats",
			NULL);
	calibration_add_refusals(doc, calibration);
	if (opt->verbose < 0) {
		doc->block[doc->count - 1].follows = true;
		return;
	}
	doc_differences(doc, calibration->comparison);
	calibration_add_table(doc, calibration);
	calibration_add_remarks(doc, calibration);
}

/* Self-test: the verdict, changes that were missed, then all. */

static void selftest_add_verdict(struct doc *doc, const struct selftest *selftest)
{
	doc_begin(doc, DOC_HEADING)->level = 1;
	doc_textf(doc, "Self-test %s: the gate was right %zu of %zu time%s",
		selftest->failed ? "failed" : "passed",
		selftest->counted - selftest->failed, selftest->counted,
		plural(selftest->counted))
		->tone = selftest->failed ? TONE_BAD : TONE_PLAIN;
}

static void selftest_add_failures(struct doc *doc, const struct selftest *selftest)
{
	struct gate_note *note = xcalloc(selftest->count + 1, sizeof *note);
	size_t count = 0;

	for (size_t i = 0; i < selftest->count; i++) {
		const struct selftest_result *result = &selftest->result[i];

		if (!result->proved)
			note[count++] = (struct gate_note){
				result->rule, result->row, result->why, GATE_REGRESSION};
	}
	add_refusals(doc, note, count);
}

static void selftest_add_table(struct doc *doc, const struct selftest *selftest)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, true},
		{"", "", DOC_LEFT, false}, {"base", "", DOC_RIGHT, false},
		{"copy", "", DOC_RIGHT, false}, {"change", "", DOC_RIGHT, false},
		{"p", "", DOC_RIGHT, false}, {"the gate says", "", DOC_LEFT, false}};
	const struct gate_rule *last = NULL;

	doc_section(doc, "Changes put into a copy of the base", columns,
		sizeof columns / sizeof *columns);
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

static void selftest_add_remarks(struct doc *doc, const struct selftest *selftest)
{
	const struct comparison *comparison = selftest->comparison;
	size_t runs = comparison->run_count;

	doc_begin(doc, DOC_NOTES);
	strbuf_addf(doc_note(doc),
		"The gate would say this of %zu new run%s against such a base of %zu.",
		runs, plural(runs), runs);
	doc_notes(doc, comparison->remark, comparison->remark_count);
}

static void doc_gate_selftest(struct doc *doc, const struct selftest *selftest,
	const struct render_options *opt)
{
	selftest_add_verdict(doc, selftest);
	if (opt->verbose >= 0)
		add_fields(doc, selftest->rules, selftest->comparison, "Base", NULL);
	selftest_add_failures(doc, selftest);
	if (opt->verbose < 0) {
		doc->block[doc->count - 1].follows = true;
		return;
	}
	doc_differences(doc, selftest->comparison);
	selftest_add_table(doc, selftest);
	selftest_add_remarks(doc, selftest);
}

void doc_result(struct doc *doc, const struct render_result *result,
	const struct render_options *opt)
{
	switch (result->kind) {
	case RESULT_COMPARISON:
		doc_compare(doc, result->comparison, opt);
		break;
	case RESULT_GATE:
		doc_gate(doc, result->gate, opt);
		break;
	case RESULT_CALIBRATION:
		doc_gate_calibration(doc, result->calibration, opt);
		break;
	case RESULT_SELFTEST:
		doc_gate_selftest(doc, result->selftest, opt);
		break;
	case RESULT_TRENDS:
		doc_trends(doc, result->trends, opt);
		break;
	case RESULT_KINDS:
		break;
	}
}
