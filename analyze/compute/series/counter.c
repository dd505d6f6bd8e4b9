/* Counters: differences of successive values; slices of time; shares of CPU time. */
#include "compute/series/counter.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/series/series.h"

#define RISE_FRACTION (INT64_C(1) << 32)

size_t stretches_join(struct stretch *stretch, size_t count)
{
	size_t joined = 0;

	SORT(stretch, count, compare_int64);
	for (size_t i = 0; i < count; i++) {
		struct stretch *last = joined ? &stretch[joined - 1] : NULL;

		if (!last || stretch[i].from_ns > last->to_ns)
			stretch[joined++] = stretch[i];
		else if (stretch[i].to_ns > last->to_ns)
			last->to_ns = stretch[i].to_ns;
	}
	return joined;
}

int64_t stretch_common_ns(const struct stretch *a, const struct stretch *b)
{
	int64_t from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
	int64_t to_ns = a->to_ns < b->to_ns ? a->to_ns : b->to_ns;

	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Slices by length: counter.h says why. */

void slices_release(struct slices *slices)
{
	free(slices->far);
	*slices = (struct slices){0};
}

static struct slice_length *place(struct slices *slices, int64_t dt_ns)
{
	uint64_t hash = (uint64_t)dt_ns * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (slices->cap - 1);

	while (slices->far[at].dt_ns && slices->far[at].dt_ns != dt_ns)
		at = (at + 1) & (slices->cap - 1);
	return &slices->far[at];
}

static void grow(struct slices *slices)
{
	struct slices old = *slices;

	slices->cap = old.cap ? old.cap * 2 : 2;
	slices->far = xcalloc(slices->cap, sizeof *slices->far);
	for (size_t i = 0; i < old.cap; i++)
		if (old.far[i].dt_ns)
			*place(slices, old.far[i].dt_ns) = old.far[i];
	free(old.far);
}

struct slice_sum *slices_far(struct slices *slices, int64_t dt_ns)
{
	struct slice_length *entry;

	if (slices->lengths * 2 >= slices->cap)
		grow(slices);
	entry = place(slices, dt_ns);
	slices->lengths += !entry->dt_ns;
	entry->dt_ns = dt_ns;
	return &entry->sum;
}

static void add_edges(
	struct slice_sum *to, const struct extreme *least, const struct extreme *largest)
{
	extreme_least(&to->least, to->has_edges, least);
	extreme_largest(&to->largest, to->has_edges, largest);
	to->has_edges = true;
}

static void add_edge(
	struct slice_sum *sum, const struct slice *slice, int64_t t_ns, int32_t segment)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;
	int128 rise = ((int128)slice->to - slice->from) * (t_ns - slice->from_ns);
	int128 down = rise / dt_ns - (rise % dt_ns < 0);
	const struct extreme least = {slice->from + (int64_t)down, t_ns, segment},
			     largest = {least.value + (rise % dt_ns != 0), t_ns, segment};

	add_edges(sum, &least, &largest);
}

void slice_edges(struct slice_sum *sum, const struct slice *slice,
	const struct slice_piece *piece, int32_t segment)
{
	add_edge(sum, slice, piece->from_ns, segment);
	add_edge(sum, slice, piece->to_ns, segment);
}

static void add(struct slice_sum *to, const struct slice_sum *sum)
{
	if (sum->has_edges)
		add_edges(to, &sum->least, &sum->largest);
	to->count += sum->count;
	to->time_ns += sum->time_ns;
	to->area += sum->area;
	for (int i = 0; i < BAND_COUNT; i++)
		to->band[i] += sum->band[i];
}

void slices_join(struct slices *slices, const struct slices *other)
{
	add(&slices->near, &other->near);
	for (size_t i = 0; i < other->cap; i++)
		if (other->far[i].dt_ns)
			add(slices_far(slices, other->far[i].dt_ns), &other->far[i].sum);
}

struct slice_sum slices_within(const struct slices *slices, int64_t limit_ns)
{
	struct slice_sum all = slices->near;

	for (size_t i = 0; i < slices->cap; i++)
		if (slices->far[i].dt_ns && slices->far[i].dt_ns <= limit_ns)
			add(&all, &slices->far[i].sum);
	return all;
}

