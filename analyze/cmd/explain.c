/*
 * hwsummarize explain RUN WHAT: where a number comes from, of a metric, a key of the
 * summary, of the steady state, of the times of phases or of units of work; or why a
 * rule fires. Reads the logs themselves, because only they have lines.
 */
#include "cmd/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "compute/inspect/origins.h"
#include "compute/inspect/selection.h"
#include "compute/phases/work.h"
#include "model/measure.h"
#include "model/phase_name.h"
#include "model/row_question.h"
#include "render/explain.h"
#include "rules/rules.h"

/* Of several parts that have a key the first is meant. */
static const enum measure_part parts_in_order[] = {
	MEASURE_SUMMARY, MEASURE_STEADY, MEASURE_WORK, MEASURE_METRIC, MEASURE_PHASE};

/* May it be in this part, as the options are? */
static bool is_open(enum measure_part part, const struct options *opt)
{
	if (opt->work)
		return part == MEASURE_WORK;
	if (opt->device || opt->statistic)
		return part == MEASURE_METRIC;
	if (opt->phase)
		return part == MEASURE_PHASE || part == MEASURE_METRIC;
	return part != MEASURE_PHASE;
}

static bool find_part(
	const char *name, const struct options *opt, bool all, enum measure_part *part)
{
	for (size_t i = 0; i < sizeof parts_in_order / sizeof *parts_in_order; i++) {
		*part = parts_in_order[i];
		if ((all || is_open(*part, opt)) && measure_part_has(*part, name))
			return true;
	}
	return false;
}

static void offer_all(struct near *near, void (*offer)(struct near *, const char *))
{
	const char *key;

	for (enum measure_part part = 0; part < MEASURE_PARTS; part++)
		for (size_t i = 0; (key = measure_part_key(part, i)); i++)
			offer(near, key);
}

/* Every name that asked_find may find. */
static void asked_offer(struct near *near)
{
	offer_all(near, near_offer);
	if (!near->count)
		offer_all(near, near_offer_words);
	if (!near->count)
		offer_all(near, near_offer_part);
}

/* There is no such name at all. */
static int refuse_name(const char *name, struct error *err)
{
	struct near near = {.asked = name};
	struct strbuf sb = strbuf_new();

	asked_offer(&near);
	near_say(&sb, &near, "");
	error_set(err, "unknown metric '%s' (see --list-metrics)%s", name, sb.text);
	strbuf_release(&sb);
	return -1;
}

/* There is, but not as the options ask. */
static int refuse_options(const char *name, enum measure_part part,
	const struct options *opt, struct error *err)
{
	if (part == MEASURE_PHASE && !opt->phase)
		return error_set(
			err, "%s is a number of a phase: it needs --phase PATH", name);
	if (opt->work)
		return error_set(err,
			"%s is not a number of units of work: it can't be used with "
			"--work",
			name);
	if (opt->device || opt->statistic)
		return error_set(err,
			"%s is a number of the whole run: it can't be used with --device "
			"or --statistic",
			name);
	return error_set(err,
		"%s is not computed for phases: it can't be used with --phase", name);
}

/* May somebody ask for it? */
static bool is_statistic(const char *name)
{
	enum statistic statistic = statistic_find(span_of(name));

	return statistic < STATISTIC_COUNT && measure_statistic_counts(statistic);
}

static int refuse_statistic(const char *name, bool states, struct error *err)
{
	struct near near = {.asked = name};
	struct strbuf sb = strbuf_new();

	for (enum statistic s = 0; s < STATISTIC_COUNT && !states; s++) {
		if (!measure_statistic_counts(s))
			continue;
		near_offer(&near, statistic_name(s));
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "one of ", statistic_name(s));
	}
	near_say(&sb, &near, "");
	error_set(err, "--statistic %s: expected %s", name,
		states ? "share, the only statistic of a state" : sb.text);
	strbuf_release(&sb);
	return -1;
}

static int find_statistic(
	struct asked *asked, const struct options *opt, struct error *err)
{
	enum metric_id metric = metric_find(span_of(asked->key));
	bool states = metric_is_state(metric);

