/* Names of files, and to whom their lines go. */
#include "read/host_snapshot.h"

#include <string.h>

#include "read/host_facts.h"

/* The files that are known by their whole path. */
static const struct {
	const char *path;
	enum host_file file;
	bool once;
} whole_paths[] = {
	{"/proc/loadavg", HOST_LOADAVG, false},
	{"/proc/pressure/cpu", HOST_PRESSURE_CPU, false},
	{"/proc/pressure/memory", HOST_PRESSURE_MEMORY, false},
	{"/proc/pressure/io", HOST_PRESSURE_IO, false},
	{"/proc/diskstats", HOST_DISKS, false},
	{"/proc/net/dev", HOST_NET, false},
	{"/proc/self/limits", HOST_LIMITS, true},
	{"/proc/self/cgroup", HOST_GROUP_NAMES, true},
	{"/proc/sys/kernel/random/boot_id", HOST_BOOT, true},
};

#define WHOLE_PATHS (sizeof whole_paths / sizeof whole_paths[0])

/* The last parts of names: of those that are not used, and of those that come once. */
static const char *const unused[] = {"memory.peak", "memory.max_usage_in_bytes",
	"io.stat", "memory.high", "memory.swap.max", "pids.max", "pids.current"};
static const char *const told_once[] = {"memory.max", "memory.limit_in_bytes", "cpu.max",
	"cpu.cfs_quota_us", "cpu.cfs_period_us", "cpuset.cpus.effective",
	"cpuset.effective_cpus", "memory.high", "memory.swap.max", "pids.max", "name",
	"max_energy_range_uj"};

static bool ends_with_any(struct span path, const char *const *name, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(name[i]);

		if (path.len > len && path.at[path.len - len - 1] == '/' &&
			memcmp(path.at + path.len - len, name[i], len) == 0)
			return true;
	}
	return false;
}

#define ENDS_WITH(path, names) ends_with_any(path, names, sizeof(names) / sizeof *(names))

static bool is_cpuset(struct span path)
{
	static const char *const names[] = {
		"cpuset.cpus.effective", "cpuset.effective_cpus"};

	return host_group_is(path) && ENDS_WITH(path, names);
}

/* Of the files that are known: should each snapshot have it? */
static bool comes_again(struct span path)
{
	for (size_t i = 0; i < WHOLE_PATHS; i++)
		if (span_is(path, whole_paths[i].path))
			return !whole_paths[i].once;
	return !ENDS_WITH(path, told_once);
}

bool host_file_cut(struct span line, struct span *path)
{
	if (!span_begins(line, "> /"))
		return false;
	*path = (struct span){line.at + 2, line.len - 2};
	return true;
}

enum host_file host_file_of(struct span path, bool *used)
{
	struct group_file group;
	struct span zone, file;

	*used = true;
	for (size_t i = 0; i < WHOLE_PATHS; i++)
		if (span_is(path, whole_paths[i].path))
			return whole_paths[i].file;
	if (host_energy_cut(path, &zone, &file))
		return HOST_ENERGY;
	if (is_cpuset(path))
		return HOST_CPUSET;
	if (host_group_cut(path, &group))
		return HOST_GROUP;
	*used = !host_group_is(path) || !ENDS_WITH(path, unused);
	return HOST_NONE;
}

void host_snapshot_init(struct host_snapshot *snapshot)
{
	*snapshot = (struct host_snapshot){.file = HOST_NONE};
	strbuf_init(&snapshot->name);
}

void host_snapshot_release(struct host_snapshot *snapshot)
{
	host_parts_release(&snapshot->disks);
	host_parts_release(&snapshot->interfaces);
	strbuf_release(&snapshot->name);
}

void host_snapshot_clear(struct host_snapshot *snapshot)
{
	snapshot->files.count = 0;
	strbuf_clear(&snapshot->name);
	snapshot->file = HOST_NONE;
	snapshot->lines = 0;
	snapshot->has_load1 = false;
	memset(snapshot->has_pressure, 0, sizeof snapshot->has_pressure);
	host_parts_clear(&snapshot->disks);
	host_parts_clear(&snapshot->interfaces);
	host_energy_clear(&snapshot->energy);
	host_groups_clear(&snapshot->groups);
}

static bool has_file(const struct host_files *files, uint64_t id)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->at[i].id == id)
			return true;
	return false;
}

