/*
 * Follows each metric of each device from row to row. Of values nothing is kept but
 * when the last one was, so that a run of any length takes the same memory.
 */
#include "compute/inspect/chronicle.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/soundness.h"

struct chronicle_state { /* zeroed: none holds */
	bool open;
	int64_t value, from_ns, last_ns;
};

/*
 * States (words, bit masks) as stretches of time: a state lasts until the next row,
 * but not over a gap. README.md, "States".
 */

static void add_part(struct strbuf *sb, const char *name)
{
	strbuf_addf(sb, "%s%s", sb->len ? ", " : "", name);
}

/* The bits of a mask by name; those without one together as a number. */
static void print_flags(struct strbuf *sb, enum metric_id metric, int64_t mask)
{
	uint64_t nameless = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value = UINT64_C(1) << bit;
		const char *name = metric_flag_name(metric, bit);

		if (!((uint64_t)mask & value))
			continue;
		if (name)
			add_part(sb, name);
		else
			nameless |= value;
	}
	if (nameless)
		strbuf_addf(sb, "%s0x%llx", sb->len ? ", " : "",
			(unsigned long long)nameless);
	if (!sb->len)
		strbuf_adds(sb, "none");
}

static void tell(const struct chronicle_state *state, int64_t to_ns,
	const struct run *run, const struct chronicle_of *of,
	struct chronicle_taker *taker)
{
	const char *word;
	struct strbuf sb;

	if (metric_is_text(of->metric)) {
		word = texts_word(&run->texts, state->value);
		taker->state(taker, of, state->from_ns, to_ns, word ? word : "?");
		return;
	}
	strbuf_init(&sb);
	print_flags(&sb, of->metric, state->value);
	taker->state(taker, of, state->from_ns, to_ns, sb.text);
	strbuf_release(&sb);
}

/* No row comes behind: what holds ends with its last one. */
static void chronicle_state_end(struct chronicle_state *state, const struct run *run,
	const struct chronicle_of *of, struct chronicle_taker *taker)
{
	if (state->open)
		tell(state, state->last_ns, run, of, taker);
	state->open = false;
}

/* A row of its segment, with a value or NULL: tells the taker of a state that has ended.
 * A step longer than limit_ns is a gap. */
static void chronicle_state_take(struct chronicle_state *state, int64_t t_ns,
	const int64_t *value, int64_t limit_ns, const struct run *run,
	const struct chronicle_of *of, struct chronicle_taker *taker)
{
	bool goes_on = value && state->open && *value == state->value;

	if (state->open && (int128)t_ns - state->last_ns > limit_ns) {
		chronicle_state_end(state, run, of, taker);
		goes_on = false;
	}
	if (state->open && !goes_on)
		tell(state, t_ns, run, of, taker);
	if (!goes_on && value) {
		state->value = *value;
		state->from_ns = t_ns;
	}
	state->open = value != NULL;
	state->last_ns = t_ns;
}

/* A metric of a device. */
struct cell {
	bool looked_at, drawn; /* drawn: if it was */
	bool known; /* it had a value in this segment */
	int64_t last_ns;
	struct chronicle_state state; /* of a state */
	uint32_t mark, silence_mark;
};

/* A device in a kind of log. */
struct followed {
	bool looked_at, drawn;
	int64_t limit_ns; /* a longer step is a gap; INT64_MAX: none can be told */
	int64_t interval_ns; /* -1: not known */
	int64_t first_ns; /* of its rows the earliest that answers; TIME_NONE */
	int64_t row_ns; /* of the last row; TIME_NONE: there was none */
	int32_t segment;
	bool known; /* a row of this segment said something */
	int64_t last_ns; /* ... the last one that did */
	int64_t latest_ns; /* of any segment; TIME_NONE: none did */
	struct shares *shares; /* NULL: no ticks */
	uint32_t share_mark[SHARE_COUNT], silence_mark;
};

