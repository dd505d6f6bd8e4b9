/*
 * How a gate came out: the verdict, then what did not pass, the worst first, then a table
 * of all that was judged. Must not judge.
 */
#include "render/doc_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/strbuf.h"

#define NAMES_MOST 6 /* of a sentence that is said of several */
#define RUNS_MOST  4 /* of a side, by name */

static const enum doc_tone tone_of[] = {[GATE_PASS] = TONE_PLAIN,
	[GATE_INCONCLUSIVE] = TONE_WARN,
	[GATE_REGRESSION] = TONE_BAD,
	[GATE_UNUSABLE] = TONE_BAD};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* The worst first, so that what is cut off matters least. */
void gate_verdict(struct strbuf *sb, const struct gate *gate)
{
	static const char *const verdict[] = {[GATE_PASS] = "passed",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_REGRESSION] = "failed",
		[GATE_UNUSABLE] = "unusable"};
	const size_t *outcomes = gate->outcomes;
	size_t all = 0;

	for (enum gate_outcome outcome = 0; outcome <= GATE_UNUSABLE; outcome++)
		all += outcomes[outcome];
	strbuf_addf(sb, "%s: ", verdict[gate->outcome]);
	if (gate->lost_count)
		strbuf_addf(sb, "%zu new run%s lost, ", gate->lost_count,
			plural(gate->lost_count));
	if (outcomes[GATE_UNUSABLE])
		strbuf_addf(sb, "%zu unusable, ", outcomes[GATE_UNUSABLE]);
	if (outcomes[GATE_REGRESSION])
		strbuf_addf(sb, "%zu regression%s, ", outcomes[GATE_REGRESSION],
			plural(outcomes[GATE_REGRESSION]));
	if (outcomes[GATE_INCONCLUSIVE])
		strbuf_addf(sb, "%zu inconclusive, ", outcomes[GATE_INCONCLUSIVE]);
	strbuf_addf(
		sb, "%zu of %zu check%s passed", outcomes[GATE_PASS], all, plural(all));
}

/* Which number it is, where the rule may be of several. */
static void name_subject(struct strbuf *sb, const struct comparison_row *row)
{
	const char *const part[] = {row ? row->measure.work : NULL,
		row ? row->measure.device : NULL, row ? row->measure.phase : NULL};
	size_t from = sb->len;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			strbuf_addf(sb, "%s%s", sb->len > from ? ", " : "", part[i]);
}

