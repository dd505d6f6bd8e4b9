/*
 * The runs database: what goes in comes out, an earlier state survives whatever fails,
 * and other people's files stay as they were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/* A directory of its own for each test. */
struct room {
	char dir[64];
	char db[96];
	struct error err;
};

static int room_open(void **state)
{
	struct room *room = xcalloc(1, sizeof *room);

	snprintf(room->dir, sizeof room->dir, "/tmp/store_test.XXXXXX");
	if (!mkdtemp(room->dir))
		return -1;
	snprintf(room->db, sizeof room->db, "%s/runs.db", room->dir);
	*state = room;
	return 0;
}

static size_t files_in(const char *dir, bool remove_them)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t count = 0;

	while (d && (entry = readdir(d))) {
		char path[512];

		if (entry->d_name[0] == '.')
			continue;
		count++;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		if (remove_them && remove(path) != 0)
			perror(path);
	}
	closedir(d);
	return count;
}

static int room_close(void **state)
{
	struct room *room = *state;

	files_in(room->dir, true);
	rmdir(room->dir);
	free(room);
	return 0;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t below(uint64_t *seed, uint64_t end)
{
	return next_random(seed) % end;
}

/* One row of a log, with all metrics. */
struct sample {
	int64_t t_ns;
	int32_t segment;
	uint32_t ordinal, device;
	uint8_t header;
	uint8_t presence[METRIC_COUNT];
	int64_t value[METRIC_COUNT];
};

struct samples {
	enum source_kind source;
	bool untimed;
	struct sample *at;
	size_t count, cap;
};

static int sample_order(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	if (a->ordinal != b->ordinal)
		return a->ordinal < b->ordinal ? -1 : 1;
	return a->device < b->device ? -1 : 1;
}

static int64_t random_value(uint64_t *seed, int64_t per_unit)
{
	switch (below(seed, 6)) {
	case 0:
		return 0;
	case 1:
		return (int64_t)below(seed, 100) * per_unit;
	case 2:
		return (int64_t)below(seed, 100000) * per_unit / 100;
	case 3:
		return -(int64_t)below(seed, 1000000);
	case 4:
		return (int64_t)next_random(seed);
	default:
		return below(seed, 2) ? INT64_MAX - (int64_t)below(seed, 3)
				      : INT64_MIN + (int64_t)below(seed, 3);
	}
}

/* Rows of some devices that take turns, with steps back, equal times and headers. */
static struct samples random_samples(
	enum source_kind source, uint32_t devices, size_t rows, uint64_t *seed)
{
	struct samples list = {.source = source};
	struct sample state[8] = {0};
	bool in_layout[METRIC_COUNT] = {false};

	assert_true(devices <= 8);
	for (uint32_t d = 0; d < devices; d++)
		state[d].t_ns = INT64_C(1700000000000000000) + (int64_t)d;
	for (size_t row = 0; row < rows; row++) {
		uint32_t device = (uint32_t)below(seed, devices);
		struct sample *s = &state[device];
		int64_t step = below(seed, 4) ? (int64_t)below(seed, 2000000000) : 0;

		s->header = row == 0 || below(seed, 50) == 0;
		s->ordinal = step ? 0 : s->ordinal + 1;
		s->t_ns += step;
		if (below(seed, 100) == 0) {
			s->segment++;
			s->ordinal = 0;
			s->t_ns -= INT64_C(100000000000) * (int64_t)below(seed, 3);
		}
		s->device = device;
		for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
			const struct metric *metric = metric_get(id);

			if (metric->table != source_main_table(source) &&
				metric->table != source_extra_table(source))
				continue;
			if (s->header)
				in_layout[id] = below(seed, 3) > 0;
			s->presence[id] = !in_layout[id] ? PRESENCE_ABSENT
				: below(seed, 5)	 ? PRESENCE_VALUE
							 : PRESENCE_MISSING;
			s->value[id] = random_value(seed, metric->per_unit);
		}
		ALLOC_GROW(list.at, list.count + 1, list.cap);
		list.at[list.count++] = *s;
	}
	return list;
}

static void add_samples(
	struct room *room, struct store *store, const struct samples *list, size_t size)
{
	struct sample_batch batch;

