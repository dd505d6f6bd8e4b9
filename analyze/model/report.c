/*
 * Memory of a report, copies of its parts, and the texts and small structs that are
 * derived from it. Computes no statistic.
 */
#include "model/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/sort.h"

/* Filters: removes the devices, metrics and phases that were not asked for. */

/* Keeps the statistics that are wanted; how many those are. */
static size_t select_stats(struct metric_stats *stats, size_t count,
	const struct run *run, const struct report_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct device *device = &run->device[stats[i].device];
		bool wanted = (filter->per_core || !device_is_core(device)) &&
			globs_match(filter->metric, metric_get(stats[i].metric)->name) &&
			glob_matches(filter->device, device->name);

		if (wanted)
			stats[kept++] = stats[i];
		else
			free(stats[i].state);
	}
	return kept;
}

/* A finding's phases by their new places; UINT32_MAX: gone. */
static void place_phases(struct finding *finding, const uint32_t *place)
{
	size_t kept = 0;

	for (size_t i = 0; i < finding->phase_count; i++) {
		uint32_t at = place[finding->phase[i].path];

		if (at == UINT32_MAX)
			continue;
		finding->phase[kept] = finding->phase[i];
		finding->phase[kept++].path = at;
	}
	finding->phase_count = kept;
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		struct finding_stretch *stretch = &finding->stretch[i];

		if (stretch->phase != SIZE_MAX)
			stretch->phase = place[stretch->phase] == UINT32_MAX
				? SIZE_MAX
				: place[stretch->phase];
	}
}

bool phase_path_matches(const struct phase_path *path, const char *pattern)
{
	return !pattern || phase_fits(pattern, path->path);
}

/* Paths that are wanted, by their whole name or their last, and the calls of those. */
static void select_paths(struct report *report, const char *pattern)
{
	uint32_t *place = xcalloc(report->path_count, sizeof *place);
	size_t kept = 0;

	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];

		place[i] = (uint32_t)kept;
		if (phase_path_matches(path, pattern)) {
			report->path[kept++] = *path;
			continue;
		}
		place[i] = UINT32_MAX;
		phase_path_release(path);
	}
	report->path_count = kept;
	kept = 0;
	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_call *call = &report->call[i];

		call->path = place[call->path];
		if (call->path != UINT32_MAX)
			report->call[kept++] = *call;
	}
	report->call_count = kept;
	for (size_t i = 0; i < report->finding_count; i++)
		place_phases(&report->finding[i], place);
	free(place);
	report_link_calls(report);
}

static void select_evidence(struct report *report)
{
	struct evidence *e = &report->evidence;
	size_t kept = 0;

	for (size_t i = 0; i < e->device_count; i++)
		if (report_wants_device(report, e->device[i].device))
			e->device[kept++] = e->device[i];
	e->device_count = kept;
	kept = 0;
	for (size_t i = 0; i < e->gap_listed; i++)
		if (report_wants_device(report, e->gap[i].device))
			e->gap[kept++] = e->gap[i];
	e->gap_listed = kept;
	kept = 0;
	for (size_t i = 0; i < report->ending.gpu_count; i++)
		if (report_wants_device(report, report->ending.gpu[i].device))
			report->ending.gpu[kept++] = report->ending.gpu[i];
	report->ending.gpu_count = kept;
}

static bool has_rows(const struct report *report, enum device_kind kind)
{
	const struct device_list *list = &report->run->of_kind[kind];

	for (size_t i = 0; i < list->count; i++)
		if (report_has_rows(report, list->at[i]))
			return true;
	return false;
}

/* Of a finding of the run, and of one of a device. */
static bool wants_finding(const struct report *report, const struct finding *finding)
{
	struct rule_topics topics = rule_topics(finding->rule);
	bool metric = !report->filter.metric, any = false;

	for (enum metric_id id = 0; id < METRIC_COUNT && !metric; id++)
		metric = topics.metric[id] && report_wants_metric(report, id);
	if (!metric || !report->filter.device)
		return metric;
	if (finding->device != FINDING_RUN)
		return report_wants_device(report, finding->device);
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++) {
		bool looked_at = topics.kind[kind] ||
			(topics.all_devices && has_rows(report, kind));

		if (looked_at && !report_wants_all(report, kind))
			return false;
		any |= looked_at;
	}
	return any;
}

