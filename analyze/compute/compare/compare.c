/*
 * Builds a comparison: one row per measure, filled run by run. Then checks the runs
 * for differences of work, logs and devices, tests each row, and adds remarks on all
 * runs.
 */
#include "compute/compare/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/numbers/rank.h"
#include "compute/report/run_outcome.h"

/* Its deviation is taken for this part of the mean at least. */
#define CONTRAST_LEAST_DEVIATION 0.005

/* Kinds of work, and the units that each run did. */

/* Amounts that are no farther apart are the same: a last event more or less. */
#define APART 0.01

/* If there are any; ends and releases them. */
static void remark_names(
	struct comparison *out, const char *before, struct name_list *names)
{
	name_list_end(names);
	if (names->count)
		comparison_remark(out, "%s%s", before, names->text.text);
	name_list_release(names);
}

static struct amount_kind *find_kind(struct amounts *amounts, const char *name)
{
	struct amount_kind *kind;

	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->kind[i].name, name) == 0)
			return &amounts->kind[i];
	kind = &ALLOC_NEXT(amounts->kind, amounts->count, amounts->cap);
	*kind = (struct amount_kind){.name = xstrdup(name), .numbered = true};
	return kind;
}

void amounts_add(struct amounts *amounts, size_t run, const struct report *report)
{
	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];
		struct amount_kind *kind =
			find_kind(amounts, work->name ? work->name : work->type_name);

		if (!(work->units > 0) || !isnan(amount_of(kind, run)))
			continue;
		ALLOC_GROW(kind->units, run + 1, kind->cap);
		while (kind->count < run)
			kind->units[kind->count++] = NAN;
		kind->units[kind->count++] = work->units;
		kind->numbered &= work->n_is != WORK_NO_NUMBER;
	}
}

double amount_of(const struct amount_kind *kind, size_t run)
{
	return kind && run < kind->count ? kind->units[run] : NAN;
}

bool amounts_apart(double a, double b)
{
	if (isnan(a) || isnan(b))
		return true;
	return fmax(a, b) > (1 + APART) * fmin(a, b);
}

/*
 * Can it tell the sides apart, or, without them, two runs? What the whole base did, and
 * of which no new run knows anything, is lost; what only new runs tell is more than the
 * base was asked for.
 */
static bool is_known(
	const struct amount_kind *kind, const struct compared_run *run, size_t run_count)
{
	size_t known[SIDES + 1] = {0}, all[SIDES + 1] = {0};

	for (size_t i = 0; i < run_count; i++) {
		enum side side = run ? run[i].side : SIDES;

		known[side] += isnan(amount_of(kind, i)) ? 0 : 1;
		all[side]++;
	}
	if (!all[SIDE_BASE] && !all[SIDE_NEW])
		return known[SIDES] > 1;
	return known[SIDE_BASE] &&
		(known[SIDE_NEW] || known[SIDE_BASE] == all[SIDE_BASE]);
}

/* The units of all runs. */
static double all_of(const struct amount_kind *kind)
{
	double all = 0;

	for (size_t i = 0; i < kind->count; i++)
		all += isnan(kind->units[i]) ? 0 : kind->units[i];
	return all;
}

/* Do two runs know other amounts of it? */
static bool differs(const struct amount_kind *kind)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < kind->count; i++) {
		least = fmin(least, kind->units[i]);
		most = fmax(most, kind->units[i]);
	}
	return most > 0 && amounts_apart(least, most);
}

/* Numbered, and of those of other amounts. */
static int rank_of(const struct amount_kind *kind)
{
	return kind->numbered ? 2 + differs(kind) : 0;
}

const struct amount_kind *amounts_choose(
	const struct amounts *amounts, const struct compared_run *run, size_t run_count)
{
	const struct amount_kind *best = NULL;

	for (size_t i = 0; i < amounts->count; i++) {
		const struct amount_kind *kind = &amounts->kind[i];

		if (is_known(kind, run, run_count) &&
			(!best || rank_of(kind) > rank_of(best) ||
				(rank_of(kind) == rank_of(best) &&
					all_of(kind) > all_of(best))))
			best = kind;
	}
	return best;
}

void amounts_release(struct amounts *amounts)
{
	for (size_t i = 0; i < amounts->count; i++) {
		free(amounts->kind[i].name);
		free(amounts->kind[i].units);
	}
	free(amounts->kind);
	*amounts = (struct amounts){0};
}

/*
 * Amounts of work: totals of runs that did different amounts can't be compared.
 * README.md, "Comparing runs".
 */

static double work_median_of(const struct comparison *out, enum side side)
{
	double *units = xcalloc(out->run_count + 1, sizeof *units), median;
	size_t n = 0;

	for (size_t i = 0; i < out->run_count; i++)
		if (out->run[i].side == side && !isnan(out->run[i].units))
			units[n++] = out->run[i].units;
	median = rank_median(units, n).value;
	free(units);
	return median;
}

/*
 * Of a base that is a sample the totals of runs that did as much as the new ones are
 * left, if there are any.
 */
static void leave_out(struct comparing *c)
{
	struct comparison *out = c->out;
	double median = work_median_of(out, SIDE_NEW);
	struct name_list names;
	bool any = false;

	for (size_t i = 0; i < out->run_count; i++)
		any |= out->run[i].side == SIDE_BASE &&
			!amounts_apart(out->run[i].units, median);
	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count && any; i++) {
		if (out->run[i].side != SIDE_BASE ||
			!amounts_apart(out->run[i].units, median))
			continue;
		out->run[i].other_work = true;
		for (size_t k = 0; k < out->row_count; k++)
			if (out->row[k].measure.total)
				comparison_leave_out(&out->row[k], i);
		if (name_list_next(&names)) {
			strbuf_addf(&names.text, "%s (", out->run[i].name);
			if (isnan(out->run[i].units))
				strbuf_adds(&names.text, "unknown");
			else
				quantity_number(&names.text, out->run[i].units, 0);
			strbuf_addf(&names.text, " %s)", out->work);
		}
	}
	remark_names(out,
		"totals not in the baseline, because the amount of work differs: ",
		&names);
}

