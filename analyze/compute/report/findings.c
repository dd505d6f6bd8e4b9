/*
 * Evaluates every rule, on every GPU or on the run: fires, doesn't, or unknown.
 * README.md, "Findings". The rules are in schema/findings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/report/common_time.h"
#include "compute/report/conditions.h"
#include "compute/report/figure.h"
#include "compute/report/report.h"
#include "compute/run/state.h"

/* Stretches of a finding, and the phases that they lie in. */

/* All of a finding, whether listed or not. */
struct held_time {
	const struct gpu_watch *gpu; /* NULL: of the run */
	const struct joint *joint;
	size_t count;
};

static struct held_time held_time(
	const struct finding *finding, const struct figure_scope *scope)
{
	struct held_time held = {.joint = &scope->held->joint};

	for (size_t i = 0; i < scope->held->gpu_count; i++)
		if (scope->held->gpu[i].device == finding->device)
			held.gpu = &scope->held->gpu[i];
	if (finding->device == FINDING_RUN)
		held.count = scope->held->joint.count;
	else if (held.gpu && held.gpu->at.listed)
		held.count = held.gpu->at.at.count;
	return held;
}

static const struct stretch *time_of(const struct held_time *held, size_t i)
{
	return held->gpu ? &held->gpu->at.at.at[i].time : &held->joint->at[i].time;
}

/* Summed over the GPUs that it is of. */
static int128 gpu_ns_of(const struct held_time *held, size_t i)
{
	const struct stretch *time = time_of(held, i);

	if (!held->gpu)
		return held->joint->at[i].gpu_ns;
	return held->gpu->at.gpu_ns ? held->gpu->at.gpu_ns[i]
				    : (int128)time->to_ns - time->from_ns;
}

static double seconds(int128 ns)
{
	return number_ratio(ns, NS_PER_S);
}

static int costliest_first(const void *a, const void *b)
{
	const struct finding_stretch *x = a, *y = b;

	if (x->gpu_seconds != y->gpu_seconds)
		return x->gpu_seconds < y->gpu_seconds ? 1 : -1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void list(struct finding *finding, const struct report *report,
	const struct held_time *held)
{
	finding->stretch = xcalloc(held->count + 1, sizeof *finding->stretch);
	for (size_t i = 0; i < held->count; i++) {
		const struct stretch *time = time_of(held, i);
		int128 ns = time->to_ns - time->from_ns;

		if (!held_counts(finding->rule, time))
			continue;
		finding->stretch[finding->stretch_count++] =
			(struct finding_stretch){.from_ns = time->from_ns,
				.to_ns = time->to_ns,
				.start_s = report_second(report, time->from_ns),
				.seconds = seconds(ns),
				.gpu_seconds = seconds(gpu_ns_of(held, i)),
				.phase = SIZE_MAX};
	}
	SORT(finding->stretch, finding->stretch_count, costliest_first);
	finding->stretch_listed = finding->stretch_count < FINDING_STRETCHES_LISTED
		? finding->stretch_count
		: FINDING_STRETCHES_LISTED;
	for (size_t i = 0; i < finding->stretch_listed; i++)
		finding->stretch[i].phase =
			report_phase_at(report, finding->stretch[i].from_ns);
}

/* The report's place of a path of the map, which names the same paths in another order.
 */
static size_t place_of(
	const struct report *report, const struct phase_map *phases, uint32_t path)
{
	const struct phase_tree *tree = phase_map_tree(phases);
	const char *name =
		path < tree->path_count ? tree->path[path].name : PHASE_OUTSIDE;
	bool outside = path >= tree->path_count;

	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].outside == outside &&
			strcmp(report->path[i].path, name) == 0)
			return i;
	return SIZE_MAX;
}

