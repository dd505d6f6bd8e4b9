/*
 * The pass over the samples: finds the state of a row's device and hands the values on.
 * Knows no formula; those stand in gauge.c, counter.c, states.c, share.c, track.c,
 * evidence.c and summary.c.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/reply.h"

/* Rows of the processes on a GPU that are further apart are of two looks at it. */
#define LOOK_NS (NS_PER_S / 20)

static void aggregate_begin(struct aggregate *agg, const struct run *run,
	const struct compute_options *options)
{
	*agg = (struct aggregate){
		.run = run, .options = *options, .short_ns = GAP_LIMIT_MIN_NS};
	if (options->rules)
		watch_list_init(&agg->watches, options->rules);
	if (options->gap_ns >= 0 && options->gap_ns < agg->short_ns)
		agg->short_ns = options->gap_ns;
}

struct aggregate *aggregate_new(
	const struct run *run, const struct compute_options *options)
{
	struct aggregate *agg = xmalloc(sizeof *agg);

	aggregate_begin(agg, run, options);
	return agg;
}

static void device_state_free(const struct aggregate *agg, struct device_state *device)
{
	if (!device)
		return;
	for (size_t i = 0; device->watch && i < agg->watches.count; i++)
		watch_release(&device->watch[i]);
	free(device->watch);
	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		series_free(device->series[i]);
	if (device->shares)
		shares_release(device->shares);
	free(device->shares);
	phase_cells_release(&device->in_phases);
	phase_cells_release(&device->in_calls);
	phase_cells_release(&device->in_work);
	phase_cells_release(&device->in_waits);
	phase_ticks_release(&device->ticks_in_waits);
	phase_ticks_release(&device->ticks_in_phases);
	track_release(&device->track);
	free(device);
}

void aggregate_reset(struct aggregate *agg, enum source_kind kind)
{
	struct source_state *source = &agg->source[kind];

	for (size_t i = 0; i < source->device_count; i++)
		device_state_free(agg, source->device[i]);
	track_release(&source->rows);
	free(source->device);
	free(source->elsewhere);
	free(source->session);
	free(source->order);
	free(source->held);
	*source = (struct source_state){0};
	impossible_forget(&agg->impossible, kind);
}

static void aggregate_end(struct aggregate *agg)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		aggregate_reset(agg, kind);
	phase_map_free(agg->phases);
	phase_map_free(agg->calls);
	if (agg->meanwhile)
		meanwhile_release(agg->meanwhile);
	free(agg->meanwhile);
	if (agg->work)
		work_release(agg->work);
	free(agg->work);
	watch_list_release(&agg->watches);
	impossible_release(&agg->impossible);
	free(agg->segment);
}

void aggregate_free(struct aggregate *agg)
{
	if (agg)
		aggregate_end(agg);
	free(agg);
}

void aggregate_restart(struct aggregate *agg)
{
	const struct run *run = agg->run;
	struct compute_options options = agg->options;

	aggregate_end(agg);
	aggregate_begin(agg, run, &options);
}

struct phase_rules aggregate_phase_rules(const struct aggregate *agg)
{
	bool tracker = agg->options.dialect.dialect == DIALECT_GPU_TRACKER;

	return (struct phase_rules){.flat = tracker,
		.closed = tracker,
		.finished = tracker,
		.outside = !tracker,
		.sets = true,
		.window = agg->options.window.set ? &agg->options.window : NULL};
}

const size_t *aggregate_lost_ends(const struct aggregate *agg, size_t *count)
{
	const struct calls *calls =
		agg->phases ? &phase_map_tree(agg->phases)->calls : NULL;

	*count = calls ? calls->lost_ends : 0;
	return calls ? calls->lost_end : NULL;
}

struct phase_map *aggregate_phases(struct aggregate *agg)
{
	struct phase_rules rules = aggregate_phase_rules(agg);

	if (!agg->phases)
		agg->phases = phase_map_new(agg->run, &rules);
	if (!agg->calls && agg->options.calls) {
		rules.single = true;
		rules.flat = rules.outside = rules.sets = false;
		agg->calls = phase_map_new(agg->run, &rules);
	}
	return agg->phases;
}

struct meanwhile *aggregate_meanwhile(struct aggregate *agg)
{
	if (!agg->meanwhile) {
		agg->meanwhile = xcalloc(1, sizeof *agg->meanwhile);
		if (agg->options.rules)
			meanwhile_find(agg->meanwhile, agg);
	}
	return agg->meanwhile;
}

