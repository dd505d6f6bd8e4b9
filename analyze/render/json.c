/*
 * The JSON document: everything that is known, in a fixed order, described by
 * schema/report.schema.json; and the same as a stream of lines. Walks reports; must not
 * compute or round.
 */
#include "render/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/coverage.h"
#include "model/finding.h"
#include "render/doc_findings.h"
#include "render/formats.h"

static void add_member(struct json_writer *w, const struct member *m, const void *of)
{
	const void *at = member_at(m, of);

	if (m->kind == MEMBER_TIME)
		json_time(w, m->key, *(const int64_t *)at);
	else if (m->kind == MEMBER_TEXT)
		json_string(w, m->key, *(const char *const *)at);
	else
		json_number(w, m->key, member_number(m, of));
}

/* The members from m on that have a key, up to the key `until` (NULL: all), which comes
 * next. */
static const struct member *add_members(
	struct json_writer *w, const struct member *m, const void *of, const char *until)
{
	enum member_of struct_of = m->of;

	for (; m->of == struct_of; m++) {
		if (m->key && until && strcmp(m->key, until) == 0)
			break;
		if (m->key)
			add_member(w, m, of);
	}
	return m;
}

static void add_change(struct json_writer *w, const struct clock_change *change)
{
	json_row(w, NULL);
	json_string(w, "kind", clock_change_name(change->kind));
	json_time(w, "from_at", change->from_ns);
	json_time(w, "to_at", change->to_ns);
	json_number(w, "by_s", (double)change->by_ns / 1e9);
	json_close(w);
}

/* -1: not said */
static void add_said(struct json_writer *w, const char *key, int64_t value, double unit)
{
	json_number(w, key, value < 0 ? NAN : (double)value / unit);
}

/* Of a run of which nothing says what it cost there is no key. */
static void add_observer(struct json_writer *w, const struct run *run)
{
	struct observer o;

	if (!observer_read(run, &o))
		return;
	json_object(w, "observer");
	add_said(w, "logs", o.logs, 1);
	add_said(w, "cpu_s", o.cpu_ns, NS_PER_S);
	json_number(w, "core_pct", observer_core_pct(run, &o));
	add_said(w, "bytes", o.bytes, 1);
	add_said(w, "ticks", o.ticks, 1);
	add_said(w, "missed_ticks", o.missed_ticks, 1);
	add_said(w, "late_p99_s", o.late_p99_ns, NS_PER_S);
	add_said(w, "late_max_s", o.late_max_ns, NS_PER_S);
	add_said(w, "troubled_logs", o.troubled, 1);
	json_string(w, "trouble", o.trouble);
	json_close(w);
}

static void add_gpu(
	struct json_writer *w, const struct report *report, const struct gpu_ending *gpu)
{
	json_object(w, NULL);
	json_string(w, "device", report->run->device[gpu->device].name);
	json_bool(w, "lost", gpu->lost);
	json_time(w, "last_at", gpu->last_ns);
	json_number(w, "silent_s", gpu->silent_s);
	for (size_t i = 0; i < ENDING_METRICS; i++)
		json_number(w, metric_get(ending_metric[i])->name, gpu->value[i]);
	for (size_t i = 0; i < ENDING_METRICS; i++)
		json_number(w, ending_rate_name[i], gpu->rate_per_min[i]);
	json_string(w, "said", gpu->said);
	json_string(w, "said_file", gpu->said_file);
	json_count_if(w, "said_line", gpu->said ? gpu->said_line : 0);
	json_close(w);
}

