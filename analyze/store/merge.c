/*
 * Merges the runs of another database in one transaction: decides which runs are the
 * same and what to do if both databases have one, and copies rows. Copying and hashing
 * work on column names; they know only which columns are numbered differently in each
 * database (kinds of logs, runs, samples).
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/coverage.h"
#include "store/internal.h"
#include "store/store.h"

/* Where the chunks of samples say that they belong. */
static void add_place(struct table_columns *columns)
{
	static const char *const place[] = {"source", "device", "segment"};

	columns->own = columns->count;
	for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
		table_columns_add(columns, place[i], false);
}

/* SELECT, with the run's id as its parameter. */
static void prepare_read(struct sql_row *row, struct store *store, const char *table,
	const struct table_columns *columns, struct error *err)
{
	struct strbuf text = strbuf_new();

	for (size_t i = 0; i < columns->count; i++)
		strbuf_addf(&text,
			column_is_kind(columns->name[i])
				? "%s (SELECT k.name FROM source_kind k WHERE k.id = "
				  "%s.%s)"
				: "%s %s.\"%s\"",
			i ? "," : "SELECT", columns->own && i >= columns->own ? "h" : "t",
			columns->name[i]);
	if (strcmp(table, "run") == 0)
		run_add_sealed(&text);
	else if (columns->of_run)
		strbuf_adds(&text, ", " SQL_SEALED "t.*");
	if (columns->own)
		strbuf_addf(&text,
			" FROM sample_chunk h CROSS JOIN %s t ON t.sample BETWEEN "
			"h.first_sample AND h.last_sample WHERE h.run_id = ?",
			table);
	else if (columns->of_run)
		strbuf_addf(&text, " FROM %s t WHERE t.run_id = ?", table);
	else
		strbuf_addf(&text,
			" FROM %s t WHERE t.sample BETWEEN (SELECT min(first_sample) "
			"FROM sample_chunk WHERE run_id = ?1) AND (SELECT "
			"max(last_sample) FROM sample_chunk WHERE run_id = ?1)",
			table);
	sql_row_prepare(row, store, text.text, err);
	strbuf_release(&text);
	if (columns->of_run)
		sql_check_seals(row, table);
}

/* INSERT, with the run's id before the columns, if the table has it. */
static void prepare_write(struct sql_row *row, struct store *store, const char *table,
	const struct table_columns *columns, struct error *err)
{
	struct strbuf text = strbuf_new(), values = strbuf_new();
	const char *comma = "";

	strbuf_addf(&text, "INSERT INTO %s (", table);
	if (columns->of_run) {
		strbuf_adds(&text, "run_id");
		strbuf_addc(&values, '?');
		comma = ", ";
	}
	for (size_t i = 0; i < columns->count; i++) {
		strbuf_addf(&text, "%s\"%s\"", comma, columns->name[i]);
		strbuf_addf(&values,
			column_is_kind(columns->name[i])
				? "%s(SELECT k.id FROM source_kind k WHERE k.name = ?)"
				: "%s?",
			comma);
		comma = ", ";
	}
	strbuf_addf(&text, ") VALUES (%s)", values.text);
	sql_row_prepare(row, store, text.text, err);
	strbuf_release(&values);
	strbuf_release(&text);
}

/* What value_make() writes where no double carries a number. */
static bool is_digits(sqlite3_stmt *stmt, int column)
{
	const char *bytes = sqlite3_column_blob(stmt, column);
	int len = sqlite3_column_bytes(stmt, column);

	return len > 0 && len < 64 && bytes && (int)strspn(bytes, "-.0123456789") >= len;
}

/* Is it what the loader writes into such a column? */
static bool is_sound(sqlite3_stmt *stmt, int column, bool is_text)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL:
		return true;
	case SQLITE_INTEGER:
		return !is_text;
	case SQLITE_FLOAT:
		return !is_text && isfinite(sqlite3_column_double(stmt, column));
	case SQLITE_TEXT:
		return is_text &&
			strlen((const char *)sqlite3_column_text(stmt, column)) ==
			(size_t)sqlite3_column_bytes(stmt, column);
	default:
		return !is_text && is_digits(stmt, column);
	}
}

static void check_row(
	struct sql_row *row, const char *table, const struct table_columns *columns)
{
	char what[160];

	for (size_t i = 0; i < columns->count; i++) {
		if (is_sound(row->stmt, (int)i, columns->is_text[i]))
			continue;
		snprintf(what, sizeof what, "%s.%s has an invalid value", table,
			columns->name[i]);
		sql_row_damaged(row, what);
	}
}

