/*
 * CSV after RFC 4180: a header, then a row per run, phase, device and metric; those of
 * the whole run have no phase. Behind them, of each run, a row for each other number
 * and text, whose `part` is not "metric". An empty cell is unknown. Must not compute
 * or round.
 *
 * Lines end in LF, not in the CRLF of the RFC: awk, cut, join and the shell would take
 * the CR for a part of the last cell, while every spreadsheet and CSV library reads
 * LF.
 *
 * Controls in names stand as \x1b, \n: what a job prints is read by terminals and by
 * runners, which take lines for commands. JSON has every name as it was.
 *
 * Text that begins with = + - or @ stays as it is. A spreadsheet may take it for a
 * formula, but a quote put before it would be data to every other reader, the same run
 * would have two names, and negative numbers would be text. Who opens foreign CSV
 * files in a spreadsheet imports such columns as text.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/finding.h"
#include "model/measure.h"
#include "model/report.h"
#include "render/formats.h"
#include "render/json_writer.h"
#include "render/utf8.h"

/*
 * Cells of a line. Every cell brings the comma before it: the first one of a line loses
 * it when the line is written.
 *
 * Quotes where the RFC wants them, where a blank at an end would be lost, and where a
 * line could begin like a runner's command. Quotes don't keep a spreadsheet from
 * taking a text for a formula: an escape does.
 */

/* Would a spreadsheet compute it? A number, and the sign alone, say what they are. */
static bool is_formula(const char *text)
{
	char *end;

	if (!strchr("=+-@", *text) || !text[1])
		return false;
	strtod(text, &end);
	return *end != '\0';
}

static void add_inert(struct strbuf *sb, const char *text)
{
	if (is_formula(text))
		strbuf_addf(sb, "\\x%02x", (unsigned)*text++);
	utf8_inert_whole(sb, text);
}

static void csv_text(struct strbuf *line, const char *text)
{
	struct strbuf clean;

	strbuf_addc(line, ',');
	if (!text || !*text)
		return;
	strbuf_init(&clean);
	add_inert(&clean, text);
	text = clean.text;
	if (strpbrk(text, "\",") || strchr(" :#", *text) || utf8_is_command(text) ||
		text[clean.len - 1] == ' ') {
		strbuf_addc(line, '"');
		for (; *text; text++) {
			if (*text == '"')
				strbuf_addc(line, '"');
			strbuf_addc(line, *text);
		}
		strbuf_addc(line, '"');
	} else {
		strbuf_add(line, text, clean.len);
	}
	strbuf_release(&clean);
}

static void csv_number(struct strbuf *line, double x)
{
	strbuf_addc(line, ',');
	if (isfinite(x))
		number_print(line, x);
}

static void csv_count(struct strbuf *line, uint64_t n)
{
	strbuf_addf(line, ",%llu", (unsigned long long)n);
}

/* 0: an empty cell */
static void csv_count_if(struct strbuf *line, uint64_t n)
{
	if (n)
		csv_count(line, n);
	else
		csv_text(line, NULL);
}

/* Of an instant that no wall clock told, as TIME_NONE, an empty cell. */
static void csv_time(struct strbuf *line, int64_t t_ns)
{
	strbuf_addc(line, ',');
	if (time_is_dated(t_ns))
		time_print(line, t_ns);
}

/*
 * The columns that say what a number is of, and their cells: "part", "key" ...
 * "better".
 */
