/* Rows of columns: what stands in each, and into which column of a batch it goes. */
#include "read/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "model/metric.h"
#include "model/sample.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/gpu_loss.h"
#include "read/lines.h"
#include "read/log.h"
#include "read/prefix.h"

/* What the names leave open, the first cells tell. */

void epoch_settle(struct columns *columns, struct log *log, const struct span *cell)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->at[i].role != ROLE_EPOCH)
			continue;
		if (!columns_have(columns, ROLE_TIME) && clock_is_cell(cell[i])) {
			columns->at[i].role = ROLE_TIME;
			columns->has_time = true;
			continue;
		}
		columns->at[i].role = ROLE_KNOWN;
		log_note(log, false, "unknown-column", span_of(columns->at[i].name),
			"column '%s' ignored: another column has the time, or '%s' is "
			"not a time",
			columns->at[i].name, log_quote(cell[i]).text);
	}
}

#define UUID_LEN 40 /* "GPU-" and 36 more */

void columns_release(struct columns *columns)
{
	free(columns->at);
	*columns = (struct columns){0};
}

void columns_clear(struct columns *columns)
{
	columns->count = 0;
	columns->has_time = columns->has_id = columns->bound = columns->in_parts = false;
	columns->part = 0;
}

size_t columns_of(const struct columns *columns, enum role role)
{
	size_t i = columns->count;

	while (i > 0 && columns->at[i - 1].role != role)
		i--;
	return i ? i - 1 : columns->count;
}

struct span columns_cell(
	const struct columns *columns, const struct span *cell, enum role role)
{
	size_t i = columns_of(columns, role);

	return i == columns->count || cell_is_missing(cell[i]) ? SPAN_NONE : cell[i];
}

void columns_read_gpu(const struct columns *columns, const struct log *log,
	const struct span *cell, struct gpu_id *id)
{
	const struct {
		enum role role;
		struct span *to;
		bool shared; /* several GPUs have it: it is no id */
	} texts[] = {{ROLE_UUID, &id->uuid, log->facts.shared_id[1]},
		{ROLE_BUS_ID, &id->bus_id, log->facts.shared_id[0]},
		{ROLE_SERIAL, &id->serial, false}, {ROLE_MODEL, &id->model, false},
		{ROLE_HOST, &id->host, false}};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct span text = columns_cell(columns, cell, texts[i].role);

		if (text.len && !texts[i].shared)
			*texts[i].to = text;
	}
	(void)cell_read_index(columns_cell(columns, cell, ROLE_INDEX), &id->index);
}

bool columns_read_process(const struct columns *columns, struct log *log,
	const struct span *cell, struct process_id *id)
{
	struct span text = columns_cell(columns, cell, ROLE_PID);
	int64_t pid;

	id->command = columns_cell(columns, cell, ROLE_COMMAND);
	if (!text.len)
		return true;
	if (!number_up_to(text, INT32_MAX, &pid)) {
		log_refuse(log, "bad-id", "invalid pid '%s' (row skipped)",
			log_quote(text).text);
		return false;
	}
	id->pid = (int32_t)pid;
	return true;
}

static bool is_name(enum source_kind source, struct span cell)
{
	return column_role(source, cell_strip_unit(cell)) != ROLE_IGNORED;
}

void columns_cut_glued(struct log *log, enum source_kind source, struct csv_row *header,
	struct span line)
{
	size_t first = header->count;
	struct span name = {NULL, 0};

	if (line.at[0] < '0' || line.at[0] > '9')
		return;
	while (first > 0 && is_name(source, header->cell[first - 1]))
		first--;
	if (first)
		name = header->cell[first - 1];
	while (name.len && !is_name(source, name))
		name.at++, name.len--;
	if (name.len)
		header->cell[--first] = name;
	memmove(header->cell, header->cell + first,
		(header->count - first) * sizeof *header->cell);
	header->count -= first;
	log_refuse(log, "field-count",
		"header on the same line as a row: '%s' (row skipped)",
		log_quote(line).text);
}

