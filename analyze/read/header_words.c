/* Names of columns word by word, and the cells that must agree. */
#include "read/header_words.h"

#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "model/metric.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/headerless.h"
#include "read/lines.h"
#include "read/maps.h"
#include "read/name_words.h"

/* Of models of GPUs. */
static const char *const brands[] = {
#define BRAND(word) word,
#include "../schema/header_words.def"
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define COLUMNS_MAX  64
#define UNUSED_NAMED 12
#define HEADER_LINES 16 /* a header stands among so many first lines */

struct worded_column {
	struct span name;
	uint64_t meaning;
	int32_t gpu; /* in the name, or the CPU; -1 */
	const char *unit; /* in the name; NULL */
	const char *cell_unit; /* in its cells; NULL */
	bool own; /* the name is nvidia-smi's */
	bool by_file; /* whose it is, the name of the file says */
	bool guessed; /* its unit by its numbers, or whose it is by the rest */
	bool known; /* all words of its name */
	const char *field; /* NULL: not used */
	const struct binding *binding; /* of a metric, of a GPU or the host */
	size_t values, bare; /* numbers among its cells, and those without a unit */
	size_t words; /* cells that are neither numbers nor missing */
	double smallest, largest, sum;
	bool whole; /* no number has a fraction */
	bool tenths; /* ... or a finer one than of tenths */
	size_t not_times, not_dates, not_clocks; /* cells that are none */
	bool times, dates, clocks; /* nine of ten of its cells are such */
	bool indexes; /* all of its cells are such */
	bool rises; /* no number is less than the one before */
	bool counts; /* each number is the next one */
	double last;
	size_t turns; /* its words change, and the time does not */
};

static struct worded_column new_column(struct span name)
{
	return (struct worded_column){.name = name,
		.gpu = -1,
		.whole = true,
		.tenths = true,
		.indexes = true,
		.rises = true,
		.counts = true};
}

/* False: a word of the name is not known. */
static bool read_name(struct worded_column *column, struct span name)
{
	struct name_words said;
	bool known = name_words_read(&said, name);

	*column = new_column(name);
	column->meaning = said.meaning;
	column->gpu = said.gpu;
	column->unit = said.unit;
	return known;
}

static void set_field(struct worded_column *column, const char *field)
{
	column->field = field;
	column->binding = NULL;
	if (field)
		column->binding = binding_find(SOURCE_NVIDIA_QUERY, span_of(field));
	if (field && !column->binding)
		column->binding = binding_find(SOURCE_HOST_TABLE, span_of(field));
}

static bool is_date(struct span cell)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return clock_line_read(&clock, cell, &utc, DAYS_UNKNOWN, &t_ns) == CLOCK_PART &&
		clock.has_date;
}

#define MILLI 1000

static void see_cell(struct worded_column *column, struct span cell)
{
	int32_t index;
	int64_t value;
	double number;

	column->not_times += !clock_is_cell(cell);
	column->not_dates += !is_date(cell);
	column->not_clocks += !time_parse_clock(cell, &value);
	column->indexes &= cell_read_index(cell, &index);
	column->bare += number_scaled(cell, MILLI, &value);
	if (!number_cut_rounded(&cell, MILLI, &value) &&
		!number_scaled(cell, MILLI, &value)) {
		column->words += !cell_is_missing(cell) ||
			(cell.len > 1 && cell.at[0] == '[' && is_digit(cell.at[1]));
		return;
	}
	if (span_trim(cell).len)
		column->cell_unit = word_unit(span_trim(cell));
	number = (double)value / MILLI;
	column->whole &= value % MILLI == 0;
	column->tenths &= value % (MILLI / 10) == 0;
	column->rises &= !column->values || number >= column->last;
	column->counts &= !column->values || number == column->last + 1;
	column->last = number;
	column->sum += number;
	if (!column->values || number < column->smallest)
		column->smallest = number;
	if (!column->values || number > column->largest)
		column->largest = number;
	column->values++;
}

/* Words that change from a row to the next one of the same time say what rows are of. */
static void see_turns(struct worded_column *column, const struct csv_row *before,
	const struct csv_row *row)
{
	bool same_time = false;
	int64_t number;

	for (size_t k = 0; k < row->count && before->count == row->count; k++)
		same_time |= row->cell[k].len &&
			((column[k].meaning & (TIME | ELAPSED)) ||
				clock_is_cell(row->cell[k])) &&
			span_equal(row->cell[k], before->cell[k]);
	for (size_t k = 0; k < row->count && same_time; k++)
		column[k].turns += !span_equal(row->cell[k], before->cell[k]) &&
			!number_scaled(row->cell[k], MILLI, &number);
}

/* "time util" above "2026-05-01 10:00:00 40": blanks part the date from its clock. */
static size_t part_time(
	struct worded_column *column, size_t count, const struct probe *probe, size_t at)
{
	struct csv_row row = csv_row_new();
	size_t k = 0;
	int64_t clock_ns;

	row.separator = ' ';
	csv_split(&row, at < probe->count ? probe->line[at] : SPAN_NONE);
	while (k < count && !(column[k].meaning & TIME))
		k++;
	if (k < count && count < COLUMNS_MAX && row.count == count + 1 &&
		is_date(row.cell[k]) && time_parse_clock(row.cell[k + 1], &clock_ns)) {
		memmove(&column[k + 1], &column[k], (count - k) * sizeof *column);
		count++;
	}
	csv_row_release(&row);
	return count;
}