	sample_batch_init(&batch);
	batch.source = list->source;
	for (size_t i = 0; i < list->count; i++) {
		const struct sample *s = &list->at[i];
		size_t row = sample_batch_add(&batch, s->t_ns, s->device);

		batch.timed = !list->untimed;

		batch.segment[row] = s->segment;
		batch.ordinal[row] = s->ordinal;
		batch.header[row] = s->header;
		for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
			size_t c;

			if (s->presence[id] == PRESENCE_ABSENT)
				continue;
			c = sample_batch_column(&batch, id);
			batch.column[c].presence[row] = s->presence[id];
			batch.column[c].value[row] = s->value[id];
		}
		if (batch.rows < size && i + 1 < list->count)
			continue;
		if (store_add(store, &batch, &room->err) < 0)
			fail_msg("%s", room->err.message);
		sample_batch_clear(&batch);
	}
	sample_batch_release(&batch);
}

static void check_row(
	const struct sample *want, const struct sample_batch *batch, size_t row)
{
	uint8_t presence[METRIC_COUNT] = {0};

	assert_int_equal(batch->t_ns[row], want->t_ns);
	assert_int_equal(batch->segment[row], want->segment);
	assert_int_equal(batch->ordinal[row], want->ordinal);
	assert_int_equal(batch->device[row], want->device);
	assert_int_equal(batch->header[row], want->header);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		presence[column->metric] = column->presence[row];
		if (column->presence[row] == PRESENCE_VALUE)
			assert_int_equal(column->value[row], want->value[column->metric]);
	}
	assert_memory_equal(presence, want->presence, sizeof presence);
}

/* The samples that the store gives are these, in its order. */
static void check_samples(struct room *room, struct store *store, const char *key,
	const struct samples *list)
{
	struct samples sorted = *list;
	struct sample_source *src;
	struct sample_batch batch;
	size_t seen = 0;
	int rc;

	sorted.at = xmalloc((list->count + 1) * sizeof *sorted.at);
	if (list->count)
		memcpy(sorted.at, list->at, list->count * sizeof *sorted.at);
	qsort(sorted.at, sorted.count, sizeof *sorted.at, sample_order);
	src = store_samples(store, key, list->source, &room->err);
	assert_non_null(src);
	sample_batch_init(&batch);
	while ((rc = sample_source_next(src, &batch, &room->err)) > 0) {
		assert_int_equal(batch.source, list->source);
		assert_int_equal(batch.timed, !list->untimed);
		for (size_t row = 0; row < batch.rows; row++) {
			assert_true(seen < sorted.count);
			check_row(&sorted.at[seen++], &batch, row);
		}
	}
	if (rc)
		fail_msg("%s", room->err.message);
	assert_int_equal(seen, sorted.count);
	assert_int_equal(sample_source_next(src, &batch, &room->err), 0);
	sample_batch_release(&batch);
	sample_source_free(src);
	free(sorted.at);
}

static struct run make_run(const char *key, uint32_t gpus)
{
	struct run run;

	run_init(&run, "runs/a");
	run_set_string(&run.key, key);
	run.is_directory = true;
	snprintf(run.time_zone, sizeof run.time_zone, "UTC");
	snprintf(run.time_source, sizeof run.time_source, "default");
	for (uint32_t i = 0; i < gpus; i++)
		run_add_device(&run, DEVICE_GPU, (int32_t)i);
	return run;
}

static struct store *open_store(struct room *room)
{
	struct store *store = NULL;

	if (store_open(&store, room->db, &room->err) < 0)
		fail_msg("%s", room->err.message);
	return store;
}

static void finish(struct room *room, struct store *store, const struct run *run)
{
	struct report report;

	report_init(&report, run);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report.summary[key].number = NAN;
	if (store_finish_run(store, &report, &room->err) < 0)
		fail_msg("%s", room->err.message);
	report_release(&report);
}

static void load(struct room *room, struct store *store, const char *key,
	const struct samples *list)
{
	struct run run = make_run(key, 8);

	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	if (list)
		add_samples(room, store, list, 700);
	finish(room, store, &run);
	run_release(&run);
}

static int64_t ask(const char *path, const char *text)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	answer = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return answer;
}

static void tell(const char *path, const char *text)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, text, NULL, NULL, &message);
	if (message)
		fail_msg("%s: %s", text, message);
	sqlite3_close(db);
}

static const enum source_kind sampled[] = {
	SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON, SOURCE_PROC_STAT, SOURCE_CPU_CSV};

#define SAMPLED (sizeof sampled / sizeof sampled[0])

/* Every kind of log, random content: while loading, afterwards, and from a new opening.
 */
