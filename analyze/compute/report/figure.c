/* Evaluates the references of a rule, one kind after the other. */
#include "compute/report/figure.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/sort.h"
#include "compute/report/common_time.h"
#include "compute/report/conditions.h"

/* The values that a number is made of. */
struct trust_values {
	const char *name; /* of what, as people read it: "gpu_util_pct"; borrowed */
	double covered_s; /* the time that they cover; NAN: the log has no times */
};

/* Of fewer stretches that are long enough neither is known. */
#define STRETCHES_MEDIAN 3
#define STRETCHES_PERIOD 5

static void figure_note_samples(
	struct figure_scope *scope, uint64_t n, double covered_s, enum metric_id metric);
static double figure_unknown(
	struct figure_scope *scope, const char *format, const char *name);
static double figure_refused(struct figure_scope *scope, const struct refused *refused);

/* Trust: coverage and damage behind a number, and bounds that a single row settles. */

/* The first doubt is told. format: of two texts. */
static void doubt(
	struct figure_scope *scope, const char *format, const char *a, const char *b)
{
	if (!scope->doubt->len)
		strbuf_addf(scope->doubt, format, a, b);
}

static const char *name_of(const struct figure_scope *scope, uint32_t device)
{
	return scope->report->run->device[device].name;
}

/* The files of a kind, and of them those with rows of a device, where that is known. */
static void weigh_damage(
	struct figure_scope *scope, enum source_kind source, uint32_t device)
{
	const struct run *run = scope->report->run;
	uint64_t rows = 0, refused = 0;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		if (source == SOURCE_NONE ? !source_has_samples(file->kind)
					  : file->kind != source)
			continue;
		if (device != FINDING_RUN && file->gpu_count &&
			run->device[device].kind == DEVICE_GPU &&
			!run_file_has_gpu(file, device))
			continue;
		rows += file->rows;
		refused += file->refused;
	}
	if ((double)refused > REFUSED_SHARE_MAX * (double)(rows + refused) &&
		!scope->damage->len)
		strbuf_addf(scope->damage, "%llu of %llu rows were refused",
			(unsigned long long)refused,
			(unsigned long long)(rows + refused));
}

/* SOURCE_NONE: in the kind of log that counts. */
static const struct device_evidence *evidence_in(
	const struct report *report, enum source_kind source, uint32_t device)
{
	return source == SOURCE_NONE ? evidence_best(&report->evidence, device)
				     : evidence_find(&report->evidence, source, device);
}

/* Of the time of its rows that in which they have values; their own gaps apart. */
static double known_share(const struct device_evidence *e, double covered_s)
{
	return e->covered_s > 0 && covered_s < e->covered_s ? covered_s / e->covered_s
							    : 1;
}

/* covered: of the run, by rows of the device, or by the values in them. */
static void weigh_coverage(
	struct figure_scope *scope, uint32_t device, const char *values, double covered)
{
	const char *of = device == scope->device ? "" : " of ";
	const char *name = device == scope->device ? "" : name_of(scope, device);

	if (covered >= COVERAGE_MIN || scope->doubt->len)
		return;
	if (isnan(covered))
		strbuf_addf(scope->doubt, "unknown how much of the %s rows%s%s cover",
			report_span(scope->report), of, name);
	else
		strbuf_addf(scope->doubt, "%s%s%s %s less than %.0f %% of the %s",
			values ? values : "rows", of, name,
			values ? "is known for" : "cover", 100 * COVERAGE_MIN,
			report_span(scope->report));
}

/*
 * A number was asked for that comes from the rows of a device in a kind of log: both
 * they and the values in them must cover the run, as grade C does.
 */
static void trust_weigh(struct figure_scope *scope, enum source_kind source,
	uint32_t device, const struct trust_values *values)
{
	const struct device_evidence *e = evidence_in(scope->report, source, device);

	scope->weighed = true;
	weigh_damage(scope, e ? e->source : source, device);
	weigh_coverage(scope, device, NULL, e ? e->coverage : NAN);
	if (e)
		weigh_coverage(scope, device, values->name,
			e->coverage * known_share(e, values->covered_s));
}

/* Is it of a sensor that says the same whatever the GPU does? */
static bool is_stuck(const struct aggregate *agg, const struct metric_stats *stats)
{
	const struct source_state *source = &agg->source[stats->source];

	enum sensor_metric metric = sensor_metric_of(stats->metric);

	return metric < SENSOR_METRICS && stats->device < source->device_count &&
		source->device[stats->device] &&
		source->device[stats->device]->sensor.stuck[metric].rows;
}

/*
 * One that comes from all values of a metric of a device, of which some may be absurd.
 */
static void trust_weigh_possible(
	struct figure_scope *scope, const struct metric_stats *stats)
{
	uint64_t count = impossible_count(
		scope->impossible, stats->source, stats->device, stats->metric);
	uint64_t missing = impossible_missing(
		scope->impossible, stats->source, stats->device, stats->metric);

	if (!scope->absurd->len && is_stuck(scope->agg, stats))
		strbuf_addf(scope->absurd, "%s of %s never changes",
			metric_get(stats->metric)->name, name_of(scope, stats->device));
	if (!count || scope->absurd->len)
		return;
	strbuf_addf(scope->absurd, "%llu of %llu values of %s", (unsigned long long)count,
		(unsigned long long)(stats->n + missing),
		metric_get(stats->metric)->name);
	if (stats->device != scope->device)
		strbuf_addf(scope->absurd, " of %s", name_of(scope, stats->device));
	strbuf_adds(scope->absurd, " can't be");
}

void trust_weigh_run(struct figure_scope *scope)
{
	scope->weighed = true;
	weigh_damage(scope, SOURCE_NONE, FINDING_RUN);
	if (scope->report->evidence.grade == 'F')
		doubt(scope, "the recording is of grade F", NULL, NULL);
}

/*
 * One over GPUs, of which this one was not asked, as it has no rows at all, or none
 * with what is asked. name: of that; NULL: rows will do.
 */
static void trust_weigh_absent(
	struct figure_scope *scope, uint32_t device, const char *name)
{
	if (!evidence_best(&scope->report->evidence, device))
		doubt(scope, "no log has rows of %s", name_of(scope, device), NULL);
	else if (name)
		doubt(scope, "no log has %s of %s", name, name_of(scope, device));
}

bool trust_nothing(const struct report *report)
{
	const struct evidence *evidence = &report->evidence;

	for (size_t i = 0; i < evidence->device_count; i++)
		if (evidence->device[i].coverage >= COVERAGE_MIN)
			return false;
	return evidence->grade == 'F';
}

