/*
 * nvidia-smi --query-compute-apps and --query-accounted-apps: a row is a process that
 * has a context on a GPU. There is no quoting, and a process's name may hold commas,
 * so rows are read from both ends. A header without rows says that no process ran.
 *
 * All rows of a call have its time, to the millisecond: one listing. A process is
 * there once, unless two virtual GPUs are one's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cells.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/header_words.h"
#include "read/identity.h"
#include "read/log.h"

/* Processes as devices: found by GPU, pid and kind of context, named after them. */

void known_processes_release(struct known_processes *known)
{
	free(known->slot);
	*known = (struct known_processes){0};
}

static bool is_process(const struct device *device, uint32_t gpu, int32_t pid, bool draws)
{
	return device->index == pid && device->parent == (int32_t)gpu &&
		device->draws == draws;
}

/* The slot of a process, or the free one where it belongs. */
static uint32_t *slot_of(const struct known_processes *known, const struct run *run,
	uint32_t gpu, int32_t pid, bool draws)
{
	uint64_t key = ((uint64_t)gpu << 32 ^ (uint32_t)pid) << 1 | draws;
	size_t mask = known->slot_count - 1;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (known->slot[i] &&
		!is_process(&run->device[known->slot[i] - 1], gpu, pid, draws))
		i = (i + 1) & mask;
	return &known->slot[i];
}

/* Another log of the run may have met processes, too. */
static void catch_up(struct known_processes *known, const struct run *run)
{
	const struct device_list *list = &run->of_kind[DEVICE_PROCESS];

	if (2 * (list->count + 1) > known->slot_count) {
		known->slot_count = known->slot_count ? known->slot_count : 64;
		while (2 * (list->count + 1) > known->slot_count)
			known->slot_count *= 2;
		free(known->slot);
		known->slot = xcalloc(known->slot_count, sizeof *known->slot);
		known->count = 0;
	}
	while (known->count < list->count) {
		uint32_t index = list->at[known->count++];
		const struct device *device = &run->device[index];

		*slot_of(known, run, (uint32_t)device->parent, device->index,
			device->draws) = index + 1;
	}
}

static void name_process(const struct run *run, struct device *device, bool beside)
{
	const char *gpu = run->device[device->parent].name;

	if (device->index < 0)
		snprintf(device->name, sizeof device->name, "%.11s/?", gpu);
	else
		snprintf(device->name, sizeof device->name, "%.11s/%d%s", gpu,
			(int)device->index, beside && device->draws ? "/G" : "");
}

/* beside: the run's index of the other context of the same pid; IDENTITY_NONE */
static uint32_t add_process(
	struct run *run, const struct process_id *id, bool draws, uint32_t beside)
{
	struct device *device;

	if (run_count_devices(run, DEVICE_PROCESS) == IDENTITY_PROCESSES_MAX)
		return IDENTITY_NONE;
	device = run_add_device(run, DEVICE_PROCESS, id->pid);
	device->parent = (int32_t)id->gpu;
	device->draws = draws;
	name_process(run, device, beside != IDENTITY_NONE);
	if (beside != IDENTITY_NONE)
		name_process(run, &run->device[beside], true);
	return (uint32_t)(run->device_count - 1);
}

static uint32_t find_process(const struct known_processes *known, const struct run *run,
	const struct process_id *id, bool draws)
{
	return *slot_of(known, run, id->gpu, id->pid, draws) - 1;
}

uint32_t identity_process(
	struct known_processes *known, struct run *run, const struct process_id *id)
{
	bool draws = id->context == CONTEXT_DRAWS;
	struct device *device;
	uint32_t index, other;

	catch_up(known, run);
	index = find_process(known, run, id, draws);
	if (index == IDENTITY_NONE) {
		other = find_process(known, run, id, !draws);
		index = id->context == CONTEXT_ANY && other != IDENTITY_NONE
			? other
			: add_process(run, id, draws, other);
	}
	if (index == IDENTITY_NONE)
		return index;
	device = &run->device[index];
	if (!device->model && id->command.len)
		device->model = xstrndup(id->command.at, id->command.len);
	return index;
}

/* Where a process was listed last. */
struct listed {
	uint64_t listing; /* from 1; 0: nowhere */
	uint64_t instance; /* hash of the virtual GPU; 0: none */
};

struct apps_source {
	struct log *log;
	struct csv_row row;
	struct columns columns;
	struct known_gpus gpus;
	struct known_processes processes;
	bool header_pending;
	uint64_t listing; /* of the row, from 1 */
	int64_t listing_ns; /* its time */
	struct listed *listed; /* [listed_count] by the run's index of the device */
	size_t listed_count, listed_cap;
};