/* Rows below the header, of as many cells; fewer than nine in ten: 0. */
static size_t see_rows(struct worded_column *column, size_t count,
	const struct probe *probe, size_t header, char separator)
{
	size_t rows = 0, lines = 0;
	struct csv_row row = csv_row_new(), before = csv_row_new();

	row.separator = before.separator = separator;
	for (size_t i = header + 1; i < probe->count; i++) {
		if (span_equal(probe->line[i], probe->line[header]) ||
			line_is_rule(probe->line[i]))
			continue;
		lines++;
		csv_split(&row, probe->line[i]);
		if (row.count != count)
			continue;
		rows++;
		for (size_t k = 0; k < count; k++)
			see_cell(&column[k], row.cell[k]);
		see_turns(column, &before, &row);
		csv_split(&before, probe->line[i]);
	}
	for (size_t k = 0; k < count; k++) {
		column[k].times = column[k].not_times * 10 <= rows;
		column[k].dates = column[k].not_dates * 10 <= rows;
		column[k].clocks = column[k].not_clocks * 10 <= rows;
	}
	csv_row_release(&before);
	csv_row_release(&row);
	return rows * 10 >= lines * 9 ? rows : 0;
}

static bool is_metric_of(const struct worded_column *column, enum source_kind source)
{
	return column->binding && column->binding->source == source;
}

/*
 * The unit that numbers of a GPU's or the host's memory without one are in, by the
 * largest; NULL: unclear.
 */
static const char *memory_unit(
	const struct worded_column *column, size_t count, enum source_kind source)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		if (is_metric_of(&column[i], source) &&
			column[i].binding->unit == UNIT_MIB && !column[i].unit &&
			column[i].largest > largest)
			largest = column[i].largest;
	if (largest >= 200 && largest <= 2e6)
		return "MiB";
	return largest >= 2e7 ? "B" : NULL;
}

/* Of a number without a unit, whether of its name or of its cells. */
static const char *guess_unit(const struct worded_column *column, const char *memory)
{
	switch (column->binding->unit) {
	case UNIT_PERCENT: /* numbers up to 1 may be shares */
		if ((column->meaning & TOTAL) && column->whole)
			return NULL; /* it may count CPUs */
		return column->largest > 1 || (column->whole && column->largest < 1)
			? "%"
			: NULL;
	case UNIT_MIB: /* ps has KiB, and psutil bytes */
		return column->meaning & RSS ? NULL : memory;
	case UNIT_WATT:
		return column->largest <= 2500	  ? "W"
			: column->largest >= 5000 ? "mW"
						  : NULL;
	case UNIT_CELSIUS:
		return column->largest <= 130 ? "C" : NULL;
	case UNIT_MHZ:
		return column->largest >= 100 && column->largest <= 30000 ? "MHz" : NULL;
	case UNIT_NONE:
		return "";
	case UNIT_MIB_PER_S:
	case UNIT_TICKS:
	case UNIT_MICROSECOND:
	case UNIT_MILLISECOND:
	case UNIT_SECOND:
	case UNIT_WATT_PER_S:
	case UNIT_JOULE:
	case UNIT_MILLIJOULE:
	case UNIT_ENERGY:
	case UNIT_COUNT:
		break;
	}
	return NULL;
}

/* Of a time, or of a GPU, the cells say what it is; NULL: nothing of use. */
static const char *role_of(const struct worded_column *column)
{
	if (text_equal(column->field, "timestamp") && column->dates)
		return "date";
	if (text_equal(column->field, "timestamp") && column->clocks)
		return "clock";
	if (text_equal(column->field, "timestamp") && column->times)
		return column->field;
	if (column->own)
		return column->field;
	if (column->meaning & (TIME | ELAPSED))
		return column->unit && column->values && column->bare == column->values &&
				column->rises
			? "elapsed"
			: NULL;
	if (text_equal(column->field, "index"))
		return column->indexes ? column->field : !column->values ? "gpu" : NULL;
	if (text_equal(column->field, "gpu")) /* numbers of a "gpu0" are no index */
		return (column->indexes && column->gpu < 0) || !column->values
			? column->field
			: NULL;
	return column->field;
}

/* Can all of its numbers be values of the metric, in that unit? */
static bool is_in_range(const struct worded_column *column)
{
	const struct metric *metric = metric_get(column->binding->metric);
	struct strbuf name = strbuf_new();
	int64_t quanta;
	bool fits;
	const char *unit = column->unit[0] || !column->cell_unit || column->own
		? column->unit
		: column->cell_unit;

	strbuf_addf(&name, "%s [%s]", column->field, unit);
	fits = !unit[0] ||
		cell_header_unit(span_of(name.text), column->binding->unit,
			metric->per_unit, &quanta);
	strbuf_release(&name);
	if (!column->unit[0] || !fits || !column->values)
		return fits;
	return plausible_value(column->binding->metric,
		       (int64_t)(column->smallest * (double)quanta)) &&
		plausible_value(column->binding->metric,
			(int64_t)(column->largest * (double)quanta));
}

static const struct worded_column *column_of(
	const struct worded_column *column, size_t count, const char *field)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal(column[i].field, field))
			return &column[i];
	return NULL;
}

/*
 * "memory utilization" is the time in which memory was accessed, or the share of it that
 * is used: only where the latter is known, and differs, it is the former.
 */
static bool is_share_of_memory(const struct worded_column *memory,
	const struct worded_column *column, size_t count)
{
	const struct worded_column *used = column_of(column, count, "memory.used"),
				   *total = column_of(column, count, "memory.total");
	double difference;

	if (!used || !total || !total->values || total->sum <= 0 || !memory->values)
		return true;
	difference = 100 * used->sum / total->sum - memory->sum / (double)memory->values;
	return difference < 5 && difference > -5;
}

#define STEP_MOST 5 /* seconds: more of them may be milliseconds */

/* "time" from 0.0 to 81.5 in rows every half a second. */
static bool are_seconds(const struct worded_column *column)
{
	return (column->meaning & (TIME | ELAPSED)) && column->values > 2 &&
		!span_is_nocase(column->name, "epoch") && /* of a training */
		column->largest > column->smallest &&
		column->largest - column->smallest <=
		STEP_MOST * (double)(column->values - 1);
}

/*
 * Words where numbers are expected, as "[40.0, 3.1]". Or a "load" with fractions that
 * only the file's name gives to a GPU, or of hundredths: that may be the load average.
 */
