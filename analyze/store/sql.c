/*
 * A thin layer over SQLite: statements whose parameters and columns are used in order,
 * one clear error for each way to fail, values of metrics, and the columns of tables.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "store/internal.h"

/* Nothing can be written, while what is there may still be read. */
static bool is_of_writing(int code)
{
	switch (code) {
	case SQLITE_READONLY_DBMOVED:
		return false;
	case SQLITE_IOERR_WRITE:
	case SQLITE_IOERR_FSYNC:
	case SQLITE_IOERR_DIR_FSYNC:
	case SQLITE_IOERR_TRUNCATE:
		return true;
	default:
		return (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_READONLY ||
			(code & 0xff) == SQLITE_CANTOPEN;
	}
}

static int tell(const struct store *store, int code, struct error *err)
{
	const char *path = store->path;
	int system = sqlite3_system_errno(store->db);

	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(err,
			"%s: another program has kept the database locked for more than "
			"%d s",
			path, STORE_BUSY_SECONDS);
	case SQLITE_FULL:
		return error_set(
			err, "%s: the disk is full; the database is unchanged", path);
	case SQLITE_READONLY:
		if (code == SQLITE_READONLY_DBMOVED)
			return error_set(err,
				"%s: the database was removed or replaced while it was "
				"open",
				path);
		return error_set(err,
			"%s: the database can't be written: the file or its directory is "
			"read-only",
			path);
	case SQLITE_CANTOPEN:
		return error_set(err, "%s: the database can't be opened or created: %s",
			path,
			system ? strerror(system) : "its directory can't be written");
	case SQLITE_IOERR:
		if (code == SQLITE_IOERR_DATA)
			return sql_damaged(store, "a page is not as it was written", err);
		return error_set(err, "%s: the database can't be read or written: %s",
			path, system ? strerror(system) : sqlite3_errmsg(store->db));
	case SQLITE_NOTADB:
		return error_set(err,
			"%s is not an SQLite database; expected a runs database", path);
	case SQLITE_CORRUPT:
		return sql_damaged(store, sqlite3_errmsg(store->db), err);
	case SQLITE_ERROR:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return sql_misshapen(store, sqlite3_errmsg(store->db), err);
	default:
		return error_set(err, "%s: SQLite says: %s (code %d)", path,
			sqlite3_errmsg(store->db), code);
	}
}

int sql_error(struct store *store, struct error *err)
{
	int code = sqlite3_extended_errcode(store->db);

	tell(store, code, err);
	if (is_of_writing(code))
		store_refuse(store, err);
	return -1;
}

int sql_damaged(const struct store *store, const char *what, struct error *err)
{
	return error_set(err,
		"%s: the database is damaged (%s); move it away and load the runs again",
		store->path, what);
}

int sql_misshapen(const struct store *store, const char *what, struct error *err)
{
	return error_set(err,
		"%s: the tables are not those of a runs database (%s); move it away and "
		"load the runs again",
		store->path, what);
}