/* Are two runs apart whose totals are compared? */
static bool find_apart(const struct comparison *out)
{
	double least = INFINITY, most = 0;
	bool known = false, unknown = false;

	for (size_t i = 0; i < out->run_count; i++) {
		double units = out->run[i].units;

		if (out->run[i].other_work)
			continue;
		known |= !isnan(units);
		unknown |= isnan(units);
		least = fmin(least, units);
		most = fmax(most, units);
	}
	return known && (unknown || amounts_apart(least, most));
}

/* Which kind of work the runs are compared by, and whether they did other amounts of it.
 */
static void compare_work_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const struct amount_kind *kind =
		amounts_choose(&c->amounts, out->run, out->run_count);

	for (size_t i = 0; i < out->run_count; i++)
		out->run[i].units = amount_of(kind, i);
	if (kind)
		out->work = xstrdup(kind->name);
	if (kind && c->base_is_sample && out->on_side[SIDE_NEW])
		leave_out(c);
	out->work_differs = find_apart(out);
	amounts_release(&c->amounts);
}

/* Of a total of other amounts of work: what a unit took on each side. */
static void compare_per_unit(const struct comparison *out, struct comparison_row *row)
{
	double *each = xcalloc(out->run_count + 1, sizeof *each);

	for (enum side side = 0; side < SIDES; side++) {
		size_t n = 0;

		for (size_t i = 0; i < out->run_count; i++)
			if (out->run[i].side == side && !isnan(row->value[i]) &&
				!isnan(out->run[i].units))
				each[n++] = row->value[i] / out->run[i].units;
		row->per_unit[side] = rank_median(each, n).value;
	}
	free(each);
}

/* Phases that only runs outside of the comparison have. */

/* A path of phases that some run has. */
struct compared_phase {
	char *path; /* owned */
	char *left_out; /* the first run that has it, all of which were left out; NULL: a
			   run that counts has it; owned */
};

static struct compared_phase *find(struct comparing *c, const char *path, bool *is_new)
{
	uint64_t hash = span_hash(span_of(path), SPAN_HASH);

	*is_new = false;
	for (size_t at = lookup_first(&c->phases, hash); at != LOOKUP_NONE;
		at = lookup_next(&c->phases, at))
		if (strcmp(c->phase[at].path, path) == 0)
			return &c->phase[at];
	*is_new = true;
	ALLOC_NEXT(c->phase, c->phase_count, c->phase_cap) =
		(struct compared_phase){xstrdup(path), NULL};
	return &c->phase[lookup_add(&c->phases, hash)];
}

/*
 * The phases of a run, by what it is called where it was left out (NULL: it counts);
 * remarks those that no run has which counts.
 */
static void phases_add(
	struct comparing *c, const struct report *report, const char *left_out)
{
	for (size_t i = 0; i < report->path_count; i++) {
		struct compared_phase *phase;
		bool is_new;

		if (report->path[i].outside)
			continue;
		phase = find(c, report->path[i].path, &is_new);
		if (!left_out) {
			free(phase->left_out);
			phase->left_out = NULL;
		} else if (is_new) {
			phase->left_out = xstrdup(left_out);
		}
	}
}

static void phases_end(struct comparing *c)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < c->phase_count; i++) {
		const struct compared_phase *phase = &c->phase[i];

		if (phase->left_out && name_list_next(&names)) {
			phase_path_show(&names.text, phase->path);
			strbuf_addf(&names.text, " (%s)", phase->left_out);
		}
		free(phase->left_out);
		free(phase->path);
	}
	remark_names(c->out, "phases that only left-out runs have: ", &names);
	lookup_release(&c->phases);
	free(c->phase);
}

/*
 * Kinds of logs behind each metric. Recorders measure the same metric in different
 * ways, so its value may differ for that reason alone.
 */

_Static_assert(SOURCE_KIND_COUNT <= 32, "a bit for each kind of log");

#define NAMES_MOST 4 /* metrics of a kind of log */

/*
 * From which kinds of logs the last run has its metrics; which of them differ in that.
 */
static void sources_add(struct comparing *c, const struct report *report)
{
	uint32_t *bits;

	if (!c->sources)
		c->sources = xcalloc(c->runs_most * METRIC_COUNT, sizeof *c->sources);
	bits = c->sources + (c->out->run_count - 1) * METRIC_COUNT;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (report_stats_take_part(report, s))
			bits[s->metric] |= UINT32_C(1) << s->source;
	}
}

/* Have two runs a metric from other logs? One that lacks it says nothing. */
static bool sources_differs(const struct comparing *c, enum metric_id metric)
{
	uint32_t first = 0;

	for (size_t i = 0; i < c->out->run_count; i++) {
		uint32_t bits = c->sources[i * METRIC_COUNT + metric];

		if (first && bits && bits != first)
			return true;
		first = first ? first : bits;
	}
	return false;
}

/* "nvidia-query: power_w, temperature_c; nvidia-dmon: gpu_util_pct", of the metrics that
 * differ; NULL: the run has none of them. To be freed. */
