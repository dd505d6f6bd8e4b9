/*
 * Writes what was computed of a run. Each table has one function, which names the columns
 * that it fills.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/finding.h"
#include "store/internal.h"

/* Structs of a report as columns: their names, and their values in that order. */

void row_add_columns(struct strbuf *sb, enum member_of of)
{
	for (const struct member *m = members_of(of); m->of == of; m++)
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

/* Tables, one after the other. */

struct writer {
	struct store *store;
	int64_t run_id;
	const struct report *report;
	struct sql_row row; /* of the table that is being written */
	struct error *err;
};

/* Inserts into the columns that are named, and then those of the members of a struct. */
static struct sql_row *begin(
	struct writer *w, const char *table, const char *own, enum member_of of)
{
	struct strbuf columns = strbuf_new();

	strbuf_adds(&columns, own);
	row_add_columns(&columns, of);
	sql_prepare_insert(&w->row, w->store, table, w->run_id, columns.text, w->err);
	strbuf_release(&columns);
	return &w->row;
}

/* Findings: of the run, if no device has them. */

static void write_findings(struct writer *w)
{
	const struct report *report = w->report;
	struct sql_row *row = begin(w, "finding",
		"number, rule, version, outcome, severity, title, device, sentence, "
		"remedy, why, cost_gpu_s, coverage, stretches",
		OF_NOTHING);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		const struct rule *rule = finding->rule;
		bool fires = finding->outcome == OUTCOME_FIRES;
		struct strbuf sentence = strbuf_new();

		if (fires)
			finding_sentence(&sentence, report, finding, strbuf_adds);
		sql_put_int(row, (int64_t)i);
		sql_put_text(row, rule->id);
		sql_put_int(row, rule->version);
		sql_put_text(row, outcome_name(finding->outcome));
		sql_put_text(row, severity_name(rule->severity));
		sql_put_text(row, rule->title);
		sql_put_known(row,
			finding->device == FINDING_RUN ? -1 : (int64_t)finding->device);
		sql_put_text(row, fires ? sentence.text : NULL);
		sql_put_text(row, fires ? rule->remedy : NULL);
		sql_put_text(row, finding->why);
		sql_put_real(row, finding->cost_gpu_s);
		sql_put_real(row, finding->coverage);
		sql_put_int(row, (int64_t)finding->stretch_count);
		sql_row_write(row);
		strbuf_release(&sentence);
	}
}

static void write_finding_values(struct writer *w)
{
	struct sql_row *row = begin(
		w, "finding_value", "finding, number, name, value, unit", OF_NOTHING);

	for (size_t i = 0; i < w->report->finding_count; i++) {
		const struct finding *finding = &w->report->finding[i];

		if (finding->outcome != OUTCOME_FIRES)
			continue;
		for (size_t k = 0; k < finding->rule->value_count; k++) {
			const struct rule_value *value = &finding->rule->value[k];

			sql_put_int(row, (int64_t)i);
			sql_put_int(row, (int64_t)k);
			sql_put_text(row, value->name);
			sql_put_real(row, finding->value[k]);
			sql_put_text(row, rule_value_unit(value));
			sql_row_write(row);
		}
	}
}

/* SIZE_MAX: NULL */
static void put_index(struct sql_row *row, size_t index)
{
	sql_put_known(row, index == SIZE_MAX ? -1 : (int64_t)index);
}

static void write_finding_stretches(struct writer *w)
{
	struct sql_row *row = begin(w, "finding_stretch",
		"finding, number, start_ns, start_s, seconds, gpu_seconds, phase",
		OF_NOTHING);

	for (size_t i = 0; i < w->report->finding_count; i++) {
		const struct finding *finding = &w->report->finding[i];

		for (size_t k = 0; k < finding->stretch_listed; k++) {
			const struct finding_stretch *stretch = &finding->stretch[k];

			sql_put_int(row, (int64_t)i);
			sql_put_int(row, (int64_t)k);
			sql_put_time(row, stretch->from_ns);
			sql_put_real(row, stretch->start_s);
			sql_put_real(row, stretch->seconds);
			sql_put_real(row, stretch->gpu_seconds);
			put_index(row, stretch->phase);
			sql_row_write(row);
		}
	}
}