struct work_kinds *aggregate_work(struct aggregate *agg)
{
	if (!agg->work) {
		agg->work = xcalloc(1, sizeof *agg->work);
		work_find(agg->work, agg->run,
			agg->options.window.set ? &agg->options.window : NULL);
	}
	return agg->work;
}

static struct device_state *device_of(
	struct aggregate *agg, enum source_kind kind, uint32_t index)
{
	struct source_state *source = &agg->source[kind];

	if (index >= source->device_count) {
		ALLOC_GROW(source->device, (size_t)index + 1, source->device_cap);
		while (source->device_count <= index)
			source->device[source->device_count++] = NULL;
	}
	if (!source->device[index]) {
		source->device[index] = xcalloc(1, sizeof **source->device);
		track_init(&source->device[index]->track,
			run_interval_ns(agg->run, kind) <= 0 &&
				(agg->options.per_core ||
					!device_is_core(&agg->run->device[index])));
		if (agg->watches.count && agg->run->device[index].kind == DEVICE_GPU)
			source->device[index]->track.keeps = GAPS_KEPT;
		if (index < source->elsewhere_count)
			track_expect(
				&source->device[index]->track, source->elsewhere[index]);
	}
	return source->device[index];
}

/*
 * Single CPUs follow the row of all together and say nothing of the source: the database
 * need not have them, and must give the same numbers.
 */
static struct device_state *add_row(
	struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	struct device_state *device = device_of(agg, batch->source, batch->device[row]);

	if (!device_is_core(&agg->run->device[batch->device[row]]))
		source_note_row(agg->run, &agg->source[batch->source], device, batch, row,
			agg->short_ns);
	device->track.timed = batch->timed;
	return device;
}

static void add_to_total(struct tick_total *total, int64_t t_ns, int64_t value)
{
	total->sum += value;
	if (!total->has_peak || total->sum > total->peak) {
		total->peak = total->sum;
		total->peak_ns = t_ns;
		total->peak_from_ns = total->from_ns;
		total->peak_segment = total->segment;
	}
	total->has_peak = true;
}

/*
 * The memory of a process, of all on its GPU in this tick: rows of one look at a GPU have
 * one time, give or take, and a process that takes another's place comes later.
 */
static void add_held(struct source_state *source, const struct device *process,
	int64_t t_ns, int64_t value)
{
	size_t gpu = (size_t)process->parent;
	struct process_sum *held;

	ALLOC_GROW(source->held, gpu + 1, source->held_cap);
	while (source->held_count <= gpu)
		source->held[source->held_count++] = (struct process_sum){0};
	held = &source->held[gpu];
	if (held->tick != source->tick || (int128)t_ns - held->prev_ns > LOOK_NS)
		held->total.sum = 0;
	held->tick = source->tick;
	held->prev_ns = t_ns;
	add_to_total(&held->total, t_ns, value);
}

/* in, waits: their map is NULL if they are not asked. */
static void add_ticks(struct aggregate *agg, const struct sample_batch *batch, size_t row,
	struct device_state *device, const struct phase_row *in,
	const struct phase_row *waits)
{
	const struct source_state *source = &agg->source[batch->source];
	int64_t ticks[TICK_COUNT], t_ns = batch->t_ns[row];
	int64_t before_ns = source->snapshot_before_ns, prev_ns = device->track.prev_ns;
	bool matched, any = false;

	if (!batch->timed) {
		t_ns = (int64_t)source->tick * UNTIMED_STEP_NS;
		before_ns = t_ns - UNTIMED_STEP_NS;
		prev_ns = device->shares ? device->shares->prev_ns : before_ns;
	}
	/* A CPU that the snapshot before did not have was unplugged in between. */
	matched = !device_is_core(&agg->run->device[batch->device[row]]) ||
		device->track.rows == 0 || prev_ns == t_ns || prev_ns == before_ns;

	for (int i = 0; i < TICK_COUNT; i++)
		ticks[i] = -1;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (column->metric < METRIC_cpu_user_ticks ||
			column->metric > METRIC_cpu_guest_nice_ticks ||
			column->presence[row] != PRESENCE_VALUE)
			continue;
		ticks[column->metric - METRIC_cpu_user_ticks] = column->value[row];
		any = true;
	}
	if (!any)
		return;
	if (!device->shares) {
		device->shares = xcalloc(1, sizeof *device->shares);
		shares_init(device->shares,
			batch->timed ? -1 : untimed_step_ns(agg, batch->source));
	}
	if (in->map)
		phase_ticks_take(&device->ticks_in_phases, in, ticks, device->shares);
	if (waits->map)
		phase_ticks_take(&device->ticks_in_waits, waits, ticks, device->shares);
	shares_add(device->shares, t_ns, batch->segment[row], ticks, matched);
}

