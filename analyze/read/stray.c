/*
 * Rows are judged one after the other, each against those let through before it and those
 * behind, for which a batch more is read where need be.
 */
#include "read/stray.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/stray_core.h"
#include "read/stray_count.h"
#include "read/stray_id.h"
#include "read/stray_time.h"

/* The last row that was refused, if the one before was. */
struct refused {
	bool any;
	int64_t t_ns;
	uint64_t line;
};

struct stray {
	struct sample_source source;
	struct ahead ahead;
	struct log *log;
	struct stray_ids ids;
	struct stray_cores cores;
	struct stray_times times;
	struct stray_counts counts;
	struct refused late, wrong; /* of a time that can't be; of a counter */
	bool header; /* stood before a last row that was left out */
};

static const char *name_of(const struct stray *stray, uint32_t device)
{
	return stray->log->run->device[device].name;
}

static bool is_core(
	const struct stray *stray, const struct sample_batch *batch, size_t row)
{
	return device_is_core(&stray->log->run->device[batch->device[row]]);
}

/* A snapshot counts as one row, as that of all CPUs together. */
static void lose(struct stray *stray, const struct sample_batch *batch, size_t row)
{
	stray->log->file->rows -= !is_core(stray, batch, row);
	stray->log->file->refused++;
	log_lose(stray->log, batch->line[row], 1);
}

/* One sample has one time: its other rows go with the first one. */
static bool goes_along(
	const struct refused *refused, const struct sample_batch *batch, size_t row)
{
	return refused->any && batch->t_ns[row] == refused->t_ns &&
		(batch->snapshots || batch->line[row] == refused->line);
}

static bool time_passes(struct stray *stray, const struct sample_batch *batch, size_t row)
{
	const struct log *log = stray->log;
	int64_t from_ns;
	int128 away_ns;

	if (goes_along(&stray->late, batch, row))
		return false;
	stray->late = (struct refused){
		stray_time(&stray->times, log->run, &stray->ahead, batch, row, &from_ns),
		batch->t_ns[row], batch->line[row]};
	if (!stray->late.any)
		return true;
	lose(stray, batch, row);
	away_ns = (int128)batch->t_ns[row] - from_ns;
	diag_add(log->diags, true, "stray-time", log->name, batch->line[row],
		(struct span){NULL, 0},
		"a row of %s whose time is %.3f s %s that of the rows around it; the row "
		"is lost",
		name_of(stray, batch->device[row]),
		number_ratio(away_ns < 0 ? -away_ns : away_ns, NS_PER_S),
		away_ns < 0 ? "before" : "after");
	return false;
}

static bool id_passes(struct stray *stray, const struct sample_batch *batch, size_t row)
{
	const struct log *log = stray->log;
	uint32_t instead;

	if (!stray_id(&stray->ids, log->run, &stray->ahead, batch, row, &instead))
		return true;
	lose(stray, batch, row);
	diag_add(log->diags, true, "stray-id", log->name, batch->line[row],
		(struct span){NULL, 0},
		"a row of %s where every round around it has one of %s; the row is lost",
		name_of(stray, batch->device[row]), name_of(stray, instead));
	return false;
}

static void say_count(struct stray *stray, const struct sample_batch *batch, size_t row,
	const struct stray_count *count)
{
	const struct log *log = stray->log;
	const struct metric *m = metric_get(count->metric);
	const char *lost =
		m->kind == KIND_TICKS ? "the row is lost" : "the value is not used";
	bool between = count->before >= 0 && count->behind >= 0;
	double value = number_ratio(count->value, m->per_unit);
	double before = number_ratio(count->before, m->per_unit);
	double behind = number_ratio(count->behind, m->per_unit);

	if (between)
		diag_add(log->diags, true, "stray-value", log->name, batch->line[row],
			span_of(m->name),
			"%s of %s is %.15g between %.15g and %.15g, where no counter "
			"goes; %s",
			m->name, name_of(stray, batch->device[row]), value, before,
			behind, lost);
	else
		diag_add(log->diags, true, "stray-value", log->name, batch->line[row],
			span_of(m->name),
			"%s of %s is %.15g beside %.15g, more than the time between "
			"allows; %s",
			m->name, name_of(stray, batch->device[row]), value,
			count->before >= 0 ? before : behind, lost);
}

/* Shares are of all ticks of a row: it goes as a whole, and with a snapshot's first row
 * the others. */
