/*
 * Builds timelines: envelopes are filled batch by batch, and cut into columns once the
 * gap limit and the log to use are known. Shares of ticks use the windows of their
 * statistics.
 */
#include "compute/inspect/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Bins for each column, so that they can be joined to nearly as many as are wanted. */
#define BINS_LIMIT (4 * TIMELINE_COLUMNS)

enum track_id {
#define TIMELINE(metric, ...) TRACK_##metric,
#include "../schema/metrics.def"
	TRACK_SLOWED, /* one for each reason: 1 where it holds, else 0 */
	TRACK_COUNT = TRACK_SLOWED + SLOWED_COUNT
};

#define STEPS_KEPT 1000

struct timeline_track {
	struct envelope envelope;
	struct envelope
		missing; /* of the times of rows that say that there is no value */
	/* The longest from value to value, STEPS_KEPT at most: what a gap is becomes
	 * known at the end, and of one that both its values share a bin with the envelope
	 * knows nothing. */
	struct steps steps;
	bool begun;
	int64_t last_ns; /* of the value before, and its segment */
	int32_t segment;
};

struct device_tracks {
	struct timeline_track *at[TRACK_COUNT]; /* NULL: no value yet */
	struct shares *shares; /* of ticks; NULL: none */
};

struct source_tracks {
	struct device_tracks *device; /* [count] by the run's index */
	size_t count, cap;
};

struct timeline_maker {
	struct source_tracks source[SOURCE_KIND_COUNT];
	struct compute_window window;
};

/*
 * Gaps in a series: between two bins of its envelope, within one, before the first
 * value and after the last.
 */

static void add_step(struct steps *steps, int64_t from_ns, int64_t to_ns)
{
	steps_keep(steps, STEPS_KEPT,
		(struct step){.start_ns = from_ns, .dt_ns = to_ns - from_ns});
}

/* A stretch of time, if it is a gap. */
struct finder {
	struct timeline_series *series;
	const struct timeline *timeline;
	int64_t limit_ns;
};

static struct timeline_gap gap_of(
	const struct finder *finder, int64_t from_ns, int64_t to_ns)
{
	return (struct timeline_gap){timeline_place(finder->timeline, from_ns),
		timeline_place(finder->timeline, to_ns)};
}

static bool take(const struct finder *finder, int64_t from_ns, int64_t to_ns)
{
	struct timeline_series *series = finder->series;

	if ((int128)to_ns - from_ns <= finder->limit_ns)
		return false;
	ALLOC_NEXT(series->gap, series->gap_count, series->gap_cap) =
		gap_of(finder, from_ns, to_ns);
	return true;
}

static void between_bins(const struct finder *finder, const struct envelope *envelope)
{
	const struct envelope_bin *before = NULL;

	for (int64_t i = 0; i < envelope->count; i++) {
		const struct envelope_bin *bin = &envelope->bin[i];

		if (!bin->n)
			continue;
		if (before)
			take(finder, before->last_ns, bin->first_ns);
		before = bin;
	}
}

static void within_bins(const struct finder *finder, const struct timeline_track *track)
{
	unsigned shift = track->envelope.shift;

	for (size_t i = 0; i < track->steps.count; i++) {
		const struct step *step = &track->steps.at[i];
		int64_t to_ns = step->start_ns + step->dt_ns;

		if (envelope_number(step->start_ns, shift) ==
			envelope_number(to_ns, shift))
			take(finder, step->start_ns, to_ns);
	}
}

/* What an envelope says of a bin, of those that all have one length. */
static struct envelope_bin bin_at(const struct envelope *envelope, int64_t number)
{
	int64_t at = number - envelope->first;

	return at >= 0 && at < envelope->count ? envelope->bin[at]
					       : (struct envelope_bin){0};
}

static void leave_unrecorded(const struct finder *finder, int64_t from_ns, int64_t to_ns)
{
	struct timeline_series *series = finder->series;

	if ((int128)to_ns - from_ns <= finder->limit_ns)
		return;
	ALLOC_NEXT(series->unrecorded, series->unrecorded_count, series->unrecorded_cap) =
		gap_of(finder, from_ns, to_ns);
}

