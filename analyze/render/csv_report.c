/*
 * A row for each number and each text of a report that is no statistic of a metric: of
 * the run, its summary, its steady state, of phases and their calls, units of work,
 * findings, evidence, events, files. Walks the report; computes nothing.
 */
#include "render/csv_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "model/finding.h"
#include "model/measure.h"
#include "model/recorder_facts.h"

/* Where rows go, and of what run they are. */
/* Columns of a metric's statistics, before the others. */
#define CSV_STATISTICS 30

/* What a row is of that has one number, or one text. Zeroed but for what is known. */
struct csv_item {
	const char *part; /* "summary", "phase" ...; static */
	const char *phase, *source, *device; /* NULL: of none */
	const char *item; /* the events, the rule, the file, ... it is of; NULL */
	size_t nth; /* which call, stretch or line, from 1; 0: there is but one */
	int64_t at_ns; /* when it began, or was; 0, TIME_NONE: not known */
};

struct table {
	FILE *out;
	const struct report *report;
	const struct run *run;
};

static void begin_row(struct strbuf *line, const struct run *run,
	const struct csv_item *item, const char *name, const char *unit)
{
	const char *cell[] = {run->run_id, run->path, item->phase, item->source,
		item->device, name, unit};
	size_t known = sizeof cell / sizeof *cell;

	for (size_t i = 0; i < CSV_STATISTICS; i++)
		csv_text(line, i < known ? cell[i] : NULL);
	csv_text(line, item->part);
	csv_text(line, item->item);
	if (item->nth)
		csv_count(line, item->nth);
	else
		csv_text(line, NULL);
	csv_time(line, item->at_ns ? item->at_ns : TIME_NONE);
}

/* Of the columns that only metrics have. */
static void end_row(FILE *out, struct strbuf *line)
{
	for (size_t i = 0; i <= ABOVE_COUNT; i++)
		csv_text(line, NULL);
	csv_end(line, out);
	strbuf_release(line);
}

/* Both write a row, and nothing of what is unknown: NAN, NULL, "". */
static void number(const struct table *t, const struct csv_item *item, const char *name,
	const char *unit, double value)
{
	struct strbuf line;

	if (isnan(value))
		return;
	strbuf_init(&line);
	begin_row(&line, t->run, item, name, unit);
	csv_number(&line, value);
	csv_text(&line, NULL);
	end_row(t->out, &line);
}

static void text(const struct table *t, const struct csv_item *item, const char *name,
	const char *value)
{
	struct strbuf line;

	if (!value || !*value)
		return;
	strbuf_init(&line);
	begin_row(&line, t->run, item, name, NULL);
	csv_text(&line, NULL);
	csv_text(&line, value);
	end_row(t->out, &line);
}

static void numbers(const struct table *t, const struct csv_item *item,
	const struct named_number *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		number(t, item, of[i].name, of[i].unit, of[i].value);
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
	struct strbuf sb;

	strbuf_init(&sb);
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
		text(t, &item, "model", d->model);
	} else if (d->kind == DEVICE_PROCESS) {
		item.part = "process";
		text(t, &item, "gpu", t->run->device[d->parent].name);
		number(t, &item, "pid", "", d->index < 0 ? NAN : (double)d->index);
		text(t, &item, "command", d->model);
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
	number(t, &item, "seconds", "s", one->seconds);
	number(t, &item, "mean", metric->unit, one->mean);
	text(t, &item, "why", interruption_why(one));
	text(t, &item, "gap_cause", gap_cause_name(one->cause));
}

static void add_steady(const struct table *t)
{
	const struct steady *steady = &t->report->steady;
	struct csv_item item = {.part = "steady", .at_ns = steady->from_ns};
	struct named_number of[NUMBERS_MAX];

	if (!steady->found)
		return;
	item.source = source_name(steady->source);
	numbers(t, &item, of, numbers_of_steady(steady, of));
	text(t, &item, "steady_by", metric_get(steady->metric)->name);
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
		number(t, &of_drift, "from", metric->unit, drift->from);
		number(t, &of_drift, "to", metric->unit, drift->to);
		number(t, &of_drift, "change", "", drift->change);
	}
}

