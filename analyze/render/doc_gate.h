/* Offers the words of a gate. */
#ifndef RENDER_DOC_GATE_H
#define RENDER_DOC_GATE_H

#include "base/text.h"
#include "model/gate.h"
#include "render/doc.h"
#include "render/render.h"

/* Sentences for what did not pass a gate, the worst first. Every format uses them. */

/* A sentence on a number that a rule is of. */
struct gate_note {
	const struct gate_rule *rule;
	const struct comparison_row *row; /* NULL: of the rule alone */
	const char *why;
	enum gate_outcome outcome;
};

/*
 * All results that did not pass, as note[gate->count] at most: those that fail the gate
 * before those that only warn, the worst outcome first, then what is farthest beyond its
 * limit. Gives how many.
 */
size_t gate_notes(const struct gate *gate, struct gate_note *note);

/*
 * Says the first note, and in one sentence with it those behind it that say the same.
 * Gives of how many it is, of count.
 */
size_t gate_note_say(struct strbuf *text, const struct gate_note *note, size_t count);

/*
 * "new3, new4: these new runs could not be used, which fails the gate": the first
 * incident, with those behind it that say the same. Gives of how many it is, of count.
 */
size_t gate_incident_say(
	struct strbuf *text, const struct gate_incident *incident, size_t count);

/*
 * What a pass leaves open: a limit that is exceeded, which chance could have done, a
 * change as large as the limit that so few runs may miss, or time that is not covered.
 * false: nothing, or no pass.
 */
bool gate_say_doubt(struct strbuf *text, const struct gate_result *result);

/* "peak memory (gpu0)": a rule, and of which number. */
void gate_name(struct strbuf *text, const struct gate_rule *rule,
	const struct comparison_row *row);

/* "failed: 1 regression, 3 of 4 passed" */
void gate_verdict(struct strbuf *sb, const struct gate *gate);

#endif
