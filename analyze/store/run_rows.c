/*
 * A stored run as the struct that the reader filled, so that what is said of it does
 * not depend on where it came from. What writes a table stands beside what reads it.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/* Columns of a table: their name, how they are kept, the member of the struct. */

#define RUN_FIELDS(FIELD)                                \
	FIELD(is_directory, flag, is_directory)          \
	FIELD(manifest_id, text, run_id)                 \
	FIELD(command, text, command)                    \
	FIELD(host, text, host)                          \
	FIELD(kernel, text, kernel)                      \
	FIELD(cpu_model, text, cpu_model)                \
	FIELD(driver, text, driver)                      \
	FIELD(query, text, query)                        \
	FIELD(manifest_zone, text, zone)                 \
	FIELD(cpu_count, known, cpu_count)               \
	FIELD(mem_total_kib, known, mem_total_kib)       \
	FIELD(interval_ns, known, interval_ns)           \
	FIELD(dmon_interval_ns, known, dmon_interval_ns) \
	FIELD(command_started_ns, time, started_ns)      \
	FIELD(command_ended_ns, time, ended_ns)          \
	FIELD(exit_status, known, exit_status)           \
	FIELD(time_zone, name, time_zone)                \
	FIELD(time_source, name, time_source)
#define FILE_FIELDS(FIELD)                     \
	FIELD(path, text, path)                \
	FIELD(source, source, kind)            \
	FIELD(size, int, size)                 \
	FIELD(mtime_ns, int, mtime_ns)         \
	FIELD(hash, int, hash)                 \
	FIELD(row_count, int, rows)            \
	FIELD(refused, int, refused)           \
	FIELD(content_size, int, content_size) \
	FIELD(content_hash, int, content_hash)
#define EVENT_FIELDS(FIELD)               \
	FIELD(type, event_type, type)     \
	FIELD(t_ns, time, t_ns)           \
	FIELD(end_ns, time, end_ns)       \
	FIELD(type_name, kept, type_name) \
	FIELD(name, kept, name)           \
	FIELD(extras, kept, extras)
#define DIAGNOSTIC_FIELDS(FIELD) \
	FIELD(id, text, id)      \
	FIELD(file, text, file)  \
	FIELD(line, int, line)   \
	FIELD(count, int, count) \
	FIELD(text, text, text)  \
	FIELD(damage, flag, damage)

#define FIELD_COLUMN(column, ...)	", " #column
#define FIELD_MARK(...)			", ?"
#define FIELD_PUT(column, kind, member) PUT_##kind(row, of->member);
#define FIELD_GET(column, kind, member) GET_##kind(of->member);

#define PUT_flag		  sql_put_int
#define PUT_int(row, value)	  sql_put_int(row, (int64_t)(value))
#define PUT_text		  sql_put_text
#define PUT_kept		  sql_put_text
#define PUT_name		  sql_put_text
#define PUT_known		  sql_put_known
#define PUT_time		  sql_put_time
#define PUT_source		  sql_put_source
#define PUT_event_type(row, type) sql_put_text(row, event_types[type])

#define GET_flag(member)       (member) = sql_get_int(row) != 0
#define GET_int(member)	       (member) = (__typeof__(member))sql_get_int(row)
#define GET_text(member)       sql_get_text(row, &(member))
#define GET_kept(member)       (member) = get_kept(row, run)
#define GET_name(member)       sql_get_name(row, member, sizeof(member))
#define GET_known(member)      (member) = (__typeof__(member))sql_get_known(row)
#define GET_time(member)       (member) = sql_get_time(row)
#define GET_source(member)     (member) = sql_get_source(row)
#define GET_event_type(member) (member) = get_event_type(row)

/* What a report says of the run, and the recording. */
#define RUN_SEALED                                                                       \
	"started_ns, ended_ns, duration_s, duration_source, grade, coverage, sessions, " \
	"gap_count" RUN_FIELDS(FIELD_COLUMN)

void run_add_columns(struct strbuf *sb)
{
	strbuf_adds(sb, RUN_FIELDS(FIELD_COLUMN));
}

void run_add_sealed(struct strbuf *sb)
{
	strbuf_adds(sb, ", " SQL_SEALED RUN_SEALED ", seal");
}

