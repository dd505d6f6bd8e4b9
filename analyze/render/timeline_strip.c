/*
 * One series over time as an SVG strip, and its scale: of a device, several devices
 * together, or a run.
 */
#include "render/timeline_axis.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/timeline.h"
#include "render/utf8.h"

#define STRIP_HEIGHT 200
#define NAMED_MOST   4 /* more are counted */

/*
 * The wide gaps of a picture, as two paths: "g" where nothing was recorded, "na" where
 * rows say that there is no value.
 */
struct strip_gaps {
	struct strbuf unrecorded, missing;
	double shift; /* from places of gaps to those of the picture */
	int y, high;
};

/*
 * Paths: relative commands with integers, no points on a straight line, to keep pages
 * small. Each column draws its smallest and largest value, so a spike of one sample
 * stays.
 */

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

/* A gap of a series, from and to places of the picture; nothing if it is not wide. */
static void strip_gap(struct strip_gaps *to, const struct timeline_series *series,
	double from, double end)
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

static void strip_gaps_init(struct strip_gaps *gaps)
{
	strbuf_init(&gaps->unrecorded);
	strbuf_init(&gaps->missing);
}

/* Appends the paths, and releases them. */
static void strip_gaps_end(struct strbuf *sb, struct strip_gaps *gaps)
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
	struct strbuf d = strbuf_new(), dots = strbuf_new();

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

