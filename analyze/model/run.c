/*
 * Memory of a run and of its parts: labels, rejected rows, counts of missing values,
 * origins, diagnostics, CPU lists. Computes nothing.
 */
#include "model/run.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/number.h"

/* Labels: a list sorted by key. */

#define SHOWN_MAX 100 /* bytes of what is no label */

void label_list_release(struct label_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].key);
		free(list->at[i].value);
	}
	free(list->at);
	*list = (struct label_list){0};
}

bool label_is_key(struct span key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_.-";

	for (size_t i = 0; i < key.len; i++)
		if (!memchr(plain, key.at[i], sizeof plain - 1))
			return false;
	return key.len > 0 && key.len <= LABEL_KEY_MAX;
}

bool label_is_value(struct span value)
{
	return value.len <= LABEL_VALUE_MAX;
}

static int compare_key(const char *key, struct span other)
{
	int order = strncmp(key, other.at, other.len);

	return order ? order : key[other.len] != '\0';
}

/* Where a key stands, or would stand. */
static size_t place_of(const struct label_list *list, struct span key, bool *there)
{
	size_t at = 0;

	while (at < list->count && compare_key(list->at[at].key, key) < 0)
		at++;
	*there = at < list->count && compare_key(list->at[at].key, key) == 0;
	return at;
}

void label_set(struct label_list *list, struct span key, struct span value, bool given)
{
	bool there;
	size_t at = place_of(list, key, &there);

	if (there) {
		free(list->at[at].value);
	} else {
		ALLOC_GROW(list->at, list->count + 1, list->cap);
		memmove(&list->at[at + 1], &list->at[at],
			(list->count++ - at) * sizeof *list->at);
		list->at[at].key = xstrndup(key.at, key.len);
	}
	list->at[at].value = xstrndup(value.at, value.len);
	list->at[at].given = given;
}

int label_add(struct label_list *list, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	struct span key = {text, equals ? (size_t)(equals - text) : strlen(text)};
	struct span value = span_of(equals ? equals + 1 : "");
	bool there;

	if (!equals || !label_is_key(key))
		return error_set(err,
			"%.*s: expected KEY=VALUE; a key has at most %d letters, digits, "
			"_, . or -",
			SHOWN_MAX, text, LABEL_KEY_MAX);
	if (!label_is_value(value))
		return error_set(err, "%.*s: the value is too long (at most %d bytes)",
			(int)key.len, key.at, LABEL_VALUE_MAX);
	place_of(list, key, &there);
	if (there)
		return error_set(err, "%.*s is given twice", (int)key.len, key.at);
	if (list->count == LABELS_MAX)
		return error_set(err, "%.*s is too many labels (at most %d)",
			(int)key.len, key.at, LABELS_MAX);
	label_set(list, key, value, true);
	return 0;
}

const struct label *label_find(const struct label_list *list, const char *key)
{
	bool there;
	size_t at = place_of(list, span_of(key), &there);

	return there ? &list->at[at] : NULL;
}

bool label_matches(const struct label_list *list, const struct label_list *wanted)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct label *label = label_find(list, wanted->at[i].key);

		if (!label || strcmp(label->value, wanted->at[i].value) != 0)
			return false;
	}
	return true;
}

void label_set_all(struct label_list *list, const struct label_list *given)
{
	for (size_t i = 0; i < given->count; i++)
		label_set(list, span_of(given->at[i].key), span_of(given->at[i].value),
			true);
}

/* Counts of missing values, by source, device, metric and reason. */

void missing_list_release(struct missing_list *list)
{
	free(list->at);
	lookup_release(&list->places);
	*list = (struct missing_list){0};
}

static bool is_same(const struct missing *a, const struct missing *b)
{
	return a->metric == b->metric && a->device == b->device &&
		a->reason == b->reason && a->source == b->source;
}

static uint64_t hash(const struct missing *m)
{
	uint64_t h = (uint64_t)m->metric << 48 ^ (uint64_t)m->source << 40 ^
		(uint64_t)m->device << 16 ^ m->reason;

	return h * 0x9e3779b97f4a7c15u;
}

