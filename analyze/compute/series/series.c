/*
 * Series of any kind of metric: one switch per operation. Also states and whole
 * batches at once.
 */
#include "compute/series/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Gauges: integer sums while samples are added, doubles at the end. */

/* Count, sum and sum of squares in quanta, whatever the order of the values. */
struct moments {
	uint64_t n;
	int128 sum;
	uint128 squares;
};

/* Of a sorted tally's values. */
static struct moments moments_of(const struct tally *tally)
{
	struct moments m = {.n = tally->total};

	for (size_t i = 0; i < tally->distinct; i++) {
		int128 value = tally->entry[i].value,
		       count = (int128)tally->entry[i].count;

		m.sum += value * count;
		m.squares += (uint128)(value * value) * (uint128)count;
	}
	return m;
}

/* In the unit of which per_unit quanta make one; of no values NAN. */
static double moments_mean(const struct moments *m, int64_t per_unit)
{
	return m->n ? number_ratio(m->sum, (int128)m->n * per_unit) : NAN;
}

/*
 * Without cancellation: with q = sum / n in integers and r the remainder,
 * sum (x - q)^2 = sum x^2 - 2 q sum x + n q^2 exactly (modulo 2^128, and the result is
 * small), and the squared deviations from the mean are that less r^2 / n. Of the sample
 * (n - 1); NAN for n < 2.
 */
static double moments_deviation(const struct moments *m, int64_t per_unit)
{
	int128 n = (int128)m->n, q, r;
	uint128 about_q;
	long double squares;

	if (n < 2)
		return NAN;
	q = m->sum / n;
	r = m->sum % n;
	about_q = m->squares - 2 * (uint128)q * (uint128)m->sum +
		(uint128)n * (uint128)q * (uint128)q;
	squares = (long double)about_q - (long double)r * (long double)r / (long double)n;
	if (squares < 0)
		squares = 0;
	return (double)(sqrtl(squares / (long double)(n - 1)) / (long double)per_unit);
}

void gauge_init(struct gauge *g, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	*g = (struct gauge){.metric = metric,
		.interval_average = m->kind == KIND_SHARE,
		.with_above = m->stats == STATS_ABOVE};
	for (int i = 0; i < ABOVE_COUNT; i++)
		g->threshold[i] = (int64_t)above_threshold[i] * m->per_unit;
}

void gauge_release(struct gauge *g)
{
	slices_release(&g->slices);
	tally_release(&g->values);
}

/* dt * into / rise, rounded down; nearly always in 64 bits, whose division is quick. */
static int128 share_of(int128 dt, int64_t into, int64_t rise)
{
	int64_t product;

	if (dt <= INT64_MAX && !__builtin_mul_overflow((int64_t)dt, into, &product))
		return product / rise;
	return dt * into / rise;
}

/*
 * Where the line of a slice meets a threshold between its values, from the slice's begin;
 * so that the time above is rounded down.
 */
static int128 crossing(const struct slice *slice, int64_t threshold)
{
	int128 dt = (int128)(slice->to_ns - slice->from_ns) * ABOVE_FRACTION;

	if (slice->to < slice->from)
		return share_of(dt, slice->from - threshold, slice->from - slice->to);
	return dt - share_of(dt, slice->to - threshold, slice->to - slice->from);
}

/* How long it lies above, in a piece of it. */
static int128 piece_above(
	const struct slice *slice, const struct slice_piece *piece, int64_t threshold)
{
	int128 at = crossing(slice, threshold);
	int128 from = (int128)(piece->from_ns - slice->from_ns) * ABOVE_FRACTION;
	int128 to = (int128)(piece->to_ns - slice->from_ns) * ABOVE_FRACTION;

	if (slice->to > slice->from)
		from = from < at ? at : from;
	else
		to = to > at ? at : to;
	return to > from ? to - from : 0;
}

void gauge_cross(const struct gauge *g, struct slice_sum *sum, const struct slice *slice,
	const struct slice_piece *piece)
{
	bool rises = slice->from_band < slice->to_band;
	int band = rises ? slice->from_band : slice->to_band;
	int high = rises ? slice->to_band : slice->from_band;
	int128 left = (int128)(piece->to_ns - piece->from_ns) * ABOVE_FRACTION;

	for (; band < high; band++) {
		int128 above = piece_above(slice, piece, g->threshold[band]);

		sum->band[band] += left - above;
		left = above;
	}
	sum->band[band] += left;
}

