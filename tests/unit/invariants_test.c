/*
 * Thousands of made-up recordings, each from its seed: the invariants of the definitions
 * hold, phases that tile a run sum to it in time, samples and energy, and a header that
 * comes again anywhere changes not one number but sessions and coverage.
 * longer: ten thousand of them, not two
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "often.h"
#include "pipeline.h"

#define T0_NS	  (1740823200LL * NS_PER_S)
#define ROWS_MAX  120
#define TILES_MAX 8

/* xorshift64*, by Marsaglia and Vigna */
static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dULL;
}

static int64_t below(uint64_t *seed, int64_t limit)
{
	return (int64_t)((draw(seed) >> 11) % (uint64_t)limit);
}

static bool happens(uint64_t *seed, int percent)
{
	return below(seed, 100) < percent;
}

/* A tick of all devices: when, and behind what. */
struct moment {
	int64_t t_ns;
	int32_t segment;
};

struct recording {
	uint64_t seed; /* of the values */
	int64_t interval_ns;
	bool recorded; /* the interval is known */
	uint32_t devices;
	struct moment at[ROWS_MAX];
	int count;
	int64_t edge_ns[TILES_MAX + 1]; /* of phases that tile it */
	int tiles;
	int power_ends; /* the tick from which on the query log has none */
	int dmon_begins, dmon_ends; /* ticks from which on dmon has power, and not */
	int again; /* the tick before which the header comes again; 0: nowhere */
};

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Steps with jitter, gaps, and now and then a clock that was set back. */
static void make(struct recording *r, uint64_t seed)
{
	static const int64_t intervals[] = {
		NS_PER_S / 10, NS_PER_S / 2, NS_PER_S, 10 * NS_PER_S};
	int64_t t_ns = T0_NS, first_ns = T0_NS, last_ns = T0_NS;
	int32_t segment = 0;

	*r = (struct recording){.seed = seed * 0x9e3779b97f4a7c15ULL + 1};
	r->interval_ns = intervals[below(&r->seed, 4)];
	r->recorded = happens(&r->seed, 50);
	r->devices = (uint32_t)below(&r->seed, 3) + 1;
	r->count = (int)below(&r->seed, ROWS_MAX - 2) + 2;
	for (int i = 0; i < r->count; i++) {
		r->at[i] = (struct moment){t_ns, segment};
		last_ns = t_ns > last_ns ? t_ns : last_ns;
		first_ns = t_ns < first_ns ? t_ns : first_ns;
		t_ns += r->interval_ns * (90 + below(&r->seed, 21)) / 100;
		if (happens(&r->seed, 3))
			t_ns += r->interval_ns * below(&r->seed, 50);
		if (seed % 5 == 0 && happens(&r->seed, 1)) {
			t_ns -= r->interval_ns * 40 + 3 * NS_PER_S;
			segment++;
		}
	}
	r->tiles = (int)below(&r->seed, TILES_MAX) + 1;
	r->edge_ns[0] = first_ns;
	r->edge_ns[r->tiles] = last_ns;
	for (int i = 1; i < r->tiles; i++)
		r->edge_ns[i] = first_ns + below(&r->seed, last_ns - first_ns + 1);
	qsort(r->edge_ns, (size_t)r->tiles + 1, sizeof *r->edge_ns, by_time);
	r->again = (int)below(&r->seed, r->count);
	r->power_ends = happens(&r->seed, 70) ? r->count : (int)below(&r->seed, r->count);
	r->dmon_begins = (int)below(&r->seed, r->count);
	r->dmon_ends = happens(&r->seed, 50) ? 0 : (int)below(&r->seed, r->count + 1);
}

static void put(struct sample_batch *batch, size_t row, uint64_t *seed,
	enum metric_id metric, int64_t value)
{
	size_t column = sample_batch_column(batch, metric);

	if (happens(seed, 5))
		batch->column[column].presence[row] = PRESENCE_MISSING;
	else
		sample_batch_put(batch, row, column, value);
}

/* A batch takes all of them. */
static void add_dmon(const struct recording *r, struct aggregate *agg)
{
	struct sample_batch batch;
	uint64_t seed = r->seed;

	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_DMON;
	batch.timed = true;
	for (int i = r->dmon_begins; i < r->dmon_ends; i++)
		for (uint32_t d = 0; d < r->devices; d++) {
			size_t row = sample_batch_add(&batch, r->at[i].t_ns, d);

			batch.segment[row] = r->at[i].segment;
			put(&batch, row, &seed, METRIC_power_w, below(&seed, 700000000));
		}
	aggregate_add(agg, &batch);
	sample_batch_release(&batch);
}

