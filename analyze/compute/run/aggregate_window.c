/* Which window counts; and the segments of its rows: what lies outside breaks nothing in
 * it. */
#include <string.h>

#include "base/alloc.h"
#include "compute/run/state.h"

int32_t window_segment(
	struct device_state *device, const struct sample_batch *batch, size_t row)
{
	int32_t logged = batch->segment[row], before = device->log_segment;

	device->log_segment = logged;
	return device->track.rows &&
			(logged == before || batch->t_ns[row] >= device->track.prev_ns)
		? device->track.prev_segment
		: logged;
}

struct sample_batch window_batch(struct aggregate *agg, const struct sample_batch *batch)
{
	struct sample_batch seen = *batch;

	if (!agg->options.window.set || !batch->timed)
		return seen;
	if (!agg->segment)
		agg->segment = xcalloc(SAMPLE_BATCH_ROWS, sizeof *agg->segment);
	memcpy(agg->segment, batch->segment, batch->rows * sizeof *agg->segment);
	seen.segment = agg->segment;
	return seen;
}

/* Whether a log has a row in that time, and goes on beyond it. */
static bool meets(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *command, bool *beyond)
{
	const struct source_state *source = &agg->source[kind];
	bool met = false;

	for (size_t i = 0; i < source->device_count; i++) {
		struct device_state *device = source->device[i];
		const struct track *track = device ? &device->track : NULL;
		int64_t limit_ns;

		if (!track)
			continue;
		limit_ns = device_timing(agg, kind, device).limit_ns;
		if (limit_ns < GAP_LIMIT_MIN_NS)
			limit_ns = GAP_LIMIT_MIN_NS;
		met |= track->first_ns <= command->to_ns &&
			track->last_ns >= command->from_ns;
		*beyond |= (int128)command->from_ns - track->first_ns > limit_ns ||
			(int128)track->last_ns - command->to_ns > limit_ns;
	}
	return met;
}

bool aggregate_beyond_command(struct aggregate *agg, struct compute_window *command)
{
	struct stretch span;
	bool beyond = false;

	if (agg->options.window.set || agg->options.dialect.dialect != DIALECT_NONE ||
		!run_command_span(agg->run, &span.from_ns, &span.to_ns))
		return false;
	assume_intervals(agg);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (agg->source[kind].seen && agg->source[kind].timed &&
			!meets(agg, kind, &span, &beyond))
			return false;
	*command = (struct compute_window){.set = true,
		.closed = true,
		.of_command = true,
		.from_ns = span.from_ns,
		.to_ns = span.to_ns};
	return beyond;
}

void aggregate_restrict(struct aggregate *agg, const struct compute_window *window)
{
	agg->options.window = *window;
	aggregate_restart(agg);
}

struct beyond aggregate_beyond(const struct aggregate *agg)
{
	return (struct beyond){agg->rows_outside,
		agg->phases ? phase_map_tree(agg->phases)->outside : 0};
}