static void json_run_ending(struct json_writer *w, const struct report *report)
{
	const struct ending *ending = &report->ending;

	json_object(w, "ending");
	json_bool(w, "abrupt", ending->abrupt);
	json_array(w, "signs");
	for (enum ending_sign sign = 0; sign < ENDING_SIGNS; sign++)
		if (ending->sign[sign])
			json_string(w, NULL, ending_sign_name(sign));
	json_close(w);
	json_count_if(w, "signal", (uint64_t)ending->signal);
	json_string(w, "signal_name", ending->signal_name);
	json_string(w, "torn_file", ending->torn_file);
	json_string(w, "driver_file", ending->driver_file);
	json_time(w, "driver_at", ending->driver_ns);
	json_string(w, "early_log", source_name(ending->early_log));
	json_time(w, "early_at", ending->early_ns);
	json_array(w, "gpus");
	for (size_t i = 0; i < ending->gpu_count; i++)
		add_gpu(w, report, &ending->gpu[i]);
	json_close(w);
	json_close(w);
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

void json_run_selection(struct json_writer *w, const struct report_filter *filter)
{
	if (!json_object_if(w, "selection",
		    filter->device || filter->metric || filter->phase ||
			    filter->since_ns || filter->until_ns))
		return;
	json_string(w, "device", filter->device);
	json_string(w, "metric", filter->metric);
	json_string(w, "phase", filter->phase);
	json_number(w, "since_s",
		filter->since_ns ? (double)filter->since_ns / NS_PER_S : NAN);
	json_number(w, "until_s",
		filter->until_ns ? (double)filter->until_ns / NS_PER_S : NAN);
	json_close(w);
}

static void json_run_head(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_run_identity(w, run);
	json_time(w, "started_at", report->started_ns);
	json_time(w, "ended_at", report->ended_ns);
	json_number(w, "duration_s", report->duration_s);
	json_string(w, "command", run->command);
	add_said(w, "exit_status", run->exit_status, 1);
	json_string(w, "host", run->host);
	json_row(w, "labels");
	for (size_t i = 0; i < run->labels.count; i++)
		json_string(w, run->labels.at[i].key, run->labels.at[i].value);
	json_close(w);
	json_run_selection(w, &report->filter);
}

/* An energy with its method and coverage, which always stand beside it. */
static void json_run_energy(struct json_writer *w, double energy_j,
	enum energy_method method, double coverage)
{
	json_number(w, "energy_j", energy_j);
	json_string(
		w, "energy_method", isnan(energy_j) ? NULL : energy_method_name(method));
	json_number(w, "energy_coverage", coverage);
}

typedef bool doubt_find(
	struct strbuf *why, const struct report *report, enum summary_key key);

/* Those of the keys [count] whose numbers may be wrong, each with why. */
static void add_doubts(struct json_writer *w, const struct report *report,
	const enum summary_key *key, size_t count, doubt_find *find)
{
	struct strbuf why = strbuf_new();

	json_row(w, "doubts");
	for (size_t i = 0; i < count; i++) {
		strbuf_clear(&why);
		if (find(&why, report, key[i]))
			json_string(w, summary_field_get(key[i])->name, why.text);
	}
	json_close(w);
	strbuf_release(&why);
}

/* Why the numbers may be wrong, if something speaks against them. */
static void add_doubt(struct json_writer *w, const char *key, const struct report *report,
	const struct metric_stats *stats)
{
	struct strbuf why = strbuf_new();

	if (stats && doubt_of_stats(&why, report, stats))
		json_string(w, key, why.text);
	strbuf_release(&why);
}

/* From the kind of log that counts for the metric, as in the view gpus. */
static void add_gpu_numbers(
	struct json_writer *w, const struct report *report, size_t device)
{
	static const struct {
		const char *key;
		enum metric_id metric;
		enum statistic statistic;
	} numbers[] = {
#define GPU_NUMBER(key, metric, statistic) {#key, METRIC_##metric, STATISTIC_##statistic},
#include "../schema/summary.def"
	};
	const struct metric_stats *energy =
		metric_stats_energy(report->stats, report->stats_count, (uint32_t)device);

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct metric_stats *s = metric_stats_best(report->stats,
			report->stats_count, (uint32_t)device, numbers[i].metric);

		json_number(w, numbers[i].key,
			s ? statistic_get(s, numbers[i].statistic) : NAN);
	}
	json_run_energy(w, energy ? energy->energy_j : NAN,
		energy ? energy_method(energy) : ENERGY_UNKNOWN,
		energy ? energy->energy_coverage : NAN);
	json_row(w, "doubts");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		add_doubt(w, numbers[i].key, report,
			metric_stats_best(report->stats, report->stats_count,
				(uint32_t)device, numbers[i].metric));
	add_doubt(w, "energy_j", report, energy);
	json_close(w);
}

