/*
 * The axis, and on it the calls of phases. Calls that are too short to be seen one by one
 * stand as one stretch: a hundred thousand of them are as few marks as a picture has room
 * for.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/quantity.h"
#include "render/time_axis.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define DEPTHS	   3 /* that are shown */
#define SHORT_PCT  0.4 /* of the axis: calls up to that are joined */
#define NAMED_PCT  4 /* ... that have room for a name */
#define ROW_PX	   18
#define NARROW_PX  300 /* an axis on a phone */
#define WIDE_PX	   740 /* ... in a wide window, and of a picture of its own */
#define LETTER_PX  7
#define STRIPES	   80 /* behind the rows, at most: more are no background */
#define COVERS_PCT 90 /* a call of that is the run's, and divides nothing */

double timeline_percent(const struct report *report, int64_t t_ns)
{
	const struct timeline *t = report->timeline;
	double all = (double)(t->to_ns - t->from_ns);
	double x = all > 0 ? 100 * (double)(t_ns - t->from_ns) / all : 0;

	return fmin(fmax(x, 0), 100);
}

void timeline_since_start(struct strbuf *sb, const struct report *report, int64_t t_ns)
{
	if (t_ns == TIME_NONE || report->started_ns == TIME_NONE)
		strbuf_addc(sb, '-');
	else
		quantity_span(sb, (double)(t_ns - report->started_ns) / 1e9);
}

static const struct phase_call *next_call(struct timeline_walk *walk)
{
	while (walk->at < walk->report->call_count) {
		const struct phase_call *call = &walk->report->call[walk->at++];

		if (walk->report->path[call->path].depth == walk->depth)
			return call;
	}
	return NULL;
}

bool timeline_next_piece(struct timeline_walk *walk, struct timeline_piece *piece)
{
	const struct phase_call *call = next_call(walk);

	if (!call)
		return false;
	*piece = (struct timeline_piece){call->name,
		timeline_percent(walk->report, call->start_ns),
		timeline_percent(walk->report, call->end_ns), call->seconds, 1};
	for (;;) {
		size_t before = walk->at;
		double from, to;

		call = piece->to - piece->from < walk->short_pct || piece->calls > 1
			? next_call(walk)
			: NULL;
		if (!call)
			return true;
		from = timeline_percent(walk->report, call->start_ns);
		to = timeline_percent(walk->report, call->end_ns);
		if (from - piece->to >= walk->short_pct || to - from >= walk->short_pct) {
			walk->at = before;
			return true;
		}
		piece->to = fmax(piece->to, to);
		piece->calls++;
		if (piece->name && (!call->name || strcmp(piece->name, call->name) != 0))
			piece->name = NULL;
	}
}

uint32_t timeline_depths(const struct report *report)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < report->call_count; i++)
		if (report->path[report->call[i].path].depth >= depth)
			depth = report->path[report->call[i].path].depth + 1;
	return depth < DEPTHS ? depth : DEPTHS;
}

/* "load", "epoch, 1,000 calls", "8 calls of several phases": as XML. */
static void add_words(struct strbuf *sb, const struct timeline_piece *piece)
{
	if (piece->calls == 1) {
		xml_text(sb, piece->name ? piece->name : "");
		return;
	}
	if (piece->name) {
		xml_text(sb, piece->name);
		strbuf_adds(sb, ", ");
	}
	quantity_count(sb, piece->calls);
	strbuf_adds(sb, piece->name ? " calls" : " calls of several phases");
}

static void add_title(struct strbuf *sb, const struct timeline_piece *piece)
{
	strbuf_adds(sb, "<title>");
	add_words(sb, piece);
	if (piece->calls == 1) {
		strbuf_adds(sb, ": ");
		quantity_span(sb, piece->seconds);
	}
	strbuf_adds(sb, "</title>");
}

/* Too long for its piece of an axis; a control stands as several letters. */
static bool is_tight(const char *name, double width, int axis_px)
{
	size_t letters = 0;

	for (const char *at = name; *at; at++)
		letters += ((unsigned char)*at & 0xc0) != 0x80;
	return (double)letters * LETTER_PX + 4 > width / 100 * axis_px;
}

