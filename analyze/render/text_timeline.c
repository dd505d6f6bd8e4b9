/*
 * The timeline of a run on a terminal: for each device and metric with a scale from 0
 * one line for the mean of each column, one for the largest values where means hide
 * them, and the phases on the same axis. Blank is unknown. Must not compute.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/formats.h"
#include "render/spark.h"
#include "render/text.h"
#include "render/timeline_axis.h"
#include "render/utf8.h"

#define BESIDE	   36 /* columns of a line for the indent, a name and two numbers */
#define BESIDE_ALL 29 /* the same with -v, which has the metric in a title */
#define LINES_MAX  8 /* of a metric; more devices have one together */
#define DEPTHS_MAX 2 /* of phases */
#define HIDES	   0.25 /* of the height: a mean so far below the largest value hides it */
#define SHOWN	   0.5 /* of how far a value is above its surroundings: shows it */

size_t text_columns(const struct render_options *opt)
{
	int beside = opt->verbose > 0 ? BESIDE_ALL : BESIDE;
	bool drawn = opt->terminal && opt->verbose >= 0 && opt->width > beside;

	return drawn ? (size_t)(opt->width - beside) : 0;
}

static const char *rule_of(bool unicode)
{
	return unicode ? "─" : "-";
}

/* No value of their own have the columns between two that no gap lies between. A share
 * is of the time before it. */
static void fill(double *height, size_t from, size_t to, bool share)
{
	double step = (height[to] - height[from]) / (double)(to - from);

	for (size_t c = from + 1; c < to; c++)
		height[c] = share ? height[to] : height[from] + step * (double)(c - from);
}

/* A gap of a column's length or more that none lies in has the one it is most of. */
static void blank_gaps(
	double *height, const struct timeline_series *series, size_t columns)
{
	for (size_t i = 0; i < series->gap_count; i++) {
		double from = series->gap[i].from, to = series->gap[i].to;
		double middle = ceil(from), at;

		if (to - from < 1 || floor(to) > middle)
			continue;
		at = middle - from < to - middle ? middle : middle - 1;
		if (at >= 0 && at < (double)columns)
			height[(size_t)at] = NAN;
	}
}

/* As high as the means, or the largest values, of its columns. */
static void add_line(struct doc *doc, const struct timeline_group *group,
	const struct timeline_series *series, bool largest,
	const struct render_options *opt)
{
	size_t columns = group->report->timeline->columns, before = columns;
	struct strip_range range = timeline_group_range(group);
	bool share = group->metric->kind == KIND_SHARE;
	double *height = xcalloc(columns, sizeof *height);
	struct strbuf *line = doc_write(doc);

	for (size_t c = 0; c < columns; c++) {
		const struct timeline_column *column = &series->column[c];
		double value = largest ? column->max : column->mean;

		height[c] = isnan(value) ? NAN : strip_share(range, value);
		if (isnan(height[c]))
			continue;
		if (column->joined && before < c)
			fill(height, before, c, share);
		before = c;
	}
	if (!largest)
		blank_gaps(height, series, columns);
	for (size_t c = 0; c < columns; c++)
		spark_column(line, height[c], opt->unicode);
	free(height);
}

/* The means around a column: an edge in one is seen beside it. */
static struct strip_range means_near(
	const struct timeline_series *series, size_t columns, size_t at)
{
	size_t end = at + 2 < columns ? at + 2 : columns;
	struct strip_range near = {NAN, NAN};

	for (size_t c = at ? at - 1 : 0; c < end; c++) {
		near.low = fmin(near.low, series->column[c].mean);
		near.high = fmax(near.high, series->column[c].mean);
	}
	return near;
}

/* Is the largest value of a column far above all that is drawn there, or far above what
 * is around and drawn as much less, which a narrower column alone makes no better? */
static bool is_hidden(const struct timeline_series *series, size_t columns, size_t at,
	struct strip_range range)
{
	struct strip_range near = means_near(series, columns, at);
	double top = strip_share(range, series->column[at].max);
	double high = strip_share(range, near.high), low = strip_share(range, near.low);

	return top - high >= HIDES ||
		(top - low >= HIDES && high - low < SHOWN * (top - low));
}

/* ... of one of its lines? */
static bool hides(const struct timeline_group *group)
{
	struct strip_range range = timeline_group_range(group);
	size_t columns = group->report->timeline->columns;

	for (size_t i = 0; i < timeline_group_strips(group); i++) {
		const struct timeline_series *series = timeline_group_series(group, i);

		for (size_t c = 0; c < columns; c++)
			if (!isnan(series->column[c].max) &&
				is_hidden(series, columns, c, range))
				return true;
	}
	return false;
}

