/*
 * hwsummarize explain RUN WHAT: where a number comes from, of a metric, a key of the
 * summary, of the steady state, of the times of phases or of units of work; or why a rule
 * fires. Reads the
 * logs themselves, because only they have lines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/asked.h"
#include "cmd/asked_lines.h"
#include "cmd/command.h"
#include "cmd/finding_lines.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/result.h"
#include "compute/inspect/origins.h"
#include "compute/inspect/selection.h"
#include "compute/phases/work.h"
#include "model/measure.h"
#include "render/explain.h"
#include "rules/rules.h"

struct explain {
	const struct options *opt;
	struct loaded loaded;
	struct strbuf metric; /* as of globs_match */
	enum summary_key key; /* that was asked for instead; SUMMARY_COUNT */
	const char *asked_for; /* as it was given */
	const char *steady, *times, *work; /* or such a number; NULL */
	bool whole; /* or a key that is of no metric */
	const struct rule *rule; /* or a rule's findings; NULL */
	struct rule_set rules;
	struct options asked; /* with the rules, if they are */
	struct origins_witness *witness;
	struct origins *origins;
	struct rank_lines *ranks; /* NULL: of no percentile */
	struct asked_list rows;
	struct inner_calls inner; /* in the phases that are asked for */
	struct work_kinds kinds; /* of units of work, if they are asked for */
};

/* What can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	if (opt->metric)
		return "explain takes the metric as its last operand; expected no "
		       "--metric";
	if (opt->db)
		return "explain reads the logs, never a database; expected no --db";
	if (opt->operand_count < 2)
		return "explain wants a run and a metric (--list-metrics names them)";
	if (opt->operand_count > 2 && !opt->join)
		return "explain takes one run and one metric; expected --join for a run "
		       "of several files";
	return NULL;
}

static void add_metric(struct explain *e, enum metric_id id)
{
	strbuf_addf(&e->metric, "%s%s", e->metric.len ? "," : "", metric_get(id)->name);
}

static void find_rule(struct explain *e, const char *asked)
{
	struct rule_topics topics;

	for (size_t i = 0; i < e->rules.count; i++)
		if (strcmp(e->rules.rule[i].id, asked) == 0)
			e->rule = &e->rules.rule[i];
	if (!e->rule)
		return;
	topics = rule_topics(e->rule);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (topics.metric[id])
			add_metric(e, id);
	e->asked.rules = &e->rules;
	e->asked.silent_rules = true;
}

/*
 * The number's name among those of a part that no key of the summary has; NULL: it is
 * none. Of the steady state a name may stand without its "steady_", as in JSON.
 */
static const char *name_in(
	const struct named_number *numbers, size_t count, const char *asked)
{
	static const char steady[] = "steady_";

	for (size_t i = 0; i < count; i++) {
		const char *name = numbers[i].name;
		bool longer = strncmp(name, steady, sizeof steady - 1) == 0 &&
			strcmp(name + sizeof steady - 1, asked) == 0;

		if ((strcmp(name, asked) == 0 || longer) &&
			summary_key_find(asked) == SUMMARY_COUNT)
			return name;
	}
	return NULL;
}

/* Is it a number of the steady state, of the times of phases, or of units of work? */
static void find_number(struct explain *e, const char *asked)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct phase_path path = {0};

	e->steady =
		name_in(numbers, numbers_of_steady(&(struct steady){0}, numbers), asked);
	e->times = name_in(numbers, numbers_of_path(&path, numbers), asked);
	if (!e->steady && !e->times)
		e->work = name_in(
			numbers, numbers_of_work(&(struct work){0}, numbers), asked);
}