static bool add_file(struct host_files *files, struct span path, bool known)
{
	uint64_t id = span_hash(path, SPAN_HASH);

	if (has_file(files, id))
		return false;
	if (files->count < HOST_FILES_MAX) {
		files->at[files->count].id = id;
		files->at[files->count++].again = known && comes_again(path);
	}
	return true;
}

bool host_snapshot_open(struct host_snapshot *snapshot, struct span path)
{
	bool used;

	strbuf_clear(&snapshot->name);
	strbuf_add(&snapshot->name, path.at, path.len);
	path = (struct span){snapshot->name.text, snapshot->name.len};
	snapshot->file = host_file_of(path, &used);
	snapshot->lines = 0;
	if (snapshot->file == HOST_ENERGY)
		host_energy_cut(path, &snapshot->zone, &snapshot->zone_file);
	if (snapshot->file == HOST_GROUP)
		host_group_cut(path, &snapshot->group);
	if (snapshot->file == HOST_DISKS)
		snapshot->disk = (struct disk_line){.whole = ""};
	return add_file(&snapshot->files, path, snapshot->file != HOST_NONE || !used);
}

static bool take_pressure(struct host_snapshot *snapshot, struct span line)
{
	size_t which = (size_t)(snapshot->file - HOST_PRESSURE_CPU);
	int64_t total_us;
	bool full;

	if (!host_take_pressure(line, &full, &total_us) ||
		snapshot->has_pressure[which][full])
		return false;
	snapshot->has_pressure[which][full] = true;
	snapshot->pressure_us[which][full] = total_us;
	return true;
}

static bool take_loadavg(struct host_snapshot *snapshot, struct span line)
{
	snapshot->has_load1 = host_take_loadavg(
		line, metric_get(METRIC_load1)->per_unit, &snapshot->load1);
	return snapshot->has_load1;
}

static bool take_line(struct host_snapshot *snapshot, struct run *run, struct span line)
{
	bool first = snapshot->lines == 0;

	switch (snapshot->file) {
	case HOST_NONE: /* right under a marker nothing stands */
		return snapshot->name.len > 0;
	case HOST_LOADAVG:
		return first && take_loadavg(snapshot, line);
	case HOST_PRESSURE_CPU:
	case HOST_PRESSURE_MEMORY:
	case HOST_PRESSURE_IO:
		return take_pressure(snapshot, line);
	case HOST_DISKS:
		return host_take_disk(&snapshot->disk, &snapshot->disks, line);
	case HOST_NET:
		return host_take_interface(&snapshot->interfaces, line);
	case HOST_LIMITS:
		host_fact_limit(run, line);
		return true;
	case HOST_GROUP_NAMES:
		host_fact_group(run, line);
		return true;
	case HOST_BOOT:
		host_fact_boot(run, line);
		return first;
	case HOST_CPUSET:
		host_fact_cpus(run, line);
		return first;
	case HOST_ENERGY:
		return first &&
			host_energy_take(&snapshot->energy, snapshot->zone,
				snapshot->zone_file, line);
	case HOST_GROUP:
		return host_groups_take(&snapshot->groups, &snapshot->group, line, first);
	}
	return false;
}

bool host_snapshot_take(struct host_snapshot *snapshot, struct run *run, struct span line)
{
	bool sound = take_line(snapshot, run, line);

	snapshot->lines++;
	return sound;
}

bool host_snapshot_drop_sum(struct host_snapshot *snapshot, bool torn)
{
	struct host_parts *parts = snapshot->file == HOST_DISKS ? &snapshot->disks
		: snapshot->file == HOST_NET			? &snapshot->interfaces
								: NULL;

	if (!parts || !parts->count || (!torn && host_parts_whole(parts)))
		return false;
	host_parts_clear(parts);
	return true;
}

bool host_snapshot_is_cut(const struct host_snapshot *snapshot)
{
	if (snapshot->before.count && snapshot->file != HOST_NONE && !snapshot->lines)
		return true;
	for (size_t i = 0; i < snapshot->before.count; i++)
		if (snapshot->before.at[i].again &&
			!has_file(&snapshot->files, snapshot->before.at[i].id))
			return true;
	return false;
}

/* What came up only now may go again, as a name with a wrong letter in it does. */
void host_snapshot_keep(struct host_snapshot *snapshot)
{
	for (size_t i = 0; snapshot->before.count && i < snapshot->files.count; i++)
		snapshot->files.at[i].again &=
			has_file(&snapshot->before, snapshot->files.at[i].id);
	snapshot->before = snapshot->files;
}
