/* Memory of a report, and the names that come with its arrays. */
#include "model/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

const double above_threshold[ABOVE_COUNT] = {0, 20, 50, 80, 95};
const char *const above_key[ABOVE_COUNT] = {"gt_0", "ge_20", "ge_50", "ge_80", "ge_95"};

#define SUMMARY(key, rule, metric, unit, decimals, better, title) \
	{#key, unit, decimals, BETTER_##better, title, METRIC_##metric},

static const struct summary_field fields[SUMMARY_COUNT] = {
#include "../schema/summary.def"
};

#define SUMMARY_OTHER(key, metric) {SUMMARY_##key, METRIC_##metric},

static const struct {
	enum summary_key key;
	enum metric_id metric;
} others[] = {
#include "../schema/summary.def"
};

bool summary_is_of(enum summary_key key, enum metric_id metric)
{
	if (fields[key].metric == metric)
		return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (others[i].key == key && others[i].metric == metric)
			return true;
	return false;
}

const struct summary_field *summary_field_get(enum summary_key key)
{
	return &fields[key];
}

enum direction summary_better(enum summary_key key)
{
	return fields[key].better;
}

static const struct {
	enum summary_key key;
	const char *column;
} phase_keys[PHASE_KEY_COUNT] = {
#define PHASE_KEY(key, column) {SUMMARY_##key, column},
#include "../schema/summary.def"
};

enum summary_key phase_key_summary(enum phase_key key)
{
	return phase_keys[key].key;
}

const char *phase_key_column(enum phase_key key)
{
	return phase_keys[key].column;
}

const enum metric_id ending_metric[ENDING_METRICS] = {
	METRIC_gpu_util_pct, METRIC_mem_used_mib, METRIC_power_w, METRIC_temp_c};

const char *const ending_rate_name[ENDING_METRICS] = {"gpu_util_pct_per_min",
	"mem_used_mib_per_min", "power_w_per_min", "temp_c_per_min"};

size_t ending_find(enum metric_id metric)
{
	size_t at = 0;

	while (at < ENDING_METRICS && ending_metric[at] != metric)
		at++;
	return at;
}

bool metric_shows_life(enum metric_id metric)
{
	return metric == METRIC_gpu_util_pct || metric == METRIC_power_w ||
		metric == METRIC_temp_c || metric == METRIC_sm_clock_mhz;
}

const char *ending_sign_name(enum ending_sign sign)
{
	switch (sign) {
	case ENDING_NO_END:
		return "no end";
	case ENDING_SIGNAL:
		return "signal";
	case ENDING_TORN:
		return "torn line";
	case ENDING_GPU_LOST:
		return "GPU lost";
	case ENDING_DRIVER_GONE:
		return "driver gone";
	case ENDING_SIGNS:
		break;
	}
	return "";
}

const char *interruption_why(const struct interruption *interruption)
{
	if (interruption->silent)
		return "not recorded";
	return interruption->higher ? "higher level" : "lower level";
}

bool steady_slows(const struct steady *steady)
{
	for (size_t i = 0; i < steady->drift_count; i++)
		if (steady->drift[i].metric == METRIC_sm_clock_mhz &&
			steady->drift[i].change != 0)
			return true;
	return false;
}

bool ending_is_abrupt(const struct ending *ending)
{
	bool known = false;

	for (size_t i = 0; i < ending->gpu_count; i++)
		known |= ending->gpu[i].lost;
	for (enum ending_sign sign = 0; sign < ENDING_SIGNS; sign++)
		if (ending->sign[sign] && !(sign == ENDING_GPU_LOST && known))
			return true;
	return false;
}

const char *work_number_name(enum work_number n_is)
{
	switch (n_is) {
	case WORK_COUNT:
		return "count";
	case WORK_TOTAL:
		return "total";
	case WORK_UNCLEAR:
		return "unclear";
	case WORK_NO_NUMBER:
		break;
	}
	return NULL;
}

void report_init(struct report *report, const struct run *run)
{
	*report = (struct report){.run = run,
		.started_ns = TIME_NONE,
		.ended_ns = TIME_NONE,
		.origin_ns = TIME_NONE,
		.duration_s = NAN,
		.busiest_core_pct = NAN};
	report->evidence.grade = 'F';
	report->evidence.coverage = NAN;
	report->peak_tick.source = SOURCE_NONE;
	report->steady = (struct steady){.metric = METRIC_none,
		.source = SOURCE_NONE,
		.from_ns = TIME_NONE,
		.to_ns = TIME_NONE,
		.from_s = NAN,
		.to_s = NAN,
		.warm_up_s = NAN,
		.coverage = NAN,
		.interrupted_s = NAN,
		.gpu_util_mean_pct = NAN,
		.power_total_mean_w = NAN};
	report->ending.early_log = SOURCE_NONE;
	report->ending.driver_ns = TIME_NONE;
	report->ending.early_ns = TIME_NONE;
}

static void metric_stats_free(struct metric_stats *stats, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(stats[i].state);
	free(stats);
}

void phase_path_release(struct phase_path *path)
{
	metric_stats_free(path->stats, path->stats_count);
	free(path->path);
}

void report_release(struct report *report)
{
	metric_stats_free(report->stats, report->stats_count);
	for (size_t i = 0; i < report->process_type_count; i++)
		free(report->process_type[i]);
	free(report->process_type);
	free(report->process_mib);
	free(report->weight);
	free(report->evidence.device);
	free(report->evidence.gap);
	free(report->ending.gpu);
	free(report->call);
	free(report->steady.interruption);
	free(report->steady.drift);
	free(report->steady.kept);
	for (size_t i = 0; i < report->path_count; i++)
		phase_path_release(&report->path[i]);
	free(report->path);
	for (size_t i = 0; i < report->work_count; i++)
		metric_stats_free(report->work[i].stats, report->work[i].stats_count);
	free(report->work);
	free(report->dialect);
	for (size_t i = 0; i < report->finding_count; i++)
		finding_release(&report->finding[i]);
	free(report->finding);
	for (size_t i = 0; i < report->kept_count; i++)
		free(report->kept[i]);
	free(report->kept);
	timeline_free(report->timeline);
	*report = (struct report){0};
}

const char *report_keep(struct report *report, const char *text)
{
	ALLOC_GROW(report->kept, report->kept_count + 1, report->kept_cap);
	return report->kept[report->kept_count++] = xstrdup(text);
}

void report_weigh_devices(struct report *report)
{
	const struct evidence *evidence = &report->evidence;
	const struct run *run = report->run;
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	bool any_rows = false;
	uint8_t *weight;

	free(report->weight);
	report->weight = weight = xcalloc(run->device_count + 1, sizeof *weight);
	for (size_t i = 0; i < evidence->device_count; i++) {
		uint32_t device = evidence->device[i].device;
		int32_t parent = run->device[device].parent;

		weight[device] |= WEIGHT_ROWS;
		if (parent >= 0)
			weight[parent] |= WEIGHT_PROCESSES;
	}
	for (size_t i = 0; i < gpus->count; i++)
		any_rows |= (weight[gpus->at[i]] & WEIGHT_ROWS) != 0;
	for (size_t i = 0; i < gpus->count; i++) {
		uint32_t d = gpus->at[i];
		bool only_processes = run->device[d].index < 0 &&
			(weight[d] & (WEIGHT_ROWS | WEIGHT_PROCESSES)) ==
				WEIGHT_PROCESSES;

		if (!only_processes || !any_rows)
			weight[d] |= WEIGHT_COUNTS;
	}
}

bool report_has_rows(const struct report *report, size_t device)
{
	return report->weight &&
		report->weight[device] & (WEIGHT_ROWS | WEIGHT_PROCESSES);
}

bool report_counts_gpu(const struct report *report, size_t device)
{
	return report->weight && report->weight[device] & WEIGHT_COUNTS &&
		report_wants_device(report, device);
}

size_t report_gpu_count(const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	size_t count = 0;

	for (size_t i = 0; i < gpus->count; i++)
		count += report_counts_gpu(report, gpus->at[i]);
	return count;
}

bool report_stats_take_part(const struct report *report, const struct metric_stats *stats)
{
	const struct device *device = &report->run->device[stats->device];

	return metric_stats_speaks(stats) && !device_is_core(device) &&
		(device->kind != DEVICE_GPU ||
			report_counts_gpu(report, stats->device)) &&
		report_stats_best(report, report->stats, report->stats_count,
			stats->device, stats->metric) == stats;
}

void report_link_calls(struct report *report)
{
	for (size_t i = 0; i < report->path_count; i++)
		report->path[i].first = SIZE_MAX;
	for (size_t i = report->call_count; i-- > 0;) {
		struct phase_path *path = &report->path[report->call[i].path];

		report->call[i].next = path->first;
		path->first = i;
	}
}

const struct metric_stats *report_stats_best(const struct report *report,
	const struct metric_stats *stats, size_t count, uint32_t device,
	enum metric_id metric)
{
	const struct metric_stats *run =
		metric_stats_best(report->stats, report->stats_count, device, metric);

	if (!run || stats == report->stats)
		return run;
	return metric_stats_of(stats, count, run->source, device, metric);
}

double report_second(const struct report *report, int64_t t_ns)
{
	return t_ns == TIME_NONE || report->origin_ns == TIME_NONE
		? (double)NAN
		: number_ratio((int128)t_ns - report->origin_ns, NS_PER_S);
}

bool report_has_instant(const struct report *report, int64_t t_ns)
{
	return !report->windowed || t_ns == TIME_NONE ||
		(t_ns >= report->started_ns && t_ns <= report->ended_ns);
}

const char *report_span(const struct report *report)
{
	return report->windowed ? "window" : "run";
}

bool report_is_divided(const struct report *report, uint32_t device)
{
	const struct metric_stats *util = report_stats_best(
		report, report->stats, report->stats_count, device, METRIC_gpu_util_pct);
	const struct metric_stats *mig = report_stats_best(
		report, report->stats, report->stats_count, device, METRIC_mig_mode);

	return report_counts_gpu(report, device) && (!util || !util->n) && mig &&
		mig->state_count && strcmp(mig->state[0].name, "Enabled") == 0;
}

size_t report_clock_changes(
	const struct report *report, enum clock_change_kind kind, int64_t *by_ns)
{
	const struct run *run = report->run;
	size_t count = 0;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < run->clock_change_count; i++) {
		const struct clock_change *c = &run->clock_change[i];

		if (c->kind != kind || c->to_ns < report->started_ns ||
			c->from_ns > report->ended_ns)
			continue;
		if (__builtin_add_overflow(sum_ns, c->by_ns, &sum_ns))
			sum_ns = c->by_ns;
		count++;
	}
	if (by_ns)
		*by_ns = sum_ns;
	return count;
}

