/* Names of files, and to whom their lines go. */
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
#include "base/timestamp.h"
#include "model/run.h"

/* No sum of parts is larger: a double holds any whole number up to it. */
#define HOST_PART_SUM_MAX (INT64_C(1) << 53)

/* A list in the order of the snapshots, which is nearly always the same. */

static void host_parts_release(struct host_parts *parts)
{
	free(parts->part);
	*parts = (struct host_parts){0};
}

/* A snapshot begins: no part is here yet. */
static void host_parts_clear(struct host_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		parts->part[i].here = false;
	parts->next = 0;
}

static struct host_part *find_part(struct host_parts *parts, struct span name)
{
	for (size_t i = 0; i < parts->count; i++) {
		size_t at = (parts->next + i) % parts->count;

		if (span_is(name, parts->part[at].name)) {
			parts->next = at + 1;
			return &parts->part[at];
		}
	}
	return NULL;
}

static struct host_part *append(struct host_parts *parts, struct span name)
{
	struct host_part *part;

	ALLOC_GROW(parts->part, parts->count + 1, parts->cap);
	part = &parts->part[parts->count++];
	*part = (struct host_part){.here = false};
	memcpy(part->name, name.at, name.len);
	parts->next = parts->count;
	return part;
}

/* Letters, digits and what the kernel and its users put between them. */
static bool is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] | 0x20) >= 'a' && (name.at[i] | 0x20) <= 'z') &&
			!(name.at[i] >= '0' && name.at[i] <= '9') &&
			!memchr("!-._@", name.at[i], 5))
			return false;
	return name.len > 0 && name.len < HOST_PART_NAME;
}

/* A part of the snapshot. False: it is there already, or has no name that can be. */
static bool host_parts_add(
	struct host_parts *parts, struct span name, const int64_t now[HOST_PART_VALUES])
{
	struct host_part *part;

	if (!is_name(name))
		return false;
	part = find_part(parts, name);
	if (!part)
		part = append(parts, name);
	if (part->here)
		return false;
	part->here = true;
	memcpy(part->now, now, sizeof part->now);
	return true;
}

/* Is every part here that was there in the sound snapshots before, and was there one? */
static bool host_parts_whole(const struct host_parts *parts)
{
	bool any = false;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->part[i].known && !parts->part[i].here)
			return false;
		any |= parts->part[i].known;
	}
	return any;
}

static void take_in(struct host_part *part)
{
	for (int i = 0; part->known && i < HOST_PART_VALUES; i++)
		if (part->now[i] < part->last[i] &&
			__builtin_add_overflow(
				part->before[i], part->last[i], &part->before[i]))
			part->before[i] = INT64_MAX;
	memcpy(part->last, part->now, sizeof part->last);
	part->known = true;
}

bool host_parts_sum(struct host_parts *parts, int64_t sum[HOST_PART_VALUES])
{
	int128 all[HOST_PART_VALUES] = {0};
	bool here = false;

	for (size_t i = 0; i < parts->count; i++) {
		struct host_part *part = &parts->part[i];

		if (part->here)
			take_in(part);
		here |= part->here;
		for (int k = 0; k < HOST_PART_VALUES; k++)
			all[k] += (int128)part->before[k] + part->last[k];
	}
	for (int k = 0; k < HOST_PART_VALUES; k++) {
		if (all[k] > HOST_PART_SUM_MAX)
			return false;
		sum[k] = (int64_t)all[k];
	}
	return here;
}

/* Words and numbers; names of disks and of interfaces as the kernel gives them. */

#define NUMBER_MAX    (INT64_C(1) << 50)
#define NET_BYTES_MAX (INT64_C(1) << 60)
#define SECTOR	      512
#define DISK_WORDS    14 /* that every kernel has from Linux 2.6 on; later ones more */
#define NET_NUMBERS   16
#define NET_SENT_AT   8

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool number_up_to(struct span word, int64_t most, int64_t *value)
{
	uint64_t number;

	if (!number_unsigned(word, &number) || number > (uint64_t)most)
		return false;
	*value = (int64_t)number;
	return true;
}

/* A whole number that no sum of some thousand such ones makes overflow. */
static bool host_number(struct span word, int64_t *value)
{
	return number_up_to(word, NUMBER_MAX, value);
}