static bool has_other_values(const struct worded_column *column)
{
	bool load;

	if (column->own || metric_is_state(column->binding->metric))
		return false;
	load = column->by_file ? !column->whole
			       : (column->meaning & CPU) && !column->tenths &&
			span_has_nocase(column->name, "load");
	return (!column->values && column->words) ||
		(load && !column->unit && !column->cell_unit &&
			column->binding->unit == UNIT_PERCENT);
}

/* What a column alone is, by its cells. memory: unit of bare numbers of it. */
static void settle_column(struct worded_column *column, const char *memory)
{
	if (!column->field)
		return;
	if (!column->binding) {
		if (!column->unit && are_seconds(column))
			column->unit = "s";
		column->field = role_of(column);
		return;
	}
	if (text_equal(column->field, "ram.used") &&
		text_equal(column->unit ? column->unit : column->cell_unit, "%"))
		set_field(column, "ram.utilization");
	if (has_other_values(column)) {
		column->field = NULL;
		return;
	}
	if (!column->unit && !column->own && !column->values)
		column->field = NULL; /* nothing tells the unit of what may come */
	else if (!column->unit) {
		column->unit = column->bare ? guess_unit(column, memory) : "";
		/* a share in percent has no other unit */
		column->guessed |= column->unit && column->unit[0] &&
			column->binding->unit != UNIT_PERCENT;
	}
	if (!column->field || !column->unit || !is_in_range(column))
		column->field = NULL;
}

/* "GPU utilization" beside "SM utilization", or a name as nvidia-smi has it. */
static bool is_plainer(
	const struct worded_column *column, const struct worded_column *other)
{
	if (column->own != other->own)
		return column->own;
	return column->meaning != other->meaning &&
		(column->meaning | SM | CORE) == (other->meaning | SM | CORE) &&
		!(column->meaning & (SM | CORE));
}

/* Another column of the same field and GPU; of times and ids only one before it. */
static bool is_twice(const struct worded_column *column, size_t count, size_t at)
{
	for (size_t i = 0; i < (column[at].binding ? count : at); i++)
		if (i != at && column[at].field && column[i].gpu == column[at].gpu &&
			text_equal(column[i].field, column[at].field) &&
			!is_plainer(&column[at], &column[i]))
			return true;
	return false;
}

/* In a table whose columns are of a GPU each, the rest is of none. */
static bool is_of_no_gpu(const struct worded_column *column, size_t count, size_t at)
{
	bool parts = false;

	for (size_t i = 0; i < count; i++)
		parts |= column[i].gpu >= 0 && !meaning_is_of_host(column[i].meaning);
	return parts && column[at].gpu < 0 && !(column[at].meaning & (TIME | ELAPSED)) &&
		!is_metric_of(&column[at], SOURCE_HOST_TABLE);
}

/*
 * "used_memory_mb" beside "cpu_percent": of the host, or of the GPU? Where another column
 * is the GPU's memory, or none is about a GPU, it is the host's. In rows of a GPU each it
 * is the GPU's if the host's memory is another column, as is all that names neither, and
 * what a host has not, such as "power_w"; else it is not used.
 */
static void settle_owners(struct worded_column *column, size_t count)
{
	uint64_t of_host = 0, of_gpu = 0;
	bool by_gpu = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t meaning = column[i].meaning;

		of_host |=
			meaning_is_of_host(meaning) && !(meaning & OTHER) ? meaning : 0;
		of_host |= meaning_is_of_host(meaning) ? HOST : 0;
		of_gpu |= meaning & GPU ? meaning : 0;
		by_gpu |= (meaning & GPU) && (meaning & INDEX);
	}
	for (size_t i = 0; i < count && of_host; i++) {
		uint64_t meaning = column[i].meaning;

		if (!column[i].binding || (meaning & GPU) || meaning_is_of_host(meaning))
			continue;
		if (by_gpu &&
			((of_host & MEMORY & ~of_gpu) || !meaning_host_field(meaning)))
			column[i].guessed = true;
		else if (!of_gpu || (of_gpu & MEMORY))
			set_field(&column[i], meaning_host_field(meaning));
		else
			set_field(&column[i], NULL);
	}
}

/* "pid", or names of processes below "process", or of containers. */
static bool names_process(const struct worded_column *column)
{
	return span_is_nocase(column->name, "pid") ||
		(column->words && span_has_nocase(column->name, "container")) ||
		((column->meaning & ~NAME) == OTHER && column->words &&
			span_has_nocase(column->name, "proc"));
}

/* What a host that runs anything has in use: MiB, and percent. */
#define HOST_LEAST	 200
#define HOST_LEAST_SHARE 0.5

/* Of the host by its words, of which none names the host itself, or RAM. */
static bool may_be_process(const struct worded_column *column)
{
	return is_metric_of(column, SOURCE_HOST_TABLE) &&
		!(column->meaning & (HOST | RAM | SWAP | RSS));
}

static bool is_too_little(const struct worded_column *column)
{
	const char *unit = column->unit ? column->unit : column->cell_unit;
	double least = column->smallest > 0 ? column->smallest : column->largest;

	if (!may_be_process(column) || !column->values ||
		!text_equal(column->field, "ram.used"))
		return false;
	return text_equal(unit, "%") ? least < HOST_LEAST_SHARE
				     : text_equal(unit, "MiB") && least < HOST_LEAST;
}

static void give_to_process(struct worded_column *column)
{
	if (text_equal(column->field, "ram.used") && !text_equal(column->unit, "%"))
		set_field(column, "process.rss");
	else
		set_field(column,
			text_equal(column->field, "cpu.utilization") ? "process.cpu"
								     : NULL);
}

/*
 * "cpu_percent,memory_mb" is a script's own process's where a column names that. So is
 * memory that is too little for a host; whose the CPU time beside it, or beside "rss_mb",
 * is, only more than 100 % tells. No field has a process's share of the memory.
 */
