/*
 * gpu_tracker's tracking files: CSV with the static data in two rows before the
 * header, or a database with the same in two tables. A row is one time point of a
 * process, its descendants, both together, and the host; its RAM is in a decimal unit
 * of a byte that the static data name. Megabytes of GPU memory are MiB in truth, as
 * nvidia-smi says them, and its other units are made of those.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/lookup.h"
#include "base/sort.h"
#include "foreign/records.h"
#include "foreign/shared.h"

#define COUNT_MAX 1000000

/* What can be asked. */

static int set_data_unit(enum data_unit *unit, const char *value, struct error *err)
{
	*unit = data_unit_find(span_of(value));
	return *unit != DATA_UNIT_NONE
		? 0
		: error_set(err,
			  "expected bytes, kilobytes, megabytes, gigabytes or "
			  "terabytes");
}

static int set_ram(struct tool_options *options, const char *value, struct error *err)
{
	return set_data_unit(&options->ram, value, err);
}

static int set_gpu_ram(struct tool_options *options, const char *value, struct error *err)
{
	return set_data_unit(&options->gpu_ram, value, err);
}

static int set_time(struct tool_options *options, const char *value, struct error *err)
{
	options->time = time_unit_find(span_of(value));
	return options->time != TIME_UNIT_NONE
		? 0
		: error_set(err, "expected seconds, minutes, hours or days");
}

static int set_cores(struct tool_options *options, const char *value, struct error *err)
{
	uint64_t count;

	if (!number_unsigned(span_of(value), &count) || !count || count > COUNT_MAX)
		return error_set(err, "expected a number from 1 to 1000000");
	options->expected_cores = (int32_t)count;
	return 0;
}

/* Is a name among those before it? */
static bool is_listed(const char *names, const char *end, struct span name)
{
	while (names < end) {
		size_t len = strcspn(names, ",");

		if (len == name.len && memcmp(names, name.at, len) == 0)
			return true;
		names += len + 1;
	}
	return false;
}

/* "GPU-1,GPU-2" are two; an empty name is none. */
static int set_gpus(struct tool_options *options, const char *value, struct error *err)
{
	options->expected_gpus = 0;
	for (const char *name = value;; name++) {
		struct span one = {name, strcspn(name, ",")};

		if (!one.len)
			return error_set(err, "expected names separated by commas");
		/* named twice it is one */
		options->expected_gpus += !is_listed(value, name, one);
		name += one.len;
		if (!*name)
			break;
	}
	options->gpus = value;
	return 0;
}

bool tool_asks_gpu(const struct tool_options *options, const struct device *gpu)
{
	const char *name = options->gpus;

	while (name) {
		size_t len = strcspn(name, ",");

		if (!gpu->uuid || span_is((struct span){name, len}, gpu->uuid))
			return true;
		name = name[len] ? name + len + 1 : NULL;
	}
	return !options->gpus;
}

const struct tool_option tracker_options[TRACKER_OPTIONS] = {
	{"ram-unit", "UNIT",
		"gpu-tracker: bytes, kilobytes, megabytes, gigabytes, terabytes", set_ram,
		true, false},
	{"gpu-ram-unit", "UNIT", "gpu-tracker: the unit of GPU memory", set_gpu_ram, true,
		false},
	{"time-unit", "UNIT", "gpu-tracker: seconds, minutes, hours, days", set_time,
		true, false},
	{"expected-cores", "N",
		"gpu-tracker, jumper: number of CPUs the program should use", set_cores,
		false, false},
	{"gpus", "UUIDS", "gpu-tracker: GPUs the program should use", set_gpus, false,
		true},
};

void tool_options_shape(struct strbuf *sb, const struct tool_options *options)
{
	/* Where the recording names no units, these are its own. */
	if (options->ram != DATA_UNIT_NONE)
		strbuf_addf(sb, " ram=%s", data_unit_name(options->ram));
	if (options->gpu_ram != DATA_UNIT_NONE)
		strbuf_addf(sb, " gpu-ram=%s", data_unit_name(options->gpu_ram));
}

/*
 * The static data of tracking files: a row of names and one of values before the header
 * of the columns, or a table. They become facts of the run and say the units of the
 * columns. What a broken line may have cut is not used, and units that are lost are not
 * guessed.
 */

/* Cells that outlive their record. */
struct kept {
	struct strbuf text;
	struct span *cell; /* [count] */
	size_t count, cap;
};

enum static_name {
	STATIC_RAM_UNIT,
	STATIC_GPU_RAM_UNIT,
	STATIC_TIME_UNIT,
	STATIC_RAM_CAPACITY,
	STATIC_GPU_RAM_CAPACITY,
	STATIC_CORES,
	STATIC_EXPECTED_CORES,
	STATIC_GPUS,
	STATIC_EXPECTED_GPUS,
	STATIC_COUNT
};

struct static_data {
	struct log *log; /* borrowed */
	enum data_unit ram, gpu_ram; /* once settled; NONE: such values are not used */
	bool settled;

	struct kept names, values; /* until the header of the columns; count 0: none */
	uint64_t line; /* of the values */
	bool cut; /* a line is behind the values that is no header: they may be cut */
	bool spaced; /* blank lines are usual in this file */
	uint64_t holes; /* before the values */
	bool lost; /* lines that may have been static data were refused */
};

struct pairing_row {
	uint64_t process;
	struct span name; /* of the block */
	bool stop;
	int64_t t_ns; /* TIME_NONE: it can't be read, and that was said */
};

/* Values wait for the header: only then is it known that their line is whole. */

static const char *const static_name[STATIC_COUNT] = {"ram_unit", "gpu_ram_unit",
	"time_unit", "ram_system_capacity", "gpu_ram_system_capacity",
	"system_core_count", "n_expected_cores", "system_gpu_count", "n_expected_gpus"};

static bool is_static_name(struct span name)
{
	for (size_t i = 0; i < STATIC_COUNT; i++)
		if (span_is(name, static_name[i]))
			return true;
	return false;
}