static int by_path(const void *a, const void *b)
{
	const struct finding_phase *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

/* The values that are told of each phase, of the time that held in one of them. */
static void take_values(struct finding_phase *phase, const struct figure_scope *scope,
	const struct gpu_watch *gpu, uint32_t path)
{
	const struct rule *rule = scope->rule;
	struct figure_scope in_phase = *scope;
	struct watched within;
	struct strbuf why;

	if (!gpu || !rule->in_phases_count)
		return;
	strbuf_init(&why);
	within = watch_in_phase(
		gpu->watch, scope->plan, gpu->limit_ns, path, phase->seconds);
	in_phase.within = &within;
	in_phase.why = in_phase.damage = in_phase.doubt = &why;
	for (size_t i = 0; i < rule->in_phases_count; i++)
		phase->value[i] =
			figure_value(&in_phase, &rule->value[rule->in_phases[i]]);
	strbuf_release(&why);
}

static void share_out(struct finding *finding, const struct figure_scope *scope,
	const struct held_time *held, struct phase_map *phases)
{
	const struct report *report = scope->report;
	const struct phase_tree *tree = phase_map_tree(phases);
	size_t paths = phase_map_paths(phases);
	int128 *ns = xcalloc(paths + 1, sizeof *ns);
	int128 *own_ns = xcalloc(paths + 1, sizeof *own_ns);

	for (size_t i = 0; i < held->count; i++) {
		const struct stretch *time = time_of(held, i);
		size_t count;
		const struct phase_part *part =
			phase_map_parts(phases, time->from_ns, time->to_ns, &count);

		for (size_t k = 0; k < count; k++)
			ns[part[k].path] += part[k].time_ns;
	}
	for (size_t i = 0; i < paths; i++) {
		own_ns[i] += ns[i];
		if (i < tree->path_count && tree->path[i].parent != PHASE_NONE)
			own_ns[tree->path[i].parent] -= ns[i];
	}
	finding->phase = xcalloc(paths + 1, sizeof *finding->phase);
	for (size_t i = 0; i < paths; i++) {
		size_t place =
			ns[i] > 0 ? place_of(report, phases, (uint32_t)i) : SIZE_MAX;

		if (place == SIZE_MAX)
			continue;
		finding->phase[finding->phase_count] =
			(struct finding_phase){.path = place,
				.seconds = seconds(ns[i]),
				.own_s = seconds(own_ns[i])};
		take_values(&finding->phase[finding->phase_count++], scope, held->gpu,
			(uint32_t)i);
	}
	SORT(finding->phase, finding->phase_count, by_path);
	free(own_ns);
	free(ns);
}

/* Of the stretches that were asked; of the others nothing is known. */
static void take_meanwhile(struct finding *finding, const struct meanwhile *meanwhile)
{
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		struct finding_stretch *s = &finding->stretch[i];
		const double *mean = meanwhile_means(meanwhile, finding->rule,
			&(struct stretch){s->from_ns, s->to_ns});

		for (size_t k = 0; k < RULE_MEANWHILE_MAX; k++)
			s->meanwhile[k] = mean ? mean[k] : NAN;
	}
}

/*
 * Fills a finding's stretches, with what hosts did meanwhile, and its phases, if its
 * rule lists them.
 */
static void finding_stretches(struct finding *finding, const struct figure_scope *scope,
	const struct aggregate *agg)
{
	struct held_time held = held_time(finding, scope);

	if (finding->rule->stretch_s < 0)
		return;
	list(finding, scope->report, &held);
	take_meanwhile(finding, agg->meanwhile);
	if (agg->phases && phase_map_tree(agg->phases)->path_count)
		share_out(finding, scope, &held, agg->phases);
}

/*
 * Is there a reason not to believe what all else speaks for? verdict: VERDICT_YES, or
 * VERDICT_NO, which only some doubts are about.
 */
static bool is_in_doubt(const struct rule *rule, enum verdict verdict,
	const double *value, struct strbuf *why)
{
	for (size_t i = 0; i < rule->doubt_count; i++) {
		const struct rule_doubt *doubt = &rule->doubt[i];
		double x = value[doubt->test.value];

		if (isnan(x) || (verdict == VERDICT_NO && !doubt->always) ||
			!bound_holds(doubt->test.bound, x, doubt->test.limit))
			continue;
		strbuf_clear(why);
		strbuf_adds(why, doubt->why);
		return true;
	}
	return false;
}

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

