/*
 * Problems of the runs of a comparison: which findings that cost something fired in which
 * run. Must not judge, beyond what a report says.
 */
#include "compute/compare/problems.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static struct compared_problem *find(struct comparison *out, const struct rule *rule,
	const char *device, size_t runs_most)
{
	struct compared_problem *problem;

	for (size_t i = 0; i < out->problem_count; i++)
		if (strcmp(out->problem[i].rule, rule->id) == 0 &&
			text_equal(out->problem[i].device, device))
			return &out->problem[i];
	ALLOC_GROW(out->problem, out->problem_count + 1, out->problem_cap);
	problem = &out->problem[out->problem_count++];
	*problem = (struct compared_problem){.rule = xstrdup(rule->id),
		.title = xstrdup(rule->title),
		.device = device ? xstrdup(device) : NULL,
		.severity = rule->severity,
		.outcome = xcalloc(runs_most, sizeof *problem->outcome)};
	for (size_t i = 0; i < runs_most; i++)
		problem->outcome[i] = OUTCOME_SILENT;
	return problem;
}

void problems_add(struct comparison *out, const struct report *report, size_t runs_most)
{
	size_t run = out->run_count - 1;

	out->run[run].checked = report->checks > 0;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		const char *device = finding_device(report, finding);

		if (finding->rule->severity != SEVERITY_INFO)
			find(out, finding->rule, device, runs_most)->outcome[run] =
				finding->outcome;
	}
}