struct chronicle {
	const struct report *report;
	const struct compute_window *window;
	struct chronicle_taker *taker;
	struct masked_batch in_range;
	uint64_t left_out;
	/* of the kind of log that is being added */
	enum source_kind source;
	struct followed *device; /* [devices]; NULL: none is */
	struct cell *cell[METRIC_COUNT]; /* [devices]; NULL: no such column */
	size_t devices;
	/* of the last row, and of the last at another time; TIME_NONE */
	int64_t snapshot_ns, before_ns;
	uint32_t share_of; /* the device whose shares are being told */
};

struct chronicle *chronicle_new(const struct report *report,
	const struct compute_window *window, struct chronicle_taker *taker)
{
	struct chronicle *t = xcalloc(1, sizeof *t);

	t->report = report;
	t->window = window;
	t->taker = taker;
	t->devices = report->run->device_count;
	t->snapshot_ns = t->before_ns = TIME_NONE;
	return t;
}

static void forget_source(struct chronicle *t)
{
	for (size_t i = 0; t->device && i < t->devices; i++)
		if (t->device[i].shares) {
			shares_release(t->device[i].shares);
			free(t->device[i].shares);
		}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		free(t->cell[id]);
		t->cell[id] = NULL;
	}
	free(t->device);
	t->device = NULL;
	t->snapshot_ns = t->before_ns = TIME_NONE;
}

void chronicle_free(struct chronicle *t)
{
	if (!t)
		return;
	forget_source(t);
	masked_batch_release(&t->in_range);
	free(t);
}

uint64_t chronicle_left_out(const struct chronicle *t)
{
	return t->left_out;
}

static struct followed *follow(struct chronicle *t, uint32_t index)
{
	const struct device_evidence *e =
		evidence_find(&t->report->evidence, t->source, index);
	struct followed *device;

	if (!t->device)
		t->device = xcalloc(t->devices, sizeof *t->device);
	device = &t->device[index];
	if (device->looked_at)
		return device;
	device->looked_at = true;
	device->row_ns = device->latest_ns = TIME_NONE;
	device->drawn = t->report->run->device[index].kind != DEVICE_NONE &&
		report_wants_device(t->report, index);
	device->limit_ns = e && !isnan(e->gap_limit_s) ? evidence_limit_ns(e) : INT64_MAX;
	device->first_ns = e ? e->first_ns : TIME_NONE;
	device->interval_ns =
		e && e->interval_s > 0 ? number_quanta(e->interval_s, NS_PER_S) : -1;
	return device;
}

/* A word that never changes says as much in the report; one that is good or bad is
 * worth a track all the same. */
static bool is_worth_drawing(
	const struct chronicle *t, uint32_t device, enum metric_id id)
{
	const struct metric_stats *stats;

	if (!metric_is_state(id) || metric_is_judged(id))
		return true;
	stats = metric_stats_of(
		t->report->stats, t->report->stats_count, t->source, device, id);
	return stats && stats->state_count > 1;
}

static struct cell *cell_of(struct chronicle *t, uint32_t device, enum metric_id id)
{
	struct cell *cell;

	if (!t->cell[id])
		t->cell[id] = xcalloc(t->devices, sizeof *t->cell[id]);
	cell = &t->cell[id][device];
	if (!cell->looked_at) {
		cell->looked_at = true;
		cell->drawn = t->device[device].drawn &&
			report_wants_metric(t->report, id) &&
			is_worth_drawing(t, device, id);
	}
	return cell;
}

static void tell_silence(struct chronicle *t, uint32_t device, enum metric_id metric,
	uint32_t *mark, int64_t from_ns, int64_t to_ns)
{
	const struct chronicle_of of = {t->source, device, metric, mark};

	t->taker->silence(t->taker, &of, from_ns, to_ns);
}

static bool is_beyond(int64_t from_ns, int64_t to_ns, int64_t limit_ns)
{
	return (int128)to_ns - from_ns > limit_ns;
}

/* What a log says of time begins anew: behind a step back, nothing of before holds. */
static void leave_segment(struct chronicle *t, uint32_t index)
{
	struct followed *device = &t->device[index];

	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		struct cell *cell = t->cell[id] ? &t->cell[id][index] : NULL;
		const struct chronicle_of of = {
			t->source, index, id, cell ? &cell->mark : NULL};

		if (!cell)
			continue;
		chronicle_state_end(&cell->state, t->report->run, &of, t->taker);
		if (metric_is_state(id))
			cell->mark = 0;
		cell->silence_mark = 0;
		cell->known = false;
	}
	device->silence_mark = 0;
	device->known = false;
}

