/*
 * A directory of its own for each test, into which it puts files, surveys them as a run
 * and reads their rows.
 */
#ifndef UNIT_ROOM_H
#define UNIT_ROOM_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/formats.h"
#include "read/read_run.h"

#define T0_NS (1740823200LL * NS_PER_S) /* 2025-03-01T10:00:00Z */
#define QUERY "timestamp, index, power.draw [W]\n"

struct room {
	char dir[64];
	struct run run;
	struct reading *reading;
	struct error err;
};

static inline int room_open(void **state)
{
	struct room *room = xcalloc(1, sizeof *room);

	snprintf(room->dir, sizeof room->dir, "/tmp/read_run_test.XXXXXX");
	*state = room;
	return mkdtemp(room->dir) ? 0 : -1;
}

static inline int room_close(void **state)
{
	struct room *room = *state;
	DIR *dir = opendir(room->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[512];

		snprintf(path, sizeof path, "%s/%s", room->dir, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove(path);
	}
	closedir(dir);
	rmdir(room->dir);
	free(room);
	return 0;
}

static inline void put(const struct room *room, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", room->dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static inline void drop(const struct room *room, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", room->dir, name);
	assert_int_equal(remove(path), 0);
}

static inline int survey(struct room *room, const char *path, const char *tz)
{
	struct zone zone;
	const struct read_options options = {.formats = log_formats(),
		.zone = tz ? &zone : NULL,
		.path = &path,
		.path_count = 1};

	if (tz)
		assert_int_equal(zone_parse(&zone, tz, &room->err), 0);
	run_init(&room->run, path);
	room->reading = NULL;
	return read_survey(&room->reading, &room->run, &options, &room->err);
}

static inline void leave(struct room *room)
{
	reading_free(room->reading);
	run_release(&room->run);
}

/* Times of the rows in seconds since T0, and whether a header stood before, as text. */
static inline void read_rows(
	struct room *room, enum source_kind kind, char *text, size_t size)
{
	struct sample_source *source = read_samples(room->reading, kind, 2 * NS_PER_S);
	struct sample_batch batch;
	size_t len = 0;

	text[0] = '\0';
	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &room->err) > 0)
		for (size_t i = 0; i < batch.rows; i++)
			len += (size_t)snprintf(text + len, size - len, "%s%lld",
				batch.header[i] ? " |" : " ",
				(long long)((batch.t_ns[i] - T0_NS) / NS_PER_S));
	sample_batch_release(&batch);
	sample_source_free(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)

#endif
