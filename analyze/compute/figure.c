/* References resolved, one kind after the other. */
#include "compute/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/trust.h"

/* What a figure is made of. covered_s: NAN: the log has no times. */
static void note_samples(
	struct figure_scope *scope, uint64_t n, double covered_s, enum metric_id metric)
{
	scope->briefest_s = fmin(scope->briefest_s, covered_s);
	if (n >= scope->fewest)
		return;
	scope->fewest = n;
	scope->fewest_of = metric;
}

static double unknown(struct figure_scope *scope, const char *format, const char *name)
{
	if (!scope->why->len)
		strbuf_addf(scope->why, format, name);
	return NAN;
}

/* The one device of that kind that is not a GPU: all CPUs, the host, the tree. */
static uint32_t device_of(const struct run *run, enum device_kind kind)
{
	static const char *const name[DEVICE_KIND_COUNT] = {
		[DEVICE_CPU] = "cpu", [DEVICE_HOST] = "host", [DEVICE_TREE] = "combined"};
	const struct device_list *list = &run->of_kind[kind];

	for (size_t i = 0; name[kind] && i < list->count; i++)
		if (strcmp(run->device[list->at[i]].name, name[kind]) == 0)
			return list->at[i];
	return UINT32_MAX;
}

/* Over several GPUs sums are of the time of each, all else needs the same time of all. */
static bool is_compared(enum pool pool)
{
	return pool != POOL_NONE && pool != POOL_SUM;
}

static double statistic(
	struct figure_scope *scope, const struct reference *r, uint32_t device)
{
	const struct report *report = scope->report;
	const struct metric_stats *s = NULL;
	enum statistic which = (enum statistic)r->item;
	double x;

	if (device != UINT32_MAX && r->source == SOURCE_NONE)
		s = metric_stats_best(
			report->stats, report->stats_count, device, r->metric);
	for (size_t i = 0; device != UINT32_MAX && r->source != SOURCE_NONE &&
		i < report->stats_count;
		i++)
		if (report->stats[i].source == r->source &&
			report->stats[i].device == device &&
			report->stats[i].metric == r->metric)
			s = &report->stats[i];
	if (!metric_stats_speaks(s))
		return unknown(scope, "no log has %s", metric_get(r->metric)->name);
	x = statistic_get(s, which);
	if (isnan(x))
		return unknown(scope, "%s is not known of it", statistic_name(which));
	note_samples(scope, s->n, s->covered_s, r->metric);
	trust_weigh(scope, s->source, device, !is_compared(r->pool));
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

/* The longer of a length and a stretch. */
static int64_t longer(const struct stretch *time, int64_t ns)
{
	int64_t length_ns = time->to_ns - time->from_ns;

	return length_ns > ns ? length_ns : ns;
}

static double of_run(struct figure_scope *scope, enum while_item item)
{
	int64_t longest_ns = 0;
	double count = 0;

	switch (item) {
	case WHILE_SECONDS:
		return scope->held->seconds;
	case WHILE_SHARE:
		return scope->held->seconds / scope->report->duration_s;
	case WHILE_STRETCHES:
		for (size_t i = 0; i < scope->held->joint.count; i++)
			count += held_counts(scope->rule, &scope->held->joint.at[i].time);
		return isnan(scope->held->seconds) ? NAN : count;
	case WHILE_LONGEST_S:
		for (size_t i = 0; i < scope->held->joint.count; i++)
			longest_ns = longer(&scope->held->joint.at[i].time, longest_ns);
		return isnan(scope->held->seconds) ? NAN
						   : number_ratio(longest_ns, NS_PER_S);
	case WHILE_FIRST_S:
		return scope->held->first_s;
	case WHILE_LAST_S:
		return scope->held->last_s;
	case WHILE_GPU_SECONDS:
		return scope->held->gpu_seconds;
	case WHILE_GPUS:
		return (double)scope->held->joined;
	case WHILE_TOGETHER:
		return scope->held->together;
	case WHILE_SAMPLES:
	case WHILE_SAMPLE_SHARE:
	case WHILE_MEAN:
	case WHILE_INTEGRAL:
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
	int64_t longest_ns = 0;
	double count = 0;

	switch (item) {
	case WHILE_SAMPLES:
		return w->samples;
	case WHILE_SAMPLE_SHARE:
		return w->sample_share;
	case WHILE_SECONDS:
	case WHILE_GPU_SECONDS:
		return w->seconds;
	case WHILE_SHARE:
		return w->share;
	case WHILE_STRETCHES:
		for (size_t i = 0; i < w->count; i++)
			count += held_counts(scope->rule, &w->stretch[i]);
		return w->listed ? count : NAN;
	case WHILE_LONGEST_S:
		for (size_t i = 0; i < w->count; i++)
			longest_ns = longer(&w->stretch[i], longest_ns);
		return w->listed ? number_ratio(longest_ns, NS_PER_S) : NAN;
	case WHILE_FIRST_S:
		return w->first_s;
	case WHILE_LAST_S:
		return w->last_s;
	case WHILE_MEAN:
		return of_metric(scope, w->mean, metric);
	case WHILE_INTEGRAL:
		return of_metric(scope, w->integral, metric);
	case WHILE_TOGETHER:
		return scope->held->together;
	case WHILE_GPUS:
	case WHILE_ITEM_COUNT:
		break;
	}
	return NAN;
}

/* The metrics of the conditions, as a sentence names them. */
static double unknown_rows(struct figure_scope *scope)
{
	const struct rule *rule = scope->rule;

	if (scope->why->len)
		return NAN;
	strbuf_adds(scope->why, "no log has");
	for (size_t i = 0; i < rule->row_count; i++) {
		const char *name = metric_get(rule->row[i].metric)->name;

		if (strstr(scope->why->text, name))
			continue;
		strbuf_addf(scope->why, "%s %s",
			!i				   ? ""
				: rule->row[i - 1].or_next ? " or"
							   : " with",
			name);
	}
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
			return "the log has too many gaps";
	}
	return "the log's times don't tell how long";
}

/* What a GPU has to say of the time of the conditions. */
static void weigh_watch(
	struct figure_scope *scope, const struct gpu_watch *gpu, bool alone)
{
	if (!gpu->known) {
		trust_weigh_absent(scope, gpu->device);
		return;
	}
	note_samples(scope, gpu->rows, gpu->at.known_s, scope->rule->row[0].metric);
	trust_weigh(scope, gpu->source, gpu->device, alone);
}

static double of_while(struct figure_scope *scope, const struct reference *r,
	const struct gpu_watch *gpu)
{
	bool all = r->pool == POOL_NONE && scope->device == FINDING_RUN;
	bool of_others = all || r->item == WHILE_TOGETHER;
	bool any = false;
	double x;

	for (size_t i = 0; of_others && i < scope->held->gpu_count; i++) {
		any |= scope->held->gpu[i].known;
		weigh_watch(scope, &scope->held->gpu[i], true);
	}
	if (all ? !any : !gpu || !gpu->known)
		return unknown_rows(scope);
	if (!all)
		weigh_watch(scope, gpu, !is_compared(r->pool));
	x = all ? of_run(scope, (enum while_item)r->item)
		: of_gpu(scope, gpu, (enum while_item)r->item, r->metric);
	if (!isnan(x))
		return x;
	if (gpu && r->metric != METRIC_none && !isnan(gpu->at.seconds) &&
		gpu->at.seconds > 0)
		return unknown(scope, "no log has %s", metric_get(r->metric)->name);
	return unknown(scope, "%s", unknown_time(scope, gpu));
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
			return unknown(scope, "%s", "the GPU was lost before the end");
		if (!isnan(gpu->value[ending_find(r->metric)]))
			return gpu->value[ending_find(r->metric)];
	}
	return unknown(scope, "no log has %s at the end", metric_get(r->metric)->name);
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
		trust_weigh(scope, s->source, device, !is_compared(r->pool));
		return r->item == DRIFT_FROM  ? drift->from
			: r->item == DRIFT_TO ? drift->to
					      : drift->change;
	}
	return unknown(scope, "no steady state has %s", metric_get(r->metric)->name);
}

