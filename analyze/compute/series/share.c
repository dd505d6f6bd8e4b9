/*
 * Differences of counters, summed over the run for the mean and over windows of at least
 * one second for the rest: a tick is 10 ms, so a share of less time is mostly rounding.
 */
#include "compute/series/share.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "compute/series/gauge.h"

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

static void add_slice(struct shares *s, int64_t t_ns, const int64_t ticks[TICK_COUNT])
{
	if (!s->has_open) {
		memset(s->open, 0, sizeof s->open);
		s->open_since_ns = s->prev_ns;
		s->has_open = true;
	}
	for (int i = 0; i < TICK_COUNT; i++) {
		int64_t delta;

		if (ticks[i] < 0 || s->prev[i] < 0)
			continue;
		delta = ticks[i] - s->prev[i];
		if (delta < 0) {
			/* iowait may go down; idle after suspend or hotplug */
			s->clamped++;
			continue;
		}
		s->total[i] += delta;
		s->open[i] += delta;
	}
	s->slices++;
	s->open_until_ns = t_ns;
	if (t_ns - s->open_since_ns >= s->window_ns)
		hold_window(s);
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

void shares_break(struct shares *s)
{
	close_windows(s);
	s->has_prev = false;
}

void shares_replace(struct shares *s, const int128 total[TICK_COUNT])
{
	memcpy(s->total, total, sizeof s->total);
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