void missing_add(struct missing_list *list, const struct missing *missing)
{
	size_t at = lookup_first(&list->places, hash(missing));

	while (at != LOOKUP_NONE && !is_same(&list->at[at], missing))
		at = lookup_next(&list->places, at);
	if (at != LOOKUP_NONE) {
		list->at[at].count += missing->count;
		return;
	}
	lookup_add(&list->places, hash(missing));
	ALLOC_NEXT(list->at, list->count, list->cap) = *missing;
}

/* As the index stands: by source, device and metric. */
static int compare(const struct missing *a, const struct missing *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

static int compare_places(const void *a, const void *b)
{
	const struct missing *x = *(const struct missing *const *)a;
	const struct missing *y = *(const struct missing *const *)b;
	int order = compare(x, y);

	return order ? order : (x > y) - (x < y);
}

void missing_index_init(struct missing_index *index, const struct missing_list *list)
{
	index->at = xcalloc(list->count + 1, sizeof *index->at);
	index->count = list->count;
	for (size_t i = 0; i < list->count; i++)
		index->at[i] = &list->at[i];
	qsort(index->at, index->count, sizeof *index->at, compare_places);
}

void missing_index_release(struct missing_index *index)
{
	free(index->at);
	*index = (struct missing_index){0};
}

size_t missing_index_find(const struct missing_index *index, enum source_kind source,
	uint32_t device, enum metric_id metric, size_t *count)
{
	struct missing wanted = {.source = source, .device = device, .metric = metric};
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(index->at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < index->count; high++)
		if (compare(index->at[high], &wanted) != 0)
			break;
	*count = high - low;
	return low;
}

/* Rejected rows, and the rows before and after them. */

void lost_rows_release(struct lost_rows *lost)
{
	free(lost->at);
	*lost = (struct lost_rows){0};
}

/* No row can stand between two lines that follow one another. */
void lost_rows_add(struct lost_rows *lost, uint64_t line, uint64_t rows)
{
	size_t at = lost->count;
	struct lost_stretch *last;

	while (at > lost->closed && lost->at[at - 1].line > line)
		at--;
	last = at > lost->closed ? &lost->at[at - 1] : NULL;
	if (last &&
		(line <= last->last_line + 1 ||
			lost->count - lost->closed >= LOST_ROWS_KEPT)) {
		if (line > last->last_line)
			last->last_line = line;
		last->rows += rows;
		return;
	}
	ALLOC_GROW(lost->at, lost->count + 1, lost->cap);
	memmove(&lost->at[at + 1], &lost->at[at], (lost->count - at) * sizeof *lost->at);
	lost->at[at] = (struct lost_stretch){
		line, line, lost->any ? lost->last_ns : INT64_MIN, INT64_MAX, rows};
	lost->count++;
}

/* As one with the last that was kept, if both stand between the same rows. */
static void keep_closed(struct lost_rows *lost, const struct lost_stretch *stretch)
{
	struct lost_stretch *last = lost->closed ? &lost->at[lost->closed - 1] : NULL;

	if (!last ||
		(lost->closed < LOST_ROWS_KEPT &&
			(last->after_ns != stretch->after_ns ||
				last->before_ns != stretch->before_ns))) {
		lost->at[lost->closed++] = *stretch;
		return;
	}
	last->last_line = stretch->last_line;
	last->after_ns = time_earlier(last->after_ns, stretch->after_ns);
	last->before_ns = time_later(last->before_ns, stretch->before_ns);
	last->rows += stretch->rows;
}

void lost_rows_keep(struct lost_rows *lost, const struct lost_stretch *stretch)
{
	ALLOC_GROW(lost->at, lost->closed + 1, lost->cap);
	keep_closed(lost, stretch);
	lost->count = lost->closed;
}

void lost_rows_place(
	struct lost_rows *lost, const int64_t *t_ns, const uint64_t *line, size_t rows)
{
	size_t open = lost->closed, kept;

	for (size_t row = 0; row < rows && open < lost->count; row++)
		while (open < lost->count && lost->at[open].line < line[row]) {
			struct lost_stretch stretch = lost->at[open++];

			if (row)
				stretch.after_ns = t_ns[row - 1];
			stretch.before_ns = t_ns[row];
			keep_closed(lost, &stretch);
		}
	if (!rows)
		return;
	lost->last_ns = t_ns[rows - 1];
	lost->any = true;
	for (kept = lost->closed; open < lost->count; open++) {
		lost->at[kept] = lost->at[open];
		lost->at[kept++].after_ns = lost->last_ns;
	}
	lost->count = kept;
}

uint64_t lost_rows_within(
	const struct lost_rows *lost, int64_t from_ns, int64_t to_ns, uint64_t *line)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < lost->count; i++) {
		const struct lost_stretch *at = &lost->at[i];

		/* a clock that was set back between them turns them round */
		if (time_earlier(at->after_ns, at->before_ns) >= to_ns ||
			time_later(at->after_ns, at->before_ns) <= from_ns)
			continue;
		if (!rows)
			*line = at->line;
		rows += at->rows;
	}
	return rows;
}

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
	static const char *const name[DEVICE_KIND_COUNT] = {[DEVICE_GPU] = "gpu",
		[DEVICE_CPU] = "cpu",
		[DEVICE_HOST] = "host",
		[DEVICE_PROCESS] = "process",
		[DEVICE_TREE] = "tree",
		[DEVICE_GROUP] = "group",
		[DEVICE_NONE] = "none"};

	return name[kind];
}