struct apps_row {
	int64_t t_ns;
	bool exact; /* its time is to the millisecond: that of a listing */
	struct gpu_id gpu;
	struct process_id process;
	struct span instance; /* of a virtual GPU */
};

/* A metric that only such a log has, or a pid beside a GPU or a metric. */
static bool is_header(const struct csv_row *row)
{
	bool pid = false, gpu = false, metric = false, memory = false;

	for (size_t i = 0; i < row->count; i++)
		memory |= span_begins(row->cell[i], "used_gpu_memory") ||
			span_begins(row->cell[i], "max_memory_usage");
	if (memory || row->count == 1)
		return memory; /* one name alone is no pair */
	for (size_t i = 0; i < row->count; i++) {
		struct span name = cell_strip_unit(row->cell[i]);
		enum role role = column_role(SOURCE_NVIDIA_APPS, name);

		pid |= role == ROLE_PID;
		gpu |= role == ROLE_UUID || role == ROLE_BUS_ID || role == ROLE_MODEL ||
			role == ROLE_INDEX;
		metric |= role == ROLE_METRIC && !span_is(name, "time");
	}
	return pid && (gpu || metric);
}

/* "pid,gpu_index,gpu_util,power_w": a script's of one process, and about the whole GPU.
 */
static bool is_about_gpus(const struct probe *probe)
{
	struct worded_header header;
	bool is;

	worded_header_init(&header);
	is = !probe->recast && worded_header_find(&header, probe) && !header.map &&
		(strstr(header.fields.text, "power.draw") ||
			strstr(header.fields.text, "temperature.gpu"));
	worded_header_release(&header);
	return is;
}

static int bid(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	bool found = false;

	for (size_t i = 0; i < probe->count && !found; i++) {
		csv_split_plain(&row, probe->line[i]);
		found = is_header(&row);
	}
	csv_row_release(&row);
	return found && !is_about_gpus(probe) ? 50 : 0;
}

static enum claim claims(struct span line)
{
	struct csv_row row = csv_row_new();
	bool header;

	csv_split_plain(&row, line);
	header = is_header(&row);
	csv_row_release(&row);
	return header ? CLAIM_ON : CLAIM_NONE;
}

static void name_columns(struct apps_source *apps, const struct csv_row *names)
{
	columns_clear(&apps->columns);
	for (size_t i = 0; i < names->count; i++)
		columns_add(
			&apps->columns, apps->log, SOURCE_NVIDIA_APPS, names->cell[i]);
	apps->header_pending = true;
}

/* --columns, of a log without a header. */
static void use_columns(struct apps_source *apps, const char *list)
{
	struct csv_row names;

	names = csv_row_of(span_of(list));
	name_columns(apps, &names);
	csv_row_release(&names);
}

static bool take_mapped_header(struct apps_source *apps, struct span line)
{
	const struct file_facts *facts = &apps->log->facts;

	if (!facts->map || apps->log->opt->columns ||
		!span_is(line, facts->worded_header))
		return false;
	apps->row.separator = table_map_separator(facts->map, line);
	use_columns(apps, facts->worded_fields);
	log_note(apps->log, false, "mapped-header", SPAN_NONE, "header read as: %s",
		facts->worded_as);
	return true;
}

/* A row of a GPU on which nothing runs. */
static bool lists_nothing(const struct apps_source *apps)
{
	const struct columns *columns = &apps->columns;

	for (size_t i = 0; i < columns->count; i++)
		if ((columns->at[i].role == ROLE_PID ||
			    columns->at[i].role == ROLE_METRIC) &&
			!cell_is_missing(apps->row.cell[i]))
			return false;
	return apps->log->facts.map && columns_have(columns, ROLE_PID);
}

/* The cells of a line that says what it should; false: it was a header, or is refused. */
static bool accept_cells(struct apps_source *apps, struct span line)
{
	struct csv_row *row = &apps->row;

	if (take_mapped_header(apps, line) || table_map_skips(apps->log->facts.map, line))
		return false;
	if (apps->log->recast || apps->log->facts.map)
		csv_split(row, line);
	else
		csv_split_plain(row, line);
	if (is_header(row)) {
		columns_cut_glued(apps->log, SOURCE_NVIDIA_APPS, row, line);
		name_columns(apps, row);
		return false;
	}
	if (!apps->columns.count && apps->log->opt->columns)
		use_columns(apps, apps->log->opt->columns);
	if (!apps->columns.count) {
		log_refuse(apps->log, "no-header",
			"row before any header: '%s'. Name the fields with --columns "
			"(row skipped)",
			log_quote(line).text);
		return false;
	}
	if (row->count > apps->columns.count)
		(void)(columns_join(&apps->columns, row, ROLE_COMMAND) ||
			columns_join(&apps->columns, row, ROLE_MODEL));
	return columns_count_row(&apps->columns, apps->log, row, line);
}

