/*
 * nvidia-smi names its GPUs in the same order in every round. Where the rows around
 * one come again as often as GPUs are between them, and that row alone does not,
 * though it comes when another one's is due, its id is wrong.
 */
#include "read/bad_gpu_id.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/timestamp.h"

#define NEAR  8 /* rows on either side, at least, that are looked at */
#define LEAST 4 /* ... of which there must be so many */

void bad_gpu_ids_release(struct bad_gpu_ids *ids)
{
	free(ids->device);
	free(ids->t_ns);
	free(ids->header);
	free(ids->seen);
}

static void append(struct bad_gpu_ids *ids, const uint32_t *device, const int64_t *t_ns,
	const uint8_t *header, size_t count)
{
	if (!count)
		return;
	memcpy(ids->device + ids->view_count, device, count * sizeof *device);
	memcpy(ids->t_ns + ids->view_count, t_ns, count * sizeof *t_ns);
	memcpy(ids->header + ids->view_count, header, count);
	ids->view_count += count;
}

static void append_batch(struct bad_gpu_ids *ids, const struct sample_batch *batch)
{
	append(ids, batch->device, batch->t_ns, batch->header, batch->rows);
}

static void make_view(
	struct bad_gpu_ids *ids, struct ahead *ahead, const struct sample_batch *batch)
{
	const size_t cap = 2 * BAD_ROUND + 2 * SAMPLE_BATCH_ROWS;

	if (!ids->device) {
		ids->device = xmalloc(cap * sizeof *ids->device);
		ids->t_ns = xmalloc(cap * sizeof *ids->t_ns);
		ids->header = xmalloc(cap);
	}
	append(ids, ids->before, ids->times_ns, ids->headers, ids->count);
	append_batch(ids, batch);
	if (ahead)
		append_batch(ids, ahead_behind(ahead));
}

/* Rows from .. to, about one of them. */
struct window {
	size_t from, to, row;
};

static struct window window_about(const struct bad_gpu_ids *ids, size_t row, size_t turn)
{
	size_t reach = turn > NEAR / 2 ? 2 * turn : NEAR;
	size_t last = ids->view_count - 1;

	return (struct window){row > reach ? row - reach : 0,
		last - row > reach ? row + reach : last, row};
}

/* All rows but that one have the device of the row a turn before. */
static bool comes_again(
	const struct bad_gpu_ids *ids, const struct window *w, size_t turn)
{
	for (size_t i = w->from; i + turn <= w->to; i++)
		if (i != w->row && i + turn != w->row &&
			ids->device[i] != ids->device[i + turn])
			return false;
	return true;
}

/* A turn from there on names each GPU once. */
static bool names_each(const struct bad_gpu_ids *ids, size_t from, size_t turn)
{
	for (size_t i = from; i < from + turn; i++)
		for (size_t k = from; k < i; k++)
			if (ids->device[k] == ids->device[i])
				return false;
	return true;
}

/* A turn on both sides of the row says which GPU has its place, or two on one side. */
static bool find_place(const struct bad_gpu_ids *ids, const struct window *w, size_t turn,
	uint32_t *device)
{
	size_t before = w->row - w->from, behind = w->to - w->row;
	bool both = before >= turn && behind >= turn;

	if (before + behind < LEAST || (!both && before < 2 * turn && behind < 2 * turn))
		return false;
	*device = ids->device[before < turn ? w->row + turn : w->row - turn];
	return (!both || ids->device[w->row + turn] == *device) &&
		comes_again(ids, w, turn) &&
		names_each(ids, before < turn ? w->row + 1 : w->row - turn, turn);
}

/* Twice as far as from one of its rows to the next; on either side that is known. */
static bool is_missed(const struct bad_gpu_ids *ids, const struct window *w, size_t turn,
	int128 apart_ns)
{
	const int64_t *t_ns = ids->t_ns + w->row;
	bool known = false, far = false;

	if (w->row - w->from >= 2 * turn) {
		known = true;
		far |= apart_ns * 2 >=
			((int128)t_ns[-(ptrdiff_t)turn] - t_ns[-2 * (ptrdiff_t)turn]) * 3;
	}
	if (w->to - w->row >= 2 * turn) {
		known = true;
		far |= apart_ns * 2 >= ((int128)t_ns[2 * turn] - t_ns[turn]) * 3;
	}
	return far || !known;
}

/*
 * In the middle, by a quarter of a step, between the rows of the GPU whose place it is;
 * or a step from there, where that one has rows only on one side.
 */
static bool is_due(const struct bad_gpu_ids *ids, const struct window *w, size_t turn)
{
	const int64_t *t_ns = ids->t_ns + w->row;
	int128 off_ns, step_ns;

	if (w->row - w->from < turn) {
		step_ns = (int128)t_ns[2 * turn] - t_ns[turn];
		off_ns = t_ns[turn] - step_ns - t_ns[0];
	} else if (w->to - w->row < turn) {
		step_ns = (int128)t_ns[-(ptrdiff_t)turn] - t_ns[-2 * (ptrdiff_t)turn];
		off_ns = t_ns[-(ptrdiff_t)turn] + step_ns - t_ns[0];
	} else {
		step_ns = (int128)t_ns[turn] - t_ns[-(ptrdiff_t)turn];
		off_ns = 2 * (int128)t_ns[0] - t_ns[turn] - t_ns[-(ptrdiff_t)turn];
		if (!is_missed(ids, w, turn, step_ns))
			return false;
	}
	return step_ns >= 0 && (off_ns < 0 ? -off_ns : off_ns) <= step_ns / 4;
}