/* Two columns of one metric: an alias beside the canonical name. */
static bool is_taken(
	const struct columns *columns, const struct binding *binding, int32_t part)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].binding && columns->at[i].part == part &&
			columns->at[i].binding->metric == binding->metric)
			return true;
	return false;
}

bool columns_accept_row(struct columns *columns, struct log *log)
{
	if (!columns->has_row) {
		columns->timed = columns->has_time || log->facts.timed;
		columns->with_ids = columns->has_id;
	}
	columns->has_row = true;
	if (columns->timed && !columns->has_time) {
		log_refuse(log, "no-time",
			"the header has no time column, but another header in this file "
			"has one (row skipped)");
		return false;
	}
	if (!columns->timed && columns->has_time)
		log_note(log, true, "unused-time", SPAN_NONE,
			"time column ignored: the rows before it have no times");
	if (columns->with_ids && !columns->has_id) {
		log_refuse(log, "no-id",
			"a later header has no GPU id, so its rows can't be assigned to "
			"a GPU (row skipped)");
		return false;
	}
	return true;
}

/* Its end is kept where there is no room for all of it. */
static void keep_last(struct columns *columns, struct span field)
{
	size_t len = field.len < CELL_KEPT ? field.len : CELL_KEPT;

	if (len)
		memcpy(columns->last, field.at + field.len - len, len);
	columns->last_len = len;
	columns->last_of_line = false;
}

/* Of the row before. */
static struct span last_field(const struct columns *columns)
{
	struct span last = {columns->last, columns->last_len};
	size_t from = last.len;

	if (!columns->last_of_line)
		return last;
	while (from && last.at[from - 1] != ',')
		from--;
	return span_trim((struct span){last.at + from, last.len - from});
}

void columns_end_row(struct columns *columns, struct log *log, struct span *field)
{
	const struct binding *binding = columns->at[columns->count - 1].binding;

	if (!log_line_torn(log)) {
		keep_last(columns, *field);
		return;
	}
	switch (cell_end(
		*field, last_field(columns), binding ? binding->unit : UNIT_NONE)) {
	case CELL_WHOLE:
		return;
	case CELL_CUT:
		log_note(log, true, "torn-field", SPAN_NONE,
			"file ends inside a field: '%s' (field ignored)",
			log_quote(*field).text);
		break;
	case CELL_MAYBE_CUT:
		log_note(log, true, "no-newline", SPAN_NONE,
			"file ends without a newline, so its last field '%s' may be "
			"truncated (field ignored)",
			log_quote(*field).text);
		break;
	}
	field->len = 0;
}

static bool is_value(const struct column *column, struct span cell)
{
	const struct binding *binding = column->binding;
	int64_t value;

	return cell_read(cell, binding->unit, metric_get(binding->metric)->per_unit,
		       column->bare, &value) != CELL_UNREADABLE;
}

static bool columns_is_time(struct span cell)
{
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return time_parse(cell, &utc, &t_ns) || time_parse_epoch(cell, &t_ns);
}

/* In a row with a cell too many: the cell could be what its column holds. */
static bool is_in_place(const struct column *column, struct span cell)
{
	uint64_t index;

	if (column->binding)
		return metric_is_state(column->binding->metric) || is_value(column, cell);
	if (column->role == ROLE_TIME)
		return columns_is_time(cell);
	if (column->role == ROLE_INDEX || column->role == ROLE_PID)
		return number_unsigned(cell, &index);
	return true;
}

bool columns_parted_alike(
	const struct span *cell, size_t count, size_t name, size_t surplus)
{
	bool blank = false, known = false;

	for (size_t i = 1; i < count; i++) {
		bool has_blank = cell[i].at > cell[0].at && cell[i].at[-1] == ' ';

		if (i > name && i <= name + surplus)
			continue;
		if (known && has_blank != blank)
			return false;
		blank = has_blank;
		known = true;
	}
	return true;
}

/* A value of one of the columns; as commands have numbers, those only with a unit. */
static bool is_any_value(const struct columns *columns, enum role role, struct span cell)
{
	int64_t number;

	if (role == ROLE_COMMAND && cell.len &&
		(cell.at[0] == '[' ? cell.at[cell.len - 1] != ']'
				   : cell_is_missing(cell)))
		return false;
	if (number_scaled(cell, 1, &number))
		return role == ROLE_MODEL;
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].binding &&
			!metric_is_state(columns->at[i].binding->metric) &&
			is_value(&columns->at[i], cell))
			return true;
	return false;
}