static bool is_static_header(const struct span *cell, size_t count)
{
	bool named = false;

	for (size_t i = 0; i < count && !named; i++)
		named = is_static_name(cell[i]);
	return named && records_find(cell, count, "timestamp") == SIZE_MAX;
}

static void keep(struct kept *kept, const struct records *r)
{
	size_t offset = 0;

	strbuf_clear(&kept->text);
	ALLOC_GROW(kept->cell, r->count, kept->cap);
	kept->count = r->count;
	for (size_t i = 0; i < r->count; i++)
		strbuf_add(&kept->text, r->cell[i].at, r->cell[i].len);
	for (size_t i = 0; i < r->count; i++) {
		kept->cell[i] = (struct span){kept->text.text + offset, r->cell[i].len};
		offset += r->cell[i].len;
	}
}

static void release(struct kept *kept)
{
	strbuf_release(&kept->text);
	free(kept->cell);
}

/* As many as there are names. */
static void take_values(struct static_data *s, const struct records *r)
{
	s->spaced = r->holes > s->holes;
	s->holes = r->holes;
	s->line = log_line_number(s->log);
	if (r->count == s->names.count) {
		keep(&s->values, r);
		return;
	}
	log_refuse(s->log, "field-count",
		"static data: expected %zu fields, found %zu (ignored)", s->names.count,
		r->count);
	s->names.count = 0;
	s->lost = true;
}

/* A record of names, or the one of values behind it: kept. False: it is neither. */
static bool static_data_take(struct static_data *s, const struct records *r)
{
	if (is_static_header(r->cell, r->count)) {
		keep(&s->names, r);
		s->values.count = 0;
		s->cut = false;
		s->holes = r->holes;
		return true;
	}
	if (!s->names.count || s->values.count)
		return false;
	take_values(s, r);
	return true;
}

/*
 * Of the first `count` of the values. NONE: no such unit; what stood where it should be
 * is lost, and nobody may guess it.
 */
static enum data_unit find_unit(
	struct static_data *s, size_t count, enum static_name name, enum data_unit asked)
{
	size_t at = records_find(s->names.cell, count, static_name[name]);
	enum data_unit unit = at == SIZE_MAX ? asked : data_unit_find(s->values.cell[at]);

	if (unit != DATA_UNIT_NONE && at != SIZE_MAX)
		run_add_fact(s->log->run, static_name[name], s->values.cell[at]);
	else if (unit == DATA_UNIT_NONE && at != SIZE_MAX)
		log_note(s->log, true, "bad-unit", span_of(static_name[name]),
			"unknown unit '%s' of %s, expected bytes, kilobytes, megabytes, "
			"gigabytes or terabytes (values ignored)",
			log_quote(s->values.cell[at]).text, static_name[name]);
	else if (unit == DATA_UNIT_NONE)
		log_note(s->log, true, "bad-unit", span_of(static_name[name]),
			"the static data with %s are missing (values ignored)",
			static_name[name]);
	return unit;
}

/* Of no unit of memory. */
static bool is_static_value(enum static_name name, struct span value)
{
	uint64_t count;
	int64_t bytes;

	if (name == STATIC_TIME_UNIT)
		return time_unit_find(value) != TIME_UNIT_NONE;
	if (name == STATIC_RAM_CAPACITY || name == STATIC_GPU_RAM_CAPACITY)
		return number_scaled(value, 1, &bytes) && bytes >= 0;
	return number_unsigned(value, &count);
}

static void find_facts(struct static_data *s, size_t count)
{
	for (enum static_name name = STATIC_TIME_UNIT; name < STATIC_COUNT; name++) {
		size_t at = records_find(s->names.cell, count, static_name[name]);

		if (at == SIZE_MAX)
			continue;
		if (is_static_value(name, s->values.cell[at]))
			run_add_fact(s->log->run, static_name[name], s->values.cell[at]);
		else
			log_note(s->log, true, "bad-value", span_of(static_name[name]),
				"invalid value '%s' for %s (ignored)",
				log_quote(s->values.cell[at]).text, static_name[name]);
	}
}

/* What other tools' manifests say too. */
static void complete_run(struct static_data *s)
{
	struct run *run = s->log->run;
	const char *cores = run_fact(run, static_name[STATIC_CORES]);
	const char *ram = run_fact(run, static_name[STATIC_RAM_CAPACITY]);
	/* Of which it sums the utilization; memory is of all. */
	const char *gpus = run_fact(run, static_name[STATIC_EXPECTED_GPUS]);
	const char *gpu_ram = run_fact(run, static_name[STATIC_GPU_RAM_CAPACITY]);
	int64_t bytes;
	uint64_t count;

	if (gpus)
		run_add_fact(run, RUN_FACT_GPU_COUNT, span_of(gpus));
	/* Its megabyte of GPU memory is a MiB. */
	if (gpu_ram && s->gpu_ram != DATA_UNIT_NONE &&
		number_scaled(span_of(gpu_ram), data_unit_bytes(s->gpu_ram), &bytes)) {
		run_add_number_fact(
			run, RUN_FACT_GPU_MEMORY, number_ratio(bytes, 1000000));
	}
	if (run->mem_total_kib < 0 && ram && s->ram != DATA_UNIT_NONE &&
		number_scaled(span_of(ram), data_unit_bytes(s->ram), &bytes) && bytes > 0)
		run->mem_total_kib = bytes / 1024;
	if (run->cpu_count < 0 && cores && number_unsigned(span_of(cores), &count) &&
		count > 0 && count <= 1000000)
		run->cpu_count = (int32_t)count;
}

static void note_names(const struct static_data *s)
{
	for (size_t i = 0; i < s->names.count; i++) {
		struct span name = s->names.cell[i];

		if (name.len && !is_static_name(name))
			log_note(s->log, false, "unknown-column", name,
				"column '%s' of the static data ignored",
				log_quote(name).text);
	}
}

static struct tool_options options_of(const struct log *log)
{
	return log->opt->asked ? *log->opt->asked : TOOL_OPTIONS_NONE;
}