int sql_exec(struct store *store, const char *text, struct error *err)
{
	if (sqlite3_exec(store->db, text, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(store, err);
	return 0;
}

int sql_prepare(
	struct store *store, sqlite3_stmt **stmt, const char *text, struct error *err)
{
	if (sqlite3_prepare_v2(store->db, text, -1, stmt, NULL) != SQLITE_OK)
		return sql_error(store, err);
	return 0;
}

int sql_step(struct store *store, sqlite3_stmt *stmt, struct error *err)
{
	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return sql_error(store, err);
	}
}

int sql_do(struct store *store, const char *text, const struct sql_cell *parameter,
	struct error *err)
{
	struct sql_row row;

	sql_row_prepare(&row, store, text, err);
	sql_put_cells(&row, parameter);
	sql_row_write(&row);
	return sql_row_end(&row);
}

int sql_ask(struct store *store, const char *text, const struct sql_cell *parameter,
	int64_t *out, int outs, struct error *err)
{
	struct sql_row row;
	bool found;

	sql_row_prepare(&row, store, text, err);
	sql_put_cells(&row, parameter);
	found = sql_row_next(&row);
	for (int i = 0; i < outs && found; i++)
		if (sqlite3_column_type(row.stmt, i) != SQLITE_NULL)
			out[i] = sqlite3_column_int64(row.stmt, i);
	return sql_row_end(&row) < 0 ? -1 : found;
}

int sql_number(struct store *store, const char *text, int64_t *out, struct error *err)
{
	return sql_ask(store, text, &(struct sql_cell){.as = SQL_END}, out, 1, err) < 0
		? -1
		: 0;
}

void sql_rollback(struct store *store)
{
	/* After a full disk or the like SQLite has rolled back by itself, or left that to
	 * the next one who reads. */
	sqlite3_exec(store->db,
		sqlite3_get_autocommit(store->db) ? "PRAGMA schema_version" : "ROLLBACK",
		NULL, NULL, NULL);
}

/* Of a row whose values are summed. */
struct sql_seal {
	const char *table; /* of rows that are read; NULL: they are written */
	int first; /* parameter or column that is sealed */
	int at; /* where a row that is read has its seal; 0: nowhere */
	uint64_t *name; /* [count] owned: a hash of each column's; 0: it is not in the sum
			 */
	size_t count, cap;
	uint64_t sum;
};

void sql_row_prepare(
	struct sql_row *row, struct store *store, const char *text, struct error *err)
{
	*row = (struct sql_row){.store = store, .err = err};
	row->rc = sql_prepare(store, &row->stmt, text, err);
}

void sql_forget_kept(struct store *store)
{
	for (size_t i = 0; i < STORE_KEPT; i++)
		sqlite3_finalize(store->kept[i]);
}

static void keep(struct store *store, sqlite3_stmt *stmt)
{
	sqlite3_stmt **kept = &store->kept[store->next_kept++ % STORE_KEPT];

	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	sqlite3_finalize(*kept);
	*kept = stmt;
}

/* As sql_row_prepare(), with the statement of another run, if one is kept. */
static void prepare_kept(
	struct sql_row *row, struct store *store, const char *text, struct error *err)
{
	for (size_t i = 0; i < STORE_KEPT; i++) {
		sqlite3_stmt *stmt = store->kept[i];

		if (!stmt || strcmp(sqlite3_sql(stmt), text) != 0)
			continue;
		store->kept[i] = NULL;
		*row = (struct sql_row){.store = store, .err = err, .stmt = stmt};
		row->keeps = true;
		return;
	}
	sql_row_prepare(row, store, text, err);
	row->keeps = true;
}

int sql_row_end(struct sql_row *row)
{
	if (row->keeps && row->rc == 0)
		keep(row->store, row->stmt);
	else
		sqlite3_finalize(row->stmt);
	row->stmt = NULL;
	row->keeps = false;
	if (row->seal)
		free(row->seal->name);
	free(row->seal);
	row->seal = NULL;
	return row->rc;
}

void sql_row_damaged(struct sql_row *row, const char *what)
{
	row->rc = sql_damaged(row->store, what, row->err);
	row->store->bad_row = true;
}

static void note(struct sql_row *row, int code)
{
	if (code != SQLITE_OK && row->rc == 0)
		row->rc = sql_error(row->store, row->err);
}

void sql_prepare_of_run(struct sql_row *row, struct store *store, const char *text,
	int64_t run_id, struct error *err)
{
	prepare_kept(row, store, text, err);
	sql_put_int(row, run_id);
}

void sql_prepare_insert(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *columns, struct error *err)
{
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "INSERT INTO %s (run_id, %s) VALUES (?, ?", table, columns);
	for (; *columns; columns++)
		if (*columns == ',')
			strbuf_adds(&text, ", ?");
	strbuf_addc(&text, ')');
	sql_prepare_of_run(row, store, text.text, run_id, err);
	row->bound = row->next;
	strbuf_release(&text);
}

/* Seals. */

static void add_name(struct sql_seal *seal, struct span name)
{
	static const char *const without[] = {
		"run_id", "mtime_ns", "source", "early_log", "seal"};
	uint64_t hash = span_hash(name, SPAN_HASH);

	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		if (span_equal(name, span_of(without[i])))
			hash = 0;
	ALLOC_NEXT(seal->name, seal->count, seal->cap) = hash;
}

void sql_seal(struct sql_row *row, const char *columns)
{
	struct span rest = span_of(columns), name;

	row->seal = xcalloc(1, sizeof *row->seal);
	row->seal->first = row->next + 1;
	while ((name = span_word(&rest)).len) {
		name.len -= name.at[name.len - 1] == ',';
		add_name(row->seal, name);
	}
}

void sql_prepare_sealed(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *columns, struct error *err)
{
	struct strbuf sealed = strbuf_new();

	strbuf_addf(&sealed, "%s, seal", columns);
	sql_prepare_insert(row, store, table, run_id, sealed.text, err);
	strbuf_release(&sealed);
	sql_seal(row, columns);
}