static void json_run_gpus(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_array(w, "gpus");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct device *device = &run->device[i];

		if (device->kind != DEVICE_GPU || !report_wants_device(report, i))
			continue;
		json_object(w, NULL);
		json_string(w, "device", device->name);
		json_string(w, "name", device->model);
		add_said(w, "index", device->index, 1);
		json_string(w, "uuid", device->uuid);
		json_string(w, "bus_id", device->bus_id);
		json_string(w, "host", device->host);
		add_gpu_numbers(w, report, i);
		json_close(w);
	}
	json_close(w);
}

static void json_run_processes(struct json_writer *w, const struct report *report)
{
	struct device_rows *rows = report_device_rows(report);
	const struct run *run = report->run;

	json_array(w, "processes");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct device *device = &run->device[i];

		if (device->kind != DEVICE_PROCESS || !report_wants_device(report, i))
			continue;
		json_row(w, NULL);
		json_string(w, "device", device->name);
		json_string(w, "gpu", run->device[device->parent].name);
		add_said(w, "pid", device->index, 1);
		json_string(w, "type",
			i < report->process_type_count ? report->process_type[i] : NULL);
		json_string(w, "name", device->model);
		json_string(w, "owner", process_owner_name(device->owner));
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
	case VALUE_COUNT:
		json_number(w, name, item->number);
		break;
	case VALUE_TEXT:
		json_string(w, name, item->text);
		break;
	}
}

static void json_run_summary(struct json_writer *w, const struct report *report)
{
	enum summary_key keys[SUMMARY_COUNT];

	json_object(w, "summary");
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		add_item(w, summary_field_get(key)->name, &report->summary[key]);
		keys[key] = key;
	}
	add_doubts(w, report, keys, SUMMARY_COUNT, doubt_of_key);
	json_close(w);
}

static void add_drifts(
	struct json_writer *w, const struct run *run, const struct steady *s)
{
	json_array(w, "drifts");
	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->change == 0)
			continue;
		json_row(w, NULL);
		json_string(w, "device", run->device[drift->device].name);
		json_string(w, "metric", metric_get(drift->metric)->name);
		json_number(w, "from_value", drift->from);
		json_number(w, "to_value", drift->to);
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

		json_row(w, NULL);
		json_time(w, "from_at", one->from_ns);
		json_time(w, "to_at", one->to_ns);
		json_number(w, "start_s", one->start_s);
		json_number(w, "duration_s", one->seconds);
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
	static const enum summary_key means[] = {
		SUMMARY_gpu_util_mean_pct, SUMMARY_power_total_mean_w};
	const struct steady *s = &report->steady;
	const struct member *m;

	if (!json_object_if(w, "steady", s->found))
		return;
	json_string(w, "found_by", "change point");
	json_string(w, "metric", metric_get(s->metric)->name);
	json_string(w, "source", source_name(s->source));
	m = add_members(w, members_of(OF_steady), s, "gpu_util_mean_pct");
	add_interruptions(w, report, s);
	add_members(w, m, s, NULL);
	add_doubts(w, report, means, sizeof means / sizeof *means, doubt_of_values);
	add_drifts(w, report->run, s);
	json_close(w);
}

static void add_above(struct json_writer *w, const struct metric_stats *s)
{
	if (!s->has_above) {
		json_null(w, "above");
		return;
	}
	json_row(w, "above");
	for (enum above a = 0; a < ABOVE_COUNT; a++)
		json_number(w, above_key[a], s->above[a]);
	json_close(w);
}

