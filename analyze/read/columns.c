/* Names of columns to roles and metrics: metrics.def's bindings, and the few others. */
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
#include "read/headerless.h"
#include "read/identify.h"
#include "read/log.h"
#include "read/log_clock.h"
#include "read/prefix.h"

/* What a cell is behind which the file ends, without a newline. */
enum cell_end {
	CELL_WHOLE, /* nothing can be missing: a number before its unit, or "[N/A]" */
	CELL_MAYBE_CUT, /* digits, or a word, that may have gone on */
	CELL_CUT /* it lacks what it must have */
};

static enum cell_end cell_end(struct span cell, struct span before, enum unit unit);

/*
 * A gauge beyond 10^8 of any unit (100 TiB, 100 MW) is damage; sums rely on it. So is a
 * counter beyond 10^17: microseconds take three thousand years to get there.
 */
#define CELL_UNITS_MAX	 100000000LL
#define CELL_COUNTER_MAX 100000000000000000LL

/* Spellings of values: every driver generation met so far, in two tables. */

static const char *const missing_words[] = {
	"N/A",
	"-",
	"nan",
	"none",
	"null",
	"not supported",
	"not available",
	"err!",
	"unknown error",
	"not found",
	"unknown",
};

bool cell_is_missing(struct span cell)
{
	if (!cell.len || cell.at[0] == '[')
		return true;
	if (!strchr("-NnEeUu", cell.at[0]))
		return false; /* no word begins like that */
	for (size_t i = 0; i < sizeof missing_words / sizeof missing_words[0]; i++)
		if (span_is_nocase(cell, missing_words[i]))
			return true;
	return false;
}

bool cell_is_failure(struct span cell)
{
	static const char *const harmless[] = {"[N/A]", "[Not Supported]", "[Not Found]",
		"[Function Not Found]", "[Insufficient Permissions]",
		"[Requested functionality has been deprecated]"};

	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		if (span_is_nocase(cell, harmless[i]))
			return false;
	return cell.len > 0 && cell.at[0] == '[';
}

/*
 * Units as written behind a number, and what one of them is in the unit of the table; a
 * unit that ends in another one stands before it.
 */
static const struct {
	const char *name;
	enum unit unit;
	int64_t num, den;
} suffixes[] = {
	{"%", UNIT_PERCENT, 1, 1},
	{"MiB", UNIT_MIB, 1, 1},
	{"MB", UNIT_MIB, 1, 1}, /* old drivers; they meant MiB */
	{"KiB", UNIT_MIB, 1, 1024},
	{"GiB", UNIT_MIB, 1024, 1},
	{"mW", UNIT_WATT, 1, 1000},
	{"W", UNIT_WATT, 1, 1},
	{"MHz", UNIT_MHZ, 1, 1},
	{"GHz", UNIT_MHZ, 1000, 1},
	{"C", UNIT_CELSIUS, 1, 1},
	{"MB/s", UNIT_MIB_PER_S, 1, 1},
	{"MiB/s", UNIT_MIB_PER_S, 1, 1},
	{"kB", UNIT_MIB, 1, 1024}, /* the kernel's; it means KiB */
	{"us", UNIT_MICROSECOND, 1, 1},
	{"ms", UNIT_MILLISECOND, 1, 1},
	{"seconds", UNIT_SECOND, 1, 1},
	{"W/s", UNIT_WATT_PER_S, 1, 1},
	{"mJ", UNIT_JOULE, 1, 1000},
	{"J", UNIT_JOULE, 1, 1},
	{"kWh", UNIT_JOULE, 3600000, 1},
	{"Wh", UNIT_JOULE, 3600, 1},
};

/* Under which unit the table above has it. */
static enum unit written_as(enum unit unit)
{
	return unit == UNIT_MILLIJOULE || unit == UNIT_ENERGY ? UNIT_JOULE : unit;
}