/* A piece of a name: it may be nothing else. */
static bool is_piece(const struct columns *columns, enum role role, struct span cell)
{
	return span_is_text(cell) && !columns_is_time(cell) &&
		!span_begins(cell, "GPU-") && !is_any_value(columns, role, cell);
}

bool columns_join(const struct columns *columns, struct csv_row *row, enum role role)
{
	size_t surplus = row->count - columns->count, name = 0;
	struct span *cell = row->cell;

	while (name < columns->count && columns->at[name].role != role)
		name++;
	if (name == columns->count ||
		!columns_parted_alike(cell, row->count, name, surplus))
		return false;
	for (size_t i = 0; i < columns->count; i++)
		if (!is_in_place(&columns->at[i], cell[i > name ? i + surplus : i]))
			return false;
	/* a UUID may be cut by a comma, and the rest of it taken for a piece */
	for (size_t i = 0; i < columns->count && role == ROLE_MODEL; i++) {
		struct span id = cell[i > name ? i + surplus : i];

		if (columns->at[i].role == ROLE_UUID && !cell_is_missing(id) &&
			id.len != UUID_LEN)
			return false;
	}
	for (size_t i = name; i <= name + surplus; i++)
		if (!is_piece(columns, role, cell[i]))
			return false;
	cell[name].len = (size_t)(cell[name + surplus].at + cell[name + surplus].len -
		cell[name].at);
	memmove(&cell[name + 1], &cell[name + 1 + surplus],
		(columns->count - name - 1) * sizeof *cell);
	row->count = columns->count;
	return true;
}

bool columns_count_row(
	struct columns *columns, struct log *log, struct csv_row *row, struct span line)
{
	bool torn = log_line_torn(log);

	if (row->count == columns->count && !line_is_echo(line) && !line_is_rule(line)) {
		columns_end_row(columns, log, &row->cell[row->count - 1]);
		return true;
	}
	if (!torn && (line_is_rule(line) || line_is_noise(row, line))) {
		log_note(log, false, "noise", SPAN_NONE,
			"not a row: '%s' (line skipped, and others like it)",
			log_quote(line).text);
		return false;
	}
	if (row->count == 1)
		log_hear(log, line);
	if (torn && !(row->count == 1 && gpu_loss_is_said(line)))
		log_refuse(log, "torn-line",
			"file ends inside a line: found %zu of %zu fields (row skipped)",
			row->count, columns->count);
	else if (row->count == 1)
		log_refuse(log, "prose",
			"not a row: '%s', expected %zu fields (line skipped)",
			log_quote(line).text, columns->count);
	else
		log_refuse(log, "field-count",
			"expected %zu fields, found %zu: '%s' (row skipped)",
			columns->count, row->count, log_quote(line).text);
	return false;
}

bool columns_time(struct log *log, struct span cell, int64_t *t_ns)
{
	struct clock_line clock = {0};

	if (log_time(log, cell, t_ns))
		return true;
	switch (log_clock(log, &clock, cell, t_ns)) {
	case CLOCK_TIME:
		return true;
	case CLOCK_CONTRADICTS:
		log_refuse_order(log, cell);
		return false;
	case CLOCK_NOT:
	case CLOCK_PART:
		break;
	}
	log_refuse(log, "bad-time",
		"invalid time '%s', expected YYYY/MM/DD HH:MM:SS.mmm (row skipped)",
		log_quote(cell).text);
	return false;
}

bool columns_join_time(struct columns *columns, struct log *log, struct span date,
	struct span clock, int64_t *t_ns)
{
	uint64_t day = span_hash(date, SPAN_HASH);
	struct strbuf text = strbuf_new();
	bool good;