static void add_states(struct json_writer *w, const struct metric_stats *s)
{
	json_object(w, "states");
	for (size_t i = 0; i < s->state_count; i++) {
		const struct state_time *state = &s->state[i];

		json_row(w, state->name);
		json_count(w, "n", state->n);
		json_number(w, "duration_s", state->seconds);
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

	if (!count)
		return;
	json_row(w, "missing_reasons");
	for (size_t i = first; i < first + count; i++) {
		const char *reason = texts_word(&run->texts, missing->at[i]->reason);

		json_count(w, reason ? reason : "", missing->at[i]->count);
	}
	json_close(w);
}

static void add_part(
	struct json_writer *w, const struct metric_stats *s, enum stats_part of)
{
	if (!metric_stats_have(s, of))
		return;
	for (const struct member *m = members_of(OF_metric_stats);
		m->of == OF_metric_stats; m++)
		if (m->part == of && m->key)
			add_member(w, m, s);
}

/* A metric without any value is listed apart (json_run_not_recorded). */
static bool json_has_value(const struct metric_stats *s)
{
	return metric_stats_speaks(s) || s->n;
}

static void add_metric_name(
	struct json_writer *w, const struct report *report, const struct metric_stats *s)
{
	json_string(w, "metric", metric_get(s->metric)->name);
	json_string(w, "device", device_name(report, s->device));
	json_string(w, "source", source_name(s->source));
}

static void add_metric(
	struct json_writer *w, const struct report *report, const struct metric_stats *s)
{
	json_leave_out_null(w);
	add_metric_name(w, report, s);
	json_string(w, "unit", metric_get(s->metric)->unit);
	add_part(w, s, PART_ALL);
	add_part(w, s, PART_SPREAD);
	add_above(w, s);
	if (s->has_energy)
		json_run_energy(w, s->energy_j, energy_method(s), s->energy_coverage);
	add_part(w, s, PART_GROWTH);
	add_part(w, s, PART_COUNTER);
	if (metric_is_state(s->metric))
		add_states(w, s);
	add_doubt(w, "doubt", report, s);
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

static void add_unrecorded(struct json_writer *w, const struct report *report,
	const struct missing_index *missing, const struct metric_stats *s)
{
	add_metric_name(w, report, s);
	json_count(w, "missing", s->missing);
	if (report->cut)
		json_null(w, "missing_reasons");
	else
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
		const struct member *m;

		json_row(w, NULL);
		m = add_members(w, members_of(OF_phase_call), call, "gpu_util_mean_pct");
		json_time(w, "start_at", call->start_ns);
		add_members(w, m, call, NULL);
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

static void add_phase_metrics(
	struct json_writer *w, const struct report *report, const struct phase_path *p)
{
	json_array(w, "metrics");
	for (size_t i = 0; i < p->stats_count; i++) {
		if (!json_has_value(&p->stats[i]))
			continue;
		json_row(w, NULL);
		add_metric(w, report, &p->stats[i]);
		json_close(w);
	}
	json_close(w);
}

/* All metrics of each phase are most of a document: only if they are asked for. */
static void json_run_phase(struct json_writer *w, const struct report *report,
	size_t path, const struct render_options *opt)
{
	const struct phase_path *p = &report->path[path];
	enum summary_key keys[PHASE_KEY_COUNT];
	const struct member *m;

	json_string(w, "name", p->name);
	json_string(w, "phase", p->path);
	m = add_members(w, members_of(OF_phase_path), p, "duration_s");
	json_number(w, "duration_s", p->duration_s);
	add_members(w, m + 1, p, NULL);
	json_array(w, "quality");
	add_quality(w, "too_short", p->too_short);
	add_quality(w, "unfinished", p->unfinished);
	add_quality(w, "empty", p->calls && !p->non_empty_calls);
	add_quality(w, "overlapping", p->overlapping);
	json_close(w);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		keys[key] = phase_key_summary(key);
		add_item(w, summary_field_get(keys[key])->name, &p->summary[key]);
	}
	add_doubts(w, report, keys, PHASE_KEY_COUNT, doubt_of_values);
	json_raw(w, "extras", extras_of(report, path));
	if (opt->verbose > 0 || report->filter.metric)
		add_phase_metrics(w, report, p);
	if (opt->calls)
		add_calls(w, report, path);
}

static void add_device(struct json_writer *w, const struct report *report,
	const struct device_evidence *d)
{
	json_row(w, NULL);
	json_string(w, "device", device_name(report, d->device));
	json_string(w, "source", source_name(d->source));
	add_members(w, members_of(OF_device_evidence), d, NULL);
	json_close(w);
}

static void add_gap(
	struct json_writer *w, const struct report *report, const struct gap *gap)
{
	json_row(w, NULL);
	json_string(w, "device", device_name(report, gap->device));
	json_string(w, "source", source_name(gap->source));
	json_time(w, "start_at", gap->start_ns);
	json_number(w, "duration_s", gap->length_s);
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

/* Gaps, what the clocks did and per-device evidence only where `whole`. */
static void json_run_evidence(
	struct json_writer *w, const struct report *report, bool whole)
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
		json_array(w, "clock_changes");
		for (size_t i = 0; i < report->run->clock_change_count; i++)
			add_change(w, &report->run->clock_change[i]);
		json_close(w);
	}
	add_observer(w, report->run);
	json_close(w);
}

void json_run_diag(struct json_writer *w, const struct diag *diag)
{
	json_string(w, "id", diag->id);
	json_count_if(w, "line", diag->line);
	json_count(w, "count", diag->count);
	json_bool(w, "damage", diag->damage);
	json_string(w, "text", diag->text);
}

void json_document_begin(struct json_writer *w, FILE *out)
{
	json_init(w, out, JSON_FILLED);
	json_object(w, NULL);
	json_string(w, "format_version", RENDER_FORMAT_VERSION);
	json_string(w, "generator", "hwsummarize " VERSION);
}

int json_document_end(struct json_writer *w, struct error *err)
{
	FILE *out = w->out;

	json_close(w);
	json_finish(w);
	return render_check(out, "json", err);
}

void json_texts(
	struct json_writer *w, const char *key, const char *const *text, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++)
		json_string(w, NULL, text[i]);
	json_close(w);
}

