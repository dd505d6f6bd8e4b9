/* Files that two GPUs share, and the rows of all that share one. */
#include "compute/own_log.h"

#include <string.h>

static bool is_known(const struct run *run, enum source_kind kind, uint32_t gpu)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], gpu))
			return true;
	return false;
}

static bool is_one_host(const struct device *a, const struct device *b)
{
	return strcmp(a->host ? a->host : "", b->host ? b->host : "") == 0;
}

bool own_log_shares(const struct run *run, enum source_kind kind, uint32_t a, uint32_t b)
{
	if (!is_one_host(&run->device[a], &run->device[b]))
		return false;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], a) &&
			run_file_has_gpu(&run->file[i], b))
			return true;
	return !is_known(run, kind, a) || !is_known(run, kind, b);
}

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
			!own_log_shares(agg->run, kind, device, i))
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
			!own_log_shares(agg->run, kind, device, i))
			continue;
		track = &source->device[i]->track;
		span.from_ns =
			track->first_ns < span.from_ns ? track->first_ns : span.from_ns;
		span.to_ns = track->last_ns > span.to_ns ? track->last_ns : span.to_ns;
	}
	return span;
}

int64_t own_log_end(const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];
	int64_t end_ns = INT64_MIN;

	if (own_log_is_whole(agg, kind, device))
		return source->rows.prev_ns;
	for (uint32_t i = 0; i < source->device_count; i++)
		if (is_there(agg, source, i) &&
			own_log_shares(agg->run, kind, device, i) &&
			source->device[i]->track.prev_ns > end_ns)
			end_ns = source->device[i]->track.prev_ns;
	return end_ns;
}