/* count: of the values that are there; 0: they are lost. */
static void use_values(struct static_data *s, size_t count)
{
	const struct tool_options asked = options_of(s->log);

	s->ram = find_unit(s, count, STATIC_RAM_UNIT, asked.ram);
	s->gpu_ram = find_unit(s, count, STATIC_GPU_RAM_UNIT, asked.gpu_ram);
	find_facts(s, count);
	complete_run(s);
}

/* The line of the values may have been broken within the last one. */
static void use_kept(struct static_data *s)
{
	size_t count = s->values.count;
	uint64_t line = s->log->record;

	s->log->record = s->line;
	note_names(s);
	if (s->cut) {
		struct span last = s->names.cell[--count];

		log_note(s->log, true, "bad-value", last,
			"the line of the static data is broken, so %s may be truncated "
			"(ignored)",
			log_quote(last).text);
	}
	use_values(s, count);
	s->log->record = line;
}

/* Older files name no units. */
static void assume_units(struct static_data *s)
{
	const struct tool_options asked = options_of(s->log);

	s->ram = asked.ram != DATA_UNIT_NONE ? asked.ram : DATA_UNIT_GIGABYTES;
	s->gpu_ram =
		asked.gpu_ram != DATA_UNIT_NONE ? asked.gpu_ram : DATA_UNIT_GIGABYTES;
	log_note(s->log, false, "no-units", SPAN_NONE,
		"the file names no units: memory is read as %s, GPU memory as %s. Use "
		"--ram-unit and --gpu-ram-unit to change them",
		data_unit_name(s->ram), data_unit_name(s->gpu_ram));
}

/*
 * The header of the columns is there: what is kept is used, and the units are settled.
 */
static void static_data_settle(struct static_data *s, const struct records *r)
{
	s->cut |= !s->spaced && r->holes > s->holes;
	if (s->values.count)
		use_kept(s);
	else if (s->lost || s->names.count)
		use_values(s, 0);
	else if (!s->settled)
		assume_units(s);
	s->names.count = s->values.count = 0;
	s->lost = s->cut = false;
	s->settled = true;
}

static void static_data_init(struct static_data *s, struct log *log)
{
	*s = (struct static_data){.log = log};
	strbuf_init(&s->names.text);
	strbuf_init(&s->values.text);
}

static void static_data_release(struct static_data *s)
{
	release(&s->names);
	release(&s->values);
}

enum who {
	WHO_MAIN,
	WHO_DESCENDANTS,
	WHO_COMBINED,
	WHO_HOST,
	WHO_COUNT
};

static const char *const who_name[] = {"main", "descendants", "combined", "host"};
static const char *const tables[] = {"static_data", "data", NULL};

/* A percentage of the hardware is a sum by a number that the static data name. */
static const struct {
	const char *sum, *hardware;
	enum static_name divisor;
} shares[] = {
	{"cpu_system_sum_utilization_percent", "cpu_system_hardware_utilization_percent",
		STATIC_CORES},
	{"cpu_main_sum_utilization_percent", "cpu_main_hardware_utilization_percent",
		STATIC_EXPECTED_CORES},
	{"cpu_descendants_sum_utilization_percent",
		"cpu_descendants_hardware_utilization_percent", STATIC_EXPECTED_CORES},
	{"cpu_combined_sum_utilization_percent",
		"cpu_combined_hardware_utilization_percent", STATIC_EXPECTED_CORES},
	{"gpu_sum_utilization_percent", "gpu_hardware_utilization_percent",
		STATIC_EXPECTED_GPUS},
};

#define SHARES (sizeof shares / sizeof shares[0])

struct tracker {
	struct log *log;
	struct records records;
	struct static_data fixed;
	struct columns columns; /* each of a WHO */
	bool header_pending;
	size_t time_at; /* the column; SIZE_MAX: none yet */
	size_t sum[SHARES], hardware[SHARES]; /* columns; SIZE_MAX: none */
	uint32_t device[WHO_COUNT];
	enum who order[WHO_COUNT]; /* ascending devices */
};

static bool is_header(const struct span *cell, size_t count)
{
	bool metric = false;

	if (records_find(cell, count, "timestamp") == SIZE_MAX)
		return false; /* as of nearly all rows */
	for (size_t i = 0; i < count; i++)
		metric |= binding_find(SOURCE_GPU_TRACKER, cell[i]) != NULL;
	return metric;
}

static int bid(const struct probe *probe)
{
	return probe_has_row(probe, is_header) ? 60 : 0;
}

static bool ends_with(struct span text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len && memcmp(text.at + text.len - len, end, len) == 0;
}

static enum who who_of(struct span name)
{
	if (span_begins(name, "cpu_"))
		name.at += 4, name.len -= 4;
	for (enum who who = WHO_MAIN; who < WHO_HOST; who++)
		if (span_begins(name, who_name[who]))
			return who;
	return WHO_HOST;
}

/* Memory in the unit of the file. */
static void scale_column(const struct tracker *t, struct column *column, struct span name)
{
	enum data_unit unit =
		ends_with(name, "_gpu_ram") ? t->fixed.gpu_ram : t->fixed.ram;

	if (!ends_with(name, "_ram"))
		return;
	if (unit == DATA_UNIT_NONE)
		column->role = ROLE_KNOWN;
	else
		column->bare = data_unit_bytes(unit);
}

static void add_column(struct tracker *t, size_t at, struct span name)
{
	struct column *c = &t->columns.at[at];

	*c = (struct column){.role = ROLE_IGNORED, .part = (int32_t)who_of(name)};
	if (at == t->time_at)
		c->role = ROLE_TIME;
	for (size_t i = 0; i < SHARES; i++)
		if (span_is(name, shares[i].hardware))
			c->role = ROLE_KNOWN;
	if (part_bind(&t->columns, at, binding_find(SOURCE_GPU_TRACKER, name)))
		scale_column(t, c, name);
	if (c->role == ROLE_IGNORED)
		log_note(t->log, false, "unknown-column", name, "column '%s' ignored",
			log_quote(name).text);
}