static char *say(const uint32_t *bits, const bool *differ)
{
	struct strbuf sb = strbuf_new();

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct name_list names;

		name_list_init(&names, NAMES_MOST);
		for (enum metric_id metric = 0; metric < METRIC_COUNT; metric++)
			if (differ[metric] && bits[metric] >> kind & 1 &&
				name_list_next(&names))
				strbuf_adds(&names.text, metric_get(metric)->name);
		name_list_end(&names);
		if (names.count)
			strbuf_addf(&sb, "%s%s: %s", sb.len ? "; " : "",
				source_name(kind), names.text.text);
		name_list_release(&names);
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

static void sources_end(struct comparing *c)
{
	struct comparison *out = c->out;
	bool differ[METRIC_COUNT] = {false}, any = false;
	struct difference *difference;

	for (enum metric_id metric = 0; metric < METRIC_COUNT && c->sources; metric++) {
		differ[metric] = sources_differs(c, metric);
		any |= differ[metric];
	}
	if (any) {
		difference = &ALLOC_NEXT(
			out->difference, out->difference_count, out->difference_cap);
		*difference = (struct difference){.what = "kind of log",
			.said = xcalloc(c->runs_most, sizeof(char *))};
		for (size_t i = 0; i < out->run_count; i++)
			difference->said[i] = say(c->sources + i * METRIC_COUNT, differ);
	}
	free(c->sources);
}

/* The GPUs of each run. */

static struct compared_gpu *gpus_find(struct comparing *c, const char *name)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->gpu_count; i++)
		if (strcmp(out->gpu[i].name, name) == 0)
			return &out->gpu[i];
	ALLOC_NEXT(out->gpu, out->gpu_count, out->gpu_cap) =
		(struct compared_gpu){xstrdup(name), xcalloc(c->runs_most, sizeof(bool)),
			xcalloc(c->runs_most, sizeof(bool))};
	return &out->gpu[out->gpu_count - 1];
}

/* The GPUs that count in the last run. */
static void gpus_add(struct comparing *c, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	size_t run = c->out->run_count - 1;

	for (size_t i = 0; i < gpus->count; i++)
		if (report_counts_gpu(report, gpus->at[i]))
			gpus_find(c, report->run->device[gpus->at[i]].name)->has[run] =
				true;
	for (size_t i = 0; i < report->ending.gpu_count; i++) {
		const struct gpu_ending *gpu = &report->ending.gpu[i];

		if (gpu->lost && report_counts_gpu(report, gpu->device))
			gpus_find(c, report->run->device[gpu->device].name)->lost[run] =
				true;
	}
}

/* Problems of each run. */

static struct compared_problem *find_problem(struct comparison *out,
	const struct rule *rule, const char *device, size_t runs_most)
{
	struct compared_problem *problem;

	for (size_t i = 0; i < out->problem_count; i++)
		if (strcmp(out->problem[i].rule, rule->id) == 0 &&
			text_equal(out->problem[i].device, device))
			return &out->problem[i];
	problem = &ALLOC_NEXT(out->problem, out->problem_count, out->problem_cap);
	*problem = (struct compared_problem){.rule = xstrdup(rule->id),
		.title = xstrdup(rule->title),
		.device = device ? xstrdup(device) : NULL,
		.severity = rule->severity,
		.outcome = xcalloc(runs_most, sizeof *problem->outcome)};
	for (size_t i = 0; i < runs_most; i++)
		problem->outcome[i] = OUTCOME_SILENT;
	return problem;
}

/* Findings of the last run that cost something. */
static void problems_add(
	struct comparison *out, const struct report *report, size_t runs_most)
{
	size_t run = out->run_count - 1;

	out->run[run].checked = report->checks > 0;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		const char *device = finding_device(report, finding);

		if (finding->rule->severity != SEVERITY_INFO)
			find_problem(out, finding->rule, device, runs_most)
				->outcome[run] = finding->outcome;
	}
}

struct comparing *compare_begin(
	struct comparison *out, size_t runs_most, compare_wanted *wanted, void *context)
{
	struct comparing *c = xcalloc(1, sizeof *c);

	*c = (struct comparing){
		.out = out, .runs_most = runs_most, .wanted = wanted, .context = context};
	out->chosen = wanted != NULL;
	return c;
}

void compare_leave_undone(struct comparing *comparing)
{
	comparing->leaves_undone = true;
}

void compare_sample_base(struct comparing *comparing)
{
	comparing->base_is_sample = true;
}

static size_t add_row(struct comparing *c, const struct measure *measure, uint64_t hash)
{
	struct comparison *out = c->out;
	struct comparison_row *row;

	row = &ALLOC_NEXT(out->row, out->row_count, out->row_cap);
	*row = (struct comparison_row){.measure = measure_copy(measure),
		.value = xcalloc(c->runs_most, sizeof *row->value),
		.covered = xcalloc(c->runs_most, sizeof *row->covered)};
	for (size_t i = 0; i < c->runs_most; i++) {
		row->value[i] = NAN;
		row->covered[i].coverage = NAN;
	}
	return lookup_add(&c->rows, hash);
}

static size_t find_row(struct comparing *c, const struct measure *measure)
{
	uint64_t hash = measure_hash(measure);

	for (size_t at = lookup_first(&c->rows, hash); at != LOOKUP_NONE;
		at = lookup_next(&c->rows, at))
		if (measure_same(&c->out->row[at].measure, measure))
			return at;
	return add_row(c, measure, hash);
}

/* Metrics of devices in phases are too many for who did not ask for them. */
static bool is_wanted(const struct comparing *c, const struct measure *measure)
{
	if (c->wanted)
		return c->wanted(c->context, measure);
	return measure->headline && !(measure->part == MEASURE_METRIC && measure->phase);
}

/* The first of several numbers of one measure counts. */
static void take(void *context, const struct measure *measure, double value,
	const struct covered *covered)
{
	struct comparing *c = context;
	size_t run = c->out->run_count - 1, nth;
	struct comparison_row *row;

	if (!isfinite(value) || !is_wanted(c, measure))
		return;
	nth = find_row(c, measure);
	row = &c->out->row[nth];
	if (!isnan(row->value[run]))
		return;
	row->covered[run] = *covered;
	row->value[run] = value;
}

/* -1: it can't be added; 1: it is there already. */
static int meet(const struct comparing *c, const struct compared_run *run,
	const struct run_identity *own, struct error *err)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->run_count; i++) {
		const struct compared_run *other = &out->run[i];
		const struct run_identity *its = &c->identity[i];
		bool same = run_identity_same(its, own) ||
			(run_identity_same_logs(its, own) &&
				other->outcome.kind == run->outcome.kind);

		if (same && other->side != run->side)
			return error_set(err,
				"%s and %s are the same run; give it on one side only",
				other->name, run->name);
		if (same) {
			comparison_remark(out,
				"%s and %s are the same run; it counts once", other->name,
				run->name);
			return 1;
		}
		if (strcmp(other->name, run->name) == 0)
			return error_set(err,
				"two runs are called %s; name one of them: NAME=RUN",
				run->name);
	}
	return 0;
}

