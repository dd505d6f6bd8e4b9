/*
 * SQLite files as rows of text: every value as it was, and what somebody put into the
 * file to do harm does none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "often.h"
#include "read/sqlitefile.h"

struct room {
	char path[64];
	struct sqlitefile *file;
	struct error err;
};

static int room_open(void **state)
{
	static struct room room;

	room = (struct room){.path = "/tmp/sqlitefile_test.XXXXXX"};
	close(mkstemp(room.path));
	*state = &room;
	return 0;
}

static int room_close(void **state)
{
	struct room *room = *state;

	sqlitefile_close(room->file);
	unlink(room->path);
	return 0;
}

static void make(const struct room *room, const char *sql)
{
	sqlite3 *db;

	unlink(room->path);
	assert_int_equal(sqlite3_open(room->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int open_file(struct room *room)
{
	return sqlitefile_open(&room->file, room->path, -1, &room->err);
}

/* The rows of a table, cells separated by '|', rows by newlines; -1 at the end: an error.
 */
static char *rows_of(struct room *room, const char *table)
{
	const struct span *cell;
	struct strbuf sb;
	int got = sqlitefile_select(room->file, table, &room->err);

	strbuf_init(&sb);
	while (got >= 0 && (got = sqlitefile_row(room->file, &cell, &room->err)) > 0) {
		for (size_t i = 0; i < sqlitefile_columns(room->file); i++) {
			strbuf_adds(&sb, i ? "|" : "");
			strbuf_add(&sb, cell[i].at, cell[i].len);
		}
		strbuf_addc(&sb, '\n');
	}
	if (got < 0)
		strbuf_adds(&sb, "error");
	return strbuf_detach(&sb);
}

static void expect_rows(struct room *room, const char *table, const char *expected)
{
	char *rows = rows_of(room, table);

	assert_string_equal(rows, expected);
	free(rows);
}

#define ROWS                                                                     \
	"CREATE TABLE data (a, \"b \"\" ; --\" FLOAT, c TEXT);"                  \
	"INSERT INTO data VALUES (1, 1745449624.4956949, 'x; DROP TABLE data')," \
	"(-9223372036854775807, 0.1, NULL), (NULL, 1e300, 'two' || char(10) ||"  \
	" 'lines'), (2.5, -0.0, '');"

static const char rows_text[] = "1|1745449624.4956949|x; DROP TABLE data\n"
				"-9223372036854775807|0.1|\n"
				"|1e+300|two\nlines\n"
				"2.5|0|\n";

static void every_value_reads_back(void **state)
{
	struct room *room = *state;

	make(room, ROWS);
	assert_int_equal(open_file(room), 0);
	assert_string_equal(sqlitefile_table(room->file, 0), "data");
	assert_null(sqlitefile_table(room->file, 1));
	expect_rows(room, "data", rows_text);
	assert_true(span_is(sqlitefile_column(room->file, 1), "b \" ; --"));
	expect_rows(room, "data", rows_text); /* once more */
	expect_rows(room, "data\"; --", "error");
}

