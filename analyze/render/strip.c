/*
 * Relative commands with whole numbers, and none for a point on the line between its
 * neighbours: a day of many GPUs is to be small. Of each column both extremes are drawn,
 * so that a spike of one sample stays.
 */
#include "render/strip.h"

#include <math.h>
#include <stdbool.h>

#define BLOCK_COLUMNS 1.5 /* a narrower one would be taken for a line */

/* A line on its way; points are added one by one. */
struct pen {
	struct strbuf *sb;
	long x, y; /* where the path is */
	long dx, dy; /* a step that is not drawn yet; dx == 0: none */
	bool relative; /* the last command was "l", which need not be said again */
};

static void number(struct strbuf *sb, bool first, long n)
{
	strbuf_addf(sb, first || n < 0 ? "%ld" : " %ld", n);
}

static void draw(struct pen *pen)
{
	if (!pen->dx && !pen->dy)
		return;
	if (!pen->relative)
		strbuf_addc(pen->sb, 'l');
	number(pen->sb, !pen->relative, pen->dx);
	number(pen->sb, false, pen->dy);
	pen->relative = true;
	pen->x += pen->dx;
	pen->y += pen->dy;
	pen->dx = pen->dy = 0;
}

static void move_to(struct pen *pen, long x, long y)
{
	strbuf_addf(pen->sb, "M%ld", x);
	number(pen->sb, false, y);
	*pen = (struct pen){.sb = pen->sb, .x = x, .y = y};
}

/* Level stretches are one step. */
static void line_to(struct pen *pen, long x, long y)
{
	long dx = x - pen->x - pen->dx, dy = y - pen->y - pen->dy;

	if (pen->dx && !pen->dy && !dy && (dx > 0) == (pen->dx > 0)) {
		pen->dx += dx;
		return;
	}
	draw(pen);
	pen->dx = dx;
	pen->dy = dy;
}

double strip_share(struct strip_range range, double value)
{
	double share = (value - range.low) / (range.high - range.low);

	return range.high > range.low ? fmin(fmax(share, 0), 1) : 0.5;
}

static long height(double value, struct strip_range range)
{
	return lround(STRIP_HEIGHT * (1 - strip_share(range, value)));
}

/* Behind the columns from `at` on that are joined to it: the end of a piece. */
static size_t piece_end(const struct timeline_series *series, size_t columns, size_t at)
{
	size_t end = at + 1;

	for (size_t c = at + 1; c < columns; c++) {
		if (isnan(series->column[c].min))
			continue;
		if (!series->column[c].joined)
			break;
		end = c + 1;
	}
	return end;
}

static size_t next_value(const struct timeline_series *series, size_t columns, size_t at)
{
	while (at < columns && isnan(series->column[at].min))
		at++;
	return at;
}

/* Forth along the largest values, back along the least. */
static void envelope(struct strbuf *sb, const struct timeline_series *series,
	size_t columns, struct strip_range range)
{
	struct pen pen = {.sb = sb};

	for (size_t at = next_value(series, columns, 0), end; at < columns;
		at = next_value(series, columns, end)) {
		const struct timeline_column *column = series->column;

		end = piece_end(series, columns, at);
		move_to(&pen, (long)at, height(column[at].max, range));
		for (size_t c = at + 1; c < end; c++)
			if (!isnan(column[c].max))
				line_to(&pen, (long)c, height(column[c].max, range));
		for (size_t c = end; c-- > at;)
			if (!isnan(column[c].min))
				line_to(&pen, (long)c, height(column[c].min, range));
		draw(&pen);
		strbuf_addc(sb, 'z');
	}
}

/* ... and whose mean is of the same devices. */
static size_t mean_end(const struct timeline_series *series, size_t columns, size_t at)
{
	size_t end = piece_end(series, columns, at);

	for (size_t c = at + 1; c < end; c++)
		if (series->column[c].others)
			return c;
	return end;
}

/* dots: of one column alone, which is no line. */
static void mean(struct strbuf *sb, struct strbuf *dots,
	const struct timeline_series *series, size_t columns, struct strip_range range)
{
	struct pen pen = {.sb = sb}, dot = {.sb = dots};

	for (size_t at = next_value(series, columns, 0), end; at < columns;
		at = next_value(series, columns, end)) {
		long y = height(series->column[at].mean, range);

		end = mean_end(series, columns, at);
		if (next_value(series, end, at + 1) == end) {
			move_to(&dot, (long)at, y);
			strbuf_adds(dots, "h0");
			continue;
		}
		move_to(&pen, (long)at, y);
		for (size_t c = at + 1; c < end; c++)
			if (!isnan(series->column[c].mean))
				line_to(&pen, (long)c,
					height(series->column[c].mean, range));
		draw(&pen);
	}
}

/* Is there more to see than a line? */
static bool has_width(
	const struct timeline_series *series, size_t columns, struct strip_range range)
{
	for (size_t c = 0; c < columns; c++)
		if (!isnan(series->column[c].min) &&
			height(series->column[c].min, range) !=
				height(series->column[c].max, range))
			return true;
	return false;
}

static void block(struct strbuf *sb, double from, double to, int y, int high)
{
	strbuf_addf(sb, "M%.5g %dh%.5gv%dh-%.5gz", from, y, to - from, high, to - from);
}