static void round_trip(void **state)
{
	struct room *room = *state;
	uint64_t seed = 20240607;

	for (int round = 0; round < 6; round++) {
		struct store *store = open_store(room);
		struct run run = make_run("r", 8);
		struct samples list[SAMPLED];

		assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
		for (size_t i = 0; i < SAMPLED; i++) {
			list[i] = random_samples(sampled[i], 1 + (uint32_t)i * 2,
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
	for (size_t n = 0; n < 30000; n++) {
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
				 "source_kind k ON k.id = g.source "
				 "WHERE k.name = 'nvidia-dmon' AND t_ns = 0"),
		100);
	assert_int_equal(
		ask(room->db, "SELECT count(at) + count(t_s) FROM v_dmon_sample"), 0);
	assert_int_equal(ask(room->db, "SELECT count(at) FROM v_gpu_sample"), 100);
	run_release(&run);
	free(list.at);
	free(timed.at);
}

static int64_t rows_of(const char *path, int64_t run_id)
{
	char text[200];
	int64_t rows = 0;

	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++) {
		snprintf(text, sizeof text,
			"SELECT count(*) FROM %s WHERE run_id %s %lld",
			sample_table_name(table), run_id ? "=" : ">", (long long)run_id);
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
	sqlite3_stmt *tables;

	load(room, store, "r", NULL);
	store_close(store);
	tell(room->db,
		"INSERT INTO gap VALUES (1, 0, 1, 0, 0, 1);"
		"INSERT INTO phase VALUES (1, 0, 'p', NULL, 0, 0, 0, 0);"
		"INSERT INTO event VALUES (1, 0, 'point', 0, 0, '', '', '');"
		"INSERT INTO diagnostic VALUES (1, 0, '', '', 0, 0, '', 0);"
		"INSERT INTO source_file VALUES (1, 0, '', 1, 0, 0, 0, 0);"
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

static void temporary(void **state)
{
	struct room *room = *state;
	struct store *store = NULL;
	uint64_t seed = 4;
	struct samples list = random_samples(SOURCE_PROC_STAT, 3, 5000, &seed);
	struct run run = make_run("r", 4);

	assert_int_equal(store_open_temporary(&store, &room->err), 0);
	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	add_samples(room, store, &list, SAMPLE_BATCH_ROWS);
	check_samples(room, store, NULL, &list);
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
	assert_non_null(strstr(room->err.message, "no room is left on the disk"));
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

static void same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static struct run full_run(void)
{
	struct run run = make_run("key", 0);
	struct device *device;
	struct run_file *file;
	struct event *event;

	run_set_string(&run.run_id, "2024-a");
	run_set_string(&run.command, "python 'train me.py'");
	run_set_string(&run.host, "h\xff\xc3(st");
	run_set_string(&run.kernel, "");
	run_set_string(&run.zone, "Europe/Berlin");
	run.cpu_count = 0;
	run.mem_total_kib = INT64_C(1) << 40;
	run.interval_ns = 100000000;
	run.started_ns = 1700000000123456789;
	run.exit_status = 137;
	snprintf(run.time_zone, sizeof run.time_zone, "+05:45");
	snprintf(run.time_source, sizeof run.time_source, "manifest");
	device = run_add_device(&run, DEVICE_CPU, -1);
	device = run_add_device(&run, DEVICE_GPU, 3);
	run_set_string(&device->uuid, "GPU-1");
	device = run_add_device(&run, DEVICE_GPU, -1);
	snprintf(device->name, sizeof device->name, "gpu-x");
	run_set_string(&device->bus_id, "00000000:01:00.0");
	run_set_string(&device->model, "NVIDIA H200");
	run_add_device(&run, DEVICE_HOST, -1);
	file = run_add_file(&run, "b.csv");
	file->kind = SOURCE_NVIDIA_QUERY;
	file->size = INT64_C(1) << 41;
	file->mtime_ns = -5;
	file->rows = 12;
	file->refused = 1;
	run_add_file(&run, "a.bin");
	event = run_add_event(&run);
	event->type = EVENT_PHASE;
	event->t_ns = 1700000001000000000;
	event->end_ns = 1700000002500000000;
	run_set_string(&event->type_name, "phase");
	run_set_string(&event->name, "train");
	run_set_string(&event->extras, "{\"loss\": 1.5}");
	event = run_add_event(&run);
	event = run_add_event(&run);
	event->type = EVENT_BEGIN;
	event = run_add_event(&run);
	event->type = EVENT_END;
	event->t_ns = 0;
	diag_add(&run.diags, true, "torn-line", "b.csv", 7, span_of(""), "a line is cut");
	diag_add(&run.diags, false, "unknown-column", "b.csv", 1, span_of("x"), "%s", "");
	diag_add(&run.diags, false, "unknown-column", "b.csv", 1, span_of("x"), "%s", "");
	return run;
}

static void check_run(const struct run *a, const struct run *b)
{
	same_text(a->key, b->key);
	same_text(a->path, b->path);
	assert_int_equal(a->is_directory, b->is_directory);
	same_text(a->run_id, b->run_id);
	same_text(a->command, b->command);
	same_text(a->host, b->host);
	same_text(a->kernel, b->kernel);
	same_text(a->cpu_model, b->cpu_model);
	same_text(a->driver, b->driver);
	same_text(a->query, b->query);
	same_text(a->zone, b->zone);
	assert_int_equal(a->cpu_count, b->cpu_count);
	assert_int_equal(a->mem_total_kib, b->mem_total_kib);
	assert_int_equal(a->interval_ns, b->interval_ns);
	assert_int_equal(a->dmon_interval_ns, b->dmon_interval_ns);
	assert_int_equal(a->started_ns, b->started_ns);
	assert_int_equal(a->ended_ns, b->ended_ns);
	assert_int_equal(a->exit_status, b->exit_status);
	assert_string_equal(a->time_zone, b->time_zone);
	assert_string_equal(a->time_source, b->time_source);
	assert_int_equal(a->device_count, b->device_count);
	for (size_t i = 0; i < a->device_count; i++) {
		assert_int_equal(a->device[i].kind, b->device[i].kind);
		assert_int_equal(a->device[i].index, b->device[i].index);
		assert_string_equal(a->device[i].name, b->device[i].name);
		same_text(a->device[i].uuid, b->device[i].uuid);
		same_text(a->device[i].bus_id, b->device[i].bus_id);
		same_text(a->device[i].model, b->device[i].model);
	}
	assert_int_equal(a->file_count, b->file_count);
	for (size_t i = 0; i < a->file_count; i++) {
		same_text(a->file[i].path, b->file[i].path);
		assert_int_equal(a->file[i].kind, b->file[i].kind);
		assert_int_equal(a->file[i].size, b->file[i].size);
		assert_int_equal(a->file[i].mtime_ns, b->file[i].mtime_ns);
		assert_int_equal(a->file[i].rows, b->file[i].rows);
		assert_int_equal(a->file[i].refused, b->file[i].refused);
	}
	assert_int_equal(a->event_count, b->event_count);
	for (size_t i = 0; i < a->event_count; i++) {
		assert_int_equal(a->event[i].type, b->event[i].type);
		assert_int_equal(a->event[i].t_ns, b->event[i].t_ns);
		assert_int_equal(a->event[i].end_ns, b->event[i].end_ns);
		same_text(a->event[i].type_name, b->event[i].type_name);
		same_text(a->event[i].name, b->event[i].name);
		same_text(a->event[i].extras, b->event[i].extras);
	}
	assert_int_equal(a->diags.count, b->diags.count);
	for (size_t i = 0; i < a->diags.count; i++) {
		same_text(a->diags.at[i].id, b->diags.at[i].id);
		same_text(a->diags.at[i].file, b->diags.at[i].file);
		assert_int_equal(a->diags.at[i].line, b->diags.at[i].line);
		assert_int_equal(a->diags.at[i].count, b->diags.at[i].count);
		same_text(a->diags.at[i].text, b->diags.at[i].text);
		assert_int_equal(a->diags.at[i].damage, b->diags.at[i].damage);
	}
}

static void run_restored(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = full_run(), got;

	assert_int_equal(store_begin_run(store, &run, "s", &room->err), 0);
	finish(room, store, &run);
	run_init(&got, run.path);
	assert_int_equal(store_get_run(store, "key", "s", &got, &room->err), 1);
	check_run(&run, &got);
	run_release(&got);
	run_release(&run);
	store_close(store);
}

static void run_not_found(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run got;

	load(room, store, "r", NULL);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "q", "shape", &got, &room->err), 0);
	assert_int_equal(store_get_run(store, "r", "other", &got, &room->err), 0);
	assert_null(store_samples(store, "q", SOURCE_NVIDIA_QUERY, &room->err));
	assert_non_null(strstr(room->err.message, "has no run q"));
	assert_int_equal(
		sql_exec(store, "UPDATE run SET definitions_version = 0", &room->err), 0);
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 0);
	assert_null(got.key);
	run_release(&got);
	store_close(store);
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
	assert_null(store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->err));
	assert_non_null(strstr(room->err.message, "loaded anew"));
	run_release(&got);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 1);
	src = store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->err);
	assert_non_null(src);
	sample_source_free(src);
	load(room, store, "r", NULL);
	src = store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->err);
	assert_non_null(src);
	sample_source_free(src);
	run_release(&got);
	store_close(store);
	store_close(other);
}

