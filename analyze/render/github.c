/*
 * What went wrong as GitHub's workflow commands: findings, runs that failed or are
 * damaged, what could not be read. Printed only when asked for, never guessed from the
 * environment.
 */
#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "render/formats.h"
#include "render/github_commands.h"
#include "render/short_name.h"
#include "render/told.h"

static enum command_kind kind_of(enum severity severity)
{
	switch (severity) {
	case SEVERITY_BAD:
		return COMMAND_ERROR;
	case SEVERITY_WARN:
		return COMMAND_WARNING;
	case SEVERITY_INFO:
	case SEVERITY_COUNT:
		break;
	}
	return COMMAND_NOTICE;
}

static void add_findings(struct command_list *list, const struct report *report)
{
	size_t fired = told_fired(report);
	struct strbuf said;

	strbuf_init(&said);
	for (size_t i = 0; i < fired; i += told_alike(report, i)) {
		const struct finding *finding = &report->finding[i];

		if (told_already(report, i))
			continue;
		strbuf_clear(&said);
		finding_sentence(&said, report, finding, short_name);
		if (told_alike(report, i) > 1)
			strbuf_adds(&said, "; ");
		told_likewise(&said, report, i);
		commands_add(list, kind_of(finding->rule->severity), finding->rule->title,
			report->run->path, said.text, finding->rule->remedy);
	}
	strbuf_release(&said);
}

/* Does a rule that fires say how the run ended? */
static bool ending_is_told(const struct report *report)
{
	for (size_t i = 0; i < told_fired(report); i++) {
		const struct rule *rule = report->finding[i].rule;

		for (size_t k = 0; k < rule->value_count; k++) {
			const struct reference *of = &rule->value[k].of;

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
	struct command_list list = COMMAND_LIST_INIT;

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
