/*
 * Reads a stored report back: the rows that report_rows.c wrote. Computes nothing and
 * reads no sample.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/measure.h"
#include "store/internal.h"
#include "store/store.h"

/* A run that is being put back. */
struct past {
	struct store *store;
	int64_t run_id;
	int64_t definitions;
	struct run run;
	struct report report;
	const struct history *history;
};

static bool is_asked(const struct past *past, enum measure_part part)
{
	return past->history->parts >> part & 1;
}

/*
 * Selects rows of the run: the columns that are named, and then those of the members of a
 * struct. from: the table and the rest, with the run's id as ?1, and perhaps the metric
 * that is asked for as ?2.
 */
static void prepare(struct sql_row *row, const struct past *past, const char *own,
	enum member_of of, const char *from, struct error *err)
{
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "SELECT %s", own);
	row_add_columns(&text, of);
	strbuf_addf(&text, " FROM %s", from);
	sql_prepare_of_run(row, past->store, text.text, past->run_id, err);
	strbuf_release(&text);
	if (sqlite3_bind_parameter_count(row->stmt) > 1)
		sql_put_text(row, past->history->metric);
}

static int read_summary(struct past *past, struct error *err)
{
	struct strbuf keys = strbuf_new();
	struct sql_row row;

	row_add_summary_keys(&keys);
	prepare(&row, past, keys.text, OF_NOTHING, "run_summary WHERE run_id = ?1", err);
	strbuf_release(&keys);
	if (sql_row_next(&row))
		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
			row_get_summary(&row, &past->report, &past->report.summary[key]);
	return sql_row_end(&row);
}

static enum metric_id get_metric_name(struct sql_row *row)
{
	char name[64];

	sql_get_name(row, name, sizeof name);
	return metric_find(span_of(name));
}

static int read_steady(struct past *past, struct error *err)
{
	struct steady *s = &past->report.steady;
	struct sql_row row;

	prepare(&row, past, "metric, source", OF_steady, "run_steady WHERE run_id = ?1",
		err);
	if (sql_row_next(&row)) {
		s->found = true;
		s->metric = get_metric_name(&row);
		s->source = sql_get_source(&row);
		row_get_members(&row, &past->report, OF_steady, s);
	}
	return sql_row_end(&row);
}

static enum work_number get_work_number(struct sql_row *row)
{
	enum work_number n_is = WORK_COUNT;
	char text[16];

	sql_get_name(row, text, sizeof text);
	while (n_is <= WORK_UNCLEAR && strcmp(text, work_number_name(n_is)) != 0)
		n_is++;
	return n_is <= WORK_UNCLEAR ? n_is : WORK_NO_NUMBER;
}

static int read_work(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct sql_row row;

	prepare(&row, past, "type_name, name, n_is, energy_j, energy_coverage", OF_work,
		"work WHERE run_id = ?1 ORDER BY number", err);
	while (sql_row_next(&row)) {
		struct work *work;

		ALLOC_GROW(report->work, report->work_count + 1, cap);
		work = &report->work[report->work_count++];
		*work = (struct work){.type_name = row_get_kept(&row, report)};
		work->name = row_get_kept(&row, report);
		work->n_is = get_work_number(&row);
		work->energy_j = sql_get_real(&row);
		work->energy_coverage = sql_get_real(&row);
		row_get_members(&row, report, OF_work, work);
	}
	return sql_row_end(&row);
}

static int read_paths(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct strbuf own = strbuf_new();
	struct sql_row row;

	strbuf_adds(&own, "number, path, name");
	row_add_phase_keys(&own);
	prepare(&row, past, own.text, OF_phase_path,
		"phase WHERE run_id = ?1 ORDER BY number", err);
	strbuf_release(&own);
	while (sql_row_next(&row)) {
		struct phase_path *path;

		if (sql_get_int(&row) != (int64_t)report->path_count)
			sql_row_damaged(&row, "a phase of a run is missing");
		ALLOC_GROW(report->path, report->path_count + 1, cap);
		path = &report->path[report->path_count++];
		*path = (struct phase_path){.first = SIZE_MAX};
		sql_get_text(&row, &path->path);
		path->name = row_get_kept(&row, report);
		for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
			row_get_summary(&row, report, &path->summary[key]);
		row_get_members(&row, report, OF_phase_path, path);
		path->outside = path->calls == 0;
	}
	return sql_row_end(&row);
}