/* The summaries are for SQL only; here they are read as its users do. */
static void summaries(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = full_run();
	struct report report;
	struct metric_stats stats = {.metric = METRIC_power_w,
		.source = SOURCE_NVIDIA_QUERY,
		.device = 1,
		.n = 5,
		.mean = 250.5,
		.max = 300,
		.p50 = NAN,
		.min_at_ns = TIME_NONE,
		.max_at_ns = 1700000001123456789,
		.has_energy = true,
		.energy_j = 1000};
	struct gap gap = {1700000001000000000, 9.5, 1, SOURCE_NVIDIA_QUERY};
	struct phase phase = {"train", NULL, 1700000001000000000, 0.5, 1.5, false};

	assert_int_equal(store_begin_run(store, &run, "s", &room->err), 0);
	report_init(&report, &run);
	report.started_ns = 1700000000123000000;
	report.stats = &stats;
	report.stats_count = 1;
	report.evidence.gap = &gap;
	report.evidence.gap_listed = report.evidence.gap_count = 1;
	report.evidence.grade = 'B';
	report.phase = &phase;
	report.phase_count = 1;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report.summary[key].number = NAN;
	report.summary[SUMMARY_gpu_count] = (struct summary_item){VALUE_COUNT, 2, NULL};
	report.summary[SUMMARY_energy_j] = (struct summary_item){VALUE_NUMBER, 0.1, NULL};
	report.summary[SUMMARY_energy_method] =
		(struct summary_item){VALUE_TEXT, 0, "integrated"};
	assert_int_equal(store_finish_run(store, &report, &room->err), 0);
	store_close(store);
	assert_true(ask(room->db,
		"SELECT started_at = '2023-11-14T22:13:20.123Z' AND ended_at IS NULL "
		"AND grade = 'B' AND gpu_count = 2 AND typeof(gpu_count) = 'integer' "
		"AND energy_j = 0.1 AND energy_method = 'integrated' "
		"AND peak_vram_mib IS NULL AND exit_status = 137 AND gaps = 1 "
		"FROM v_run"));
	assert_true(ask(room->db,
		"SELECT device = 'gpu3' AND unit = 'W' AND mean = 250.5 AND p50 IS NULL "
		"AND min_at IS NULL AND max_at = '2023-11-14T22:13:21.123Z' "
		"AND abs(max_at_s - 1.000456789) < 1e-9 AND energy_j = 1000 "
		"AND above_gt_0 IS NULL FROM v_metric"));
	assert_true(ask(room->db,
		"SELECT phase = 'train' AND seconds = 1.5 "
		"AND start_at = '2023-11-14T22:13:21.000Z' FROM v_phase"));
	assert_int_equal(ask(room->db, "SELECT count(*) FROM v_gpu"), 2);
	assert_true(ask(room->db,
		"SELECT power_mean_w = 250.5 AND energy_j = 1000 "
		"FROM v_gpu WHERE device = 'gpu3'"));
	assert_int_equal(ask(room->db, "SELECT count(*) FROM v_event"), 4);
	assert_true(ask(room->db,
		"SELECT seconds = 1.5 AND t_s = 0.877 FROM v_event "
		"WHERE type = 'phase'"));
	assert_true(ask(room->db,
		"SELECT kind IS NULL AND modified_at = "
		"'1970-01-01T00:00:00.000Z' FROM v_source "
		"WHERE path = 'a.bin'"));
	assert_true(ask(room->db,
		"SELECT modified_at = '1969-12-31T23:59:59.999Z' "
		"FROM v_source WHERE path = 'b.csv'"));
	assert_int_equal(ask(room->db, "SELECT sum(count) FROM v_diagnostic"), 3);
	run_release(&run);
}