static void name_columns(struct tracker *t)
{
	const struct records *r = &t->records;

	static_data_settle(&t->fixed, r);
	t->time_at = records_find(r->cell, r->count, "timestamp");
	columns_clear(&t->columns);
	ALLOC_GROW(t->columns.at, r->count, t->columns.cap);
	t->columns.count = r->count;
	t->header_pending = true;
	for (size_t i = 0; i < r->count; i++)
		add_column(t, i, r->cell[i]);
	for (size_t i = 0; i < SHARES; i++) {
		t->sum[i] = records_find(r->cell, r->count, shares[i].sum);
		t->hardware[i] = records_find(r->cell, r->count, shares[i].hardware);
	}
}

/* Older files don't say by what the sums were divided: their quotients do. */
static void find_divisors(struct tracker *t)
{
	struct run *run = t->log->run;

	for (size_t i = 0; i < SHARES; i++) {
		const char *name = static_name[shares[i].divisor];
		int64_t sum, hardware, divisor;
		char text[32];

		if (t->sum[i] == SIZE_MAX || t->hardware[i] == SIZE_MAX ||
			run_fact(run, name) ||
			!number_scaled(t->records.cell[t->sum[i]], 1000000, &sum) ||
			!number_scaled(
				t->records.cell[t->hardware[i]], 1000000, &hardware) ||
			sum <= 0 || hardware <= 0)
			continue;
		divisor = (sum + hardware / 2) / hardware;
		if (divisor < 1 || divisor > 1000000 ||
			fabs((double)sum / (double)divisor - (double)hardware) > 1)
			continue;
		snprintf(text, sizeof text, "%lld", (long long)divisor);
		run_add_fact(run, name, span_of(text));
	}
}

/* The devices are added with the first row, or known from another log. */
static void name_devices(struct tracker *t)
{
	size_t n = 0;

	for (enum who who = 0; who < WHO_COUNT; who++) {
		t->device[who] = identity_named(t->log->run,
			who == WHO_HOST ? DEVICE_HOST : DEVICE_TREE, who_name[who]);
		for (n = who; n && t->device[t->order[n - 1]] > t->device[who]; n--)
			t->order[n] = t->order[n - 1];
		t->order[n] = who;
	}
}

static void put_row(struct tracker *t, struct sample_batch *batch, int64_t t_ns)
{
	batch->timed = true;
	name_devices(t);
	for (size_t i = 0; i < WHO_COUNT; i++)
		part_put(&t->columns, t->log, batch, t_ns, t->device[t->order[i]],
			(int32_t)t->order[i], &t->header_pending, t->records.cell);
	t->log->file->rows++;
}

static bool is_row(const void *reader, const struct span *cell, size_t count)
{
	const struct tracker *t = reader;
	int64_t t_ns;

	return t->columns.count && count == t->columns.count &&
		time_parse_seconds(cell[t->time_at], &t_ns);
}

static void take_row(struct tracker *t, struct sample_batch *batch)
{
	const struct records *r = &t->records;
	int64_t t_ns = 0;

	if (!records_fit(r, t->columns.count, "the time")) {
		/* one cell alone is no static data, but maybe the end of its last value
		 */
		t->fixed.cut = t->fixed.values.count > 0;
		t->fixed.lost |= r->count > 1;
		return;
	}
	t->fixed.lost = false; /* nothing before a row is of a later header */
	if (!time_parse_seconds(r->cell[t->time_at], &t_ns)) {
		log_refuse(t->log, "bad-time",
			"invalid time '%s', expected seconds since 1970 (row skipped)",
			log_quote(r->cell[t->time_at]).text);
		return;
	}
	find_divisors(t);
	put_row(t, batch, t_ns);
}

static void take_record(struct tracker *t, struct sample_batch *batch)
{
	const struct records *r = &t->records;

	if (!r->broken && is_header(r->cell, r->count))
		name_columns(t);
	else if (r->broken || !static_data_take(&t->fixed, r))
		take_row(t, batch);
}

static void tracker_fill(void *state, struct sample_batch *batch)
{
	struct tracker *t = state;

	batch->snapshots = true;
	t->columns.bound = false;
	while (batch->rows + WHO_COUNT <= SAMPLE_BATCH_ROWS && records_next(&t->records))
		take_record(t, batch);
}

static void tracker_end(void *state)
{
	struct tracker *t = state;

	records_close(&t->records);
	static_data_release(&t->fixed);
	columns_release(&t->columns);
}

static void tracker_begin(void *state, enum source_kind kind)
{
	struct tracker *t = state;

	(void)kind;
	t->time_at = SIZE_MAX;
	static_data_init(&t->fixed, t->log);
	records_open(&t->records, t->log, tables);
	t->records.is_row = is_row;
	t->records.reader = t;
}

const struct format format_gpu_tracker = {.kind = SOURCE_GPU_TRACKER,
	.bid = bid,
	.state_size = sizeof(struct tracker),
	.begin = tracker_begin,
	.fill = tracker_fill,
	.end = tracker_end};

/*
 * gpu_tracker's results as JSON, as it writes them and as its dialect prints them,
 * packed or not. Takes the object as it is; what is missing in it others will miss.
 */

#define RESULTS_MAX ((size_t)256 * 1024 * 1024)
#define CHUNK	    65536

/* A file, and not a device or a pipe, which can be read only once. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool begins_object(const struct strbuf *sb)
{
	const char *c = sb->text;

	while (isspace((unsigned char)*c))
		c++;
	return *c == '{';
}

/* 1: the text of what may be JSON; 0: it is none; -1 */
static int read_text(const char *path, struct strbuf *sb, struct error *err)
{
	struct bytes *bytes;
	char chunk[CHUNK];
	size_t got;
	int more;

	if (bytes_open(&bytes, path, -1, err) < 0)
		return -1;
	while ((more = bytes_read(bytes, chunk, sizeof chunk, &got, err)) > 0) {
		strbuf_add(sb, chunk, got);
		if (!begins_object(sb) || sb->len > RESULTS_MAX)
			break;
	}
	bytes_close(bytes);
	return more < 0 ? -1 : !more && begins_object(sb);
}