static void add_test(struct json_writer *w, const struct rule *rule,
	const struct value_test *test, const struct finding *finding)
{
	json_row(w, NULL);
	json_string(w, "value", rule->value[test->value].name);
	json_number(w, "is", finding->value[test->value]);
	json_string(w, "bound", bound_name(test->bound));
	json_number(w, "limit", test->limit);
	json_close(w);
}

/* Nothing of what can't be told: the reason says it; nor of phases. */
static void add_values(struct json_writer *w, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	bool known = finding->outcome != OUTCOME_CANNOT_TELL && !finding->of_phases;

	json_array(w, "values");
	for (size_t i = 0; known && i < rule->value_count; i++) {
		json_row(w, NULL);
		json_string(w, "name", rule->value[i].name);
		json_number(w, "value", finding->value[i]);
		json_string(w, "unit", rule_value_unit(&rule->value[i]));
		json_close(w);
	}
	json_close(w);
	json_array(w, "because");
	for (size_t i = 0; known && i < rule->fires_count; i++)
		add_test(w, rule, &rule->fires[i], finding);
	json_close(w);
}

void json_place(struct json_writer *w, const char *key, const struct run *run,
	struct event_place place)
{
	if (!json_object_if(w, key, place.line && place.file < run->file_count))
		return;
	json_string(w, "file", run->file[place.file].path);
	json_count(w, "line", place.line);
	json_close(w);
}

