/*
 * JUmPER's words and facts, and the sums over its levels: which rows are of which level,
 * which of them count.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/phases/phase_map.h"
#include "foreign/shared.h"

/* Words, and the facts of a run under their names. */

/* Also the names of the levels' devices. */
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
		return error_set(
			err, "expected a cell number or a range: 5, 2:8, :5, 3:");
	*range = read;
	return 0;
}

bool jumper_offset_ns(const struct run *run, int64_t *offset_ns)
{
	const char *text = run_fact(run, JUMPER_OFFSET_NS);

	return text && number_scaled(span_of(text), 1, offset_ns);
}

double jumper_threshold(const struct run *run, enum jumper_threshold threshold)
{
	char fact[64];
	double own;

	snprintf(fact, sizeof fact, JUMPER_THRESHOLD, thresholds[threshold].name);
	own = run_fact_number(run, fact);
	return isnan(own) ? thresholds[threshold].usual : own;
}

/* Levels. */

/* Of a quantum, for quotients: a round of up to 16 GPUs has a mean without a remainder.
 */
#define PARTS 720720

/* Below that a tick is too coarse for a share. */
#define SHARE_LEAST_NS (NS_PER_S / 2)

/* The logs that say something of a level, the best first. */
static const enum source_kind preferred[] = {SOURCE_JUMPER, SOURCE_PROCESS_TREE,
	SOURCE_GPU_TRACKER, SOURCE_PROC_STAT, SOURCE_MEMINFO, SOURCE_NVIDIA_QUERY,
	SOURCE_NVIDIA_DMON, SOURCE_HOST_TABLE};

#define PREFERRED (sizeof preferred / sizeof preferred[0])

static const struct {
	enum metric_id metric;
	enum level_value value;
} values[] = {
	{METRIC_level_cpu_pct, LEVEL_CPU},
	{METRIC_level_mem_mib, LEVEL_MEMORY},
	{METRIC_level_gpu_util_pct, LEVEL_GPU_UTIL},
	{METRIC_level_gpu_mem_mib, LEVEL_GPU_MEMORY},
	{METRIC_tree_cpu_pct, LEVEL_CPU},
	{METRIC_tree_gpu_mem_mib, LEVEL_GPU_MEMORY},
	{METRIC_cpu_util_sum_pct, LEVEL_CPU},
	{METRIC_rss_mib, LEVEL_MEMORY},
	{METRIC_uss_mib, LEVEL_OWN_MEMORY},
	{METRIC_ram_used_mib, LEVEL_MEMORY},
	{METRIC_gpu_util_pct, LEVEL_GPU_UTIL},
	{METRIC_mem_used_mib, LEVEL_GPU_MEMORY},
	{METRIC_disk_read_mib, LEVEL_IO_READ},
	{METRIC_disk_write_mib, LEVEL_IO_WRITE},
	{METRIC_io_read_calls, LEVEL_IO_READ_COUNT},
	{METRIC_io_write_calls, LEVEL_IO_WRITE_COUNT},
};

void *levels_begin(const struct run *run, const struct tool_options *asked)
{
	struct levels *levels = xcalloc(1, sizeof *levels);

	levels->run = run;
	levels->asked = asked;
	return levels;
}

void levels_end(void *state)
{
	struct levels *levels = state;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		levels_forget(levels, kind);
	free(levels->cell);
	free(levels);
}

void levels_forget(void *state, enum source_kind kind)
{
	struct levels *levels = state;

	for (int level = 0; level < LEVELS_LOGGED; level++) {
		free(levels->log[level][kind].together);
		levels->log[level][kind] = (struct level_log){0};
	}
}

/* Within the window, whose ends cut it; NULL: there is none. False: it is outside. */
static bool cut_cell(struct cell_span *cell, const struct compute_window *window)
{
	if (!window)
		return true;
	if (cell->start_ns >= window->to_ns || cell->end_ns < window->from_ns)
		return false;
	cell->start_ns = time_later(cell->start_ns, window->from_ns);
	cell->end_ns = time_earlier(cell->end_ns, window->to_ns);
	return true;
}