/* What can only be larger than the rows that were seen say. */
static bool is_peak(const struct reference *r)
{
	return r->kind == REFERENCE_STATISTIC &&
		(r->item == STATISTIC_max || r->item == STATISTIC_increase) &&
		(r->pool == POOL_NONE || r->pool == POOL_MAX);
}

/* What is installed: of several values of a log the largest, or what the run says. */
static bool is_fixed(const struct report *report, const struct reference *r)
{
	enum metric_id metric = summary_field_get((enum summary_key)r->item)->metric;

	if (r->item != SUMMARY_ram_capacity_mib)
		return false;
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].metric == metric && report->stats[i].n &&
			report->stats[i].min != report->stats[i].max)
			return false;
	return true;
}

/* What it is divided by, if anything, never changed. */
static bool is_constant(struct figure_scope *scope, const struct reference *r)
{
	struct reference least = *r, most = *r;
	struct rule_value min = {.gpu_of = SIZE_MAX, .scale = 1}, max = min;

	if (r->kind == REFERENCE_NONE)
		return true;
	if (r->kind == REFERENCE_SUMMARY)
		return is_fixed(scope->report, r);
	if (r->kind != REFERENCE_STATISTIC || r->pool == POOL_SUM ||
		(r->item != STATISTIC_min && r->item != STATISTIC_max))
		return false;
	least.item = STATISTIC_min;
	least.pool = r->pool == POOL_NONE ? POOL_NONE : POOL_MIN;
	most.item = STATISTIC_max;
	most.pool = r->pool == POOL_NONE ? POOL_NONE : POOL_MAX;
	min.part[PART_OF] = least;
	max.part[PART_OF] = most;
	return figure_value(scope, &min) == figure_value(scope, &max);
}

static bool has_part(const struct rule_value *value, enum value_part part)
{
	return value->part[part].kind != REFERENCE_NONE;
}

bool trust_settles(struct figure_scope *scope, const struct rule_value *value,
	const struct value_test *test, double x)
{
	bool lower = test->bound == BOUND_ABOVE || test->bound == BOUND_AT_LEAST;

	return !isnan(x) && bound_holds(test->bound, x, test->limit) == lower &&
		is_peak(&value->part[PART_OF]) && value->scale > 0 && !value->absolute &&
		!has_part(value, PART_OR) && !has_part(value, PART_MINUS) &&
		!has_part(value, PART_TIMES) && !has_part(value, PART_UP_TO) &&
		is_constant(scope, &value->part[PART_OVER]);
}

/* Stretches of a rule: count, lengths, and time from one begin to the next. */

/* Of an even number the mean of the middle two. */
static double median_s(int64_t *ns, size_t count)
{
	sort_int64(ns, count);
	return number_ratio(
		(int128)ns[(count - 1) / 2] + ns[count / 2], 2 * (int128)NS_PER_S);
}

static double longest_s(const struct stretch *time, size_t count)
{
	int64_t longest_ns = 0;

	for (size_t i = 0; i < count; i++)
		if (time[i].to_ns - time[i].from_ns > longest_ns)
			longest_ns = time[i].to_ns - time[i].from_ns;
	return number_ratio(longest_ns, NS_PER_S);
}

static double median_length_s(const struct stretch *time, size_t count, int64_t *ns)
{
	if (count < STRETCHES_MEDIAN)
		return NAN;
	for (size_t i = 0; i < count; i++)
		ns[i] = time[i].to_ns - time[i].from_ns;
	return median_s(ns, count);
}

/* What comes now and then has none: three of four steps must be nearly alike. */
static double period_s(struct stretch *time, size_t count, int64_t *ns)
{
	size_t steps = count - 1, near = 0;
	double period;

	if (count < STRETCHES_PERIOD)
		return NAN;
	SORT(time, count, compare_int64);
	for (size_t i = 0; i < steps; i++)
		ns[i] = time[i + 1].from_ns - time[i].from_ns;
	period = median_s(ns, steps);
	for (size_t i = 0; i < steps; i++)
		near += fabs((double)ns[i] / NS_PER_S - period) <= period / 4;
	return 4 * near >= 3 * steps ? period : NAN;
}

/*
 * WHILE_STRETCHES, WHILE_LONGEST_S (of all), WHILE_MEDIAN_S or WHILE_PERIOD_S: the
 * median of the steps from begin to begin, if three of four differ from it by a
 * quarter at most. NAN: not known. Writes to time[count].
 */
static double stretch_figure(
	const struct rule *rule, enum while_item item, struct stretch *time, size_t count)
{
	size_t counted = 0;
	int64_t *ns;
	double figure;

	if (item == WHILE_LONGEST_S)
		return longest_s(time, count);
	for (size_t i = 0; i < count; i++)
		if (held_counts(rule, &time[i]))
			time[counted++] = time[i];
	if (item == WHILE_STRETCHES)
		return (double)counted;
	ns = xcalloc(counted + 1, sizeof *ns);
	figure = item == WHILE_MEDIAN_S ? median_length_s(time, counted, ns)
					: period_s(time, counted, ns);
	free(ns);
	return figure;
}

/* References to the time of a rule's conditions (`while`). */

/* Of the run, or of a GPU. */
static double of_stretches(
	const struct figure_scope *scope, const struct watched *gpu, enum while_item item)
{
	const struct joint *joint = &scope->held->joint;
	size_t count = gpu ? gpu->at.count : joint->count;
	struct stretch *time = xcalloc(count + 1, sizeof *time);
	double figure;

	for (size_t i = 0; i < count; i++)
		time[i] = gpu ? gpu->at.at[i].time : joint->at[i].time;
	figure = stretch_figure(scope->rule, item, time, count);
	free(time);
	return figure;
}

static double of_run(struct figure_scope *scope, enum while_item item)
{
	switch (item) {
	case WHILE_SECONDS:
		return scope->held->seconds;
	case WHILE_SHARE:
		return scope->held->seconds / scope->report->duration_s;
	case WHILE_STRETCHES:
	case WHILE_LONGEST_S:
	case WHILE_MEDIAN_S:
	case WHILE_PERIOD_S:
		return isnan(scope->held->seconds) ? NAN
						   : of_stretches(scope, NULL, item);
	case WHILE_FIRST_S:
		return scope->held->first_s;
	case WHILE_LAST_S:
		return scope->held->last_s;
	case WHILE_GPU_SECONDS:
		return scope->held->gpu_seconds;
	case WHILE_GPUS:
		return (double)scope->held->joined;
	case WHILE_TOGETHER:
	case WHILE_POSSIBLE_S:
	case WHILE_SAMPLES:
	case WHILE_SAMPLE_SHARE:
	case WHILE_MEAN:
	case WHILE_INTEGRAL:
	case WHILE_COMMON:
	case WHILE_COMMON_N:
	case WHILE_ITEM_COUNT:
		break;
	}
	return NAN;
}

