/* Files that two GPUs share, and the rows of all that share one. */
#include "compute/report/own_log.h"
#include "compute/report/recorder_word.h"
#include "compute/report/silence.h"

/* Has the device rows there, and is it a GPU? */
static bool is_there(
	const struct aggregate *agg, const struct source_state *source, size_t device)
{
	return source->device[device] && agg->run->device[device].kind == DEVICE_GPU;
}

bool own_log_is_whole(const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];

	if (agg->run->device[device].kind != DEVICE_GPU)
		return true;
	for (uint32_t i = 0; i < source->device_count; i++)
		if (is_there(agg, source, i) &&
			!run_shares_log(agg->run, kind, device, i))
			return false;
	return true;
}

struct stretch own_log_span(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];
	struct stretch span = {source->rows.first_ns, source->rows.last_ns};

	if (own_log_is_whole(agg, kind, device))
		return span;
	span = (struct stretch){INT64_MAX, INT64_MIN};
	for (uint32_t i = 0; i < source->device_count; i++) {
		const struct track *track;

		if (!is_there(agg, source, i) ||
			!run_shares_log(agg->run, kind, device, i))
			continue;
		track = &source->device[i]->track;
		span.from_ns =
			track->first_ns < span.from_ns ? track->first_ns : span.from_ns;
		span.to_ns = track->last_ns > span.to_ns ? track->last_ns : span.to_ns;
	}
	return span;
}

/* Of a device that has rows on both sides of a hole: the last one before it. */
static int64_t before_hole(const struct track *track, const struct session_start *hole)
{
	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->start_ns <= hole->before_ns &&
			step->start_ns + step->dt_ns >= hole->after_ns)
			return step->start_ns;
	}
	return track->prev_ns; /* it went on, as one of another file may */
}

/* end: of the session that is asked for; NULL: the source's last. */
static int64_t last_row_ns(const struct source_state *source, uint32_t device,
	const struct session_start *end)
{
	const struct device_state *state = source->device[device];

	return end && state->session > (size_t)(end - source->session)
		? before_hole(&state->track, end)
		: state->track.prev_ns;
}

int64_t own_log_end(const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];
	const struct session_start *end =
		session_end(source, source->device[device]->session,
			agg->options.gap_ns >= 0 ? agg->options.gap_ns
						 : aggregate_step_limit(agg, kind));
	int64_t end_ns = INT64_MIN;

	/* It was asked, and said nothing. */
	if (end &&
		recorder_word_leaves_out(
			agg->run, device, source->device[device]->track.prev_ns))
		end = NULL;
	if (own_log_is_whole(agg, kind, device))
		return end ? end->before_ns : source->rows.prev_ns;
	for (uint32_t i = 0; i < source->device_count; i++)
		if (is_there(agg, source, i) &&
			run_shares_log(agg->run, kind, device, i)) {
			int64_t row_ns = last_row_ns(source, i, end);

			end_ns = row_ns > end_ns ? row_ns : end_ns;
		}
	return end_ns;
}

int64_t own_log_covered_ns(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *time, int64_t limit_ns)
{
	const struct track *rows = &agg->source[kind].rows;
	struct stretch log = {rows->first_ns, rows->last_ns};
	int64_t covered_ns = stretch_common_ns(&log, time);

	for (size_t i = 0; i < rows->longest.count; i++) {
		const struct step *step = &rows->longest.at[i];
		struct stretch hole = {step->start_ns, step->start_ns + step->dt_ns};

		if (step->dt_ns > limit_ns)
			covered_ns -= stretch_common_ns(&hole, time);
	}
	return covered_ns;
}
