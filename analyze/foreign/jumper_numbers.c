/*
 * JUmPER's report of each level that a run has: plain mean, minimum and maximum of the
 * share of CPUs, of memory, of the GPUs' utilisation and memory, the limits of memory,
 * and the tags that follow. Its GB are 2^30 bytes. What the run does not say is left out
 * or unknown, where the tool, which asks the machine, has a number. README.md,
 * "calibrax's and JUmPER's numbers".
 */
#include <math.h>

#include "base/text.h"
#include "foreign/foreign.h"
#include "foreign/levels.h"
#include "model/run.h"

static const char *const value_key[LEVEL_VALUES] = {
	"cpu_util_avg", "memory", "gpu_util_avg", "gpu_mem_avg"};

struct jumper {
	struct report *report; /* borrowed, as the following */
	const struct levels *levels;
	double cpus, system_cpus; /* that the process may use; of the machine */
	double gpus, gpu_memory_gb;
};

/* NAN: nothing was sampled. */
struct level_numbers {
	double mean, min, max;
};

static void open_object(const struct jumper *j, const char *key)
{
	dialect_add(j->report, ITEM_OBJECT, key);
}

static void close(const struct jumper *j)
{
	dialect_add(j->report, ITEM_CLOSE, NULL);
}

static struct dialect_item *add(
	const struct jumper *j, enum dialect_kind kind, const char *key, double x)
{
	struct dialect_item *item = dialect_add(j->report, kind, key);

	item->number = x;
	item->unsaid = isnan(x); /* of the machine; each run lacks some */
	return item;
}

static void add_text(const struct jumper *j, const char *key, const char *text)
{
	dialect_add(j->report, ITEM_TEXT, key)->text = text;
}

static double first_known(double a, double b)
{
	return isnan(a) ? b : a;
}

/* As the tool rounds sizes that it asks the machine for. */
static double gb_rounded(double mib)
{
	return isnan(mib) ? mib : round(mib / 1024 * 100) / 100;
}

static double first_gpu_gb(const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	const struct metric_stats *s = gpus->count
		? metric_stats_best(report->stats, report->stats_count, gpus->at[0],
			  METRIC_mem_total_mib)
		: NULL;

	return s && s->n ? gb_rounded(s->max) : (double)NAN;
}

static double memory_limit_gb(const struct jumper *j, enum jumper_level level)
{
	double own = jumper_said(j->report->run, JUMPER_LIMIT_GB + level);

	if (!isnan(own) || level == JUMPER_SLURM)
		return own;
	return gb_rounded(j->report->summary[SUMMARY_ram_capacity_mib].number);
}

/* As the tool counts what the process may use; it asks for no quota, nor for a job's. */
static double allowed_cpus(const struct run *run)
{
	const char *list = cpus_allowed(run);

	return list ? (double)cpus_allowed_count(list) : (double)NAN;
}

static struct jumper jumper_of(struct report *report, const struct levels *levels,
	const struct tool_options *options)
{
	const struct run *run = report->run;
	double gpus = (double)report_gpu_count(report), cpus = NAN;
	struct jumper j = {.report = report, .levels = levels};

	if (options->expected_cores >= 0)
		cpus = options->expected_cores;
	j.system_cpus = first_known(jumper_said(run, JUMPER_SYSTEM_CPUS),
		report->summary[SUMMARY_cpu_count].number);
	cpus = first_known(cpus, jumper_said(run, JUMPER_CPUS));
	j.cpus = first_known(first_known(cpus, allowed_cpus(run)), j.system_cpus);
	j.gpus =
		first_known(jumper_said(run, JUMPER_GPUS), gpus > 0 ? gpus : (double)NAN);
	j.gpu_memory_gb =
		first_known(jumper_said(run, JUMPER_GPU_MEMORY_GB), first_gpu_gb(report));
	if (j.gpus <= 0)
		j.gpu_memory_gb = NAN;
	return j;
}

/* By what a sum over CPUs becomes a share of them. */
static double divisor_of(const struct jumper *j, const struct level_sum *sum)
{
	if (sum->metric == METRIC_tree_cpu_pct)
		return j->cpus;
	return sum->metric == METRIC_cpu_util_sum_pct ? j->system_cpus : 1;
}