/* The path stays the caller's: the operand as it was spelled this time. */
void run_get(struct sql_row *row, struct run *of)
{
	RUN_FIELDS(FIELD_GET)
}

static void run_put(struct sql_row *row, const struct run *of)
{
	RUN_FIELDS(FIELD_PUT)
}

static int write_row(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct evidence *evidence = &report->evidence;
	const char grade[2] = {evidence->grade, '\0'};
	struct sql_row row;

	sql_prepare_of_run(&row, store,
		"UPDATE run SET path = ?2, (" RUN_SEALED ", seal) = "
		"(?, ?, ?, ?, ?, ?, ?, ?" RUN_FIELDS(FIELD_MARK) ", ?) WHERE run_id = ?1",
		run_id, err);
	sql_put_text(&row, report->run->path);
	sql_seal(&row, RUN_SEALED);
	SQL_PUT(&row, TIME(report->started_ns), TIME(report->ended_ns),
		REAL(report->duration_s), TEXT(report->duration_source), TEXT(grade),
		REAL(evidence->coverage), INT(evidence->sessions),
		INT(evidence->gap_count));
	run_put(&row, report->run);
	sql_row_write(&row);
	return sql_row_end(&row);
}

/* Arrays of the run: a table each, a row an element. */

static enum device_kind device_kind_find(const char *name)
{
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		if (strcmp(name, device_kind_name(kind)) == 0)
			return kind;
	return DEVICE_HOST;
}

static enum process_owner owner_find(const char *name)
{
	for (enum process_owner owner = OWNER_RUN; owner < OWNER_COUNT; owner++)
		if (strcmp(name, process_owner_name(owner)) == 0)
			return owner;
	return OWNER_UNKNOWN;
}

static void put_device(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct device *device = &run->device[nth];

	SQL_PUT(row, TEXT(device_kind_name(device->kind)), KNOWN(device->index),
		TEXT(device->name), TEXT(device->uuid), TEXT(device->bus_id),
		TEXT(device->model), KNOWN(device->parent), TEXT(device->host),
		TEXT(process_owner_name(device->owner)), KNOWN(device->draws ? 1 : -1));
}

static bool get_device(struct sql_row *row, struct run *run)
{
	struct device *device;
	char kind[16], owner[16];

	sql_get_name(row, kind, sizeof kind);
	device = run_add_device(run, device_kind_find(kind), (int32_t)sql_get_known(row));
	sql_get_name(row, device->name, sizeof device->name);
	sql_get_text(row, &device->uuid);
	sql_get_text(row, &device->bus_id);
	sql_get_text(row, &device->model);
	device->parent = (int32_t)sql_get_known(row);
	sql_get_text(row, &device->host);
	sql_get_name(row, owner, sizeof owner);
	device->owner = owner_find(owner);
	device->draws = sql_get_known(row) > 0;
	return true;
}

static void put_file(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct run_file *of = &run->file[nth];

	FILE_FIELDS(FIELD_PUT)
}

static bool get_file(struct sql_row *row, struct run *run)
{
	struct run_file *of = run_add_file(run, "");

	FILE_FIELDS(FIELD_GET)
	return true;
}

static const char *const event_types[] = {[EVENT_PHASE] = "phase",
	[EVENT_BEGIN] = "begin",
	[EVENT_END] = "end",
	[EVENT_POINT] = "point"};

static enum event_type get_event_type(struct sql_row *row)
{
	enum event_type type = EVENT_PHASE;
	char name[8];

	sql_get_name(row, name, sizeof name);
	while (type < EVENT_POINT && strcmp(name, event_types[type]) != 0)
		type++;
	return type;
}

static const char *get_kept(struct sql_row *row, struct run *run)
{
	char *text = NULL;

	sql_get_text(row, &text);
	return run_keep_and_free(run, text);
}

static void put_event(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct event *of = &run->event[nth];

	EVENT_FIELDS(FIELD_PUT)
}

static bool get_event(struct sql_row *row, struct run *run)
{
	struct event *of = run_add_event(run);

	EVENT_FIELDS(FIELD_GET)
	return true;
}