/* "1/94": how many threads run, of all. */
static bool is_ratio(struct span word)
{
	const char *slash = word.len ? memchr(word.at, '/', word.len) : NULL;
	int64_t value;

	return slash &&
		host_number((struct span){word.at, (size_t)(slash - word.at)}, &value) &&
		host_number((struct span){slash + 1,
				    (size_t)(word.at + word.len - slash - 1)},
			&value);
}

static bool host_take_loadavg(struct span line, int64_t per_unit, int64_t *load1)
{
	int64_t other;

	return number_scaled(span_word(&line), per_unit, load1) && *load1 >= 0 &&
		number_scaled(span_word(&line), 1, &other) &&
		number_scaled(span_word(&line), 1, &other) &&
		is_ratio(span_word(&line)) && host_number(span_word(&line), &other) &&
		!line.len;
}

/* "some avg10=0.43 avg60=1.22 avg300=1.44 total=37431818": microseconds. */
static bool host_take_pressure(struct span line, bool *full, int64_t *total_us)
{
	static const char *const averages[] = {"avg10=", "avg60=", "avg300="};
	struct span word = span_word(&line);
	int64_t value;

	*full = span_is(word, "full");
	if (!*full && !span_is(word, "some"))
		return false;
	for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
		word = span_word(&line);
		if (!span_begins(word, averages[i]))
			return false;
		word.at += strlen(averages[i]), word.len -= strlen(averages[i]);
		if (!number_scaled(word, 1, &value))
			return false;
	}
	word = span_word(&line);
	if (!span_begins(word, "total=") || line.len)
		return false;
	word.at += 6, word.len -= 6;
	return host_number(word, total_us);
}

/* "sda" and "sda1"; "nvme0n1" and "nvme0n1p2": partitions stand behind their disk. */
static bool is_partition(struct span name, const char *whole)
{
	size_t len = strlen(whole);

	if (!len || name.len <= len || !span_begins(name, whole))
		return false;
	name.at += len, name.len -= len;
	if (is_digit(name.at[-1])) {
		if (name.at[0] != 'p' || name.len < 2)
			return false;
		name.at++, name.len--;
	}
	for (size_t i = 0; i < name.len; i++)
		if (!is_digit(name.at[i]))
			return false;
	return true;
}

/* One of several paths to an NVMe disk that has a name of its own: "nvme0c1n1". */
static bool is_nvme_path(struct span name)
{
	return span_begins(name, "nvme") && memchr(name.at, 'c', name.len);
}

/*
 * Disks that are made of others, or of memory: what is read from them is read from
 * another one too, or from none.
 */
