/* A time axis: where its few marks stand, and what they are called. */
#ifndef RENDER_TIME_AXIS_H
#define RENDER_TIME_AXIS_H

#include "base/text.h"

/* Marks that an axis has at most, beside the one at 0. */
#define TIME_AXIS_MARKS 6

/* From one mark to the next, in round units, of an axis of so many seconds, above 0. */
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

#endif
