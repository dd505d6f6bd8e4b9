/*
 * A directory of its own for each test of the store, the database in it, and SQL asked of
 * that past the store, as its users do. Include it behind cmocka.h.
 */
#ifndef STORE_ROOM_H
#define STORE_ROOM_H

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/store.h"

/* A directory of its own for each test. */
struct room {
	char dir[64];
	char db[96];
	struct error err;
	struct texts texts; /* the words of samples that are read */
};

static inline int room_open(void **state)
{
	struct room *room = xcalloc(1, sizeof *room);

	snprintf(room->dir, sizeof room->dir, "/tmp/store_test.XXXXXX");
	if (!mkdtemp(room->dir))
		return -1;
	snprintf(room->db, sizeof room->db, "%s/runs.db", room->dir);
	*state = room;
	return 0;
}

static inline size_t files_in(const char *dir, bool remove_them)
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

static inline int room_close(void **state)
{
	struct room *room = *state;

	texts_release(&room->texts);
	files_in(room->dir, true);
	rmdir(room->dir);
	free(room);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)

static inline struct store *open_store(struct room *room)
{
	struct store *store = NULL;

	if (store_open(&store, room->db, &room->err) < 0)
		fail_msg("%s", room->err.message);
	return store;
}

static inline int64_t ask(const char *path, const char *text)
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

static inline void tell(const char *path, const char *text)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, text, NULL, NULL, &message);
	if (message)
		fail_msg("%s: %s", text, message);
	sqlite3_close(db);
}

#endif