static void add_stretches(
	struct json_writer *w, const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	json_count(w, "stretch_count", finding->stretch_count);
	json_array(w, "stretches");
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		const struct finding_stretch *s = &finding->stretch[i];

		json_row(w, NULL);
		json_time(w, "start_at", s->from_ns);
		json_number(w, "start_s", s->start_s);
		json_number(w, "duration_s", s->seconds);
		json_number(w, "gpu_s", s->gpu_seconds);
		json_string(w, "phase",
			s->phase == SIZE_MAX ? NULL : report->path[s->phase].path);
		json_place(w, "first_line", report->run, s->first);
		json_place(w, "last_line", report->run, s->last);
		json_object(w, "meanwhile");
		for (size_t k = 0; k < rule->meanwhile_count; k++)
			json_number(w, meanwhile_name(rule->meanwhile[k]).text,
				s->meanwhile[k]);
		json_close(w);
		json_close(w);
	}
	json_close(w);
	json_array(w, "phases");
	for (size_t i = 0; i < finding->phase_count; i++) {
		json_row(w, NULL);
		json_string(w, "phase", report->path[finding->phase[i].path].path);
		json_number(w, "duration_s", finding->phase[i].seconds);
		json_object(w, "values");
		for (size_t k = 0; k < rule->in_phases_count; k++)
			json_number(w, rule->value[rule->in_phases[k]].name,
				finding->phase[i].value[k]);
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

static void add_check(
	struct json_writer *w, const struct report *report, const struct finding *finding)
{
	json_string(w, "rule", finding->rule->id);
	json_string(w, "device", finding_device(report, finding));
}

static void json_run_checks(struct json_writer *w, const struct report *report)
{
	json_object(w, "checks");
	json_count(w, "rules", report->checks);
	json_count(w, "ran", report->checks_ran);
	json_array(w, "not_run");
	for (size_t i = findings_fired(report); i < report->finding_count; i++) {
		if (report->finding[i].outcome != OUTCOME_CANNOT_TELL)
			continue;
		json_row(w, NULL);
		add_check(w, report, &report->finding[i]);
		json_string(w, "why", report->finding[i].why);
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

void json_run_finding(
	struct json_writer *w, const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	struct strbuf message = strbuf_new();

	if (fires)
		finding_sentence(&message, report, finding, strbuf_adds);
	add_check(w, report, finding);
	json_string(w, "severity", severity_name(rule->severity));
	json_string(w, "title", rule->title);
	json_string(w, "message", fires ? message.text : NULL);
	json_string(w, "advice", fires ? rule->remedy : NULL);
	json_count(w, "version", (uint64_t)rule->version);
	json_number(w, "cost_gpu_s", finding->cost_gpu_s);
	json_number(w, "coverage", finding->coverage);
	add_values(w, finding);
	add_stretches(w, report, finding);
	strbuf_release(&message);
}

void json_run_work(
	struct json_writer *w, const struct report *report, const struct work *work)
{
	static const enum summary_key means[] = {
		SUMMARY_gpu_util_mean_pct, SUMMARY_energy_j};
	const struct member *m;

	json_string(w, "type", work->type_name);
	json_string(w, "name", work->name);
	m = add_members(w, members_of(OF_work), work, "processes");
	json_string(w, "n_is", work_number_name(work->n_is));
	m = add_members(w, m, work, "energy_j_per_unit");
	json_run_energy(w, work->energy_j, work->energy_method, work->energy_coverage);
	add_members(w, m, work, NULL);
	add_doubts(w, report, means, sizeof means / sizeof *means, doubt_of_values);
}

static void add_events(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_array(w, "events");
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (event->type != EVENT_POINT ||
			!report_has_instant(report, event->t_ns))
			continue;
		json_row(w, NULL);
		json_string(w, "type", event->type_name);
		json_string(w, "name", event->name);
		json_time(w, "at", event->t_ns);
		json_raw(w, "extras", event->extras);
		json_close(w);
	}
	json_close(w);
}

static bool has_diag(const struct run *run, const char *file)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].file, file) == 0)
			return true;
	return false;
}