/* Between two rows, of which either has a value or says that there is none. */
static void find_unrecorded(
	const struct finder *finder, const struct timeline_track *track)
{
	const struct envelope *values = &track->envelope, *missing = &track->missing;
	int64_t first = values->first, end = first + values->count;
	int64_t last_ns = finder->timeline->from_ns;

	if (missing->count && missing->first < first)
		first = missing->first;
	if (missing->count && missing->first + missing->count > end)
		end = missing->first + missing->count;
	for (int64_t i = first; i < end; i++) {
		struct envelope_bin all = bin_at(values, i), none = bin_at(missing, i);

		envelope_bin_add(&all, &none);
		if (!all.n)
			continue;
		leave_unrecorded(finder, last_ns, all.first_ns);
		last_ns = all.last_ns;
	}
	leave_unrecorded(finder, last_ns, finder->timeline->to_ns);
}

static int by_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/*
 * The gaps of a series, from the timeline's start to its end. limit_ns: a longer step
 * is one; -1: none can be told.
 */
static void timeline_find_gaps(struct timeline_series *series,
	const struct timeline *timeline, const struct timeline_track *track,
	int64_t limit_ns)
{
	const struct finder finder = {series, timeline, limit_ns};
	const struct envelope *envelope = &track->envelope;

	series->gaps_known = limit_ns >= 0;
	if (!series->gaps_known)
		return;
	series->starts_late = take(&finder, timeline->from_ns, envelope->bin[0].first_ns);
	between_bins(&finder, envelope);
	within_bins(&finder, track);
	series->ends_early = take(
		&finder, envelope->bin[envelope->count - 1].last_ns, timeline->to_ns);
	series->edge_gaps = (size_t)series->starts_late + (size_t)series->ends_early;
	find_unrecorded(&finder, track);
	SORT(series->gap, series->gap_count, by_time);
}

/*
 * Samples that show that something lowers the clocks of a GPU: the driver's mask, its
 * columns, or dmon's violations. Idle GPUs are ignored, as by the rules on throttling
 * (schema/findings).
 */

#define IDLE_UTIL_PCT 5 /* below it a GPU has nothing to do */

/* A value that stands for a reason: of FLAGS a bit of that name, of a STATE the word
 * "Active", else more than nought. */
static const struct {
	enum metric_id metric;
	const char *bit; /* NULL: it is no FLAGS */
	enum slowed why; /* SLOWED_COUNT: the GPU idles */
} known[] = {
	{METRIC_clock_reasons, "sw_power_cap", SLOWED_POWER},
	{METRIC_reason_sw_power_cap, NULL, SLOWED_POWER},
	{METRIC_power_violation_pct, NULL, SLOWED_POWER},
	{METRIC_clock_reasons, "sw_thermal_slowdown", SLOWED_HEAT},
	{METRIC_clock_reasons, "hw_thermal_slowdown", SLOWED_HEAT},
	{METRIC_reason_sw_thermal_slowdown, NULL, SLOWED_HEAT},
	{METRIC_reason_hw_thermal_slowdown, NULL, SLOWED_HEAT},
	{METRIC_thermal_violation, NULL, SLOWED_HEAT},
	{METRIC_clock_reasons, "hw_slowdown", SLOWED_HARDWARE},
	{METRIC_clock_reasons, "hw_power_brake_slowdown", SLOWED_HARDWARE},
	{METRIC_reason_hw_slowdown, NULL, SLOWED_HARDWARE},
	{METRIC_reason_hw_power_brake_slowdown, NULL, SLOWED_HARDWARE},
	{METRIC_clock_reasons, "gpu_idle", SLOWED_COUNT},
	{METRIC_reason_gpu_idle, NULL, SLOWED_COUNT},
};

#define KNOWN (sizeof known / sizeof known[0])

/* A column that tells of a reason, or of idling. */
struct slowed_sign {
	const struct sample_column *column;
	enum slowed why; /* SLOWED_COUNT: the GPU idles */
	int64_t least, mask, word; /* value >= least, & mask, == word; one is not 0 */
};

