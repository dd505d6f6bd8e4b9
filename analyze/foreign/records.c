/*
 * Lines joined until their quotes are even; tables one after the other; JSON objects cut
 * at their braces, outside of strings: each byte is looked at once.
 */
#include "foreign/records.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "read/manifest.h"

#define RECORD_BYTES_MAX 65536 /* of a record of several lines */

#define JSON_ROW_BYTES_MAX (1024 * 1024) /* of an object */

static void say_error(struct records *r, const char *why, const char *used)
{
	diag_add(r->log->diags, true, "read-error", r->log->name, r->log->record,
		SPAN_NONE, "%s; %s", why, used);
}

static void read_error(struct records *r, const struct error *err)
{
	say_error(r, err->message, "the rows before it are used");
	r->ended = true;
}

void records_open(struct records *records, struct log *log, const char *const *table)
{
	static const char *const none[] = {NULL};
	struct error err;

	*records = (struct records){
		.log = log, .table = table ? table : none, .may_list = !table};
	records->row = csv_row_new();
	records->other = csv_row_new();
	strbuf_init(&records->joined);
	strbuf_init(&records->ahead);
	if (!log->facts.sqlite)
		return;
	if (log_open_sqlite(log, &records->db, &err) < 0) {
		read_error(records, &err);
		return;
	}
	if (sqlitefile_damage(records->db))
		say_error(records, sqlitefile_damage(records->db),
			"the readable part is used");
	if (sqlitefile_check(records->db, &err) < 0)
		log_note(log, true, "bad-pages", SPAN_NONE, "%s", err.message);
}

static void json_rows_close(struct json_rows *rows)
{
	for (size_t i = 0; i < rows->text_cap; i++)
		strbuf_release(&rows->text[i]);
	free(rows->text);
	free(rows->cells);
	json_line_release(&rows->object);
	strbuf_release(&rows->joined);
	strbuf_release(&rows->rest);
	strbuf_release(&rows->keys);
}

void records_close(struct records *records)
{
	sqlitefile_close(records->db);
	strbuf_release(&records->joined);
	strbuf_release(&records->ahead);
	csv_row_release(&records->row);
	csv_row_release(&records->other);
	json_rows_close(&records->json);
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
	return !log->facts.to_line || input_line_number(log->in) < log->facts.to_line;
}

/* One more line behind those that were read ahead. */
static bool read_ahead(struct records *r)
{
	struct error err;
	struct span line;
	int got = 0;

	if (!r->ended && has_more(r->log))
		got = input_line(r->log->in, &line, &err);
	if (got < 0)
		read_error(r, &err);
	if (got <= 0)
		return false;
	if (input_line_cut(r->log->in)) {
		log_refuse(r->log, "long-line",
			"line longer than %d bytes (line skipped)", INPUT_LINE_MAX);
		line.len = 0;
	}
	if (prefix_is_any(&r->log->facts.prefix))
		line = prefix_cut(line, &r->log->facts.prefix);
	strbuf_add(&r->ahead, line.at, line.len);
	strbuf_addc(&r->ahead, '\n');
	return true;
}

/* The line at *at of those read ahead, or the next one of the file; *at moves on. */
static bool peek_line(struct records *r, size_t *at, struct span *line)
{
	const char *from;

	if (*at == r->ahead.len && !read_ahead(r))
		return false;
	from = r->ahead.text + *at;
	line->at = from;
	line->len = (size_t)((const char *)memchr(from, '\n', r->ahead.len - *at) - from);
	*at += line->len + 1;
	return true;
}

static bool is_ahead(const struct records *r)
{
	return r->ahead_at < r->ahead.len;
}

/* Of the lines read ahead those that were given out. */
static void forget_given(struct records *r)
{
	strbuf_drop(&r->ahead, r->ahead_at);
	r->ahead_at = 0;
}

static bool begin_record(struct records *r, uint64_t line)
{
	r->holes += r->last_line && line != r->last_line + 1;
	r->log->record = r->last_line = line;
	return true;
}

