/*
 * The timeline of a run as one SVG image for a README or a paper. It has its own style
 * and a fixed width.
 */
#include <string.h>

#include "base/name_match.h"
#include "base/quantity.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/timeline_axis.h"
#include "render/utf8.h"

/* In px: where the axis begins, how long it is, and where numbers end. */
#define WIDTH	 960
#define LEFT	 76
#define LENGTH	 744
#define MEAN_END 884
#define MAX_END	 952

#define MARGIN 8 /* on both sides */

#define BESIDE_TITLE "<tspan class=\"q\" font-weight=\"400\" dx=\"10\">"

#define LINE	22 /* of text */
#define BETWEEN 5 /* rows: a dot at the top of one does not touch the line above */

/* Colors that stand in the style as $ink: what draws pictures but browsers, as librsvg,
 * knows no variables. */
static const struct {
	const char *name, *light, *dark;
} color[] = {
	{"ink", "#1d1d1f", "#eeeef0"},
	{"paper", "#fff", "#17181a"},
	{"quiet", "#595e64", "#a3a8ae"},
	{"line", "#d9dce0", "#3a3d41"},
	{"bar", "#18406e", "#c3dcfa"},
	{"mark", "#6a90c0", "#4b6e97"},
	{"warn", "#865300", "#f0b95c"},
	{"bad", "#b3261e", "#ff8b80"},
	{"gap", "#e4e7ea", "#2e3135"},
	{"odd", "#f3f5f8", "#1f2124"},
};

/* clang-format off */
static const char style[] =
"text{font:12px system-ui,sans-serif;fill:$ink;font-variant-numeric:tabular-nums}"
".q{fill:$quiet}.h{font-weight:600}.n{text-anchor:end}.axis text{fill:$quiet;text-anchor:middle}"
".axis .first{text-anchor:start}.axis .last{text-anchor:end}\n"
".paper{fill:$paper}.odd{fill:$odd}.even{fill:none}line{stroke:$line}"
".one{fill:$mark}.many{fill:$mark;fill-opacity:.35}.hatch{stroke:$mark;stroke-width:16;stroke-dasharray:1 3}\n"
".power{fill:$mark}.heat{fill:$warn}.hardware{fill:$bad}\n"
".g{fill:$gap}.na{fill:none;stroke:$quiet;stroke-dasharray:2 3}tspan.na{fill:none;stroke-dasharray:1 1}.e{fill:$mark;stroke:$mark}.m,.p{fill:none;stroke:$bar;stroke-linecap:round}"
".e,.m,.p,.s,.na{vector-effect:non-scaling-stroke;stroke-linejoin:round}.p{stroke-width:3}"
".s{fill:$quiet;stroke:$quiet;stroke-width:1.5}\n";
/* clang-format on */

static void add_style(struct strbuf *sb, bool dark)
{
	for (const char *at = style; *at; at++) {
		size_t i = 0;

		if (*at != '$') {
			strbuf_addc(sb, *at);
			continue;
		}
		while (strncmp(at + 1, color[i].name, strlen(color[i].name)) != 0)
			i++;
		strbuf_adds(sb, dark ? color[i].dark : color[i].light);
		at += strlen(color[i].name);
	}
}

/* From the top to the bottom. */
struct picture {
	const struct report *report;
	struct strbuf body;
	struct strbuf behind; /* rectangles of paper, on which headings stand */
	int y;
	int top, bottom; /* of what stripes stand behind */
	size_t most_gaps; /* in one mark */
	struct timeline_rows rows; /* of phases */
};

static void begin_text(struct picture *p, const char *class, int x, int y)
{
	strbuf_addf(
		&p->body, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, p->y + y);
}

static void end_text(struct picture *p)
{
	strbuf_adds(&p->body, "</text>\n");
}

static void add_text(struct picture *p, const char *class, int x, const char *text)
{
	begin_text(p, class, x, 12);
	strbuf_adds(&p->body, text);
	end_text(p);
}

static void add_number(struct picture *p, int x, int y, double value, int decimals)
{
	begin_text(p, "n", x, y);
	quantity_number(&p->body, value, decimals);
	end_text(p);
}

/* A picture that is as wide as the axis; its attributes and parts follow. */
static void begin_part(struct picture *p, const char *class, int height)
{
	strbuf_addf(&p->body,
		"<svg class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", class,
		LEFT, p->y, LENGTH, height);
}

static void end_part(struct picture *p)
{
	strbuf_adds(&p->body, "</svg>\n");
}

static void add_name(struct picture *p, const char *name, int height)
{
	begin_text(p, "q", 0, height / 2 + 4);
	xml_text(&p->body, name);
	end_text(p);
}

/* "only gpu1, from 40.0 s to 90.0 s", as XML; nothing of the whole run. Phases are drawn
 * as a part of it. */
