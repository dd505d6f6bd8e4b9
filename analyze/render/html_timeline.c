/*
 * Timelines on a page: rows of a name ("l"), a picture as wide as the axis, and
 * numbers ("r"). Names and numbers are text, because pictures stretch with the page.
 * Must not compute.
 */
#include "render/html_timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/report.h"
#include "render/doc_findings.h"
#include "render/run_names.h"
#include "render/timeline_axis.h"
#include "render/utf8.h"

struct multiple { /* a run among them */
	const char *name; /* raw */
	const char *side; /* static; NULL: none. Those of one stand together */
	size_t section; /* of the page that is its own; 0: none */
	const struct outline *outline; /* NULL: it has nothing to draw */
};

struct multiples {
	const struct multiple *of; /* [count] */
	size_t count;
	const char *metrics; /* globs of those that are asked for; NULL: all */
	const char *heading; /* of each metric: "h3" */
	double from; /* what the axis begins at: seconds from the start of each run */
	size_t room; /* bytes that the pictures may take, nearly */
};

/* A row of it. */
struct html_numbers {
	const char *name; /* raw */
	double mean, min, max; /* NAN: there is none */
	const struct timeline_series *series; /* whose gaps they are; NULL: unknown */
	int64_t max_at_ns; /* of a run alone; TIME_NONE */
	uint64_t missing; /* likewise */
};

/*
 * Values over time as a folded table, of several devices or runs: for readers without
 * pictures.
 */

/* What of a run alone is left out of several. */
struct column {
	const char *title;
	bool alone;
};

static const struct column number_columns[] = {{"mean", false}, {"min", false},
	{"max", false}, {"max first after", true}, {"missing", true}, {"gaps", false}};

#define COLUMNS (sizeof number_columns / sizeof *number_columns)

static size_t columns_of(const struct report *alone)
{
	size_t count = 1; /* the name */

	for (size_t i = 0; i < COLUMNS; i++)
		count += alone || !number_columns[i].alone;
	return count;
}

/* alone: the run, of which more is told; NULL: of several. */
static void html_numbers_begin(struct strbuf *sb, const struct report *alone)
{
	strbuf_addf(sb,
		"<details><summary>Numbers as a table</summary>\n"
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"Over time, as a table\"><table "
		"class=\"numbers%s\">\n<thead><tr><td></td>",
		alone ? " wide" : "");
	for (size_t i = 0; i < COLUMNS; i++)
		if (alone || !number_columns[i].alone)
			strbuf_addf(sb, "<th scope=\"col\" class=\"n\">%s</th>",
				number_columns[i].title);
	strbuf_adds(sb, "</tr></thead>\n<tbody>\n");
}

/* A title of the rows behind it. */
static void html_numbers_title(struct strbuf *sb, const struct report *alone,
	const char *title, const char *unit)
{
	strbuf_addf(sb, "<tr><th class=\"title\" scope=\"col\" colspan=\"%zu\">%s",
		columns_of(alone), title);
	if (*unit)
		strbuf_addf(sb, " (%s)", unit);
	strbuf_adds(sb, "</th></tr>\n");
}

static void add_cell(struct strbuf *sb, double x, int decimals)
{
	strbuf_adds(sb, "<td>");
	quantity_number(sb, x, decimals);
	strbuf_adds(sb, "</td>");
}

static void html_numbers_row(struct strbuf *sb, const struct metric *metric,
	const struct html_numbers *numbers, const struct report *alone)
{
	strbuf_adds(sb, "<tr><td>");
	xml_text(sb, numbers->name);
	strbuf_adds(sb, "</td>");
	add_cell(sb, numbers->mean, metric->decimals);
	add_cell(sb, numbers->min, metric->decimals);
	add_cell(sb, numbers->max, metric->decimals);
	if (alone) {
		strbuf_adds(sb, "<td>");
		timeline_since_start(sb, alone, numbers->max_at_ns);
		strbuf_adds(sb, "</td><td>");
		quantity_count(sb, numbers->missing);
		strbuf_adds(sb, "</td>");
	}
	strbuf_adds(sb, "<td>");
	if (numbers->series)
		timeline_gaps(sb, numbers->series);
	else
		strbuf_addc(sb, '-');
	strbuf_adds(sb, "</td></tr>\n");
}

