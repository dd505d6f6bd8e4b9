/* Sentences and their order. Must not judge. */
#include "render/gate_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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
	say_incidents(sb, gate);
	if (outcomes[GATE_UNUSABLE])
		strbuf_addf(sb, "%zu unusable, ", outcomes[GATE_UNUSABLE]);
	if (outcomes[GATE_REGRESSION])
		strbuf_addf(sb, "%zu regression%s, ", outcomes[GATE_REGRESSION],
			plural(outcomes[GATE_REGRESSION]));
	if (outcomes[GATE_INCONCLUSIVE])
		strbuf_addf(sb, "%zu inconclusive, ", outcomes[GATE_INCONCLUSIVE]);
	strbuf_addf(sb, "%zu of %zu passed", outcomes[GATE_PASS], all);
}

void gate_subject(struct strbuf *sb, const struct comparison_row *row)
{
	const char *const part[] = {row ? row->measure.work : NULL,
		row ? row->measure.device : NULL, row ? row->measure.phase : NULL};
	size_t from = sb->len;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			strbuf_addf(sb, "%s%s", sb->len > from ? ", " : "", part[i]);
}

void gate_name(
	struct strbuf *sb, const struct gate_rule *rule, const struct comparison_row *row)
{
	struct strbuf subject;

	strbuf_init(&subject);
	gate_subject(&subject, row);
	strbuf_adds(sb, rule->name);
	if (subject.len)
		strbuf_addf(sb, " (%s)", subject.text);
	if (rule->warn)
		strbuf_adds(sb, " (only warns)");
	strbuf_release(&subject);
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

static bool may_miss(const struct gate_result *result)
{
	return result->outcome == GATE_PASS && result->runs_needed;
}

/* The truth may be another, but it would pass, too. */
static bool is_uncovered(const struct gate_result *result)
{
	return result->outcome == GATE_PASS && result->uncovered;
}

bool gate_say_doubt(struct strbuf *text, const struct gate_result *result)
{
	if (!is_beyond(result) && !may_miss(result) && !is_uncovered(result))
		return false;
	strbuf_adds(text, result->why);
	if (is_beyond(result)) {
		strbuf_adds(text, "; expected ");
		gate_limit_sentence(
			text, result->rule, result->limit, result->row->measure.unit);
	}
	if (may_miss(result))
		strbuf_addf(text,
			"; may miss a change as large as the limit, which %zu runs on "
			"each side would show",
			result->runs_needed);
	return true;
}

void gate_say_doubts(struct strbuf *text, const struct gate *gate)
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
			"%zu check%s passed beyond the limit, which chance could have "
			"done",
			beyond, plural(beyond));
	if (weak)
		strbuf_addf(text,
			"%s%zu check%s passed that may miss a change as large as the "
			"limit; %zu runs on each side would show it",
			beyond ? "; " : "", weak, plural(weak), runs);
	if (uncovered)
		strbuf_addf(text,
			"%s%zu check%s passed of which not all of the time is covered",
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

/* The same of another. */
static bool is_alike(const struct gate_incident *a, const struct gate_incident *b)
{
	return a->kind == b->kind && strcmp(a->why, b->why) == 0;
}

size_t gate_incident_say(
	struct strbuf *text, const struct gate_incident *incident, size_t count)
{
	size_t alike = 1, named;

	while (alike < count && is_alike(&incident[alike], incident))
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
