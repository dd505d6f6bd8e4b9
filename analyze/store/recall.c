/* Reports as images, found by the stamp of their files. */
#include <stdio.h>

#include "build.inc"
#include "model/report_image.h"
#include "model/run_image.h"
#include "store/internal.h"
#include "store/store.h"

/* A larger one is not kept: of a run with so many phases nobody asks in passing. */
#define IMAGE_MAX (4 << 20)

/* Whose images can be read: made from the same sources, on the same kind of machine. */
static void made_by(char text[128])
{
	snprintf(text, 128, "%s %zu %d", BUILD_ID, sizeof(void *), __BYTE_ORDER__);
}

static int64_t hash_of(const char *stamp)
{
	return (int64_t)span_hash(span_of(stamp), SPAN_HASH);
}

static int put_image(struct store *store, int64_t run_id, const char *stamp,
	const struct image *im, struct error *err)
{
	char maker[128];
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store, "REPLACE INTO run_image VALUES (?, ?, ?, ?, ?)",
		    err) < 0)
		return -1;
	made_by(maker);
	sql_put_int(&row, run_id);
	sql_put_int(&row, hash_of(stamp));
	sql_put_text(&row, stamp);
	sql_put_text(&row, maker);
	sql_put_blob(&row, im->bytes.text, im->bytes.len);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

int image_put(struct store *store, int64_t run_id, const char *stamp,
	const struct report *report, struct error *err)
{
	struct image im;
	int rc = 0;

	/* What could not be read then may be readable next time. */
	if (run_is_unreadable(report->run))
		return 0;
	image_write(&im);
	/* One that writes changes nothing. */
	image_run(&im, (struct run *)report->run);
	image_report(&im, (struct report *)report, NULL);
	if (im.bytes.len <= IMAGE_MAX)
		rc = put_image(store, run_id, stamp, &im, err);
	image_release(&im);
	return rc;
}

/* False: it is not sound; run and report are empty then. */
static bool read_image(const void *bytes, size_t len, struct run *run,
	struct report *report, const struct rule_set *rules)
{
	struct image im;

	image_read(&im, bytes, len);
	*run = (struct run){0};
	image_run(&im, run);
	report_init(report, run);
	if (!im.damaged)
		image_report(&im, report, rules);
	if (image_is_sound(&im))
		return true;
	report_release(report);
	run_release(run);
	return false;
}

/* As store_recall, of the row that is found. */
static int take_row(struct store *store, struct sql_row *row, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err)
{
	int64_t run_id;
	size_t len;
	const void *bytes;

	if (sql_row_next(row, err) <= 0)
		return 0;
	run_id = sql_get_int(row);
	bytes = sql_get_blob(row, &len);
	if (!read_image(bytes, len, run, report, rules))
		return 0;
	label_list_release(&run->labels);
	if (labels_read(store, run_id, &run->labels, err) == 0) {
		run_set_string(&store->found_key, run->key);
		store->found = run_id;
		return 1;
	}
	report_release(report);
	run_release(run);
	return -1;
}

/* Prepares the question for what of the image with this stamp; maker is to outlive it. */
static int ask_for(struct store *store, struct sql_row *row, const char *what,
	const char *stamp, char maker[128], struct error *err)
{
	char text[256];

	snprintf(text, sizeof text,
		"SELECT %s FROM run_image "
		"WHERE stamp_hash = ? AND stamp = ? AND made_by = ?",
		what);
	if (sql_row_prepare(row, store, text, err) < 0)
		return -1;
	made_by(maker);
	sql_put_int(row, hash_of(stamp));
	sql_put_text(row, stamp);
	sql_put_text(row, maker);
	return 0;
}

bool store_knows(struct store *store, const char *stamp)
{
	struct error ignored;
	char maker[128];
	struct sql_row row;
	bool known;

	if (ask_for(store, &row, "1", stamp, maker, &ignored) < 0)
		return false;
	known = sql_row_next(&row, &ignored) > 0;
	sql_row_free(&row);
	return known;
}

int store_recall(struct store *store, const char *stamp, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err)
{
	char maker[128];
	struct sql_row row;
	int found;

	if (ask_for(store, &row, "run_id, image", stamp, maker, err) < 0)
		return -1;
	found = take_row(store, &row, run, report, rules, err);
	sql_row_free(&row);
	return found;
}

static int keep(struct store *store, const char *stamp, const struct report *report,
	struct error *err)
{
	int64_t run_id;

	if (run_find(store, report->run->key, &run_id, err) <= 0)
		return -1;
	return image_put(store, run_id, stamp, report, err);
}

void store_keep(struct store *store, const char *stamp, const struct report *report)
{
	struct error ignored;

	sqlite3_busy_timeout(store->db, 0);
	if (sql_exec(store, "BEGIN IMMEDIATE", &ignored) == 0 &&
		(keep(store, stamp, report, &ignored) < 0 ||
			sql_exec(store, "COMMIT", &ignored) < 0))
		sql_rollback(store);
	sqlite3_busy_timeout(store->db, STORE_BUSY_SECONDS * 1000);
}
