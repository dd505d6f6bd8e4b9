/*
 * What the host and the control groups of the command did: snapshots of the kernel's
 * files, a marker line with the clocks ("# t=... mono=... boot=...") over ">
 * /proc/loadavg" and the lines of that file, and so on. The first one has the limits
 * too, which hold from then on. A snapshot with a line that is damaged is lost as a
 * whole; so is the last one of the log if it lacks a file that the one before has: the
 * recorder was stopped in it.
 */
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
#include "model/sample.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

/*
 * Counters of parts that come and go: the disks of a host, its interfaces. Of one that
 * is gone the last values stay in the sum, of one that began anew its new ones come on
 * top: so the sum rises by what the parts do, and never falls. That a part is away for
 * one snapshot only makes it late.
 *
 * A snapshot may turn out to be damaged: nothing of it counts before parts_sum.
 */

#define PART_NAME   32 /* with its end: the kernel's names are no longer */
#define PART_VALUES 5

/* No sum of parts is larger: a double holds any whole number up to it. */
#define PART_SUM_MAX (INT64_C(1) << 53)

struct part {
	char name[PART_NAME];
	bool here; /* in the snapshot that is being read */
	bool known; /* ... or in a sound one before it */
	int64_t now[PART_VALUES]; /* if here */
	int64_t last[PART_VALUES]; /* of the last sound snapshot that it is in */
	int64_t before[PART_VALUES]; /* what it counted until it last began anew */
};

struct parts {
	struct part *part; /* [count] owned */
	size_t count, cap;
	size_t next; /* where the next one of a snapshot stands, as a rule */
};

/* The metrics of their sums, in the order of the values. */
static const enum metric_id disk_metrics[PART_VALUES] = {METRIC_host_disk_read_mib,
	METRIC_host_disk_write_mib, METRIC_host_disk_requests, METRIC_host_disk_wait_s,
	METRIC_host_disk_busy_s};
static const enum metric_id net_metrics[PART_VALUES] = {METRIC_host_net_rx_mib,
	METRIC_host_net_tx_mib, METRIC_none, METRIC_none, METRIC_none};

/*
 * The energy that processors and their memory count themselves (RAPL, as the kernel's
 * powercap shows it): "intel-rapl:0" is a zone whose file "name" says what it is of. A
 * counter begins anew at its max_energy_range_uj: it went round once if that is known,
 * and the power in between is one that a processor can have; else nobody knows.
 */

/* What zones are of; others are parts of these, or all of them together. */
enum energy_of {
	ENERGY_PACKAGE,
	ENERGY_DRAM,
	ENERGY_OF_COUNT
};

#define ENERGY_ZONES 64

struct energy_zone {
	uint64_t id; /* of its name */
	enum energy_of of; /* ENERGY_OF_COUNT: nothing that counts, or not known */
	int64_t range_uj; /* 0: not known */
	bool here; /* in the snapshot that is being read */
	int64_t now_uj;
	bool known; /* in the sound snapshot before it */
	int64_t last_uj;
};

struct energy {
	struct energy_zone zone[ENERGY_ZONES];
	size_t count;
	bool has_last;
	int64_t last_ns;
	struct energy_sum {
		bool begun;
		int64_t uj; /* what is told of all zones */
	} sum[ENERGY_OF_COUNT];
};

/*
 * Control groups (cgroups(7)), of version 1 and of 2: what a snapshot says of the
 * group that the command runs in and of those around it, which those of a batch job
 * and of a user may be.
 */

/* Whose group it is, as its name says. */
enum group_level {
	GROUP_ANY,
	GROUP_JOB, /* Slurm's "job_4711" */
	GROUP_USER, /* systemd's "user-1000.slice", Slurm's "uid_1000" */
	GROUP_LEVELS
};

enum group_value {
	GROUP_MEM_USED, /* bytes */
	GROUP_CPU_US,
	GROUP_THROTTLED_US, /* summed over the processors */
	GROUP_PERIODS, /* of its quota, in which it wanted to run */
	GROUP_THROTTLED, /* ... and was throttled */
	GROUP_TASKS,
	GROUP_OOM_KILLS,
	/* Limits, which are told once */
	GROUP_MEM_LIMIT, /* bytes */
	GROUP_QUOTA_US, /* in each: */
	GROUP_PERIOD_US,
	GROUP_VALUES
};

#define GROUPS_MAX 64

struct group {
	uint64_t id; /* of its path */
	size_t depth; /* how many groups are around it */
	enum group_level level;
	unsigned has; /* a bit for each value */
	int64_t value[GROUP_VALUES];
};

struct groups {
	struct group at[GROUPS_MAX];
	size_t count;
};

#define PRESSURES 3 /* cpu, memory, io */
#define FILES_MAX 256 /* of a snapshot that are told apart */

struct file_set {
	struct {
		uint64_t id; /* of its name */
		bool again; /* each snapshot should have it: known, and not told once */
	} at[FILES_MAX];
	size_t count;
};

/*
 * What one snapshot says: the kernel's files by their names, and the lines of each. What
 * lasts from one snapshot to the next (limits, how far disks had come) is kept.
 */