/* A key of resource_summary stands for the metrics that it may be of. */
static void find_metric(struct explain *e, const char *asked)
{
	e->asked_for = asked;
	find_rule(e, asked);
	find_number(e, asked);
	if (e->steady) {
		add_metric(e, METRIC_gpu_util_pct);
		add_metric(e, METRIC_power_w);
	}
	e->key = summary_key_find(asked);
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

static bool is_key_of_phases(enum summary_key key)
{
	for (enum phase_key of = 0; of < PHASE_KEY_COUNT; of++)
		if (phase_key_summary(of) == key)
			return true;
	return false;
}

/* Statistics of what a rule looks at; its findings stay. */
static void keep_metrics(struct explain *e)
{
	struct report *report = &e->loaded.report;
	struct report_filter filter = report->filter;
	size_t findings = report->finding_count;

	filter.metric = is_of_no_metric(e) || e->rule ? NULL : e->metric.text;
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
static int refuse_name(const struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	struct near near = {.asked = e->asked_for};
	struct strbuf sb;

	asked_offer(&near);
	for (size_t i = 0; i < e->rules.count; i++)
		near_offer(&near, e->rules.rule[i].id);
	strbuf_init(&sb);
	if (near.count && near.edits[0])
		near_say(&sb, &near, "");
	else
		strbuf_adds(&sb, "; --list-metrics names the metrics");
	error_set(err, "%s: nothing matches %s%s%s%s%s%s", e->loaded.run.path,
		e->asked_for, opt->device ? " of device " : "",
		opt->device ? opt->device : "", opt->phase ? " in phase " : "",
		opt->phase ? opt->phase : "", sb.text);
	strbuf_release(&sb);
	return -1;
}

static int explain_loaded(struct explain *e, struct error *err)
{
	const struct options *opt = e->opt;
	struct report_filter filter = options_filter(opt);
	const struct result result = {opt, &e->loaded, 1, NULL};

	filter.metric = is_of_no_metric(e) || e->rule ? NULL : e->metric.text;
	e->origins = origins_settle(e->witness, &e->loaded.report);
	if (e->times)
		inner_calls_find(&e->inner, &e->loaded.report, opt->phase);
	selection_apply(&e->loaded.report, &filter);
	if (e->rule) {
		keep_metrics(e);
		finding_lines(
			&e->loaded, opt->operand, (size_t)opt->operand_count - 1, opt);
	}
	if (e->key < SUMMARY_COUNT && !has_series(e) && is_known(e))
		e->whole = true; /* of no log: run.json says it */
	if (e->work)
		work_find(&e->kinds, &e->loaded.run, origins_window(e->witness));
	if (!is_of_no_metric(e)) {
		if (e->origins->count)
			e->ranks = rank_lines_new(e->origins, origins_phases(e->witness),
				origins_window(e->witness), &e->loaded.report);
		asked_lines(&e->rows, &e->loaded, e->steady, e->key, e->ranks,
			opt->operand, (size_t)opt->operand_count - 1, opt);
	}
	if (!has_anything(e))
		return refuse_name(e, err);
	return result_print(&result, write_explanation, e, err);
}

static enum exit_status fail(const struct console *console, const struct error *err)
{
	console->say(err->message);
	return EXIT_USAGE;
}

static enum exit_status explain(struct explain *e, const struct console *console)
{
	const struct options *opt = e->opt;
	enum exit_status status = EXIT_DONE;
	size_t runs = (size_t)opt->operand_count - 1;
	struct error err;

	find_metric(e, opt->operand[runs]);
	if (e->times && !opt->phase) {
		error_set(&err, "%s is a number of phases; expected --phase", e->times);
		return fail(console, &err);
	}
	if (opt->phase &&
		(e->steady || e->work ||
			(e->key < SUMMARY_COUNT && !is_key_of_phases(e->key)))) {
		error_set(&err, "%s is a number of the run; expected no --phase",
			opt->operand[runs]);
		return fail(console, &err);
	}
	e->witness = origins_new(e->metric.text, opt->phase);
	if (load_watched(&e->loaded, opt->operand, runs, &e->asked,
		    origins_as_witness(e->witness), &err) < 0) {
		status = fail(console, &err);
	} else {
		if (explain_loaded(e, &err) < 0)
			status = fail(console, &err);
		work_release(&e->kinds);
		inner_calls_release(&e->inner);
		loaded_release(&e->loaded);
	}
	origins_free(e->witness);
	return status;
}

enum exit_status cmd_explain(const struct options *opt, const struct console *console)
{
	const char *refused = refused_option(opt);
	struct explain e = {.opt = opt, .asked = *opt};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (formats_check("explain", opt->format, &err) < 0)
		refused = err.message;
	if (refused) {
		console->say(refused);
		return EXIT_USAGE;
	}
	strbuf_init(&e.metric);
	if (rules_builtin(&e.rules, &err) < 0)
		console->say(err.message);
	else
		status = explain(&e, console);
	strbuf_release(&e.metric);
	asked_list_release(&e.rows);
	rank_lines_free(e.ranks);
	rule_set_release(&e.rules);
	return status;
}