	strbuf_add(&text, date.at, date.len);
	strbuf_addc(&text, ' ');
	strbuf_add(&text, clock.at, clock.len);
	good = !date.len && time_parse_clock(cell_clock(clock), t_ns);
	if (good)
		*t_ns += TIME_BEGIN;
	else
		good = columns_time(log, (struct span){text.text, text.len}, t_ns);
	strbuf_release(&text);
	if (day != columns->day)
		columns->days = 0;
	else if (good &&
		*t_ns + columns->days * NS_PER_DAY < columns->joined_ns - NS_PER_DAY / 2)
		columns->days++;
	columns->day = day;
	if (good)
		columns->joined_ns = *t_ns += columns->days * NS_PER_DAY;
	return good;
}

bool columns_take_clock(struct columns *columns, struct log *log, struct span line)
{
	int64_t t_ns;

	if (!log->facts.route.around)
		return false;
	switch (log_clock(log, &columns->clock, line, &t_ns)) {
	case CLOCK_NOT:
		return marker_is(line);
	case CLOCK_PART:
		break;
	case CLOCK_TIME:
		columns->clock_ns = t_ns;
		columns->clocked = true;
		break;
	case CLOCK_CONTRADICTS:
		log_refuse_order(log, line);
		columns->clocked = false;
		break;
	}
	return true;
}

/* The time of the line before the row that was only a time. */
static bool around_time(struct columns *columns, struct log *log, int64_t *t_ns)
{
	columns->has_time = true;
	*t_ns = columns->clock_ns;
	if (!columns->clocked)
		log_refuse(log, "no-time",
			"no valid line with a time before the row (row skipped)");
	return columns->clocked;
}

/* Where nothing says what the words before a row don't, or only that it may be so. */
static void note_no_date(struct log *log)
{
	bool year = log->facts.prefix.lacks == CLOCK_LACKS_YEAR;
	bool known = log->near_ns != TIME_NONE, elapsed = log->facts.prefix.elapsed;

	if (known && elapsed)
		log_note(log, false, "no-date", SPAN_NONE,
			"times before the rows count from their first one, which is "
			"taken for the start of the run");
	if (known || elapsed)
		return;
	log_note(log, false, "no-date", SPAN_NONE,
		"times before the rows have no %s; %s is used", year ? "year" : "date",
		year ? "1970" : "1970-01-01");
}

bool columns_line_time(struct columns *columns, struct log *log, int64_t *t_ns)
{
	if (log->facts.route.around)
		return around_time(columns, log, t_ns);
	if (!prefix_has_time(&log->facts.prefix) || columns_have(columns, ROLE_TIME) ||
		columns_have(columns, ROLE_CLOCK))
		return true;
	columns->has_time = true;
	*t_ns = log->line_ns;
	if (!columns->has_row && log->facts.prefix.lacks)
		note_no_date(log);
	if (log->line_clock == CLOCK_CONTRADICTS)
		log_refuse(log, "bad-time",
			"the date before the row doesn't fit the other dates of the "
			"file, where the %s comes first (row skipped)",
			log->facts.day_order == DAY_FIRST ? "day" : "month");
	else if (log->line_ns == TIME_NONE)
		log_refuse(log, "bad-time", "no time before the row (row skipped)");
	return log->line_ns != TIME_NONE;
}

/* What a column of a metric holds; one that can't be used becomes an ignored one. */
static void bind_column(const struct columns *columns, struct log *log,
	struct column *column, enum source_kind source, struct span name)
{
	const struct binding *binding = binding_find(source, cell_strip_unit(name));
	bool fits = cell_header_unit(name, binding->unit,
		metric_get(binding->metric)->per_unit, &column->bare);

	if (!fits)
		log_note(log, true, "bad-unit", name, "column '%s' ignored: unknown unit",
			log_quote(name).text);
	if (!fits) {
		column->role = ROLE_KNOWN;
		return;
	}
	column->spare = is_taken(columns, binding, column->part);
	if (column->spare)
		log_note(log, false, "column-twice", name,
			"column '%s' repeats the metric of another column; the first "
			"value is used",
			log_quote(name).text);
	column->binding = binding;
	column->kind = metric_get(binding->metric)->kind;
	cell_range(column->kind == KIND_COUNTER, metric_get(binding->metric)->per_unit,
		&column->low, &column->high);
	column->name = binding->name;
}