/*
 * Where a value holds from: one of an instant from then on. An average is of the time
 * before it, as long as since the value before, or else the interval.
 */
static int64_t holds_from(const struct chronicle *t, const struct followed *device,
	const struct cell *cell, enum metric_id id, int64_t t_ns)
{
	int64_t from_ns = t_ns;

	if (metric_get(id)->kind != KIND_SHARE)
		return t_ns;
	if (cell->known && !is_beyond(cell->last_ns, t_ns, device->limit_ns))
		return cell->last_ns;
	if (device->interval_ns > 0 && t_ns >= INT64_MIN + device->interval_ns)
		from_ns = t_ns - device->interval_ns;
	if (cell->known && from_ns < cell->last_ns)
		from_ns = cell->last_ns;
	if (t->report->started_ns != TIME_NONE && from_ns < t->report->started_ns)
		from_ns = t_ns < t->report->started_ns ? t_ns : t->report->started_ns;
	return from_ns;
}

/* prev_ns: of the last row that said something, if one did. */
static void take_number(struct chronicle *t, uint32_t index, enum metric_id id,
	int64_t t_ns, int64_t value, bool had_row, int64_t prev_ns)
{
	const struct followed *device = &t->device[index];
	struct cell *cell = &t->cell[id][index];
	const struct chronicle_of of = {t->source, index, id, &cell->mark};

	/* Where the device was silent as a whole, that has been told. */
	if (cell->known && had_row && cell->last_ns < prev_ns &&
		is_beyond(cell->last_ns, t_ns, device->limit_ns))
		tell_silence(t, index, id, &cell->silence_mark, cell->last_ns, t_ns);
	t->taker->value(t->taker, &of, holds_from(t, device, cell, id, t_ns),
		number_ratio(value, metric_get(id)->per_unit));
	cell->last_ns = t_ns;
	cell->known = true;
}

/* One of the windows that shares of ticks are of. */
static void take_share(void *context, const struct share_window *window)
{
	struct chronicle *t = context;
	struct followed *device = &t->device[t->share_of];
	const struct chronicle_of of = {
		t->source, t->share_of, window->metric, &device->share_mark[window->nth]};

	if (report_wants_metric(t->report, window->metric))
		t->taker->value(t->taker, &of, window->from_ns, window->value);
}

static void take_ticks(struct chronicle *t, const struct sample_batch *batch, size_t row,
	int64_t t_ns, int64_t prev_row_ns)
{
	uint32_t index = batch->device[row];
	struct followed *device = &t->device[index];
	int64_t ticks[TICK_COUNT];
	bool matched;

	if (!device->drawn || !ticks_of_row(batch, row, ticks))
		return;
	if (!device->shares) {
		device->shares = xcalloc(1, sizeof *device->shares);
		shares_init(device->shares, -1);
		shares_tell(device->shares, take_share, t);
	}
	/* A CPU that the snapshot before did not have was unplugged in between. */
	matched = !device_is_core(&t->report->run->device[index]) ||
		prev_row_ns == TIME_NONE || prev_row_ns == t_ns ||
		prev_row_ns == t->before_ns;
	t->share_of = index;
	shares_add(device->shares, t_ns, batch->segment[row], ticks, matched);
}

static void take_columns(struct chronicle *t, const struct sample_batch *batch,
	size_t row, int64_t t_ns, bool had_row, int64_t prev_ns)
{
	uint32_t index = batch->device[row];

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		bool has_value = column->presence[row] == PRESENCE_VALUE;
		struct chronicle_of of = {t->source, index, column->metric, NULL};
		struct cell *cell;

		if (column->presence[row] == PRESENCE_ABSENT ||
			metric_get(column->metric)->kind == KIND_TICKS)
			continue;
		cell = cell_of(t, index, column->metric);
		of.mark = &cell->mark;
		if (cell->drawn && metric_is_state(column->metric))
			chronicle_state_take(&cell->state, t_ns,
				has_value ? &column->value[row] : NULL,
				t->device[index].limit_ns, t->report->run, &of, t->taker);
		else if (cell->drawn && has_value)
			take_number(t, index, column->metric, t_ns, column->value[row],
				had_row, prev_ns);
	}
}

