/* Steps that people count in: 1, 2, 5 of seconds and days, what divides 60 or 24 else. */
#include "render/time_axis.h"

#include <math.h>
#include <stddef.h>

#define MINUTE_S 60.0
#define HOUR_S	 3600.0
#define DAY_S	 86400.0

#define LAST_NAME_PCT 96 /* a name behind it would leave the axis */

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

void time_axis_names(struct strbuf *sb, double seconds)
{
	double step = seconds > 0 ? time_axis_step(seconds) : 1;

	for (int i = 0; i * step <= seconds; i++) {
		double x = seconds > 0 ? 100 * i * step / seconds : 0;

		strbuf_addf(sb, "<text x=\"%.5g%%\" y=\"12\"%s>", x,
			!i			    ? " class=\"first\""
				: x > LAST_NAME_PCT ? " class=\"last\""
						    : "");
		time_axis_name(sb, i * step, step);
		strbuf_adds(sb, "</text>");
	}
}
