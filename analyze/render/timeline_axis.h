/*
 * Parts of a timeline: the axis with its ticks and labels, calls of phases
 * (timeline_axis.c), and values over time as SVG (timeline_strip.c), whose columns are at
 * x = 0, 1, 2, ..., values between STRIP_HEIGHT (lowest) and 0.
 */
#ifndef RENDER_TIMELINE_AXIS_H
#define RENDER_TIMELINE_AXIS_H

#include <stdbool.h>

#include "base/text.h"
#include "model/timeline_group.h"

#define STRIP_GAPS_HEIGHT 4

/* The values at the bottom and the top of a picture. */
struct strip_range {
	double low, high; /* equal: all values are equal, and drawn in the middle */
};

/* The height of a value, from 0 to 1. */
double strip_share(struct strip_range range, double value);

/*
 * Appends the paths: "g" and "na" over the gaps that are wider than a line, from column
 * `from` to column `to`; "e" from the least to the largest value of each column, "m" its
 * mean, broken at gaps and where it is of other devices, "p" where that is of one column
 * alone.
 */
void strip_paths(struct strbuf *sb, const struct timeline_series *series, size_t columns,
	struct strip_range range, double from, double to);

/*
 * Appends a mark "s" for each gap, STRIP_GAPS_HEIGHT high from 0 on: for what stands
 * below a strip, where the shortest is seen. Those that share a column have one mark,
 * which says how many they are, and whether an end of the run is among them. Returns the
 * most gaps of a mark, 0: there is no mark.
 */
size_t strip_gap_marks(struct strbuf *sb, const struct timeline_series *series);

/* The most marks of an axis, not counting the one at 0. */
#define TIME_AXIS_MARKS 6

/* The distance of the marks, in round units, of an axis of so many seconds (> 0). */
double time_axis_step(double seconds);

/* The first mark of an axis that begins so many seconds after 0, in steps. */
double time_axis_first(double from, double step);

/* "0", "30 s", "1.5 h": in the unit of that step, to a hundredth of it. */
void time_axis_name(struct strbuf *sb, double seconds, double step);

/* The lines and the names of an axis of so many seconds from one on, as SVG elements:
 * places along it are per cent of the picture; names stand 12 px below its top, that of
 * where it begins and of as many marks as don't touch on an axis of so many pixels; those
 * that would on a narrow one are "tight". */
void time_axis_lines(struct strbuf *sb, double from, double seconds);
void time_axis_names(
	struct strbuf *sb, double from, double seconds, int wide_px, int narrow_px);

/*
 * Parts of a timeline for html_timeline.c and svg.c. Positions on the axis are percent
 * of the picture, so that it may have any width.
 */

/* A series on an axis. */
struct timeline_drawn {
	const struct timeline_series *series;
	const struct timeline *axis; /* where its columns stand */
	size_t per_column; /* so many of them are drawn as one */
	int64_t length_ns; /* of the picture, from the axis' start on */
	struct strip_range range;
	const char *name; /* raw: of what it is */
	double mean; /* NAN: it is not said */
	bool shows_length; /* behind it, of how much of the picture it is */
};

/*
 * The rest of its svg element: attributes, title and paths, without the end tag. And the
 * same of what marks its gaps below it, STRIP_GAPS_HEIGHT px high: returns how many stand
 * in one mark at most.
 */
void timeline_picture(struct strbuf *sb, const struct timeline_drawn *drawn);
size_t timeline_gap_marks(struct strbuf *sb, const struct timeline_drawn *drawn);

/* The bottom and the top of a picture of such values; whole: what may be the top; NAN. */
struct strip_range timeline_range(
	const struct timeline_metric *drawn, double min, double max, double whole);

/* Is there nothing to see of them in it? */
bool timeline_range_is_flat(const struct timeline_metric *drawn, struct strip_range range,
	double min, double max);

/*
 * "0 to 700 W": what these are; of one value "0 to 100 %, 80.0 % in every sample",
 * or "1,500 MHz in every sample" where that makes no scale.
 */
void timeline_scale(struct strbuf *sb, const struct metric *metric,
	struct strip_range range, double min, double max);

/* "61 to 689 W" */
void timeline_values(
	struct strbuf *sb, const struct metric *metric, double min, double max);

/*
 * Its scale, or "2,619 MHz throughout" where there is nothing to see, not even a gap:
 * then true. And "; gpu1 has no value", as XML.
 */
bool timeline_group_say(struct strbuf *sb, const struct timeline_group *group);
/* Has it one value all the time, and no gap? */
bool timeline_group_is_flat(const struct timeline_group *group);

/* Of where there is nothing to see but gaps, or of many, a low picture does. */
enum strip_height {
	STRIP_LOW,
	STRIP_MIDDLE,
	STRIP_HIGH
};

enum strip_height timeline_group_height(const struct timeline_group *group);

#define TIMELINE_NO_VALUE "no value"
#define TIMELINE_IN_PART  "values in part only"

/* "; gpu1 has no value", as XML: of devices, of which many are `many`. */
void timeline_lacking(struct strbuf *sb, const struct report *report,
	const uint32_t *device, size_t count, const char *many, const char *what);

/* "gpu1 and gpu3 have no value", as XML, which is `what`: of more than a few "12 GPUs",
 * which are `many`. There is one, at least. */
void timeline_have(struct strbuf *sb, const char *const *name, size_t count,
	const char *many, const char *what);
const char *timeline_devices(const struct metric *metric); /* "GPUs" ...; static */

