/* Two tables of units, and look-ups in them. */
#include "model/dialect.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

static const struct {
	const char *name;
	int64_t factor;
} data_units[DATA_UNIT_COUNT] =
	{
		[DATA_UNIT_BYTES] = {"bytes", 1},
		[DATA_UNIT_KILOBYTES] = {"kilobytes", 1000},
		[DATA_UNIT_MEGABYTES] = {"megabytes", 1000000},
		[DATA_UNIT_GIGABYTES] = {"gigabytes", 1000000000},
		[DATA_UNIT_TERABYTES] = {"terabytes", 1000000000000},
},
  time_units[TIME_UNIT_COUNT] = {
	  [TIME_UNIT_SECONDS] = {"seconds", 1},
	  [TIME_UNIT_MINUTES] = {"minutes", 60},
	  [TIME_UNIT_HOURS] = {"hours", 3600},
	  [TIME_UNIT_DAYS] = {"days", 86400},
};

const char *data_unit_name(enum data_unit unit)
{
	return data_units[unit].name;
}

const char *time_unit_name(enum time_unit unit)
{
	return time_units[unit].name;
}

enum data_unit data_unit_find(struct span name)
{
	for (enum data_unit unit = DATA_UNIT_NONE + 1; unit < DATA_UNIT_COUNT; unit++)
		if (span_is(name, data_units[unit].name))
			return unit;
	return DATA_UNIT_NONE;
}

enum time_unit time_unit_find(struct span name)
{
	for (enum time_unit unit = TIME_UNIT_NONE + 1; unit < TIME_UNIT_COUNT; unit++)
		if (span_is(name, time_units[unit].name))
			return unit;
	return TIME_UNIT_NONE;
}

int64_t data_unit_bytes(enum data_unit unit)
{
	return data_units[unit].factor;
}

int64_t time_unit_seconds(enum time_unit unit)
{
	return time_units[unit].factor;
}

/* Tables of words, and the facts of a run under their names. */

_Static_assert(JUMPER_THRESHOLD_LAST - JUMPER_THRESHOLD + 1 == THRESHOLDS, "a fact each");

static const char *const level_name[JUMPER_LEVELS] = {
	"process", "user", "system", "slurm"};

static const struct {
	const char *name;
	double usual;
} thresholds[THRESHOLDS] = {
	[THRESHOLD_MEMORY] = {"memory_ratio", 0.8},
	[THRESHOLD_CPU] = {"cpu_ratio", 0.7},
	[THRESHOLD_GPU_UTIL] = {"gpu_util_ratio", 0.8},
	[THRESHOLD_GPU_MEMORY] = {"gpu_memory_ratio", 0.8},
	[THRESHOLD_HELD_GB] = {"gpu_alloc_min_mem_gb", 0.1},
	[THRESHOLD_IDLE] = {"gpu_util_idle_threshold", 0.05},
	[THRESHOLD_HELD_SHARE] = {"gpu_alloc_min_fraction", 0.5},
};

static const char *const fact_name[JUMPER_LIMIT_GB] = {
	[JUMPER_OFFSET_NS] = "offset_ns",
	[JUMPER_CPUS] = "num_cpus",
	[JUMPER_SYSTEM_CPUS] = "num_system_cpus",
	[JUMPER_GPUS] = "num_gpus",
	[JUMPER_GPU_MEMORY_GB] = "gpu_memory",
	[JUMPER_MONITORED_S] = "monitored_s",
};

const char *jumper_level_name(enum jumper_level level)
{
	return level_name[level];
}

enum jumper_level jumper_level_find(struct span name)
{
	enum jumper_level level = 0;

	while (level < JUMPER_LEVELS && !span_is(name, level_name[level]))
		level++;
	return level;
}

const char *jumper_threshold_name(enum jumper_threshold threshold)
{
	return thresholds[threshold].name;
}

/* False: neither a number of a cell nor nothing, which is open. */
static bool read_cell(struct span text, int32_t *cell)
{
	uint64_t number;

	*cell = -1;
	if (!text.len)
		return true;
	if (!number_unsigned(text, &number) || number > INT32_MAX)
		return false;
	*cell = (int32_t)number;
	return true;
}