static bool counts_pass(struct stray *stray, struct sample_batch *batch, size_t row)
{
	struct stray_count count;
	size_t slot = 0;

	if (goes_along(&stray->wrong, batch, row) &&
		(batch->timed || is_core(stray, batch, row)))
		return false;
	stray->wrong.any = false;
	while (stray_count_next(
		&stray->counts, &stray->ahead, batch, row, &slot, &count)) {
		say_count(stray, batch, row, &count);
		if (metric_get(count.metric)->kind == KIND_TICKS) {
			lose(stray, batch, row);
			stray->wrong = (struct refused){!is_core(stray, batch, row),
				batch->t_ns[row], batch->line[row]};
			return false;
		}
		batch->column[count.column].presence[row] = PRESENCE_MISSING;
		batch->column[count.column].value[row] = 0;
	}
	stray_count_pass(&stray->counts, batch, row);
	return true;
}

/* Takes the rows out for which keep says so. */
static void leave_out(struct stray *stray, struct sample_batch *batch, const bool *keep)
{
	for (size_t row = batch->rows; row-- > 0;)
		if (!keep[row])
			sample_batch_remove(batch, row, &stray->header);
}

/* In whole snapshots alone a CPU that is not there is away. */
static void judge_cores(struct stray *stray, struct sample_batch *batch)
{
	const struct log *log = stray->log;
	bool keep[SAMPLE_BATCH_ROWS];

	memset(keep, true, sizeof keep);
	for (size_t i = 0; i < batch->rows; i++) {
		uint32_t instead;
		size_t row = i;

		if (is_core(stray, batch, i) ||
			!stray_core(&stray->cores, log->run, &stray->ahead, batch, &row,
				&instead))
			continue;
		keep[row] = false;
		lose(stray, batch, row);
		diag_add(log->diags, true, "stray-id", log->name, batch->line[row],
			(struct span){NULL, 0},
			"a line of %s in the place of %s, where the snapshots beside it "
			"have only that one; it is lost",
			name_of(stray, batch->device[row]), name_of(stray, instead));
	}
	leave_out(stray, batch, keep);
}

static void judge_ids(struct stray *stray, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];
	size_t row = 0;

	if (batch->source == SOURCE_PROC_STAT)
		judge_cores(stray, batch);
	if (stray->log->run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	memset(keep, true, sizeof keep);
	while ((row = stray_ids_take_turns(&stray->ids, batch, row)) < batch->rows) {
		keep[row] = id_passes(stray, batch, row);
		row++;
	}
	stray_ids_end(&stray->ids, batch);
	leave_out(stray, batch, keep);
}

static void judge_times(struct stray *stray, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];

	if (!batch->timed)
		return;
	memset(keep, true, sizeof keep);
	for (size_t row = 0; row < batch->rows; row++) {
		if (!stray->late.any)
			row = stray_times_go_on(&stray->times, batch, row);
		if (row == batch->rows)
			break;
		keep[row] = time_passes(stray, batch, row);
		if (keep[row])
			stray_time_pass(&stray->times, batch, row);
	}
	leave_out(stray, batch, keep);
}

static void judge_counts(struct stray *stray, struct sample_batch *batch)
{
	bool keep[SAMPLE_BATCH_ROWS];

	if (!stray_counts_begin(&stray->counts, batch))
		return;
	for (size_t row = 0; row < batch->rows; row++)
		keep[row] = counts_pass(stray, batch, row);
	leave_out(stray, batch, keep);
}

static int stray_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct stray *stray = (struct stray *)source;

	do {
		int got = ahead_next(&stray->ahead, batch, err);

		if (got <= 0)
			return got;
		if (stray->header)
			batch->header[0] = 1;
		stray->header = false;
		judge_ids(stray, batch);
		judge_times(stray, batch);
		judge_counts(stray, batch);
	} while (!batch->rows);
	return 1;
}

static void stray_free(struct sample_source *source)
{
	struct stray *stray = (struct stray *)source;

	ahead_release(&stray->ahead);
	stray_ids_release(&stray->ids);
	stray_cores_release(&stray->cores);
	stray_times_release(&stray->times);
	stray_counts_release(&stray->counts);
	free(stray);
}

struct sample_source *stray_filter(struct sample_source *rows, struct log *log)
{
	struct stray *stray = xcalloc(1, sizeof *stray);

	stray->source = (struct sample_source){stray_next, stray_free};
	stray->log = log;
	stray->ids.known = stray->cores.known = log->run->device_count;
	ahead_init(&stray->ahead, rows);
	return &stray->source;
}
