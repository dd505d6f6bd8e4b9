/*
 * Opening and creating a runs database: other people's files stay as they were, a damaged
 * or lying one is not believed, and a file made for nothing goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <sys/stat.h>

#include "store_fixture.h"

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
	check_refused(room, room->db, "(application id 77)");
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
	check_refused(room, room->db, "(schema 1000; this version reads up to 1)");
}

static void refuse_unreleased(void **state)
{
	struct room *room = *state;

	tell(room->db, "CREATE TABLE run (run_id); PRAGMA application_id = 0x6877736d");
	check_refused(room, room->db, "was made by an unreleased version");
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
		"UPDATE layout SET layout = 2000000000 + layout WHERE metric = 'power_w'",
		"UPDATE layout SET metric = 'watt' WHERE metric = 'power_w'",
		"UPDATE layout SET metric = 'cpu_usr_pct' WHERE metric = 'power_w'",
		"UPDATE gpu_sample SET power_w = 'much' WHERE power_w NOT NULL",
		"UPDATE gpu_sample SET power_w = 1e300 WHERE power_w NOT NULL",
		"UPDATE gpu_sample SET power_w = x'31' WHERE power_w NOT NULL",
		"DELETE FROM sample_chunk",
		"UPDATE sample_chunk SET segment = segment + 4000000000",
		"UPDATE gpu_sample SET t_ns = -t_ns WHERE sample % 50 = 49",
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
		src = store_samples(
			store, "r", SOURCE_NVIDIA_QUERY, &room->texts, &room->err);
		rc = src ? sample_source_next(src, &batch, &room->err) : -1;
		if (rc != -1 || !strstr(room->err.message, "is damaged"))
			fail_msg("believed: %s", lies[i]);
		sample_batch_release(&batch);
		sample_source_free(src);
		store_close(store);
	}
	free(list.at);
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
		rc = store_finish_run(second, &report, NULL, &room->err);
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

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(refuse_text), CASE(refuse_other_program),
		CASE(accept_empty), CASE(refuse_newer), CASE(refuse_unreleased),
		CASE(refuse_places), CASE(refuse_read_only), CASE(refuse_damaged),
		CASE(lies_told), CASE(temporary), CASE(empty_removed),
		CASE(removed_meanwhile), CASE(odd_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