/* The gap limit, where it does not depend on the rows; else -1. */
static int64_t known_limit(const struct aggregate *agg, enum source_kind kind)
{
	int64_t recorded_ns = run_interval_ns(agg->run, kind);

	if (agg->options.gap_ns >= 0)
		return agg->options.gap_ns;
	return recorded_ns > 0 ? gap_limit_ns(recorded_ns) : -1;
}

/* What holds for all rows of a batch. */
struct pass {
	int64_t near_ns; /* a slice up to this is no gap */
	bool limit_known; /* ... and a longer one is */
	enum metric_id total; /* whose largest sum within a tick is wanted */
	bool in_phases; /* the run has phases */
	struct phase_map *work; /* the times of units of work; NULL: it has none */
	struct phase_map *waits; /* the times in which GPUs waited; NULL: nobody asks */
};

static struct pass pass_of(struct aggregate *agg, const struct sample_batch *batch)
{
	int64_t limit_ns = batch->timed ? known_limit(agg, batch->source) : -1;
	struct pass pass = {limit_ns, limit_ns >= 0, peak_total_metric(),
		batch->timed && phase_map_tree(aggregate_phases(agg))->path_count > 0,
		batch->timed ? aggregate_work(agg)->map : NULL, NULL};

	if (batch->timed && meanwhile_is_told_by(batch->source))
		pass.waits = aggregate_meanwhile(agg)->map;

	if (!pass.limit_known)
		pass.near_ns = batch->timed ? agg->short_ns : 0;
	return pass;
}

static void add_to_whole(struct series *series, const struct instant *at,
	const int64_t *value, const struct slice *ended)
{
	const struct slice_piece whole =
		ended ? slice_whole(ended) : (struct slice_piece){0};

	if (ended)
		series_cover(series, at, ended, &whole, slice_area(ended));
	series_take(series, at, value);
}

static void add_values(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row, struct device_state *device)
{
	struct instant at = {.t_ns = batch->t_ns[row],
		.segment = batch->segment[row],
		.short_ns = pass->near_ns,
		.limit_known = pass->limit_known};
	struct phase_row in = {.map = NULL}, call = {.map = NULL}, work = {.map = NULL};
	struct phase_row waits = {.map = NULL};
	const struct device *of = &agg->run->device[batch->device[row]];
	struct reply reply = {0};
	uint64_t columns = 0;
	bool ticks = false, divided;

	/* Without times the ticks stand a second apart until more is known. */
	if (!batch->timed)
		at.t_ns = (int64_t)agg->source[batch->source].tick * UNTIMED_STEP_NS;
	if (pass->in_phases && !device_is_core(of))
		in = phase_row_at(agg->phases, &at);
	divided = in.map && phase_map_divides(in.map);
	if (in.map && agg->calls)
		call = phase_row_at(agg->calls, &at);
	/* Of units of work the time between samples counts, not the samples. */
	if (pass->work)
		work = (struct phase_row){
			.map = pass->work, .at = at, .set = PATH_SET_NONE};
	if (pass->waits && !device_is_core(of))
		waits = phase_row_at(pass->waits, &at);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		struct series **series = &device->series[column->metric];
		const int64_t *value = NULL;
		struct slice slice, *ended;

		if (column->presence[row] == PRESENCE_ABSENT)
			continue;
		columns ^= ((uint64_t)column->metric + 1) * 0x9e3779b97f4a7c15u;
		if (metric_get(column->metric)->kind == KIND_TICKS) {
			ticks = true;
			continue;
		}
		if (!*series) {
			*series = series_new(column->metric);
			if (batch->timed)
				series_keep_course(*series, column->metric,
					agg->source[batch->source].origin_ns);
		}
		reply_note(
			&reply, column->metric, column->presence[row] == PRESENCE_VALUE);
		if (column->presence[row] == PRESENCE_VALUE) {
			value = &column->value[row];
			series_keep(*series, &at, *value);
		}
		ended = series_follow(*series, &at, value, &slice) ? &slice : NULL;
		if (!divided)
			add_to_whole(*series, &at, value, ended);
		if (in.map)
			phase_cells_take(&device->in_phases, &in, column->metric, value,
				ended, divided ? *series : NULL);
		if (call.map && phase_is_main(column->metric))
			phase_cells_take(&device->in_calls, &call, column->metric, value,
				ended, NULL);
		if (work.map && ended && phase_is_main(column->metric))
			phase_cells_take(&device->in_work, &work, column->metric, NULL,
				ended, NULL);
		if (waits.map)
			phase_cells_take(&device->in_waits, &waits, column->metric, value,
				ended, NULL);
		if (value && column->metric == pass->total)
			add_to_total(
				&agg->source[batch->source].peak_total, at.t_ns, *value);
		if (value && column->metric == METRIC_process_gpu_mem_mib)
			add_held(&agg->source[batch->source], of, at.t_ns, *value);
	}
	phase_cells_end(&device->in_phases, &in);
	phase_cells_end(&device->in_calls, &call);
	phase_cells_end(&device->in_work, &work);
	phase_cells_end(&device->in_waits, &waits);
	if (ticks)
		add_ticks(agg, batch, row, device, &in, &waits);
	if (batch->timed)
		track_add(&device->track,
			&(struct track_row){batch->t_ns[row], batch->segment[row],
				batch->file, batch->line[row],
				session_explains(&agg->source[batch->source],
					device->track.answers.prev_ns, batch->t_ns[row]),
				columns, reply_answer(&reply, of)},
			agg->short_ns);
	else
		device->track.rows++;
}