static void select_findings(struct report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct finding *finding = &report->finding[i];

		if (wants_finding(report, finding))
			report->finding[kept++] = *finding;
		else
			finding_release(finding);
	}
	report->finding_count = kept;
}

bool report_wants_metric(const struct report *report, enum metric_id metric)
{
	return !report->filter.metric ||
		(metric != METRIC_none &&
			globs_match(report->filter.metric, metric_get(metric)->name));
}

bool report_wants_key(const struct report *report, enum summary_key key)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (summary_is_of(key, id) && report_wants_metric(report, id))
			return true;
	return !report->filter.metric;
}

bool report_wants_device(const struct report *report, size_t device)
{
	return glob_matches(report->filter.device, report->run->device[device].name);
}

bool report_wants_all(const struct report *report, enum device_kind kind)
{
	const struct run *run = report->run;
	const struct device_list *list = &run->of_kind[kind];
	size_t wanted = 0;

	if (!report->filter.device)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		bool wants = report_wants_device(report, list->at[i]);

		if (device_is_core(&run->device[list->at[i]]))
			continue;
		if (report->weight && report->weight[list->at[i]] && !wants)
			return false;
		wanted += wants;
	}
	return wanted > 0;
}

void report_select(struct report *report, const struct report_filter *filter)
{
	report->filter = *filter;
	report->stats_count =
		select_stats(report->stats, report->stats_count, report->run, filter);
	for (size_t i = 0; i < report->path_count; i++)
		report->path[i].stats_count = select_stats(report->path[i].stats,
			report->path[i].stats_count, report->run, filter);
	for (size_t i = 0; i < report->work_count; i++)
		report->work[i].stats_count = select_stats(report->work[i].stats,
			report->work[i].stats_count, report->run, filter);
	if (filter->device)
		select_evidence(report);
	if (filter->device || filter->metric)
		select_findings(report);
	if (filter->phase)
		select_paths(report, filter->phase);
}

const double above_threshold[ABOVE_COUNT] = {0, 20, 50, 80, 95};
const char *const above_key[ABOVE_COUNT] = {"gt_0", "ge_20", "ge_50", "ge_80", "ge_95"};

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
	METRIC_gpu_util_pct, METRIC_mem_used_mib, METRIC_power_w, METRIC_temperature_c};

const char *const ending_rate_name[ENDING_METRICS] = {"gpu_util_pct_per_min",
	"mem_used_mib_per_min", "power_w_per_min", "temperature_c_per_min"};

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
		metric == METRIC_temperature_c || metric == METRIC_sm_clock_mhz;
}

const char *ending_sign_name(enum ending_sign sign)
{
	static const char *const name[ENDING_SIGNS] = {[ENDING_NO_END] = "recorder ended",
		[ENDING_SIGNAL] = "signal",
		[ENDING_TORN] = "torn line",
		[ENDING_GPU_LOST] = "GPU lost",
		[ENDING_DRIVER_GONE] = "driver gone"};

	return name[sign];
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
	static const char *const name[WORK_UNCLEAR + 1] = {[WORK_COUNT] = "count",
		[WORK_TOTAL] = "total",
		[WORK_RATE] = "rate",
		[WORK_UNCLEAR] = "unclear"};

	return name[n_is];
}

const char *run_outcome_name(enum run_outcome_kind kind)
{
	static const char *const name[RUN_OUTCOMES] = {
		[RUN_FAILED] = "failed", [RUN_CUT_OFF] = "cut off"};

	return name[kind];
}

void run_outcome_release(struct run_outcome *outcome)
{
	free(outcome->how);
	*outcome = (struct run_outcome){RUN_WHOLE, NULL};
}

