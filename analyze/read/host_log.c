/*
 * What the host and the control groups of the command did: snapshots of the kernel's
 * files, a marker line with the clocks ("# t=... mono=... boot=...") over ">
 * /proc/loadavg" and the lines of that file, and so on. The first one has the limits
 * too, which hold from then on. A snapshot with a line that is damaged is lost as a
 * whole; so is the last one of the log if it lacks a file that the one before has: the
 * recorder was stopped in it.
 */
#include "read/host_snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "model/sample.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

#define HOST_ROWS_MAX (1 + GROUP_LEVELS) /* of a snapshot */

/*
 * A sound snapshot of host.log as rows: one of the host, one of the control group, and
 * one of the group of a job and of a user, where there is such a group.
 *
 * Which number of a snapshot is which metric of whom.
 */

static void put_parts(
	struct host_snapshot *snapshot, struct sample_batch *batch, size_t row)
{
	int64_t sum[HOST_PART_VALUES];

	if (host_parts_sum(&snapshot->disks, sum)) {
		sample_batch_put_metric(
			batch, row, METRIC_host_disk_read_mib, sum[DISK_READ]);
		sample_batch_put_metric(
			batch, row, METRIC_host_disk_write_mib, sum[DISK_WRITTEN]);
		sample_batch_put_metric(
			batch, row, METRIC_host_disk_requests, sum[DISK_REQUESTS]);
		sample_batch_put_metric(
			batch, row, METRIC_host_disk_wait_s, sum[DISK_WAIT_MS]);
		sample_batch_put_metric(
			batch, row, METRIC_host_disk_busy_s, sum[DISK_BUSY_MS]);
	}
	if (host_parts_sum(&snapshot->interfaces, sum)) {
		sample_batch_put_metric(
			batch, row, METRIC_host_net_rx_mib, sum[NET_RECEIVED]);
		sample_batch_put_metric(
			batch, row, METRIC_host_net_tx_mib, sum[NET_SENT]);
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
			sample_batch_put_metric(batch, row, metric[of], uj[of]);
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
				sample_batch_put_metric(batch, row, metric[i][full],
					snapshot->pressure_us[i][full]);
}

/* What a group says, if there is one and it says so. */
static void put_value(struct sample_batch *batch, size_t row, enum metric_id metric,
	const struct host_group *group, enum group_value value)
{
	int64_t number;

	if (group && host_group_value(group, value, &number))
		sample_batch_put_metric(batch, row, metric, number);
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
		sample_batch_put_metric(
			batch, row, METRIC_cgroup_cpu_limit, host_group_cpus(cpu));
}

/* Takes the snapshot in, too: what it says counts for the next ones. */
static void host_rows_put(struct host_snapshot *snapshot, struct run *run,
	struct sample_batch *batch, int64_t t_ns, uint64_t line)
{
	static const char *const name[GROUP_LEVELS] = {
		[GROUP_ANY] = "cgroup", [GROUP_JOB] = "job", [GROUP_USER] = "user"};
	size_t row = sample_batch_add(batch, t_ns, identity_host(run));