/* All rows of the run in a table: each is checked, and then given to `take`. */
static int walk(struct store *store, int64_t run_id, const char *table,
	const struct table_columns *columns,
	int (*take)(void *context, const struct table_columns *columns,
		struct sql_row *row, struct error *err),
	void *context, struct error *err)
{
	struct sql_row row;

	prepare_read(&row, store, table, columns, err);
	sql_put_int(&row, run_id);
	while (sql_row_next(&row)) {
		check_row(&row, table, columns);
		if (row.rc == 0)
			row.rc = take(context, columns, &row, err);
	}
	return sql_row_end(&row);
}

struct writing {
	struct sql_row row;
	const struct store *from;
	int64_t run_id; /* 0: it gets one */
	int64_t shift; /* of the numbers of samples */
};

static bool is_number(const char *column)
{
	return strcmp(column, "sample") == 0 || strcmp(column, "first_sample") == 0 ||
		strcmp(column, "last_sample") == 0;
}

static int write_row(void *context, const struct table_columns *columns,
	struct sql_row *row, struct error *err)
{
	struct writing *w = context;
	struct error why;

	w->row.err = &why;
	if (columns->of_run)
		sql_put_known(&w->row, w->run_id ? w->run_id : -1);
	for (size_t i = 0; i < columns->count; i++)
		if (is_number(columns->name[i]))
			sql_put_int(&w->row,
				sqlite3_column_int64(row->stmt, (int)i) + w->shift);
		else
			sql_put_value(&w->row, sqlite3_column_value(row->stmt, (int)i));
	sql_row_write(&w->row);
	if (w->row.rc == 0)
		return 0;
	/* It is not for the database that takes rows to say that they are none. */
	if ((sqlite3_errcode(w->row.store->db) & 0xff) == SQLITE_CONSTRAINT)
		return sql_damaged(w->from, sqlite3_errmsg(w->row.store->db), err);
	return error_set(err, "%s", why.message);
}

static int copy_table(struct store *store, const char *table, int64_t from_id,
	struct store *from, int64_t run_id, int64_t shift, struct error *err)
{
	struct writing w = {.from = from, .run_id = run_id, .shift = shift};
	struct table_columns columns = {0};
	int rc = table_columns_read(&columns, store, table, err);

	if (rc == 0)
		prepare_write(&w.row, store, table, &columns, err);
	if (rc == 0 && w.row.rc == 0)
		rc = walk(from, from_id, table, &columns, write_row, &w, err);
	if (sql_row_end(&w.row) < 0)
		rc = -1;
	table_columns_release(&columns);
	return rc;
}

/* Labels can be joined, images are of use to who made them alone. */
static bool goes_over(const char *table)
{
	return strcmp(table, "run_label") != 0 && strcmp(table, "run_image") != 0;
}

static int copy_kinds(struct store *store, struct store *from, struct error *err)
{
	struct sql_row names, row;
	char *name = NULL;

	sql_row_prepare(&names, from, "SELECT name FROM source_kind ORDER BY id", err);
	sql_row_prepare(&row, store,
		"INSERT INTO source_kind (name) SELECT ?1 WHERE NOT EXISTS "
		"(SELECT 1 FROM source_kind WHERE name = ?1)",
		err);
	while (sql_row_next(&names)) {
		sql_get_text(&names, &name);
		sql_put_text(&row, name ? name : "");
		sql_row_write(&row);
	}
	free(name);
	names.rc |= sql_row_end(&row);
	return sql_row_end(&names);
}

/* Its samples lie behind all others of the database then: that is what they say of
 * themselves, and if it were not so, another run's would go with them one day. */
static int check_samples(struct store *store, const struct store *from, int64_t run_id,
	int64_t first, int64_t last, struct error *err)
{
	int64_t next, strays = 0;
	char text[256];

	snprintf(text, sizeof text,
		"SELECT count(*) FROM run_source s WHERE run_id = %lld AND NOT EXISTS "
		"(SELECT 1 FROM sample_chunk h WHERE h.run_id = s.run_id AND h.source = "
		"s.source)",
		(long long)run_id);
	if (chunks_next(store, &next, err) < 0 ||
		sql_number(store, text, &strays, err) < 0)
		return -1;
	return next == (last ? last + 1 : first) && !strays
		? 0
		: sql_damaged(from, "samples of a run are missing", err);
}

/* Copies a run without its labels into `store`, where it gets the id *run_id. Needs open
 * transactions. -1 also: `from` has values that no load writes. */
