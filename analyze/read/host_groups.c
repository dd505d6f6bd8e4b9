/* Files by their names, groups by their paths. */
#include "read/host_groups.h"

#include <string.h>

#include "base/number.h"
#include "read/host_lines.h"

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
} host_files[] = {
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

#define FILES (sizeof host_files / sizeof host_files[0])

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

bool host_group_is(struct span path)
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

bool host_group_cut(struct span path, struct group_file *file)
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
		if (!span_is(name, host_files[i].name))
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

void host_groups_clear(struct host_groups *groups)
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

static void keep(struct host_group *group, enum group_value value, int64_t number)
{
	group->value[value] = number;
	group->has |= 1u << value;
}

/* No limit is none that was said before, either. */
static void keep_none(struct host_group *group, enum group_value value)
{
	group->has &= ~(1u << value);
}

static bool read_up_to(struct span word, int64_t most, int64_t *number)
{
	uint64_t value;

	if (!number_unsigned(word, &value) || value > (uint64_t)most)
		return false;
	*number = (int64_t)value;
	return true;
}

static bool take_limit(struct host_group *group, struct span line)
{
	uint64_t number;

	if (!span_is(line, "max") && !number_unsigned(line, &number))
		return false;
	if (span_is(line, "max") || number >= NO_LIMIT)
		keep_none(group, GROUP_MEM_LIMIT);
	else
		keep(group, GROUP_MEM_LIMIT, (int64_t)number);
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
	keep(group, GROUP_QUOTA_US, number);
	return true;
}

static bool take_max(struct host_group *group, struct span line)
{
	struct span quota = span_word(&line), period = span_word(&line);
	int64_t number;

	if (line.len || !host_number(period, &number) || !take_quota(group, quota, "max"))
		return false;
	keep(group, GROUP_PERIOD_US, number);
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
		if (!read_up_to(word, INT64_MAX, &number) ||
			number / keys[i].per > BYTES_MAX ||
			group->has & 1u << keys[i].value)
			return false;
		keep(group, keys[i].value, number / keys[i].per);
	}
	return true;
}

static bool take_number(
	struct host_group *group, const struct group_file *file, struct span line)
{
	int64_t number;

	if (!read_up_to(line, INT64_MAX, &number) ||
		number / host_files[file->kind].per > BYTES_MAX)
		return false;
	keep(group, host_files[file->kind].value, number / host_files[file->kind].per);
	return true;
}

bool host_groups_take(struct host_groups *groups, const struct group_file *file,
	struct span line, bool first)
{
	struct host_group *group = group_of(groups, file);

	if (!group || (!first && host_files[file->kind].form != FORM_KEYS))
		return false;
	switch (host_files[file->kind].form) {
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
