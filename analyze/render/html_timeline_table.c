/* For those who see no picture, and for those who want the numbers. */
#include "render/html_timeline_table.h"

#include <math.h>

#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

static void add_cell(struct strbuf *sb, double x, int decimals)
{
	strbuf_adds(sb, "<td>");
	quantity_number(sb, x, decimals);
	strbuf_adds(sb, "</td>");
}

static void add_when(struct strbuf *sb, const struct report *report, int64_t t_ns)
{
	strbuf_adds(sb, "<td>");
	timeline_since_start(sb, report, t_ns);
	strbuf_adds(sb, "</td>");
}

/* Of the metric, not of the rows: as the picture has them. */
static void add_gaps(struct strbuf *sb, const struct timeline_series *series)
{
	strbuf_adds(sb, "<td>");
	timeline_gaps(sb, series);
	strbuf_adds(sb, "</td>");
}

static void add_missing(struct strbuf *sb, const struct metric_stats *stats)
{
	strbuf_adds(sb, "<td>");
	quantity_count(sb, stats->missing);
	strbuf_adds(sb, "</td>");
}

static void add_rows(struct strbuf *sb, const struct timeline_group *group)
{
	const struct report *report = group->report;
	int decimals = group->metric->decimals;

	strbuf_addf(sb, "<tr><th class=\"title\" scope=\"col\" colspan=\"7\">%s",
		group->metric->title);
	if (*group->metric->unit)
		strbuf_addf(sb, " (%s)", group->metric->unit);
	strbuf_adds(sb, "</th></tr>\n");
	for (size_t i = 0; i < group->count; i++) {
		const struct timeline_series *s = group->series[i];
		const struct metric_stats *stats = timeline_stats(report, s);

		strbuf_adds(sb, "<tr><td>");
		xml_text(sb, report->run->device[s->device].name);
		strbuf_adds(sb, "</td>");
		add_cell(sb, timeline_mean(stats), decimals);
		add_cell(sb, stats->min, decimals);
		add_cell(sb, stats->max, decimals);
		add_when(sb, report, stats->max_at_ns);
		add_missing(sb, stats);
		add_gaps(sb, s);
		strbuf_adds(sb, "</tr>\n");
	}
}

/* What the marks of clocks say: when first, and for how long. */
static void add_held(struct strbuf *sb, const struct report *report)
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
	for (size_t i = 0; i < t->held_count; i++) {
		const struct timeline_held *held = &t->held[i];

		if (held->from_ns == TIME_NONE ||
			!report_wants_device(report, held->device))
			continue;
		strbuf_adds(sb, "<tr><td>");
		xml_text(sb, report->run->device[held->device].name);
		strbuf_addf(sb, "</td><td>%s</td>", slowed_name(held->why));
		add_when(sb, report, held->from_ns);
		strbuf_adds(sb, "<td>");
		quantity_span(sb, held->seconds);
		strbuf_adds(sb, "</td></tr>\n");
	}
	strbuf_adds(sb, "</tbody></table>");
}

void html_timeline_table(struct strbuf *sb, const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	strbuf_adds(sb,
		"<details><summary>Its numbers as a table</summary>\n"
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"Over time, as a table\"><table "
		"class=\"numbers\">\n<thead><tr><td></td>"
		"<th scope=\"col\" class=\"n\">mean</th><th scope=\"col\" class=\"n\">min"
		"</th><th scope=\"col\" class=\"n\">max</th><th scope=\"col\" "
		"class=\"n\">"
		"max first after</th><th scope=\"col\" "
		"class=\"n\">missing</th><th scope=\"col\" "
		"class=\"n\">gaps</th></tr></thead>\n"
		"<tbody>\n");
	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		if (timeline_group_init(&group, report, &metrics[i]))
			add_rows(sb, &group);
		timeline_group_release(&group);
	}
	strbuf_adds(sb, "</tbody></table>");
	add_held(sb, report);
	strbuf_adds(sb, "</div></details>\n");
}
