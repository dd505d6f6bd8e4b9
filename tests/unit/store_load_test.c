/*
 * Loading a run into the runs database: a second load takes the place of the first, and
 * the earlier state survives whatever fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "store_fixture.h"

/* Samples of a run, and of none. */
static int64_t rows_of(const char *path, int64_t run_id)
{
	char text[400];
	int64_t rows = 0;

	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++) {
		snprintf(text, sizeof text,
			"SELECT count(*) FROM %s s LEFT JOIN sample_chunk h ON s.sample "
			"BETWEEN h.first_sample AND h.last_sample "
			"WHERE h.run_id IS NULL OR h.run_id = %lld",
			sample_table_name(table), (long long)run_id);
		rows += ask(path, text);
	}
	return rows;
}

/* A second load takes the place of the first; nothing of that one is left. */
static void replaced(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 1;
	struct samples first = random_samples(SOURCE_NVIDIA_QUERY, 4, 500, &seed);
	struct samples second = random_samples(SOURCE_NVIDIA_QUERY, 2, 40, &seed);

	load(room, store, "other", &second);
	load(room, store, "r", &first);
	load(room, store, "r", &second);
	check_samples(room, store, "r", &second);
	check_samples(room, store, "other", &second);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM run"), 2);
	assert_int_equal(rows_of(room->db, 2), 0);
	free(first.at);
	free(second.at);
}

/* Each table with a run_id is emptied of a run that is replaced. */
static void replaced_everywhere(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = make_run("r", 8);
	sqlite3_stmt *tables;

	run_add_file(&run, "log"); /* whose row is read before it goes */
	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	finish(room, store, &run);
	run_release(&run);
	store_close(store);
	tell(room->db,
		"INSERT INTO gap VALUES (1, NULL, 0, 1, 0, 0, 1);"
		"INSERT INTO phase (run_id, number, path, name, depth, calls, "
		"non_empty_calls, too_short, unfinished, overlapping) "
		"VALUES (1, 0, 'p', 'p', 0, 1, 0, 0, 0, 0);"
		"INSERT INTO phase_call (run_id, number, unfinished, empty, too_short, "
		"overlapping) VALUES (1, 0, 0, 0, 0, 0);"
		"INSERT INTO phase_metric (run_id, phase, source, device, metric, n, "
		"missing) VALUES (1, 0, 1, 0, 'power_w', 0, 0);"
		"INSERT INTO phase_state VALUES (1, NULL, 0, 1, 0, 'pstate', 0, 'P0', 1, "
		"1, 1);"
		"INSERT INTO event VALUES (1, NULL, 0, 'point', 0, 0, '', '', '');"
		"INSERT INTO diagnostic VALUES (1, NULL, 0, '', '', 0, 0, '', 0);"
		"INSERT INTO layout VALUES (1, 1, 0, 'power_w');"
		"INSERT INTO run_source VALUES (1, 1, 0);"
		"INSERT INTO metric_summary (run_id, source, device, metric, n, missing) "
		"VALUES (1, 1, 0, 'power_w', 0, 0);"
		"INSERT INTO device_evidence (run_id, source, device, row_count, gaps, "
		"steps_back, sessions, resets) VALUES (1, 1, 0, 0, 0, 0, 0, 0)");
	store = open_store(room);
	load(room, store, "r", NULL);
	sqlite3_prepare_v2(store->db,
		"SELECT DISTINCT m.name FROM sqlite_master m, pragma_table_info(m.name) "
		"c "
		"WHERE m.type = 'table' AND c.name = 'run_id'",
		-1, &tables, NULL);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		char text[200];
		int64_t rows = -1;

		snprintf(text, sizeof text, "SELECT count(*) FROM %s WHERE run_id = 1",
			(const char *)sqlite3_column_text(tables, 0));
		assert_int_equal(sql_number(store, text, &rows, &room->err), 0);
		if (rows)
			fail_msg("%s: %lld", text, (long long)rows);
	}
	sqlite3_finalize(tables);
	store_close(store);
}

/* A run whose chunks claim what they can't is not replaced: others' samples would go. */
static void damaged_chunks(void **state)
{
	static const char *const claims[] = {"last_sample = 9223372036854775807",
		"first_sample = 1", "first_sample = 'one'", "last_sample = 0"};
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = make_run("r", 4);
	uint64_t seed = 8;
	struct samples list = random_samples(SOURCE_NVIDIA_QUERY, 2, 700, &seed);

	load(room, store, "other", &list);
	load(room, store, "r", &list);
	for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
		char text[160];

		tell(room->db, "CREATE TABLE kept AS SELECT * FROM sample_chunk");
		snprintf(text, sizeof text, "UPDATE sample_chunk SET %s WHERE run_id = 2",
			claims[i]);
		tell(room->db, text);
		assert_int_equal(store_begin_run(store, &run, "shape", &room->err), -1);
		assert_non_null(strstr(room->err.message, "is damaged"));
		tell(room->db,
			"DELETE FROM sample_chunk; INSERT INTO sample_chunk SELECT * "
			"FROM kept; DROP TABLE kept");
	}
	check_samples(room, store, "other", &list);
	load(room, store, "r", &list);
	check_samples(room, store, "other", &list);
	check_samples(room, store, "r", &list);
	store_close(store);
	run_release(&run);
	free(list.at);
}

