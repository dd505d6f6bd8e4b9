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
#include "read/gpu_tracker_static.h"
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
	struct static_data fixed;
	struct tracker_column *column;
	size_t column_count, column_cap;
	size_t time_at; /* the column; SIZE_MAX: none yet */
	size_t sum[SHARES], hardware[SHARES]; /* columns; SIZE_MAX: none */
	bool header_pending;
	bool bound; /* the columns have their places in the batch */
	uint32_t device[WHO_COUNT];
	enum who order[WHO_COUNT]; /* ascending devices */
};

static bool is_header(const struct span *cell, size_t count)
{
	bool metric = false;

	if (records_find(cell, count, "timestamp") == SIZE_MAX)
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
	enum data_unit unit =
		ends_with(name, "_gpu_ram") ? t->fixed.gpu_ram : t->fixed.ram;

	if (!ends_with(name, "_ram"))
		return;
	if (unit == DATA_UNIT_NONE)
		column->role = ROLE_KNOWN;
	else
		column->bare = data_unit_bytes(unit);
}

static void add_column(struct tracker *t, size_t at, struct span name)
{
	struct tracker_column *c = &t->column[at];
	struct column *column = &c->column;

	*c = (struct tracker_column){.column.role = ROLE_IGNORED, .who = who_of(name)};
	if (at == t->time_at)
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

	static_data_settle(&t->fixed, r);
	t->time_at = records_find(r->cell, r->count, "timestamp");
	ALLOC_GROW(t->column, r->count, t->column_cap);
	t->column_count = r->count;
	for (size_t i = 0; i < r->count; i++)
		add_column(t, i, r->cell[i]);
	for (size_t i = 0; i < SHARES; i++) {
		t->sum[i] = records_find(r->cell, r->count, shares[i].sum);
		t->hardware[i] = records_find(r->cell, r->count, shares[i].hardware);
	}
	t->header_pending = true;
	t->bound = false;
}

/* Older files don't say by what the sums were divided: their quotients do. */
static void find_divisors(struct tracker *t)
{
	struct run *run = t->log->run;

	for (size_t i = 0; i < SHARES; i++) {
		const char *name = static_data_name(shares[i].divisor);
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

static bool is_row(const void *reader, const struct span *cell, size_t count)
{
	const struct tracker *t = reader;
	int64_t t_ns;

	return t->column_count && count == t->column_count &&
		time_parse_seconds(cell[t->time_at], &t_ns);
}

/* A row that is none. */
static void refuse_row(struct tracker *t)
{
	const struct records *r = &t->records;

	static_data_refuse(&t->fixed, r);
	if (r->broken)
		return; /* it was said */
	if (!t->column_count)
		log_refuse(t->log, "no-header", "a row before the names of its columns");
	else if (r->torn && r->count == t->column_count)
		log_refuse(t->log, "no-newline",
			"the file ends without a newline; the time of its last row may "
			"be cut");
	else if (r->torn)
		log_refuse(t->log, "torn-line",
			"the file ends in the middle of a row: %zu of %zu fields",
			r->count, t->column_count);
	else
		log_refuse(t->log, "field-count",
			"a row of %zu fields; the header has %zu", r->count,
			t->column_count);
}

static void take_row(struct tracker *t, struct sample_batch *batch)
{
	const struct records *r = &t->records;
	int64_t t_ns = 0;

	if (r->broken || r->torn || !t->column_count || r->count != t->column_count) {
		refuse_row(t);
		return;
	}
	static_data_end(&t->fixed);
	if (!time_parse_seconds(r->cell[t->time_at], &t_ns)) {
		log_refuse(t->log, "bad-time",
			"'%s' is no time; expected seconds since 1970",
			log_quote(r->cell[t->time_at]).text);
		return;
	}
	find_divisors(t);
	put_row(t, batch, t_ns);
}

static void take_record(struct tracker *t, struct sample_batch *batch)
{
	const struct records *r = &t->records;

	if (!r->broken && is_header(r->cell, r->count))
		name_columns(t);
	else if (r->broken || !static_data_take(&t->fixed, r))
		take_row(t, batch);
}

static int tracker_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct tracker *t = (struct tracker *)source;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_GPU_TRACKER;
	batch->snapshots = true;
	t->bound = false;
	while (batch->rows + WHO_COUNT <= SAMPLE_BATCH_ROWS && records_next(&t->records))
		take_record(t, batch);
	return batch->rows > 0;
}

static void tracker_free(struct sample_source *source)
{
	struct tracker *t = (struct tracker *)source;

	records_close(&t->records);
	static_data_release(&t->fixed);
	free(t->column);
	log_free(t->log);
	free(t);
}

static struct sample_source *tracker_open(struct log *log)
{
	struct tracker *t = xcalloc(1, sizeof *t);

	t->source = (struct sample_source){tracker_next, tracker_free};
	t->log = log;
	t->time_at = SIZE_MAX;
	static_data_init(&t->fixed, log);
	records_open(&t->records, log, tables);
	t->records.is_row = is_row;
	t->records.reader = t;
	return &t->source;
}

const struct format format_gpu_tracker = {
	.kind = SOURCE_GPU_TRACKER, .bid = bid, .open = tracker_open};