static void write_finding_phases(struct writer *w)
{
	struct sql_row *row =
		begin(w, "finding_phase", "finding, phase, seconds", OF_NOTHING);

	for (size_t i = 0; i < w->report->finding_count; i++) {
		const struct finding *finding = &w->report->finding[i];

		for (size_t k = 0; k < finding->phase_count; k++) {
			sql_put_int(row, (int64_t)i);
			sql_put_int(row, (int64_t)finding->phase[k].path);
			sql_put_real(row, finding->phase[k].seconds);
			sql_row_write(row);
		}
	}
}

static void write_finding_phase_values(struct writer *w)
{
	struct sql_row *row = begin(
		w, "finding_phase_value", "finding, phase, number, value", OF_NOTHING);

	for (size_t i = 0; i < w->report->finding_count; i++) {
		const struct finding *finding = &w->report->finding[i];
		size_t values = finding->rule->in_phases_count;

		for (size_t k = 0; k < finding->phase_count * values; k++) {
			const struct finding_phase *phase = &finding->phase[k / values];

			if (isnan(phase->value[k % values]))
				continue;
			sql_put_int(row, (int64_t)i);
			sql_put_int(row, (int64_t)phase->path);
			sql_put_int(row, (int64_t)finding->rule->in_phases[k % values]);
			sql_put_real(row, phase->value[k % values]);
			sql_row_write(row);
		}
	}
}

static void write_finding_hosts(struct writer *w)
{
	struct sql_row *row = begin(
		w, "finding_meanwhile", "finding, stretch, metric, mean", OF_NOTHING);

	for (size_t i = 0; i < w->report->finding_count; i++) {
		const struct finding *finding = &w->report->finding[i];
		size_t metrics = finding->rule->meanwhile_count;

		for (size_t k = 0; k < finding->stretch_listed * metrics; k++) {
			size_t stretch = k / metrics, metric = k % metrics;
			double mean = finding->stretch[stretch].meanwhile[metric];
			struct meanwhile_name name =
				meanwhile_name(finding->rule->meanwhile[metric]);

			if (isnan(mean))
				continue;
			sql_put_int(row, (int64_t)i);
			sql_put_int(row, (int64_t)stretch);
			sql_put_text(row, name.text);
			sql_put_real(row, mean);
			sql_row_write(row);
		}
	}
}

/* Phases: their paths, statistics of the samples in them, and the single calls. */

static void write_paths(struct writer *w)
{
	struct strbuf own = strbuf_new();
	struct sql_row *row;

	strbuf_adds(&own, "number, path, name");
	row_add_phase_keys(&own);
	row = begin(w, "phase", own.text, OF_phase_path);
	strbuf_release(&own);
	for (size_t i = 0; i < w->report->path_count; i++) {
		const struct phase_path *path = &w->report->path[i];

		sql_put_int(row, (int64_t)i);
		sql_put_text(row, path->path);
		sql_put_text(row, path->name);
		for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
			row_put_summary(row, &path->summary[key]);
		put_members(row, OF_phase_path, path);
		sql_row_write(row);
	}
}

static void write_phase_metrics(struct writer *w)
{
	struct sql_row *row = begin(w, "phase_metric",
		"phase, energy_method, source, device, metric", OF_metric_stats);

	for (size_t i = 0; i < w->report->path_count; i++) {
		const struct phase_path *path = &w->report->path[i];

		for (size_t k = 0; k < path->stats_count; k++) {
			sql_put_int(row, (int64_t)i);
			row_put_metric(row, &path->stats[k]);
			sql_row_write(row);
		}
	}
}

static void write_phase_states(struct writer *w)
{
	struct sql_row *row = begin(w, "phase_state",
		"phase, source, device, metric, number, state, n, seconds, share",
		OF_NOTHING);

	for (size_t i = 0; i < w->report->path_count; i++) {
		const struct phase_path *path = &w->report->path[i];

		for (size_t k = 0; k < path->stats_count; k++)
			for (size_t n = 0; n < path->stats[k].state_count; n++) {
				sql_put_int(row, (int64_t)i);
				row_put_state(row, &path->stats[k], n);
				sql_row_write(row);
			}
	}
}

