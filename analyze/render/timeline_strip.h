/*
 * A value over time as SVG paths: columns are at x = 0, 1, 2, ..., values between
 * STRIP_HEIGHT (lowest) and 0. Knows neither metrics nor the page.
 */
#ifndef RENDER_TIMELINE_STRIP_H
#define RENDER_TIMELINE_STRIP_H

#include <stdbool.h>

#include "base/text.h"
#include "model/timeline.h"

#define STRIP_GAPS_HEIGHT 4

/* What of a picture is high, and what is low. */
struct strip_range {
	double low, high; /* alike: all values are that one, which stands in the middle */
};

/* Where a value stands, from 0 to 1. */
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

#endif