/* Of mean or integral that of a metric. */
static double of_metric(
	const struct figure_scope *scope, const double *of, enum metric_id metric)
{
	for (size_t i = 0; i < scope->plan->means; i++)
		if (scope->plan->mean[i] == metric)
			return of[i];
	return NAN;
}

static double of_gpu(const struct figure_scope *scope, const struct gpu_watch *gpu,
	enum while_item item, enum metric_id metric)
{
	const struct watched *w = scope->within ? scope->within : &gpu->at;
	const struct common_values *common;

	switch (item) {
	case WHILE_SAMPLES:
		return w->samples;
	case WHILE_SAMPLE_SHARE:
		return w->sample_share;
	case WHILE_SECONDS:
		return w->seconds;
	case WHILE_GPU_SECONDS:
		return w->gpu_seconds;
	case WHILE_POSSIBLE_S:
		return w->possible_s;
	case WHILE_SHARE:
		return w->share;
	case WHILE_STRETCHES:
	case WHILE_LONGEST_S:
	case WHILE_MEDIAN_S:
	case WHILE_PERIOD_S:
		return w->listed ? of_stretches(scope, w, item) : NAN;
	case WHILE_FIRST_S:
		return w->first_s;
	case WHILE_LAST_S:
		return w->last_s;
	case WHILE_MEAN:
		return of_metric(scope, w->mean, metric);
	case WHILE_INTEGRAL:
		return of_metric(scope, w->integral, metric);
	case WHILE_COMMON:
		common = common_values(scope, gpu->device, metric, true);
		return common ? common->mean : NAN;
	case WHILE_COMMON_N:
		common = common_values(scope, gpu->device, metric, true);
		return common ? common->count : NAN;
	case WHILE_TOGETHER:
		return gpu->together;
	case WHILE_GPUS:
	case WHILE_ITEM_COUNT:
		break;
	}
	return NAN;
}

static double unknown_rows(struct figure_scope *scope)
{
	struct strbuf names = strbuf_new();

	if (!scope->why->len)
		conditions_name_missing(
			&names, scope->rule, scope->report, scope->device);
	figure_unknown(scope, "no log has %s", names.text);
	strbuf_release(&names);
	return NAN;
}

/* Of a GPU's log, or of one of the run's: why its times are not known. */
static const char *unknown_time(
	const struct figure_scope *scope, const struct gpu_watch *gpu)
{
	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		const struct gpu_watch *one = &scope->held->gpu[i];

		if ((!gpu || gpu == one) && one->known && !one->at.listed &&
			!isnan(one->at.seconds))
			return "the log has too many gaps or changes";
	}
	return "the log's times don't tell how long";
}

/* What a GPU has to say of the time of the conditions. */
static void weigh_watch(struct figure_scope *scope, const struct gpu_watch *gpu)
{
	if (gpu->known) {
		figure_note_samples(
			scope, gpu->rows, gpu->at.known_s, scope->rule->row[0].metric);
		trust_weigh(scope, gpu->source, gpu->device,
			&(struct trust_values){scope->conditions, gpu->at.known_s});
	} else {
		trust_weigh_absent(scope, gpu->device, scope->conditions);
	}
}

/* A mean in that time is of the rows in it that have the metric. */
static void weigh_mean(
	struct figure_scope *scope, const struct gpu_watch *gpu, enum metric_id metric)
{
	double mean_s = of_metric(scope, gpu->at.mean_s, metric);
	double share = gpu->at.seconds > 0 ? mean_s / gpu->at.seconds : 1;

	trust_weigh(scope, gpu->source, gpu->device,
		&(struct trust_values){
			metric_get(metric)->name, share * gpu->at.known_s});
}

/*
 * Of the time in which the rule's conditions held. gpu: that is asked; NULL: of none.
 */
static double figure_while(struct figure_scope *scope, const struct reference *r,
	const struct gpu_watch *gpu)
{
	bool all = r->pool == POOL_NONE && scope->device == FINDING_RUN;
	bool of_others = all || r->item == WHILE_TOGETHER;
	bool any = false;
	double x;

	for (size_t i = 0; of_others && i < scope->held->gpu_count; i++) {
		any |= scope->held->gpu[i].known;
		weigh_watch(scope, &scope->held->gpu[i]);
	}
	if (!all && gpu)
		weigh_watch(scope, gpu);
	if (all ? !any : !gpu || !gpu->known)
		return unknown_rows(scope);
	x = all ? of_run(scope, (enum while_item)r->item)
		: of_gpu(scope, gpu, (enum while_item)r->item, r->metric);
	if (!isnan(x)) {
		if (gpu && r->metric != METRIC_none)
			weigh_mean(scope, gpu, r->metric);
		return x;
	}
	if (r->item >= WHILE_COMMON)
		return figure_unknown(scope, "%s", "it held of all GPUs at one time");
	if (gpu && r->metric != METRIC_none &&
		impossible_count(scope->impossible, SOURCE_NONE, gpu->device, r->metric))
		return figure_unknown(scope, "%s of it can't be relied on",
			metric_get(r->metric)->name);
	if (gpu && r->metric != METRIC_none && !isnan(gpu->at.seconds) &&
		gpu->at.seconds > 0)
		return figure_unknown(
			scope, "no log has %s", metric_get(r->metric)->name);
	return figure_unknown(scope, "%s", unknown_time(scope, gpu));
}

/* References to evidence. */

/*
 * Of a type with a G, a program may just draw: on Windows every desktop program is C+G.
 * Where the log has no types, one that holds an unknown amount of memory may be such.
 */
static bool computes(const struct report *report, uint32_t index)
{
	const char *type =
		index < report->process_type_count ? report->process_type[index] : NULL;

	if (type)
		return strchr(type, 'C') && !strchr(type, 'G');
	return !report->run->device[index].draws &&
		metric_stats_speaks(metric_stats_best(report->stats, report->stats_count,
			index, METRIC_process_gpu_mem_mib));
}

/* others: those that are another's, at least at times; unknown if that is unknown of one,
 * or in a container: processes of the host may have its pids. */
static double count_processes(const struct report *report, uint32_t gpu, bool others)
{
	const struct device_list *list = &report->run->of_kind[DEVICE_PROCESS];
	bool contained = run_fact_is(report->run, RUN_FACT_HOST_PIDS, "false");
	double count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct device *device = &report->run->device[list->at[i]];

		if (device->parent != (int32_t)gpu || !computes(report, list->at[i]))
			continue;
		if (others && (contained || device->owner == OWNER_UNKNOWN))
			return NAN;
		count += !others || (device->owner & OWNER_OTHER);
	}
	return list->count ? count : NAN;
}

