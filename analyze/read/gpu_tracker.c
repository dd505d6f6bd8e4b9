/*
 * gpu_tracker's tracking files: CSV with the static data in two rows before the header,
 * or a database with the same in two tables. A row is one time point of a process, its
 * descendants, both together, and the host; its RAM is in a decimal unit of a byte that
 * the static data name. Megabytes of GPU memory are MiB in truth, as nvidia-smi says
 * them, and its other units are made of those.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/format.h"
#include "read/identity.h"
#include "read/records.h"

enum who {
	WHO_MAIN,
	WHO_DESCENDANTS,
	WHO_COMBINED,
	WHO_HOST,
	WHO_COUNT
};

static const char *const who_name[] = {"main", "descendants", "combined", "host"};
static const char *const tables[] = {"static_data", "data", NULL};

/* What the static data are called; the units come first. */
enum static_name {
	STATIC_RAM_UNIT,
	STATIC_GPU_RAM_UNIT,
	STATIC_TIME_UNIT,
	STATIC_RAM_CAPACITY,
	STATIC_GPU_RAM_CAPACITY,
	STATIC_CORES,
	STATIC_EXPECTED_CORES,
	STATIC_GPUS,
	STATIC_EXPECTED_GPUS,
	STATIC_COUNT
};

static const char *const static_name[STATIC_COUNT] = {"ram_unit", "gpu_ram_unit",
	"time_unit", "ram_system_capacity", "gpu_ram_system_capacity",
	"system_core_count", "n_expected_cores", "system_gpu_count", "n_expected_gpus"};

/* A percentage of the hardware is a sum by a number that the static data name. */
static const struct {
	const char *sum, *hardware;
	enum static_name divisor;
} shares[] = {
	{"cpu_system_sum_utilization_percent", "cpu_system_hardware_utilization_percent",
		STATIC_CORES},
	{"cpu_main_sum_utilization_percent", "cpu_main_hardware_utilization_percent",
		STATIC_EXPECTED_CORES},
	{"cpu_descendants_sum_utilization_percent",
		"cpu_descendants_hardware_utilization_percent", STATIC_EXPECTED_CORES},
	{"cpu_combined_sum_utilization_percent",
		"cpu_combined_hardware_utilization_percent", STATIC_EXPECTED_CORES},
	{"gpu_sum_utilization_percent", "gpu_hardware_utilization_percent",
		STATIC_EXPECTED_GPUS},
};

#define SHARES (sizeof shares / sizeof shares[0])

struct tracker_column {
	struct column column;
	enum who who; /* of a metric */
};

struct tracker {
	struct sample_source source;
	struct log *log;
	struct records records;
	enum data_unit ram, gpu_ram; /* NONE: not said yet */
	bool bad_ram, bad_gpu_ram; /* said, but not known: such values are not used */
	struct span *name; /* of the static data; NULL: their values do not follow */
	struct strbuf names; /* ... and where they are kept */
	size_t name_count;
	struct tracker_column *column;
	size_t column_count, column_cap;
	size_t sum[SHARES], hardware[SHARES]; /* columns; SIZE_MAX: none */
	bool header_pending;
	bool bound; /* the columns have their places in the batch */
	uint32_t device[WHO_COUNT];
	enum who order[WHO_COUNT]; /* ascending devices */
};

static size_t find_cell(const struct span *cell, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (span_is(cell[i], name))
			return i;
	return SIZE_MAX;
}

static bool is_static_header(const struct span *cell, size_t count)
{
	return find_cell(cell, count, static_name[STATIC_RAM_UNIT]) != SIZE_MAX &&
		find_cell(cell, count, "timestamp") == SIZE_MAX;
}

static bool is_header(const struct span *cell, size_t count)
{
	bool metric = false;

	if (find_cell(cell, count, "timestamp") == SIZE_MAX)
		return false; /* as of nearly all rows */
	for (size_t i = 0; i < count; i++)
		metric |= binding_find(SOURCE_GPU_TRACKER, cell[i]) != NULL;
	return metric;
}

