/*
 * The schema against the metrics and statistics of the program; and its views, which are
 * kept up to date.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "store_fixture.h"

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

/* The tables of samples are written by hand; they must have a column for each metric. */
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
					metric_is_text(id) ? "TEXT"
						: metric_get(id)->per_unit == 1
						? "INTEGER"
						: "REAL");
		columns_of(room->db, sample_table_name(table),
			" sample  t_ns  ord  mark ", &got);
		assert_string_equal(got.text, want.text);
		strbuf_release(&want);
		strbuf_release(&got);
	}
	assert_int_equal(ask(room->db, "SELECT count(*) FROM metric"), METRIC_COUNT);
	assert_true(ask(room->db,
		"SELECT unit = 'W' AND kind = 'gauge' AND better = "
		"'lower' FROM metric WHERE name = 'power_w'"));
}

/* The views show all statistics of a metric: they name the parts that these are of. */
static void views_have_statistics(void **state)
{
	static const char *const view[] = {"metrics", "phase_metrics"};
	struct room *room = *state;
	struct store *store = open_store(room);
	struct strbuf got;

	load(room, store, "r", NULL);
	store_close(store);
	strbuf_init(&got);
	for (size_t i = 0; i < 2; i++) {
		strbuf_clear(&got);
		columns_of(room->db, view[i], "", &got);
#define STATISTIC(name, ...)                  \
	if (!strstr(got.text, " " #name " ")) \
		fail_msg("%s has no column %s", view[i], #name);
#include "../schema/report.def"
	}
	for (size_t a = 0; a < ABOVE_COUNT; a++) {
		char name[40];

		snprintf(name, sizeof name, "above_%s", above_key[a]);
		assert_int_equal(statistic_find(span_of(name)), STATISTIC_above_gt_0 + a);
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
		"DROP VIEW runs; CREATE VIEW runs AS SELECT 1 AS old;"
		"CREATE VIEW mine AS SELECT 2; DELETE FROM source_kind;"
		"INSERT INTO source_kind VALUES (40, 'nvidia-query');"
		"DROP VIEW gaps; CREATE VIEW gaps AS SELECT 1; DELETE FROM metric");
	store = open_store(room);
	assert_int_equal(store->source_id[SOURCE_NVIDIA_QUERY], 40);
	assert_int_equal(store->source_id[SOURCE_NVIDIA_DMON], 41);
	store_close(store);
	assert_int_equal(ask(room->db, "SELECT count(run) FROM runs"), 1);
	assert_int_equal(ask(room->db, "SELECT * FROM mine"), 2);
	assert_int_equal(ask(room->db, "SELECT count(*) FROM metric"), METRIC_COUNT);
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
	assert_int_equal(ask(room->db, "SELECT count(*) FROM cpu_samples"), 2);
	assert_true(ask(room->db,
		"SELECT cpu_usr_pct IS NULL AND cpu_user_ticks = 100 "
		"FROM cpu_samples ORDER BY at LIMIT 1"));
	assert_true(ask(room->db,
		"SELECT cpu_usr_pct = 40.0 AND cpu_sys_pct = 10.0 AND cpu_idle_pct = "
		"50.0 "
		"AND cpu_busy_pct = 50.0 AND cpu_irq_pct IS NULL "
		"FROM cpu_samples ORDER BY at DESC LIMIT 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(schema_has_metrics),
		CASE(views_have_statistics), CASE(views_renewed), CASE(cpu_view)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