struct snapshot {
	struct file_set files, before; /* before: of the last sound one */
	struct strbuf name; /* of the file that is being read */
	const struct kernel_file *file; /* NULL: none yet, or one that is not known */
	size_t lines; /* of it, so far */
	char whole_disk[PART_NAME]; /* whose partitions stand behind it */
	struct energy_zone *zone; /* of a file of one; NULL: it is of none that counts */
	struct group *group; /* likewise */

	bool has_load1;
	int64_t load1; /* in the metric's quanta */
	bool has_pressure[PRESSURES][2]; /* some, full */
	int64_t pressure_us[PRESSURES][2];
	struct parts disks, interfaces;
	struct energy energy;
	struct groups groups;
	struct run *run; /* whose facts the limits become; borrowed */
};

struct kernel_file {
	const char *below; /* a folder, if only the last part of its path is the name */
	const char *name;
	/* Takes a line; false: it is damaged. NULL: nothing is told of the file */
	bool (*take)(struct snapshot *snapshot, struct span line);
	bool once; /* only the first snapshot has it */
	bool lines; /* it has several */
	enum group_value value; /* of a group, or which pressure it is */
	int64_t per; /* so many of the file's unit are one of ours */
};

/* Words and numbers; names of disks and of interfaces as the kernel gives them. */

#define NUMBER_MAX    (INT64_C(1) << 50)
#define NET_BYTES_MAX (INT64_C(1) << 60)
#define SECTOR	      512
#define DISK_WORDS    14 /* that every kernel has from Linux 2.6 on; later ones more */
#define NET_NUMBERS   16
#define NET_SENT_AT   8

/* Does it begin with one of them? */
#define BEGINS_WITH(name, list) begins_with_any(name, list, sizeof(list) / sizeof *(list))

static bool begins_with_any(struct span name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (span_begins(name, list[i]))
			return true;
	return false;
}

/* A whole number that no sum of some thousand such ones makes overflow. */
static bool read_number(struct span word, int64_t *value)
{
	return number_up_to(word, NUMBER_MAX, value);
}

/* The text before a character, which *line loses with it; false: there is none. */
static bool cut_at(struct span *line, char c, struct span *before)
{
	const char *at = line->len ? memchr(line->at, c, line->len) : NULL;

	if (!at)
		return false;
	*before = (struct span){line->at, (size_t)(at - line->at)};
	*line = (struct span){at + 1, line->len - before->len - 1};
	return true;
}

/* "total=37431818": the text behind the name. */
static bool cut_name(struct span *word, const char *name)
{
	size_t len = strlen(name);

	if (!span_begins(*word, name))
		return false;
	word->at += len, word->len -= len;
	return true;
}

static struct part *find_part(struct parts *parts, struct span name)
{
	for (size_t i = 0; i < parts->count; i++) {
		size_t at = (parts->next + i) % parts->count;

		if (span_is(name, parts->part[at].name)) {
			parts->next = at + 1;
			return &parts->part[at];
		}
	}
	ALLOC_GROW(parts->part, parts->count + 1, parts->cap);
	parts->part[parts->count] = (struct part){.here = false};
	memcpy(parts->part[parts->count].name, name.at, name.len);
	parts->next = parts->count + 1;
	return &parts->part[parts->count++];
}

/* Letters, digits and what the kernel and its users put between them. */
static bool is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] | 0x20) >= 'a' && (name.at[i] | 0x20) <= 'z') &&
			!is_digit(name.at[i]) && !memchr("!-._@", name.at[i], 5))
			return false;
	return name.len > 0 && name.len < PART_NAME;
}

/* A part of the snapshot. False: it is there already, or has no name that can be. */
static bool parts_add(
	struct parts *parts, struct span name, const int64_t now[PART_VALUES])
{
	struct part *part = is_name(name) ? find_part(parts, name) : NULL;

	if (!part || part->here)
		return false;
	part->here = true;
	memcpy(part->now, now, sizeof part->now);
	return true;
}

/* A snapshot begins: no part is here yet. */
static void parts_clear(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		parts->part[i].here = false;
	parts->next = 0;
}

/* Is every part here that was there in the sound snapshots before, and was there one? */
static bool parts_whole(const struct parts *parts)
{
	bool any = false;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->part[i].known && !parts->part[i].here)
			return false;
		any |= parts->part[i].known;
	}
	return any;
}

static void take_in(struct part *part)
{
	for (int i = 0; part->known && i < PART_VALUES; i++)
		if (part->now[i] < part->last[i] &&
			__builtin_add_overflow(
				part->before[i], part->last[i], &part->before[i]))
			part->before[i] = INT64_MAX;
	memcpy(part->last, part->now, sizeof part->last);
	part->known = true;
}

/*
 * The snapshot is sound: takes it in. False: no part is here, or the sums are absurd,
 * and nothing is known of them.
 */
static bool parts_sum(struct parts *parts, int64_t sum[PART_VALUES])
{
	int128 all[PART_VALUES] = {0};
	bool here = false;

	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->part[i];

		if (part->here)
			take_in(part);
		here |= part->here;
		for (int k = 0; k < PART_VALUES; k++)
			all[k] += (int128)part->before[k] + part->last[k];
	}
	for (int k = 0; k < PART_VALUES; k++) {
		if (all[k] > PART_SUM_MAX)
			return false;
		sum[k] = (int64_t)all[k];
	}
	return here;
}