/* All logs of a GPU together: first and last rows, and the largest gap limit. */
struct end_rows {
	int64_t log_first_ns, log_last_ns; /* of any GPU in them */
	int64_t first_ns, last_ns; /* its own */
	double limit_s, interval_s;
};

/* False: no log with times has it, or no gap can be told. */
static bool find_ends(const struct report *report, uint32_t device, struct end_rows *ends)
{
	const struct evidence *all = &report->evidence;

	*ends = (struct end_rows){INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 0};
	for (const struct device_evidence *e = evidence_next(all, device, NULL); e;
		e = evidence_next(all, device, e)) {
		if (e->last_ns == TIME_NONE)
			continue;
		ends->log_first_ns = time_earlier(ends->log_first_ns, e->log_first_ns);
		ends->log_last_ns = time_later(ends->log_last_ns, e->log_last_ns);
		ends->first_ns = time_earlier(ends->first_ns, e->first_ns);
		ends->last_ns = time_later(ends->last_ns, e->last_ns);
		ends->limit_s = fmax(ends->limit_s, e->gap_limit_s);
		ends->interval_s = fmax(ends->interval_s, e->interval_s);
	}
	return ends->log_last_ns != INT64_MIN;
}

static const struct gpu_ending *ending_of(const struct report *report, uint32_t device)
{
	for (size_t i = 0; i < report->ending.gpu_count; i++)
		if (report->ending.gpu[i].device == device)
			return &report->ending.gpu[i];
	return NULL;
}

/* x, or NAN, if the rows that a GPU seems to lack may be among those refused. */
static double unless_refused(struct figure_scope *scope, uint32_t device, int64_t from_ns,
	int64_t to_ns, double x)
{
	const struct report *report = scope->report;
	const struct evidence *all = &report->evidence;
	struct stretch time = {from_ns, to_ns};
	struct refused refused;

	for (const struct device_evidence *e = evidence_next(all, device, NULL);
		x > 0 && e; e = evidence_next(all, device, e))
		if (refused_may_fill(report->run, e->source, device, &time,
			    evidence_limit_ns(e), &refused))
			return figure_refused(scope, &refused);
	return x;
}

/* What ended because a GPU was lost, gpu-lost tells. */
static double unrecorded_s(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);
	struct end_rows ends;
	double length_s;

	if (!find_ends(report, device, &ends))
		return NAN;
	length_s = number_ratio((int128)report->ended_ns - ends.log_last_ns, NS_PER_S);
	if (length_s <= ends.limit_s || (gpu && gpu->lost))
		return 0;
	return unless_refused(
		scope, device, ends.log_last_ns, report->ended_ns, length_s);
}

/* What coverage forgives at either end is none. */
static double beyond_lead(struct figure_scope *scope, uint32_t device,
	const struct end_rows *ends, int64_t from_ns, int64_t to_ns)
{
	double length_s = number_ratio((int128)to_ns - from_ns, NS_PER_S);

	return length_s * NS_PER_S > ends->interval_s * NS_PER_S + GAP_LIMIT_MIN_NS
		? unless_refused(scope, device, from_ns, to_ns, length_s)
		: 0;
}

static double count_impossible(const struct figure_scope *scope, uint32_t device)
{
	double count = 0;

	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		count += (double)impossible_count(
			scope->impossible, SOURCE_NONE, device, i);
	return count;
}

/* Of the kind of log in which most is in doubt; NULL: the GPU is in none. */
static const struct sensor *sensor_of(
	const struct aggregate *agg, uint32_t device, enum sensor_metric metric)
{
	const struct sensor *worst = NULL;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];
		const struct sensor *sensor;

		if (device >= source->device_count || !source->device[device])
			continue;
		sensor = &source->device[device]->sensor;
		if (!worst || sensor->stuck[metric].rows > worst->stuck[metric].rows ||
			(sensor->stuck[metric].rows == worst->stuck[metric].rows &&
				sensor->spikes > worst->spikes))
			worst = sensor;
	}
	return worst;
}

static double of_sensor(const struct aggregate *agg, uint32_t device,
	enum evidence_item item, enum metric_id metric)
{
	enum sensor_metric at = sensor_metric_of(metric);
	const struct sensor *sensor = sensor_of(agg, device, at);
	int64_t value;

	if (!sensor || item == EVIDENCE_SPIKES)
		return sensor ? (double)sensor->spikes : NAN;
	if (item == EVIDENCE_TURNS) {
		uint64_t most = 0;

		for (size_t k = 2; k <= SENSOR_TURNS; k++)
			most = sensor->turns[k] > most ? sensor->turns[k] : most;
		return (double)most;
	}
	if (item == EVIDENCE_STUCK_ROWS || item == EVIDENCE_STUCK_UTIL_ROWS ||
		item == EVIDENCE_STUCK_TEMP_ROWS)
		return (double)sensor->stuck[at].rows;
	value = item == EVIDENCE_SPIKE_W	  ? sensor->spike
		: item == EVIDENCE_SPIKE_AROUND_W ? sensor->spike_around
						  : sensor->stuck[at].value;
	return number_ratio(value, metric_get(metric)->per_unit);
}

static double count_rows(const struct report *report, uint32_t device)
{
	double rows = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *e = &report->evidence.device[i];

		if (e->device == device ||
			report->run->device[e->device].parent == (int32_t)device)
			rows += (double)e->rows;
	}
	return rows;
}

/* Where it has none, one that was refused may be its. */
static double known_rows(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	struct stretch time = {report->started_ns, report->ended_ns};
	double rows = count_rows(report, device);
	struct refused refused;

	return rows == 0 && device != FINDING_RUN &&
			refused_may_fill(report->run, SOURCE_NONE, device, &time,
				INT64_MAX, &refused)
		? figure_refused(scope, &refused)
		: rows;
}

/* Of a device; of the run of all that its coverage is about, the latest. */
static double begins_late_s(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	struct end_rows ends;
	double late_s = NAN;

	if (device != FINDING_RUN)
		return find_ends(report, device, &ends)
			? beyond_lead(scope, device, &ends, report->started_ns,
				  ends.log_first_ns)
			: NAN;
	for (uint32_t i = 0; i < report->run->device_count; i++) {
		const struct device *d = &report->run->device[i];

		if (scope->held->gpu_count
				? d->kind == DEVICE_GPU && report_counts_gpu(report, i)
				: d->kind == DEVICE_CPU && !device_is_core(d))
			late_s = fmax(late_s, begins_late_s(scope, i));
	}
	return late_s;
}

