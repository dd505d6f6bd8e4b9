/*
 * Matching of ids: a device is met again when something agrees and nothing
 * contradicts.
 */
#include "read/identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/read_run.h"

enum match {
	UNKNOWN,
	AGREES,
	CONTRADICTS
};

static enum match match_text(const char *known, struct span given)
{
	if (!known || !given.len)
		return UNKNOWN;
	return span_is_nocase(given, known) ? AGREES : CONTRADICTS;
}

/* "00000000:0C:00.0" and "0000:0c:00.0" are one place: the domain's width varies. */
static struct span without_zeros(struct span bus_id)
{
	while (bus_id.len > 1 && bus_id.at[0] == '0')
		bus_id.at++, bus_id.len--;
	return bus_id;
}

static enum match match_bus(const char *known, struct span given)
{
	struct span k;

	if (!known || !given.len)
		return UNKNOWN;
	k = without_zeros(span_of(known));
	given = without_zeros(given);
	if (k.len != given.len || strncasecmp(k.at, given.at, k.len) != 0)
		return CONTRADICTS;
	return AGREES;
}

#define UUID_LEN 40 /* "GPU-", and 8-4-4-4-12 hexadecimal digits */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/*
 * A GPU's own, and no mask that all have: of at least four different digits, of no group
 * three times, and not of one digit a group.
 */
static bool is_real_uuid(struct span uuid)
{
	bool seen[256] = {false}, uniform = true;
	int different = 0;

	if (uuid.len != UUID_LEN || strncasecmp(uuid.at, "GPU-", 4) != 0)
		return false;
	for (size_t i = 4; i < UUID_LEN; i++) {
		char c = uuid.at[i];
		bool dash = i == 12 || i == 17 || i == 22 || i == 27;

		if (dash ? c != '-' : !is_hex(c))
			return false;
		different += !dash && !seen[(unsigned char)c];
		seen[(unsigned char)c] |= !dash;
		uniform &= dash || uuid.at[i - 1] == '-' || uuid.at[i - 1] == c;
	}
	return different >= 4 && !uniform &&
		(memcmp(uuid.at + 13, uuid.at + 18, 4) != 0 ||
			memcmp(uuid.at + 18, uuid.at + 23, 4) != 0);
}

static bool is_real_bus(struct span bus_id)
{
	for (size_t i = 0; i < bus_id.len; i++)
		if (is_hex(bus_id.at[i]) && bus_id.at[i] != '0')
			return true;
	return false;
}

bool identity_is_own(const struct gpu_id *id)
{
	return id->index >= 0 || is_real_uuid(id->uuid) || is_real_bus(id->bus_id);
}

static enum match match_index(int32_t known, int32_t given)
{
	if (known < 0 || given < 0)
		return UNKNOWN;
	return known == given ? AGREES : CONTRADICTS;
}

/* Without an id of its own: the only GPU of its host, or one of a place. */
static bool is_nameless(const struct gpu_id *id)
{
	return !id->uuid.len && !id->bus_id.len && !id->serial.len && id->index < 0;
}

/*
 * A UUID, or else a bus id, that no other GPU has is the GPU, whatever the index: that
 * changes where one falls off the bus, or the driver is loaded again.
 */
static bool is_certain(const struct device *device, const struct gpu_id *id)
{
	enum match uuid = match_text(device->uuid, id->uuid);
	enum match bus = match_bus(device->bus_id, id->bus_id);

	if (match_text(device->host, id->host) == CONTRADICTS || uuid == CONTRADICTS)
		return false;
	if (uuid == AGREES && (bus == AGREES || is_real_uuid(id->uuid)))
		return true;
	return bus == AGREES && is_real_bus(id->bus_id);
}

/*
 * The index of a GPU, or what stands for it where it has no ids: the place for which it
 * was made, else of what a host or a board has, that it is the run's nth; -1: nothing
 * does, as of one that its model alone tells from others.
 */
static int32_t number_of(const struct device *device, int32_t nth)
{
	if (device->index >= 0 || device->uuid || device->bus_id)
		return device->index;
	if (device->place >= 0)
		return device->place;
	return device->host || device->serial ? nth : -1;
}