/* What is abandoned, or closed unfinished, leaves the earlier load as it was. */
static void abandoned(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 6;
	struct samples first = random_samples(SOURCE_NVIDIA_QUERY, 4, 500, &seed);
	struct samples second = random_samples(SOURCE_NVIDIA_QUERY, 2, 400, &seed);
	struct run run = make_run("r", 4);

	load(room, store, "r", &first);
	store_abandon_run(store);
	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	add_samples(room, store, &second, 100);
	store_abandon_run(store);
	check_samples(room, store, "r", &first);
	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	add_samples(room, store, &second, 100);
	store_close(store);
	store = open_store(room);
	check_samples(room, store, "r", &first);
	store_close(store);
	run_release(&run);
	free(first.at);
	free(second.at);
}

static void full_disk(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 7;
	struct samples first = random_samples(SOURCE_NVIDIA_QUERY, 4, 500, &seed);
	struct samples second = random_samples(SOURCE_NVIDIA_QUERY, 4, 900, &seed);
	struct sample_batch batch;
	struct run run = make_run("r", 4);
	int rc = 0;

	load(room, store, "r", &first);
	sqlite3_exec(store->db, "PRAGMA max_page_count = 1", NULL, NULL, NULL);
	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	for (int64_t t = 1; t < 1000 && rc == 0; t++) {
		sample_batch_clear(&batch);
		for (uint32_t row = 0; row < SAMPLE_BATCH_ROWS; row++)
			batch.ordinal[sample_batch_add(&batch, t, 0)] = row;
		rc = store_add(store, &batch, &room->err);
	}
	assert_int_equal(rc, -1);
	assert_non_null(strstr(room->err.message, "the disk is full"));
	store_abandon_run(store);
	sample_batch_release(&batch);
	check_samples(room, store, "r", &first);
	sqlite3_exec(store->db, "PRAGMA max_page_count = 100000", NULL, NULL, NULL);
	load(room, store, "r", &second);
	check_samples(room, store, "r", &second);
	store_close(store);
	run_release(&run);
	free(first.at);
	free(second.at);
}

static void locked(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room), *other = open_store(room);
	struct run run = make_run("r", 1);

	assert_int_equal(store_begin_run(other, &run, "", &room->err), 0);
	sqlite3_busy_timeout(store->db, 50);
	assert_int_equal(store_begin_run(store, &run, "", &room->err), -1);
	assert_non_null(strstr(room->err.message, "locked for more than"));
	finish(room, other, &run);
	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	finish(room, store, &run);
	store_close(other);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM run"), 1);
	run_release(&run);
}

/* A run that another program loads anew between its struct and its samples. */
static void loaded_meanwhile(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room), *other = open_store(room);
	struct run got;
	struct sample_source *src;

	load(room, store, "r", NULL);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 1);
	load(room, other, "r", NULL);
	assert_null(
		store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err));
	assert_non_null(strstr(room->err.message, "another program replaced the run"));
	run_release(&got);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 1);
	src = store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err);
	assert_non_null(src);
	sample_source_free(src);
	load(room, store, "r", NULL);
	src = store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err);
	assert_non_null(src);
	sample_source_free(src);
	run_release(&got);
	store_close(store);
	store_close(other);
}

/* A run that is held stays as it is: whoever wants to load it anew waits. */
static void held(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room), *other = open_store(room);
	struct run run = make_run("r", 1), got;
	struct report report;

	load(room, store, "r", NULL);
	assert_int_equal(store_hold(store, &room->err), 0);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 1);
	sqlite3_busy_timeout(other->db, 50);
	assert_int_equal(store_begin_run(other, &run, "shape", &room->err), 0);
	report_init(&report, &run);
	assert_int_equal(store_finish_run(other, &report, NULL, &room->err), -1);
	assert_non_null(strstr(room->err.message, "locked for more than"));
	sample_source_free(
		store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err));
	assert_int_equal(store_hold(store, &room->err), 0);
	store_let_go(store);
	store_let_go(store);
	load(room, other, "r", NULL);
	assert_null(
		store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err));
	assert_non_null(strstr(room->err.message, "another program replaced the run"));
	report_release(&report);
	run_release(&got);
	run_release(&run);
	store_close(store);
	store_close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(replaced), CASE(replaced_everywhere),
		CASE(damaged_chunks), CASE(abandoned), CASE(full_disk), CASE(locked),
		CASE(loaded_meanwhile), CASE(held)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
