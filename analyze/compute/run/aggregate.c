/*
 * The pass over the samples: finds the state of a row's device and passes the values
 * on. Contains no formula: those are in compute/series, run/timing.c and
 * compute/report.
 */
#include "compute/run/aggregate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/queue.h"
#include "compute/run/pass.h"
#include "compute/run/state.h"
#include "compute/series/series.h"
#include "model/report.h"
#include "model/run.h"
#include "model/sample.h"

/*
 * Windows: which part of the run counts. Rows outside of it don't begin segments in
 * it.
 */

/*
 * The segment that a row of the log would be in if the log held no rows but the
 * window's: where time goes on from the device's row before it in the window, whatever
 * set it back lies outside. device: without that row.
 */
static int32_t window_segment(
	struct device_state *device, const struct sample_batch *batch, size_t row)
{
	int32_t logged = batch->segment[row], before = device->log_segment;

	device->log_segment = logged;
	return device->track.rows &&
			(logged == before || batch->t_ns[row] >= device->track.prev_ns)
		? device->track.prev_segment
		: logged;
}

/*
 * The rows of a batch for what is told of a device: in a window with segments of their
 * own, which the aggregate owns and window_segment says; valid until the next batch.
 */
static struct sample_batch window_batch(
	struct aggregate *agg, const struct sample_batch *batch)
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

/* Whether a log has a row in that time, and goes on beyond it. */
static bool meets(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *command, bool *beyond)
{
	const struct source_state *source = &agg->source[kind];
	bool met = false;

	for (size_t i = 0; i < source->device_count; i++) {
		struct device_state *device = source->device[i];
		const struct track *track = device ? &device->track : NULL;
		int64_t limit_ns;

		if (!track)
			continue;
		limit_ns = device_timing(agg, kind, device).limit_ns;
		if (limit_ns < GAP_LIMIT_MIN_NS)
			limit_ns = GAP_LIMIT_MIN_NS;
		met |= track->first_ns <= command->to_ns &&
			track->last_ns >= command->from_ns;
		*beyond |= (int128)command->from_ns - track->first_ns > limit_ns ||
			(int128)track->last_ns - command->to_ns > limit_ns;
	}
	return met;
}

bool aggregate_beyond_command(struct aggregate *agg, struct compute_window *command)
{
	struct stretch span;
	bool beyond = false;

	if (agg->options.window.set || agg->options.foreign ||
		!run_command_span(agg->run, &span.from_ns, &span.to_ns))
		return false;
	assume_intervals(agg);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (agg->source[kind].seen && agg->source[kind].timed &&
			!meets(agg, kind, &span, &beyond))
			return false;
	*command = (struct compute_window){.set = true,
		.closed = true,
		.of_command = true,
		.from_ns = span.from_ns,
		.to_ns = span.to_ns};
	return beyond;
}

void aggregate_restrict(struct aggregate *agg, const struct compute_window *window)
{
	agg->options.window = *window;
	aggregate_restart(agg);
}

struct beyond aggregate_beyond(const struct aggregate *agg)
{
	return (struct beyond){agg->rows_outside,
		agg->phases ? phase_map_tree(agg->phases)->outside : 0};
}

static void aggregate_begin(struct aggregate *agg, const struct run *run,
	const struct compute_options *options)
{
	*agg = (struct aggregate){.run = run, .options = *options};
	agg->short_ns = gap_limit_asked(agg, GAP_LIMIT_MIN_NS);
	if (agg->short_ns > GAP_LIMIT_MIN_NS)
		agg->short_ns = GAP_LIMIT_MIN_NS;
	if (options->rules)
		watch_list_init(&agg->watches, options->rules);
	if (options->foreign && options->foreign->begin)
		agg->foreign = options->foreign->begin(run, options->asked);
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
	for (enum part i = 0; i < PARTS; i++)
		phase_cells_release(&device->in[i]);
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
	rounds_release(&source->ticks);
	free(source->held);
	*source = (struct source_state){0};
	if (agg->foreign)
		agg->options.foreign->forget(agg->foreign, kind);
	impossible_forget(&agg->impossible, kind);
}

static void take_power(struct aggregate *agg, const struct batch_rest *rest)
{
	const struct sample_batch *batch = rest->in_range;
	struct device_state **device = agg->source[batch->source].device;
	struct sensor_columns columns = sensor_columns(batch);

	for (size_t i = 0; columns.power && i < rest->groups.count; i++) {
		const struct row_group *group = &rest->groups.group[i];

		for (size_t k = 0; k < group->count; k++)
			sensor_row(&device[group->device]->sensor, batch, &columns,
				group->row[k]);
	}
}