/* By less than that; nth: of the device among the run's GPUs. */
static bool is_likely(const struct device *device, int32_t nth, const struct gpu_id *id)
{
	enum match host = match_text(device->host, id->host);
	enum match uuid = match_text(device->uuid, id->uuid);
	enum match bus = match_bus(device->bus_id, id->bus_id);
	enum match index = match_index(number_of(device, nth), id->index);

	if (host == CONTRADICTS || uuid == CONTRADICTS || bus == CONTRADICTS ||
		index == CONTRADICTS)
		return false;
	if (!id->uuid.len && !id->bus_id.len && id->index < 0 && id->serial.len)
		return match_text(device->serial, id->serial) == AGREES;
	return uuid == AGREES || bus == AGREES || index == AGREES ||
		(host == AGREES && is_nameless(id));
}

static bool is_taken(const struct run *run, const struct device *device)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++)
		if (&run->device[gpus->at[i]] != device &&
			strcmp(run->device[gpus->at[i]].name, device->name) == 0)
			return true;
	return false;
}

/* "gpu" and its index or place; where another device has that name, the next free number.
 */
static void name_device(
	struct run *run, struct device *device, int32_t number, int32_t gpus)
{
	snprintf(device->name, sizeof device->name, "gpu%d", (int)number);
	for (; is_taken(run, device); gpus++)
		snprintf(device->name, sizeof device->name, "gpu%d", (int)gpus);
}

/* Whether it is new. */
static bool learn(char **slot, struct span text)
{
	if (*slot || !text.len)
		return false;
	*slot = xstrndup(text.at, text.len);
	return true;
}

/* What a row without an id of its own says besides: also a mask, or nothing, is alike. */
static bool is_alike(const struct device *device, const struct gpu_id *id)
{
	return match_text(device->host, id->host) != CONTRADICTS &&
		(!id->host.len || device->host) &&
		match_text(device->uuid, id->uuid) != CONTRADICTS &&
		match_text(device->serial, id->serial) != CONTRADICTS &&
		(!id->serial.len || device->serial);
}

/* Where it stands in a tick of rows without ids; -1: nothing tells. */
static int32_t place_of(const struct device *device, int32_t nth)
{
	return device->place >= 0 ? device->place : number_of(device, nth);
}

/* Of a row without ids: a place is an index, unless models are what tells GPUs apart. */
static bool is_at(const struct device *device, int32_t nth, const struct gpu_id *id)
{
	if (id->by_model)
		return id->model.len ? match_text(device->model, id->model) == AGREES
				     : !device->model;
	return place_of(device, nth) == id->place;
}

/* The GPU that the id is certain to mean, else the first that it is likely to; NULL. */
static struct device *find_gpu(struct run *run, const struct gpu_id *id)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	bool placed =
		id->place >= 0 || id->by_model || (is_nameless(id) && !id->host.len);
	struct device *likely = NULL;
	int32_t nth = 0;

	for (size_t i = 0; i < gpus->count; i++) {
		struct device *known = &run->device[gpus->at[i]];

		if (placed && !is_alike(known, id))
			continue;
		if (!placed && is_certain(known, id))
			return known;
		if (id->first ? !likely || place_of(known, nth) < place_of(likely, nth)
			      : !likely &&
					(placed ? is_at(known, nth, id)
						: is_likely(known, nth, id)))
			likely = known;
		nth++;
	}
	return likely;
}

static bool learn_index(struct device *device, int32_t index)
{
	if (device->index >= 0 || index < 0)
		return false;
	device->index = index;
	return true;
}

/* *grew: the GPUs, or what is known of them, are more now, so that answers may change. */
static uint32_t take_gpu(struct run *run, const struct gpu_id *id, bool *grew)
{
	struct device *device = find_gpu(run, id);
	int32_t gpus = (int32_t)run->of_kind[DEVICE_GPU].count;

	*grew = false;
	if (!device && gpus == IDENTITY_GPUS_MAX)
		return IDENTITY_NONE;
	if (!device) {
		int32_t number = id->index >= 0 ? id->index
			: id->place >= 0	? id->place
						: gpus;

		device = run_add_device(run, DEVICE_GPU, id->index);
		device->place = id->place;
		name_device(run, device, number, gpus);
		*grew = true;
	}
	*grew |= learn(&device->uuid, id->uuid);
	*grew |= learn(&device->bus_id, id->bus_id);
	*grew |= learn(&device->model, id->model);
	*grew |= learn(&device->host, id->host);
	*grew |= learn(&device->serial, id->serial);
	*grew |= learn_index(device, id->index);
	return (uint32_t)(device - run->device);
}