/* "0.43 0.22 0.14 1/94 4711" */
static bool take_loadavg(struct snapshot *snapshot, struct span line)
{
	int64_t per_unit = metric_get(METRIC_load1)->per_unit, other;
	struct span runs, all;

	snapshot->has_load1 =
		number_scaled(span_word(&line), per_unit, &snapshot->load1) &&
		snapshot->load1 >= 0 && number_scaled(span_word(&line), 1, &other) &&
		number_scaled(span_word(&line), 1, &other);
	all = span_word(&line);
	snapshot->has_load1 = snapshot->has_load1 && cut_at(&all, '/', &runs) &&
		read_number(runs, &other) && read_number(all, &other) &&
		read_number(span_word(&line), &other) && !line.len;
	return snapshot->has_load1;
}

/* "some avg10=0.43 avg60=1.22 avg300=1.44 total=37431818": microseconds. */
static bool take_pressure(struct snapshot *snapshot, struct span line)
{
	static const char *const averages[] = {"avg10=", "avg60=", "avg300="};
	size_t which = snapshot->file->value;
	struct span word = span_word(&line);
	bool full = span_is(word, "full"), *has = &snapshot->has_pressure[which][full];
	int64_t value;

	if (*has || (!full && !span_is(word, "some")))
		return false;
	for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
		word = span_word(&line);
		if (!cut_name(&word, averages[i]) || !number_scaled(word, 1, &value))
			return false;
	}
	word = span_word(&line);
	*has = cut_name(&word, "total=") && !line.len &&
		read_number(word, &snapshot->pressure_us[which][full]);
	return *has;
}

