/*
 * The summary: one number per key, by the rule in schema/summary.def. README.md,
 * "Several GPUs".
 */
#include <math.h>
#include <string.h>

#include "compute/report/report.h"
#include "compute/series/series.h"

enum summary_rule {
	RULE_GPU_PEAK,
	RULE_GPU_PEAK_TOTAL,
	RULE_GPU_CAPACITY,
	RULE_GPU_MEAN,
	RULE_GPU_TOTAL_MEAN,
	RULE_GPU_ENERGY,
	RULE_GPU_ENERGY_PARTIAL,
	RULE_GPU_ENERGY_METHOD,
	RULE_GPU_ENERGY_COVERAGE,
	RULE_GPU_ENERGY_UNCOVERED,
	RULE_CPU_MEAN,
	RULE_HOST_PEAK,
	RULE_HOST_MEAN,
	RULE_HOST_ENERGY,
	RULE_HOST_CAPACITY,
	RULE_TREE_PEAK,
	RULE_TREE_MEAN,
	RULE_TREE_MOST,
	RULE_TREE_GROWTH,
	RULE_TREE_RISE,
	RULE_FRAMEWORK_PEAK,
	RULE_FRAMEWORK_PEAKS,
	RULE_GPU_COUNT,
	RULE_CPU_COUNT,
	RULE_SAMPLES,
	RULE_DURATION
};

static const struct {
	enum summary_rule rule;
	enum metric_id metric;
} rules[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, metric, ...) {RULE_##rule, METRIC_##metric},
#include "../schema/summary.def"
};

/* What a summary is of: the run, or a phase. */
struct scope {
	const struct report *report;
	const struct metric_stats *stats; /* [count] */
	size_t count;
	double seconds;
	const struct compute_window *window; /* of the run; NULL */
	double peak_total; /* over the GPUs within one tick; NAN: unknown */
	struct energy_sum energy;
	struct report *keep; /* for texts of the run; NULL of a phase */
};

/* What the GPUs together say about one metric. */
struct over_gpus {
	size_t gpus; /* that the run has */
	size_t with_value;
	double peak, capacity; /* largest, and sum of the largest, of one GPU each */
	struct mean_over mean;
};

static void add_gpu(struct over_gpus *over, const struct metric_stats *s)
{
	mean_over_add(&over->mean, s);
	if (s->n) {
		over->with_value++;
		over->peak =
			isnan(over->peak) || s->max > over->peak ? s->max : over->peak;
		over->capacity += s->max;
	}
}

static struct over_gpus over_gpus(const struct scope *scope, enum metric_id metric)
{
	const struct device_list *gpus = &scope->report->run->of_kind[DEVICE_GPU];
	struct over_gpus over = {.peak = NAN};

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s;

		if (!report_counts_gpu(scope->report, gpus->at[i]))
			continue;
		over.gpus++;
		s = report_stats_best(
			scope->report, scope->stats, scope->count, gpus->at[i], metric);
		if (metric_stats_speaks(s))
			add_gpu(&over, s);
	}
	return over;
}

/* Of the device of that kind and name; n is 0 where there is none. */
static struct metric_stats of_device(const struct scope *scope, enum device_kind kind,
	const char *name, enum metric_id metric)
{
	const struct run *run = scope->report->run;
	const struct device_list *list = &run->of_kind[kind];

	for (size_t i = 0; i < list->count; i++) {
		const struct metric_stats *s;

		if (strcmp(run->device[list->at[i]].name, name) != 0)
			continue;
		s = report_stats_best(
			scope->report, scope->stats, scope->count, list->at[i], metric);
		if (metric_stats_speaks(s))
			return *s;
	}
	return (struct metric_stats){
		.mean = NAN, .max = NAN, .growth = NAN, .increase = NAN, .energy_j = NAN};
}

/* In the order of their first events. */
static size_t framework_peaks(const struct report *report,
	const struct compute_window *window,
	struct framework_peak peak[FRAMEWORK_PEAKS_MAX])
{
	const struct run *run = report->run;
	size_t count = 0;