/* The shares of /proc/stat in SQL: by hand, for one interval. */
static void cpu_view(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct samples list = {.source = SOURCE_PROC_STAT};
	struct sample rows[2] = {{.t_ns = 1000000000}, {.t_ns = 2000000000}};
	static const int64_t ticks[2][4] = {{100, 10, 20, 1000}, {130, 20, 30, 1050}};
	static const enum metric_id ids[4] = {METRIC_cpu_user_ticks,
		METRIC_cpu_nice_ticks, METRIC_cpu_system_ticks, METRIC_cpu_idle_ticks};

	for (size_t row = 0; row < 2; row++)
		for (size_t i = 0; i < 4; i++) {
			rows[row].presence[ids[i]] = PRESENCE_VALUE;
			rows[row].value[ids[i]] = ticks[row][i];
		}
	list.at = rows;
	list.count = 2;
	load(room, store, "r", &list);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM v_cpu_sample"), 2);
	assert_true(ask(room->db,
		"SELECT cpu_usr_pct IS NULL AND cpu_user_ticks = 100 "
		"FROM v_cpu_sample ORDER BY at LIMIT 1"));
	assert_true(ask(room->db,
		"SELECT cpu_usr_pct = 40.0 AND cpu_sys_pct = 10.0 AND cpu_idle_pct = "
		"50.0 "
		"AND cpu_busy_pct = 50.0 AND cpu_irq_pct IS NULL "
		"FROM v_cpu_sample ORDER BY at DESC LIMIT 1"));
}

