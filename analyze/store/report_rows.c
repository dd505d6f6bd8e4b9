/*
 * What was computed of a run. Each table has one function, which names the columns that
 * it fills.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/finding.h"
#include "store/internal.h"

/* What becomes a row: how the structs of a report are bound, by the names of columns. */

void row_add_columns(struct strbuf *sb, enum member_of of)
{
	for (const struct member *m = members_of(of); m->of == of; m++)
		if (m->column)
			strbuf_addf(sb, ", %s", m->column);
}

/* Inserts the columns that are named, and then those of the members of a struct. */
static int prepare_members(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *own, enum member_of of, struct error *err)
{
	struct strbuf columns;
	int rc;

	strbuf_init(&columns);
	strbuf_adds(&columns, own);
	row_add_columns(&columns, of);
	rc = sql_prepare_insert(row, store, table, run_id, columns.text, err);
	strbuf_release(&columns);
	return rc;
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
		*(const char **)at = row_get_kept(row, report);
		break;
	}
}

static void put_members(struct sql_row *row, enum member_of struct_of, const void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->column)
			put_member(row, m, of);
}

void row_get_members(
	struct sql_row *row, struct report *report, enum member_of struct_of, void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->column)
			get_member(row, report, m, of);
}

static void put_energy(
	struct sql_row *row, double energy_j, enum energy_method method, double coverage)
{
	sql_put_real(row, energy_j);
	sql_put_text(row, isnan(energy_j) ? NULL : energy_method_name(method));
	sql_put_real(row, coverage);
}

const char *row_get_kept(struct sql_row *row, struct report *report)
{
	char *text = NULL;
	const char *kept;

	sql_get_text(row, &text);
	kept = text ? report_keep(report, text) : NULL;
	free(text);
	return kept;
}

static void row_put_metric(struct sql_row *row, const struct metric_stats *s)
{
	sql_put_text(row, energy_method_name(energy_method(s)));
	sql_put_source(row, s->source);
	sql_put_int(row, s->device);
	sql_put_text(row, metric_get(s->metric)->name);
	for (const struct member *m = members_of(OF_metric_stats);
		m->of == OF_metric_stats; m++)
		if (m->column && metric_stats_have(s, m->part))
			put_member(row, m, s);
		else if (m->column)
			sql_put_text(row, NULL);
}

int row_get_metric(struct sql_row *row, struct report *report, struct metric_stats *s)
{
	enum source_kind source = sql_get_source(row);
	uint32_t device = (uint32_t)sql_get_int(row);
	char metric[64];

	sql_get_name(row, metric, sizeof metric);
	if (metric_find(span_of(metric)) == METRIC_none)
		return 0;
	metric_stats_init(s, metric_find(span_of(metric)));
	s->source = source;
	s->device = device;
	row_get_members(row, report, OF_metric_stats, s);
	s->has_above = !isnan(s->above[ABOVE_0]);
	s->has_energy = !isnan(s->energy_j) || !isnan(s->energy_coverage);
	s->has_growth = !isnan(s->growth) || !isnan(s->slope_per_h);
	return 1;
}

static void row_put_state(struct sql_row *row, const struct metric_stats *s, size_t state)
{
	sql_put_source(row, s->source);
	sql_put_int(row, s->device);
	sql_put_text(row, metric_get(s->metric)->name);
	sql_put_int(row, (int64_t)state);
	sql_put_text(row, s->state[state].name);
	sql_put_int(row, (int64_t)s->state[state].n);
	sql_put_real(row, s->state[state].seconds);
	sql_put_real(row, s->state[state].share);
}

static void row_put_summary(struct sql_row *row, const struct summary_item *item)
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

void row_add_summary_keys(struct strbuf *sb)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		strbuf_addf(
			sb, "%s%s", sb->len ? ", " : "", summary_field_get(key)->name);
}

void row_add_phase_keys(struct strbuf *sb)
{
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		strbuf_addf(sb, ", %s", summary_field_get(phase_key_summary(key))->name);
}