/* False: refused. */
static bool read_ids(struct apps_source *apps, struct apps_row *row)
{
	const struct columns *columns = &apps->columns;
	const struct span *cell = apps->row.cell;
	size_t time;

	*row = (struct apps_row){
		.gpu = {.index = -1, .place = -1, .host = apps->log->line_host},
		.process = {.pid = -1, .context = CONTEXT_ANY},
		.instance = columns_cell(columns, cell, ROLE_INSTANCE)};
	if (!columns_line_time(&apps->columns, apps->log, &row->t_ns))
		return false;
	time = columns_of(columns, ROLE_TIME);
	if (time < columns->count) {
		if (!columns_time(apps->log, cell[time], &row->t_ns))
			return false;
		row->exact = memchr(cell[time].at, '.', cell[time].len) != NULL;
	}
	columns_read_gpu(columns, apps->log, cell, &row->gpu);
	return columns_read_process(columns, apps->log, cell, &row->process);
}

static void check_listing(
	struct apps_source *apps, const struct apps_row *row, uint32_t device)
{
	uint64_t instance =
		row->instance.len ? span_hash(row->instance, SPAN_HASH) | 1 : 0;
	struct listed *listed;

	if (!row->exact)
		return;
	if (!apps->listing || row->t_ns != apps->listing_ns || apps->header_pending)
		apps->listing++;
	apps->listing_ns = row->t_ns;
	ALLOC_AT(apps->listed, device, apps->listed_count, apps->listed_cap);
	listed = &apps->listed[device];
	if (listed->listing == apps->listing && listed->instance == instance)
		log_note(apps->log, true, "same-process", SPAN_NONE,
			"%s is listed twice at the same time (both rows are counted)",
			apps->log->run->device[device].name);
	*listed = (struct listed){apps->listing, instance};
}

static void add_row(struct apps_source *apps, struct sample_batch *batch)
{
	struct log *log = apps->log;
	struct apps_row row;
	struct process_id *process = &row.process;
	struct gpu_id *gpu = &row.gpu;
	uint32_t device;

	if (lists_nothing(apps) || !read_ids(apps, &row))
		return;
	if (!columns_accept_row(&apps->columns, log))
		return;
	if (!gpu->uuid.len && !gpu->bus_id.len && !gpu->serial.len && gpu->index < 0) {
		log_note(log, false, "no-gpu", SPAN_NONE,
			"rows without a GPU id are assigned to the first GPU");
		gpu->place = 0;
		gpu->first = true;
	}
	if (process->pid < 0 && columns_have(&apps->columns, ROLE_PID)) {
		log_refuse(log, "no-id", "row without a pid (row skipped)");
		return;
	}
	if (process->pid < 0)
		log_note(log, false, "no-pid", SPAN_NONE,
			"rows without a pid are read as one process");
	device = process->gpu = identity_gpu_again(&apps->gpus, log->run, gpu);
	if (device == IDENTITY_DAMAGED) {
		log_refuse(log, "no-id", "row without a GPU id (row skipped)");
		return;
	}
	if (device != IDENTITY_NONE)
		device = identity_process(&apps->processes, log->run, process);
	if (device == IDENTITY_NONE) {
		log_refuse(log, "too-many",
			"more than %d GPUs or %d processes (row skipped)",
			IDENTITY_GPUS_MAX, IDENTITY_PROCESSES_MAX);
		return;
	}
	if (process->pid >= 0)
		check_listing(apps, &row, device);
	batch->timed = apps->columns.timed;
	batch->listed = row.exact;
	columns_put_row(&apps->columns, log, batch, apps->columns.timed ? row.t_ns : 0,
		device, &apps->header_pending, apps->row.cell);
}

static void apps_fill(void *state, struct sample_batch *batch)
{
	struct apps_source *apps = state;
	struct span line;

	apps->columns.bound = false;
	while (!sample_batch_full(batch) && log_line(apps->log, &line))
		if (!columns_take_clock(&apps->columns, apps->log, line) &&
			accept_cells(apps, line))
			add_row(apps, batch);
}

static void apps_end(void *state)
{
	struct apps_source *apps = state;

	csv_row_release(&apps->row);
	columns_release(&apps->columns);
	known_processes_release(&apps->processes);
	free(apps->listed);
}

static void apps_begin(void *state, enum source_kind kind)
{
	struct apps_source *apps = state;

	(void)kind;
	apps->row = csv_row_new();
}

const struct format format_nvidia_apps = {.kind = SOURCE_NVIDIA_APPS,
	.bid = bid,
	.claims = claims,
	.state_size = sizeof(struct apps_source),
	.begin = apps_begin,
	.fill = apps_fill,
	.end = apps_end};