/* Columns of a table that are not one of the words in skip, as lines. */
static void columns_of(
	const char *path, const char *table, const char *skip, struct strbuf *lines)
{
	char text[200];
	sqlite3 *db;
	sqlite3_stmt *stmt;

	snprintf(text, sizeof text, "PRAGMA table_info(%s)", table);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		char word[80];

		snprintf(word, sizeof word, " %s ",
			(const char *)sqlite3_column_text(stmt, 1));
		if (!strstr(skip, word))
			strbuf_addf(lines, "%s%s\n", word,
				(const char *)sqlite3_column_text(stmt, 2));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

/* The schema is written by hand; it and the two tables of the program must agree. */
static void schema_has_metrics(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);

	load(room, store, "r", NULL);
	store_close(store);
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++) {
		struct strbuf want, got;

		strbuf_init(&want);
		strbuf_init(&got);
		for (enum metric_id id = 0; id < METRIC_COUNT; id++)
			if (metric_get(id)->table == table)
				strbuf_addf(&want, " %s %s\n", metric_get(id)->name,
					metric_get(id)->per_unit == 1 ? "INTEGER"
								      : "REAL");
		columns_of(room->db, sample_table_name(table),
			" run_id  source  device  segment  t_ns  ord  mark ", &got);
		assert_string_equal(got.text, want.text);
		strbuf_release(&want);
		strbuf_release(&got);
	}
	assert_int_equal(ask(room->db, "SELECT count(*) FROM metric"), METRIC_COUNT);
	assert_true(ask(room->db,
		"SELECT unit = 'W' AND kind = 'gauge' AND better = "
		"'lower' FROM metric WHERE name = 'power_w'"));
}

static void schema_has_summary(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct strbuf got;
	const char *line;

	load(room, store, "r", NULL);
	store_close(store);
	strbuf_init(&got);
	columns_of(room->db, "run_summary", " run_id ", &got);
	line = got.text;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const char *name = summary_field_get(key)->name;

		assert_memory_equal(line + 1, name, strlen(name));
		assert_int_equal(line[1 + strlen(name)], ' ');
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "");
	strbuf_clear(&got);
	columns_of(room->db, "metric_summary", "", &got);
	for (size_t a = 0; a < ABOVE_COUNT; a++) {
		char word[40];

		snprintf(word, sizeof word, " above_%s REAL\n", above_key[a]);
		assert_non_null(strstr(got.text, word));
	}
	strbuf_release(&got);
}

/* Views and the table of metrics are made anew where they differ, else not touched. */
static void views_renewed(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	int64_t version;

	load(room, store, "r", NULL);
	store_close(store);
	version = ask(room->db, "PRAGMA schema_version");
	store_close(open_store(room));
	assert_int_equal(ask(room->db, "PRAGMA schema_version"), version);
	tell(room->db,
		"DROP VIEW v_run; CREATE VIEW v_run AS SELECT 1 AS old;"
		"CREATE VIEW v_mine AS SELECT 2; DELETE FROM source_kind;"
		"INSERT INTO source_kind VALUES (40, 'nvidia-query');"
		"UPDATE schema_text SET text = ''; DELETE FROM metric");
	store = open_store(room);
	assert_int_equal(store->source_id[SOURCE_NVIDIA_QUERY], 40);
	assert_int_equal(store->source_id[SOURCE_NVIDIA_DMON], 41);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(run) FROM v_run"), 1);
	assert_int_equal(ask(room->db, "SELECT * FROM v_mine"), 2);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM metric"), METRIC_COUNT);
}

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *bytes = xcalloc(1, 1 << 20);

	assert_non_null(f);
	*n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