static void add_only(struct strbuf *sb, const struct report *report, const char *before,
	const char *behind)
{
	struct report_filter drawn = report->filter;
	struct strbuf text = strbuf_new();

	drawn.phase = NULL;
	doc_selection(&text, &drawn);
	if (text.len) {
		strbuf_addf(sb, "%sonly ", before);
		xml_text(sb, text.text);
		strbuf_adds(sb, behind);
	}
	strbuf_release(&text);
}

static void add_run(struct picture *p)
{
	begin_text(p, "h", 0, 14);
	xml_text(&p->body, p->report->run->path);
	add_only(&p->body, p->report, BESIDE_TITLE, "</tspan>");
	end_text(p);
	p->y += LINE;
}

/* A key, and behind it the words that the caller appends. */
static void begin_key(struct picture *p, const char *class)
{
	strbuf_addf(&p->body, "<tspan class=\"%s\">\u25ac</tspan> ", class);
}

static void add_keys(struct picture *p)
{
	if (strstr(p->body.text, "<path class=\"g\"")) {
		begin_key(p, "g");
		strbuf_adds(&p->body, "nothing was recorded; ");
	}
	if (strstr(p->body.text, "<path class=\"na\"")) {
		begin_key(p, "na");
		strbuf_adds(&p->body, "recorded without a value; ");
	}
	begin_key(p, "s");
	timeline_gaps_legend(&p->body, p->most_gaps);
}

/* Below all: what the marks of gaps are, and which calls of phases are not there. */
static void add_legend(struct picture *p)
{
	struct strbuf left = strbuf_new();

	timeline_rows_left(&left, &p->rows);
	p->y += p->most_gaps || left.len ? 4 : 0;
	if (p->most_gaps) {
		begin_text(p, "q", LEFT, 12);
		add_keys(p);
		end_text(p);
		p->y += LINE;
	}
	if (left.len) {
		add_text(p, "q", LEFT, left.text + strlen("; "));
		p->y += LINE;
	}
	strbuf_release(&left);
}

static void add_axis(struct picture *p, bool heads)
{
	begin_part(p, "axis", LINE);
	strbuf_adds(&p->body, " overflow=\"visible\">");
	timeline_axis(&p->body, p->report);
	end_part(p);
	if (heads) {
		add_text(p, "n q", MEAN_END, "mean");
		add_text(p, "n q", MAX_END, "max");
	}
	p->y += LINE;
}

static void add_phases(struct picture *p)
{
	int height = timeline_phases_height(&p->rows);

	if (!height)
		return;
	add_name(p, "phases", height);
	begin_part(p, "phases", height);
	strbuf_addc(&p->body, '>');
	timeline_phases(&p->body, &p->rows);
	end_part(p);
	p->y += height + 4;
}

/* What hides the stripes behind it. Ends with end_heading(). */
static void begin_heading(struct picture *p, const char *title)
{
	p->y += 6;
	strbuf_addf(&p->behind,
		"<rect class=\"paper\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		p->y, WIDTH, LINE);
	begin_text(p, "h", 0, LINE - 7);
	strbuf_addf(&p->body, "%s%s", title, BESIDE_TITLE);
}

static void end_heading(struct picture *p)
{
	strbuf_adds(&p->body, "</tspan>");
	end_text(p);
	p->y += LINE;
}

static void add_gaps(struct picture *p, const struct timeline_drawn *drawn)
{
	size_t most;

	begin_part(p, "gaps", STRIP_GAPS_HEIGHT);
	strbuf_adds(&p->body, " role=\"img\" overflow=\"visible\"");
	most = timeline_gap_marks(&p->body, drawn);
	end_part(p);
	p->y += STRIP_GAPS_HEIGHT + 2;
	if (most > p->most_gaps)
		p->most_gaps = most;
}

static void add_strip(struct picture *p, const struct timeline_group *group, size_t at)
{
	static const int px[] = {
		[STRIP_LOW] = 26, [STRIP_MIDDLE] = 44, [STRIP_HIGH] = 72};
	int decimals = group->metric->decimals;
	int height = px[timeline_group_height(group)];
	struct timeline_strip strip;

	timeline_group_strip(&strip, group, at);
	add_name(p, strip.name, height);
	begin_part(p, "strip", height);
	strbuf_adds(&p->body, " role=\"img\" overflow=\"visible\"");
	timeline_picture(&p->body, &strip.drawn);
	end_part(p);
	add_number(p, MEAN_END, height / 2 + 4, strip.drawn.mean, decimals);
	add_number(p, MAX_END, height / 2 + 4, strip.max, decimals);
	p->y += height;
	strbuf_addf(&p->body, "<line x1=\"%d\" x2=\"%d\" y1=\"%d.5\" y2=\"%d.5\"/>\n",
		LEFT, LEFT + LENGTH, p->y, p->y);
	p->y += BETWEEN;
	if (strip.drawn.series->gap_count)
		add_gaps(p, &strip.drawn);
}

static void add_group(struct picture *p, const struct timeline_group *group)
{
	bool flat;

	begin_heading(p, group->metric->title);
	flat = timeline_group_say(&p->body, group);
	end_heading(p);
	for (size_t i = 0; !flat && i < timeline_group_strips(group); i++)
		add_strip(p, group, i);
}

static void add_slowed(struct picture *p)
{
	bool has[SLOWED_COUNT] = {false};
	uint32_t device = UINT32_MAX;
	int height, beside;

	if (!timeline_slowed(p->report, has))
		return;
	height = timeline_slowed_height(has);
	beside = height < LINE ? (LINE - height) / 2 : 0;
	begin_heading(p, "Clocks throttled");
	strbuf_adds(&p->body, "by");
	for (enum slowed why = 0; why < SLOWED_COUNT; why++)
		if (has[why]) {
			strbuf_addc(&p->body, ' ');
			begin_key(p, timeline_slowed_class(why));
			strbuf_adds(&p->body, slowed_name(why));
		}
	timeline_slowed_lacking(&p->body, p->report, has);
	end_heading(p);
	while (timeline_slowed_next(p->report, has, &device)) {
		const struct timeline_slowed_row row = {p->report, has, device, 1};

		p->y += beside;
		add_name(p, p->report->run->device[device].name, height);
		begin_part(p, "slowed", height);
		strbuf_adds(&p->body, " role=\"img\"");
		timeline_slowed_picture(&p->body, &row);
		end_part(p);
		p->y += height + beside + 6;
	}
}

static void add_groups(struct picture *p, enum device_kind kind)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		if (metric_get(metrics[i].metric)->device != kind)
			continue;
		if (timeline_group_init(&group, p->report, &metrics[i]))
			add_group(p, &group);
		timeline_group_release(&group);
	}
	if (kind == DEVICE_GPU)
		add_slowed(p);
}