/* One of them: a device, or all of them together where they are many. */
struct timeline_strip {
	struct timeline_drawn drawn; /* mean: NAN: of several that have none together */
	char name[64]; /* as raw as the run has it; what drawn.name points to */
	double max;
};

size_t timeline_group_strips(const struct timeline_group *group);
void timeline_group_strip(
	struct timeline_strip *strip, const struct timeline_group *group, size_t at);
struct strip_range timeline_group_range(const struct timeline_group *group);

/* Its columns. */
const struct timeline_series *timeline_group_series(
	const struct timeline_group *group, size_t at);

/* "83", "0, the end": how many gaps a series has, and whether one is at an end of the
 * run; "-": it can't be told. */
void timeline_gaps(struct strbuf *sb, const struct timeline_series *series);

/* What the marks mean, of which one stands for so many gaps at most. */
void timeline_gaps_legend(struct strbuf *sb, size_t most);

/* Is anything drawn that the filter has left? */
bool timeline_is_drawn(const struct report *report);

/* ... or if not that, when clocks were held down? */
bool timeline_is_pictured(const struct report *report);

/* Has any of it a picture, or is all of it flat? */
bool timeline_has_pictures(const struct report *report);

/* Is any metric not flat? from_zero: of those whose scale begins at 0. */
bool timeline_varies(const struct report *report, bool from_zero);

/* An instant from the run's start on, "12.5 s"; "-". */
void timeline_since_start(struct strbuf *sb, const struct report *report, int64_t t_ns);

/* A call on the axis, or several that are short. */
struct timeline_piece {
	const char *name; /* NULL: of several */
	double from, to; /* per cent of the axis */
	double seconds; /* of a single one */
	size_t calls;
};

/* What tells a phase from the others of its depth, the end of its name; NULL: nothing is
 * less than the name. */
const char *timeline_short_name(
	const struct report *report, uint32_t depth, const char *name);

#define TIMELINE_DEPTHS 3 /* of phases that are shown, at most */
#define TIMELINE_LANES	4 /* of a depth */

/* Calls of one depth, in one of the lanes that those that overlap are laid in; zeroed but
 * for the first four. */
struct timeline_walk {
	const struct report *report;
	uint32_t depth, lane;
	double short_pct; /* of the axis: calls up to that are joined, and overlap in one
			     lane */
	size_t at; /* the next call */
	double end[TIMELINE_LANES]; /* of the lanes so far, in per cent of the axis */
	uint32_t lanes; /* used so far */
	size_t beyond; /* calls so far that found no lane */
};

/* False: there is none left. */
bool timeline_next_piece(struct timeline_walk *walk, struct timeline_piece *piece);

struct timeline_row {
	uint32_t depth, lane;
};

/* The lanes of phases, one below the other as they are nested. */
struct timeline_rows {
	const struct report *report;
	double short_pct;
	struct timeline_row row[TIMELINE_DEPTHS * TIMELINE_LANES];
	size_t count;
	size_t overlapping, deeper; /* calls that are in none of them */
};

/* Of so many depths at most. */
struct timeline_rows timeline_rows_of(
	const struct report *report, double short_pct, uint32_t depths);
struct timeline_walk timeline_walk_of(const struct timeline_rows *rows, size_t at);

/* "; 12 calls of phases overlap too many others to be drawn": nothing if all are. */
void timeline_rows_left(struct strbuf *sb, const struct timeline_rows *rows);

/* Those of a picture; how high they are, in px, 0: there are none; and they. */
struct timeline_rows timeline_phases_rows(const struct report *report);
int timeline_phases_height(const struct timeline_rows *rows);
void timeline_phases(struct strbuf *sb, const struct timeline_rows *rows);

/* An instant on the axis, in per cent of it. */
double timeline_percent(const struct report *report, int64_t t_ns);

/* What the axis begins at: seconds from the run's start. */
double timeline_from(const struct report *report);

/* Behind all: phases as stripes, and lines at the marks of the axis. */
void timeline_behind(struct strbuf *sb, const struct report *report);

/* What the marks are called: text elements, 12 px below the picture's top. */
void timeline_axis(struct strbuf *sb, const struct report *report);

/*
 * What held the clocks of GPUs down: has[] says which reasons there are; false: none. A
 * GPU has a lane for each of them. The next GPU behind *device with a mark, or time of
 * which it is not known, from UINT32_MAX on; false: there is none.
 */
bool timeline_slowed(const struct report *report, bool has[SLOWED_COUNT]);

/* Has the filter left a metric that tells of them? */
bool timeline_slowed_wanted(const struct report *report);
int timeline_slowed_height(const bool has[SLOWED_COUNT]); /* px of a GPU */
const char *timeline_slowed_class(enum slowed why); /* static */
bool timeline_slowed_next(
	const struct report *report, const bool has[SLOWED_COUNT], uint32_t *device);

/* As of a group: the GPUs of which nothing is ever said. */
void timeline_slowed_lacking(
	struct strbuf *sb, const struct report *report, const bool has[SLOWED_COUNT]);
#define TIMELINE_ALL UINT32_MAX

struct timeline_slowed_row {
	const struct report *report;
	const bool *has; /* [SLOWED_COUNT] */
	uint32_t device; /* TIMELINE_ALL: all GPUs together */
	size_t per_column; /* of so many columns one is to be drawn */
};

/* The rest of the svg element of a row, as of a strip. */
void timeline_slowed_picture(struct strbuf *sb, const struct timeline_slowed_row *row);

#endif