/* What a batch's columns tell. Borrows the batch. */
struct slowed_batch {
	struct slowed_sign at[KNOWN];
	size_t count;
	bool told; /* of any reason */
	const struct sample_column *util; /* NULL: there is none */
};

/* Of a row: of which reasons it tells anything, which of them hold, and of which it says
 * that nothing can be told. */
struct slowed_row {
	bool told[SLOWED_COUNT], held[SLOWED_COUNT], missing[SLOWED_COUNT];
};

static bool slowed_is_sign(enum metric_id metric)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].metric == metric && known[i].why != SLOWED_COUNT)
			return true;
	return false;
}

/* Is it a metric that tells of it, or of idling? */
static bool slowed_asks(enum metric_id metric)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].metric == metric)
			return true;
	return metric == METRIC_gpu_util_pct;
}

/* The bit of that name; 0: there is none. */
static int64_t mask_of(enum metric_id metric, const char *bit)
{
	const char *name;

	for (unsigned i = 0; (name = metric_flag_name(metric, i)); i++)
		if (strcmp(name, bit) == 0)
			return INT64_C(1) << i;
	return 0;
}

/* active: the number of that word in the run's texts; 0: no value has it. */
static struct slowed_sign sign_of(
	const struct sample_column *column, size_t which, int64_t active)
{
	struct slowed_sign sign = {.column = column, .why = known[which].why};

	if (known[which].bit)
		sign.mask = mask_of(column->metric, known[which].bit);
	else if (metric_is_text(column->metric))
		sign.word = active;
	else
		sign.least = 1;
	return sign;
}

static struct slowed_batch slowed_of(
	const struct run *run, const struct sample_batch *batch)
{
	struct slowed_batch slowed = {.count = 0};
	int64_t active = texts_find(&run->texts, span_of("Active"));

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (column->metric == METRIC_gpu_util_pct)
			slowed.util = column;
		for (size_t i = 0; i < KNOWN; i++) {
			if (known[i].metric != column->metric)
				continue;
			slowed.at[slowed.count++] = sign_of(column, i, active);
			slowed.told |= known[i].why != SLOWED_COUNT;
		}
	}
	return slowed;
}

static bool holds(const struct slowed_sign *sign, int64_t value)
{
	return (sign->least && value >= sign->least) || (value & sign->mask) ||
		(sign->word && value == sign->word);
}

static bool is_unused(const struct sample_column *util, size_t row)
{
	return util && util->presence[row] == PRESENCE_VALUE &&
		util->value[row] < IDLE_UTIL_PCT * metric_get(util->metric)->per_unit;
}

static struct slowed_row slowed_row(const struct slowed_batch *slowed, size_t row)
{
	bool idles = is_unused(slowed->util, row);
	struct slowed_row says = {.told = {false}};

	for (size_t i = 0; i < slowed->count; i++) {
		const struct slowed_sign *sign = &slowed->at[i];
		bool held;

		if (sign->column->presence[row] == PRESENCE_MISSING &&
			sign->why != SLOWED_COUNT)
			says.missing[sign->why] = true;
		if (sign->column->presence[row] != PRESENCE_VALUE)
			continue;
		held = holds(sign, sign->column->value[row]);
		if (sign->why == SLOWED_COUNT) {
			idles |= held;
			continue;
		}
		says.told[sign->why] = true;
		says.held[sign->why] |= held;
	}
	for (enum slowed why = 0; why < SLOWED_COUNT && idles; why++)
		says.held[why] = false;
	return says;
}

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
				steps_release(&tracks->at[k]->steps);
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

static bool is_drawn(enum metric_id metric)
{
	size_t count;

	timeline_metrics(&count);
	return timeline_metric_at(metric) < count;
}

bool timeline_wants(enum metric_id metric)
{
	return is_drawn(metric) || metric_get(metric)->kind == KIND_TICKS ||
		slowed_asks(metric);
}

static struct device_tracks *tracks_of(
	struct timeline_maker *maker, enum source_kind kind, uint32_t device)
{
	struct source_tracks *source = &maker->source[kind];