/* Appends a block "ran" from column `from` to column `to`, behind the paths. */
static void strip_length(struct strbuf *sb, double from, double to)
{
	struct strbuf d = strbuf_new();

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
	struct strbuf single = strbuf_new();

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

#define FLAT 0.05 /* of the height: what stays below is said, not drawn */

/* 1, 2, 2.5 or 5 times a power of ten, not below x, which is above 0. */
static double round_step(double x)
{
	static const double times[] = {1, 2, 2.5, 5, 10};
	double ten = pow(10, floor(log10(x)));
	size_t i = 0;

	while (i < 4 && times[i] * ten < x * (1 - 1e-9))
		i++;
	return times[i] * ten;
}

struct strip_range timeline_range(
	const struct timeline_metric *drawn, double min, double max, double whole)
{
	bool zero = drawn->base == BASE_ZERO && min >= 0;
	double low = zero ? 0 : min, top = zero && max == 0 ? 1 : max, step;
	struct strip_range range = {low, top};

	if (low == top)
		return range;
	step = round_step((top - low) / 5);
	range.low = step * floor(low / step + 1e-9);
	range.high = step * ceil(top / step - 1e-9);
	if (zero && strcmp(metric_get(drawn->metric)->unit, "%") == 0)
		range.high = fmax(100, max);
	if (whole >= top)
		range.high = whole;
	return range;
}

bool timeline_range_is_flat(const struct timeline_metric *drawn, struct strip_range range,
	double min, double max)
{
	return min == max || (drawn->base == BASE_ZERO && max < FLAT * range.high);
}

/* What is printed alike stands once. */
void timeline_values(
	struct strbuf *sb, const struct metric *metric, double min, double max)
{
	struct strbuf low = strbuf_new(), high = strbuf_new();

	quantity_number(&low, min, metric->decimals);
	quantity_number(&high, max, metric->decimals);
	if (strcmp(low.text, high.text) != 0)
		strbuf_addf(sb, "%s to ", low.text);
	strbuf_adds(sb, high.text);
	if (*metric->unit)
		strbuf_addf(sb, "\u00a0%s", metric->unit);
	strbuf_release(&low);
	strbuf_release(&high);
}

static void add_range(
	struct strbuf *sb, const struct metric *metric, struct strip_range range)
{
	double size = range.high - range.low;
	int decimals = size >= 5 ? 0 : size >= 0.5 ? 1 : 2;

	quantity_number(sb, range.low, decimals);
	strbuf_adds(sb, " to ");
	quantity_number(sb, range.high, decimals);
	if (*metric->unit)
		strbuf_addf(sb, "\u00a0%s", metric->unit);
}

void timeline_scale(struct strbuf *sb, const struct metric *metric,
	struct strip_range range, double min, double max)
{
	bool scaled = range.low < range.high;

	if (scaled)
		add_range(sb, metric, range);
	if (min < max)
		return;
	strbuf_adds(sb, scaled ? ", " : "");
	timeline_values(sb, metric, min, max);
	strbuf_adds(sb, " in every sample");
}

/* What a screen reader says, and a pointer shows. */
static void add_title(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	const struct metric *metric = metric_get(drawn->series->metric);

	strbuf_addf(sb, "<title>%s of ", metric->title);
	xml_text(sb, drawn->name);
	strbuf_adds(sb, ": ");
	timeline_values(sb, metric, drawn->series->min, drawn->series->max);
	if (!isnan(drawn->mean)) {
		strbuf_adds(sb, ", mean ");
		quantity_number(sb, drawn->mean, metric->decimals);
	}
	strbuf_adds(sb, "</title>");
}

/* What is drawn: the series in the columns of the picture. */
struct joined {
	struct timeline_series series;
	struct timeline axis;
};

static struct joined join(const struct timeline_drawn *drawn)
{
	struct joined joined = {.axis = *drawn->axis};

	timeline_merge(&joined.series, &drawn->series, 1, drawn->axis->columns,
		drawn->per_column);
	joined.axis.columns =
		timeline_merged_columns(drawn->axis->columns, drawn->per_column);
	joined.axis.step_ns *= (int64_t)drawn->per_column;
	return joined;
}

/* The columns' middles stand at whole numbers. */
static double place_of(const struct timeline *axis, int64_t t_ns)
{
	return timeline_place(axis, t_ns) - 0.5;
}

/* Returns where it begins. */
static double begin_picture(
	struct strbuf *sb, const struct timeline *axis, int64_t length_ns, int high)
{
	double from = place_of(axis, axis->from_ns);
	double columns = (double)length_ns / (double)axis->step_ns;

	strbuf_addf(sb, " viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\">", from,
		fmax(columns, 0.01), high);
	return from;
}

void timeline_picture(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	struct joined joined = join(drawn);
	const struct timeline *axis = &joined.axis;
	double from = begin_picture(sb, axis, drawn->length_ns, STRIP_HEIGHT);
	double to = place_of(axis, axis->to_ns);

	add_title(sb, drawn);
	if (drawn->shows_length)
		strip_length(sb, from, to);
	strip_paths(sb, &joined.series, axis->columns, drawn->range, from, to);
	timeline_series_release(&joined.series);
}

size_t timeline_gap_marks(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	struct joined joined = join(drawn);
	size_t most;

	begin_picture(sb, &joined.axis, drawn->length_ns, STRIP_GAPS_HEIGHT);
	strbuf_addf(
		sb, "<title>Gaps in %s of ", metric_get(drawn->series->metric)->title);
	xml_text(sb, drawn->name);
	strbuf_adds(sb, ": ");
	timeline_gaps(sb, drawn->series);
	strbuf_adds(sb, "</title>");
	most = strip_gap_marks(sb, &joined.series);
	timeline_series_release(&joined.series);
	return most;
}

void timeline_gaps(struct strbuf *sb, const struct timeline_series *series)
{
	if (!series->gaps_known) {
		strbuf_addc(sb, '-');
		return;
	}
	quantity_count(sb, timeline_gaps_between(series));
	if (series->starts_late)
		strbuf_adds(sb, ", the start");
	if (series->ends_early)
		strbuf_adds(sb, ", the end");
}

void timeline_gaps_legend(struct strbuf *sb, size_t most)
{
	strbuf_adds(sb, "no value from any device of the row: a gap");
	if (most > 1) {
		strbuf_adds(sb, ", up to ");
		quantity_count(sb, most);
		strbuf_adds(sb, " adjacent gaps");
	}
	strbuf_adds(sb, ", or no rows at the start or end of the run");
}

/*
 * Lowered clocks: one lane per reason, with its own color and height; gray is unknown.
 */

#define LANE_PX 7
#define BAR_PX	(LANE_PX - 2)

static const char *const class_of[SLOWED_COUNT] = {
	[SLOWED_POWER] = "power", [SLOWED_HEAT] = "heat", [SLOWED_HARDWARE] = "hardware"};

bool timeline_slowed_wanted(const struct report *report)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (report->timeline->tells_held[id] && report_wants_metric(report, id))
			return true;
	return false;
}

bool timeline_slowed(const struct report *report, bool has[SLOWED_COUNT])
{
	const struct timeline *t = report->timeline;
	bool any = false;

	if (!t || !timeline_slowed_wanted(report))
		return false;
	for (size_t i = 0; i < t->mark_count; i++) {
		if (!report_wants_device(report, t->mark[i].device))
			continue;
		has[t->mark[i].why] = true;
		any = true;
	}
	return any;
}

