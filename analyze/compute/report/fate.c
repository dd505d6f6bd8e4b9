/* What the manifest says, and what it lacks. Where there is none nothing is known. */
#include "compute/report/fate.h"

#include <inttypes.h>

#include "base/quantity.h"

void fate_say_status(struct strbuf *sb, const struct run *run)
{
	const char *name = signal_name(signal_of_status(run->exit_status));
	const char *refused = run_fact(run, RUN_FACT_EXIT_STATUS);

	if (run->exit_status >= 0)
		strbuf_addf(sb, "%" PRId32, run->exit_status);
	else if (refused)
		strbuf_adds(sb, refused);
	if (name)
		strbuf_addf(sb, " (%s)", name);
}

/* A manifest that could not be read; NULL: there is none, or another one could be. */
static const struct run_file *lost_manifest(const struct run *run)
{
	for (size_t i = 0; i < run->file_count && !run->run_id; i++)
		if (run->file[i].kind == SOURCE_MANIFEST && !run->file[i].rows)
			return &run->file[i];
	return NULL;
}

struct fate fate_of(const struct run *run)
{
	const struct run_file *lost = lost_manifest(run);
	struct fate fate = {FATE_WHOLE, NULL};
	struct strbuf how;

	strbuf_init(&how);
	if (run->exit_status > 0 || run_fact(run, RUN_FACT_EXIT_STATUS)) {
		fate.kind = FATE_FAILED;
		strbuf_adds(&how, "exit status ");
		fate_say_status(&how, run);
		if (run->exit_status < 0)
			strbuf_adds(&how, ", which is none from 0 to 255");
	} else if (run->started_ns != TIME_NONE && run->ended_ns == TIME_NONE) {
		fate.kind = FATE_CUT_OFF;
		strbuf_adds(&how, "its manifest has no end");
	} else if (lost) {
		fate.kind = FATE_CUT_OFF;
		strbuf_addf(&how, "%s %s", lost->path,
			lost->size ? "is no whole JSON object" : "is empty");
	}
	if (fate.kind != FATE_WHOLE)
		fate.how = strbuf_detach(&how);
	else
		strbuf_release(&how);
	return fate;
}