void run_outcome_say(struct strbuf *sb, const struct run_outcome *outcome)
{
	if (outcome->kind == RUN_CUT_OFF)
		strbuf_addf(sb, "%s: ", run_outcome_name(outcome->kind));
	strbuf_adds(sb, outcome->how);
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
	free_texts(report->process_type, report->process_type_count);
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
	free(report->foreign);
	for (size_t i = 0; i < report->finding_count; i++)
		finding_release(&report->finding[i]);
	free(report->finding);
	free_texts(report->kept, report->kept_count);
	timeline_free(report->timeline);
	*report = (struct report){0};
}

const char *report_keep(struct report *report, const char *text)
{
	return ALLOC_NEXT(report->kept, report->kept_count, report->kept_cap) =
		       xstrdup(text);
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

size_t report_gpus_together(const struct report *report)
{
	double count = report->summary[SUMMARY_gpu_count].number;

	return !report_gpu_count(report) && count > 0 ? (size_t)count : 0;
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

/* The host in one line: CPUs and memory available, disk, network and pressure. */

/* Less is how the kernel counts: samples miss some pages of each thread. */
#define BETWEEN_LEAST	  1.05
#define BETWEEN_LEAST_MIB 16

static const struct metric_stats *stats_of(
	const struct report *report, const char *device, enum metric_id metric)
{
	const struct device_list *list =
		&report->run->of_kind[metric_get(metric)->device];

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(report->run->device[list->at[i]].name, device) == 0)
			return metric_stats_best(
				report->stats, report->stats_count, list->at[i], metric);
	return NULL;
}

double report_command_cpu_s(const struct report *report)
{
	const struct metric_stats *s = stats_of(report, "combined", METRIC_tree_cpu_s);

	return s ? s->increase : (double)NAN;
}

/* ", read 12.3 MiB/s"; nothing, if it is not known. */
static void say(struct strbuf *sb, size_t from, const char *before, double x,
	int decimals, const char *behind)
{
	if (isnan(x))
		return;
	strbuf_addf(sb, "%s%s", sb->len > from ? ", " : "", before);
	quantity_number(sb, x, decimals);
	strbuf_adds(sb, behind);
}

bool host_use_limits(struct strbuf *sb, const struct run *run)
{
	const char *cpus = cpus_allowed(run);
	double quota = run_fact_number(run, RUN_FACT_CPU_LIMIT);
	double space = run_fact_number(run, RUN_FACT_ADDRESS_SPACE);
	size_t from = sb->len;

	say(sb, from, "memory ", run_fact_number(run, RUN_FACT_MEMORY_LIMIT), 0, " MiB");
	if (!isnan(quota)) {
		strbuf_adds(sb, sb->len > from ? ", a quota of " : "a quota of ");
		number_print(sb, quota);
		strbuf_adds(sb, quota == 1 ? " CPU" : " CPUs");
	}
	if (cpus && run->cpu_count > 0 && cpus_allowed_count(cpus) < run->cpu_count)
		strbuf_addf(sb, "%sCPU%s %s only", sb->len > from ? ", " : "",
			cpus_allowed_count(cpus) == 1 ? "" : "s", cpus);
	say(sb, from, "address space ", space / 1048576, 0, " MiB");
	return sb->len > from;
}

enum how {
	HOW_MOST,
	HOW_MEAN,
	HOW_ENERGY,
	HOW_INCREASE,
	HOW_RATE
};

static const struct host_line {
	const char *title, *end;
	double least;
} host_lines[HOST_USES] = {
#define HOST_USE(id, title, end, least) {title, end, least},
#include "../schema/host_use.def"
};

static const struct host_part {
	enum host_use use;
	const char *device, *before, *after;
	enum how how;
	enum metric_id metric, over;
	double factor;
	int decimals;
} host_parts[] = {
#define HOST_PART(id, device, before, how, metric, over, factor, decimals, after) \
	{HOST_USE_##id, device, before, after, HOW_##how, METRIC_##metric,        \
		METRIC_##over, factor, decimals},
#include "../schema/host_use.def"
};

static double part_of(const struct report *report, const struct host_part *part)
{
	const struct metric_stats *s = stats_of(report, part->device, part->metric),
				  *over;
	double x = NAN;

	if (s)
		x = part->how == HOW_MOST	  ? s->max
			: part->how == HOW_MEAN	  ? s->mean
			: part->how == HOW_ENERGY ? s->energy_j
			: part->how == HOW_RATE	  ? s->rate_per_s
						  : s->increase;
	if (part->over == METRIC_none)
		return part->factor * x;
	over = stats_of(report, part->device, part->over);
	return over && over->increase > 0 ? part->factor * x / over->increase
					  : (double)NAN;
}

/*
 * Of the sum of several the peak may lie higher than of one: so much is certain. The
 * kernel's peak is of all of a process's life, so nothing is known of a window.
 */
bool host_use_between(struct strbuf *sb, const struct report *report)
{
	const struct metric_stats *one =
		stats_of(report, "combined", METRIC_process_peak_mib);
	const struct metric_stats *all = stats_of(report, "combined", METRIC_rss_mib);
	size_t from = sb->len;

	if (one && !report->windowed &&
		!(all &&
			(one->max <= BETWEEN_LEAST * all->max ||
				one->max < all->max + BETWEEN_LEAST_MIB)))
		say(sb, from, "one process reached ", one->max, 0, " MiB resident");
	return sb->len > from;
}

const char *host_use(
	struct strbuf *sb, const struct report *report, enum host_use use, bool *matters)
{
	size_t from = sb->len;

	*matters = host_lines[use].least == 0;

	if (use == HOST_USE_BETWEEN)
		host_use_between(sb, report);
	for (size_t i = 0; i < sizeof host_parts / sizeof host_parts[0]; i++) {
		const struct host_part *part = &host_parts[i];
		double x = part->use == use ? part_of(report, part) : (double)NAN;

		say(sb, from, part->before, x, part->decimals, part->after);
		*matters = *matters || x >= host_lines[use].least;
	}
	if (sb->len == from)
		return NULL;
	strbuf_adds(sb, host_lines[use].end);
	return host_lines[use].title;
}

void finding_release(struct finding *finding)
{
	free(finding->why);
	free(finding->stretch);
	free(finding->phase);
}

/*
 * Names of the causes of gaps, and look-up of a device's logs in the evidence of a
 * run.
 */

const char *gap_cause_name(enum gap_cause cause)
{
	static const char *const name[GAP_ALL_SILENT + 1] = {[GAP_SUSPEND] = "suspend",
		[GAP_CLOCK_STEP] = "clock step",
		[GAP_RESTART] = "recorder restarted",
		[GAP_REFUSED] = "rows refused",
		[GAP_GPU_LOST] = "GPU lost",
		[GAP_LOG_SILENT] = "log silent",
		[GAP_ALL_SILENT] = "all silent"};

	return name[cause];
}

static int by_log(const void *a, const void *b)
{
	const struct device_evidence *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

const struct device_evidence *evidence_find(
	const struct evidence *evidence, enum source_kind source, uint32_t device)
{
	struct device_evidence wanted = {.source = source, .device = device};

	return evidence->device_count
		? bsearch(&wanted, evidence->device, evidence->device_count,
			  sizeof wanted, by_log)
		: NULL;
}

/* Has a log that is not of processes rows of it? */
static bool has_own_log(const struct evidence *evidence, uint32_t device)
{
	for (enum source_kind source = 0; source < SOURCE_KIND_COUNT; source++)
		if (!source_is_of_processes(source) &&
			evidence_find(evidence, source, device))
			return true;
	return false;
}

/* In the log behind e; as evidence_next, but also where no gap limit is known. */
static const struct device_evidence *next_log(
	const struct evidence *evidence, uint32_t device, const struct device_evidence *e)
{
	struct device_evidence wanted = {
		.device = device, .source = (enum source_kind)(e ? e->source + 1 : 0)};
	size_t at;

	while ((at = sorted_before(&wanted, evidence->device, evidence->device_count,
			sizeof wanted, by_log)) < evidence->device_count) {
		e = &evidence->device[at];
		if (by_log(e, &wanted) == 0 &&
			!(source_is_of_processes(e->source) &&
				has_own_log(evidence, device)))
			return e;
		/* on to the log that was met, or behind the one that was asked for */
		wanted.source = (enum source_kind)(
			e->source > wanted.source ? e->source : wanted.source + 1);
	}
	return NULL;
}

const struct device_evidence *evidence_next(
	const struct evidence *evidence, uint32_t device, const struct device_evidence *e)
{
	do
		e = next_log(evidence, device, e);
	while (e && isnan(e->gap_limit_s));
	return e;
}

int64_t evidence_limit_ns(const struct device_evidence *e)
{
	return llround(fmin(e->gap_limit_s * 1e9, 9e18));
}

const struct device_evidence *evidence_best(
	const struct evidence *evidence, uint32_t device)
{
	const struct device_evidence *first = next_log(evidence, device, NULL), *e;
	double most_s = 0;

	for (e = first; e; e = next_log(evidence, device, e))
		if (e->covered_s > most_s)
			most_s = e->covered_s;
	for (e = first; e; e = next_log(evidence, device, e))
		if (most_s > 0 && e->covered_s >= COVERS_ALIKE * most_s)
			return e;
	return first;
}

/* The members of its structs: schema/report.def as a table. */

#define KIND(type, member) \
	_Generic(((type *)0)->member, double                \
		 : MEMBER_NUMBER, uint64_t \
		 : MEMBER_COUNT, int64_t \
		 : MEMBER_TIME, bool                        \
		 : MEMBER_FLAG, const char *                \
		 : MEMBER_TEXT)

/* The name of a number in CSV, by its struct. */
#define NAME_phase_path(key)	  key
#define NAME_phase_call(key)	  key
#define NAME_device_evidence(key) key
#define NAME_steady(key)	  "steady_" key

#define ROW(struct_of, member, ...)                           \
	{.of = OF_##struct_of,                                \
		.kind = KIND(struct struct_of, member),       \
		.offset = offsetof(struct struct_of, member), \
		__VA_ARGS__},

static const struct member members[] = {
#define STATISTIC(called, member, in, of_unit)                                          \
	ROW(metric_stats, member, .part = PART_##in, .key = #called, .column = #called, \
		.unit = of_unit)
#define STATS_MEMBER(member, in, as_key, as_column) \
	ROW(metric_stats, member, .part = PART_##in, .key = as_key, .column = as_column)
#define MEMBER(of, member, as_key, as_column, of_unit)                      \
	ROW(of, member, .key = as_key, .column = as_column, .name = as_key, \
		.unit = of_unit)
#define NUMBER(of, member, of_unit)                                                    \
	ROW(of, member, .key = #member, .column = #member, .name = NAME_##of(#member), \
		.unit = of_unit)
#define MEASURE(of, member, of_unit, digits, which, is_total)                          \
	ROW(of, member, .key = #member, .column = #member, .name = NAME_##of(#member), \
		.unit = of_unit, .is_measure = true, .decimals = digits,               \
		.better = BETTER_##which, .total = is_total)
#include "../schema/report.def"
	{.of = OF_NOTHING},
};

const struct member *members_of(enum member_of of)
{
	const struct member *m = members;

	while (m->of != of)
		m++;
	return m;
}

double member_number(const struct member *m, const void *of)
{
	const void *at = member_at(m, of);

	switch (m->kind) {
	case MEMBER_NUMBER:
		return *(const double *)at;
	case MEMBER_COUNT:
		return (double)*(const uint64_t *)at;
	case MEMBER_FLAG:
		return *(const bool *)at;
	case MEMBER_TIME:
	case MEMBER_TEXT:
		break;
	}
	return NAN;
}