static void settle_process(struct worded_column *column, size_t count)
{
	bool named = false, little = false;

	for (size_t i = 0; i < count; i++) {
		named |= names_process(&column[i]);
		little |= column[i].meaning & RSS && column[i].binding;
	}
	for (size_t i = 0; i < count && !named; i++) {
		if (!is_too_little(&column[i]))
			continue;
		give_to_process(&column[i]);
		column[i].guessed = little = true;
	}
	for (size_t i = 0; i < count; i++)
		if (named && text_equal(column[i].field, "name"))
			column[i].field = NULL;
		else if (may_be_process(&column[i]) &&
			!text_equal(column[i].field, "process.rss") &&
			(named || (little && column[i].largest > 100)))
			give_to_process(&column[i]);
		else if (little && text_equal(column[i].field, "cpu.utilization") &&
			may_be_process(&column[i]))
			set_field(&column[i], NULL);
}

/* "CUDA0: 10 %", then 20 %, and 30 %: how far something has come. */
static bool is_progress(const struct worded_column *column)
{
	return column->values > 2 && column->rises && column->largest > column->smallest;
}

/* "used", of which the cells say what: "4000 MiB". */
static bool is_amount_of_gpu(const struct worded_column *column)
{
	return (column->meaning & GPU) && !(column->meaning & ~(GPU | AMOUNT)) &&
		unit_meaning(column->cell_unit) == MEMORY;
}

/* A meter's power beside milliseconds that count: a script's, of whatever it measures. */
static void drop_meter(struct worded_column *column, size_t count)
{
	const struct worded_column *elapsed = column_of(column, count, "elapsed");

	for (size_t i = 0; i < count && elapsed && text_equal(elapsed->unit, "ms"); i++)
		if (text_equal(column[i].field, "power.wall"))
			column[i].field = NULL;
}

#define GPUS_OF_A_HOST 16

/* "Index" that counts the rows. */
static bool counts_rows(
	const struct worded_column *column, const struct worded_column *elapsed)
{
	return text_equal(column->field, "index") && !column->own && column->counts &&
		(column->values > GPUS_OF_A_HOST ||
			(elapsed && elapsed->largest > elapsed->smallest));
}

/* Seconds since the start beside a date, in rows that whole seconds tell apart. */
static bool is_dated(const struct worded_column *column, size_t count, size_t at)
{
	double second = text_equal(column[at].unit, "ms") ? 1000 : 1;

	return text_equal(column[at].field, "elapsed") &&
		column_of(column, count, "timestamp") && column[at].values > 1 &&
		column[at].largest - column[at].smallest >=
		second * (double)(column[at].values - 1);
}

/* Numbers as psutil gives shares, without a unit. */
static bool may_be_share(const struct worded_column *column)
{
	return column->known && !column->unit && !column->cell_unit && column->values &&
		column->tenths && column->smallest >= 0 && column->largest <= 100;
}

/*
 * "cpu,memory,disk" are shares if all are such numbers. So are "CPU usage" and "memory
 * usage", without a disk.
 */
static void settle_shares(struct worded_column *column, size_t count)
{
	const struct worded_column *cpu = column_of(column, count, "cpu.utilization");
	uint64_t disk = cpu ? cpu->meaning & USAGE : 0;

	for (size_t i = 0; i < count && cpu; i++)
		if (span_has_nocase(column[i].name, "disk") && may_be_share(&column[i]))
			disk |= column[i].meaning & OTHER;
	for (size_t i = 0; i < count && cpu && may_be_share(cpu); i++) {
		uint64_t meaning = column[i].meaning & ~(HOST | RAM);

		if (!text_equal(column[i].field, "ram.used") ||
			!may_be_share(&column[i]) || column[i].largest <= 1 ||
			!((meaning == MEMORY && (disk & OTHER)) ||
				(meaning == (MEMORY | USAGE) && disk)))
			continue;
		set_field(&column[i], "ram.utilization");
		column[i].unit = "%";
		column[i].guessed = true;
	}
}

/* Drops what two columns say, and what can be read in two ways. */
static void settle_columns(struct worded_column *column, size_t count)
{
	const char *of_gpus, *of_host;
	bool drop[COLUMNS_MAX];

	for (size_t i = 0; i < count; i++)
		if (column[i].known && column[i].cell_unit &&
			((column[i].meaning == GPU && !is_progress(&column[i]) &&
				 (column[i].gpu >= 0 || !column[i].bare)) ||
				is_amount_of_gpu(&column[i])))
			set_field(&column[i],
				meaning_field(column[i].meaning |
					unit_meaning(column[i].cell_unit)));
	settle_owners(column, count);
	settle_process(column, count);
	settle_shares(column, count);
	of_gpus = memory_unit(column, count, SOURCE_NVIDIA_QUERY);
	of_host = memory_unit(column, count, SOURCE_HOST_TABLE);
	for (size_t i = 0; i < count; i++)
		settle_column(&column[i],
			is_metric_of(&column[i], SOURCE_HOST_TABLE) ? of_host : of_gpus);
	drop_meter(column, count);
	for (size_t i = 0; i < count; i++)
		drop[i] = is_twice(column, count, i) || is_of_no_gpu(column, count, i) ||
			counts_rows(&column[i], column_of(column, count, "elapsed")) ||
			is_dated(column, count, i) ||
			(text_equal(column[i].field, "utilization.memory") &&
				!column[i].own &&
				is_share_of_memory(&column[i], column, count)) ||
			(text_equal(column[i].field, "date") &&
				!column_of(column, count, "clock")) ||
			((text_equal(column[i].field, "date") ||
				 text_equal(column[i].field, "clock")) &&
				column_of(column, count, "timestamp"));
	for (size_t i = 0; i < count; i++)
		if (drop[i])
			column[i].field = NULL;
}

/*
 * Are the cells names, as far as cells alone tell? A comma may end the line, or begin it:
 * rows that pandas numbers.
 */
