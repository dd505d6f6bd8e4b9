/* Tables of words, and the facts of a run under their names. */
#include "model/jumper.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

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
