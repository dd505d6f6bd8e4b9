/*
 * A report as rows: written, a table after the other, and read back, without computing
 * anything or reading a sample.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "model/measure.h"
#include "store/internal.h"
#include "store/store.h"

/* Structs of a report as columns: their names, and their values in that order. */

static void add_columns(struct strbuf *sb, enum member_of of)
{
	for (const struct member *m = members_of(of); m->of == of && of != OF_NOTHING;
		m++)
		if (m->column)
			strbuf_addf(sb, ", %s", m->column);
}

static void put_member(struct sql_row *row, const struct member *m, const void *of)
{
	const void *at = member_at(m, of);

	switch (m->kind) {
	case MEMBER_NUMBER:
		sql_put_real(row, *(const double *)at);
		break;
	case MEMBER_COUNT:
		sql_put_int(row, *(const int64_t *)at);
		break;
	case MEMBER_TIME:
		sql_put_time(row, *(const int64_t *)at);
		break;
	case MEMBER_FLAG:
		sql_put_int(row, *(const bool *)at);
		break;
	case MEMBER_TEXT:
		sql_put_text(row, *(const char *const *)at);
		break;
	}
}

static const char *get_kept(struct sql_row *row, struct report *report)
{
	char *text = NULL;
	const char *kept;

	sql_get_text(row, &text);
	kept = text ? report_keep(report, text) : NULL;
	free(text);
	return kept;
}

static void get_member(
	struct sql_row *row, struct report *report, const struct member *m, void *of)
{
	void *at = member_at(m, of);

	switch (m->kind) {
	case MEMBER_NUMBER:
		*(double *)at = sql_get_real(row);
		break;
	case MEMBER_COUNT:
		*(uint64_t *)at = (uint64_t)sql_get_int(row);
		break;
	case MEMBER_TIME:
		*(int64_t *)at = sql_get_time(row);
		break;
	case MEMBER_FLAG:
		*(bool *)at = sql_get_int(row) != 0;
		break;
	case MEMBER_TEXT:
		*(const char **)at = get_kept(row, report);
		break;
	}
}

static void put_members(struct sql_row *row, enum member_of struct_of, const void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->column)
			put_member(row, m, of);
}

static void get_members(
	struct sql_row *row, struct report *report, enum member_of struct_of, void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->column)
			get_member(row, report, m, of);
}

static enum metric_id get_metric_name(struct sql_row *row)
{
	char name[64];

	sql_get_name(row, name, sizeof name);
	return metric_find(span_of(name));
}

/* False: of a metric that is not known. */
static bool get_metric(struct sql_row *row, struct report *report, struct metric_stats *s)
{
	enum metric_id metric;

	s->source = sql_get_source(row);
	s->device = (uint32_t)sql_get_int(row);
	metric = get_metric_name(row);
	if (metric == METRIC_none)
		return false;
	metric_stats_init(s, metric);
	get_members(row, report, OF_metric_stats, s);
	s->has_above = !isnan(s->above[ABOVE_0]);
	s->has_energy = !isnan(s->energy_j) || !isnan(s->energy_coverage);
	s->has_growth = !isnan(s->growth) || !isnan(s->slope_per_h);
	return true;
}

static void put_summary(struct sql_row *row, const struct summary_item *item)
{
	switch (item->kind) {
	case VALUE_NUMBER:
		sql_put_real(row, item->number);
		break;
	case VALUE_COUNT:
		/* As an integer, so that a shell prints no ".0". */
		if (fabs(item->number) < 9e15)
			sql_put_int(row, (int64_t)item->number);
		else
			sql_put_real(row, item->number);
		break;
	case VALUE_TEXT:
		sql_put_text(row, item->text);
		break;
	}
}

static void add_summary_keys(struct strbuf *sb)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		strbuf_addf(
			sb, "%s%s", sb->len ? ", " : "", summary_field_get(key)->name);
}

static void add_phase_keys(struct strbuf *sb)
{
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		strbuf_addf(sb, ", %s", summary_field_get(phase_key_summary(key))->name);
}

/* What kind of value it is, the column says, known or not. */
static void get_summary(
	struct sql_row *row, struct report *report, struct summary_item *item)
{
	const char *type = sqlite3_column_decltype(row->stmt, row->next);
	char text[64];