void strip_gap(struct strip_gaps *to, const struct timeline_series *series, double from,
	double end)
{
	double at = from;

	for (size_t i = 0; i < series->unrecorded_count && end - at >= BLOCK_COLUMNS;
		i++) {
		double a = fmax(series->unrecorded[i].from + to->shift, at);
		double b = fmin(series->unrecorded[i].to + to->shift, end);

		if (b - a < BLOCK_COLUMNS)
			continue;
		if (a - at >= BLOCK_COLUMNS)
			block(&to->missing, at, a, to->y, to->high);
		else
			a = at;
		if (end - b < BLOCK_COLUMNS)
			b = end;
		block(&to->unrecorded, a, b, to->y, to->high);
		at = b;
	}
	if (end - at >= BLOCK_COLUMNS)
		block(&to->missing, at, end, to->y, to->high);
}

static void gaps(struct strip_gaps *gaps, const struct timeline_series *series,
	size_t columns, double from, double to)
{
	size_t at = next_value(series, columns, 0);

	if (series->starts_late)
		strip_gap(gaps, series, from, (double)at - 0.5);
	while (at < columns) {
		size_t end = piece_end(series, columns, at);

		at = next_value(series, columns, end);
		if (at < columns)
			strip_gap(gaps, series, (double)end - 0.5, (double)at - 0.5);
		else if (series->ends_early)
			strip_gap(gaps, series, (double)end - 0.5, to);
	}
}

static void path(struct strbuf *sb, const char *class, const struct strbuf *d)
{
	if (d->len)
		strbuf_addf(sb, "<path class=\"%s\" d=\"%s\"/>", class, d->text);
}

void strip_gaps_init(struct strip_gaps *gaps)
{
	strbuf_init(&gaps->unrecorded);
	strbuf_init(&gaps->missing);
}

void strip_gaps_end(struct strbuf *sb, struct strip_gaps *gaps)
{
	path(sb, "g", &gaps->unrecorded);
	path(sb, "na", &gaps->missing);
	strbuf_release(&gaps->unrecorded);
	strbuf_release(&gaps->missing);
}

void strip_paths(struct strbuf *sb, const struct timeline_series *series, size_t columns,
	struct strip_range range, double from, double to)
{
	struct strip_gaps grey = {.shift = -0.5, .high = STRIP_HEIGHT};
	struct strbuf d, dots;

	strbuf_init(&d);
	strbuf_init(&dots);
	strip_gaps_init(&grey);
	if (series->gaps_known)
		gaps(&grey, series, columns, from, to);
	strip_gaps_end(sb, &grey);
	if (has_width(series, columns, range))
		envelope(&d, series, columns, range);
	path(sb, "e", &d);
	strbuf_clear(&d);
	mean(&d, &dots, series, columns, range);
	path(sb, "m", &d);
	path(sb, "p", &dots);
	strbuf_release(&d);
	strbuf_release(&dots);
}

void strip_length(struct strbuf *sb, double from, double to)
{
	struct strbuf d;

	strbuf_init(&d);
	block(&d, from, to, 0, STRIP_HEIGHT);
	path(sb, "ran", &d);
	strbuf_release(&d);
}

/* Those from `at` on that share a column with the one before. */
static size_t cluster_end(const struct timeline_series *series, size_t at, double *to)
{
	size_t end = at + 1;

	*to = series->gap[at].to;
	while (end < series->gap_count && floor(series->gap[end].from) <= floor(*to)) {
		*to = fmax(*to, series->gap[end].to);
		end++;
	}
	return end;
}

/* "2 gaps, the end": those from `at` on, before `end`. */
static size_t add_marked(
	struct strbuf *sb, const struct timeline_series *series, size_t at, size_t end)
{
	bool start = series->starts_late && at == 0;
	bool early = series->ends_early && end == series->gap_count;
	size_t gaps = end - at - (size_t)start - (size_t)early;

	if (gaps)
		strbuf_addf(sb, gaps == 1 ? "%zu gap" : "%zu gaps", gaps);
	if (start)
		strbuf_adds(sb, gaps ? ", the start" : "the start");
	if (early)
		strbuf_adds(sb, gaps || start ? ", the end" : "the end");
	return gaps;
}

size_t strip_gap_marks(struct strbuf *sb, const struct timeline_series *series)
{
	size_t most = 0, end;
	struct strbuf single;

	strbuf_init(&single);
	for (size_t i = 0; i < series->gap_count; i = end) {
		double to;
		size_t gaps;

		end = cluster_end(series, i, &to);
		most = most ? most : 1;
		if (end == i + 1) {
			block(&single, series->gap[i].from - 0.5, to - 0.5, 0,
				STRIP_GAPS_HEIGHT);
			continue;
		}
		strbuf_adds(sb, "<path class=\"s\" d=\"");
		block(sb, series->gap[i].from - 0.5, to - 0.5, 0, STRIP_GAPS_HEIGHT);
		strbuf_adds(sb, "\"><title>");
		gaps = add_marked(sb, series, i, end);
		strbuf_adds(sb, "</title></path>");
		if (gaps > most)
			most = gaps;
	}
	path(sb, "s", &single);
	strbuf_release(&single);
	return most;
}