/* How many are shorter than that length, or as long. */
static uint64_t count_within(const struct slices *slices, int64_t dt_ns)
{
	uint64_t count = slices->near.count;

	for (size_t i = 0; i < slices->cap; i++)
		if (slices->far[i].sum.count && slices->far[i].dt_ns <= dt_ns)
			count += slices->far[i].sum.count;
	return count;
}

int64_t slices_far_median(const struct slices *slices)
{
	uint64_t half =
		count_within(slices, INT64_MAX) / 2 + count_within(slices, INT64_MAX) % 2;
	int64_t median_ns = -1;

	if (!half || slices->near.count >= half)
		return -1;
	for (size_t i = 0; i < slices->cap; i++) {
		int64_t dt_ns = slices->far[i].dt_ns;

		if (slices->far[i].sum.count && (median_ns < 0 || dt_ns < median_ns) &&
			count_within(slices, dt_ns) >= half)
			median_ns = dt_ns;
	}
	return median_ns;
}

int128 slice_ramp(int64_t at_ns, int64_t dt_ns)
{
	uint64_t square, rest;

	if (at_ns == dt_ns)
		return (int128)dt_ns * RAMP_FRACTION;
	if (dt_ns >= INT64_C(1) << 50) /* days: no fraction, no overflow */
		return (int128)at_ns * at_ns / dt_ns * RAMP_FRACTION;
	if (dt_ns >= INT64_C(1) << 31)
		return (int128)at_ns * at_ns * RAMP_FRACTION / dt_ns;
	square = (uint64_t)at_ns * (uint64_t)at_ns;
	rest = square % (uint64_t)dt_ns;
	return (int128)(square / (uint64_t)dt_ns) * RAMP_FRACTION +
		(int64_t)(rest * RAMP_FRACTION / (uint64_t)dt_ns);
}

#define COMMON 512 /* a factor of NS_PER_S and of RISE_FRACTION: less to overflow */

void counter_init(struct counter *counter, enum metric_id metric)
{
	*counter = (struct counter){.metric = metric};
}

void counter_release(struct counter *counter)
{
	slices_release(&counter->parts);
}

void counter_value(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value)
{
	const struct extreme here = {value, t_ns, segment};

	extreme_least(&counter->least, counter->n > 0, &here);
	extreme_largest(&counter->largest, counter->n > 0, &here);
	counter->n++;
}

int128 slice_rise(const struct slice *slice, int64_t t_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns, at_ns = t_ns - slice->from_ns;
	int128 rise = slice->to - slice->from;

	if (at_ns == dt_ns)
		return rise * RISE_FRACTION;
	/* in two steps, so that nothing overflows */
	return rise * at_ns / dt_ns * RISE_FRACTION +
		rise * at_ns % dt_ns * RISE_FRACTION / dt_ns;
}

void counter_cover(struct counter *counter, const struct slice *slice,
	const struct slice_piece *piece)
{
	counter->rise +=
		slice_rise(slice, piece->to_ns) - slice_rise(slice, piece->from_ns);
	counter->time_ns += piece->to_ns - piece->from_ns;
}

void counter_cover_far(
	struct counter *counter, const struct slice *slice, int64_t time_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;
	int128 rise = slice_rise(slice, slice->from_ns + time_ns);
	struct slice_sum *sum;

	if (time_ns == dt_ns) {
		counter->rise += rise;
		counter->time_ns += time_ns;
		return;
	}
	sum = slices_far(&counter->parts, dt_ns);
	sum->count++;
	sum->time_ns += time_ns;
	sum->area += rise;
}

void counter_join(struct counter *counter, const struct counter *other)
{
	if (other->n) {
		extreme_least(&counter->least, counter->n > 0, &other->least);
		extreme_largest(&counter->largest, counter->n > 0, &other->largest);
	}
	counter->n += other->n;
	counter->missing += other->missing;
	counter->rise += other->rise;
	counter->time_ns += other->time_ns;
	slices_join(&counter->parts, &other->parts);
}

/*
 * What a GPU took in its life it does not take in one step: a value below, as the 0 that
 * some loggers write where it does not answer, was none of the counter's. One that began
 * anew gets there step by step.
 */
static bool comes_back(const struct counter *counter, int64_t value)
{
	return metric_get(counter->metric)->stats == STATS_ENERGY && counter->resets &&
		counter->prev < counter->before && value >= counter->before &&
		(int128)value - counter->prev >= (int128)counter->before - counter->after;
}