	asked->statistic = opt->statistic;
	if (!opt->statistic)
		asked->statistic = states			   ? "share"
			: metric_get(metric)->kind == KIND_COUNTER ? "increase"
								   : "mean";
	else if (states ? strcmp(opt->statistic, "share") != 0
			: !is_statistic(opt->statistic))
		return refuse_statistic(opt->statistic, states, err);
	return 0;
}

int asked_find(struct asked *asked, const char *name, const struct options *opt,
	struct error *err)
{
	enum measure_part part;

	if (!find_part(name, opt, false, &part))
		return find_part(name, opt, true, &part)
			? refuse_options(name, part, opt, err)
			: refuse_name(name, err);
	*asked = (struct asked){.part = part,
		.key = name,
		.phase = opt->phase,
		.device = opt->device,
		.work = opt->work};
	return part == MEASURE_METRIC ? find_statistic(asked, opt, err) : 0;
}

bool asked_wants(const struct asked *asked, const struct measure *measure)
{
	return measure->part == asked->part && strcmp(measure->key, asked->key) == 0 &&
		(!asked->statistic ||
			strcmp(measure->statistic, asked->statistic) == 0) &&
		(asked->phase ? measure->phase && phase_fits(asked->phase, measure->phase)
			      : !measure->phase) &&
		glob_matches(asked->device, measure->device) &&
		glob_matches(asked->work, measure->work);
}

unsigned asked_parts(const struct asked *asked)
{
	return 1u << asked->part | (asked->phase ? 1u << MEASURE_PHASE : 0u);
}

void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct load_plan *plan)
{
	struct stretch_lines *lines = stretch_lines_new(&loaded->report);
	struct loaded again;

	if (!lines)
		return;
	if (load_again(&again, loaded, path, path_count, plan,
		    stretch_lines_as_observer(lines))) {
		stretch_lines_settle(lines, &again.run);
		loaded_release(&again);
	}
	stretch_lines_free(lines);
}

/*
 * Asks the logs for the rows that numbers of a report are from which no single value
 * is.
 *
 * Questions first; where there are none the logs are not read again.
 */

/* The windows of ticks that made the extremes of a share. */
static void ask_windows(
	struct asked_list *list, const struct metric_stats *stats, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct asked_rows asked;

		if (asked_of_min(&stats[i], &asked))
			asked_list_add(list, &asked);
		if (asked_of_max(&stats[i], &asked))
			asked_list_add(list, &asked);
	}
}

static void ask_steady(
	struct asked_list *list, const struct report *report, const char *number)
{
	for (uint32_t i = 0; i < report->run->device_count; i++)
		for (size_t k = 0; k < report->steady.kept_count; k++) {
			struct asked_rows asked =
				asked_of_kept(&report->steady, number, i, k);

			if (report->run->device[i].kind == DEVICE_GPU &&
				report_counts_gpu(report, i))
				asked_list_put(list, &asked);
		}
}

static void ask_peak(
	struct asked_list *list, const struct report *report, enum metric_id metric)
{
	for (uint32_t i = 0; i < report->run->device_count; i++) {
		struct asked_rows asked = asked_of_peak(&report->peak_tick, metric, i);

		if (report->run->device[i].kind == DEVICE_GPU)
			asked_list_put(list, &asked);
	}
}

static void ask_gaps(struct asked_list *list, const struct report *report,
	const struct metric_stats *stats, size_t count)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < e->gap_listed; k++) {
			struct asked_rows asked;

			if (asked_of_gap(&e->gap[k], &stats[i], report->run, &asked))
				asked_list_put(list, &asked);
		}
}

/*
 * Of its statistics; phases: of those of its phases, too. steady: of that number of the
 * steady state, too; NULL. key: of the tick that made a peak over all GPUs. path: the
 * operands that it was loaded from. percentiles: of its settled origins, too. Where the
 * logs can't be read again the questions stay without an answer.
 */