static int run_copy(struct store *store, struct store *from, int64_t from_id,
	int64_t *run_id, struct error *err)
{
	int64_t first, next, last = 0;
	const char *table;

	if (copy_kinds(store, from, err) < 0 ||
		copy_table(store, "run", from_id, from, 0, 0, err) < 0 ||
		chunks_next(store, &next, err) < 0)
		return -1;
	*run_id = sqlite3_last_insert_rowid(store->db);
	if (chunks_span(from, from_id, &first, &last, err) < 0)
		return -1;
	for (size_t i = 0; (table = run_table(i)); i++)
		if (goes_over(table) && strcmp(table, "run") != 0 &&
			copy_table(store, table, from_id, from, *run_id, next - first,
				err) < 0)
			return -1;
	return check_samples(
		store, from, *run_id, next, last ? last - first + next : 0, err);
}

/*
 * Where a run lay, how its files were called and packed, and what wrote it down is not
 * what was measured: a log that is given by another path says the same.
 */
static bool is_said(const char *column)
{
	static const char *const spelling[] = {"run_key", "path", "mtime_ns", "size",
		"hash", "content_size", "content_hash", "generator", "file", "text",
		"torn_file", "sentence", "sample", "seal"};

	for (size_t i = 0; i < sizeof spelling / sizeof spelling[0]; i++)
		if (strcmp(column, spelling[i]) == 0)
			return false;
	return true;
}

static uint64_t hash_value(sqlite3_stmt *stmt, int column, uint64_t hash)
{
	int type = sqlite3_column_type(stmt, column);
	int64_t integer = sqlite3_column_int64(stmt, column);
	double real = sqlite3_column_double(stmt, column);
	struct span bytes = {(const char *)&type, sizeof type};

	hash = span_hash(bytes, hash);
	switch (type) {
	case SQLITE_NULL:
		return hash;
	case SQLITE_INTEGER:
		bytes = (struct span){(const char *)&integer, sizeof integer};
		break;
	case SQLITE_FLOAT:
		bytes = (struct span){(const char *)&real, sizeof real};
		break;
	default:
		bytes.at = sqlite3_column_blob(stmt, column);
		bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
	}
	return span_hash(bytes, hash);
}

struct hashing {
	const char *table;
	uint64_t sum; /* of the rows' hashes: their order is each database's own */
};

static int hash_row(void *context, const struct table_columns *columns,
	struct sql_row *row, struct error *err)
{
	struct hashing *h = context;
	uint64_t hash = span_hash(span_of(h->table), SPAN_HASH);

	(void)err;
	for (size_t i = 0; i < columns->count; i++)
		if (is_said(columns->name[i]))
			hash = hash_value(row->stmt, (int)i, hash);
	h->sum += hash;
	return 0;
}

/* A hash that is equal for equal runs in two databases, without labels and paths. */
static int run_hash(
	struct store *store, int64_t run_id, uint64_t *hash, struct error *err)
{
	struct hashing h = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && (h.table = run_table(i)); i++) {
		struct table_columns columns = {0};

		if (!goes_over(h.table) || strcmp(h.table, "sample_chunk") == 0)
			continue;
		rc = table_columns_read(&columns, store, h.table, err);
		if (!columns.of_run)
			add_place(&columns);
		if (rc == 0)
			rc = walk(store, run_id, h.table, &columns, hash_row, &h, err);
		table_columns_release(&columns);
	}
	*hash = h.sum;
	return rc;
}

/* Counts and errors of a merge or push. */

void transfer_counts_refuse(struct transfer_counts *counts, struct strbuf *sentence)
{
	ALLOC_NEXT(counts->refusal, counts->refusal_count, counts->refusal_cap) =
		strbuf_detach(sentence);
}

void transfer_counts_release(struct transfer_counts *counts)
{
	free_texts(counts->refusal, counts->refusal_count);
	*counts = (struct transfer_counts){0};
}

struct merge {
	struct store *store, *other;
	struct transfer_counts *result;
};

/* A stored run as far as it takes to tell it from others. */
struct known {
	int64_t run_id;
	struct run run; /* its devices and files, too */
	char *shape;
	int64_t definitions;
};

static void known_release(struct known *known)
{
	run_release(&known->run);
	free(known->shape);
}

static int known_read(
	struct known *known, struct store *store, int64_t run_id, struct error *err)
{
	struct sql_row row;

