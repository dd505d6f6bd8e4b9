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

/* Selects the run's rows of a table: the columns that are named, and then those of the
 * members of a struct. */
static int prepare(struct sql_row *row, const struct past *past, const char *own,
	enum member_of of, const char *table, const char *order, struct error *err)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	strbuf_addf(&text, "SELECT %s", own);
	row_add_columns(&text, of);
	strbuf_addf(&text, " FROM %s WHERE run_id = ? ORDER BY %s", table, order);
	rc = sql_prepare_of_run(row, past->store, text.text, past->run_id, err);
	strbuf_release(&text);
	return rc;
}

static int read_summary(struct past *past, struct error *err)
{
	struct strbuf keys;
	struct sql_row row;
	int rc;

	strbuf_init(&keys);
	row_add_summary_keys(&keys);
	rc = prepare(&row, past, keys.text, OF_NOTHING, "run_summary", "run_id", err);
	strbuf_release(&keys);
	if (rc == 0)
		rc = sql_row_next(&row, err);
	for (enum summary_key key = 0; key < SUMMARY_COUNT && rc > 0; key++)
		row_get_summary(&row, &past->report, &past->report.summary[key]);
	sql_row_free(&row);
	return rc < 0 ? -1 : 0;
}

static int read_steady(struct past *past, struct error *err)
{
	struct steady *s = &past->report.steady;
	struct sql_row row;
	int rc = prepare(
		&row, past, "metric, source", OF_steady, "run_steady", "run_id", err);

	if (rc == 0)
		rc = sql_row_next(&row, err);
	if (rc > 0) {
		char metric[64];

		s->found = true;
		sql_get_name(&row, metric, sizeof metric);
		s->metric = metric_find(span_of(metric));
		s->source = sql_get_source(&row);
		row_get_members(&row, &past->report, OF_steady, s);
	}
	sql_row_free(&row);
	return rc < 0 ? -1 : 0;
}

static enum work_number get_work_number(struct sql_row *row)
{
	enum work_number n_is = WORK_NO_NUMBER;
	char *text = NULL;

	sql_get_text(row, &text);
	for (enum work_number i = WORK_COUNT; text && i <= WORK_UNCLEAR; i++)
		if (strcmp(text, work_number_name(i)) == 0)
			n_is = i;
	free(text);
	return n_is;
}

static int read_work(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct sql_row row;
	int rc = prepare(&row, past, "type_name, name, n_is, energy_j, energy_coverage",
		OF_work, "work", "number", err);

	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0) {
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
	sql_row_free(&row);
	return rc;
}

/* What lies in no call has none. */
static void get_path(struct sql_row *row, struct report *report, struct phase_path *path)
{
	sql_get_text(row, &path->path);
	path->name = row_get_kept(row, report);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		row_get_summary(row, report, &path->summary[key]);
	row_get_members(row, report, OF_phase_path, path);
	path->outside = path->calls == 0;
}

static int read_paths(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct strbuf own;
	struct sql_row row;
	int rc;

	strbuf_init(&own);
	strbuf_adds(&own, "number, path, name");
	row_add_phase_keys(&own);
	rc = prepare(&row, past, own.text, OF_phase_path, "phase", "number", err);
	strbuf_release(&own);
	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0) {
		if (sql_get_int(&row) != (int64_t)report->path_count) {
			rc = sql_damaged(past->store, "a phase of a run is lost", err);
			break;
		}
		ALLOC_GROW(report->path, report->path_count + 1, cap);
		report->path[report->path_count] = (struct phase_path){.first = SIZE_MAX};
		get_path(&row, report, &report->path[report->path_count++]);
	}
	sql_row_free(&row);
	return rc;
}

/* Where the statistics of a row are to be: of the run, or of a path. */
struct stats_list {
	struct metric_stats **stats;
	size_t *count, *cap;
};

struct tables {
	const char *metric, *state;
	bool of_paths;
};

/* The first column says of which path. False: of one that is not there. */
static bool get_list(const struct tables *tables, struct sql_row *row,
	struct report *report, struct stats_list *list)
{
	int64_t number;

	*list = (struct stats_list){
		&report->stats, &report->stats_count, &report->stats_cap};
	if (!tables->of_paths)
		return true;
	number = sql_get_int(row);
	if (number < 0 || (uint64_t)number >= report->path_count)
		return false;
	*list = (struct stats_list){&report->path[number].stats,
		&report->path[number].stats_count, &report->path[number].stats_cap};
	return true;
}

