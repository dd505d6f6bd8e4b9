/* Spellings of values, and what the names of columns mean. */
#include "read/cells.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "model/metric.h"

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
	"not available in WDDM driver model",
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

bool cell_is_unavailable(struct span cell)
{
	static const char *const words[] = {"N/A", "-", "Not Supported", "None%", "[N/A]",
		"[Not Supported]", "[Not Found]", "[Function Not Found]",
		"[Insufficient Permissions]",
		"[Requested functionality has been deprecated]"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (span_is_nocase(cell, words[i]))
			return true;
	return false;
}

bool cell_is_failure(struct span cell)
{
	return cell.len > 0 && cell.at[0] == '[' && !cell_is_unavailable(cell);
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
	{"ratio", UNIT_PERCENT, 100, 1},
	{"MiB", UNIT_MIB, 1, 1},
	{"MB", UNIT_MIB, 1, 1}, /* old drivers; they meant MiB */
	{"KiB", UNIT_MIB, 1, 1024},
	{"GiB", UNIT_MIB, 1024, 1},
	{"GB", UNIT_MIB, 1024, 1}, /* of scripts; as MB */
	{"megabytes", UNIT_MIB, 15625, 16384}, /* of a million bytes */
	{"mW", UNIT_WATT, 1, 1000},
	{"kW", UNIT_WATT, 1000, 1},
	{"W", UNIT_WATT, 1, 1},
	{"Watts", UNIT_WATT, 1, 1},
	{"MHz", UNIT_MHZ, 1, 1},
	{"Mhz", UNIT_MHZ, 1, 1},
	{"GHz", UNIT_MHZ, 1000, 1},
	{"\302\260C", UNIT_CELSIUS, 1, 1},
	{"C", UNIT_CELSIUS, 1, 1},
	{"c", UNIT_CELSIUS, 1, 1},
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
	{"B", UNIT_MIB, 1, 1048576},
	{"G", UNIT_MIB, 1024, 1}, /* of dstat and free -h */
	{"M", UNIT_MIB, 1, 1},
	{"k", UNIT_MIB, 1, 1024},
	{"K", UNIT_MIB, 1, 1024},
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

static bool has_unit(struct span cell, enum unit unit)
{
	int64_t num, den, value;

	return cut_suffix(&cell, unit, &num, &den) && number_scaled(cell, 1, &value);
}

enum cell_end cell_end(struct span cell, struct span before, enum unit unit)
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

static enum cell_result check_range(
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
	/* rocm-smi writes clocks as "(1502Mhz)". */
	if (span_begins(cell, "(") && cell.at[cell.len - 1] == ')')
		cell = (struct span){cell.at + 1, cell.len - 2};
	if (!is_number && cut_suffix(&cell, unit, &num, &den))
		is_number = number_scaled(cell, per_unit * num / den, value);
	return is_number ? CELL_VALUE : CELL_UNREADABLE;
}

enum cell_result cell_read(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value)
{
	enum cell_result result = read_number(cell, unit, per_unit, bare, value);

	return check_range(result, false, per_unit, *value);
}

enum cell_result cell_read_counter(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value)
{
	enum cell_result result = read_number(cell, unit, per_unit, bare, value);

	return check_range(result, true, per_unit, *value);
}

bool cell_is_state(struct span cell)
{
	return !cell_is_missing(cell) || span_is_nocase(cell, "none") ||
		span_is_nocase(cell, "unknown");
}

bool cell_read_flags(struct span cell, int64_t *mask)
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
	static const char ends[] = "[@";

	for (size_t k = 0; k < 2; k++)
		for (size_t i = name.len; i-- > 0;)
			if (name.at[i] == ends[k]) {
				name = span_trim((struct span){name.at, i});
				break;
			}
	return name;
}

bool cell_read_index(struct span cell, int32_t *index)
{
	int64_t number;

	if (!number_up_to(cell, CELL_GPUS_MAX - 1, &number))
		return false;
	*index = (int32_t)number;
	return true;
}

int32_t cell_header_gpu(struct span name)
{
	const char *at = name.len ? memchr(name.at, '@', name.len) : NULL;
	struct span rest = {
		at ? at + 1 : "", at ? (size_t)(name.at + name.len - at) - 1 : 0};
	int64_t gpu;

	return number_cut(&rest, 1, &gpu) && gpu >= 0 && gpu < CELL_GPUS_MAX
		? (int32_t)gpu
		: -1;
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
	if (text.len && text.at[text.len - 1] == ']')
		text.len--;
	if (text.len <= 1) /* none, or "[]" */
		return name_tells_unit(name, unit, per_unit, bare);
	/* "[mW": a unit behind something, as in a cell */
	if (unit == UNIT_NONE || !cut_suffix(&text, unit, &num, &den) || text.len != 1)
		return false;
	*bare = per_unit * num / den;
	return true;
}

/* Names of columns. */

static const char *const epoch_names[] = {"epoch", "epoch_s", "epoch_ms", "epoch_ns",
	"unix_time", "unixtime", "unix_timestamp", "datetime", "date_time", "date/time",
	"time", "ts", "time_stamp", "timestamp_s", "timestamp_ms", "timestamp_us",
	"timestamp_ns", "time_ms"};

const char *epoch_name(struct span name)
{
	for (size_t i = 0; i < sizeof epoch_names / sizeof epoch_names[0]; i++)
		if (span_is_nocase(name, epoch_names[i]))
			return epoch_names[i];
	return NULL;
}

static const struct {
	enum source_kind source;
	const char *name;
	enum role role;
} roles[] = {
	{SOURCE_NVIDIA_QUERY, "timestamp", ROLE_TIME},
	{SOURCE_NVIDIA_QUERY, "date", ROLE_DATE},
	{SOURCE_NVIDIA_QUERY, "clock", ROLE_CLOCK},
	{SOURCE_NVIDIA_QUERY, "elapsed", ROLE_ELAPSED},
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
	{SOURCE_NVIDIA_QUERY, "cpu.index", ROLE_CPU},
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
	{SOURCE_NVIDIA_APPS, "index", ROLE_INDEX},
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
};

/* A table may have columns about GPUs and about the host: each reader leaves those of the
 * other. */
static bool is_of_other_reader(enum source_kind source, struct span name)
{
	return (source == SOURCE_NVIDIA_QUERY && binding_find(SOURCE_HOST_TABLE, name)) ||
		(source == SOURCE_HOST_TABLE && binding_find(SOURCE_NVIDIA_QUERY, name));
}

enum role column_role(enum source_kind source, struct span name)
{
	enum source_kind as = source == SOURCE_HOST_TABLE ? SOURCE_NVIDIA_QUERY : source;

	/* as most cells of rows do, and no name but the numbers of /proc/stat's */
	if (name.len && name.at[0] >= '0' && name.at[0] <= '9' &&
		source != SOURCE_PROC_STAT)
		return ROLE_IGNORED;
	if (binding_find(source, name))
		return ROLE_METRIC;
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (roles[i].source == as && span_is_nocase(name, roles[i].name))
			return roles[i].role;
	if (as == SOURCE_NVIDIA_QUERY && epoch_name(name))
		return ROLE_EPOCH;
	return is_of_other_reader(source, name) ? ROLE_KNOWN : ROLE_IGNORED;
}

bool columns_is_gpu_share(enum source_kind source, struct span name)
{
	const struct binding *binding = binding_find(source, cell_strip_unit(name));

	return binding && binding->metric == METRIC_gpu_util_pct;
}

/* A name is looked for at the begin and behind every character that may be a border. */

static bool is_of_name(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') ||
		c == '.' || c == '_';
}

bool glued_is_border(char c)
{
	return !is_of_name(c) && c && !strchr(" \t\r([-/", c);
}

/* Without it the numbers are other ones, or of other GPUs. */
static bool counts(enum role role)
{
	return role != ROLE_IGNORED && role != ROLE_KNOWN && role != ROLE_MODEL &&
		role != ROLE_INSTANCE && role != ROLE_COMMAND;
}

/* Behind a unit in brackets, if there is one. */
static struct span without_unit(struct span rest)
{
	struct span unit = span_trim(rest);
	const char *end;

	if (!span_begins(unit, "["))
		return rest;
	end = memchr(unit.at, ']', unit.len);
	if (!end)
		return rest;
	return (struct span){end + 1, unit.len - (size_t)(end + 1 - unit.at)};
}

/* The name that a text begins with, up to its end or to a border. */
static struct span name_at(enum source_kind source, struct span text)
{
	struct span name = {text.at, 0}, rest;

	while (name.len < text.len && is_of_name(text.at[name.len]))
		name.len++;
	rest = without_unit((struct span){text.at + name.len, text.len - name.len});
	if (!name.len || !counts(column_role(source, name)) ||
		(rest.len && !glued_is_border(rest.at[0])))
		name.len = 0;
	return name;
}

struct span glued_find(enum source_kind source, struct span name)
{
	struct span found = name_at(source, name);

	for (size_t i = 0; i < name.len && !found.len; i++) {
		struct span rest = {name.at + i + 1, name.len - i - 1};

		if (glued_is_border(name.at[i]) || (!i && name.at[0] == '-'))
			found = name_at(source, span_trim(rest));
	}
	return found;
}

struct span cell_clock(struct span cell)
{
	return cell.len > 6 && cell.at[2] == '-' && cell.at[5] == ' '
		? (struct span){cell.at + 6, cell.len - 6}
		: cell;
}