/* What of a batch needs no rows before it, nor the run, which grows as the next batch is
 * read: any thread can take it. */
static void take_rest(struct aggregate *agg)
{
	take_power(agg, &agg->rest);
	pass_end(agg, &agg->rest);
	if (agg->rest.watched)
		aggregate_watch(agg, &agg->rest);
}

struct rest_thread {
	pthread_t thread;
	struct queue begun, done; /* the aggregate, whose rest is to be taken, or was */
	bool is_busy; /* for the one thread that adds */
};

static void *take_rests(void *arg)
{
	struct rest_thread *second = arg;
	struct aggregate *agg;

	while ((agg = queue_take(&second->begun))) {
		take_rest(agg);
		queue_put(&second->done, agg);
	}
	return NULL;
}

/* NULL: there is no thread to be had. */
static struct rest_thread *rest_thread_new(void)
{
	struct rest_thread *second = xcalloc(1, sizeof *second);

	queue_init(&second->begun, 1);
	queue_init(&second->done, 1);
	if (pthread_create(&second->thread, NULL, take_rests, second) == 0)
		return second;
	queue_release(&second->begun);
	queue_release(&second->done);
	free(second);
	return NULL;
}

static void rest_thread_free(struct rest_thread *second)
{
	queue_end(&second->begun);
	pthread_join(second->thread, NULL);
	queue_release(&second->begun);
	queue_release(&second->done);
	free(second);
}

void aggregate_settle(struct aggregate *agg)
{
	if (!agg->second || !agg->second->is_busy)
		return;
	queue_take(&agg->second->done);
	agg->second->is_busy = false;
}

/* Of a run of one batch the thread would cost more than it saves. */
static void begin_rest(struct aggregate *agg)
{
	if (agg->options.second_thread && !agg->second && agg->batches++) {
		agg->second = rest_thread_new();
		agg->options.second_thread = agg->second != NULL;
	}
	if (!agg->second) {
		take_rest(agg);
		return;
	}
	agg->second->is_busy = true;
	queue_put(&agg->second->begun, agg);
}