uint32_t identity_gpu(struct run *run, const struct gpu_id *id)
{
	bool grew;

	return take_gpu(run, id, &grew);
}

/* The bus id goes first: an index may have moved on to the next GPU. */
bool identity_named_gpu(const struct run *run, const struct gpu_id *id, uint32_t *device)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	bool by_bus = false, by_index = false;

	*device = IDENTITY_NONE;
	for (size_t i = 0; i < gpus->count; i++) {
		const struct device *known = &run->device[gpus->at[i]];
		enum match bus = match_bus(known->bus_id, id->bus_id);
		enum match index = match_index(known->index, id->index);

		by_bus |= bus != UNKNOWN;
		by_index |= index != UNKNOWN;
		if (bus == AGREES || (bus == UNKNOWN && index == AGREES))
			*device = gpus->at[i];
		if (bus == AGREES)
			return true;
	}
	return by_bus || by_index;
}

/* The texts of an id, in the order of known_gpus. */
static void list_texts(const struct gpu_id *id, struct span text[KNOWN_GPU_TEXTS])
{
	text[0] = id->uuid;
	text[1] = id->bus_id;
	text[2] = id->model;
	text[3] = id->host;
	text[4] = id->serial;
}

static bool is_known(const struct known_gpus *known, size_t i, const struct gpu_id *id)
{
	const char *at = known->at[i].text;
	struct span text[KNOWN_GPU_TEXTS];

	if (known->at[i].index != id->index)
		return false;
	list_texts(id, text);
	for (size_t k = 0; k < KNOWN_GPU_TEXTS; k++) {
		if (!span_equal((struct span){at, known->at[i].len[k]}, text[k]))
			return false;
		at += text[k].len;
	}
	return true;
}

static void remember(struct known_gpus *known, const struct gpu_id *id, uint32_t device)
{
	struct span text[KNOWN_GPU_TEXTS];
	size_t bytes = 0;
	char *to;

	list_texts(id, text);
	for (size_t k = 0; k < KNOWN_GPU_TEXTS; k++)
		bytes += text[k].len;
	if (known->count == KNOWN_GPUS || bytes > KNOWN_GPU_BYTES)
		return;
	to = known->at[known->count].text;
	known->at[known->count].device = device;
	known->at[known->count].index = id->index;
	for (size_t k = 0; k < KNOWN_GPU_TEXTS; k++) {
		known->at[known->count].len[k] = text[k].len;
		if (text[k].len)
			memcpy(to, text[k].at, text[k].len);
		to += text[k].len;
	}
	known->count++;
}

/* Whether something was left aside. */
static bool leave_damaged(struct gpu_id *id)
{
	struct span *parts[] = {&id->uuid, &id->bus_id, &id->host, &id->serial};
	bool damaged = false;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (span_is_text(*parts[i]))
			continue;
		parts[i]->len = 0;
		damaged = true;
	}
	return damaged;
}

/* The GPU that had an index last, by rows that said more; IDENTITY_NONE: it is not known.
 */
static uint32_t holder_of(const struct known_gpus *known, const struct gpu_id *id)
{
	if (id->uuid.len || id->bus_id.len || id->host.len || id->index < 0 ||
		id->index >= KNOWN_GPUS || !known->holder[id->index])
		return IDENTITY_NONE;
	return known->holder[id->index] - 1;
}

static void forget(struct known_gpus *known)
{
	known->count = 0;
	known->forgotten++;
}

/* What was answered for an index is forgotten where another GPU has taken it over. */
static void hold_index(struct known_gpus *known, const struct gpu_id *id, uint32_t device)
{
	if ((!id->uuid.len && !id->bus_id.len) || id->index < 0 ||
		id->index >= KNOWN_GPUS || known->holder[id->index] == device + 1)
		return;
	if (known->holder[id->index])
		forget(known);
	known->holder[id->index] = device + 1;
}

uint32_t identity_gpu_again(
	struct known_gpus *known, struct run *run, const struct gpu_id *id)
{
	struct gpu_id sound = *id;
	bool grew = false;
	uint32_t device;

