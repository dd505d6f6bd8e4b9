/* Rows about the host: their devices, and what the values of a row tell besides. */
#include "read/host_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

void host_rows_release(struct host_rows *rows)
{
	free(rows->group);
	free(rows->seen);
}

static size_t find_group(struct host_rows *rows, enum device_kind kind, int32_t cpu)
{
	size_t i = 0;

	while (i < rows->count &&
		(rows->group[i].kind != kind || rows->group[i].cpu != cpu))
		i++;
	if (i == rows->count) {
		ALLOC_NEXT(rows->group, rows->count, rows->cap) =
			(struct host_group){kind, cpu};
	}
	return i;
}

/* Single CPUs stand behind the others, where all CPUs together say which row it is. */
static void add_groups(struct host_rows *rows, struct columns *columns, bool single)
{
	for (size_t i = 0; i < columns->count; i++) {
		struct column *column = &columns->at[i];
		enum device_kind kind;
		int32_t cpu;

		if (column->role != ROLE_METRIC)
			continue;
		kind = metric_get(column->binding->metric)->device;
		cpu = kind == DEVICE_CPU ? column->part - 1 : -1;
		if ((cpu >= 0) == single)
			find_group(rows, kind, cpu);
	}
}

void host_rows_bind(struct host_rows *rows, struct columns *columns)
{
	bool total = false;

	rows->count = 0;
	add_groups(rows, columns, false);
	add_groups(rows, columns, true);
	for (size_t i = 0; i < columns->count; i++) {
		struct column *column = &columns->at[i];
		enum device_kind kind;
		int32_t cpu = column->part - 1;

		column->part = 0;
		if (column->role != ROLE_METRIC)
			continue;
		kind = metric_get(column->binding->metric)->device;
		column->part =
			(int32_t)find_group(rows, kind, kind == DEVICE_CPU ? cpu : -1) +
			1;
	}
	for (size_t i = 0; i < rows->count; i++)
		total |= rows->group[i].kind == DEVICE_CPU && rows->group[i].cpu < 0;
	rows->without_total =
		!total && rows->count && rows->group[rows->count - 1].kind == DEVICE_CPU;
	columns->in_parts = true;
	columns->has_id = false; /* which GPU a row is about is of no use */
}

static uint64_t hash_id(const struct gpu_id *id)
{
	uint64_t hash = SPAN_HASH + (uint64_t)(id->index + 1);

	if (id->uuid.len)
		hash = span_hash(id->uuid, hash);
	if (id->bus_id.len)
		hash = span_hash(id->bus_id, hash);
	return hash;
}

bool host_rows_begin_round(
	struct host_rows *rows, const struct gpu_id *id, bool timed, int64_t t_ns)
{
	uint64_t hash = hash_id(id);
	bool named = id->index >= 0 || id->uuid.len || id->bus_id.len;
	bool begins = !rows->any || (!named && (!timed || t_ns != rows->last_ns));

	for (size_t i = 0; i < rows->seen_count && named; i++)
		begins |= rows->seen[i] == hash;
	if (begins)
		rows->seen_count = 0;
	ALLOC_NEXT(rows->seen, rows->seen_count, rows->seen_cap) = hash;
	if (begins)
		rows->last_ns = t_ns;
	rows->any = true;
	return begins;
}

/* The CPU that the row says it is about; -1: all, or it says nothing. */
static int32_t cpu_of_row(const struct columns *columns, const struct span *cell)
{
	int32_t cpu = -1;

	(void)cell_read_index(columns_cell(columns, cell, ROLE_CPU), &cpu);
	return cpu;
}

static uint32_t device_of(const struct host_group *group, int32_t cpu, struct run *run)
{
	if (group->kind == DEVICE_CPU)
		return identity_cpu(run, group->cpu < 0 ? cpu : group->cpu);
	return group->kind == DEVICE_TREE ? identity_named(run, DEVICE_TREE, "combined")
					  : identity_host(run);
}