/* A blank that ends no line would stand as an escape. */
static void add_plain(struct strbuf *text, const char *part)
{
	for (; *part; part++) {
		bool blank = strncmp(part, "\u00a0", 2) == 0;

		strbuf_addc(text, blank ? ' ' : *part);
		part += blank;
	}
}

/* "GPU utilization, 0 to 100 %"; true: it is flat, and has no lines. */
static bool add_title(struct doc *doc, const struct timeline_group *group)
{
	struct strbuf *title = doc_row_title(doc), scale = strbuf_new();
	bool flat = timeline_group_say(&scale, group);

	strbuf_addf(title, "%s, ", group->metric->title);
	add_plain(title, scale.text);
	strbuf_release(&scale);
	return flat;
}

static void add_strip(struct doc *doc, const struct timeline_group *group, size_t at,
	const struct render_options *opt)
{
	struct timeline_strip strip;

	timeline_group_strip(&strip, group, at);
	if (opt->verbose > 0)
		doc_text(doc, strip.name);
	else
		doc_textf(doc, "%s %s", strip.name, group->drawn->word);
	add_line(doc, group, strip.drawn.series, false, opt);
	doc_number(doc, strip.drawn.mean, group->metric->decimals);
	doc_number(doc, strip.max, group->metric->decimals);
}

/* Of all devices: a spike is seen, however many columns lie around it. */
static void add_largest(struct doc *doc, const struct timeline_group *group,
	const struct render_options *opt)
{
	doc_text(doc, "largest");
	add_line(doc, group, &group->all, true, opt);
	doc_blank(doc);
	doc_number(doc, group->all.max, group->metric->decimals);
}

static void add_group(
	struct doc *doc, struct timeline_group *group, const struct render_options *opt)
{
	bool all = opt->verbose > 0;
	size_t most = all ? LINES_MAX : group->drawn->lines ? group->drawn->lines : 1;

	if (group->count > most && timeline_group_strips(group) > 1)
		group->together = true;
	if (all ? add_title(doc, group) : timeline_group_is_flat(group))
		return;
	for (size_t i = 0; i < timeline_group_strips(group); i++)
		add_strip(doc, group, i, opt);
	if ((all || !group->together) && hides(group))
		add_largest(doc, group, opt);
}

static size_t column_of(const struct timeline *t, double percent)
{
	double from = timeline_place(t, t->from_ns), to = timeline_place(t, t->to_ns);
	double place = from + percent / 100 * (to - from);

	return place < (double)t->columns ? (size_t)place : t->columns - 1;
}

static void add_name(struct strbuf *line, const char *whole, const char *part,
	size_t width, const struct render_options *opt)
{
	struct strbuf name = strbuf_new();
	size_t used;

	if (whole)
		utf8_inert(&name, whole);
	if (part && utf8_width(name.text) > width) {
		strbuf_clear(&name);
		utf8_inert(&name, part);
	}
	used = utf8_width(name.text);
	if (used <= width)
		strbuf_adds(line, name.text);
	else
		used = 0; /* half a name may be that of another */
	while (used++ < width)
		strbuf_adds(line, rule_of(opt->unicode));
	strbuf_release(&name);
}

/* "├load──┤│├epoch───┤": calls up to a column wide stand in one stroke. */
static void add_piece(struct strbuf *line, const struct timeline_piece *piece,
	const struct timeline_walk *walk, size_t width, const struct render_options *opt)
{
	const char *name = piece->name;

	if (width < 2) {
		strbuf_adds(line, opt->unicode ? "│" : "|");
		return;
	}
	strbuf_adds(line, opt->unicode ? "├" : "[");
	add_name(line, name,
		name ? timeline_short_name(walk->report, walk->depth, name) : NULL,
		width - 2, opt);
	strbuf_adds(line, opt->unicode ? "┤" : "]");
}

static void add_calls(struct doc *doc, const struct timeline_rows *rows, size_t at,
	const struct render_options *opt)
{
	const struct timeline *t = rows->report->timeline;
	struct timeline_walk walk = timeline_walk_of(rows, at);
	struct timeline_piece piece;
	struct strbuf *line;
	size_t used = 0;

	doc_text(doc, at ? "" : "phases");
	line = doc_write(doc);
	while (timeline_next_piece(&walk, &piece)) {
		size_t from = column_of(t, piece.from), to = column_of(t, piece.to);

		/* one that ends where the next begins leaves it that column */
		to = piece.to >= 100 || to == from ? to + 1 : to;
		if (to <= used)
			continue;
		for (; used < from; used++)
			strbuf_addc(line, ' ');
		add_piece(line, &piece, &walk, to - used, opt);
		used = to;
	}
	doc_blank(doc);
	doc_blank(doc);
}