/* Walks the tree beside the text: cJSON does not say how a number was written. */
struct walk {
	struct report *report;
	const char *at; /* in the text, before the next number */
};

/* Is the next number of the text a whole one, without a point or an exponent? */
static bool next_is_whole(struct walk *walk)
{
	const char *c = walk->at;
	bool whole = true;

	while (*c && *c != '-' && !isdigit((unsigned char)*c))
		if (*c++ == '"')
			for (; *c && *c++ != '"';)
				if (c[-1] == '\\' && *c)
					c++;
	for (; *c && strchr("+-.eE0123456789", *c); c++)
		whole &= !strchr(".eE", *c);
	walk->at = c;
	return whole;
}

static struct item *add(
	struct walk *walk, enum item_kind kind, const char *key, double number)
{
	struct item *item =
		item_add(walk->report, kind, key ? report_keep(walk->report, key) : NULL);

	item->number = number;
	return item;
}

static void take_value(struct walk *walk, const cJSON *value, const char *key);

static void take_members(struct walk *walk, const cJSON *parent)
{
	const cJSON *child;

	cJSON_ArrayForEach(child, parent)
		take_value(walk, child, cJSON_IsObject(parent) ? child->string : NULL);
}

/* true and false are none of its values. */
static void take_value(struct walk *walk, const cJSON *value, const char *key)
{
	bool object = cJSON_IsObject(value);

	if (cJSON_IsNumber(value)) {
		bool whole = next_is_whole(walk) && fabs(value->valuedouble) < 1e15;

		add(walk, whole ? ITEM_COUNT : ITEM_NUMBER, key, value->valuedouble);
	} else if (cJSON_IsNull(value)) {
		add(walk, ITEM_NUMBER, key, NAN);
	} else if (cJSON_IsString(value)) {
		add(walk, ITEM_TEXT, key, 0)->text =
			report_keep(walk->report, value->valuestring);
	} else if (object || cJSON_IsArray(value)) {
		add(walk, object ? ITEM_OBJECT : ITEM_ARRAY, key, 0);
		take_members(walk, value);
		add(walk, ITEM_CLOSE, NULL, 0);
	}
}

static bool is_results(const cJSON *json)
{
	return cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "overall")) &&
		cJSON_IsArray(
			cJSON_GetObjectItemCaseSensitive(json, "code_block_results"));
}

int tracker_read_result(
	const char *path, struct run *run, struct report *report, struct error *err)
{
	struct strbuf raw, text;
	cJSON *json = NULL;
	int found;

	if (!is_file(path))
		return 0;
	strbuf_init(&raw);
	strbuf_init(&text);
	found = read_text(path, &raw, err);
	if (found > 0) {
		json_mend(&text, raw.text);
		json = cJSON_ParseWithLength(text.text, text.len);
		found = is_results(json);
	}
	if (found > 0) {
		run_init(run, path);
		run_set_string(&run->key, path);
		run_add_file(run, path);
		report_init(report, run);
		take_members(&(struct walk){report, text.text}, json);
	}
	cJSON_Delete(json);
	strbuf_release(&text);
	strbuf_release(&raw);
	return found;
}

/*
 * Starts and stops of code blocks as events of a run. A stop ends the innermost start
 * of the same process and block; a pair becomes a phase, a start that is left its
 * beginning. A lost row may have been the partner of any other: where a block's rows
 * don't come out even, no pair is believed that has a lost row in it. Knows nothing of
 * how rows are written.
 *
 * A stack for each process and block; what may be wrong about it is known at the end.
 */

#define BUCKETS 4096
#define NONE	SIZE_MAX
#define ANY	UINT64_MAX /* process: which one can't be told */

/* The blocks of one name in one process. */
struct group {
	uint64_t process;
	char *name;
	size_t open; /* the innermost block: index + 1; 0: none */
	size_t before_stop; /* so many blocks had begun at a stop without a start */
	size_t left; /* the first block that has no stop; NONE */
};

struct block {
	size_t group;
	size_t event; /* of the run; NONE: its start has no time */
	size_t outer; /* in its group: index + 1; 0: none */
	uint64_t start, stop; /* steps; stop 0: none yet */
	uint64_t line; /* of its stop */
};

/* A step at which a row of a process may be lost, or is not what it was. */
struct odd {
	uint64_t process; /* ANY */
	uint64_t step;
};

struct pairing {
	struct log *log;
	struct group *group;
	size_t group_count, group_cap;
	struct block *block;
	size_t block_count, block_cap;
	struct lookup groups; /* by process and name */
	size_t last[BUCKETS]; /* by the name alone: the newest start's block; index + 1 */
	uint64_t step; /* rows and holes are counted */
	struct odd *odd;
	size_t odd_count, odd_cap;
};

/* Of one file: rows are counted and complaints made there. */
static struct pairing *pairing_new(struct log *log)
{
	struct pairing *p = xcalloc(1, sizeof *p);

	p->log = log;
	return p;
}

static void add_odd(struct pairing *p, uint64_t process, uint64_t step)
{
	ALLOC_NEXT(p->odd, p->odd_count, p->odd_cap) = (struct odd){process, step};
}

/* Here a row may be lost, and nobody knows whose. */
static void pairing_add_hole(struct pairing *p)
{
	add_odd(p, ANY, ++p->step);
}

static size_t bucket_of(struct span name)
{
	uint64_t hash = span_hash(name, SPAN_HASH);

	return (hash ^ hash >> 32) % BUCKETS;
}

/* NULL: there is none, and none is to be made. */
static struct group *find_group(
	struct pairing *p, const struct pairing_row *row, bool make)
{
	uint64_t hash = span_hash(row->name, SPAN_HASH ^ row->process);
	size_t i = lookup_first(&p->groups, hash);