void sql_check_seals(struct sql_row *row, const char *table)
{
	int columns = sqlite3_column_count(row->stmt), first = 1;

	while (first < columns &&
		strcmp(sqlite3_column_name(row->stmt, first - 1), "sealed") != 0)
		first++;
	row->seal = xcalloc(1, sizeof *row->seal);
	row->seal->table = table;
	row->seal->first = first;
	for (; first < columns; first++) {
		const char *name = sqlite3_column_name(row->stmt, first);

		if (strcmp(name, "seal") == 0)
			row->seal->at = first;
		add_name(row->seal, span_of(name));
	}
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): each bit counts. */
static uint64_t mix(uint64_t bits)
{
	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

static void add_bits(struct sql_seal *seal, int at, uint64_t bits)
{
	uint64_t name = seal->name[at - seal->first];

	if (name)
		seal->sum += mix(name ^ mix(bits));
}

/* A column may turn a whole number into an integer. */
static uint64_t bits_of_real(double value)
{
	uint64_t bits;

	if (value > -0x1p62 && value < 0x1p62 && value == (double)(int64_t)value)
		return (uint64_t)(int64_t)value;
	memcpy(&bits, &value, sizeof bits);
	return ~bits;
}

static uint64_t bits_of_text(struct span text)
{
	return span_hash(text, ~SPAN_HASH);
}

static void add_column(struct sql_seal *seal, sqlite3_stmt *stmt, int at)
{
	switch (sqlite3_column_type(stmt, at)) {
	case SQLITE_NULL:
		break;
	case SQLITE_INTEGER:
		add_bits(seal, at, (uint64_t)sqlite3_column_int64(stmt, at));
		break;
	case SQLITE_FLOAT:
		add_bits(seal, at, bits_of_real(sqlite3_column_double(stmt, at)));
		break;
	default:
		add_bits(seal, at,
			bits_of_text((struct span){sqlite3_column_blob(stmt, at),
				(size_t)sqlite3_column_bytes(stmt, at)}));
		break;
	}
}

/* What was put last, if it is sealed. */
static void seal_put(struct sql_row *row, uint64_t bits)
{
	if (row->seal && !row->seal->table)
		add_bits(row->seal, row->next, bits);
}

/* Of the row that is at hand; tables without seals have none that could be wrong. */
static bool has_its_seal(struct sql_seal *seal, sqlite3_stmt *stmt)
{
	int behind = seal->first + (int)seal->count;

	seal->sum = 0;
	for (int at = seal->first; seal->at && at < behind; at++)
		add_column(seal, stmt, at);
	return sqlite3_column_int64(stmt, seal->at) == (int64_t)seal->sum || !seal->at;
}

void sql_put_int(struct sql_row *row, int64_t value)
{
	note(row, sqlite3_bind_int64(row->stmt, ++row->next, value));
	seal_put(row, (uint64_t)value);
}

static void put_unless(struct sql_row *row, int64_t value, int64_t unknown)
{
	if (value == unknown)
		note(row, sqlite3_bind_null(row->stmt, ++row->next));
	else
		sql_put_int(row, value);
}

void sql_put_known(struct sql_row *row, int64_t value)
{
	put_unless(row, value, -1);
}

void sql_put_time(struct sql_row *row, int64_t t_ns)
{
	put_unless(row, t_ns, TIME_NONE);
}

void sql_put_real(struct sql_row *row, double value)
{
	if (isnan(value)) {
		note(row, sqlite3_bind_null(row->stmt, ++row->next));
		return;
	}
	note(row, sqlite3_bind_double(row->stmt, ++row->next, value));
	seal_put(row, bits_of_real(value));
}

void sql_put_text(struct sql_row *row, const char *text)
{
	note(row, sqlite3_bind_text(row->stmt, ++row->next, text, -1, SQLITE_STATIC));
	if (text)
		seal_put(row, bits_of_text(span_of(text)));
}

void sql_put_span(struct sql_row *row, struct span text)
{
	note(row,
		sqlite3_bind_text(
			row->stmt, ++row->next, text.at, (int)text.len, SQLITE_STATIC));
	if (text.at)
		seal_put(row, bits_of_text(text));
}

void sql_put_value(struct sql_row *row, const sqlite3_value *value)
{
	note(row, sqlite3_bind_value(row->stmt, ++row->next, value));
}

void sql_put_source(struct sql_row *row, enum source_kind kind)
{
	sql_put_known(row, kind == SOURCE_NONE ? -1 : row->store->source_id[kind]);
}

void sql_put_cells(struct sql_row *row, const struct sql_cell *cell)
{
	for (; cell->as != SQL_END; cell++)
		if (cell->as == SQL_REAL)
			sql_put_real(row, cell->real);
		else if (cell->as == SQL_TEXT)
			sql_put_text(row, cell->text);
		else if (cell->as == SQL_SOURCE)
			sql_put_source(row, (enum source_kind)cell->integer);
		else if (cell->as == SQL_TIME)
			sql_put_time(row, cell->integer);
		else if (cell->as == SQL_KNOWN)
			sql_put_known(row, cell->integer);
		else
			sql_put_int(row, cell->integer);
}

void sql_row_write(struct sql_row *row)
{
	if (row->seal)
		note(row,
			sqlite3_bind_int64(
				row->stmt, ++row->next, (int64_t)row->seal->sum));
	assert(row->rc || row->next == sqlite3_bind_parameter_count(row->stmt));
	if (row->rc == 0 && sql_step(row->store, row->stmt, row->err) < 0)
		row->rc = -1;
	sql_row_again(row);
}

bool sql_row_next(struct sql_row *row)
{
	int rc = row->rc ? row->rc : sql_step(row->store, row->stmt, row->err);
	char what[128];

	row->next = 0;
	row->rc = rc < 0 ? -1 : 0;
	if (rc <= 0 || !row->seal || has_its_seal(row->seal, row->stmt))
		return rc > 0;
	snprintf(what, sizeof what, "a row of %s is not as it was written",
		row->seal->table);
	sql_row_damaged(row, what);
	return false;
}

void sql_row_again(struct sql_row *row)
{
	sqlite3_reset(row->stmt);
	row->next = row->bound;
	if (row->seal)
		row->seal->sum = 0;
}

int64_t sql_get_int(struct sql_row *row)
{
	return sqlite3_column_int64(row->stmt, row->next++);
}

double sql_get_real(struct sql_row *row)
{
	int column = row->next++;

	return sqlite3_column_type(row->stmt, column) == SQLITE_NULL
		? NAN
		: sqlite3_column_double(row->stmt, column);
}

static int64_t get_unless(struct sql_row *row, int64_t unknown)
{
	if (sqlite3_column_type(row->stmt, row->next) != SQLITE_NULL)
		return sql_get_int(row);
	row->next++;
	return unknown;
}

int64_t sql_get_known(struct sql_row *row)
{
	return get_unless(row, -1);
}

int64_t sql_get_time(struct sql_row *row)
{
	return get_unless(row, TIME_NONE);
}

enum source_kind sql_get_source(struct sql_row *row)
{
	int64_t id = sql_get_int(row);

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (row->store->source_id[kind] == id)
			return kind;
	return SOURCE_NONE;
}

void sql_get_text(struct sql_row *row, char **slot)
{
	run_set_string(slot, (const char *)sqlite3_column_text(row->stmt, row->next++));
}

void sql_get_name(struct sql_row *row, char *name, size_t size)
{
	const unsigned char *text = sqlite3_column_text(row->stmt, row->next++);

	snprintf(name, size, "%s", text ? (const char *)text : "");
}

/*
 * Values of metrics in SQL: in the column's unit. Whole numbers are integers, which
 * SQLite stores in one to eight bytes. Every int64 of quanta is read back unchanged.
 */

/* Below it doubles are near enough to get from q to q / per_unit and back, always. */
#define SURE (INT64_C(1) << 50)

/* From here on the way back might leave int64. */
#define BEYOND (INT64_C(1) << 62)

/* Enough for a fraction of 2^20 parts as well as of 10^6: both divide 10^20. */
#define FRACTION_DIGITS 20

/*
 * What no double carries: decimal digits, as a BLOB because a TEXT would be turned into
 * a double by the column's affinity. SQL's sums and averages read them all the same.
 */
static void make_digits(struct value *value, int64_t q, int64_t per_unit)
{
	uint64_t magnitude = q < 0 ? -(uint64_t)q : (uint64_t)q;
	uint64_t unit = (uint64_t)per_unit, rest = magnitude % unit;
	int n = snprintf(value->digits, sizeof value->digits, "%s%llu.", q < 0 ? "-" : "",
		(unsigned long long)(magnitude / unit));

	for (int i = 0; i < FRACTION_DIGITS; i++) {
		rest *= 10;
		value->digits[n++] = (char)('0' + rest / unit);
		rest %= unit;
	}
	value->type = SQLITE_BLOB;
	value->length = n;
}

/*
 * Where both are near enough: the quotient is off by an eighth of 1 / per_unit at most,
 * so that it is a whole number where q is a multiple, and nowhere else.
 */
static bool make_near(struct value *value, int64_t q, int64_t per_unit)
{
	if (q >= SURE || q <= -SURE)
		return false;
	value->real = (double)q / (double)per_unit;
	value->integer = (int64_t)value->real;
	value->type =
		(double)value->integer == value->real ? SQLITE_INTEGER : SQLITE_FLOAT;
	return true;
}

void value_make(struct value *value, int64_t q, int64_t per_unit)
{
	int64_t whole;

	if (make_near(value, q, per_unit))
		return;
	whole = q / per_unit;
	if (whole * per_unit == q) {
		value->type = SQLITE_INTEGER;
		value->integer = whole;
		/* A REAL column would round a larger one. */
		if (per_unit != 1 && (whole >= SURE || whole <= -SURE))
			make_digits(value, q, per_unit);
		return;
	}
	value->type = SQLITE_FLOAT;
	value->real = number_ratio(q, per_unit);
	if (q >= BEYOND || q <= -BEYOND || number_quanta(value->real, per_unit) != q)
		make_digits(value, q, per_unit);
}

void value_give(sqlite3_context *context, int64_t q, int64_t per_unit)
{
	struct value value;

	value_make(&value, q, per_unit);
	if (value.type == SQLITE_INTEGER)
		sqlite3_result_int64(context, value.integer);
	else if (value.type == SQLITE_FLOAT)
		sqlite3_result_double(context, value.real);
	else
		sqlite3_result_blob(
			context, value.digits, value.length, SQLITE_TRANSIENT);
}

static bool read_digits(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q)
{
	const char *text = sqlite3_column_blob(stmt, column);
	int n = sqlite3_column_bytes(stmt, column), i = 0, digits = 0;
	uint128 whole = 0, fraction = 0, tens = 1;
	bool negative = n > 0 && text[0] == '-';

	for (i = negative; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
		whole = whole * 10 + (unsigned)(text[i] - '0');
		if (whole > UINT64_MAX)
			return false;
	}
	if (i >= n || text[i++] != '.')
		return false;
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
		if (++digits > FRACTION_DIGITS)
			return false;
		fraction = fraction * 10 + (unsigned)(text[i] - '0');
		tens *= 10;
	}
	whole = whole * (uint64_t)per_unit + fraction * (uint64_t)per_unit / tens;
	if (i < n || whole > (uint128)INT64_MAX + negative)
		return false;
	*q = (int64_t)(negative ? -(uint64_t)whole : (uint64_t)whole);
	return true;
}