	*item = (struct summary_item){.kind = VALUE_NUMBER, .number = NAN};
	if (type && strcmp(type, "TEXT") == 0) {
		item->kind = VALUE_TEXT;
		sql_get_name(row, text, sizeof text);
		item->text = *text ? report_keep(report, text) : NULL;
		return;
	}
	if (type && strcmp(type, "INTEGER") == 0)
		item->kind = VALUE_COUNT;
	item->number = sql_get_real(row);
}

#define TABLES 23

struct writer {
	struct store *store;
	int64_t run_id;
	const struct report *report;
	struct sql_row row[TABLES]; /* [tables] each made for its first row */
	const char *table[TABLES]; /* that it is of */
	size_t tables, doubts;
	int rc; /* -1: one failed, and err says what; nothing more is written */
	struct error *err;
};

/*
 * A row for a table: the columns that are named, and then those of a struct's members. A
 * table is known by the address of its name.
 */
static struct sql_row *into(
	struct writer *w, const char *table, const char *own, enum member_of of)
{
	struct sql_row *row = w->row;
	struct strbuf columns;

	while (row < &w->row[w->tables] && w->table[row - w->row] != table)
		row++;
	if (row < &w->row[w->tables]) {
		row->rc |= w->rc;
		return row;
	}
	*row = (struct sql_row){.store = w->store, .rc = w->rc};
	if (w->rc)
		return row;
	columns = strbuf_new();
	strbuf_adds(&columns, own);
	add_columns(&columns, of);
	sql_prepare_sealed(row, w->store, table, w->run_id, columns.text, w->err);
	strbuf_release(&columns);
	w->table[w->tables++] = table;
	return row;
}

static void write_row(struct writer *w, struct sql_row *row)
{
	sql_row_write(row);
	w->rc |= row->rc;
}

/* The cells are those of the named columns; then come those of the struct's members. */
static void write_cells(struct writer *w, const char *table, const char *own,
	enum member_of of, const void *members, const struct sql_cell *cell)
{
	struct sql_row *row = into(w, table, own, of);

	sql_put_cells(row, cell);
	if (of != OF_NOTHING)
		put_members(row, of, members);
	write_row(w, row);
}

#define WRITE_OF(w, table, own, of, members, ...) \
	write_cells(w, table, own, of, members, SQL_CELLS(__VA_ARGS__))
#define WRITE(w, table, own, ...) WRITE_OF(w, table, own, OF_NOTHING, NULL, __VA_ARGS__)

/* SIZE_MAX: NULL */
#define INDEX(x) KNOWN((x) == SIZE_MAX ? -1 : (int64_t)(x))

#define ENERGY_COLUMNS "energy_j, energy_method, energy_coverage"
#define ENERGY(of)                                                                     \
	REAL((of)->energy_j),                                                          \
		TEXT(isnan((of)->energy_j) ? NULL                                      \
					   : energy_method_name((of)->energy_method)), \
		REAL((of)->energy_coverage)

/* Findings: of the run, if no device has them. */

static void write_values(struct writer *w, size_t nth)
{
	const struct finding *finding = &w->report->finding[nth];

	for (size_t k = 0; k < finding->rule->value_count; k++)
		WRITE(w, "finding_value", "finding, number, name, value, unit", INT(nth),
			INT(k), TEXT(finding->rule->value[k].name),
			REAL(finding->value[k]),
			TEXT(rule_value_unit(&finding->rule->value[k])));
}

static void write_meanwhile(struct writer *w, size_t nth, size_t stretch)
{
	const struct finding *finding = &w->report->finding[nth];

	for (size_t k = 0; k < finding->rule->meanwhile_count; k++) {
		double mean = finding->stretch[stretch].meanwhile[k];
		struct meanwhile_name name = meanwhile_name(finding->rule->meanwhile[k]);

		if (!isnan(mean))
			WRITE(w, "finding_meanwhile", "finding, stretch, metric, mean",
				INT(nth), INT(stretch), TEXT(name.text), REAL(mean));
	}
}