static void asked_lines(struct asked_list *list, const struct loaded *loaded,
	const char *steady, enum summary_key key, struct origins_observer *percentiles,
	const char *const *path, size_t path_count, bool phases,
	const struct load_plan *plan)
{
	const struct report *report = &loaded->report;
	struct row_lines *lines;
	struct loaded read;

	ask_windows(list, report->stats, report->stats_count);
	ask_gaps(list, report, report->stats, report->stats_count);
	for (size_t i = 0; i < report->path_count && phases; i++) {
		const struct phase_path *of = &report->path[i];

		ask_windows(list, of->stats, of->stats_count);
		ask_gaps(list, report, of->stats, of->stats_count);
	}
	if (steady && report->steady.found)
		ask_steady(list, report, steady);
	if (key == SUMMARY_peak_vram_total_mib && report->peak_tick.source != SOURCE_NONE)
		ask_peak(list, report, summary_field_get(key)->metric);
	lines = row_lines_new(list, percentiles, report);
	if (!lines)
		return;
	if (load_again(&read, loaded, path, path_count, plan,
		    row_lines_as_observer(lines))) {
		row_lines_settle(lines, &loaded->run, &read.run);
		loaded_release(&read);
	}
	row_lines_free(lines);
}

/*
 * Calls directly inside a phase. Paths are in depth-first order: the children of a
 * path follow it, one level deeper.
 */

static void add_phase(struct inner_calls *inner, const struct phase_path *outer,
	const struct phase_path *path)
{
	ALLOC_NEXT(inner->phase, inner->phase_count, inner->phase_cap) =
		(struct inner_phase){.outer = xstrdup(outer->path),
			.path = xstrdup(path->path),
			.union_s = path->union_s,
			.energy_j = path->summary[PHASE_energy_partial_j].number,
			.method = path->summary[PHASE_energy_method].text};
}

static void inner_calls_find(
	struct inner_calls *inner, const struct report *report, const char *pattern)
{
	/* of each path its inner phase + 1; 0: none */
	size_t *of = xcalloc(report->path_count + 1, sizeof *of);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *outer = &report->path[i];

		if (!phase_path_matches(outer, pattern))
			continue;
		for (size_t k = i + 1;
			k < report->path_count && report->path[k].depth > outer->depth;
			k++) {
			if (report->path[k].depth != outer->depth + 1 ||
				report->path[k].outside)
				continue;
			add_phase(inner, outer, &report->path[k]);
			of[k] = inner->phase_count;
		}
	}
	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *call = &report->call[i];

		if (!of[call->path])
			continue;
		ALLOC_NEXT(inner->call, inner->count, inner->cap) =
			(struct inner_call){of[call->path] - 1, *call};
	}
	free(of);
}

static void inner_calls_release(struct inner_calls *inner)
{
	for (size_t i = 0; i < inner->phase_count; i++) {
		free(inner->phase[i].outer);
		free(inner->phase[i].path);
	}
	free(inner->phase);
	free(inner->call);
	*inner = (struct inner_calls){0};
}

struct explain {
	const struct options *opt;
	struct loaded loaded;
	struct strbuf metric; /* as of globs_match */
	enum summary_key key; /* that was asked for instead; SUMMARY_COUNT */
	const char *asked_for; /* as it was given */
	const char *steady, *times, *work; /* or such a number; NULL */
	bool whole; /* or a key that is of no metric */
	const struct rule *rule; /* or a rule's findings; NULL */
	struct load_plan plan; /* with the rules, if they are */
	struct origins_observer *observer;
	struct origins *origins;
	struct asked_list rows;
	struct inner_calls inner; /* in the phases that are asked for */
	struct work_kinds kinds; /* of units of work, if they are asked for */
};

static void add_metric(struct explain *e, enum metric_id id)
{
	strbuf_addf(&e->metric, "%s%s", e->metric.len ? "," : "", metric_get(id)->name);
}

static void find_rule(struct explain *e, const char *asked)
{
	struct rule_topics topics;

	e->rule = rule_set_find(rules_carried(), asked);
	if (!e->rule)
		return;
	topics = rule_topics(e->rule);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (topics.metric[id])
			add_metric(e, id);
	e->plan.compute.rules = rules_carried();
	e->plan.compute.silent = true;
}

/*
 * The number's name among those of a part; NULL: it has none of that name. A number of
 * the steady state may lack its "steady_", as in JSON.
 */
