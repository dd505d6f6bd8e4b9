/* Which number of a snapshot is which metric of whom. */
#include "read/host_rows.h"

#include "read/identity.h"

static void put(
	struct sample_batch *batch, size_t row, enum metric_id metric, int64_t quanta)
{
	sample_batch_put(batch, row, sample_batch_column(batch, metric), quanta);
}

static void put_parts(
	struct host_snapshot *snapshot, struct sample_batch *batch, size_t row)
{
	int64_t sum[HOST_PART_VALUES];

	if (host_parts_sum(&snapshot->disks, sum)) {
		put(batch, row, METRIC_host_disk_read_mib, sum[DISK_READ]);
		put(batch, row, METRIC_host_disk_write_mib, sum[DISK_WRITTEN]);
		put(batch, row, METRIC_host_disk_requests, sum[DISK_REQUESTS]);
		put(batch, row, METRIC_host_disk_wait_s, sum[DISK_WAIT_MS]);
		put(batch, row, METRIC_host_disk_busy_s, sum[DISK_BUSY_MS]);
	}
	if (host_parts_sum(&snapshot->interfaces, sum)) {
		put(batch, row, METRIC_host_net_rx_mib, sum[NET_RECEIVED]);
		put(batch, row, METRIC_host_net_tx_mib, sum[NET_SENT]);
	}
}

static void put_energy(struct host_snapshot *snapshot, struct sample_batch *batch,
	size_t row, int64_t t_ns)
{
	static const enum metric_id metric[ENERGY_OF_COUNT] = {
		[ENERGY_PACKAGE] = METRIC_cpu_energy_j,
		[ENERGY_DRAM] = METRIC_dram_energy_j};
	bool known[ENERGY_OF_COUNT];
	int64_t uj[ENERGY_OF_COUNT];

	host_energy_sum(&snapshot->energy, t_ns, known, uj);
	for (int of = 0; of < ENERGY_OF_COUNT; of++)
		if (known[of])
			put(batch, row, metric[of], uj[of]);
}

/* All processors at once never wait for one of them, so there is no such number. */
static void put_pressure(
	const struct host_snapshot *snapshot, struct sample_batch *batch, size_t row)
{
	static const enum metric_id metric[HOST_PRESSURES][2] = {
		{METRIC_psi_cpu_some_s, METRIC_none},
		{METRIC_psi_mem_some_s, METRIC_psi_mem_full_s},
		{METRIC_psi_io_some_s, METRIC_psi_io_full_s}};

	for (size_t i = 0; i < HOST_PRESSURES; i++)
		for (size_t full = 0; full < 2; full++)
			if (snapshot->has_pressure[i][full] &&
				metric[i][full] != METRIC_none)
				put(batch, row, metric[i][full],
					snapshot->pressure_us[i][full]);
}

/* What a group says, if there is one and it says so. */
static void put_value(struct sample_batch *batch, size_t row, enum metric_id metric,
	const struct host_group *group, enum group_value value)
{
	int64_t number;

	if (group && host_group_value(group, value, &number))
		put(batch, row, metric, number);
}

/* Memory and processors may be of two groups: of those that limit them. */
static void put_group(struct sample_batch *batch, size_t row,
	const struct host_group *memory, const struct host_group *cpu)
{
	put_value(batch, row, METRIC_cgroup_mem_used_mib, memory, GROUP_MEM_USED);
	put_value(batch, row, METRIC_cgroup_mem_limit_mib, memory, GROUP_MEM_LIMIT);
	put_value(batch, row, METRIC_cgroup_oom_kills, memory, GROUP_OOM_KILLS);
	put_value(batch, row, METRIC_cgroup_cpu_s, cpu, GROUP_CPU_US);
	put_value(batch, row, METRIC_cgroup_throttled_s, cpu, GROUP_THROTTLED_US);
	put_value(batch, row, METRIC_cgroup_periods, cpu, GROUP_PERIODS);
	put_value(batch, row, METRIC_cgroup_throttled_periods, cpu, GROUP_THROTTLED);
	if (cpu && host_group_cpus(cpu) >= 0)
		put(batch, row, METRIC_cgroup_cpu_limit, host_group_cpus(cpu));
}

void host_rows_put(struct host_snapshot *snapshot, struct run *run,
	struct sample_batch *batch, int64_t t_ns, uint64_t line)
{
	static const char *const name[GROUP_LEVELS] = {
		[GROUP_ANY] = "cgroup", [GROUP_JOB] = "job", [GROUP_USER] = "user"};
	size_t row = sample_batch_add(batch, t_ns, identity_host(run));

	batch->timed = true;
	batch->line[row] = line;
	if (snapshot->has_load1)
		put(batch, row, METRIC_load1, snapshot->load1);
	put_pressure(snapshot, batch, row);
	put_parts(snapshot, batch, row);
	put_energy(snapshot, batch, row, t_ns);
	for (enum group_level level = 0; level < GROUP_LEVELS; level++) {
		const struct host_group *group =
			host_groups_level(&snapshot->groups, level);
		bool inner = level == GROUP_ANY;

		if (!group)
			continue;
		row = sample_batch_add(
			batch, t_ns, identity_named(run, DEVICE_GROUP, name[level]));
		batch->line[row] = line;
		put_group(batch, row,
			inner ? host_groups_memory(&snapshot->groups) : group,
			inner ? host_groups_cpu(&snapshot->groups) : group);
	}
}