static int lane_of(const bool has[SLOWED_COUNT], enum slowed why)
{
	int lane = 0;

	for (enum slowed i = 0; i < why; i++)
		lane += has[i];
	return lane;
}

int timeline_slowed_height(const bool has[SLOWED_COUNT])
{
	return LANE_PX * lane_of(has, SLOWED_COUNT);
}

const char *timeline_slowed_class(enum slowed why)
{
	return class_of[why];
}

/* NULL: nothing is ever said of it. */
static const struct timeline_held *held_of(
	const struct timeline *t, uint32_t device, enum slowed why)
{
	for (size_t i = 0; i < t->held_count; i++)
		if (t->held[i].device == device && t->held[i].why == why)
			return &t->held[i];
	return NULL;
}

/* What the lanes of a GPU have to show. */
struct lanes {
	bool told; /* anything */
	bool seen; /* a mark, or time of which nothing is known */
};

static struct lanes lanes_of(
	const struct timeline *t, uint32_t device, const bool has[SLOWED_COUNT])
{
	struct lanes lanes = {false, false};

	for (enum slowed why = 0; why < SLOWED_COUNT; why++) {
		const struct timeline_held *held = held_of(t, device, why);

		if (!has[why])
			continue;
		lanes.told |= held != NULL;
		lanes.seen |=
			!held || held->from_ns != TIME_NONE || held->known.gap_count > 0;
	}
	return lanes;
}

bool timeline_slowed_next(
	const struct report *report, const bool has[SLOWED_COUNT], uint32_t *device)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		uint32_t next = gpus->at[i];
		struct lanes lanes = lanes_of(report->timeline, next, has);

		if ((*device == UINT32_MAX || next > *device) && lanes.told &&
			lanes.seen && report_wants_device(report, next)) {
			*device = next;
			return true;
		}
	}
	return false;
}

void timeline_slowed_lacking(
	struct strbuf *sb, const struct report *report, const bool has[SLOWED_COUNT])
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	uint32_t *lacking = xcalloc(gpus->count + 1, sizeof *lacking);
	size_t count = 0;

	for (size_t i = 0; i < gpus->count; i++)
		if (report_counts_gpu(report, gpus->at[i]) &&
			!lanes_of(report->timeline, gpus->at[i], has).told)
			lacking[count++] = gpus->at[i];
	timeline_lacking(sb, report, lacking, count, "GPUs", TIMELINE_NO_VALUE);
	free(lacking);
}

static bool is_of(const struct timeline_slowed_row *row, uint32_t device)
{
	return row->device == TIMELINE_ALL ? report_wants_device(row->report, device)
					   : device == row->device;
}

/* A reason of all GPUs of a row. */
struct lane {
	size_t told; /* of how many it is told of */
	int64_t from_ns; /* when it held first; TIME_NONE */
	double seconds; /* of all of them */
	struct timeline_series known; /* gaps are where nothing is known of any; owned */
};

static struct lane lane_for(const struct timeline_slowed_row *row, enum slowed why)
{
	const struct timeline *t = row->report->timeline;
	const struct timeline_series **known = xcalloc(t->held_count + 1, sizeof *known);
	struct lane lane = {.from_ns = TIME_NONE};

	for (size_t i = 0; i < t->held_count; i++) {
		const struct timeline_held *held = &t->held[i];

		if (held->why != why || !is_of(row, held->device))
			continue;
		known[lane.told++] = &held->known;
		lane.seconds += held->seconds;
		if (held->from_ns != TIME_NONE &&
			(lane.from_ns == TIME_NONE || held->from_ns < lane.from_ns))
			lane.from_ns = held->from_ns;
	}
	if (lane.told)
		timeline_common_gaps(&lane.known, known, lane.told);
	free(known);
	return lane;
}

static void slowed_add_title(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	const char *before = ": ";

	strbuf_adds(sb, "<title>");
	if (row->device == TIMELINE_ALL) {
		strbuf_adds(sb, "all GPUs together were throttled");
	} else {
		xml_text(sb, row->report->run->device[row->device].name);
		strbuf_adds(sb, " was throttled");
	}
	for (enum slowed why = 0; why < SLOWED_COUNT; why++) {
		struct lane lane = lane_for(row, why);

		timeline_series_release(&lane.known);
		if (lane.from_ns == TIME_NONE)
			continue;
		strbuf_addf(sb, "%s%s for ", before, slowed_name(why));
		quantity_span(sb, lane.seconds);
		strbuf_adds(sb, " from ");
		timeline_since_start(sb, row->report, lane.from_ns);
		strbuf_adds(sb, " on");
		before = ", ";
	}
	strbuf_adds(sb, *before == ':' ? " at no recorded time" : "");
	strbuf_adds(sb, "</title>");
}

