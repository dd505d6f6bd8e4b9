/*
 * Spans on as few tracks as they nest in: each goes to the first where it overlaps none
 * that is open, and lies in nothing that it is no part of.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "render/trace_parts.h"

/* A slice that has not ended. */
struct open_slice {
	int64_t end_ns;
	const void *kind;
};

struct lane {
	uint32_t tid;
	int64_t now_ns; /* of its last event */
	struct open_slice *open; /* [depth] the innermost last */
	size_t depth, cap;
};

struct lanes {
	struct lane *at;
	size_t count, cap;
	int64_t free_ns; /* none has nothing open before; a lower bound */
};

/* Where a span goes on a lane. */
struct spot {
	size_t depth; /* how many slices it lies in; those behind are over */
	int64_t from_ns, to_ns;
};

/*
 * False: it would overlap one. What sticks out by rounding is cut to what it is in, and
 * so is the end of one that the next begins before.
 */
static bool fits(const struct lane *lane, const struct trace_span *span, int64_t slack_ns,
	struct spot *spot)
{
	spot->from_ns = span->from_ns > lane->now_ns ? span->from_ns : lane->now_ns;
	spot->to_ns = span->to_ns > spot->from_ns ? span->to_ns : spot->from_ns;
	if ((int128)spot->from_ns - span->from_ns > slack_ns)
		return false;
	for (spot->depth = lane->depth; spot->depth > 0; spot->depth--) {
		int64_t end_ns = lane->open[spot->depth - 1].end_ns;
		int128 shared_ns = (int128)end_ns - spot->from_ns;
		int128 beyond_ns = (int128)spot->to_ns - end_ns;

		if (shared_ns <= 0 || (shared_ns <= slack_ns && beyond_ns > slack_ns))
			continue;
		if (beyond_ns > slack_ns)
			return false;
		if (beyond_ns > 0)
			spot->to_ns = end_ns;
		return true;
	}
	return true;
}

/* May it lie in what is open there? */
static bool belongs(const struct lane *lane, const struct trace_span *span,
	const struct spot *spot, bool strict)
{
	return !strict ||
		(spot->depth && lane->open[spot->depth - 1].kind == span->inside);
}

/* Ends the slices from a depth on, at a time or before. */
static void close_lane(struct trace *t, struct lane *lane, size_t depth, int64_t t_ns)
{
	while (lane->depth > depth) {
		int64_t end_ns = lane->open[--lane->depth].end_ns;

		lane->now_ns = end_ns < t_ns ? end_ns : t_ns;
		trace_end_slice(t, lane->tid, lane->now_ns);
	}
}

static struct lane *add_lane(struct trace *t, struct lanes *lanes, const char *name)
{
	struct lane *lane;
	struct strbuf sb;

	ALLOC_GROW(lanes->at, lanes->count + 1, lanes->cap);
	lane = &lanes->at[lanes->count++];
	strbuf_init(&sb);
	strbuf_adds(&sb, name);
	if (lanes->count > 1)
		strbuf_addf(&sb, " %zu", lanes->count);
	*lane = (struct lane){.tid = trace_track(t, sb.text), .now_ns = INT64_MIN};
	strbuf_release(&sb);
	return lane;
}

/* The first lane where nothing is open by then. While none can be, none is looked at. */
static struct lane *find_free(const struct trace_spans *spans, struct lanes *lanes,
	const struct trace_span *span, struct spot *spot)
{
	int64_t free_ns = INT64_MAX;

	if ((int128)span->from_ns + spans->slack_ns < lanes->free_ns)
		return NULL;
	for (size_t i = 0; i < lanes->count; i++) {
		struct lane *lane = &lanes->at[i];

		if (fits(lane, span, spans->slack_ns, spot) && !spot->depth)
			return lane;
		if (lane->depth && lane->open[0].end_ns < free_ns)
			free_ns = lane->open[0].end_ns;
	}
	lanes->free_ns = free_ns;
	return NULL;
}

/* In what it is inside of; else where nothing is open; else on a lane of its own. */
static struct lane *find_lane(struct trace *t, const struct trace_spans *spans,
	struct lanes *lanes, const struct trace_span *span, struct spot *spot)
{
	bool alone = spans->strict && !span->inside;
	struct lane *lane;

	for (size_t i = 0; !alone && i < lanes->count; i++)
		if (fits(&lanes->at[i], span, spans->slack_ns, spot) &&
			belongs(&lanes->at[i], span, spot, spans->strict))
			return &lanes->at[i];
	lane = find_free(spans, lanes, span, spot);
	if (lane)
		return lane;
	lane = add_lane(t, lanes, spans->track);
	fits(lane, span, spans->slack_ns, spot);
	return lane;
}

static void put(struct trace *t, const struct trace_spans *spans, struct lanes *lanes,
	const struct trace_span *span)
{
	struct spot spot;
	struct lane *lane = find_lane(t, spans, lanes, span, &spot);

	if (!spot.depth && spot.to_ns < lanes->free_ns)
		lanes->free_ns = spot.to_ns;
	close_lane(t, lane, spot.depth, spot.from_ns);
	trace_event_named(t, "B", lane->tid, spot.from_ns, spans->category, span->name);
	if (spans->args)
		spans->args(t, span);
	json_close(t->w);
	json_close(t->w);
	ALLOC_GROW(lane->open, lane->depth + 1, lane->cap);
	lane->open[lane->depth++] = (struct open_slice){spot.to_ns, span->kind};
	lane->now_ns = spot.from_ns;
}

void trace_spans(struct trace *t, const struct trace_spans *spans)
{
	struct lanes lanes = {.free_ns = INT64_MAX};

	for (size_t i = 0; i < spans->count; i++)
		put(t, spans, &lanes, &spans->at[i]);
	for (size_t i = 0; i < lanes.count; i++) {
		close_lane(t, &lanes.at[i], 0, INT64_MAX);
		free(lanes.at[i].open);
	}
	free(lanes.at);
}