/* Not opened, this sentence, and not a byte changed. */
static void check_refused(struct room *room, const char *path, const char *sentence)
{
	struct store *store = NULL;
	struct stat st;
	bool file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
	size_t files = files_in(room->dir, false), before_n = 0, after_n = 0;
	char *before = file ? slurp(path, &before_n) : NULL;
	char *after;

	assert_int_equal(store_open(&store, path, &room->err), -1);
	if (!strstr(room->err.message, sentence) || !strstr(room->err.message, path))
		fail_msg("'%s' is not '%s'", room->err.message, sentence);
	assert_int_equal(files_in(room->dir, false), files);
	if (!file)
		return;
	after = slurp(path, &after_n);
	assert_int_equal(before_n, after_n);
	assert_memory_equal(before, after, before_n);
	free(before);
	free(after);
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void refuse_text(void **state)
{
	struct room *room = *state;

	put_file(room->db, "short");
	check_refused(room, room->db, "is not an SQLite database");
	put_file(room->db,
		"a text that is longer than the header of an SQLite database, "
		"which has one hundred bytes of it at its very beginning");
	check_refused(room, room->db, "is not an SQLite database");
}

static void refuse_other_program(void **state)
{
	struct room *room = *state;

	tell(room->db, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
	check_refused(room, room->db, "the database of another program");
	tell(room->db, "PRAGMA application_id = 77");
	check_refused(room, room->db, "(its application id is 77)");
	tell(room->db, "PRAGMA journal_mode = WAL");
	check_refused(room, room->db, "the database of another program");
}

/* An SQLite file without tables is nobody's. */
static void accept_empty(void **state)
{
	struct room *room = *state;

	put_file(room->db, "");
	store_close(open_store(room));
	assert_int_equal(files_in(room->dir, false), 1);
	remove(room->db);
	tell(room->db, "CREATE TABLE t (a); DROP TABLE t");
	store_close(open_store(room));
	assert_int_equal(ask(room->db, "PRAGMA application_id"), STORE_APPLICATION_ID);
}

static void refuse_newer(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);

	load(room, store, "r", NULL);
	store_close(store);
	tell(room->db, "PRAGMA user_version = 1000");
	check_refused(room, room->db, "(schema 1000, this one knows up to 1)");
}

static void refuse_places(void **state)
{
	struct room *room = *state;
	char path[200];

	check_refused(room, room->dir, "is a directory");
	check_refused(room, "/dev/null", "is not a file");
	check_refused(room, "", "the name of the database is empty");
	snprintf(path, sizeof path, "%s/no/such.db", room->dir);
	check_refused(room, path, "No such file or directory");
	put_file(room->db, "");
	snprintf(path, sizeof path, "%s/under", room->db);
	check_refused(room, path, "Not a directory");
}

static void refuse_read_only(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);

	load(room, store, "r", NULL);
	store_close(store);
	if (geteuid() == 0)
		skip(); /* may write everywhere */
	chmod(room->db, 0444);
	check_refused(room, room->db, "can't be written");
	chmod(room->db, 0644);
	chmod(room->dir, 0555);
	check_refused(room, room->db, "can't be written");
	chmod(room->dir, 0755);
}

static void refuse_damaged(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	uint64_t seed = 8;
	struct samples list = random_samples(SOURCE_NVIDIA_QUERY, 2, 3000, &seed);
	struct stat st;
	FILE *f;

	load(room, store, "r", &list);
	store_close(store);
	free(list.at);
	stat(room->db, &st);
	f = fopen(room->db, "r+b");
	assert_non_null(f);
	fseek(f, 16384, SEEK_SET);
	for (long i = 16384; i < st.st_size; i++)
		fputc((int)(i % 251), f);
	fclose(f);
	check_refused(room, room->db, "is damaged");
}