static bool is_seen(const struct bad_gpu_ids *ids, uint32_t device)
{
	return device < ids->seen_count && ids->seen[device];
}

/* At an end of the file another recorder may have begun, which a header tells. */
static bool has_header(const struct bad_gpu_ids *ids, const struct window *w, size_t turn)
{
	for (size_t i = w->from + 1; i <= w->to; i++)
		if (ids->header[i] && (i > w->row || w->row - w->from >= turn))
			return true;
	return false;
}

static bool is_new(const struct bad_gpu_ids *ids, size_t row)
{
	for (size_t i = 0; i < ids->view_count; i++)
		if (i != row && ids->device[i] == ids->device[row])
			return false;
	return !is_seen(ids, ids->device[row]);
}

/*
 * One of another GPU may be asked seldom, between the rows of a single one, or instead,
 * which a header tells; and at an end of the file one of the round stands there where the
 * GPU of that place is lost.
 */
static bool is_bad(const struct bad_gpu_ids *ids, size_t row, uint32_t *instead)
{
	for (size_t turn = 1; turn <= BAD_ROUND; turn++) {
		struct window w = window_about(ids, row, turn);
		bool both = row - w.from >= turn && w.to - row >= turn;

		if (!find_place(ids, &w, turn, instead))
			continue;
		if (*instead == ids->device[row] || !is_due(ids, &w, turn))
			return false;
		if (both)
			return turn > 1 ||
				(is_new(ids, row) && !ids->header[row] &&
					!ids->header[row + 1]);
		return turn > 1 && is_new(ids, row) && !has_header(ids, &w, turn);
	}
	return false;
}

static void learn_turn(struct bad_gpu_ids *ids, size_t row)
{
	size_t turn = 1;

	while (turn <= row && turn <= BAD_ROUND &&
		ids->device[row - turn] != ids->device[row])
		turn++;
	ids->turn = turn <= row && turn <= BAD_ROUND ? turn : 0;
}

/* Nearly every row: it has the device of the one a turn before. */
static bool takes_turn(
	const struct bad_gpu_ids *ids, const struct sample_batch *batch, size_t row)
{
	size_t back = ids->turn - row;

	if (!ids->turn)
		return false;
	if (row >= ids->turn)
		return batch->device[row - ids->turn] == batch->device[row];
	return back <= ids->count && ids->before[ids->count - back] == batch->device[row];
}

static bool is_bad_id(struct bad_gpu_ids *ids, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, uint32_t *instead)
{
	if (takes_turn(ids, batch, row))
		return false;
	if (!ids->view_count)
		make_view(ids, ahead, batch);
	if (is_bad(ids, ids->count + row, instead))
		return true;
	learn_turn(ids, ids->count + row);
	return false;
}

bool bad_gpu_id(struct bad_gpu_ids *ids, struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, uint32_t *instead)
{
	uint32_t device = batch->device[row];
	bool bad = is_bad_id(ids, ahead, batch, row, instead);

	if (!bad) {
		ALLOC_AT(ids->seen, device, ids->seen_count, ids->seen_cap);
		ids->seen[device] = true;
	}
	run->device[device].damaged =
		bad && device >= ids->known && !is_seen(ids, device);
	return bad;
}

size_t bad_gpu_ids_take_turns(
	const struct bad_gpu_ids *ids, const struct sample_batch *batch, size_t row)
{
	/* one that was seen is no damaged one any more */
	while (row < batch->rows && is_seen(ids, batch->device[row]) &&
		takes_turn(ids, batch, row))
		row++;
	return row;
}

/* Of so many rows the last ones stay that fit. */
void bad_gpu_ids_end(struct bad_gpu_ids *ids, const struct sample_batch *batch)
{
	size_t room = sizeof ids->before / sizeof ids->before[0];
	size_t add = batch->rows < room ? batch->rows : room;
	size_t keep = ids->count < room - add ? ids->count : room - add;
	size_t gone = ids->count - keep, first = batch->rows - add;

	memmove(ids->before, ids->before + gone, keep * sizeof *ids->before);
	memmove(ids->times_ns, ids->times_ns + gone, keep * sizeof *ids->times_ns);
	memmove(ids->headers, ids->headers + gone, keep);
	memcpy(ids->before + keep, batch->device + first, add * sizeof *ids->before);
	memcpy(ids->times_ns + keep, batch->t_ns + first, add * sizeof *ids->times_ns);
	memcpy(ids->headers + keep, batch->header + first, add);
	ids->count = keep + add;
	ids->view_count = 0;
}
