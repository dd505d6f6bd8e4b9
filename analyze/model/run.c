/* Memory of a run. */
#include "model/run.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

void run_init(struct run *run, const char *path)
{
	*run = (struct run){.path = xstrdup(path),
		.cpu_count = -1,
		.mem_total_kib = -1,
		.interval_ns = -1,
		.dmon_interval_ns = -1,
		.started_ns = TIME_NONE,
		.ended_ns = TIME_NONE,
		.exit_status = -1};
}

void run_release(struct run *run)
{
	char *strings[] = {run->key, run->path, run->run_id, run->command, run->host,
		run->kernel, run->cpu_model, run->driver, run->query, run->zone};

	for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
		free(strings[i]);
	for (size_t i = 0; i < run->device_count; i++) {
		free(run->device[i].uuid);
		free(run->device[i].bus_id);
		free(run->device[i].serial);
		free(run->device[i].host);
		free(run->device[i].model);
	}
	for (size_t i = 0; i < run->file_count; i++) {
		free(run->file[i].path);
		free(run->file[i].gpu);
		lost_rows_release(&run->file[i].lost);
	}
	free(run->device);
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		free(run->of_kind[kind].at);
	free(run->file);
	for (size_t i = 0; i < run->fact_count; i++) {
		free(run->fact[i].name);
		free(run->fact[i].value);
	}
	free(run->event);
	words_release(&run->words);
	free(run->fact);
	free(run->clock_change);
	label_list_release(&run->labels);
	missing_list_release(&run->missing);
	texts_release(&run->texts);
	diag_list_release(&run->diags);
	*run = (struct run){0};
}

const char *device_kind_name(enum device_kind kind)
{
	switch (kind) {
	case DEVICE_GPU:
		return "gpu";
	case DEVICE_CPU:
		return "cpu";
	case DEVICE_HOST:
		return "host";
	case DEVICE_PROCESS:
		return "process";
	case DEVICE_TREE:
		return "tree";
	case DEVICE_GROUP:
		return "group";
	case DEVICE_NONE:
		return "none";
	case DEVICE_KIND_COUNT:
		break;
	}
	return "";
}

static void list_device(struct run *run, enum device_kind kind, size_t device)
{
	struct device_list *list = &run->of_kind[kind];

	ALLOC_GROW(list->at, list->count + 1, list->cap);
	list->at[list->count++] = (uint32_t)device;
}

void run_list_devices(struct run *run)
{
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++)
		run->of_kind[kind].count = 0;
	for (size_t i = 0; i < run->device_count; i++)
		list_device(run, run->device[i].kind, i);
}

void run_leave_damaged(struct run *run)
{
	for (size_t i = 0; i < run->device_count; i++)
		if (run->device[i].parent >= 0)
			run->device[run->device[i].parent].damaged = false;
	for (size_t i = 0; i < run->device_count; i++)
		if (run->device[i].damaged)
			run->device[i].kind = DEVICE_NONE;
	run_list_devices(run);
}

struct device *run_add_device(struct run *run, enum device_kind kind, int32_t index)
{
	struct device *device;

	list_device(run, kind, run->device_count);
	ALLOC_GROW(run->device, run->device_count + 1, run->device_cap);
	device = &run->device[run->device_count++];
	*device =
		(struct device){.kind = kind, .index = index, .parent = -1, .place = -1};
	if (index < 0)
		snprintf(device->name, sizeof device->name, "%s", device_kind_name(kind));
	else
		snprintf(device->name, sizeof device->name, "%s%d",
			device_kind_name(kind), (int)index);
	return device;
}

struct event_place run_place_in(
	const struct run *run, const struct run *read, const struct event_place *place)
{
	for (size_t i = 0; place->file < read->file_count && i < run->file_count; i++)
		if (strcmp(run->file[i].path, read->file[place->file].path) == 0)
			return (struct event_place){i, place->line};
	return (struct event_place){0};
}

bool run_has_parts(const struct run *run, size_t file)
{
	const char *path = run->file[file].path;
	size_t len = strlen(path);

	for (size_t i = 0; i < run->file_count; i++)
		if (strncmp(run->file[i].path, path, len) == 0 &&
			run->file[i].path[len] == '#')
			return true;
	return false;
}

struct run_file *run_add_file(struct run *run, const char *path)
{
	struct run_file *file;