static int bid(const struct probe *probe)
{
	struct csv_row row;
	int bits = 0;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !bits; i++) {
		csv_split(&row, probe->line[i]);
		bits = is_header(row.cell, row.count) ? 60 : 0;
	}
	csv_row_release(&row);
	return bits;
}

/* Static data come as names, then values; the names are kept until then. */
static void keep_names(struct tracker *t)
{
	size_t offset = 0;

	strbuf_clear(&t->names);
	free(t->name);
	t->name_count = t->records.count;
	t->name = xcalloc(t->name_count, sizeof *t->name);
	for (size_t i = 0; i < t->name_count; i++)
		strbuf_add(&t->names, t->records.cell[i].at, t->records.cell[i].len);
	for (size_t i = 0; i < t->name_count; i++) {
		t->name[i] =
			(struct span){t->names.text + offset, t->records.cell[i].len};
		offset += t->name[i].len;
	}
}

static enum data_unit read_unit(
	struct tracker *t, const char *name, struct span value, bool *bad)
{
	enum data_unit unit = data_unit_find(value);

	*bad = unit == DATA_UNIT_NONE;
	if (*bad)
		log_note(t->log, true, "bad-unit", span_of(name),
			"'%s' is no %s; expected bytes, kilobytes, megabytes, gigabytes "
			"or terabytes; its values are not used",
			log_quote(value).text, name);
	return unit;
}

/* What other tools' manifests say too. */
static void complete_run(struct tracker *t)
{
	struct run *run = t->log->run;
	const char *cores = run_fact(run, static_name[STATIC_CORES]);
	const char *ram = run_fact(run, static_name[STATIC_RAM_CAPACITY]);
	int64_t bytes;
	uint64_t count;

	if (run->mem_total_kib < 0 && ram && t->ram != DATA_UNIT_NONE &&
		number_scaled(span_of(ram), data_unit_bytes(t->ram), &bytes) && bytes > 0)
		run->mem_total_kib = bytes / 1024;
	if (run->cpu_count < 0 && cores && number_unsigned(span_of(cores), &count) &&
		count > 0 && count <= 1000000)
		run->cpu_count = (int32_t)count;
}

static void take_static(struct tracker *t)
{
	const struct records *r = &t->records;

	if (r->count != t->name_count)
		log_refuse(t->log, "field-count",
			"static data of %zu fields; their header has %zu", r->count,
			t->name_count);
	for (size_t i = 0; i < STATIC_COUNT && r->count == t->name_count; i++) {
		size_t at = find_cell(t->name, t->name_count, static_name[i]);

		if (at == SIZE_MAX || r->cell[at].len > TEXT_BYTES_MAX ||
			!span_is_text(r->cell[at]))
			continue;
		if (i == STATIC_RAM_UNIT)
			t->ram = read_unit(t, static_name[i], r->cell[at], &t->bad_ram);
		if (i == STATIC_GPU_RAM_UNIT)
			t->gpu_ram = read_unit(
				t, static_name[i], r->cell[at], &t->bad_gpu_ram);
		run_add_fact(t->log->run, static_name[i], r->cell[at]);
	}
	complete_run(t);
	free(t->name);
	t->name = NULL;
}

/* Older files don't name their units: as asked for, else the tool's own default. */
static void assume_units(struct tracker *t)
{
	const struct dialect_options *asked = &t->log->units;

	if ((t->ram != DATA_UNIT_NONE || t->bad_ram) &&
		(t->gpu_ram != DATA_UNIT_NONE || t->bad_gpu_ram))
		return;
	if (t->ram == DATA_UNIT_NONE)
		t->ram = asked->ram != DATA_UNIT_NONE ? asked->ram : DATA_UNIT_GIGABYTES;
	if (t->gpu_ram == DATA_UNIT_NONE)
		t->gpu_ram = asked->gpu_ram != DATA_UNIT_NONE ? asked->gpu_ram
							      : DATA_UNIT_GIGABYTES;
	log_note(t->log, false, "no-units", (struct span){NULL, 0},
		"the file does not name its units: memory is read as %s, GPU memory as "
		"%s; --ram-unit and --gpu-ram-unit say it otherwise",
		data_unit_name(t->ram), data_unit_name(t->gpu_ram));
}