static bool is_made_of_others(struct span name)
{
	static const char *const kinds[] = {
		"loop", "ram", "zram", "dm-", "md", "drbd", "bcache", "zd"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (span_begins(name, kinds[i]))
			return true;
	return is_nvme_path(name);
}

/* The numbers of proc_diskstats(5), by their place behind the name. */
enum {
	READS,
	SECTORS_READ = 2,
	READ_MS,
	WRITES,
	SECTORS_WRITTEN = 6,
	WRITE_MS,
	BUSY_MS = 9
};

static bool host_take_disk(
	struct disk_line *before, struct host_parts *disks, struct span line)
{
	int64_t number[DISK_WORDS] = {0}, value;
	struct span name = {NULL, 0};
	int words = 0;

	for (; line.len; words++) {
		struct span word = span_word(&line);

		if (words == 2)
			name = word;
		else if (!host_number(word, &value))
			return false;
		else if (words > 2 && words < DISK_WORDS)
			number[words - 3] = value;
	}
	if (words < DISK_WORDS || name.len >= HOST_PART_NAME)
		return false;
	if (is_partition(name, before->whole))
		return true;
	(void)snprintf(
		before->whole, sizeof before->whole, "%.*s", (int)name.len, name.at);
	return is_made_of_others(name) ||
		host_parts_add(disks, name,
			(int64_t[HOST_PART_VALUES]){[DISK_READ] = number[SECTORS_READ],
				[DISK_WRITTEN] = number[SECTORS_WRITTEN],
				[DISK_REQUESTS] = number[READS] + number[WRITES],
				[DISK_WAIT_MS] = number[READ_MS] + number[WRITE_MS],
				[DISK_BUSY_MS] = number[BUSY_MS]});
}

/*
 * The host itself, and interfaces whose packets another one sends too: bridges and their
 * ports, tunnels, bonds of others, VLANs ("eth0.100").
 */
static bool is_made_of_interfaces(struct span name)
{
	static const char *const kinds[] = {"veth", "docker", "br-", "virbr", "vnet",
		"tap", "tun", "wg", "bond", "team", "dummy", "ifb", "cali", "cni",
		"flannel", "cilium", "lxc", "lxdbr", "vxlan", "geneve", "gre", "erspan",
		"sit", "ip6tnl", "ip6gre", "ip6_vti", "ip_vti", "tailscale", "zt",
		"nodelocaldns", "kube-", "podman", "ovs-", "vlan", "macvlan", "macvtap",
		"ipvlan", "nlmon", "teql", "vmnet"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (span_begins(name, kinds[i]))
			return true;
	return span_is(name, "lo") || memchr(name.at, '.', name.len) ||
		(span_begins(name, "br") && name.len > 2 && is_digit(name.at[2]));
}

/* The two lines of titles, "Inter-|   Receive ..." and " face |bytes ...". */
static bool is_title(struct span line)
{
	return span_begins(line, "Inter-|") || span_begins(line, "face |");
}

static bool host_take_interface(struct host_parts *interfaces, struct span line)
{
	const char *colon = line.len ? memchr(line.at, ':', line.len) : NULL;
	int64_t number[NET_NUMBERS];
	struct span name;
	int numbers = 0;

	if (is_title(line))
		return true;
	if (!colon)
		return false;
	name = (struct span){line.at, (size_t)(colon - line.at)};
	line = (struct span){colon + 1, line.len - name.len - 1};
	for (struct span word; (word = span_word(&line)).len; numbers++)
		if (numbers == NET_NUMBERS ||
			!number_up_to(word, NET_BYTES_MAX, &number[numbers]))
			return false;
	if (numbers != NET_NUMBERS || !name.len)
		return false;
	return is_made_of_interfaces(name) ||
		host_parts_add(interfaces, name,
			(int64_t[HOST_PART_VALUES]){[NET_RECEIVED] = number[0] / SECTOR,
				[NET_SENT] = number[NET_SENT_AT] / SECTOR});
}

/* Files by their names, groups by their paths. */

#define ROOT	  "/sys/fs/cgroup"
#define BYTES_MAX (INT64_C(1) << 52)

/* Version 1 writes its largest number for none. */
#define NO_LIMIT (UINT64_C(1) << 60)

enum group_form {
	FORM_NUMBER, /* one line, one number */
	FORM_LIMIT, /* ... or "max" */
	FORM_MAX, /* cpu.max: "max 100000", "150000 100000" */
	FORM_QUOTA, /* -1: none */
	FORM_KEYS /* "key number" lines */
};

static const struct {
	const char *name;
	enum group_form form;
	enum group_value value;
	int64_t per; /* so many of the file's unit are one of ours */
} groups_host_files[] = {
	{"memory.current", FORM_NUMBER, GROUP_MEM_USED, 1},
	{"memory.usage_in_bytes", FORM_NUMBER, GROUP_MEM_USED, 1},
	{"cpuacct.usage", FORM_NUMBER, GROUP_CPU_US, 1000},
	{"pids.current", FORM_NUMBER, GROUP_TASKS, 1},
	{"cpu.stat", FORM_KEYS, GROUP_VALUES, 1},
	{"memory.events", FORM_KEYS, GROUP_VALUES, 1},
	{"memory.max", FORM_LIMIT, GROUP_MEM_LIMIT, 1},
	{"memory.limit_in_bytes", FORM_LIMIT, GROUP_MEM_LIMIT, 1},
	{"cpu.max", FORM_MAX, GROUP_QUOTA_US, 1},
	{"cpu.cfs_quota_us", FORM_QUOTA, GROUP_QUOTA_US, 1},
	{"cpu.cfs_period_us", FORM_NUMBER, GROUP_PERIOD_US, 1},
};

#define FILES (sizeof groups_host_files / sizeof groups_host_files[0])

/* Of cpu.stat and memory.events those that count here; version 1 counts nanoseconds. */
static const struct {
	const char *name;
	enum group_value value;
	int64_t per;
} keys[] = {
	{"usage_usec", GROUP_CPU_US, 1},
	{"nr_periods", GROUP_PERIODS, 1},
	{"nr_throttled", GROUP_THROTTLED, 1},
	{"throttled_usec", GROUP_THROTTLED_US, 1},
	{"throttled_time", GROUP_THROTTLED_US, 1000},
	{"oom_kill", GROUP_OOM_KILLS, 1},
};

/* Is it a file of groups at all? */
static bool host_group_is(struct span path)
{
	return span_begins(path, ROOT "/");
}

/* "job_4711": the word, digits, the end. */
static bool is_numbered(struct span name, const char *before, const char *behind)
{
	size_t head = strlen(before), tail = strlen(behind);
	int64_t number;

	return name.len > head + tail && span_begins(name, before) &&
		memcmp(name.at + name.len - tail, behind, tail) == 0 &&
		host_number(
			(struct span){name.at + head, name.len - head - tail}, &number);
}

static enum group_level level_of(struct span path)
{
	struct span name = path;

	while (name.len && memchr(name.at, '/', name.len))
		name.at++, name.len--;
	if (is_numbered(name, "job_", ""))
		return GROUP_JOB;
	if (is_numbered(name, "user-", ".slice") || is_numbered(name, "uid_", ""))
		return GROUP_USER;
	return GROUP_ANY;
}

/* Version 1 has a folder for each controller, or for two that are mounted together. */
static struct span below_controller(struct span path)
{
	static const char *const controllers[] = {"/cpu", "/cpuacct", "/cpu,cpuacct",
		"/cpuacct,cpu", "/memory", "/pids", "/cpuset"};

	for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; i++) {
		size_t len = strlen(controllers[i]);

		if (span_begins(path, controllers[i]) &&
			(path.len == len || path.at[len] == '/'))
			return (struct span){path.at + len, path.len - len};
	}
	return path;
}

/* "/sys/fs/cgroup/...": False: no file that counts here. */
static bool host_group_cut(struct span path, struct group_file *file)
{
	struct span name;

	if (!host_group_is(path) || !span_is_text(path))
		return false;
	path.at += strlen(ROOT), path.len -= strlen(ROOT);
	name = path;
	while (memchr(name.at, '/', name.len))
		name.at++, name.len--;
	path.len -= name.len + 1;
	for (size_t i = 0; i < FILES; i++) {
		if (!span_is(name, groups_host_files[i].name))
			continue;
		path = below_controller(path);
		*file = (struct group_file){.id = span_hash(path, SPAN_HASH),
			.level = level_of(path),
			.kind = (int)i};
		for (size_t k = 0; k < path.len; k++)
			file->depth += path.at[k] == '/';
		return true;
	}
	return false;
}

/* A snapshot begins: what it tells anew is forgotten, limits are not. */
static void host_groups_clear(struct host_groups *groups)
{
	const unsigned limits =
		1u << GROUP_MEM_LIMIT | 1u << GROUP_QUOTA_US | 1u << GROUP_PERIOD_US;

	for (size_t i = 0; i < groups->count; i++)
		groups->at[i].has &= limits;
}

static struct host_group *group_of(
	struct host_groups *groups, const struct group_file *file)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->at[i].id == file->id)
			return &groups->at[i];
	if (groups->count == GROUPS_MAX)
		return NULL;
	groups->at[groups->count] = (struct host_group){
		.id = file->id, .depth = file->depth, .level = file->level};
	return &groups->at[groups->count++];
}

