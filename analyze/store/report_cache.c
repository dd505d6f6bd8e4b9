/* Caches reports as images, keyed by the stamp of their files. */

#include "model/report_image.h"
#include "store/internal.h"
#include "store/store.h"

#include "build.inc"

/* Whose images can be read: made from the same sources, on the same kind of machine. */
static void made_by(char text[128])
{
	snprintf(text, 128, "%s %zu %d", BUILD_ID, sizeof(void *), __BYTE_ORDER__);
}

static int64_t hash_of(const char *stamp)
{
	return (int64_t)span_hash(span_of(stamp), SPAN_HASH);
}

/* An image in its row, and how much of it was written or read. Its sum stands behind it:
 * a database does not notice that a bit was turned. */
struct blob {
	sqlite3_blob *blob;
	int at;
	uint64_t sum; /* a hash of the bytes before `at` */
};

#define SUM_BYTES ((int)sizeof(uint64_t))

static int open_blob(struct store *store, int64_t run_id, bool writes, struct blob *blob)
{
	*blob = (struct blob){.sum = SPAN_HASH};
	return sqlite3_blob_open(
		store->db, "main", "run_image", "image", run_id, writes, &blob->blob);
}

static bool write_piece(void *context, const char *bytes, size_t len)
{
	struct blob *blob = context;
	int rc = sqlite3_blob_write(blob->blob, bytes, (int)len, blob->at);

	blob->at += (int)len;
	blob->sum = span_hash((struct span){bytes, len}, blob->sum);
	return rc == SQLITE_OK;
}

static bool read_piece(void *context, char *bytes, size_t len)
{
	struct blob *blob = context;
	int rc = sqlite3_blob_read(blob->blob, bytes, (int)len, blob->at);

	blob->at += (int)len;
	blob->sum = span_hash((struct span){bytes, len}, blob->sum);
	return rc == SQLITE_OK;
}

/* Where only the length of what is more than one piece is asked. */
static bool drop_piece(void *context, const char *bytes, size_t len)
{
	(void)context, (void)bytes, (void)len;
	return true;
}

/* One that writes changes nothing. */
static void write_image(struct image *im, const struct report *report)
{
	image_run(im, (struct run *)report->run);
	image_report(im, (struct report *)report, NULL);
}

/* An image of so many bytes, which are not there yet. */
static int put_row(struct store *store, int64_t run_id, const char *stamp, size_t len,
	struct error *err)
{
	char maker[128];

	made_by(maker);
	return SQL_DO(store, err,
		"REPLACE INTO run_image (run_id, stamp_hash, stamp, made_by, image) "
		"VALUES (?, ?, ?, ?, zeroblob(?))",
		INT(run_id), INT(hash_of(stamp)), TEXT(stamp), TEXT(maker),
		INT((int64_t)len + SUM_BYTES));
}

static int put_pieces(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct blob blob;
	struct image im;
	bool written = false;

	if (open_blob(store, run_id, true, &blob) == SQLITE_OK) {
		image_write_to(&im, write_piece, &blob);
		write_image(&im, report);
		written = image_end(&im) &&
			sqlite3_blob_write(blob.blob, &blob.sum, SUM_BYTES, blob.at) ==
				SQLITE_OK;
		image_release(&im);
	}
	if (!written)
		sql_error(store, err);
	if (sqlite3_blob_close(blob.blob) != SQLITE_OK && written)
		return sql_error(store, err);
	return written ? 0 : -1;
}

int image_put(struct store *store, int64_t run_id, const char *stamp,
	const struct report *report, struct error *err)
{
	/* SQLite wants room for the row beside it. */
	size_t most = (size_t)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, -1) / 2;
	struct image im;
	int rc = 0;

	/* What could not be read then may be readable next time. */
	if (run_is_unreadable(report->run))
		return 0;
	image_write_to(&im, drop_piece, NULL);
	write_image(&im, report);
	if (im.len <= most)
		rc = put_row(store, run_id, stamp, im.len, err);
	if (rc == 0 && im.len <= most)
		rc = put_pieces(store, run_id, report, err);
	image_release(&im);
	return rc;
}

/* False: it is not sound; run and report are empty then. */
static bool read_image(struct image *im, struct run *run, struct report *report,
	const struct rule_set *rules)
{
	bool sound;

	*run = (struct run){0};
	image_run(im, run);
	report_init(report, run);
	if (!im->damaged)
		image_report(im, report, rules);
	sound = image_is_sound(im);
	image_release(im);
	if (sound)
		return true;
	report_release(report);
	run_release(run);
	return false;
}

static bool has_sum(const struct blob *blob)
{
	uint64_t sum;

	return sqlite3_blob_read(blob->blob, &sum, SUM_BYTES, blob->at) == SQLITE_OK &&
		sum == blob->sum;
}

/* Of that length, with its sum, from its row. */
static bool read_pieces(struct store *store, int64_t run_id, size_t len, struct run *run,
	struct report *report, const struct rule_set *rules)
{
	struct blob blob;
	struct image im;
	bool sound = false;

	if (len > SUM_BYTES && open_blob(store, run_id, false, &blob) == SQLITE_OK) {
		image_read_from(&im, read_piece, &blob, len - SUM_BYTES);
		sound = read_image(&im, run, report, rules);
		if (sound && !has_sum(&blob)) {
			report_release(report);
			run_release(run);
			sound = false;
		}
	}
	sqlite3_blob_close(blob.blob);
	return sound;
}

/* As store_recall, of the row that is found. */
static int take_row(struct store *store, struct sql_row *row, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err)
{
	int64_t run_id;
	size_t len;

	if (!sql_row_next(row))
		return 0;
	run_id = sql_get_int(row);
	len = (size_t)sql_get_int(row);
	if (!read_pieces(store, run_id, len, run, report, rules))
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
static void ask_for(struct store *store, struct sql_row *row, const char *what,
	const char *stamp, char maker[128], struct error *err)
{
	char text[320];

	snprintf(text, sizeof text,
		"SELECT %s FROM run_image "
		"WHERE stamp_hash = ? AND stamp = ? AND made_by = ?",
		what);
	sql_row_prepare(row, store, text, err);
	made_by(maker);
	SQL_PUT(row, INT(hash_of(stamp)), TEXT(stamp), TEXT(maker));
}

bool store_knows(struct store *store, const char *stamp)
{
	struct error ignored;
	char maker[128];
	struct sql_row row;
	bool known;

	ask_for(store, &row, "1", stamp, maker, &ignored);
	known = sql_row_next(&row);
	sql_row_end(&row);
	return known;
}

int store_recall(struct store *store, const char *stamp, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err)
{
	char maker[128];
	struct sql_row row;
	int found;

	ask_for(store, &row, "run_id, length(image)", stamp, maker, err);
	if (row.rc < 0)
		return sql_row_end(&row);
	found = take_row(store, &row, run, report, rules, err);
	sql_row_end(&row);
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