/* The value of a metric in a row; false: it has none. */
static bool value_of(const struct sample_batch *batch, size_t row, enum metric_id metric,
	int64_t *value)
{
	const struct sample_column *column = sample_batch_find(batch, metric);

	if (!sample_column_has(column, row))
		return false;
	*value = column->value[row];
	return true;
}

/* Unless the table has it. */
static void derive(
	struct sample_batch *batch, size_t row, enum metric_id metric, int64_t value)
{
	const struct sample_column *column = sample_batch_find(batch, metric);

	if (!column || column->presence[row] == PRESENCE_ABSENT)
		sample_batch_put_metric(batch, row, metric, value);
}

static void derive_shares(struct sample_batch *batch, size_t row)
{
	int64_t whole = 100 * metric_get(METRIC_cpu_busy_pct)->per_unit;
	int64_t idle, iowait = 0, user, nice, kernel, irq, softirq;

	value_of(batch, row, METRIC_cpu_iowait_pct, &iowait);
	if (value_of(batch, row, METRIC_cpu_idle_pct, &idle) && idle >= 0 &&
		iowait >= 0 && idle + iowait <= whole)
		derive(batch, row, METRIC_cpu_busy_pct, whole - idle - iowait);
	if (value_of(batch, row, METRIC_cpu_user_pct, &user) &&
		value_of(batch, row, METRIC_cpu_nice_pct, &nice))
		derive(batch, row, METRIC_cpu_usr_pct, user + nice);
	if (value_of(batch, row, METRIC_cpu_system_pct, &kernel) &&
		value_of(batch, row, METRIC_cpu_irq_pct, &irq) &&
		value_of(batch, row, METRIC_cpu_softirq_pct, &softirq))
		derive(batch, row, METRIC_cpu_sys_pct, kernel + irq + softirq);
}

static void derive_memory(struct sample_batch *batch, size_t row)
{
	int64_t whole = 100 * metric_get(METRIC_ram_used_pct)->per_unit;
	int64_t total, available, used, share;

	if (value_of(batch, row, METRIC_ram_total_mib, &total)) {
		if (value_of(batch, row, METRIC_ram_available_mib, &available))
			derive(batch, row, METRIC_ram_used_mib, total - available);
		else if (value_of(batch, row, METRIC_ram_used_pct, &share))
			derive(batch, row, METRIC_ram_used_mib,
				(int64_t)((int128)total * share / whole));
	}
	if (value_of(batch, row, METRIC_swap_total_mib, &total) &&
		value_of(batch, row, METRIC_swap_used_mib, &used))
		derive(batch, row, METRIC_swap_free_mib, total - used);
}

/* All CPUs together, where only single ones have columns: the mean of the rows behind it.
 */
static void fill_total(struct sample_batch *batch, size_t total)
{
	int64_t sum = 0, count = 0, value;

	for (size_t row = total + 1; row < batch->rows; row++)
		if (value_of(batch, row, METRIC_cpu_busy_pct, &value))
			sum += value, count++;
	if (count)
		sample_batch_put_metric(batch, total, METRIC_cpu_busy_pct, sum / count);
}

void host_rows_put(struct host_rows *rows, struct columns *columns, struct log *log,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending,
	const struct span *cell)
{
	int32_t cpu = cpu_of_row(columns, cell);
	size_t total = batch->rows;

	if (rows->without_total)
		columns_begin_row(columns, log, batch, t_ns, identity_cpu(log->run, -1),
			header_pending);
	for (size_t i = 0; i < rows->count; i++) {
		const struct host_group *group = &rows->group[i];

		columns->part = (int32_t)i + 1;
		columns_put_row(columns, log, batch, t_ns,
			device_of(group, cpu, log->run), header_pending, cell);
		if (group->kind == DEVICE_CPU)
			derive_shares(batch, batch->rows - 1);
		else if (group->kind == DEVICE_HOST)
			derive_memory(batch, batch->rows - 1);
	}
	if (rows->without_total)
		fill_total(batch, total);
}