static bool are_names(const struct csv_row *row)
{
	int64_t number;

	for (size_t i = 0; i < row->count; i++)
		if (number_scaled(row->cell[i], 1, &number) ||
			(!row->cell[i].len &&
				(i ? i < 2 || i + 1 < row->count : row->count < 3)))
			return false;
	return row->count > 1;
}

/*
 * A name as nvidia-smi itself has it, in a log that is no table of nvidia-smi's: what it
 * means there. False: it is none.
 */
static bool read_own_name(struct worded_column *column, struct span name)
{
	static const struct {
		enum role role;
		const char *field;
	} ids[] = {{ROLE_UUID, "uuid"}, {ROLE_BUS_ID, "pci.bus_id"}, {ROLE_HOST, "host"}};
	struct span own = cell_strip_unit(table_own_name(name));
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, own);
	enum role role = column_role(SOURCE_NVIDIA_QUERY, own);
	const char *field = binding ? binding->name : NULL;

	for (size_t i = 0; i < COUNT(ids); i++)
		if (role == ids[i].role)
			field = ids[i].field;
	if (!field)
		return false;
	*column = new_column(name);
	column->own = true;
	column->field = field;
	column->binding = binding;
	column->unit = "";
	column->meaning = binding && !metric_is_state(binding->metric) ? GPU : 0;
	return true;
}

/* Names as nvidia-smi's. {"memory": {"used": 5}} alone may be about the host, too. */
static bool has_own_names(const struct csv_row *names)
{
	struct worded_column column;

	for (size_t i = 0; i < names->count; i++)
		if (read_own_name(&column, names->cell[i]) &&
			(!column.binding || column.binding->unit != UNIT_MIB))
			return true;
	return false;
}

/* "2026/05/12 19:34:36.742": nvidia-smi's own way, to the millisecond. */
static bool is_time_of_query(struct span cell)
{
	static const char like[] = "0000/00/00 00:00:00.000";
	bool is = cell.len == sizeof like - 1;

	for (size_t i = 0; is && i < cell.len; i++)
		is = like[i] == '0' ? is_digit(cell.at[i]) : cell.at[i] == like[i];
	return is;
}

/* "GPU0", "cuda:1" */
static bool is_gpu(struct span cell)
{
	struct worded_column column;

	return read_name(&column, cell) && column.meaning == GPU && column.gpu >= 0;
}

/*
 * Nothing may say that a table is about a GPU but its model: {"name": "NVIDIA A10",
 * "load": 40}, the time, which is as nvidia-smi writes it, or the amounts: "40 %" and
 * "4000 MiB" in one row.
 */
static bool names_gpu(const struct csv_row *names, const struct probe *probe, size_t at)
{
	struct worded_column column;
	bool does = false, hosts = false;
	size_t amounts = 0, shares = 0;
	struct csv_row row;

	if (at + 1 == probe->count)
		return false;
	row = csv_row_new();
	row.separator = names->separator;
	csv_split(&row, probe->line[at + 1]);
	for (size_t i = 0; i < names->count && i < row.count; i++) {
		bool amount = headerless_is_amount(row.cell[i]);

		amounts += amount;
		shares += amount && row.cell[i].at[row.cell[i].len - 1] == '%';
		does |= is_time_of_query(row.cell[i]);
		if (!read_name(&column, names->cell[i]))
			continue;
		hosts |= meaning_is_of_host(column.meaning);
		does |= column.meaning == DEVICE && is_gpu(row.cell[i]);
		if ((column.meaning & ~DEVICE) != NAME)
			continue;
		for (size_t k = 0; k < COUNT(brands); k++)
			does |= span_has_nocase(row.cell[i], brands[k]);
	}
	csv_row_release(&row);
	does |= shares && amounts > shares;
	return does && (probe->recast || !hosts);
}

/*
 * A file of a GPU's name may say what a column is that has only a unit, or says how the
 * memory is used: "sec,mw" of gpu_power.csv, "used_MB" of vram_usage.csv.
 */
static void add_file_words(struct worded_column *column, uint64_t of_file)
{
	uint64_t of_unit = column->unit ? unit_meaning(column->unit) : 0;

	if (!(of_file & GPU) || !column->unit)
		return;
	if (!column->meaning)
		column->meaning =
			text_equal(column->unit, "s") || text_equal(column->unit, "ms")
			? ELAPSED
			: of_unit & of_file;
	else if (!(column->meaning & ~AMOUNT) && of_unit == MEMORY)
		column->meaning |= of_file & MEMORY;
}

/* Nothing says whose the columns are, but the name of the file: how many are GPUs'. */
static size_t of_gpus_by_file(struct worded_column *column, size_t count)
{
	size_t gpus = 0;

	for (size_t i = 0; i < count; i++) {
		bool metric = is_metric_of(&column[i], SOURCE_NVIDIA_QUERY);

		column[i].meaning |= metric ? GPU : 0;
		column[i].by_file = metric;
		gpus += metric;
	}
	return gpus;
}

/*
 * "time,watts", "timestamp,voltage,current,power": a meter's table, which names nothing
 * else. "Power draw" is what nvidia-smi calls it, and so of a GPU, unless there is a
 * voltage. Of "n1_watts,n2_watts,total_watts" it is the sum. Its column of power; count:
 * it is none.
 */
static size_t find_meter(const struct worded_column *column, size_t count)
{
	size_t power = count, powers = 0, totals = 0, parts = 0;
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t meaning = column[i].meaning & ~HOST;
		bool total = meaning == TOTAL || meaning == (TOTAL | POWER);

		if (!column[i].known && span_has_nocase(column[i].name, "watt")) {
			parts++;
			continue;
		}
		if (total)
			meaning &= ~TOTAL;
		if (!column[i].known ||
			(meaning & ~(TIME | ELAPSED | POWER | USAGE | DRAW | METER)))
			return count;
		if (!meaning && column[i].unit)
			meaning = unit_meaning(column[i].unit);
		all |= meaning;
		if (!(meaning & POWER) || (meaning & METER))
			continue;
		power = i;
		powers++;
		totals += total;
	}
	return powers == 1 && totals == (parts > 0) && (all & (TIME | ELAPSED)) &&
			(!(all & DRAW) || (all & METER))
		? power
		: count;
}