static void put_diagnostic(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct diag *of = &run->diags.at[nth];

	DIAGNOSTIC_FIELDS(FIELD_PUT)
}

static bool get_diagnostic(struct sql_row *row, struct run *run)
{
	struct diag_list *diags = &run->diags;
	struct diag *of;

	of = &ALLOC_NEXT(diags->at, diags->count, diags->cap);
	*of = (struct diag){0};
	DIAGNOSTIC_FIELDS(FIELD_GET)
	return true;
}

static void put_missing(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct missing *m = &run->missing.at[nth];
	const char *reason = texts_word(&run->texts, m->reason);

	SQL_PUT(row, SOURCE(m->source), INT(m->device), TEXT(metric_get(m->metric)->name),
		TEXT(reason ? reason : ""), INT(m->count));
}

static bool get_missing(struct sql_row *row, struct run *run)
{
	struct missing missing = {.source = sql_get_source(row)};
	char metric[64], reason[TEXT_BYTES_MAX + 1];

	missing.device = (uint32_t)sql_get_int(row);
	sql_get_name(row, metric, sizeof metric);
	sql_get_name(row, reason, sizeof reason);
	missing.metric = metric_find(span_of(metric));
	missing.reason = texts_number(&run->texts, span_of(reason));
	missing.count = (uint64_t)sql_get_int(row);
	if (missing.metric != METRIC_none)
		missing_add(&run->missing, &missing);
	return missing.metric != METRIC_none;
}

static void put_fact(struct sql_row *row, const struct run *run, size_t nth)
{
	SQL_PUT(row, TEXT(run->fact[nth].name), TEXT(run->fact[nth].value));
}

static bool get_fact(struct sql_row *row, struct run *run)
{
	char *name = NULL, *value = NULL;

	sql_get_text(row, &name);
	sql_get_text(row, &value);
	if (name && value)
		run_add_fact(run, name, span_of(value));
	free(name);
	free(value);
	return true;
}

static enum clock_change_kind kind_of(const char *name)
{
	enum clock_change_kind kind = 0;

	while (kind < CLOCK_CHANGE_KINDS && strcmp(name, clock_change_name(kind)) != 0)
		kind++;
	return kind;
}

static void put_clock_change(struct sql_row *row, const struct run *run, size_t nth)
{
	const struct clock_change *change = &run->clock_change[nth];

	SQL_PUT(row, TEXT(clock_change_name(change->kind)), INT(change->from_ns),
		INT(change->to_ns), INT(change->by_ns));
}

static bool get_clock_change(struct sql_row *row, struct run *run)
{
	struct clock_change change;
	char kind[32];

	sql_get_name(row, kind, sizeof kind);
	change.kind = kind_of(kind);
	change.from_ns = sql_get_int(row);
	change.to_ns = sql_get_int(row);
	change.by_ns = sql_get_int(row);
	if (change.kind != CLOCK_CHANGE_KINDS)
		run_add_clock_change(run, &change);
	return change.kind != CLOCK_CHANGE_KINDS;
}

static const struct run_table {
	const char *name;
	const char *number; /* the column that counts the rows from 0 */
	const char
		*columns; /* the others, in the order of put and get, ", " before each */
	size_t count; /* where struct run says how many there are */
	void (*put)(struct sql_row *row, const struct run *run, size_t nth);
	bool (*get)(struct sql_row *row, struct run *run); /* false: it can't be */
	const char *damage; /* then */
} tables[] = {
	{"device", "device",
		", kind, device_index, name, uuid, bus_id, model, parent, host, owner, "
		"draws",
		offsetof(struct run, device_count), put_device, get_device, NULL},
	{"source_file", "number", FILE_FIELDS(FIELD_COLUMN),
		offsetof(struct run, file_count), put_file, get_file, NULL},
	{"event", "number", EVENT_FIELDS(FIELD_COLUMN), offsetof(struct run, event_count),
		put_event, get_event, NULL},
	{"diagnostic", "number", DIAGNOSTIC_FIELDS(FIELD_COLUMN),
		offsetof(struct run, diags.count), put_diagnostic, get_diagnostic, NULL},
	{"missing_reason", "number", ", source, device, metric, reason, count",
		offsetof(struct run, missing.count), put_missing, get_missing,
		"a reason of an unknown metric"},
	{"run_fact", "number", ", name, value", offsetof(struct run, fact_count),
		put_fact, get_fact, NULL},
	{"clock_change", "number", ", kind, from_ns, to_ns, by_ns",
		offsetof(struct run, clock_change_count), put_clock_change,
		get_clock_change, "an unknown clock change"},
};

