/* From the groups of a timeline to what is kept of them. */
#include "model/outline.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/timeline_group.h"

static struct outline_devices names_of(
	const struct report *report, const uint32_t *device, size_t count)
{
	struct outline_devices names = {xcalloc(count + 1, sizeof *names.name), count};

	for (size_t i = 0; i < count; i++)
		names.name[i] = xstrdup(report->run->device[device[i]].name);
	return names;
}

static void release_names(struct outline_devices *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
}

struct outline *outline_make(const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);
	const struct timeline *t = report->timeline;
	struct outline *outline;

	if (!t)
		return NULL;
	outline = xcalloc(1, sizeof *outline);
	outline->axis = (struct timeline){.from_ns = t->from_ns,
		.to_ns = t->to_ns,
		.grid_ns = t->grid_ns,
		.step_ns = t->step_ns,
		.columns = t->columns};
	outline->series = xcalloc(count, sizeof *outline->series);
	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		bool any = timeline_group_init(&group, report, &metrics[i]);

		if (any && metrics[i].base != BASE_ZERO) {
			outline->more = true;
		} else if (any) {
			outline->series[i] = (struct outline_series){group.all,
				timeline_group_mean(&group), group.whole,
				names_of(report, group.lacking, group.lacking_count),
				names_of(report, group.partial, group.partial_count)};
			group.all = (struct timeline_series){0};
		}
		timeline_group_release(&group);
	}
	return outline;
}

void outline_free(struct outline *outline)
{
	size_t count;

	if (!outline)
		return;
	timeline_metrics(&count);
	for (size_t i = 0; i < count; i++) {
		struct outline_series *series = &outline->series[i];

		timeline_series_release(&series->all);
		release_names(&series->lacking);
		release_names(&series->partial);
	}
	free(outline->series);
	free(outline);
}