static struct level_numbers numbers_of(
	const struct jumper *j, enum jumper_level level, enum level_value value)
{
	const struct level_sum *sum = levels_value(j->levels, (int)level, value);
	bool memory = value == LEVEL_MEMORY || value == LEVEL_GPU_MEMORY;
	int128 parts;
	double by;

	if (!sum)
		return (struct level_numbers){NAN, NAN, NAN};
	parts = (int128)sum->scale * (memory ? 1024 : 1);
	by = divisor_of(j, sum);
	return (struct level_numbers){
		number_ratio(sum->sum, parts * (int64_t)sum->n) / by,
		number_ratio(sum->min, parts) / by, number_ratio(sum->max, parts) / by};
}

struct tag {
	const char *name;
	double score;
};

/* At most 1, as the tool counts; unknown: it is not told. */
static double ratio(double measured, double limit)
{
	double share = measured / limit;

	if (isnan(share) || limit <= 0)
		return NAN;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* In the order of their scores, equal ones in that of the table. */
static size_t find_tags(const struct jumper *j, enum jumper_level level, struct tag *tag)
{
	const struct {
		const char *name;
		enum jumper_threshold threshold;
		double score;
	} bounds[] = {
		{"memory-bound", THRESHOLD_MEMORY,
			ratio(numbers_of(j, level, LEVEL_MEMORY).mean,
				memory_limit_gb(j, level))},
		{"cpu-bound", THRESHOLD_CPU,
			ratio(numbers_of(j, level, LEVEL_CPU).mean, 100)},
		{"gpu-util-bound", THRESHOLD_GPU_UTIL,
			ratio(numbers_of(j, level, LEVEL_GPU_UTIL).mean, 100)},
		{"gpu-memory-bound", THRESHOLD_GPU_MEMORY,
			ratio(numbers_of(j, level, LEVEL_GPU_MEMORY).mean,
				j->gpu_memory_gb)},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
		size_t at = count;

		if (!(bounds[i].score >=
			    jumper_threshold(j->report->run, bounds[i].threshold)))
			continue;
		for (; at && tag[at - 1].score < bounds[i].score; at--)
			tag[at] = tag[at - 1];
		tag[at] = (struct tag){bounds[i].name, bounds[i].score};
		count++;
	}
	return count;
}

/* The share of the samples in which GPU memory is held, and nothing done with it; NAN. */
static double unused_share(const struct jumper *j, enum jumper_level level)
{
	const struct level_log *log = levels_held_log(j->levels, (int)level);

	return log ? number_ratio((int128)log->held_idle, (int128)log->rows)
		   : (double)NAN;
}

static void add_tag(const struct jumper *j, const struct tag *tag)
{
	open_object(j, NULL);
	add_text(j, "tag", tag->name);
	add(j, ITEM_NUMBER, "score", tag->score);
	close(j);
}

static void add_tags(const struct jumper *j, enum jumper_level level)
{
	const struct tag unused = {"gpu-allocated-but-not-used", unused_share(j, level)};
	const struct tag normal = {"normal", 0};
	struct tag tag[THRESHOLDS];
	size_t count = find_tags(j, level, tag);
	bool is_unused = unused.score > 0 &&
		unused.score >= jumper_threshold(j->report->run, THRESHOLD_HELD_SHARE);

	dialect_add(j->report, ITEM_ARRAY, "tags");
	if (is_unused)
		add_tag(j, &unused);
	for (size_t i = 0; i < count; i++)
		add_tag(j, &tag[i]);
	if (!is_unused && !count)
		add_tag(j, &normal);
	close(j);
}

static void add_value(const struct jumper *j, enum jumper_level level, enum level_value v)
{
	struct level_numbers n = numbers_of(j, level, v);

	if (!levels_value(j->levels, (int)level, v))
		return;
	open_object(j, value_key[v]);
	add(j, ITEM_NUMBER, "avg", n.mean)->unsaid = false;
	add(j, ITEM_NUMBER, "min", n.min);
	add(j, ITEM_NUMBER, "max", n.max);
	if (v == LEVEL_MEMORY)
		add(j, ITEM_NUMBER, "total", memory_limit_gb(j, level));
	if (v == LEVEL_GPU_MEMORY)
		add(j, ITEM_NUMBER, "total", j->gpu_memory_gb);
	close(j);
}

static bool has_value(const struct jumper *j, enum jumper_level level)
{
	for (enum level_value v = 0; v < LEVEL_VALUES; v++)
		if (levels_value(j->levels, (int)level, v))
			return true;
	return false;
}

/* A level whose rows lie in none of the cells has no numbers. */
static void add_level(const struct jumper *j, enum jumper_level level)
{
	const struct level_log *log = levels_log(j->levels, (int)level);

	open_object(j, jumper_level_name(level));
	add(j, ITEM_COUNT, "num_samples", (double)log->rows);
	add(j, ITEM_COUNT, "num_cpus", level == JUMPER_SYSTEM ? j->system_cpus : j->cpus);
	if (has_value(j, level)) {
		add_tags(j, level);
		open_object(j, "metrics");
		for (enum level_value v = 0; v < LEVEL_VALUES; v++)
			add_value(j, level, v);
		close(j);
	}
	close(j);
}

/* Of the level that was looked at most often: all are, at each measurement. */
static double measurements(const struct jumper *j)
{
	uint64_t most = 0;

	for (int level = 0; level < JUMPER_LEVELS; level++) {
		const struct level_log *log = levels_log(j->levels, level);

		if (log && log->all_rows > most)
			most = log->all_rows;
	}
	return (double)most;
}

/* How many there should be, and are not: by the recorded interval. */
static void add_missed(const struct jumper *j)
{
	const struct run *run = j->report->run;
	double interval_s = run->interval_ns > 0
		? number_ratio(run->interval_ns, NS_PER_S)
		: (double)NAN;
	double length_s = jumper_said(run, JUMPER_MONITORED_S);
	double measured = measurements(j), expected, missed = NAN;
	int64_t from_ns, to_ns;

	if (isnan(length_s) && run_command_span(run, &from_ns, &to_ns))
		length_s = number_ratio((int128)to_ns - from_ns, NS_PER_S);
	expected = floor(length_s / interval_s);
	if (expected >= 0)
		missed = expected > measured ? expected - measured : 0;
	add(j, ITEM_NUMBER, "interval", interval_s);
	add(j, ITEM_COUNT, "n_measurements", measured);
	add(j, ITEM_COUNT, "n_missed_measurements", missed);
	add(j, ITEM_NUMBER, "missed_measurements",
		expected > 0 ? missed / expected : missed);
}

static void add_machine(const struct jumper *j)
{
	const char *name = run_fact(j->report->run, JUMPER_FACT_GPU_NAME);
	const struct device_list *gpus = &j->report->run->of_kind[DEVICE_GPU];

	if (!name && gpus->count)
		name = j->report->run->device[gpus->at[0]].model;
	add(j, ITEM_COUNT, "num_cpus", j->cpus);
	add(j, ITEM_COUNT, "num_system_cpus", j->system_cpus);
	add(j, ITEM_COUNT, "num_gpus", j->gpus);
	add(j, ITEM_NUMBER, "gpu_memory", j->gpu_memory_gb);
	if (name)
		add_text(j, "gpu_name", name);
	add_missed(j);
}

/* Without a range of cells the report is of the whole run. */
static void add_cells(const struct jumper *j, const struct tool_options *options)
{
	const struct levels *l = j->levels;
	double duration_s =
		l->by_cells ? number_ratio(l->cells_ns, NS_PER_S) : j->report->duration_s;
	double last_end_s = NAN;

	for (size_t i = 0; i < l->cell_count; i++)
		if (l->cell[i].end_ns == INT64_MAX)
			last_end_s = 0;
	if (l->by_cells && !isnan(last_end_s))
		duration_s = NAN; /* one of them never ended */
	add(j, ITEM_NUMBER, "duration", duration_s);
	add(j, ITEM_COUNT, "n_cells", (double)l->cell_count);
	if (l->cell_count) {
		dialect_add(j->report, ITEM_ARRAY, "cell_range");
		add(j, ITEM_COUNT, NULL, (double)l->first_cell);
		add(j, ITEM_COUNT, NULL, (double)(l->first_cell + l->cell_count - 1));
		close(j);
	}
	add_text(j, "idle", options->no_idle && l->by_cells ? "left out" : "included");
}

static void refuse_cells(const struct jumper *j)
{
	struct strbuf why;

	strbuf_init(&why);
	if (j->levels->cells)
		strbuf_addf(&why, "it has %zu cells, 0 to %zu, and not all of those",
			j->levels->cells, j->levels->cells - 1);
	else
		strbuf_adds(&why, "it has no cells");
	j->report->dialect_refusal = report_keep(j->report, why.text);
	strbuf_release(&why);
}

void jumper_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options)
{
	const struct levels *levels = levels_finish(agg);
	struct jumper j = jumper_of(report, levels, options);

	if (levels->missing) {
		refuse_cells(&j);
		return;
	}
	add_cells(&j, options);
	add_machine(&j);
	open_object(&j, "levels");
	for (enum jumper_level level = 0; level < JUMPER_LEVELS; level++)
		if (levels_log(levels, (int)level) &&
			(!options->level ||
				jumper_level_find(span_of(options->level)) == level))
			add_level(&j, level);
	close(&j);
}