/* "sda" and "sda1"; "nvme0n1" and "nvme0n1p2": partitions stand behind their disk. */
static bool is_partition(struct span name, const char *whole)
{
	if (!*whole || !cut_name(&name, whole) || !name.len)
		return false;
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

/*
 * Disks that are made of others, or of memory: what is read from them is read from
 * another one too, or from none. "nvme0c1n1" is one of several paths to an NVMe disk that
 * has a name of its own.
 */
static bool is_made_of_disks(struct span name)
{
	static const char *const kinds[] = {
		"loop", "ram", "zram", "dm-", "md", "drbd", "bcache", "zd"};

	return BEGINS_WITH(name, kinds) ||
		(span_begins(name, "nvme") && memchr(name.at, 'c', name.len));
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

static bool take_disk(struct snapshot *snapshot, struct span line)
{
	int64_t number[DISK_WORDS] = {0}, value;
	struct span name = {NULL, 0};
	int words = 0;

	for (; line.len; words++) {
		struct span word = span_word(&line);

		if (words == 2)
			name = word;
		else if (!read_number(word, &value))
			return false;
		else if (words > 2 && words < DISK_WORDS)
			number[words - 3] = value;
	}
	if (words < DISK_WORDS || name.len >= PART_NAME)
		return false;
	if (is_partition(name, snapshot->whole_disk))
		return true;
	(void)snprintf(snapshot->whole_disk, sizeof snapshot->whole_disk, "%.*s",
		(int)name.len, name.at);
	return is_made_of_disks(name) ||
		parts_add(&snapshot->disks, name,
			(int64_t[PART_VALUES]){number[SECTORS_READ],
				number[SECTORS_WRITTEN], number[READS] + number[WRITES],
				number[READ_MS] + number[WRITE_MS], number[BUSY_MS]});
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

	return BEGINS_WITH(name, kinds) || span_is(name, "lo") ||
		memchr(name.at, '.', name.len) ||
		(span_begins(name, "br") && name.len > 2 && is_digit(name.at[2]));
}

static bool take_interface(struct snapshot *snapshot, struct span line)
{
	static const char *const titles[] = {"Inter-|", "face |"};
	int64_t number[NET_NUMBERS];
	struct span name;
	int numbers = 0;

	if (BEGINS_WITH(line, titles))
		return true;
	if (!cut_at(&line, ':', &name))
		return false;
	for (struct span word; (word = span_word(&line)).len; numbers++)
		if (numbers == NET_NUMBERS ||
			!number_up_to(word, NET_BYTES_MAX, &number[numbers]))
			return false;
	if (numbers != NET_NUMBERS || !name.len)
		return false;
	return is_made_of_interfaces(name) ||
		parts_add(&snapshot->interfaces, name,
			(int64_t[PART_VALUES]){
				number[0] / SECTOR, number[NET_SENT_AT] / SECTOR});
}

/* Control groups by their paths. */

#define CGROUP	  "/sys/fs/cgroup"
#define BYTES_MAX (INT64_C(1) << 52)

/* Version 1 writes its largest number for none. */
#define NO_LIMIT (UINT64_C(1) << 60)

/* "job_4711": the word, digits, the end. */
static bool is_numbered(struct span name, const char *before, const char *behind)
{
	size_t tail = strlen(behind);
	int64_t number;

	if (!cut_name(&name, before) || name.len <= tail ||
		memcmp(name.at + name.len - tail, behind, tail) != 0)
		return false;
	name.len -= tail;
	return read_number(name, &number);
}

static enum group_level level_of(struct span name)
{
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
		struct span rest = path;

		if (cut_name(&rest, controllers[i]) && (!rest.len || rest.at[0] == '/'))
			return rest;
	}
	return path;
}

/* The group whose file that is; NULL: one too many. */
static struct group *group_of(struct groups *groups, struct span path)
{
	struct group group = {.level = GROUP_ANY};
	struct span name, rest;

	path.at += strlen(CGROUP), path.len -= strlen(CGROUP);
	for (name = path; memchr(name.at, '/', name.len); name.at++, name.len--)
		;
	path.len -= name.len + 1;
	path = rest = below_controller(path);
	while (cut_at(&rest, '/', &name))
		group.depth++;
	group.id = span_hash(path, SPAN_HASH);
	group.level = level_of(rest);
	for (size_t i = 0; i < groups->count; i++)
		if (groups->at[i].id == group.id)
			return &groups->at[i];
	if (groups->count == GROUPS_MAX)
		return NULL;
	groups->at[groups->count] = group;
	return &groups->at[groups->count++];
}

static void set_value(struct group *group, enum group_value value, int64_t number)
{
	group->value[value] = number;
	group->has |= 1u << value;
}

/* A number in so many of our unit; false: it is none, or absurd. */
static bool set_number(
	struct group *group, enum group_value value, struct span word, int64_t per)
{
	int64_t number;

	if (!group || !number_up_to(word, INT64_MAX, &number) || number / per > BYTES_MAX)
		return false;
	set_value(group, value, number / per);
	return true;
}

static bool take_number(struct snapshot *snapshot, struct span line)
{
	return set_number(
		snapshot->group, snapshot->file->value, line, snapshot->file->per);
}

/* "key number": of cpu.stat and memory.events those that count here. */
static bool take_key(struct snapshot *snapshot, struct span line)
{
	static const struct {
		const char *name;
		enum group_value value;
		int64_t per; /* version 1 counts nanoseconds */
	} keys[] = {
		{"usage_usec", GROUP_CPU_US, 1},
		{"nr_periods", GROUP_PERIODS, 1},
		{"nr_throttled", GROUP_THROTTLED, 1},
		{"throttled_usec", GROUP_THROTTLED_US, 1},
		{"throttled_time", GROUP_THROTTLED_US, 1000},
		{"oom_kill", GROUP_OOM_KILLS, 1},
	};
	struct span key = span_word(&line), word = span_word(&line);
	struct group *group = snapshot->group;
	uint64_t any;

	if (!group || !key.len || line.len || !number_unsigned(word, &any))
		return false;
	for (size_t i = 0; i < key.len; i++)
		if ((key.at[i] < 'a' || key.at[i] > 'z') && key.at[i] != '_' &&
			key.at[i] != '.')
			return false;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (span_is(key, keys[i].name) &&
			(group->has & 1u << keys[i].value ||
				!set_number(group, keys[i].value, word, keys[i].per)))
			return false;
	return true;
}

/* No limit is none that was said before, either. */
static bool take_limit(struct snapshot *snapshot, struct span line)
{
	struct group *group = snapshot->group;
	uint64_t number = NO_LIMIT;

	if (!group || (!span_is(line, "max") && !number_unsigned(line, &number)))
		return false;
	if (number >= NO_LIMIT)
		group->has &= ~(1u << GROUP_MEM_LIMIT);
	else
		set_value(group, GROUP_MEM_LIMIT, (int64_t)number);
	return true;
}

/* Version 1 writes -1 for none. */
static bool take_quota(struct snapshot *snapshot, struct span word)
{
	struct group *group = snapshot->group;
	int64_t number;

	if (group && (span_is(word, "-1") || span_is(word, "max"))) {
		group->has &= ~(1u << GROUP_QUOTA_US);
		return true;
	}
	if (!group || !read_number(word, &number))
		return false;
	set_value(group, GROUP_QUOTA_US, number);
	return true;
}

/* "max 100000", "150000 100000" */
static bool take_max(struct snapshot *snapshot, struct span line)
{
	struct span quota = span_word(&line), period = span_word(&line);
	int64_t number;

	if (line.len || !read_number(period, &number) || !take_quota(snapshot, quota))
		return false;
	set_value(snapshot->group, GROUP_PERIOD_US, number);
	return true;
}

/* False: the group does not say. */
static bool group_value(const struct group *group, enum group_value value, int64_t *out)
{
	if (!(group->has & 1u << value))
		return false;
	*out = group->value[value];
	return true;
}

/* Of how many processors the group may have the time, in millionths; -1: no limit. */
static int64_t group_cpus(const struct group *group)
{
	int64_t quota, period;

	if (!group_value(group, GROUP_QUOTA_US, &quota) ||
		!group_value(group, GROUP_PERIOD_US, &period) || !period)
		return -1;
	return (int64_t)((int128)quota * 1000000 / period);
}

static int64_t group_memory(const struct group *group)
{
	int64_t limit;

	return group_value(group, GROUP_MEM_LIMIT, &limit) ? limit : -1;
}

/* The innermost that has one of the values, of a level or of any; NULL: none has. */
static const struct group *innermost(
	const struct groups *groups, unsigned values, enum group_level level)
{
	const struct group *inner = NULL;

	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->at[i];

		if (group->has & values &&
			(level == GROUP_ANY || group->level == level) &&
			(!inner || group->depth > inner->depth))
			inner = group;
	}
	return inner;
}

/*
 * The group with the lowest limit, of several the innermost; where none is limited, the
 * innermost that has one of two values, rather the first. limit: -1: it has none.
 */
