/*
 * Every rule, on every GPU or on the run: fires, does not, or cannot tell. README.md,
 * "Findings". What a rule says stands in schema/findings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/figure.h"
#include "compute/finding_stretches.h"
#include "compute/state.h"

/* Rows of a log of which so many are refused tell nothing. */
#define REFUSED_SHARE_MAX 0.1

void findings_watch(struct aggregate *agg, const struct sample_batch *batch,
	int64_t near_ns,
	bool (*wanted)(const struct aggregate *agg, const struct sample_batch *batch,
		size_t row))
{
	struct watch_list *list = &agg->watches;
	struct phase_map *phases = batch->timed ? aggregate_phases(agg) : NULL;

	if (phases && !phase_map_tree(phases)->path_count)
		phases = NULL;
	for (size_t i = 0; i < list->count; i++) {
		bool judged = watch_plan_batch(&list->plan[i], &agg->run->texts, batch);

		for (size_t row = 0; row < batch->rows; row++) {
			uint32_t index = batch->device[row];
			struct device_state *device;

			if (agg->run->device[index].kind != DEVICE_GPU ||
				!wanted(agg, batch, row))
				continue;
			device = agg->source[batch->source].device[index];
			if (!judged && (!device->watch || !device->watch[i].open))
				continue;
			if (!device->watch)
				device->watch =
					xcalloc(list->count, sizeof *device->watch);
			watch_add(&device->watch[i], &list->plan[i], batch, row, near_ns,
				phases);
		}
	}
}

/* Of its logs, or of all logs with rows of GPUs. */
static bool mostly_refused(const struct report *report, struct strbuf *why)
{
	const struct run *run = report->run;
	uint64_t rows = 0, refused = 0;

	for (size_t i = 0; i < run->file_count; i++)
		if (source_has_samples(run->file[i].kind)) {
			rows += run->file[i].rows;
			refused += run->file[i].refused;
		}
	if ((double)refused <= REFUSED_SHARE_MAX * (double)(rows + refused))
		return false;
	strbuf_clear(why);
	strbuf_addf(why, "%llu of %llu rows were refused", (unsigned long long)refused,
		(unsigned long long)(rows + refused));
	return true;
}

/* Grade, samples, time: what a rule needs before it may speak. */
static bool is_trusted(const struct figure_scope *scope, struct strbuf *why)
{
	const struct report *report = scope->report;

	if (scope->rule->any_evidence)
		return true;
	if (report->evidence.grade == 'F') {
		strbuf_clear(why);
		strbuf_adds(why, "the recording is of grade F");
		return false;
	}
	if (mostly_refused(report, why))
		return false;
	if (scope->fewest >= FIGURE_SAMPLES_MIN && scope->briefest_s >= FIGURE_SPAN_MIN_S)
		return true;
	if (why->len)
		return false;
	if (scope->fewest >= FIGURE_SAMPLES_MIN)
		strbuf_addf(why, "only %.1f s of samples", scope->briefest_s);
	else
		strbuf_addf(why, "only %llu sample%s of %s",
			(unsigned long long)scope->fewest, scope->fewest == 1 ? "" : "s",
			metric_get(scope->fewest_of)->name);
	return false;
}

/* Is there a reason not to believe what all else speaks for? */
static bool is_in_doubt(const struct rule *rule, const double *value, struct strbuf *why)
{
	for (size_t i = 0; i < rule->doubt_count; i++) {
		const struct rule_doubt *doubt = &rule->doubt[i];
		double x = value[doubt->test.value];

		if (isnan(x) || !bound_holds(doubt->test.bound, x, doubt->test.limit))
			continue;
		strbuf_clear(why);
		strbuf_adds(why, doubt->why);
		return true;
	}
	return false;
}

enum verdict {
	VERDICT_NO,
	VERDICT_UNKNOWN,
	VERDICT_YES
};

/* One that fails decides, whatever else is not known. */
static enum verdict judge(
	const struct value_test *test, size_t count, const double *value)
{
	enum verdict verdict = VERDICT_YES;

	for (size_t i = 0; i < count; i++) {
		double x = value[test[i].value];

		if (isnan(x))
			verdict = VERDICT_UNKNOWN;
		else if (!bound_holds(test[i].bound, x, test[i].limit))
			return VERDICT_NO;
	}
	return verdict;
}