/* Adds the sums of a gauge that looked at other times. */
static void gauge_join(struct gauge *g, struct gauge *other)
{
	if (other->n) {
		extreme_least(&g->least, g->n > 0, &other->least);
		extreme_largest(&g->largest, g->n > 0, &other->largest);
	}
	g->n += other->n;
	g->missing += other->missing;
	slices_join(&g->slices, &other->slices);
	tally_join(&g->values, &other->values);
}

bool gauge_follow(struct gauge *g, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended)
{
	bool ends = g->has_ends && g->prev_segment == segment && t_ns > g->prev_ns;
	int band = g->with_above ? gauge_band(g, value) : 0;

	if (ends && g->interval_average)
		*ended = (struct slice){g->prev_ns, t_ns, value, value, band, band};
	else if (ends)
		*ended = (struct slice){
			g->prev_ns, t_ns, g->prev, value, g->prev_band, band};
	if (!g->has_ends)
		g->first = value;
	g->before = g->has_ends ? g->prev : value;
	g->before_ns = g->has_ends ? g->prev_ns : t_ns;
	g->has_ends = true;
	g->prev = value;
	g->prev_band = band;
	g->prev_ns = t_ns;
	g->prev_segment = segment;
	return ends;
}

/*
 * The gap limit in the time that the sums are in: where rows stand UNTIMED_STEP_NS apart
 * because the log has no times, scaled; -1: no gap can be told. step_ns: as below.
 */
static int64_t gauge_limit(int64_t limit_ns, int64_t step_ns)
{
	int128 limit;

	if (limit_ns < 0 || step_ns < 0)
		return limit_ns;
	if (!step_ns)
		return -1;
	limit = (int128)limit_ns * UNTIMED_STEP_NS / step_ns;
	return limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

/*
 * The least and the largest of the samples, and of a gauge that looks at some of the time
 * of the line where it was cut. Of equal ones a sample counts.
 */
static void finish_extremes(const struct gauge *g, const struct slice_sum *all,
	bool timed, int64_t per_unit, struct metric_stats *stats)
{
	bool edges = all->has_edges && !g->has_ends;
	struct extreme least = g->least, largest = g->largest;

	if (g->means_only || (!g->n && !edges))
		return;
	if (edges && (!g->n || all->least.value < least.value))
		least = all->least;
	if (edges && (!g->n || all->largest.value > largest.value))
		largest = all->largest;
	stats->min = number_ratio(least.value, per_unit);
	stats->max = number_ratio(largest.value, per_unit);
	stats->min_at_ns = timed ? least.t_ns : TIME_NONE;
	stats->max_at_ns = timed ? largest.t_ns : TIME_NONE;
}

static void finish_time(const struct gauge *g, int64_t limit_ns, int64_t step_ns,
	int64_t per_unit, struct metric_stats *stats)
{
	/* What a second of the sums stands for. */
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);
	int64_t limit = gauge_limit(limit_ns, step_ns);
	struct slice_sum all = {0};
	int128 above = 0;

	if (limit >= 0)
		all = slices_within(&g->slices, limit);
	if (g->n || slices_any(&g->slices))
		stats->covered_s =
			limit >= 0 ? number_ratio(all.time_ns, NS_PER_S) * scale : NAN;
	finish_extremes(g, &all, step_ns < 0, per_unit, stats);
	if (!all.time_ns)
		return;
	stats->mean = number_ratio(all.area, 2 * all.time_ns * per_unit);
	if (stats->has_energy) /* W s: the trapezoids' sum */
		stats->energy_j =
			number_ratio(all.area, (int128)2 * NS_PER_S * per_unit) * scale;
	for (int i = ABOVE_COUNT; stats->has_above && i-- > 0;) {
		above += all.band[i + 1];
		stats->above[i] = number_ratio(above, all.time_ns * ABOVE_FRACTION);
	}
}

