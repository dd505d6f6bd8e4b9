/*
 * A run's parts as JSON keys. Walks the report and the tables; must not name a metric or
 * a key of the summary, and computes nothing.
 */
#include "render/json_run.h"

#include <math.h>
#include <stdlib.h>

static void add_index(struct json_writer *w, const char *key, int32_t value)
{
	if (value < 0)
		json_null(w, key);
	else
		json_integer(w, key, value);
}

static const char *device_name(const struct report *report, uint32_t device)
{
	return report->run->device[device].name;
}

void json_run_identity(struct json_writer *w, const struct run *run)
{
	json_string(w, "run", run->run_id);
	json_string(w, "path", run->path);
}

static void add_moment(struct json_writer *w, const char *key, int64_t t_ns)
{
	if (t_ns > 0)
		json_number(w, key, (double)t_ns / NS_PER_S);
	else
		json_null(w, key);
}

void json_run_selection(struct json_writer *w, const struct report_filter *filter)
{
	if (!filter->device && !filter->metric && !filter->phase && !filter->since_ns &&
		!filter->until_ns) {
		json_null(w, "selection");
		return;
	}
	json_object(w, "selection");
	json_string(w, "device", filter->device);
	json_string(w, "metric", filter->metric);
	json_string(w, "phase", filter->phase);
	add_moment(w, "since_s", filter->since_ns);
	add_moment(w, "until_s", filter->until_ns);
	json_close(w);
}

void json_run_head(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_run_identity(w, run);
	json_time(w, "started_at", report->started_ns);
	json_time(w, "ended_at", report->ended_ns);
	json_number(w, "duration_s", report->duration_s);
	json_string(w, "command", run->command);
	add_index(w, "exit_status", run->exit_status);
	json_string(w, "host", run->host);
	json_object(w, "labels");
	for (size_t i = 0; i < run->labels.count; i++)
		json_string(w, run->labels.at[i].key, run->labels.at[i].value);
	json_close(w);
	json_run_selection(w, &report->filter);
}

void json_run_energy(struct json_writer *w, double energy_j, enum energy_method method,
	double coverage)
{
	json_number(w, "energy_j", energy_j);
	json_string(
		w, "energy_method", isnan(energy_j) ? NULL : energy_method_name(method));
	json_number(w, "energy_coverage", coverage);
}

static void add_gpu_energy(
	struct json_writer *w, const struct report *report, size_t device)
{
	const struct metric_stats *s =
		metric_stats_energy(report->stats, report->stats_count, (uint32_t)device);

	json_run_energy(w, s ? s->energy_j : NAN, s ? energy_method(s) : ENERGY_UNKNOWN,
		s ? s->energy_coverage : NAN);
}

void json_run_gpus(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_array(w, "gpus");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct device *device = &run->device[i];

		if (device->kind != DEVICE_GPU || !report_wants_device(report, i))
			continue;
		json_object(w, NULL);
		json_string(w, "device", device->name);
		add_index(w, "index", device->index);
		json_string(w, "uuid", device->uuid);
		json_string(w, "bus_id", device->bus_id);
		json_string(w, "host", device->host);
		json_string(w, "model", device->model);
		add_gpu_energy(w, report, i);
		json_close(w);
	}
	json_close(w);
}

void json_run_processes(struct json_writer *w, const struct report *report)
{
	struct device_rows *rows = report_device_rows(report);
	const struct run *run = report->run;

	json_array(w, "processes");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct device *device = &run->device[i];

		if (device->kind != DEVICE_PROCESS || !report_wants_device(report, i))
			continue;
		json_object(w, NULL);
		json_string(w, "device", device->name);
		json_string(w, "gpu", run->device[device->parent].name);
		add_index(w, "pid", device->index);
		json_string(w, "type",
			i < report->process_type_count ? report->process_type[i] : NULL);
		json_string(w, "command", device->model);
		json_count(w, "rows", rows[i].rows);
		json_time(w, "first_at", rows[i].first_ns);
		json_time(w, "last_at", rows[i].last_ns);
		json_close(w);
	}
	json_close(w);
	free(rows);
}