	if (report->filter.device || !report_wants_metric(report, METRIC_none))
		return 0; /* they are of the run, and no metric */
	for (size_t i = 0; i < run->event_count; i++) {
		struct framework_peak of_event[FRAMEWORK_PEAKS_MAX];
		size_t n = window_has(window, run->event[i].t_ns)
			? event_peaks(&run->event[i], of_event)
			: 0;

		for (size_t k = 0; k < n; k++)
			count = framework_peak_add(peak, count, &of_event[k]);
	}
	return count;
}

static void fill_framework(struct summary_item *item, const struct scope *scope)
{
	struct framework_peak peak[FRAMEWORK_PEAKS_MAX];
	size_t count = framework_peaks(scope->report, scope->window, peak);
	struct strbuf text;

	for (size_t i = 0; i < count; i++)
		item->number = fmax(item->number, peak[i].mib);
	if (item->kind != VALUE_TEXT || !count)
		return;
	strbuf_init(&text);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&text, "%s%s%s%.6g MiB (%s)", i ? ", " : "", peak[i].device,
			*peak[i].device ? " " : "", peak[i].mib, peak[i].of);
	item->text = report_keep(scope->keep, text.text);
	strbuf_release(&text);
}

static double cpu_count(const struct report *report)
{
	const struct run *run = report->run;
	const struct device_list *cpus = &run->of_kind[DEVICE_CPU];
	size_t seen = 0;

	if (!report_wants_all(report, DEVICE_CPU))
		return NAN;
	for (size_t i = 0; i < cpus->count; i++)
		seen += run->device[cpus->at[i]].index >= 0;
	if (run->cpu_count > 0)
		return run->cpu_count;
	return seen ? (double)seen : NAN;
}

/* Of a window, or of some devices, the rows as every device has them. */
static double count_rows(const struct evidence *evidence)
{
	double samples = 0;

	for (size_t i = 0; i < evidence->device_count; i++)
		samples += (double)evidence->device[i].rows;
	return samples;
}

static double sample_count(const struct run *run)
{
	double samples = 0;

	for (size_t i = 0; i < run->file_count; i++)
		if (source_has_samples(run->file[i].kind))
			samples += (double)run->file[i].rows;
	return samples;
}

/* What goes with the energy of all GPUs. */
static void fill_energy(
	struct summary_item *item, enum summary_rule rule, const struct scope *scope)
{
	const struct energy_sum sum = scope->energy;

	if (rule == RULE_GPU_ENERGY && sum.known && sum.known == sum.gpus)
		item->number = sum.energy_j;
	if (rule == RULE_GPU_ENERGY_PARTIAL && sum.known)
		item->number = sum.energy_j;
	if (rule == RULE_GPU_ENERGY_METHOD)
		item->text = energy_method_name(sum.method);
	if (rule == RULE_GPU_ENERGY_COVERAGE)
		item->number = sum.coverage;
	if (rule == RULE_GPU_ENERGY_UNCOVERED)
		item->number = sum.uncovered_s;
}

/*
 * What the kernel says of the largest process, also between samples: of all its life, so
 * of the whole run alone. NAN: not known.
 */
static double kernels_peak(const struct scope *scope)
{
	return scope->stats != scope->report->stats || scope->report->windowed
		? (double)NAN
		: of_device(scope, DEVICE_TREE, "combined", METRIC_process_peak_mib).max;
}

static double host_energy(const struct scope *scope, enum metric_id metric)
{
	const struct metric_stats s = of_device(scope, DEVICE_HOST, "host", metric);

	return metric_get(metric)->kind == KIND_COUNTER ? s.increase : s.energy_j;
}