	while (i != LOOKUP_NONE &&
		(p->group[i].process != row->process ||
			!span_is(row->name, p->group[i].name)))
		i = lookup_next(&p->groups, i);
	if (i == LOOKUP_NONE && make) {
		i = lookup_add(&p->groups, hash);
		ALLOC_NEXT(p->group, p->group_count, p->group_cap) =
			(struct group){.process = row->process,
				.name = xstrndup(row->name.at, row->name.len),
				.left = NONE};
	}
	return i == LOOKUP_NONE ? NULL : &p->group[i];
}

/* Seconds since 1970 as the log wrote them. */
static void add_seconds(struct strbuf *sb, int64_t t_ns)
{
	strbuf_addf(sb, "%lld.%09lld", (long long)(t_ns / NS_PER_S),
		(long long)(t_ns % NS_PER_S));
	while (sb->text[sb->len - 1] == '0')
		sb->text[--sb->len] = '\0';
	if (sb->text[sb->len - 1] == '.')
		sb->text[--sb->len] = '\0';
}

/* "process 7 starts code block 'load' at 1760000000.5" */
static void add_mark(struct strbuf *sb, uint64_t process, const char *does,
	struct span name, int64_t t_ns)
{
	strbuf_addf(sb, "process %llu %s code block '%s' at ",
		(unsigned long long)process, does, log_quote(name).text);
	add_seconds(sb, t_ns);
}

static size_t add_event(struct pairing *p, const struct pairing_row *row)
{
	struct event *event = run_add_event(p->log->run);
	struct strbuf extras = strbuf_new();

	event->type = EVENT_BEGIN;
	event->at = log_place(p->log);
	event->t_ns = row->t_ns;
	event->name = words_keep(&p->log->run->words, row->name);
	event->type_name = run_keep(p->log->run, "code_block");
	strbuf_addf(&extras, "{\"process_id\": %llu}", (unsigned long long)row->process);
	event->extras = run_keep_and_free(p->log->run, strbuf_detach(&extras));
	p->log->file->rows++;
	return p->log->run->event_count - 1;
}

static void start_block(struct pairing *p, const struct pairing_row *row)
{
	struct group *group = find_group(p, row, true);
	struct block *block;

	block = &ALLOC_NEXT(p->block, p->block_count, p->block_cap);
	*block = (struct block){.group = (size_t)(group - p->group),
		.event = row->t_ns == TIME_NONE ? NONE : add_event(p, row),
		.outer = group->open,
		.start = p->step};
	group->open = p->block_count;
	if (block->event != NONE)
		p->last[bucket_of(row->name)] = p->block_count;
}

/* A stop without a start of its own: names the last start of that block, if there is one.
 */
static void refuse_stop(
	struct pairing *p, const struct pairing_row *row, const char *what)
{
	size_t last = p->last[bucket_of(row->name)];
	const struct block *block = last ? &p->block[last - 1] : NULL;
	const struct group *other = block ? &p->group[block->group] : NULL;
	struct strbuf text = strbuf_new();

	add_mark(&text, row->process, "stops", row->name, row->t_ns);
	strbuf_addf(&text, ", but there is no start %s", what);
	if (other && span_is(row->name, other->name)) {
		strbuf_addf(&text, ". The last start is by process %llu at ",
			(unsigned long long)other->process);
		add_seconds(&text, p->log->run->event[block->event].t_ns);
	}
	log_refuse(p->log, "stop-without-start", "%s", text.text);
	strbuf_release(&text);
}

static void refuse_order(
	struct log *log, const struct pairing_row *row, const struct event *start)
{
	struct strbuf text = strbuf_new();

	add_mark(&text, row->process, "starts", row->name, start->t_ns);
	strbuf_adds(&text, ", later than its stop at ");
	add_seconds(&text, row->t_ns);
	log_refuse(log, "start-after-stop", "%s", text.text);
	strbuf_release(&text);
}

/* The stop of a block, in whatever state it is: no other stop is its own. */
static void end_block(
	struct pairing *p, struct block *block, const struct pairing_row *row)
{
	struct event *event =
		block->event == NONE ? NULL : &p->log->run->event[block->event];

	block->stop = p->step;
	block->line = log_line_number(p->log);
	if (row->t_ns == TIME_NONE)
		return;
	if (!event) {
		refuse_stop(p, row, "with a valid time");
	} else if (event->t_ns > row->t_ns) {
		refuse_order(p->log, row, event);
	} else {
		event->type = EVENT_PHASE;
		event->end_ns = row->t_ns;
		event->end_at = log_place(p->log);
		p->log->file->rows++;
	}
}

static void stop_block(struct pairing *p, const struct pairing_row *row)
{
	struct group *group = find_group(p, row, false);
	struct block *block;

	if (!group || !group->open) {
		add_odd(p, row->process, p->step);
		if (group)
			group->before_stop = p->block_count;
		if (row->t_ns != TIME_NONE)
			refuse_stop(p, row, "that matches");
		return;
	}
	block = &p->block[group->open - 1];
	group->open = block->outer;
	end_block(p, block, row);
}

static void pairing_add(struct pairing *p, const struct pairing_row *row)
{
	p->step++;
	(row->stop ? stop_block : start_block)(p, row);
}

static int compare_odd(const void *a, const void *b)
{
	const struct odd *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* All steps are known: those of starts without a stop too. */
static void list_odd(struct pairing *p)
{
	for (size_t i = p->block_count; i-- > 0;) {
		const struct block *block = &p->block[i];
		struct group *group = &p->group[block->group];

		if (block->stop)
			continue;
		group->left = i;
		add_odd(p, group->process, block->start);
	}
	SORT(p->odd, p->odd_count, compare_odd);
}

/* An odd step of the process lies within the block. */
static bool has_odd(const struct pairing *p, const struct block *block, uint64_t process)
{
	const struct odd begin = {process, block->start};
	size_t from = 0, to = p->odd_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_odd(&p->odd[middle], &begin) > 0)
			to = middle;
		else
			from = middle + 1;
	}
	return to < p->odd_count && p->odd[to].process == process &&
		p->odd[to].step < block->stop;
}