	ALLOC_AT(source->device, device, source->count, source->cap);
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
		add_step(&track->steps, time_earlier(t_ns, track->last_ns),
			time_later(t_ns, track->last_ns));
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
		add_step(&put(tracks, timeline_metric_at(metric), window->to_ns,
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

	if (!ticks_of_row(batch, row, ticks))
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
		ticks |= metric_get(batch->column[c].metric)->kind == KIND_TICKS;
		if (is_drawn(batch->column[c].metric))
			add_column(maker, run, batch, &batch->column[c]);
	}
	for (size_t row = 0; ticks && row < batch->rows; row++)
		if (window_has(&maker->window, batch->t_ns[row]) &&
			!device_is_core(&run->device[batch->device[row]]))
			add_ticks(maker, batch, row, batch->device[row]);
	add_slowed(maker, run, batch);
}

/* Behind the last batch: windows of ticks end. */
static void tracks_finish(struct timeline_maker *maker)
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

/* Columns: cuts the tracks of a run once the gap limit and the log to use are known. */

/* A track of a device in a kind of log; NULL: it has no value. */
static struct timeline_track *track_of(const struct timeline_maker *maker,
	enum source_kind kind, uint32_t device, size_t track)
{
	const struct source_tracks *source = &maker->source[kind];

	return device < source->count ? source->device[device].at[track] : NULL;
}

/* What counts of a metric of a device, and may be drawn; NULL: nothing. */
static const struct metric_stats *drawn_stats(const struct report *report,
	const struct timeline_metric *metric, uint32_t device)
{
	const struct metric_stats *stats;

	if (report->run->device[device].kind != metric_get(metric->metric)->device)
		return NULL;
	stats = report_stats_best(
		report, report->stats, report->stats_count, device, metric->metric);
	if (!stats || !stats->n || !report_stats_take_part(report, stats))
		return NULL;
	if (metric->instead != METRIC_none &&
		metric_stats_speaks(report_stats_best(report, report->stats,
			report->stats_count, device, metric->instead)))
		return NULL;
	return stats;
}

/* How long a step may be that is no gap; -1: none is known not to be one. */
static int64_t joins_ns(const struct report *report, enum source_kind source,
	uint32_t device, const struct metric_stats *stats)
{
	const struct device_evidence *e =
		evidence_find(&report->evidence, source, device);

	if (stats && !isnan(stats->gap_limit_s))
		return llround(fmin(stats->gap_limit_s * 1e9, 9e18));
	return e && !isnan(e->gap_limit_s) ? evidence_limit_ns(e) : -1;
}

/* What is drawn of it, bin by bin in columns of `bins` of them from number `first` on. */
static void fill(struct timeline_series *series, const struct envelope *envelope,
	size_t columns, int64_t first, int64_t bins, int64_t limit_ns)
{
	double unit = (double)metric_get(series->metric)->per_unit;
	const struct envelope_bin *before = NULL;
	int64_t i = 0;

	series->column = xcalloc(columns, sizeof *series->column);
	for (size_t c = 0; c < columns; c++) {
		struct timeline_column *column = &series->column[c];
		int64_t end = first + ((int64_t)c + 1) * bins - envelope->first;
		struct envelope_bin all = {0};

		*column = (struct timeline_column){.min = NAN, .max = NAN, .mean = NAN};
		for (; i < envelope->count && i < end; i++) {
			const struct envelope_bin *bin = &envelope->bin[i];

			if (!bin->n)
				continue;
			if (!all.n)
				column->joined = before && limit_ns >= 0 &&
					(int128)bin->first_ns - before->last_ns <=
						limit_ns;
			envelope_bin_add(&all, bin);
			before = bin;
		}
		if (!all.n)
			continue;
		column->min = (double)all.min / unit;
		column->max = (double)all.max / unit;
		column->mean = number_ratio(
			all.sum, (int128)all.n * metric_get(series->metric)->per_unit);
	}
}

static void range_of(struct timeline_series *series, size_t columns)
{
	series->min = INFINITY;
	series->max = -INFINITY;
	for (size_t c = 0; c < columns; c++) {
		series->min = fmin(series->min, series->column[c].min);
		series->max = fmax(series->max, series->column[c].max);
	}
}

/* The envelopes that are drawn. */
struct chosen {
	struct timeline_track *track;
	const struct metric_stats *stats;
	enum source_kind source;
	uint32_t device;
	size_t at; /* of enum track_id */
};

struct chosen_list {
	struct chosen *at; /* [count] owned */
	size_t count, cap;
};

static void choose(struct chosen_list *list, struct chosen chosen)
{
	if (!chosen.track || !chosen.track->envelope.count)
		return;
	ALLOC_NEXT(list->at, list->count, list->cap) = chosen;
}

static void choose_metrics(struct chosen_list *list, const struct timeline_maker *maker,
	const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t track = 0; track < count; track++)
		for (uint32_t i = 0; i < report->run->device_count; i++) {
			const struct metric_stats *stats =
				drawn_stats(report, &metrics[track], i);

			if (stats)
				choose(list,
					(struct chosen){
						track_of(maker, stats->source, i, track),
						stats, stats->source, i, track});
		}
}