/* Cuts the unit from the end of a cell; false: there is none that is known. */
static bool cut_suffix(struct span *cell, enum unit unit, int64_t *num, int64_t *den)
{
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		struct span name = span_of(suffixes[i].name);

		if (suffixes[i].unit != written_as(unit) || cell->len <= name.len)
			continue;
		if (!span_equal((struct span){cell->at + cell->len - name.len, name.len},
			    name))
			continue;
		cell->len -= name.len;
		*cell = span_trim(*cell);
		*num = suffixes[i].num;
		*den = suffixes[i].den;
		return true;
	}
	return false;
}

/* A number with its unit behind it. */
static bool has_unit(struct span cell, enum unit unit)
{
	int64_t num, den, value;

	return cut_suffix(&cell, unit, &num, &den) && number_scaled(cell, 1, &value);
}

/*
 * before: the cell of the same column in the row before, or its end; empty: none. It
 * shows whether there should be a unit, or more of a word.
 */
static enum cell_end cell_end(struct span cell, struct span before, enum unit unit)
{
	int64_t value;

	if (cell.len && cell.at[0] == '[')
		return cell.len > 1 && cell.at[cell.len - 1] == ']' ? CELL_WHOLE
								    : CELL_CUT;
	if (has_unit(cell, unit))
		return CELL_WHOLE;
	if (has_unit(before, unit) || (before.len && !cell.len))
		return CELL_CUT;
	if (number_scaled(cell, 1, &value))
		return cell.at[cell.len - 1] == '.' ? CELL_CUT : CELL_MAYBE_CUT;
	return cell.len < before.len &&
			span_equal(cell, (struct span){before.at, cell.len})
		? CELL_CUT
		: CELL_MAYBE_CUT;
}

void cell_range(bool is_counter, int64_t per_unit, int64_t *low, int64_t *high)
{
	*high = is_counter ? CELL_COUNTER_MAX : CELL_UNITS_MAX * per_unit;
	*low = is_counter ? 0 : -*high;
}

static enum cell_result judge(
	enum cell_result result, bool is_counter, int64_t per_unit, int64_t value)
{
	int64_t low, high;

	cell_range(is_counter, per_unit, &low, &high);
	return result == CELL_VALUE && (value < low || value > high) ? CELL_UNREADABLE
								     : result;
}

/* As nvidia-smi writes the unit of the table behind a number. */
static const char *const usual_suffix[UNIT_COUNT] = {
	[UNIT_NONE] = "",
	[UNIT_PERCENT] = " %",
	[UNIT_MIB] = " MiB",
	[UNIT_WATT] = " W",
	[UNIT_CELSIUS] = " C",
	[UNIT_MHZ] = " MHz",
	[UNIT_MIB_PER_S] = " MB/s",
	[UNIT_TICKS] = "",
	[UNIT_MICROSECOND] = " us",
	[UNIT_MILLISECOND] = " ms",
	[UNIT_SECOND] = " seconds",
	[UNIT_WATT_PER_S] = " W/s",
	[UNIT_JOULE] = " J",
	[UNIT_MILLIJOULE] = " J",
	[UNIT_ENERGY] = " J",
};

const char *cell_usual_suffix(enum unit unit)
{
	return usual_suffix[unit];
}

/* As cell_read, whatever the size of the number. */
static enum cell_result read_number(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value)
{
	int64_t num = 1, den = 1;
	struct span rest = cell;
	bool is_number = number_cut(&rest, per_unit, value) &&
		(rest.len ? span_is(rest, usual_suffix[unit]) : bare == per_unit);

	if (!is_number)
		is_number = number_scaled(cell, bare, value);
	if (!is_number && cell_is_missing(cell))
		return CELL_MISSING;
	if (!is_number && cut_suffix(&cell, unit, &num, &den))
		is_number = number_scaled(cell, per_unit * num / den, value);
	return is_number ? CELL_VALUE : CELL_UNREADABLE;
}

enum cell_result cell_read(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value)
{
	enum cell_result result = read_number(cell, unit, per_unit, bare, value);

	return judge(result, false, per_unit, *value);
}

/* The same of a counter: not negative, and larger numbers are believed. */
static enum cell_result cell_read_counter(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value)
{
	enum cell_result result = read_number(cell, unit, per_unit, bare, value);

	return judge(result, true, per_unit, *value);
}