static void set_value(struct host_group *group, enum group_value value, int64_t number)
{
	group->value[value] = number;
	group->has |= 1u << value;
}

/* No limit is none that was said before, either. */
static void keep_none(struct host_group *group, enum group_value value)
{
	group->has &= ~(1u << value);
}

static bool take_limit(struct host_group *group, struct span line)
{
	uint64_t number;

	if (!span_is(line, "max") && !number_unsigned(line, &number))
		return false;
	if (span_is(line, "max") || number >= NO_LIMIT)
		keep_none(group, GROUP_MEM_LIMIT);
	else
		set_value(group, GROUP_MEM_LIMIT, (int64_t)number);
	return true;
}

static bool take_quota(struct host_group *group, struct span word, const char *none)
{
	int64_t number;

	if (span_is(word, none)) {
		keep_none(group, GROUP_QUOTA_US);
		return true;
	}
	if (!host_number(word, &number))
		return false;
	set_value(group, GROUP_QUOTA_US, number);
	return true;
}

static bool take_max(struct host_group *group, struct span line)
{
	struct span quota = span_word(&line), period = span_word(&line);
	int64_t number;

	if (line.len || !host_number(period, &number) || !take_quota(group, quota, "max"))
		return false;
	set_value(group, GROUP_PERIOD_US, number);
	return true;
}

