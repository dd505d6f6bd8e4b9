/*
 * A stored run as the struct that the reader filled, so that what is said of it does
 * not depend on where it came from.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/*
 * The files of a run: what they are, whose rows they have, and where rows were
 * refused.
 */

static int write_files(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (sql_prepare_insert(&row, store, "source_file", run_id,
		    "number, path, source, size, mtime_ns, hash, row_count, "
		    "refused, content_size, content_hash",
		    err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count && rc == 0; i++) {
		const struct run_file *file = &run->file[i];

		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, file->path);
		sql_put_source(&row, file->kind);
		sql_put_int(&row, file->size);
		sql_put_int(&row, file->mtime_ns);
		sql_put_int(&row, file->hash);
		sql_put_int(&row, (int64_t)file->rows);
		sql_put_int(&row, (int64_t)file->refused);
		sql_put_int(&row, file->content_size);
		sql_put_int(&row, file->content_hash);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_gpus(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = sql_prepare_insert(
		&row, store, "source_file_gpu", run_id, "file, device", err);

	for (size_t i = 0; i < run->file_count && rc == 0; i++)
		for (uint32_t gpu = 0; gpu < run->file[i].gpu_count && rc == 0; gpu++) {
			if (!run_file_has_gpu(&run->file[i], gpu))
				continue;
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, gpu);
			rc = sql_row_write(&row, err);
		}
	sql_row_free(&row);
	return rc;
}

static int write_lost_rows(struct store *store, int64_t run_id,
	const struct run_file *file, int64_t number, struct error *err)
{
	struct sql_row row;
	int rc = sql_prepare_insert(&row, store, "source_file_lost", run_id,
		"file, number, line, last_line, after_ns, before_ns, row_count", err);

	for (size_t i = 0; i < file->lost.count && rc == 0; i++) {
		const struct lost_stretch *lost = &file->lost.at[i];

		sql_put_int(&row, number);
		sql_put_int(&row, (int64_t)i);
		sql_put_int(&row, (int64_t)lost->line);
		sql_put_int(&row, (int64_t)lost->last_line);
		sql_put_time(&row, lost->after_ns);
		sql_put_time(
			&row, lost->before_ns == INT64_MAX ? TIME_NONE : lost->before_ns);
		sql_put_int(&row, (int64_t)lost->rows);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int files_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;

	if (write_files(store, run_id, report, err) < 0 ||
		write_gpus(store, run_id, report, err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].lost.count &&
			write_lost_rows(store, run_id, &run->file[i], (int64_t)i, err) <
				0)
			return -1;
	return 0;
}

static int file_gpus_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT file, device FROM source_file_gpu WHERE run_id = ?", run_id,
		    err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		int64_t file = sql_get_int(&row), device = sql_get_int(&row);

		if (file < 0 || (uint64_t)file >= run->file_count || device < 0 ||
			(uint64_t)device >= run->device_count) {
			rc = sql_damaged(store, "rows are in no file of the run", err);
			break;
		}
		run_file_add_gpu(&run->file[file], (uint32_t)device);
	}
	sql_row_free(&row);
	return rc;
}

static int lost_rows_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT file, line, last_line, after_ns, before_ns, row_count "
		    "FROM source_file_lost WHERE run_id = ? ORDER BY file, number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		int64_t file = sql_get_int(&row);
		struct lost_stretch lost;

		lost.line = (uint64_t)sql_get_int(&row);
		lost.last_line = (uint64_t)sql_get_int(&row);
		lost.after_ns = sql_get_time(&row);
		lost.before_ns = sql_get_time(&row);
		lost.rows = (uint64_t)sql_get_int(&row);
		if (lost.before_ns == TIME_NONE)
			lost.before_ns = INT64_MAX;
		if (file < 0 || (uint64_t)file >= run->file_count) {
			rc = sql_damaged(
				store, "rows are lost in no file of the run", err);
			break;
		}
		lost_rows_keep(&run->file[file].lost, &lost);
	}
	sql_row_free(&row);
	return rc;
}

int files_read(struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT path, source, size, mtime_ns, hash, row_count, refused, "
		    "content_size, content_hash "
		    "FROM source_file WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct run_file *file = run_add_file(run, "");

		sql_get_text(&row, &file->path);
		file->kind = sql_get_source(&row);
		file->size = sql_get_int(&row);
		file->mtime_ns = sql_get_int(&row);
		file->hash = sql_get_int(&row);
		file->rows = (uint64_t)sql_get_int(&row);
		file->refused = (uint64_t)sql_get_int(&row);
		file->content_size = sql_get_int(&row);
		file->content_hash = sql_get_int(&row);
	}
	sql_row_free(&row);
	if (rc < 0 || file_gpus_read(store, run_id, run, err) < 0)
		return -1;
	return lost_rows_read(store, run_id, run, err);
}

/* The labels of a run, as rows and back. */

