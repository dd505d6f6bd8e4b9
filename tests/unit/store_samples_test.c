/*
 * Samples in the runs database: what goes in comes out, of every kind of log, and one
 * kind can be dropped and added again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "often.h"
#include "store_fixture.h"

static const enum source_kind sampled[] = {SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON,
	SOURCE_NVIDIA_PMON, SOURCE_NVIDIA_APPS, SOURCE_PROC_STAT, SOURCE_MEMINFO,
	SOURCE_HOST_TABLE};

#define SAMPLED (sizeof sampled / sizeof sampled[0])

/* Every kind of log, random content: while loading, afterwards, and from a new opening.
 */
static void round_trip(void **state)
{
	struct room *room = *state;
	uint64_t seed = 20240607;

	for (int round = 0; round < often(2, 6); round++) {
		struct store *store = open_store(room);
		struct run run = make_run("r", 8);
		struct samples list[SAMPLED];

		assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
		for (size_t i = 0; i < SAMPLED; i++) {
			list[i] = random_samples(sampled[i], 1 + (uint32_t)i,
				1 + below(&seed, 3000), &seed);
			add_samples(room, store, &list[i],
				1 + below(&seed, SAMPLE_BATCH_ROWS));
		}
		for (size_t i = 0; i < SAMPLED; i++)
			check_samples(room, store, NULL, &list[i]);
		finish(room, store, &run);
		for (size_t i = 0; i < SAMPLED; i++)
			check_samples(room, store, "r", &list[i]);
		store_close(store);
		store = open_store(room);
		for (size_t i = 0; i < SAMPLED; i++) {
			check_samples(room, store, "r", &list[i]);
			free(list[i].at);
		}
		store_close(store);
		run_release(&run);
	}
	assert_int_equal(files_in(room->dir, false), 1);
}

/* Values at the edges of what a double carries. */
static void values_exact(void **state)
{
	static const int64_t edges[] = {0, 1, -1, 1048575, 1048577,
		(INT64_C(1) << 50) - 1, (INT64_C(1) << 50) + 1, (INT64_C(1) << 53) + 1,
		1000000000000000001, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};
	static const int64_t per_units[] = {1, 1000000, 1048576};
	struct room *room = *state;
	uint64_t seed = 99;
	sqlite3 *db;
	sqlite3_stmt *in, *out;

	(void)room;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE v (i INTEGER, r REAL)", NULL, NULL, NULL);
	sqlite3_prepare_v2(db, "INSERT INTO v VALUES (?, ?)", -1, &in, NULL);
	sqlite3_prepare_v2(
		db, "SELECT i, r FROM v ORDER BY rowid DESC LIMIT 1", -1, &out, NULL);
	for (size_t n = 0; n < (size_t)often(5000, 30000); n++) {
		size_t edge = n % (sizeof edges / sizeof edges[0]);
		int64_t per_unit = per_units[n % 3], got = 7;
		int64_t q = n < 100 ? edges[edge]
				    : (int64_t)(next_random(&seed) >> below(&seed, 64));
		struct value value;

		value_make(&value, q, per_unit);
		if (value.type == SQLITE_INTEGER)
			sqlite3_bind_int64(in, per_unit == 1 ? 1 : 2, value.integer);
		else if (value.type == SQLITE_FLOAT)
			sqlite3_bind_double(in, 2, value.real);
		else
			sqlite3_bind_blob(
				in, 2, value.digits, value.length, SQLITE_TRANSIENT);
		assert_int_equal(sqlite3_step(in), SQLITE_DONE);
		assert_int_equal(sqlite3_step(out), SQLITE_ROW);
		assert_true(value_read(out, per_unit != 1, per_unit, &got));
		assert_int_equal(got, q);
		sqlite3_reset(in);
		sqlite3_reset(out);
	}
	sqlite3_finalize(in);
	sqlite3_finalize(out);
	sqlite3_close(db);
}

static void untimed_log(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 5;
	struct samples timed = random_samples(SOURCE_NVIDIA_QUERY, 2, 100, &seed);
	struct samples list = random_samples(SOURCE_NVIDIA_DMON, 2, 100, &seed);
	struct run run = make_run("r", 2);

	list.untimed = true;
	for (size_t i = 0; i < list.count; i++) {
		list.at[i].t_ns = 0;
		list.at[i].segment = 0;
		list.at[i].ordinal = (uint32_t)i;
	}
	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	add_samples(room, store, &timed, 64);
	add_samples(room, store, &list, 64);
	finish(room, store, &run);
	check_samples(room, store, "r", &list);
	check_samples(room, store, "r", &timed);
	store_close(store);
	assert_int_equal(ask(room->db,
				 "SELECT count(*) FROM gpu_sample g JOIN "
				 "sample_chunk h ON g.sample BETWEEN h.first_sample AND "
				 "h.last_sample JOIN source_kind k ON k.id = h.source "
				 "WHERE k.name = 'nvidia-dmon' AND t_ns = 0"),
		100);
	assert_int_equal(ask(room->db,
				 "SELECT count(at) + count(t_s) FROM gpu_samples WHERE "
				 "source = 'nvidia-dmon'"),
		0);
	assert_int_equal(ask(room->db, "SELECT count(at) FROM gpu_samples"), 100);
	run_release(&run);
	free(list.at);
	free(timed.at);
}