int cell_range_parse(struct cell_range *range, struct span text, struct error *err)
{
	const char *colon = memchr(text.at, ':', text.len);
	struct span first = text, last = text;
	struct cell_range read = {.set = true};

	if (colon) {
		first.len = (size_t)(colon - text.at);
		last.at = colon + 1;
		last.len = text.len - first.len - 1;
	}
	if (!text.len || !read_cell(first, &read.first) || !read_cell(last, &read.last) ||
		(read.last >= 0 && read.last < read.first))
		return error_set(err,
			"expected the number of a cell or a range of them: "
			"5, 2:8, :5, 3:");
	*range = read;
	return 0;
}

/* "jumper_num_cpus", "jumper_memory_limit_user" ... */
static void name_fact(struct strbuf *name, enum jumper_fact fact)
{
	strbuf_init(name);
	strbuf_adds(name, "jumper_");
	if (fact >= JUMPER_THRESHOLD)
		strbuf_adds(name, thresholds[fact - JUMPER_THRESHOLD].name);
	else if (fact >= JUMPER_LIMIT_GB)
		strbuf_addf(name, "memory_limit_%s", level_name[fact - JUMPER_LIMIT_GB]);
	else
		strbuf_adds(name, fact_name[fact]);
}

void jumper_say(struct run *run, enum jumper_fact fact, struct span number)
{
	struct strbuf name;

	name_fact(&name, fact);
	run_add_fact(run, name.text, number);
	strbuf_release(&name);
}

static const char *said(const struct run *run, enum jumper_fact fact)
{
	const char *text;
	struct strbuf name;

	name_fact(&name, fact);
	text = run_fact(run, name.text);
	strbuf_release(&name);
	return text;
}

double jumper_said(const struct run *run, enum jumper_fact fact)
{
	const char *text = said(run, fact);
	int64_t billionths;

	if (!text || !number_scaled(span_of(text), 1000000000, &billionths))
		return NAN;
	return number_ratio(billionths, 1000000000);
}

bool jumper_offset_ns(const struct run *run, int64_t *offset_ns)
{
	const char *text = said(run, JUMPER_OFFSET_NS);

	return text && number_scaled(span_of(text), 1, offset_ns);
}

double jumper_threshold(const struct run *run, enum jumper_threshold threshold)
{
	double own = jumper_said(run, JUMPER_THRESHOLD + threshold);

	return isnan(own) ? thresholds[threshold].usual : own;
}

/* Memory of a comparison. */

void tracker_comparison_init(struct tracker_comparison *comparison,
	const struct tracker_side *side, size_t count)
{
	*comparison = (struct tracker_comparison){.side = side, .side_count = count};
}

void tracker_comparison_release(struct tracker_comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		free(comparison->row[i].phase);
		free(comparison->row[i].value);
	}
	for (size_t i = 0; i < comparison->remark_count; i++)
		free(comparison->remark[i]);
	free(comparison->row);
	free(comparison->remark);
	*comparison = (struct tracker_comparison){0};
}

struct tracker_comparison_row *tracker_comparison_add(
	struct tracker_comparison *comparison, enum tracker_comparison_part part,
	const char *key, const char *phase)
{
	struct tracker_comparison_row *row;

	ALLOC_GROW(comparison->row, comparison->row_count + 1, comparison->row_cap);
	row = &comparison->row[comparison->row_count++];
	*row = (struct tracker_comparison_row){.part = part,
		.key = key,
		.phase = phase ? xstrdup(phase) : NULL,
		.value = xcalloc(comparison->side_count, sizeof *row->value)};
	for (size_t i = 0; i < comparison->side_count; i++)
		row->value[i] = NAN;
	return row;
}

void tracker_comparison_remark(
	struct tracker_comparison *comparison, const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	ALLOC_GROW(
		comparison->remark, comparison->remark_count + 1, comparison->remark_cap);
	comparison->remark[comparison->remark_count++] = xstrdup(sentence);
}