/* Half a number would be a wrong one: where it does not fit the name stands alone. */
static void add_name(struct strbuf *sb, const struct timeline_piece *piece, double width)
{
	struct strbuf shown;

	strbuf_init(&shown);
	add_words(&shown, piece);
	if (piece->calls > 1 && is_tight(shown.text, width, WIDE_PX)) {
		strbuf_clear(&shown);
		if (piece->name)
			xml_text(&shown, piece->name);
	}
	if (shown.len)
		strbuf_addf(sb, "<text x=\"4\" y=\"%d\"%s>%s</text>", ROW_PX - 6,
			is_tight(shown.text, width, NARROW_PX) ? " class=\"tight\"" : "",
			shown.text);
	strbuf_release(&shown);
}

/* A picture in the picture: what of the name does not fit is cut off at its border. */
static void add_piece(
	struct strbuf *sb, const struct timeline_piece *piece, uint32_t depth)
{
	double width = fmax(piece->to - piece->from, 0.05);

	strbuf_addf(sb, "<svg x=\"%.5g%%\" y=\"%d\" width=\"%.5g%%\" height=\"%d\">",
		piece->from, (int)depth * ROW_PX, width, ROW_PX - 2);
	add_title(sb, piece);
	strbuf_addf(sb, "<rect class=\"%s\" width=\"100%%\" height=\"100%%\"/>",
		piece->calls > 1 ? "many" : "one");
	if (piece->calls > 1)
		strbuf_adds(
			sb, "<line class=\"hatch\" x2=\"100%\" y1=\"50%\" y2=\"50%\"/>");
	if (width >= NAMED_PCT)
		add_name(sb, piece, width);
	strbuf_adds(sb, "</svg>");
}

int timeline_phases_height(const struct report *report)
{
	return (int)timeline_depths(report) * ROW_PX;
}

void timeline_phases(struct strbuf *sb, const struct report *report)
{
	uint32_t depths = timeline_depths(report);

	for (uint32_t depth = 0; depth < depths; depth++) {
		struct timeline_walk walk = {report, depth, SHORT_PCT, 0};
		struct timeline_piece piece;

		while (timeline_next_piece(&walk, &piece))
			add_piece(sb, &piece, depth);
	}
}

/* The outermost phases, or the ones in them if these are but one. */
static uint32_t depth_of_stripes(const struct report *report)
{
	struct timeline_walk walk = {report, 0, SHORT_PCT, 0};
	struct timeline_piece first, second;

	if (!timeline_next_piece(&walk, &first) || timeline_next_piece(&walk, &second) ||
		first.to - first.from < COVERS_PCT || timeline_depths(report) < 2)
		return 0;
	return 1;
}

static void stripes(struct strbuf *sb, const struct report *report)
{
	struct timeline_walk walk = {report, depth_of_stripes(report), SHORT_PCT, 0};
	struct timeline_piece piece;
	size_t count = 0;

	while (timeline_next_piece(&walk, &piece))
		count++;
	if (count > STRIPES)
		return;
	walk.at = 0;
	for (size_t i = 0; timeline_next_piece(&walk, &piece); i++)
		strbuf_addf(sb,
			"<rect class=\"%s\" x=\"%.5g%%\" width=\"%.5g%%\" "
			"height=\"100%%\"/>",
			i % 2 ? "odd" : "even", piece.from,
			fmax(piece.to - piece.from, 0.05));
}

static double seconds_of(const struct report *report)
{
	const struct timeline *t = report->timeline;

	return (double)(t->to_ns - t->from_ns) / 1e9;
}

void timeline_behind(struct strbuf *sb, const struct report *report)
{
	stripes(sb, report);
	time_axis_lines(sb, seconds_of(report));
}

void timeline_axis(struct strbuf *sb, const struct report *report)
{
	time_axis_names(sb, seconds_of(report));
}