static struct html_numbers numbers_of(const struct timeline_group *group, size_t at)
{
	const struct timeline_series *s = group->series[at];
	const struct metric_stats *stats = timeline_stats(group->report, s);

	return (struct html_numbers){group->report->run->device[s->device].name,
		timeline_mean(stats), stats->min, stats->max, s, stats->max_at_ns,
		stats->missing};
}

static void add_rows(struct strbuf *sb, const struct timeline_group *group)
{
	html_numbers_title(sb, group->report, group->metric->title, group->metric->unit);
	for (size_t i = 0; i < group->count; i++) {
		struct html_numbers numbers = numbers_of(group, i);

		html_numbers_row(sb, group->metric, &numbers, group->report);
	}
}

static void add_held_row(struct strbuf *sb, const struct report *report, const char *name,
	struct timeline_held held)
{
	strbuf_adds(sb, "<tr><td>");
	xml_text(sb, name);
	strbuf_addf(sb, "</td><td>%s</td><td>", slowed_name(held.why));
	timeline_since_start(sb, report, held.from_ns);
	strbuf_adds(sb, "</td><td>");
	quantity_span(sb, held.seconds);
	strbuf_adds(sb, "</td></tr>\n");
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
		"colspan=\"2\">Clocks throttled by"
		"</th><th scope=\"col\" class=\"n\">first after</th>"
		"<th scope=\"col\" class=\"n\">in all for</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < t->held_count; i++) {
		const struct timeline_held *held = &t->held[i];

		if (held->from_ns != TIME_NONE &&
			report_wants_device(report, held->device))
			add_held_row(sb, report, report->run->device[held->device].name,
				*held);
	}
	strbuf_adds(sb, "</tbody></table>");
}