/* The next line that is not blank. */
static bool next_line(struct records *r, struct span *line)
{
	uint64_t number = r->last_line;

	if (!is_ahead(r) || r->ahead_at > RECORD_BYTES_MAX)
		forget_given(r);
	while (is_ahead(r)) {
		number++;
		peek_line(r, &r->ahead_at, line);
		*line = span_trim(*line);
		if (line->len)
			return begin_record(r, number);
	}
	r->log->record = 0; /* what log_line says is about its own lines */
	if (r->ended || !log_line(r->log, line))
		return false;
	return begin_record(r, input_line_number(r->log->in));
}

/* Where in a record a text ends. */
enum quoting {
	QUOTING_CELL, /* at the begin of a cell */
	QUOTING_PLAIN,
	QUOTING_OPEN, /* within quotes */
	QUOTING_CLOSED, /* behind quotes, or at the first of two */
	QUOTING_BROKEN /* a quote where no writer puts one */
};

static enum quoting scan_byte(enum quoting q, char c)
{
	switch (q) {
	case QUOTING_CELL:
		if (c == '"')
			return QUOTING_OPEN;
		return c == ',' || c == ' ' ? q : QUOTING_PLAIN;
	case QUOTING_PLAIN:
		if (c == '"')
			return QUOTING_BROKEN;
		return c == ',' ? QUOTING_CELL : q;
	case QUOTING_OPEN:
		return c == '"' ? QUOTING_CLOSED : q;
	case QUOTING_CLOSED:
		if (c == '"')
			return QUOTING_OPEN;
		if (c == ',')
			return QUOTING_CELL;
		return c == ' ' ? q : QUOTING_BROKEN;
	case QUOTING_BROKEN:
		break;
	}
	return q;
}

static enum quoting scan(enum quoting q, struct span text)
{
	for (size_t i = 0; i < text.len && q != QUOTING_BROKEN; i++)
		q = scan_byte(q, text.at[i]);
	return q;
}

static bool is_row(struct records *r, struct span line)
{
	line = span_trim(line);
	if (!r->is_row || !has_even_quotes(line))
		return false;
	csv_split(&r->other, line);
	return r->is_row(r->reader, r->other.cell, r->other.count);
}

/*
 * Joins lines to a record whose quotes are odd, until they close. False: they don't, or a
 * row comes first; then only the first line is lost, or, where nothing else follows, all.
 */
static bool join_lines(struct records *r, struct span line, struct span *record)
{
	enum quoting q = scan(QUOTING_CELL, line);
	size_t at = r->ahead_at;
	uint64_t lines = 0;
	bool ended = false, row = false;

	strbuf_clear(&r->joined);
	strbuf_add(&r->joined, line.at, line.len);
	while (q == QUOTING_OPEN && r->joined.len <= RECORD_BYTES_MAX && !row && !ended) {
		ended = !peek_line(r, &at, &line);
		row = !ended && is_row(r, line);
		if (ended || row)
			break;
		strbuf_addc(&r->joined, '\n');
		strbuf_add(&r->joined, line.at, line.len);
		q = scan(q, line);
		lines++;
	}
	*record = (struct span){r->joined.text, r->joined.len};
	if (q == QUOTING_BROKEN || row || (q == QUOTING_OPEN && !ended))
		return false;
	r->ahead_at = at;
	r->last_line += lines;
	return !ended;
}

static bool is_torn(const struct records *r)
{
	return !is_ahead(r) && input_line_torn(r->log->in);
}

/* Only what stands in the first line may be a row. */
static void refuse_quote(struct records *r, struct span record)
{
	const char *newline = memchr(record.at, '\n', record.len);

	if (newline)
		record.len = (size_t)(newline - record.at);
	if (is_torn(r))
		log_refuse(r->log, "torn-line",
			"file ends inside a quoted field: '%s' (row skipped)",
			log_quote(record).text);
	else
		log_refuse(r->log, "open-quote",
			"unclosed quote: '%s' (text up to the next row skipped)",
			log_quote(record).text);
	csv_split_plain(&r->row, record);
}