/* Of a GPU the first kind of log that tells of any reason. */
static void choose_slowed(struct chosen_list *list, const struct timeline_maker *maker,
	const struct report *report)
{
	for (uint32_t i = 0; i < report->run->device_count; i++)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
			size_t before = list->count;

			for (size_t k = TRACK_SLOWED; k < TRACK_COUNT; k++)
				choose(list,
					(struct chosen){track_of(maker, kind, i, k), NULL,
						kind, i, k});
			if (list->count > before)
				break;
		}
}

/* From the run's start, or the first value, to its end, or the last value. */
static void span_of_all(struct timeline *timeline, const struct chosen_list *list,
	const struct report *report)
{
	timeline->from_ns = INT64_MAX;
	timeline->to_ns = INT64_MIN;
	if (report->started_ns != TIME_NONE) {
		timeline->from_ns = report->started_ns;
		timeline->to_ns = report->ended_ns;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct envelope *e = &list->at[i].track->envelope;

		if (e->bin[0].first_ns < timeline->from_ns)
			timeline->from_ns = e->bin[0].first_ns;
		if (e->bin[e->count - 1].last_ns > timeline->to_ns)
			timeline->to_ns = e->bin[e->count - 1].last_ns;
	}
}

static void widen(struct timeline_track *track, unsigned shift)
{
	envelope_widen(&track->envelope, shift);
	envelope_widen(&track->missing, shift);
}

static unsigned shift_of(const struct timeline_track *track)
{
	unsigned a = track->envelope.shift, b = track->missing.shift;

	return a > b ? a : b;
}

/* Columns of as many bins as it takes; all envelopes get bins of one length. */
static int64_t set_grid(
	struct timeline *timeline, const struct chosen_list *list, size_t columns)
{
	unsigned shift = ENVELOPE_SHIFT;
	int64_t first, bins, per_column;

	for (size_t i = 0; i < list->count; i++)
		if (shift_of(list->at[i].track) > shift)
			shift = shift_of(list->at[i].track);
	while (envelope_number(timeline->to_ns, shift) -
			envelope_number(timeline->from_ns, shift) >=
		BINS_LIMIT)
		shift++;
	for (size_t i = 0; i < list->count; i++)
		widen(list->at[i].track, shift);
	first = envelope_number(timeline->from_ns, shift);
	bins = envelope_number(timeline->to_ns, shift) - first + 1;
	per_column = (bins + (int64_t)columns - 1) / (int64_t)columns;
	timeline->grid_ns = first * (INT64_C(1) << shift);
	timeline->step_ns = per_column << shift;
	timeline->columns = (size_t)((bins + per_column - 1) / per_column);
	return per_column;
}

/* A reason holds until the next row, if no gap lies before it. */
static void mark(
	struct timeline *timeline, const struct timeline_series *held, enum slowed why)
{
	size_t from = SIZE_MAX, last = 0;