/* One more run, whose strings are copied; as meet. */
static int begin_run(struct comparing *c, const struct compared_run *run,
	const struct run_identity *identity, struct error *err)
{
	struct comparison *out = c->out;
	int met = meet(c, run, identity, err);
	struct compared_run *added;

	if (met)
		return met;
	assert(out->run_count < c->runs_most);
	ALLOC_GROW(out->run, out->run_count + 1, out->run_cap);
	ALLOC_GROW(c->identity, out->run_count + 1, c->identity_cap);
	added = &out->run[out->run_count++];
	*added = *run;
	added->name = xstrdup(run->name);
	added->key = xstrdup(run->key);
	c->identity[out->run_count - 1] = *identity;
	c->identity[out->run_count - 1].key = added->key;
	if (run->side != SIDES)
		out->on_side[run->side]++;
	return 0;
}

static void compare_leave_out(
	struct comparison *out, const char *name, const struct run_outcome *outcome)
{
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "%s (", name);
	run_outcome_say(&text, outcome);
	strbuf_addc(&text, ')');
	ALLOC_NEXT(out->left_out, out->left_out_count, out->left_out_cap) =
		strbuf_detach(&text);
}

int compare_add(struct comparing *c, const char *name, enum side side,
	const struct report *report, struct error *err)
{
	struct run_outcome outcome = run_outcome_of(report->run);
	struct run_identity identity = run_identity(report->run);
	const struct compared_run run = {.name = (char *)name,
		.key = report->run->key,
		.side = side,
		.duration_s = report->duration_s,
		.grade = report->evidence.grade,
		.unranked = report->evidence.grade == 'F' &&
			report->evidence.device_count > 0,
		.outcome = outcome};
	int met;

	if (outcome.kind != RUN_WHOLE && c->leaves_undone && side != SIDE_NEW) {
		compare_leave_out(c->out, name, &outcome);
		phases_add(c, report, name);
		run_outcome_release(&outcome);
		return 0;
	}
	met = begin_run(c, &run, &identity, err);
	if (met) {
		run_outcome_release(&outcome);
		return met < 0 ? -1 : 0;
	}
	c->out->run[c->out->run_count - 1].outline = outline_make(report);
	measures_of(report, take, c);
	amounts_add(&c->amounts, c->out->run_count - 1, report);
	circumstances_add(c, report);
	sources_add(c, report);
	gpus_add(c, report);
	problems_add(c->out, report, c->runs_most);
	phases_add(c, report, NULL);
	waterfall_add(c, report);
	return 0;
}

int compare_add_numbers(struct comparing *c, const char *name, const char *key,
	enum side side, const struct measure *measure, const double *value, size_t count,
	struct error *err)
{
	const struct compared_run run = {.name = (char *)name,
		.key = (char *)key,
		.side = side,
		.duration_s = NAN};
	const struct run_identity identity = {.key = key, .named = true};
	int met = begin_run(c, &run, &identity, err);

	if (met)
		return met < 0 ? -1 : 0;
	for (size_t i = 0; i < count; i++)
		take(c, &measure[i], value[i], &(struct covered){.coverage = NAN});
	waterfall_add(c, NULL);
	return 0;
}

/* Values that are bounds or uncertain, and verdicts that they make void. */

/* Of a history it says nothing of what is usual. */
static void doubts_leave_out(struct comparison *out, struct comparison_row *row,
	size_t run, struct name_list *names)
{
	if (name_list_next(names)) {
		measure_name(&names->text, &row->measure);
		strbuf_addf(&names->text, " of %s (", out->run[run].name);
		covered_say(&names->text, &row->covered[run]);
		strbuf_addc(&names->text, ')');
	}
	comparison_leave_out(row, run);
}

static void leave_base_out(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t run = 0; run < out->run_count; run++) {
		if (out->run[run].side != SIDE_BASE)
			continue;
		for (size_t i = 0; i < out->row_count; i++)
			if (comparison_doubt(&out->row[i], run) &&
				!isnan(out->row[i].value[run]))
				doubts_leave_out(out, &out->row[i], run, &names);
	}
	remark_names(out, "not in the baseline, because only partly recorded: ", &names);
}

/*
 * Which values are in doubt, compared with others; of a base that is a sample those are
 * left out. Then whether the doubt of its values undoes what a row says; and the remarks
 * on it all.
 */
static void compare_doubts_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->row_count; i++)
		covered_beside(out->row[i].covered, out->run_count);
	if (c->base_is_sample)
		leave_base_out(out);
}

/*
 * Of a row of which the truth may be another, nothing is said but that; and of one that
 * says nothing of its values' order, if one is in doubt at all.
 */
static void compare_doubt_row(const struct comparison *out, struct comparison_row *row)
{
	double by = row->difference != 0 ? row->difference : row->shift;
	bool moves = row->change >= CHANGE_BETTER;

	if (row->change < CHANGE_UNTESTED)
		return;
	if (moves ? comparison_may_undo(out, row, by > 0)
		  : comparison_side_doubt(out, row, SIDE_BASE) ||
				comparison_side_doubt(out, row, SIDE_NEW))
		row->change = CHANGE_UNCOVERED;
}

/* Is a value of it in doubt for the GPUs that it leaves out? */
static bool is_of_fewer(const struct comparison_row *row, size_t run)
{
	return row->covered && row->covered[run].fewer && !isnan(row->value[run]);
}

/* "b (energy_j 61.0 % covered)" */
static void name_covered(struct strbuf *text, const struct comparison *out,
	const struct comparison_row *row, size_t run)
{
	strbuf_addf(text, "%s (", out->run[run].name);
	measure_name(text, &row->measure);
	strbuf_addc(text, ' ');
	covered_say(text, &row->covered[run]);
	strbuf_addc(text, ')');
}