const char *process_owner_name(enum process_owner owner)
{
	static const char *const name[OWNER_COUNT] = {
		[OWNER_RUN] = "run", [OWNER_OTHER] = "other", [OWNER_BOTH] = "both"};

	return name[owner];
}

static void list_device(struct run *run, enum device_kind kind, size_t device)
{
	struct device_list *list = &run->of_kind[kind];

	ALLOC_NEXT(list->at, list->count, list->cap) = (uint32_t)device;
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
	device = &ALLOC_NEXT(run->device, run->device_count, run->device_cap);
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

/* Parts stand behind all files. */
bool run_has_parts(const struct run *run, size_t file)
{
	const char *path = run->file[file].path;
	size_t len = strlen(path);

	for (size_t i = run->file_count; i-- > 0 && strchr(run->file[i].path, '#');)
		if (strncmp(run->file[i].path, path, len) == 0 &&
			run->file[i].path[len] == '#')
			return true;
	return false;
}

struct run_file *run_add_file(struct run *run, const char *path)
{
	struct run_file *file;

	file = &ALLOC_NEXT(run->file, run->file_count, run->file_cap);
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

bool device_is_one_host(const struct device *a, const struct device *b)
{
	return strcmp(a->host ? a->host : "", b->host ? b->host : "") == 0;
}

bool run_shares_log(const struct run *run, enum source_kind kind, uint32_t a, uint32_t b)
{
	if (!device_is_one_host(&run->device[a], &run->device[b]))
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

	event = &ALLOC_NEXT(run->event, run->event_count, run->event_cap);
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
	ALLOC_NEXT(run->fact, run->fact_count, run->fact_cap) =
		(struct fact){xstrdup(name), xstrndup(value.at, value.len)};
}

void run_add_number_fact(struct run *run, const char *name, double number)
{
	char text[32];

	snprintf(text, sizeof text, "%.17g", number);
	if (!isnan(number))
		run_add_fact(run, name, span_of(text));
}

const char *run_fact(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->fact_count; i++)
		if (strcmp(run->fact[i].name, name) == 0)
			return run->fact[i].value;
	return NULL;
}

bool run_fact_is(const struct run *run, const char *name, const char *value)
{
	const char *said = run_fact(run, name);

	return said && strcmp(said, value) == 0;
}

double run_fact_number(const struct run *run, const char *name)
{
	const char *text = run_fact(run, name);
	int64_t parts;

	/* a byte count of an address space has few decimals, and many digits */
	for (int64_t scale = 1000000000; text && scale >= 1000000; scale /= 1000)
		if (number_scaled(span_of(text), scale, &parts))
			return number_ratio(parts, scale);
	return NAN;
}

/* Does its name say that it is a log of GPUs, and no program or page about them? */
static bool is_gpu_log(const struct run_file *file)
{
	static const char *const begins[] = {"nvidia", "amd-smi", "rocm-smi", "xpu-smi",
		"gpu", "dcgm", "tegrastats", "nvtop", "nvitop"};
	static const char *const ends[] = {
		".log", ".csv", ".txt", ".out", ".json", ".jsonl", ".xml", ""};
	const char *slash = strrchr(file->path, '/');
	const char *name = slash ? slash + 1 : file->path, *dot = strrchr(name, '.');
	bool log = false, ending = false;

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		log |= strncmp(name, begins[i], strlen(begins[i])) == 0;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		ending |= strcmp(dot ? dot : "", ends[i]) == 0;
	return log && ending;
}

/* Has it rows of GPUs, and not only of processes on them? */
static bool has_gpu_rows(const struct run_file *file)
{
	return file->rows > 0 &&
		(file->kind == SOURCE_NVIDIA_QUERY || file->kind == SOURCE_NVIDIA_DMON ||
			file->kind == SOURCE_NVIDIA_TABLE || file->kind == SOURCE_JUMPER);
}

bool run_gpus_unseen(const struct run *run, struct strbuf *why)
{
	const char *failed = run_fact(run, RUN_FACT_SMI_FAILED);
	const char *amd = run_fact(run, RUN_FACT_AMD_FAILED);
	const char *lost = run_fact(run, RUN_FACT_GPUS_LOST);
	const char *pci = run_fact(run, RUN_FACT_PCI_GPU);
	const bool known = run->of_kind[DEVICE_GPU].count > 0;
	bool rows = false;

	for (size_t i = 0; i < run->file_count; i++)
		rows |= has_gpu_rows(&run->file[i]);
	if (lost) {
		if (why)
			strbuf_adds(why, lost);
		return true;
	}
	if ((failed || amd) && !rows) {
		if (why)
			strbuf_addf(why, "%s failed: %s",
				failed ? "nvidia-smi" : "amd-smi", failed ? failed : amd);
		return true;
	}
	for (size_t i = 0; !rows && i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		bool unread = !known && file->kind == SOURCE_NONE && is_gpu_log(file);
		bool empty = !file->rows &&
			(file->kind == SOURCE_NVIDIA_QUERY ||
				file->kind == SOURCE_NVIDIA_DMON);

		if (!unread && !empty)
			continue;
		if (why)
			strbuf_addf(why, "%s %s", file->path,
				unread ? "holds no samples that can be read"
				       : "has no samples");
		return true;
	}
	if (known || !pci)
		return false;
	if (why)
		strbuf_addf(why, "the machine has one (PCI device %s)", pci);
	return true;
}

bool run_mixes_hosts(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "other-host") == 0)
			return true;
	return false;
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
	static const char *const name[CLOCK_CHANGE_KINDS] = {
		[CLOCK_SUSPENDED] = "suspend",
		[CLOCK_STEPPED] = "clock step",
		[CLOCK_CORRECTED] = "clock step, corrected"};

	return name[kind];
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
	ALLOC_NEXT(run->clock_change, run->clock_change_count, run->clock_change_cap) =
		*change;
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