/* "peak memory (gpu0)" */
static void name_result(struct strbuf *sb, const struct gate_result *result)
{
	struct strbuf subject;

	strbuf_init(&subject);
	name_subject(&subject, result->row);
	strbuf_adds(sb, result->rule->name);
	if (subject.len)
		strbuf_addf(sb, " (%s)", subject.text);
	if (result->rule->warn)
		strbuf_adds(sb, " (only warns)");
	strbuf_release(&subject);
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

static bool is_said_alike(const struct gate_result *a, const struct gate_result *b)
{
	return a->outcome == b->outcome && a->rule->warn == b->rule->warn &&
		strcmp(a->why, b->why) == 0;
}

/* What is the same of several is said once. Gives how many of order[] it is of. */
static size_t say_alike(
	struct doc *doc, const struct gate_result *const *order, size_t count)
{
	const struct gate_result *first = order[0];
	size_t alike = 1, named;
	struct strbuf text;

	while (alike < count && is_said_alike(first, order[alike]))
		alike++;
	named = alike > NAMES_MOST ? NAMES_MOST - 1 : alike;
	strbuf_init(&text);
	for (size_t i = 0; i < named; i++) {
		strbuf_adds(&text, i ? "; " : "");
		name_result(&text, order[i]);
	}
	if (named < alike)
		strbuf_addf(&text, " and %zu more", alike - named);
	strbuf_addf(&text, ": %s", first->why);
	doc_text(doc, NULL);
	doc_text(doc, text.text)->tone = tone_of[first->outcome];
	strbuf_release(&text);
	return alike;
}

static void add_lost(struct doc *doc, const struct gate *gate)
{
	struct strbuf text;

	if (!gate->lost_count)
		return;
	strbuf_init(&text);
	for (size_t i = 0; i < gate->lost_count && i < NAMES_MOST; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", gate->lost[i]);
	if (gate->lost_count > NAMES_MOST)
		strbuf_addf(&text, " and %zu more", gate->lost_count - NAMES_MOST);
	strbuf_addf(&text, ": %s could not be used, which fails the gate",
		gate->lost_count == 1 ? "this new run" : "these new runs");
	doc_text(doc, NULL);
	doc_text(doc, text.text)->tone = TONE_BAD;
	strbuf_release(&text);
}

/* All that did not pass. */
static void add_failures(struct doc *doc, const struct gate *gate)
{
	const struct gate_result **order = xcalloc(gate->count + 1, sizeof *order);
	size_t count = 0;

	for (size_t i = 0; i < gate->count; i++)
		if (gate->result[i].outcome != GATE_PASS)
			order[count++] = &gate->result[i];
	qsort(order, count, sizeof *order, by_weight);
	doc_begin(doc, DOC_NOTES);
	add_lost(doc, gate);
	for (size_t i = 0; i < count;)
		i += say_alike(doc, order + i, count - i);
	free(order);
}

static void add_side(struct doc *doc, const struct comparison *comparison, enum side side)
{
	size_t shown = 0;
	struct strbuf text;

	if (!comparison->on_side[side])
		return;
	strbuf_init(&text);
	for (size_t i = 0; i < comparison->run_count; i++) {
		if (comparison->run[i].side != side || shown++ >= RUNS_MOST)
			continue;
		strbuf_addf(
			&text, "%s%s", shown > 1 ? ", " : "", comparison->run[i].name);
	}
	if (shown > RUNS_MOST)
		strbuf_addf(&text, " and %zu more", shown - RUNS_MOST);
	doc_text(doc, side == SIDE_BASE ? "Base" : "New");
	doc_text(doc, text.text);
	strbuf_release(&text);
}

static void add_value(struct doc *doc, const struct comparison_row *row, double x)
{
	struct strbuf text;

	strbuf_init(&text);
	quantity_number(&text, x, row->measure.decimals);
	if (*row->measure.unit)
		strbuf_addf(&text, " %s", row->measure.unit);
	doc_text(doc, isnan(x) ? NULL : text.text);
	strbuf_release(&text);
}

/* A change in per cent of the base, or in the unit, as the limit is. */
static struct doc_cell *add_part(
	struct doc *doc, const struct gate_result *result, const char *sign, double x)
{
	double base = fabs(result->row->side[SIDE_BASE].median);
	bool pct = base > 0 && result->limit != GATE_MAX_INCREASE &&
		result->limit != GATE_MAX_DECREASE;
	double part = pct ? 100 * x / base : x;
	int decimals = pct ? 1 : result->row->measure.decimals;
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

/* ">= 80", "+5 %" */
static void add_limit(struct doc *doc, const struct gate_result *result)
{
	static const char *const form[GATE_LIMITS][2] = {
		{">= ", ""}, {"<= ", ""}, {"+", ""}, {"-", ""}, {"+", " %"}, {"-", " %"}};
	struct strbuf text;

	if (result->limit == GATE_LIMITS) {
		doc_blank(doc);
		return;
	}
	strbuf_init(&text);
	strbuf_adds(&text, form[result->limit][0]);
	number_print(&text, result->rule->limit[result->limit]);
	strbuf_adds(&text, form[result->limit][1]);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* Nothing where no change could have been significant. */
static void add_p(struct doc *doc, const struct gate_result *result)
{
	if (isnan(result->p) || isinf(result->detectable))
		doc_blank(doc);
	else if (result->p < 0.0005)
		doc_text(doc, "<0.001");
	else
		doc_number(doc, result->p, 3);
}

/* Of a bound the new value that is nearest to it, or farthest beyond. */
static double new_value(const struct gate_result *result)
{
	return result->run != SIZE_MAX && !gate_limit_is_change(result->limit)
		? result->row->value[result->run]
		: result->row->side[SIDE_NEW].median;
}

static void add_row(struct doc *doc, const struct gate *gate,
	const struct gate_result *result, bool compares)
{
	const struct comparison_row *row = result->row;
	struct strbuf subject;

	strbuf_init(&subject);
	name_subject(&subject, row);
	doc_text(doc, subject.len ? subject.text : "run");
	strbuf_release(&subject);
	if (compares && row) {
		add_value(doc, row, row->side[SIDE_BASE].median);
	} else if (compares) {
		doc_blank(doc);
	}
	if (row)
		add_value(doc, row, new_value(result));
	else
		doc_blank(doc);
	if (compares && row)
		add_part(doc, result, "+", row->difference);
	else if (compares)
		doc_blank(doc);
	add_limit(doc, result);
	if (gate->tests) {
		add_p(doc, result);
		if (row)
			add_part(doc, result, "", result->detectable)->tone =
				result->detectable > result->allowed ? TONE_WARN
								     : TONE_PLAIN;
		else
			doc_blank(doc);
	}
	doc_text(doc, gate_outcome_name(result->outcome))->tone =
		tone_of[result->outcome];
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

/* A title over the rows of each rule: what it asks. */
static void add_table(struct doc *doc, const struct gate *gate)
{
	bool compares = gate->comparison->on_side[SIDE_BASE] > 0;
	const struct gate_rule *last = NULL;
	struct strbuf title;

	strbuf_init(&title);
	doc_heading(doc, 2, "Checks");
	begin_table(doc, gate, compares);
	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->result[i];

		if (result->rule != last) {
			strbuf_clear(&title);
			strbuf_addf(&title, "%s%s: ", result->rule->name,
				result->rule->warn ? " (only warns)" : "");
			gate_rule_sentence(&title, result->rule);
			doc_row_title(doc, title.text);
		}
		last = result->rule;
		add_row(doc, gate, result, compares);
	}
	strbuf_release(&title);
}

/* What passed, but could not have failed for a change as large as its limit. */
static void add_weak(struct doc *doc, const struct gate *gate)
{
	size_t weak = 0, runs = 0;

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->result[i];

		if (result->outcome != GATE_PASS || !result->runs_needed)
			continue;
		weak++;
		runs = result->runs_needed > runs ? result->runs_needed : runs;
	}
	if (!weak)
		return;
	doc_text(doc, NULL);
	doc_textf(doc,
		"%zu check%s passed that may miss a change as large as the limit; %zu "
		"runs on each side would show it",
		weak, plural(weak), runs);
}

static void add_remarks(struct doc *doc, const struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	doc_begin(doc, DOC_NOTES);
	add_weak(doc, gate);
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
	doc_text(doc, verdict.text)->tone = tone_of[gate->outcome];
	strbuf_release(&verdict);
	if (opt->verbose >= 0) {
		doc_begin(doc, DOC_FIELDS)->follows = true;
		doc_text(doc, "Rules");
		doc_text(doc, gate->rules->file);
		add_side(doc, gate->comparison, SIDE_BASE);
		add_side(doc, gate->comparison, SIDE_NEW);
	}
	add_failures(doc, gate);
	if (opt->verbose < 0) {
		doc->block[doc->count - 1].follows = true;
		return;
	}
	add_table(doc, gate);
	add_remarks(doc, gate);
}
