/*
 * What the rows of a source say of it, whatever their values: their order, sessions,
 * ticks and snapshots.
 */
#include "base/alloc.h"
#include "compute/run/state.h"

/* Rows of a source are ordered by segment, time, ordinal and device. */
static void check_order(
	struct source_state *source, const struct sample_batch *batch, size_t row)
{
	int64_t t_ns = batch->t_ns[row];
	int32_t segment = batch->segment[row];
	bool back;

	if (segment != source->last_segment)
		back = segment < source->last_segment;
	else if (t_ns != source->last_ns)
		back = t_ns < source->last_ns;
	else if (batch->ordinal[row] != source->last_ordinal)
		back = batch->ordinal[row] < source->last_ordinal;
	else
		back = batch->device[row] <= source->last_device;
	source->broken |= back;
}

/* A log that so many follow a header in was not written by a call of nvidia-smi each. */
#define ROUNDS_OF_A_LOOP 2

/*
 * Whoever calls nvidia-smi in a loop has a header in each round; one that comes after
 * more of them is that of another recorder. Logs of other kinds repeat theirs.
 */
static bool is_restart(
	const struct source_state *source, const struct sample_batch *batch, size_t row)
{
	return batch->source == SOURCE_NVIDIA_QUERY && batch->header[row] &&
		source->ticks.count - source->header_tick > ROUNDS_OF_A_LOOP;
}

static void note_session(struct source_state *source, const struct sample_batch *batch,
	size_t row, int64_t short_ns)
{
	bool stepped_back = batch->segment[row] != source->last_segment;
	bool restarted = is_restart(source, batch, row);
	struct session_start *start;

	if (!batch->header[row])
		return;
	source->header_tick = source->ticks.count;
	if (!stepped_back && !restarted && batch->t_ns[row] - source->last_ns <= short_ns)
		return;
	ALLOC_GROW(source->session, source->session_count + 1, source->session_cap);
	start = &source->session[source->session_count++];
	*start = (struct session_start){
		source->last_ns, batch->t_ns[row], stepped_back, restarted, source->open};
	source->open = (struct stretch){batch->t_ns[row], batch->t_ns[row]};
}

/* What was added up as one tick are two: the longest step in it divides them. */
static void divide(struct tick_total *total, int64_t begin_ns, int64_t last_ns)
{
	total->sum -= total->before;
	if (total->sum > total->before) {
		total->peak = total->sum;
		total->peak_ns = last_ns;
		total->peak_from_ns = begin_ns;
	} else {
		total->peak = total->before;
		total->peak_ns = total->before_ns;
	}
	total->from_ns = begin_ns;
	total->before = 0;
}

/* A tick also ends at a step that may be a gap, and at a new segment. */
static void find_tick(const struct run *run, struct source_state *source,
	const struct sample_batch *batch, size_t row)
{
	bool apart = source->seen &&
		(batch->segment[row] != source->last_segment ||
			(batch->timed &&
				batch->t_ns[row] - source->last_ns > GAP_LIMIT_MIN_NS));
	int64_t longest_ns = source->ticks.longest_ns;
	struct tick_total *total = &source->peak_total;

	switch (rounds_add(&source->ticks, run,
		&(struct round_row){
			batch->device[row], apart, batch->timed, batch->t_ns[row]})) {
	case ROUND_GOES_ON:
		if (source->ticks.longest_ns > longest_ns) {
			total->before = total->sum;
			total->before_ns = source->last_ns;
		}
		break;
	case ROUND_BEGINS:
		total->sum = total->before = 0;
		total->from_ns = batch->t_ns[row];
		total->segment = batch->segment[row];
		break;
	case ROUND_BEGAN:
		divide(total, source->ticks.begin_ns, source->last_ns);
		break;
	}
}

void source_note_row(const struct run *run, struct source_state *source,
	struct device_state *device, const struct sample_batch *batch, size_t row,
	int64_t short_ns)
{
	int64_t t_ns = batch->t_ns[row];

	find_tick(run, source, batch, row);
	if (source->seen) {
		check_order(source, batch, row);
		if (batch->timed)
			note_session(source, batch, row, short_ns);
	} else {
		source->origin_ns = t_ns;
		source->open = (struct stretch){t_ns, t_ns};
		source->snapshot_ns = source->snapshot_before_ns = t_ns;
		source->header_tick = source->ticks.count;
	}
	source->open.from_ns = t_ns < source->open.from_ns ? t_ns : source->open.from_ns;
	source->open.to_ns = t_ns > source->open.to_ns ? t_ns : source->open.to_ns;
	source->seen = true;
	source->timed = batch->timed;
	if (batch->timed)
		track_add(&source->rows,
			&(struct track_row){t_ns, batch->segment[row], batch->file,
				batch->line[row], false, 0, ROW_SAYS_LIFE},
			short_ns);
	if (t_ns != source->snapshot_ns) {
		source->snapshot_before_ns = source->snapshot_ns;
		source->snapshot_ns = t_ns;
	}
	source->last_segment = batch->segment[row];
	source->last_ns = t_ns;
	source->last_ordinal = batch->ordinal[row];
	source->last_device = batch->device[row];
	device->session = source->session_count;
}
