/*
 * The axis, and on it the calls of phases. Calls that are too short to be seen one by one
 * stand as one stretch: a hundred thousand of them are as few marks as a picture has room
 * for. Calls of one depth that overlap to be seen stand in lanes, one below the other.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/quantity.h"
#include "render/time_axis.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define SHORT_PCT  0.4 /* of the axis: calls up to that are joined */
#define ROW_PX	   18
#define NARROW_PX  256 /* an axis on a small phone */
#define WIDE_PX	   740 /* ... in a wide window, and of a picture of its own */
#define LETTER_PX  7
#define STRIPES	   80 /* behind the rows, at most: more are no background */
#define COVERS_PCT 90 /* a call of that is the run's, and divides nothing */

/* An instant on the axis, in per cent of it. */
static double percent(const struct report *report, int64_t t_ns)
{
	const struct timeline *t = report->timeline;
	double all = (double)(t->to_ns - t->from_ns);
	double x = all > 0 ? 100 * (double)(t_ns - t->from_ns) / all : 0;

	return fmin(fmax(x, 0), 100);
}

void timeline_since_start(struct strbuf *sb, const struct report *report, int64_t t_ns)
{
	double at_s = report_second(report, t_ns);

	if (isnan(at_s))
		strbuf_addc(sb, '-');
	else
		quantity_span(sb, at_s);
}

/* The first one that is free by then; TIMELINE_LANES: none is. */
static uint32_t lane_for(const struct timeline_walk *walk, double from)
{
	uint32_t lane = 0;

	while (lane < TIMELINE_LANES && walk->end[lane] - from > walk->short_pct)
		lane++;
	return lane;
}

/* Also takes its lanes from the calls that it passes by. */
static const struct phase_call *next_call(struct timeline_walk *walk)
{
	const struct report *report = walk->report;

	while (walk->at < report->call_count) {
		const struct phase_call *call = &report->call[walk->at++];
		uint32_t lane;

		if (report->path[call->path].depth != walk->depth)
			continue;
		lane = lane_for(walk, percent(report, call->start_ns));
		if (lane == TIMELINE_LANES) {
			walk->beyond++;
			continue;
		}
		walk->end[lane] = fmax(walk->end[lane], percent(report, call->end_ns));
		if (lane >= walk->lanes)
			walk->lanes = lane + 1;
		if (lane == walk->lane)
			return call;
	}
	return NULL;
}

bool timeline_next_piece(struct timeline_walk *walk, struct timeline_piece *piece)
{
	const struct phase_call *call = next_call(walk);

	if (!call)
		return false;
	*piece =
		(struct timeline_piece){call->name, percent(walk->report, call->start_ns),
			percent(walk->report, call->end_ns), call->seconds, 1};
	for (;;) {
		struct timeline_walk before = *walk;
		double from, to;

		call = piece->to - piece->from < walk->short_pct || piece->calls > 1
			? next_call(walk)
			: NULL;
		if (!call)
			return true;
		from = percent(walk->report, call->start_ns);
		to = percent(walk->report, call->end_ns);
		if (from - piece->to >= walk->short_pct || to - from >= walk->short_pct) {
			*walk = before;
			return true;
		}
		piece->to = fmax(piece->to, to);
		piece->calls++;
		if (piece->name && (!call->name || strcmp(piece->name, call->name) != 0))
			piece->name = NULL;
	}
}

static void add_lanes(struct timeline_rows *rows, uint32_t depth)
{
	struct timeline_walk walk = {.report = rows->report,
		.depth = depth,
		.lane = TIMELINE_LANES,
		.short_pct = rows->short_pct};

	while (next_call(&walk))
		;
	rows->overlapping += walk.beyond;
	for (uint32_t lane = 0; lane < walk.lanes; lane++)
		rows->row[rows->count++] = (struct timeline_row){depth, lane};
}

struct timeline_rows timeline_rows_of(
	const struct report *report, double short_pct, uint32_t depths)
{
	struct timeline_rows rows = {.report = report, .short_pct = short_pct};

	for (uint32_t depth = 0; depth < depths && depth < TIMELINE_DEPTHS; depth++)
		add_lanes(&rows, depth);
	for (size_t i = 0; i < report->call_count; i++)
		rows.deeper += report->path[report->call[i].path].depth >= depths;
	return rows;
}

struct timeline_walk timeline_walk_of(const struct timeline_rows *rows, size_t at)
{
	return (struct timeline_walk){.report = rows->report,
		.depth = rows->row[at].depth,
		.lane = rows->row[at].lane,
		.short_pct = rows->short_pct};
}