/* Appends those that the report's filter has left; there is a timeline. */
static void html_timeline_table(struct strbuf *sb, const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	html_numbers_begin(sb, report);
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

#define MARK_COLUMNS	   1000 /* of the strip of a problem */
#define MARK_COLUMNS_SMALL 100 /* ... of one of several runs */
#define MARK_LEAST	   0.3 /* per cent of the axis: as wide is a shorter one drawn */

/* marked[columns]: when it was true */
static void mark_time(bool *marked, size_t columns, const struct report *report,
	int64_t from_ns, int64_t to_ns)
{
	const struct timeline *t = report->timeline;
	double all = (double)columns, least = ceil(all * MARK_LEAST / 100);
	double from = floor(timeline_percent(report, from_ns) * all / 100);
	double to = ceil(timeline_percent(report, to_ns) * all / 100);

	if (to_ns < t->from_ns || from_ns > t->to_ns)
		return;
	from = fmin(from, all - least);
	to = fmax(to, from + least);
	for (size_t x = (size_t)from; x < (size_t)to; x++)
		marked[x] = true;
}

/* The instant of what has no length, as of a GPU that is lost: its value `at`. */
static int64_t instant_of(const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	for (size_t i = 0; i < rule->value_count; i++)
		if (strcmp(rule->value[i].name, "at") == 0 && !isnan(finding->value[i]))
			return report->origin_ns +
				(int64_t)(finding->value[i] * (double)NS_PER_S);
	return TIME_NONE;
}

static void mark_finding(bool *marked, size_t columns, const struct report *report,
	const struct finding *finding)
{
	int64_t at_ns = instant_of(report, finding);

	for (size_t i = 0; i < finding->stretch_listed; i++)
		mark_time(marked, columns, report, finding->stretch[i].from_ns,
			finding->stretch[i].to_ns);
	if (!finding->stretch_listed && at_ns != TIME_NONE)
		mark_time(marked, columns, report, at_ns, at_ns);
}

/* A path's data; nothing where none of that lies on the axis. */
static void mark_problem(struct strbuf *path, const struct report *report,
	const struct problem *problem, size_t columns)
{
	bool *marked = xcalloc(columns, sizeof *marked);

	for (size_t i = 0; i < problem->count; i++)
		mark_finding(
			marked, columns, report, &report->finding[problem->from + i]);
	for (size_t x = 0, to; x < columns; x = to) {
		for (to = x + 1; to < columns && marked[to] == marked[x]; to++)
			;
		if (marked[x])
			strbuf_addf(path, "M%zu 0H%zuV10H%zuz", x, to, x);
	}
	free(marked);
}

/* A row for each problem that the page lists, under its number. */
static void add_problems(struct strbuf *sb, const struct report *report, bool small)
{
	size_t columns = small ? MARK_COLUMNS_SMALL : MARK_COLUMNS;
	struct problem problem = {0};
	struct strbuf path = strbuf_new();

	while (problem_next(report, &problem)) {
		const struct rule *rule = report->finding[problem.from].rule;
		const char *class = rule->severity == SEVERITY_BAD ? "bad" : "warn";

		strbuf_clear(&path);
		mark_problem(&path, report, &problem, columns);
		if (!path.len)
			continue;
		strbuf_addf(sb,
			"<div class=\"group\"><div class=\"l at\"><span "
			"class=\"hidden\">problem </span><span class=\"no %s\">%zu"
			"</span></div><svg role=\"img\" class=\"marks\" viewBox=\"0 0 "
			"%zu "
			"10\" preserveAspectRatio=\"none\"><title>",
			class, problem.number, columns);
		xml_text(sb, rule->title);
		strbuf_addf(sb, "</title><path class=\"%s\" d=\"%s\"/></svg>", class,
			path.text);
		end_row(sb);
		strbuf_adds(sb, "</div>\n");
	}
	strbuf_release(&path);
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

/* Below its strip. Returns how many stand in one mark at most. */
static size_t add_gaps(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	size_t most;

	if (!drawn->series->gap_count)
		return 0;
	strbuf_addf(
		sb, "<svg role=\"img\" class=\"gaps\" height=\"%d\"", STRIP_GAPS_HEIGHT);
	most = timeline_gap_marks(sb, drawn);
	strbuf_adds(sb, "</svg>\n");
	return most;
}

/* Returns as add_gaps. */
static size_t add_strip(struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	static const char *const class_of[] = {
		[STRIP_LOW] = "low", [STRIP_MIDDLE] = "middle", [STRIP_HIGH] = "high"};
	int decimals = group->metric->decimals;
	struct timeline_strip strip;

	timeline_group_strip(&strip, group, at);
	begin_row(sb, strip.name);
	strbuf_addf(sb, "<svg role=\"img\" class=\"%s\"",
		class_of[timeline_group_height(group)]);
	timeline_picture(sb, &strip.drawn);
	strbuf_adds(sb, "</svg><div class=\"r\"><span>");
	quantity_number(sb, strip.drawn.mean, decimals);
	strbuf_adds(sb, "</span><span>");
	quantity_number(sb, strip.max, decimals);
	strbuf_adds(sb, "</span></div>\n");
	return add_gaps(sb, &strip.drawn);
}

static size_t add_group(struct strbuf *sb, const struct timeline_group *group)
{
	size_t most = 0;
	bool flat;

	strbuf_addf(sb, "<div class=\"group\"><h4>%s <small>", group->metric->title);
	flat = timeline_group_say(sb, group);
	strbuf_adds(sb, "</small></h4>\n");
	for (size_t i = 0; !flat && i < timeline_group_strips(group); i++)
		most = larger(most, add_strip(sb, group, i));
	strbuf_adds(sb, "</div>\n");
	return most;
}

static void add_slowed_row(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	begin_row(sb,
		row->device == TIMELINE_ALL ? "all"
					    : row->report->run->device[row->device].name);
	strbuf_addf(sb, "<svg role=\"img\" class=\"slowed\" height=\"%d\"",
		timeline_slowed_height(row->has));
	timeline_slowed_picture(sb, row);
	strbuf_adds(sb, "</svg>");
	end_row(sb);
}

static void add_slowed(struct strbuf *sb, const struct report *report,
	const struct timeline_detail *detail)
{
	bool has[SLOWED_COUNT] = {false};
	struct timeline_slowed_row row = {report, has, TIMELINE_ALL, detail->per_column};

	if (!timeline_slowed(report, has))
		return;
	strbuf_adds(sb, "<div class=\"group\"><h4>Clocks throttled <small>by");
	for (enum slowed why = 0; why < SLOWED_COUNT; why++)
		if (has[why])
			strbuf_addf(sb, " <span class=\"key %s\"></span>%s",
				timeline_slowed_class(why), slowed_name(why));
	timeline_slowed_lacking(sb, report, has);
	strbuf_adds(sb, "</small></h4>\n");
	if (detail->together && report_gpu_count(report) > 1)
		add_slowed_row(sb, &row);
	else
		while (timeline_slowed_next(report, has, &row.device))
			add_slowed_row(sb, &row);
	strbuf_adds(sb, "</div>\n");
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
		add_slowed(sb, report, detail);
	return most;
}

/* The columns of all strips, if each device has one, or each metric. */
static size_t timeline_columns_of(const struct report *report, bool together)
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
		apart += timeline_columns_of(&report[i], false);
		together += timeline_columns_of(&report[i], true);
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

/*
 * In the caption of what stands in the page from byte `begin` on: what its blocks of
 * wide gaps are, where there are any, and the marks of gaps, of which one stands for
 * so many at most.
 */
static void html_timeline_keys(struct strbuf *sb, size_t begin, size_t most)
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
		"<figcaption>A line is the mean, the band around it goes from the "
		"minimum to the maximum");
	if (together)
		strbuf_adds(sb,
			", for all devices of a metric together: a report of fewer runs "
			"shows each");
	if (strstr(sb->text + begin, "class=\"marks\""))
		strbuf_adds(sb,
			"; a numbered bar shows when the finding of that number applies");
	if (strstr(sb->text + begin, "<rect class=\"odd\""))
		strbuf_adds(sb, "; <span class=\"key ran\"></span>every second phase");
	html_timeline_keys(sb, begin, most);
	timeline_rows_left(sb, rows);
	strbuf_adds(sb, ".</figcaption>\n");
}