static void csv_measure_names(struct strbuf *line)
{
	static const char *const name[] = {"part", "key", "statistic", "state", "phase",
		"work", "device", "source", "unit", "better"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		csv_text(line, name[i]);
}

static void csv_measure(struct strbuf *line, const struct measure *measure)
{
	csv_text(line, measure_part_name(measure->part));
	csv_text(line, measure->key);
	csv_text(line, measure->statistic);
	csv_text(line, measure->state);
	csv_text(line, measure->phase);
	csv_text(line, measure->work);
	csv_text(line, measure->device);
	csv_text(line, measure->source);
	csv_text(line, measure->unit);
	csv_text(line, direction_name(measure->better));
}

static void csv_end(struct strbuf *line, FILE *out)
{
	strbuf_addc(line, '\n');
	fwrite(line->text + 1, 1, line->len - 1, out);
	strbuf_clear(line);
}

/* What a row is of that has one number, or one text. Zeroed but for what is known. */
struct csv_item {
	const char *part; /* "summary", "phase" ...; static */
	const char *phase, *source, *device; /* NULL: of none */
	const char *item; /* the events, the rule, the file, ... it is of; NULL */
	size_t nth; /* which call, stretch or line, from 1; 0: there is but one */
	int64_t at_ns; /* when it began, or was; 0, TIME_NONE: not known */
};

/* Where rows go, and of what run they are. */
struct table {
	FILE *out;
	struct strbuf *line; /* the next row */
	const struct report *report;
	const struct run *run;
};

static void add_json(struct strbuf *line, struct json_writer *w)
{
	json_close(w);
	while (w->text.len && w->text.text[w->text.len - 1] == '\n')
		w->text.text[--w->text.len] = '\0';
	csv_text(line, w->text.text);
	json_finish(w);
}

/* The seconds in each state, or, without times, the samples, as a JSON object. */
static void add_states(struct strbuf *line, const struct metric_stats *s)
{
	struct json_writer w;

	if (!s || !s->state_count) {
		csv_text(line, NULL);
		return;
	}
	json_init(&w, NULL, JSON_COMPACT);
	json_object(&w, NULL);
	for (size_t i = 0; i < s->state_count; i++)
		if (isfinite(s->state[i].seconds))
			json_number(&w, s->state[i].name, s->state[i].seconds);
		else
			json_count(&w, s->state[i].name, s->state[i].n);
	add_json(line, &w);
}

/* Cells of a part of the statistics; empty ones where they have no such, or are NULL. */
static void add_part(
	struct strbuf *line, const struct metric_stats *s, enum stats_part of)
{
	bool has = s && metric_stats_have(s, of);

	for (const struct member *m = members_of(OF_metric_stats);
		m->of == OF_metric_stats; m++)
		if (m->part == of && m->key && has && m->kind == MEMBER_TIME)
			csv_time(line, *(const int64_t *)member_at(m, s));
		else if (m->part == of && m->key)
			csv_number(line, has ? member_number(m, s) : (double)NAN);
}

static void add_keys(struct strbuf *line, enum stats_part of)
{
	for (const struct member *m = members_of(OF_metric_stats);
		m->of == OF_metric_stats; m++)
		if (m->part == of && m->key)
			csv_text(line, m->key);
}

/* A metric's statistics; NULL: the row is of none. */
static void add_statistics(struct strbuf *line, const struct metric_stats *s)
{
	add_part(line, s, PART_ALL);
	add_part(line, s, PART_SPREAD);
	csv_number(line, s && s->has_energy ? s->energy_j : NAN);
	csv_text(line, s ? energy_method_name(energy_method(s)) : NULL);
	csv_number(line, s && s->has_energy ? s->energy_coverage : NAN);
	add_part(line, s, PART_COUNTER);
	add_states(line, s);
	add_part(line, s, PART_GROWTH);
}

/* stats: of a metric; NULL: the row is of none. */
static void begin_row(const struct table *t, const struct csv_item *item,
	const char *name, const char *unit, const struct metric_stats *stats)
{
	const char *cell[] = {t->run->run_id, t->run->path, item->phase, item->source,
		item->device, name, unit};
	struct strbuf *line = t->line;

	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		csv_text(line, cell[i]);
	add_statistics(line, stats);
	csv_text(line, item->part);
	csv_text(line, item->item);
	csv_count_if(line, item->nth);
	csv_time(line, item->at_ns ? item->at_ns : TIME_NONE);
}

static void end_row(const struct table *t)
{
	add_part(t->line, NULL, PART_ABOVE);
	csv_text(t->line, NULL); /* missing_reasons */
	csv_end(t->line, t->out);
}

/* Both write a row, and nothing of what is unknown: NAN, NULL, "". */
static void number(const struct table *t, const struct csv_item *item, const char *name,
	const char *unit, double value)
{
	if (isnan(value))
		return;
	begin_row(t, item, name, unit, NULL);
	csv_number(t->line, value);
	csv_text(t->line, NULL);
	end_row(t);
}

static void text(const struct table *t, const struct csv_item *item, const char *name,
	const char *value)
{
	if (!value || !*value)
		return;
	begin_row(t, item, name, NULL, NULL);
	csv_text(t->line, NULL);
	csv_text(t->line, value);
	end_row(t);
}

static void numbers(const struct table *t, const struct csv_item *item,
	const struct named_number *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		number(t, item, of[i].name, of[i].unit, of[i].value);
}

static void members(const struct table *t, const struct csv_item *item,
	enum member_of struct_of, const void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->kind == MEMBER_TEXT)
			text(t, item, m->name, *(const char *const *)member_at(m, of));
		else if (m->unit)
			number(t, item, m->name, m->unit, member_number(m, of));
}

