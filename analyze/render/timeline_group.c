/*
 * The devices of a metric on one scale: a strip each. What stays flat at the bottom is to
 * be said in a line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define NAMED_MOST 4 /* more are counted */

bool timeline_is_drawn(const struct report *report)
{
	const struct timeline *t = report->timeline;

	for (size_t i = 0; t && i < t->series_count; i++)
		if (timeline_stats(report, &t->series[i]))
			return true;
	return false;
}

bool timeline_is_pictured(const struct report *report)
{
	bool has[SLOWED_COUNT] = {false};

	return timeline_is_drawn(report) || timeline_slowed(report, has);
}

const struct timeline_series *timeline_group_series(
	const struct timeline_group *group, size_t at)
{
	return group->together ? &group->all : group->series[at];
}

struct strip_range timeline_group_range(const struct timeline_group *group)
{
	return timeline_range(group->drawn, group->all.min, group->all.max, group->whole);
}

void timeline_have(struct strbuf *sb, const char *const *name, size_t count,
	const char *many, const char *what)
{
	for (size_t i = 0; i < count && count <= NAMED_MOST; i++) {
		strbuf_adds(sb, !i ? "" : i + 1 < count ? ", " : " and ");
		xml_text(sb, name[i]);
	}
	if (count > NAMED_MOST)
		strbuf_addf(sb, "%zu %s", count, many);
	strbuf_addf(sb, " %s %s", count == 1 ? "has" : "have", what);
}

const char *timeline_devices(const struct metric *metric)
{
	return metric->device == DEVICE_GPU ? "GPUs" : "devices";
}

void timeline_lacking(struct strbuf *sb, const struct report *report,
	const uint32_t *device, size_t count, const char *many, const char *what)
{
	const char **name = xcalloc(count + 1, sizeof *name);

	for (size_t i = 0; i < count; i++)
		name[i] = report->run->device[device[i]].name;
	if (count) {
		strbuf_adds(sb, "; ");
		timeline_have(sb, name, count, many, what);
	}
	free(name);
}

void timeline_group_lacking(struct strbuf *sb, const struct timeline_group *group)
{
	const char *many = timeline_devices(group->metric);

	timeline_lacking(sb, group->report, group->lacking, group->lacking_count, many,
		TIMELINE_NO_VALUE);
	if (group->together)
		timeline_lacking(sb, group->report, group->partial, group->partial_count,
			many, TIMELINE_IN_PART);
}

void timeline_group_scale(struct strbuf *sb, const struct timeline_group *group)
{
	timeline_scale(sb, group->metric, timeline_group_range(group), group->all.min,
		group->all.max);
}

size_t timeline_group_strips(const struct timeline_group *group)
{
	return group->together ? 1 : group->count;
}

struct timeline_strip timeline_group_strip(const struct timeline_group *group, size_t at)
{
	const struct timeline_series *s = group->series[at];
	const struct report *report = group->report;
	struct timeline_strip strip = {.max = group->all.max};

	if (group->together) {
		strip.mean = timeline_group_mean(group);
		snprintf(strip.name, sizeof strip.name, "all %zu", group->count);
		return strip;
	}
	snprintf(
		strip.name, sizeof strip.name, "%s", report->run->device[s->device].name);
	strip.mean = timeline_mean(timeline_stats(report, s));
	strip.max = s->max;
	return strip;
}

static struct timeline_drawn drawn_of(
	const struct timeline_group *group, const struct timeline_strip *strip, size_t at)
{
	const struct timeline *t = group->report->timeline;

	return (struct timeline_drawn){.series = timeline_group_series(group, at),
		.axis = t,
		.per_column = group->per_column,
		.length_ns = t->to_ns - t->from_ns,
		.range = timeline_group_range(group),
		.name = strip->name,
		.mean = strip->mean};
}

void timeline_group_picture(
	struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	struct timeline_strip strip = timeline_group_strip(group, at);
	struct timeline_drawn drawn = drawn_of(group, &strip, at);

	timeline_picture(sb, &drawn);
}

size_t timeline_group_gaps(
	struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	struct timeline_strip strip = timeline_group_strip(group, at);
	struct timeline_drawn drawn = drawn_of(group, &strip, at);

	return timeline_gap_marks(sb, &drawn);
}

bool timeline_group_has_gaps(const struct timeline_group *group, size_t at)
{
	return timeline_group_series(group, at)->gap_count > 0;
}

bool timeline_group_is_flat(const struct timeline_group *group)
{
	return !group->all.gap_count && !group->partial_count &&
		timeline_range_is_flat(group->drawn, timeline_group_range(group),
			group->all.min, group->all.max);
}

bool timeline_group_is_level(const struct timeline_group *group)
{
	return group->all.min == group->all.max;
}

bool timeline_varies(const struct report *report, bool from_zero)
{
	bool any = false;
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t i = 0; i < count && !any; i++) {
		struct timeline_group group;

		if (from_zero && metrics[i].base != BASE_ZERO)
			continue;
		any = timeline_group_init(&group, report, &metrics[i]) &&
			!timeline_group_is_flat(&group);
		timeline_group_release(&group);
	}
	return any;
}

bool timeline_has_pictures(const struct report *report)
{
	bool has[SLOWED_COUNT] = {false};

	return timeline_slowed(report, has) || timeline_varies(report, false);
}

/* One value is none that lasted. */
void timeline_group_flat(struct strbuf *sb, const struct timeline_group *group)
{
	bool lasted = true, single = true;

	timeline_values(sb, group->metric, group->all.min, group->all.max);
	if (group->all.min != group->all.max)
		return;
	for (size_t i = 0; i < group->count; i++) {
		const struct timeline_series *s = group->series[i];
		uint64_t n = timeline_stats(group->report, s)->n;

		lasted &= s->gaps_known && n > 1;
		single &= n == 1;
	}
	if (single)
		strbuf_adds(sb,
			group->count > 1 ? ", a single value each" : ", a single value");
	else if (lasted)
		strbuf_adds(sb, " throughout");
}