#define TABLES	    (sizeof tables / sizeof *tables)
#define TABLES_FILE 2 /* the first ones: devices and files */

static int write_table(struct store *store, int64_t run_id, const struct run_table *table,
	const struct run *run, struct error *err)
{
	size_t count = *(const size_t *)((const char *)run + table->count);
	struct strbuf columns = strbuf_new();
	struct sql_row row;

	strbuf_addf(&columns, "%s%s", table->number, table->columns);
	sql_prepare_sealed(&row, store, table->name, run_id, columns.text, err);
	strbuf_release(&columns);
	for (size_t i = 0; i < count; i++) {
		sql_put_int(&row, (int64_t)i);
		table->put(&row, run, i);
		sql_row_write(&row);
	}
	return sql_row_end(&row);
}

static int read_table(struct store *store, int64_t run_id, const struct run_table *table,
	struct run *run, struct error *err)
{
	struct strbuf text = strbuf_new();
	struct sql_row row;
	int64_t nth = 0;

	strbuf_addf(&text,
		"SELECT %s%s, " SQL_SEALED "* FROM %s WHERE run_id = ? ORDER BY %s",
		table->number, table->columns, table->name, table->number);
	sql_prepare_of_run(&row, store, text.text, run_id, err);
	strbuf_release(&text);
	sql_check_seals(&row, table->name);
	while (sql_row_next(&row)) {
		bool follows = sql_get_int(&row) == nth++;

		if (!follows && table->get == get_device)
			sql_row_damaged(&row, "a device of a run is missing");
		else if (!table->get(&row, run))
			sql_row_damaged(&row, table->damage);
	}
	return sql_row_end(&row);
}

/* Whose rows a file has, and where rows of it were refused. */

#define GPU_COLUMNS  "file, device"
#define LOST_COLUMNS "file, line, last_line, after_ns, before_ns, row_count"

static int write_gpus(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	struct sql_row row;

	sql_prepare_sealed(&row, store, "source_file_gpu", run_id, GPU_COLUMNS, err);

	for (size_t i = 0; i < run->file_count; i++)
		for (uint32_t gpu = 0; gpu < run->file[i].gpu_count; gpu++)
			if (run_file_has_gpu(&run->file[i], gpu))
				SQL_WRITE(&row, INT(i), INT(gpu));
	return sql_row_end(&row);
}

static int write_lost_rows(struct store *store, int64_t run_id,
	const struct run_file *file, int64_t number, struct error *err)
{
	struct sql_row row;

	sql_prepare_sealed(
		&row, store, "source_file_lost", run_id, "number, " LOST_COLUMNS, err);

	for (size_t i = 0; i < file->lost.count; i++) {
		const struct lost_stretch *lost = &file->lost.at[i];

		SQL_WRITE(&row, INT(i), INT(number), INT(lost->line),
			INT(lost->last_line), TIME(lost->after_ns),
			TIME(lost->before_ns == INT64_MAX ? TIME_NONE : lost->before_ns),
			INT(lost->rows));
	}
	return sql_row_end(&row);
}

static int file_gpus_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;

	sql_prepare_of_run(&row, store,
		"SELECT " GPU_COLUMNS ", " SQL_SEALED
		"* FROM source_file_gpu WHERE run_id = ?",
		run_id, err);
	sql_check_seals(&row, "source_file_gpu");
	while (sql_row_next(&row)) {
		int64_t file = sql_get_int(&row), device = sql_get_int(&row);

		if (file < 0 || (uint64_t)file >= run->file_count || device < 0 ||
			(uint64_t)device >= run->device_count)
			sql_row_damaged(&row, "rows of an unknown file");
		else
			run_file_add_gpu(&run->file[file], (uint32_t)device);
	}
	return sql_row_end(&row);
}