	for (size_t c = 0; c <= timeline->columns; c++) {
		const struct timeline_column *column = &held->column[c];
		bool end = c == timeline->columns;

		if (!end && isnan(column->min))
			continue;
		if (from != SIZE_MAX && (end || !column->joined || !(column->max > 0))) {
			ALLOC_NEXT(timeline->mark, timeline->mark_count,
				timeline->mark_cap) =
				(struct timeline_mark){why, held->device, from,
					!end && column->joined ? c : last + 1};
			from = SIZE_MAX;
		}
		if (!end && column->max > 0 && from == SIZE_MAX)
			from = c;
		last = c;
	}
}

/* Behind i; count: there is none. */
static int64_t next_bin(const struct envelope *envelope, int64_t i)
{
	do
		i++;
	while (i < envelope->count && !envelope->bin[i].n);
	return i;
}

/* A row's reason holds until the next row, if no gap lies before it: of the time of a bin
 * with several rows the share of those that say so. */
static void hold(struct timeline *timeline, const struct chosen *chosen, int64_t limit_ns)
{
	const struct envelope *envelope = &chosen->track->envelope;
	struct timeline_held held = {.why = (enum slowed)(chosen->at - TRACK_SLOWED),
		.device = chosen->device,
		.from_ns = TIME_NONE};

	for (int64_t i = 0, next; i < envelope->count; i = next) {
		const struct envelope_bin *bin = &envelope->bin[i];
		int64_t end = bin->last_ns;

		next = next_bin(envelope, i);
		if (!(bin->max > 0))
			continue;
		if (held.from_ns == TIME_NONE)
			held.from_ns = bin->first_ns;
		if (next < envelope->count &&
			(int128)envelope->bin[next].first_ns - end <= limit_ns)
			end = envelope->bin[next].first_ns;
		held.seconds += (double)(end - bin->first_ns) / 1e9 *
			number_ratio(bin->sum, (int128)bin->n);
	}
	timeline_find_gaps(&held.known, timeline, chosen->track, limit_ns);
	if (limit_ns < 0)
		held.seconds = NAN;
	ALLOC_NEXT(timeline->held, timeline->held_count, timeline->held_cap) = held;
}

static void draw(struct timeline *timeline, const struct chosen *chosen,
	const struct report *report, int64_t per_column)
{
	const struct envelope *envelope = &chosen->track->envelope;
	bool slowed = chosen->at >= TRACK_SLOWED;
	size_t count;
	struct timeline_series series = {.metric = slowed
			? METRIC_clock_reasons
			: timeline_metrics(&count)[chosen->at].metric,
		.source = chosen->source,
		.device = chosen->device};
	int64_t first = envelope_number(timeline->grid_ns, envelope->shift);
	int64_t limit_ns =
		joins_ns(report, chosen->source, chosen->device, chosen->stats);

	fill(&series, envelope, timeline->columns, first, per_column, limit_ns);
	if (slowed) {
		mark(timeline, &series, (enum slowed)(chosen->at - TRACK_SLOWED));
		hold(timeline, chosen, limit_ns);
		free(series.column);
		return;
	}
	range_of(&series, timeline->columns);
	series.limit = (double)limit_ns / (double)timeline->step_ns;
	timeline_find_gaps(&series, timeline, chosen->track, limit_ns);
	ALLOC_NEXT(timeline->series, timeline->series_count, timeline->series_cap) =
		series;
}

struct timeline *timeline_make(
	struct timeline_maker *maker, const struct report *report, size_t columns)
{
	struct timeline *timeline = xcalloc(1, sizeof *timeline);
	struct chosen_list list = {0};
	int64_t per_column;

	tracks_finish(maker);
	choose_metrics(&list, maker, report);
	choose_slowed(&list, maker, report);
	span_of_all(timeline, &list, report);
	if (list.count && timeline->to_ns > timeline->from_ns) {
		per_column = set_grid(timeline, &list, columns);
		for (size_t i = 0; i < list.count; i++)
			draw(timeline, &list.at[i], report, per_column);
		for (enum metric_id id = 0; id < METRIC_COUNT; id++)
			timeline->tells_held[id] = slowed_is_sign(id);
	} else {
		timeline_free(timeline);
		timeline = NULL;
	}
	free(list.at);
	return timeline;
}