static void add_rows(
	const struct recording *r, struct aggregate *agg, struct texts *texts, bool again)
{
	struct sample_batch batch;
	uint64_t seed = r->seed;
	int64_t held_us = 0, energy_mj = 0;

	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;
	for (int i = 0; i < r->count; i++) {
		held_us = happens(&seed, 2) ? 0 : held_us + below(&seed, 1000);
		energy_mj = happens(&seed, 2) ? 0 : energy_mj + below(&seed, 500000);
		for (uint32_t d = 0; d < r->devices; d++) {
			size_t row = sample_batch_add(&batch, r->at[i].t_ns, d);

			batch.segment[row] = r->at[i].segment;
			batch.header[row] = !d && (!i || (again && i == r->again));
			if (i < r->power_ends)
				put(&batch, row, &seed, METRIC_power_w,
					below(&seed, 700000000));
			put(&batch, row, &seed, METRIC_gpu_util_pct,
				below(&seed, 101) * 1000000);
			put(&batch, row, &seed, METRIC_held_sw_power_cap_us, held_us);
			put(&batch, row, &seed, METRIC_gpu_energy_j, energy_mj);
			put(&batch, row, &seed, METRIC_pstate,
				texts_number(texts,
					span_of(happens(&seed, 50) ? "P0" : "P8")));
		}
		if (batch.rows + r->devices > SAMPLE_BATCH_ROWS) {
			aggregate_add(agg, &batch);
			sample_batch_clear(&batch);
		}
	}
	aggregate_add(agg, &batch);
	sample_batch_release(&batch);
}

/* All CPUs together; now and then a field falls, or has none of the time. */
static void add_ticks(const struct recording *r, struct aggregate *agg)
{
	struct sample_batch batch;
	uint64_t seed = r->seed;
	int64_t ticks[TICK_COUNT] = {0};

	sample_batch_init(&batch);
	batch.source = SOURCE_PROC_STAT;
	batch.timed = true;
	for (int i = 0; i < r->count; i++) {
		size_t row = sample_batch_add(&batch, r->at[i].t_ns, r->devices);

		batch.segment[row] = r->at[i].segment;
		for (int k = 0; k < TICK_COUNT; k++) {
			ticks[k] += happens(&seed, 30) ? below(&seed, 200) : 0;
			ticks[k] = happens(&seed, 1) ? 0 : ticks[k];
			sample_batch_put(&batch, row,
				sample_batch_column(&batch,
					(enum metric_id)(METRIC_cpu_user_ticks + k)),
				ticks[k]);
		}
	}
	aggregate_add(agg, &batch);
	sample_batch_release(&batch);
}

struct made {
	struct run run;
	struct report report;
};

static void report_of(struct made *made, const struct recording *r, bool again)
{
	const struct compute_options options = {.gap_ns = -1, .interval_ns = -1};
	struct aggregate *agg;

	run_init(&made->run, "run");
	made->run.interval_ns = r->recorded ? r->interval_ns : 0;
	for (uint32_t d = 0; d < r->devices; d++)
		run_add_device(&made->run, DEVICE_GPU, (int32_t)d);
	run_add_device(&made->run, DEVICE_CPU, -1);
	for (int i = 0; i < r->tiles; i++) {
		struct event *event = run_add_event(&made->run);
		char name[8];

		snprintf(name, sizeof name, "t%d", i);
		event->type = EVENT_PHASE;
		event->t_ns = r->edge_ns[i];
		event->end_ns = r->edge_ns[i + 1];
		event->name = run_keep(&made->run, name);
	}
	agg = aggregate_new(&made->run, &options);
	add_rows(r, agg, &made->run.texts, again);
	add_dmon(r, agg);
	add_ticks(r, agg);
	report_init(&made->report, &made->run);
	aggregate_report(agg, &made->report);
	aggregate_free(agg);
}

static void release(struct made *made)
{
	report_release(&made->report);
	run_release(&made->run);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fmax(fabs(a), fabs(b)), 1);
}

/* What the tiles have of a series, all together. */
struct sum {
	double covered_s, energy_j;
	uint64_t n, missing;
};

static struct sum sum_of_tiles(const struct report *report, const struct metric_stats *of)
{
	struct sum sum = {0, 0, 0, 0};

	for (size_t i = 0; i < report->path_count; i++)
		for (size_t k = 0; k < report->path[i].stats_count; k++) {
			const struct metric_stats *s = &report->path[i].stats[k];

			if (s->device != of->device || s->metric != of->metric ||
				s->source != of->source)
				continue;
			sum.n += s->n;
			sum.missing += s->missing;
			sum.covered_s += isnan(s->covered_s) ? 0 : s->covered_s;
			sum.energy_j += isnan(s->energy_j) ? 0 : s->energy_j;
		}
	return sum;
}

/*
 * A gap that an edge cuts counts in the run's counters alone. Each cut rounds down to
 * 2^-32ths of a millijoule.
 */