static const char *name_in(
	const struct named_number *numbers, size_t count, const char *asked)
{
	static const char steady[] = "steady_";

	for (size_t i = 0; i < count; i++) {
		const char *name = numbers[i].name;
		bool longer = strncmp(name, steady, sizeof steady - 1) == 0 &&
			strcmp(name + sizeof steady - 1, asked) == 0;

		if (strcmp(name, asked) == 0 || longer)
			return name;
	}
	return NULL;
}

static bool is_key_of_phases(enum summary_key key)
{
	for (enum phase_key of = 0; of < PHASE_KEY_COUNT; of++)
		if (phase_key_summary(of) == key)
			return true;
	return false;
}

/*
 * Is it a key of the summary, a time of phases, or a number of the steady state or of
 * units of work? With --phase duration_s is that of the phases.
 */
static void find_number(struct explain *e, const char *asked)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct phase_path path = {0};

	e->key = summary_key_find(span_of(asked));
	if (e->key == SUMMARY_COUNT || (e->opt->phase && !is_key_of_phases(e->key)))
		e->times = name_in(numbers, numbers_of_path(&path, numbers), asked);
	if (e->times)
		e->key = SUMMARY_COUNT;
	if (e->times || e->key < SUMMARY_COUNT)
		return;
	e->steady =
		name_in(numbers, numbers_of_steady(&(struct steady){0}, numbers), asked);
	if (!e->steady)
		e->work = name_in(
			numbers, numbers_of_work(&(struct work){0}, numbers), asked);
}

/* A key of summary stands for the metrics that it may be of. */
static void find_metric(struct explain *e, const char *asked)
{
	e->asked_for = asked;
	find_rule(e, asked);
	find_number(e, asked);
	if (e->steady) {
		add_metric(e, METRIC_gpu_util_pct);
		add_metric(e, METRIC_power_w);
	}
	for (enum metric_id id = 0; id < METRIC_COUNT && e->key < SUMMARY_COUNT; id++)
		if (summary_is_of(e->key, id))
			add_metric(e, id);
	e->whole = e->key < SUMMARY_COUNT && !e->metric.len;
	if (!e->metric.len)
		strbuf_adds(&e->metric, e->whole ? "*" : asked);
}

/* Are the statistics of metrics not what is asked for? */
static bool is_of_no_metric(const struct explain *e)
{
	return e->times || e->work || e->whole;
}

/* Is there a series of what was asked for? */
static bool has_series(const struct explain *e)
{
	const struct report *report = &e->loaded.report;

	if (!e->opt->phase)
		return report->stats_count > 0;
	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].stats_count)
			return true;
	return false;
}

static int write_explanation(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct explain *e = context;
	const struct explain_input in = {.report = &e->loaded.report,
		.origins = e->origins,
		.rows = &e->rows,
		.key = e->key,
		.phases = e->opt->phase != NULL,
		.series = !is_of_no_metric(e) && has_series(e),
		.steady = e->steady,
		.times = e->times,
		.inner = &e->inner,
		.work = e->work,
		.told = e->kinds.told,
		.whole = e->whole,
		.rule = e->rule};

	if (strcmp(e->opt->format, "json") == 0)
		return explain_json(&in, options, out, err);
	return explain_text(&in, options, out, err);
}

/* Statistics of what a rule looks at; its findings stay. */
static void keep_metrics(struct explain *e)
{
	struct report *report = &e->loaded.report;
	struct report_filter filter = report->filter;
	size_t findings = report->finding_count;

	filter.metric = e->metric.text;
	report->finding_count = 0;
	report_select(report, &filter);
	report->finding_count = findings;
}

/* Has the run the key's number, wherever it is from? */
static bool is_known(const struct explain *e)
{
	return !e->opt->phase && !isnan(e->loaded.report.summary[e->key].number);
}

static bool has_anything(const struct explain *e)
{
	if (e->times)
		return e->loaded.report.path_count > 0;
	if (e->work)
		return e->loaded.report.work_count > 0;
	return e->rule || e->whole || has_series(e);
}