static void add_unknown(
	struct strip_gaps *grey, const struct timeline *t, const struct lane *lane)
{
	struct timeline_gap always = {
		timeline_place(t, t->from_ns), timeline_place(t, t->to_ns)};
	const struct timeline_series never = {
		.unrecorded = &always, .unrecorded_count = 1};

	if (!lane->told)
		strip_gap(grey, &never, always.from, always.to);
	for (size_t i = 0; i < lane->known.gap_count; i++)
		strip_gap(grey, &lane->known, lane->known.gap[i].from,
			lane->known.gap[i].to);
}

/* The columns in which a reason held any of them; owned by the caller. */
static bool *held_columns(const struct timeline_slowed_row *row, enum slowed why)
{
	const struct timeline *t = row->report->timeline;
	size_t per = row->per_column;
	bool *held = xcalloc(t->columns + 1, sizeof *held);

	for (size_t i = 0; i < t->mark_count; i++) {
		const struct timeline_mark *m = &t->mark[i];
		size_t end = (m->to + per - 1) / per * per;

		if (m->why != why || !is_of(row, m->device))
			continue;
		for (size_t c = m->from / per * per; c < end && c < t->columns; c++)
			held[c] = true;
	}
	return held;
}

static void add_marks(
	struct strbuf *sb, const struct timeline_slowed_row *row, enum slowed why, int y)
{
	bool *held = held_columns(row, why), begun = false;
	size_t columns = row->report->timeline->columns;

	for (size_t c = 0, end; c < columns; c = end + 1) {
		for (end = c; end < columns && held[end];)
			end++;
		if (end == c)
			continue;
		if (!begun)
			strbuf_addf(sb, "<path class=\"%s\" d=\"", class_of[why]);
		begun = true;
		strbuf_addf(sb, "M%zu %dh%zuv%dh-%zuz", c, y, end - c, BAR_PX, end - c);
	}
	strbuf_adds(sb, begun ? "\"/>" : "");
	free(held);
}

void timeline_slowed_picture(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	const struct timeline *t = row->report->timeline;
	double from = timeline_place(t, t->from_ns), to = timeline_place(t, t->to_ns);

	strbuf_addf(sb, " viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\">", from,
		to > from ? to - from : 0.01, timeline_slowed_height(row->has));
	slowed_add_title(sb, row);
	for (enum slowed why = 0; why < SLOWED_COUNT; why++) {
		struct strip_gaps grey = {
			.y = LANE_PX * lane_of(row->has, why), .high = BAR_PX};
		struct lane lane;

		if (!row->has[why])
			continue;
		lane = lane_for(row, why);
		strip_gaps_init(&grey);
		add_unknown(&grey, row->report->timeline, &lane);
		strip_gaps_end(sb, &grey);
		add_marks(sb, row, why, grey.y);
		timeline_series_release(&lane.known);
	}
}

void timeline_since_start(struct strbuf *sb, const struct report *report, int64_t t_ns)
{
	double at_s = report_second(report, t_ns);

	if (isnan(at_s))
		strbuf_addc(sb, '-');
	else
		quantity_span(sb, at_s);
}

void timeline_lacking(struct strbuf *sb, const struct report *report,
	const uint32_t *device, size_t count, const char *many, const char *what)
{
	const char **name = xcalloc(count + 1, sizeof *name);

	for (size_t i = 0; i < count; i++)
		name[i] = report->run->device[device[i]].name;
	if (count) {
		strbuf_adds(sb, "; ");
		timeline_have(sb, name, count, many, what);
	}
	free(name);
}

void timeline_have(struct strbuf *sb, const char *const *name, size_t count,
	const char *many, const char *what)
{
	for (size_t i = 0; i < count && count <= NAMED_MOST; i++) {
		strbuf_adds(sb, !i ? "" : i + 1 < count ? ", " : " and ");
		xml_text(sb, name[i]);
	}
	if (count > NAMED_MOST)
		strbuf_addf(sb, "%zu %s", count, many);
	strbuf_addf(sb, " %s %s", count == 1 ? "has" : "have", what);
}