static void packed_and_logged_files_are_read(void **state)
{
	struct room *room = *state;
	char bytes[8192 * 2];
	size_t size;
	FILE *file;
	gzFile gz;

	make(room, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;" ROWS);
	assert_int_equal(open_file(room), 0);
	expect_rows(room, "data", rows_text);
	file = fopen(room->path, "rb");
	size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	gz = gzopen(room->path, "wb");
	assert_int_equal(gzwrite(gz, bytes, (unsigned)size), size);
	gzclose(gz);
	sqlitefile_close(room->file);
	room->file = NULL;
	assert_int_equal(open_file(room), 0);
	expect_rows(room, "data", rows_text);
}

/* More work than any one row may take, but for many rows. */
static void a_long_table_is_read_to_its_end(void **state)
{
	struct room *room = *state;
	const struct span *cell;
	uint64_t rows = 0;
	int got;

	make(room,
		"CREATE TABLE data (a, b, c, d, e, f, g, h);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
		"< "
		"1200000) INSERT INTO data SELECT i, 0, 0, 0, 0, 0, 0, 0 FROM n;");
	assert_int_equal(open_file(room), 0);
	assert_int_equal(sqlitefile_select(room->file, "data", &room->err), 0);
	assert_int_equal(sqlitefile_check(room->file, &room->err), 0);
	while ((got = sqlitefile_row(room->file, &cell, &room->err)) > 0)
		rows++;
	assert_int_equal(got, 0);
	assert_int_equal(rows, 1200000);
}

/* What would compute instead of being read. */
static void nothing_of_a_schema_runs(void **state)
{
	struct room *room = *state;

	make(room,
		"CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
		"SELECT x + 1 FROM c) SELECT x FROM c;"
		"CREATE VIRTUAL TABLE words USING fts5(a);"
		"CREATE TABLE made (a, b AS (hex(zeroblob(100000000))));"
		"INSERT INTO made (a) VALUES (1);"
		"CREATE TABLE long (a); INSERT INTO long VALUES (zeroblob(2000000));");
	assert_int_equal(open_file(room), 0);
	for (size_t i = 0; sqlitefile_table(room->file, i); i++) {
		assert_string_not_equal(sqlitefile_table(room->file, i), "endless");
		assert_string_not_equal(sqlitefile_table(room->file, i), "words");
	}
	expect_rows(room, "endless", "error");
	assert_non_null(strstr(room->err.message, room->path));
	expect_rows(room, "words", "error");
	expect_rows(room, "made", "error");
	expect_rows(room, "long", "error");
	expect_rows(room, "no such table", "error");
}

static void what_is_no_database_is_said(void **state)
{
	static const char *const texts[] = {"", "SQLite format 3", "timestamp, index\n"};
	struct room *room = *state;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		FILE *file = fopen(room->path, "wb");

		fputs(texts[i], file);
		fclose(file);
		assert_int_equal(open_file(room), -1);
		assert_non_null(strstr(room->err.message, "not an SQLite file"));
	}
}

/* Rows of a page that counts none, and values under the names of others. */
static void lost_rows_and_columns_are_found(void **state)
{
	struct room *room = *state;
	FILE *file;

	make(room, "PRAGMA page_size = 512;" ROWS);
	assert_int_equal(open_file(room), 0);
	assert_int_equal(sqlitefile_check(room->file, &room->err), 0);
	sqlitefile_close(room->file);
	room->file = NULL;
	file = fopen(room->path, "r+b");
	fseek(file, 512 + 4, SEEK_SET);
	fputc(0, file);
	fclose(file);
	assert_int_equal(open_file(room), 0);
	assert_int_equal(sqlitefile_check(room->file, &room->err), -1);
	expect_rows(room, "data", "");
	sqlitefile_close(room->file);
	room->file = NULL;
	make(room, "CREATE TABLE data (a FLOAT \n\tb FLOAT, c DOUBLE PRECISION);");
	assert_int_equal(open_file(room), 0);
	expect_rows(room, "data", "error");
}

/* Wounds at every byte of the first page and at some of the others. */
static void wounds_are_survived(void **state)
{
	struct room *room = *state;
	unsigned char whole[16384], bytes[sizeof whole];
	size_t size;
	FILE *file;

	make(room,
		"PRAGMA page_size = 512;" ROWS
		"CREATE TABLE more (x); INSERT INTO more SELECT c FROM data;");
	file = fopen(room->path, "rb");
	size = fread(whole, 1, sizeof whole, file);
	fclose(file);
	for (size_t at = 0; at < size; at += (size_t)often(5, 1)) {
		memcpy(bytes, whole, size);
		bytes[at] = (unsigned char)(at % 3 ? 0xff : ~bytes[at]);
		file = fopen(room->path, "wb");
		fwrite(bytes, 1, at % 7 ? size : at, file);
		fclose(file);
		if (open_file(room) < 0) {
			assert_true(strlen(room->err.message) > strlen(room->path));
			continue;
		}
		for (size_t i = 0; sqlitefile_table(room->file, i); i++)
			free(rows_of(room, sqlitefile_table(room->file, i)));
		sqlitefile_close(room->file);
		room->file = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_value_reads_back, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			packed_and_logged_files_are_read, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			a_long_table_is_read_to_its_end, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			nothing_of_a_schema_runs, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			what_is_no_database_is_said, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			lost_rows_and_columns_are_found, room_open, room_close),
		cmocka_unit_test_setup_teardown(
			wounds_are_survived, room_open, room_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