static void write_stretches(struct writer *w, size_t nth)
{
	const struct finding *finding = &w->report->finding[nth];

	for (size_t k = 0; k < finding->stretch_listed; k++) {
		const struct finding_stretch *stretch = &finding->stretch[k];

		WRITE(w, "finding_stretch",
			"finding, number, start_ns, start_s, seconds, gpu_seconds, phase",
			INT(nth), INT(k), TIME(stretch->from_ns), REAL(stretch->start_s),
			REAL(stretch->seconds), REAL(stretch->gpu_seconds),
			INDEX(stretch->phase));
		write_meanwhile(w, nth, k);
	}
}

static void write_phases(struct writer *w, size_t nth)
{
	const struct finding *finding = &w->report->finding[nth];

	for (size_t k = 0; k < finding->phase_count; k++) {
		const struct finding_phase *phase = &finding->phase[k];

		WRITE(w, "finding_phase", "finding, phase, seconds", INT(nth),
			INT(phase->path), REAL(phase->seconds));
		for (size_t v = 0; v < finding->rule->in_phases_count; v++)
			if (!isnan(phase->value[v]))
				WRITE(w, "finding_phase_value",
					"finding, phase, number, value", INT(nth),
					INT(phase->path),
					INT(finding->rule->in_phases[v]),
					REAL(phase->value[v]));
	}
}

static void write_finding(struct writer *w, size_t nth)
{
	const struct finding *finding = &w->report->finding[nth];
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	struct strbuf sentence = strbuf_new();

	if (fires)
		finding_sentence(&sentence, w->report, finding, strbuf_adds);
	WRITE(w, "finding",
		"number, rule, version, outcome, severity, title, device, sentence, "
		"remedy, why, cost_gpu_s, coverage, stretches",
		INT(nth), TEXT(rule->id), INT(rule->version),
		TEXT(outcome_name(finding->outcome)), TEXT(severity_name(rule->severity)),
		TEXT(rule->title),
		KNOWN(finding->device == FINDING_RUN ? -1 : (int64_t)finding->device),
		TEXT(fires ? sentence.text : NULL), TEXT(fires ? rule->remedy : NULL),
		TEXT(finding->why), REAL(finding->cost_gpu_s), REAL(finding->coverage),
		INT(finding->stretch_count));
	strbuf_release(&sentence);
	if (fires)
		write_values(w, nth);
	write_stretches(w, nth);
	write_phases(w, nth);
}

/* Statistics of the run, or of one of its paths. */

#define OF_RUN SIZE_MAX

#define STATE_COLUMNS "source, device, metric, number, state, n, seconds, share"

static void write_states(struct writer *w, const struct metric_stats *s, size_t path)
{
	for (size_t k = 0; k < s->state_count; k++) {
		struct sql_row *row = path == OF_RUN
			? into(w, "metric_state", STATE_COLUMNS, OF_NOTHING)
			: into(w, "phase_state", "phase, " STATE_COLUMNS, OF_NOTHING);

		if (path != OF_RUN)
			sql_put_int(row, (int64_t)path);
		SQL_PUT(row, SOURCE(s->source), INT(s->device),
			TEXT(metric_get(s->metric)->name), INT(k), TEXT(s->state[k].name),
			INT(s->state[k].n), REAL(s->state[k].seconds),
			REAL(s->state[k].share));
		write_row(w, row);
	}
}

/* first: `counts` of the run's, the path of others. */
static void write_stats(
	struct writer *w, const struct metric_stats *s, size_t path, int64_t first)
{
	struct sql_row *row = path == OF_RUN
		? into(w, "metric_summary",
			  "counts, energy_method, source, device, metric",
			  OF_metric_stats)
		: into(w, "phase_metric", "phase, energy_method, source, device, metric",
			  OF_metric_stats);

	SQL_PUT(row, INT(first), TEXT(energy_method_name(energy_method(s))),
		SOURCE(s->source), INT(s->device), TEXT(metric_get(s->metric)->name));
	for (const struct member *m = members_of(OF_metric_stats);
		m->of == OF_metric_stats; m++)
		if (m->column && metric_stats_have(s, m->part))
			put_member(row, m, s);
		else if (m->column)
			sql_put_text(row, NULL);
	write_row(w, row);
	write_states(w, s, path);
}

/* Phases, and the single calls. */

