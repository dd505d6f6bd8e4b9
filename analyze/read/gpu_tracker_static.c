/* Values wait for the header: only then is it known that their line is whole. */
#include "read/gpu_tracker_static.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

static const char *const static_name[STATIC_COUNT] = {"ram_unit", "gpu_ram_unit",
	"time_unit", "ram_system_capacity", "gpu_ram_system_capacity",
	"system_core_count", "n_expected_cores", "system_gpu_count", "n_expected_gpus"};

const char *static_data_name(enum static_name name)
{
	return static_name[name];
}

static bool is_static_name(struct span name)
{
	for (size_t i = 0; i < STATIC_COUNT; i++)
		if (span_is(name, static_name[i]))
			return true;
	return false;
}

static bool is_static_header(const struct span *cell, size_t count)
{
	bool named = false;

	for (size_t i = 0; i < count && !named; i++)
		named = is_static_name(cell[i]);
	return named && records_find(cell, count, "timestamp") == SIZE_MAX;
}

static void keep(struct kept *kept, const struct records *r)
{
	size_t offset = 0;

	strbuf_clear(&kept->text);
	ALLOC_GROW(kept->cell, r->count, kept->cap);
	kept->count = r->count;
	for (size_t i = 0; i < r->count; i++)
		strbuf_add(&kept->text, r->cell[i].at, r->cell[i].len);
	for (size_t i = 0; i < r->count; i++) {
		kept->cell[i] = (struct span){kept->text.text + offset, r->cell[i].len};
		offset += r->cell[i].len;
	}
}

static void release(struct kept *kept)
{
	strbuf_release(&kept->text);
	free(kept->cell);
}

/* As many as there are names. */
static void take_values(struct static_data *s, const struct records *r)
{
	s->spaced = r->holes > s->holes;
	s->holes = r->holes;
	s->line = log_line_number(s->log);
	if (r->count == s->names.count) {
		keep(&s->values, r);
		return;
	}
	log_refuse(s->log, "field-count",
		"static data of %zu fields; their header has %zu", r->count,
		s->names.count);
	s->names.count = 0;
	s->lost = true;
}

bool static_data_take(struct static_data *s, const struct records *r)
{
	if (is_static_header(r->cell, r->count)) {
		keep(&s->names, r);
		s->values.count = 0;
		s->cut = false;
		s->holes = r->holes;
		return true;
	}
	if (!s->names.count || s->values.count)
		return false;
	take_values(s, r);
	return true;
}

/* One cell alone is none of them, but it may be the end of the last value. */
void static_data_refuse(struct static_data *s, const struct records *r)
{
	s->cut = s->values.count > 0;
	s->lost |= r->count > 1;
}

void static_data_end(struct static_data *s)
{
	s->lost = false;
}

/* NONE: no such unit. */
static enum data_unit read_unit(
	struct static_data *s, enum static_name name, struct span value)
{
	enum data_unit unit = data_unit_find(value);

	if (unit == DATA_UNIT_NONE)
		log_note(s->log, true, "bad-unit", span_of(static_name[name]),
			"'%s' is no %s; expected bytes, kilobytes, megabytes, gigabytes "
			"or terabytes; its values are not used",
			log_quote(value).text, static_name[name]);
	else
		run_add_fact(s->log->run, static_name[name], value);
	return unit;
}

/* What stood where the unit should be is lost: nobody may guess it. */
static enum data_unit miss_unit(
	struct static_data *s, enum static_name name, enum data_unit asked)
{
	if (asked == DATA_UNIT_NONE)
		log_note(s->log, true, "bad-unit", span_of(static_name[name]),
			"no static data say %s any more; its values are not used",
			static_name[name]);
	return asked;
}

/* Of the first `count` of the values. */
static enum data_unit find_unit(
	struct static_data *s, size_t count, enum static_name name, enum data_unit asked)
{
	size_t at = records_find(s->names.cell, count, static_name[name]);

	return at == SIZE_MAX ? miss_unit(s, name, asked)
			      : read_unit(s, name, s->values.cell[at]);
}

