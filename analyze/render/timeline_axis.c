/*
 * The time axis, the calls of phases on it, and strips of devices. Calls too short to
 * be seen are merged into one mark, so a hundred thousand calls need few marks.
 * Visible calls of one depth that overlap get lanes, one below the other.
 */
#include "render/timeline_axis.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "render/utf8.h"

/* Steps of an axis: 1, 2, 5 of seconds and days, else divisors of 60 or 24. */

#define MINUTE_S 60.0
#define HOUR_S	 3600.0
#define DAY_S	 86400.0

#define LETTER_PX  7
#define BETWEEN_PX 6 /* names at least */

static const double steps[] = {1, 2, 5, 10, 15, 30, MINUTE_S, 2 * MINUTE_S, 5 * MINUTE_S,
	10 * MINUTE_S, 15 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 2 * HOUR_S, 3 * HOUR_S,
	6 * HOUR_S, 12 * HOUR_S, DAY_S};

#define STEPS (sizeof steps / sizeof steps[0])

/* 1, 2 or 5 times a power of ten, not below x. */
static double round_up(double x)
{
	static const double times[] = {1, 2, 5, 10};
	double ten = pow(10, floor(log10(x)));
	size_t i = 0;

	while (i < 3 && times[i] * ten < x * (1 - 1e-9))
		i++;
	return times[i] * ten;
}

double time_axis_step(double seconds)
{
	double least = seconds / TIME_AXIS_MARKS;

	if (least < steps[0])
		return round_up(least);
	for (size_t i = 0; i < STEPS; i++)
		if (steps[i] >= least)
			return steps[i];
	return DAY_S * round_up(least / DAY_S);
}

void time_axis_name(struct strbuf *sb, double seconds, double step)
{
	double unit = step < MINUTE_S ? 1
		: step < HOUR_S	      ? MINUTE_S
		: step < DAY_S	      ? HOUR_S
				      : DAY_S;
	double seen = step / 100;
	const char *name = step < MINUTE_S ? "s"
		: step < HOUR_S		   ? "min"
		: step < DAY_S		   ? "h"
					   : "d";

	if (seconds == 0)
		strbuf_addc(sb, '0');
	else
		strbuf_addf(
			sb, "%.10g\u00a0%s", round(seconds / seen) * seen / unit, name);
}

double time_axis_first(double from, double step)
{
	return ceil(from / step - 1e-9) + 0.0; /* never -0 */
}

void time_axis_lines(struct strbuf *sb, double from, double seconds)
{
	double step = seconds > 0 ? time_axis_step(seconds) : 1;

	for (double i = time_axis_first(from, step); i * step - from <= seconds; i++) {
		double place = 100 * (i * step - from) / fmax(seconds, step);

		strbuf_addf(sb,
			"<line x1=\"%.5g%%\" x2=\"%.5g%%\" y1=\"0\" y2=\"100%%\"/>",
			place, place);
	}
}

/* All marks of an axis. */
struct marks {
	double from, seconds, step;
	double first;
};

static double seconds_at(const struct marks *marks, double mark)
{
	return mark * marks->step;
}

static double place_of(const struct marks *marks, double seconds)
{
	return marks->seconds > 0 ? (seconds - marks->from) / marks->seconds : 0;
}

static bool is_on(const struct marks *marks, double mark)
{
	return seconds_at(marks, mark) - marks->from <= marks->seconds;
}

/* A name on an axis of so many pixels, from its place on, up to it, or around it. */
struct time_axis_label {
	double from, to;
	enum {
		FROM_PLACE,
		AROUND_PLACE,
		UP_TO_PLACE
	} side;
};

static struct time_axis_label label_of(
	const struct marks *marks, double seconds, double axis_px)
{
	double at = place_of(marks, seconds) * axis_px, wide = 0;
	struct strbuf name = strbuf_new();

	time_axis_name(&name, seconds, marks->step);
	for (const char *c = name.text; *c; c++)
		wide += ((unsigned char)*c & 0xc0) != 0x80 ? LETTER_PX : 0;
	strbuf_release(&name);
	if (at < wide / 2)
		return (struct time_axis_label){at, at + wide, FROM_PLACE};
	if (at + wide / 2 > axis_px)
		return (struct time_axis_label){at - wide, at, UP_TO_PLACE};
	return (struct time_axis_label){at - wide / 2, at + wide / 2, AROUND_PLACE};
}

