/* Lines joined until their quotes are even; tables one after the other. */
#include "read/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void read_error(struct records *r, const struct error *err)
{
	diag_add(r->log->diags, true, "read-error", r->log->name, r->log->record,
		(struct span){NULL, 0}, "%s; the rows before it are used", err->message);
	r->ended = true;
}

void records_open(struct records *records, struct log *log, const char *const *table)
{
	struct error err;

	*records = (struct records){.log = log, .table = table};
	csv_row_init(&records->row);
	strbuf_init(&records->joined);
	if (log->sqlite && log_open_sqlite(log, &records->db, &err) < 0)
		read_error(records, &err);
}

void records_close(struct records *records)
{
	sqlitefile_close(records->db);
	strbuf_release(&records->joined);
	csv_row_release(&records->row);
	free(records->trimmed);
}

static bool has_even_quotes(struct span text)
{
	bool even = true;

	for (const char *at = text.at, *end = text.at + text.len;
		(at = memchr(at, '"', (size_t)(end - at))); at++)
		even = !even;
	return even;
}

/* A section of a capture ends before its file does. */
static bool has_more(const struct log *log)
{
	return !log->to_line || input_line_number(log->in) < log->to_line;
}

/* Appends lines to a record whose quotes are odd. False: they stay so. */
static bool join_lines(struct records *r, struct span *record)
{
	struct error err;
	struct span line;
	bool even = false;
	int got = 1;

	strbuf_clear(&r->joined);
	strbuf_add(&r->joined, record->at, record->len);
	while (!even && r->joined.len <= RECORD_BYTES_MAX && has_more(r->log) &&
		(got = input_line(r->log->in, &line, &err)) > 0) {
		strbuf_addc(&r->joined, '\n');
		strbuf_add(&r->joined, line.at, line.len);
		even = has_even_quotes((struct span){r->joined.text, r->joined.len});
	}
	if (got < 0)
		read_error(r, &err);
	*record = (struct span){r->joined.text, r->joined.len};
	return even;
}

static bool next_of_csv(struct records *r)
{
	struct span line;

	while (!r->ended && log_line(r->log, &line)) {
		if (!has_even_quotes(line) && !join_lines(r, &line)) {
			log_refuse(r->log,
				input_line_torn(r->log->in) ? "torn-line" : "open-quote",
				"a quote that nothing closes: '%s'; the lines to here "
				"are lost",
				log_quote(line).text);
			continue;
		}
		csv_split(&r->row, line);
		r->cell = r->row.cell;
		r->count = r->row.count;
		r->torn = input_line_torn(r->log->in);
		return true;
	}
	return false;
}

static bool has_table(const struct sqlitefile *db, const char *name)
{
	for (size_t i = 0; sqlitefile_table(db, i); i++)
		if (strcmp(sqlitefile_table(db, i), name) == 0)
			return true;
	return false;
}

static void take_cells(struct records *r, const struct span *cell)
{
	r->count = sqlitefile_columns(r->db);
	ALLOC_GROW(r->trimmed, r->count, r->cap);
	for (size_t i = 0; i < r->count; i++)
		r->trimmed[i] = span_trim(cell ? cell[i] : sqlitefile_column(r->db, i));
	r->cell = r->trimmed;
}

/* Goes to the next table that is there; its columns' names are a record. */
static bool enter_table(struct records *r)
{
	struct error err;

	while (*r->table && !has_table(r->db, *r->table))
		r->table++;
	if (!*r->table)
		return false;
	if (sqlitefile_select(r->db, *r->table++, &err) < 0) {
		read_error(r, &err);
		return false;
	}
	r->in_table = true;
	take_cells(r, NULL);
	return true;
}

static bool next_of_tables(struct records *r)
{
	const struct span *cell;
	struct error err;
	int got = 0;

	if (r->ended)
		return false;
	if (!r->in_table)
		return enter_table(r);
	r->log->record++;
	got = sqlitefile_row(r->db, &cell, &err);
	if (got > 0) {
		take_cells(r, cell);
		return true;
	}
	r->in_table = false;
	r->log->record = 0;
	if (got < 0) {
		read_error(r, &err);
		return false;
	}
	return enter_table(r);
}

bool records_next(struct records *records)
{
	return records->log->sqlite ? next_of_tables(records) : next_of_csv(records);
}