/* The calls that are in no other one are the cells, in the order of their starts. */
static void list_cells(struct levels *levels, const struct compute_window *window)
{
	const struct cell_range *range = &levels->asked->cells;
	struct phase_tree tree; /* no window cuts it, as it would change the numbers */
	int128 reach_ns = INT64_MIN;

	phase_tree_build(&tree, levels->run, false, NULL);
	levels->cell = xcalloc(tree.calls.count + 1, sizeof *levels->cell);
	for (size_t i = 0; i < tree.calls.count; i++) {
		struct cell_span cell = {.start_ns = tree.calls.at[i].start_ns,
			.end_ns = tree.calls.at[i].end_ns,
			.number = levels->cells};
		int64_t number = (int64_t)cell.number;

		if (tree.of[i].parent != PHASE_NONE)
			continue;
		levels->cells++;
		if ((range->set && number < range->first) ||
			(range->set && range->last >= 0 && number > range->last) ||
			!cut_cell(&cell, window))
			continue;
		reach_ns = cell.end_ns > reach_ns ? cell.end_ns : reach_ns;
		cell.reach_ns = (int64_t)reach_ns;
		levels->cells_ns += (int128)cell.end_ns - cell.start_ns;
		levels->cell[levels->cell_count++] = cell;
	}
	levels->missing = range->set &&
		((int64_t)levels->cells <= range->first ||
			(int64_t)levels->cells <= range->last || !levels->cells);
	phase_tree_release(&tree);
}

/* In a notebook nothing but its cells is looked at. */
static bool is_notebook(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == SOURCE_JUMPER_CELLS && run->file[i].rows)
			return true;
	return false;
}

/* The run's events are known by now. */
static void prepare(struct levels *levels, struct aggregate *agg)
{
	const struct tool_options *asked = levels->asked;

	list_cells(levels, aggregate_window(agg));
	levels->by_cells = !levels->whole &&
		(asked->cells.set ||
			(levels->cells && (asked->no_idle || is_notebook(levels->run))));
	levels->held_gb = jumper_threshold(levels->run, THRESHOLD_HELD_GB);
	levels->idle_pct = 100 * jumper_threshold(levels->run, THRESHOLD_IDLE);
	levels->phases = levels->whole ? aggregate_phases(agg) : NULL;
	levels->ready = true;
}

/* The last cell that begins at or before an instant; SIZE_MAX: none. */
static size_t cell_at(const struct levels *levels, int64_t t_ns)
{
	return sorted_up_to(levels->cell, levels->cell_count, sizeof *levels->cell,
		       offsetof(struct cell_span, start_ns), t_ns) -
		1;
}

/* Rows without times are in no cell. */
static bool counts(const struct levels *levels, bool timed, int64_t t_ns)
{
	size_t at;

	if (!levels->by_cells)
		return true;
	if (!timed || !levels->cell_count)
		return false;
	if (!levels->asked->no_idle)
		return t_ns >= levels->cell[0].start_ns &&
			t_ns <= levels->cell[levels->cell_count - 1].end_ns;
	at = cell_at(levels, t_ns);
	return at != SIZE_MAX && t_ns <= levels->cell[at].reach_ns;
}

/* -1: of none. */
static int level_of(enum source_kind source, const struct device *device)
{
	enum jumper_level level;

	switch (device->kind) {
	case DEVICE_TREE:
		level = jumper_level_find(span_of(device->name));
		if (level < JUMPER_LEVELS)
			return (int)level;
		if (strcmp(device->name, "main") == 0)
			return LEVEL_MAIN;
		return strcmp(device->name, "combined") == 0 ? JUMPER_PROCESS : -1;
	case DEVICE_HOST: /* JUmPER's own rows are of a level */
		return source == SOURCE_JUMPER ? -1 : JUMPER_SYSTEM;
	case DEVICE_CPU:
		return device->index < 0 && source == SOURCE_PROC_STAT ? JUMPER_SYSTEM
								       : -1;
	case DEVICE_GPU:
		return source == SOURCE_NVIDIA_QUERY || source == SOURCE_NVIDIA_DMON
			? JUMPER_SYSTEM
			: -1;
	case DEVICE_GROUP:
	case DEVICE_NONE:
	case DEVICE_PROCESS:
	case DEVICE_KIND_COUNT:
		break;
	}
	return -1;
}