static void give_up(struct pairing *p, const struct block *block)
{
	const struct group *group = &p->group[block->group];
	struct event *event = &p->log->run->event[block->event];
	struct strbuf text = strbuf_new();

	add_mark(&text, group->process, "starts", span_of(group->name), event->t_ns);
	strbuf_adds(&text, ", but rows after it are missing, so its stop is uncertain");
	p->log->record = block->line;
	log_refuse(p->log, "doubtful-stop", "%s", text.text);
	strbuf_release(&text);
	event->type = EVENT_BEGIN;
	event->end_ns = TIME_NONE;
	p->log->file->rows--;
}

/*
 * A pair with a lost row in it is wrong if that row was of the same process and block:
 * then a stop of theirs is left over behind it, or a start before it.
 */
static bool is_doubtful(const struct pairing *p, const struct block *block)
{
	const struct group *group = &p->group[block->group];
	size_t i = (size_t)(block - p->block);

	if (block->event == NONE || p->log->run->event[block->event].type != EVENT_PHASE)
		return false;
	return (i < group->before_stop || i > group->left) &&
		(has_odd(p, block, ANY) || has_odd(p, block, group->process));
}

/* Gives up what can't be believed; frees. */
static void pairing_finish(struct pairing *p)
{
	list_odd(p);
	for (size_t i = 0; i < p->block_count; i++)
		if (is_doubtful(p, &p->block[i]))
			give_up(p, &p->block[i]);
	for (size_t i = 0; i < p->group_count; i++)
		free(p->group[i].name);
	lookup_release(&p->groups);
	free(p->group);
	free(p->block);
	free(p->odd);
	free(p);
}

/*
 * gpu_tracker's sub-tracking files: the starts and stops of code blocks, as CSV or in
 * a database: process_id, code_block_name, position (0 start, 1 stop), timestamp.
 * Files are paired each for itself: each is of one process.
 */

enum place {
	PLACE_PROCESS,
	PLACE_NAME,
	PLACE_POSITION,
	PLACE_TIME,
	PLACE_COUNT
};

static const char *const place_name[] = {
	"process_id", "code_block_name", "position", "timestamp", NULL};
static const char *const sub_tables[] = {"data", NULL};

struct sub {
	struct log *log;
	struct records records;
	struct pairing *pairing;
	size_t place[PLACE_COUNT], width; /* of the columns; width 0: no header yet */
	uint64_t holes; /* of the records, that are known */
};

static bool sub_is_header(const struct span *cell, size_t count)
{
	return records_places(cell, count, place_name, NULL);
}

static int sub_bid(const struct probe *probe)
{
	return probe_has_row(probe, sub_is_header) ? 60 : 0;
}

/* Nobody writes a nought before a process id: it is the rest of one. */
static bool read_process(struct span cell, uint64_t *process)
{
	return number_unsigned(cell, process) && (cell.len == 1 || cell.at[0] != '0');
}

static bool is_name(struct span cell)
{
	return !memchr(cell.at, '\0', cell.len);
}

static bool is_position(struct span cell)
{
	return span_is(cell, "0") || span_is(cell, "1");
}

static bool sub_is_row(const void *reader, const struct span *cell, size_t count)
{
	const struct sub *s = reader;
	uint64_t process;
	int64_t t_ns;

	return s->width && count == s->width &&
		read_process(cell[s->place[PLACE_PROCESS]], &process) &&
		is_name(cell[s->place[PLACE_NAME]]) &&
		is_position(cell[s->place[PLACE_POSITION]]) &&
		time_parse_seconds(cell[s->place[PLACE_TIME]], &t_ns);
}

/* Whose a lost row is, and whether a start or a stop: then its partner is known. */
static bool add_timeless(struct sub *s, const struct span *cell, size_t count)
{
	const size_t *place = s->place;
	struct pairing_row row = {.t_ns = TIME_NONE};

	if (place[PLACE_PROCESS] >= count || place[PLACE_NAME] >= count ||
		place[PLACE_POSITION] >= count)
		return false;
	row.name = cell[place[PLACE_NAME]];
	row.stop = span_is(cell[place[PLACE_POSITION]], "1");
	if (!read_process(cell[place[PLACE_PROCESS]], &row.process) ||
		!is_name(row.name) || !is_position(cell[place[PLACE_POSITION]]))
		return false;
	pairing_add(s->pairing, &row);
	return true;
}

/* What is left of a row that was refused; behind a torn one nothing can be mistaken. */
static void take_remains(struct sub *s)
{
	const struct records *r = &s->records;

	if (r->torn || !s->width)
		return;
	/* A longer one is of two rows, or more, that run into each other. */
	if (!add_timeless(s, r->cell, r->count) || r->count > s->width)
		pairing_add_hole(s->pairing);
}

static bool read_row(struct log *log, const struct span *cell, const size_t *place,
	struct pairing_row *row)
{
	struct span position = cell[place[PLACE_POSITION]];

	row->name = cell[place[PLACE_NAME]];
	row->stop = span_is(position, "1");
	if (!read_process(cell[place[PLACE_PROCESS]], &row->process)) {
		log_refuse(log, "bad-id",
			"invalid process_id '%s', expected a number (row skipped)",
			log_quote(cell[place[PLACE_PROCESS]]).text);
	} else if (!is_name(row->name)) {
		log_refuse(log, "no-name",
			"invalid name '%s': it contains a NUL byte (row skipped)",
			log_quote(row->name).text);
	} else if (!is_position(position)) {
		log_refuse(log, "bad-position",
			"invalid position '%s', expected 0 (start) or 1 (stop) (row "
			"skipped)",
			log_quote(position).text);
	} else if (!time_parse_seconds(cell[place[PLACE_TIME]], &row->t_ns)) {
		log_refuse(log, "bad-time",
			"invalid time '%s', expected seconds since 1970 (row skipped)",
			log_quote(cell[place[PLACE_TIME]]).text);
	} else {
		return true;
	}
	return false;
}

static void sub_take_row(struct sub *s)
{
	const struct records *r = &s->records;
	struct pairing_row row;

	if (records_fit(r, s->width, "the time") &&
		read_row(s->log, r->cell, s->place, &row))
		pairing_add(s->pairing, &row);
	else
		take_remains(s);
}

