/*
 * Rows are judged one after the other, each against those let through before it and those
 * behind, for which a batch more is read where need be.
 */
#include "read/stray.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/stray_time.h"

struct stray {
	struct sample_source source;
	struct ahead ahead;
	struct log *log;
	struct stray_times times;
	bool refused; /* the row before was, of this time: */
	int64_t refused_ns;
	uint64_t refused_line;
	bool header; /* stood before a last row that was left out */
};

/* One sample has one time: its other rows go with the first one. */
static bool goes_along(
	const struct stray *stray, const struct sample_batch *batch, size_t row)
{
	return stray->refused && batch->t_ns[row] == stray->refused_ns &&
		(batch->snapshots || batch->line[row] == stray->refused_line);
}

static void refuse(struct stray *stray, const struct sample_batch *batch, size_t row,
	int64_t from_ns)
{
	const struct log *log = stray->log;
	const char *name = log->run->device[batch->device[row]].name;
	int128 away_ns = (int128)batch->t_ns[row] - from_ns;

	stray->refused = true;
	stray->refused_ns = batch->t_ns[row];
	stray->refused_line = batch->line[row];
	log->file->rows--;
	log->file->refused++;
	log_lose(stray->log, batch->line[row], 1);
	diag_add(log->diags, true, "stray-time", log->name, batch->line[row],
		(struct span){NULL, 0},
		"a row of %s whose time is %.3f s %s that of the rows around it; the row "
		"is lost",
		name, number_ratio(away_ns < 0 ? -away_ns : away_ns, NS_PER_S),
		away_ns < 0 ? "before" : "after");
}

static bool passes(struct stray *stray, const struct sample_batch *batch, size_t row)
{
	int64_t from_ns;

	if (goes_along(stray, batch, row))
		return false;
	stray->refused = false;
	if (!stray_time(
		    &stray->times, stray->log->run, &stray->ahead, batch, row, &from_ns))
		return true;
	refuse(stray, batch, row, from_ns);
	return false;
}

static void filter(struct stray *stray, struct sample_batch *batch)
{
	if (stray->header) {
		batch->header[0] = 1;
		stray->header = false;
	}
	for (size_t row = 0; row < batch->rows;) {
		if (passes(stray, batch, row))
			stray_time_pass(&stray->times, batch, row++);
		else
			sample_batch_remove(batch, row, &stray->header);
	}
}

static int stray_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct stray *stray = (struct stray *)source;

	do {
		int got = ahead_next(&stray->ahead, batch, err);

		if (got <= 0)
			return got;
		if (batch->timed)
			filter(stray, batch);
	} while (!batch->rows);
	return 1;
}

static void stray_free(struct sample_source *source)
{
	struct stray *stray = (struct stray *)source;

	ahead_release(&stray->ahead);
	stray_times_release(&stray->times);
	free(stray);
}

struct sample_source *stray_filter(struct sample_source *rows, struct log *log)
{
	struct stray *stray = xcalloc(1, sizeof *stray);

	stray->source = (struct sample_source){stray_next, stray_free};
	stray->log = log;
	ahead_init(&stray->ahead, rows);
	return &stray->source;
}
