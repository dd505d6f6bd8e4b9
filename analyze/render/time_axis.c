/* Steps that people count in: 1, 2, 5 of seconds and days, what divides 60 or 24 else. */
#include "render/time_axis.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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
	double ten = pow(10, floor(log10(x)));

	for (int i = 0; i < 4; i++) {
		static const double times[] = {1, 2, 5, 10};

		if (times[i] * ten >= x * (1 - 1e-9))
			return times[i] * ten;
	}
	return 10 * ten;
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
struct label {
	double from, to;
	enum {
		FROM_PLACE,
		AROUND_PLACE,
		UP_TO_PLACE
	} side;
};

static struct label label_of(const struct marks *marks, double seconds, double axis_px)
{
	double at = place_of(marks, seconds) * axis_px, wide = 0;
	struct strbuf name;

	strbuf_init(&name);
	time_axis_name(&name, seconds, marks->step);
	for (const char *c = name.text; *c; c++)
		wide += ((unsigned char)*c & 0xc0) != 0x80 ? LETTER_PX : 0;
	strbuf_release(&name);
	if (at < wide / 2)
		return (struct label){at, at + wide, FROM_PLACE};
	if (at + wide / 2 > axis_px)
		return (struct label){at - wide, at, UP_TO_PLACE};
	return (struct label){at - wide / 2, at + wide / 2, AROUND_PLACE};
}

static bool has_room(const struct marks *marks, int every, double axis_px)
{
	double used = -INFINITY;

	for (double i = marks->first; is_on(marks, i); i += every) {
		struct label label = label_of(marks, seconds_at(marks, i), axis_px);

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
