/*
 * The parts of a timeline as rows of a page: a name ("l"), a picture as wide as the axis,
 * numbers ("r"). Names and numbers are text beside the pictures, which stretch with the
 * page. Must not compute: the numbers are those of the report.
 */
#include "render/html_timeline.h"

#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "render/html_timeline_table.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

/* What all strips of a page of several runs have together: it stays below 1 MB, nearly
 * whatever the runs are. All else of a run takes as much as some of them. */
#define COLUMNS_MOST  42000
#define COLUMNS_RUN   350
#define COLUMNS_LEAST 80 /* of a strip, before devices are drawn together */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void begin_row(struct strbuf *sb, const char *name)
{
	strbuf_adds(sb, "<div class=\"l\">");
	xml_text(sb, name);
	strbuf_adds(sb, "</div>");
}

static void end_row(struct strbuf *sb)
{
	strbuf_adds(sb, "<div class=\"r\"></div>\n");
}

static void add_phases(struct strbuf *sb, const struct timeline_rows *rows)
{
	int height = timeline_phases_height(rows);

	if (!height)
		return;
	strbuf_adds(sb, "<div class=\"group\">");
	begin_row(sb, "phases");
	strbuf_addf(
		sb, "<svg class=\"phases\" height=\"%d\" aria-hidden=\"true\">", height);
	timeline_phases(sb, rows);
	strbuf_adds(sb, "</svg>");
	end_row(sb);
	strbuf_adds(sb, "</div>\n");
}

/* Above the rows, and below them: on paper on each sheet that they take. numbers: beside
 * the rows. */
static void add_axis(struct strbuf *sb, const struct report *report, bool numbers)
{
	strbuf_adds(sb, "<div class=\"axes\"><div class=\"group\">");
	begin_row(sb, "");
	strbuf_adds(sb, "<svg class=\"axis\" aria-hidden=\"true\">");
	timeline_axis(sb, report);
	strbuf_adds(sb, "</svg>");
	if (numbers)
		strbuf_adds(
			sb, "<div class=\"r\"><span>mean</span><span>max</span></div>\n");
	else
		end_row(sb);
	strbuf_adds(sb, "</div></div>\n");
}

/* Of how many it is one says how high it is. */
static const char *class_of(const struct timeline_group *group)
{
	size_t strips = timeline_group_strips(group);

	if (timeline_group_is_level(group))
		return "low";
	if (strips == 1 && report_gpu_count(group->report) < 2)
		return "high";
	return strips <= 4 ? "middle" : "low";
}

static void begin_gaps(struct strbuf *sb)
{
	strbuf_addf(
		sb, "<svg role=\"img\" class=\"gaps\" height=\"%d\"", STRIP_GAPS_HEIGHT);
}

/* Below its strip. Returns how many stand in one mark at most. */
static size_t add_gaps(struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	size_t most;

	if (!timeline_group_has_gaps(group, at))
		return 0;
	begin_gaps(sb);
	most = timeline_group_gaps(sb, group, at);
	strbuf_adds(sb, "</svg>\n");
	return most;
}

static void add_strip(struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	struct timeline_strip strip = timeline_group_strip(group, at);
	int decimals = group->metric->decimals;

	begin_row(sb, strip.name);
	strbuf_addf(sb, "<svg role=\"img\" class=\"%s\"", class_of(group));
	timeline_group_picture(sb, group, at);
	strbuf_adds(sb, "</svg><div class=\"r\"><span>");
	quantity_number(sb, strip.mean, decimals);
	strbuf_adds(sb, "</span><span>");
	quantity_number(sb, strip.max, decimals);
	strbuf_adds(sb, "</span></div>\n");
}

static size_t add_group(struct strbuf *sb, const struct timeline_group *group)
{
	bool flat = timeline_group_is_flat(group);
	size_t most = 0;

	strbuf_addf(sb, "<div class=\"group\"><h4>%s <small>", group->metric->title);
	if (flat)
		timeline_group_flat(sb, group);
	else
		timeline_group_scale(sb, group);
	timeline_group_lacking(sb, group);
	strbuf_adds(sb, "</small></h4>\n");
	for (size_t i = 0; !flat && i < timeline_group_strips(group); i++) {
		add_strip(sb, group, i);
		most = larger(most, add_gaps(sb, group, i));
	}
	strbuf_adds(sb, "</div>\n");
	return most;
}

/* Returns as add_gaps. */
static size_t add_slowed_row(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	size_t most;

	begin_row(sb,
		row->device == TIMELINE_ALL ? "all"
					    : row->report->run->device[row->device].name);
	strbuf_addf(sb, "<svg role=\"img\" class=\"slowed\" height=\"%d\"",
		timeline_slowed_height(row->has));
	timeline_slowed_picture(sb, row);
	strbuf_adds(sb, "</svg>");
	end_row(sb);
	if (!timeline_slowed_has_gaps(row))
		return 0;
	begin_gaps(sb);
	most = timeline_slowed_gaps(sb, row);
	strbuf_adds(sb, "</svg>\n");
	return most;
}

static size_t add_slowed(struct strbuf *sb, const struct report *report,
	const struct timeline_detail *detail)
{
	bool has[SLOWED_COUNT] = {false};
	struct timeline_slowed_row row = {report, has, TIMELINE_ALL, detail->per_column};
	size_t most = 0;

	if (!timeline_slowed(report, has))
		return 0;
	strbuf_adds(sb, "<div class=\"group\"><h4>Clocks held down <small>by");
	for (enum slowed why = 0; why < SLOWED_COUNT; why++)
		if (has[why])
			strbuf_addf(sb, " <span class=\"key %s\"></span>%s",
				timeline_slowed_class(why), slowed_name(why));
	timeline_slowed_lacking(sb, report, has);
	strbuf_adds(sb, "</small></h4>\n");
	if (detail->together && report_gpu_count(report) > 1)
		most = add_slowed_row(sb, &row);
	else
		while (timeline_slowed_next(report, has, &row.device))
			most = larger(most, add_slowed_row(sb, &row));
	strbuf_adds(sb, "</div>\n");
	return most;
}