static void write_calls(struct writer *w)
{
	struct sql_row *row = begin(w, "phase_call",
		"number, phase, name, extras, energy_j, energy_method, energy_coverage",
		OF_phase_call);

	for (size_t i = 0; i < w->report->call_count; i++) {
		const struct phase_call *call = &w->report->call[i];

		sql_put_int(row, (int64_t)i);
		sql_put_int(row, call->path);
		sql_put_text(row, call->name);
		sql_put_text(row, call->extras);
		put_energy(
			row, call->energy_j, call->energy_method, call->energy_coverage);
		put_members(row, OF_phase_call, call);
		sql_row_write(row);
	}
}

static void write_work(struct writer *w)
{
	struct sql_row *row = begin(w, "work",
		"number, type_name, name, n_is, energy_j, energy_method, energy_coverage",
		OF_work);

	for (size_t i = 0; i < w->report->work_count; i++) {
		const struct work *work = &w->report->work[i];

		sql_put_int(row, (int64_t)i);
		sql_put_text(row, work->type_name);
		sql_put_text(row, work->name);
		sql_put_text(row, work_number_name(work->n_is));
		put_energy(
			row, work->energy_j, work->energy_method, work->energy_coverage);
		put_members(row, OF_work, work);
		sql_row_write(row);
	}
}

/* The run as a whole. */

static void write_metrics(struct writer *w)
{
	const struct report *report = w->report;
	struct sql_row *row = begin(w, "metric_summary",
		"counts, energy_method, source, device, metric", OF_metric_stats);

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		sql_put_int(row,
			metric_stats_best(report->stats, report->stats_count, s->device,
				s->metric) == s);
		row_put_metric(row, s);
		sql_row_write(row);
	}
}

static void write_states(struct writer *w)
{
	struct sql_row *row = begin(w, "metric_state",
		"source, device, metric, number, state, n, seconds, share", OF_NOTHING);

	for (size_t i = 0; i < w->report->stats_count; i++)
		for (size_t k = 0; k < w->report->stats[i].state_count; k++) {
			row_put_state(row, &w->report->stats[i], k);
			sql_row_write(row);
		}
}

static void write_summary(struct writer *w)
{
	struct strbuf columns = strbuf_new();
	struct sql_row *row;

	row_add_summary_keys(&columns);
	row = begin(w, "run_summary", columns.text, OF_NOTHING);
	strbuf_release(&columns);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		row_put_summary(row, &w->report->summary[key]);
	sql_row_write(row);
}

static void write_steady(struct writer *w)
{
	const struct steady *s = &w->report->steady;
	struct sql_row *row;

	if (!s->found)
		return;
	row = begin(w, "run_steady", "metric, source", OF_steady);
	sql_put_text(row, metric_get(s->metric)->name);
	sql_put_source(row, s->source);
	put_members(row, OF_steady, s);
	sql_row_write(row);
}

static void write_drifts(struct writer *w)
{
	const struct steady *s = &w->report->steady;
	struct sql_row *row = begin(w, "steady_drift",
		"device, metric, from_value, to_value, change", OF_NOTHING);

	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change == 0)
			continue;
		sql_put_int(row, drift->device);
		sql_put_text(row, metric_get(drift->metric)->name);
		sql_put_real(row, drift->from);
		sql_put_real(row, drift->to);
		sql_put_real(row, drift->change);
		sql_row_write(row);
	}
}

static void write_interruptions(struct writer *w)
{
	const struct steady *s = &w->report->steady;
	struct sql_row *row = begin(w, "steady_interruption",
		"number, from_ns, to_ns, start_s, seconds, why, mean, cause, phase",
		OF_NOTHING);

	for (size_t i = 0; i < s->interruption_listed; i++) {
		const struct interruption *one = &s->interruption[i];

		sql_put_int(row, (int64_t)i);
		sql_put_int(row, one->from_ns);
		sql_put_int(row, one->to_ns);
		sql_put_real(row, one->start_s);
		sql_put_real(row, one->seconds);
		sql_put_text(row, interruption_why(one));
		sql_put_real(row, one->mean);
		sql_put_text(row, gap_cause_name(one->cause));
		put_index(row, interruption_phase(w->report, one));
		sql_row_write(row);
	}
}