/* What a log says of all GPUs or CPUs together, which no log has one by one. */
static double together(const struct scope *scope, enum summary_rule rule)
{
	const struct report *report = scope->report;
	const struct run *run = report->run;
	bool cpu = rule == RULE_CPU_MEAN;

	if (run->of_kind[cpu ? DEVICE_CPU : DEVICE_GPU].count)
		return NAN;
	if (rule == RULE_GPU_PEAK_TOTAL)
		return of_device(scope, DEVICE_HOST, "host", METRIC_gpu_mem_sum_mib).max;
	if (rule == RULE_GPU_CAPACITY)
		return run_fact_number(run, RUN_FACT_GPU_MEMORY);
	if (rule == RULE_GPU_COUNT)
		return run_fact_number(run, RUN_FACT_GPU_COUNT);
	return of_device(scope, DEVICE_HOST, "host",
		       cpu ? METRIC_cpu_util_sum_pct : METRIC_gpu_util_sum_pct)
		       .mean /
		(cpu ? run->cpu_count : run_fact_number(run, RUN_FACT_GPU_COUNT));
}

static void fill_item(struct summary_item *item, enum summary_rule rule,
	enum metric_id metric, const struct scope *scope)
{
	const struct report *report = scope->report;
	const struct run *run = report->run;
	struct over_gpus over = {.peak = NAN};
	struct metric_stats stats;

	if (rule == RULE_GPU_PEAK || rule == RULE_GPU_CAPACITY || rule == RULE_GPU_MEAN ||
		rule == RULE_GPU_TOTAL_MEAN)
		over = over_gpus(scope, metric);
	*item = (struct summary_item){VALUE_NUMBER, NAN, NULL};
	switch (rule) {
	case RULE_GPU_PEAK:
		item->number = over.peak;
		break;
	case RULE_GPU_PEAK_TOTAL:
		item->number = scope->peak_total;
		if (isnan(item->number))
			item->number = together(scope, rule);
		break;
	case RULE_GPU_CAPACITY:
		if (over.with_value)
			item->number = over.with_value == over.gpus ? over.capacity : NAN;
		else
			item->number = together(scope, rule);
		break;
	case RULE_GPU_MEAN:
		item->number = over.gpus || metric != METRIC_gpu_util_pct
			? mean_over_all(&over.mean)
			: together(scope, rule);
		break;
	case RULE_GPU_TOTAL_MEAN:
		if (over.gpus && over.mean.devices == over.gpus)
			item->number = mean_over_total(&over.mean);
		break;
	case RULE_GPU_ENERGY_METHOD:
		item->kind = VALUE_TEXT;
		fill_energy(item, rule, scope);
		break;
	case RULE_GPU_ENERGY:
	case RULE_GPU_ENERGY_PARTIAL:
	case RULE_GPU_ENERGY_COVERAGE:
	case RULE_GPU_ENERGY_UNCOVERED:
		fill_energy(item, rule, scope);
		break;
	case RULE_CPU_MEAN:
		item->number = of_device(scope, DEVICE_CPU, "cpu", metric).mean;
		if (metric == METRIC_cpu_busy_pct && isnan(item->number))
			item->number = together(scope, rule);
		break;
	case RULE_HOST_CAPACITY:
		if (run->mem_total_kib < 0)
			item->number = of_device(scope, DEVICE_HOST, "host", metric).max;
		else if (report_wants_all(report, DEVICE_HOST) &&
			report_wants_metric(report, metric))
			item->number = (double)run->mem_total_kib / 1024;
		break;
	case RULE_HOST_PEAK:
		item->number = of_device(scope, DEVICE_HOST, "host", metric).max;
		break;
	case RULE_HOST_MEAN:
		item->number = of_device(scope, DEVICE_HOST, "host", metric).mean;
		break;
	case RULE_HOST_ENERGY:
		item->number = host_energy(scope, metric);
		break;
	case RULE_TREE_PEAK:
		item->number = fmax(of_device(scope, DEVICE_TREE, "combined", metric).max,
			kernels_peak(scope));
		break;
	case RULE_TREE_MEAN:
		item->number = of_device(scope, DEVICE_TREE, "combined", metric).mean;
		break;
	case RULE_TREE_MOST:
		if (!*metric_get(metric)->unit)
			item->kind = VALUE_COUNT;
		stats = of_device(scope, DEVICE_TREE, "combined", metric);
		item->number = metric_stats_peak(&stats);
		break;
	case RULE_TREE_GROWTH:
		item->number = of_device(scope, DEVICE_TREE, "combined", metric).growth;
		break;
	case RULE_TREE_RISE:
		item->number = of_device(scope, DEVICE_TREE, "combined", metric).increase;
		break;
	case RULE_FRAMEWORK_PEAKS:
		item->kind = VALUE_TEXT;
		fill_framework(item, scope);
		break;
	case RULE_FRAMEWORK_PEAK:
		fill_framework(item, scope);
		break;
	case RULE_GPU_COUNT:
		item->kind = VALUE_COUNT;
		if (report_gpu_count(report))
			item->number = (double)report_gpu_count(report);
		else if (report_wants_all(report, DEVICE_GPU))
			item->number = together(scope, rule);
		break;
	case RULE_CPU_COUNT:
		item->kind = VALUE_COUNT;
		item->number = cpu_count(report);
		break;
	case RULE_SAMPLES:
		item->kind = VALUE_COUNT;
		item->number = report->cut || report->filter.device
			? count_rows(&report->evidence)
			: sample_count(run);
		break;
	case RULE_DURATION:
		item->number = report->duration_s;
		break;
	}
}