/* Where phases alone are drawn. */
static void add_left(struct strbuf *sb, const struct timeline_rows *rows)
{
	struct strbuf left = strbuf_new();

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
		add_problems(sb, report, detail->small);
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
	if (!detail->together) /* the tables of usage and of all runs have the rest */
		html_timeline_table(sb, report);
	strbuf_adds(sb, "</figure>\n");
}

/*
 * Several runs on one axis and scale (small multiples): one row per metric and run.
 * Longer runs have more columns, so a column is the same width for all.
 */

#define MULTIPLES_COLUMNS_MOST	360 /* of a picture, which is hardly more px wide */
#define MULTIPLES_COLUMNS_LEAST 32
#define COLUMNS_ALL		1600 /* of the pictures of a metric, however little room is left */
#define COLUMN_BYTES		20 /* what a column takes, of which no two are alike */
#define PICTURE_BYTES		700 /* and a picture, with its numbers in the table */

#define ROWS_HIGH  16 /* more of them are lower ones */
#define LINE_WIDTH 13 /* letters of a name that a line has room for */
#define LINES	   2 /* of a name, in rows that are not low */
#define AXIS_PX	   220 /* of an axis, at least */
#define NAMED_MOST 4 /* more runs are counted */

/* All that the pictures have in common. */
struct frame {
	struct strbuf *sb;
	const struct multiples *these;
	size_t parts; /* of its path that a run is called by */
	int64_t length_ns; /* of the longest */
	size_t columns; /* that it has at most */
	size_t most_gaps; /* in one mark */
};

/* One metric of all. */
struct panel {
	const struct timeline_metric *drawn;
	size_t at; /* among the series */
	double min, max, whole;
	bool has_gaps;
	bool known; /* a run has a value */
};

static int64_t length_of(const struct outline *outline)
{
	return outline->axis.to_ns - outline->axis.from_ns;
}

/* NULL: the run has no values of it. */
static const struct outline_series *series_of(
	const struct multiple *one, const struct panel *panel)
{
	const struct outline_series *series;

	if (!one->outline)
		return NULL;
	series = &one->outline->series[panel->at];
	return series->all.column ? series : NULL;
}