static void write_path(struct writer *w, size_t nth)
{
	const struct phase_path *path = &w->report->path[nth];
	struct strbuf own = strbuf_new();
	struct sql_row *row;

	strbuf_adds(&own, "number, path, name");
	add_phase_keys(&own);
	row = into(w, "phase", own.text, OF_phase_path);
	strbuf_release(&own);
	SQL_PUT(row, INT(nth), TEXT(path->path), TEXT(path->name));
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		put_summary(row, &path->summary[key]);
	put_members(row, OF_phase_path, path);
	write_row(w, row);
	for (size_t k = 0; k < path->stats_count; k++)
		write_stats(w, &path->stats[k], nth, (int64_t)nth);
}

static void write_call(struct writer *w, size_t nth)
{
	const struct phase_call *call = &w->report->call[nth];

	WRITE_OF(w, "phase_call", "number, phase, name, extras, " ENERGY_COLUMNS,
		OF_phase_call, call, INT(nth), INT(call->path), TEXT(call->name),
		TEXT(call->extras), ENERGY(call));
}

static void write_work(struct writer *w, size_t nth)
{
	const struct work *work = &w->report->work[nth];

	WRITE_OF(w, "work", "number, type_name, name, n_is, " ENERGY_COLUMNS, OF_work,
		work, INT(nth), TEXT(work->type_name), TEXT(work->name),
		TEXT(work_number_name(work->n_is)), ENERGY(work));
}

/* The run as a whole. */

static void write_summary(struct writer *w)
{
	struct strbuf columns = strbuf_new();
	struct sql_row *row;

	add_summary_keys(&columns);
	row = into(w, "run_summary", columns.text, OF_NOTHING);
	strbuf_release(&columns);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		put_summary(row, &w->report->summary[key]);
	write_row(w, row);
}

static void write_doubt(
	void *to, enum summary_key key, const struct metric_stats *stats, const char *why)
{
	struct writer *w = to;

	WRITE(w, "doubt", "number, source, device, name, why", INT(w->doubts++),
		SOURCE(stats ? stats->source : SOURCE_NONE),
		INDEX(stats ? stats->device : SIZE_MAX),
		TEXT(stats ? metric_get(stats->metric)->name
			   : summary_field_get(key)->name),
		TEXT(why));
}

static void write_steady(struct writer *w)
{
	const struct steady *s = &w->report->steady;

	if (s->found)
		WRITE_OF(w, "run_steady", "metric, source", OF_steady, s,
			TEXT(metric_get(s->metric)->name), SOURCE(s->source));
	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change != 0)
			WRITE(w, "steady_drift",
				"device, metric, from_value, to_value, change",
				INT(drift->device), TEXT(metric_get(drift->metric)->name),
				REAL(drift->from), REAL(drift->to), REAL(drift->change));
	}
	for (size_t i = 0; i < s->interruption_listed; i++) {
		const struct interruption *one = &s->interruption[i];

		WRITE(w, "steady_interruption",
			"number, from_ns, to_ns, start_s, seconds, why, mean, cause, "
			"phase",
			INT(i), INT(one->from_ns), INT(one->to_ns), REAL(one->start_s),
			REAL(one->seconds), TEXT(interruption_why(one)), REAL(one->mean),
			TEXT(gap_cause_name(one->cause)),
			INDEX(interruption_phase(w->report, one)));
	}
}

static void write_evidence(struct writer *w)
{
	const struct evidence *evidence = &w->report->evidence;

	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		WRITE_OF(w, "device_evidence", "source, device, counts",
			OF_device_evidence, e, SOURCE(e->source), INT(e->device),
			INT(evidence_best(evidence, e->device) == e));
	}
	for (size_t i = 0; i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];

		WRITE(w, "gap", "number, source, device, start_ns, length_s", INT(i),
			SOURCE(gap->source), INT(gap->device), TIME(gap->start_ns),
			REAL(gap->length_s));
		if (gap->cause != GAP_UNKNOWN)
			WRITE(w, "gap_cause", "number, cause", INT(i),
				TEXT(gap_cause_name(gap->cause)));
	}
}