/* LEVEL_SUMS: none. */
static enum level_value value_of(enum metric_id metric)
{
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (values[i].metric == metric)
			return values[i].value;
	return LEVEL_SUMS;
}

static void add_value(struct level_log *log, enum level_value value,
	enum metric_id metric, int64_t parts, int128 x, int64_t t_ns)
{
	struct level_sum *sum = &log->of[value];

	sum->metric = metric;
	sum->scale = metric_get(metric)->per_unit * parts;
	sum->min = sum->n && sum->min < x ? sum->min : x;
	sum->max = sum->n && sum->max > x ? sum->max : x;
	sum->first_ns = sum->n ? time_earlier(sum->first_ns, t_ns) : t_ns;
	sum->last_ns = sum->n ? time_later(sum->last_ns, t_ns) : t_ns;
	sum->sum += x;
	sum->n++;
}

static void add_row(struct level_log *log, int64_t t_ns)
{
	log->first_ns = log->rows ? time_earlier(log->first_ns, t_ns) : t_ns;
	log->last_ns = log->rows ? time_later(log->last_ns, t_ns) : t_ns;
	log->rows++;
}

/* Is the GPUs' memory held at a moment at which they do next to nothing? */
static bool is_held_idle(const struct levels *levels, const struct level_log *log,
	int128 memory, int128 util)
{
	int128 gb = (int128)log->of[LEVEL_GPU_MEMORY].scale * 1024;

	return number_ratio(memory, gb) > levels->held_gb &&
		number_ratio(util, log->of[LEVEL_GPU_UTIL].scale) <= levels->idle_pct;
}

static void add_round(struct round_sums *together, int64_t gpus, int128 sum)
{
	if (gpus > together->gpus)
		*together = (struct round_sums){.gpus = gpus, .min = sum, .max = sum};
	if (!gpus || gpus < together->gpus)
		return;
	together->n++;
	together->sum += sum;
	together->squares += sum * sum;
	together->min = sum < together->min ? sum : together->min;
	together->max = sum > together->max ? sum : together->max;
}

/* The sums of a round, in the paths that it lies in and in the whole. */
static void add_rounds(const struct levels *levels, struct level_log *log)
{
	size_t paths, count;
	const uint32_t *path;

	if (!levels->phases)
		return;
	paths = phase_map_paths(levels->phases);
	path = phase_map_at(levels->phases, log->tick_ns, &count);
	if (!log->together)
		log->together = xcalloc(paths + 1, sizeof *log->together);
	for (enum level_value v = LEVEL_GPU_UTIL; v <= LEVEL_GPU_MEMORY; v++) {
		for (size_t i = 0; i < count; i++)
			add_round(&log->together[path[i]][v], log->tick_count[v],
				log->tick_sum[v]);
		add_round(&log->together[paths][v], log->tick_count[v], log->tick_sum[v]);
	}
}

/* The means of a round of the GPUs. */
static void close_tick(const struct levels *levels, struct level_log *log)
{
	static const enum metric_id metric[LEVEL_VALUES] = {
		[LEVEL_GPU_UTIL] = METRIC_gpu_util_pct,
		[LEVEL_GPU_MEMORY] = METRIC_mem_used_mib};
	int128 mean[LEVEL_VALUES] = {0};
	bool both = true;

	if (!log->tick)
		return;
	add_row(log, log->tick_ns);
	for (enum level_value v = LEVEL_GPU_UTIL; v <= LEVEL_GPU_MEMORY; v++) {
		if (!log->tick_count[v]) {
			both = false;
			continue;
		}
		mean[v] = log->tick_sum[v] * PARTS / log->tick_count[v];
		add_value(log, v, metric[v], PARTS, mean[v], log->tick_ns);
	}
	add_rounds(levels, log);
	log->held_idle += both &&
		is_held_idle(levels, log, mean[LEVEL_GPU_MEMORY], mean[LEVEL_GPU_UTIL]);
	log->tick = 0;
	memset(log->tick_sum, 0, sizeof log->tick_sum);
	memset(log->tick_count, 0, sizeof log->tick_count);
}