/* Of no unit of memory. */
static bool is_static_value(enum static_name name, struct span value)
{
	uint64_t count;
	int64_t bytes;

	if (name == STATIC_TIME_UNIT)
		return time_unit_find(value) != TIME_UNIT_NONE;
	if (name == STATIC_RAM_CAPACITY || name == STATIC_GPU_RAM_CAPACITY)
		return number_scaled(value, 1, &bytes) && bytes >= 0;
	return number_unsigned(value, &count);
}

static void find_facts(struct static_data *s, size_t count)
{
	for (enum static_name name = STATIC_TIME_UNIT; name < STATIC_COUNT; name++) {
		size_t at = records_find(s->names.cell, count, static_name[name]);

		if (at == SIZE_MAX)
			continue;
		if (is_static_value(name, s->values.cell[at]))
			run_add_fact(s->log->run, static_name[name], s->values.cell[at]);
		else
			log_note(s->log, true, "bad-value", span_of(static_name[name]),
				"'%s' is nothing that %s can be; it is not used",
				log_quote(s->values.cell[at]).text, static_name[name]);
	}
}

/* What other tools' manifests say too. */
static void complete_run(struct static_data *s)
{
	struct run *run = s->log->run;
	const char *cores = run_fact(run, static_name[STATIC_CORES]);
	const char *ram = run_fact(run, static_name[STATIC_RAM_CAPACITY]);
	int64_t bytes;
	uint64_t count;

	if (run->mem_total_kib < 0 && ram && s->ram != DATA_UNIT_NONE &&
		number_scaled(span_of(ram), data_unit_bytes(s->ram), &bytes) && bytes > 0)
		run->mem_total_kib = bytes / 1024;
	if (run->cpu_count < 0 && cores && number_unsigned(span_of(cores), &count) &&
		count > 0 && count <= 1000000)
		run->cpu_count = (int32_t)count;
}

static void note_names(const struct static_data *s)
{
	for (size_t i = 0; i < s->names.count; i++) {
		struct span name = s->names.cell[i];

		if (name.len && !is_static_name(name))
			log_note(s->log, false, "unknown-column", name,
				"'%s' of the static data is not used",
				log_quote(name).text);
	}
}

/* count: of the values that are there; 0: they are lost. */
static void use_values(struct static_data *s, size_t count)
{
	s->ram = find_unit(s, count, STATIC_RAM_UNIT, s->log->units.ram);
	s->gpu_ram = find_unit(s, count, STATIC_GPU_RAM_UNIT, s->log->units.gpu_ram);
	find_facts(s, count);
	complete_run(s);
}

/* The line of the values may have been broken within the last one. */
static void use_kept(struct static_data *s)
{
	size_t count = s->values.count;
	uint64_t line = s->log->record;

	s->log->record = s->line;
	note_names(s);
	if (s->cut) {
		struct span last = s->names.cell[--count];

		log_note(s->log, true, "bad-value", last,
			"the line of the static data is broken: %s may be cut and is not "
			"used",
			log_quote(last).text);
	}
	use_values(s, count);
	s->log->record = line;
}

/* Older files name no units. */
static void assume_units(struct static_data *s)
{
	const struct dialect_options *asked = &s->log->units;

	s->ram = asked->ram != DATA_UNIT_NONE ? asked->ram : DATA_UNIT_GIGABYTES;
	s->gpu_ram =
		asked->gpu_ram != DATA_UNIT_NONE ? asked->gpu_ram : DATA_UNIT_GIGABYTES;
	log_note(s->log, false, "no-units", (struct span){NULL, 0},
		"the file does not name its units: memory is read as %s, GPU memory as "
		"%s; --ram-unit and --gpu-ram-unit say it otherwise",
		data_unit_name(s->ram), data_unit_name(s->gpu_ram));
}

void static_data_settle(struct static_data *s, const struct records *r)
{
	s->cut |= !s->spaced && r->holes > s->holes;
	if (s->values.count)
		use_kept(s);
	else if (s->lost || s->names.count)
		use_values(s, 0);
	else if (!s->settled)
		assume_units(s);
	s->names.count = s->values.count = 0;
	s->lost = s->cut = false;
	s->settled = true;
}

void static_data_init(struct static_data *s, struct log *log)
{
	*s = (struct static_data){.log = log};
	strbuf_init(&s->names.text);
	strbuf_init(&s->values.text);
}

void static_data_release(struct static_data *s)
{
	release(&s->names);
	release(&s->values);
}