	if (id->place >= 0) {
		device = take_gpu(run, id, &grew);
		known->forgotten += grew;
		return device;
	}
	for (size_t tried = 0; tried < known->count; tried++) {
		size_t i = (known->next + tried) % known->count;

		if (!is_known(known, i, id))
			continue;
		known->next = i + 1;
		return known->at[i].device;
	}
	if (leave_damaged(&sound) && is_nameless(&sound) && !sound.host.len)
		return IDENTITY_DAMAGED;
	device = holder_of(known, &sound);
	if (device == IDENTITY_NONE)
		device = take_gpu(run, &sound, &grew);
	if (grew)
		forget(known);
	if (device != IDENTITY_NONE) {
		hold_index(known, &sound, device);
		remember(known, &sound, device);
	}
	known->next = known->count;
	return device;
}

uint32_t identity_cpu(struct run *run, int32_t cpu)
{
	const struct device_list *cpus = &run->of_kind[DEVICE_CPU];

	for (size_t i = 0; i < cpus->count; i++)
		if (run->device[cpus->at[i]].index == cpu)
			return cpus->at[i];
	run_add_device(run, DEVICE_CPU, cpu);
	return (uint32_t)(run->device_count - 1);
}

uint32_t identity_host(struct run *run)
{
	return identity_named(run, DEVICE_HOST, "host");
}

uint32_t identity_named(struct run *run, enum device_kind kind, const char *name)
{
	const struct device_list *list = &run->of_kind[kind];
	struct device *device;

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(run->device[list->at[i]].name, name) == 0)
			return list->at[i];
	device = run_add_device(run, kind, -1);
	snprintf(device->name, sizeof device->name, "%s", name);
	return (uint32_t)(run->device_count - 1);
}

/*
 * GPUs by the sorts of ids that they are known by. nvidia-smi names the GPUs of a call
 * in the order of their indexes, so that as many of another sort are the same in their
 * order. compute-apps name only GPUs that have processes: theirs are certain only
 * where there is one.
 */

enum {
	BY_INDEX = 1,
	BY_UUID = 2,
	BY_BUS_ID = 4,
	BY_SERIAL = 8
};

#define GROUPS_MAX 4 /* of sorts that have none in common */

/* The GPUs that are known by the same sorts of ids, in their order. */
struct group {
	unsigned sorts;
	uint32_t gpu[IDENTITY_GPUS_MAX];
	size_t count;
	bool by_processes; /* only logs of processes name one of them */
};

struct groups {
	struct group *at; /* [GROUPS_MAX] */
	size_t count;
};

static struct span span_or_none(const char *text)
{
	return text ? span_of(text) : (struct span){NULL, 0};
}

void census_add(struct run *census, const struct run *log, bool with_masks)
{
	const struct device_list *gpus = &log->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const struct device *gpu = &log->device[gpus->at[i]];
		struct gpu_id id = {.uuid = span_or_none(gpu->uuid),
			.bus_id = span_or_none(gpu->bus_id),
			.host = span_or_none(gpu->host),
			.serial = span_or_none(gpu->serial),
			.model = span_or_none(gpu->model),
			.index = gpu->index,
			.place = -1};

		if (!gpu->damaged &&
			(identity_is_own(&id) ||
				(with_masks &&
					(id.uuid.len || id.bus_id.len || id.host.len ||
						id.serial.len))))
			(void)identity_gpu(census, &id);
	}
}

static unsigned sorts_of(const struct device *gpu)
{
	return (gpu->index >= 0 ? BY_INDEX : 0) | (gpu->uuid ? BY_UUID : 0) |
		(gpu->bus_id ? BY_BUS_ID : 0) | (gpu->serial ? BY_SERIAL : 0);
}

/* Puts a GPU into its group; false: another group has one of its sorts, too. */
static bool put_gpu(
	struct groups *groups, const struct run *census, uint32_t gpu, bool by_processes)
{
	unsigned sorts = sorts_of(&census->device[gpu]);
	size_t i = 0;

	while (i < groups->count && groups->at[i].sorts != sorts)
		if (groups->at[i++].sorts & sorts)
			return false;
	if (i == GROUPS_MAX || !sorts)
		return false;
	if (i == groups->count)
		groups->at[groups->count++] = (struct group){.sorts = sorts};
	groups->at[i].gpu[groups->at[i].count++] = gpu;
	groups->at[i].by_processes |= by_processes;
	return true;
}