/* "too_short unfinished" */
static void quality(const struct table *t, const struct csv_item *item, bool too_short,
	bool unfinished, bool empty, bool overlapping)
{
	const struct {
		const char *name;
		bool has;
	} mark[] = {{"too_short", too_short}, {"unfinished", unfinished},
		{"empty", empty}, {"overlapping", overlapping}};
	struct strbuf sb = strbuf_new();

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		if (mark[i].has)
			strbuf_addf(&sb, "%s%s", sb.len ? " " : "", mark[i].name);
	text(t, item, "quality", sb.text);
	strbuf_release(&sb);
}

static const char *device_name(const struct table *t, uint32_t device)
{
	return t->run->device[device].name;
}

static void add_run(const struct table *t)
{
	const struct report *report = t->report;
	const struct run *run = t->run;
	const struct evidence *e = &report->evidence;
	const struct csv_item item = {.part = "run", .at_ns = report->started_ns};
	struct csv_item label = {.part = "label"};

	number(t, &item, "duration_s", "s", report->duration_s);
	text(t, &item, "duration_source", report->duration_source);
	text(t, &item, "command", run->command);
	number(t, &item, "exit_status", "",
		run->exit_status < 0 ? NAN : (double)run->exit_status);
	text(t, &item, "host", run->host);
	text(t, &item, "grade", (const char[2]){e->grade, '\0'});
	number(t, &item, "coverage", "", e->coverage);
	number(t, &item, "sessions", "", (double)e->sessions);
	number(t, &item, "gap_count", "", (double)e->gap_count);
	text(t, &item, "time_zone", run->time_zone);
	text(t, &item, "time_source", e->time_source);
	number(t, &item, "abrupt", "", report->ending.abrupt);
	text(t, &item, "signal_name", report->ending.signal_name);
	for (size_t i = 0; i < run->labels.count; i++)
		text(t, &label, run->labels.at[i].key, run->labels.at[i].value);
}

static void add_device(const struct table *t, size_t nth, const struct device_rows *rows)
{
	const struct device *d = &t->run->device[nth];
	struct csv_item item = {.device = d->name};

	if (!report_wants_device(t->report, nth))
		return;
	if (d->kind == DEVICE_GPU) {
		item.part = "gpu";
		text(t, &item, "uuid", d->uuid);
		text(t, &item, "bus_id", d->bus_id);
		text(t, &item, "host", d->host);
		text(t, &item, "name", d->model);
	} else if (d->kind == DEVICE_PROCESS) {
		item.part = "process";
		text(t, &item, "gpu", t->run->device[d->parent].name);
		number(t, &item, "pid", "", d->index < 0 ? NAN : (double)d->index);
		text(t, &item, "name", d->model);
		text(t, &item, "owner", process_owner_name(d->owner));
		item.at_ns = rows->first_ns;
		number(t, &item, "rows", "", (double)rows->rows);
	}
}

static void add_summary(const struct table *t)
{
	const struct csv_item item = {.part = "summary"};

	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const struct summary_field *field = summary_field_get(key);
		const struct summary_item *value = &t->report->summary[key];

		if (value->kind == VALUE_TEXT)
			text(t, &item, field->name, value->text);
		else
			number(t, &item, field->name, field->unit, value->number);
	}
}