/* What no sample says, a log may say of the whole run. */
static void fill_totals(struct report *report)
{
	const struct event *totals = report->windowed || report->filter.device
		? NULL
		: run_totals(report->run);

	for (enum summary_key key = 0; totals && key < SUMMARY_COUNT; key++) {
		struct summary_item *item = &report->summary[key];

		if (item->kind != VALUE_TEXT && isnan(item->number) &&
			report_wants_key(report, key))
			(void)event_number(
				totals, summary_field_get(key)->name, &item->number);
	}
}

static void fill_summary(
	struct report *report, double peak_total, const struct compute_window *window)
{
	struct scope scope = {report, report->stats, report->stats_count,
		report->duration_s, window, peak_total,
		energy_over_gpus(
			report, report->stats, report->stats_count, report->duration_s),
		report};

	for (int key = 0; key < SUMMARY_COUNT; key++)
		fill_item(&report->summary[key], rules[key].rule, rules[key].metric,
			&scope);
	fill_totals(report);
}

void summary_report(struct report *report, const struct tick_total *peak_total,
	const struct compute_window *window)
{
	fill_summary(report,
		peak_total ? number_ratio(peak_total->peak,
				     metric_get(peak_total_metric())->per_unit)
			   : NAN,
		window);
}

/* Of some of the GPUs the largest sum within a tick is not known, of one it is its peak.
 */
static double select_peak_total(const struct report *report)
{
	struct scope scope = {
		.report = report, .stats = report->stats, .count = report->stats_count};
	struct over_gpus over = over_gpus(&scope, peak_total_metric());

	for (int key = 0; key < SUMMARY_COUNT; key++)
		if (rules[key].rule == RULE_GPU_PEAK_TOTAL && over.with_value &&
			report_wants_all(report, DEVICE_GPU))
			return report->summary[key].number;
	return over.gpus == 1 ? over.peak : NAN;
}

void summary_select(struct report *report)
{
	double peak_total = select_peak_total(report);

	if (!report_wants_all(report, DEVICE_GPU))
		report->peak_tick.source = SOURCE_NONE;
	fill_summary(report, peak_total, NULL);
}

void summary_phase(const struct report *report, struct phase_path *path)
{
	struct scope scope = {report, path->stats, path->stats_count, path->union_s, NULL,
		NAN, {0}, NULL};

	energy_mark(report, path->stats, path->stats_count, path->union_s);
	scope.energy =
		energy_over_gpus(report, path->stats, path->stats_count, path->union_s);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		enum summary_key of = phase_key_summary(key);

		fill_item(&path->summary[key], rules[of].rule, rules[of].metric, &scope);
	}
}