static void add_item(
	struct json_writer *w, const char *name, const struct summary_item *item)
{
	switch (item->kind) {
	case VALUE_NUMBER:
		json_number(w, name, item->number);
		break;
	case VALUE_COUNT:
		if (isnan(item->number))
			json_null(w, name);
		else
			json_integer(w, name, (int64_t)item->number);
		break;
	case VALUE_TEXT:
		json_string(w, name, item->text);
		break;
	}
}

void json_run_summary(struct json_writer *w, const struct report *report)
{
	json_object(w, "resource_summary");
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		add_item(w, summary_field_get(key)->name, &report->summary[key]);
	json_close(w);
}

/* Those that drift. */
static void add_drifts(
	struct json_writer *w, const struct run *run, const struct steady *s)
{
	json_array(w, "drifts");
	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change == 0)
			continue;
		json_object(w, NULL);
		json_string(w, "device", run->device[drift->device].name);
		json_string(w, "metric", metric_get(drift->metric)->name);
		json_number(w, "from", drift->from);
		json_number(w, "to", drift->to);
		json_number(w, "change", drift->change);
		json_time(w, "at", drift->at_ns);
		json_close(w);
	}
	json_close(w);
}

static void add_interruptions(
	struct json_writer *w, const struct report *report, const struct steady *s)
{
	json_array(w, "interrupted");
	for (size_t i = 0; i < s->interruption_listed; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);

		json_object(w, NULL);
		json_time(w, "from_at", one->from_ns);
		json_time(w, "to_at", one->to_ns);
		json_number(w, "start_s", one->start_s);
		json_number(w, "seconds", one->seconds);
		json_string(w, "why", interruption_why(one));
		json_number(w, "mean", one->mean);
		json_string(w, "gap_cause", gap_cause_name(one->cause));
		json_string(
			w, "phase", phase == SIZE_MAX ? NULL : report->path[phase].path);
		json_close(w);
	}
	json_close(w);
}

void json_run_steady(struct json_writer *w, const struct report *report)
{
	const struct steady *s = &report->steady;

	if (!s->found) {
		json_null(w, "steady");
		return;
	}
	json_object(w, "steady");
	json_string(w, "found_by", "change point");
	json_string(w, "metric", metric_get(s->metric)->name);
	json_string(w, "source", source_name(s->source));
	json_time(w, "from_at", s->from_ns);
	json_time(w, "to_at", s->to_ns);
	json_number(w, "from_s", s->from_s);
	json_number(w, "to_s", s->to_s);
	json_number(w, "coverage", s->coverage);
	json_number(w, "warm_up_s", s->warm_up_s);
	json_count(w, "interruptions", s->interruptions);
	json_number(w, "interrupted_s", s->interrupted_s);
	add_interruptions(w, report, s);
	json_number(w, "gpu_util_mean_pct", s->gpu_util_mean_pct);
	json_number(w, "power_total_mean_w", s->power_total_mean_w);
	add_drifts(w, report->run, s);
	json_close(w);
}

static void add_above(struct json_writer *w, const struct metric_stats *s)
{
	if (!s->has_above) {
		json_null(w, "above");
		return;
	}
	json_object(w, "above");
	for (enum above a = 0; a < ABOVE_COUNT; a++)
		json_number(w, above_key[a], s->above[a]);
	json_close(w);
}

static void add_states(struct json_writer *w, const struct metric_stats *s)
{
	json_object(w, "states");
	for (size_t i = 0; i < s->state_count; i++) {
		const struct state_time *state = &s->state[i];

		json_object(w, state->name);
		json_count(w, "n", state->n);
		json_number(w, "seconds", state->seconds);
		json_number(w, "share", state->share);
		json_close(w);
	}
	json_close(w);
}

