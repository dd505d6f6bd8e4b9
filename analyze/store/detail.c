/*
 * Everything of a run that is not a sample: what the reader said of it, and what was
 * computed. Each table has one function; each function lists the columns in the order of
 * the schema.
 */
#include <math.h>

#include "store/internal.h"

/* "INSERT INTO table VALUES (?, ...)" with this many parameters. */
static int write_run(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	const struct evidence *evidence = &report->evidence;
	const char grade[2] = {evidence->grade, '\0'};
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "UPDATE run SET path = ?, is_directory = ?, manifest_id = ?, "
		    "command = ?, host = ?, kernel = ?, cpu_model = ?, driver = ?, "
		    "query = ?, manifest_zone = ?, cpu_count = ?, mem_total_kib = ?, "
		    "interval_ns = ?, dmon_interval_ns = ?, command_started_ns = ?, "
		    "command_ended_ns = ?, exit_status = ?, time_zone = ?, "
		    "time_source = ?, started_ns = ?, ended_ns = ?, duration_s = ?, "
		    "duration_source = ?, grade = ?, coverage = ?, sessions = ?, "
		    "gap_count = ? WHERE run_id = ?",
		    err) < 0)
		return -1;
	sql_put_text(&row, run->path);
	sql_put_int(&row, run->is_directory);
	sql_put_text(&row, run->run_id);
	sql_put_text(&row, run->command);
	sql_put_text(&row, run->host);
	sql_put_text(&row, run->kernel);
	sql_put_text(&row, run->cpu_model);
	sql_put_text(&row, run->driver);
	sql_put_text(&row, run->query);
	sql_put_text(&row, run->zone);
	sql_put_known(&row, run->cpu_count);
	sql_put_known(&row, run->mem_total_kib);
	sql_put_known(&row, run->interval_ns);
	sql_put_known(&row, run->dmon_interval_ns);
	sql_put_time(&row, run->started_ns);
	sql_put_time(&row, run->ended_ns);
	sql_put_known(&row, run->exit_status);
	sql_put_text(&row, run->time_zone);
	sql_put_text(&row, run->time_source);
	sql_put_time(&row, report->started_ns);
	sql_put_time(&row, report->ended_ns);
	sql_put_real(&row, report->duration_s);
	sql_put_text(&row, report->duration_source);
	sql_put_text(&row, grade);
	sql_put_real(&row, evidence->coverage);
	sql_put_int(&row, (int64_t)evidence->sessions);
	sql_put_int(&row, (int64_t)evidence->gap_count);
	sql_put_int(&row, run_id);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_devices(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "device", 10, err) < 0)
		return -1;
	for (size_t i = 0; i < run->device_count && rc == 0; i++) {
		const struct device *device = &run->device[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, device_kind_name(device->kind));
		sql_put_known(&row, device->index);
		sql_put_text(&row, device->name);
		sql_put_text(&row, device->uuid);
		sql_put_text(&row, device->bus_id);
		sql_put_text(&row, device->model);
		sql_put_known(&row, device->parent);
		sql_put_text(&row, device->host);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static const char *event_type_name(enum event_type type)
{
	switch (type) {
	case EVENT_PHASE:
		return "phase";
	case EVENT_BEGIN:
		return "begin";
	case EVENT_END:
		return "end";
	case EVENT_POINT:
		return "point";
	}
	return "";
}

static int write_events(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "event", 8, err) < 0)
		return -1;
	for (size_t i = 0; i < run->event_count && rc == 0; i++) {
		const struct event *event = &run->event[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, event_type_name(event->type));
		sql_put_time(&row, event->t_ns);
		sql_put_time(&row, event->end_ns);
		sql_put_text(&row, event->type_name);
		sql_put_text(&row, event->name);
		sql_put_text(&row, event->extras);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_diagnostics(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	const struct diag_list *diags = &report->run->diags;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "diagnostic", 8, err) < 0)
		return -1;
	for (size_t i = 0; i < diags->count && rc == 0; i++) {
		const struct diag *diag = &diags->at[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, diag->id);
		sql_put_text(&row, diag->file);
		sql_put_int(&row, (int64_t)diag->line);
		sql_put_int(&row, (int64_t)diag->count);
		sql_put_text(&row, diag->text);
		sql_put_int(&row, diag->damage);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_metrics(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "metric_summary", 2 + ROW_METRIC, err) < 0)
		return -1;
	for (size_t i = 0; i < report->stats_count && rc == 0; i++) {
		const struct metric_stats *s = &report->stats[i];

		sql_put_int(&row, run_id);
		row_put_metric(&row, s);
		sql_put_int(&row,
			metric_stats_best(report->stats, report->stats_count, s->device,
				s->metric) == s);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_states(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "metric_state", 9, err) < 0)
		return -1;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		for (size_t k = 0; k < s->state_count && rc == 0; k++) {
			sql_put_int(&row, run_id);
			row_put_state(&row, s, k);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_missing(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "missing_reason", 7, err) < 0)
		return -1;
	for (size_t i = 0; i < run->missing.count && rc == 0; i++) {
		const struct missing *m = &run->missing.at[i];
		const char *reason = texts_word(&run->texts, m->reason);

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		row_put_source(&row, m->source);
		sql_put_int(&row, m->device);
		sql_put_text(&row, metric_get(m->metric)->name);
		sql_put_text(&row, reason ? reason : "");
		sql_put_int(&row, (int64_t)m->count);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_facts(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "run_fact", 4, err) < 0)
		return -1;
	for (size_t i = 0; i < run->fact_count && rc == 0; i++) {
		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, run->fact[i].name);
		sql_put_text(&row, run->fact[i].value);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_summary(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct strbuf text;
	struct sql_row row;
	int rc;

	strbuf_init(&text);
	strbuf_adds(&text, "INSERT INTO run_summary (run_id");
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		strbuf_addf(&text, ", %s", summary_field_get(key)->name);
	strbuf_adds(&text, ") VALUES (?");
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		strbuf_adds(&text, ", ?");
	strbuf_addc(&text, ')');
	rc = sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	if (rc < 0)
		return -1;
	sql_put_int(&row, run_id);
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
	if (row_prepare_insert(&row, store, "run_steady", 13, err) < 0)
		return -1;
	sql_put_int(&row, run_id);
	sql_put_text(&row, metric_get(s->metric)->name);
	row_put_source(&row, s->source);
	sql_put_int(&row, s->from_ns);
	sql_put_int(&row, s->to_ns);
	sql_put_real(&row, s->from_s);
	sql_put_real(&row, s->to_s);
	sql_put_real(&row, s->warm_up_s);
	sql_put_real(&row, s->gpu_util_mean_pct);
	sql_put_real(&row, s->power_total_mean_w);
	sql_put_int(&row, (int64_t)s->interruptions);
	sql_put_real(&row, s->interrupted_s);
	sql_put_real(&row, s->coverage);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_drifts(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct steady *s = &report->steady;
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "steady_drift", 6, err);

	for (size_t i = 0; i < s->drift_count && rc == 0; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change == 0)
			continue;
		sql_put_int(&row, run_id);
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
	int rc = row_prepare_insert(&row, store, "steady_interruption", 10, err);

	for (size_t i = 0; i < s->interruption_listed && rc == 0; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);

		sql_put_int(&row, run_id);
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

	if (row_prepare_insert(&row, store, "device_evidence", 16, err) < 0)
		return -1;
	for (size_t i = 0; i < evidence->device_count && rc == 0; i++) {
		const struct device_evidence *e = &evidence->device[i];

		sql_put_int(&row, run_id);
		row_put_source(&row, e->source);
		sql_put_int(&row, e->device);
		sql_put_int(&row, (int64_t)e->rows);
		sql_put_time(&row, e->first_ns);
		sql_put_time(&row, e->last_ns);
		sql_put_real(&row, e->interval_s);
		sql_put_text(&row, e->interval_source);
		sql_put_real(&row, e->gap_limit_s);
		sql_put_real(&row, e->covered_s);
		sql_put_real(&row, e->coverage);
		sql_put_int(&row, (int64_t)e->gaps);
		sql_put_int(&row, (int64_t)e->steps_back);
		sql_put_int(&row, (int64_t)e->sessions);
		sql_put_int(&row, (int64_t)e->resets);
		sql_put_int(&row, evidence_best(evidence, e->device) == e);
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

	if (row_prepare_insert(&row, store, "gap", 6, err) < 0)
		return -1;
	for (size_t i = 0; i < evidence->gap_listed && rc == 0; i++) {
		const struct gap *gap = &evidence->gap[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		row_put_source(&row, gap->source);
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
		struct error *) = {write_run, write_devices, files_write, write_events,
		write_diagnostics, write_metrics, write_states, write_missing,
		write_facts, write_summary, write_steady, write_drifts,
		write_interruptions, write_evidence, write_gaps, phases_write,
		findings_write, work_write, ending_write, labels_write};

	for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
		if (writers[i](store, run_id, report, err) < 0)
			return -1;
	return 0;
}