	*known = (struct known){.run_id = run_id};
	run_init(&known->run, "");
	sql_prepare_of_run(&row, store,
		"SELECT run_key, path, is_directory, manifest_id, shape, "
		"definitions_version FROM run WHERE run_id = ?",
		run_id, err);
	if (sql_row_next(&row)) {
		sql_get_text(&row, &known->run.key);
		sql_get_text(&row, &known->run.path);
		known->run.is_directory = sql_get_int(&row) != 0;
		sql_get_text(&row, &known->run.run_id);
		sql_get_text(&row, &known->shape);
		known->definitions = sql_get_int(&row);
	}
	if (row.rc == 0 && (!known->run.key || !known->run.path || !known->shape))
		sql_row_damaged(&row, "a run has no name, or is missing");
	return sql_row_end(&row) < 0 ? -1
				     : run_read_files(store, run_id, &known->run, err);
}

/* "OTHER: run KEY", and what goes on behind it. */
__attribute__((format(printf, 3, 4))) static void refuse(
	const struct merge *m, const struct known *theirs, const char *format, ...)
{
	struct strbuf sb = strbuf_new();
	va_list ap;

	strbuf_addf(&sb, "%s: run %s", m->other->path, theirs->run.key);
	va_start(ap, format);
	strbuf_vaddf(&sb, format, ap);
	va_end(ap);
	transfer_counts_refuse(m->result, &sb);
}

/* Is `later` a recording by the same recorder, of which `earlier` is the beginning? What
 * is no log may go, as the file that says who records. */
static bool has_grown(const struct run *earlier, const struct run *later)
{
	if (!earlier->run_id || !later->run_id || !earlier->is_directory ||
		!later->is_directory)
		return false;
	for (size_t i = 0, j; i < earlier->file_count; i++) {
		const struct run_file *file = &earlier->file[i];

		if (file->kind == SOURCE_NONE)
			continue;
		for (j = 0; j < later->file_count; j++)
			if (file_has_same_name(file, &later->file[j]))
				break;
		if (j == later->file_count ||
			later->file[j].content_size < file->content_size ||
			later->file[j].mtime_ns < file->mtime_ns)
			return false;
	}
	return true;
}

enum choice {
	KEEP, /* ours: it says the same, or more */
	RENEW, /* theirs says more */
	REFUSE /* neither */
};

/* Both have the same files. -1: err is set. */
static int choose_same(const struct merge *m, const struct known *ours,
	const struct known *theirs, enum choice *choice, struct error *err)
{
	uint64_t one, other;

	*choice = ours->definitions < theirs->definitions ? RENEW : KEEP;
	if (ours->definitions != theirs->definitions)
		return 0;
	if (strcmp(ours->shape, theirs->shape) != 0) {
		*choice = REFUSE;
		refuse(m, theirs,
			" was not merged: %s has the same run, read with other options "
			"(%s there, %s here). To take this one, forget that one first",
			m->store->path, ours->shape, theirs->shape);
		return 0;
	}
	if (run_hash(m->store, ours->run_id, &one, err) < 0 ||
		run_hash(m->other, theirs->run_id, &other, err) < 0)
		return -1;
	if (one == other)
		return 0;
	*choice = REFUSE;
	refuse(m, theirs,
		" was not merged: %s has other rows from the same files. To take this "
		"one, forget that one first",
		m->store->path);
	return 0;
}

static int choose(const struct merge *m, const struct known *ours,
	const struct known *theirs, enum choice *choice, struct error *err)
{
	if (ours->run.is_directory == theirs->run.is_directory &&
		run_has_same_logs(&ours->run, &theirs->run))
		return choose_same(m, ours, theirs, choice, err);
	if (has_grown(&ours->run, &theirs->run)) {
		*choice = RENEW;
	} else if (has_grown(&theirs->run, &ours->run)) {
		*choice = KEEP;
	} else {
		*choice = REFUSE;
		refuse(m, theirs,
			" was not merged: %s has a different recording with the same id "
			"or path. To take this one, forget that one first",
			m->store->path);
	}
	return 0;
}

/* Adds their labels to ours; where the values differ, ours stay. 1: some were new. */
static int join_labels(const struct merge *m, const struct known *theirs,
	struct label_list *labels, struct error *err)
{
	struct label_list list = {0};
	int news = 0;

	if (labels_read(m->other, theirs->run_id, &list, err) < 0) {
		label_list_release(&list);
		return -1;
	}
	for (size_t i = 0; i < list.count && news >= 0; i++) {
		const struct label *label = &list.at[i];
		const struct label *own = label_find(labels, label->key);

		if (!label_is_key(span_of(label->key)) ||
			!label_is_value(span_of(label->value))) {
			news = sql_damaged(m->other, "an invalid label", err);
		} else if (!own) {
			label_set(labels, span_of(label->key), span_of(label->value),
				label->given);
			news = 1;
		} else if (strcmp(own->value, label->value) != 0) {
			refuse(m, theirs, ": label %s=%s was not merged: in %s it is %s",
				label->key, label->value, m->store->path, own->value);
		}
	}
	label_list_release(&list);
	return news;
}