void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats)
{
	const struct metric *m = metric_get(g->metric);
	struct moments of;

	metric_stats_init(stats, g->metric);
	stats->n = g->n;
	stats->missing = g->missing;
	stats->has_above = g->with_above;
	stats->has_energy = m->stats == STATS_ENERGY;
	finish_time(g, limit_ns, step_ns, m->per_unit, stats);
	if (!g->n || g->means_only)
		return;
	tally_sort(&g->values);
	of = moments_of(&g->values);
	stats->sum = number_ratio(of.sum, m->per_unit);
	stats->mean_samples = moments_mean(&of, m->per_unit);
	stats->p50 = tally_percentile(&g->values, 50, m->per_unit);
	stats->p90 = tally_percentile(&g->values, 90, m->per_unit);
	stats->p95 = tally_percentile(&g->values, 95, m->per_unit);
	stats->p99 = tally_percentile(&g->values, 99, m->per_unit);
	stats->stddev = moments_deviation(&of, m->per_unit);
	tally_release(&g->values);
	if (isnan(stats->mean) && g->has_ends) /* nothing is covered */
		stats->mean = stats->mean_samples;
}

#define STATES_OTHER INT64_MAX

/* States: time per value; a mask is split into bits at the end. */

static void states_release(struct states *states)
{
	for (size_t i = 0; i < states->count; i++)
		slices_release(&states->sum[i].far);
	free(states->sum);
}

/* The place of a value's sum. */
static size_t find(struct states *states, int64_t value)
{
	if (states->count && states->sum[states->at].value == value)
		return states->at;
	for (size_t i = 0; i < states->count; i++)
		if (states->sum[i].value == value)
			return i;
	if (states->count > STATES_MAX)
		return STATES_MAX;
	ALLOC_GROW(states->sum, states->count + 1, states->cap);
	states->sum[states->count] = (struct state_sum){
		.value = states->count == STATES_MAX ? STATES_OTHER : value};
	return states->count++;
}

static void states_value(struct states *states, int64_t value)
{
	states->at = find(states, value);
	states->sum[states->at].n++;
	states->n++;
}

static void states_cover(struct states *states, const struct slice *slice,
	const struct slice_piece *piece, int64_t short_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;
	int64_t time_ns = piece->to_ns - piece->from_ns;
	struct state_sum *sum;
	struct slice_sum *far;

	states->at = find(states, slice->from);
	sum = &states->sum[states->at];
	if (dt_ns <= short_ns) {
		sum->near_ns += time_ns;
		return;
	}
	far = slices_far(&sum->far, dt_ns);
	far->count += piece->from_ns == slice->from_ns;
	far->time_ns += time_ns;
}

static void states_join(struct states *states, const struct states *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct state_sum *from = &other->sum[i];
		size_t at = find(states, from->value); /* may move them */
		struct state_sum *to = &states->sum[at];

		to->n += from->n;
		to->near_ns += from->near_ns;
		slices_join(&to->far, &from->far);
	}
	states->n += other->n;
	states->missing += other->missing;
}

/* As gauge_follow: the values of *ended are that of the state that it was in. Not inline:
 * gauges, which are most, need no room for it. */
__attribute__((noinline)) static bool states_follow(struct states *states, int64_t t_ns,
	int32_t segment, const int64_t *value, struct slice *ended)
{
	bool ends =
		states->open && segment == states->prev_segment && t_ns > states->prev_ns;

	if (ends)
		*ended = (struct slice){states->prev_ns, t_ns,
			states->sum[states->held].value, states->sum[states->held].value,
			0, 0};
	if (value)
		states->held = states->at = find(states, *value);
	states->open = value != NULL;
	states->prev_ns = t_ns;
	states->prev_segment = segment;
	return ends;
}

/* What is covered of a value's time. */
static int128 covered_ns(const struct state_sum *sum, int64_t limit_ns)
{
	return sum->near_ns + slices_within(&sum->far, limit_ns).time_ns;
}

/* One state as it is published, before its time is divided. */
struct entry {
	char name[STATE_NAME_MAX];
	uint64_t n;
	int128 ns;
};

struct entries {
	struct entry *at;
	size_t count, cap;
};

static struct entry *entry_of(struct entries *entries, const char *name)
{
	struct entry *entry;

	for (size_t i = 0; i < entries->count; i++)
		if (strcmp(entries->at[i].name, name) == 0)
			return &entries->at[i];
	entry = &ALLOC_NEXT(entries->at, entries->count, entries->cap);
	*entry = (struct entry){.n = 0};
	memcpy(entry->name, name, strlen(name) + 1); /* a word, or one of ours */
	return entry;
}

static void add_entry(struct entries *entries, const char *name, uint64_t n, int128 ns)
{
	struct entry *entry = entry_of(entries, name);

	entry->n += n;
	entry->ns += ns;
}