static bool has_room(const struct marks *marks, int every, double axis_px)
{
	double used = -INFINITY;

	for (double i = marks->first; is_on(marks, i); i += every) {
		struct time_axis_label label =
			label_of(marks, seconds_at(marks, i), axis_px);

		if (label.from < used + BETWEEN_PX)
			return false;
		used = label.to;
	}
	return true;
}

/* Of so many marks one has a name, that the names don't touch: a multiple of `least`. */
static int every_named(const struct marks *marks, int least, double axis_px)
{
	int every = least;

	while (every <= TIME_AXIS_MARKS && !has_room(marks, every, axis_px))
		every += least;
	return every;
}

/* Has the axis' begin room for its name before that of the first mark? Not where it is
 * that mark. */
static bool begin_has_room(const struct marks *marks, double axis_px)
{
	return !is_on(marks, marks->first) ||
		label_of(marks, marks->from, axis_px).to + BETWEEN_PX <=
		label_of(marks, seconds_at(marks, marks->first), axis_px).from;
}

/* tight: on a narrow axis it has no room */
static void add_name(struct strbuf *sb, const struct marks *marks, double seconds,
	int narrow_px, bool tight)
{
	static const char *const class_of[] = {
		[FROM_PLACE] = "first", [AROUND_PLACE] = "", [UP_TO_PLACE] = "last"};
	const char *class = class_of[label_of(marks, seconds, narrow_px).side];

	strbuf_addf(sb, "<text x=\"%.5g%%\" y=\"12\"", 100 * place_of(marks, seconds));
	if (*class || tight)
		strbuf_addf(sb, " class=\"%s%s%s\"", class, *class && tight ? " " : "",
			tight ? "tight" : "");
	strbuf_addc(sb, '>');
	time_axis_name(sb, seconds, marks->step);
	strbuf_adds(sb, "</text>");
}

void time_axis_names(
	struct strbuf *sb, double from, double seconds, int wide_px, int narrow_px)
{
	double step = seconds > 0 ? time_axis_step(seconds) : 1;
	const struct marks marks = {from, seconds, step, time_axis_first(from, step)};
	int every = every_named(&marks, 1, wide_px);
	int narrow = every_named(&marks, every, narrow_px);

	if (begin_has_room(&marks, wide_px))
		add_name(sb, &marks, from, narrow_px, !begin_has_room(&marks, narrow_px));
	for (double i = marks.first; is_on(&marks, i); i += every)
		add_name(sb, &marks, seconds_at(&marks, i), narrow_px,
			fmod(i - marks.first, narrow) != 0);
}

/*
 * Short names of phases: without what they share with others of their depth, if a
 * number is left: "12" of "epoch 12".
 */

/* Does a number begin there? A word that is left would be taken for another phase. */
static bool is_boundary(const char *name, size_t at)
{
	return at && isdigit((unsigned char)name[at]) &&
		!isdigit((unsigned char)name[at - 1]);
}

/* Where the numbers begin in which the two differ; 0: they share no part. */
static size_t shared(const char *name, const char *other)
{
	size_t at = 0;

	while (name[at] && name[at] == other[at])
		at++;
	while (at && !(is_boundary(name, at) && is_boundary(other, at)))
		at--;
	return at;
}

static bool ends_in(const char *name, const char *part)
{
	size_t len = strlen(name), part_len = strlen(part);

	return len >= part_len && strcmp(name + len - part_len, part) == 0 &&
		(len == part_len || is_boundary(name, len - part_len));
}

const char *timeline_short_name(
	const struct report *report, uint32_t depth, const char *name)
{
	size_t most = 0;

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		if (path->depth == depth && shared(name, path->name) > most)
			most = shared(name, path->name);
	}
	for (size_t i = 0; i < report->path_count && most; i++) {
		const struct phase_path *path = &report->path[i];

		if (path->depth == depth && strcmp(path->name, name) != 0 &&
			ends_in(path->name, name + most))
			return NULL;
	}
	return most ? name + most : NULL;
}