/* Rows without times are in no window that is asked for. */
static bool is_wanted(
	const struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	const struct compute_window *w = &agg->options.window;

	return !w->set ||
		(batch->timed ? window_has(w, batch->t_ns[row]) : w->of_command);
}

/* What is of all devices, as ticks and sessions, keeps the log's segments. */
void aggregate_add(struct aggregate *agg, const struct sample_batch *batch)
{
	struct pass pass = pass_of(agg, batch);
	struct sample_batch seen = window_batch(agg, batch);
	const struct sample_batch *in_range =
		impossible_in_range(&agg->impossible.in_range, &seen);
	const struct sample_batch *sound =
		impossible_leave_out(&agg->impossible, in_range);

	for (size_t row = 0; row < batch->rows; row++)
		if (is_wanted(agg, batch, row)) {
			struct device_state *device;

			impossible_count_row(
				&agg->impossible, agg->run, &seen, in_range, sound, row);
			device = add_row(agg, batch, row);
			if (seen.segment != batch->segment)
				seen.segment[row] = window_segment(device, batch, row);
			add_values(agg, &pass, in_range, row, device);
		} else if (batch->timed) {
			reply_elsewhere(agg, sound, row);
			agg->rows_outside++;
		}
	if (agg->watches.count)
		findings_watch(agg, sound, pass.near_ns, is_wanted);
}

const struct impossible_list *aggregate_impossible(const struct aggregate *agg)
{
	return &agg->impossible;
}

int64_t aggregate_step_limit(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];
	int64_t recorded_ns = run_interval_ns(agg->run, kind),
		limit_ns = GAP_LIMIT_MIN_NS;

	for (size_t i = 0; i < source->device_count; i++) {
		int64_t h_ns = -1;

		if (source->device[i])
			h_ns = track_interval_ns(&source->device[i]->track, recorded_ns);
		if (h_ns > 0 && gap_limit_ns(h_ns) > limit_ns)
			limit_ns = gap_limit_ns(h_ns);
	}
	return limit_ns;
}

enum order aggregate_order(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];
	int64_t limit_ns = aggregate_step_limit(agg, kind);

	if (source->broken)
		return ORDER_BROKEN;
	/* A segment that began before h was known may have begun for too small a step. */
	for (size_t i = 0; i < source->device_count; i++)
		if (source->device[i] && !device_is_core(&agg->run->device[i]) &&
			source->device[i]->track.shortest_step_back_ns <= limit_ns)
			return ORDER_BROKEN;
	return ORDER_KEPT;
}