/*
 * A word that is a state ("P0", "Enabled", "None"); of what is missing elsewhere only
 * what is no word of its own is missing here.
 */
static bool cell_is_state(struct span cell)
{
	return !cell_is_missing(cell) || span_is_nocase(cell, "none") ||
		span_is_nocase(cell, "unknown");
}

/* A mask of bits: "0x0000000000000004", or a decimal number. */
static bool cell_read_flags(struct span cell, int64_t *mask)
{
	uint64_t bits = 0;

	if (!span_begins(cell, "0x") && !span_begins(cell, "0X")) {
		if (!number_unsigned(cell, &bits) || bits > INT64_MAX)
			return false;
		*mask = (int64_t)bits;
		return true;
	}
	if (cell.len < 3 || cell.len > 18)
		return false;
	for (size_t i = 2; i < cell.len; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = cell.at[i] ? strchr(digits, cell.at[i]) : NULL;

		if (!digit)
			return false;
		bits = bits << 4 | (uint64_t)((digit - digits) % 16);
	}
	*mask = (int64_t)bits;
	return bits <= INT64_MAX;
}

struct span cell_strip_unit(struct span name)
{
	for (size_t i = name.len; i-- > 0;)
		if (name.at[i] == '[')
			return span_trim((struct span){name.at, i});
	return name;
}

/* The name is all that tells the unit: "energy_mj", but "energy_MJ" is of another one. */
static bool name_tells_unit(
	struct span name, enum unit unit, int64_t per_unit, int64_t *bare)
{
	*bare = unit == UNIT_MILLIJOULE ? per_unit / 1000 : per_unit;
	if (unit == UNIT_MILLIJOULE && name.len > 2)
		return memcmp(name.at + name.len - 2, "MJ", 2) != 0;
	return unit != UNIT_ENERGY;
}

bool cell_header_unit(struct span name, enum unit unit, int64_t per_unit, int64_t *bare)
{
	struct span text = {name.at + name.len, 0};
	int64_t num = 1, den = 1;

	*bare = per_unit;
	for (size_t i = name.len; i-- > 0 && !text.len;)
		if (name.at[i] == '[')
			text = (struct span){name.at + i, name.len - i};
	if (!text.len)
		return name_tells_unit(name, unit, per_unit, bare);
	if (text.at[text.len - 1] == ']')
		text.len--;
	/* "[mW": a unit behind something, as in a cell */
	if (unit == UNIT_NONE || !cut_suffix(&text, unit, &num, &den) || text.len != 1)
		return false;
	*bare = per_unit * num / den;
	return true;
}

/* What the names leave open, the first cells tell. */

static const char *const epoch_names[] = {"epoch", "epoch_s", "epoch_ms", "epoch_ns",
	"unix_time", "unixtime", "unix_timestamp", "datetime", "date_time", "date/time",
	"time", "ts", "time_stamp", "timestamp_s", "timestamp_ms", "timestamp_us",
	"timestamp_ns", "time_ms"};

/* The name as it is known, of a column that may be the time; NULL: it can't be. */
static const char *epoch_name(struct span name)
{
	for (size_t i = 0; i < sizeof epoch_names / sizeof epoch_names[0]; i++)
		if (span_is_nocase(name, epoch_names[i]))
			return epoch_names[i];
	return NULL;
}

static bool is_time(struct span cell)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return time_parse_epoch_any(cell, &t_ns) ||
		clock_line_read(&clock, cell, &utc, DAYS_UNKNOWN, &t_ns) == CLOCK_TIME;
}

void epoch_settle(struct columns *columns, struct log *log, const struct span *cell)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->at[i].role != ROLE_EPOCH)
			continue;
		if (!columns_have(columns, ROLE_TIME) && is_time(cell[i])) {
			columns->at[i].role = ROLE_TIME;
			columns->has_time = true;
			continue;
		}
		columns->at[i].role = ROLE_KNOWN;
		log_note(log, false, "unknown-column", span_of(columns->at[i].name),
			"column '%s' is not used: another one says the time, or it says "
			"none ('%s')",
			columns->at[i].name, log_quote(cell[i]).text);
	}
}