static void add_left(struct strbuf *sb, size_t calls, const char *one, const char *many)
{
	if (!calls)
		return;
	strbuf_adds(sb, "; ");
	quantity_count(sb, calls);
	strbuf_addf(sb, " %s", calls == 1 ? one : many);
}

void timeline_rows_left(struct strbuf *sb, const struct timeline_rows *rows)
{
	add_left(sb, rows->overlapping,
		"call of a phase overlaps too many others to be drawn",
		"calls of phases overlap too many others to be drawn");
	add_left(sb, rows->deeper, "call of a phase is nested too deep to be drawn",
		"calls of phases are nested too deep to be drawn");
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

/* Half a number, or half a name, would be a wrong one: what fits of "epoch 12, 40 calls",
 * "epoch 12" and "12". */
static void add_name(struct strbuf *sb, const struct timeline_piece *piece,
	const struct report *report, uint32_t depth, double width)
{
	const char *name = piece->name;
	struct strbuf shown;

	if (is_tight("0", width, WIDE_PX))
		return;
	strbuf_init(&shown);
	add_words(&shown, piece);
	for (int cut = 0; cut < 2 && is_tight(shown.text, width, WIDE_PX); cut++) {
		strbuf_clear(&shown);
		if (name && cut > 0)
			name = timeline_short_name(report, depth, name);
		if (name)
			xml_text(&shown, name);
	}
	if (shown.len && !is_tight(shown.text, width, WIDE_PX))
		strbuf_addf(sb, "<text x=\"4\" y=\"%d\"%s>%s</text>", ROW_PX - 6,
			is_tight(shown.text, width, NARROW_PX) ? " class=\"tight\"" : "",
			shown.text);
	strbuf_release(&shown);
}

/* A picture in the picture: in a narrow window its name is cut off at its border. */
static void add_piece(struct strbuf *sb, const struct timeline_piece *piece,
	const struct timeline_rows *rows, size_t row)
{
	double width = fmax(piece->to - piece->from, 0.05);

	strbuf_addf(sb, "<svg x=\"%.5g%%\" y=\"%d\" width=\"%.5g%%\" height=\"%d\">",
		piece->from, (int)row * ROW_PX, width, ROW_PX - 2);
	add_title(sb, piece);
	strbuf_addf(sb, "<rect class=\"%s\" width=\"100%%\" height=\"100%%\"/>",
		piece->calls > 1 ? "many" : "one");
	if (piece->calls > 1)
		strbuf_adds(
			sb, "<line class=\"hatch\" x2=\"100%\" y1=\"50%\" y2=\"50%\"/>");
	add_name(sb, piece, rows->report, rows->row[row].depth, width);
	strbuf_adds(sb, "</svg>");
}

struct timeline_rows timeline_phases_rows(const struct report *report)
{
	return timeline_rows_of(report, SHORT_PCT, TIMELINE_DEPTHS);
}

int timeline_phases_height(const struct timeline_rows *rows)
{
	return (int)rows->count * ROW_PX;
}

void timeline_phases(struct strbuf *sb, const struct timeline_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct timeline_walk walk = timeline_walk_of(rows, i);
		struct timeline_piece piece;

		while (timeline_next_piece(&walk, &piece))
			add_piece(sb, &piece, rows, i);
	}
}

static struct timeline_walk first_lane(const struct report *report, uint32_t depth)
{
	return (struct timeline_walk){
		.report = report, .depth = depth, .short_pct = SHORT_PCT};
}

/* The outermost phases, or the ones in them if these are but one. */
static struct timeline_walk walk_of_stripes(const struct report *report)
{
	struct timeline_walk walk = first_lane(report, 0), inner = first_lane(report, 1);
	struct timeline_piece first, second;

	if (timeline_next_piece(&walk, &first) && !timeline_next_piece(&walk, &second) &&
		first.to - first.from >= COVERS_PCT &&
		timeline_next_piece(&inner, &second))
		return first_lane(report, 1);
	return first_lane(report, 0);
}

static void stripes(struct strbuf *sb, const struct report *report)
{
	struct timeline_walk walk = walk_of_stripes(report), again = walk;
	struct timeline_piece piece;
	size_t count = 0;

	while (timeline_next_piece(&walk, &piece))
		count++;
	if (count > STRIPES)
		return;
	for (size_t i = 0; timeline_next_piece(&again, &piece); i++)
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

double timeline_from(const struct report *report)
{
	return report->windowed ? report_second(report, report->started_ns) : 0;
}

void timeline_behind(struct strbuf *sb, const struct report *report)
{
	stripes(sb, report);
	time_axis_lines(sb, timeline_from(report), seconds_of(report));
}

void timeline_axis(struct strbuf *sb, const struct report *report)
{
	time_axis_names(
		sb, timeline_from(report), seconds_of(report), WIDE_PX, NARROW_PX);
}