/* A column without use; in doubt where a known name is part of its own. */
static void note_unknown(struct log *log, enum source_kind source, struct span name)
{
	struct span known = glued_find(source, name);

	name = cell_strip_unit(name);
	if (known.len)
		log_note(log, true, "glued-column", name,
			"column '%s' ignored: it looks like '%s' with other text "
			"attached",
			log_quote(name).text, log_quote(known).text);
	else
		log_note(log, false, "unknown-column", name, "column '%s' ignored",
			log_quote(name).text);
}

/*
 * "gpu" is the number of one, unless its header has a unit, or its cells are shares of
 * time: then it is what these are called.
 */
static struct span settle_gpu(
	struct log *log, enum source_kind source, struct span name, enum role *role)
{
	bool query = source == SOURCE_NVIDIA_QUERY;
	bool unit = span_is_nocase(name, "gpu [%]");

	if ((!query && source != SOURCE_NVIDIA_DMON) ||
		(!unit && !span_is_nocase(name, "gpu")) ||
		(!unit && log->facts.gpu_column == GPU_COLUMN_NUMBER))
		return name;
	if (!unit && log->facts.gpu_column != GPU_COLUMN_SHARE)
		log_note(log, true, "gpu-column", name,
			"column '%s' doesn't look like GPU indices, which would repeat "
			"in turn; %s",
			log_quote(name).text,
			log->facts.gpu_column == GPU_COLUMN_DOUBT
				? "read as GPU utilization"
				: "ignored, because another column has the GPU "
				  "utilization");
	*role = log->facts.gpu_column == GPU_COLUMN_UNUSED ? ROLE_KNOWN : ROLE_METRIC;
	return span_of(query ? "utilization.gpu" : "sm");
}

void columns_add(struct columns *columns, struct log *log, enum source_kind source,
	struct span name)
{
	struct column column = {.role = column_role(source, cell_strip_unit(name)),
		.part = cell_header_gpu(name) + 1};

	if (column.role == ROLE_KNOWN) /* "cpu.utilization@3": of the other reader */
		column.part = 0;
	name = settle_gpu(log, source, name, &column.role);

	if (column.role == ROLE_METRIC)
		bind_column(columns, log, &column, source, name);
	if (column.role == ROLE_EPOCH)
		column.name = epoch_name(cell_strip_unit(name));
	if (column.role == ROLE_ELAPSED)
		column.bare = span_has_nocase(name, "[ms]") ? NS_PER_S / 1000 : NS_PER_S;
	columns->in_parts |= column.part > 0;
	columns->has_time |= column.role == ROLE_TIME || column.role == ROLE_CLOCK ||
		column.role == ROLE_ELAPSED;
	columns->has_id |= column.part > 0 || column.role == ROLE_INDEX ||
		column.role == ROLE_UUID || column.role == ROLE_BUS_ID ||
		column.role == ROLE_HOST;
	ALLOC_NEXT(columns->at, columns->count, columns->cap) = column;
	if (column.role == ROLE_IGNORED)
		note_unknown(log, source, name);
}

/* Cells of a row into the columns of a batch. */

#define WHOLE_DIGITS 9

/* Of a record that is no line of cells the places mean nothing. */
static uint32_t place_of(const struct log *log, size_t column)
{
	return log->recast ? 0 : (uint32_t)column + 1;
}

static void bind_batch(
	struct columns *columns, const struct log *log, struct sample_batch *batch)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC)
			columns->at[i].batch_column = sample_batch_column(
				batch, columns->at[i].binding->metric);
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC && !columns->at[i].spare)
			sample_column_move(&batch->column[columns->at[i].batch_column],
				(struct sample_place){batch->rows, 0, place_of(log, i)});
}

/* A short whole number without a unit, as nearly all cells of dmon are. */
static bool read_whole(const struct column *column, struct span cell, int64_t *value)
{
	int64_t number = 0;

	if (!cell.len || cell.len > WHOLE_DIGITS || column->kind == KIND_STATE ||
		column->kind == KIND_FLAGS)
		return false;
	for (size_t i = 0; i < cell.len; i++) {
		unsigned digit = (unsigned char)cell.at[i] - (unsigned)'0';

		if (digit > 9)
			return false;
		number = number * 10 + digit;
	}
	return !__builtin_mul_overflow(number, column->bare, value) &&
		*value >= column->low && *value <= column->high;
}