static const struct group *limited(const struct groups *groups,
	int64_t (*limit)(const struct group *group), enum group_value value,
	enum group_value other)
{
	const struct group *least = NULL;

	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->at[i];
		int64_t less = limit(group) < 0 ? 0
			: least			? limit(least) - limit(group)
						: 1;

		if (less > 0 ||
			(limit(group) >= 0 && less == 0 && group->depth > least->depth))
			least = group;
	}
	if (!least)
		least = innermost(groups, 1u << value, GROUP_ANY);
	return least ? least : innermost(groups, 1u << other, GROUP_ANY);
}

static const struct group *memory_group(const struct groups *groups)
{
	return limited(groups, group_memory, GROUP_MEM_USED, GROUP_MEM_USED);
}

static const struct group *cpu_group(const struct groups *groups)
{
	return limited(groups, group_cpus, GROUP_CPU_US, GROUP_PERIODS);
}

/* Zones of energy, their names and ranges, and how each of them went on. */

#define POWERCAP "/sys/class/powercap"

/* A second driver shows the same counters as "intel-rapl-mmio:0". */
#define ZONES POWERCAP "/intel-rapl:"

#define ENERGY_MAX_UJ (INT64_C(1) << 52)

/* No processor takes as much, nor its memory: microjoules in a second. */
#define POWER_MAX_UJ_S INT64_C(1000000000)

/* The zone whose file that is; NULL: one too many, or of no zone that counts. */
static struct energy_zone *zone_of(struct energy *energy, struct span path)
{
	uint64_t id;

	if (!span_begins(path, ZONES))
		return NULL;
	while (path.at[path.len - 1] != '/')
		path.len--;
	id = span_hash(path, SPAN_HASH);
	for (size_t i = 0; i < energy->count; i++)
		if (energy->zone[i].id == id)
			return &energy->zone[i];
	if (energy->count == ENERGY_ZONES)
		return NULL;
	energy->zone[energy->count] =
		(struct energy_zone){.id = id, .of = ENERGY_OF_COUNT};
	return &energy->zone[energy->count++];
}

/* Of the zones that don't count nothing is damage. */
static bool is_other_zone(const struct snapshot *snapshot)
{
	return !span_begins(
		(struct span){snapshot->name.text, snapshot->name.len}, ZONES);
}

static bool take_energy(struct snapshot *snapshot, struct span line)
{
	struct energy_zone *zone = snapshot->zone;
	bool again = zone && zone->here;

	if (zone)
		zone->here = true;
	return is_other_zone(snapshot) ||
		(zone && !again && number_up_to(line, ENERGY_MAX_UJ, &zone->now_uj));
}

static bool take_range(struct snapshot *snapshot, struct span line)
{
	struct energy_zone *zone = snapshot->zone;

	return is_other_zone(snapshot) ||
		(zone && number_up_to(line, ENERGY_MAX_UJ, &zone->range_uj));
}

static bool take_zone_name(struct snapshot *snapshot, struct span line)
{
	struct energy_zone *zone = snapshot->zone;

	if (zone)
		zone->of = span_begins(line, "package-") ? ENERGY_PACKAGE
			: span_is(line, "dram")		 ? ENERGY_DRAM
							 : ENERGY_OF_COUNT;
	return is_other_zone(snapshot) || (zone && span_is_text(line));
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

/*
 * The snapshot is sound: puts what the zones of each sort have counted that are in it.
 * Where it is not known what they rose by since the last time, the sum falls by one, so
 * that whoever counts leaves that step out.
 */
static void put_energy(
	struct energy *energy, struct sample_batch *batch, size_t row, int64_t t_ns)
{
	static const enum metric_id metric[ENERGY_OF_COUNT] = {
		[ENERGY_PACKAGE] = METRIC_cpu_energy_j,
		[ENERGY_DRAM] = METRIC_dram_energy_j};
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

		if (!here[of])
			continue;
		if (!sum->begun)
			sum->uj = raw[of];
		else
			sum->uj += lost[of] ? -1 : rise[of];
		sum->begun = true;
		sample_batch_put_metric(batch, row, metric[of], sum->uj);
	}
	energy->has_last = true;
	energy->last_ns = t_ns;
}

/*
 * What host.log says once, of limits: those of the process that recorded, which are
 * those of the command; and whose boot, and which control group, it was. They become
 * facts of the run, as they stand there.
 */

#define LIMIT_NAME_WIDTH 26 /* proc_pid_limits(5): names are padded to that */

/* A line of /proc/self/limits: the soft limit of what counts here. */
static bool take_process_limit(struct snapshot *snapshot, struct span line)
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
		struct span soft = line;

		if (!span_begins(line, limits[i].name) || line.len <= LIMIT_NAME_WIDTH)
			continue;
		soft.at += LIMIT_NAME_WIDTH, soft.len -= LIMIT_NAME_WIDTH;
		soft = span_word(&soft);
		if (soft.len)
			run_add_fact(snapshot->run, limits[i].fact, soft);
	}
	return true;
}

/*
 * A line of /proc/self/cgroup: the group of version 2, or that of memory.
 *
 * "4:memory:/slurm/uid_1000/job_4711", "0::/user.slice"
 */
static bool take_group_name(struct snapshot *snapshot, struct span line)
{
	struct span number, controllers;

	if (cut_at(&line, ':', &number) && cut_at(&line, ':', &controllers) &&
		(span_is(controllers, "memory") ||
			(!controllers.len && !span_is(line, "/"))))
		run_add_fact(snapshot->run, "cgroup", line);
	return true;
}