/* While its log has rows of other GPUs, by more than a late one. */
static bool goes_on(
	const struct figure_scope *scope, uint32_t device, int64_t from_ns, int64_t to_ns)
{
	const struct evidence *all = &scope->report->evidence;
	struct stretch time = {from_ns, to_ns};

	if (gpu_is_replaced(scope->agg, device, &time))
		return false;
	for (const struct device_evidence *e = evidence_next(all, device, NULL); e;
		e = evidence_next(all, device, e))
		if ((double)own_log_covered_ns(scope->agg, e->source, &time,
			    evidence_limit_ns(e)) > e->gap_limit_s * NS_PER_S)
			return true;
	return false;
}

/* While its log has rows of other GPUs. */
static double missing_s(
	struct figure_scope *scope, uint32_t device, enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);
	struct end_rows ends;

	if (!find_ends(report, device, &ends))
		return NAN;
	if (item == EVIDENCE_MISSING_AT_S)
		return report_second(report, ends.last_ns);
	if (count_rows(report, device) == 1)
		return 0;
	if (item == EVIDENCE_MISSING_BEFORE_S)
		return goes_on(scope, device, ends.log_first_ns, ends.first_ns)
			? beyond_lead(
				  scope, device, &ends, ends.log_first_ns, ends.first_ns)
			: 0;
	return !(gpu && gpu->lost) &&
			goes_on(scope, device, ends.last_ns, ends.log_last_ns)
		? beyond_lead(scope, device, &ends, ends.last_ns, ends.log_last_ns)
		: 0;
}

static double lost(struct figure_scope *scope, uint32_t device, enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);

	if (!gpu)
		return NAN;
	if (item == EVIDENCE_LOST && !gpu->lost && gpu->silent_s >= ENDING_LOST_LEAST_S) {
		if (count_rows(report, device) == 1) {
			scope->refused = true;
			return figure_unknown(scope, "%s", "only one row is of it");
		}
		if (isnan(unless_refused(scope, device, gpu->last_ns,
			    gpu->last_ns + llround(gpu->silent_s * 1e9), 1)))
			return NAN;
	}
	if (item == EVIDENCE_LOST || !gpu->lost)
		return item == EVIDENCE_LOST_AT_S ? (double)NAN : gpu->lost;
	return item == EVIDENCE_LOST_AT_S
		? report_second(report, gpu->last_ns)
		: number_ratio((int128)report->ended_ns - gpu->last_ns, NS_PER_S);
}

static bool overlap(const struct report *report, const struct gap *a, const struct gap *b)
{
	double a_s = report_second(report, a->start_ns);
	double b_s = report_second(report, b->start_ns);

	return a->device == b->device && a_s < b_s + b->length_s &&
		b_s < a_s + a->length_s;
}

/* Does another log of its device go on while one has a gap? */
static bool is_seen_elsewhere(const struct report *report, const struct gap *gap)
{
	const struct evidence *all = &report->evidence;
	double from_s = report_second(report, gap->start_ns);
	bool seen = false;

	for (const struct device_evidence *e = evidence_next(all, gap->device, NULL);
		!seen && e; e = evidence_next(all, gap->device, e)) {
		seen = e->source != gap->source && e->last_ns != TIME_NONE &&
			report_second(report, e->first_ns) <= from_s &&
			report_second(report, e->last_ns) >= from_s + gap->length_s;
		for (size_t k = 0; seen && k < all->gap_listed; k++)
			seen = all->gap[k].source != e->source ||
				!overlap(report, &all->gap[k], gap);
	}
	return seen;
}

/* Of the gaps of a GPU's log in which others of it go on; the longest come first. */
static double away(struct figure_scope *scope, const struct device_evidence *e,
	enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gap *longest = NULL, *refused = NULL;
	double sum_s = 0;

	if (!e || isnan(e->gap_limit_s))
		return NAN;
	for (size_t i = 0; i < report->evidence.gap_listed; i++) {
		const struct gap *gap = &report->evidence.gap[i];

		if (gap->device != e->device || gap->source != e->source ||
			is_seen_elsewhere(report, gap))
			continue;
		if (gap->cause == GAP_REFUSED)
			refused = refused ? refused : gap;
		if (gap->cause != GAP_GPU_LOST)
			continue;
		longest = longest ? longest : gap;
		sum_s += gap->length_s;
	}
	if (!longest && refused)
		return unless_refused(scope, e->device, refused->start_ns,
			refused->start_ns + llround(refused->length_s * 1e9), 1);
	if (item == EVIDENCE_AWAY_S || !longest)
		return item == EVIDENCE_AWAY_AT_S ? NAN : sum_s;
	return item == EVIDENCE_AWAY_AT_S ? report_second(report, longest->start_ns)
					  : longest->length_s;
}

/* By their names; GPUs without are told apart by their memory, where it is known. */
static bool is_one_model(const struct report *report, uint32_t a, uint32_t b)
{
	const char *x = report->run->device[a].model, *y = report->run->device[b].model;
	const struct metric_stats *of_a, *of_b;

	if (x || y)
		return x && y && strcmp(x, y) == 0;
	of_a = metric_stats_best(
		report->stats, report->stats_count, a, METRIC_mem_total_mib);
	of_b = metric_stats_best(
		report->stats, report->stats_count, b, METRIC_mem_total_mib);
	return !metric_stats_speaks(of_a) || !metric_stats_speaks(of_b) ||
		of_a->p50 == of_b->p50;
}

/* Of the GPUs that count. */
static double count_models(const struct figure_scope *scope)
{
	const struct gpu_watch *gpu = scope->held->gpu;
	double count = 0;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		bool first = true;

		for (size_t k = 0; first && k < i; k++)
			first = !is_one_model(
				scope->report, gpu[i].device, gpu[k].device);
		count += first;
	}
	return count;
}

static double count_overlaps(const struct run *run)
{
	double count = 0;

	for (size_t i = 0; i < run->diags.count; i++)
		count += strcmp(run->diags.at[i].id, "overlap") == 0;
	return count;
}

/* What the command said itself: none if a signal ended it. */
static double exit_status(int32_t status)
{
	return status >= 0 && !signal_of_status(status) ? status : (double)NAN;
}

double figure_evidence(
	struct figure_scope *scope, enum evidence_item item, uint32_t device)
{
	const struct report *report = scope->report;
	const struct device_evidence *e = evidence_best(&report->evidence, device);
	bool run = device == FINDING_RUN;