static enum cell_result read_cell(
	const struct column *column, struct log *log, struct span cell, int64_t *value)
{
	enum unit unit = column->binding->unit;
	int64_t per_unit = metric_get(column->binding->metric)->per_unit;

	switch (column->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
	case KIND_TICKS:
		return cell_read(cell, unit, per_unit, column->bare, value);
	case KIND_COUNTER:
		return cell_read_counter(cell, unit, per_unit, column->bare, value);
	case KIND_STATE:
		if (!cell_is_state(cell))
			return CELL_MISSING;
		*value = texts_number(&log->run->texts, cell);
		return *value ? CELL_VALUE : CELL_UNREADABLE;
	case KIND_FLAGS:
		if (cell_is_missing(cell))
			return CELL_MISSING;
		return cell_read_flags(cell, value) ? CELL_VALUE : CELL_UNREADABLE;
	}
	return CELL_UNREADABLE;
}

void columns_put_cell(const struct column *column, struct log *log,
	struct sample_batch *batch, size_t row, struct span cell)
{
	struct sample_column *to = &batch->column[column->batch_column];

	static const char unreadable[] = "(unreadable)";

	if (!log->opt->general && read_whole(column, cell, &to->value[row])) {
		to->presence[row] = PRESENCE_VALUE;
		return;
	}
	switch (read_cell(column, log, cell, &to->value[row])) {
	case CELL_VALUE:
		to->presence[row] = PRESENCE_VALUE;
		return;
	case CELL_UNREADABLE:
		log_note(log, true, "bad-value", span_of(column->name),
			"invalid value '%s' for %s (counted as not available)",
			log_quote(cell).text, column->name);
		cell = span_of(unreadable);
		break;
	case CELL_MISSING:
		if (cell_is_failure(cell))
			log_note(log, true, "gpu-error", cell,
				"nvidia-smi printed '%s' (counted as not available)",
				log_quote(cell).text);
		break;
	}
	to->presence[row] = PRESENCE_MISSING;
	to->value[row] = texts_number(&log->run->texts, cell);
}

/* An alias beside a name that this driver no longer answers. place: its cell's. */
static void put_spare(const struct column *column, struct log *log,
	struct sample_batch *batch, size_t row, struct span cell, uint32_t place)
{
	struct sample_column *to = &batch->column[column->batch_column];
	uint32_t usual = sample_column_cell(to, row);
	int64_t value;

	if (to->presence[row] == PRESENCE_VALUE ||
		read_cell(column, log, cell, &value) != CELL_VALUE)
		return;
	to->presence[row] = PRESENCE_VALUE;
	to->value[row] = value;
	sample_column_move(to, (struct sample_place){row, 0, place});
	sample_column_move(to, (struct sample_place){row + 1, 0, usual});
}

size_t columns_begin_row(struct columns *columns, struct log *log,
	struct sample_batch *batch, int64_t t_ns, uint32_t device, bool *header_pending)
{
	size_t row;

	if (!columns->bound)
		bind_batch(columns, log, batch);
	columns->bound = true;
	row = sample_batch_add(batch, t_ns, device);
	batch->header[row] = *header_pending;
	batch->line[row] = log_line_number(log);
	*header_pending = false;
	log->file->rows++;
	return row;
}

void columns_put_row(struct columns *columns, struct log *log, struct sample_batch *batch,
	int64_t t_ns, uint32_t device, bool *header_pending, const struct span *cell)
{
	size_t row = columns_begin_row(columns, log, batch, t_ns, device, header_pending);

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->at[i];

		if (column->role != ROLE_METRIC || column->part != columns->part)
			continue;
		if (columns->in_parts)
			sample_column_move(&batch->column[column->batch_column],
				(struct sample_place){row, 0, place_of(log, i)});
		if (column->spare)
			put_spare(column, log, batch, row, cell[i], (uint32_t)i + 1);
		else
			columns_put_cell(column, log, batch, row, cell[i]);
	}
}