#define UUID_LEN 40 /* "GPU-" and 36 more */

static const struct {
	enum source_kind source;
	const char *name;
	enum role role;
} roles[] = {
	{SOURCE_NVIDIA_QUERY, "timestamp", ROLE_TIME},
	{SOURCE_NVIDIA_QUERY, "index", ROLE_INDEX},
	{SOURCE_NVIDIA_QUERY, "gpu", ROLE_GPU},
	{SOURCE_NVIDIA_QUERY, "gpu_id", ROLE_GPU},
	{SOURCE_NVIDIA_QUERY, "gpu_index", ROLE_GPU},
	{SOURCE_NVIDIA_QUERY, "uuid", ROLE_UUID},
	{SOURCE_NVIDIA_QUERY, "gpu_uuid", ROLE_UUID},
	{SOURCE_NVIDIA_QUERY, "pci.bus_id", ROLE_BUS_ID},
	{SOURCE_NVIDIA_QUERY, "gpu_bus_id", ROLE_BUS_ID},
	{SOURCE_NVIDIA_QUERY, "name", ROLE_MODEL},
	{SOURCE_NVIDIA_QUERY, "gpu_name", ROLE_MODEL},
	{SOURCE_NVIDIA_QUERY, "host", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "host", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "hostname", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "node", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "node", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "nodename", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "nodename", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "node_name", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "node_name", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "machine", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "machine", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "server", ROLE_HOST},
	{SOURCE_NVIDIA_APPS, "server", ROLE_HOST},
	{SOURCE_NVIDIA_QUERY, "?", ROLE_KNOWN}, /* of --columns: whatever it is */
	{SOURCE_NVIDIA_APPS, "?", ROLE_KNOWN},
	{SOURCE_NVIDIA_QUERY, "count", ROLE_KNOWN},
	{SOURCE_NVIDIA_QUERY, "pci.domain", ROLE_KNOWN},
	{SOURCE_NVIDIA_QUERY, "pci.bus", ROLE_BUS},
	{SOURCE_NVIDIA_QUERY, "pci.device", ROLE_KNOWN},
	{SOURCE_NVIDIA_APPS, "timestamp", ROLE_TIME},
	{SOURCE_NVIDIA_APPS, "gpu_uuid", ROLE_UUID},
	{SOURCE_NVIDIA_APPS, "gpu_bus_id", ROLE_BUS_ID},
	{SOURCE_NVIDIA_APPS, "gpu_name", ROLE_MODEL},
	{SOURCE_NVIDIA_APPS, "gpu_serial", ROLE_SERIAL},
	{SOURCE_NVIDIA_APPS, "vgpu_instance", ROLE_INSTANCE},
	{SOURCE_NVIDIA_APPS, "pid", ROLE_PID},
	{SOURCE_NVIDIA_APPS, "process_name", ROLE_COMMAND},
	{SOURCE_NVIDIA_APPS, "name", ROLE_COMMAND},
	{SOURCE_NVIDIA_PMON, "Date", ROLE_DATE},
	{SOURCE_NVIDIA_PMON, "Time", ROLE_CLOCK},
	{SOURCE_NVIDIA_PMON, "gpu", ROLE_INDEX},
	{SOURCE_NVIDIA_PMON, "pid", ROLE_PID},
	{SOURCE_NVIDIA_PMON, "command", ROLE_COMMAND},
	{SOURCE_NVIDIA_DMON, "Date", ROLE_DATE},
	{SOURCE_NVIDIA_DMON, "Time", ROLE_CLOCK},
	{SOURCE_NVIDIA_DMON, "gpu", ROLE_INDEX},
	{SOURCE_CPU_CSV, "timestamp", ROLE_TIME},
};

void columns_release(struct columns *columns)
{
	free(columns->at);
	*columns = (struct columns){0};
}

void columns_clear(struct columns *columns)
{
	columns->count = 0;
	columns->has_time = columns->has_id = columns->bound = false;
}

