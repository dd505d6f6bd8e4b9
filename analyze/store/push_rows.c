/* Rows of the views, by COPY into the tables of schema/postgres.sql. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "store/push.h"

static const struct pushed_table {
	const char *name, *view;
	const char *without; /* columns of the view that the table metric has */
} tables[] = {{"run", "v_run", ""}, {"run_label", "v_label", ""}, {"gpu", "v_gpu", ""},
	{"metric_summary", "v_metric", " unit better title "},
	{"metric_state", "v_state", ""}, {"phase", "v_phase", ""},
	{"phase_metric", "v_phase_metric", " unit "}, {"work", "v_work", ""},
	{"finding", "v_finding", ""}, {"finding_value", "v_finding_value", ""},
	{"ending", "v_ending", ""}, {"drift", "v_drift", ""}, {"source", "v_source", ""},
	{"diagnostic", "v_diagnostic", ""}};

#define TABLE_COUNT (sizeof tables / sizeof tables[0])
#define COPY_BYTES  (64 << 10) /* handed over at once */

struct push_rows {
	struct postgres *pg;
	struct sql_row row[TABLE_COUNT]; /* asks a view for a run */
	char *copy[TABLE_COUNT], *clear[TABLE_COUNT]; /* statements */
	struct strbuf bytes;
};

void copy_text(struct strbuf *sb, const char *text)
{
	struct strbuf valid;

	if (!text) {
		strbuf_adds(sb, "\\N");
		return;
	}
	strbuf_init(&valid);
	utf8_repair(&valid, text);
	for (const char *c = valid.text; *c; c++) {
		const char *special = strchr("\\\t\n\r", *c);

		if (special) {
			strbuf_addc(sb, '\\');
			strbuf_addc(sb, "\\tnr"[special - "\\\t\n\r"]);
		} else {
			strbuf_addc(sb, *c);
		}
	}
	strbuf_release(&valid);
}

/* A number that no double carries is a BLOB of its digits. */
static void copy_cell(struct strbuf *sb, sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL:
		copy_text(sb, NULL);
		break;
	case SQLITE_INTEGER:
		strbuf_addf(sb, "%lld", (long long)sqlite3_column_int64(stmt, column));
		break;
	case SQLITE_FLOAT:
		strbuf_addf(sb, "%.17g", sqlite3_column_double(stmt, column));
		break;
	default:
		copy_text(sb, (const char *)sqlite3_column_text(stmt, column));
	}
}

static bool is_without(const struct pushed_table *table, const char *column)
{
	char word[64];

	snprintf(word, sizeof word, " %s ", column);
	return strstr(table->without, word) != NULL;
}

static int prepare_table(
	struct push_rows *rows, struct store *store, size_t nth, struct error *err)
{
	const struct pushed_table *table = &tables[nth];
	struct table_columns columns = {0};
	struct strbuf ask, copy;
	int rc = table_columns_read(&columns, store, table->view, err);

	strbuf_init(&ask);
	strbuf_init(&copy);
	strbuf_addf(&copy, "COPY hwsummarize.%s (month", table->name);
	for (size_t i = 0; i < columns.count; i++) {
		if (is_without(table, columns.name[i]))
			continue;
		strbuf_addf(
			&ask, "%s v.\"%s\"", ask.len ? "," : "SELECT", columns.name[i]);
		strbuf_addf(&copy, ", \"%s\"", columns.name[i]);
	}
	strbuf_addf(&ask, " FROM %s v WHERE v.run_id = ?", table->view);
	strbuf_adds(&copy, ") FROM STDIN");
	if (rc == 0)
		rc = sql_row_prepare(&rows->row[nth], store, ask.text, err);
	rows->copy[nth] = strbuf_detach(&copy);
	strbuf_clear(&ask);
	strbuf_addf(&ask,
		"DELETE FROM hwsummarize.%s WHERE run = ANY($1::text[]) "
		"AND month = ANY($2::date[])",
		table->name);
	rows->clear[nth] = strbuf_detach(&ask);
	table_columns_release(&columns);
	return rc;
}

int push_rows_open(struct push_rows **out, struct store *store, struct postgres *pg,
	struct error *err)
{
	struct push_rows *rows = xcalloc(1, sizeof *rows);

