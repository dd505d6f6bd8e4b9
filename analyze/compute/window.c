/* The segments of the rows in a window: what lies outside of it breaks nothing in it. */
#include <string.h>

#include "base/alloc.h"
#include "compute/state.h"

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