static void write_evidence(struct writer *w)
{
	const struct evidence *evidence = &w->report->evidence;
	struct sql_row *row =
		begin(w, "device_evidence", "source, device, counts", OF_device_evidence);

	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		sql_put_source(row, e->source);
		sql_put_int(row, e->device);
		sql_put_int(row, evidence_best(evidence, e->device) == e);
		put_members(row, OF_device_evidence, e);
		sql_row_write(row);
	}
}

static void write_gaps(struct writer *w)
{
	const struct evidence *evidence = &w->report->evidence;
	struct sql_row *row =
		begin(w, "gap", "number, source, device, start_ns, length_s", OF_NOTHING);

	for (size_t i = 0; i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];

		sql_put_int(row, (int64_t)i);
		sql_put_source(row, gap->source);
		sql_put_int(row, gap->device);
		sql_put_time(row, gap->start_ns);
		sql_put_real(row, gap->length_s);
		sql_row_write(row);
	}
}

static void write_gap_causes(struct writer *w)
{
	const struct evidence *evidence = &w->report->evidence;
	struct sql_row *row = begin(w, "gap_cause", "number, cause", OF_NOTHING);

	for (size_t i = 0; i < evidence->gap_listed; i++) {
		if (evidence->gap[i].cause == GAP_UNKNOWN)
			continue;
		sql_put_int(row, (int64_t)i);
		sql_put_text(row, gap_cause_name(evidence->gap[i].cause));
		sql_row_write(row);
	}
}

static void write_ending(struct writer *w)
{
	const struct ending *ending = &w->report->ending;
	struct sql_row *row = begin(w, "ending",
		"abrupt, no_end, signal, torn_file, gpu_lost, early_log, early_ns, "
		"driver_file, driver_ns",
		OF_NOTHING);

	sql_put_int(row, ending->abrupt);
	sql_put_int(row, ending->sign[ENDING_NO_END]);
	sql_put_known(row, ending->signal ? ending->signal : -1);
	sql_put_text(row, ending->torn_file);
	sql_put_int(row, ending->sign[ENDING_GPU_LOST]);
	sql_put_source(row, ending->early_log);
	sql_put_time(row, ending->early_ns);
	sql_put_text(row, ending->driver_file);
	sql_put_time(row, ending->driver_ns);
	sql_row_write(row);
}

static void write_gpu_endings(struct writer *w)
{
	const struct ending *ending = &w->report->ending;
	struct sql_row *row = begin(w, "gpu_ending",
		"device, lost, last_ns, silent_s, gpu_util_pct, mem_used_mib, power_w, "
		"temperature_c, gpu_util_pct_per_min, mem_used_mib_per_min, "
		"power_w_per_min, temperature_c_per_min, said, said_file, said_line",
		OF_NOTHING);

	for (size_t i = 0; i < ending->gpu_count; i++) {
		const struct gpu_ending *gpu = &ending->gpu[i];

		sql_put_int(row, gpu->device);
		sql_put_int(row, gpu->lost);
		sql_put_time(row, gpu->last_ns);
		sql_put_real(row, gpu->silent_s);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(row, gpu->value[k]);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(row, gpu->rate_per_min[k]);
		sql_put_text(row, gpu->said);
		sql_put_text(row, gpu->said_file);
		sql_put_known(row, gpu->said ? (int64_t)gpu->said_line : -1);
		sql_row_write(row);
	}
}

int detail_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	static void (*const write[])(struct writer *) = {write_metrics, write_states,
		write_summary, write_steady, write_drifts, write_interruptions,
		write_evidence, write_gaps, write_paths, write_phase_metrics,
		write_phase_states, write_calls, write_findings, write_finding_values,
		write_finding_phases, write_finding_phase_values, write_finding_hosts,
		write_finding_stretches, write_work, write_gap_causes, write_ending,
		write_gpu_endings};

	if (run_write(store, run_id, report, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof write / sizeof write[0]; i++) {
		struct writer w = {
			.store = store, .run_id = run_id, .report = report, .err = err};

		write[i](&w);
		if (sql_row_end(&w.row) < 0)
			return -1;
	}
	return 0;
}
