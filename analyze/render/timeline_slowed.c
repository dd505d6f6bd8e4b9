/*
 * When something held the clocks of a GPU down: a lane a reason, each of its own colour
 * and at its own height; grey where nothing is known of it.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

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

static void add_name(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	if (row->device == TIMELINE_ALL)
		strbuf_adds(sb, "all GPUs together");
	else
		xml_text(sb, row->report->run->device[row->device].name);
}

static void add_title(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	const char *before = ": ";

	strbuf_adds(sb, "<title>");
	add_name(sb, row);
	strbuf_adds(
		sb, row->device == TIMELINE_ALL ? " were held down" : " was held down");
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
	strbuf_adds(sb, *before == ':' ? " at no time that is known" : "");
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

/* shift: from places on the axis to those of the picture. */
static void begin_picture(
	struct strbuf *sb, const struct timeline *t, int height, double shift)
{
	double from = timeline_place(t, t->from_ns), to = timeline_place(t, t->to_ns);

	strbuf_addf(sb, " viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\">",
		from + shift, to > from ? to - from : 0.01, height);
}

void timeline_slowed_picture(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	begin_picture(sb, row->report->timeline, timeline_slowed_height(row->has), 0);
	add_title(sb, row);
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

static int by_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void add_gaps(struct timeline_series *all, const struct timeline_series *of)
{
	ALLOC_GROW(all->gap, all->gap_count + of->gap_count + 1, all->gap_cap);
	for (size_t i = 0; i < of->gap_count; i++)
		all->gap[all->gap_count++] = of->gap[i];
	all->gaps_known |= of->gaps_known;
	all->starts_late |= of->starts_late;
	all->ends_early |= of->ends_early;
}

/* Reasons that are told in the same rows have the same gaps: each is there once. */
static struct timeline_series gaps_of(const struct timeline_slowed_row *row)
{
	const struct timeline *t = row->report->timeline;
	double from = timeline_place(t, t->from_ns), to = timeline_place(t, t->to_ns);
	struct timeline_series all = {.gap_count = 0};
	size_t count = 0;

	for (enum slowed why = 0; why < SLOWED_COUNT; why++) {
		struct lane lane = {0};

		if (row->has[why])
			lane = lane_for(row, why);
		add_gaps(&all, &lane.known);
		timeline_series_release(&lane.known);
	}
	qsort(all.gap, all.gap_count, sizeof *all.gap, by_time);
	for (size_t i = 0; i < all.gap_count; i++) {
		if (count && by_time(&all.gap[i], &all.gap[count - 1]) == 0)
			continue;
		all.gap[count++] = all.gap[i];
		all.edge_gaps += all.gap[i].from <= from || all.gap[i].to >= to;
	}
	all.gap_count = count;
	return all;
}

bool timeline_slowed_has_gaps(const struct timeline_slowed_row *row)
{
	struct timeline_series all = gaps_of(row);
	bool any = all.gap_count > 0;

	timeline_series_release(&all);
	return any;
}

size_t timeline_slowed_gaps(struct strbuf *sb, const struct timeline_slowed_row *row)
{
	struct timeline_series all = gaps_of(row);
	size_t most;

	begin_picture(sb, row->report->timeline, STRIP_GAPS_HEIGHT, -0.5);
	strbuf_adds(sb, "<title>Gaps in what held down ");
	add_name(sb, row);
	strbuf_adds(sb, ": ");
	timeline_gaps(sb, &all);
	strbuf_adds(sb, "</title>");
	most = strip_gap_marks(sb, &all);
	timeline_series_release(&all);
	return most;
}