	switch (item) {
	case EVIDENCE_COVERAGE:
		return run ? report->evidence.coverage : e ? e->coverage : NAN;
	case EVIDENCE_GAPS:
		return run  ? (double)report->evidence.gap_count
			: e ? (double)e->gaps
			    : NAN;
	case EVIDENCE_LONGEST_GAP_S:
		return evidence_longest_gap_s(&report->evidence, device);
	case EVIDENCE_STEPS_BACK:
		return run  ? (double)evidence_steps_back(report)
			: e ? (double)e->steps_back
			    : NAN;
	case EVIDENCE_OVERLAPS:
		return count_overlaps(report->run);
	case EVIDENCE_SESSIONS:
		return (double)report->evidence.sessions;
	case EVIDENCE_LOST:
	case EVIDENCE_LOST_AT_S:
	case EVIDENCE_LOST_S:
		return lost(scope, device, item);
	case EVIDENCE_UNRECORDED_S:
		return unrecorded_s(scope, device);
	case EVIDENCE_STUCK_ROWS:
	case EVIDENCE_STUCK_W:
	case EVIDENCE_SPIKES:
	case EVIDENCE_TURNS:
	case EVIDENCE_SPIKE_W:
	case EVIDENCE_SPIKE_AROUND_W:
		return of_sensor(scope->agg, device, item, METRIC_power_w);
	case EVIDENCE_STUCK_UTIL_ROWS:
	case EVIDENCE_STUCK_UTIL:
		return of_sensor(scope->agg, device, item, METRIC_gpu_util_pct);
	case EVIDENCE_STUCK_TEMP_ROWS:
	case EVIDENCE_STUCK_TEMP:
		return of_sensor(scope->agg, device, item, METRIC_temperature_c);
	case EVIDENCE_IMPOSSIBLE:
		return count_impossible(scope, device);
	case EVIDENCE_ROWS:
		return known_rows(scope, device);
	case EVIDENCE_BEGINS_LATE_S:
		return begins_late_s(scope, device);
	case EVIDENCE_MISSING_BEFORE_S:
	case EVIDENCE_MISSING_AFTER_S:
	case EVIDENCE_MISSING_AT_S:
		return missing_s(scope, device, item);
	case EVIDENCE_SHARED:
		return shared_time(report, device);
	case EVIDENCE_UNSHARED:
		return unshared_time(report, device);
	case EVIDENCE_AWAY_S:
	case EVIDENCE_LONGEST_AWAY_S:
	case EVIDENCE_AWAY_AT_S:
		return away(scope, e, item);
	case EVIDENCE_LACKING:
		return evidence_lacking(report, e);
	case EVIDENCE_DURATION_S:
		return report->duration_s;
	case EVIDENCE_EXIT_STATUS:
		return exit_status(report->run->exit_status);
	case EVIDENCE_GPUS:
		return (double)scope->held->gpu_count;
	case EVIDENCE_MODELS:
		return count_models(scope);
	case EVIDENCE_PROCESSES:
	case EVIDENCE_OTHER_PROCESSES:
		return count_processes(report, device, item == EVIDENCE_OTHER_PROCESSES);
	case EVIDENCE_PROCESS_MIB:
		return device < report->process_mib_count ? report->process_mib[device]
							  : NAN;
	case EVIDENCE_ABRUPT:
		return report->ending.abrupt;
	case EVIDENCE_RECORDER_ENDED_S:
		return report->ending.sign[ENDING_NO_END] ? report->duration_s
							  : (double)NAN;
	case EVIDENCE_SIGNAL:
		return report->ending.signal ? report->ending.signal : (double)NAN;
	case EVIDENCE_GPUS_UNSEEN:
		return run_gpus_unseen(report->run, NULL) ? 1 : (double)NAN;
	case EVIDENCE_TROUBLED_LOGS:
		return observer_troubled(report->run);
	case EVIDENCE_WORK_BEFORE:
		return work_shift_of(scope->agg, report).before;
	case EVIDENCE_WORK_AFTER:
		return work_shift_of(scope->agg, report).after;
	case EVIDENCE_WORK_AT_S:
		return work_shift_of(scope->agg, report).at_s;
	case EVIDENCE_WARM_UP_S:
		return report->steady.warm_up_s;
	case EVIDENCE_STEADY_S:
		return report->steady.to_s - report->steady.from_s;
	case EVIDENCE_BUSIEST_CORE:
		return report->busiest_core_pct;
	case EVIDENCE_ITEM_COUNT:
		break;
	}
	return NAN;
}

/* What a figure is made of. covered_s: NAN: the log has no times. */
static void figure_note_samples(
	struct figure_scope *scope, uint64_t n, double covered_s, enum metric_id metric)
{
	scope->briefest_s = fmin(scope->briefest_s, covered_s);
	if (n >= scope->fewest)
		return;
	scope->fewest = n;
	scope->fewest_of = metric;
}

/* For those that work figures out. format: of a name. NAN, for that reason. */
static double figure_unknown(
	struct figure_scope *scope, const char *format, const char *name)
{
	if (!scope->why->len)
		strbuf_addf(scope->why, format, name);
	return NAN;
}

/* ... that reason is rows that were refused. */
static double figure_refused(struct figure_scope *scope, const struct refused *refused)
{
	scope->refused = true;
	if (scope->why->len)
		return NAN;
	if (refused->rows >= LOST_ROWS_MANY)
		strbuf_addf(scope->why, "what %s has from line %llu on could not be read",
			refused->file, (unsigned long long)refused->line);
	else
		strbuf_addf(scope->why,
			"%llu row%s of that time in %s %s refused, the first in line "
			"%llu",
			(unsigned long long)refused->rows, refused->rows == 1 ? "" : "s",
			refused->file, refused->rows == 1 ? "was" : "were",
			(unsigned long long)refused->line);
	return NAN;
}

/* The one device of that kind that is not a GPU: all CPUs, the host, the tree. */
static uint32_t device_of(const struct run *run, enum device_kind kind)
{
	static const char *const name[DEVICE_KIND_COUNT] = {[DEVICE_CPU] = "cpu",
		[DEVICE_HOST] = "host",
		[DEVICE_TREE] = "combined",
		[DEVICE_GROUP] = "cgroup"};
	const struct device_list *list = &run->of_kind[kind];

	for (size_t i = 0; name[kind] && i < list->count; i++)
		if (strcmp(run->device[list->at[i]].name, name[kind]) == 0)
			return list->at[i];
	return UINT32_MAX;
}

/* SOURCE_NONE: of the kind of log that counts. NULL: none has. */
static const struct metric_stats *stats_of(const struct report *report,
	enum source_kind source, uint32_t device, enum metric_id metric)
{
	return source == SOURCE_NONE
		? metric_stats_best(report->stats, report->stats_count, device, metric)
		: metric_stats_of(
			  report->stats, report->stats_count, source, device, metric);
}