enum role column_role(enum source_kind source, struct span name)
{
	/* as most cells of rows do, and no name but the numbers of /proc/stat's */
	if (name.len && name.at[0] >= '0' && name.at[0] <= '9' &&
		source != SOURCE_PROC_STAT)
		return ROLE_IGNORED;
	if (binding_find(source, name))
		return ROLE_METRIC;
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (roles[i].source == source && span_is_nocase(name, roles[i].name))
			return roles[i].role;
	return source == SOURCE_NVIDIA_QUERY && epoch_name(name) ? ROLE_EPOCH
								 : ROLE_IGNORED;
}

bool columns_have(const struct columns *columns, enum role role)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == role)
			return true;
	return false;
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
	log_refuse(log, "field-count", "a header behind a row, which is lost: '%s'",
		log_quote(line).text);
}

/* Two columns of one metric: an alias beside the canonical name. */
static bool is_taken(const struct columns *columns, const struct binding *binding)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].binding &&
			columns->at[i].binding->metric == binding->metric)
			return true;
	return false;
}

bool columns_accept_row(struct columns *columns, struct log *log)
{
	if (!columns->has_row) {
		columns->timed = columns->has_time || log->timed;
		columns->with_ids = columns->has_id;
	}
	columns->has_row = true;
	if (columns->timed && !columns->has_time) {
		log_refuse(log, "no-time",
			"a header without a time, and another of the file with one: its "
			"rows have no place in time");
		return false;
	}
	if (!columns->timed && columns->has_time)
		log_note(log, true, "unused-time", (struct span){NULL, 0},
			"the time of the row is not used: those before it have none");
	if (columns->with_ids && !columns->has_id) {
		log_refuse(log, "no-id",
			"a header without a GPU id came in mid-file; its rows do not say "
			"which GPU they are about");
		return false;
	}
	return true;
}

void columns_keep_last(struct columns *columns, struct span field)
{
	size_t len = field.len < CELL_KEPT ? field.len : CELL_KEPT;

	if (len)
		memcpy(columns->last, field.at + field.len - len, len);
	columns->last_len = len;
}