static bool take_boot(struct snapshot *snapshot, struct span line)
{
	run_add_fact(snapshot->run, "boot_id", line);
	return true;
}

/* "0-3,8", of the innermost group that says so */
static bool take_cpuset(struct snapshot *snapshot, struct span line)
{
	run_add_fact(snapshot->run, "cpuset", line);
	return true;
}

static void add_fact(struct run *run, const char *name, int64_t value, int64_t per_unit)
{
	struct strbuf text;

	if (value < 0)
		return;
	strbuf_init(&text);
	number_print(&text, number_ratio(value, per_unit));
	run_add_fact(run, name, (struct span){text.text, text.len});
	strbuf_release(&text);
}

/* The lowest limits of the groups. */
static void add_limits(struct run *run, const struct groups *groups)
{
	const struct group *memory = memory_group(groups), *cpu = cpu_group(groups);

	if (memory)
		add_fact(run, RUN_FACT_MEMORY_LIMIT, group_memory(memory), 1048576);
	if (cpu)
		add_fact(run, RUN_FACT_CPU_LIMIT, group_cpus(cpu), 1000000);
}

static const struct kernel_file kernel_files[] = {
	{NULL, "/proc/loadavg", .take = take_loadavg},
	{NULL, "/proc/pressure/cpu", .take = take_pressure, .lines = true, .value = 0},
	{NULL, "/proc/pressure/memory", .take = take_pressure, .lines = true, .value = 1},
	{NULL, "/proc/pressure/io", .take = take_pressure, .lines = true, .value = 2},
	{NULL, "/proc/diskstats", .take = take_disk, .lines = true},
	{NULL, "/proc/net/dev", .take = take_interface, .lines = true},
	{NULL, "/proc/self/limits", .take = take_process_limit, .once = true,
		.lines = true},
	{NULL, "/proc/self/cgroup", .take = take_group_name, .once = true, .lines = true},
	{NULL, "/proc/sys/kernel/random/boot_id", .take = take_boot, .once = true},
	{POWERCAP, "energy_uj", .take = take_energy},
	{POWERCAP, "name", .take = take_zone_name, .once = true},
	{POWERCAP, "max_energy_range_uj", .take = take_range, .once = true},
	{CGROUP, "cpuset.cpus.effective", .take = take_cpuset, .once = true},
	{CGROUP, "cpuset.effective_cpus", .take = take_cpuset, .once = true},
	{CGROUP, "memory.current", .take = take_number, .value = GROUP_MEM_USED,
		.per = 1},
	{CGROUP, "memory.usage_in_bytes", .take = take_number, .value = GROUP_MEM_USED,
		.per = 1},
	{CGROUP, "cpuacct.usage", .take = take_number, .value = GROUP_CPU_US,
		.per = 1000},
	{CGROUP, "pids.current", .take = take_number, .value = GROUP_TASKS, .per = 1},
	{CGROUP, "cpu.stat", .take = take_key, .lines = true},
	{CGROUP, "memory.events", .take = take_key, .lines = true},
	{CGROUP, "memory.oom_control", .take = take_key, .lines = true},
	{CGROUP, "memory.max", .take = take_limit, .once = true},
	{CGROUP, "memory.limit_in_bytes", .take = take_limit, .once = true},
	{CGROUP, "cpu.max", .take = take_max, .once = true},
	{CGROUP, "cpu.cfs_quota_us", .take = take_quota, .once = true},
	{CGROUP, "cpu.cfs_period_us", .take = take_number, .once = true,
		.value = GROUP_PERIOD_US, .per = 1},
	{CGROUP, "memory.peak", .take = NULL},
	{CGROUP, "memory.max_usage_in_bytes", .take = NULL},
	{CGROUP, "memory.failcnt", .take = NULL},
	{CGROUP, "memory.stat", .take = NULL},
	{CGROUP, "cpuacct.stat", .take = NULL},
	{CGROUP, "io.stat", .take = NULL},
	{CGROUP, "memory.high", .take = NULL, .once = true},
	{CGROUP, "memory.swap.max", .take = NULL, .once = true},
	{CGROUP, "pids.max", .take = NULL, .once = true},
};

/* "> /proc/loadavg" gives the name; false: another line. */
static bool cut_path(struct span line, struct span *path)
{
	if (!span_begins(line, "> /"))
		return false;
	*path = (struct span){line.at + 2, line.len - 2};
	return true;
}

/* NULL: it is not known. */
static const struct kernel_file *find_file(struct span path)
{
	struct span name = path;

	if (!span_is_text(path))
		return NULL;
	while (memchr(name.at, '/', name.len))
		name.at++, name.len--;
	for (size_t i = 0; i < sizeof kernel_files / sizeof kernel_files[0]; i++) {
		const struct kernel_file *file = &kernel_files[i];

		if (!file->below ? span_is(path, file->name)
				 : span_is(name, file->name) &&
					span_begins(path, file->below) &&
					path.at[strlen(file->below)] == '/')
			return file;
	}
	return NULL;
}

static void snapshot_release(struct snapshot *snapshot)
{
	free(snapshot->disks.part);
	free(snapshot->interfaces.part);
	strbuf_release(&snapshot->name);
}