	ALLOC_GROW(run->file, run->file_count + 1, run->file_cap);
	file = &run->file[run->file_count++];
	*file = (struct run_file){.path = xstrdup(path), .kind = SOURCE_NONE};
	return file;
}

void run_file_add_gpu(struct run_file *file, uint32_t device)
{
	size_t count = file->gpu_count;

	if (device >= count) {
		file->gpu_count = (size_t)device + 1;
		file->gpu = xrealloc(file->gpu, file->gpu_count, sizeof *file->gpu);
		memset(file->gpu + count, 0, file->gpu_count - count);
	}
	file->gpu[device] = true;
}

bool run_file_has_gpu(const struct run_file *file, uint32_t device)
{
	return device < file->gpu_count && file->gpu[device];
}

static bool has_log(const struct run *run, enum source_kind kind, uint32_t gpu)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], gpu))
			return true;
	return false;
}

static bool is_one_host(const struct device *a, const struct device *b)
{
	return strcmp(a->host ? a->host : "", b->host ? b->host : "") == 0;
}

bool run_shares_log(const struct run *run, enum source_kind kind, uint32_t a, uint32_t b)
{
	if (!is_one_host(&run->device[a], &run->device[b]))
		return false;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], a) &&
			run_file_has_gpu(&run->file[i], b))
			return true;
	return !has_log(run, kind, a) || !has_log(run, kind, b);
}

struct event *run_add_event(struct run *run)
{
	struct event *event;

	ALLOC_GROW(run->event, run->event_count + 1, run->event_cap);
	event = &run->event[run->event_count++];
	*event = (struct event){
		.type = EVENT_POINT, .t_ns = TIME_NONE, .end_ns = TIME_NONE};
	return event;
}

const char *run_keep(struct run *run, const char *text)
{
	return text ? words_keep(&run->words, span_of(text)) : NULL;
}

const char *run_keep_and_free(struct run *run, char *text)
{
	const char *kept = run_keep(run, text);

	free(text);
	return kept;
}

void run_drop_events(struct run *run, const size_t *event, size_t count)
{
	size_t kept = 0, next = 0;

	for (size_t i = 0; i < run->event_count; i++)
		if (next < count && event[next] == i)
			next++;
		else
			run->event[kept++] = run->event[i];
	run->event_count = kept;
}

void run_set_string(char **slot, const char *text)
{
	char *copy = text ? xstrdup(text) : NULL;

	free(*slot);
	*slot = copy;
}

char *run_name(const struct run *run)
{
	size_t len = strlen(run->path);

	while (len > 1 && run->path[len - 1] == '/')
		len--;
	return xstrndup(run->path, len);
}

void run_add_fact(struct run *run, const char *name, struct span value)
{
	if (run_fact(run, name))
		return;
	ALLOC_GROW(run->fact, run->fact_count + 1, run->fact_cap);
	run->fact[run->fact_count++] =
		(struct fact){xstrdup(name), xstrndup(value.at, value.len)};
}

const char *run_fact(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->fact_count; i++)
		if (strcmp(run->fact[i].name, name) == 0)
			return run->fact[i].value;
	return NULL;
}

bool run_event_span(const struct run *run, int64_t *from_ns, int64_t *to_ns)
{
	bool found = false;

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		int64_t end_ns = event->end_ns == TIME_NONE ? event->t_ns : event->end_ns;

		if (event->t_ns == TIME_NONE)
			continue;
		if (!found || event->t_ns < *from_ns)
			*from_ns = event->t_ns;
		if (!found || end_ns > *to_ns)
			*to_ns = end_ns;
		found = true;
	}
	return found;
}

bool run_command_span(const struct run *run, int64_t *from_ns, int64_t *to_ns)
{
	if (run->started_ns == TIME_NONE || run->ended_ns == TIME_NONE ||
		run->started_ns > run->ended_ns)
		return false;
	*from_ns = run->started_ns;
	*to_ns = run->ended_ns;
	return true;
}

int64_t run_interval_ns(const struct run *run, enum source_kind kind)
{
	bool whole_seconds = kind == SOURCE_NVIDIA_DMON || kind == SOURCE_NVIDIA_PMON ||
		kind == SOURCE_NVIDIA_APPS;

	if (whole_seconds && run->dmon_interval_ns > 0)
		return run->dmon_interval_ns;
	return run->interval_ns > 0 ? run->interval_ns : -1;
}

