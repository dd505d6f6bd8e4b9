/*
 * GitHub workflow commands: findings, failed or damaged runs, unreadable files,
 * results of a gate. Printed only if asked for, never guessed from the environment.
 *
 * A runner takes every line that begins with "::" (after blanks) for a command; it keeps
 * ten errors, warnings and notices per step and 4096 characters each. Bytes from outside
 * can never begin such a line: controls are made visible first, then %, CR and LF are
 * escaped, and in properties : and , as well (Runner.Common, ActionCommand.cs).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/text.h"
#include "render/doc_compare.h"
#include "render/doc_findings.h"
#include "render/doc_gate.h"
#include "render/formats.h"
#include "render/run_names.h"
#include "render/utf8.h"

enum command_kind {
	COMMAND_ERROR,
	COMMAND_WARNING,
	COMMAND_NOTICE,
	COMMAND_KINDS
};

struct command {
	enum command_kind kind;
	const char *title; /* borrowed */
	char *text; /* owned */
};

struct command_list {
	struct command *command;
	size_t count, cap;
};

#define COMMANDS_MOST 10 /* of a kind */
#define PATH_COLUMNS  120
#define TEXT_COLUMNS  1500

static const char *const kind_name[COMMAND_KINDS] = {"error", "warning", "notice"};

/*
 * "path: what is said", and what to do in a line of its own; path and remedy may be
 * NULL. title and remedy are ours, or a rule's of schema/findings.
 */
static void commands_add(struct command_list *list, enum command_kind kind,
	const char *title, const char *path, const char *said, const char *remedy)
{
	struct strbuf inert = strbuf_new(), text = strbuf_new();

	if (path) {
		utf8_inert(&inert, path);
		utf8_cut_front(&text, inert.text, PATH_COLUMNS, "…");
		strbuf_adds(&text, ": ");
		strbuf_clear(&inert);
	}
	utf8_inert(&inert, said);
	utf8_cut(&text, inert.text, TEXT_COLUMNS, "…");
	if (remedy)
		strbuf_addf(&text, "\n%s", remedy);
	ALLOC_GROW(list->command, list->count + 1, list->cap);
	list->command[list->count++] =
		(struct command){kind, title, strbuf_detach(&text)};
	strbuf_release(&inert);
}

static void add_escaped(struct strbuf *line, const char *text, const char *escaped)
{
	for (; *text; text++)
		if (strchr(escaped, *text))
			strbuf_addf(line, "%%%02X", (unsigned)(unsigned char)*text);
		else
			strbuf_addc(line, *text);
}

static void print(FILE *out, enum command_kind kind, const char *title, const char *text)
{
	struct strbuf line = strbuf_new();

	strbuf_addf(&line, "::%s title=", kind_name[kind]);
	add_escaped(&line, title, "%\r\n:,");
	strbuf_adds(&line, "::");
	add_escaped(&line, text, "%\r\n");
	fprintf(out, "%s\n", line.text);
	strbuf_release(&line);
}

static void print_kind(FILE *out, const struct command_list *list, enum command_kind kind)
{
	size_t count = 0, printed = 0, most;

	for (size_t i = 0; i < list->count; i++)
		count += list->command[i].kind == kind;
	most = count > COMMANDS_MOST ? COMMANDS_MOST - 1 : count;
	for (size_t i = 0; i < list->count && printed < most; i++) {
		const struct command *c = &list->command[i];

		if (c->kind != kind)
			continue;
		print(out, kind, c->title, c->text);
		printed++;
	}
	if (most < count) {
		struct strbuf more = strbuf_new();

		strbuf_addf(&more, "%zu more %ss are in the report", count - most,
			kind_name[kind]);
		print(out, kind, "And more", more.text);
		strbuf_release(&more);
	}
}

/* Prints them by their kind, at most ten of each, and releases them. */
static void commands_print(struct command_list *list, FILE *out)
{
	for (enum command_kind kind = 0; kind < COMMAND_KINDS; kind++)
		print_kind(out, list, kind);
	for (size_t i = 0; i < list->count; i++)
		free(list->command[i].text);
	free(list->command);
}

static const enum command_kind kind_of[SEVERITY_COUNT] = {
	[SEVERITY_INFO] = COMMAND_NOTICE,
	[SEVERITY_WARN] = COMMAND_WARNING,
	[SEVERITY_BAD] = COMMAND_ERROR};

static void add_findings(struct command_list *list, const struct report *report)
{
	size_t fired = findings_fired(report);
	struct strbuf said = strbuf_new();

	for (size_t i = 0; i < fired; i += findings_of_rule(report, i)) {
		const struct finding *finding = &report->finding[i];

		if (finding_is_covered(report, i))
			continue;
		strbuf_clear(&said);
		finding_sentence(&said, report, finding, short_name);
		if (findings_of_rule(report, i) > 1)
			strbuf_adds(&said, "; ");
		finding_say_others(&said, report, i);
		commands_add(list, kind_of[finding->rule->severity], finding->rule->title,
			report->run->path, said.text, finding->rule->remedy);
	}
	strbuf_release(&said);
}

