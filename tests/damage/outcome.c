/* A reading as text. Times without a clock and missing values are "-". */
#include "outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/formats.h"
#include "read/read_run.h"

#define FIELD_END '\x1f'

void outcome_init(struct damage_outcome *outcome)
{
	*outcome = (struct damage_outcome){0};
	strbuf_init(&outcome->text);
	strbuf_init(&outcome->said);
}

void outcome_release(struct damage_outcome *outcome)
{
	strbuf_release(&outcome->text);
	strbuf_release(&outcome->said);
	free(outcome->record);
}

const char *outcome_record(const struct damage_outcome *outcome, size_t i)
{
	return outcome->text.text + outcome->record[i];
}

static void begin_record(struct damage_outcome *outcome)
{
	ALLOC_GROW(outcome->record, outcome->count + 1, outcome->cap);
	outcome->record[outcome->count++] = outcome->text.len;
}

static void end_record(struct damage_outcome *outcome)
{
	strbuf_addc(&outcome->text, '\0');
}

static void add_text(struct damage_outcome *outcome, const char *name, const char *value)
{
	strbuf_adds(&outcome->text, name);
	strbuf_addc(&outcome->text, '=');
	strbuf_adds(&outcome->text, value ? value : "-");
	strbuf_addc(&outcome->text, FIELD_END);
}

static void add_number(
	struct damage_outcome *outcome, const char *name, bool known, int64_t value)
{
	char number[32] = "-";

	if (known)
		snprintf(number, sizeof number, "%" PRId64, value);
	add_text(outcome, name, number);
}

/* Named by what the log says of it, not by the order in which it was met. */
static void add_device(struct damage_outcome *outcome, const struct run *run,
	const struct device *device)
{
	const struct device *gpu =
		device->kind == DEVICE_PROCESS ? &run->device[device->parent] : device;
	const char *id = gpu->uuid ? gpu->uuid : gpu->bus_id;

	while (id && id[0] == '0')
		id++; /* a domain has four digits, or eight */
	strbuf_adds(&outcome->text, "device=");
	strbuf_adds(&outcome->text, gpu->index < 0 && id ? id : gpu->name);
	if (gpu != device)
		strbuf_addf(&outcome->text, "/%d", (int)device->index);
	strbuf_addc(&outcome->text, FIELD_END);
}

/* States are words. */
static void add_value(struct damage_outcome *outcome, const struct run *run,
	const struct sample_column *column, size_t row)
{
	bool known = column->presence[row] == PRESENCE_VALUE;
	const char *name = metric_get(column->metric)->name;

	if (known && metric_get(column->metric)->kind == KIND_STATE)
		add_text(outcome, name, texts_word(&run->texts, column->value[row]));
	else
		add_number(outcome, name, known, column->value[row]);
}

static void add_samples(struct damage_outcome *outcome, const struct sample_batch *batch,
	const struct run *run)
{
	for (size_t row = 0; row < batch->rows; row++) {
		begin_record(outcome);
		add_number(outcome, "t", batch->timed, batch->t_ns[row]);
		add_device(outcome, run, &run->device[batch->device[row]]);
		for (size_t c = 0; c < batch->column_count; c++) {
			if (batch->column[c].presence[row] != PRESENCE_ABSENT)
				add_value(outcome, run, &batch->column[c], row);
		}
		end_record(outcome);
	}
}

static int compare_facts(const void *a, const void *b)
{
	return strcmp(((const struct fact *)a)->name, ((const struct fact *)b)->name);
}

/* What a recording says of itself, before its rows. In which order it is learned, where
 * some of it must be found out, means nothing. */
static void add_facts(struct damage_outcome *outcome, const struct run *run)
{
	if (!outcome->facts && run->fact_count)
		qsort(run->fact, run->fact_count, sizeof *run->fact, compare_facts);
	while (outcome->facts < run->fact_count) {
		const struct fact *fact = &run->fact[outcome->facts++];

		begin_record(outcome);
		add_text(outcome, fact->name, fact->value);
		end_record(outcome);
	}
}

static void read_kind(struct damage_outcome *outcome, struct reading *reading,
	const struct run *run, enum source_kind kind)
{
	struct sample_source *source = read_samples(reading, kind, NS_PER_S);
	struct sample_batch batch;
	struct error err;

	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &err) > 0) {
		add_facts(outcome, run);
		add_samples(outcome, &batch, run);
	}
	sample_batch_release(&batch);
	sample_source_free(source);
}

static void add_events(struct damage_outcome *outcome, const struct run *run)
{
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		begin_record(outcome);
		add_number(outcome, "t", event->t_ns != TIME_NONE, event->t_ns);
		add_number(outcome, "end", event->end_ns != TIME_NONE, event->end_ns);
		add_text(outcome, "type", event->type_name);
		add_text(outcome, "name", event->name);
		add_text(outcome, "extras", event->extras);
		end_record(outcome);
	}
}

static void add_said_text(
	struct damage_outcome *outcome, const char *name, const char *value)
{
	if (!value)
		return;
	begin_record(outcome);
	add_text(outcome, name, value);
	end_record(outcome);
}