/* A mask counts for each of its bits; one without bits is "none". */
static void add_flags(struct entries *entries, const struct state_sum *sum,
	enum metric_id metric, int128 ns)
{
	if (!sum->value)
		add_entry(entries, "none", sum->n, ns);
	for (unsigned bit = 0; bit < 63; bit++) {
		const char *name = metric_flag_name(metric, bit);
		struct strbuf number;

		if (!(sum->value >> bit & 1))
			continue;
		strbuf_init(&number);
		strbuf_addf(&number, "0x%llx", 1ULL << bit);
		add_entry(entries, name ? name : number.text, sum->n, ns);
		strbuf_release(&number);
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Fills n, missing, covered_s and the states, longest first; as gauge_finish. The words
 * of texts outlive the statistics. */
static void states_finish(const struct states *states, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats)
{
	bool flags = !metric_is_text(states->metric);
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);
	int64_t limit = gauge_limit(limit_ns, step_ns);
	struct entries entries = {0};
	int128 all_ns = 0;

	for (size_t i = 0; i < states->count; i++) {
		const struct state_sum *sum = &states->sum[i];
		int128 ns = limit < 0 ? 0 : covered_ns(sum, limit);
		const char *word = flags ? NULL : texts_word(texts, sum->value);

		all_ns += ns;
		if (sum->value == STATES_OTHER)
			add_entry(&entries, "(others)", sum->n, ns);
		else if (flags)
			add_flags(&entries, sum, states->metric, ns);
		else
			add_entry(&entries, word ? word : "", sum->n, ns);
	}
	metric_stats_init(stats, states->metric);
	stats->n = states->n;
	stats->missing = states->missing;
	if (states->count)
		stats->covered_s =
			limit >= 0 ? number_ratio(all_ns, NS_PER_S) * scale : NAN;
	SORT(entries.at, entries.count, longest_first);
	stats->state = xcalloc(entries.count + 1, sizeof *stats->state);
	stats->state_count = entries.count;
	for (size_t i = 0; i < entries.count; i++) {
		struct state_time *to = &stats->state[i];

		memcpy(to->name, entries.at[i].name, sizeof to->name);
		to->n = entries.at[i].n;
		to->seconds = limit >= 0
			? number_ratio(entries.at[i].ns, NS_PER_S) * scale
			: NAN;
		to->share = all_ns ? number_ratio(entries.at[i].ns, all_ns) : NAN;
	}
	free(entries.at);
}

struct series *series_new(enum metric_id metric)
{
	struct series *series = xcalloc(1, sizeof *series);

	series->kind = metric_get(metric)->kind;
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_init(&series->gauge, metric);
		break;
	case KIND_COUNTER:
		counter_init(&series->counter, metric);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		series->states = (struct states){.metric = metric};
		break;
	case KIND_TICKS:
		assert(false);
	}
	return series;
}

void series_keep_course(struct series *series, enum metric_id metric, int64_t origin_ns)
{
	if (series->kind != KIND_GAUGE)
		return;
	if (metric_course(metric) != COURSE_NONE) {
		series->course = xmalloc(sizeof *series->course);
		course_init(series->course, origin_ns, COURSE_BINS);
	}
	if (metric_course(metric) == COURSE_LEVEL)
		series->steps = xcalloc(1, sizeof *series->steps);
	if (ending_find(metric) < ENDING_METRICS) {
		series->tail = xmalloc(sizeof *series->tail);
		tail_init(series->tail, origin_ns);
	}
}

static void free_course(struct course *course)
{
	if (course)
		course_release(course);
	free(course);
}

void series_free(struct series *series)
{
	if (!series)
		return;
	free_course(series->course);
	free_course(series->tail);
	if (series->steps)
		steps_release(series->steps);
	free(series->steps);
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_release(&series->gauge);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_release(&series->states);
		break;
	case KIND_COUNTER:
		counter_release(&series->counter);
		break;
	case KIND_TICKS:
		break;
	}
	free(series);
}

bool series_follow(struct series *series, const struct instant *at, const int64_t *value,
	struct slice *ended)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		series->gauge.limit_known = at->limit_known;
		return value &&
			gauge_follow(
				&series->gauge, at->t_ns, at->segment, *value, ended);
	case KIND_COUNTER:
		return value &&
			counter_follow(
				&series->counter, at->t_ns, at->segment, *value, ended);
	case KIND_STATE:
	case KIND_FLAGS:
		return states_follow(
			&series->states, at->t_ns, at->segment, value, ended);
	case KIND_TICKS:
		break;
	}
	return false;
}