bool counter_follow(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended)
{
	bool ends = counter->has_prev && segment == counter->prev_segment &&
		t_ns >= counter->prev_ns;

	if (ends && value < counter->prev) {
		counter->resets++;
		counter->before = counter->prev;
		counter->after = value;
		ends = false;
	} else if (ends && comes_back(counter, value)) {
		ends = false;
	} else if (ends && t_ns == counter->prev_ns) {
		counter->rise += (int128)(value - counter->prev) * RISE_FRACTION;
		ends = false;
	}
	if (ends)
		*ended = (struct slice){
			counter->prev_ns, t_ns, counter->prev, value, 0, 0};
	counter->has_prev = true;
	counter->prev = value;
	counter->prev_ns = t_ns;
	counter->prev_segment = segment;
	return ends;
}

/* The rise over the time that was looked at, in 1/RISE_FRACTION, and that time. */
static int128 rise_within(
	const struct counter *counter, int64_t limit_ns, int128 *time_ns)
{
	struct slice_sum sum = {.count = 0};

	if (limit_ns >= 0)
		sum = slices_within(&counter->parts, limit_ns);
	*time_ns = sum.time_ns + counter->time_ns;
	return sum.area + counter->rise;
}

void counter_finish(const struct counter *counter, int64_t limit_ns, int64_t step_ns,
	struct metric_stats *stats)
{
	int128 time_ns, rise = rise_within(counter, limit_ns, &time_ns);
	int64_t per_unit = metric_get(counter->metric)->per_unit;
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);

	metric_stats_init(stats, counter->metric);
	stats->n = counter->n;
	stats->missing = counter->missing;
	stats->resets = counter->resets;
	if (step_ns && (counter->n || time_ns || slices_any(&counter->parts)))
		stats->covered_s = number_ratio(time_ns, NS_PER_S) * scale;
	if (counter->n > 1 || time_ns)
		stats->increase = number_ratio(rise, (int128)per_unit * RISE_FRACTION);
	stats->has_energy = metric_get(counter->metric)->stats == STATS_ENERGY;
	if (stats->has_energy && rise > 0)
		stats->energy_j = stats->increase;
	if (time_ns && step_ns)
		stats->rate_per_s =
			number_ratio(rise * (NS_PER_S / COMMON),
				time_ns * per_unit * (RISE_FRACTION / COMMON)) /
			scale;
	if (!counter->n)
		return;
	stats->min = number_ratio(counter->least.value, per_unit);
	stats->max = number_ratio(counter->largest.value, per_unit);
	if (step_ns < 0) {
		stats->min_at_ns = counter->least.t_ns;
		stats->max_at_ns = counter->largest.t_ns;
	}
}

/*
 * Shares of CPU time: summed over the run for the mean, and over windows of at least
 * one second for the other statistics. A tick is 10 ms, so shorter windows are mostly
 * rounding error.
 */

#define WINDOW_NS NS_PER_S

#define BIT(tick) (1u << TICK_##tick)

/* The eight that sum to 100 per cent; guests are already inside user and nice. */
#define WHOLE                                                                       \
	(BIT(USER) | BIT(NICE) | BIT(SYSTEM) | BIT(IDLE) | BIT(IOWAIT) | BIT(IRQ) | \
		BIT(SOFTIRQ) | BIT(STEAL))

static const struct {
	enum metric_id metric;
	unsigned parts; /* ticks that it sums */
	unsigned needs; /* ticks without which it is not published */
} formula[SHARE_COUNT] = {
	{METRIC_cpu_usr_pct, BIT(USER) | BIT(NICE), BIT(USER)},
	{METRIC_cpu_sys_pct, BIT(SYSTEM) | BIT(IRQ) | BIT(SOFTIRQ), BIT(SYSTEM)},
	{METRIC_cpu_user_pct, BIT(USER), BIT(USER)},
	{METRIC_cpu_nice_pct, BIT(NICE), BIT(NICE)},
	{METRIC_cpu_system_pct, BIT(SYSTEM), BIT(SYSTEM)},
	{METRIC_cpu_idle_pct, BIT(IDLE), BIT(IDLE)},
	{METRIC_cpu_iowait_pct, BIT(IOWAIT), BIT(IOWAIT)},
	{METRIC_cpu_irq_pct, BIT(IRQ), BIT(IRQ)},
	{METRIC_cpu_softirq_pct, BIT(SOFTIRQ), BIT(SOFTIRQ)},
	{METRIC_cpu_steal_pct, BIT(STEAL), BIT(STEAL)},
	{METRIC_cpu_guest_pct, BIT(GUEST) | BIT(GUEST_NICE), BIT(GUEST)},
	{METRIC_cpu_busy_pct, WHOLE & ~(BIT(IDLE) | BIT(IOWAIT)), BIT(IDLE)},
};