/* Of a GPU that is not asked for only its memory counts, as with gpu_tracker. */
static void take_gpu(const struct levels *levels, struct level_log *log, uint64_t tick,
	const struct sample_batch *batch, size_t row)
{
	bool asked =
		tool_asks_gpu(levels->asked, &levels->run->device[batch->device[row]]);

	if (log->tick != tick) {
		close_tick(levels, log);
		log->tick = tick;
		log->tick_ns = batch->t_ns[row];
	}
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum level_value value = value_of(column->metric);

		if (value >= LEVEL_VALUES || column->presence[row] != PRESENCE_VALUE ||
			(value == LEVEL_GPU_UTIL && !asked))
			continue;
		log->tick_sum[value] += column->value[row];
		log->tick_count[value]++;
	}
}

/* Busy is all but idle and waiting for I/O; guests are in user already. */
static bool read_ticks(
	const struct sample_batch *batch, size_t row, int64_t *busy, int64_t *whole)
{
	bool idle = false;

	*busy = *whole = 0;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		bool waits = column->metric == METRIC_cpu_idle_ticks ||
			column->metric == METRIC_cpu_iowait_ticks;

		if (column->presence[row] != PRESENCE_VALUE ||
			column->metric < METRIC_cpu_user_ticks ||
			column->metric >= METRIC_cpu_guest_ticks)
			continue;
		idle |= column->metric == METRIC_cpu_idle_ticks;
		*whole += column->value[row];
		*busy += waits ? 0 : column->value[row];
	}
	return idle;
}

/* The share of all CPUs since it was told last, as who asks for it now would be told. */
static void take_ticks(
	struct level_log *log, const struct sample_batch *batch, size_t row, bool counted)
{
	int64_t t_ns = batch->t_ns[row], busy, whole, least_ns;

	if (!read_ticks(batch, row, &busy, &whole))
		return;
	least_ns = batch->timed ? SHARE_LEAST_NS : 0;
	if (log->has_ticks && t_ns - log->ticks_ns >= 0 &&
		t_ns - log->ticks_ns < least_ns)
		return;
	if (log->has_ticks && t_ns >= log->ticks_ns && whole > log->whole &&
		busy >= log->busy && busy - log->busy <= whole - log->whole && counted)
		add_value(log, LEVEL_CPU, METRIC_cpu_busy_pct, PARTS,
			(int128)100 * metric_get(METRIC_cpu_busy_pct)->per_unit * PARTS *
				(busy - log->busy) / (whole - log->whole),
			t_ns);
	log->has_ticks = true;
	log->ticks_ns = t_ns;
	log->busy = busy;
	log->whole = whole;
}

/* The rates of counters since the row before; one that went back has none. */
static void take_counts(
	struct level_log *log, const struct sample_batch *batch, size_t row, bool counted)
{
	int64_t t_ns = batch->t_ns[row];

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum level_value v = value_of(column->metric);
		int128 rise;

		if (v < LEVEL_IO_READ || v == LEVEL_SUMS || !batch->timed ||
			column->presence[row] != PRESENCE_VALUE)
			continue;
		rise = (int128)column->value[row] - log->count[v];
		if (counted && log->has_count[v] && rise >= 0 && t_ns > log->count_ns[v])
			add_value(log, v, column->metric, PARTS,
				rise * NS_PER_S * PARTS / (t_ns - log->count_ns[v]),
				t_ns);
		log->has_count[v] = true;
		log->count[v] = column->value[row];
		log->count_ns[v] = t_ns;
	}
}