void columns_end_row(struct columns *columns, struct log *log, struct span *field)
{
	const struct binding *binding = columns->at[columns->count - 1].binding;
	struct span before = {columns->last, columns->last_len};

	if (!input_line_torn(log->in)) {
		columns_keep_last(columns, *field);
		return;
	}
	switch (cell_end(*field, before, binding ? binding->unit : UNIT_NONE)) {
	case CELL_WHOLE:
		return;
	case CELL_CUT:
		log_note(log, true, "torn-field", (struct span){NULL, 0},
			"the file ends in the middle of a field, '%s', which is left out",
			log_quote(*field).text);
		break;
	case CELL_MAYBE_CUT:
		log_note(log, true, "no-newline", (struct span){NULL, 0},
			"the file ends without a newline; the last field of its last "
			"line, '%s', may be cut and is left out",
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
	bool torn = input_line_torn(log->in);

	if (row->count == columns->count && !talk_is_echo(line) && !talk_is_rule(line)) {
		columns_end_row(columns, log, &row->cell[row->count - 1]);
		return true;
	}
	if (!torn && talk_is_noise(row, line)) {
		log_note(log, false, "noise", (struct span){NULL, 0},
			"'%s' and the like are no rows; passed over",
			log_quote(line).text);
		return false;
	}
	if (row->count == 1)
		log_hear(log, line);
	if (torn && !(row->count == 1 && loss_is_said(line)))
		log_refuse(log, "torn-line",
			"the file ends in the middle of a line: %zu of %zu fields; the "
			"row is lost",
			row->count, columns->count);
	else if (row->count == 1)
		log_refuse(log, "prose", "'%s' is no row; expected %zu fields",
			log_quote(line).text, columns->count);
	else
		log_refuse(log, "field-count",
			"a row of %zu fields; the header has %zu: '%s'", row->count,
			columns->count, log_quote(line).text);
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
	log_refuse(log, "bad-time", "'%s' is no time; expected YYYY/MM/DD HH:MM:SS.mmm",
		log_quote(cell).text);
	return false;
}

/* The time of the line before the row that was only a time. */
static bool around_time(struct columns *columns, struct log *log, int64_t *t_ns)
{
	columns->has_time = true;
	*t_ns = log->clock_ns;
	if (*t_ns == TIME_NONE)
		log_refuse(log, "no-time",
			"no line with the time stands before the row, or it was refused");
	return *t_ns != TIME_NONE;
}

bool columns_line_time(struct columns *columns, struct log *log, int64_t *t_ns)
{
	if (log->around)
		return around_time(columns, log, t_ns);
	if (!prefix_has_time(&log->prefix) || columns_have(columns, ROLE_TIME) ||
		columns_have(columns, ROLE_CLOCK))
		return true;
	columns->has_time = true;
	*t_ns = log->line_ns;
	if (log->line_clock == CLOCK_CONTRADICTS)
		log_refuse(log, "bad-time",
			"the date before the row contradicts the others of the file: "
			"there the %s stands first",
			log->day_order == DAY_FIRST ? "day" : "month");
	else if (log->line_ns == TIME_NONE)
		log_refuse(log, "bad-time", "no time stands before the row");
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
		log_note(log, true, "bad-unit", name,
			"the unit of column '%s' is not known for it; it is not used",
			log_quote(name).text);
	if (!fits) {
		column->role = ROLE_KNOWN;
		return;
	}
	column->spare = is_taken(columns, binding);
	if (column->spare)
		log_note(log, false, "column-twice", name,
			"column '%s' says what another one says; the first that has a "
			"value counts",
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
			"column '%s' is not used; it seems to be '%s', with other text "
			"glued to it",
			log_quote(name).text, log_quote(known).text);
	else
		log_note(log, false, "unknown-column", name, "column '%s' is not used",
			log_quote(name).text);
}

bool columns_is_gpu_share(enum source_kind source, struct span name)
{
	const struct binding *binding = binding_find(source, cell_strip_unit(name));

	return binding && binding->metric == METRIC_gpu_util_pct;
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
		(!unit && log->gpu_column == GPU_COLUMN_NUMBER))
		return name;
	if (!unit && log->gpu_column != GPU_COLUMN_SHARE)
		log_note(log, true, "gpu-column", name,
			"the column '%s' holds no numbers of GPUs, which come again in "
			"turns; it is %s",
			log_quote(name).text,
			log->gpu_column == GPU_COLUMN_DOUBT
				? "taken for the share of time that the GPU worked"
				: "not used, as another one says how much the GPU "
				  "worked");
	*role = log->gpu_column == GPU_COLUMN_UNUSED ? ROLE_KNOWN : ROLE_METRIC;
	return span_of(query ? "utilization.gpu" : "sm");
}

void columns_add(struct columns *columns, struct log *log, enum source_kind source,
	struct span name)
{
	struct column column = {.role = column_role(source, cell_strip_unit(name))};

	name = settle_gpu(log, source, name, &column.role);

	if (column.role == ROLE_METRIC)
		bind_column(columns, log, &column, source, name);
	if (column.role == ROLE_EPOCH)
		column.name = epoch_name(cell_strip_unit(name));
	columns->has_time |= column.role == ROLE_TIME || column.role == ROLE_CLOCK;
	columns->has_id |= column.role == ROLE_INDEX || column.role == ROLE_UUID ||
		column.role == ROLE_BUS_ID || column.role == ROLE_HOST;
	ALLOC_GROW(columns->at, columns->count + 1, columns->cap);
	columns->at[columns->count++] = column;
	if (column.role == ROLE_IGNORED)
		note_unknown(log, source, name);
}

/* Cells of a row into the columns of a batch. */

#define WHOLE_DIGITS 9

/* Gives every metric its column in the batch. */
static void bind_batch(struct columns *columns, struct sample_batch *batch)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC)
			columns->at[i].batch_column = sample_batch_column(
				batch, columns->at[i].binding->metric);
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC && !columns->at[i].spare)
			sample_column_move(&batch->column[columns->at[i].batch_column],
				(struct sample_place){batch->rows, 0, (uint32_t)i + 1});
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