static int read_rows(struct past *past, const struct tables *tables, const char *table,
	const char *columns, const char *order,
	int (*take)(struct past *past, struct sql_row *row, const struct tables *tables,
		struct error *err),
	struct error *err)
{
	const char *metric = past->history->metric;
	struct strbuf text;
	struct sql_row row;
	int rc;

	strbuf_init(&text);
	strbuf_addf(&text, "SELECT %s%s FROM %s WHERE run_id = ?%s ORDER BY %s",
		tables->of_paths ? "phase, " : "", columns, table,
		metric ? " AND metric = ?" : "", order);
	rc = sql_prepare_of_run(&row, past->store, text.text, past->run_id, err);
	strbuf_release(&text);
	if (rc == 0 && metric)
		sql_put_text(&row, metric);
	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0)
		rc = take(past, &row, tables, err);
	sql_row_free(&row);
	return rc;
}

static int take_metric(struct past *past, struct sql_row *row,
	const struct tables *tables, struct error *err)
{
	struct metric_stats stats;
	struct stats_list list;

	if (!get_list(tables, row, &past->report, &list))
		return sql_damaged(past->store, "statistics are of no phase", err);
	if (!row_get_metric(row, &past->report, &stats))
		return 0;
	if (stats.device >= past->run.device_count)
		return sql_damaged(past->store, "statistics are of no device", err);
	ALLOC_GROW(*list.stats, *list.count + 1, *list.cap);
	(*list.stats)[(*list.count)++] = stats;
	return 0;
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
static void sort_stats(struct past *past)
{
	struct report *report = &past->report;

	if (report->stats_count)
		qsort(report->stats, report->stats_count, sizeof *report->stats,
			compare_stats);
	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].stats_count)
			qsort(report->path[i].stats, report->path[i].stats_count,
				sizeof *report->path[i].stats, compare_stats);
}

static int take_state(struct past *past, struct sql_row *row, const struct tables *tables,
	struct error *err)
{
	struct metric_stats *of, key = {.metric = METRIC_none};
	struct state_time *state;
	struct stats_list list;
	char metric[64];

	if (!get_list(tables, row, &past->report, &list))
		return sql_damaged(past->store, "a state is of no phase", err);
	key.source = sql_get_source(row);
	key.device = (uint32_t)sql_get_int(row);
	sql_get_name(row, metric, sizeof metric);
	key.metric = metric_find(span_of(metric));
	of = *list.count
		? bsearch(&key, *list.stats, *list.count, sizeof key, compare_stats)
		: NULL;
	if (!of)
		return 0;
	of->state = xrealloc(of->state, of->state_count + 1, sizeof *of->state);
	state = &of->state[of->state_count++];
	sql_get_name(row, state->name, sizeof state->name);
	state->n = (uint64_t)sql_get_int(row);
	state->seconds = sql_get_real(row);
	state->share = sql_get_real(row);
	return 0;
}

static int read_metrics(struct past *past, bool of_paths, struct error *err)
{
	const struct tables tables = {of_paths ? "phase_metric" : "metric_summary",
		of_paths ? "phase_state" : "metric_state", of_paths};
	struct strbuf columns;
	int rc;

	strbuf_init(&columns);
	strbuf_adds(&columns, "source, device, metric");
	row_add_columns(&columns, OF_metric_stats);
	rc = read_rows(past, &tables, tables.metric, columns.text,
		of_paths ? "phase" : "run_id", take_metric, err);
	strbuf_release(&columns);
	if (rc < 0)
		return -1;
	sort_stats(past);
	return read_rows(past, &tables, tables.state,
		"source, device, metric, state, n, seconds, share",
		of_paths ? "phase, source, device, metric, number"
			 : "source, device, metric, number",
		take_state, err);
}