void series_take_other(
	struct series *series, const struct instant *at, const int64_t *value)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		if (value)
			gauge_value(&series->gauge, at->t_ns, at->segment, *value);
		else
			series->gauge.missing++;
		break;
	case KIND_COUNTER:
		if (value)
			counter_value(&series->counter, at->t_ns, at->segment, *value);
		else
			series->counter.missing++;
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		if (value)
			states_value(&series->states, *value);
		else
			series->states.missing++;
		break;
	case KIND_TICKS:
		break;
	}
}

void series_cover_other(struct series *series, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		if (!instant_is_gap(at, slice))
			gauge_cover(&series->gauge, slice, piece, area, at->short_ns);
		break;
	case KIND_COUNTER:
		counter_cover(&series->counter, slice, piece);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_cover(&series->states, slice, piece, at->short_ns);
		break;
	case KIND_TICKS:
		break;
	}
}

void series_cover_far(struct series *series, const struct slice *slice, int64_t time_ns)
{
	if (series->kind == KIND_COUNTER)
		counter_cover_far(&series->counter, slice, time_ns);
}

void series_join(struct series *series, struct series *other)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_join(&series->gauge, &other->gauge);
		break;
	case KIND_COUNTER:
		counter_join(&series->counter, &other->counter);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_join(&series->states, &other->states);
		break;
	case KIND_TICKS:
		break;
	}
}

/* The statistics are those of the gauge. */
static void finish_growth(const struct series *series, struct metric_stats *stats)
{
	const struct gauge *g = &series->gauge;
	int64_t per_unit = metric_get(g->metric)->per_unit;

	stats->has_growth = metric_course(g->metric) == COURSE_GROWTH;
	if (!stats->has_growth)
		return;
	if (g->has_ends && g->n >= 2)
		stats->growth = number_ratio((int128)g->prev - g->first, per_unit);
	if (g->has_ends) {
		stats->recent =
			number_ratio(g->before > g->prev ? g->before : g->prev, per_unit);
		stats->recent_at_ns = g->before_ns;
	}
	if (series->course) {
		stats->slope_per_h = course_slope_per_h(series->course, per_unit);
		stats->least_rise = course_least_rise(series->course, per_unit);
	}
}

void series_finish(struct series *series, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_finish(&series->gauge, limit_ns, step_ns, stats);
		finish_growth(series, stats);
		break;
	case KIND_COUNTER:
		counter_finish(&series->counter, limit_ns, step_ns, stats);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_finish(&series->states, limit_ns, step_ns, texts, stats);
		break;
	case KIND_TICKS:
		break;
	}
	stats->gap_limit_s = limit_ns < 0 ? NAN : number_ratio(limit_ns, NS_PER_S);
}

/*
 * Batches at once: values are copied side by side, one loop per sum. Sums of a batch
 * fit into 64 bits if each summand does.
 */

/* Those that are there; of what is missing the number is returned. */
static uint64_t gather(struct row_values *v, const struct sample_batch *batch,
	const struct sample_column *column, bool full)
{
	const struct row_group *group = v->group;
	uint64_t missing = 0;

	if (full && v->whole) {
		for (size_t i = 0; i < group->count; i++)
			v->value[i] = column->value[group->row[i]];
		return 0;
	}
	v->count = 0;
	for (size_t i = 0; i < group->count; i++) {
		size_t row = group->row[i];

		v->t_ns[v->count] = batch->t_ns[row];
		v->value[v->count] = column->value[row];
		v->segment[v->count] = batch->segment[row];
		v->count += column->presence[row] == PRESENCE_VALUE;
		missing += column->presence[row] == PRESENCE_MISSING;
	}
	v->whole = v->count == group->count;
	return missing;
}

/* Are they of one segment, each later than the one before, by so little that there is no
 * gap? */
static bool are_even(const struct row_values *v)
{
	return v->whole && v->group->even;
}

static void keep_course(struct series *series, const struct row_values *v)
{
	if (series->course)
		course_add_each(series->course, v->t_ns, v->value, v->count);
	if (series->tail)
		tail_add_each(series->tail, v->t_ns, v->value, v->count);
}

/* The first row with that value, which is the extreme's or is beyond it. known: there is
 * one. */
static void take_extreme(
	struct extreme *extreme, bool known, const struct row_values *v, int64_t value)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct extreme here = {value, v->t_ns[i], v->segment[i]};

		if (v->value[i] != value)
			continue;
		if (!known || extreme->value != value || extreme_is_first(&here, extreme))
			*extreme = here;
		known = true;
		if (are_even(v))
			break;
	}
}