/* The value of a cell, by what kind of metric its column is of. */
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

	if (!log->general && read_whole(column, cell, &to->value[row])) {
		to->presence[row] = PRESENCE_VALUE;
		return;
	}
	switch (read_cell(column, log, cell, &to->value[row])) {
	case CELL_VALUE:
		to->presence[row] = PRESENCE_VALUE;
		return;
	case CELL_UNREADABLE:
		log_note(log, true, "bad-value", span_of(column->name),
			"'%s' is nothing that %s can be; counted as not available",
			log_quote(cell).text, column->name);
		cell = span_of(unreadable);
		break;
	case CELL_MISSING:
		if (cell_is_failure(cell))
			log_note(log, true, "gpu-error", cell,
				"the GPU answered '%s'; counted as not available",
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
		bind_batch(columns, batch);
	columns->bound = true;
	row = sample_batch_add(batch, t_ns, device);
	batch->header[row] = *header_pending;
	batch->line[row] = input_line_number(log->in);
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

		if (column->role != ROLE_METRIC)
			continue;
		if (column->spare)
			put_spare(column, log, batch, row, cell[i], (uint32_t)i + 1);
		else
			columns_put_cell(column, log, batch, row, cell[i]);
	}
}

/* The names of a header, the amounts of a row, wherever they are met. */

/* Of dmon or pmon: "# gpu ...", "#Date ...". */
static bool is_scroll_header(struct span line)
{
	struct span rest = line, word = span_word(&rest);

	if (span_is(word, "#"))
		word = span_word(&rest);
	else if (!span_begins(word, "#"))
		return false;
	else
		word.at++, word.len--;
	if (word.len && word.at[word.len - 1] == ',') /* of the csv form */
		word.len--;
	return span_is_nocase(word, "gpu") || span_is_nocase(word, "date") ||
		span_is_nocase(word, "time");
}

enum role header_role(struct span cell)
{
	struct span name = cell_strip_unit(cell);
	enum role role = column_role(SOURCE_NVIDIA_QUERY, name);

	return role != ROLE_IGNORED ? role : column_role(SOURCE_NVIDIA_APPS, name);
}

/* Of a query: the first cell is a known name, and so are most of the others. */
static bool is_csv_header(const struct csv_row *row)
{
	size_t known = 0;

	if (header_role(row->cell[0]) == ROLE_IGNORED)
		return false;
	for (size_t i = 0; i < row->count; i++)
		known += header_role(row->cell[i]) != ROLE_IGNORED;
	return row->count > 1 && 2 * known > row->count;
}

bool header_is(struct csv_row *row, struct span line)
{
	if (is_scroll_header(line))
		return true;
	csv_split(row, line);
	return is_csv_header(row);
}

bool header_is_amounts(struct csv_row *row, struct span line)
{
	int64_t number;

	if (format_proc_stat.claims(line))
		return true;
	csv_split(row, line);
	return headerless_is_amount(row->cell[0]) ||
		(row->count > 1 && number_scaled(row->cell[0], 1, &number));
}

bool header_is_row(struct csv_row *row, struct span line)
{
	csv_split(row, line);
	return row->count > 1 &&
		(headerless_is_amount(row->cell[0]) || headerless_begins_with_time(row));
}

bool header_is_timeless(const struct csv_row *row, struct span line)
{
	for (size_t i = 0; i < row->count; i++) {
		enum role role = header_role(row->cell[i]);

		if (role == ROLE_TIME || role == ROLE_EPOCH)
			return false;
	}
	return !is_scroll_header(line);
}

/*
 * Names of columns as evidence: how many bits, and whether a line is a header at all.
 */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name is made of letters, digits, dots and underscores, with at most a unit behind. */
static bool may_be_name(struct span cell)
{
	size_t i = 0;

	if (!cell.len || !is_letter(cell.at[0]))
		return false;
	while (i < cell.len &&
		(is_letter(cell.at[i]) || cell.at[i] == '.' || cell.at[i] == '_' ||
			(cell.at[i] >= '0' && cell.at[i] <= '9')))
		i++;
	while (i < cell.len &&
		(cell.at[i] == ' ' || cell.at[i] == '\t' || cell.at[i] == '\r'))
		i++;
	return i == cell.len || cell.at[i] == '[';
}

