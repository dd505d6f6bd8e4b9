/*
 * Small multiples: for each metric a row for each run. Longer runs are drawn in more
 * columns than shorter ones, so that a column is as wide in all of them. Must not
 * compute: the numbers are those of the reports.
 */
#include "render/html_multiples.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "render/html_numbers.h"
#include "render/html_timeline.h"
#include "render/time_axis.h"
#include "render/timeline_parts.h"
#include "render/utf8.h"
#include "render/xml_text.h"

#define COLUMNS_MOST  360 /* of a picture, which is hardly more px wide */
#define COLUMNS_LEAST 32
#define COLUMNS_ALL   1600 /* of the pictures of a metric, however little room is left */
#define COLUMN_BYTES  20 /* what a column takes, of which no two are alike */
#define PICTURE_BYTES 700 /* and a picture, with its numbers in the table */

#define ROWS_HIGH  16 /* more of them are lower ones */
#define LINE_WIDTH 13 /* letters of a name that a line has room for */
#define LINES	   2 /* of a name, in rows that are not low */
#define PARTS_MOST 4
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

/* The last parts of a path, which are what it is known by. */
static const char *tail_of(const char *name, size_t parts)
{
	const char *at = name + strlen(name);

	while (at > name && at[-1] == '/')
		at--;
	while (at > name && (at[-1] != '/' || --parts > 0))
		at--;
	return at;
}

static bool tells_apart(const struct multiple *of, size_t count, size_t parts)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(of[i].name, of[k].name) != 0 &&
				strcmp(tail_of(of[i].name, parts),
					tail_of(of[k].name, parts)) == 0)
				return false;
	return true;
}

/* As few as tell all runs apart, or whole paths. */
static size_t parts_shown(const struct multiples *these)
{
	for (size_t parts = 1; parts <= PARTS_MOST; parts++)
		if (tells_apart(these->of, these->count, parts))
			return parts;
	return SIZE_MAX;
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

/* There is nothing to see of it. */
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
static size_t columns_of(const struct multiples *these, int64_t longest_ns)
{
	double least = fmax((double)COLUMNS_ALL / (double)these->count, COLUMNS_LEAST);
	double all = pictures(these, longest_ns);
	double columns = ((double)these->room / all - PICTURE_BYTES) / COLUMN_BYTES;

	return (size_t)fmin(fmax(columns, least), COLUMNS_MOST);
}

static struct frame frame_of(struct strbuf *sb, const struct multiples *these)
{
	struct frame frame = {.sb = sb, .these = these, .parts = parts_shown(these)};

	for (size_t i = 0; i < these->count; i++) {
		const struct outline *outline = these->of[i].outline;

		if (outline && length_of(outline) > frame.length_ns)
			frame.length_ns = length_of(outline);
	}
	frame.columns = columns_of(these, frame.length_ns);
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
		&name, tail_of(one->name, frame->parts), LINE_WIDTH * lines, "\u2026");
	xml_text(sb, name.text);
	strbuf_release(&name);
	strbuf_adds(sb, one->section ? "</a></div>" : "</div>");
}

static void add_picture(struct frame *frame, const struct timeline_drawn *drawn)
{
	struct strbuf *sb = frame->sb;
	size_t most;

	strbuf_adds(sb, "<svg role=\"img\" class=\"multiple\"");
	timeline_picture(sb, drawn);
	strbuf_adds(sb, "</svg><div class=\"r\">");
	quantity_number(sb, drawn->mean, metric_get(drawn->series->metric)->decimals);
	strbuf_adds(sb, "</div>\n");
	if (!drawn->series->gap_count)
		return;
	strbuf_addf(
		sb, "<svg role=\"img\" class=\"gaps\" height=\"%d\"", STRIP_GAPS_HEIGHT);
	most = timeline_gap_marks(sb, drawn);
	strbuf_adds(sb, "</svg>\n");
	if (most > frame->most_gaps)
		frame->most_gaps = most;
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
		xml_text(sb, tail_of(these->of[i].name, frame->parts));
		strbuf_addc(sb, ' ');
		timeline_have(sb, (const char *const *)devices->name, devices->count,
			many, partial ? TIMELINE_IN_PART : TIMELINE_NO_VALUE);
	}
}

static void add_devices_lacking(const struct frame *frame, const struct panel *panel)
{
	add_devices(frame, panel, false);
	add_devices(frame, panel, true);
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
	add_devices_lacking(frame, panel);
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

static void add_caption(const struct frame *frame, size_t begin)
{
	struct strbuf *sb = frame->sb;
	bool alone = false;

	strbuf_adds(sb,
		"<figcaption>Each run from its start on. A line is the mean of a moment, "
		"of several GPUs together, and breaks where fewer or more of them have a "
		"value; the band around it goes from the least to the largest value of "
		"any; the number beside it is the mean over all the time that their "
		"values cover; <span class=\"key ran\"></span>how long "
		"the run took");
	for (size_t i = 0; i < frame->these->count; i++)
		alone |= frame->these->of[i].outline && frame->these->of[i].outline->more;
	if (alone)
		strbuf_adds(sb, "; temperature and clocks are drawn with a run alone");
	html_timeline_keys(sb, begin, frame->most_gaps);
	strbuf_adds(sb, ".</figcaption>\n");
}

bool html_multiples_any(const struct multiples *these)
{
	struct panel panel = {.at = SIZE_MAX};

	return next_panel(&panel, these);
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
	add_caption(frame, begin);
}

/* " in every run", "; run-3 and run-7 have no values over time" */
static void add_lacking(const struct frame *frame, const struct panel *panel)
{
	const struct multiples *these = frame->these;
	const char **name = xcalloc(these->count, sizeof *name);
	size_t lacking = 0;

	for (size_t i = 0; i < these->count; i++)
		if (!series_of(&these->of[i], panel))
			name[lacking++] = tail_of(these->of[i].name, frame->parts);
	strbuf_adds(frame->sb, lacking ? "; " : " in every run");
	if (lacking)
		timeline_have(frame->sb, name, lacking, "runs", "no values over time");
	free(name);
}

/* Of which there is nothing to see. */
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
				"<p class=\"facts\">Not drawn, as there is nothing to "
				"see:</p>\n<ul>\n");
		any = true;
		strbuf_addf(sb, "<li>%s: ", metric->title);
		timeline_values(sb, metric, panel.min, panel.max);
		add_lacking(frame, &panel);
		add_devices_lacking(frame, &panel);
		strbuf_adds(sb, "</li>\n");
	}
	strbuf_adds(sb, any ? "</ul>\n" : "");
}

static void add_numbers(
	const struct frame *frame, const struct panel *panel, const struct multiple *one)
{
	const struct outline_series *series = series_of(one, panel);
	struct html_numbers numbers = {.name = tail_of(one->name, frame->parts),
		.mean = NAN,
		.min = NAN,
		.max = NAN};

	if (series) {
		numbers.mean = series->mean;
		numbers.min = series->all.min;
		numbers.max = series->all.max;
		numbers.series = &series->all;
	}
	html_numbers_row(frame->sb, metric_get(panel->drawn->metric), &numbers, NULL);
}

/* Of what is drawn, and of what is not. */
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
	html_numbers_end_rows(sb);
	html_numbers_end(sb);
}

void html_multiples(struct strbuf *sb, const struct multiples *these)
{
	struct frame frame = frame_of(sb, these);

	strbuf_adds(sb, "<figure class=\"multiples\">\n");
	add_panels(&frame);
	add_flat(&frame);
	add_table(&frame);
	strbuf_adds(sb, "</figure>\n");
}