/* The statistics of the run, or of one of its paths. */
struct stats_list {
	struct metric_stats **stats;
	size_t *count, *cap;
};

/* of_paths: the first column is the number of the path. False: there is no such path,
 * which fails. */
static bool get_list(struct sql_row *row, struct report *report, bool of_paths,
	struct stats_list *list)
{
	struct phase_path *path;
	int64_t number;

	*list = (struct stats_list){
		&report->stats, &report->stats_count, &report->stats_cap};
	if (!of_paths)
		return true;
	number = sql_get_int(row);
	if (number < 0 || (uint64_t)number >= report->path_count) {
		sql_row_damaged(row, "statistics of an unknown phase");
		return false;
	}
	path = &report->path[number];
	*list = (struct stats_list){&path->stats, &path->stats_count, &path->stats_cap};
	return true;
}

#define OF_RUN_AND_METRIC " WHERE run_id = ?1 AND (?2 IS NULL OR metric = ?2)"

static int read_stats(struct past *past, bool of_paths, struct error *err)
{
	struct stats_list list;
	struct sql_row row;

	prepare(&row, past,
		of_paths ? "phase, source, device, metric" : "source, device, metric",
		OF_metric_stats,
		of_paths ? "phase_metric" OF_RUN_AND_METRIC " ORDER BY phase"
			 : "metric_summary" OF_RUN_AND_METRIC,
		err);
	while (sql_row_next(&row)) {
		struct metric_stats stats;

		if (!get_list(&row, &past->report, of_paths, &list) ||
			!row_get_metric(&row, &past->report, &stats))
			continue;
		if (stats.device >= past->run.device_count)
			sql_row_damaged(&row, "statistics of an unknown device");
		ALLOC_GROW(*list.stats, *list.count + 1, *list.cap);
		(*list.stats)[(*list.count)++] = stats;
	}
	return sql_row_end(&row);
}