/* The least and the largest of them. */
struct extent {
	int64_t low, high;
};

static struct extent take_extremes(struct gauge *g, const struct row_values *v)
{
	int64_t low = v->value[0], high = v->value[0];
	bool known = g->n > 0;

	for (size_t i = 1; i < v->count; i++) {
		low = v->value[i] < low ? v->value[i] : low;
		high = v->value[i] > high ? v->value[i] : high;
	}
	if (!known || low <= g->least.value)
		take_extreme(&g->least, known, v, low);
	if (!known || high >= g->largest.value)
		take_extreme(&g->largest, known, v, high);
	return (struct extent){low, high};
}

/* A slice that is not like most. */
static void take_slice(struct series *series, const struct slice *slice, int32_t segment,
	int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	const struct slice_piece whole = slice_whole(slice);
	bool is_long = slice->to_ns - slice->from_ns > short_ns;

	if (is_long && series->steps)
		steps_keep(series->steps, GAPS_LISTED,
			(struct step){.start_ns = slice->from_ns,
				.dt_ns = slice->to_ns - slice->from_ns,
				.segment = segment});
	if (!is_long || !limit_known)
		gauge_cover(g, slice, &whole, slice_area(slice), short_ns);
}

/* Sums of slices that stay in a band and can't be gaps, none of them longer than that. */
#define NEAR_NS_MAX (INT64_MAX / SAMPLE_BATCH_ROWS)

struct near_sum {
	uint64_t count;
	int64_t time_ns;
	int128 area;
	int64_t band_ns[BAND_COUNT];
};

static void add_near(struct gauge *g, const struct near_sum *near)
{
	struct slice_sum *sum = &g->slices.near;

	sum->count += near->count;
	sum->time_ns += near->time_ns;
	sum->area += near->area;
	for (size_t i = 0; g->with_above && i < BAND_COUNT; i++)
		sum->band[i] += (int128)near->band_ns[i] * ABOVE_FRACTION;
}

/* The same of even values, from the first of them on: by thresholds. */
static void take_even_bands(struct gauge *g, const struct row_values *v)
{
	int64_t band_ns[BAND_COUNT] = {0};
	int from = g->prev_band;

	for (size_t i = 1; i < v->count; i++) {
		const struct slice slice = {v->t_ns[i - 1], v->t_ns[i], v->value[i - 1],
			v->value[i], from, gauge_band(g, v->value[i])};
		const struct slice_piece whole = slice_whole(&slice);

		if (slice.to_band == from)
			band_ns[from] += slice.to_ns - slice.from_ns;
		else
			gauge_cross(g, &g->slices.near, &slice, &whole);
		from = slice.to_band;
	}
	for (size_t i = 0; i < BAND_COUNT; i++)
		g->slices.near.band[i] += (int128)band_ns[i] * ABOVE_FRACTION;
	g->prev_band = from;
}

static void take_even(struct gauge *g, const struct row_values *v)
{
	struct slice_sum *sum = &g->slices.near;
	int128 area = 0;

	for (size_t i = 1; i < v->count; i++)
		area += (int128)(v->value[i - 1] + v->value[i]) *
			(v->t_ns[i] - v->t_ns[i - 1]);
	sum->count += v->count - 1;
	sum->time_ns += v->t_ns[v->count - 1] - v->t_ns[0];
	sum->area += area;
	if (g->with_above)
		take_even_bands(g, v);
}

/* As gauge_follow and gauge_cover, of the values in [from, to). */
static void take_slices(struct series *series, const struct row_values *v, size_t from,
	size_t to, int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	int64_t prev_ns = g->prev_ns, prev = g->prev;
	int64_t near_ns = short_ns < NEAR_NS_MAX ? short_ns : NEAR_NS_MAX;
	int32_t prev_segment = g->prev_segment;
	int prev_band = g->prev_band;
	struct near_sum near = {0};

	for (size_t i = from; i < to; i++) {
		int64_t t_ns = v->t_ns[i], value = v->value[i], sum;
		int band = g->with_above ? gauge_band(g, value) : 0;

		if (v->segment[i] == prev_segment && t_ns > prev_ns) {
			if (t_ns - prev_ns <= near_ns && band == prev_band &&
				!__builtin_add_overflow(prev, value, &sum)) {
				near.count++;
				near.time_ns += t_ns - prev_ns;
				near.area += (int128)sum * (t_ns - prev_ns);
				near.band_ns[band] += t_ns - prev_ns;
			} else {
				take_slice(series,
					&(struct slice){prev_ns, t_ns, prev, value,
						prev_band, band},
					prev_segment, short_ns, limit_known);
			}
		}
		prev_ns = t_ns;
		prev = value;
		prev_band = band;
		prev_segment = v->segment[i];
	}
	g->prev_band = prev_band;
	add_near(g, &near);
}