/* What kind of value it is, the column says, known or not. */
void row_get_summary(
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

/*
 * What the rules found in a run: the findings, the numbers behind them, their
 * stretches.
 */

static void put_device(struct sql_row *row, uint32_t device)
{
	if (device == FINDING_RUN)
		sql_put_text(row, NULL);
	else
		sql_put_int(row, device);
}

static int write_finding(struct sql_row *row, size_t number, const struct report *report,
	const struct finding *finding, struct error *err)
{
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	struct strbuf sentence;
	int rc;

	strbuf_init(&sentence);
	if (fires)
		finding_sentence(&sentence, report, finding, strbuf_adds);
	sql_put_int(row, (int64_t)number);
	sql_put_text(row, rule->id);
	sql_put_int(row, rule->version);
	sql_put_text(row, outcome_name(finding->outcome));
	sql_put_text(row, severity_name(rule->severity));
	sql_put_text(row, rule->title);
	put_device(row, finding->device);
	sql_put_text(row, fires ? sentence.text : NULL);
	sql_put_text(row, fires ? rule->remedy : NULL);
	sql_put_text(row, finding->why);
	sql_put_real(row, finding->cost_gpu_s);
	sql_put_real(row, finding->coverage);
	sql_put_int(row, (int64_t)finding->stretch_count);
	rc = sql_row_write(row, err);
	strbuf_release(&sentence);
	return rc;
}

static int write_values(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "finding_value", run_id,
		"finding, number, name, value, unit", err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		if (finding->outcome != OUTCOME_FIRES)
			continue;
		for (size_t k = 0; k < finding->rule->value_count && rc == 0; k++) {
			const struct rule_value *value = &finding->rule->value[k];

			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)k);
			sql_put_text(&row, value->name);
			sql_put_real(&row, finding->value[k]);
			sql_put_text(&row, rule_value_unit(value));
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_stretches(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "finding_stretch", run_id,
		"finding, number, start_ns, start_s, seconds, gpu_seconds, phase", err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		for (size_t k = 0; k < finding->stretch_listed && rc == 0; k++) {
			const struct finding_stretch *stretch = &finding->stretch[k];

			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)k);
			sql_put_time(&row, stretch->from_ns);
			sql_put_real(&row, stretch->start_s);
			sql_put_real(&row, stretch->seconds);
			sql_put_real(&row, stretch->gpu_seconds);
			if (stretch->phase == SIZE_MAX)
				sql_put_text(&row, NULL);
			else
				sql_put_int(&row, (int64_t)stretch->phase);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_phases(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(
		&row, store, "finding_phase", run_id, "finding, phase, seconds", err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		for (size_t k = 0; k < finding->phase_count && rc == 0; k++) {
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)finding->phase[k].path);
			sql_put_real(&row, finding->phase[k].seconds);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_phase_values(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "finding_phase_value", run_id,
		"finding, phase, number, value", err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		size_t values = finding->rule->in_phases_count;

		for (size_t k = 0; k < finding->phase_count * values && rc == 0; k++) {
			const struct finding_phase *phase = &finding->phase[k / values];

			if (isnan(phase->value[k % values]))
				continue;
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)phase->path);
			sql_put_int(&row, (int64_t)finding->rule->in_phases[k % values]);
			sql_put_real(&row, phase->value[k % values]);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_meanwhile(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct meanwhile_name name;
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "finding_meanwhile", run_id,
		"finding, stretch, metric, mean", err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		size_t metrics = finding->rule->meanwhile_count;

		for (size_t k = 0; k < finding->stretch_listed * metrics && rc == 0;
			k++) {
			double mean =
				finding->stretch[k / metrics].meanwhile[k % metrics];

			if (isnan(mean))
				continue;
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)(k / metrics));
			name = meanwhile_name(finding->rule->meanwhile[k % metrics]);
			sql_put_text(&row, name.text);
			sql_put_real(&row, mean);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int findings_write(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "finding", run_id,
		"number, rule, version, outcome, severity, title, device, "
		"sentence, remedy, why, cost_gpu_s, coverage, stretches",
		err);

	for (size_t i = 0; i < report->finding_count && rc == 0; i++)
		rc = write_finding(&row, i, report, &report->finding[i], err);
	sql_row_free(&row);
	if (rc < 0 || write_values(store, run_id, report, err) < 0 ||
		write_phases(store, run_id, report, err) < 0 ||
		write_phase_values(store, run_id, report, err) < 0 ||
		write_meanwhile(store, run_id, report, err) < 0)
		return -1;
	return write_stretches(store, run_id, report, err);
}

/* Phases of a run: their paths, what the samples in them say, and the single calls. */

static int write_path(struct sql_row *row, size_t number, const struct phase_path *path,
	struct error *err)
{
	sql_put_int(row, (int64_t)number);
	sql_put_text(row, path->path);
	sql_put_text(row, path->name);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		row_put_summary(row, &path->summary[key]);
	put_members(row, OF_phase_path, path);
	return sql_row_write(row, err);
}

static int write_paths(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct strbuf own;
	struct sql_row row;
	int rc;

	strbuf_init(&own);
	strbuf_adds(&own, "number, path, name");
	row_add_phase_keys(&own);
	rc = prepare_members(&row, store, "phase", run_id, own.text, OF_phase_path, err);
	strbuf_release(&own);
	for (size_t i = 0; i < report->path_count && rc == 0; i++)
		rc = write_path(&row, i, &report->path[i], err);
	sql_row_free(&row);
	return rc;
}

static int write_metrics(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = prepare_members(&row, store, "phase_metric", run_id,
		"phase, energy_method, source, device, metric", OF_metric_stats, err);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; k < path->stats_count && rc == 0; k++) {
			sql_put_int(&row, (int64_t)i);
			row_put_metric(&row, &path->stats[k]);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_states(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "phase_state", run_id,
		"phase, source, device, metric, number, state, n, seconds, share", err);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; k < path->stats_count; k++)
			for (size_t n = 0; n < path->stats[k].state_count && rc == 0;
				n++) {
				sql_put_int(&row, (int64_t)i);
				row_put_state(&row, &path->stats[k], n);
				rc = sql_row_write(&row, err);
			}
	}
	sql_row_free(&row);
	return rc;
}