int labels_put(struct store *store, int64_t run_id, const struct label_list *labels,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_row_prepare(&row, store,
		"REPLACE INTO run_label (run_id, key, value, given) VALUES (?, ?, ?, ?)",
		err);

	for (size_t i = 0; i < labels->count && rc == 0; i++) {
		sql_put_int(&row, run_id);
		sql_put_text(&row, labels->at[i].key);
		sql_put_text(&row, labels->at[i].value);
		sql_put_int(&row, labels->at[i].given);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int labels_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	return labels_put(store, run_id, &report->run->labels, err);
}

/* Rows of key, value, given; one that was given to the run in hand stays as it is. */
static int read_list(struct sql_row *row, struct label_list *labels, struct error *err)
{
	char *key = NULL, *value = NULL;
	int rc;

	while ((rc = sql_row_next(row, err)) > 0) {
		const struct label *own;

		sql_get_text(row, &key);
		sql_get_text(row, &value);
		own = label_find(labels, key ? key : "");
		if (key && value && !(own && own->given))
			label_set(labels, span_of(key), span_of(value),
				sql_get_int(row) != 0);
	}
	free(key);
	free(value);
	return rc;
}

int labels_read(
	struct store *store, int64_t run_id, struct label_list *labels, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT key, value, given FROM run_label WHERE run_id = ? "
		    "ORDER BY key",
		    run_id, err) < 0)
		return -1;
	rc = read_list(&row, labels, err);
	sql_row_free(&row);
	return rc;
}

int labels_keep(struct store *store, const char *key, struct label_list *labels,
	struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT l.key, l.value, l.given FROM run r "
		    "JOIN run_label l ON l.run_id = r.run_id "
		    "WHERE r.run_key = ? AND l.given ORDER BY l.key",
		    err) < 0)
		return -1;
	sql_put_text(&row, key);
	rc = read_list(&row, labels, err);
	sql_row_free(&row);
	return rc;
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

int run_find(struct store *store, const char *key, int64_t *run_id, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(
		    &row, store, "SELECT run_id FROM run WHERE run_key = ?", err) < 0)
		return -1;
	sql_put_text(&row, key);
	rc = sql_row_next(&row, err);
	if (rc > 0)
		*run_id = sql_get_int(&row);
	sql_row_free(&row);
	return rc;
}

/* The path stays the caller's: the operand as it was spelled this time. */
void run_get(struct sql_row *row, struct run *run)
{
	run->is_directory = sql_get_int(row) != 0;
	sql_get_text(row, &run->run_id);
	sql_get_text(row, &run->command);
	sql_get_text(row, &run->host);
	sql_get_text(row, &run->kernel);
	sql_get_text(row, &run->cpu_model);
	sql_get_text(row, &run->driver);
	sql_get_text(row, &run->query);
	sql_get_text(row, &run->zone);
	run->cpu_count = (int32_t)sql_get_known(row);
	run->mem_total_kib = sql_get_known(row);
	run->interval_ns = sql_get_known(row);
	run->dmon_interval_ns = sql_get_known(row);
	run->started_ns = sql_get_time(row);
	run->ended_ns = sql_get_time(row);
	run->exit_status = (int32_t)sql_get_known(row);
	sql_get_name(row, run->time_zone, sizeof run->time_zone);
	sql_get_name(row, run->time_source, sizeof run->time_source);
}

/*
 * 1: found; 0. The files of a run that is a single log are named as the operand was, so
 * such a run is only found by the same spelling.
 */
static int get_run_row(struct store *store, const char *key, const char *shape,
	struct run *run, int64_t *run_id, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT run_id, " RUN_COLUMNS " FROM run "
		    "WHERE run_key = ? AND shape = ? AND definitions_version = ? "
		    "AND (is_directory OR path = ?)",
		    err) < 0)
		return -1;
	sql_put_text(&row, key);
	sql_put_text(&row, shape);
	sql_put_int(&row, DEFINITIONS_VERSION);
	sql_put_text(&row, run->path);
	rc = sql_row_next(&row, err);
	if (rc > 0) {
		*run_id = sql_get_int(&row);
		run_get(&row, run);
		run_set_string(&run->key, key);
	}
	sql_row_free(&row);
	return rc;
}

static enum device_kind device_kind_find(const char *name)
{
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		if (strcmp(name, device_kind_name(kind)) == 0)
			return kind;
	return DEVICE_HOST;
}

int devices_read(struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT device, kind, device_index, name, uuid, bus_id, model, "
		    "parent, host "
		    "FROM device WHERE run_id = ? ORDER BY device",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct device *device;
		char kind[16];

		if (sql_get_int(&row) != (int64_t)run->device_count) {
			rc = sql_damaged(store, "a device of a run is lost", err);
			break;
		}
		sql_get_name(&row, kind, sizeof kind);
		device = run_add_device(
			run, device_kind_find(kind), (int32_t)sql_get_known(&row));
		sql_get_name(&row, device->name, sizeof device->name);
		sql_get_text(&row, &device->uuid);
		sql_get_text(&row, &device->bus_id);
		sql_get_text(&row, &device->model);
		device->parent = (int32_t)sql_get_known(&row);
		sql_get_text(&row, &device->host);
	}
	sql_row_free(&row);
	return rc;
}

