/*
 * How a gate came out as GitHub's workflow commands: what fails it is an error, what it
 * can't tell, what only warns, and what passes in doubt, a warning. Judges nothing.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "render/formats.h"
#include "render/gate_notes.h"
#include "render/github_commands.h"
#include "render/not_alike.h"

static const char *const incident_title[GATE_INCIDENTS] = {[GATE_RUN_LOST] = "Run lost",
	[GATE_RUN_FAILED] = "Run failed",
	[GATE_RUN_CUT_OFF] = "Run cut off",
	[GATE_DEVICE_VANISHED] = "GPU vanished",
	[GATE_DEVICE_LOST] = "GPU lost"};

static enum command_kind kind_of(const struct gate_note *note)
{
	if (note->rule->warn)
		return COMMAND_WARNING;
	switch (note->outcome) {
	case GATE_REGRESSION:
	case GATE_UNUSABLE:
		return COMMAND_ERROR;
	case GATE_INCONCLUSIVE:
		return COMMAND_WARNING;
	case GATE_PASS:
		break;
	}
	return COMMAND_NOTICE;
}

static const char *title_of(enum gate_outcome outcome)
{
	switch (outcome) {
	case GATE_REGRESSION:
		return "Regression";
	case GATE_UNUSABLE:
		return "Nothing to judge";
	case GATE_INCONCLUSIVE:
		return "Inconclusive";
	case GATE_PASS:
		break;
	}
	return "Gate";
}

/* A pass that leaves something open is no plain one. */
static void add_doubts(struct command_list *list, const struct gate *gate)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->result[i];

		strbuf_clear(&text);
		gate_name(&text, result->rule, result->row);
		strbuf_adds(&text, ": ");
		if (gate_say_doubt(&text, result))
			commands_add(list, COMMAND_WARNING, "Passed in doubt", NULL,
				text.text, NULL);
	}
	strbuf_release(&text);
}

int github_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct gate_note *note = xcalloc(gate->count + 1, sizeof *note);
	size_t count = gate_notes(gate, note);
	struct command_list list = COMMAND_LIST_INIT;
	struct strbuf text;

	(void)opt;
	strbuf_init(&text);
	for (size_t i = 0; i < gate->incident_count;) {
		const struct gate_incident *first = &gate->incident[i];

		strbuf_clear(&text);
		i += gate_incident_say(&text, first, gate->incident_count - i);
		commands_add(&list, COMMAND_ERROR, incident_title[first->kind], NULL,
			text.text, NULL);
	}
	for (size_t i = 0; i < count;) {
		const struct gate_note *first = &note[i];

		strbuf_clear(&text);
		i += gate_note_say(&text, first, count - i);
		commands_add(&list, kind_of(first), title_of(first->outcome), NULL,
			text.text, NULL);
	}
	add_doubts(&list, gate);
	strbuf_clear(&text);
	not_alike_say_all(&text, gate->comparison);
	if (text.len)
		commands_add(&list, COMMAND_NOTICE, "Not alike", NULL, text.text, NULL);
	for (size_t i = 0; i < gate->comparison->remark_count; i++)
		commands_add(&list, COMMAND_NOTICE, "Compared", NULL,
			gate->comparison->remark[i], NULL);
	strbuf_clear(&text);
	gate_verdict(&text, gate);
	commands_add(&list, COMMAND_NOTICE, "Gate", NULL, text.text, NULL);
	commands_print(&list, out);
	strbuf_release(&text);
	free(note);
	return render_check(out, "github", err);
}
