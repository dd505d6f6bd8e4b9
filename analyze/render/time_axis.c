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
	const char *name = step < MINUTE_S ? "s"
		: step < HOUR_S		   ? "min"
		: step < DAY_S		   ? "h"
					   : "d";

	if (seconds == 0)
		strbuf_addc(sb, '0');
	else
		strbuf_addf(sb, "%.10g\u00a0%s", seconds / unit, name);
}

void time_axis_lines(struct strbuf *sb, double seconds)
{
	double step = seconds > 0 ? time_axis_step(seconds) : 1;

	for (int i = 0; i * step <= seconds; i++)
		strbuf_addf(sb,
			"<line x1=\"%.5g%%\" x2=\"%.5g%%\" y1=\"0\" y2=\"100%%\"/>",
			100 * i * step / fmax(seconds, step),
			100 * i * step / fmax(seconds, step));
}

/* A name on an axis of so many pixels, from its mark on, up to it, or around it. */
struct label {
	double from, to;
	enum {
		FROM_MARK,
		AROUND_MARK,
		UP_TO_MARK
	} side;
};

static struct label label_of(double seconds, double step, int mark, double axis_px)
{
	double at = seconds > 0 ? mark * step / seconds * axis_px : 0, wide = 0;
	struct strbuf name;

	strbuf_init(&name);
	time_axis_name(&name, mark * step, step);
	for (const char *c = name.text; *c; c++)
		wide += ((unsigned char)*c & 0xc0) != 0x80 ? LETTER_PX : 0;
	strbuf_release(&name);
	if (!mark)
		return (struct label){0, wide, FROM_MARK};
	if (at + wide / 2 > axis_px)
		return (struct label){at - wide, at, UP_TO_MARK};
	return (struct label){at - wide / 2, at + wide / 2, AROUND_MARK};
}

static bool has_room(double seconds, double step, int every, double axis_px)
{
	double used = -INFINITY;

	for (int i = 0; i * step <= seconds; i += every) {
		struct label label = label_of(seconds, step, i, axis_px);

		if (label.from < used + BETWEEN_PX)
			return false;
		used = label.to;
	}
	return true;
}

/* Of so many marks one has a name, that the names don't touch: a multiple of `least`. */
static int every_named(double seconds, double step, int least, double axis_px)
{
	int every = least;

	while (every <= TIME_AXIS_MARKS && !has_room(seconds, step, every, axis_px))
		every += least;
	return every;
}

void time_axis_names(struct strbuf *sb, double seconds, int wide_px, int narrow_px)
{
	static const char *const class_of[] = {
		[FROM_MARK] = "first", [AROUND_MARK] = "", [UP_TO_MARK] = "last"};
	double step = seconds > 0 ? time_axis_step(seconds) : 1;
	int every = every_named(seconds, step, 1, wide_px);
	int narrow = every_named(seconds, step, every, narrow_px);

	for (int i = 0; i * step <= seconds; i += every) {
		struct label label = label_of(seconds, step, i, narrow_px);
		const char *class = class_of[label.side];

		strbuf_addf(sb, "<text x=\"%.5g%%\" y=\"12\"",
			seconds > 0 ? 100 * i * step / seconds : 0);
		if (*class || i % narrow)
			strbuf_addf(sb, " class=\"%s%s%s\"", class,
				*class && i % narrow ? " " : "",
				i % narrow ? "tight" : "");
		strbuf_addc(sb, '>');
		time_axis_name(sb, i * step, step);
		strbuf_adds(sb, "</text>");
	}
}