static void drop_and_add(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 3;
	struct samples first = random_samples(SOURCE_NVIDIA_QUERY, 4, 500, &seed);
	struct samples second = random_samples(SOURCE_NVIDIA_QUERY, 2, 400, &seed);
	struct samples nothing = {.source = SOURCE_PROC_STAT};
	struct run run = make_run("r", 4);

	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	add_samples(room, store, &first, 100);
	check_samples(room, store, "r", &first);
	assert_int_equal(store_drop_source(store, SOURCE_NVIDIA_QUERY, &room->err), 0);
	first.count = 0;
	check_samples(room, store, "r", &first);
	add_samples(room, store, &second, 100);
	check_samples(room, store, "r", &second);
	check_samples(room, store, "r", &nothing);
	finish(room, store, &run);
	check_samples(room, store, "r", &second);
	store_close(store);
	run_release(&run);
	free(first.at);
	free(second.at);
}

/* One kind of log is read again; the others stay. */
static void drop_source(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 11;
	struct samples query = random_samples(SOURCE_NVIDIA_QUERY, 2, 300, &seed);
	struct samples dmon = random_samples(SOURCE_NVIDIA_DMON, 2, 300, &seed);
	struct run run = make_run("r", 8);

	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	add_samples(room, store, &query, 100);
	add_samples(room, store, &dmon, 100);
	assert_int_equal(store_drop_source(store, SOURCE_NVIDIA_DMON, &room->err), 0);
	check_samples(room, store, "r", &query);
	add_samples(room, store, &dmon, 70);
	finish(room, store, &run);
	check_samples(room, store, "r", &query);
	check_samples(room, store, "r", &dmon);
	store_abandon_run(NULL);
	store_close(store);
	run_release(&run);
	free(query.at);
	free(dmon.at);
}

/* In any order, so often as they are asked for, of several kinds of log by turns. */
static void out_of_order(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 12;
	struct samples query = random_samples(SOURCE_NVIDIA_QUERY, 3, 900, &seed);
	struct samples stat = random_samples(SOURCE_PROC_STAT, 2, 900, &seed);
	struct run run = make_run("r", 8);

	for (size_t i = query.count; i-- > 1;) {
		size_t other = (size_t)below(&seed, i + 1);
		struct sample moved = query.at[i];

		query.at[i] = query.at[other];
		query.at[other] = moved;
	}
	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	for (size_t begin = 0; begin < 900; begin += 300) {
		struct samples part = {
			.source = query.source, .at = query.at + begin, .count = 300};
		struct samples before = {
			.source = query.source, .at = query.at, .count = begin + 300};

		add_samples(room, store, &part, 100);
		part = (struct samples){
			.source = stat.source, .at = stat.at + begin, .count = 300};
		add_samples(room, store, &part, 100);
		check_samples(room, store, "r", &before);
	}
	finish(room, store, &run);
	check_samples(room, store, "r", &query);
	check_samples(room, store, "r", &stat);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM gpu_sample"), 900);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM cpu_sample"), 900);
	assert_int_equal(
		ask(room->db,
			"SELECT count(*) FROM sample_chunk a JOIN sample_chunk b "
			"ON b.source = a.source AND b.device = a.device AND "
			"b.segment = a.segment AND b.first_sample > "
			"a.first_sample AND b.first_ns < a.last_ns"),
		0);
	assert_int_equal(ask(room->db,
				 "SELECT count(*) FROM gpu_sample s WHERE 1 <> (SELECT "
				 "count(*) FROM sample_chunk h WHERE s.sample BETWEEN "
				 "h.first_sample AND h.last_sample AND s.t_ns BETWEEN "
				 "h.first_ns AND h.last_ns)"),
		0);
	run_release(&run);
	free(query.at);
	free(stat.at);
}

static bool is_power(enum metric_id metric)
{
	return metric == METRIC_power_w;
}

static bool is_none(enum metric_id metric)
{
	(void)metric;
	return false;
}

/* How many rows, and values of that one metric; there is no other column. */
static void count_of(struct room *room, struct store *store,
	bool (*wanted)(enum metric_id metric), size_t *rows, size_t *values)
{
	const struct sample_choice choice = {.wanted = wanted};
	struct texts texts = {.count = 0};
	struct sample_batch batch;
	struct sample_source *source;

	*rows = *values = 0;
	source = store_samples_of(
		store, "r", SOURCE_NVIDIA_QUERY, &choice, &texts, &room->err);
	assert_non_null(source);
	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &room->err) > 0) {
		*rows += batch.rows;
		assert_int_equal(batch.column_count, 1);
		assert_int_equal(batch.column[0].metric, METRIC_power_w);
		for (size_t row = 0; row < batch.rows; row++)
			*values += batch.column[0].presence[row] == PRESENCE_VALUE;
	}
	sample_source_free(source);
	sample_batch_release(&batch);
	texts_release(&texts);
}

/* All rows of the one metric that is wanted; none at all where none is. */
static void some_metrics(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = make_run("r", 1);
	struct sample_batch batch;
	size_t rows, values;

	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;
	for (int i = 0; i < 10; i++) {
		size_t row = sample_batch_add(&batch, 1000 + i, 0);

		sample_batch_put(&batch, row,
			sample_batch_column(&batch, METRIC_temperature_c), 1);
		if (i % 2)
			sample_batch_put(&batch, row,
				sample_batch_column(&batch, METRIC_power_w), i);
	}
	assert_int_equal(store_add(store, &batch, &room->err), 0);
	finish(room, store, &run);
	count_of(room, store, is_power, &rows, &values);
	assert_int_equal(rows, 10);
	assert_int_equal(values, 5);
	count_of(room, store, is_none, &rows, &values);
	assert_int_equal(rows, 0);
	sample_batch_release(&batch);
	store_close(store);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(round_trip), CASE(values_exact),
		CASE(untimed_log), CASE(drop_and_add), CASE(drop_source),
		CASE(out_of_order), CASE(some_metrics)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