	batch->timed = true;
	batch->line[row] = line;
	if (snapshot->has_load1)
		sample_batch_put_metric(batch, row, METRIC_load1, snapshot->load1);
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

struct host_source {
	struct sample_source source;
	struct log *log;
	struct marker marker;
	bool open, broken; /* the snapshot */
	bool told; /* the limits are facts of the run */
	uint64_t line; /* of its marker */
	struct host_snapshot snapshot;
};

static int bid(const struct probe *probe)
{
	struct span path;
	bool used;

	for (size_t i = 0; i < probe->count; i++)
		if (host_file_cut(probe->line[i], &path) &&
			host_file_of(path, &used) != HOST_NONE)
			return i && marker_is(probe->line[i - 1]) ? 90 : 70;
	return 0;
}

/* True: the snapshot was sound so far, and the caller says why it is not. */
static bool lose(struct host_source *s)
{
	bool was_sound = s->open && !s->broken;

	s->broken = true;
	return was_sound;
}

static void close_snapshot(struct host_source *s, struct sample_batch *batch)
{
	if (!s->open)
		return;
	s->open = false;
	if (s->broken || !s->snapshot.files.count)
		return;
	host_rows_put(&s->snapshot, s->log->run, batch, s->marker.t_ns, s->line);
	if (!s->told)
		host_fact_groups(s->log->run, &s->snapshot.groups);
	s->told = true;
	host_snapshot_keep(&s->snapshot);
	s->log->file->rows++;
}

static void open_snapshot(
	struct host_source *s, struct sample_batch *batch, struct span line)
{
	close_snapshot(s, batch);
	marker_read(&s->marker, s->log, batch, line);
	s->open = !s->marker.lost;
	s->broken = false;
	s->line = input_line_number(s->log->in);
	host_snapshot_clear(&s->snapshot);
}

/* No line of a file begins with "#", nor has this so early: "#,t=1773478800.25 mono=". */
static bool is_spoiled_marker(struct span line)
{
	for (size_t i = 0; i < 3 && i + 1 < line.len; i++)
		if (line.at[i] == 't' && line.at[i + 1] == '=')
			return true;
	return span_begins(line, "#");
}

/* What stands behind it has no place in time; the snapshot above it is whole. */
static void lose_marker(struct host_source *s, struct sample_batch *batch)
{
	close_snapshot(s, batch);
	if (!s->marker.lost)
		log_refuse(s->log, "no-time",
			"snapshot without its time marker (snapshot skipped)");
	s->marker.lost = true;
}

static void take_file(struct host_source *s, struct span path)
{
	bool used;

	if (!host_snapshot_open(&s->snapshot, path) && lose(s))
		log_refuse(s->log, "prose",
			"snapshot has the same file twice (snapshot skipped)");
	if (host_file_of(path, &used) == HOST_NONE && used)
		log_note(s->log, true, "unknown-file", path,
			"unknown file '%s' in the snapshot (ignored)",
			log_quote(path).text);
}

/* The log ends in the middle of the disks, or of the interfaces. */
static void drop_sum(struct host_source *s, bool torn)
{
	if (s->open && !s->broken && host_snapshot_drop_sum(&s->snapshot, torn))
		log_note(s->log, true, "torn-field", SPAN_NONE,
			"file ends inside %s, so lines may be missing (its values are "
			"ignored)",
			s->snapshot.name.text);
}

static void take_torn(struct host_source *s)
{
	drop_sum(s, true);
	log_refuse(s->log, "torn-line",
		"file ends without a newline, so its last line may be truncated (line "
		"skipped)");
}

static void take_line(struct host_source *s, struct sample_batch *batch, struct span line)
{
	struct span path;

	if (marker_is(line)) {
		open_snapshot(s, batch, line);
		return;
	}
	if (is_spoiled_marker(line) || (!s->marker.seen && !s->open)) {
		lose_marker(s, batch);
		return;
	}
	if (!s->open)
		return;
	if (input_line_torn(s->log->in))
		take_torn(s);
	else if (host_file_cut(line, &path))
		take_file(s, path);
	else if (!host_snapshot_take(&s->snapshot, s->log->run, line) && lose(s))
		log_refuse(s->log, "bad-value",
			"invalid line '%s' in %s (snapshot skipped)",
			log_quote(line).text,
			s->snapshot.name.len ? s->snapshot.name.text : "an unnamed file");
}

/* The log ends: was the last snapshot written to its end? */
static void take_end(struct host_source *s, struct sample_batch *batch)
{
	if (s->open && host_snapshot_is_cut(&s->snapshot) && lose(s))
		log_refuse(s->log, "torn-sample",
			"the last snapshot is incomplete (snapshot skipped)");
	drop_sum(s, false);
	close_snapshot(s, batch);
}

static uint64_t damage_said(const struct log *log)
{
	uint64_t count = 0;

	for (size_t i = 0; i < log->diags->count; i++)
		count += log->diags->at[i].damage ? log->diags->at[i].count : 0;
	return count;
}

/*
 * The next line. Of what could not be read of the log nobody knows whose line it was: the
 * snapshot may lack one. Nor has the kernel blank lines there, which are passed over: one
 * may have been cut off the line behind it.
 */
static bool next_line(struct host_source *s, struct span *line)
{
	uint64_t before = damage_said(s->log), at = input_line_number(s->log->in);

	if (!log_line(s->log, line))
		return false;
	if ((damage_said(s->log) > before || input_line_number(s->log->in) > at + 1) &&
		!marker_is(*line) && !is_spoiled_marker(*line) && lose(s))
		log_refuse(s->log, "torn-sample",
			"snapshot with an unreadable line (snapshot skipped)");
	return true;
}

/* A line may close a snapshot, so rows of the batch are kept free for the end. */
static int host_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct host_source *s = (struct host_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_HOST_LOG;
	batch->snapshots = true;
	while (batch->rows + 2 * HOST_ROWS_MAX <= SAMPLE_BATCH_ROWS) {
		if (!next_line(s, &line)) {
			take_end(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
	return batch->rows > 0;
}

static void host_free(struct sample_source *source)
{
	struct host_source *s = (struct host_source *)source;

	host_snapshot_release(&s->snapshot);
	clocks_end(&s->marker.clocks, s->log->run);
	log_free(s->log);
	free(s);
}

static struct sample_source *host_open(struct log *log)
{
	struct host_source *s = xcalloc(1, sizeof *s);

	s->source = (struct sample_source){host_next, host_free};
	s->log = log;
	host_snapshot_init(&s->snapshot);
	return &s->source;
}

const struct format format_host_log = {
	.kind = SOURCE_HOST_LOG, .bid = bid, .around = true, .open = host_open};