/* Of each device and kind of log: rows, interval, and what they cover. */
static int read_evidence(struct past *past, struct error *err)
{
	struct evidence *evidence = &past->report.evidence;
	struct sql_row row;
	int rc = prepare(&row, past, "source, device", OF_device_evidence,
		"device_evidence", "source, device", err);

	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0) {
		struct device_evidence *device;

		ALLOC_GROW(evidence->device, evidence->device_count + 1,
			evidence->device_cap);
		device = &evidence->device[evidence->device_count++];
		*device = (struct device_evidence){.source = sql_get_source(&row)};
		device->device = (uint32_t)sql_get_int(&row);
		row_get_members(&row, &past->report, OF_device_evidence, device);
		if (device->device >= past->run.device_count)
			rc = sql_damaged(past->store, "evidence is of no device", err);
	}
	sql_row_free(&row);
	if (rc == 0)
		report_weigh_devices(&past->report);
	return rc;
}

/* The calls of paths that were read. */
static int read_calls(struct past *past, struct error *err)
{
	struct report *report = &past->report;
	size_t cap = 0;
	struct sql_row row;
	int rc = prepare(&row, past, "phase", OF_phase_call, "phase_call", "number", err);

	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0) {
		struct phase_call *call;

		ALLOC_GROW(report->call, report->call_count + 1, cap);
		call = &report->call[report->call_count++];
		*call = (struct phase_call){.path = (uint32_t)sql_get_int(&row)};
		row_get_members(&row, report, OF_phase_call, call);
		if (call->path >= report->path_count)
			rc = sql_damaged(past->store, "a call is of no phase", err);
	}
	sql_row_free(&row);
	if (rc == 0)
		report_link_calls(report);
	for (size_t i = 0; i < report->path_count && rc == 0; i++) {
		struct phase_path *path = &report->path[i];

		path->union_s =
			path->outside ? path->duration_s : coverage_union_s(report, path);
	}
	return rc;
}

/* Which rules fired, and which could not run; of rules that are still there. */
static int read_findings(struct past *past, struct error *err)
{
	const struct rule_set *rules = past->history->rules;
	struct report *report = &past->report;
	struct sql_row row;
	int rc = prepare(&row, past, "rule, outcome, coalesce(device, -1)", OF_NOTHING,
		"finding", "number", err);

	report->checks = rules->count;
	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0) {
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
			rc = sql_damaged(past->store, "a finding is of no device", err);
		if (!finding.rule || rc < 0)
			continue;
		ALLOC_GROW(
			report->finding, report->finding_count + 1, report->finding_cap);
		report->finding[report->finding_count++] = finding;
	}
	sql_row_free(&row);
	return rc;
}

/* Of the report the evidence of devices, and the parts that are asked for. */
static int past_read(struct past *past, struct error *err)
{
	bool metrics = is_asked(past, MEASURE_METRIC);
	bool phases = is_asked(past, MEASURE_PHASE);

	if (read_evidence(past, err) < 0)
		return -1;
	if (past->history->rules && read_findings(past, err) < 0)
		return -1;
	if (is_asked(past, MEASURE_SUMMARY) && read_summary(past, err) < 0)
		return -1;
	if (is_asked(past, MEASURE_STEADY) && read_steady(past, err) < 0)
		return -1;
	/* Of whatever is asked it says how much was done. */
	if (read_work(past, err) < 0)
		return -1;
	if (phases && read_paths(past, err) < 0)
		return -1;
	if (phases && past->history->calls && read_calls(past, err) < 0)
		return -1;
	if (metrics && read_metrics(past, false, err) < 0)
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

/* No number is known before it is read. */
static void clear_summary(struct report *report)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report->summary[key].number = NAN;
}

static int read_runs(struct store *store, const struct history *history, size_t *outdated,
	struct error *err)
{
	struct strbuf text;
	struct sql_row row;
	int rc;

	strbuf_init(&text);
	strbuf_adds(&text, "SELECT run_id, run_key, path");
	run_add_columns(&text);
	strbuf_adds(&text,
		", started_ns, ended_ns, duration_s, duration_source, grade, coverage, "
		"definitions_version, "
		"(SELECT value FROM run_fact f WHERE f.run_id = run.run_id AND "
		"f.name = '" RUN_FACT_EXIT_STATUS "') FROM run "
		"ORDER BY started_ns IS NULL, started_ns, run_id");
	rc = sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	if (rc < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct past past = {.store = store, .history = history};

		run_init(&past.run, "");
		report_init(&past.report, &past.run);
		clear_summary(&past.report);
		get_head(&row, &past);
		rc = take_run(&past, outdated, err);
		report_release(&past.report);
		run_release(&past.run);
		if (rc < 0)
			break;
	}
	sql_row_free(&row);
	return rc;
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