static int compare_stats(const void *left, const void *right)
{
	const struct metric_stats *a = left, *b = right;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

/* Ids of kinds of log, and names of metrics, have an order of their own. */
static void sort_stats(struct metric_stats *stats, size_t count)
{
	if (count)
		qsort(stats, count, sizeof *stats, compare_stats);
}

/* The states of statistics that are read, and sorted. */
static int read_states(struct past *past, bool of_paths, struct error *err)
{
	struct stats_list list;
	struct sql_row row;

	prepare(&row, past,
		of_paths ? "phase, source, device, metric, state, n, seconds, share"
			 : "source, device, metric, state, n, seconds, share",
		OF_NOTHING,
		of_paths ? "phase_state" OF_RUN_AND_METRIC
			   " ORDER BY phase, source, device, metric, number"
			 : "metric_state" OF_RUN_AND_METRIC
			   " ORDER BY source, device, metric, number",
		err);
	while (sql_row_next(&row)) {
		struct metric_stats *of = NULL, key = {.metric = METRIC_none};
		struct state_time *state;

		if (!get_list(&row, &past->report, of_paths, &list))
			break;
		key.source = sql_get_source(&row);
		key.device = (uint32_t)sql_get_int(&row);
		key.metric = get_metric_name(&row);
		if (*list.count)
			of = bsearch(&key, *list.stats, *list.count, sizeof key,
				compare_stats);
		if (!of)
			continue;
		of->state = xrealloc(of->state, of->state_count + 1, sizeof *of->state);
		state = &of->state[of->state_count++];
		sql_get_name(&row, state->name, sizeof state->name);
		state->n = (uint64_t)sql_get_int(&row);
		state->seconds = sql_get_real(&row);
		state->share = sql_get_real(&row);
	}
	return sql_row_end(&row);
}

static int read_metrics(struct past *past, bool of_paths, struct error *err)
{
	struct report *report = &past->report;

	if (read_stats(past, of_paths, err) < 0)
		return -1;
	if (!of_paths)
		sort_stats(report->stats, report->stats_count);
	for (size_t i = 0; i < report->path_count && of_paths; i++)
		sort_stats(report->path[i].stats, report->path[i].stats_count);
	return read_states(past, of_paths, err);
}

/* Of each device and kind of log: rows, interval, and what they cover. */
static int read_evidence(struct past *past, struct error *err)
{
	struct evidence *evidence = &past->report.evidence;
	struct sql_row row;

	prepare(&row, past, "source, device", OF_device_evidence,
		"device_evidence WHERE run_id = ?1 ORDER BY source, device", err);
	while (sql_row_next(&row)) {
		struct device_evidence *device;

		ALLOC_GROW(evidence->device, evidence->device_count + 1,
			evidence->device_cap);
		device = &evidence->device[evidence->device_count++];
		*device = (struct device_evidence){.source = sql_get_source(&row)};
		device->device = (uint32_t)sql_get_int(&row);
		row_get_members(&row, &past->report, OF_device_evidence, device);
		if (device->device >= past->run.device_count)
			sql_row_damaged(&row, "coverage of an unknown device");
	}
	if (row.rc == 0)
		report_weigh_devices(&past->report);
	return sql_row_end(&row);
}

/* The calls of paths that were read. */
static int read_calls(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct sql_row row;

	prepare(&row, past, "phase", OF_phase_call,
		"phase_call WHERE run_id = ?1 ORDER BY number", err);
	while (sql_row_next(&row)) {
		struct phase_call *call;

		ALLOC_GROW(report->call, report->call_count + 1, cap);
		call = &report->call[report->call_count++];
		*call = (struct phase_call){.path = (uint32_t)sql_get_int(&row)};
		row_get_members(&row, report, OF_phase_call, call);
		if (call->path >= report->path_count)
			sql_row_damaged(&row, "a call of an unknown phase");
	}
	if (sql_row_end(&row) < 0)
		return -1;
	report_link_calls(report);
	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];

		path->union_s =
			path->outside ? path->duration_s : coverage_union_s(report, path);
	}
	return 0;
}

/* Which rules fired, and which could not run; of rules that are still there. */
static int read_findings(struct past *past, struct error *err)
{
	const struct rule_set *rules = past->history->rules;
	struct report *report = &past->report;
	struct sql_row row;

	report->checks = rules->count;
	prepare(&row, past, "rule, outcome, coalesce(device, -1)", OF_NOTHING,
		"finding WHERE run_id = ?1 ORDER BY number", err);
	while (sql_row_next(&row)) {
		char *id = NULL, outcome[16];
		struct finding finding = {.outcome = OUTCOME_CANNOT_TELL};
		int64_t device;

		sql_get_text(&row, &id);
		finding.rule = id ? rule_set_find(rules, id) : NULL;
		free(id);
		sql_get_name(&row, outcome, sizeof outcome);
		if (strcmp(outcome, outcome_name(OUTCOME_FIRES)) == 0)
			finding.outcome = OUTCOME_FIRES;
		device = sql_get_int(&row);
		finding.device = device < 0 ? FINDING_RUN : (uint32_t)device;
		if (device >= (int64_t)past->run.device_count)
			sql_row_damaged(&row, "a finding of an unknown device");
		if (!finding.rule || row.rc < 0)
			continue;
		ALLOC_GROW(
			report->finding, report->finding_count + 1, report->finding_cap);
		report->finding[report->finding_count++] = finding;
	}
	return sql_row_end(&row);
}

