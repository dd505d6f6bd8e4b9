/* Chooses a GPU's energy and sums energy over GPUs. */
#include "compute/series/energy.h"

#include <math.h>

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