/* Where nothing is so called, what may have been meant, of metrics, keys and rules. */
static int explain_refuse_name(const struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	struct near near = {.asked = e->asked_for};
	const struct rule_set *rules = rules_carried();
	struct strbuf sb = strbuf_new();

	asked_offer(&near);
	for (size_t i = 0; i < rules->count; i++)
		near_offer(&near, rules->rule[i].id);
	if (!near.count)
		for (size_t i = 0; i < rules->count; i++)
			near_offer_part(&near, rules->rule[i].id);
	if (near.count && near.edits[0])
		near_say(&sb, &near, "");
	else
		strbuf_adds(&sb, " (see --list-metrics)");
	error_set(err, "%s: no number %s%s%s%s%s%s", e->loaded.run.path, e->asked_for,
		opt->device ? " of device " : "", opt->device ? opt->device : "",
		opt->phase ? " in phase " : "", opt->phase ? opt->phase : "", sb.text);
	strbuf_release(&sb);
	return -1;
}

static int explain_loaded(struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	struct report_filter filter = options_filter(opt);
	const struct result result = {opt, &e->loaded, 1, NULL};

	filter.metric = is_of_no_metric(e) || e->rule ? NULL : e->metric.text;
	e->origins = origins_settle(e->observer, &e->loaded.report);
	if (e->times)
		inner_calls_find(&e->inner, &e->loaded.report, opt->phase);
	selection_apply(&e->loaded.report, &filter);
	if (e->rule) {
		keep_metrics(e);
		finding_lines(&e->loaded, opt->operand, (size_t)opt->operand_count - 1,
			&e->plan);
	}
	if (e->key < SUMMARY_COUNT && !has_series(e) && is_known(e))
		e->whole = true; /* of no log: run.json says it */
	if (e->work)
		work_find(&e->kinds, &e->loaded.run, origins_window(e->observer));
	if (!is_of_no_metric(e))
		asked_lines(&e->rows, &e->loaded, e->steady, e->key, e->observer,
			opt->operand, (size_t)opt->operand_count - 1, opt->phase,
			&e->plan);
	if (!has_anything(e))
		return explain_refuse_name(e, err);
	return result_print(&result, write_explanation, e, err);
}

static int explain(struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	size_t runs = (size_t)opt->operand_count - 1;
	int status;

	find_metric(e, opt->operand[runs]);
	if (e->times && !opt->phase)
		return error_set(err, "%s is a number of a phase: it needs --phase PATH",
			e->times);
	if (opt->phase &&
		(e->steady || e->work ||
			(e->key < SUMMARY_COUNT && !is_key_of_phases(e->key))))
		return error_set(err,
			"%s is a number of the whole run: it can't be used with --phase",
			opt->operand[runs]);
	e->observer = origins_new(e->metric.text, opt->phase);
	status = load_run(&e->loaded, opt->operand, runs, &e->plan, NULL,
		origins_as_observer(e->observer), err);
	if (status == 0) {
		status = explain_loaded(e, err);
		work_release(&e->kinds);
		inner_calls_release(&e->inner);
		loaded_release(&e->loaded);
	}
	origins_free(e->observer);
	return status;
}

int cmd_explain(
	const struct options *opt, const struct console *console, struct error *err)
{
	struct explain e = {.opt = opt, .plan = load_plan_of(opt)};
	int status;

	(void)console;
	if (formats_check("explain", opt->format, err) < 0)
		return -1;
	if (opt->operand_count < 2)
		return error_set(err,
			"explain needs a run and a metric, e.g. hwsummarize explain "
			"gpu_log.csv power_w");
	if (opt->operand_count > 2 && !opt->join)
		return error_set(err,
			"explain takes one run and one metric (use --join for a run of "
			"several files)");
	if (access(opt->operand[0], F_OK) != 0 && access(opt->operand[1], F_OK) == 0)
		return error_set(err, "the run comes first: hwsummarize explain %s %s",
			opt->operand[1], opt->operand[0]);
	strbuf_init(&e.metric);
	status = explain(&e, err);
	strbuf_release(&e.metric);
	asked_list_release(&e.rows);
	return status;
}
