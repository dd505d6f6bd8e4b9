/* References resolved, one kind after the other. */
#include "compute/report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/report/common_time.h"
#include "compute/report/trust.h"

void figure_note_samples(
	struct figure_scope *scope, uint64_t n, double covered_s, enum metric_id metric)
{
	scope->briefest_s = fmin(scope->briefest_s, covered_s);
	if (n >= scope->fewest)
		return;
	scope->fewest = n;
	scope->fewest_of = metric;
}

double figure_unknown(struct figure_scope *scope, const char *format, const char *name)
{
	if (!scope->why->len)
		strbuf_addf(scope->why, format, name);
	return NAN;
}

double figure_refused(struct figure_scope *scope, const struct refused *refused)
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
	if (source == SOURCE_NONE)
		return metric_stats_best(
			report->stats, report->stats_count, device, metric);
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].source == source &&
			report->stats[i].device == device &&
			report->stats[i].metric == metric)
			return &report->stats[i];
	return NULL;
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
	"too few samples show how it grows", "no value is of the run's last moments",
	"all were recorded at the same time", "all were recorded at the same time"};

/* What came after the run's end is of another time. */
static double of_course(const struct figure_scope *scope, const struct metric_stats *s,
	enum course_item item)
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
	if (isnan(x) && course && s->n < FIGURE_SAMPLES_MIN)
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
struct of_gpu {
	double x;
	uint32_t device;
};

/* Of equal ones the first GPU's. */
static int ascending(const void *a, const void *b)
{
	const struct of_gpu *x = a, *y = b;

	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* x: [count] ascending, at least one. *giver: whose it is. */
static double pooled(
	const struct of_gpu *x, size_t count, enum pool pool, uint32_t *giver)
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
	struct of_gpu *of = xcalloc(scope->held->gpu_count + 1, sizeof *of);
	size_t count = 0, said = scope->why->len;
	double result = NAN;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		uint32_t device = scope->held->gpu[i].device;

		trust_weigh_absent(scope, device, NULL);
		of[count] = (struct of_gpu){figure(scope, r, device), device};
		count += isnan(of[count].x) ? 0 : 1;
	}
	if (count) {
		qsort(of, count, sizeof *of, ascending);
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

double figure_value(struct figure_scope *scope, const struct rule_value *value)
{
	bool other = value->gpu_of != SIZE_MAX;
	uint32_t device = other ? scope->giver[value->gpu_of] : scope->device, giver;
	double x, over, most = (double)INFINITY;

	if (other && device == FINDING_RUN)
		return figure_unknown(scope, "%s", "no GPU has it");
	x = resolve(scope, &value->of, device, &giver);
	if (scope->giver)
		scope->giver[value - scope->rule->value] = giver;
	if (value->minus.kind != REFERENCE_NONE)
		x -= resolve(scope, &value->minus, device, &giver);
	if (value->absolute)
		x = fabs(x);
	if (value->times.kind != REFERENCE_NONE)
		x *= resolve(scope, &value->times, device, &giver);
	if (value->over.kind != REFERENCE_NONE) {
		scope->divides = true;
		over = resolve(scope, &value->over, device, &giver);
		scope->divides = false;
		if (over <= 0)
			return figure_unknown(
				scope, "%s", "what it is compared with is 0");
		x /= over;
	}
	x *= value->scale;
	if (value->up_to.kind != REFERENCE_NONE) {
		most = resolve(scope, &value->up_to, device, &giver);
		x = isnan(most) || x > most ? most : x;
	}
	return step_up(scope, value, x, most);
}