size_t report_phase_at(const struct report *report, int64_t t_ns)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < report->call_count && report->call[i].start_ns <= t_ns;
		i++)
		if (report->call[i].end_ns > t_ns)
			found = report->call[i].path;
	return found;
}

size_t interruption_phase(
	const struct report *report, const struct interruption *interruption)
{
	return report_phase_at(report,
		interruption->from_ns +
			(interruption->to_ns - interruption->from_ns) / 2);
}

static void add_rows(struct device_rows *to, const struct device_evidence *e)
{
	to->rows += e->rows;
	if (e->first_ns == TIME_NONE)
		return;
	if (to->first_ns == TIME_NONE || e->first_ns < to->first_ns)
		to->first_ns = e->first_ns;
	if (to->last_ns == TIME_NONE || e->last_ns > to->last_ns)
		to->last_ns = e->last_ns;
}

struct device_rows *report_device_rows(const struct report *report)
{
	size_t count = report->run->device_count;
	struct device_rows *rows = xcalloc(count + 1, sizeof *rows);

	for (size_t i = 0; i < count; i++)
		rows[i].first_ns = rows[i].last_ns = TIME_NONE;
	for (size_t i = 0; i < report->evidence.device_count; i++)
		add_rows(&rows[report->evidence.device[i].device],
			&report->evidence.device[i]);
	return rows;
}