#define SHORT_PCT  0.4 /* of the axis: calls up to that are joined */
#define ROW_PX	   18
#define NARROW_PX  256 /* an axis on a small phone */
#define WIDE_PX	   740 /* ... in a wide window, and of a picture of its own */
#define STRIPES	   80 /* behind the rows, at most: more are no background */
#define COVERS_PCT 90 /* a call of that is the run's, and divides nothing */

double timeline_percent(const struct report *report, int64_t t_ns)
{
	const struct timeline *t = report->timeline;
	double all = (double)(t->to_ns - t->from_ns);
	double x = all > 0 ? 100 * (double)(t_ns - t->from_ns) / all : 0;

	return fmin(fmax(x, 0), 100);
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
		lane = lane_for(walk, timeline_percent(report, call->start_ns));
		if (lane == TIMELINE_LANES) {
			walk->beyond++;
			continue;
		}
		walk->end[lane] =
			fmax(walk->end[lane], timeline_percent(report, call->end_ns));
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
	*piece = (struct timeline_piece){call->name,
		timeline_percent(walk->report, call->start_ns),
		timeline_percent(walk->report, call->end_ns), call->seconds, 1};
	for (;;) {
		struct timeline_walk before = *walk;
		double from, to;

		call = piece->to - piece->from < walk->short_pct || piece->calls > 1
			? next_call(walk)
			: NULL;
		if (!call)
			return true;
		from = timeline_percent(walk->report, call->start_ns);
		to = timeline_percent(walk->report, call->end_ns);
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
static void phases_add_name(struct strbuf *sb, const struct timeline_piece *piece,
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
	phases_add_name(sb, piece, rows->report, rows->row[row].depth, width);
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

/*
 * Devices of a metric on one scale, one strip each. A flat zero strip becomes a line
 * of text.
 */

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

const char *timeline_devices(const struct metric *metric)
{
	return metric->device == DEVICE_GPU ? "GPUs" : "devices";
}

size_t timeline_group_strips(const struct timeline_group *group)
{
	return group->together ? 1 : group->count;
}

void timeline_group_strip(
	struct timeline_strip *strip, const struct timeline_group *group, size_t at)
{
	const struct report *report = group->report;
	const struct timeline_series *s = timeline_group_series(group, at);
	const struct timeline *t = report->timeline;

	*strip = (struct timeline_strip){.max = s->max,
		.drawn = {.series = s,
			.axis = t,
			.per_column = group->per_column,
			.length_ns = t->to_ns - t->from_ns,
			.range = timeline_group_range(group),
			.name = strip->name}};
	if (group->together) {
		strip->drawn.mean = timeline_group_mean(group);
		snprintf(strip->name, sizeof strip->name, "all %zu", group->count);
	} else {
		strip->drawn.mean = timeline_mean(timeline_stats(report, s));
		snprintf(strip->name, sizeof strip->name, "%s",
			report->run->device[s->device].name);
	}
}

bool timeline_group_is_flat(const struct timeline_group *group)
{
	return !group->all.gap_count && !group->partial_count &&
		timeline_range_is_flat(group->drawn, timeline_group_range(group),
			group->all.min, group->all.max);
}

enum strip_height timeline_group_height(const struct timeline_group *group)
{
	size_t strips = timeline_group_strips(group);

	if (group->all.min == group->all.max)
		return STRIP_LOW;
	if (strips == 1 && report_gpu_count(group->report) < 2)
		return STRIP_HIGH;
	return strips <= 4 ? STRIP_MIDDLE : STRIP_LOW;
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
static void say_flat(struct strbuf *sb, const struct timeline_group *group)
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

/* Which devices stand in none; and of those that are drawn as one which have gaps that
 * the others do not have. */
static void say_lacking(struct strbuf *sb, const struct timeline_group *group)
{
	const char *many = timeline_devices(group->metric);

	timeline_lacking(sb, group->report, group->lacking, group->lacking_count, many,
		TIMELINE_NO_VALUE);
	if (group->together)
		timeline_lacking(sb, group->report, group->partial, group->partial_count,
			many, TIMELINE_IN_PART);
}

bool timeline_group_say(struct strbuf *sb, const struct timeline_group *group)
{
	bool flat = timeline_group_is_flat(group);

	if (flat)
		say_flat(sb, group);
	else
		timeline_scale(sb, group->metric, timeline_group_range(group),
			group->all.min, group->all.max);
	say_lacking(sb, group);
	return flat;
}