/* A member of the extras, or of the object "data" in them; NULL: none. *json is the
 * caller's. */
static const cJSON *extra_of(const struct event *event, const char *key, cJSON **json)
{
	const cJSON *item;

	*json = event->extras ? cJSON_Parse(event->extras) : NULL;
	item = cJSON_GetObjectItemCaseSensitive(*json, key);
	return item ? item
		    : cJSON_GetObjectItemCaseSensitive(
			      cJSON_GetObjectItemCaseSensitive(*json, "data"), key);
}

bool event_number(const struct event *event, const char *key, double *value)
{
	cJSON *json;
	double number = number_of(extra_of(event, key, &json));
	bool found = isfinite(number);

	if (found)
		*value = number;
	cJSON_Delete(json);
	return found;
}

/* How frameworks, and recorders around them, call the peak of what they allocated. */
static const struct {
	const char *key;
	double per_mib;
} framework_peaks[] = {
	{"peak_bytes_in_use", 1048576}, /* JAX */
	{"max_memory_allocated", 1048576}, /* PyTorch */
	{"jax_peak_bytes_mb", 1}, /* pytyche */
};

size_t framework_peak_add(struct framework_peak peak[FRAMEWORK_PEAKS_MAX], size_t count,
	const struct framework_peak *one)
{
	size_t k = 0;

	while (k < count &&
		(peak[k].of != one->of || strcmp(peak[k].device, one->device) != 0))
		k++;
	if (k == FRAMEWORK_PEAKS_MAX)
		k--; /* the largest of all is known nevertheless */
	else if (k == count)
		peak[count++] = *one;
	peak[k].mib = fmax(peak[k].mib, one->mib);
	return count;
}