static void add_time(struct strbuf *line, double seconds, double step)
{
	struct strbuf name = strbuf_new();

	time_axis_name(&name, seconds, step);
	add_plain(line, name.text);
	strbuf_release(&name);
}

/* "0       30 s      1 min", ASCII: a mark that has no room is left out, and where the
 * axis begins if the first mark has none beside that. */
static void add_axis(struct doc *doc, const struct report *report, bool titles)
{
	const struct timeline *t = report->timeline;
	double seconds = (double)(t->to_ns - t->from_ns) / 1e9;
	double from = timeline_from(report), step = time_axis_step(seconds);
	double first = time_axis_first(from, step);
	struct strbuf *line, name;

	strbuf_init(&name);
	doc_blank(doc);
	line = doc_write(doc);
	add_time(line, from, step);
	if (line->len + 2 > column_of(t, 100 * (first * step - from) / seconds))
		strbuf_clear(line);
	for (double i = first; i * step - from <= seconds; i++) {
		size_t at = column_of(t, 100 * (i * step - from) / seconds);

		strbuf_clear(&name);
		add_time(&name, i * step, step);
		if (at + name.len > t->columns || (line->len && at < line->len + 2))
			continue;
		while (line->len < at)
			strbuf_addc(line, ' ');
		strbuf_adds(line, name.text);
	}
	doc_text(doc, titles ? "mean" : "");
	doc_text(doc, titles ? "max" : "");
	strbuf_release(&name);
}

/* From another level on heights would be no shares. */
static bool is_drawn(struct timeline_group *group, const struct report *report,
	const struct timeline_metric *metric)
{
	*group = (struct timeline_group){.report = report};
	return metric->base == BASE_ZERO && timeline_group_init(group, report, metric);
}

static void add_groups(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);
	bool gpus = false;

	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		if (is_drawn(&group, report, &metrics[i]) &&
			(opt->verbose > 0 || metrics[i].lines || !gpus)) {
			add_group(doc, &group, opt);
			gpus = gpus || group.metric->device == DEVICE_GPU;
		}
		timeline_group_release(&group);
	}
}

static void add_note(struct doc *doc, const struct timeline_rows *rows, bool blanks)
{
	struct strbuf note = strbuf_new();

	if (blanks)
		strbuf_adds(&note, "; blank where nothing was recorded");
	timeline_rows_left(&note, rows);
	if (note.len) {
		doc_begin(doc, DOC_NOTES)->follows = true;
		strbuf_adds(doc_note(doc), note.text + strlen("; "));
	}
	strbuf_release(&note);
}

void text_timeline(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	static const struct doc_column column[] = {
		{"", "", DOC_LEFT, true},
		{"", "", DOC_LEFT, false},
		{"mean", "", DOC_SPARE, false},
		{"max", "", DOC_SPARE, false},
	};
	struct timeline_rows rows;
	struct doc_block *table;
	bool lines, all = opt->verbose > 0;

	if (report->undrawn) {
		doc_heading(doc, 2, "Over time");
		doc_begin(doc, DOC_NOTES);
		strbuf_adds(doc_note(doc),
			"not drawn: with so many runs, only the first ones are");
	}
	if (!timeline_is_drawn(report))
		return;
	lines = timeline_varies(report, true);
	doc_heading(doc, 2, "Over time");
	if (lines)
		doc_text(doc,
			all ? "the mean of each column"
			    : "mean of each column, 0 to limit");
	table = doc_table(doc, column, sizeof column / sizeof column[0]);
	table->follows = true;
	add_groups(doc, report, opt);
	if (!lines || !all)
		table->column[2].title = table->column[3].title = "";
	rows = timeline_rows_of(
		report, 100 / (double)report->timeline->columns, all ? DEPTHS_MAX : 1);
	rows.deeper = all ? rows.deeper : 0;
	for (size_t i = 0; i < rows.count; i++)
		add_calls(doc, &rows, i, opt);
	if (lines || rows.count)
		add_axis(doc, report, lines && !all);
	add_note(doc, &rows, lines && (all || report->evidence.gap_count));
}