/* Of each run the first. */
static void remark_fewer(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t run = 0; run < out->run_count; run++) {
		size_t i = 0;

		while (i < out->row_count && !is_of_fewer(&out->row[i], run))
			i++;
		if (i == out->row_count || !name_list_next(&names))
			continue;
		name_covered(&names.text, out, &out->row[i], run);
	}
	remark_names(out,
		"Not judged, because they leave out GPUs that other runs include: ",
		&names);
}

/* What the numbers of the whole run don't show those of its phases and devices may. */
static bool says_less(
	const struct comparison_row *row, const struct comparison_row *than, size_t run)
{
	bool of_part = row->measure.phase || row->measure.device;
	bool than_of_part = than->measure.phase || than->measure.device;

	return of_part == than_of_part
		? covered_less(&row->covered[run], &than->covered[run])
		: than_of_part;
}

/* Of the numbers of a run that are in doubt the least covered; NULL: none is. */
static const struct comparison_row *least_covered(
	const struct comparison *out, size_t run)
{
	const struct comparison_row *least = NULL;

	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (comparison_doubt(row, run) && !is_of_fewer(row, run) &&
			!isnan(row->value[run]) && (!least || says_less(row, least, run)))
			least = row;
	}
	return least;
}

static void remark_uncovered(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count; i++) {
		const struct comparison_row *least = least_covered(out, i);

		if (least && name_list_next(&names))
			name_covered(&names.text, out, least, i);
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out,
			"Not all of the time was recorded. Sums over less than %.0f %% "
			"of it and maxima over less than %.0f %% are lower bounds; means "
			"over less than %.0f %% are not reliable: %s",
			100 * COVERAGE_WHOLE, 100 * COVERAGE_MIN, 100 * COVERAGE_MIN,
			names.text.text);
	name_list_release(&names);
}

/*
 * One row: medians of both sides, whether they differ, and the smallest difference
 * that these runs could show. README.md, "Comparing runs".
 */

static struct sample sample_of(double *x, size_t n)
{
	struct sample sample = {x, n, 0, 0};
	double squares = 0;

	/* From the first value on: so the mean of equal ones is theirs, to the digit. */
	for (size_t i = 0; i < sample.n; i++)
		sample.mean += (sample.x[i] - sample.x[0]) / (double)sample.n;
	sample.mean += sample.x[0];
	for (size_t i = 0; i < sample.n; i++)
		squares += (sample.x[i] - sample.mean) * (sample.x[i] - sample.mean);
	if (!sample.n)
		sample.mean = NAN;
	sample.deviation = sample.n > 1 ? sqrt(squares / (double)(sample.n - 1)) : NAN;
	return sample;
}

struct sample side_sample(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count, enum side side)
{
	double *x = xcalloc(run_count + 1, sizeof *x);
	size_t n = 0;

	for (size_t i = 0; i < run_count; i++)
		if ((side == SIDES || run[i].side == side) && !isnan(row->value[i]))
			x[n++] = row->value[i];
	return sample_of(x, n);
}

static struct compared_side side_of(const struct sample *sample)
{
	struct rank_estimate median = rank_median(sample->x, sample->n);

	return (struct compared_side){
		sample->n, sample->mean, median.value, median.low, median.high};
}

/* Of both sides together, as if it were one; NAN: no side has two values. */
static double pooled_deviation(const struct sample *a, const struct sample *b)
{
	double squares = 0, freedom = 0;

	if (a->n > 1) {
		squares += a->deviation * a->deviation * (double)(a->n - 1);
		freedom += (double)(a->n - 1);
	}
	if (b->n > 1) {
		squares += b->deviation * b->deviation * (double)(b->n - 1);
		freedom += (double)(b->n - 1);
	}
	return freedom > 0 ? sqrt(squares / freedom) : NAN;
}

enum change measure_change(const struct measure *measure, double by)
{
	if (measure->better == BETTER_NEITHER || by == 0)
		return CHANGE_OTHER;
	return (by > 0) == (measure->better == BETTER_HIGHER) ? CHANGE_BETTER
							      : CHANGE_WORSE;
}

static enum change direction_of(const struct comparison_row *row)
{
	double by = row->difference;

	/* Ranks may differ where the medians do not: then the shift says it. */
	if (by == 0 && row->by != COMPARED_BY_HISTORY)
		by = row->shift;
	return measure_change(&row->measure, by);
}

/*
 * With ties the interval is not of the arrangements that p is counted over: then it may
 * hold 0 though p is small, or the reverse. Neither is said to be right.
 */
static void check_interval(struct comparison_row *row)
{
	bool apart = row->shift_low > 0 || row->shift_high < 0;

	if (!isnan(row->shift_low) && apart != (row->p <= RANK_ALPHA))
		row->shift_low = row->shift_high = NAN;
}

/*
 * Two samples by their ranks. Of too few runs p is what it is, and says only that no
 * difference could have been significant.
 */
static void by_ranks(struct comparison_row *row, const struct sample *base,
	const struct sample *new, double deviation)
{
	struct rank_test test = rank_test(base->x, base->n, new->x, new->n);
	struct rank_estimate shift = rank_shift(base->x, base->n, new->x, new->n);

	row->by = COMPARED_BY_RANKS;
	row->exact = test.exact;
	row->p = test.p;
	row->shift = shift.value;
	row->shift_low = shift.low;
	row->shift_high = shift.high;
	check_interval(row);
	row->deviation = deviation;
	if (row->difference != 0)
		row->runs_needed =
			rank_runs_needed(deviation, fabs(row->difference), RANK_ALPHA);
	if (rank_least_p(base->n, new->n) > RANK_ALPHA)
		row->change = CHANGE_UNTESTED;
	else
		row->change = row->p <= RANK_ALPHA ? direction_of(row) : CHANGE_UNSEEN;
}

/*
 * One value against a history: mean +- t s sqrt(1 + 1/n) holds the next one with 1 -
 * RANK_ALPHA, if they are normal and independent. s is not taken below a part of the
 * mean, so that a history without noise does not make a rounding a regression; of
 * nothing but 0 there is no s, and no test.
 */