static bool energy_sums_up(const struct sum *sum, const struct metric_stats *s)
{
	bool counter = metric_get(s->metric)->kind == KIND_COUNTER;

	if (!s->has_energy || isnan(s->energy_j))
		return sum->energy_j == 0 || !counter;
	if (counter && !near(sum->covered_s, s->covered_s))
		return sum->covered_s < s->covered_s &&
			sum->energy_j <= s->energy_j + 1e-9;
	return near(sum->energy_j, s->energy_j) ||
		(counter && fabs(sum->energy_j - s->energy_j) < 1e-9);
}

static void check_tiles(const struct report *report, uint64_t seed)
{
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		struct sum sum = sum_of_tiles(report, s);
		bool counter = metric_get(s->metric)->kind == KIND_COUNTER;
		/* of a tile they begin anew */
		bool windows = s->source == SOURCE_PROC_STAT;

		if ((windows || (sum.n == s->n && sum.missing == s->missing)) &&
			(counter ||
				near(sum.covered_s,
					(s->n || windows) && !isnan(s->covered_s)
						? s->covered_s
						: 0)) &&
			energy_sums_up(&sum, s))
			continue;
		fail_msg("seed %llu: the tiles of %s have %llu samples in %.17g s, the "
			 "run %llu in %.17g s",
			(unsigned long long)seed, metric_get(s->metric)->name,
			(unsigned long long)sum.n, sum.covered_s,
			(unsigned long long)s->n, s->covered_s);
	}
}

/* The mean of a part of the run is of its lines or ticks, and so are its extremes. */
static void check_extremes(const struct report *report, uint64_t seed)
{
	for (size_t i = 0; i < report->path_count; i++)
		for (size_t k = 0; k < report->path[i].stats_count; k++) {
			const struct metric_stats *s = &report->path[i].stats[k];

			if (!fuzz_is_within(s->mean, s->min, s->max))
				fail_msg("seed %llu: the mean %.17g of %s in %s is not "
					 "within %.17g and %.17g",
					(unsigned long long)seed, s->mean,
					metric_get(s->metric)->name, report->path[i].path,
					s->min, s->max);
		}
}

/* The energy of a GPU is of one number of one log, in the run and in all of its tiles. */
static void check_choice(const struct report *report, uint64_t seed)
{
	double tiles_j = 0, run_j = report->summary[SUMMARY_energy_partial_j].number;
	bool counter = report->summary[SUMMARY_energy_method].text &&
		strcmp(report->summary[SUMMARY_energy_method].text, "integrated") != 0;

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];
		double path_j = path->summary[PHASE_energy_partial_j].number;

		tiles_j += isnan(path_j) ? 0 : path_j;
		for (size_t k = 0; k < path->stats_count; k++) {
			const struct metric_stats *s = &path->stats[k];
			const struct metric_stats *run = metric_stats_energy(
				report->stats, report->stats_count, s->device);

			if (s->energy_chosen &&
				(!run || run->source != s->source ||
					run->metric != s->metric))
				fail_msg("seed %llu: %s has another energy",
					(unsigned long long)seed, path->path);
		}
	}
	run_j = isnan(run_j) ? 0 : run_j;
	if (counter ? tiles_j > run_j + 1e-5 : !near(tiles_j, run_j))
		fail_msg("seed %llu: the tiles have %.17g J, the run %.17g",
			(unsigned long long)seed, tiles_j, run_j);
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void check_same(const struct report *a, const struct report *b, uint64_t seed)
{
	assert_int_equal(a->stats_count, b->stats_count);
	for (size_t i = 0; i < a->stats_count; i++) {
		const struct metric_stats *x = &a->stats[i], *y = &b->stats[i];

		if (x->n == y->n && x->missing == y->missing && x->resets == y->resets &&
			same_number(x->covered_s, y->covered_s) &&
			same_number(x->mean, y->mean) &&
			same_number(x->increase, y->increase) &&
			same_number(x->p95, y->p95) && same_number(x->min, y->min) &&
			same_number(x->stddev, y->stddev) &&
			same_number(x->energy_j, y->energy_j) &&
			x->state_count == y->state_count)
			continue;
		fail_msg("seed %llu: a header that came again changes %s",
			(unsigned long long)seed, metric_get(x->metric)->name);
	}
	assert_int_equal(a->path_count, b->path_count);
	for (size_t i = 0; i < a->path_count; i++)
		assert_true(same_number(a->path[i].union_s, b->path[i].union_s));
}

static void in_every_recording(void **state)
{
	uint64_t recordings = (uint64_t)often(2000, 10000);

	(void)state;
	for (uint64_t seed = 1; seed <= recordings; seed++) {
		struct recording recording;
		struct made once, again;

		make(&recording, seed);
		report_of(&once, &recording, false);
		fuzz_check_report(&once.report);
		check_tiles(&once.report, seed);
		check_extremes(&once.report, seed);
		check_choice(&once.report, seed);
		report_of(&again, &recording, true);
		check_same(&once.report, &again.report, seed);
		release(&once);
		release(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_every_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