/* What gauge_follow leaves behind. */
static void end_with(struct gauge *g, const struct row_values *v)
{
	size_t last = v->count - 1;

	g->before = last ? v->value[last - 1] : g->prev;
	g->before_ns = last ? v->t_ns[last - 1] : g->prev_ns;
	g->prev = v->value[last];
	g->prev_ns = v->t_ns[last];
	g->prev_segment = v->segment[last];
}

/* The first value of all begins no slice before it. */
static void begin(struct gauge *g, const struct row_values *v)
{
	g->first = g->prev = v->value[0];
	g->prev_ns = v->t_ns[0];
	g->prev_segment = v->segment[0];
	g->prev_band = g->with_above ? gauge_band(g, v->value[0]) : 0;
	g->has_ends = true;
}

void series_take_rows(struct series *series, const struct sample_batch *batch,
	const struct sample_column *column, bool full, struct row_values *values,
	int64_t short_ns, bool limit_known)
{
	struct gauge *g = &series->gauge;
	struct row_values *v = values;
	bool even, begins = !g->has_ends;
	struct extent extent;

	g->missing += gather(v, batch, column, full);
	g->limit_known = limit_known;
	if (!v->count)
		return;
	keep_course(series, v);
	if (begins)
		begin(g, v);
	extent = take_extremes(g, v);
	/* the sum of two fits into 64 bits */
	even = are_even(v) && extent.low >= INT64_MIN / 2 && extent.high <= INT64_MAX / 2;
	take_slices(series, v, begins, even ? 1 : v->count, short_ns, limit_known);
	if (even)
		take_even(g, v);
	end_with(g, v);
	g->n += v->count;
	tally_add_each(&g->values, v->value, v->count);
}

/* Rows of a batch by device: a counting sort. */

void row_groups_release(struct row_groups *groups)
{
	free(groups->group);
	free(groups->of);
	*groups = (struct row_groups){.group = NULL};
}

void row_groups_clear(struct row_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		groups->of[groups->group[i].device] = 0;
	groups->count = groups->rows = 0;
}

void row_groups_add(
	struct row_groups *groups, const struct sample_batch *batch, size_t row)
{
	uint32_t device = batch->device[row];

	ALLOC_AT(groups->of, device, groups->devices, groups->of_cap);
	if (!groups->of[device]) {
		ALLOC_NEXT(groups->group, groups->count, groups->cap) =
			(struct row_group){.device = device};
		groups->of[device] = (uint32_t)groups->count;
	}
	groups->group[groups->of[device] - 1].count++;
	groups->taken[groups->rows++] = (uint16_t)row;
}

static bool is_even(
	const struct row_group *group, const struct sample_batch *batch, int64_t near_ns)
{
	size_t before = group->row[0];

	for (size_t i = 1; i < group->count; i++) {
		size_t row = group->row[i];

		if (batch->t_ns[row] <= batch->t_ns[before] ||
			batch->t_ns[row] - batch->t_ns[before] > near_ns ||
			batch->segment[row] != batch->segment[before])
			return false;
		before = row;
	}
	return true;
}

void row_groups_settle(struct row_groups *groups, const struct run *run,
	const struct sample_batch *batch, int64_t near_ns)
{
	uint16_t *from = groups->row;

	for (size_t i = 0; i < groups->count; i++) {
		groups->group[i].row = from;
		from += groups->group[i].count;
		groups->group[i].count = 0;
	}
	for (size_t i = 0; i < groups->rows; i++) {
		uint16_t row = groups->taken[i];
		struct row_group *group =
			&groups->group[groups->of[batch->device[row]] - 1];
		size_t at = (size_t)(group->row - groups->row) + group->count++;

		groups->row[at] = row;
	}
	for (size_t i = 0; i < groups->count; i++) {
		struct row_group *group = &groups->group[i];

		group->even = is_even(group, batch, near_ns);
		group->is_gpu = run->device[group->device].kind == DEVICE_GPU;
		group->is_core = device_is_core(&run->device[group->device]);
	}
}