/* What never changed is a measure for others, however seldom it was said. */
static void weigh_statistic(struct figure_scope *scope, const struct metric_stats *s)
{
	bool fixed = scope->divides && s->min == s->max;

	trust_weigh_possible(scope, s);
	trust_weigh(scope, s->source, s->device,
		&(struct trust_values){
			metric_get(s->metric)->name, fixed ? NAN : s->covered_s});
}

/* The same of a number that is worked out of them: SOURCE_NONE: of the best log. */
static void weigh_metric(struct figure_scope *scope, enum source_kind source,
	uint32_t device, enum metric_id metric)
{
	const struct metric_stats *s = stats_of(scope->report, source, device, metric);

	if (metric_stats_speaks(s))
		weigh_statistic(scope, s);
	else
		trust_weigh(scope, source, device,
			&(struct trust_values){metric_get(metric)->name, NAN});
}

static const char *const course_unknown[COURSE_ITEM_COUNT] = {
	"too few samples to judge growth", "no value is of the run's last moments",
	"all were recorded at the same time", "all were recorded at the same time",
	"it is not known", "it is not known", "its level does not change for good"};

/* It takes long to find, and a rule asks for both levels and when. */
static const struct level_shift *level_of(
	struct figure_scope *scope, const struct metric_stats *s)
{
	if (scope->shifting != s)
		scope->level = level_shift_of(scope->agg, scope->report, s);
	scope->shifting = s;
	return &scope->level;
}

/* What came after the run's end is of another time. */
static double of_course(
	struct figure_scope *scope, const struct metric_stats *s, enum course_item item)
{
	const struct common_values *common;

	switch (item) {
	case COURSE_ITEM_LEAST_RISE:
		return s->least_rise;
	case COURSE_ITEM_RECENT:
		return s->recent_at_ns > scope->report->ended_ns ? NAN : s->recent;
	case COURSE_ITEM_COMMON:
		common = common_values(scope, s->device, s->metric, false);
		return common ? common->mean : NAN;
	case COURSE_ITEM_COMMON_N:
		common = common_values(scope, s->device, s->metric, false);
		return common ? common->count : NAN;
	case COURSE_ITEM_BEFORE:
		return level_of(scope, s)->before;
	case COURSE_ITEM_AFTER:
		return level_of(scope, s)->after;
	case COURSE_ITEM_SHIFT_S:
		return level_of(scope, s)->at_s;
	case COURSE_ITEM_COUNT:
		break;
	}
	return NAN;
}

static double statistic(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	const struct metric_stats *s =
		stats_of(scope->report, r->source, device, r->metric);
	bool course = r->kind == REFERENCE_COURSE;
	double x;

	if (!metric_stats_speaks(s)) {
		if (r->pool != POOL_NONE)
			trust_weigh_absent(scope, device, metric_get(r->metric)->name);
		return figure_unknown(
			scope, "no log has %s", metric_get(r->metric)->name);
	}
	x = course ? of_course(scope, s, (enum course_item)r->item)
		   : statistic_get(s, (enum statistic)r->item);
	if (course)
		figure_note_samples(scope, s->n, s->covered_s, r->metric);
	/* Fewer samples than any rule takes are a reason of their own. */
	if (isnan(x) && course && s->n < SAMPLES_MIN)
		return NAN;
	if (isnan(x) && course)
		return figure_unknown(scope, "%s", course_unknown[r->item]);
	if (isnan(x))
		return figure_unknown(scope, "%s is not known of it",
			statistic_name((enum statistic)r->item));
	figure_note_samples(scope, s->n, s->covered_s, r->metric);
	weigh_statistic(scope, s);
	return x;
}

/* What one GPU has. */
struct figure_of_gpu {
	double x;
	uint32_t device;
};

/* Of equal ones the first GPU's. */
static int ascending(const void *a, const void *b)
{
	const struct figure_of_gpu *x = a, *y = b;

	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* x: [count] ascending, at least one. *giver: whose it is. */
static double pooled(
	const struct figure_of_gpu *x, size_t count, enum pool pool, uint32_t *giver)
{
	double sum = 0;
	size_t largest = count - 1;

	*giver = FINDING_RUN;
	for (size_t i = 0; i < count; i++)
		sum += x[i].x;
	while (largest && x[largest - 1].x >= x[largest].x)
		largest--;
	switch (pool) {
	case POOL_MIN:
		*giver = x[0].device;
		return x[0].x;
	case POOL_MAX:
		*giver = x[largest].device;
		return x[largest].x;
	case POOL_MEDIAN:
		return count % 2 ? x[count / 2].x
				 : (x[count / 2 - 1].x + x[count / 2].x) / 2;
	case POOL_SUM:
		return sum;
	case POOL_NONE:
	case POOL_COUNT:
		break;
	}
	return NAN;
}

/* Of several GPUs what was so at the end: those that were lost before had no part in it.
 */
static double last_value(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	const struct ending *ending = &scope->report->ending;

	for (size_t i = 0; i < ending->gpu_count; i++) {
		const struct gpu_ending *gpu = &ending->gpu[i];

		if (gpu->device != device)
			continue;
		if (gpu->lost && r->pool != POOL_NONE)
			return figure_unknown(
				scope, "%s", "the GPU was lost before the end");
		if (impossible_count(scope->impossible, SOURCE_NONE, device, r->metric))
			return figure_unknown(scope, "%s of it can't be relied on",
				metric_get(r->metric)->name);
		if (!isnan(gpu->value[ending_find(r->metric)]))
			return gpu->value[ending_find(r->metric)];
	}
	return figure_unknown(
		scope, "no log has %s at the end", metric_get(r->metric)->name);
}

/* Of a GPU in the steady state. */
static double drift_of(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	const struct steady *s = &scope->report->steady;

	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->device != device || drift->metric != r->metric)
			continue;
		weigh_metric(scope, s->source, device, r->metric);
		switch ((enum drift_item)r->item) {
		case DRIFT_FROM:
			return drift->from;
		case DRIFT_TO:
			return drift->to;
		case DRIFT_CHANGE:
			return drift->change;
		case DRIFT_AT_S:
			return report_second(scope->report, drift->at_ns);
		case DRIFT_ITEM_COUNT:
			break;
		}
	}
	return figure_unknown(
		scope, "no steady state has %s", metric_get(r->metric)->name);
}

