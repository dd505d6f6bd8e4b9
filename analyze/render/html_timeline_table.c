/* What of a run stands in its table of numbers over time. */
#include "render/html_timeline_table.h"

#include <math.h>

#include "base/quantity.h"
#include "render/html_numbers.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

static void add_when(struct strbuf *sb, const struct report *report, int64_t t_ns)
{
	strbuf_adds(sb, "<td>");
	timeline_since_start(sb, report, t_ns);
	strbuf_adds(sb, "</td>");
}

static struct html_numbers numbers_of(const struct timeline_group *group, size_t at)
{
	const struct timeline_series *s = group->series[at];
	const struct metric_stats *stats = timeline_stats(group->report, s);

	return (struct html_numbers){group->report->run->device[s->device].name,
		timeline_mean(stats), stats->min, stats->max, s, stats->max_at_ns,
		stats->missing};
}

static struct html_numbers numbers_together(const struct timeline_group *group)
{
	struct html_numbers all = {"all", timeline_group_mean(group), INFINITY, -INFINITY,
		&group->all, TIME_NONE, 0};

	for (size_t i = 0; i < group->count; i++) {
		struct html_numbers one = numbers_of(group, i);

		if (one.max > all.max ||
			(one.max == all.max && one.max_at_ns < all.max_at_ns))
			all.max_at_ns = one.max_at_ns;
		all.min = fmin(all.min, one.min);
		all.max = fmax(all.max, one.max);
		all.missing += one.missing;
	}
	return all;
}

static void add_rows(struct strbuf *sb, const struct timeline_group *group, bool together)
{
	struct html_numbers numbers;

	html_numbers_title(sb, group->report, group->metric->title, group->metric->unit);
	if (together && group->count > 1) {
		numbers = numbers_together(group);
		html_numbers_row(sb, group->metric, &numbers, group->report);
		return;
	}
	for (size_t i = 0; i < group->count; i++) {
		numbers = numbers_of(group, i);
		html_numbers_row(sb, group->metric, &numbers, group->report);
	}
}

static void add_held_row(struct strbuf *sb, const struct report *report, const char *name,
	struct timeline_held held)
{
	strbuf_adds(sb, "<tr><td>");
	xml_text(sb, name);
	strbuf_addf(sb, "</td><td>%s</td>", slowed_name(held.why));
	add_when(sb, report, held.from_ns);
	strbuf_adds(sb, "<td>");
	quantity_span(sb, held.seconds);
	strbuf_adds(sb, "</td></tr>\n");
}

/* The first time of any GPU, and the time of all. */
static void add_held_together(
	struct strbuf *sb, const struct report *report, enum slowed why)
{
	const struct timeline *t = report->timeline;
	struct timeline_held all = {.why = why, .from_ns = TIME_NONE};

	for (size_t i = 0; i < t->held_count; i++) {
		const struct timeline_held *held = &t->held[i];

		if (held->why != why || held->from_ns == TIME_NONE ||
			!report_wants_device(report, held->device))
			continue;
		all.seconds += held->seconds;
		if (all.from_ns == TIME_NONE || held->from_ns < all.from_ns)
			all.from_ns = held->from_ns;
	}
	if (all.from_ns != TIME_NONE)
		add_held_row(sb, report, "all", all);
}

/* What the marks of clocks say: when first, and for how long. */
static void add_held(struct strbuf *sb, const struct report *report, bool together)
{
	const struct timeline *t = report->timeline;
	bool has[SLOWED_COUNT] = {false};

	if (!timeline_slowed(report, has))
		return;
	strbuf_adds(sb,
		"<table class=\"held\">\n<thead><tr><th scope=\"col\" "
		"colspan=\"2\">Clocks held down by"
		"</th><th scope=\"col\" class=\"n\">first after</th>"
		"<th scope=\"col\" class=\"n\">in all for</th></tr></thead>\n<tbody>\n");
	for (enum slowed why = 0; why < SLOWED_COUNT && together; why++)
		add_held_together(sb, report, why);
	for (size_t i = 0; i < t->held_count && !together; i++) {
		const struct timeline_held *held = &t->held[i];

		if (held->from_ns != TIME_NONE &&
			report_wants_device(report, held->device))
			add_held_row(sb, report, report->run->device[held->device].name,
				*held);
	}
	strbuf_adds(sb, "</tbody></table>");
}

void html_timeline_table(struct strbuf *sb, const struct report *report, bool together)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	html_numbers_begin(sb, report);
	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		if (timeline_group_init(&group, report, &metrics[i]))
			add_rows(sb, &group, together);
		timeline_group_release(&group);
	}
	html_numbers_end_rows(sb);
	add_held(sb, report, together);
	html_numbers_end(sb);
}