static void add_said_number(
	struct damage_outcome *outcome, const char *name, int64_t value)
{
	if (value < 0)
		return;
	begin_record(outcome);
	add_number(outcome, name, true, value);
	end_record(outcome);
}

static void add_manifest(struct damage_outcome *outcome, const struct run *run)
{
	add_said_text(outcome, "run_id", run->run_id);
	add_said_text(outcome, "command", run->command);
	add_said_text(outcome, "host", run->host);
	add_said_text(outcome, "kernel", run->kernel);
	add_said_text(outcome, "cpu_model", run->cpu_model);
	add_said_text(outcome, "driver", run->driver);
	add_said_text(outcome, "query", run->query);
	add_said_text(outcome, "zone", run->zone);
	add_said_number(outcome, "cpu_count", run->cpu_count);
	add_said_number(outcome, "mem_total_kib", run->mem_total_kib);
	add_said_number(outcome, "interval_ns", run->interval_ns);
	add_said_number(outcome, "dmon_interval_ns", run->dmon_interval_ns);
	add_said_number(outcome, "started_ns", run->started_ns);
	add_said_number(outcome, "ended_ns", run->ended_ns);
	add_said_number(outcome, "exit_status", run->exit_status);
	if (!run->device_count)
		return;
	begin_record(outcome);
	for (size_t i = 0; i < run->device_count; i++) {
		strbuf_addf(&outcome->text, "%zu ", i);
		add_text(outcome, "uuid", run->device[i].uuid);
		strbuf_addf(&outcome->text, "%zu ", i);
		add_text(outcome, "bus_id", run->device[i].bus_id);
		strbuf_addf(&outcome->text, "%zu ", i);
		add_text(outcome, "model", run->device[i].model);
	}
	end_record(outcome);
}

static void add_diagnostics(struct damage_outcome *outcome, const struct diag_list *diags)
{
	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *diag = &diags->at[i];

		*(diag->damage ? &outcome->damage : &outcome->remarks) += diag->count;
		strbuf_addf(&outcome->said, "%s: %s; ", diag->id, diag->text);
	}
}

void outcome_read(struct damage_outcome *outcome, const char *path)
{
	const struct read_options options = {
		.formats = log_formats(), .path = &path, .path_count = 1};
	struct reading *reading;
	struct error err;
	struct run run;

	strbuf_clear(&outcome->text);
	strbuf_clear(&outcome->said);
	outcome->count = outcome->facts = 0;
	outcome->damage = outcome->remarks = 0;
	run_init(&run, path);
	outcome->readable = read_survey(&reading, &run, &options, &err) == 0;
	outcome->kind = outcome->readable ? run.file[0].kind : SOURCE_NONE;
	if (outcome->readable) {
		if (source_has_samples(outcome->kind))
			read_kind(outcome, reading, &run, outcome->kind);
		add_events(outcome, &run);
		if (outcome->kind == SOURCE_MANIFEST)
			add_manifest(outcome, &run);
		reading_free(reading);
	}
	outcome->rows = outcome->readable ? run.file[0].rows : 0;
	add_diagnostics(outcome, &run.diags);
	if (!outcome->readable)
		strbuf_adds(&outcome->said, err.message);
	run_release(&run);
}

/* The field that begins as `field` up to its '='; NULL: there is none. */
static const char *find_field(const char *record, const char *field)
{
	size_t name = (size_t)(strchr(field, '=') - field) + 1;

	for (; *record; record = strchr(record, FIELD_END) + 1)
		if (strncmp(record, field, name) == 0)
			return record;
	return NULL;
}

static size_t field_length(const char *field)
{
	return (size_t)(strchr(field, FIELD_END) - field);
}

bool record_shares(const char *a, const char *b, const char *name)
{
	const char *field = find_field(a, name), *other = find_field(b, name);

	return field && other && field_length(field) == field_length(other) &&
		strncmp(field, other, field_length(field)) == 0;
}

int64_t record_number(const char *record, const char *name)
{
	const char *field = find_field(record, name);
	char *end = NULL;
	int64_t number = field ? strtoll(field + strlen(name), &end, 10) : 0;

	return end && end > field + strlen(name) ? number : INT64_MIN;
}

struct difference record_compare(const char *expected, const char *actual)
{
	struct difference difference = {0, 0, false};
	const char *field, *other;

	for (field = expected; *field; field += field_length(field) + 1) {
		size_t len = field_length(field);

		other = find_field(actual, field);
		if (other && strncmp(field, other, len + 1) == 0)
			continue;
		if (!other || strncmp(strchr(other, '=') + 1, "-\x1f", 2) == 0)
			difference.lost++;
		else if (strncmp(field, "t=", 2) == 0 ||
			strncmp(field, "device=", 7) == 0)
			difference.moved = true;
		else
			difference.changed++;
	}
	for (field = actual; *field; field += field_length(field) + 1)
		if (!find_field(expected, field))
			difference.changed++;
	return difference;
}