/* Chooses a GPU's energy and sums energy over GPUs. */

/* A counter covers at least so much of what its GPU's power covers. */
#define COUNTER_COVERS 0.95

/* ... and of so many values one went back at most. */
#define VALUES_A_RESET 10

/* What goes back again and again counts nothing: each row's own energy, for one. */
static bool is_counter(const struct metric_stats *run)
{
	return run->resets <= run->n / VALUES_A_RESET;
}

static double share_covered(double covered_s, double seconds)
{
	if (!(seconds > 0))
		return NAN;
	return covered_s > seconds ? 1 : covered_s / seconds;
}

/* run: what the run says of the same. */
static void weigh(struct metric_stats *s, const struct metric_stats *run, double seconds)
{
	s->energy_chosen = false;
	if (!s->has_energy)
		return;
	if (s->metric == METRIC_gpu_energy_j && !is_counter(run))
		s->energy_j = NAN;
	s->energy_coverage =
		isnan(s->energy_j) ? NAN : share_covered(s->covered_s, seconds);
}

/* Of the first kind of log that has it; NULL: none. */
static struct metric_stats *counted(const struct report *report, uint32_t device)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct metric_stats *s = metric_stats_of(report->stats,
			report->stats_count, kind, device, METRIC_gpu_energy_j);

		if (s && !isnan(s->energy_j))
			return &report->stats[s - report->stats];
	}
	return NULL;
}

static struct metric_stats *integrated(const struct report *report, uint32_t device)
{
	const struct metric_stats *s = metric_stats_best(
		report->stats, report->stats_count, device, METRIC_power_w);

	return s && !isnan(s->energy_j) ? &report->stats[s - report->stats] : NULL;
}

static struct metric_stats *energy_of(const struct report *report, uint32_t device)
{
	struct metric_stats *counter = counted(report, device);
	struct metric_stats *power = integrated(report, device);

	if (!counter || !power)
		return counter ? counter : power;
	return counter->covered_s < COUNTER_COVERS * power->covered_s ? power : counter;
}

void energy_choose(struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < report->stats_count; i++)
		weigh(&report->stats[i], &report->stats[i], report->duration_s);
	for (size_t i = 0; i < gpus->count; i++) {
		struct metric_stats *s = energy_of(report, gpus->at[i]);

		if (s)
			s->energy_chosen = true;
	}
}

void energy_mark(const struct report *report, struct metric_stats *stats, size_t count,
	double seconds)
{
	for (size_t i = 0; i < count; i++) {
		struct metric_stats *s = &stats[i];
		const struct metric_stats *run;

		if (!s->has_energy)
			continue;
		run = metric_stats_of(report->stats, report->stats_count, s->source,
			s->device, s->metric);
		if (!run)
			continue;
		weigh(s, run, seconds);
		s->energy_chosen = run->energy_chosen && !isnan(s->energy_j);
	}
}

struct energy_sum energy_over_gpus(const struct report *report,
	const struct metric_stats *stats, size_t count, double seconds)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	struct energy_sum sum = {.coverage = NAN, .uncovered_s = NAN};
	double covered_s = 0;

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s;
		enum energy_method method;

		if (!report_counts_gpu(report, gpus->at[i]))
			continue;
		sum.gpus++;
		sum.chosen += metric_stats_energy(report->stats, report->stats_count,
				      gpus->at[i]) != NULL;
		s = metric_stats_energy(stats, count, gpus->at[i]);
		if (!s)
			continue;
		method = energy_method(s);
		sum.method = !sum.known || sum.method == method ? method : ENERGY_MIXED;
		sum.known++;
		sum.energy_j += s->energy_j;
		covered_s += s->covered_s; /* NAN: of a log without times */
	}
	seconds *= (double)sum.gpus;
	if (!sum.chosen || !(seconds > 0))
		return sum;
	sum.coverage = share_covered(covered_s, seconds);
	sum.uncovered_s = covered_s > seconds ? 0 : seconds - covered_s;
	return sum;
}

bool energy_is_wanted(const struct report *report, enum energy_method method)
{
	return report_wants_all(report, DEVICE_GPU) &&
		(method == ENERGY_COUNTER ||
			report_wants_metric(report, METRIC_power_w)) &&
		(method == ENERGY_INTEGRATED ||
			report_wants_metric(report, METRIC_gpu_energy_j));
}