static void write_gpu_ending(struct writer *w, const struct gpu_ending *gpu)
{
	struct sql_row *row = into(w, "gpu_ending",
		"device, lost, last_ns, silent_s, gpu_util_pct, mem_used_mib, power_w, "
		"temperature_c, gpu_util_pct_per_min, mem_used_mib_per_min, "
		"power_w_per_min, temperature_c_per_min, said, said_file, said_line",
		OF_NOTHING);

	SQL_PUT(row, INT(gpu->device), INT(gpu->lost), TIME(gpu->last_ns),
		REAL(gpu->silent_s));
	for (size_t k = 0; k < ENDING_METRICS; k++)
		sql_put_real(row, gpu->value[k]);
	for (size_t k = 0; k < ENDING_METRICS; k++)
		sql_put_real(row, gpu->rate_per_min[k]);
	SQL_PUT(row, TEXT(gpu->said), TEXT(gpu->said_file),
		KNOWN(gpu->said ? (int64_t)gpu->said_line : -1));
	write_row(w, row);
}

static void write_ending(struct writer *w)
{
	const struct ending *ending = &w->report->ending;

	WRITE(w, "ending",
		"abrupt, no_end, signal, torn_file, gpu_lost, early_log, early_ns, "
		"driver_file, driver_ns",
		INT(ending->abrupt), INT(ending->sign[ENDING_NO_END]),
		KNOWN(ending->signal ? ending->signal : -1), TEXT(ending->torn_file),
		INT(ending->sign[ENDING_GPU_LOST]), SOURCE(ending->early_log),
		TIME(ending->early_ns), TEXT(ending->driver_file),
		TIME(ending->driver_ns));
	for (size_t i = 0; i < ending->gpu_count; i++)
		write_gpu_ending(w, &ending->gpu[i]);
}

int detail_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct writer w = {
		.store = store, .run_id = run_id, .report = report, .err = err};

	if (run_write(store, run_id, report, err) < 0)
		return -1;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		write_stats(&w, s, OF_RUN,
			metric_stats_best(report->stats, report->stats_count, s->device,
				s->metric) == s);
	}
	write_summary(&w);
	doubts_each(report, write_doubt, &w);
	write_steady(&w);
	write_evidence(&w);
	for (size_t i = 0; i < report->path_count; i++)
		write_path(&w, i);
	for (size_t i = 0; i < report->call_count; i++)
		write_call(&w, i);
	for (size_t i = 0; i < report->finding_count; i++)
		write_finding(&w, i);
	for (size_t i = 0; i < report->work_count; i++)
		write_work(&w, i);
	write_ending(&w);
	for (size_t i = 0; i < w.tables; i++)
		sql_row_end(&w.row[i]);
	return w.rc;
}

/* Rows read back. */

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

#define OF_THE_RUN	  "WHERE run_id = ?1"
#define OF_RUN_AND_METRIC "WHERE run_id = ?1 AND (?2 IS NULL OR metric = ?2)"

/*
 * Selects rows of a table: the columns that are named, and then those of the members of a
 * struct. where: which ones, with the run's id as ?1, and perhaps the metric that is
 * asked for as ?2.
 */
static void prepare(struct sql_row *row, const struct past *past, const char *own,
	enum member_of of, const char *table, const char *where, struct error *err)
{
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "SELECT %s", own);
	add_columns(&text, of);
	strbuf_addf(&text, ", " SQL_SEALED "* FROM %s %s", table, where);
	sql_prepare_of_run(row, past->store, text.text, past->run_id, err);
	strbuf_release(&text);
	sql_check_seals(row, table);
	if (sqlite3_bind_parameter_count(row->stmt) > 1)
		sql_put_text(row, past->history->metric);
}

static int read_summary(struct past *past, struct error *err)
{
	struct strbuf keys = strbuf_new();
	struct sql_row row;

	add_summary_keys(&keys);
	prepare(&row, past, keys.text, OF_NOTHING, "run_summary", OF_THE_RUN, err);
	strbuf_release(&keys);
	if (sql_row_next(&row))
		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
			get_summary(&row, &past->report, &past->report.summary[key]);
	return sql_row_end(&row);
}

