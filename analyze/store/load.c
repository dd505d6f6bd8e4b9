/*
 * Loads one run in one transaction: BEGIN to COMMIT, or back to the state before.
 * Samples go through write_samples.c, everything else through report_rows.c.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/coverage.h"
#include "store/chunks.h"
#include "store/internal.h"
#include "store/store.h"

/* What hangs on a run, besides the tables of samples. */
static const char *const run_tables[] = {"device", "source_file", "source_file_gpu",
	"source_file_lost", "event", "diagnostic", "run_source", "layout", "sample_chunk",
	"run_fact", "metric_summary", "metric_state", "missing_reason", "run_summary",
	"run_steady", "steady_drift", "steady_interruption", "device_evidence", "gap",
	"phase", "phase_call", "phase_metric", "phase_state", "finding", "finding_value",
	"finding_stretch", "finding_phase", "finding_phase_value", "finding_meanwhile",
	"work", "clock_change", "gap_cause", "ending", "gpu_ending", "run_label",
	"run_image", "run"};

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

int run_delete(struct store *store, int64_t run_id, struct error *err)
{
	const char *table;
	char text[128];

	if (chunks_delete_run(store, run_id, err) < 0)
		return -1;
	for (size_t i = SAMPLE_TABLE_COUNT; (table = run_table(i)); i++) {
		snprintf(text, sizeof text, "DELETE FROM %s WHERE run_id = ?", table);
		if (sql_exec_int(store, text, run_id, err) < 0)
			return -1;
	}
	return 0;
}

/* Has a stored run other files than this one? */
static int has_other_files(struct store *store, int64_t run_id, const struct run *run,
	bool *other, struct error *err)
{
	struct run stored;
	int rc;

	run_init(&stored, "");
	stored.is_directory = run->is_directory;
	rc = run_read_files(store, run_id, &stored, err);
	*other = rc == 0 && !run_has_same_logs(run, &stored);
	run_release(&stored);
	return rc;
}

/* What is kept of an earlier load of the run, until its times can be told apart. */
static int take_earlier(struct store *store, const struct run *run,
	struct earlier_run *earlier, struct error *err)
{
	int64_t run_id = 0, times[2] = {TIME_NONE, TIME_NONE};
	int found = run_find(store, run->key, &run_id, err);

	if (found <= 0)
		return found;
	if (sql_ask(store, "SELECT started_ns, ended_ns FROM run WHERE run_id = ?",
		    &run_id, 1, times, 2, err) < 0 ||
		labels_read(store, run_id, &earlier->label, err) < 0 ||
		has_other_files(store, run_id, run, &earlier->other_files, err) < 0)
		return -1;
	earlier->started_ns = times[0];
	earlier->ended_ns = times[1];
	return run_delete(store, run_id, err);
}

/* Is it of another time? Only a path, or an id that was copied, says then that it is the
 * same. */
static bool is_another(const struct earlier_run *earlier, const struct report *report)
{
	if (!earlier->other_files || earlier->started_ns == TIME_NONE ||
		report->started_ns == TIME_NONE)
		return false;
	return earlier->started_ns > report->ended_ns ||
		report->started_ns > earlier->ended_ns;
}

/* Labels that an earlier load was given, but for those of another recording. */
static void settle_earlier(struct store *store, const struct report *report)
{
	const struct earlier_run *earlier = &store->load->earlier;
	struct run *run = store->load->run;

	if (is_another(earlier, report)) {
		store->replaced = true;
		store->replaced_ns = earlier->started_ns;
		return;
	}
	for (size_t i = 0; i < earlier->label.count; i++) {
		const struct label *label = &earlier->label.at[i];
		const struct label *own = label_find(&run->labels, label->key);

		if (label->given && (!own || !own->given))
			label_set(&run->labels, span_of(label->key),
				span_of(label->value), true);
	}
}

/* A row that names the run; the rest comes when it is known. */
static int insert_run(
	struct store *store, const struct run *run, const char *shape, struct error *err)
{
	struct sql_row row;

	sql_row_prepare(&row, store,
		"INSERT INTO run (run_key, path, is_directory, time_zone, "
		"time_source, shape, definitions_version, generator) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		err);
	sql_put_text(&row, run->key);
	sql_put_text(&row, run->path);
	sql_put_int(&row, run->is_directory);
	sql_put_text(&row, run->time_zone);
	sql_put_text(&row, run->time_source);
	sql_put_text(&row, shape);
	sql_put_int(&row, DEFINITIONS_VERSION);
	sql_put_text(&row, "hwsummarize " VERSION);
	sql_row_write(&row);
	return sql_row_end(&row);
}

/* The start, where it is known before the samples are. */
static int64_t known_origin(const struct run *run)
{
	if (run->started_ns != TIME_NONE)
		return run->started_ns;
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].t_ns != TIME_NONE)
			return run->event[i].t_ns;
	return TIME_NONE;
}

static void end_load(struct store *store)
{
	struct load *load = store->load;

	if (!load)
		return;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		sample_sink_free(load->sink[kind]);
	label_list_release(&load->earlier.label);
	free(load->key);
	free(load);
	store->load = NULL;
}

int store_begin_run(
	struct store *store, struct run *run, const char *shape, struct error *err)
{
	struct earlier_run earlier = {.started_ns = TIME_NONE, .ended_ns = TIME_NONE};

	assert(!store->load && !store->readers && run->key);
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (take_earlier(store, run, &earlier, err) < 0 ||
		insert_run(store, run, shape, err) < 0) {
		label_list_release(&earlier.label);
		sql_rollback(store);
		return -1;
	}
	/* Its samples are others from now on. */
	free(store->found_key);
	store->found_key = NULL;
	store->load = xcalloc(1, sizeof *store->load);
	store->load->run_id = sqlite3_last_insert_rowid(store->db);
	store->load->key = xstrdup(run->key);
	store->load->origin_ns = known_origin(run);
	store->load->run = run;
	store->load->earlier = earlier;
	return 0;
}

int store_finish_run(struct store *store, const struct report *report, const char *stamp,
	struct error *err)
{
	assert(store->load && !store->readers);
	settle_earlier(store, report);
	if (store_settle(store, err) < 0 ||
		detail_write(store, store->load->run_id, report, err) < 0 ||
		(stamp &&
			image_put(store, store->load->run_id, stamp, report, err) < 0) ||
		sql_exec(store, "COMMIT", err) < 0) {
		store_abandon_run(store);
		return -1;
	}
	end_load(store);
	return 0;
}

bool store_replaced(struct store *store, int64_t *started_ns)
{
	bool replaced = store->replaced;

	store->replaced = false;
	*started_ns = store->replaced_ns;
	return replaced;
}

void store_abandon_run(struct store *store)
{
	if (!store)
		return;
	assert(!store->readers);
	store_drop_waiting(store);
	end_load(store);
	if (store->db)
		sql_rollback(store);
}