/* "gpu:0", "cuda1", "3": the name of a member that says which device its object is of. */
static bool names_device(const char *name)
{
	static const char *const of[] = {"", "cuda", "device", "gpu", "rank", "tpu"};
	size_t letters = strcspn(name, ":_-0123456789");
	const char *number = name + letters;
	bool known = false;

	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		known |= strlen(of[i]) == letters &&
			strncasecmp(of[i], name, letters) == 0;
	if (letters)
		number += strspn(number, ":_-");
	return known && *number && !number[strspn(number, "0123456789")];
}

/* The device that an object names, or its own name, else that of the object around it. */
static void name_device(const cJSON *object, char *name, size_t size)
{
	static const struct {
		const char *key, *as;
	} keys[] = {{"device", "device"}, {"device_id", "device"}, {"gpu", "gpu"},
		{"local_rank", "rank"}, {"rank", "rank"}};
	const cJSON *device = NULL;
	size_t k = 0;

	if (object && object->string && names_device(object->string))
		snprintf(name, size, "%s%s",
			isdigit((unsigned char)object->string[0]) ? "device " : "",
			object->string);
	while (k < sizeof keys / sizeof keys[0] &&
		!(device = cJSON_GetObjectItemCaseSensitive(object, keys[k].key)))
		k++;
	if (cJSON_IsNumber(device))
		snprintf(name, size, "%s %g", keys[k].as, device->valuedouble);
	else if (cJSON_IsString(device))
		snprintf(name, size, "%s", device->valuestring);
}

/* The largest of the keys of an object: they say the same in other words. */
static bool peak_of(const cJSON *object, struct framework_peak *one)
{
	one->mib = NAN;
	for (size_t k = 0; k < sizeof framework_peaks / sizeof framework_peaks[0]; k++) {
		double mib = number_of(cJSON_GetObjectItemCaseSensitive(
				     object, framework_peaks[k].key)) /
			framework_peaks[k].per_mib;

		if (!isfinite(mib) || mib <= one->mib)
			continue;
		one->mib = mib;
		one->of = framework_peaks[k].key;
	}
	return !isnan(one->mib);
}

/* Objects that lie deeper are no framework's. */
#define PEAK_DEPTH 8

static size_t gather_peaks(const cJSON *within, struct framework_peak around, int depth,
	struct framework_peak peak[FRAMEWORK_PEAKS_MAX], size_t count)
{
	const cJSON *item;

	name_device(within, around.device, sizeof around.device);
	if (peak_of(within, &around))
		count = framework_peak_add(peak, count, &around);
	if (depth < PEAK_DEPTH && (cJSON_IsObject(within) || cJSON_IsArray(within)))
		cJSON_ArrayForEach(item, within) count =
			gather_peaks(item, around, depth + 1, peak, count);
	return count;
}

size_t event_peaks(
	const struct event *event, struct framework_peak peak[FRAMEWORK_PEAKS_MAX])
{
	bool any = false;
	cJSON *json;
	size_t count;

	for (size_t k = 0; k < sizeof framework_peaks / sizeof framework_peaks[0]; k++)
		any |= event->extras && strstr(event->extras, framework_peaks[k].key);
	if (!any)
		return 0;
	json = cJSON_Parse(event->extras);
	count = gather_peaks(json, (struct framework_peak){.of = NULL}, 0, peak, 0);
	cJSON_Delete(json);
	return count;
}