static void aggregate_end(struct aggregate *agg)
{
	aggregate_settle(agg);
	if (agg->second)
		rest_thread_free(agg->second);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		aggregate_reset(agg, kind);
	if (agg->foreign)
		agg->options.foreign->end(agg->foreign);
	phase_map_free(agg->calls);
	phase_map_free(agg->phases);
	if (agg->meanwhile)
		meanwhile_release(agg->meanwhile);
	free(agg->meanwhile);
	if (agg->work)
		work_release(agg->work);
	free(agg->work);
	watch_list_release(&agg->watches);
	impossible_release(&agg->impossible);
	row_groups_release(&agg->rest.groups);
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

const size_t *aggregate_lost_ends(const struct aggregate *agg, size_t *count)
{
	const struct calls *calls =
		agg->phases ? &phase_map_tree(agg->phases)->calls : NULL;

	*count = calls ? calls->lost_ends : 0;
	return calls ? calls->lost_end : NULL;
}

static struct device_state *device_of(
	struct aggregate *agg, enum source_kind kind, uint32_t index)
{
	struct source_state *source = &agg->source[kind];

	ALLOC_AT(source->device, index, source->device_count, source->device_cap);
	if (!source->device[index]) {
		source->device[index] = xcalloc(1, sizeof **source->device);
		track_init(&source->device[index]->track,
			run_interval_ns(agg->run, kind) <= 0 &&
				(agg->options.per_core ||
					!device_is_core(&agg->run->device[index])));
		if (agg->watches.count && agg->run->device[index].kind == DEVICE_GPU)
			source->device[index]->track.keeps = GAPS_KEPT;
		source->device[index]->in[IN_CALLS].means_only = true;
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
	struct batch_rest *rest = &agg->rest;

	aggregate_settle(agg);
	rest->seen = window_batch(agg, batch);
	rest->in_range = impossible_in_range(&agg->impossible.in_range, &rest->seen);
	rest->sound = impossible_leave_out(&agg->impossible, rest->in_range);
	rest->pass = pass_begin(agg, rest->in_range);
	row_groups_clear(&rest->groups);
	for (size_t row = 0; row < batch->rows; row++)
		if (is_wanted(agg, batch, row)) {
			struct device_state *device;

			impossible_count_row(&agg->impossible, agg->run, &rest->seen,
				rest->in_range, rest->sound, row);
			device = add_row(agg, batch, row);
			if (rest->seen.segment != batch->segment)
				rest->seen.segment[row] =
					window_segment(device, batch, row);
			pass_row(agg, &rest->pass, rest->in_range, row, device);
			row_groups_add(&rest->groups, batch, row);
			if (agg->foreign)
				agg->options.foreign->take(
					agg->foreign, agg, rest->in_range, row);
		} else if (batch->timed) {
			reply_elsewhere(agg, rest->sound, row);
			agg->rows_outside++;
		}
	row_groups_settle(&rest->groups, agg->run, rest->in_range, rest->pass.near_ns);
	rest->watched = agg->watches.count && watch_begin(agg, rest);
	begin_rest(agg);
}

uint64_t aggregate_rounds(const struct aggregate *agg, enum source_kind kind)
{
	return agg->source[kind].ticks.count;
}

const struct compute_window *aggregate_window(const struct aggregate *agg)
{
	return agg->options.window.set ? &agg->options.window : NULL;
}

void *aggregate_foreign(const struct aggregate *agg)
{
	return agg->foreign;
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

static void extend(struct stretch *stretch, const struct stretch *by)
{
	if (by->from_ns < stretch->from_ns)
		stretch->from_ns = by->from_ns;
	if (by->to_ns > stretch->to_ns)
		stretch->to_ns = by->to_ns;
}

static bool begins_session(const struct session_start *start, int64_t limit_ns)
{
	return start->stepped_back || start->after_ns - start->before_ns > limit_ns;
}

const struct session_start *session_end(
	const struct source_state *source, size_t starts, int64_t limit_ns)
{
	for (size_t i = starts; i < source->session_count; i++)
		if (source->session[i].restarted ||
			begins_session(&source->session[i], limit_ns))
			return &source->session[i];
	return NULL;
}

/*
 * A header that comes again after a gap, or after a step back in time, begins a new
 * session; with several, their union stands for the run's duration, unless a manifest
 * says when the run began: then it went on in between.
 */
struct sessions sessions_of(const struct aggregate *agg, enum source_kind kind,
	const struct report *report, const struct stretch *turn)
{
	const struct source_state *source = &agg->source[kind];
	int64_t limit_ns = source_gap_limit(agg, kind);
	struct stretch *stretch = xmalloc((source->session_count + 1) * sizeof *stretch);
	struct sessions sessions = {.count = 0};
	bool begins = true;

	for (size_t i = 0; i <= source->session_count; i++) {
		const struct session_start *next =
			i < source->session_count ? &source->session[i] : NULL;
		const struct stretch *rows = next ? &next->ended : &source->open;

		if (begins)
			stretch[sessions.count++] = *rows;
		else
			extend(&stretch[sessions.count - 1], rows);
		begins = next && begins_session(next, limit_ns);
	}
	if (sessions.count > 1 && agg->run->started_ns == TIME_NONE) {
		size_t apart = stretches_join(stretch, sessions.count);

		sessions.ends =
			(struct stretch){stretch[0].from_ns, stretch[apart - 1].to_ns};
		for (size_t i = 0; i < apart; i++)
			sessions.length_ns += stretch_common_ns(&stretch[i], turn);
	} else {
		sessions.ends = (struct stretch){report->started_ns, report->ended_ns};
		sessions.length_ns = stretch_common_ns(&sessions.ends, turn);
	}
	sessions.ends.from_ns = time_later(sessions.ends.from_ns, turn->from_ns);
	sessions.ends.to_ns =
		turn->to_ns < sessions.ends.to_ns ? turn->to_ns : sessions.ends.to_ns;
	free(stretch);
	return sessions;
}

bool aggregate_use_interval(struct aggregate *agg)
{
	const struct run *run = agg->run;
	struct stretch events;
	bool any = false;

	if (agg->options.interval_ns <= 0 || run->started_ns != TIME_NONE ||
		run->ended_ns != TIME_NONE ||
		run_event_span(run, &events.from_ns, &events.to_ns))
		return false;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		if (source->seen &&
			(source->timed ||
				!tick_times_has_room(
					source->ticks.count, agg->options.interval_ns)))
			return false;
		any |= source->seen;
	}
	agg->options.times_by_interval = any;
	if (any)
		aggregate_restart(agg);
	return any;
}