static bool is_key(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if ((word.at[i] < 'a' || word.at[i] > 'z') && word.at[i] != '_' &&
			word.at[i] != '.')
			return false;
	return word.len > 0;
}

static bool take_key(struct host_group *group, struct span line)
{
	struct span key = span_word(&line), word = span_word(&line);
	uint64_t any;
	int64_t number;

	if (!is_key(key) || line.len || !number_unsigned(word, &any))
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (!span_is(key, keys[i].name))
			continue;
		if (!number_up_to(word, INT64_MAX, &number) ||
			number / keys[i].per > BYTES_MAX ||
			group->has & 1u << keys[i].value)
			return false;
		set_value(group, keys[i].value, number / keys[i].per);
	}
	return true;
}

static bool take_number(
	struct host_group *group, const struct group_file *file, struct span line)
{
	int64_t number;

	if (!number_up_to(line, INT64_MAX, &number) ||
		number / groups_host_files[file->kind].per > BYTES_MAX)
		return false;
	set_value(group, groups_host_files[file->kind].value,
		number / groups_host_files[file->kind].per);
	return true;
}

/*
 * A line of that file; first: the first one. False: it is damaged, or one group too
 * many.
 */
static bool host_groups_take(struct host_groups *groups, const struct group_file *file,
	struct span line, bool first)
{
	struct host_group *group = group_of(groups, file);

	if (!group || (!first && groups_host_files[file->kind].form != FORM_KEYS))
		return false;
	switch (groups_host_files[file->kind].form) {
	case FORM_NUMBER:
		return take_number(group, file, line);
	case FORM_LIMIT:
		return take_limit(group, line);
	case FORM_MAX:
		return take_max(group, line);
	case FORM_QUOTA:
		return take_quota(group, line, "-1");
	case FORM_KEYS:
		return take_key(group, line);
	}
	return false;
}

bool host_group_value(
	const struct host_group *group, enum group_value value, int64_t *out)
{
	if (!(group->has & 1u << value))
		return false;
	*out = group->value[value];
	return true;
}

int64_t host_group_cpus(const struct host_group *group)
{
	int64_t quota, period;

	if (!host_group_value(group, GROUP_QUOTA_US, &quota) ||
		!host_group_value(group, GROUP_PERIOD_US, &period) || !period)
		return -1;
	return (int64_t)((int128)quota * 1000000 / period);
}

/* The innermost that has one of the values, of a level or of any. */
static const struct host_group *innermost(
	const struct host_groups *groups, unsigned values, enum group_level level)
{
	const struct host_group *inner = NULL;

	for (size_t i = 0; i < groups->count; i++) {
		const struct host_group *group = &groups->at[i];

		if (group->has & values &&
			(level == GROUP_ANY || group->level == level) &&
			(!inner || group->depth > inner->depth))
			inner = group;
	}
	return inner;
}

/* The innermost that has a value; NULL: none does. */
static const struct host_group *with(
	const struct host_groups *groups, enum group_value value)
{
	return innermost(groups, 1u << value, GROUP_ANY);
}

const struct host_group *host_groups_level(
	const struct host_groups *groups, enum group_level level)
{
	return innermost(groups, 1u << GROUP_MEM_USED | 1u << GROUP_CPU_US, level);
}

static int64_t memory_limit(const struct host_group *group)
{
	int64_t limit;

	return host_group_value(group, GROUP_MEM_LIMIT, &limit) ? limit : -1;
}

/* The one with the lowest limit, of several the innermost. limit: -1: it has none. */
static const struct host_group *limited(const struct host_groups *groups,
	int64_t (*limit)(const struct host_group *group))
{
	const struct host_group *least = NULL;

	for (size_t i = 0; i < groups->count; i++) {
		const struct host_group *group = &groups->at[i];
		int64_t less = limit(group) < 0 ? 0
			: least			? limit(least) - limit(group)
						: 1;

		if (less > 0 ||
			(limit(group) >= 0 && less == 0 && group->depth > least->depth))
			least = group;
	}
	return least;
}