/* Of a GPU, with those that hang with it. */
static double of_hang(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	const struct hang *hang = device == FINDING_RUN ? NULL : &scope->hang[device];
	size_t metric = hang_metric(r->metric);

	if (!hang || !hang->judged)
		return figure_unknown(scope, "%s",
			"no log has utilization with power, or with activity of SMs or "
			"memory");
	weigh_metric(scope, hang->source, device, METRIC_gpu_util_pct);
	for (size_t i = 0; i < HANG_METRICS; i++)
		if (hang->has[i])
			weigh_metric(scope, hang->source, device, hang_metric_at(i));
	if (!hang->found && r->item != HANG_MAYBE_S && r->item != HANG_WAITED_S &&
		r->item != HANG_WAITED_LEVEL)
		return r->item == HANG_SECONDS ? hang->brief_s : (double)NAN;
	switch ((enum hang_item)r->item) {
	case HANG_MAYBE_S:
		return hang->maybe_s;
	case HANG_WAITED_S:
		return hang->waited_s;
	case HANG_WAITED_LEVEL:
		return hang->waited_level;
	case HANG_SECONDS:
		return number_ratio((int128)hang->to_ns - hang->from_ns, NS_PER_S);
	case HANG_AT_S:
		return report_second(scope->report, hang->from_ns);
	case HANG_OWN_S:
		return hang->own_s;
	case HANG_OTHERS:
		return (double)hang->others;
	case HANG_GPU_SECONDS:
		return hang->gpu_seconds;
	case HANG_ENERGY_J:
		return hang->energy_j;
	case HANG_UTIL:
		return hang->util_pct;
	case HANG_LOW:
		return hang->low[metric];
	case HANG_BUSY:
		return hang->busy[metric];
	case HANG_ITEM_COUNT:
		break;
	}
	return NAN;
}

/* It comes from the log of the host, or of its CPUs; of GPUs from all of them. */
static double summary(struct figure_scope *scope, enum summary_key key)
{
	const struct summary_field *field = summary_field_get(key);
	double x = scope->report->summary[key].number;
	uint32_t device;

	if (isnan(x))
		return figure_unknown(scope, "%s is not known", field->name);
	if (field->metric == METRIC_none)
		return x;
	device = device_of(scope->report->run, metric_get(field->metric)->device);
	if (device == UINT32_MAX)
		trust_weigh_run(scope);
	else
		weigh_metric(scope, SOURCE_NONE, device, field->metric);
	return x;
}

static const struct gpu_watch *gpu_of(const struct figure_scope *scope, uint32_t device)
{
	for (size_t i = 0; i < scope->held->gpu_count; i++)
		if (scope->held->gpu[i].device == device)
			return &scope->held->gpu[i];
	return NULL;
}

static double figure(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	double x;

	switch (r->kind) {
	case REFERENCE_STATISTIC:
	case REFERENCE_COURSE:
		if (metric_get(r->metric)->device != DEVICE_GPU)
			device = device_of(
				scope->report->run, metric_get(r->metric)->device);
		return statistic(scope, r, device);
	case REFERENCE_SUMMARY:
		return summary(scope, (enum summary_key)r->item);
	case REFERENCE_WHILE:
		return figure_while(scope, r, gpu_of(scope, device));
	case REFERENCE_EVIDENCE:
		if (r->item == EVIDENCE_WARM_UP_S)
			trust_weigh_run(scope);
		x = figure_evidence(scope, (enum evidence_item)r->item, device);
		return isnan(x) ? figure_unknown(scope, "%s", "the logs don't say it")
				: x;
	case REFERENCE_DRIFT:
		return drift_of(scope, r, device);
	case REFERENCE_HANG:
		return of_hang(scope, r, device);
	case REFERENCE_LAST:
		return last_value(scope, r, device);
	case REFERENCE_VALUE:
		return scope->value[r->item];
	case REFERENCE_NONE:
		break;
	}
	return NAN;
}

/* Over the GPUs of which it is known. */
static double over_gpus(
	struct figure_scope *scope, const struct reference *r, uint32_t *giver)
{
	struct figure_of_gpu *of = xcalloc(scope->held->gpu_count + 1, sizeof *of);
	size_t count = 0, said = scope->why->len;
	double result = NAN;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		uint32_t device = scope->held->gpu[i].device;

		trust_weigh_absent(scope, device, NULL);
		of[count] = (struct figure_of_gpu){figure(scope, r, device), device};
		count += isnan(of[count].x) ? 0 : 1;
	}
	if (count) {
		SORT(of, count, ascending);
		if (!said)
			strbuf_clear(scope->why);
		result = pooled(of, count, r->pool, giver);
	}
	free(of);
	return result;
}

/* device: that is asked where there is no pool. */
static double resolve(struct figure_scope *scope, const struct reference *r,
	uint32_t device, uint32_t *giver)
{
	*giver = FINDING_RUN;
	return r->pool == POOL_NONE ? figure(scope, r, device)
				    : over_gpus(scope, r, giver);
}

/* To the next of the value's steps. most: that it can be; infinite: anything. */
static double step_up(
	struct figure_scope *scope, const struct rule_value *value, double x, double most)
{
	if (!value->steps || isnan(x))
		return x;
	for (size_t i = 0; i < value->steps && value->step[i] <= most; i++)
		if (value->step[i] >= x)
			return value->step[i];
	return figure_unknown(scope, "%s", "it is beyond the largest step");
}

/* Instead of what no log has. */
static double first_known(struct figure_scope *scope, const struct rule_value *value,
	uint32_t device, uint32_t *giver)
{
	size_t said = scope->why->len;
	double x = resolve(scope, &value->part[PART_OF], device, giver), other;

	if (!isnan(x) || !has_part(value, PART_OR))
		return x;
	other = resolve(scope, &value->part[PART_OR], device, giver);
	if (!isnan(other) && !said)
		strbuf_clear(scope->why);
	return other;
}

double figure_value(struct figure_scope *scope, const struct rule_value *value)
{
	const struct reference *part = value->part;
	bool other = value->gpu_of != SIZE_MAX;
	uint32_t device = other ? scope->giver[value->gpu_of] : scope->device, giver;
	double x, over, most = (double)INFINITY;

	if (other && device == FINDING_RUN)
		return figure_unknown(scope, "%s", "no GPU has it");
	x = first_known(scope, value, device, &giver);
	if (scope->giver)
		scope->giver[value - scope->rule->value] = giver;
	if (has_part(value, PART_MINUS))
		x -= resolve(scope, &part[PART_MINUS], device, &giver);
	if (value->absolute)
		x = fabs(x);
	if (has_part(value, PART_TIMES))
		x *= resolve(scope, &part[PART_TIMES], device, &giver);
	if (has_part(value, PART_OVER)) {
		scope->divides = true;
		over = resolve(scope, &part[PART_OVER], device, &giver);
		scope->divides = false;
		if (over <= 0)
			return figure_unknown(
				scope, "%s", "what it is compared with is 0");
		x /= over;
	}
	x *= value->scale;
	if (has_part(value, PART_UP_TO)) {
		most = resolve(scope, &part[PART_UP_TO], device, &giver);
		x = isnan(most) || x > most ? most : x;
	}
	return step_up(scope, value, x, most);
}
