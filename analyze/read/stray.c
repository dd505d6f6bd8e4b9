/*
 * A row is judged once the next one of its device is known, for which a batch more is
 * read where need be.
 */
#include "read/stray.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

/* No clock is that far off by chance. */
#define STRAY_LEAST_NS (10 * NS_PER_S)

/* The rows of one device that were let through. */
struct course_of_rows {
	int64_t last_ns;
	int64_t step_ns; /* from the one before; 0: there was none */
	bool seen;
};

struct stray {
	struct sample_source source;
	struct sample_source *rows; /* owned */
	struct log *log;
	struct sample_batch ahead; /* what was read too early; no rows: nothing */
	int got; /* what the source said then: 0: the end, -1: err is set */
	struct error err;
	bool header; /* stood before a last row that was left out */
	struct course_of_rows *device; /* [device_count] owned */
	size_t device_count, device_cap;
};

static struct course_of_rows *course_of(struct stray *stray, uint32_t device)
{
	ALLOC_GROW(stray->device, (size_t)device + 1, stray->device_cap);
	while (stray->device_count <= device)
		stray->device[stray->device_count++] =
			(struct course_of_rows){.seen = false};
	return &stray->device[device];
}

/* The next row of a device in a batch from a row on; rows: none. */
static size_t find_next(const struct sample_batch *batch, size_t row, uint32_t device)
{
	while (row < batch->rows && batch->device[row] != device)
		row++;
	return row;
}

/*
 * The time of the next row of its device, in its batch or the one behind; where the file
 * ends with these, and has none, that of the next row of any. False: not known.
 */
static bool next_time(struct stray *stray, const struct sample_batch *batch, size_t row,
	int64_t *t_ns, bool *own)
{
	const struct sample_batch *ahead = &stray->ahead;
	size_t next = find_next(batch, row + 1, batch->device[row]), behind;

	*own = true;
	if (next < batch->rows) {
		*t_ns = batch->t_ns[next];
		return true;
	}
	if (!ahead->rows && stray->got > 0)
		stray->got = sample_source_next(stray->rows, &stray->ahead, &stray->err);
	behind = find_next(ahead, 0, batch->device[row]);
	if (behind < ahead->rows && ahead->timed)
		*t_ns = ahead->t_ns[behind];
	else if (stray->got > 0)
		return false;
	else if (row + 1 == batch->rows)
		return false;
	else
		*t_ns = batch->t_ns[row + 1];
	*own = behind < ahead->rows;
	return true;
}

/*
 * Far from the row before; the one behind goes on where that one stood, and a step is
 * missing between the two: a row that only comes late leaves no hole where it stands.
 * Another device's row behind it need but be of the same round.
 */
static bool is_stray(struct stray *stray, const struct sample_batch *batch, size_t row,
	const struct course_of_rows *course)
{
	int64_t t_ns = batch->t_ns[row], next_ns;
	int128 step_ns, away_ns;
	bool own;

	away_ns = (int128)t_ns - course->last_ns;
	if ((away_ns < 0 ? -away_ns : away_ns) <= STRAY_LEAST_NS ||
		!next_time(stray, batch, row, &next_ns, &own))
		return false;
	step_ns = (int128)next_ns - course->last_ns;
	away_ns = t_ns < course->last_ns ? (int128)course->last_ns - t_ns
					 : (int128)t_ns - next_ns;
	return 2 * step_ns > (own ? 3 : 1) * (int128)course->step_ns &&
		away_ns > STRAY_LEAST_NS && away_ns > 10 * step_ns;
}

static void refuse(struct stray *stray, const struct sample_batch *batch, size_t row,
	int64_t last_ns)
{
	const struct log *log = stray->log;
	const char *name = log->run->device[batch->device[row]].name;
	int128 away_ns = (int128)batch->t_ns[row] - last_ns;

	log->file->rows--;
	log->file->refused++;
	log_lose(stray->log, batch->line[row], 1);
	diag_add(log->diags, true, "stray-time", log->name, batch->line[row],
		(struct span){NULL, 0},
		"a row of %s whose time is %.3f s %s that of the row before, while the "
		"one "
		"behind it goes on from there; the row is lost",
		name, number_ratio(away_ns < 0 ? -away_ns : away_ns, NS_PER_S),
		away_ns < 0 ? "before" : "after");
}

static void filter(struct stray *stray, struct sample_batch *batch)
{
	if (stray->header) {
		batch->header[0] = 1;
		stray->header = false;
	}
	for (size_t row = 0; row < batch->rows;) {
		struct course_of_rows *course = course_of(stray, batch->device[row]);
		int64_t t_ns = batch->t_ns[row];

		if (course->step_ns > 0 && is_stray(stray, batch, row, course)) {
			refuse(stray, batch, row, course->last_ns);
			sample_batch_remove(batch, row, &stray->header);
			continue;
		}
		course->step_ns = course->seen ? t_ns - course->last_ns : 0;
		course->last_ns = t_ns;
		course->seen = true;
		row++;
	}
}

static void swap(struct sample_batch *a, struct sample_batch *b)
{
	struct sample_batch c = *a;

	*a = *b;
	*b = c;
}

static int stray_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct stray *stray = (struct stray *)source;

	do {
		sample_batch_clear(batch);
		if (stray->ahead.rows) {
			swap(batch, &stray->ahead);
		} else if (stray->got > 0) {
			stray->got = sample_source_next(stray->rows, batch, &stray->err);
		}
		if (stray->got < 0)
			*err = stray->err;
		if (!batch->rows || stray->got < 0)
			return stray->got;
		if (batch->timed)
			filter(stray, batch);
	} while (!batch->rows);
	return 1;
}

static void stray_free(struct sample_source *source)
{
	struct stray *stray = (struct stray *)source;

	sample_source_free(stray->rows);
	sample_batch_release(&stray->ahead);
	free(stray->device);
	free(stray);
}

struct sample_source *stray_filter(struct sample_source *rows, struct log *log)
{
	struct stray *stray = xcalloc(1, sizeof *stray);

	stray->source = (struct sample_source){stray_next, stray_free};
	stray->rows = rows;
	stray->log = log;
	stray->got = 1;
	sample_batch_init(&stray->ahead);
	return &stray->source;
}