/* Why values are missing, in the words of the log; "" stands for none. */
static void add_reasons(struct json_writer *w, const struct run *run,
	const struct missing_index *missing, const struct metric_stats *s)
{
	size_t count;
	size_t first =
		missing_index_find(missing, s->source, s->device, s->metric, &count);

	json_object(w, "missing_reasons");
	for (size_t i = first; i < first + count; i++) {
		const char *reason = texts_word(&run->texts, missing->at[i]->reason);

		json_count(w, reason ? reason : "", missing->at[i]->count);
	}
	json_close(w);
}

static void add_metric(
	struct json_writer *w, const struct report *report, const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);

	json_string(w, "metric", metric->name);
	json_string(w, "device", device_name(report, s->device));
	json_string(w, "source", source_name(s->source));
	json_string(w, "unit", metric->unit);
	json_count(w, "n", s->n);
	json_count(w, "missing", s->missing);
	json_number(w, "covered_s", s->covered_s);
	json_number(w, "mean", s->mean);
	json_number(w, "mean_samples", s->mean_samples);
	json_number(w, "min", s->min);
	json_time(w, "min_at", s->min_at_ns);
	json_number(w, "max", s->max);
	json_time(w, "max_at", s->max_at_ns);
	json_number(w, "p50", s->p50);
	json_number(w, "p90", s->p90);
	json_number(w, "p95", s->p95);
	json_number(w, "p99", s->p99);
	json_number(w, "stddev", s->stddev);
	add_above(w, s);
	if (s->has_energy)
		json_run_energy(w, s->energy_j, energy_method(s), s->energy_coverage);
	if (s->has_growth) {
		json_number(w, "growth", s->growth);
		json_number(w, "slope_per_h", s->slope_per_h);
	}
	if (metric->kind == KIND_COUNTER) {
		json_number(w, "increase", s->increase);
		json_number(w, "rate_per_s", s->rate_per_s);
		json_count(w, "resets", s->resets);
	}
	if (metric_is_state(s->metric))
		add_states(w, s);
}

void json_run_metric(struct json_writer *w, const struct report *report,
	const struct missing_index *missing, const struct metric_stats *s)
{
	add_metric(w, report, s);
	if (missing && report->cut)
		json_null(w, "missing_reasons"); /* they were counted in all of the run */
	else if (missing)
		add_reasons(w, report->run, missing, s);
}

static void add_quality(struct json_writer *w, const char *name, bool has)
{
	if (has)
		json_string(w, NULL, name);
}

/* The extras of a path that was called once are those of the call. */
static const char *extras_of(const struct report *report, size_t path)
{
	size_t first = report->path[path].first;

	if (first == SIZE_MAX || report->call[first].next != SIZE_MAX)
		return NULL;
	return report->call[first].extras;
}

static void add_calls(struct json_writer *w, const struct report *report, size_t path)
{
	json_array(w, "each_call");
	for (size_t i = report->path[path].first; i != SIZE_MAX;
		i = report->call[i].next) {
		const struct phase_call *call = &report->call[i];

		json_object(w, NULL);
		json_number(w, "start_s", call->start_s);
		json_number(w, "seconds", call->seconds);
		json_time(w, "started_at", call->start_ns);
		json_number(w, "gpu_util_mean_pct", call->gpu_util_mean_pct);
		json_number(w, "power_total_mean_w", call->power_total_mean_w);
		json_run_energy(
			w, call->energy_j, call->energy_method, call->energy_coverage);
		json_array(w, "quality");
		add_quality(w, "too_short", call->too_short);
		add_quality(w, "unfinished", call->unfinished);
		add_quality(w, "empty", call->empty);
		add_quality(w, "overlapping", call->overlapping);
		json_close(w);
		json_raw(w, "extras", call->extras);
		json_close(w);
	}
	json_close(w);
}

void json_run_phase(
	struct json_writer *w, const struct report *report, size_t path, bool calls)
{
	const struct phase_path *p = &report->path[path];