static void sort_by_index(struct group *group, const struct run *census)
{
	for (size_t i = 1; i < group->count; i++)
		for (size_t k = i; k > 0 &&
			census->device[group->gpu[k]].index <
				census->device[group->gpu[k - 1]].index;
			k--) {
			uint32_t gpu = group->gpu[k];

			group->gpu[k] = group->gpu[k - 1];
			group->gpu[k - 1] = gpu;
		}
}

static bool has_host(const struct run *census)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++)
		if (census->device[gpus->at[i]].host)
			return true;
	return false;
}

/* One group of the first so many GPUs, by their indexes if all have one. */
static void gather(struct groups *groups, const struct run *census, size_t count)
{
	struct group *all = &groups->at[0];

	*all = (struct group){.sorts = BY_INDEX, .count = count};
	for (size_t i = 0; i < count; i++) {
		all->gpu[i] = census->of_kind[DEVICE_GPU].at[i];
		all->sorts &= sorts_of(&census->device[all->gpu[i]]);
	}
	groups->count = count > 0;
}

/* shown: GPUs that other logs than those of processes name; they come first. */
static void fill_groups(struct groups *groups, const struct run *census, size_t shown)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];
	bool apart = true;

	for (size_t i = 0; i < gpus->count && apart; i++)
		apart = put_gpu(groups, census, gpus->at[i], i >= shown);
	if (!apart) /* some log names GPUs by two sorts: which are the same is known */
		gather(groups, census, shown);
	for (size_t i = 0; i < groups->count; i++)
		if (groups->at[i].sorts & BY_INDEX)
			sort_by_index(&groups->at[i], census);
}

/* Those that only processes name stay beside the others, unless there is but one. */
static void leave_processes(struct groups *groups)
{
	size_t kept = 0;
	bool single = true;

	for (size_t i = 0; i < groups->count; i++)
		single = single && groups->at[i].count == 1;
	for (size_t i = 0; i < groups->count; i++)
		if (single || !groups->at[i].by_processes)
			groups->at[kept++] = groups->at[i];
	groups->count = kept;
}

/*
 * The run gets the GPUs, each with all its ids. unnamed: of the rows without ids, which
 * are about these GPUs in their order; NULL.
 */
static void add_gpus(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	for (size_t k = 0; k < groups->at[0].count; k++) {
		struct gpu_id id = {.index = -1, .place = -1};
		uint32_t device;

		if (unnamed && unnamed->models.count)
			id.model =
				span_of(texts_word(&unnamed->models, (int64_t)(k + 1)));
		for (size_t i = 0; i < groups->count; i++) {
			const struct device *gpu = &census->device[groups->at[i].gpu[k]];

			if (gpu->uuid)
				id.uuid = span_of(gpu->uuid);
			if (gpu->bus_id)
				id.bus_id = span_of(gpu->bus_id);
			if (gpu->serial)
				id.serial = span_of(gpu->serial);
			if (gpu->model)
				id.model = span_of(gpu->model);
			if (gpu->index >= 0)
				id.index = gpu->index;
		}
		device = identity_gpu(run, &id);
		if (unnamed && device != IDENTITY_NONE)
			run->device[device].place = (int32_t)k;
	}
}

static bool has_index(const struct group *group, const struct run *census, int32_t index)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index == index)
			return true;
	return false;
}

/* Indexes from 0 on: what places mean anyway. */
static bool are_places(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index != (int32_t)k)
			return false;
	return true;
}

static bool have_models(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (!census->device[group->gpu[k]].model)
			return false;
	return true;
}

/*
 * Which GPUs the rows mean is told: the indexes are places, or the places indexes; the
 * models are known, or the rows say something else.
 */
static bool are_told(
	const struct group *group, const struct run *census, const struct stream *unnamed)
{
	int32_t places = (int32_t)stream_gpus(unnamed), met = 0;
	bool inside = true;

	if (unnamed->models.count)
		return have_models(group, census);
	if (unnamed->key.who)
		return true;
	for (int32_t place = 0; place < places; place++)
		met += has_index(group, census, place);
	for (size_t k = 0; k < group->count; k++) {
		int32_t index = census->device[group->gpu[k]].index;

		inside = inside && index >= 0 && index < places;
	}
	return inside || met == places;
}