/*
 * Whatever takes energy has a column of it, each row's own as often as a counter; no
 * other name is that common.
 */
static bool is_energy(struct span name)
{
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, name);

	return binding && binding->metric == METRIC_gpu_energy_j;
}

/*
 * What the names of a header are evidence of, in bits; 0: it is no header of a query, -1:
 * it is one of another query of nvidia-smi.
 */
static int header_bits(const struct csv_row *row)
{
	bool time = false, id = false, metric = false, foreign = false, energy = false;

	for (size_t i = 0; i < row->count; i++) {
		struct span name = row->cell[i];
		enum role role;

		if (!may_be_name(name))
			continue; /* as most cells of a row */
		name = cell_strip_unit(name);
		role = column_role(SOURCE_NVIDIA_QUERY, name);
		if (span_is(name, "pid"))
			return -1; /* --query-compute-apps: about processes */
		time |= role == ROLE_TIME;
		metric |= role == ROLE_METRIC && !is_energy(name);
		energy |= is_energy(name) && name.len < row->cell[i].len;
		id |= role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID;
		foreign |= role == ROLE_IGNORED && memchr(name.at, '.', name.len);
	}
	return metric ? 40 : time && (id || energy) ? 20 : time && foreign ? 10 : 0;
}

/* The same of a line; where only other separators make it a header, it is split by them.
 */
static int line_bits(struct csv_row *row, struct span line)
{
	int bits;

	row->separator = ',';
	csv_split(row, line);
	bits = header_bits(row);
	if (bits || csv_separator(line) == ',')
		return bits;
	row->separator = csv_separator(line);
	csv_split(row, line);
	bits = header_bits(row);
	if (bits > 0)
		return bits;
	row->separator = ',';
	csv_split(row, line);
	return 0;
}

/* The echo of a command, or a field of a help text: names, but of no columns. */
static bool is_talk(struct span line)
{
	return talk_is_echo(line) ||
		(span_begins(line, "\"") && !memchr(line.at, ',', line.len) &&
			csv_separator(line) == ',');
}

static bool is_header(const struct csv_row *row, struct span line)
{
	return header_bits(row) > 0 && !is_talk(line);
}

bool query_split_header(struct csv_row *row, struct span line)
{
	char before = row->separator, separator = csv_separator(line);

	if (separator != before) {
		row->separator = separator;
		csv_split(row, line);
		if (is_header(row, line))
			return true;
		row->separator = before;
	}
	csv_split(row, line);
	return is_header(row, line);
}

bool query_is_name(struct span cell)
{
	return span_has_nocase(cell, "nvidia-smi") ||
		(may_be_name(cell) &&
			column_role(SOURCE_NVIDIA_QUERY, cell_strip_unit(cell)) !=
				ROLE_IGNORED);
}

int query_bid(const struct probe *probe)
{
	struct csv_row row;
	struct strbuf names;
	int bits = 0;

	csv_row_init(&row);
	strbuf_init(&names);
	for (size_t i = 0; i < probe->count && bits >= 0 && bits < 40; i++) {
		int header;

		if (memchr(probe->line[i].at, '\0', probe->line[i].len) ||
			is_talk(probe->line[i]))
			continue;
		header = line_bits(&row, probe->line[i]);
		if (header < 0 || header > bits)
			bits = header;
		if (!bits && headerless_begins_with_time(&row))
			bits = 5; /* which fields, only the run's manifest may know */
	}
	if (bits >= 0 && bits < 20 && plausible_rows(probe, headerless_pytyche))
		bits = 20;
	if (bits >= 0 && bits < 15 && headerless_by_shape(probe, &names))
		bits = 15;
	csv_row_release(&row);
	strbuf_release(&names);
	return bits < 0 ? 0 : bits;
}

enum claim query_claims(struct span line)
{
	struct csv_row row;
	bool header;

	csv_row_init(&row);
	header = query_split_header(&row, line);
	csv_row_release(&row);
	return header ? CLAIM_ON : CLAIM_NONE;
}