static struct strip_range range_of(const struct panel *panel)
{
	return timeline_range(panel->drawn, panel->min, panel->max, panel->whole);
}

static void panel_init(struct panel *panel, const struct multiples *these,
	const struct timeline_metric *drawn, size_t at)
{
	*panel = (struct panel){drawn, at, INFINITY, -INFINITY, NAN, false, false};
	for (size_t i = 0; i < these->count; i++) {
		const struct outline_series *series = series_of(&these->of[i], panel);

		if (!series)
			continue;
		panel->min = fmin(panel->min, series->all.min);
		panel->max = fmax(panel->max, series->all.max);
		panel->whole = fmax(panel->whole, series->whole);
		panel->has_gaps |= series->all.gap_count || series->partial.count;
		panel->known = true;
	}
}

static bool is_flat(const struct panel *panel)
{
	return !panel->has_gaps &&
		timeline_range_is_flat(
			panel->drawn, range_of(panel), panel->min, panel->max);
}

/* The next one that a run has values of; at: SIZE_MAX before the first. False: there is
 * none left. */
static bool next_panel(struct panel *panel, const struct multiples *these)
{
	size_t metrics;
	const struct timeline_metric *drawn = timeline_metrics(&metrics);

	for (size_t at = panel->at + 1; at < metrics; at++) {
		if (!globs_match(these->metrics, metric_get(drawn[at].metric)->name))
			continue;
		panel_init(panel, these, &drawn[at], at);
		if (panel->known)
			return true;
	}
	return false;
}

/* The pictures, as if all were of runs as long as the longest. */
static double pictures(const struct multiples *these, int64_t longest_ns)
{
	struct panel panel = {.at = SIZE_MAX};
	double all = 0;

	while (next_panel(&panel, these))
		for (size_t i = 0; i < these->count && !is_flat(&panel); i++)
			if (series_of(&these->of[i], &panel))
				all += (double)length_of(these->of[i].outline) /
					(double)longest_ns;
	return all;
}

/* Of the longest run: as many as there is room for. */
static size_t multiples_columns_of(const struct multiples *these, int64_t longest_ns)
{
	double least =
		fmax((double)COLUMNS_ALL / (double)these->count, MULTIPLES_COLUMNS_LEAST);
	double all = pictures(these, longest_ns);
	double columns = ((double)these->room / all - PICTURE_BYTES) / COLUMN_BYTES;

	return (size_t)fmin(fmax(columns, least), MULTIPLES_COLUMNS_MOST);
}

static struct frame frame_of(struct strbuf *sb, const struct multiples *these)
{
	struct frame frame = {.sb = sb,
		.these = these,
		.parts = names_parts(&these->of->name, these->count, sizeof *these->of)};

	for (size_t i = 0; i < these->count; i++) {
		const struct outline *outline = these->of[i].outline;

		if (outline && length_of(outline) > frame.length_ns)
			frame.length_ns = length_of(outline);
	}
	frame.columns = multiples_columns_of(these, frame.length_ns);
	return frame;
}

/* As wide as those of the longest run, or nearly. */
static size_t columns_joined(const struct frame *frame, const struct timeline *axis)
{
	double wide = (double)frame->length_ns / (double)frame->columns;
	double joined = ceil(wide / (double)axis->step_ns);

	return joined < (double)axis->columns ? (size_t)joined : axis->columns;
}

/* Both ends of a name tell it from others. */
static void add_name(const struct frame *frame, const struct multiple *one)
{
	size_t lines = frame->these->count > ROWS_HIGH ? 1 : LINES;
	struct strbuf *sb = frame->sb, name;

	strbuf_adds(sb, "<div class=\"l\" title=\"");
	xml_text(sb, one->name);
	strbuf_adds(sb, "\">");
	if (one->section)
		strbuf_addf(sb, "<a href=\"#s%zu\">", one->section);
	strbuf_init(&name);
	utf8_cut_middle(
		&name, name_tail(one->name, frame->parts), LINE_WIDTH * lines, "\u2026");
	xml_text(sb, name.text);
	strbuf_release(&name);
	strbuf_adds(sb, one->section ? "</a></div>" : "</div>");
}

