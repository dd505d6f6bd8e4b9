/*
 * The sessions of a source: its stretches between headers that came again after a gap;
 * and where what one recorder says of a GPU ends.
 * README.md, "Time".
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/state.h"

bool session_explains(const struct source_state *source, int64_t from_ns, int64_t to_ns)
{
	const struct session_start *start;

	if (!source->session_count)
		return false;
	start = &source->session[source->session_count - 1];
	return start->before_ns >= from_ns && start->after_ns <= to_ns &&
		(int128)(to_ns - start->after_ns) + (start->before_ns - from_ns) <=
		GAP_LIMIT_MIN_NS;
}

static int by_start(const void *a, const void *b)
{
	int64_t x = ((const struct stretch *)a)->from_ns;
	int64_t y = ((const struct stretch *)b)->from_ns;

	return (x > y) - (x < y);
}

/* Overlapping stretches count once. Sorts them. */
static void unite(struct stretch *stretch, size_t count, struct sessions *out)
{
	struct stretch open;

	qsort(stretch, count, sizeof *stretch, by_start);
	open = stretch[0];
	out->length_ns = 0;
	out->ends = open;
	for (size_t i = 1; i < count; i++) {
		if (stretch[i].to_ns > out->ends.to_ns)
			out->ends.to_ns = stretch[i].to_ns;
		if (stretch[i].from_ns > open.to_ns) {
			out->length_ns += open.to_ns - open.from_ns;
			open = stretch[i];
		} else if (stretch[i].to_ns > open.to_ns) {
			open.to_ns = stretch[i].to_ns;
		}
	}
	out->length_ns += open.to_ns - open.from_ns;
}

static void extend(struct stretch *stretch, const struct stretch *by)
{
	if (by->from_ns < stretch->from_ns)
		stretch->from_ns = by->from_ns;
	if (by->to_ns > stretch->to_ns)
		stretch->to_ns = by->to_ns;
}

static bool begins_session(const struct session_start *start, int64_t limit_ns)
{
	return start->stepped_back || start->after_ns - start->before_ns > limit_ns;
}

const struct session_start *session_end(
	const struct source_state *source, size_t starts, int64_t limit_ns)
{
	for (size_t i = starts; i < source->session_count; i++)
		if (source->session[i].restarted ||
			begins_session(&source->session[i], limit_ns))
			return &source->session[i];
	return NULL;
}

/*
 * A header that comes again after a gap, or after a step back in time, begins a new
 * session; with several, their union stands for the run's duration, unless a manifest
 * says when the run began: then it went on in between.
 */
struct sessions sessions_of(
	const struct aggregate *agg, enum source_kind kind, const struct report *report)
{
	const struct source_state *source = &agg->source[kind];
	int64_t limit_ns = agg->options.gap_ns >= 0 ? agg->options.gap_ns
						    : aggregate_step_limit(agg, kind);
	struct stretch *stretch = xmalloc((source->session_count + 1) * sizeof *stretch);
	struct sessions sessions = {.count = 0};
	bool begins = true;

	for (size_t i = 0; i <= source->session_count; i++) {
		const struct session_start *next =
			i < source->session_count ? &source->session[i] : NULL;
		const struct stretch *rows = next ? &next->ended : &source->open;

		if (begins)
			stretch[sessions.count++] = *rows;
		else
			extend(&stretch[sessions.count - 1], rows);
		begins = next && begins_session(next, limit_ns);
	}
	if (sessions.count > 1 && agg->run->started_ns == TIME_NONE) {
		unite(stretch, sessions.count, &sessions);
	} else {
		sessions.ends = (struct stretch){report->started_ns, report->ended_ns};
		sessions.length_ns = report->ended_ns - report->started_ns;
	}
	free(stretch);
	return sessions;
}