/* Values are worked out in the rule's order, those of its conditions give the reason. */
static void evaluate(
	const struct aggregate *agg, struct figure_scope *scope, struct report *report)
{
	const struct rule *rule = scope->rule;
	struct finding finding = {.rule = rule, .device = scope->device};
	uint32_t giver[RULE_PARTS_MAX];
	struct strbuf why, later;
	enum verdict verdict;

	strbuf_init(&why);
	strbuf_init(&later);
	scope->fewest = UINT64_MAX;
	scope->briefest_s = INFINITY;
	scope->value = finding.value;
	scope->giver = giver;
	for (size_t i = 0; i < rule->value_count; i++) {
		bool decides = false;

		for (size_t k = 0; k < rule->fires_count; k++)
			decides |= rule->fires[k].value == i;
		scope->why = decides ? &why : &later;
		finding.value[i] = figure_value(scope, &rule->value[i]);
	}
	verdict = judge(rule->fires, rule->fires_count, finding.value);
	if (judge(rule->applies, rule->applies_count, finding.value) != VERDICT_YES)
		verdict = VERDICT_NO;
	else if (verdict == VERDICT_UNKNOWN || !why.len)
		verdict = is_trusted(scope, &why) ? verdict : VERDICT_UNKNOWN;
	if (verdict == VERDICT_YES && is_in_doubt(rule, finding.value, &why))
		verdict = VERDICT_UNKNOWN;
	if (verdict != VERDICT_NO) {
		finding.coverage =
			figure_evidence(scope, EVIDENCE_COVERAGE, scope->device);
		finding.cost_gpu_s = verdict != VERDICT_YES || rule->cost == SIZE_MAX
			? NAN
			: finding.value[rule->cost];
		finding.outcome =
			verdict == VERDICT_YES ? OUTCOME_FIRES : OUTCOME_CANNOT_TELL;
		if (verdict == VERDICT_YES)
			finding_stretches(&finding, scope, agg);
		else
			finding.why = xstrdup(why.len ? why.text : "it is not known");
		ALLOC_GROW(
			report->finding, report->finding_count + 1, report->finding_cap);
		report->finding[report->finding_count++] = finding;
	}
	scope->giver = NULL;
	strbuf_release(&why);
	strbuf_release(&later);
}

/* What can be told of no GPU, and of all for one reason, is said once, of the run. */
static void unite_untold(struct report *report, size_t first, size_t gpus)
{
	struct finding *finding = &report->finding[first];
	size_t count = report->finding_count - first;

	if (gpus < 2 || count != gpus)
		return;
	for (size_t i = 0; i < count; i++)
		if (finding[i].outcome != OUTCOME_CANNOT_TELL ||
			strcmp(finding[i].why, finding->why) != 0)
			return;
	finding->device = FINDING_RUN;
	finding->coverage = report->evidence.coverage;
	while (report->finding_count > first + 1)
		finding_release(&report->finding[--report->finding_count]);
}

/* Is it one of the GPUs that the rule looks at? */
static bool is_among(struct figure_scope *scope, uint32_t device)
{
	struct strbuf why;
	bool among = true;

	strbuf_init(&why);
	scope->device = device;
	scope->why = &why;
	for (size_t i = 0; i < scope->rule->among_count; i++) {
		const struct gpu_test *test = &scope->rule->among[i];
		double x = figure_value(scope,
			&(struct rule_value){
				.of = test->of, .gpu_of = SIZE_MAX, .scale = 1});

		among &= !isnan(x) && bound_holds(test->bound, x, test->limit);
	}
	strbuf_release(&why);
	return among;
}

/* Takes the other GPUs out. */
static void choose_gpus(struct figure_scope *scope, struct held *held)
{
	size_t kept = 0;

	for (size_t i = 0; i < held->gpu_count; i++)
		if (is_among(scope, held->gpu[i].device))
			held->gpu[kept++] = held->gpu[i];
		else
			watched_release(&held->gpu[i].at);
	held->gpu_count = kept;
	scope->device = FINDING_RUN;
}

static void judge_rule(struct aggregate *agg, struct report *report, size_t rule)
{
	const struct rule *r = &agg->options.rules->rule[rule];
	size_t plan = agg->watches.of_rule[rule];
	struct held held;
	size_t first;
	struct figure_scope scope = {.report = report,
		.rule = r,
		.plan = plan == SIZE_MAX ? NULL : &agg->watches.plan[plan],
		.device = FINDING_RUN,
		.held = &held};

	first = report->finding_count;
	held_find(&held, agg, rule, report);
	choose_gpus(&scope, &held);
	if (r->alone)
		held_leave_alone(&held);
	if (r->scope == SCOPE_RUN) {
		held_join(&held);
		evaluate(agg, &scope, report);
	}
	for (size_t i = 0; r->scope == SCOPE_GPU && i < held.gpu_count; i++) {
		scope.device = held.gpu[i].device;
		evaluate(agg, &scope, report);
	}
	if (r->scope == SCOPE_GPU)
		unite_untold(report, first, held.gpu_count);
	held_release(&held);
}

/* What fires before what can't tell; then by severity, by cost, by rule, by device. */
static int worst_first(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double x_cost = isnan(x->cost_gpu_s) ? 0 : x->cost_gpu_s;
	double y_cost = isnan(y->cost_gpu_s) ? 0 : y->cost_gpu_s;
	int order;

	if (x->outcome != y->outcome)
		return x->outcome < y->outcome ? -1 : 1;
	if (x->rule->severity != y->rule->severity)
		return x->rule->severity > y->rule->severity ? -1 : 1;
	if (x_cost != y_cost)
		return x_cost > y_cost ? -1 : 1;
	order = strcmp(x->rule->id, y->rule->id);
	return order ? order : (x->device > y->device) - (x->device < y->device);
}

void findings_report(struct aggregate *agg, struct report *report)
{
	if (!agg->options.rules)
		return;
	meanwhile_report(aggregate_meanwhile(agg), agg);
	for (size_t i = 0; i < agg->options.rules->count; i++)
		judge_rule(agg, report, i);
	if (report->finding_count)
		qsort(report->finding, report->finding_count, sizeof *report->finding,
			worst_first);
}