const struct event *run_totals(const struct run *run)
{
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].type_name &&
			strcmp(run->event[i].type_name, EVENT_TOTALS) == 0)
			return &run->event[i];
	return NULL;
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

bool event_join_extras(struct strbuf *sb, const char *extras, const char *more)
{
	cJSON *joined = cJSON_Parse(extras ? extras : "{}"), *added = cJSON_Parse(more);
	const cJSON *item = added ? added->child : NULL;
	char *text = NULL;
	bool any = false;

	for (; item; item = item->next)
		if (!cJSON_GetObjectItemCaseSensitive(joined, item->string))
			any |= cJSON_AddItemToObject(
				joined, item->string, cJSON_Duplicate(item, true));
	if (any && (text = cJSON_PrintUnformatted(joined)))
		strbuf_adds(sb, text);
	free(text);
	cJSON_Delete(joined);
	cJSON_Delete(added);
	return text;
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

/* Is the file, or the part of it that is about the host, of that kind? */
static bool is_of_kind(const struct run *run, const char *path, enum source_kind kind)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind &&
			strncmp(run->file[i].path, path, len) == 0 &&
			(!run->file[i].path[len] ||
				(kind == SOURCE_HOST_TABLE &&
					run->file[i].path[len] == '#')))
			return true;
	return false;
}

bool run_guesses_metric(
	const struct run *run, enum source_kind source, enum metric_id metric)
{
	static const struct {
		const char *id;
		enum metric_id metric; /* METRIC_none: all of the log */
	} guesses[] = {{"guessed-units", METRIC_none}, {"guessed-names", METRIC_none},
		{"doubtful-columns", METRIC_none}, {"gpu-column", METRIC_gpu_util_pct}};

	for (size_t i = 0; i < run->diags.count; i++)
		for (size_t k = 0; k < sizeof guesses / sizeof *guesses; k++)
			if (span_begins(span_of(run->diags.at[i].id), guesses[k].id) &&
				(guesses[k].metric == METRIC_none ||
					guesses[k].metric == metric) &&
				is_of_kind(run, run->diags.at[i].file, source))
				return true;
	return false;
}

bool run_guesses_columns(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run_guesses_metric(run, run->file[i].kind, METRIC_none))
			return true;
	return false;
}

size_t run_file_without_processes(const struct run *run)
{
	if (run->of_kind[DEVICE_PROCESS].count || run_is_unreadable(run))
		return SIZE_MAX;
	for (size_t i = 0; i < run->file_count; i++)
		if (source_is_of_processes(run->file[i].kind) && !run->file[i].refused)
			return i;
	return SIZE_MAX;
}

bool run_needs_zone(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].rows && run->file[i].wall)
			return true;
	return false;
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

/* Origins: names of the edges of a phase. */

const char *origin_edge_name(enum origin_edge_kind kind)
{
	static const char *const name[EDGE_RESET + 1] = {[EDGE_ROW] = "row",
		[EDGE_BETWEEN] = "between rows",
		[EDGE_NO_ROW] = "no row",
		[EDGE_GAP] = "gap",
		[EDGE_RESET] = "reset"};

	return name[kind];
}

/* Diagnostics: look-up in schema/damage.def. */

static const struct damage table[] = {
#define DAMAGE(id, rank, cost, meaning) {id, DAMAGE_##rank, cost},
#include "../schema/damage.def"
};

const struct damage *damage_find(const char *id)
{
	size_t len = strcspn(id, ":");

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strlen(table[i].id) == len && strncmp(table[i].id, id, len) == 0)
			return &table[i];
	return NULL;
}

const char *damage_rank_name(enum damage_rank rank)
{
	static const char *const name[DAMAGE_RANK_COUNT] = {
		"file", "rows", "time", "values", "doubt", "guess", "cell", "remark"};

	return name[rank];
}

/* CPU lists ("0-3,8"), and the CPUs that a run could use. */