static enum clock_change_kind kind_of(const char *name)
{
	enum clock_change_kind kind = 0;

	while (kind < CLOCK_CHANGE_KINDS && strcmp(name, clock_change_name(kind)) != 0)
		kind++;
	return kind;
}

static int clock_changes_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT kind, from_ns, to_ns, by_ns FROM clock_change "
		    "WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct clock_change change;
		char kind[32];

		sql_get_name(&row, kind, sizeof kind);
		change.kind = kind_of(kind);
		change.from_ns = sql_get_int(&row);
		change.to_ns = sql_get_int(&row);
		change.by_ns = sql_get_int(&row);
		if (change.kind == CLOCK_CHANGE_KINDS) {
			rc = sql_damaged(store, "clocks did what none does", err);
			break;
		}
		run_add_clock_change(run, &change);
	}
	sql_row_free(&row);
	return rc;
}

static enum event_type event_type_find(const char *name)
{
	if (strcmp(name, "phase") == 0)
		return EVENT_PHASE;
	if (strcmp(name, "begin") == 0)
		return EVENT_BEGIN;
	return strcmp(name, "end") == 0 ? EVENT_END : EVENT_POINT;
}

static const char *get_kept(struct sql_row *row, struct run *run)
{
	char *text = NULL;

	sql_get_text(row, &text);
	return run_keep_and_free(run, text);
}

static int get_events(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT type, t_ns, end_ns, type_name, name, extras FROM event "
		    "WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct event *event = run_add_event(run);
		char type[8];

		sql_get_name(&row, type, sizeof type);
		event->type = event_type_find(type);
		event->t_ns = sql_get_time(&row);
		event->end_ns = sql_get_time(&row);
		event->type_name = get_kept(&row, run);
		event->name = get_kept(&row, run);
		event->extras = get_kept(&row, run);
	}
	sql_row_free(&row);
	return rc;
}

static int get_diagnostics(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct diag_list *diags = &run->diags;
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT id, file, line, count, text, damage FROM diagnostic "
		    "WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct diag *diag;

		ALLOC_GROW(diags->at, diags->count + 1, diags->cap);
		diag = &diags->at[diags->count++];
		*diag = (struct diag){0};
		sql_get_text(&row, &diag->id);
		sql_get_text(&row, &diag->file);
		diag->line = (uint64_t)sql_get_int(&row);
		diag->count = (uint64_t)sql_get_int(&row);
		sql_get_text(&row, &diag->text);
		diag->damage = sql_get_int(&row) != 0;
	}
	sql_row_free(&row);
	return rc;
}

static int get_missing(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT source, device, metric, reason, count FROM missing_reason "
		    "WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct missing missing = {.source = sql_get_source(&row)};
		char metric[64], reason[TEXT_BYTES_MAX + 1];

		missing.device = (uint32_t)sql_get_int(&row);
		sql_get_name(&row, metric, sizeof metric);
		sql_get_name(&row, reason, sizeof reason);
		missing.metric = metric_find(span_of(metric));
		missing.reason = texts_number(&run->texts, span_of(reason));
		missing.count = (uint64_t)sql_get_int(&row);
		if (missing.metric == METRIC_none) {
			rc = sql_damaged(store, "a reason is of no metric", err);
			break;
		}
		missing_add(&run->missing, &missing);
	}
	sql_row_free(&row);
	return rc;
}

static int get_facts(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	char *name = NULL, *value = NULL;
	struct sql_row row;
	int rc;

	if (sql_prepare_of_run(&row, store,
		    "SELECT name, value FROM run_fact WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		sql_get_text(&row, &name);
		sql_get_text(&row, &value);
		if (name && value)
			run_add_fact(run, name, span_of(value));
	}
	free(name);
	free(value);
	sql_row_free(&row);
	return rc;
}

static int get_run(struct store *store, const char *key, const char *shape,
	struct run *run, struct error *err)
{
	int64_t run_id = 0;
	int rc = get_run_row(store, key, shape, run, &run_id, err);

	if (rc <= 0)
		return rc;
	if (devices_read(store, run_id, run, err) < 0 ||
		files_read(store, run_id, run, err) < 0 ||
		get_events(store, run_id, run, err) < 0 ||
		get_diagnostics(store, run_id, run, err) < 0 ||
		get_missing(store, run_id, run, err) < 0 ||
		get_facts(store, run_id, run, err) < 0 ||
		clock_changes_read(store, run_id, run, err) < 0 ||
		labels_read(store, run_id, &run->labels, err) < 0)
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