/* Which of a rule's values conditions are on, be it through another value. */
static void find_deciding(const struct rule *rule, const struct value_test *test,
	size_t count, bool *decides)
{
	for (size_t i = 0; i < count; i++)
		decides[test[i].value] = true;
	for (size_t i = rule->value_count; i-- > 0;) {
		const struct rule_value *value = &rule->value[i];

		for (enum value_part p = 0; decides[i] && p < VALUE_PARTS; p++)
			if (value->part[p].kind == REFERENCE_VALUE)
				decides[value->part[p].item] = true;
		if (decides[i] && value->gpu_of != SIZE_MAX)
			decides[value->gpu_of] = true;
	}
}

/* What a rule's values come to, and whether they can be relied on. */
struct judged {
	struct strbuf why; /* a value that decides is not known */
	struct strbuf damage; /* ... comes from logs that are damaged */
	struct strbuf doubt; /* ... comes from samples that are not enough */
	struct strbuf absurd; /* ... comes from samples that can't be */
	bool weighed; /* one that decides comes from samples */
	bool open; /* ... and other samples could change what comes of it */
	bool refuted; /* a condition fails, whatever other samples there were */
};

/* The conditions on a value that comes from samples. */
static void weigh(struct figure_scope *scope, size_t value, double x,
	const struct value_test *test, size_t count, struct judged *out)
{
	const struct rule_value *of = &scope->rule->value[value];

	for (size_t i = 0; i < count; i++) {
		if (test[i].value != value)
			continue;
		if (!trust_settles(scope, of, &test[i], x))
			out->open = true;
		else if (!bound_holds(test[i].bound, x, test[i].limit))
			out->refuted = true;
	}
}

static bool has_condition(const struct rule *rule, size_t value)
{
	for (size_t i = 0; i < rule->fires_count; i++)
		if (rule->fires[i].value == value)
			return true;
	for (size_t i = 0; i < rule->applies_count; i++)
		if (rule->applies[i].value == value)
			return true;
	return false;
}

/* A value that decides, at least as a part of another. */
static void weigh_value(
	struct figure_scope *scope, size_t i, double x, struct judged *out)
{
	const struct rule *rule = scope->rule;
	struct judged own = {.open = false};
	struct strbuf ignored;
	struct figure_scope again = *scope;

	strbuf_init(&ignored);
	again.why = again.damage = again.doubt = again.absurd = &ignored;
	again.giver = NULL;
	if (!scope->absurd->len) {
		weigh(&again, i, x, rule->fires, rule->fires_count, &own);
		weigh(&again, i, x, rule->applies, rule->applies_count, &own);
	}
	own.open |= !has_condition(rule, i) || scope->absurd->len;
	strbuf_release(&ignored);
	out->weighed = true;
	out->open |= own.open;
	out->refuted |= own.refuted;
	if (own.open && !out->doubt.len)
		strbuf_adds(&out->doubt, scope->doubt->text);
	if (!out->damage.len)
		strbuf_adds(&out->damage, scope->damage->text);
	if (!out->absurd.len)
		strbuf_adds(&out->absurd, scope->absurd->text);
}

/* In the rule's order; those of its conditions give the reasons. */
static void findings_take_values(
	struct figure_scope *scope, double *value, struct judged *out)
{
	const struct rule *rule = scope->rule;
	bool decides[RULE_PARTS_MAX] = {false}, fires[RULE_PARTS_MAX] = {false};
	struct strbuf later, damage, doubt, absurd;

	strbuf_init(&later);
	strbuf_init(&damage);
	strbuf_init(&doubt);
	strbuf_init(&absurd);
	find_deciding(rule, rule->fires, rule->fires_count, decides);
	find_deciding(rule, rule->applies, rule->applies_count, decides);
	for (size_t i = 0; i < rule->fires_count; i++)
		fires[rule->fires[i].value] = true;
	scope->fewest = UINT64_MAX;
	scope->briefest_s = INFINITY;
	scope->refused = false;
	scope->value = value;
	scope->damage = &damage;
	scope->doubt = &doubt;
	scope->absurd = &absurd;
	for (size_t i = 0; i < rule->value_count; i++) {
		scope->why = fires[i] ? &out->why : &later;
		scope->weighed = false;
		strbuf_clear(&damage);
		strbuf_clear(&doubt);
		strbuf_clear(&absurd);
		value[i] = figure_value(scope, &rule->value[i]);
		if (decides[i] && scope->weighed)
			weigh_value(scope, i, value[i], out);
		else if (absurd.len)
			value[i] = NAN;
	}
	scope->why = &out->why;
	scope->damage = &out->damage;
	scope->doubt = &out->doubt;
	scope->absurd = &out->absurd;
	strbuf_release(&later);
	strbuf_release(&damage);
	strbuf_release(&doubt);
	strbuf_release(&absurd);
}