static int read_steady(struct past *past, struct error *err)
{
	struct steady *s = &past->report.steady;
	struct sql_row row;

	prepare(&row, past, "metric, source", OF_steady, "run_steady", OF_THE_RUN, err);
	if (sql_row_next(&row)) {
		s->found = true;
		s->metric = get_metric_name(&row);
		s->source = sql_get_source(&row);
		get_members(&row, &past->report, OF_steady, s);
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
		"work", OF_THE_RUN " ORDER BY number", err);
	while (sql_row_next(&row)) {
		struct work *work;

		work = &ALLOC_NEXT(report->work, report->work_count, cap);
		*work = (struct work){.type_name = get_kept(&row, report)};
		work->name = get_kept(&row, report);
		work->n_is = get_work_number(&row);
		work->energy_j = sql_get_real(&row);
		work->energy_coverage = sql_get_real(&row);
		get_members(&row, report, OF_work, work);
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
	add_phase_keys(&own);
	prepare(&row, past, own.text, OF_phase_path, "phase",
		OF_THE_RUN " ORDER BY number", err);
	strbuf_release(&own);
	while (sql_row_next(&row)) {
		struct phase_path *path;

		if (sql_get_int(&row) != (int64_t)report->path_count)
			sql_row_damaged(&row, "a phase of a run is missing");
		path = &ALLOC_NEXT(report->path, report->path_count, cap);
		*path = (struct phase_path){.first = SIZE_MAX};
		sql_get_text(&row, &path->path);
		path->name = get_kept(&row, report);
		for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
			get_summary(&row, report, &path->summary[key]);
		get_members(&row, report, OF_phase_path, path);
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

static int read_stats(struct past *past, bool of_paths, struct error *err)
{
	struct stats_list list;
	struct sql_row row;

	prepare(&row, past,
		of_paths ? "phase, source, device, metric" : "source, device, metric",
		OF_metric_stats, of_paths ? "phase_metric" : "metric_summary",
		of_paths ? OF_RUN_AND_METRIC " ORDER BY phase" : OF_RUN_AND_METRIC, err);
	while (sql_row_next(&row)) {
		struct metric_stats stats;

		if (!get_list(&row, &past->report, of_paths, &list) ||
			!get_metric(&row, &past->report, &stats))
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
	SORT(stats, count, compare_stats);
}

/* The states of statistics that are read, and sorted. */
static int read_states(struct past *past, bool of_paths, struct error *err)
{
	struct stats_list list;
	struct sql_row row;

	prepare(&row, past,
		of_paths ? "phase, source, device, metric, state, n, seconds, share"
			 : "source, device, metric, state, n, seconds, share",
		OF_NOTHING, of_paths ? "phase_state" : "metric_state",
		of_paths ? OF_RUN_AND_METRIC
			" ORDER BY phase, source, device, metric, number"
			 : OF_RUN_AND_METRIC " ORDER BY source, device, metric, number",
		err);
	while (sql_row_next(&row)) {
		struct state_time *state;
		struct metric_stats *of;
		enum source_kind source;
		uint32_t device;

		if (!get_list(&row, &past->report, of_paths, &list))
			break;
		source = sql_get_source(&row);
		device = (uint32_t)sql_get_int(&row);
		of = (struct metric_stats *)metric_stats_of(
			*list.stats, *list.count, source, device, get_metric_name(&row));
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

	prepare(&row, past, "source, device", OF_device_evidence, "device_evidence",
		OF_THE_RUN " ORDER BY source, device", err);
	while (sql_row_next(&row)) {
		struct device_evidence *device;

		device = &ALLOC_NEXT(
			evidence->device, evidence->device_count, evidence->device_cap);
		*device = (struct device_evidence){.source = sql_get_source(&row)};
		device->device = (uint32_t)sql_get_int(&row);
		get_members(&row, &past->report, OF_device_evidence, device);
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

	prepare(&row, past, "phase", OF_phase_call, "phase_call",
		OF_THE_RUN " ORDER BY number", err);
	while (sql_row_next(&row)) {
		struct phase_call *call;

		call = &ALLOC_NEXT(report->call, report->call_count, cap);
		*call = (struct phase_call){.path = (uint32_t)sql_get_int(&row)};
		get_members(&row, report, OF_phase_call, call);
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
	prepare(&row, past, "rule, outcome, coalesce(device, -1)", OF_NOTHING, "finding",
		OF_THE_RUN " ORDER BY number", err);
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
		ALLOC_NEXT(report->finding, report->finding_count, report->finding_cap) =
			finding;
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
		"f.name = '" RUN_FACT_EXIT_STATUS "')");
	run_add_sealed(&text);
	strbuf_adds(&text, " FROM run ORDER BY started_ns IS NULL, started_ns, run_id");
	sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	sql_check_seals(&row, "run");
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