/* "gpu,watts": only units name what the GPU's columns are; how many. */
static size_t take_units(struct worded_column *column, size_t count)
{
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		if (!column[i].known || column[i].meaning || !column[i].unit)
			continue;
		column[i].meaning = unit_meaning(column[i].unit);
		set_field(&column[i], meaning_field(column[i].meaning));
		column[i].guessed = true;
		taken += column[i].binding != NULL;
	}
	return taken;
}

/* "Memory Max" beside "Memory Used": what there is, and not the most of a while. */
static void settle_limits(struct worded_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t what = column[i].meaning & ~WHILE;

		if (what == column[i].meaning || !span_has_nocase(column[i].name, "max"))
			continue;
		for (size_t k = 0; k < count; k++)
			if (what && column[k].meaning == (what | USED))
				column[i].meaning =
					what | ((what & POWER) ? LIMIT : TOTAL);
		set_field(&column[i], meaning_field(column[i].meaning));
	}
}

/* "Card,VRAM (GB),Price": what GPUs have, and not what of it is used. */
static bool is_catalog(const struct worded_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (column[i].binding &&
			(column[i].meaning & ~(GPU | HOST | RAM)) != MEMORY &&
			(column[i].meaning != CPU || column[i].unit))
			return false;
	return true;
}

/* The columns of a line of names; 0: it is none. */
static size_t read_names(struct worded_column *column, struct csv_row *row,
	const struct probe *probe, size_t at)
{
	size_t count, gpus = 0, hosts = 0, worded = 0;
	bool recast = probe->recast, own, pid = false;
	struct span line = probe->line[at];
	uint64_t all = 0, of_gpu, of_file = name_words_of_file(probe->path);
	int bits = recast ? 0 : query_line_bits(row, line);

	if (bits < 0)
		return 0; /* another of nvidia-smi's */
	row->separator = recast ? csv_separator(line) : csv_separator_of_words(line);
	csv_split(row, line);
	count = are_names(row) && row->count <= COLUMNS_MAX ? row->count : 0;
	of_gpu = count && names_gpu(row, probe, at) ? GPU : 0;
	own = count && (bits || (recast && has_own_names(row)));
	gpus += of_gpu != 0;
	for (size_t i = 0; i < count; i++) {
		pid |= span_is_nocase(row->cell[i], "pid");
		if (own && read_own_name(&column[i], row->cell[i])) {
			gpus += (column[i].meaning & GPU) != 0;
			continue;
		}
		column[i].known = read_name(&column[i], row->cell[i]);
		if (!column[i].known)
			continue;
		add_file_words(&column[i], of_file);
		if (!meaning_is_of_host(column[i].meaning) && column[i].meaning)
			column[i].meaning |= of_gpu;
		if (column[i].meaning == GPU && column[i].gpu >= 0)
			column[i].meaning |= of_file & WHAT_IS_MEASURED;
		gpus += (column[i].meaning & GPU) != 0;
		set_field(&column[i], meaning_field(column[i].meaning));
		hosts += is_metric_of(&column[i], SOURCE_HOST_TABLE);
		worded += column[i].binding != NULL;
	}
	settle_limits(column, count);
	for (size_t i = 0; i < count; i++)
		all |= column[i].known ? column[i].meaning : 0;
	if (gpus && !meaning_is_of_host(all | of_file))
		worded += take_units(column, count);
	if (!recast && !own && !(all & (TIME | ELAPSED)) && is_catalog(column, count))
		return 0;
	if (row->separator == ' ' && (pid || !(all & (TIME | ELAPSED))))
		return 0; /* words part all text */
	if (bits && !worded)
		return 0; /* all that is known has nvidia-smi's own names */
	if (count && !gpus && !meaning_is_of_host(all | of_file) && (of_file & GPU) &&
		(all & WHAT_IS_MEASURED) && (all & (TIME | ELAPSED)))
		gpus = of_gpus_by_file(column, count);
	if (count && !gpus && !hosts && find_meter(column, count) < count) {
		struct worded_column *power = &column[find_meter(column, count)];

		set_field(power, of_file & CPU ? "power.cpu" : "power.wall");
		power->meaning |= HOST;
		power->by_file = (of_file & CPU) != 0;
		power->guessed = !(all & METER);
		hosts++;
	}
	/* a record may say more than a sample: of a table a name tells what all are */
	if (recast && (all & (TIME | ELAPSED)))
		all &= ~WHILE;
	return (gpus || (hosts && (all & (TIME | ELAPSED)))) && !(all & WHILE) ? count
									       : 0;
}

/* What never changes makes no log. */
static bool is_constant(const struct worded_column *column)
{
	return text_equal(column->field, "memory.total") ||
		text_equal(column->field, "ram.total") ||
		text_equal(column->field, "swap.total") ||
		text_equal(column->field, "power.limit");
}

static void print_column(struct strbuf *sb, const struct worded_column *column)
{
	if (column->own) { /* with its unit, which words need not know */
		struct span name = table_own_name(column->name);

		strbuf_add(sb, name.at, name.len);
		return;
	}
	strbuf_adds(sb, column->field);
	if (column->gpu >= 0)
		strbuf_addf(sb, "@%d", (int)column->gpu);
	if (column->unit && column->unit[0] &&
		(column->binding || text_equal(column->field, "elapsed")))
		strbuf_addf(sb, " [%s]", column->unit);
}

/* Columns without a field: those whose names are a metric's, or the others. */
static void name_unused(struct worded_header *header, const struct worded_column *column,
	size_t count, bool metrics, const char *before)
{
	for (size_t i = 0; i < count; i++) {
		bool metric = column[i].known && meaning_field(column[i].meaning);

		if (column[i].field || metric != metrics || !column[i].name.len)
			continue;
		strbuf_addf(&header->read_as, "%s%.*s", before, (int)column[i].name.len,
			column[i].name.at);
		before = ", ";
	}
}