static void by_history(
	struct comparison_row *row, const struct sample *base, const struct sample *new)
{
	double freedom = (double)(base->n - 1);
	double s = fmax(base->deviation, CONTRAST_LEAST_DEVIATION * fabs(base->mean));
	double scale = s * sqrt(1 + 1 / (double)base->n);
	double most = t_quantile(1 - RANK_ALPHA / 2, freedom) * scale;
	double away = fabs(new->x[0] - base->mean);

	if (scale == 0) {
		row->change = CHANGE_UNTESTED;
		return;
	}
	row->by = COMPARED_BY_HISTORY;
	row->expected_low = base->mean - most;
	row->expected_high = base->mean + most;
	row->deviation = s;
	row->p = 2 * t_below(-away / scale, freedom);
	row->change = row->p <= RANK_ALPHA ? direction_of(row) : CHANGE_UNSEEN;
}

/* A change within a pair in the unit of the row, as of a base of this size. */
static double change_of(double x, bool relative, double base)
{
	return relative ? base * expm1(x) : x;
}

/*
 * The changes within pairs by their signed ranks. A pair of which one run does not know
 * the row says nothing.
 */
static void by_pairs(struct comparison_row *row, const struct pair_changes *changes)
{
	double base = row->side[SIDE_BASE].median;
	bool relative = changes->relative;
	struct signed_rank_test test = signed_rank_test(changes->x, changes->n);
	struct rank_estimate shift = signed_rank_shift(changes->x, changes->n);
	double median = rank_median(changes->x, changes->n).value;

	row->by = COMPARED_BY_PAIRS;
	row->pairs = changes->n;
	row->difference = change_of(median, relative, base);
	row->ratio = relative ? exp(median) : NAN;
	row->exact = test.exact;
	row->p = test.p;
	row->shift = change_of(shift.value, relative, base);
	row->shift_low = change_of(shift.low, relative, base);
	row->shift_high = change_of(shift.high, relative, base);
	check_interval(row);
	row->deviation =
		sample_of(changes->x, changes->n).deviation * (relative ? base : 1);
	if (row->difference != 0)
		row->runs_needed = contrast_runs_needed(
			row, row->deviation, fabs(row->difference), RANK_ALPHA);
	if (signed_rank_least_p(changes->n) > RANK_ALPHA)
		row->change = CHANGE_UNTESTED;
	else
		row->change = row->p <= RANK_ALPHA ? direction_of(row) : CHANGE_UNSEEN;
	row->detectable = contrast_detectable(row, RANK_ALPHA);
}

static void test_pairs(
	struct comparison_row *row, const struct compared_run *run, size_t run_count)
{
	struct pair_changes changes = pairing_changes(row, run, run_count);

	if (changes.n)
		by_pairs(row, &changes);
	else
		row->change = CHANGE_UNTESTED;
	free(changes.x);
}

static void test_row(
	struct comparison_row *row, const struct sample *base, const struct sample *new)
{
	double deviation = pooled_deviation(base, new);

	row->difference = row->side[SIDE_NEW].median - row->side[SIDE_BASE].median;
	if (row->side[SIDE_BASE].median > 0)
		row->ratio = row->side[SIDE_NEW].median / row->side[SIDE_BASE].median;
	if (new->n == 1 && base->n >= CONTRAST_HISTORY)
		by_history(row, base, new);
	else if (!isnan(deviation))
		by_ranks(row, base, new, deviation);
	else
		row->change = CHANGE_UNTESTED;
	row->detectable = contrast_detectable(row, RANK_ALPHA);
}

double contrast_detectable(const struct comparison_row *row, double alpha)
{
	size_t base = row->side[SIDE_BASE].n, new = row->side[SIDE_NEW].n;
	double freedom = (double)base - 1;
	double scale = row->deviation * sqrt(1 + 1 / (double)base);

	switch (row->by) {
	case COMPARED_BY_NOTHING:
		return NAN;
	case COMPARED_BY_RANKS:
		return rank_detectable(row->deviation, base, new, alpha);
	case COMPARED_BY_PAIRS:
		return signed_rank_detectable(row->deviation, row->pairs, alpha);
	case COMPARED_BY_HISTORY:
		return t_quantile(1 - alpha / 2, freedom) * scale +
			t_quantile(RANK_POWER, freedom) * scale;
	}
	return NAN;
}

size_t contrast_runs_needed(
	const struct comparison_row *row, double deviation, double shift, double alpha)
{
	return row->by == COMPARED_BY_PAIRS
		? signed_rank_pairs_needed(deviation, shift, alpha)
		: rank_runs_needed(deviation, shift, alpha);
}

void contrast_row(
	struct comparison_row *row, const struct compared_run *run, size_t run_count)
{
	struct sample base = side_sample(row, run, run_count, SIDE_BASE);
	struct sample new = side_sample(row, run, run_count, SIDE_NEW);

	row->side[SIDE_BASE] = side_of(&base);
	row->side[SIDE_NEW] = side_of(&new);
	row->per_unit[SIDE_BASE] = row->per_unit[SIDE_NEW] = NAN;
	row->difference = row->ratio = row->p = row->p_together = NAN;
	row->shift = row->shift_low = row->shift_high = NAN;
	row->expected_low = row->expected_high = NAN;
	row->deviation = row->detectable = NAN;
	row->change = CHANGE_NONE;
	if (base.n && new.n && pairing_has(run, run_count))
		test_pairs(row, run, run_count);
	else if (base.n && new.n)
		test_row(row, &base, &new);
	else if (base.n || new.n)
		row->change = base.n					 ? CHANGE_GONE
			: comparison_had(row, run, run_count, SIDE_BASE) ? CHANGE_NONE
									 : CHANGE_NEW;
	free(base.x);
	free(new.x);
}

/* The same metric of the same device, in another of its states? */
static bool is_other_state(const struct measure *a, const struct measure *b)
{
	struct measure same = *a;

	same.state = b->state;
	return a->state && b->state && measure_same(&same, b);
}