static void add_doubt(
	void *to, enum summary_key key, const struct metric_stats *stats, const char *why)
{
	const struct table *t = to;
	struct csv_item item = {.part = "doubt"};

	if (stats) {
		item.source = source_name(stats->source);
		item.device = device_name(t, stats->device);
	}
	text(t, &item,
		stats ? metric_get(stats->metric)->name : summary_field_get(key)->name,
		why);
}

static void add_interruption(
	const struct table *t, const struct steady *steady, size_t nth)
{
	const struct interruption *one = &steady->interruption[nth];
	const struct metric *metric = metric_get(steady->metric);
	size_t phase = interruption_phase(t->report, one);
	const struct csv_item item = {.part = "interruption",
		.source = source_name(steady->source),
		.phase = phase == SIZE_MAX ? NULL : t->report->path[phase].path,
		.nth = nth + 1,
		.at_ns = one->from_ns};

	number(t, &item, "start_s", "s", one->start_s);
	number(t, &item, "duration_s", "s", one->seconds);
	number(t, &item, "mean", metric->unit, one->mean);
	text(t, &item, "why", interruption_why(one));
	text(t, &item, "gap_cause", gap_cause_name(one->cause));
}

static void add_steady(const struct table *t)
{
	const struct steady *steady = &t->report->steady;
	struct csv_item item = {.part = "steady", .at_ns = steady->from_ns};

	if (!steady->found)
		return;
	item.source = source_name(steady->source);
	members(t, &item, OF_steady, steady);
	text(t, &item, "steady_metric", metric_get(steady->metric)->name);
	for (size_t i = 0; i < steady->interruption_listed; i++)
		add_interruption(t, steady, i);
	for (size_t i = 0; i < steady->drift_count; i++) {
		const struct drift *drift = &steady->drift[i];
		const struct metric *metric = metric_get(drift->metric);
		const struct csv_item of_drift = {.part = "drift",
			.device = device_name(t, drift->device),
			.item = metric->name};

		if (drift->change == 0)
			continue;
		number(t, &of_drift, "from_value", metric->unit, drift->from);
		number(t, &of_drift, "to_value", metric->unit, drift->to);
		number(t, &of_drift, "change", "", drift->change);
	}
}

static void add_calls(const struct table *t, const struct phase_path *path)
{
	struct csv_item item = {.part = "call", .phase = path->path};

	for (size_t i = path->first; i != SIZE_MAX; i = t->report->call[i].next) {
		const struct phase_call *call = &t->report->call[i];

		item.nth++;
		item.at_ns = call->start_ns;
		members(t, &item, OF_phase_call, call);
		number(t, &item, "energy_j", "J", call->energy_j);
		number(t, &item, "energy_coverage", "", call->energy_coverage);
		if (!isnan(call->energy_j))
			text(t, &item, "energy_method",
				energy_method_name(call->energy_method));
		quality(t, &item, call->too_short, call->unfinished, call->empty,
			call->overlapping);
		text(t, &item, "extras", call->extras);
	}
}

static void add_path(const struct table *t, const struct phase_path *path, bool calls)
{
	struct csv_item item = {.part = "phase", .phase = path->path};
	struct named_number of[NUMBERS_MAX];

	if (path->first != SIZE_MAX)
		item.at_ns = t->report->call[path->first].start_ns;
	numbers(t, &item, of, numbers_of_path(path, of));
	text(t, &item, "energy_method", path->summary[PHASE_energy_method].text);
	quality(t, &item, path->too_short, path->unfinished,
		path->calls && !path->non_empty_calls, path->overlapping);
	if (calls)
		add_calls(t, path);
}

static void add_work(const struct table *t, const struct work *work)
{
	const struct csv_item item = {.part = "work",
		.item = work->name ? work->name : work->type_name,
		.at_ns = work->first_ns};
	struct named_number of[NUMBERS_MAX];

	text(t, &item, "type", work->type_name);
	text(t, &item, "n_is", work_number_name(work->n_is));
	numbers(t, &item, of, numbers_of_work(work, of));
	if (!isnan(work->energy_j))
		text(t, &item, "energy_method", energy_method_name(work->energy_method));
}