/* The evidence of devices, and the parts of the report that are asked for. */
static int past_read(struct past *past, struct error *err)
{
	bool metrics = is_asked(past, MEASURE_METRIC);
	bool phases = is_asked(past, MEASURE_PHASE);

	if (read_evidence(past, err) < 0 ||
		(past->history->rules && read_findings(past, err) < 0) ||
		(is_asked(past, MEASURE_SUMMARY) && read_summary(past, err) < 0) ||
		(is_asked(past, MEASURE_STEADY) && read_steady(past, err) < 0) ||
		/* Whatever is asked for, it says how much was done. */
		read_work(past, err) < 0 || (phases && read_paths(past, err) < 0) ||
		(phases && past->history->calls && read_calls(past, err) < 0) ||
		(metrics && read_metrics(past, false, err) < 0))
		return -1;
	return metrics && phases ? read_metrics(past, true, err) : 0;
}

/* Reports of all chosen runs, in order, from one state of the database. */

/* What matters of it here: is it that of the samples, or of the events? */
static const char *get_duration_source(struct sql_row *row)
{
	static const char *const known[] = {"samples", "events"};
	const char *found = NULL;
	char *text = NULL;

	sql_get_text(row, &text);
	for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
		if (strcmp(text, known[i]) == 0)
			found = known[i];
	free(text);
	return found;
}

/* The columns of read_runs. */
static void get_head(struct sql_row *row, struct past *past)
{
	struct report *report = &past->report;
	struct run *run = &past->run;
	char grade[2], *refused = NULL;

	past->run_id = sql_get_int(row);
	sql_get_text(row, &run->key);
	sql_get_text(row, &run->path);
	run_get(row, run);
	report->started_ns = sql_get_time(row);
	report->ended_ns = sql_get_time(row);
	report->duration_s = sql_get_real(row);
	report->duration_source = get_duration_source(row);
	sql_get_name(row, grade, sizeof grade);
	report->evidence.grade = grade[0];
	report->evidence.coverage = sql_get_real(row);
	past->definitions = sql_get_int(row);
	sql_get_text(row, &refused);
	if (refused)
		run_add_fact(run, RUN_FACT_EXIT_STATUS, span_of(refused));
	free(refused);
}

static int take_run(struct past *past, size_t *outdated, struct error *err)
{
	const struct history *history = past->history;

	if (run_read_files(past->store, past->run_id, &past->run, err) < 0 ||
		labels_read(past->store, past->run_id, &past->run.labels, err) < 0)
		return -1;
	if (history->wanted && !history->wanted(history->context, &past->run))
		return 0;
	if (past->definitions != DEFINITIONS_VERSION) {
		++*outdated;
		return 0;
	}
	if (past_read(past, err) < 0)
		return -1;
	history->take(history->context, &past->report);
	return 0;
}

static int read_runs(struct store *store, const struct history *history, size_t *outdated,
	struct error *err)
{
	struct strbuf text = strbuf_new();
	struct sql_row row;

	strbuf_adds(&text, "SELECT run_id, run_key, path");
	run_add_columns(&text);
	strbuf_adds(&text,
		", started_ns, ended_ns, duration_s, duration_source, grade, coverage, "
		"definitions_version, "
		"(SELECT value FROM run_fact f WHERE f.run_id = run.run_id AND "
		"f.name = '" RUN_FACT_EXIT_STATUS "') FROM run "
		"ORDER BY started_ns IS NULL, started_ns, run_id");
	sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	while (sql_row_next(&row)) {
		struct past past = {.store = store, .history = history};

		run_init(&past.run, "");
		report_init(&past.report, &past.run);
		/* No number is known before it is read. */
		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
			past.report.summary[key].number = NAN;
		get_head(&row, &past);
		row.rc = take_run(&past, outdated, err);
		report_release(&past.report);
		run_release(&past.run);
	}
	return sql_row_end(&row);
}

int store_history(struct store *store, const struct history *history, size_t *outdated,
	struct error *err)
{
	int rc;

	*outdated = 0;
	/* One state of the database for all of its tables. */
	if (sql_exec(store, "BEGIN", err) < 0)
		return -1;
	rc = read_runs(store, history, outdated, err);
	sql_rollback(store);
	return rc;
}