static void tracker_survey(struct log *log)
{
	struct sub s = {.log = log, .pairing = pairing_new(log)};
	struct records *r = &s.records;

	records_open(r, log, sub_tables);
	r->is_row = sub_is_row;
	r->reader = &s;
	while (records_next(r)) {
		if (r->holes > s.holes)
			pairing_add_hole(s.pairing);
		s.holes = r->holes;
		if (r->broken)
			take_remains(&s);
		else if (records_places(r->cell, r->count, place_name, s.place))
			s.width = r->count;
		else
			sub_take_row(&s);
	}
	records_close(r);
	pairing_finish(s.pairing);
}

const struct format format_gpu_tracker_sub = {
	.kind = SOURCE_GPU_TRACKER_SUB, .bid = sub_bid, .survey = tracker_survey};

/* The writing: files of several processes, or phases of any run, as one file. */

struct mark {
	int64_t process, t_ns;
	int position; /* 0: start, 1: stop */
	const char *name; /* borrowed */
	/* of a row of the tool's own; others, with line 0, follow */
	size_t run;
	struct event_place place;
};

/* Rows of the tool's own stay as they were, file by file, as it joins them; all else as
 * the tool sorts what it reads. */
static int by_row(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (!x->place.line != !y->place.line)
		return x->place.line ? -1 : 1;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->place.file != y->place.file)
		return x->place.file < y->place.file ? -1 : 1;
	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->position - y->position;
}

/* 0: the log says none. */
static int64_t process_of(const struct phase_call *call)
{
	const struct event event = {.extras = call->extras};
	double id;

	return event_number(&event, "process_id", &id) || event_number(&event, "pid", &id)
		? (int64_t)id
		: 0;
}

/* Does a file of the tool say it? */
static bool is_own(const struct run *run, const struct event_place *place)
{
	return place->line && place->file < run->file_count &&
		run->file[place->file].kind == SOURCE_GPU_TRACKER_SUB;
}

struct marks {
	struct mark *at; /* [count]; owned */
	size_t count, cap;
};

/* Of a call; run: SIZE_MAX, its lines are none of the tool's. */
static void add_marks(
	struct marks *marks, const struct phase_call *call, int64_t process, size_t run)
{
	const struct event_place none = {0};

	ALLOC_NEXT(marks->at, marks->count, marks->cap) = (struct mark){process,
		call->start_ns, 0, call->name, run, run == SIZE_MAX ? none : call->at};
	if (!call->unfinished)
		ALLOC_NEXT(marks->at, marks->count, marks->cap) =
			(struct mark){process, call->end_ns, 1, call->name, run,
				run == SIZE_MAX ? none : call->end_at};
}

/* The calls of unknown processes by name, then as they began. */
static int by_name(const void *a, const void *b)
{
	const struct phase_call *x = *(const struct phase_call *const *)a;
	const struct phase_call *y = *(const struct phase_call *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Doubles of times hold no less. */
#define APART_NS 1000

/* The tool pairs the marks of a name in a process, one behind the other: of calls that
 * overlap each gets a process of its own, from `spare` on, 0 for the others. */
static void add_unknown(
	struct marks *marks, const struct phase_call **call, size_t calls, int64_t spare)
{
	int64_t *end_ns = xcalloc(calls + 1, sizeof *end_ns); /* of each such process */
	size_t lanes = 0;

	SORT(call, calls, by_name);
	for (size_t i = 0; i < calls; i++) {
		size_t lane = 0;
		int64_t process;

		if (i && strcmp(call[i]->name, call[i - 1]->name) != 0)
			lanes = 0;
		while (lane < lanes && end_ns[lane] + APART_NS > call[i]->start_ns)
			lane++;
		lanes += lane == lanes;
		end_ns[lane] = call[i]->end_ns;
		process = lane ? spare + (int64_t)lane - 1 : 0;
		add_marks(marks, call[i], process, SIZE_MAX);
	}
	free(end_ns);
}

static void print_mark(struct strbuf *sb, const struct mark *mark)
{
	bool quotes = strpbrk(mark->name, ",\"\r\n") != NULL;

	strbuf_addf(sb, "%lld,%s", (long long)mark->process, quotes ? "\"" : "");
	for (const char *c = mark->name; *c; c++) {
		if (*c == '"')
			strbuf_addc(sb, '"');
		strbuf_addc(sb, *c);
	}
	strbuf_addf(sb, "%s,%d,", quotes ? "\"" : "", mark->position);
	python_float(sb, number_ratio(mark->t_ns, NS_PER_S));
	strbuf_addc(sb, '\n');
}

int tracker_write_sub(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report;
	struct strbuf sb = strbuf_new();
	struct marks marks = {0};
	const struct phase_call **unknown = NULL;
	size_t taken = 0, unknowns = 0, unknown_cap = 0;
	int64_t spare = 1;

	(void)opt;
	if (refusal_check(in, err) != 0) {
		strbuf_release(&sb);
		return -1;
	}
	while ((report = render_take(in, &taken)))
		for (size_t i = 0; i < report->call_count; i++) {
			const struct phase_call *call = &report->call[i];
			int64_t process = process_of(call);

			if (!process) {
				ALLOC_NEXT(unknown, unknowns, unknown_cap) = call;
				continue;
			}
			spare = process >= spare ? process + 1 : spare;
			add_marks(&marks, call, process,
				is_own(report->run, &call->at) ? taken : SIZE_MAX);
		}
	add_unknown(&marks, unknown, unknowns, spare);
	free(unknown);
	SORT(marks.at, marks.count, by_row);
	strbuf_adds(&sb, "process_id,code_block_name,position,timestamp\n");
	for (size_t i = 0; i < marks.count; i++)
		print_mark(&sb, &marks.at[i]);
	fwrite(sb.text, 1, sb.len, out);
	strbuf_release(&sb);
	free(marks.at);
	return render_check(out, "gpu-tracker-sub", err);
}
