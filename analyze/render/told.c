/* One walk over the findings, which stand by rule. */
#include "render/told.h"

#include <inttypes.h>

#include <string.h>

#define SAID_COST 1.25 /* what costs so many times more is more than what says it */

size_t told_fired(const struct report *report)
{
	size_t fired = 0;

	while (fired < report->finding_count &&
		report->finding[fired].outcome == OUTCOME_FIRES)
		fired++;
	return fired;
}

size_t told_alike(const struct report *report, size_t from)
{
	const struct finding *first = &report->finding[from];
	size_t count = 1;

	while (from + count < report->finding_count &&
		report->finding[from + count].rule == first->rule &&
		report->finding[from + count].outcome == first->outcome)
		count++;
	return count;
}

/* Of the rule of a finding: what it costs, of several GPUs all of them if the run is
 * meant. */
static double cost_of(const struct report *report, const struct finding *finding,
	const struct finding *by)
{
	size_t first = (size_t)(by - report->finding);
	double cost = 0;

	if (finding->device != FINDING_RUN || by->device == FINDING_RUN)
		return by->cost_gpu_s;
	for (size_t i = 0; i < told_alike(report, first); i++)
		cost += by[i].cost_gpu_s;
	return cost;
}

/* What fires and says the same, of the run or of this GPU; NULL: nothing. */
static const struct finding *says(
	const struct report *report, size_t fired, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	for (size_t i = 0; i < fired; i++)
		for (size_t k = 0; k < rule->said_by_count; k++)
			if (strcmp(report->finding[i].rule->id, rule->said_by[k]) == 0 &&
				(finding->device == FINDING_RUN ||
					report->finding[i].device == FINDING_RUN ||
					report->finding[i].device == finding->device))
				return &report->finding[i];
	return NULL;
}

/* Unless these cost more together, as far as it is known. */
bool told_already(const struct report *report, size_t from)
{
	size_t fired = told_fired(report), count = told_alike(report, from);
	double cost = 0, said_cost = 0;
	const struct finding *before = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct finding *by =
			says(report, fired, &report->finding[from + i]);

		if (!by)
			return false;
		cost += report->finding[from + i].cost_gpu_s;
		said_cost += by == before
			? 0
			: cost_of(report, &report->finding[from + i], by);
		before = by;
	}
	return !(cost > SAID_COST * said_cost);
}

/* Is the sentence of all of them that of the first, but for the device? */
static bool has_same_numbers(const struct report *report, size_t from, size_t count)
{
	struct strbuf first, other;
	bool same = true;

	strbuf_init(&first);
	strbuf_init(&other);
	finding_sentence(&first, report, &report->finding[from], strbuf_adds);
	for (size_t i = 1; i < count && same; i++) {
		struct finding finding = report->finding[from + i];

		finding.device = report->finding[from].device;
		strbuf_clear(&other);
		finding_sentence(&other, report, &finding, strbuf_adds);
		same = strcmp(first.text, other.text) == 0;
	}
	strbuf_release(&first);
	strbuf_release(&other);
	return same;
}

void told_likewise(struct strbuf *text, const struct report *report, size_t from)
{
	size_t count = told_alike(report, from);
	bool same = count < 2 || has_same_numbers(report, from, count);

	for (size_t i = 1; i < count; i++)
		strbuf_addf(text, "%s%s",
			i > 1	       ? ", "
				: same ? "likewise "
				       : "likewise, with other numbers, ",
			report->run->device[report->finding[from + i].device].name);
}

void told_lines(
	struct strbuf *text, const struct run *run, const struct finding_stretch *stretch)
{
	const struct event_place *first = &stretch->first, *last = &stretch->last;

	if (!first->line || first->file >= run->file_count ||
		last->file >= run->file_count)
		return;
	strbuf_addf(text, " at %s:%" PRIu64, run->file[first->file].path, first->line);
	if (last->file != first->file)
		strbuf_addf(
			text, " to %s:%" PRIu64, run->file[last->file].path, last->line);
	else if (last->line != first->line)
		strbuf_addf(text, "-%" PRIu64, last->line);
}