static void add_picture(struct frame *frame, const struct timeline_drawn *drawn)
{
	struct strbuf *sb = frame->sb;

	strbuf_adds(sb, "<svg role=\"img\" class=\"multiple\"");
	timeline_picture(sb, drawn);
	strbuf_adds(sb, "</svg><div class=\"r\">");
	quantity_number(sb, drawn->mean, metric_get(drawn->series->metric)->decimals);
	strbuf_adds(sb, "</div>\n");
	frame->most_gaps = larger(frame->most_gaps, add_gaps(sb, drawn));
}

static void add_row(
	struct frame *frame, const struct panel *panel, const struct multiple *one)
{
	const struct outline_series *series = series_of(one, panel);

	add_name(frame, one);
	if (!series) {
		strbuf_adds(frame->sb, "<div class=\"none\">no values over time</div>\n");
		return;
	}
	add_picture(frame,
		&(struct timeline_drawn){.series = &series->all,
			.axis = &one->outline->axis,
			.per_column = columns_joined(frame, &one->outline->axis),
			.length_ns = frame->length_ns,
			.range = range_of(panel),
			.name = one->name,
			.mean = series->mean,
			.shows_length = true});
}

/* NULL: the run has no values at all. */
static const struct outline_devices *devices_of(
	const struct multiple *one, const struct panel *panel, bool partial)
{
	const struct outline_series *series = series_of(one, panel);

	if (!series)
		return NULL;
	return partial ? &series->partial : &series->lacking;
}

/* "; in run-2 gpu1 has no value": of runs that have values of others. */
static void add_devices(
	const struct frame *frame, const struct panel *panel, bool partial)
{
	const struct multiples *these = frame->these;
	const char *many = timeline_devices(metric_get(panel->drawn->metric));
	struct strbuf *sb = frame->sb;
	size_t runs = 0;

	for (size_t i = 0; i < these->count; i++) {
		const struct outline_devices *devices =
			devices_of(&these->of[i], panel, partial);

		runs += devices && devices->count;
	}
	if (runs > NAMED_MOST)
		strbuf_addf(sb,
			partial ? "; in %zu runs some %s have " TIMELINE_IN_PART
				: "; in %zu runs not all %s have a value",
			runs, many);
	for (size_t i = 0; i < these->count && runs <= NAMED_MOST; i++) {
		const struct outline_devices *devices =
			devices_of(&these->of[i], panel, partial);

		if (!devices || !devices->count)
			continue;
		strbuf_adds(sb, "; in ");
		xml_text(sb, name_tail(these->of[i].name, frame->parts));
		strbuf_addc(sb, ' ');
		timeline_have(sb, (const char *const *)devices->name, devices->count,
			many, partial ? TIMELINE_IN_PART : TIMELINE_NO_VALUE);
	}
}

static void add_panel(struct frame *frame, const struct panel *panel)
{
	const struct metric *metric = metric_get(panel->drawn->metric);
	double seconds = (double)frame->length_ns / 1e9;
	struct strbuf *sb = frame->sb;
	const char *side = NULL;

	strbuf_addf(sb,
		"<div class=\"time%s\">\n<svg class=\"behind\" aria-hidden=\"true\">",
		frame->these->count > ROWS_HIGH ? " dense" : "");
	time_axis_lines(sb, frame->these->from, seconds);
	strbuf_addf(sb, "</svg>\n<%s>%s <small>", frame->these->heading, metric->title);
	timeline_scale(sb, metric, range_of(panel), panel->min, panel->max);
	add_devices(frame, panel, false);
	add_devices(frame, panel, true);
	strbuf_addf(sb, "</small></%s>\n<svg class=\"axis\" aria-hidden=\"true\">",
		frame->these->heading);
	time_axis_names(sb, frame->these->from, seconds, AXIS_PX, AXIS_PX);
	strbuf_adds(sb, "</svg><div class=\"r\">mean</div>\n");
	for (size_t i = 0; i < frame->these->count; i++) {
		if (frame->these->of[i].side != side)
			strbuf_addf(sb, "<div class=\"side\">%s</div>\n",
				frame->these->of[i].side);
		side = frame->these->of[i].side;
		add_row(frame, panel, &frame->these->of[i]);
	}
	strbuf_adds(sb, "</div>\n");
}