static void add_source(
	struct json_writer *w, const struct run *run, const struct run_file *file)
{
	if (has_diag(run, file->path))
		json_object(w, NULL);
	else
		json_row(w, NULL);
	json_string(w, "file", file->path);
	json_string(w, "kind", source_name(file->kind));
	json_count(w, "rows", file->rows);
	json_count(w, "skipped", file->refused);
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		if (strcmp(diag->file, file->path) != 0)
			continue;
		json_row(w, NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

static bool has_file(const struct run *run, const char *path)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (strcmp(run->file[i].path, path) == 0)
			return true;
	return false;
}

/* What belongs to no file of sources[]: the run, or a file that could not be had. */
static void add_run_diagnostics(struct json_writer *w, const struct run *run)
{
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		if (*diag->file && has_file(run, diag->file))
			continue;
		json_row(w, NULL);
		json_string(w, "file", *diag->file ? diag->file : NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
	json_close(w);
}

/* The metrics that have a column and not one value, and why. */
static void json_run_not_recorded(struct json_writer *w, const struct report *report,
	const struct missing_index *missing)
{
	json_array(w, "not_recorded");
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (json_has_value(s))
			continue;
		json_row(w, NULL);
		add_unrecorded(w, report, missing, s);
		json_close(w);
	}
	json_close(w);
}

static void add_run(struct json_writer *w, const struct report *report,
	const struct render_options *opt)
{
	const struct run *run = report->run;
	struct missing_index missing;

	missing_index_init(&missing, &run->missing);
	json_object(w, NULL);
	json_run_head(w, report);
	json_run_summary(w, report);
	json_run_gpus(w, report);
	json_array(w, "phases");
	for (size_t i = 0; i < report->path_count; i++) {
		json_object(w, NULL);
		json_run_phase(w, report, i, opt);
		json_close(w);
	}
	json_close(w);
	json_array(w, "findings");
	for (size_t i = 0; i < findings_fired(report); i++) {
		json_object(w, NULL);
		json_run_finding(w, report, &report->finding[i]);
		json_close(w);
	}
	json_close(w);
	json_run_checks(w, report);
	json_array(w, "metrics");
	for (size_t i = 0; i < report->stats_count; i++) {
		if (!json_has_value(&report->stats[i]))
			continue;
		json_row(w, NULL);
		json_run_metric(w, report, &missing, &report->stats[i]);
		json_close(w);
	}
	json_close(w);
	json_run_not_recorded(w, report, &missing);
	json_run_processes(w, report);
	json_run_steady(w, report);
	json_array(w, "work");
	for (size_t i = 0; i < report->work_count; i++) {
		json_object(w, NULL);
		json_run_work(w, report, &report->work[i]);
		json_close(w);
	}
	json_close(w);
	add_events(w, report);
	json_run_evidence(w, report, true);
	json_run_ending(w, report);
	json_array(w, "sources");
	for (size_t i = 0; i < run->file_count; i++)
		add_source(w, run, &run->file[i]);
	json_close(w);
	add_run_diagnostics(w, run);
	json_close(w);
	missing_index_release(&missing);
}

int json_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_document_begin(&w, out);
	json_array(&w, "runs");
	while ((report = render_take(in, &taken)))
		add_run(&w, report, opt);
	json_close(&w);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	return json_document_end(&w, err);
}

/*
 * The report as a stream of lines: each line is an object that can be understood alone
 * (it begins with type, format_version, run and path).
 */

static void begin_line(struct json_writer *w, const char *type)
{
	json_object(w, NULL);
	json_string(w, "type", type);
	json_string(w, "format_version", RENDER_FORMAT_VERSION);
}