static int write_calls(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = prepare_members(&row, store, "phase_call", run_id,
		"number, phase, name, extras, energy_j, energy_method, energy_coverage",
		OF_phase_call, err);

	for (size_t i = 0; i < report->call_count && rc == 0; i++) {
		const struct phase_call *call = &report->call[i];

		sql_put_int(&row, (int64_t)i);
		sql_put_int(&row, call->path);
		sql_put_text(&row, call->name);
		sql_put_text(&row, call->extras);
		put_energy(
			&row, call->energy_j, call->energy_method, call->energy_coverage);
		put_members(&row, OF_phase_call, call);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

/* Writes the phases of a report, their calls and statistics. */
static int phases_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	if (write_paths(store, run_id, report, err) < 0 ||
		write_metrics(store, run_id, report, err) < 0 ||
		write_states(store, run_id, report, err) < 0)
		return -1;
	return write_calls(store, run_id, report, err);
}

/* Units of work of a run, as rows. */

/* The units of work of a run. */
static int work_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = prepare_members(&row, store, "work", run_id,
		"number, type_name, name, n_is, energy_j, energy_method, energy_coverage",
		OF_work, err);

	for (size_t i = 0; i < report->work_count && rc == 0; i++) {
		const struct work *work = &report->work[i];

		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, work->type_name);
		sql_put_text(&row, work->name);
		sql_put_text(&row, work_number_name(work->n_is));
		put_energy(
			&row, work->energy_j, work->energy_method, work->energy_coverage);
		put_members(&row, OF_work, work);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

/* Why there are gaps, and how a run ended. */

static int write_causes(struct store *store, int64_t run_id,
	const struct evidence *evidence, struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(
		&row, store, "gap_cause", run_id, "number, cause", err);

	for (size_t i = 0; i < evidence->gap_listed && rc == 0; i++) {
		if (evidence->gap[i].cause == GAP_UNKNOWN)
			continue;
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, gap_cause_name(evidence->gap[i].cause));
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_ending(struct store *store, int64_t run_id, const struct ending *ending,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "ending", run_id,
		"abrupt, no_end, signal, torn_file, gpu_lost, early_log, "
		"early_ns, driver_file, driver_ns",
		err);

	if (rc < 0)
		return -1;
	sql_put_int(&row, ending->abrupt);
	sql_put_int(&row, ending->sign[ENDING_NO_END]);
	sql_put_known(&row, ending->signal ? ending->signal : -1);
	sql_put_text(&row, ending->torn_file);
	sql_put_int(&row, ending->sign[ENDING_GPU_LOST]);
	sql_put_source(&row, ending->early_log);
	sql_put_time(&row, ending->early_ns);
	sql_put_text(&row, ending->driver_file);
	sql_put_time(&row, ending->driver_ns);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_gpus(struct store *store, int64_t run_id, const struct ending *ending,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "gpu_ending", run_id,
		"device, lost, last_ns, silent_s, gpu_util_pct, mem_used_mib, "
		"power_w, temperature_c, gpu_util_pct_per_min, mem_used_mib_per_min, "
		"power_w_per_min, temperature_c_per_min, said, said_file, said_line",
		err);

	for (size_t i = 0; i < ending->gpu_count && rc == 0; i++) {
		const struct gpu_ending *gpu = &ending->gpu[i];

		sql_put_int(&row, gpu->device);
		sql_put_int(&row, gpu->lost);
		sql_put_time(&row, gpu->last_ns);
		sql_put_real(&row, gpu->silent_s);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(&row, gpu->value[k]);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(&row, gpu->rate_per_min[k]);
		sql_put_text(&row, gpu->said);
		sql_put_text(&row, gpu->said_file);
		sql_put_known(&row, gpu->said ? (int64_t)gpu->said_line : -1);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int ending_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	if (write_causes(store, run_id, &report->evidence, err) < 0 ||
		write_ending(store, run_id, &report->ending, err) < 0)
		return -1;
	return write_gpus(store, run_id, &report->ending, err);
}

static int detail_write_metrics(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (prepare_members(&row, store, "metric_summary", run_id,
		    "counts, energy_method, source, device, metric", OF_metric_stats,
		    err) < 0)
		return -1;
	for (size_t i = 0; i < report->stats_count && rc == 0; i++) {
		const struct metric_stats *s = &report->stats[i];

		sql_put_int(&row,
			metric_stats_best(report->stats, report->stats_count, s->device,
				s->metric) == s);
		row_put_metric(&row, s);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int detail_write_states(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (sql_prepare_insert(&row, store, "metric_state", run_id,
		    "source, device, metric, number, state, n, seconds, share", err) < 0)
		return -1;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		for (size_t k = 0; k < s->state_count && rc == 0; k++) {
			row_put_state(&row, s, k);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_summary(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct strbuf columns;
	struct sql_row row;
	int rc;

	strbuf_init(&columns);
	row_add_summary_keys(&columns);
	rc = sql_prepare_insert(&row, store, "run_summary", run_id, columns.text, err);
	strbuf_release(&columns);
	if (rc < 0)
		return -1;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		row_put_summary(&row, &report->summary[key]);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_steady(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct steady *s = &report->steady;
	struct sql_row row;
	int rc;

	if (!s->found)
		return 0;
	if (prepare_members(&row, store, "run_steady", run_id, "metric, source",
		    OF_steady, err) < 0)
		return -1;
	sql_put_text(&row, metric_get(s->metric)->name);
	sql_put_source(&row, s->source);
	put_members(&row, OF_steady, s);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_drifts(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct steady *s = &report->steady;
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "steady_drift", run_id,
		"device, metric, from_value, to_value, change", err);

	for (size_t i = 0; i < s->drift_count && rc == 0; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change == 0)
			continue;
		sql_put_int(&row, drift->device);
		sql_put_text(&row, metric_get(drift->metric)->name);
		sql_put_real(&row, drift->from);
		sql_put_real(&row, drift->to);
		sql_put_real(&row, drift->change);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_interruptions(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	const struct steady *s = &report->steady;
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "steady_interruption", run_id,
		"number, from_ns, to_ns, start_s, seconds, why, mean, cause, "
		"phase",
		err);

	for (size_t i = 0; i < s->interruption_listed && rc == 0; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);

		sql_put_int(&row, (int64_t)i);
		sql_put_int(&row, one->from_ns);
		sql_put_int(&row, one->to_ns);
		sql_put_real(&row, one->start_s);
		sql_put_real(&row, one->seconds);
		sql_put_text(&row, interruption_why(one));
		sql_put_real(&row, one->mean);
		sql_put_text(&row, gap_cause_name(one->cause));
		sql_put_known(&row, phase == SIZE_MAX ? -1 : (int32_t)phase);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_evidence(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	const struct evidence *evidence = &report->evidence;
	struct sql_row row;
	int rc = 0;

	if (prepare_members(&row, store, "device_evidence", run_id,
		    "source, device, counts", OF_device_evidence, err) < 0)
		return -1;
	for (size_t i = 0; i < evidence->device_count && rc == 0; i++) {
		const struct device_evidence *e = &evidence->device[i];

		sql_put_source(&row, e->source);
		sql_put_int(&row, e->device);
		sql_put_int(&row, evidence_best(evidence, e->device) == e);
		put_members(&row, OF_device_evidence, e);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_gaps(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct evidence *evidence = &report->evidence;
	struct sql_row row;
	int rc = 0;

	if (sql_prepare_insert(&row, store, "gap", run_id,
		    "number, source, device, start_ns, length_s", err) < 0)
		return -1;
	for (size_t i = 0; i < evidence->gap_listed && rc == 0; i++) {
		const struct gap *gap = &evidence->gap[i];

		sql_put_int(&row, (int64_t)i);
		sql_put_source(&row, gap->source);
		sql_put_int(&row, gap->device);
		sql_put_time(&row, gap->start_ns);
		sql_put_real(&row, gap->length_s);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int detail_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	static int (*const writers[])(struct store *, int64_t, const struct report *,
		struct error *) = {run_write, detail_write_metrics, detail_write_states,
		write_summary, write_steady, write_drifts, write_interruptions,
		write_evidence, write_gaps, phases_write, findings_write, work_write,
		ending_write};

	for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
		if (writers[i](store, run_id, report, err) < 0)
			return -1;
	return 0;
}