/* LOG:58; nothing where it is not known. */
static void line(const struct table *t, const struct csv_item *item, const char *name,
	const struct event_place *place)
{
	struct strbuf at;

	if (!place->line || place->file >= t->run->file_count)
		return;
	strbuf_init(&at);
	strbuf_addf(&at, "%s:%" PRIu64, t->run->file[place->file].path, place->line);
	text(t, item, name, at.text);
	strbuf_release(&at);
}

static void add_stretch(const struct table *t, const struct finding *finding,
	struct csv_item item, size_t nth)
{
	const struct finding_stretch *s = &finding->stretch[nth];
	const struct rule *rule = finding->rule;

	item.part = "finding_stretch";
	item.nth = nth + 1;
	item.at_ns = s->from_ns;
	if (s->phase != SIZE_MAX)
		item.phase = t->report->path[s->phase].path;
	number(t, &item, "start_s", "s", s->start_s);
	number(t, &item, "duration_s", "s", s->seconds);
	number(t, &item, "gpu_s", "s", s->gpu_seconds);
	line(t, &item, "first_line", &s->first);
	line(t, &item, "last_line", &s->last);
	for (size_t i = 0; i < rule->meanwhile_count; i++) {
		const struct meanwhile_name name = meanwhile_name(rule->meanwhile[i]);

		number(t, &item, name.text, name.unit, s->meanwhile[i]);
	}
}

/* Its values, of the run and of phases; a stretch is in the phase in which it begins. */
static void add_values(
	const struct table *t, const struct finding *finding, struct csv_item item)
{
	const struct rule *rule = finding->rule;

	item.part = "finding_value";
	for (size_t i = 0; i < rule->value_count && !finding->of_phases; i++)
		number(t, &item, rule->value[i].name, rule_value_unit(&rule->value[i]),
			finding->value[i]);
	item.part = "finding_phase";
	for (size_t i = 0; i < finding->phase_count; i++) {
		const struct finding_phase *phase = &finding->phase[i];

		item.phase = t->report->path[phase->path].path;
		number(t, &item, "duration_s", "s", phase->seconds);
		for (size_t k = 0; k < rule->in_phases_count; k++) {
			const struct rule_value *v = &rule->value[rule->in_phases[k]];

			number(t, &item, v->name, rule_value_unit(v), phase->value[k]);
		}
	}
}

static void add_finding(const struct table *t, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	const struct csv_item item = {.part = "finding",
		.item = rule->id,
		.device = finding->device == FINDING_RUN
			? NULL
			: device_name(t, finding->device)};
	struct strbuf sentence;

	text(t, &item, "outcome", outcome_name(finding->outcome));
	text(t, &item, "severity", severity_name(rule->severity));
	if (!fires) {
		text(t, &item, "why", finding->why);
		return;
	}
	strbuf_init(&sentence);
	finding_sentence(&sentence, t->report, finding, strbuf_adds);
	text(t, &item, "message", sentence.text);
	strbuf_release(&sentence);
	number(t, &item, "cost_gpu_s", "s", finding->cost_gpu_s);
	number(t, &item, "coverage", "", finding->coverage);
	number(t, &item, "stretch_count", "", (double)finding->stretch_count);
	add_values(t, finding, item);
	for (size_t i = 0; i < finding->stretch_listed; i++)
		add_stretch(t, finding, item, i);
}

static double said(int64_t value, double unit)
{
	return value < 0 ? NAN : (double)value / unit;
}

static void add_observer(const struct table *t)
{
	const struct csv_item item = {.part = "run"};
	struct observer o;

	if (!observer_read(t->run, &o))
		return;
	number(t, &item, "recorder_logs", "", said(o.logs, 1));
	number(t, &item, "recorder_cpu_s", "s", said(o.cpu_ns, NS_PER_S));
	number(t, &item, "recorder_core_pct", "%", observer_core_pct(t->run, &o));
	number(t, &item, "recorder_bytes", "B", said(o.bytes, 1));
	number(t, &item, "recorder_ticks", "", said(o.ticks, 1));
	number(t, &item, "recorder_missed_ticks", "", said(o.missed_ticks, 1));
	number(t, &item, "recorder_late_p99_s", "s", said(o.late_p99_ns, NS_PER_S));
	number(t, &item, "recorder_late_max_s", "s", said(o.late_max_ns, NS_PER_S));
	number(t, &item, "recorder_troubled_logs", "", said(o.troubled, 1));
}