/* A run that was not there, or takes the place of ours, with the labels that ours had. */
static int take(const struct merge *m, const struct known *theirs,
	struct label_list *labels, struct error *err)
{
	int64_t run_id;

	if (join_labels(m, theirs, labels, err) < 0 ||
		run_copy(m->store, m->other, theirs->run_id, &run_id, err) < 0)
		return -1;
	return labels_put(m->store, run_id, labels, err);
}

static int keep(const struct merge *m, const struct known *ours,
	const struct known *theirs, struct label_list *labels, bool moved,
	struct error *err)
{
	int news = join_labels(m, theirs, labels, err);

	if (news < 0 ||
		(moved && moved_run_set(m->store, ours->run_id, &theirs->run, err) < 0))
		return -1;
	return news ? labels_put(m->store, ours->run_id, labels, err) : 0;
}

static int renew(const struct merge *m, const struct known *ours,
	const struct known *theirs, struct label_list *labels, bool moved,
	struct error *err)
{
	int64_t run_id = 0;

	if (run_delete(m->store, ours->run_id, err) < 0 ||
		take(m, theirs, labels, err) < 0)
		return -1;
	/* It is still where ours was, as far as can be seen from here. */
	if (moved || strcmp(ours->run.key, theirs->run.key) == 0)
		return 0;
	return run_find(m->store, theirs->run.key, &run_id, err) < 0
		? -1
		: moved_run_set(m->store, run_id, &ours->run, err);
}

static int join(const struct merge *m, const struct known *ours,
	const struct known *theirs, bool moved, struct error *err)
{
	struct label_list labels = {0};
	enum choice choice = REFUSE;
	int rc = choose(m, ours, theirs, &choice, err);

	if (rc == 0 && choice != REFUSE)
		rc = labels_read(m->store, ours->run_id, &labels, err);
	if (rc == 0 && choice == KEEP) {
		m->result->known++;
		rc = keep(m, ours, theirs, &labels, moved, err);
	} else if (rc == 0 && choice == RENEW) {
		m->result->renewed++;
		rc = renew(m, ours, theirs, &labels, moved, err);
	} else if (rc == 0) {
		m->result->refused++;
	}
	label_list_release(&labels);
	return rc;
}

/* 1: *run_id is our row of their run; 0: we have none; -1 */
static int find_ours(const struct merge *m, const struct known *theirs, int64_t *run_id,
	bool *moved, struct error *err)
{
	int rc = run_find(m->store, theirs->run.key, run_id, err);

	*moved = false;
	return rc ? rc
		  : moved_run_find_twin(
			    m->store, m->other, &theirs->run, run_id, moved, err);
}

static int merge_run(const struct merge *m, int64_t their_id, struct error *err)
{
	struct known theirs, ours;
	struct label_list none = {0};
	int64_t our_id = 0;
	bool moved;
	int rc = known_read(&theirs, m->other, their_id, err);

	if (rc == 0)
		rc = find_ours(m, &theirs, &our_id, &moved, err);
	if (rc > 0) {
		rc = known_read(&ours, m->store, our_id, err);
		if (rc == 0)
			rc = join(m, &ours, &theirs, moved, err);
		known_release(&ours);
	} else if (rc == 0) {
		m->result->taken++;
		rc = take(m, &theirs, &none, err);
	}
	label_list_release(&none);
	known_release(&theirs);
	return rc;
}

static int merge_all(const struct merge *m, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_exec(m->other, "BEGIN", err) < 0)
		return -1;
	sql_row_prepare(&row, m->other, "SELECT run_id FROM run ORDER BY run_id", err);
	while (sql_row_next(&row))
		row.rc = merge_run(m, sql_get_int(&row), err);
	rc = sql_row_end(&row);
	/* Two that merge crosswise would wait for one another's end. */
	sql_rollback(m->other);
	return rc < 0 ? -1 : sql_exec(m->store, "COMMIT", err);
}

int store_merge(struct store *store, struct store *other, struct transfer_counts *result,
	struct error *err)
{
	const struct merge m = {store, other, result};

	*result = (struct transfer_counts){0};
	if (moved_run_is_same(store->path, other->path))
		return error_set(err, "%s is the database itself; expected another one",
			other->path);
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (merge_all(&m, err) == 0)
		return 0;
	sql_rollback(other);
	sql_rollback(store);
	transfer_counts_release(result);
	return -1;
}