static void write_lines(struct json_writer *w, const struct report *report,
	const struct render_options *opt)
{
	const struct run *run = report->run;
	struct missing_index missing;

	missing_index_init(&missing, &run->missing);
	begin_line(w, "run");
	json_run_head(w, report);
	json_run_summary(w, report);
	json_run_gpus(w, report);
	json_run_checks(w, report);
	json_run_not_recorded(w, report, &missing);
	json_run_processes(w, report);
	json_run_steady(w, report);
	json_run_evidence(w, report, false);
	json_run_ending(w, report);
	json_close(w);
	for (size_t i = 0; i < report->stats_count; i++) {
		if (!json_has_value(&report->stats[i]))
			continue;
		begin_line(w, "metric");
		json_run_identity(w, run);
		json_run_metric(w, report, &missing, &report->stats[i]);
		json_close(w);
	}
	missing_index_release(&missing);
	for (size_t i = 0; i < report->path_count; i++) {
		begin_line(w, "phase");
		json_run_identity(w, run);
		json_object(w, "phase");
		json_run_phase(w, report, i, opt);
		json_close(w);
		json_close(w);
	}
	for (size_t i = 0; i < report->work_count; i++) {
		begin_line(w, "work");
		json_run_identity(w, run);
		json_object(w, "work");
		json_run_work(w, report, &report->work[i]);
		json_close(w);
		json_close(w);
	}
	for (size_t i = 0; i < findings_fired(report); i++) {
		begin_line(w, "finding");
		json_run_identity(w, run);
		json_run_finding(w, report, &report->finding[i]);
		json_close(w);
	}
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		begin_line(w, "diagnostic");
		json_run_identity(w, run);
		json_string(w, "file", *diag->file ? diag->file : NULL);
		json_run_diag(w, diag);
		json_close(w);
	}
}

int ndjson_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report;
	struct json_writer w;
	size_t taken = 0;

	json_init(&w, out, JSON_COMPACT);
	while ((report = render_take(in, &taken)))
		write_lines(&w, report, opt);
	for (size_t i = 0; i < in->warning_count; i++) {
		begin_line(&w, "warning");
		json_string(&w, "text", in->warning[i]);
		json_close(&w);
	}
	json_finish(&w);
	return render_check(out, "ndjson", err);
}

/*
 * An answer as JSON, described by answer.schema.json, and as lines: each row is an
 * object whose keys are the names of the columns, which therefore may not be equal.
 * Computes nothing.
 */

static int check_names(const struct answer *answer, struct error *err)
{
	for (size_t i = 0; i < answer->column_count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(answer->column[i], answer->column[k]) == 0)
				return error_set(err,
					"two columns of the answer are called '%s'; "
					"expected other names (... AS name) where they "
					"are keys",
					answer->column[i]);
	return 0;
}

static void add_cell(
	struct json_writer *w, const char *key, const struct answer_cell *cell)
{
	struct strbuf text = strbuf_new();

	answer_print(&text, cell);
	if (cell->kind == ANSWER_NULL)
		json_null(w, key);
	else if (answer_is_number(cell))
		json_raw(w, key, text.text);
	else
		json_string(w, key, text.text);
	strbuf_release(&text);
}

/* All rows, each a value of its own or of an array that is open. */
static int add_rows(struct json_writer *w, struct answer *answer, struct error *err)
{
	int rc;

	while ((rc = answer_next(answer, err)) > 0 && !ferror(w->out)) {
		json_object(w, NULL);
		for (size_t i = 0; i < answer->column_count; i++)
			add_cell(w, answer->column[i], &answer->cell[i]);
		json_close(w);
	}
	return rc < 0 ? -1 : 0;
}

/* The rest was not answered: what is out may not look whole. */
static int leave_open(struct json_writer *w)
{
	strbuf_release(&w->text);
	return -1;
}

int json_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;
	int rc;

	(void)opt;
	if (check_names(answer, err) < 0)
		return -1;
	json_document_begin(&w, out);
	json_array(&w, "columns");
	for (size_t i = 0; i < answer->column_count; i++)
		json_string(&w, NULL, answer->column[i]);
	json_close(&w);
	json_array(&w, "rows");
	rc = add_rows(&w, answer, err);
	if (rc < 0)
		return leave_open(&w);
	json_close(&w);
	return json_document_end(&w, err);
}

int ndjson_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;
	int rc;

	(void)opt;
	if (check_names(answer, err) < 0)
		return -1;
	json_init(&w, out, JSON_COMPACT);
	rc = add_rows(&w, answer, err);
	if (rc < 0)
		return leave_open(&w);
	json_finish(&w);
	return render_check(out, "ndjson", err);
}
