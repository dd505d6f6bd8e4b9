/* The labels of a run, as rows and back. */
#include <stdlib.h>

#include "store/internal.h"
#include "store/store.h"

int labels_put(struct store *store, int64_t run_id, const struct label_list *labels,
	struct error *err)
{
	struct sql_row row;
	int rc = sql_row_prepare(
		&row, store, "REPLACE INTO run_label VALUES (?, ?, ?, ?)", err);

	for (size_t i = 0; i < labels->count && rc == 0; i++) {
		sql_put_int(&row, run_id);
		sql_put_text(&row, labels->at[i].key);
		sql_put_text(&row, labels->at[i].value);
		sql_put_int(&row, labels->at[i].given);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int labels_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	return labels_put(store, run_id, &report->run->labels, err);
}

/* Rows of key, value, given; one that was given to the run in hand stays as it is. */
static int read_list(struct sql_row *row, struct label_list *labels, struct error *err)
{
	char *key = NULL, *value = NULL;
	int rc;

	while ((rc = sql_row_next(row, err)) > 0) {
		const struct label *own;

		sql_get_text(row, &key);
		sql_get_text(row, &value);
		own = label_find(labels, key ? key : "");
		if (key && value && !(own && own->given))
			label_set(labels, span_of(key), span_of(value),
				sql_get_int(row) != 0);
	}
	free(key);
	free(value);
	return rc;
}

int labels_read(
	struct store *store, int64_t run_id, struct label_list *labels, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT key, value, given FROM run_label WHERE run_id = ? "
		    "ORDER BY key",
		    err) < 0)
		return -1;
	sql_put_int(&row, run_id);
	rc = read_list(&row, labels, err);
	sql_row_free(&row);
	return rc;
}

int labels_keep(struct store *store, const char *key, struct label_list *labels,
	struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT l.key, l.value, l.given FROM run r "
		    "JOIN run_label l ON l.run_id = r.run_id "
		    "WHERE r.run_key = ? AND l.given ORDER BY l.key",
		    err) < 0)
		return -1;
	sql_put_text(&row, key);
	rc = read_list(&row, labels, err);
	sql_row_free(&row);
	return rc;
}

static int add(struct store *store, const char *key, const struct label_list *labels,
	struct error *err)
{
	int64_t run_id;
	int found = run_find(store, key, &run_id, err);

	return found > 0 ? labels_put(store, run_id, labels, err) : found;
}

int store_label_run(struct store *store, const char *key, const struct label_list *labels,
	struct error *err)
{
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (add(store, key, labels, err) == 0 && sql_exec(store, "COMMIT", err) == 0)
		return 0;
	sql_rollback(store);
	return -1;
}
