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

/* The first word that has a digit: "A100" of "NVIDIA A100-SXM4-80GB"; len 0: none. */
static struct span model_number(struct span model)
{
	size_t from = 0;
	bool digit = false;

	for (size_t i = 0; i <= model.len; i++) {
		char c = i < model.len ? model.at[i] : ' ';

		if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
			digit |= c <= '9';
			continue;
		}
		if (digit)
			return (struct span){model.at + from, i - from};
		from = i + 1;
	}
	return SPAN_NONE;
}

/* Tools write a model in several ways, but each with its number. */
static enum match match_model(const char *known, struct span given)
{
	struct span number = known ? model_number(span_of(known)) : SPAN_NONE;

	given = model_number(given);
	if (!number.len || !given.len)
		return UNKNOWN;
	return number.len == given.len && strncasecmp(number.at, given.at, given.len) == 0
		? AGREES
		: CONTRADICTS;
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
	return uuid == AGREES || bus == AGREES ||
		(index == AGREES &&
			match_model(device->model, id->model) != CONTRADICTS) ||
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

static struct span span_or_none(const char *text)
{
	return text ? span_of(text) : SPAN_NONE;
}

void gpu_ids_add(struct run *census, const struct run *log, bool with_masks)
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