static void add_evidence(const struct table *t)
{
	const struct evidence *e = &t->report->evidence;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		const struct csv_item item = {.part = "evidence",
			.device = device_name(t, d->device),
			.source = source_name(d->source),
			.at_ns = d->first_ns};

		if (t->run->device[d->device].kind == DEVICE_PROCESS)
			continue; /* many, and covering what time they like */
		members(t, &item, OF_device_evidence, d);
	}
	add_observer(t);
	for (size_t i = 0; i < e->gap_listed; i++) {
		const struct gap *gap = &e->gap[i];
		const struct csv_item item = {.part = "gap",
			.device = device_name(t, gap->device),
			.source = source_name(gap->source),
			.nth = i + 1,
			.at_ns = gap->start_ns};

		number(t, &item, "duration_s", "s", gap->length_s);
		text(t, &item, "cause", gap_cause_name(gap->cause));
	}
}

static void add_events(const struct table *t)
{
	struct csv_item item = {.part = "event"};

	for (size_t i = 0; i < t->run->event_count; i++) {
		const struct event *event = &t->run->event[i];

		if (event->type == EVENT_PHASE ||
			!report_has_instant(t->report, event->t_ns))
			continue;
		item.nth++;
		item.item = event->type_name;
		item.at_ns = event->t_ns;
		text(t, &item, "name", event->name ? event->name : event->type_name);
		text(t, &item, "extras", event->extras);
	}
}

static void add_files(const struct table *t)
{
	for (size_t i = 0; i < t->run->file_count; i++) {
		const struct run_file *file = &t->run->file[i];
		const struct csv_item item = {.part = "file",
			.source = source_name(file->kind),
			.item = file->path};

		number(t, &item, "rows", "", (double)file->rows);
		number(t, &item, "skipped", "", (double)file->refused);
	}
	for (size_t i = 0; i < t->run->diags.count; i++) {
		const struct diag *diag = &t->run->diags.at[i];
		const struct csv_item item = {.part = "diagnostic",
			.item = *diag->file ? diag->file : NULL,
			.nth = diag->line};

		text(t, &item, diag->id, diag->text);
	}
}

/* All rows of a report that are no metric's statistics. */
static void csv_report_parts(const struct table *t, bool calls)
{
	const struct report *report = t->report;
	struct device_rows *rows = report_device_rows(report);
	struct table doubts = *t;

	add_run(t);
	for (size_t i = 0; i < t->run->device_count; i++)
		add_device(t, i, &rows[i]);
	add_summary(t);
	doubts_each(report, add_doubt, &doubts);
	add_steady(t);
	for (size_t i = 0; i < report->path_count; i++)
		add_path(t, &report->path[i], calls);
	for (size_t i = 0; i < report->work_count; i++)
		add_work(t, &report->work[i]);
	for (size_t i = 0; i < report->finding_count; i++)
		add_finding(t, &report->finding[i]);
	add_evidence(t);
	add_events(t);
	add_files(t);
	free(rows);
}

static void write_header(FILE *out, struct strbuf *line)
{
	strbuf_adds(line, ",run,path,phase,source,device,metric,unit");
	add_keys(line, PART_ALL);
	add_keys(line, PART_SPREAD);
	strbuf_adds(line, ",energy_j,energy_method,energy_coverage");
	add_keys(line, PART_COUNTER);
	strbuf_adds(line, ",states");
	add_keys(line, PART_GROWTH);
	strbuf_adds(line, ",part,item,nth,at,value,text");
	add_keys(line, PART_ABOVE);
	strbuf_adds(line, ",missing_reasons");
	csv_end(line, out);
}

/* How often values are missing, by the words of the log, as a JSON object. */
static void add_reasons(struct strbuf *line, const struct run *run,
	const struct missing_index *missing, const struct metric_stats *s)
{
	struct json_writer w;
	size_t first, count = 0;

	first = missing
		? missing_index_find(missing, s->source, s->device, s->metric, &count)
		: 0;
	if (!count) {
		csv_text(line, NULL);
		return;
	}
	json_init(&w, NULL, JSON_COMPACT);
	json_object(&w, NULL);
	for (size_t i = first; i < first + count; i++) {
		const char *reason = texts_word(&run->texts, missing->at[i]->reason);

		json_count(&w, reason ? reason : "", missing->at[i]->count);
	}
	add_json(line, &w);
}