static bool next_of_csv(struct records *r)
{
	struct span line;

	if (!next_line(r, &line))
		return false;
	r->broken = !has_even_quotes(line) && !join_lines(r, line, &line);
	if (r->broken)
		refuse_quote(r, line);
	else
		csv_split(&r->row, line);
	r->cell = r->row.cell;
	r->count = r->row.count;
	r->torn = is_torn(r);
	return true;
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

/* Where in the text of an object a byte stands. */
struct json_rows_scan {
	int depth;
	bool string, escape;
};

static void json_rows_open(struct json_rows *rows, struct log *log, struct span first)
{
	*rows = (struct json_rows){.log = log,
		.joined = strbuf_new(),
		.rest = strbuf_new(),
		.keys = strbuf_new(),
		.rest_line = input_line_number(log->in),
		.torn = input_line_torn(log->in)};
	strbuf_add(&rows->rest, first.at, first.len);
}

/* True: the object ends with this byte. */
static bool json_rows_scan_byte(struct json_rows_scan *s, char c)
{
	if (s->string) {
		if (s->escape)
			s->escape = false;
		else if (c == '\\')
			s->escape = true;
		else if (c == '"')
			s->string = false;
		return false;
	}
	if (c == '"')
		s->string = true;
	else if (c == '{' || c == '[')
		s->depth++;
	else if (c == '}' || c == ']')
		return --s->depth <= 0;
	return false;
}

/* What is left of the line before, or the next line. */
static bool take_line(struct json_rows *rows, struct span *line)
{
	if (rows->rest.len) {
		*line = (struct span){rows->rest.text, rows->rest.len};
		rows->log->record = rows->rest_line;
		return true;
	}
	rows->log->record = 0;
	if (!log_line(rows->log, line))
		return false;
	rows->log->record = input_line_number(rows->log->in);
	rows->torn = input_line_torn(rows->log->in);
	strbuf_clear(&rows->rest);
	strbuf_add(&rows->rest, line->at, line->len);
	rows->rest_line = rows->log->record;
	*line = (struct span){rows->rest.text, rows->rest.len};
	return true;
}

/* To the brace that begins an object; between objects only commas and brackets stand. */
static bool find_brace(struct json_rows *rows)
{
	static const char between[] = " \t\r,[]";
	struct span line;

	while (take_line(rows, &line)) {
		const char *brace = memchr(line.at, '{', line.len);
		size_t before = brace ? (size_t)(brace - line.at) : line.len;
		bool prose = false;

		for (size_t i = 0; i < before; i++)
			prose |= !memchr(between, line.at[i], sizeof between - 1);
		if (prose)
			log_refuse(rows->log, "bad-json",
				"not a list of JSON objects: '%s' (text skipped)",
				log_quote((struct span){line.at, before}).text);
		strbuf_drop(&rows->rest, before);
		if (brace)
			return true;
	}
	return false;
}

/* From a brace to its end, or to the line where another object begins. */
static bool cut_object(struct json_rows *rows)
{
	struct json_rows_scan scan = {0};
	uint64_t first = rows->log->record;
	struct span line;
	bool done = false;

	strbuf_clear(&rows->joined);
	while (!done && rows->joined.len <= JSON_ROW_BYTES_MAX &&
		take_line(rows, &line)) {
		size_t used = 0;

		if (rows->joined.len && line.at[0] == '{')
			break; /* flat objects hold none: the one before is torn */
		while (used < line.len && !done)
			done = json_rows_scan_byte(&scan, line.at[used++]);
		strbuf_add(&rows->joined, line.at, used);
		strbuf_addc(&rows->joined, '\n');
		strbuf_drop(&rows->rest, used);
	}
	rows->log->record = first;
	if (!done)
		log_refuse(rows->log,
			rows->torn && !rows->rest.len ? "torn-line" : "bad-json",
			"unclosed JSON object: '%s' (object skipped)",
			log_quote((struct span){rows->joined.text, rows->joined.len})
				.text);
	return done;
}

/* Are the names others than before? They are kept. */
static bool names_change(struct json_rows *rows)
{
	struct strbuf keys = strbuf_new();
	bool same;

	for (size_t i = 0; i < rows->object.count; i++) {
		strbuf_add(&keys, rows->object.member[i].key.at,
			rows->object.member[i].key.len);
		strbuf_addc(&keys, '\n');
	}
	same = keys.len == rows->keys.len && rows->keys.len &&
		memcmp(keys.text, rows->keys.text, keys.len) == 0;
	strbuf_release(&rows->keys);
	rows->keys = keys;
	return !same;
}

static void give_names(struct json_rows *rows)
{
	ALLOC_GROW(rows->cells, rows->object.count, rows->cap);
	for (size_t i = 0; i < rows->object.count; i++)
		rows->cells[i] = rows->object.member[i].key;
	rows->pending = true;
}

static struct strbuf *text_at(struct json_rows *rows, size_t i)
{
	size_t before = rows->text_cap;

	ALLOC_GROW(rows->text, i + 1, rows->text_cap);
	for (; before < rows->text_cap; before++)
		strbuf_init(&rows->text[before]);
	strbuf_clear(&rows->text[i]);
	return &rows->text[i];
}

static void give_values(struct json_rows *rows)
{
	ALLOC_GROW(rows->cells, rows->object.count, rows->cap);
	for (size_t i = 0; i < rows->object.count; i++) {
		struct span value = rows->object.member[i].value;
		char *plain = json_text(value);

		if (plain) {
			struct strbuf *text = text_at(rows, i);

			strbuf_adds(text, plain);
			value = (struct span){text->text, text->len};
			free(plain);
		} else if (span_is(value, "null")) {
			value.len = 0;
		}
		rows->cells[i] = value;
	}
	rows->pending = false;
}

static bool next_of_json(struct records *r)
{
	struct json_rows *rows = &r->json;
	bool found = rows->pending;

	while (!found) {
		struct span text;

		do {
			if (!find_brace(rows))
				return false;
		} while (!cut_object(rows));
		text = (struct span){rows->joined.text, rows->joined.len};
		found = json_line_parse(&rows->object, text);
		if (!found)
			log_refuse(r->log, "bad-json",
				"not a JSON object: '%s' (line skipped)",
				log_quote(text).text);
	}
	r->names = !rows->pending && names_change(rows);
	if (r->names)
		give_names(rows);
	else
		give_values(rows);
	r->cell = rows->cells;
	r->count = rows->object.count;
	return true;
}

static bool has(struct span line, char c)
{
	return memchr(line.at, c, line.len) != NULL;
}

/* The first line that may be something tells: names hold no brace. */
static void begin(struct records *r)
{
	struct span line = {NULL, 0};
	bool any;

	while ((any = log_line(r->log, &line)) && !has(line, '{') && !has(line, ',') &&
		line.at[0] != '[')
		log_refuse(r->log, "prose", "text before the header: '%s' (line skipped)",
			log_quote(line).text);
	r->begun = true;
	r->is_json = any && (has(line, '{') || line.at[0] == '[');
	if (r->is_json) {
		json_rows_open(&r->json, r->log, line);
	} else if (any) {
		strbuf_add(&r->ahead, line.at, line.len);
		strbuf_addc(&r->ahead, '\n');
		r->last_line = input_line_number(r->log->in) - 1;
	}
}

bool records_next(struct records *records)
{
	if (records->log->facts.sqlite)
		return next_of_tables(records);
	if (records->may_list && !records->begun)
		begin(records);
	return records->is_json ? next_of_json(records) : next_of_csv(records);
}

bool records_fit(const struct records *r, size_t columns, const char *last)
{
	if (r->broken)
		return false;
	if (!columns)
		log_refuse(r->log, "no-header", "row before the header (row skipped)");
	else if (r->torn && r->count == columns)
		log_refuse(r->log, "no-newline",
			"file ends without a newline, so %s of its last row may be "
			"truncated (row skipped)",
			last);
	else if (r->torn)
		log_refuse(r->log, "torn-line",
			"file ends inside a row: found %zu of %zu fields (row skipped)",
			r->count, columns);
	else if (r->count != columns)
		log_refuse(r->log, "field-count",
			"expected %zu fields, found %zu (row skipped)", columns,
			r->count);
	else
		return true;
	return false;
}

/* "name": as a member of JSON. */
static bool has_member(struct span line, const char *name)
{
	size_t len = strlen(name);

	for (; line.len > len + 1; line.at++, line.len--)
		if (line.at[0] == '"' && line.at[len + 1] == '"' &&
			memcmp(line.at + 1, name, len) == 0)
			return true;
	return false;
}

bool probe_has_members(const struct probe *probe, const char *const *name)
{
	for (; *name; name++) {
		bool found = false;

		for (size_t i = 0; i < probe->count && !found; i++)
			found = has_member(probe->line[i], *name);
		if (!found)
			return false;
	}
	return true;
}

bool probe_has_row(
	const struct probe *probe, bool (*is)(const struct span *cell, size_t count))
{
	struct csv_row row;
	bool has = false;

	row = csv_row_new();
	for (size_t i = 0; i < probe->count && !has; i++) {
		csv_split(&row, probe->line[i]);
		has = is(row.cell, row.count);
	}
	csv_row_release(&row);
	return has;
}

size_t records_find(const struct span *cell, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (span_is(cell[i], name))
			return i;
	return SIZE_MAX;
}

bool records_places(
	const struct span *cell, size_t count, const char *const *name, size_t *place)
{
	for (size_t i = 0; name[i]; i++)
		if (records_find(cell, count, name[i]) == SIZE_MAX)
			return false;
	for (size_t i = 0; name[i] && place; i++)
		place[i] = records_find(cell, count, name[i]);
	return true;
}

bool part_bind(struct columns *columns, size_t at, const struct binding *binding)
{
	struct column *column = &columns->at[at];

	for (size_t i = 0; binding && i < at; i++)
		if (columns->at[i].binding == binding &&
			columns->at[i].part == column->part)
			binding = NULL; /* the first one counts */
	if (!binding)
		return false;
	column->role = ROLE_METRIC;
	column->binding = binding;
	column->kind = metric_get(binding->metric)->kind;
	column->name = binding->name;
	column->bare = metric_get(binding->metric)->per_unit;
	return true;
}

void part_put(struct columns *columns, struct log *log, struct sample_batch *batch,
	int64_t t_ns, uint32_t device, int32_t part, bool *header_pending,
	const struct span *cell)
{
	size_t row;

	for (size_t i = 0; i < columns->count && !columns->bound; i++)
		if (columns->at[i].role == ROLE_METRIC)
			columns->at[i].batch_column = sample_batch_column(
				batch, columns->at[i].binding->metric);
	columns->bound = true;
	row = sample_batch_add(batch, t_ns, device);
	batch->line[row] = log_line_number(log);
	batch->header[row] = *header_pending;
	*header_pending = false;
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC && columns->at[i].part == part)
			columns_put_cell(&columns->at[i], log, batch, row, cell[i]);
}

bool json_document(
	struct log *log, struct json_line *json, struct strbuf *text, const char *what)
{
	struct span line;

	while (text->len < MANIFEST_MAX && log_line(log, &line)) {
		strbuf_add(text, line.at, line.len);
		strbuf_addc(text, '\n');
	}
	if (json_line_parse(json, (struct span){text->text, text->len}))
		return true;
	log_refuse(log, "bad-json", "%s is not a JSON object (file ignored)", what);
	return false;
}