	json_string(w, "name", p->name);
	json_string(w, "path", p->path);
	json_count(w, "depth", p->depth);
	json_count(w, "calls", p->calls);
	json_count(w, "non_empty_calls", p->non_empty_calls);
	json_number(w, "start_s", p->start_s);
	json_number(w, "total_s", p->total_s);
	json_number(w, "min_s", p->min_s);
	json_number(w, "mean_s", p->mean_s);
	json_number(w, "max_s", p->max_s);
	json_number(w, "exclusive_s", p->exclusive_s);
	json_number(w, "exclusive_energy_j", p->exclusive_energy_j);
	json_array(w, "quality");
	add_quality(w, "too_short", p->too_short);
	add_quality(w, "unfinished", p->unfinished);
	add_quality(w, "empty", p->calls && !p->non_empty_calls);
	add_quality(w, "overlapping", p->overlapping);
	json_close(w);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		add_item(w, summary_field_get(phase_key_summary(key))->name,
			&p->summary[key]);
	json_raw(w, "extras", extras_of(report, path));
	json_array(w, "metrics");
	for (size_t i = 0; i < p->stats_count; i++) {
		json_object(w, NULL);
		add_metric(w, report, &p->stats[i]);
		json_close(w);
	}
	json_close(w);
	if (calls)
		add_calls(w, report, path);
}

static void add_device(struct json_writer *w, const struct report *report,
	const struct device_evidence *d)
{
	json_object(w, NULL);
	json_string(w, "device", device_name(report, d->device));
	json_string(w, "source", source_name(d->source));
	json_count(w, "rows", d->rows);
	json_time(w, "first_at", d->first_ns);
	json_time(w, "last_at", d->last_ns);
	json_number(w, "interval_s", d->interval_s);
	json_string(w, "interval_source", d->interval_source);
	json_number(w, "gap_limit_s", d->gap_limit_s);
	json_number(w, "covered_s", d->covered_s);
	json_number(w, "coverage", d->coverage);
	json_count(w, "gaps", d->gaps);
	json_count(w, "steps_back", d->steps_back);
	json_count(w, "sessions", d->sessions);
	json_count(w, "resets", d->resets);
	json_close(w);
}

static void add_gap(
	struct json_writer *w, const struct report *report, const struct gap *gap)
{
	json_object(w, NULL);
	json_string(w, "device", device_name(report, gap->device));
	json_string(w, "source", source_name(gap->source));
	json_time(w, "start_at", gap->start_ns);
	json_number(w, "length_s", gap->length_s);
	json_string(w, "cause", gap_cause_name(gap->cause));
	json_close(w);
}

void json_run_grade(struct json_writer *w, const struct report *report)
{
	const struct evidence *e = &report->evidence;
	const char *zone = report->run->time_zone;

	json_string(w, "grade", (const char[2]){e->grade, '\0'});
	json_number(w, "coverage", e->coverage);
	json_string(w, "time_zone", *zone ? zone : NULL);
	json_string(w, "time_source", e->time_source);
	json_string(w, "duration_source", report->duration_source);
	json_count(w, "sessions", e->sessions);
}

void json_run_devices(struct json_writer *w, const struct report *report)
{
	json_array(w, "devices");
	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *d = &report->evidence.device[i];

		if (report->run->device[d->device].kind != DEVICE_PROCESS)
			add_device(w, report, d);
	}
	json_close(w);
}

void json_run_evidence(struct json_writer *w, const struct report *report, bool whole)
{
	const struct evidence *e = &report->evidence;

	json_object(w, "evidence");
	json_run_grade(w, report);
	if (whole)
		json_run_devices(w, report);
	json_count(w, "gap_count", e->gap_count);
	if (whole) {
		json_array(w, "gaps");
		for (size_t i = 0; i < e->gap_listed; i++)
			add_gap(w, report, &e->gap[i]);
		json_close(w);
	}
	json_run_recorder(w, report->run, whole);
	json_close(w);
}

void json_run_diag(struct json_writer *w, const struct diag *diag)
{
	json_string(w, "id", diag->id);
	if (diag->line)
		json_count(w, "line", diag->line);
	else
		json_null(w, "line");
	json_count(w, "count", diag->count);
	json_bool(w, "damage", diag->damage);
	json_string(w, "text", diag->text);
}