static void add_calls(const struct table *t, const struct phase_path *path)
{
	struct csv_item item = {.part = "call", .phase = path->path};

	for (size_t i = path->first; i != SIZE_MAX; i = t->report->call[i].next) {
		const struct phase_call *call = &t->report->call[i];
		struct named_number of[NUMBERS_MAX];

		item.nth++;
		item.at_ns = call->start_ns;
		numbers(t, &item, of, numbers_of_call(call, of));
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
	number(t, &item, "seconds", "s", s->seconds);
	number(t, &item, "gpu_seconds", "s", s->gpu_seconds);
	line(t, &item, "first_line", &s->first);
	line(t, &item, "last_line", &s->last);
	for (size_t i = 0; i < rule->meanwhile_count; i++) {
		const struct meanwhile_name name = meanwhile_name(rule->meanwhile[i]);

		number(t, &item, name.text, name.unit, s->meanwhile[i]);
	}
}

/* Its values, of the whole and of phases; a stretch is in the phase in which it begins.
 */
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
		number(t, &item, "seconds", "s", phase->seconds);
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

	text(t, &item, "outcome", fires ? "fires" : "cannot_tell");
	text(t, &item, "severity", severity_name(rule->severity));
	if (!fires) {
		text(t, &item, "why", finding->why);
		return;
	}
	strbuf_init(&sentence);
	finding_sentence(&sentence, t->report, finding, strbuf_adds);
	text(t, &item, "sentence", sentence.text);
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
		number(t, &item, "rows", "", (double)d->rows);
		number(t, &item, "interval_s", "s", d->interval_s);
		text(t, &item, "interval_source", d->interval_source);
		number(t, &item, "gap_limit_s", "s", d->gap_limit_s);
		number(t, &item, "covered_s", "s", d->covered_s);
		number(t, &item, "coverage", "", d->coverage);
		number(t, &item, "gaps", "", (double)d->gaps);
		number(t, &item, "steps_back", "", (double)d->steps_back);
		number(t, &item, "sessions", "", (double)d->sessions);
		number(t, &item, "resets", "", (double)d->resets);
	}
	add_observer(t);
	for (size_t i = 0; i < e->gap_listed; i++) {
		const struct gap *gap = &e->gap[i];
		const struct csv_item item = {.part = "gap",
			.device = device_name(t, gap->device),
			.source = source_name(gap->source),
			.nth = i + 1,
			.at_ns = gap->start_ns};

		number(t, &item, "length_s", "s", gap->length_s);
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
		number(t, &item, "refused", "", (double)file->refused);
	}
	for (size_t i = 0; i < t->run->diags.count; i++) {
		const struct diag *diag = &t->run->diags.at[i];
		const struct csv_item item = {.part = "diagnostic",
			.item = *diag->file ? diag->file : NULL,
			.nth = diag->line};

		text(t, &item, diag->id, diag->text);
	}
}

void csv_report_parts(FILE *out, const struct report *report, bool calls)
{
	const struct table t = {out, report, report->run};
	struct device_rows *rows = report_device_rows(report);

	add_run(&t);
	for (size_t i = 0; i < report->run->device_count; i++)
		add_device(&t, i, &rows[i]);
	add_summary(&t);
	add_steady(&t);
	for (size_t i = 0; i < report->path_count; i++)
		add_path(&t, &report->path[i], calls);
	for (size_t i = 0; i < report->work_count; i++)
		add_work(&t, &report->work[i]);
	for (size_t i = 0; i < report->finding_count; i++)
		add_finding(&t, &report->finding[i]);
	add_evidence(&t);
	add_events(&t);
	add_files(&t);
	free(rows);
}