/* The next one begins. */
static void snapshot_clear(struct snapshot *snapshot)
{
	snapshot->files.count = 0;
	strbuf_clear(&snapshot->name);
	snapshot->file = NULL;
	snapshot->lines = 0;
	snapshot->has_load1 = false;
	memset(snapshot->has_pressure, 0, sizeof snapshot->has_pressure);
	parts_clear(&snapshot->disks);
	parts_clear(&snapshot->interfaces);
	for (size_t i = 0; i < snapshot->energy.count; i++)
		snapshot->energy.zone[i].here = false;
	for (size_t i = 0; i < snapshot->groups.count; i++) /* but for limits */
		snapshot->groups.at[i].has &= ~0u << GROUP_MEM_LIMIT;
}

static bool has_file(const struct file_set *files, uint64_t id)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->at[i].id == id)
			return true;
	return false;
}

/* A file begins. False: the snapshot has it already. */
static bool snapshot_open(struct snapshot *snapshot, struct span path)
{
	const struct kernel_file *file = snapshot->file = find_file(path);
	struct file_set *files = &snapshot->files;
	uint64_t id = span_hash(path, SPAN_HASH);

	strbuf_clear(&snapshot->name);
	strbuf_add(&snapshot->name, path.at, path.len);
	snapshot->lines = 0;
	snapshot->whole_disk[0] = '\0';
	snapshot->zone = NULL;
	snapshot->group = NULL;
	if (file && file->take && file->below)
		snapshot->zone = zone_of(&snapshot->energy, path);
	if (file && file->take && file->below && span_begins(path, CGROUP))
		snapshot->group = group_of(&snapshot->groups, path);
	if (has_file(files, id))
		return false;
	if (files->count < FILES_MAX) {
		files->at[files->count].id = id;
		files->at[files->count++].again = file && !file->once;
	}
	return true;
}

/* A line of the file. False: it is damaged. */
static bool snapshot_take(struct snapshot *snapshot, struct span line)
{
	const struct kernel_file *file = snapshot->file;
	bool first = snapshot->lines++ == 0;

	if (!file || !file->take) /* right under a marker nothing stands */
		return snapshot->name.len > 0;
	return (first || file->lines) && file->take(snapshot, line);
}

/* The log ends within the file: a sum that may lack some of its parts is not known.
 * False: nothing is lost by that. */
static bool snapshot_drop_sum(struct snapshot *snapshot, bool torn)
{
	bool (*take)(struct snapshot *, struct span) =
		snapshot->file ? snapshot->file->take : NULL;
	struct parts *parts = take == take_disk ? &snapshot->disks
		: take == take_interface	? &snapshot->interfaces
						: NULL;

	if (!parts || !parts->count || (!torn && parts_whole(parts)))
		return false;
	parts_clear(parts);
	return true;
}

/* Does it lack a file that the sound one before had, other than once; or the lines of its
 * last file? */
static bool snapshot_is_cut(const struct snapshot *snapshot)
{
	if (snapshot->before.count && snapshot->file && snapshot->file->take &&
		!snapshot->lines)
		return true;
	for (size_t i = 0; i < snapshot->before.count; i++)
		if (snapshot->before.at[i].again &&
			!has_file(&snapshot->files, snapshot->before.at[i].id))
			return true;
	return false;
}

/*
 * It is sound: the next one is compared with it. What came up only now may go again, as a
 * name with a wrong letter in it does.
 */
static void snapshot_keep(struct snapshot *snapshot)
{
	for (size_t i = 0; snapshot->before.count && i < snapshot->files.count; i++)
		snapshot->files.at[i].again &=
			has_file(&snapshot->before, snapshot->files.at[i].id);
	snapshot->before = snapshot->files;
}

/*
 * A sound snapshot as rows: one of the host, one of the control group, and one of the
 * group of a job and of a user, where there is such a group.
 */

#define HOST_ROWS_MAX (1 + GROUP_LEVELS) /* of a snapshot */

static void put_parts(struct parts *parts, struct sample_batch *batch, size_t row,
	const enum metric_id metric[PART_VALUES])
{
	int64_t sum[PART_VALUES];

	if (!parts_sum(parts, sum))
		return;
	for (int i = 0; i < PART_VALUES && metric[i] != METRIC_none; i++)
		sample_batch_put_metric(batch, row, metric[i], sum[i]);
}

/* All processors at once never wait for one of them, so there is no such number. */
static void put_pressure(
	const struct snapshot *snapshot, struct sample_batch *batch, size_t row)
{
	static const enum metric_id metric[PRESSURES][2] = {
		{METRIC_psi_cpu_some_s, METRIC_none},
		{METRIC_psi_mem_some_s, METRIC_psi_mem_full_s},
		{METRIC_psi_io_some_s, METRIC_psi_io_full_s}};

	for (size_t i = 0; i < PRESSURES; i++)
		for (size_t full = 0; full < 2; full++)
			if (snapshot->has_pressure[i][full] &&
				metric[i][full] != METRIC_none)
				sample_batch_put_metric(batch, row, metric[i][full],
					snapshot->pressure_us[i][full]);
}