/* It comes from the log of the host, or of its CPUs; of GPUs from all of them. */
static double summary(struct figure_scope *scope, enum summary_key key)
{
	const struct summary_field *field = summary_field_get(key);
	double x = scope->report->summary[key].number;
	uint32_t device;

	if (isnan(x))
		return unknown(scope, "%s is not known", field->name);
	if (field->metric == METRIC_none)
		return x;
	device = device_of(scope->report->run, metric_get(field->metric)->device);
	if (device == UINT32_MAX)
		trust_weigh_run(scope);
	else
		trust_weigh(scope, SOURCE_NONE, device, true);
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
		if (metric_get(r->metric)->device != DEVICE_GPU)
			device = device_of(
				scope->report->run, metric_get(r->metric)->device);
		return statistic(scope, r, device);
	case REFERENCE_SUMMARY:
		return summary(scope, (enum summary_key)r->item);
	case REFERENCE_WHILE:
		return of_while(scope, r, gpu_of(scope, device));
	case REFERENCE_EVIDENCE:
		if (r->item == EVIDENCE_WARM_UP_S)
			trust_weigh_run(scope);
		x = figure_evidence(scope, (enum evidence_item)r->item, device);
		return isnan(x) ? unknown(scope, "%s", "the logs don't say it") : x;
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

		trust_weigh_absent(scope, device);
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

/* To the next of the value's steps. */
static double step_up(
	struct figure_scope *scope, const struct rule_value *value, double x)
{
	if (!value->steps || isnan(x))
		return x;
	for (size_t i = 0; i < value->steps; i++)
		if (value->step[i] >= x)
			return value->step[i];
	return unknown(scope, "%s", "it is beyond the largest step");
}

double figure_value(struct figure_scope *scope, const struct rule_value *value)
{
	bool other = value->gpu_of != SIZE_MAX;
	uint32_t device = other ? scope->giver[value->gpu_of] : scope->device, giver;
	double x, over, most;

	if (other && device == FINDING_RUN)
		return unknown(scope, "%s", "no GPU has it");
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
		over = resolve(scope, &value->over, device, &giver);
		if (over <= 0)
			return unknown(scope, "%s", "what it is compared with is 0");
		x /= over;
	}
	x *= value->scale;
	if (value->up_to.kind != REFERENCE_NONE) {
		most = resolve(scope, &value->up_to, device, &giver);
		x = isnan(most) || x > most ? most : x;
	}
	return step_up(scope, value, x);
}