bool ticks_of_row(const struct sample_batch *batch, size_t row, int64_t ticks[TICK_COUNT])
{
	bool any = false;

	for (int i = 0; i < TICK_COUNT; i++)
		ticks[i] = -1;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		unsigned tick = (unsigned)column->metric - METRIC_cpu_user_ticks;

		if (tick >= TICK_COUNT || column->presence[row] != PRESENCE_VALUE)
			continue;
		ticks[tick] = column->value[row];
		any = true;
	}
	return any;
}

void shares_init(struct shares *s, int64_t step_ns)
{
	int128 window = WINDOW_NS;

	if (step_ns > 0)
		window = ((int128)WINDOW_NS * UNTIMED_STEP_NS + step_ns - 1) / step_ns;
	if (!step_ns || window > INT64_MAX)
		window = INT64_MAX;
	*s = (struct shares){.window_ns = (int64_t)window};
}

void shares_release(struct shares *s)
{
	for (int i = 0; i < SHARE_COUNT; i++)
		tally_release(&s->share[i].values);
}

static int128 sum_of(const int128 ticks[TICK_COUNT], unsigned parts)
{
	int128 sum = 0;

	for (int i = 0; i < TICK_COUNT; i++)
		if (parts & 1u << i)
			sum += ticks[i];
	return sum;
}

static void share_add(struct share *share, int128 part, int128 whole,
	const struct stats_window *window, int64_t t_ns)
{
	double value = number_ratio(100 * part, whole);
	double from_mean = value - share->mean;

	share->n++;
	share->sum += value;
	share->mean += from_mean / (double)share->n;
	share->squares += from_mean * (value - share->mean);
	if (share->n == 1 || value < share->min) {
		share->min = value;
		share->min_at_ns = t_ns;
		share->min_window = *window;
	}
	if (share->n == 1 || value > share->max) {
		share->max = value;
		share->max_at_ns = t_ns;
		share->max_window = *window;
	}
	/* rounded half up to 0.01 per cent */
	tally_add(&share->values, (int64_t)((20000 * part + whole) / (2 * whole)), 1);
}

static bool has_needed(const struct shares *s, int i)
{
	for (int tick = 0; tick < TICK_COUNT; tick++)
		if (formula[i].needs & 1u << tick && !s->has[tick])
			return false;
	return true;
}

void shares_tell(struct shares *s,
	void (*tell)(void *context, const struct share_window *window), void *context)
{
	s->tell = tell;
	s->context = context;
}

static void tell_window(const struct shares *s, int i, int128 part, int128 whole)
{
	const struct share_window window = {i, formula[i].metric, s->held_since_ns,
		s->held_until_ns, number_ratio(100 * part, whole)};

	if (s->tell && has_needed(s, i))
		s->tell(s->context, &window);
}

/* The one that is held. */
static void take_window(struct shares *s)
{
	const struct stats_window window = {s->held_since_ns, s->prev_segment};
	const int128 *ticks = s->held;
	int128 whole = sum_of(ticks, WHOLE);

	if (!whole) {
		s->empty_windows++;
		/* guests without a tick of the whole: damage, in no window */
		s->total[TICK_GUEST] -= ticks[TICK_GUEST];
		s->total[TICK_GUEST_NICE] -= ticks[TICK_GUEST_NICE];
		return;
	}
	for (int i = 0; i < SHARE_COUNT; i++) {
		int128 part = sum_of(ticks, formula[i].parts);

		share_add(&s->share[i], part, whole, &window, s->held_until_ns);
		tell_window(s, i, part, whole);
	}
}

/* The open window is long enough: it becomes the one that a remainder may join. */
static void hold_window(struct shares *s)
{
	if (s->has_held)
		take_window(s);
	memcpy(s->held, s->open, sizeof s->held);
	s->held_since_ns = s->open_since_ns;
	s->held_until_ns = s->open_until_ns;
	s->has_held = true;
	s->has_open = false;
}