static void multiples_add_caption(const struct frame *frame, size_t begin)
{
	struct strbuf *sb = frame->sb;
	bool alone = false;

	strbuf_adds(sb,
		"<figcaption>Each run begins at its start. A line is the mean of all "
		"GPUs together; it breaks where fewer or more of them have a value. The "
		"band goes from the minimum to the maximum of any GPU. The number on the "
		"right is the mean over the covered time; <span class=\"key "
		"ran\"></span>how long the run took");
	for (size_t i = 0; i < frame->these->count; i++)
		alone |= frame->these->of[i].outline && frame->these->of[i].outline->more;
	if (alone)
		strbuf_adds(
			sb, "; temperature and clocks are drawn only for a single run");
	html_timeline_keys(sb, begin, frame->most_gaps);
	strbuf_adds(sb, ".</figcaption>\n");
}

static void add_panels(struct frame *frame)
{
	struct panel panel = {.at = SIZE_MAX};
	struct strbuf *sb = frame->sb;
	size_t begin = sb->len;
	bool any = false;

	while (next_panel(&panel, frame->these)) {
		if (is_flat(&panel))
			continue;
		if (!any)
			strbuf_adds(sb, "<div class=\"panels\">\n");
		any = true;
		add_panel(frame, &panel);
	}
	if (!any)
		return;
	strbuf_adds(sb, "</div>\n");
	multiples_add_caption(frame, begin);
}

/* " in every run", "; run-3 and run-7 have no values over time" */
static void add_lacking(const struct frame *frame, const struct panel *panel)
{
	const struct multiples *these = frame->these;
	const char **name = xcalloc(these->count, sizeof *name);
	size_t lacking = 0;

	for (size_t i = 0; i < these->count; i++)
		if (!series_of(&these->of[i], panel))
			name[lacking++] = name_tail(these->of[i].name, frame->parts);
	strbuf_adds(frame->sb, lacking ? "; " : " in every run");
	if (lacking)
		timeline_have(frame->sb, name, lacking, "runs", "no values over time");
	free(name);
}

static void add_flat(const struct frame *frame)
{
	struct panel panel = {.at = SIZE_MAX};
	struct strbuf *sb = frame->sb;
	bool any = false;

	while (next_panel(&panel, frame->these)) {
		const struct metric *metric = metric_get(panel.drawn->metric);

		if (!is_flat(&panel))
			continue;
		if (!any)
			strbuf_adds(sb,
				"<p class=\"facts\">Not drawn, because they hardly "
				"change:</p>\n<ul>\n");
		any = true;
		strbuf_addf(sb, "<li>%s: ", metric->title);
		timeline_values(sb, metric, panel.min, panel.max);
		add_lacking(frame, &panel);
		add_devices(frame, &panel, false);
		add_devices(frame, &panel, true);
		strbuf_adds(sb, "</li>\n");
	}
	strbuf_adds(sb, any ? "</ul>\n" : "");
}

static void add_numbers(
	const struct frame *frame, const struct panel *panel, const struct multiple *one)
{
	const struct outline_series *series = series_of(one, panel);
	struct html_numbers numbers = {.name = name_tail(one->name, frame->parts),
		.mean = series ? series->mean : NAN,
		.min = series ? series->all.min : NAN,
		.max = series ? series->all.max : NAN,
		.series = series ? &series->all : NULL};

	html_numbers_row(frame->sb, metric_get(panel->drawn->metric), &numbers, NULL);
}

static void add_table(const struct frame *frame)
{
	struct panel panel = {.at = SIZE_MAX};
	struct strbuf *sb = frame->sb;

	html_numbers_begin(sb, NULL);
	while (next_panel(&panel, frame->these)) {
		const struct metric *metric = metric_get(panel.drawn->metric);
		const char *side = NULL;

		html_numbers_title(sb, NULL, metric->title, metric->unit);
		for (size_t i = 0; i < frame->these->count; i++) {
			const struct multiple *one = &frame->these->of[i];

			if (one->side != side)
				html_numbers_title(sb, NULL, one->side, "");
			side = one->side;
			add_numbers(frame, &panel, one);
		}
	}
	strbuf_adds(sb, "</tbody></table></div></details>\n");
}

