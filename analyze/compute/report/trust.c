/* Coverage and damage of what a number is from; bounds that one row settles. */
#include "compute/report/trust.h"

#include <math.h>

#include "base/text.h"

/* Rows of a log of which so many are refused tell nothing. */
#define REFUSED_SHARE_MAX 0.1

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
		strbuf_addf(scope->doubt,
			"how much of the %s rows%s%s cover can't be told",
			report_span(scope->report), of, name);
	else
		strbuf_addf(scope->doubt, "%s%s%s %s less than %.0f %% of the %s",
			values ? values : "rows", of, name,
			values ? "is known for" : "cover", 100 * COVERAGE_MIN,
			report_span(scope->report));
}

void trust_weigh(struct figure_scope *scope, enum source_kind source, uint32_t device,
	const struct trust_values *values)
{
	const struct device_evidence *e = evidence_in(scope->report, source, device);

	scope->weighed = true;
	weigh_damage(scope, e ? e->source : source, device);
	weigh_coverage(scope, device, NULL, e ? e->coverage : NAN);
	if (e)
		weigh_coverage(scope, device, values->name,
			e->coverage * known_share(e, values->covered_s));
}

void trust_weigh_possible(struct figure_scope *scope, const struct metric_stats *stats)
{
	uint64_t count = impossible_count(
		scope->impossible, stats->source, stats->device, stats->metric);
	uint64_t missing = impossible_missing(
		scope->impossible, stats->source, stats->device, stats->metric);

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

void trust_weigh_absent(struct figure_scope *scope, uint32_t device, const char *name)
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
	min.of = least;
	max.of = most;
	return figure_value(scope, &min) == figure_value(scope, &max);
}

bool trust_settles(struct figure_scope *scope, const struct rule_value *value,
	const struct value_test *test, double x)
{
	bool lower = test->bound == BOUND_ABOVE || test->bound == BOUND_AT_LEAST;

	return !isnan(x) && bound_holds(test->bound, x, test->limit) == lower &&
		is_peak(&value->of) && value->scale > 0 && !value->absolute &&
		value->minus.kind == REFERENCE_NONE &&
		value->times.kind == REFERENCE_NONE &&
		value->up_to.kind == REFERENCE_NONE && is_constant(scope, &value->over);
}