	rows->pg = pg;
	strbuf_init(&rows->bytes);
	for (size_t i = 0; i < TABLE_COUNT; i++)
		if (prepare_table(rows, store, i, err) < 0) {
			push_rows_close(rows);
			return -1;
		}
	*out = rows;
	return 0;
}

void push_rows_close(struct push_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		sql_row_free(&rows->row[i]);
		free(rows->copy[i]);
		free(rows->clear[i]);
	}
	strbuf_release(&rows->bytes);
	free(rows);
}

static int flush(struct push_rows *rows, size_t limit, struct error *err)
{
	int rc = 0;

	if (rows->bytes.len > limit) {
		rc = postgres_copy_put(rows->pg, rows->bytes.text, rows->bytes.len, err);
		strbuf_clear(&rows->bytes);
	}
	return rc;
}

static int copy_run(
	struct push_rows *rows, size_t nth, const struct offer *offer, struct error *err)
{
	struct sql_row *row = &rows->row[nth];
	int rc;

	sql_put_int(row, offer->run_id);
	while ((rc = sql_row_next(row, err)) > 0) {
		strbuf_adds(&rows->bytes, offer->month);
		for (int i = 0; i < sqlite3_column_count(row->stmt); i++) {
			strbuf_addc(&rows->bytes, '\t');
			copy_cell(&rows->bytes, row->stmt, i);
		}
		strbuf_addc(&rows->bytes, '\n');
		if (flush(rows, COPY_BYTES, err) < 0)
			return -1;
	}
	sqlite3_reset(row->stmt);
	row->next = 0;
	return rc;
}

static int copy_table(struct push_rows *rows, size_t nth, const struct offer *offer,
	size_t count, struct error *err)
{
	if (postgres_copy_begin(rows->pg, rows->copy[nth], err) < 0)
		return -1;
	strbuf_clear(&rows->bytes);
	for (size_t i = 0; i < count; i++)
		if ((offer[i].verdict == TAKE || offer[i].verdict == RENEW) &&
			copy_run(rows, nth, &offer[i], err) < 0)
			return -1;
	if (flush(rows, 0, err) < 0)
		return -1;
	return postgres_copy_end(rows->pg, err);
}

int push_rows_copy(struct push_rows *rows, const struct offer *offer, size_t count,
	const char *runs, const char *months, struct error *err)
{
	const char *const parameter[] = {runs, months};

	for (size_t i = 0; i < TABLE_COUNT; i++) {
		struct postgres_rows *none =
			postgres_ask(rows->pg, rows->clear[i], parameter, 2, err);

		if (!none)
			return -1;
		postgres_rows_free(none);
		if (copy_table(rows, i, offer, count, err) < 0)
			return -1;
	}
	return 0;
}

static int copy_metrics(struct store *store, struct postgres *pg, struct error *err)
{
	struct sql_row row;
	struct strbuf bytes;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT name, unit, kind, better, title, help FROM metric", err) < 0)
		return -1;
	strbuf_init(&bytes);
	rc = postgres_copy_begin(pg, "COPY pg_temp.offered_metric FROM STDIN", err);
	while (rc >= 0 && (rc = sql_row_next(&row, err)) > 0)
		for (int i = 0; i < 6; i++) {
			copy_cell(&bytes, row.stmt, i);
			strbuf_addc(&bytes, i < 5 ? '\t' : '\n');
		}
	if (rc == 0)
		rc = postgres_copy_put(pg, bytes.text, bytes.len, err);
	if (rc == 0)
		rc = postgres_copy_end(pg, err);
	strbuf_release(&bytes);
	sql_row_free(&row);
	return rc;
}

int push_metrics(struct store *store, struct postgres *pg, struct error *err)
{
	if (postgres_exec(pg,
		    "BEGIN; CREATE TEMP TABLE offered_metric "
		    "(LIKE hwsummarize.metric) ON COMMIT DROP",
		    err) < 0 ||
		copy_metrics(store, pg, err) < 0)
		return -1;
	return postgres_exec(pg,
		"INSERT INTO hwsummarize.metric AS m SELECT * FROM "
		"pg_temp.offered_metric ORDER BY name "
		"ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, "
		"kind = excluded.kind, better = excluded.better, "
		"title = excluded.title, help = excluded.help "
		"WHERE m IS DISTINCT FROM excluded; COMMIT",
		err);
}