/* The metrics of one kind of device; behind the GPUs' clocks what held them down. Returns
 * how many gaps stand in one mark at most. */
static size_t add_groups(struct strbuf *sb, const struct report *report,
	enum device_kind kind, const struct timeline_detail *detail)
{
	size_t count, most = 0;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		if (metric_get(metrics[i].metric)->device != kind)
			continue;
		if (timeline_group_init(&group, report, &metrics[i])) {
			group.together |= detail->together && group.count > 1;
			group.per_column = detail->per_column;
			most = larger(most, add_group(sb, &group));
		}
		timeline_group_release(&group);
	}
	if (kind == DEVICE_GPU)
		most = larger(most, add_slowed(sb, report, detail));
	return most;
}

/* The columns of all strips, if each device has one, or each metric. */
static size_t columns_of(const struct report *report, bool together)
{
	const struct timeline *t = report->timeline;
	size_t strips = 0;

	for (size_t i = 0; t && i < t->series_count; i++)
		strips += !together || i == 0 ||
			t->series[i].metric != t->series[i - 1].metric;
	return t ? strips * t->columns : 0;
}

struct timeline_detail html_timeline_detail(const struct report *report, size_t count)
{
	struct timeline_detail detail = {.small = count > 1, .per_column = 1};
	size_t apart = 0, together = 0, columns = 0, most;

	if (count < 2)
		return detail;
	for (size_t i = 0; i < count; i++) {
		apart += columns_of(&report[i], false);
		together += columns_of(&report[i], true);
		if (report[i].timeline)
			columns = larger(columns, report[i].timeline->columns);
	}
	most = COLUMNS_MOST > 2 * count * COLUMNS_RUN ? COLUMNS_MOST - count * COLUMNS_RUN
						      : COLUMNS_MOST / 2;
	detail.per_column = apart / most + 1;
	detail.together =
		detail.per_column > 1 && columns / detail.per_column < COLUMNS_LEAST;
	if (detail.together)
		detail.per_column = together / most + 1;
	return detail;
}

void html_timeline_keys(struct strbuf *sb, size_t begin, size_t most)
{
	if (strstr(sb->text + begin, "<path class=\"g\""))
		strbuf_adds(sb, "; <span class=\"key gap\"></span>nothing was recorded");
	if (strstr(sb->text + begin, "<path class=\"na\""))
		strbuf_adds(
			sb, "; <span class=\"key na\"></span>recorded without a value");
	if (most) {
		strbuf_adds(sb, "; <span class=\"key short\"></span>");
		timeline_gaps_legend(sb, most);
	}
}

static void add_caption(struct strbuf *sb, bool together,
	const struct timeline_rows *rows, size_t begin, size_t most)
{
	strbuf_adds(sb,
		"<figcaption>A line is the mean of a moment, the band around it "
		"from its least to its largest value");
	if (together)
		strbuf_adds(sb,
			", of all devices of a metric together: a report of fewer runs "
			"has each alone");
	if (strstr(sb->text + begin, "<rect class=\"odd\""))
		strbuf_adds(sb, "; <span class=\"key ran\"></span>every second phase");
	html_timeline_keys(sb, begin, most);
	timeline_rows_left(sb, rows);
	strbuf_adds(sb, ".</figcaption>\n");
}

/* Where phases alone are drawn. */
static void add_left(struct strbuf *sb, const struct timeline_rows *rows)
{
	struct strbuf left;

	strbuf_init(&left);
	timeline_rows_left(&left, rows);
	if (left.len)
		strbuf_addf(
			sb, "<figcaption>%s.</figcaption>\n", left.text + strlen("; "));
	strbuf_release(&left);
}

static void begin_rows(struct strbuf *sb, const struct timeline_detail *detail)
{
	strbuf_addf(sb, "<div class=\"time%s\">\n", detail->small ? " small" : "");
}

static void add_behind(struct strbuf *sb, const struct report *report)
{
	strbuf_adds(sb, "<svg class=\"behind\" aria-hidden=\"true\">");
	timeline_behind(sb, report);
	strbuf_adds(sb, "</svg>\n");
}

void html_timeline(struct strbuf *sb, const struct report *report,
	const struct timeline_detail *detail)
{
	size_t begin = sb->len, most = 0;
	struct timeline_rows rows;
	bool pictures;

	if (!timeline_is_pictured(report))
		return;
	rows = timeline_phases_rows(report);
	pictures = timeline_has_pictures(report);
	strbuf_adds(sb, "<figure>\n<h3>Over time</h3>\n");
	begin_rows(sb, detail);
	if (pictures || rows.count) {
		add_behind(sb, report);
		add_axis(sb, report, pictures);
		add_phases(sb, &rows);
	}
	if (!pictures && rows.count) {
		strbuf_adds(sb, "</div>\n");
		begin_rows(sb, detail);
	}
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		most = larger(most, add_groups(sb, report, kind, detail));
	if (pictures)
		add_axis(sb, report, false);
	strbuf_adds(sb, "</div>\n");
	if (pictures)
		add_caption(sb, detail->together, &rows, begin, most);
	else
		add_left(sb, &rows);
	html_timeline_table(sb, report, detail->together);
	strbuf_adds(sb, "</figure>\n");
}