bool value_read(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q)
{
	long double far;
	double near;

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return !__builtin_mul_overflow(
			sqlite3_column_int64(stmt, column), per_unit, q);
	case SQLITE_FLOAT:
		near = sqlite3_column_double(stmt, column) * (double)per_unit;
		if (near < (double)SURE && near > -(double)SURE) {
			*q = (int64_t)(near < 0 ? near - 0.5 : near + 0.5);
			return true;
		}
		far = (long double)sqlite3_column_double(stmt, column) *
			(long double)per_unit;
		/* False for NAN, too. */
		if (!(far >= -0x1p63L && far <= 0x1p63L - 1))
			return false;
		*q = number_quanta(sqlite3_column_double(stmt, column), per_unit);
		return true;
	case SQLITE_BLOB:
		return read_digits(stmt, column, per_unit, q);
	default:
		return false;
	}
}

void store_refuse(struct store *store, const struct error *why)
{
	if (!store->refusal)
		store->refusal = xstrdup(why->message);
}

/* Columns of tables. */

void table_columns_release(struct table_columns *columns)
{
	free_texts(columns->name, columns->count);
	free(columns->is_text);
}

bool column_is_kind(const char *column)
{
	return strcmp(column, "source") == 0 || strcmp(column, "early_log") == 0;
}

void table_columns_add(struct table_columns *columns, const char *name, bool is_text)
{
	ALLOC_GROW(columns->name, columns->count + 1, columns->cap);
	ALLOC_GROW(columns->is_text, columns->count + 1, columns->text_cap);
	columns->name[columns->count] = xstrdup(name);
	columns->is_text[columns->count++] = column_is_kind(name) || is_text;
}

int table_columns_read(struct table_columns *columns, struct store *store,
	const char *table, struct error *err)
{
	char text[128];
	struct sql_row row;

	snprintf(text, sizeof text, "PRAGMA table_info(%s)", table);
	sql_row_prepare(&row, store, text, err);
	while (sql_row_next(&row)) {
		char *name = NULL, type[16];

		row.next = 1;
		sql_get_text(&row, &name);
		sql_get_name(&row, type, sizeof type);
		if (name && strcmp(name, "run_id") == 0)
			columns->of_run = true;
		else if (name)
			table_columns_add(columns, name, strcmp(type, "TEXT") == 0);
		free(name);
	}
	return sql_row_end(&row);
}