size_t run_count_devices(const struct run *run, enum device_kind kind)
{
	return run->of_kind[kind].count;
}

const char *clock_change_name(enum clock_change_kind kind)
{
	switch (kind) {
	case CLOCK_SUSPENDED:
		return "suspend";
	case CLOCK_STEPPED:
		return "clock step";
	case CLOCK_CORRECTED:
		return "clock step, corrected";
	case CLOCK_CHANGE_KINDS:
		break;
	}
	return "";
}

/* The time that passed between the samples around a change, on a clock without it. */
static int128 change_width(const struct clock_change *change)
{
	int64_t by_ns = change->kind == CLOCK_CORRECTED ? 0 : change->by_ns;

	return (int128)change->to_ns - by_ns - change->from_ns;
}

/* By as much, and their samples have a moment in common before the change took place. */
static bool is_same_change(const struct clock_change *a, const struct clock_change *b)
{
	int128 by_ns = (int128)a->by_ns - b->by_ns;

	return a->kind == b->kind && by_ns > -CLOCK_CHANGE_NS &&
		by_ns < CLOCK_CHANGE_NS && a->from_ns <= b->from_ns + change_width(b) &&
		b->from_ns <= a->from_ns + change_width(a);
}

/* Every log of a recording tells of it: the one whose samples are nearest knows best. */
void run_add_clock_change(struct run *run, const struct clock_change *change)
{
	for (size_t i = 0; i < run->clock_change_count; i++) {
		struct clock_change *known = &run->clock_change[i];

		if (!is_same_change(known, change))
			continue;
		if (change_width(change) < change_width(known))
			*known = *change;
		return;
	}
	if (run->clock_change_count == CLOCK_CHANGES_MAX)
		return;
	ALLOC_GROW(run->clock_change, run->clock_change_count + 1, run->clock_change_cap);
	run->clock_change[run->clock_change_count++] = *change;
}

/* Its number; of a text that is nothing but a decimal number that one; NAN. */
static double number_of(const cJSON *item)
{
	const char *text = cJSON_GetStringValue(item);
	char *end;
	double x;

	if (cJSON_IsNumber(item))
		return item->valuedouble;
	if (!text || !*text || text[strspn(text, "+-.0123456789eE")])
		return NAN;
	x = strtod(text, &end);
	return *end ? NAN : x;
}

bool event_number(const struct event *event, const char *key, double *value)
{
	cJSON *json = event->extras ? cJSON_Parse(event->extras) : NULL;
	const cJSON *item = json ? cJSON_GetObjectItemCaseSensitive(json, key) : NULL;
	double number = number_of(item);
	bool found = isfinite(number);

	if (found)
		*value = number;
	cJSON_Delete(json);
	return found;
}

static uint64_t id_of(const cJSON *item)
{
	char number[32];
	const char *text = cJSON_GetStringValue(item);
	uint64_t hash;

	if (cJSON_IsNumber(item) && item->valuedouble >= 0 &&
		isfinite(item->valuedouble)) {
		snprintf(number, sizeof number, "%.17g", item->valuedouble + 0.0);
		text = number;
	}
	if (!text || !*text)
		return 0;
	hash = span_hash(span_of(text), SPAN_HASH);
	return hash ? hash : 1;
}

static bool has_any(const char *extras, const char *const key[], size_t count)
{
	for (size_t i = 0; extras && i < count; i++)
		if (strstr(extras, key[i]))
			return true;
	return false;
}

void event_ids(
	const struct event *event, const char *const key[], size_t count, uint64_t id[])
{
	cJSON *json =
		has_any(event->extras, key, count) ? cJSON_Parse(event->extras) : NULL;

	for (size_t i = 0; i < count; i++)
		id[i] = json ? id_of(cJSON_GetObjectItemCaseSensitive(json, key[i])) : 0;
	cJSON_Delete(json);
}

const struct diag *run_unreadable(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "unreadable") == 0 ||
			strcmp(run->diags.at[i].id, "read-error") == 0)
			return &run->diags.at[i];
	return NULL;
}

bool run_is_unreadable(const struct run *run)
{
	return run_unreadable(run) != NULL;
}

bool run_is_damaged(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage)
			return true;
	return false;
}

bool device_is_core(const struct device *device)
{
	return device->kind == DEVICE_CPU && device->index >= 0;
}