const struct host_group *host_groups_memory(const struct host_groups *groups)
{
	const struct host_group *least = limited(groups, memory_limit);

	return least ? least : with(groups, GROUP_MEM_USED);
}

const struct host_group *host_groups_cpu(const struct host_groups *groups)
{
	const struct host_group *least = limited(groups, host_group_cpus);

	if (!least)
		least = with(groups, GROUP_CPU_US);
	return least ? least : with(groups, GROUP_PERIODS);
}

/* Zones, their names and ranges, and how each of them went on. */

#define POWERCAP "/sys/class/powercap/"

/* A second driver shows the same counters as "intel-rapl-mmio:0". */
#define ZONES "intel-rapl:"

#define ENERGY_MAX_UJ (INT64_C(1) << 52)

/* No processor takes as much, nor its memory: microjoules in a second. */
#define POWER_MAX_UJ_S INT64_C(1000000000)

/* "/sys/class/powercap/ZONE/FILE": whose line it is. False: it is none of these. */
static bool host_energy_cut(struct span path, struct span *zone, struct span *file)
{
	const size_t len = strlen(POWERCAP);
	const char *slash;

	if (!span_begins(path, POWERCAP))
		return false;
	path.at += len, path.len -= len;
	slash = path.len ? memchr(path.at, '/', path.len) : NULL;
	if (!slash || !span_is_text(path))
		return false;
	*zone = (struct span){path.at, (size_t)(slash - path.at)};
	*file = (struct span){slash + 1, (size_t)(path.at + path.len - slash - 1)};
	return span_is(*file, "energy_uj") || span_is(*file, "name") ||
		span_is(*file, "max_energy_range_uj");
}

/* A snapshot begins. */
static void host_energy_clear(struct host_energy *energy)
{
	for (size_t i = 0; i < energy->count; i++)
		energy->zone[i].here = false;
}

static struct energy_zone *zone_of(struct host_energy *energy, struct span name)
{
	uint64_t id = span_hash(name, SPAN_HASH);

	for (size_t i = 0; i < energy->count; i++)
		if (energy->zone[i].id == id)
			return &energy->zone[i];
	if (energy->count == ENERGY_ZONES)
		return NULL;
	energy->zone[energy->count] =
		(struct energy_zone){.id = id, .of = ENERGY_OF_COUNT};
	return &energy->zone[energy->count++];
}

/* The line of a file of a zone. False: it is damaged. */
static bool host_energy_take(
	struct host_energy *energy, struct span zone, struct span file, struct span line)
{
	struct energy_zone *z;
	bool again;

	if (!span_begins(zone, ZONES))
		return true;
	z = zone_of(energy, zone);
	if (!z)
		return false;
	if (span_is(file, "name")) {
		z->of = span_begins(line, "package-") ? ENERGY_PACKAGE
			: span_is(line, "dram")	      ? ENERGY_DRAM
						      : ENERGY_OF_COUNT;
		return span_is_text(line);
	}
	if (span_is(file, "max_energy_range_uj"))
		return number_up_to(line, ENERGY_MAX_UJ, &z->range_uj);
	again = z->here;
	z->here = true;
	return !again && number_up_to(line, ENERGY_MAX_UJ, &z->now_uj);
}

/* What a zone took in that time; false: nobody knows. */
static bool rise_of(const struct energy_zone *zone, int64_t dt_ns, int64_t *rise_uj)
{
	int128 most = dt_ns > 0 ? (int128)POWER_MAX_UJ_S * dt_ns / NS_PER_S : 0;

	*rise_uj = zone->now_uj - zone->last_uj;
	if (!zone->known)
		return false;
	if (zone->range_uj > 0 && most >= zone->range_uj)
		return false; /* it may have gone round more than once */
	if (*rise_uj < 0 && zone->range_uj > 0 && zone->last_uj <= zone->range_uj)
		*rise_uj += zone->range_uj;
	return *rise_uj >= 0 && *rise_uj <= most;
}