static bool ends_with(struct span text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len && memcmp(text.at + text.len - len, end, len) == 0;
}

static enum who who_of(struct span name)
{
	if (span_begins(name, "cpu_"))
		name.at += 4, name.len -= 4;
	for (enum who who = WHO_MAIN; who < WHO_HOST; who++)
		if (span_begins(name, who_name[who]))
			return who;
	return WHO_HOST;
}

/* Memory in the unit of the file. */
static void scale_column(const struct tracker *t, struct column *column, struct span name)
{
	bool gpu_ram = ends_with(name, "_gpu_ram"), ram = ends_with(name, "_ram");

	if (gpu_ram)
		column->bare = data_unit_bytes(t->gpu_ram);
	else if (ram)
		column->bare = data_unit_bytes(t->ram);
	if (gpu_ram ? t->bad_gpu_ram : ram && t->bad_ram)
		column->role = ROLE_KNOWN;
}

static void add_column(struct tracker *t, size_t at, struct span name)
{
	struct tracker_column *c = &t->column[at];
	struct column *column = &c->column;

	*c = (struct tracker_column){.column.role = ROLE_IGNORED, .who = who_of(name)};
	if (span_is(name, "timestamp"))
		column->role = ROLE_TIME;
	for (size_t i = 0; i < SHARES; i++)
		if (span_is(name, shares[i].hardware))
			column->role = ROLE_KNOWN;
	column->binding = binding_find(SOURCE_GPU_TRACKER, name);
	for (size_t i = 0; column->binding && i < at; i++)
		if (t->column[i].column.binding == column->binding)
			column->binding = NULL; /* the first one counts */
	if (column->binding) {
		column->role = ROLE_METRIC;
		column->kind = metric_get(column->binding->metric)->kind;
		column->name = column->binding->name;
		column->bare = metric_get(column->binding->metric)->per_unit;
		scale_column(t, column, name);
	}
	if (column->role == ROLE_IGNORED)
		log_note(t->log, false, "unknown-column", name, "column '%s' is not used",
			log_quote(name).text);
}

static void name_columns(struct tracker *t)
{
	const struct records *r = &t->records;

	assume_units(t);
	ALLOC_GROW(t->column, r->count, t->column_cap);
	t->column_count = r->count;
	for (size_t i = 0; i < r->count; i++)
		add_column(t, i, r->cell[i]);
	for (size_t i = 0; i < SHARES; i++) {
		t->sum[i] = find_cell(r->cell, r->count, shares[i].sum);
		t->hardware[i] = find_cell(r->cell, r->count, shares[i].hardware);
	}
	t->header_pending = true;
	t->bound = false;
}

/* Older files don't say by what the sums were divided: their quotients do. */
static void find_divisors(struct tracker *t)
{
	struct run *run = t->log->run;

	for (size_t i = 0; i < SHARES; i++) {
		const char *name = static_name[shares[i].divisor];
		int64_t sum, hardware, divisor;
		struct strbuf text;

		if (t->sum[i] == SIZE_MAX || t->hardware[i] == SIZE_MAX ||
			run_fact(run, name) ||
			!number_scaled(t->records.cell[t->sum[i]], 1000000, &sum) ||
			!number_scaled(
				t->records.cell[t->hardware[i]], 1000000, &hardware) ||
			sum <= 0 || hardware <= 0)
			continue;
		divisor = (sum + hardware / 2) / hardware;
		if (divisor < 1 || divisor > 1000000 ||
			fabs((double)sum / (double)divisor - (double)hardware) > 1)
			continue;
		strbuf_init(&text);
		strbuf_addf(&text, "%lld", (long long)divisor);
		run_add_fact(run, name, (struct span){text.text, text.len});
		strbuf_release(&text);
	}
}