/*
 * Coverage, damage, samples, time: what a rule needs before it may speak. What it lacks
 * becomes the reason, if there is none.
 */
static bool is_trusted(struct figure_scope *scope, struct judged *judged)
{
	struct strbuf *why = &judged->why, few;
	bool trusted;

	if (judged->absurd.len) {
		strbuf_clear(why);
		strbuf_adds(why, judged->absurd.text);
		return false;
	}
	if (scope->rule->any_evidence)
		return true;
	if (!judged->weighed || trust_nothing(scope->report)) {
		strbuf_clear(&judged->doubt);
		trust_weigh_run(scope);
	}
	if (judged->weighed && !judged->open && !why->len)
		strbuf_clear(&judged->doubt);
	else if (judged->doubt.len && trust_nothing(scope->report))
		strbuf_clear(why);
	strbuf_init(&few);
	if (scope->fewest < SAMPLES_MIN)
		strbuf_addf(&few, "only %llu sample%s of %s",
			(unsigned long long)scope->fewest, scope->fewest == 1 ? "" : "s",
			metric_get(scope->fewest_of)->name);
	else if (scope->briefest_s < FIGURE_SPAN_MIN_S &&
		(judged->open || !judged->weighed))
		strbuf_addf(&few, "only %.1f s of samples", scope->briefest_s);
	trusted = !judged->doubt.len && !judged->damage.len && !few.len;
	if (!why->len)
		strbuf_adds(why,
			judged->doubt.len	     ? judged->doubt.text
				: judged->damage.len ? judged->damage.text
						     : few.text);
	strbuf_release(&few);
	return trusted;
}

static enum outcome outcome_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_YES:
		return OUTCOME_FIRES;
	case VERDICT_NO:
		return OUTCOME_SILENT;
	case VERDICT_UNKNOWN:
		break;
	}
	return OUTCOME_CANNOT_TELL;
}

/* Whether it applies decides first: most rules are about what no log has. */
static bool applies_not(const struct figure_scope *scope)
{
	const struct rule *rule = scope->rule;
	bool asked[RULE_PARTS_MAX] = {false};
	double value[RULE_PARTS_MAX];
	uint32_t giver[RULE_PARTS_MAX];
	struct strbuf said = strbuf_new();
	struct figure_scope own = *scope;
	enum verdict applies;

	strbuf_addc(&said, '.'); /* no other reason is wanted */
	own.why = own.damage = own.doubt = own.absurd = &said;
	own.refused = false;
	own.value = value;
	own.giver = giver;
	find_deciding(rule, rule->applies, rule->applies_count, asked);
	for (size_t i = 0; i < rule->value_count; i++)
		if (asked[i])
			value[i] = figure_value(&own, &rule->value[i]);
	applies = judge(rule->applies, rule->applies_count, value);
	strbuf_release(&said);
	return applies == VERDICT_NO || (applies == VERDICT_UNKNOWN && !own.refused);
}