/* At the end of a segment or of the log. */
static void close_windows(struct shares *s)
{
	if (s->has_open && s->has_held) {
		for (int i = 0; i < TICK_COUNT; i++)
			s->held[i] += s->open[i];
		s->held_until_ns = s->open_until_ns;
	} else if (s->has_open) {
		hold_window(s);
	}
	if (s->has_held)
		take_window(s);
	s->has_open = s->has_held = false;
}

static void extend_window(struct shares *s, const struct share_piece *piece)
{
	if (!s->has_open) {
		memset(s->open, 0, sizeof s->open);
		s->open_since_ns = piece->from_ns;
		s->open_cut_ns = 0;
		s->has_open = true;
	}
	for (int i = 0; i < TICK_COUNT; i++) {
		s->total[i] += piece->ticks[i];
		s->open[i] += piece->ticks[i];
	}
	s->open_until_ns = piece->to_ns;
	s->open_cut_ns += piece->to_ns - piece->from_ns - piece->time_ns;
	if (s->open_until_ns - s->open_since_ns - s->open_cut_ns >= s->window_ns)
		hold_window(s);
}

static void add_slice(struct shares *s, int64_t t_ns, const int64_t ticks[TICK_COUNT])
{
	struct share_piece slice = {
		s->prev_ns, t_ns, t_ns - s->prev_ns, s->prev_segment, {0}};

	for (int i = 0; i < TICK_COUNT; i++) {
		if (ticks[i] < 0 || s->prev[i] < 0)
			continue;
		/* iowait may go down; idle after suspend or hotplug */
		if (ticks[i] < s->prev[i])
			s->clamped++;
		else
			slice.ticks[i] = ticks[i] - s->prev[i];
	}
	s->slices++;
	extend_window(s, &slice);
}

void shares_add(struct shares *s, int64_t t_ns, int32_t segment,
	const int64_t ticks[TICK_COUNT], bool matched)
{
	if (s->has_prev && segment != s->prev_segment)
		close_windows(s);
	else if (s->has_prev && matched)
		add_slice(s, t_ns, ticks);
	for (int i = 0; i < TICK_COUNT; i++)
		s->has[i] |= ticks[i] >= 0;
	memcpy(s->prev, ticks, sizeof s->prev);
	s->prev_ns = t_ns;
	s->prev_segment = segment;
	s->has_prev = true;
}

void shares_cover(struct shares *s, const struct share_piece *piece)
{
	if (piece->from_ns != s->prev_ns || piece->segment != s->prev_segment)
		close_windows(s);
	s->prev_ns = piece->to_ns;
	s->prev_segment = piece->segment;
	extend_window(s, piece);
}

void shares_finish(struct shares *s)
{
	close_windows(s);
	for (int i = 0; i < SHARE_COUNT; i++)
		tally_sort(&s->share[i].values);
}

/* A percentile of rounded values, kept within the range of the unrounded ones. */
static double percentile(const struct share *share, unsigned percent)
{
	double value = tally_percentile(&share->values, percent, 100);

	return value < share->min ? share->min : value > share->max ? share->max : value;
}

bool shares_get(struct shares *s, int i, struct metric_stats *stats)
{
	const struct share *share = &s->share[i];
	int128 whole = sum_of(s->total, WHOLE);

	if (!has_needed(s, i))
		return false;
	metric_stats_init(stats, formula[i].metric);
	stats->n = share->n;
	stats->missing = s->empty_windows;
	stats->sum = share->sum;
	if (whole)
		stats->mean =
			number_ratio(100 * sum_of(s->total, formula[i].parts), whole);
	if (!share->n)
		return true;
	stats->mean_samples = share->sum / (double)share->n;
	stats->min = share->min;
	stats->max = share->max;
	stats->min_at_ns = share->min_at_ns;
	stats->max_at_ns = share->max_at_ns;
	stats->min_window = share->min_window;
	stats->max_window = share->max_window;
	stats->p50 = percentile(share, 50);
	stats->p90 = percentile(share, 90);
	stats->p95 = percentile(share, 95);
	stats->p99 = percentile(share, 99);
	if (share->n > 1)
		stats->stddev = sqrt(share->squares / (double)(share->n - 1));
	return true;
}