/* missing: NULL: of a phase, which has no reasons. */
static void add_row(const struct table *t, const struct missing_index *missing,
	const char *phase, const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);
	const struct csv_item item = {.part = "metric",
		.phase = phase,
		.source = source_name(s->source),
		.device = device_name(t, s->device)};

	begin_row(t, &item, metric->name, metric->unit, s);
	csv_text(t->line, NULL); /* value */
	csv_text(t->line, NULL); /* text */
	add_part(t->line, s, PART_ABOVE);
	add_reasons(t->line, t->run, missing, s);
	csv_end(t->line, t->out);
}

static void write_report(const struct table *t, bool calls)
{
	const struct report *report = t->report;
	struct missing_index missing;

	missing_index_init(&missing, &t->run->missing);
	for (size_t i = 0; i < report->stats_count; i++)
		add_row(t, report->cut ? NULL : &missing, NULL, &report->stats[i]);
	missing_index_release(&missing);
	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; k < path->stats_count; k++)
			add_row(t, NULL, path->path, &path->stats[k]);
	}
	csv_report_parts(t, calls);
}

int csv_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report;
	struct strbuf line = strbuf_new();
	size_t taken = 0;

	write_header(out, &line);
	while ((report = render_take(in, &taken))) {
		const struct table t = {out, &line, report, report->run};

		write_report(&t, opt->calls);
	}
	strbuf_release(&line);
	return render_check(out, "csv", err);
}

/*
 * A comparison as CSV: a row per number; on two sides what it shows, behind that the
 * value of each run.
 */

static void add_header(struct strbuf *line, const struct comparison *comparison)
{
	static const char *const cell[] = {"base_n", "base_median", "base_low",
		"base_high", "new_n", "new_median", "new_low", "new_high", "difference",
		"ratio", "change", "method", "pairs", "p", "p_together", "shift",
		"shift_low", "shift_high", "expected_low", "expected_high", "detectable",
		"runs_needed", "base_per_unit", "new_per_unit"};

	csv_measure_names(line);
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		csv_text(line, cell[i]);
	for (size_t i = 0; i < comparison->run_count; i++)
		csv_text(line, comparison->run[i].name);
}

/* Of no runs, not even how many know it. */
static void add_side(struct strbuf *line, const struct compared_side *side, size_t runs)
{
	if (runs)
		csv_count(line, side->n);
	else
		csv_text(line, NULL);
	csv_number(line, side->median);
	csv_number(line, side->low);
	csv_number(line, side->high);
}

static void compare_add_row(struct strbuf *line, const struct comparison *comparison,
	const struct comparison_row *row)
{
	csv_measure(line, &row->measure);
	for (enum side side = 0; side < SIDES; side++)
		add_side(line, &row->side[side], comparison->on_side[side]);
	csv_number(line, row->difference);
	csv_number(line, row->ratio);
	csv_text(line, change_name(row->change));
	csv_text(line, compared_by_name(row->by));
	csv_count_if(line, row->by == COMPARED_BY_PAIRS ? row->pairs : 0);
	csv_number(line, row->p);
	csv_number(line, row->p_together);
	csv_number(line, row->shift);
	csv_number(line, row->shift_low);
	csv_number(line, row->shift_high);
	csv_number(line, row->expected_low);
	csv_number(line, row->expected_high);
	csv_number(line, row->detectable);
	csv_count_if(line, row->runs_needed);
	for (enum side side = 0; side < SIDES; side++)
		csv_number(line, row->per_unit[side]);
	for (size_t i = 0; i < comparison->run_count; i++)
		csv_number(line, row->value[i]);
}

static void write_comparison(
	FILE *out, struct strbuf *line, const struct comparison *comparison)
{
	add_header(line, comparison);
	csv_end(line, out);
	for (size_t i = 0; i < comparison->row_count; i++) {
		compare_add_row(line, comparison, &comparison->row[i]);
		csv_end(line, out);
	}
}