static void evaluate(
	const struct aggregate *agg, struct figure_scope *scope, struct report *report)
{
	const struct rule *rule = scope->rule;
	struct finding finding = {.rule = rule, .device = scope->device};
	uint32_t giver[RULE_PARTS_MAX];
	struct judged judged = {.open = false};
	enum verdict verdict, applies;

	if (rule->applies_count && !agg->options.silent && applies_not(scope))
		return;
	strbuf_init(&judged.why);
	strbuf_init(&judged.damage);
	strbuf_init(&judged.doubt);
	strbuf_init(&judged.absurd);
	scope->giver = giver;
	findings_take_values(scope, finding.value, &judged);
	verdict = judge(rule->fires, rule->fires_count, finding.value);
	applies = judge(rule->applies, rule->applies_count, finding.value);
	if (judged.refuted || applies == VERDICT_NO ||
		(applies == VERDICT_UNKNOWN && !scope->refused))
		verdict = VERDICT_NO;
	else if (is_in_doubt(rule, VERDICT_NO, finding.value, &judged.why))
		verdict = VERDICT_UNKNOWN;
	else if (verdict == VERDICT_UNKNOWN || !judged.why.len)
		verdict = is_trusted(scope, &judged) ? verdict : VERDICT_UNKNOWN;
	if (verdict == VERDICT_YES &&
		is_in_doubt(rule, verdict, finding.value, &judged.why))
		verdict = VERDICT_UNKNOWN;
	scope->ran |= verdict == VERDICT_YES ||
		(verdict == VERDICT_NO && applies == VERDICT_YES);
	if (verdict != VERDICT_NO || agg->options.silent) {
		finding.coverage =
			figure_evidence(scope, EVIDENCE_COVERAGE, scope->device);
		finding.cost_gpu_s = verdict != VERDICT_YES || rule->cost == SIZE_MAX
			? NAN
			: finding.value[rule->cost];
		finding.outcome = outcome_of(verdict);
		if (verdict == VERDICT_YES)
			finding_stretches(&finding, scope, agg);
		else if (verdict == VERDICT_UNKNOWN)
			finding.why = xstrdup(
				judged.why.len ? judged.why.text : "it is not known");
		ALLOC_NEXT(report->finding, report->finding_count, report->finding_cap) =
			finding;
	}
	scope->giver = NULL;
	strbuf_release(&judged.why);
	strbuf_release(&judged.damage);
	strbuf_release(&judged.doubt);
	strbuf_release(&judged.absurd);
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
	scope->damage = scope->doubt = scope->absurd = &why;
	for (size_t i = 0; i < scope->rule->among_count; i++) {
		const struct gpu_test *test = &scope->rule->among[i];
		double x = figure_value(scope,
			&(struct rule_value){.part[PART_OF] = test->of,
				.gpu_of = SIZE_MAX,
				.scale = 1});

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

static void judge_rule(struct aggregate *agg, struct report *report,
	const struct hang *hang, size_t rule)
{
	const struct rule *r = &agg->options.rules->rule[rule];
	size_t plan = agg->watches.of_rule[rule];
	struct common_time common = {.known = false};
	struct strbuf conditions = strbuf_new();
	struct held held;
	size_t first;
	struct figure_scope scope = {.agg = agg,
		.report = report,
		.impossible = &agg->impossible,
		.rule = r,
		.plan = plan == SIZE_MAX ? NULL : &agg->watches.plan[plan],
		.device = FINDING_RUN,
		.held = &held,
		.hang = hang,
		.common = &common};

	conditions_name(&conditions, r);
	scope.conditions = conditions.text;
	first = report->finding_count;
	held_find(&held, agg, rule, report);
	choose_gpus(&scope, &held);
	if (r->alone)
		held_leave_alone(&held, r);
	if (r->scope == SCOPE_RUN) {
		held_join(&held, agg);
		evaluate(agg, &scope, report);
	}
	for (size_t i = 0; r->scope == SCOPE_GPU && i < held.gpu_count; i++) {
		scope.device = held.gpu[i].device;
		evaluate(agg, &scope, report);
	}
	if (r->scope == SCOPE_GPU)
		unite_untold(report, first, held.gpu_count);
	report->checks_ran += scope.ran;
	strbuf_release(&conditions);
	common_release(&common);
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
	struct hang *hang;

	if (!agg->options.rules)
		return;
	meanwhile_report(aggregate_meanwhile(agg), agg);
	report->checks = agg->options.rules->count;
	hang = hangs_find(agg, report);
	for (size_t i = 0; i < agg->options.rules->count; i++)
		judge_rule(agg, report, hang, i);
	free(hang);
	SORT(report->finding, report->finding_count, worst_first);
}
