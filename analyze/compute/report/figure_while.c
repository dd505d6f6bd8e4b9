/* What the time of a rule's conditions comes to, as its figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/report/common_time.h"
#include "compute/report/figure.h"
#include "compute/report/stretch_figures.h"
#include "compute/report/trust.h"

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

/* The metrics of the conditions, as a sentence names them. */
static void name_conditions(struct strbuf *sb, const struct rule *rule)
{
	for (size_t i = 0; i < rule->row_count; i++) {
		const char *name = metric_get(rule->row[i].metric)->name;

		if (rule->row[i].unless || strstr(sb->text, name))
			continue;
		if (i)
			strbuf_adds(sb, rule->row[i - 1].or_next ? " or " : " with ");
		strbuf_adds(sb, name);
	}
}

static double unknown_rows(struct figure_scope *scope)
{
	struct strbuf names;

	strbuf_init(&names);
	name_conditions(&names, scope->rule);
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
	struct strbuf names;

	strbuf_init(&names);
	name_conditions(&names, scope->rule);
	if (gpu->known) {
		figure_note_samples(
			scope, gpu->rows, gpu->at.known_s, scope->rule->row[0].metric);
		trust_weigh(scope, gpu->source, gpu->device,
			&(struct trust_values){names.text, gpu->at.known_s});
	} else {
		trust_weigh_absent(scope, gpu->device, names.text);
	}
	strbuf_release(&names);
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

double figure_while(struct figure_scope *scope, const struct reference *r,
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