/* Does a rule that fires say how the run ended? */
static bool ending_is_told(const struct report *report)
{
	for (size_t i = 0; i < findings_fired(report); i++) {
		const struct rule *rule = report->finding[i].rule;

		for (size_t k = 0; k < rule->value_count; k++) {
			const struct reference *of = &rule->value[k].part[PART_OF];

			if (of->kind == REFERENCE_EVIDENCE &&
				(of->item == EVIDENCE_EXIT_STATUS ||
					of->item == EVIDENCE_SIGNAL ||
					of->item == EVIDENCE_ABRUPT))
				return true;
		}
	}
	return false;
}

static void add_ending(struct command_list *list, const struct report *report)
{
	const struct ending *ending = &report->ending;
	int32_t exit_status = report->run->exit_status;
	struct strbuf said;

	if ((exit_status <= 0 && !ending->abrupt) || ending_is_told(report))
		return;
	strbuf_init(&said);
	if (exit_status > 0)
		strbuf_addf(&said, "; the command ended with exit status %" PRId32,
			exit_status);
	if (ending->abrupt)
		strbuf_adds(&said, "; the run, or its recording, was cut off");
	for (enum ending_sign sign = 0; sign < ENDING_SIGNS; sign++)
		if (ending->sign[sign])
			strbuf_addf(&said, ", %s", ending_sign_name(sign));
	commands_add(list, COMMAND_ERROR,
		exit_status > 0 ? "The run failed" : "The run was cut off",
		report->run->path, said.text + 2, NULL);
	strbuf_release(&said);
}

/* One for all of it, with what came most often. */
static void add_damage(struct command_list *list, const struct report *report)
{
	const struct diag_list *diags = &report->run->diags;
	const struct diag *most = NULL;
	struct strbuf said;
	uint64_t count = 0;

	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *diag = &diags->at[i];

		if (!diag->damage)
			continue;
		count += diag->count;
		if (!most || diag->count > most->count)
			most = diag;
	}
	if (!most)
		return;
	strbuf_init(&said);
	if (count > 1) {
		strbuf_adds(&said, "damage in ");
		quantity_count(&said, count);
		strbuf_adds(&said, " places, most often: ");
	}
	strbuf_adds(&said, most->file);
	if (most->line)
		strbuf_addf(&said, ":%" PRIu64, most->line);
	strbuf_addf(&said, "%s%s", *most->file ? ": " : "", most->text);
	commands_add(list, COMMAND_WARNING, "The recording is damaged", report->run->path,
		said.text, "hwsummarize check lists all damage.");
	strbuf_release(&said);
}

int github_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct command_list list = {0};

	(void)opt;
	for (size_t i = 0; i < in->warning_count; i++)
		commands_add(&list, COMMAND_ERROR, "Not everything could be read", NULL,
			in->warning[i], NULL);
	for (size_t i = 0; i < in->report_count; i++) {
		add_ending(&list, &in->report[i]);
		add_findings(&list, &in->report[i]);
		add_damage(&list, &in->report[i]);
	}
	commands_print(&list, out);
	return render_check(out, "github", err);
}

/*
 * A gate: failures are errors; inconclusive results, warnings and doubtful passes are
 * warnings.
 */

static const char *const incident_title[GATE_INCIDENTS] = {[GATE_RUN_LOST] = "Run lost",
	[GATE_RUN_FAILED] = "Run failed",
	[GATE_RUN_CUT_OFF] = "Run cut off",
	[GATE_DEVICE_VANISHED] = "GPU vanished",
	[GATE_DEVICE_LOST] = "GPU lost"};

/* What did not pass. */
static const struct {
	enum command_kind kind;
	const char *title;
} not_passed[] = {[GATE_INCONCLUSIVE] = {COMMAND_WARNING, "Inconclusive"},
	[GATE_REGRESSION] = {COMMAND_ERROR, "Regression"},
	[GATE_UNUSABLE] = {COMMAND_ERROR, "Nothing to judge"}};

/* A pass that leaves something open is no plain one. */
static void add_doubts(struct command_list *list, const struct gate *gate)
{
	struct strbuf text = strbuf_new();

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

int github_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct gate *gate = result->gate;
	struct gate_note *note = xcalloc(gate->count + 1, sizeof *note);
	size_t count = gate_notes(gate, note);
	struct command_list list = {0};
	struct strbuf text = strbuf_new();

	(void)opt;
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
		commands_add(&list,
			first->rule->warn ? COMMAND_WARNING
					  : not_passed[first->outcome].kind,
			not_passed[first->outcome].title, NULL, text.text, NULL);
	}
	add_doubts(&list, gate);
	strbuf_clear(&text);
	not_alike_say_all(&text, gate->comparison);
	if (text.len)
		commands_add(&list, COMMAND_NOTICE, "Other differences", NULL, text.text,
			NULL);
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