/* The devices are added with the first row, or known from another log. */
static void name_devices(struct tracker *t)
{
	size_t n = 0;

	for (enum who who = 0; who < WHO_COUNT; who++) {
		t->device[who] = identity_named(t->log->run,
			who == WHO_HOST ? DEVICE_HOST : DEVICE_TREE, who_name[who]);
		for (n = who; n && t->device[t->order[n - 1]] > t->device[who]; n--)
			t->order[n] = t->order[n - 1];
		t->order[n] = who;
	}
}

static void bind_batch(struct tracker *t, struct sample_batch *batch)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (t->column[i].column.role == ROLE_METRIC)
			t->column[i].column.batch_column = sample_batch_column(
				batch, t->column[i].column.binding->metric);
	t->bound = true;
}

static void put_row(struct tracker *t, struct sample_batch *batch, int64_t t_ns)
{
	batch->timed = true;
	if (!t->bound)
		bind_batch(t, batch);
	name_devices(t);
	for (size_t i = 0; i < WHO_COUNT; i++) {
		enum who who = t->order[i];
		size_t row = sample_batch_add(batch, t_ns, t->device[who]);

		batch->line[row] = log_line_number(t->log);
		batch->header[row] = t->header_pending;
		t->header_pending = false;
		for (size_t c = 0; c < t->column_count; c++)
			if (t->column[c].column.role == ROLE_METRIC &&
				t->column[c].who == who)
				columns_put_cell(&t->column[c].column, t->log, batch, row,
					t->records.cell[c]);
	}
	t->log->file->rows++;
}

static void take_row(struct tracker *t, struct sample_batch *batch)
{
	const struct records *r = &t->records;
	int64_t t_ns = 0;

	if (!t->column_count || r->count != t->column_count || r->torn) {
		if (!t->column_count)
			log_refuse(t->log, "no-header",
				"a row before the names of its columns");
		else if (r->torn)
			log_refuse(t->log, "torn-line",
				"the file ends without a newline; the time of its last "
				"row may be cut");
		else
			log_refuse(t->log, "field-count",
				"a row of %zu fields; the header has %zu", r->count,
				t->column_count);
		return;
	}
	for (size_t i = 0; i < t->column_count; i++) {
		if (t->column[i].column.role != ROLE_TIME ||
			time_parse_seconds(r->cell[i], &t_ns))
			continue;
		log_refuse(t->log, "bad-time",
			"'%s' is no time; expected seconds since 1970",
			log_quote(r->cell[i]).text);
		return;
	}
	find_divisors(t);
	put_row(t, batch, t_ns);
}

static int tracker_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct tracker *t = (struct tracker *)source;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_GPU_TRACKER;
	t->bound = false;
	while (batch->rows + WHO_COUNT <= SAMPLE_BATCH_ROWS &&
		records_next(&t->records)) {
		const struct records *r = &t->records;

		if (is_header(r->cell, r->count))
			name_columns(t);
		else if (is_static_header(r->cell, r->count))
			keep_names(t);
		else if (t->name)
			take_static(t);
		else
			take_row(t, batch);
	}
	return batch->rows > 0;
}

static void tracker_free(struct sample_source *source)
{
	struct tracker *t = (struct tracker *)source;

	records_close(&t->records);
	strbuf_release(&t->names);
	free(t->name);
	free(t->column);
	log_free(t->log);
	free(t);
}

static struct sample_source *tracker_open(struct log *log)
{
	struct tracker *t = xcalloc(1, sizeof *t);

	t->source = (struct sample_source){tracker_next, tracker_free};
	t->log = log;
	strbuf_init(&t->names);
	records_open(&t->records, log, tables);
	return &t->source;
}

const struct format format_gpu_tracker = {
	SOURCE_GPU_TRACKER, bid, NULL, false, tracker_open, NULL};