int64_t cpus_allowed_count(const char *list)
{
	int64_t count = 0;

	if (!*list)
		return -1;
	while (*list) {
		size_t len = strcspn(list, ",");
		const char *dash = memchr(list, '-', len);
		uint64_t first, last;

		if (!number_unsigned(
			    (struct span){list, dash ? (size_t)(dash - list) : len},
			    &first))
			return -1;
		last = first;
		if (dash &&
			!number_unsigned(
				(struct span){dash + 1, (size_t)(list + len - dash - 1)},
				&last))
			return -1;
		if (last < first || last > INT32_MAX)
			return -1;
		count += (int64_t)(last - first) + 1;
		list += len + (list[len] == ',');
	}
	return count;
}

const char *cpus_allowed(const struct run *run)
{
	const char *list = run_fact(run, RUN_FACT_PROCESS_CPUS);

	/* of a process that ran already the manifest has the recorder's */
	if (!list && !run_fact(run, RUN_FACT_FOLLOWED))
		list = run_fact(run, RUN_FACT_CPUS_ALLOWED);
	return list && cpus_allowed_count(list) > 0 ? list : NULL;
}

/*
 * Writes the recorder's facts about itself into a run's list of facts, and reads them
 * back.
 */

static const struct {
	const char *name;
	size_t offset;
} facts[] = {
	{"recorder_logs", offsetof(struct observer, logs)},
	{"recorder_cpu_ns", offsetof(struct observer, cpu_ns)},
	{"recorder_bytes", offsetof(struct observer, bytes)},
	{"recorder_ticks", offsetof(struct observer, ticks)},
	{"recorder_missed_ticks", offsetof(struct observer, missed_ticks)},
	{"recorder_late_p99_ns", offsetof(struct observer, late_p99_ns)},
	{"recorder_late_max_ns", offsetof(struct observer, late_max_ns)},
	{"recorder_troubled", offsetof(struct observer, troubled)},
};

#define FACT_TROUBLE "recorder_trouble"
#define FACT_EARLY   "recorder_ended_early"

#define FACTS (sizeof facts / sizeof facts[0])

void observer_keep(struct run *run, const struct observer *observer)
{
	for (size_t i = 0; i < FACTS; i++) {
		const int64_t *value =
			(const int64_t *)((const char *)observer + facts[i].offset);
		char text[24];

		if (*value < 0)
			continue;
		(void)snprintf(text, sizeof text, "%" PRId64, *value);
		run_add_fact(run, facts[i].name, span_of(text));
	}
	if (observer->trouble)
		run_add_fact(run, FACT_TROUBLE, span_of(observer->trouble));
	if (observer->early)
		run_add_fact(run, FACT_EARLY, span_of(observer->early));
}

bool observer_read(const struct run *run, struct observer *observer)
{
	bool said = false;

	for (size_t i = 0; i < FACTS; i++) {
		int64_t *value = (int64_t *)((char *)observer + facts[i].offset);
		const char *text = run_fact(run, facts[i].name);
		uint64_t number;

		*value = -1;
		if (!text || !number_unsigned(span_of(text), &number) ||
			number > INT64_MAX)
			continue;
		*value = (int64_t)number;
		said = true;
	}
	observer->trouble = run_fact(run, FACT_TROUBLE);
	observer->early = run_fact(run, FACT_EARLY);
	return said;
}

double observer_troubled(const struct run *run)
{
	struct observer o;

	return observer_read(run, &o) && o.troubled >= 0 ? (double)o.troubled
							 : (double)NAN;
}

void observer_print_trouble(struct strbuf *sb, const struct run *run)
{
	struct observer o;

	if (!observer_read(run, &o) || !o.trouble)
		return;
	strbuf_adds(sb, o.trouble);
	if (o.troubled > 1)
		strbuf_addf(sb, " (and %" PRId64 " more)", o.troubled - 1);
}

double observer_core_pct(const struct run *run, const struct observer *observer)
{
	if (observer->cpu_ns < 0 || run->started_ns == TIME_NONE ||
		run->ended_ns == TIME_NONE || run->ended_ns <= run->started_ns)
		return NAN;
	return 100.0 * (double)observer->cpu_ns /
		(double)(run->ended_ns - run->started_ns);
}