/* The last row of a row's metric that a run has a value of; NULL: it has none. */
static const struct comparison_row *known_state(
	const struct comparison *out, const struct comparison_row *row, size_t run)
{
	for (size_t i = out->row_count; i-- > 0;)
		if (!isnan(out->row[i].value[run]) &&
			is_other_state(&row->measure, &out->row[i].measure))
			return &out->row[i];
	return NULL;
}

/* Where a run has other states of a metric, one that it was never in has the share 0,
 * which is in as much doubt. */
static void states_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->row_count; i++)
		for (size_t k = 0; k < out->run_count && out->row[i].measure.state; k++) {
			struct comparison_row *row = &out->row[i];
			const struct comparison_row *known = NULL;

			if (isnan(row->value[k]) && !comparison_doubt(row, k))
				known = known_state(out, row, k);
			if (!known)
				continue;
			row->value[k] = 0;
			row->covered[k] = known->covered[k];
		}
}

/*
 * Finishes a comparison once all runs were added: sides, remarks, circumstances
 * (circumstances.c) and the parts of the difference (waterfall.c).
 */

/* Shares of time that energies must cover, and may differ by, to go without a word. */
#define COVERAGE_LEAST 0.9
#define COVERAGE_APART 0.05

/* An energy is of the time that is covered: of two others it can't be compared. */
static void weigh_energy(struct comparison *out)
{
	const char *key = summary_field_get(SUMMARY_energy_coverage)->name;
	size_t least = SIZE_MAX;
	double most = NAN;

	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (row->measure.part != MEASURE_SUMMARY ||
			strcmp(row->measure.key, key) != 0)
			continue;
		for (size_t k = 0; k < out->run_count; k++) {
			most = fmax(most, row->value[k]);
			if (!isnan(row->value[k]) &&
				(least == SIZE_MAX || row->value[k] < row->value[least]))
				least = k;
		}
		if (least != SIZE_MAX &&
			(row->value[least] < COVERAGE_LEAST ||
				most - row->value[least] > COVERAGE_APART))
			comparison_remark(out,
				"Energies cover only the recorded time: %.1f %% of the "
				"run in %s, at most %.1f %%",
				100 * row->value[least], out->run[least].name,
				100 * most);
	}
}

/*
 * Is a run's value one of those that the best, the median and the worst are of? They are
 * of runs that did their work, as what a crash leaves undone looks fast and frugal, and
 * of values that are not in doubt.
 */
static bool counts(
	const struct comparison_row *row, const struct comparison *out, size_t run)
{
	return !isnan(row->value[run]) && out->run[run].outcome.kind == RUN_WHOLE &&
		!comparison_doubt(row, run);
}

/* The best value, the one run that has it, and the worst; of a single value none is. */
static void find_best(struct comparison_row *row, const struct comparison *out)
{
	size_t runs = out->run_count;
	double sign = row->measure.better == BETTER_HIGHER ? 1 : -1;
	size_t known = 0;

	row->best = SIZE_MAX;
	row->best_runs = 0;
	row->best_value = row->worst_value = NAN;
	for (size_t i = 0; i < runs && row->measure.better != BETTER_NEITHER; i++) {
		double x = row->value[i];

		if (!counts(row, out, i) || comparison_is_other_work(out, row))
			continue;
		known++;
		if (isnan(row->best_value) || sign * x > sign * row->best_value) {
			row->best = i;
			row->best_runs = 1;
			row->best_value = x;
		} else if (x == row->best_value) {
			row->best = SIZE_MAX;
			row->best_runs++;
		}
		if (isnan(row->worst_value) || sign * x < sign * row->worst_value)
			row->worst_value = x;
	}
	if (known < 2)
		row->best = SIZE_MAX;
}

static void find_median(struct comparison_row *row, const struct comparison *out)
{
	double *known = xcalloc(out->run_count + 1, sizeof *known);
	size_t n = 0;

	row->left_out = 0;
	for (size_t i = 0; i < out->run_count; i++)
		if (counts(row, out, i))
			known[n++] = row->value[i];
		else
			row->left_out += isnan(row->value[i]) ? 0 : 1;
	row->median = rank_median(known, n).value;
	free(known);
}

/* Several rows of one thing count once, and only if they agree. */
static void find_best_in(struct comparison *out, enum decisive what)
{
	size_t best = SIZE_MAX, rows = 0;
	bool agree = true;

	for (size_t i = 0; i < out->row_count && !comparison_has_sides(out); i++) {
		const struct comparison_row *row = &out->row[i];

		if (row->measure.decides != what || !comparison_decides(out, row))
			continue;
		agree &= !rows++ || row->best == best;
		best = row->best;
	}
	out->won += rows > 0;
	if (rows && agree)
		out->run[best].best_in++;
}

/*
 * The run that is best in all rows that decide, if its evidence carries it: what little a
 * log of grade F tells for sure is no ranking.
 */
static void find_winner(struct comparison *out)
{
	out->winner = SIZE_MAX;
	for (enum decisive d = DECIDES_TIME; d < DECISIVE; d++)
		find_best_in(out, d);
	for (size_t i = 0; i < out->run_count && out->won; i++)
		if (!out->run[i].unranked && out->run[i].best_in == out->won)
			out->winner = i;
}

static bool is_summary(const struct comparison_row *row, enum direction better)
{
	return row->measure.part == MEASURE_SUMMARY && row->measure.better == better;
}

/* Over the keys of the summary of which the same is good; names those left out. */
static void find_ratio(
	struct comparison *out, enum direction better, struct strbuf *left_out)
{
	struct mean_ratio *mean = &out->ratio[better];
	double logs = 0;

	*mean = (struct mean_ratio){NAN, 0};
	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (!is_summary(row, better) || isnan(row->difference))
			continue;
		if (row->change == CHANGE_UNCOVERED || row->change == CHANGE_OTHER_WORK)
			continue;
		if (!(row->ratio > 0)) {
			strbuf_addf(left_out, "%s%s", left_out->len ? ", " : "",
				row->measure.key);
			continue;
		}
		logs += log(row->ratio);
		mean->rows++;
	}
	if (mean->rows)
		mean->ratio = exp(logs / (double)mean->rows);
}