static void say_paired(struct run *run, size_t count)
{
	diag_add(&run->diags, false, "paired-ids", "", 0, (struct span){NULL, 0},
		"the logs name %zu GPU%s by one sort of ids (index, UUID, bus id, serial "
		"number, none), "
		"as many by another, and none by both: they are taken for the same, in "
		"their order",
		count, count > 1 ? "s" : "");
}

/* Those of a log without ids beside those that others name. */
static void pair_unnamed(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	const struct group *group = &groups->at[0];
	size_t count = stream_gpus(unnamed);
	bool by_model = unnamed->models.count > 0;

	if (count == group->count) {
		bool places = are_places(group, census);

		if (!places || by_model)
			add_gpus(run, groups, census, unnamed);
		if (!places)
			say_paired(run, count);
		return;
	}
	if (by_model)
		add_gpus(run, groups, census, NULL);
	if (!are_told(group, census, unnamed))
		diag_add(&run->diags, true, "unpaired-ids", "", 0, (struct span){NULL, 0},
			"the logs name %zu GPU%s, and rows without an id are about %zu, "
			"which may be among them: GPUs may count twice",
			group->count, group->count > 1 ? "s" : "", count);
}

static void pair_groups(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	size_t count = groups->count ? groups->at[0].count : 0;
	bool alike = true;

	for (size_t i = 1; i < groups->count; i++)
		alike = alike && groups->at[i].count == count;
	if (groups->count > 1 && !alike) {
		diag_add(&run->diags, true, "unpaired-ids", "", 0, (struct span){NULL, 0},
			"the logs name %zu GPUs by one sort of ids (index, UUID, bus "
			"id), "
			"%zu by another, and none by both: GPUs may count twice",
			count, groups->at[1].count);
	} else if (groups->count > 1) {
		add_gpus(run, groups, census,
			unnamed && stream_gpus(unnamed) == count ? unnamed : NULL);
		say_paired(run, count);
	} else if (count && unnamed) {
		pair_unnamed(run, groups, census, unnamed);
	}
}

static void prepare_kind(struct reading *reading, enum source_kind kind)
{
	for (size_t i = 0; i < reading->file_count; i++)
		if (reading->run->file[i].kind == kind)
			reading_prepare(reading, i);
}

/* Of the streams that nothing tells from another, the one of the most GPUs; NULL. */
static const struct stream *find_unnamed(const struct reading *reading)
{
	const struct stream *most = NULL;

	for (size_t i = 0; i < reading->file_count; i++) {
		const struct streams *streams = &reading->file[i].streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!most || stream_gpus(&streams->at[k]) > stream_gpus(most))
				most = &streams->at[k];
	}
	return most;
}

static bool names_gpus(enum source_kind kind)
{
	return kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_NVIDIA_DMON ||
		kind == SOURCE_NVIDIA_PMON || kind == SOURCE_NVIDIA_APPS;
}

/* Is there one log, all of whose rows have ids of the same sorts? Then no GPU has others
 * elsewhere. */
static bool is_alone(const struct reading *reading)
{
	size_t logs = 0, alone = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		if (!names_gpus(reading->run->file[i].kind))
			continue;
		logs++;
		alone += reading->file[i].one_header;
	}
	return logs == alone && alone <= 1 &&
		!run_count_devices(reading->run, DEVICE_GPU);
}

void census_take(struct reading *reading)
{
	struct groups groups = {NULL, 0};
	struct run census;
	size_t shown;

	if (is_alone(reading)) {
		prepare_kind(reading, SOURCE_NVIDIA_QUERY);
		reading_join_streams(reading);
		return;
	}
	groups.at = xcalloc(GROUPS_MAX, sizeof *groups.at);
	run_init(&census, "");
	reading->census = &census;
	census_add(&census, reading->run, true);
	prepare_kind(reading, SOURCE_NVIDIA_QUERY);
	reading_join_streams(reading);
	prepare_kind(reading, SOURCE_NVIDIA_DMON);
	prepare_kind(reading, SOURCE_NVIDIA_PMON);
	shown = run_count_devices(&census, DEVICE_GPU);
	prepare_kind(reading, SOURCE_NVIDIA_APPS);
	reading->census = NULL;
	if (!has_host(&census)) { /* which of several has a GPU is not told by others */
		fill_groups(&groups, &census, shown);
		leave_processes(&groups);
		pair_groups(reading->run, &groups, &census, find_unnamed(reading));
	}
	run_release(&census);
	free(groups.at);
}
