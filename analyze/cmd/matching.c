/* The names of a run are looked at one kind after the other. */
#include "cmd/matching.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"

#define NAMES_SAID 8
#define RUNS_SAID  4

/* The names of one kind in all runs. */
struct names {
	const char **at; /* [count] borrowed */
	size_t count, cap;
};

static void add(struct names *names, const char *name)
{
	ALLOC_GROW(names->at, names->count + 1, names->cap);
	names->at[names->count++] = name;
}

struct subject {
	const char *option, *thing;
	const char *asked; /* NULL: nothing */
	bool (*matches)(const struct report *report, const struct report_filter *filter,
		struct names *names);
};

/* Only of devices of which there is a number; single CPUs as far as they are shown. */
static bool matches_device(const struct report *report,
	const struct report_filter *filter, struct names *names)
{
	uint32_t before = UINT32_MAX;
	bool any = false;

	for (size_t i = 0; i < report->stats_count; i++) {
		uint32_t index = report->stats[i].device;
		const struct device *device = &report->run->device[index];

		if (index == before || (device_is_core(device) && !filter->per_core))
			continue;
		before = index;
		add(names, device->name);
		any |= fnmatch(filter->device, device->name, 0) == 0;
	}
	return any;
}

static bool matches_metric(const struct report *report,
	const struct report_filter *filter, struct names *names)
{
	bool known[METRIC_COUNT] = {false}, any = false;

	for (size_t i = 0; i < report->stats_count; i++)
		known[report->stats[i].metric] = true;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (!known[id])
			continue;
		add(names, metric_get(id)->name);
		any |= globs_match(filter->metric, metric_get(id)->name);
	}
	return any;
}

static bool matches_phase(const struct report *report, const struct report_filter *filter,
	struct names *names)
{
	bool any = false;

	for (size_t i = 0; i < report->path_count; i++) {
		add(names, report->path[i].path);
		any |= phase_path_matches(&report->path[i], filter->phase);
	}
	return any;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "; did you mean gpu0?", or what there is. */
static void add_names(struct strbuf *text, const char *asked, struct names *names)
{
	struct near near = {.asked = asked};
	struct name_list list;

	name_list_init(&list, NAMES_SAID);
	if (names->count)
		qsort(names->at, names->count, sizeof *names->at, by_name);
	for (size_t i = 0; i < names->count; i++) {
		if (i && strcmp(names->at[i - 1], names->at[i]) == 0)
			continue;
		near_offer(&near, names->at[i]);
		if (name_list_next(&list))
			strbuf_adds(&list.text, names->at[i]);
	}
	name_list_end(&list);
	near_say(text, &near, "");
	if (!near.count)
		strbuf_addf(text, "; there %s %s", list.count > 1 ? "are" : "is",
			list.count ? list.text.text : "none");
	name_list_release(&list);
}

static int check(const struct subject *subject, const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	struct names names = {0};
	struct name_list without;
	struct strbuf text;
	size_t missed;

	name_list_init(&without, RUNS_SAID);
	strbuf_init(&text);
	for (size_t i = 0; i < count; i++)
		if (!subject->matches(&loaded[i].report, filter, &names) &&
			name_list_next(&without))
			strbuf_adds(&without.text, loaded[i].run.path);
	name_list_end(&without);
	missed = without.count;
	if (missed == count) {
		strbuf_addf(&text, "no %s matches --%s %s", subject->thing,
			subject->option, subject->asked);
		add_names(&text, subject->asked, &names);
	} else if (missed) {
		strbuf_addf(&text, "%s: no %s matches --%s %s", without.text.text,
			subject->thing, subject->option, subject->asked);
	}
	if (missed)
		console->say(text.text);
	strbuf_release(&text);
	name_list_release(&without);
	free(names.at);
	return missed == count ? -1 : 0;
}

int matching_check(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	const struct subject subjects[] = {
		{"device", "device", filter->device, matches_device},
		{"metric", "metric", filter->metric, matches_metric},
		{"phase", "phase", filter->phase, matches_phase},
	};
	int checked = 0;

	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (subjects[i].asked &&
			check(&subjects[i], loaded, count, filter, console) < 0)
			checked = -1;
	return checked;
}

int matching_check_left(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	struct error said;

	if (!filter->device || !filter->metric)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (loaded[i].report.stats_count)
			return 0;
	error_set(&said, "no metric of a device matches --metric %s --device %s",
		filter->metric, filter->device);
	console->say(said.message);
	return -1;
}
