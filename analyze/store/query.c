/*
 * A stored run as the struct that the reader filled, so that what is said of it does not
 * depend on where it came from.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

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

/* A statement with the run's id as its only parameter. */
static int prepare(struct sql_row *row, struct store *store, const char *text,
	int64_t run_id, struct error *err)
{
	if (sql_row_prepare(row, store, text, err) < 0)
		return -1;
	sql_put_int(row, run_id);
	return 0;
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

	if (prepare(&row, store,
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

enum source_kind source_of(const struct store *store, int64_t id)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (store->source_id[kind] == id)
			return kind;
	return SOURCE_NONE;
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

	if (prepare(&row, store,
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

	if (prepare(&row, store,
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

	if (prepare(&row, store,
		    "SELECT source, device, metric, reason, count FROM missing_reason "
		    "WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct missing missing = {.source = source_of(store, sql_get_int(&row))};
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

	if (prepare(&row, store,
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
	int64_t run_id = 0;
	int found;

	assert(store->found_key && !store->load);
	if (!store->readers && sql_exec(store, "BEGIN", err) < 0)
		return -1;
	store->readers++;
	found = run_find(store, store->found_key, &run_id, err);
	if (found > 0 && run_id == store->found)
		return 1;
	store_let_go(store);
	return found < 0 ? -1 : 0;
}

void store_let_go(struct store *store)
{
	assert(store->readers);
	if (--store->readers == 0 && !store->load)
		sql_rollback(store);
}

int store_core_mean(struct store *store, const char *key, enum metric_id metric,
	double *mean, struct error *err)
{
	struct sql_row row;
	double most = NAN;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT max(m.mean) FROM run r "
		    "JOIN metric_summary m ON m.run_id = r.run_id "
		    "JOIN device d ON d.run_id = r.run_id AND d.device = m.device "
		    "WHERE r.run_key = ? AND m.metric = ? AND d.kind = 'cpu' AND "
		    "d.device_index IS NOT NULL",
		    err) < 0)
		return -1;
	sql_put_text(&row, key);
	sql_put_text(&row, metric_get(metric)->name);
	rc = sql_row_next(&row, err);
	if (rc > 0)
		most = sql_get_real(&row);
	if (!isnan(most))
		*mean = most;
	sql_row_free(&row);
	return rc < 0 ? -1 : 0;
}