void host_energy_sum(struct host_energy *energy, int64_t t_ns,
	bool known[ENERGY_OF_COUNT], int64_t uj[ENERGY_OF_COUNT])
{
	int64_t dt_ns = energy->has_last ? t_ns - energy->last_ns : 0;
	int64_t rise[ENERGY_OF_COUNT] = {0}, raw[ENERGY_OF_COUNT] = {0};
	bool here[ENERGY_OF_COUNT] = {false}, lost[ENERGY_OF_COUNT] = {false};

	for (size_t i = 0; i < energy->count; i++) {
		struct energy_zone *zone = &energy->zone[i];
		int64_t one;

		if (zone->of == ENERGY_OF_COUNT || (!zone->here && !zone->known))
			continue;
		here[zone->of] |= zone->here;
		if (zone->here && rise_of(zone, dt_ns, &one))
			rise[zone->of] += one;
		else
			lost[zone->of] = true;
		raw[zone->of] += zone->here ? zone->now_uj : 0;
		zone->known = zone->here;
		zone->last_uj = zone->now_uj;
	}
	for (int of = 0; of < ENERGY_OF_COUNT; of++) {
		struct energy_sum *sum = &energy->sum[of];

		known[of] = here[of];
		if (!here[of])
			continue;
		if (!sum->begun)
			sum->uj = raw[of];
		else if (lost[of])
			sum->uj--;
		else
			sum->uj += rise[of];
		sum->begun = true;
		uj[of] = sum->uj;
	}
	energy->has_last = true;
	energy->last_ns = t_ns;
}

/* Names of facts, and where their texts stand. */

#define LIMIT_NAME_WIDTH 26 /* proc_pid_limits(5): names are padded to that */

/* A line of /proc/self/limits: the soft limit of what counts here. */
static void host_fact_limit(struct run *run, struct span line)
{
	static const struct {
		const char *name, *fact;
	} limits[] = {
		{"Max address space ", RUN_FACT_ADDRESS_SPACE},
		{"Max data size ", "rlimit_data"},
		{"Max resident set ", "rlimit_rss"},
		{"Max locked memory ", "rlimit_memlock"},
		{"Max cpu time ", "rlimit_cpu"},
		{"Max open files ", "rlimit_nofile"},
		{"Max processes ", "rlimit_nproc"},
	};

	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct span soft;

		if (!span_begins(line, limits[i].name) || line.len <= LIMIT_NAME_WIDTH)
			continue;
		line.at += LIMIT_NAME_WIDTH, line.len -= LIMIT_NAME_WIDTH;
		soft = span_word(&line);
		if (soft.len)
			run_add_fact(run, limits[i].fact, soft);
		return;
	}
}

/*
 * A line of /proc/self/cgroup: the group of version 2, or that of memory.
 *
 * "4:memory:/slurm/uid_1000/job_4711", "0::/user.slice"
 */
static void host_fact_group(struct run *run, struct span line)
{
	const char *first = line.len ? memchr(line.at, ':', line.len) : NULL;
	const char *end = line.at + line.len, *second;
	struct span controllers, path;

	second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
	if (!second)
		return;
	controllers = (struct span){first + 1, (size_t)(second - first - 1)};
	path = (struct span){second + 1, (size_t)(end - second - 1)};
	if (span_is(controllers, "memory") || (!controllers.len && !span_is(path, "/")))
		run_add_fact(run, "cgroup", path);
}

static void add_number(struct run *run, const char *name, int64_t value, int64_t per_unit)
{
	struct strbuf text;

	strbuf_init(&text);
	number_print(&text, number_ratio(value, per_unit));
	run_add_fact(run, name, (struct span){text.text, text.len});
	strbuf_release(&text);
}

void host_fact_groups(struct run *run, const struct host_groups *groups)
{
	const struct host_group *memory = host_groups_memory(groups);
	const struct host_group *cpu = host_groups_cpu(groups);
	int64_t limit;

	if (memory && host_group_value(memory, GROUP_MEM_LIMIT, &limit))
		add_number(run, RUN_FACT_MEMORY_LIMIT, limit, 1048576);
	if (cpu && host_group_cpus(cpu) >= 0)
		add_number(run, RUN_FACT_CPU_LIMIT, host_group_cpus(cpu), 1000000);
}

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
		run_add_fact(run, "boot_id", line);
		return first;
	case HOST_CPUSET: /* "0-3,8", of the innermost group that says so */
		run_add_fact(run, "cpuset", line);
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