/* Memory and processors may be of two groups: of those that limit them. */
static void put_group(struct sample_batch *batch, size_t row, const struct group *memory,
	const struct group *cpu)
{
	static const struct {
		enum group_value value;
		enum metric_id metric;
		bool memory; /* else of the processors */
	} values[] = {
		{GROUP_MEM_USED, METRIC_cgroup_mem_used_mib, true},
		{GROUP_MEM_LIMIT, METRIC_cgroup_mem_limit_mib, true},
		{GROUP_OOM_KILLS, METRIC_cgroup_oom_kills, true},
		{GROUP_CPU_US, METRIC_cgroup_cpu_s, false},
		{GROUP_THROTTLED_US, METRIC_cgroup_throttled_s, false},
		{GROUP_PERIODS, METRIC_cgroup_periods, false},
		{GROUP_THROTTLED, METRIC_cgroup_throttled_periods, false},
	};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const struct group *group = values[i].memory ? memory : cpu;
		int64_t number;

		if (group && group_value(group, values[i].value, &number))
			sample_batch_put_metric(batch, row, values[i].metric, number);
	}
	if (cpu && group_cpus(cpu) >= 0)
		sample_batch_put_metric(
			batch, row, METRIC_cgroup_cpu_limit, group_cpus(cpu));
}

/* Takes the snapshot in, too: what it says counts for the next ones. */
static void put_rows(struct snapshot *snapshot, struct sample_batch *batch, int64_t t_ns,
	uint64_t line)
{
	static const char *const name[GROUP_LEVELS] = {
		[GROUP_ANY] = "cgroup", [GROUP_JOB] = "job", [GROUP_USER] = "user"};
	struct run *run = snapshot->run;
	size_t row = sample_batch_add(batch, t_ns, identity_host(run));

	batch->timed = true;
	batch->line[row] = line;
	if (snapshot->has_load1)
		sample_batch_put_metric(batch, row, METRIC_load1, snapshot->load1);
	put_pressure(snapshot, batch, row);
	put_parts(&snapshot->disks, batch, row, disk_metrics);
	put_parts(&snapshot->interfaces, batch, row, net_metrics);
	put_energy(&snapshot->energy, batch, row, t_ns);
	for (enum group_level level = 0; level < GROUP_LEVELS; level++) {
		const struct group *group = innermost(&snapshot->groups,
			1u << GROUP_MEM_USED | 1u << GROUP_CPU_US, level);
		bool inner = level == GROUP_ANY;

		if (!group)
			continue;
		row = sample_batch_add(
			batch, t_ns, identity_named(run, DEVICE_GROUP, name[level]));
		batch->line[row] = line;
		put_group(batch, row, inner ? memory_group(&snapshot->groups) : group,
			inner ? cpu_group(&snapshot->groups) : group);
	}
}

struct host_source {
	struct log *log;
	struct marker marker;
	bool open, broken; /* the snapshot */
	bool told; /* the limits are facts of the run */
	uint64_t line; /* of its marker */
	struct snapshot snapshot;
};

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++) {
		const struct kernel_file *file = NULL;
		struct span path;

		if (cut_path(probe->line[i], &path))
			file = find_file(path);
		if (file && file->take)
			return i && marker_is(probe->line[i - 1]) ? 90 : 70;
	}
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
	put_rows(&s->snapshot, batch, s->marker.t_ns, s->line);
	if (!s->told)
		add_limits(s->log->run, &s->snapshot.groups);
	s->told = true;
	snapshot_keep(&s->snapshot);
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
	snapshot_clear(&s->snapshot);
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
	if (!snapshot_open(&s->snapshot, path) && lose(s))
		log_refuse(s->log, "prose",
			"snapshot has the same file twice (snapshot skipped)");
	if (!s->snapshot.file)
		log_note(s->log, true, "unknown-file", path,
			"unknown file '%s' in the snapshot (ignored)",
			log_quote(path).text);
}

/* The log ends in the middle of the disks, or of the interfaces. */
static void drop_sum(struct host_source *s, bool torn)
{
	if (s->open && !s->broken && snapshot_drop_sum(&s->snapshot, torn))
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
	else if (cut_path(line, &path))
		take_file(s, path);
	else if (!snapshot_take(&s->snapshot, line) && lose(s))
		log_refuse(s->log, "bad-value",
			"invalid line '%s' in %s (snapshot skipped)",
			log_quote(line).text,
			s->snapshot.name.len ? s->snapshot.name.text : "an unnamed file");
}

/* The log ends: was the last snapshot written to its end? */
static void take_end(struct host_source *s, struct sample_batch *batch)
{
	if (s->open && snapshot_is_cut(&s->snapshot) && lose(s))
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
static void host_fill(void *state, struct sample_batch *batch)
{
	struct host_source *s = state;
	struct span line;

	batch->snapshots = true;
	while (batch->rows + 2 * HOST_ROWS_MAX <= SAMPLE_BATCH_ROWS) {
		if (!next_line(s, &line)) {
			take_end(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
}

static void host_end(void *state)
{
	struct host_source *s = state;

	snapshot_release(&s->snapshot);
	clocks_end(&s->marker.clocks, s->log->run);
}

static void host_begin(void *state, enum source_kind kind)
{
	struct host_source *s = state;

	(void)kind;
	s->snapshot.run = s->log->run;
}

const struct format format_host_log = {.kind = SOURCE_HOST_LOG,
	.bid = bid,
	.around = true,
	.state_size = sizeof(struct host_source),
	.begin = host_begin,
	.fill = host_fill,
	.end = host_end};