static void find_ratios(struct comparison *out)
{
	struct strbuf left_out = strbuf_new();

	for (enum direction better = 0; better < BETTER_NEITHER; better++)
		find_ratio(out, better, &left_out);
	if (left_out.len)
		comparison_remark(out,
			"Not in the mean of the ratios, because not above 0 on both "
			"sides: %s",
			left_out.text);
	strbuf_release(&left_out);
}

/* Each p as if all rows were asked together. */
static void take_together(struct comparison *out)
{
	double *p = xcalloc(out->row_count + 1, sizeof *p);

	for (size_t i = 0; i < out->row_count; i++)
		p[i] = out->row[i].change >= CHANGE_UNSEEN ? out->row[i].p : NAN;
	rank_holm(p, out->row_count);
	for (size_t i = 0; i < out->row_count; i++)
		out->row[i].p_together = p[i];
	free(p);
}

static void remark_left_out(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->left_out_count; i++)
		if (name_list_next(&names))
			strbuf_adds(&names.text, out->left_out[i]);
	remark_names(out,
		comparison_has_sides(out) ? "left out of the base: " : "left out: ",
		&names);
}

/* A total of other amounts of work says nothing of better and worse. */
static void set_per_unit(const struct comparison *out, struct comparison_row *row)
{
	if (!comparison_is_other_work(out, row) || row->change < CHANGE_UNCOVERED)
		return;
	row->change = CHANGE_OTHER_WORK;
	compare_per_unit(out, row);
}

/* A gate says more of them, and leaves them out of its base. */
static void remark_undone(const struct comparing *c)
{
	struct comparison *out = c->out;
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count && !c->leaves_undone; i++) {
		if (out->run[i].outcome.kind == RUN_WHOLE || !name_list_next(&names))
			continue;
		strbuf_addf(&names.text, "%s (", out->run[i].name);
		run_outcome_say(&names.text, &out->run[i].outcome);
		strbuf_addc(&names.text, ')');
	}
	remark_names(out,
		comparison_has_sides(out)
			? "Unfinished runs look fast and cheap: "
			: "Unfinished runs look fast and cheap, so they are never the "
			  "best: ",
		&names);
}

/* Pairs of which both runs are here. */
static size_t count_pairs(const struct comparison *out)
{
	size_t count = 0;

	for (size_t i = 0; i < out->run_count; i++)
		for (size_t k = 0; k < i && out->run[i].pair; k++)
			count += out->run[k].pair == out->run[i].pair;
	return count;
}

void compare_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const size_t *sides = out->on_side;

	compare_doubts_end(c);
	states_end(c);
	compare_work_end(c);
	for (size_t i = 0; i < out->row_count; i++) {
		struct comparison_row *row = &out->row[i];

		find_best(row, out);
		find_median(row, out);
		contrast_row(row, out->run, out->run_count);
		compare_doubt_row(out, row);
		set_per_unit(out, row);
		out->tests += row->change >= CHANGE_UNSEEN;
	}
	out->level = RANK_ALPHA;
	out->least_p = NAN;
	out->runs_least = rank_runs_needed(0, 1, RANK_ALPHA);
	out->pairs = count_pairs(out);
	if (out->pairs) {
		out->least_p = signed_rank_least_p(out->pairs);
		out->runs_least = signed_rank_pairs_needed(0, 1, RANK_ALPHA);
	} else if (sides[SIDE_BASE] && sides[SIDE_NEW]) {
		out->least_p = rank_least_p(sides[SIDE_BASE], sides[SIDE_NEW]);
	}
	out->history_least = CONTRAST_HISTORY;
	find_ratios(out);
	find_winner(out);
	weigh_energy(out);
	remark_left_out(out);
	phases_end(c);
	remark_undone(c);
	remark_uncovered(out);
	remark_fewer(out);
	take_together(out);
	circumstances_end(c);
	sources_end(c);
	waterfall_end(c);
	for (size_t i = 0; i < WATERFALLS; i++)
		lookup_release(&c->steps[i]);
	lookup_release(&c->rows);
	free(c->identity);
	free(c);
}

/* A number of the whole run, or of the work that all runs did; NULL: no run has it. */
static const struct comparison_row *find_weighed(
	const struct comparison *out, const char *key)
{
	for (size_t i = 0; i < out->row_count; i++) {
		const struct measure *m = &out->row[i].measure;
		bool work = m->part == MEASURE_WORK && out->work &&
			strcmp(m->work, out->work) == 0;

		if ((work || m->part == MEASURE_SUMMARY) && !m->phase &&
			strcmp(m->key, key) == 0)
			return &out->row[i];
	}
	return NULL;
}

/* NAN: it has no rank. */
static double part_of_score(
	const struct comparison *out, const struct comparison_row *row, size_t run)
{
	double best = row->best_value, worst = row->worst_value;

	if (!comparison_rank(out, row, run))
		return NAN;
	return best == worst ? 1 : (row->value[run] - worst) / (best - worst);
}

int compare_score(struct comparison *out, struct error *err)
{
	double total = 0;

	for (size_t i = 0; i < out->run_count; i++)
		out->run[i].score = out->weights.count ? 0 : NAN;
	for (size_t k = 0; k < out->weights.count; k++)
		total += out->weights.at[k].weight;
	for (size_t k = 0; k < out->weights.count; k++) {
		const struct score_weight *w = &out->weights.at[k];
		const struct comparison_row *row = find_weighed(out, w->key);

		if (!row)
			return error_set(err,
				"--weights: no run has a number %s of the whole run",
				w->key);
		if (row->measure.better == BETTER_NEITHER)
			return error_set(err,
				"--weights: %s is neither better high nor better low",
				w->key);
		for (size_t i = 0; i < out->run_count; i++)
			out->run[i].score +=
				w->weight / total * part_of_score(out, row, i);
	}
	return 0;
}