/* Trends: a row per number and run, in order, with what its point shows and what began
 * there. */

static void trend_add_header(struct strbuf *line)
{
	static const char *const cell[] = {"point", "run", "path", "started_at", "value",
		"point_median", "change", "before_median", "after_median", "p", "failed",
		"cut_off", "coverage", "counts", "differs"};

	csv_measure_names(line);
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		csv_text(line, cell[i]);
}

/* What else changed there; NULL: nothing did. */
static void add_differs(struct strbuf *line, const struct trends *trends,
	const struct trend *trend, const struct trend_change *change)
{
	struct strbuf text = strbuf_new();

	if (change)
		trend_say_differs(
			&text, trends, trend, change->from, change->point, change->to);
	csv_text(line, text.len ? text.text : NULL);
	strbuf_release(&text);
}

/* Of the first run of the point that began it; NULL: nothing did. */
static void add_change(struct strbuf *line, const struct trend_change *change)
{
	if (!change) {
		for (int i = 0; i < 4; i++)
			csv_text(line, NULL);
		return;
	}
	csv_text(line, change_name(change->change));
	csv_number(line, change->before.median);
	csv_number(line, change->after.median);
	csv_number(line, change->p);
}

static void write_point(FILE *out, struct strbuf *line, const struct trends *trends,
	const struct trend *trend, size_t nth)
{
	const struct trend_point *point = &trends->point[nth];

	for (size_t i = 0; i < point->count; i++) {
		const struct trend_run *run = &trends->run[point->first + i];

		csv_measure(line, &trend->measure);
		csv_text(line, trend_point_name(trends, nth));
		csv_text(line, run->key);
		csv_text(line, run->path);
		csv_time(line, run->started_ns);
		csv_number(line, trend->run[point->first + i]);
		csv_number(line, trend->value[nth].median);
		add_change(line, i ? NULL : trend_begins(trend, nth));
		csv_text(line, run->outcome.kind == RUN_FAILED ? run->outcome.how : NULL);
		csv_text(
			line, run->outcome.kind == RUN_CUT_OFF ? run->outcome.how : NULL);
		csv_number(line, trend->covered[point->first + i].coverage);
		csv_text(line,
			trend_counts(trends, trend, point->first + i) ? "yes" : "no");
		add_differs(line, trends, trend, i ? NULL : trend_begins(trend, nth));
		csv_end(line, out);
	}
}

static void write_trends(FILE *out, struct strbuf *line, const struct trends *trends)
{
	trend_add_header(line);
	csv_end(line, out);
	for (size_t i = 0; i < trends->count; i++)
		for (size_t k = 0; k < trends->point_count; k++)
			write_point(out, line, trends, &trends->at[i], k);
}

int csv_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct strbuf line = strbuf_new();

	(void)opt;
	if (result->kind == RESULT_COMPARISON)
		write_comparison(out, &line, result->comparison);
	else
		write_trends(out, &line, result->trends);
	strbuf_release(&line);
	return render_check(out, "csv", err);
}

/* An answer: nothing between two commas is NULL, two quotes are an empty text. */

/* A line of nothing would be taken for no line: NULL in the only column is quoted. */
static void add_cell(struct strbuf *line, const struct answer_cell *cell, bool alone)
{
	struct strbuf text = strbuf_new();

	answer_print(&text, cell);
	csv_text(line, text.text);
	if (!text.len && (alone || cell->kind == ANSWER_TEXT))
		strbuf_adds(line, "\"\"");
	strbuf_release(&text);
}

int csv_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct strbuf line = strbuf_new();
	int rc;

	(void)opt;
	for (size_t i = 0; i < answer->column_count; i++)
		csv_text(&line, answer->column[i]);
	csv_end(&line, out);
	while ((rc = answer_next(answer, err)) > 0 && !ferror(out)) {
		for (size_t i = 0; i < answer->column_count; i++)
			add_cell(&line, &answer->cell[i], answer->column_count == 1);
		csv_end(&line, out);
	}
	strbuf_release(&line);
	return rc < 0 ? -1 : render_check(out, "csv", err);
}