/* The paper, the stripes on it, what headings stand on, and all else. */
static void print(struct picture *p, FILE *out)
{
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"-%d 0 %d %d\">\n<title>",
		WIDTH + MARGIN, p->y, MARGIN, WIDTH + MARGIN, p->y);
	xml_text(&sb, p->report->run->path);
	add_only(&sb, p->report, ", ", "");
	strbuf_adds(&sb, "</title>\n<style>");
	add_style(&sb, false);
	strbuf_adds(&sb, "@media(prefers-color-scheme:dark){\n");
	add_style(&sb, true);
	strbuf_addf(&sb,
		"}</style>\n"
		"<rect class=\"paper\" x=\"-%d\" width=\"100%%\" height=\"100%%\"/>\n"
		"<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">",
		MARGIN, LEFT, p->top, LENGTH, p->bottom - p->top);
	timeline_behind(&sb, p->report);
	strbuf_addf(&sb, "</svg>\n%s%s</svg>\n", p->behind.text, p->body.text);
	fputs(sb.text, out);
	strbuf_release(&sb);
}

/* Of metrics that were asked for it says which would be drawn. */
static int refuse(const struct report *report, struct error *err)
{
	const struct timeline *t = report->timeline;
	struct name_list names;

	name_list_init(&names, METRIC_COUNT);
	for (size_t i = 0; t && report->filter.metric && i < t->series_count; i++)
		if ((!i || t->series[i].metric != t->series[i - 1].metric) &&
			name_list_next(&names))
			strbuf_adds(&names.text, metric_get(t->series[i].metric)->name);
	if (names.count)
		error_set(err,
			"%s: format svg has nothing to draw of --metric %s%s; expected "
			"one of %s",
			report->run->path, report->filter.metric,
			timeline_slowed_wanted(report)
				? ", as no throttled clock was recorded"
				: "",
			names.text.text);
	else
		error_set(err,
			"%s: format svg has nothing to draw; expected a log with times, "
			"or --interval, of a metric that is drawn",
			report->run->path);
	name_list_release(&names);
	return -1;
}

int svg_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report = in->report;
	struct picture p = {.report = report, .y = 2};
	bool pictures;

	(void)opt;
	if (in->report_count != 1)
		return error_set(err,
			"format svg draws one run; expected one RUN, not %zu",
			in->report_count);
	if (!timeline_is_pictured(report))
		return refuse(report, err);
	strbuf_init(&p.body);
	strbuf_init(&p.behind);
	add_run(&p);
	p.top = p.y;
	p.rows = timeline_phases_rows(report);
	pictures = timeline_has_pictures(report);
	if (pictures || p.rows.count)
		add_axis(&p, pictures);
	add_phases(&p);
	p.bottom = p.y;
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		add_groups(&p, kind);
	p.y += 4;
	if (pictures) {
		add_axis(&p, false);
		p.bottom = p.y;
	}
	add_legend(&p);
	print(&p, out);
	strbuf_release(&p.body);
	strbuf_release(&p.behind);
	return render_check(out, "svg", err);
}
