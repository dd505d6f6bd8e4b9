/* What can be measured and what can be printed, out of the tables. */
#include <stdio.h>

#include "cmd/command.h"
#include "model/metric.h"
#include "render/render.h"

static void list_metrics(void)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = metric_get(id);

		if (m->kind == KIND_TICKS)
			continue;
		printf("%-24s %-6s %s: %s\n", m->name, m->unit, m->title, m->help);
	}
}

enum exit_status cmd_list(const struct options *opt)
{
	size_t count;
	const struct render_format *formats = render_formats(&count);

	if (opt->list_metrics)
		list_metrics();
	for (size_t i = 0; opt->list_formats && i < count; i++)
		printf("%-23s  %s\n", formats[i].name, formats[i].help);
	return EXIT_DONE;
}