/*
 * Appends a title, a picture for each metric that any of them has, and a line for each of
 * which there is nothing to see. False, and nothing: there is none.
 */
static bool html_multiples(
	struct strbuf *sb, const struct multiples *these, const char *title)
{
	struct panel panel = {.at = SIZE_MAX};
	struct frame frame;

	if (!next_panel(&panel, these))
		return false;
	frame = frame_of(sb, these);
	strbuf_addf(sb, "%s\n<figure class=\"multiples\">\n", title);
	add_panels(&frame);
	add_flat(&frame);
	add_table(&frame);
	strbuf_adds(sb, "</figure>\n");
	return true;
}

#define RUNS_DRAWN 10 /* of a comparison; of each side half of them */

static void say_count(struct strbuf *sb, size_t runs, const char *of)
{
	if (runs)
		strbuf_addf(sb, "<p class=\"facts\">%zu %s not drawn%s.</p>\n", runs,
			runs == 1 ? "run is" : "runs are", of);
}

void html_together(struct strbuf *sb, const struct report *report, size_t count,
	size_t first, size_t room)
{
	struct multiple *of = xcalloc(count, sizeof *of);
	struct outline **outline = xcalloc(count, sizeof *outline);
	struct multiples these = {
		.of = of, .heading = "h3", .from = timeline_from(report), .room = room};
	char first_ones[100];

	for (size_t i = 0; i < count; i++) {
		if (report[i].undrawn)
			continue;
		outline[i] = outline_make(&report[i]);
		of[these.count++] = (struct multiple){.name = report[i].run->path,
			.section = first + i,
			.outline = outline[i]};
	}
	if (html_multiples(sb, &these,
		    "<section aria-labelledby=\"all\">\n<h2 id=\"all\">All runs over "
		    "time</h2>")) {
		snprintf(first_ones, sizeof first_ones,
			": only the first %zu are. A report of fewer runs draws the "
			"others",
			these.count);
		say_count(sb, count - these.count, first_ones);
		strbuf_adds(sb, "</section>\n");
	}
	for (size_t i = 0; i < count; i++)
		outline_free(outline[i]);
	free(outline);
	free(of);
}

/* The runs of a comparison that are drawn, and how many are not. */
struct choice {
	struct multiple of[RUNS_DRAWN];
	size_t count;
	size_t beyond; /* as there are enough */
	size_t without; /* as they are numbers alone, or have none over time */
};

/* The first ones of a side. */
static void choose(struct choice *choice, const struct comparison *comparison,
	enum side side, size_t most)
{
	static const char *const called[] = {
		[SIDE_BASE] = "Base", [SIDE_NEW] = "New", [SIDES] = NULL};
	size_t drawn = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compared_run *run = &comparison->run[i];

		if (run->side != side)
			continue;
		if (drawn < most && run->outline) {
			choice->of[choice->count++] = (struct multiple){.name = run->name,
				.side = called[side],
				.outline = run->outline};
			drawn++;
		} else if (drawn < most && !comparison->undrawn) {
			choice->without++;
		} else {
			choice->beyond++;
		}
	}
}

void html_compared(struct strbuf *sb, const struct comparison *comparison)
{
	bool sides = comparison_has_sides(comparison);
	struct choice choice = {.count = 0};
	struct multiples these;

	for (enum side side = SIDE_BASE; side < SIDES && sides; side++)
		choose(&choice, comparison, side, RUNS_DRAWN / SIDES);
	if (!sides)
		choose(&choice, comparison, SIDES, RUNS_DRAWN);
	these = (struct multiples){choice.of, choice.count, comparison->filter.metric,
		"h4", (double)comparison->filter.since_ns / 1e9, SIZE_MAX};
	if (!html_multiples(sb, &these, "<h3>Over time</h3>"))
		return;
	say_count(sb, choice.beyond,
		sides ? ": only the first five of each side are"
		      : ": only the first ten are");
	say_count(sb, choice.without, ": they have no values over time");
}