/* A lying database: what it says of devices, layouts and values is checked. */
static void lies_told(void **state)
{
	static const char *const lies[] = {"DELETE FROM device WHERE device > 1",
		"UPDATE layout SET layout = 2000000000 WHERE metric = 'power_w'",
		"UPDATE layout SET metric = 'watt' WHERE metric = 'power_w'",
		"UPDATE layout SET metric = 'cpu_usr_pct' WHERE metric = 'power_w'",
		"UPDATE gpu_sample SET power_w = 'much' WHERE power_w NOT NULL",
		"UPDATE gpu_sample SET power_w = 1e300 WHERE power_w NOT NULL",
		"UPDATE gpu_sample SET power_w = x'31' WHERE power_w NOT NULL",
		"UPDATE gpu_sample SET segment = segment + 4000000000",
		"UPDATE gpu_sample SET mark = -1"};
	struct room *room = *state;
	uint64_t seed = 9;
	struct samples list = random_samples(SOURCE_NVIDIA_QUERY, 4, 100, &seed);

	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		struct store *store = open_store(room);
		struct sample_source *src;
		struct sample_batch batch;
		int rc;

		load(room, store, "r", &list);
		store_close(store);
		tell(room->db, lies[i]);
		store = open_store(room);
		sample_batch_init(&batch);
		src = store_samples(store, "r", SOURCE_NVIDIA_QUERY, &room->err);
		rc = src ? sample_source_next(src, &batch, &room->err) : -1;
		if (rc != -1 || !strstr(room->err.message, "is damaged"))
			fail_msg("believed: %s", lies[i]);
		sample_batch_release(&batch);
		sample_source_free(src);
		store_close(store);
	}
	free(list.at);
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

/* A file made for nothing goes; one with a run, or one that was there before, stays. */
static void empty_removed(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room), *other;
	struct run run = make_run("r", 1);

	assert_int_equal(files_in(room->dir, false), 1);
	store_close(store);
	assert_int_equal(files_in(room->dir, false), 0);
	store = open_store(room);
	assert_int_equal(store_begin_run(store, &run, "", &room->err), 0);
	store_close(store);
	assert_int_equal(files_in(room->dir, false), 0);
	/* Two that came at the same time: what one has loaded, the other leaves. */
	store = open_store(room);
	other = open_store(room);
	load(room, other, "r", NULL);
	store_close(store);
	store_close(other);
	assert_int_equal(files_in(room->dir, false), 1);
	store_close(open_store(room));
	assert_int_equal(files_in(room->dir, false), 1);
	run_release(&run);
}

/* A file that was removed under a loader: it says so instead of writing into nowhere. */
static void removed_meanwhile(void **state)
{
	struct room *room = *state;
	struct store *first = open_store(room), *second = open_store(room);
	struct run run = make_run("r", 1);
	struct report report;
	int rc;

	store_close(first);
	assert_int_equal(files_in(room->dir, false), 0);
	rc = store_begin_run(second, &run, "", &room->err);
	if (rc == 0) {
		report_init(&report, &run);
		rc = store_finish_run(second, &report, &room->err);
	}
	assert_int_equal(rc, -1);
	assert_non_null(strstr(room->err.message, "removed or replaced"));
	store_close(second);
	run_release(&run);
}

/* SQLite's own names are names of files here. */
static void odd_names(void **state)
{
	static const char *const names[] = {
		"a b.db", "per%20cent.db", "q?mode=memory.db", "#.db", "file:x.db"};
	struct room *room = *state;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct store *store;

		snprintf(room->db, sizeof room->db, "%s/%s", room->dir, names[i]);
		store = open_store(room);
		load(room, store, "r", NULL);
		store_close(store);
		assert_int_equal(access(room->db, F_OK), 0);
		store_close(open_store(room));
	}
	assert_int_equal(files_in(room->dir, false), 5);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(round_trip), CASE(values_exact),
		CASE(untimed_log), CASE(replaced), CASE(replaced_everywhere),
		CASE(drop_and_add), CASE(drop_source), CASE(temporary), CASE(abandoned),
		CASE(full_disk), CASE(run_restored), CASE(run_not_found),
		CASE(loaded_meanwhile), CASE(summaries), CASE(cpu_view),
		CASE(schema_has_metrics), CASE(schema_has_summary), CASE(views_renewed),
		CASE(refuse_text), CASE(refuse_other_program), CASE(accept_empty),
		CASE(refuse_newer), CASE(refuse_places), CASE(refuse_read_only),
		CASE(refuse_damaged), CASE(lies_told), CASE(locked), CASE(empty_removed),
		CASE(removed_meanwhile), CASE(odd_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