static int lost_rows_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;

	sql_prepare_of_run(&row, store,
		"SELECT " LOST_COLUMNS ", " SQL_SEALED
		"* FROM source_file_lost WHERE run_id = ? ORDER BY file, number",
		run_id, err);
	sql_check_seals(&row, "source_file_lost");
	while (sql_row_next(&row)) {
		int64_t file = sql_get_int(&row);
		struct lost_stretch lost;

		lost.line = (uint64_t)sql_get_int(&row);
		lost.last_line = (uint64_t)sql_get_int(&row);
		lost.after_ns = sql_get_time(&row);
		lost.before_ns = sql_get_time(&row);
		lost.rows = (uint64_t)sql_get_int(&row);
		if (lost.before_ns == TIME_NONE)
			lost.before_ns = INT64_MAX;
		if (file < 0 || (uint64_t)file >= run->file_count)
			sql_row_damaged(&row, "lost rows of an unknown file");
		else
			lost_rows_keep(&run->file[file].lost, &lost);
	}
	return sql_row_end(&row);
}

int run_read_files(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	for (size_t i = 0; i < TABLES_FILE; i++)
		if (read_table(store, run_id, &tables[i], run, err) < 0)
			return -1;
	if (file_gpus_read(store, run_id, run, err) < 0)
		return -1;
	return lost_rows_read(store, run_id, run, err);
}

/* The labels of a run, as rows and back. */

int labels_put(struct store *store, int64_t run_id, const struct label_list *labels,
	struct error *err)
{
	struct sql_row row;

	sql_row_prepare(&row, store,
		"REPLACE INTO run_label (run_id, key, value, given) VALUES (?, ?, ?, ?)",
		err);
	for (size_t i = 0; i < labels->count; i++)
		SQL_WRITE(&row, INT(run_id), TEXT(labels->at[i].key),
			TEXT(labels->at[i].value), INT(labels->at[i].given));
	return sql_row_end(&row);
}

int labels_read(
	struct store *store, int64_t run_id, struct label_list *labels, struct error *err)
{
	char *key = NULL, *value = NULL;
	struct sql_row row;

	sql_prepare_of_run(&row, store,
		"SELECT key, value, given FROM run_label WHERE run_id = ? ORDER BY key",
		run_id, err);
	while (sql_row_next(&row)) {
		sql_get_text(&row, &key);
		sql_get_text(&row, &value);
		if (key && value)
			label_set(labels, span_of(key), span_of(value),
				sql_get_int(&row) != 0);
	}
	free(key);
	free(value);
	return sql_row_end(&row);
}

static int add(struct store *store, const char *key, const struct label_list *labels,
	struct error *err)
{
	int64_t run_id;
	int found = run_find(store, key, &run_id, err);

	return found > 0 ? labels_put(store, run_id, labels, err) : found;
}

int store_label_run(struct store *store, const char *key, const struct label_list *labels,
	struct error *err)
{
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (add(store, key, labels, err) == 0 && sql_exec(store, "COMMIT", err) == 0)
		return 0;
	sql_rollback(store);
	return -1;
}

int run_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;

	if (write_row(store, run_id, report, err) < 0)
		return -1;
	for (size_t i = 0; i < TABLES; i++)
		if (write_table(store, run_id, &tables[i], run, err) < 0)
			return -1;
	if (write_gpus(store, run_id, run, err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].lost.count &&
			write_lost_rows(store, run_id, &run->file[i], (int64_t)i, err) <
				0)
			return -1;
	return labels_put(store, run_id, &run->labels, err);
}

int run_find(struct store *store, const char *key, int64_t *run_id, struct error *err)
{
	struct sql_row row;
	bool found;

	sql_row_prepare(&row, store, "SELECT run_id FROM run WHERE run_key = ?", err);
	sql_put_text(&row, key);
	found = sql_row_next(&row);
	if (found)
		*run_id = sql_get_int(&row);
	return sql_row_end(&row) < 0 ? -1 : found;
}