static bool says_something(const struct sample_batch *batch, size_t row)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].presence[row] == PRESENCE_VALUE)
			return true;
	return false;
}

static void note_snapshot(struct chronicle *t, int64_t t_ns)
{
	if (t->snapshot_ns != t_ns)
		t->before_ns = t->snapshot_ns;
	t->snapshot_ns = t_ns;
}

/* Nothing comes before the first values of a device, from the run's start on. */
static void begin_device(struct chronicle *t, uint32_t index, int64_t t_ns)
{
	struct followed *device = &t->device[index];
	int64_t start_ns = t->report->started_ns;
	bool known = start_ns != TIME_NONE &&
		t_ns <= device->first_ns; /* what comes behind a step back may lie before
					   */

	if (known && is_beyond(start_ns, t_ns, device->limit_ns))
		tell_silence(
			t, index, METRIC_none, &device->silence_mark, start_ns, t_ns);
}

static void add_row(struct chronicle *t, const struct sample_batch *batch, size_t row)
{
	uint32_t index = batch->device[row];
	struct followed *device = follow(t, index);
	bool had_any;
	int64_t t_ns = batch->t_ns[row], prev_row_ns, prev_ns;

	if (!window_has(t->window, t_ns))
		return;
	note_snapshot(t, t_ns);
	prev_row_ns = device->row_ns;
	if (prev_row_ns != TIME_NONE && device->segment != batch->segment[row])
		leave_segment(t, index);
	had_any = device->known;
	prev_ns = device->last_ns;
	device->row_ns = t_ns;
	device->segment = batch->segment[row];
	if (device->drawn && says_something(batch, row)) {
		if (had_any && is_beyond(prev_ns, t_ns, device->limit_ns))
			tell_silence(t, index, METRIC_none, &device->silence_mark,
				prev_ns, t_ns);
		if (device->latest_ns == TIME_NONE)
			begin_device(t, index, t_ns);
		device->known = true;
		device->last_ns = t_ns;
		device->latest_ns = time_later(device->latest_ns, t_ns);
	}
	take_columns(t, batch, row, t_ns, had_any, prev_ns);
	take_ticks(t, batch, row, t_ns, prev_row_ns);
}

void chronicle_add(struct chronicle *t, const struct sample_batch *batch)
{
	const struct sample_batch *sound = impossible_in_range(&t->in_range, batch);

	t->source = batch->source;
	if (!batch->timed) {
		t->left_out += batch->rows;
		return;
	}
	for (size_t row = 0; row < batch->rows; row++)
		add_row(t, sound, row);
}

/* Nothing comes behind the last values of a device, up to the run's end. */
static void end_device(struct chronicle *t, uint32_t index)
{
	struct followed *device = &t->device[index];
	int64_t end_ns = t->report->ended_ns, last_ns = device->last_ns;
	bool known = device->known && end_ns != TIME_NONE &&
		last_ns == device->latest_ns; /* what came before a step back may lie
						 behind */

	if (known && is_beyond(last_ns, end_ns, device->limit_ns))
		tell_silence(
			t, index, METRIC_none, &device->silence_mark, last_ns, end_ns);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		struct cell *cell = t->cell[id] ? &t->cell[id][index] : NULL;

		if (cell && known && cell->known && cell->last_ns < last_ns &&
			is_beyond(cell->last_ns, end_ns, device->limit_ns))
			tell_silence(
				t, index, id, &cell->silence_mark, cell->last_ns, end_ns);
	}
	leave_segment(t, index);
	if (!device->shares)
		return;
	t->share_of = index;
	shares_finish(device->shares);
}

void chronicle_end_source(struct chronicle *t)
{
	for (uint32_t i = 0; t->device && i < t->devices; i++)
		if (t->device[i].looked_at)
			end_device(t, i);
	forget_source(t);
}