void levels_take(
	void *state, struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	struct levels *levels = state;
	const struct device *device = &levels->run->device[batch->device[row]];
	int level = level_of(batch->source, device);
	const int64_t *now[LEVEL_SUMS] = {NULL};
	int64_t t_ns = batch->t_ns[row];
	int64_t gpus = (int64_t)levels->run->of_kind[DEVICE_GPU].count;
	struct level_log *log;
	bool counted;

	if (level < 0)
		return;
	if (!levels->ready)
		prepare(levels, agg);
	log = &levels->log[level][batch->source];
	counted = counts(levels, batch->timed, t_ns);
	log->all_rows++;
	if (device->kind == DEVICE_CPU)
		take_ticks(log, batch, row, counted);
	if (device->kind == DEVICE_TREE)
		take_counts(log, batch, row, counted);
	if (!counted)
		return;
	if (device->kind == DEVICE_GPU) {
		take_gpu(levels, log, aggregate_rounds(agg, batch->source), batch, row);
		return;
	}
	add_row(log, t_ns);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum level_value value = value_of(column->metric);
		bool sum =
			column->metric == METRIC_tree_gpu_mem_mib; /* JUmPER: the mean */

		if (value >= LEVEL_IO_READ)
			continue;
		if (column->presence[row] == PRESENCE_MISSING)
			log->of[value].missing++;
		if (column->presence[row] != PRESENCE_VALUE || (sum && !gpus))
			continue;
		add_value(log, value, column->metric, sum ? gpus : 1, column->value[row],
			t_ns);
		now[value] = &column->value[row];
	}
	if (now[LEVEL_GPU_UTIL] && now[LEVEL_GPU_MEMORY])
		log->held_idle += is_held_idle(
			levels, log, *now[LEVEL_GPU_MEMORY], *now[LEVEL_GPU_UTIL]);
}

struct levels *levels_finish(struct aggregate *agg)
{
	struct levels *levels = aggregate_foreign(agg);

	if (!levels->ready)
		prepare(levels, agg);
	for (int level = 0; level < LEVELS_LOGGED; level++)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
			close_tick(levels, &levels->log[level][kind]);
	return levels;
}

const struct level_sum *levels_value(
	const struct levels *levels, int level, enum level_value value)
{
	for (size_t i = 0; i < PREFERRED; i++) {
		const struct level_sum *of = levels->log[level][preferred[i]].of;

		if (value == LEVEL_MEMORY && level != LEVEL_MAIN &&
			preferred[i] == SOURCE_PROCESS_TREE && of[value].n)
			return 2 * of[LEVEL_OWN_MEMORY].n >= of[value].n
				? &of[LEVEL_OWN_MEMORY]
				: NULL;
		if (value == LEVEL_GPU_MEMORY &&
			!peak_is_known(
				of[value].n, of[value].missing, (double)of[value].max))
			return NULL;
		if (of[value].n)
			return &of[value];
	}
	return NULL;
}

const struct level_log *levels_log(const struct levels *levels, int level)
{
	for (size_t i = 0; i < PREFERRED; i++)
		if (levels->log[level][preferred[i]].all_rows)
			return &levels->log[level][preferred[i]];
	return NULL;
}

const struct level_log *levels_held_log(const struct levels *levels, int level)
{
	for (size_t i = 0; i < PREFERRED; i++) {
		const struct level_log *log = &levels->log[level][preferred[i]];

		if (log->of[LEVEL_GPU_UTIL].n && log->of[LEVEL_GPU_MEMORY].n)
			return log;
	}
	return NULL;
}

const struct round_sums *levels_together(
	const struct levels *levels, enum level_value value, uint32_t path)
{
	size_t at = path;

	if (path == PHASE_NONE && levels->phases)
		at = phase_map_paths(levels->phases);
	for (size_t i = 0; i < PREFERRED; i++) {
		const struct level_log *log = &levels->log[JUMPER_SYSTEM][preferred[i]];

		if (log->together && log->together[at][value].n)
			return &log->together[at][value];
	}
	return NULL;
}