int run_check_seals(struct store *store, int64_t run_id, struct error *err)
{
	const char *table;

	for (size_t i = SAMPLE_TABLE_COUNT; (table = run_table(i)); i++) {
		struct strbuf text = strbuf_new();
		struct sql_row row;

		strbuf_adds(&text, "SELECT 1");
		if (strcmp(table, "run") == 0)
			run_add_sealed(&text);
		else
			strbuf_adds(&text, ", " SQL_SEALED "t.*");
		strbuf_addf(&text, " FROM %s t WHERE run_id = ?", table);
		sql_prepare_of_run(&row, store, text.text, run_id, err);
		strbuf_release(&text);
		sql_check_seals(&row, table);
		while (sql_row_next(&row))
			;
		if (sql_row_end(&row) < 0)
			return -1;
	}
	return 0;
}

/*
 * 1: found; 0. The files of a run that is a single log are named as the operand was, so
 * such a run is only found by the same spelling.
 */
static int get_run_row(struct store *store, const char *key, const char *shape,
	struct run *run, int64_t *run_id, struct error *err)
{
	struct strbuf text = strbuf_new();
	struct sql_row row;
	bool found;

	strbuf_adds(&text, "SELECT run_id");
	run_add_columns(&text);
	run_add_sealed(&text);
	strbuf_adds(&text,
		" FROM run WHERE run_key = ? AND shape = ? AND definitions_version = ? "
		"AND (is_directory OR path = ?)");
	sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	SQL_PUT(&row, TEXT(key), TEXT(shape), INT(DEFINITIONS_VERSION), TEXT(run->path));
	sql_check_seals(&row, "run");
	found = sql_row_next(&row);
	if (found) {
		*run_id = sql_get_int(&row);
		run_get(&row, run);
		run_set_string(&run->key, key);
	}
	return sql_row_end(&row) < 0 ? -1 : found;
}

static int get_run(struct store *store, const char *key, const char *shape,
	struct run *run, struct error *err)
{
	int64_t run_id = 0;
	int rc = get_run_row(store, key, shape, run, &run_id, err);

	if (rc <= 0)
		return rc;
	if (run_read_files(store, run_id, run, err) < 0)
		return -1;
	for (size_t i = TABLES_FILE; i < TABLES; i++)
		if (read_table(store, run_id, &tables[i], run, err) < 0)
			return -1;
	if (labels_read(store, run_id, &run->labels, err) < 0)
		return -1;
	run_set_string(&store->found_key, key);
	store->found = run_id;
	return 1;
}

int store_get_run(struct store *store, const char *key, const char *shape,
	struct run *run, struct error *err)
{
	bool outer = !sqlite3_get_autocommit(store->db);
	int rc;

	/* One state of the database for all of its tables. */
	if (!outer && sql_exec(store, "BEGIN", err) < 0)
		return -1;
	rc = get_run(store, key, shape, run, err);
	if (!outer)
		sql_rollback(store);
	return rc;
}

int store_hold(struct store *store, struct error *err)
{
	if (!store->readers && !store->load && sql_exec(store, "BEGIN", err) < 0)
		return -1;
	store->readers++;
	return 0;
}

void store_let_go(struct store *store)
{
	assert(store->readers);
	if (--store->readers == 0 && !store->load)
		sql_rollback(store);
}

/* What hangs on a run, besides the tables of samples. */
static const char *const run_tables[] = {"device", "source_file", "source_file_gpu",
	"source_file_lost", "event", "diagnostic", "run_source", "layout", "sample_chunk",
	"run_fact", "metric_summary", "metric_state", "missing_reason", "run_summary",
	"doubt", "run_steady", "steady_drift", "steady_interruption", "device_evidence",
	"gap", "phase", "phase_call", "phase_metric", "phase_state", "finding",
	"finding_value", "finding_stretch", "finding_phase", "finding_phase_value",
	"finding_meanwhile", "work", "clock_change", "gap_cause", "ending", "gpu_ending",
	"run_label", "run_image", "run"};

const char *run_table(size_t nth)
{
	size_t count = sizeof run_tables / sizeof run_tables[0];

	if (nth < SAMPLE_TABLE_COUNT)
		return sample_table_name((enum sample_table)nth);
	nth -= SAMPLE_TABLE_COUNT;
	return nth < count ? run_tables[nth] : NULL;
}

bool run_has_table(const char *name)
{
	const char *table;

	for (size_t i = 0; (table = run_table(i)); i++)
		if (strcmp(name, table) == 0)
			return true;
	return false;
}