static void print_columns(
	struct worded_header *header, const struct worded_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		strbuf_adds(&header->fields, i ? "," : "");
		if (!column[i].field) {
			strbuf_addc(&header->fields, '?');
			continue;
		}
		print_column(&header->fields, &column[i]);
		strbuf_adds(&header->read_as, header->read_as.len ? ", " : "");
		print_column(&header->read_as, &column[i]);
		strbuf_addf(&header->read_as, " from %.*s%s", (int)column[i].name.len,
			column[i].name.at,
			column[i].by_file ? " and the file's name" : "");
		header->guessed |= column[i].by_file || column[i].guessed;
		header->metrics += is_metric_of(&column[i], SOURCE_NVIDIA_QUERY) &&
			!is_constant(&column[i]);
		header->host_metrics += is_metric_of(&column[i], SOURCE_HOST_TABLE) &&
			!is_constant(&column[i]);
	}
	name_unused(header, column, count, true, "; unclear, so not used: ");
	name_unused(header, column, count, false, "; not used: ");
}

/* A column as --columns may name it; whose it is that names nobody is for the user. */
static void guess_column(
	struct worded_header *header, struct span name, struct span cell, bool hosts)
{
	struct worded_column column;
	const char *field = NULL;

	if (read_name(&column, name) && !(column.meaning & WHILE))
		field = meaning_field(column.meaning || !column.unit
				? column.meaning
				: unit_meaning(column.unit));
	if (field && hosts && !(column.meaning & (GPU | TIME | ELAPSED)) &&
		!meaning_is_of_host(column.meaning))
		field = NULL;
	if (field && (column.meaning & TIME) && column.unit && !clock_is_cell(cell))
		field = "elapsed";
	set_field(&column, field);
	header->known |= field != NULL;
	if (field)
		print_column(&header->fields, &column);
	else
		strbuf_addc(&header->fields, '?');
}

bool worded_header_guess(struct worded_header *header, const struct probe *probe)
{
	struct worded_column column;
	struct csv_row names = csv_row_new(), row = csv_row_new();

	for (size_t i = 0; i + 1 < probe->count && i < HEADER_LINES && !header->known;
		i++) {
		bool hosts = false;

		header->line = probe->line[i];
		names.separator = row.separator = csv_separator(header->line);
		csv_split(&names, header->line);
		csv_split(&row, probe->line[i + 1]);
		header->names = names.count;
		header->cells = row.count;
		strbuf_clear(&header->fields);
		if (!are_names(&names))
			continue;
		for (size_t k = 0; k < names.count; k++)
			hosts |= read_name(&column, names.cell[k]) &&
				meaning_is_of_host(column.meaning);
		for (size_t k = 0; k < names.count; k++) {
			strbuf_adds(&header->fields, k ? "," : "");
			guess_column(header, names.cell[k],
				k < row.count ? row.cell[k] : SPAN_NONE, hosts);
		}
	}
	csv_row_release(&names);
	csv_row_release(&row);
	return header->known;
}

/* May a column of that name hold that field of nvidia-smi's? Unknown words may be all. */
static bool may_hold(struct span name, struct span field)
{
	struct worded_column column;
	const char *own;

	if (column_role(SOURCE_NVIDIA_QUERY, field) != ROLE_METRIC ||
		!read_name(&column, name))
		return true;
	if (column.meaning && !(column.meaning & ~(GPU | AMOUNT)))
		column.meaning |= MEMORY;
	own = meaning_field(column.meaning);
	return own ? span_is(field, own) || span_begins(field, "clocks")
		   : !column.meaning;
}

bool worded_header_denies(const struct probe *probe, const char *guess)
{
	struct csv_row names, field = csv_row_of(span_of(guess));
	bool denies = false;

	names = csv_row_new();
	for (size_t i = 0; i + 1 < probe->count && i < HEADER_LINES && !denies; i++) {
		names.separator = csv_separator(probe->line[i]);
		csv_split(&names, probe->line[i]);
		if (names.count != field.count || !are_names(&names))
			continue;
		for (size_t k = 0; k < names.count; k++)
			denies |= !may_hold(names.cell[k], field.cell[k]);
	}
	csv_row_release(&names);
	csv_row_release(&field);
	return denies;
}

void worded_header_init(struct worded_header *header)
{
	*header = (struct worded_header){0};
	strbuf_init(&header->fields);
	strbuf_init(&header->read_as);
}

void worded_header_release(struct worded_header *header)
{
	strbuf_release(&header->fields);
	strbuf_release(&header->read_as);
}

/* As most lines of a table: a header has names only. */
static bool has_number(const struct csv_row *row)
{
	int64_t number;

	for (size_t i = 0; i < row->count; i++)
		if (number_scaled(row->cell[i], 1, &number))
			return true;
	return false;
}

static bool maps_time(const struct table_map *map, const struct csv_row *names)
{
	struct strbuf field = strbuf_new();
	bool maps = false;

	for (size_t i = 0; i < names->count && !maps; i++) {
		enum role role;

		strbuf_clear(&field);
		table_map_field(map, names->cell[i], &field);
		role = column_role(SOURCE_NVIDIA_QUERY,
			cell_strip_unit((struct span){field.text, field.len}));
		maps = role >= ROLE_TIME && role <= ROLE_ELAPSED;
	}
	strbuf_release(&field);
	return maps;
}

/* "Time" above 14:39:31, or dstat's 22-08 14:39:31: a column by whose name and first cell
 * a table has times that its map does not know. NULL: it is none. */
