/*
 * The envelopes of a run: filled batch by batch, and cut into the columns of a timeline
 * once it is known which log counts and what a gap is. Of ticks the shares are taken,
 * over the windows that their statistics are made of.
 */
#include "compute/inspect/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/inspect/tracks.h"
#include "compute/report/slowed.h"

struct timeline_maker *timeline_maker_new(void)
{
	return xcalloc(1, sizeof(struct timeline_maker));
}

static void release_tracks(struct source_tracks *source)
{
	for (size_t i = 0; i < source->count; i++) {
		struct device_tracks *tracks = &source->device[i];

		for (size_t k = 0; k < TRACK_COUNT; k++) {
			if (tracks->at[k]) {
				envelope_release(&tracks->at[k]->envelope);
				envelope_release(&tracks->at[k]->missing);
				free(tracks->at[k]->steps.step);
			}
			free(tracks->at[k]);
		}
		if (tracks->shares)
			shares_release(tracks->shares);
		free(tracks->shares);
	}
	free(source->device);
	*source = (struct source_tracks){0};
}

void timeline_maker_free(struct timeline_maker *maker)
{
	if (!maker)
		return;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		release_tracks(&maker->source[kind]);
	free(maker);
}

void timeline_maker_again(struct timeline_maker *maker, enum source_kind kind,
	const struct compute_window *window)
{
	release_tracks(&maker->source[kind]);
	maker->window = *window;
}

static bool is_tick(enum metric_id metric)
{
	return metric >= METRIC_cpu_user_ticks && metric <= METRIC_cpu_guest_nice_ticks;
}

static bool is_drawn(enum metric_id metric)
{
	size_t count;

	timeline_metrics(&count);
	return timeline_metric_at(metric) < count;
}

bool timeline_wants(enum metric_id metric)
{
	return is_drawn(metric) || is_tick(metric) || slowed_asks(metric);
}

static struct device_tracks *tracks_of(
	struct timeline_maker *maker, enum source_kind kind, uint32_t device)
{
	struct source_tracks *source = &maker->source[kind];

	if (device >= source->count) {
		ALLOC_GROW(source->device, (size_t)device + 1, source->cap);
		while (source->count <= device)
			source->device[source->count++] = (struct device_tracks){0};
	}
	return &source->device[device];
}

static struct timeline_track *track_at(struct device_tracks *tracks, size_t at)
{
	struct timeline_track *track = tracks->at[at];

	if (!track) {
		track = tracks->at[at] = xcalloc(1, sizeof *track);
		envelope_init(&track->envelope, BINS_LIMIT);
		envelope_init(&track->missing, BINS_LIMIT);
	}
	return track;
}

static struct timeline_track *put(
	struct device_tracks *tracks, size_t at, int64_t t_ns, int64_t value)
{
	struct timeline_track *track = track_at(tracks, at);

	envelope_add(&track->envelope, t_ns, value);
	return track;
}

static void put_missing(struct device_tracks *tracks, size_t at, int64_t t_ns)
{
	envelope_add(&track_at(tracks, at)->missing, t_ns, 0);
}

/* Of a log that is read from its end the steps are the same. */
static void step_to(struct timeline_track *track, int64_t t_ns, int32_t segment)
{
	if (track->begun && track->segment == segment)
		steps_add(&track->steps, t_ns < track->last_ns ? t_ns : track->last_ns,
			t_ns < track->last_ns ? track->last_ns : t_ns);
	track->begun = true;
	track->last_ns = t_ns;
	track->segment = segment;
}

/* A window of ticks ended. */
static void take_share(void *context, const struct share_window *window)
{
	struct device_tracks *tracks = context;
	enum metric_id metric = window->metric;

	if (is_drawn(metric))
		steps_add(&put(tracks, timeline_metric_at(metric), window->to_ns,
				  llround(window->value *
					  (double)metric_get(metric)->per_unit))
				   ->steps,
			window->from_ns, window->to_ns);
}

static void add_ticks(struct timeline_maker *maker, const struct sample_batch *batch,
	size_t row, uint32_t device)
{
	struct device_tracks *tracks = tracks_of(maker, batch->source, device);
	int64_t ticks[TICK_COUNT];
	bool any = false;

	for (size_t i = 0; i < TICK_COUNT; i++)
		ticks[i] = -1;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (!is_tick(column->metric) || column->presence[row] != PRESENCE_VALUE)
			continue;
		ticks[column->metric - METRIC_cpu_user_ticks] = column->value[row];
		any = true;
	}
	if (!any)
		return;
	if (!tracks->shares) {
		tracks->shares = xcalloc(1, sizeof *tracks->shares);
		shares_init(tracks->shares, -1);
	}
	/* The array of devices may have moved. */
	shares_tell(tracks->shares, take_share, tracks);
	shares_add(tracks->shares, batch->t_ns[row], batch->segment[row], ticks, true);
}

/* A column of a metric that is drawn. */
static void add_column(struct timeline_maker *maker, const struct run *run,
	const struct sample_batch *batch, const struct sample_column *column)
{
	size_t track = timeline_metric_at(column->metric);

	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];
		int64_t t_ns = batch->t_ns[row];

		if (column->presence[row] == PRESENCE_ABSENT ||
			!window_has(&maker->window, t_ns) ||
			device_is_core(&run->device[device]))
			continue;
		if (column->presence[row] == PRESENCE_VALUE)
			step_to(put(tracks_of(maker, batch->source, device), track, t_ns,
					column->value[row]),
				t_ns, batch->segment[row]);
		else
			put_missing(tracks_of(maker, batch->source, device), track, t_ns);
	}
}

static void add_slowed(struct timeline_maker *maker, const struct run *run,
	const struct sample_batch *batch)
{
	struct slowed_batch slowed = slowed_of(run, batch);

	for (size_t row = 0; slowed.told && row < batch->rows; row++) {
		int64_t t_ns = batch->t_ns[row];
		struct device_tracks *tracks;
		struct slowed_row says;

		if (!window_has(&maker->window, t_ns))
			continue;
		says = slowed_row(&slowed, row);
		tracks = tracks_of(maker, batch->source, batch->device[row]);
		for (enum slowed why = 0; why < SLOWED_COUNT; why++)
			if (says.told[why])
				step_to(put(tracks, TRACK_SLOWED + why, t_ns,
						says.held[why]),
					t_ns, batch->segment[row]);
			else if (says.missing[why])
				put_missing(tracks, TRACK_SLOWED + why, t_ns);
	}
}

void timeline_maker_add(struct timeline_maker *maker, const struct run *run,
	const struct sample_batch *batch)
{
	bool ticks = false;

	if (!batch->timed)
		return;
	for (size_t c = 0; c < batch->column_count; c++) {
		ticks |= is_tick(batch->column[c].metric);
		if (is_drawn(batch->column[c].metric))
			add_column(maker, run, batch, &batch->column[c]);
	}
	for (size_t row = 0; ticks && row < batch->rows; row++)
		if (window_has(&maker->window, batch->t_ns[row]) &&
			!device_is_core(&run->device[batch->device[row]]))
			add_ticks(maker, batch, row, batch->device[row]);
	add_slowed(maker, run, batch);
}

void tracks_finish(struct timeline_maker *maker)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < maker->source[kind].count; i++) {
			struct device_tracks *tracks = &maker->source[kind].device[i];

			if (!tracks->shares)
				continue;
			shares_tell(tracks->shares, take_share, tracks);
			shares_finish(tracks->shares);
		}
}