static const char *field_of_time(const struct csv_row *names, struct span below, size_t i)
{
	struct csv_row row = csv_row_new();
	const char *field = NULL;
	int64_t clock_ns;

	row.separator = names->separator;
	csv_split(&row, below);
	if (row.count == names->count && header_name_is_time(names->cell[i]))
		field = time_parse_clock(cell_clock(row.cell[i]), &clock_ns) ? "clock"
			: clock_is_cell(row.cell[i])			     ? "timestamp"
									     : NULL;
	csv_row_release(&row);
	return field;
}

/* The fields of a header that a map knows, whatever the cells; 0: no map does. */
static size_t map_columns(struct worded_header *header, const struct probe *probe,
	struct csv_row *row, size_t at)
{
	struct span line = probe->line[at];
	struct span below = at + 1 < probe->count ? probe->line[at + 1] : SPAN_NONE;
	const struct table_map *map;
	const char *time;
	size_t unused = 0;
	bool timed;

	row->separator = csv_separator(line);
	csv_split(row, line);
	if (!probe->recast && has_number(row))
		return 0;
	map = table_maps_split(probe->maps, row, line, MAP_OF_SAMPLES);
	if (map && map->cells == CELLS_PAIRS && !probe->recast)
		map = NULL;
	if (!map && probe->recast)
		map = table_maps_find(probe->maps, row, MAP_OF_PERIODS);
	if (!map && probe->recast)
		map = table_maps_find(probe->maps, row, MAP_OF_LONG);
	if (!map)
		return 0;
	header->map = map;
	header->line = line;
	strbuf_addf(&header->read_as, "a table of %s", map->name);
	timed = maps_time(map, row) || probe->recast;
	for (size_t i = 0; i < row->count; i++) {
		struct span field;
		size_t from;

		strbuf_adds(&header->fields, i ? "," : "");
		from = header->fields.len;
		if (table_map_field(map, row->cell[i], &header->fields)) {
			field = cell_strip_unit((struct span){
				header->fields.text + from, header->fields.len - from});
			header->processes |=
				column_role(SOURCE_NVIDIA_APPS, field) == ROLE_PID;
			if (column_role(SOURCE_HOST_TABLE, field) == ROLE_METRIC)
				header->host_metrics++;
			else
				header->metrics += column_role(SOURCE_NVIDIA_QUERY,
							   field) == ROLE_METRIC ||
					column_role(SOURCE_NVIDIA_APPS, field) ==
						ROLE_METRIC;
		} else if (!timed && (time = field_of_time(row, below, i))) {
			header->fields.len = from;
			strbuf_adds(&header->fields, time);
			timed = true;
		} else if (unused++ < UNUSED_NAMED) {
			strbuf_addf(&header->read_as, "%s%.*s",
				unused > 1 ? ", " : "; not used: ", (int)row->cell[i].len,
				row->cell[i].at);
		}
	}
	if (unused > UNUSED_NAMED)
		strbuf_addf(&header->read_as, " and %zu more", unused - UNUSED_NAMED);
	return row->count;
}

/* Are rows of one time of several things, which a column tells that nobody knows? */
static bool is_of_several(const struct worded_column *column, size_t count, size_t rows)
{
	bool several = false;

	for (size_t i = 0; i < count; i++) {
		enum role role = column[i].field
			? column_role(SOURCE_NVIDIA_QUERY, span_of(column[i].field))
			: ROLE_IGNORED;

		if (role >= ROLE_INDEX && role <= ROLE_CPU)
			return false;
		several |= !column[i].field &&
			column[i].turns * 2 + (column[i].turns > 1) >= rows;
	}
	return several;
}

bool worded_header_find(struct worded_header *header, const struct probe *probe)
{
	struct worded_column column[COLUMNS_MAX];
	struct csv_row names = csv_row_new();
	size_t count = 0, rows = 0;

	for (size_t i = 0; i < probe->count && i < HEADER_LINES && !header->map; i++)
		map_columns(header, probe, &names, i);
	for (size_t i = 0; i < probe->count && i < HEADER_LINES && !count && !header->map;
		i++) {
		count = read_names(column, &names, probe, i);
		if (count && names.separator == ' ')
			count = part_time(column, count, probe, i + 1);
		rows = count ? see_rows(column, count, probe, i, names.separator) : 0;
		count = rows ? count : 0;
		header->line = probe->line[i];
	}
	if (!header->map) {
		settle_columns(column, count);
		if (is_of_several(column, count, rows))
			count = 0;
		print_columns(header, column, count);
	}
	csv_row_release(&names);
	return header->metrics + header->host_metrics > 0;
}

/* A table of both is one of GPUs, and its host is read from the same lines. */
#define GPU_BITS  30
#define HOST_BITS 28

/* Cells that are names of a table about a host, as they are. */
static size_t count_own_names(struct span line)
{
	struct csv_row row = csv_row_new();
	size_t own = 0;

	row.separator = csv_separator(line);
	csv_split(&row, line);
	for (size_t i = 0; i < row.count; i++)
		own += column_role(SOURCE_HOST_TABLE, cell_strip_unit(row.cell[i])) ==
			ROLE_METRIC;
	csv_row_release(&row);
	return own;
}

/* What is no such log stays none. */
static void raise_bid(int *bits, int to)
{
	if (*bits >= 0 && *bits < to)
		*bits = to;
}

void worded_header_bid(const struct probe *probe, int bits[SOURCE_KIND_COUNT])
{
	struct worded_header header;

	worded_header_init(&header);
	if (worded_header_find(&header, probe)) {
		enum source_kind kind =
			header.processes ? SOURCE_NVIDIA_APPS : SOURCE_NVIDIA_QUERY;

		if (header.metrics)
			raise_bid(&bits[kind], GPU_BITS);
		/* by a name such as load1 alone */
		if (bits[SOURCE_HOST_TABLE] > HOST_BITS &&
			(header.metrics ||
				header.host_metrics > count_own_names(header.line)))
			bits[SOURCE_HOST_TABLE] = HOST_BITS;
		if (header.host_metrics)
			raise_bid(&bits[SOURCE_HOST_TABLE], HOST_BITS);
	}
	worded_header_release(&header);
}
