/*
 * JUmPER: the performance data, the cells and the session that it exports; its report of
 * each level that a run has (plain mean, minimum and maximum of the share of CPUs, of
 * memory, of the GPUs' utilization and memory, the limits of memory, and the tags that
 * follow), as JSON and as the text of its own performance report. Its GB are 2^30 bytes.
 * What the run does not say is left out or unknown, where the tool, which asks the
 * machine, has a number. NUMBERS.md.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "foreign/records.h"
#include "foreign/shared.h"
#include "render/utf8.h"

/*
 * Performance data, as CSV or as a list of JSON objects: a row is one measurement of one
 * level, which only the file's name tells (perf_user.csv). Its times are those of a clock
 * that counts from an unknown moment. Of each single GPU only the system's rows tell all
 * that it does. Read and written bytes are not read: older versions print totals by the
 * step, later ones rates, under the same name.
 */

/*
 * A cell of the clock as a time since 1970, with the run's offset, if that is known.
 * False: none, or beyond all times; not said.
 */
static bool jumper_time(const struct log *log, struct span cell, int64_t *t_ns)
{
	int64_t clock_ns, offset_ns = 0;
	int128 sum;

	if (!number_scaled(cell, NS_PER_S, &clock_ns))
		return false;
	(void)jumper_offset_ns(log->run, &offset_ns);
	sum = (int128)clock_ns + offset_ns;
	if (sum < 0 || sum >= TIME_END_NS)
		return false;
	*t_ns = (int64_t)sum;
	return true;
}

/* Says it, where the offset is not known. */
static void jumper_say_clock(struct log *log)
{
	int64_t offset_ns;

	if (!jumper_offset_ns(log->run, &offset_ns))
		log_note(log, false, "no-date", SPAN_NONE,
			"the start of JUmPER's clock is unknown without a manifest or a "
			"history of cells; 1970-01-01 is used");
}

/* The difference of two times, if they are some. */
static void jumper_keep_offset(struct run *run, struct span clock, struct span since_1970)
{
	int64_t clock_ns, t_ns;
	char text[32];

	if (!number_scaled(clock, NS_PER_S, &clock_ns) ||
		!time_parse_seconds(since_1970, &t_ns) || clock_ns < 0)
		return;
	snprintf(text, sizeof text, "%lld", (long long)(t_ns - clock_ns));
	run_add_fact(run, JUMPER_OFFSET_NS, span_of(text));
}

#define GPUS_MAX    256 /* in a row; further ones are not used */
#define SYSTEM_ROWS 3 /* of the level, the host and the CPUs */
#define GB	    1073741824LL

static const char *const needed[] = {"time", "memory", "cpu_util_avg", NULL};

struct jumper_source {
	struct log *log;
	struct records rows;
	enum jumper_level level;
	struct columns columns; /* each of a GPU, by its number; -1: of the level */
	bool header_pending;
	size_t time_at;
	bool begun;
	uint32_t device; /* the level's, */
	uint32_t gpu[GPUS_MAX]; /* ... and those of the GPUs that have columns */
	bool has_gpu[GPUS_MAX];
};

static bool is_header(const struct span *cell, size_t count)
{
	return records_places(cell, count, needed, NULL);
}

/* A list of objects that have these members, or rows with such a header? */
static int bid_of(const struct probe *probe, const char *const *members,
	bool (*is_row)(const struct span *cell, size_t count), int points)
{
	return !probe->sqlite &&
			(probe_has_members(probe, members) ||
				probe_has_row(probe, is_row))
		? points
		: 0;
}

static int bid(const struct probe *probe)
{
	return bid_of(probe, needed, is_header, 62);
}

/* The last word of the name, before what says how it is packed. */
static enum jumper_level level_of(struct log *log)
{
	const char *base = strrchr(log->name, '/');
	enum jumper_level found = JUMPER_LEVELS;

	base = base ? base + 1 : log->name;
	while (*base) {
		size_t len = strcspn(base, "._- #");
		enum jumper_level level = jumper_level_find((struct span){base, len});

		found = level < JUMPER_LEVELS ? level : found;
		base += len + (base[len] != '\0');
	}
	if (found < JUMPER_LEVELS)
		return found;
	log_note(log, false, "no-level", SPAN_NONE,
		"the file name has no level; read as process, JUmPER's default");
	return JUMPER_PROCESS;
}

/* "gpu_util_0" is of GPU 0; its binding has '#' in place of the number. */
static bool cut_gpu(struct span name, struct strbuf *general, int32_t *gpu)
{
	size_t at = name.len;
	uint64_t number;

	while (at && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
		at--;
	if (at == name.len || !span_begins(name, "gpu_") ||
		!number_unsigned((struct span){name.at + at, name.len - at}, &number) ||
		number >= GPUS_MAX)
		return false;
	strbuf_clear(general);
	strbuf_add(general, name.at, at);
	strbuf_addc(general, '#');
	*gpu = (int32_t)number;
	return true;
}

/* "avg", "min", "max", or the number of a CPU or GPU. */
static bool is_statistic(struct span text)
{
	uint64_t number;

	return span_is(text, "avg") || span_is(text, "min") || span_is(text, "max") ||
		number_unsigned(text, &number);
}

/* What JUmPER writes besides, and says elsewhere or in two ways. */
static bool is_known(struct span name)
{
	static const char *const of[] = {
		"cpu_util_", "gpu_util_", "gpu_band_", "gpu_mem_", "gpu_power_"};
	static const char *const whole[] = {
		"io_read_count", "io_write_count", "io_read", "io_write", "cell_index"};

	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		size_t len = strlen(of[i]);

		if (span_begins(name, of[i]) &&
			is_statistic((struct span){name.at + len, name.len - len}))
			return true;
	}
	for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
		if (span_is(name, whole[i]))
			return true;
	return false;
}

static bool is_memory(struct span name)
{
	return span_is(name, "memory") || span_begins(name, "gpu_mem_");
}

static void add_column(struct jumper_source *s, size_t at, struct span name)
{
	struct column *c = &s->columns.at[at];
	const struct binding *binding = binding_find(SOURCE_JUMPER, name);
	struct strbuf general = strbuf_new();

	*c = (struct column){.role = ROLE_IGNORED, .part = -1};
	if (cut_gpu(name, &general, &c->part))
		binding = s->level == JUMPER_SYSTEM
			? binding_find(
				  SOURCE_JUMPER, (struct span){general.text, general.len})
			: NULL;
	strbuf_release(&general);
	if (at == s->time_at) {
		c->role = ROLE_TIME;
	} else if (part_bind(&s->columns, at, binding)) {
		if (is_memory(name))
			c->bare = GB;
	} else if (is_known(name)) {
		c->role = ROLE_KNOWN;
	} else {
		log_note(s->log, false, "unknown-column", name, "column '%s' ignored",
			log_quote(name).text);
	}
}

static void name_columns(struct jumper_source *s)
{
	const struct records *r = &s->rows;

	s->time_at = records_find(r->cell, r->count, "time");
	columns_clear(&s->columns);
	ALLOC_GROW(s->columns.at, r->count, s->columns.cap);
	s->columns.count = r->count;
	s->header_pending = true;
	for (size_t i = 0; i < r->count; i++)
		add_column(s, i, r->cell[i]);
	memset(s->has_gpu, 0, sizeof s->has_gpu);
	for (size_t i = 0; i < r->count; i++)
		if (s->columns.at[i].role == ROLE_METRIC && s->columns.at[i].part >= 0)
			s->has_gpu[s->columns.at[i].part] = true;
}

/* The devices are added with the first row, or known from another log. */
static void name_devices(struct jumper_source *s)
{
	const char *model = run_fact(s->log->run, JUMPER_GPU_NAME);

	s->device = identity_named(s->log->run, DEVICE_TREE, jumper_level_name(s->level));
	for (int32_t gpu = 0; gpu < GPUS_MAX; gpu++) {
		struct gpu_id id = {.index = gpu, .place = -1};

		if (!s->has_gpu[gpu])
			continue;
		if (!gpu && model)
			id.model = span_of(model);
		s->gpu[gpu] = identity_gpu(s->log->run, &id);
	}
}

/* What a row of the system says is the host's, and of all its CPUs and GPUs together. */
static void give_system(
	const struct jumper_source *s, struct sample_batch *batch, size_t row)
{
	static const struct {
		enum metric_id of, is;
	} same[] = {{METRIC_level_mem_mib, METRIC_ram_used_mib},
		{METRIC_level_cpu_pct, METRIC_cpu_busy_pct},
		{METRIC_level_gpu_util_pct, METRIC_gpu_util_sum_pct},
		{METRIC_level_gpu_mem_mib, METRIC_gpu_mem_sum_mib}};
	struct run *run = s->log->run;
	double gpus = s->has_gpu[0] ? 0 : run_fact_number(run, JUMPER_GPUS);
	size_t host = SIZE_MAX;

	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		const struct sample_column *column = sample_batch_find(batch, same[i].of);
		bool cpu = same[i].is == METRIC_cpu_busy_pct, gpu = i >= 2;
		int64_t value;
		size_t added;

		if (!sample_column_has(column, row) ||
			(gpu && !(gpus > 0 && gpus < GPUS_MAX)))
			continue;
		value = column->value[row];
		if (gpu) /* it has their mean */
			value = (int64_t)((int128)value * (int64_t)gpus *
				metric_get(same[i].is)->per_unit /
				metric_get(same[i].of)->per_unit);
		added = cpu || host == SIZE_MAX
			? sample_batch_add(batch, batch->t_ns[row],
				  cpu ? identity_cpu(run, -1) : identity_host(run))
			: host;
		host = cpu ? host : added;
		batch->line[added] = batch->line[row];
		sample_batch_put_metric(batch, added, same[i].is, value);
	}
}

static void take_row(struct jumper_source *s, struct sample_batch *batch)
{
	struct span cell;
	int64_t t_ns;
	size_t row;

	if (!records_fit(&s->rows, s->columns.count, "the last field"))
		return;
	cell = s->rows.cell[s->time_at];
	if (!jumper_time(s->log, cell, &t_ns)) {
		log_refuse(s->log, "bad-time",
			"invalid time '%s', expected seconds of JUmPER's clock (row "
			"skipped)",
			log_quote(cell).text);
		return;
	}
	if (!s->begun)
		jumper_say_clock(s->log);
	s->begun = true;
	batch->timed = true;
	name_devices(s);
	row = batch->rows;
	part_put(&s->columns, s->log, batch, t_ns, s->device, -1, &s->header_pending,
		s->rows.cell);
	if (s->level == JUMPER_SYSTEM)
		give_system(s, batch, row);
	for (int32_t gpu = 0; gpu < GPUS_MAX; gpu++)
		if (s->has_gpu[gpu] && s->gpu[gpu] != IDENTITY_NONE)
			part_put(&s->columns, s->log, batch, t_ns, s->gpu[gpu], gpu,
				&s->header_pending, s->rows.cell);
	s->log->file->rows++;
}

static void jumper_fill(void *state, struct sample_batch *batch)
{
	struct jumper_source *s = state;

	batch->snapshots = true;
	s->columns.bound = false;
	while (batch->rows + SYSTEM_ROWS + GPUS_MAX <= SAMPLE_BATCH_ROWS &&
		records_next(&s->rows)) {
		if (!s->rows.broken && is_header(s->rows.cell, s->rows.count))
			name_columns(s);
		else if (s->rows.names)
			s->columns.count = 0; /* damaged: nobody knows what is what */
		else
			take_row(s, batch);
	}
}

static void jumper_end(void *state)
{
	struct jumper_source *s = state;

	records_close(&s->rows);
	columns_release(&s->columns);
}

static void jumper_begin(void *state, enum source_kind kind)
{
	struct jumper_source *s = state;

	(void)kind;
	s->level = level_of(s->log);
	records_open(&s->rows, s->log, NULL);
}

const struct format format_jumper = {.kind = SOURCE_JUMPER,
	.bid = bid,
	.state_size = sizeof(struct jumper_source),
	.begin = jumper_begin,
	.fill = jumper_fill,
	.end = jumper_end};

/*
 * JUmPER's history of the cells of a notebook, as CSV or as a list of JSON objects:
 * each becomes a phase, "cell 3", with its number and its code. Where no manifest says
 * how far its clock is from the time since 1970, the first cell does that has both.
 */

enum place {
	PLACE_INDEX,
	PLACE_CODE,
	PLACE_START,
	PLACE_END,
	PLACE_WALL_START, /* from here on older files lack it */
	PLACE_COUNT
};

static const char *const cells_needed[] = {
	"cell_index", "raw_cell", "start_time", "end_time", NULL};

struct cells {
	struct log *log;
	struct records rows;
	size_t place[PLACE_COUNT]; /* SIZE_MAX: there is none */
	size_t width; /* of a row; 0: no header yet */
};

static bool is_cells_header(const struct span *cell, size_t count)
{
	return records_places(cell, count, cells_needed, NULL);
}

static int cells_bid(const struct probe *probe)
{
	return bid_of(probe, cells_needed, is_cells_header, 61);
}

static bool cells_find_places(struct cells *c)
{
	if (!records_places(c->rows.cell, c->rows.count, cells_needed, c->place))
		return false;
	c->place[PLACE_WALL_START] =
		records_find(c->rows.cell, c->rows.count, "wallclock_start_time");
	c->width = c->rows.count;
	return true;
}

/* The number and the code as a JSON object, to be freed. */
static char *extras_of(uint64_t index, struct span code)
{
	char *text = xstrndup(code.at, code.len);
	cJSON *object = cJSON_CreateObject();
	char *printed, *extras = NULL;

	cJSON_AddNumberToObject(object, "cell_index", (double)index);
	cJSON_AddStringToObject(object, "raw_cell", text);
	printed = cJSON_PrintUnformatted(object);
	if (printed)
		extras = xstrdup(printed);
	cJSON_free(printed);
	cJSON_Delete(object);
	free(text);
	return extras;
}

static void cells_add(struct cells *c, uint64_t index, int64_t start_ns, int64_t end_ns)
{
	struct event *event = run_add_event(c->log->run);
	struct strbuf name = strbuf_new();

	strbuf_addf(&name, "cell %llu", (unsigned long long)index);
	event->at = log_place(c->log);
	event->type = EVENT_PHASE;
	event->t_ns = start_ns;
	event->end_ns = end_ns;
	event->type_name = run_keep(c->log->run, "phase");
	event->name = run_keep_and_free(c->log->run, strbuf_detach(&name));
	event->extras = run_keep_and_free(
		c->log->run, extras_of(index, c->rows.cell[c->place[PLACE_CODE]]));
	c->log->file->rows++;
}

/* pandas writes whole numbers with a point where a column lacks one somewhere. */
static bool read_index(struct span cell, uint64_t *index)
{
	int64_t tenths;

	if (!number_scaled(cell, 10, &tenths) || tenths < 0 || tenths % 10)
		return false;
	*index = (uint64_t)tenths / 10;
	return true;
}

static void cells_take_row(struct cells *c)
{
	const struct span *cell = c->rows.cell;
	int64_t start_ns, end_ns;
	uint64_t index;

	if (!records_fit(&c->rows, c->width, "the last field"))
		return;
	if (c->place[PLACE_WALL_START] != SIZE_MAX)
		jumper_keep_offset(c->log->run, cell[c->place[PLACE_START]],
			cell[c->place[PLACE_WALL_START]]);
	if (!read_index(cell[c->place[PLACE_INDEX]], &index))
		log_refuse(c->log, "bad-id",
			"invalid cell_index '%s', expected a number (row skipped)",
			log_quote(cell[c->place[PLACE_INDEX]]).text);
	else if (!jumper_time(c->log, cell[c->place[PLACE_START]], &start_ns) ||
		!jumper_time(c->log, cell[c->place[PLACE_END]], &end_ns))
		log_refuse(c->log, "bad-time",
			"invalid time '%s' or '%s', expected seconds of JUmPER's clock "
			"(row skipped)",
			log_quote(cell[c->place[PLACE_START]]).text,
			log_quote(cell[c->place[PLACE_END]]).text);
	else if (end_ns < start_ns)
		log_refuse(c->log, "bad-phase",
			"cell ends at '%s', before its start '%s' (row skipped)",
			log_quote(cell[c->place[PLACE_END]]).text,
			log_quote(cell[c->place[PLACE_START]]).text);
	else
		cells_add(c, index, start_ns, end_ns);
}

static void cells_survey(struct log *log)
{
	struct cells c = {.log = log};

	records_open(&c.rows, log, NULL);
	while (records_next(&c.rows)) {
		if (!c.rows.broken && cells_find_places(&c))
			continue;
		if (c.rows.names)
			c.width = 0; /* damaged: nobody knows what is what */
		else
			cells_take_row(&c);
	}
	records_close(&c.rows);
	if (log->file->rows)
		jumper_say_clock(log);
}

const struct format format_jumper_cells = {
	.kind = SOURCE_JUMPER_CELLS, .bid = cells_bid, .survey = cells_survey};

/*
 * manifest.json of a session that JUmPER exported: what it knew of the machine and of
 * itself, which become facts of the run, and how far its clock is from the time since
 * 1970. Every key may be missing; what makes no sense is said and not used.
 */

#define FACT_DIGITS                                                        \
	1000000000LL /* a number of which a fact is made has so many parts \
		      */

static int session_bid(const struct probe *probe)
{
	static const char *const words[] = {"\"app\"", "\"JUmPER\"", "\"monitor\""};
	unsigned found = 0;

	if (!probe->count || probe->sqlite || !span_begins(probe->line[0], "{"))
		return 0;
	for (size_t i = 0; i < probe->count; i++)
		for (struct span s = probe->line[i]; s.len; s.at++, s.len--)
			for (unsigned w = 0; w < 3; w++)
				found |= span_begins(s, words[w]) ? 1u << w : 0;
	return found == 7 ? 75 : 0;
}

static void say_senseless(struct log *log, const char *path, const char *expected)
{
	log_note(log, true, "bad-manifest", span_of(path),
		"\"%s\" has an invalid value, expected %s (key ignored)", path, expected);
}

/* A number from `least` on becomes a fact; null, or none, is nothing to say. */
static void take_number(struct log *log, const struct json_line *json, const char *path,
	const char *fact, int64_t least)
{
	struct span value = json_line_find(json, path);
	int64_t parts;

	if (!value.len || span_is(value, "null"))
		return;
	if (number_scaled(value, FACT_DIGITS, &parts) && parts >= least * FACT_DIGITS)
		run_add_fact(log->run, fact, value);
	else
		say_senseless(log, path, least ? "a number of at least 1" : "a number");
}

static void take_parts(struct log *log, const struct json_line *json)
{
	char path[64], fact[64];

	for (enum jumper_level level = 0; level < JUMPER_LEVELS; level++) {
		const char *name = jumper_level_name(level);

		snprintf(path, sizeof path, "monitor.memory_limits.%s", name);
		snprintf(fact, sizeof fact, JUMPER_LIMIT_GB, name);
		take_number(log, json, path, fact, 0);
	}
	for (enum jumper_threshold t = 0; t < THRESHOLDS; t++) {
		const char *name = jumper_threshold_name(t);

		snprintf(path, sizeof path, "reporter.thresholds.%s", name);
		snprintf(fact, sizeof fact, JUMPER_THRESHOLD, name);
		take_number(log, json, path, fact, 0);
	}
}

static void take_gpus(struct log *log, const struct json_line *json)
{
	char *name = json_text(json_line_find(json, "monitor.gpu_name"));
	double gpus;

	take_number(log, json, "monitor.num_gpus", JUMPER_GPUS, 0);
	gpus = run_fact_number(log->run, JUMPER_GPUS);
	if (gpus > 0) {
		take_number(log, json, "monitor.gpu_memory", JUMPER_GPU_MEMORY_GB, 0);
		run_add_number_fact(log->run, RUN_FACT_GPU_COUNT, gpus);
		run_add_number_fact(log->run, RUN_FACT_GPU_MEMORY,
			1024 * gpus * run_fact_number(log->run, JUMPER_GPU_MEMORY_GB));
	}
	if (name && name[0])
		run_add_fact(log->run, JUMPER_GPU_NAME, span_of(name));
	free(name);
}

/* Of a session that was exported while it ran the end is null. */
static void take_times(struct log *log, const struct json_line *json)
{
	struct span start = json_line_find(json, "monitor.start_time");
	struct span stop = json_line_find(json, "monitor.stop_time");
	struct span wall = json_line_find(json, "monitor.wallclock_start_time");
	struct span interval = json_line_find(json, "monitor.interval");
	int64_t from_ns, to_ns, interval_ns;
	char text[64];

	jumper_keep_offset(log->run, start, wall);
	if (number_scaled(interval, NS_PER_S, &interval_ns) && interval_ns > 0 &&
		interval_ns <= 100000000 * NS_PER_S) {
		if (log->run->interval_ns < 0)
			log->run->interval_ns = interval_ns;
	} else if (interval.len && !span_is(interval, "null")) {
		say_senseless(log, "monitor.interval", "a positive number of seconds");
	}
	if (!number_scaled(start, NS_PER_S, &from_ns) ||
		!number_scaled(stop, NS_PER_S, &to_ns) || to_ns < from_ns || from_ns < 0)
		return;
	snprintf(text, sizeof text, "%lld.%09lld",
		(long long)((to_ns - from_ns) / NS_PER_S),
		(long long)((to_ns - from_ns) % NS_PER_S));
	run_add_fact(log->run, JUMPER_MONITORED_S, span_of(text));
}

/* NAN: it is not known, or this is no session. */
static double session_limit_gb(const struct run *run, enum jumper_level level)
{
	char fact[64];

	snprintf(fact, sizeof fact, JUMPER_LIMIT_GB, jumper_level_name(level));
	return run_fact_number(run, fact);
}

static void take_session(struct log *log, const struct json_line *json)
{
	double cpus, memory;

	take_times(log, json);
	take_number(log, json, "monitor.num_cpus", JUMPER_CPUS, 1);
	take_number(log, json, "monitor.num_system_cpus", JUMPER_SYSTEM_CPUS, 1);
	take_gpus(log, json);
	take_parts(log, json);
	cpus = run_fact_number(log->run, JUMPER_SYSTEM_CPUS);
	memory = session_limit_gb(log->run, JUMPER_SYSTEM);
	if (log->run->mem_total_kib < 0 && memory > 0 && memory < 1e9)
		log->run->mem_total_kib = (int64_t)(memory * 1048576);
	if (log->run->cpu_count < 0 && cpus >= 1 && cpus <= 65536)
		log->run->cpu_count = (int32_t)cpus;
}

static void session_survey(struct log *log)
{
	struct json_line json = {0};
	struct strbuf text = strbuf_new();

	if (json_document(log, &json, &text, "the manifest of the session")) {
		take_session(log, &json);
		log->file->rows++;
	}
	json_line_release(&json);
	strbuf_release(&text);
}

const struct format format_jumper_session = {
	.kind = SOURCE_JUMPER_SESSION, .bid = session_bid, .survey = session_survey};

/* The numbers. */

static const char *const value_key[LEVEL_VALUES] = {
	"cpu_util_avg", "memory", "gpu_util_avg", "gpu_mem_avg"};

/* Rates of processes, of which a recording of JUmPER says nothing certain. */
static const struct {
	enum level_value value;
	const char *key, *title;
	double bytes; /* in one of the metric's unit; 1: it has none */
} rates[] = {
	{LEVEL_IO_READ, "io_read", "I/O Read (MB/s)", 1048576},
	{LEVEL_IO_WRITE, "io_write", "I/O Write (MB/s)", 1048576},
	{LEVEL_IO_READ_COUNT, "io_read_count", "I/O Read (ops/s)", 1},
	{LEVEL_IO_WRITE_COUNT, "io_write_count", "I/O Write (ops/s)", 1},
};

#define RATES (sizeof rates / sizeof rates[0])

struct jumper {
	struct report *report; /* borrowed, as the following */
	const struct levels *levels;
	double cpus, system_cpus; /* that the process may use; of the machine */
	double gpus, gpu_memory_gb;
	const struct compute_window *window; /* NULL: the whole run counts */
};

/* NAN: nothing was sampled. */
struct level_numbers {
	double mean, min, max;
};

static void open_object(const struct jumper *j, const char *key)
{
	item_add(j->report, ITEM_OBJECT, key);
}

static struct item *add(
	const struct jumper *j, enum item_kind kind, const char *key, double x)
{
	struct item *item = item_add(j->report, kind, key);

	item->number = x;
	item->unsaid = isnan(x); /* of the machine; each run lacks some */
	return item;
}

/* As the tool rounds sizes that it asks the machine for. */
static double gb_rounded(double mib)
{
	return isnan(mib) ? mib : round(mib / 1024 * 100) / 100;
}

static double first_gpu_gb(const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	const struct metric_stats *s = gpus->count
		? metric_stats_best(report->stats, report->stats_count, gpus->at[0],
			  METRIC_mem_total_mib)
		: NULL;

	return s && s->n ? gb_rounded(s->max) : (double)NAN;
}

static double memory_limit_gb(const struct jumper *j, enum jumper_level level)
{
	const struct run *run = j->report->run;
	double mib = NAN, own = session_limit_gb(run, level);

	/* a session has those that it knows, and the host's memory from one of them */
	if (!isnan(own) || !isnan(session_limit_gb(run, JUMPER_SYSTEM)))
		return own;
	if (level ==
		JUMPER_SLURM) /* of control groups the lowest, or what was asked for */
		mib = fmin(run_fact_number(run, RUN_FACT_MEMORY_LIMIT),
			run_fact_number(run, RUN_FACT_JOB_MEMORY));
	else if (level == JUMPER_PROCESS)
		mib = run_fact_number(run, RUN_FACT_ADDRESS_SPACE) / 1048576;
	return gb_rounded(
		first_known(mib, j->report->summary[SUMMARY_ram_capacity_mib].number));
}

/* As the tool counts what the process may use; it asks for no quota, nor for a job's. */
static double allowed_cpus(const struct run *run)
{
	const char *list = cpus_allowed(run);

	return list ? (double)cpus_allowed_count(list) : (double)NAN;
}

static struct jumper jumper_of(struct report *report, const struct levels *levels,
	const struct tool_options *options)
{
	const struct run *run = report->run;
	double gpus = (double)report_gpu_count(report);
	double cpus = option_number(options->expected_cores);
	struct jumper j = {.report = report, .levels = levels};

	j.system_cpus = first_known(run_fact_number(run, JUMPER_SYSTEM_CPUS),
		report->summary[SUMMARY_cpu_count].number);
	cpus = first_known(cpus, run_fact_number(run, JUMPER_CPUS));
	j.cpus = first_known(first_known(cpus, allowed_cpus(run)), j.system_cpus);
	j.gpus = first_known(
		run_fact_number(run, JUMPER_GPUS), gpus > 0 ? gpus : (double)NAN);
	j.gpu_memory_gb = first_known(
		run_fact_number(run, JUMPER_GPU_MEMORY_GB), first_gpu_gb(report));
	if (j.gpus <= 0)
		j.gpu_memory_gb = NAN;
	return j;
}

/* By what a sum over CPUs becomes a share of them. */
static double divisor_of(const struct jumper *j, const struct level_sum *sum)
{
	if (sum->metric == METRIC_tree_cpu_pct)
		return j->cpus;
	return sum->metric == METRIC_cpu_util_sum_pct ? j->system_cpus : 1;
}

static struct level_numbers numbers_of(
	const struct jumper *j, enum jumper_level level, enum level_value value)
{
	const struct level_sum *sum = levels_value(j->levels, (int)level, value);
	bool memory = value == LEVEL_MEMORY || value == LEVEL_GPU_MEMORY;
	int128 parts;
	double by;

	if (!sum)
		return (struct level_numbers){NAN, NAN, NAN};
	parts = (int128)sum->scale * (memory ? 1024 : 1);
	by = divisor_of(j, sum);
	return (struct level_numbers){
		number_ratio(sum->sum, parts * (int64_t)sum->n) / by,
		number_ratio(sum->min, parts) / by, number_ratio(sum->max, parts) / by};
}

struct tag {
	const char *name;
	double score;
};

/* At most 1, as the tool counts; unknown: it is not told. */
static double ratio(double measured, double limit)
{
	double share = measured / limit;

	if (isnan(share) || limit <= 0)
		return NAN;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* In the order of their scores, equal ones in that of the table. */
static size_t find_tags(const struct jumper *j, enum jumper_level level, struct tag *tag)
{
	const struct {
		const char *name;
		enum jumper_threshold threshold;
		double score;
	} bounds[] = {
		{"memory-bound", THRESHOLD_MEMORY,
			ratio(numbers_of(j, level, LEVEL_MEMORY).mean,
				memory_limit_gb(j, level))},
		{"cpu-bound", THRESHOLD_CPU,
			ratio(numbers_of(j, level, LEVEL_CPU).mean, 100)},
		{"gpu-util-bound", THRESHOLD_GPU_UTIL,
			ratio(numbers_of(j, level, LEVEL_GPU_UTIL).mean, 100)},
		{"gpu-memory-bound", THRESHOLD_GPU_MEMORY,
			ratio(numbers_of(j, level, LEVEL_GPU_MEMORY).mean,
				j->gpu_memory_gb)},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
		size_t at = count;

		if (!(bounds[i].score >=
			    jumper_threshold(j->report->run, bounds[i].threshold)))
			continue;
		for (; at && tag[at - 1].score < bounds[i].score; at--)
			tag[at] = tag[at - 1];
		tag[at] = (struct tag){bounds[i].name, bounds[i].score};
		count++;
	}
	return count;
}

/* The share of the samples in which GPU memory is held, and nothing done with it; NAN. */
static double unused_share(const struct jumper *j, enum jumper_level level)
{
	const struct level_log *log = levels_held_log(j->levels, (int)level);

	return log ? number_ratio((int128)log->held_idle, (int128)log->rows)
		   : (double)NAN;
}

static void add_tag(const struct jumper *j, const struct tag *tag)
{
	open_object(j, NULL);
	item_text(j->report, "tag", tag->name);
	add(j, ITEM_NUMBER, "score", tag->score);
	item_close(j->report);
}

static void add_tags(const struct jumper *j, enum jumper_level level)
{
	const struct tag unused = {"gpu-allocated-but-not-used", unused_share(j, level)};
	const struct tag normal = {"normal", 0};
	struct tag tag[THRESHOLDS];
	size_t count = find_tags(j, level, tag);
	bool is_unused = unused.score > 0 &&
		unused.score >= jumper_threshold(j->report->run, THRESHOLD_HELD_SHARE);

	item_add(j->report, ITEM_ARRAY, "tags");
	if (is_unused)
		add_tag(j, &unused);
	for (size_t i = 0; i < count; i++)
		add_tag(j, &tag[i]);
	if (!is_unused && !count)
		add_tag(j, &normal);
	item_close(j->report);
}

/* Memory may be, of which it is unknown how much is shared, or what the most was. */
static bool is_sampled(
	const struct jumper *j, enum jumper_level level, enum level_value v)
{
	const struct level_log *tree = &j->levels->log[level][SOURCE_PROCESS_TREE];

	return levels_value(j->levels, (int)level, v) ||
		((v == LEVEL_MEMORY || v == LEVEL_GPU_MEMORY) && tree->of[v].n);
}

static void add_value(const struct jumper *j, enum jumper_level level, enum level_value v)
{
	struct level_numbers n = numbers_of(j, level, v);

	if (!is_sampled(j, level, v))
		return;
	open_object(j, value_key[v]);
	add(j, ITEM_NUMBER, "avg", n.mean)->unsaid = false;
	add(j, ITEM_NUMBER, "min", n.min);
	add(j, ITEM_NUMBER, "max", n.max);
	if (v == LEVEL_MEMORY)
		add(j, ITEM_NUMBER, "total", memory_limit_gb(j, level));
	if (v == LEVEL_GPU_MEMORY)
		add(j, ITEM_NUMBER, "total", j->gpu_memory_gb);
	item_close(j->report);
}

static void add_rates(const struct jumper *j, enum jumper_level level)
{
	for (size_t i = 0; i < RATES; i++) {
		struct level_numbers n = numbers_of(j, level, rates[i].value);

		open_object(j, rates[i].key);
		add(j, ITEM_NUMBER, "avg", n.mean * rates[i].bytes);
		add(j, ITEM_NUMBER, "min", n.min * rates[i].bytes);
		add(j, ITEM_NUMBER, "max", n.max * rates[i].bytes);
		item_close(j->report);
	}
}

static bool has_value(const struct jumper *j, enum jumper_level level)
{
	for (enum level_value v = 0; v < LEVEL_VALUES; v++)
		if (is_sampled(j, level, v))
			return true;
	return false;
}

/* A level whose rows lie in none of the cells has no numbers. */
static void add_level(const struct jumper *j, enum jumper_level level)
{
	const struct level_log *log = levels_log(j->levels, (int)level);

	open_object(j, jumper_level_name(level));
	add(j, ITEM_COUNT, "num_samples", (double)log->rows);
	add(j, ITEM_COUNT, "num_cpus", level == JUMPER_SYSTEM ? j->system_cpus : j->cpus);
	if (has_value(j, level)) {
		add_tags(j, level);
		open_object(j, "metrics");
		for (enum level_value v = 0; v < LEVEL_VALUES; v++)
			add_value(j, level, v);
		add_rates(j, level);
		item_close(j->report);
	}
	item_close(j->report);
}

/* Of the level that was looked at most often: all are, at each measurement. */
static double measurements(const struct jumper *j)
{
	uint64_t most = 0;

	for (int level = 0; level < JUMPER_LEVELS; level++) {
		const struct level_log *log = levels_log(j->levels, level);

		if (log && log->all_rows > most)
			most = log->all_rows;
	}
	return (double)most;
}

/* From one sample to the last one there are fewer intervals than samples. Samples are
 * late by less than that part of an interval. */
#define LATE_PART 0.1

static double expected_in(const struct jumper *j, double interval_s)
{
	double intervals = j->report->duration_s / interval_s;
	int64_t from_ns, to_ns;
	bool to_last =
		j->window->closed && !run_command_span(j->report->run, &from_ns, &to_ns);

	return floor(to_last ? intervals + LATE_PART + 1 : intervals);
}

/* How many there should be, and are not: by the recorded interval. */
static void add_missed(const struct jumper *j)
{
	const struct run *run = j->report->run;
	double interval_s = run->interval_ns > 0
		? number_ratio(run->interval_ns, NS_PER_S)
		: (double)NAN;
	double length_s = run_fact_number(run, JUMPER_MONITORED_S);
	double measured = measurements(j), expected, missed = NAN;
	int64_t from_ns, to_ns;

	if (isnan(length_s) && run_command_span(run, &from_ns, &to_ns))
		length_s = number_ratio((int128)to_ns - from_ns, NS_PER_S);
	expected = j->window ? expected_in(j, interval_s) : floor(length_s / interval_s);
	if (expected >= 0)
		missed = expected > measured ? expected - measured : 0;
	add(j, ITEM_NUMBER, "interval", interval_s);
	add(j, ITEM_COUNT, "n_measurements", measured);
	add(j, ITEM_COUNT, "n_missed_measurements", missed);
	add(j, ITEM_NUMBER, "missed_measurements",
		expected > 0 ? missed / expected : missed);
}

static void add_machine(const struct jumper *j)
{
	const char *name = run_fact(j->report->run, JUMPER_GPU_NAME);
	const struct device_list *gpus = &j->report->run->of_kind[DEVICE_GPU];

	if (!name && gpus->count)
		name = j->report->run->device[gpus->at[0]].model;
	add(j, ITEM_COUNT, "num_cpus", j->cpus);
	add(j, ITEM_COUNT, "num_system_cpus", j->system_cpus);
	add(j, ITEM_COUNT, "num_gpus", j->gpus);
	add(j, ITEM_NUMBER, "gpu_memory", j->gpu_memory_gb);
	if (name)
		item_text(j->report, "gpu_name", name);
	add_missed(j);
}

/* Without a range of cells the report is of the whole run. */
static void add_cells(const struct jumper *j, const struct tool_options *options)
{
	const struct levels *l = j->levels;
	double duration_s =
		l->by_cells ? number_ratio(l->cells_ns, NS_PER_S) : j->report->duration_s;
	double last_end_s = NAN;

	for (size_t i = 0; i < l->cell_count; i++)
		if (l->cell[i].end_ns == INT64_MAX)
			last_end_s = 0;
	if (l->by_cells && !isnan(last_end_s))
		duration_s = NAN; /* one of them never ended */
	add(j, ITEM_NUMBER, "duration", duration_s);
	add(j, ITEM_COUNT, "n_cells", (double)l->cell_count);
	if (l->cell_count) {
		item_add(j->report, ITEM_ARRAY, "cell_range");
		add(j, ITEM_COUNT, NULL, (double)l->cell[0].number);
		add(j, ITEM_COUNT, NULL, (double)l->cell[l->cell_count - 1].number);
		item_close(j->report);
	}
	item_text(j->report, "idle",
		options->no_idle && l->by_cells ? "left out" : "included");
}

static void refuse_cells(const struct jumper *j)
{
	struct strbuf why = strbuf_new();

	if (j->levels->cells)
		strbuf_addf(&why, "--cell: the session has %zu cells, 0 to %zu",
			j->levels->cells, j->levels->cells - 1);
	else
		strbuf_adds(&why, "--cell: the session has no cells");
	object_make(j->report)->refusal = report_keep(j->report, why.text);
	strbuf_release(&why);
}

/* A level that is asked for and not there. */
static void refuse_level(const struct jumper *j, const char *level)
{
	struct strbuf why;

	if (levels_log(j->levels, (int)jumper_level_find(span_of(level))))
		return;
	why = strbuf_new();
	strbuf_addf(&why, "--level %s: the logs have no such level; expected", level);
	for (enum jumper_level other = 0; other < JUMPER_LEVELS; other++)
		if (levels_log(j->levels, (int)other))
			strbuf_addf(&why, " %s", jumper_level_name(other));
	object_make(j->report)->refusal = report_keep(j->report, why.text);
	strbuf_release(&why);
}

static void jumper_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options)
{
	const struct levels *levels = levels_finish(agg);
	struct jumper j = jumper_of(report, levels, options);

	if (levels->missing) {
		refuse_cells(&j);
		return;
	}
	j.window = aggregate_window(agg);
	if (options->level)
		refuse_level(&j, options->level);
	add_cells(&j, options);
	add_machine(&j);
	open_object(&j, "levels");
	for (enum jumper_level level = 0; level < JUMPER_LEVELS; level++)
		if (levels_log(levels, (int)level) &&
			(!options->level ||
				jumper_level_find(span_of(options->level)) == level))
			add_level(&j, level);
	item_close(report);
}

/* The printing: numbers as Python's format prints them. */

#define RULE	   "----------------------------------------\n" /* of 40 */
#define TABLE_RULE "-------------------------" RULE /* of 65 */

static int write_json(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	if (refusal_check(in, err) < 0)
		return -1;
	return item_json_lines(in, "jumper", -1, out, err);
}

/* Among an item and those behind it. */
static double number_at(const struct item *first, const char *key)
{
	const struct item *item = item_find(first, key);

	return item ? item->number : (double)NAN;
}

/* In a column of 8; unknown: a dash, as where the tool has no limit. */
static void print_number(struct strbuf *sb, double x)
{
	char text[64] = "-";

	if (!isnan(x))
		snprintf(text, sizeof text, "%.2f", x);
	strbuf_addf(sb, " %-8s", text);
}

static void print_row(struct strbuf *sb, const char *title, const struct item *metrics,
	const char *key, double unit)
{
	const struct item *metric = item_find(metrics + 1, key);

	if (!metric)
		return;
	strbuf_addf(sb, "%-25s", title);
	print_number(sb, number_at(metric + 1, "avg") / unit);
	print_number(sb, number_at(metric + 1, "min") / unit);
	print_number(sb, number_at(metric + 1, "max") / unit);
	print_number(sb, number_at(metric + 1, "total"));
	strbuf_addc(sb, '\n');
}

/* "CPU Util (Across 8 CPUs)" */
static void title_of(char title[64], const char *what, double count)
{
	if (isnan(count))
		snprintf(title, 64, "%s Util (Across %ss)", what, what);
	else
		snprintf(title, 64, "%s Util (Across %.0f %ss)", what, count, what);
}

/* One that is only normal has none. */
static void print_tags(struct strbuf *sb, const struct item *level)
{
	const struct item *item = item_find(level + 1, "tags") + 1;
	bool any = false;

	for (; item->kind != ITEM_CLOSE; item = item_behind(item)) {
		const char *tag = item_find(item + 1, "tag")->text;

		if (strcmp(tag, "normal") == 0)
			return;
		strbuf_adds(sb, any ? " | " : "Signature(s):\n");
		any = true;
		for (const char *c = tag; *c; c++)
			strbuf_addc(sb, (char)toupper((unsigned char)*c));
	}
	strbuf_adds(sb, "\n" RULE);
}

static void print_level(
	struct strbuf *sb, const struct item *run, const struct item *level)
{
	const struct item *metrics = item_find(level + 1, "metrics");
	double cells = number_at(run, "n_cells"), duration_s = number_at(run, "duration");
	char title[64];

	strbuf_adds(sb, RULE "JUmPER Performance Report\n" RULE);
	if (isnan(duration_s))
		strbuf_adds(sb, "Duration: - ");
	else
		strbuf_addf(sb, "Duration: %.2fs ", duration_s);
	strbuf_addf(sb, "(%.0f cell%s)\n" RULE, cells, cells == 1 ? "" : "s");
	print_tags(sb, level);
	strbuf_addf(sb, "%-25s %-8s %-8s %-8s %-8s\n" TABLE_RULE, "Metric", "AVG", "MIN",
		"MAX", "TOTAL");
	title_of(title, "CPU", number_at(level + 1, "num_cpus"));
	print_row(sb, title, metrics, "cpu_util_avg", 1);
	print_row(sb, "Memory (GB)", metrics, "memory", 1);
	title_of(title, "GPU", number_at(run, "num_gpus"));
	print_row(sb, title, metrics, "gpu_util_avg", 1);
	print_row(sb, "GPU Memory (GB)", metrics, "gpu_mem_avg", 1);
	for (size_t i = 0; i < RATES; i++)
		if (!isnan(number_at(item_find(metrics + 1, rates[i].key) + 1, "avg")))
			print_row(sb, rates[i].title, metrics, rates[i].key,
				rates[i].bytes);
}

/* Of several runs, or levels, which one it is stands before a report. */
static void print_run(struct strbuf *sb, const struct report *report, bool several)
{
	const struct item *run = items_of(report), *levels = item_find(run, "levels");
	const struct item *level = levels ? levels + 1 : NULL;
	double missed = number_at(run, "missed_measurements");
	bool two = level && level->kind != ITEM_CLOSE &&
		item_behind(level)->kind != ITEM_CLOSE;
	bool any = false;

	if (several) {
		strbuf_adds(sb, "Run: ");
		utf8_inert(sb, report->run->path);
		strbuf_addc(sb, '\n');
	}
	for (; level && level->kind != ITEM_CLOSE; level = item_behind(level)) {
		if (!item_find(level + 1, "metrics"))
			continue;
		any = true;
		if (two)
			strbuf_addf(sb, "Level: %s\n", level->key);
		print_level(sb, run, level);
	}
	if (!any)
		strbuf_adds(sb,
			"[JUmPER]: No performance data available or recorded "
			"cells are too short\n");
	if (!isnan(missed))
		strbuf_addf(sb, "[JUmPER]: Missed measurements: (% .2f)\n", missed);
}

static int write_text(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct strbuf sb;

	(void)opt;
	if (refusal_check(in, err) < 0)
		return -1;
	strbuf_init(&sb);
	for (size_t i = 0; i < in->report_count; i++)
		print_run(&sb, &in->report[i], in->report_count > 1);
	return python_print(&sb, "jumper-text", out, err);
}

/* What can be asked. */

static int set_cells(struct tool_options *options, const char *value, struct error *err)
{
	return cell_range_parse(&options->cells, span_of(value), err);
}

static int set_no_idle(struct tool_options *options, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	options->no_idle = true;
	return 0;
}

static int set_level(struct tool_options *options, const char *value, struct error *err)
{
	options->level = value;
	return jumper_level_find(span_of(value)) < JUMPER_LEVELS
		? 0
		: error_set(err, "expected process, user, system or slurm");
}

static const struct tool_option options[] = {
	{"cell", "RANGE", "jumper: only these cells: 5, 2:8, :5, 3:", set_cells, false,
		true},
	{"no-idle", NULL, "jumper: leave out the time between cells", set_no_idle, false,
		true},
	{"level", "NAME", "jumper: only process, user, system or slurm", set_level, false,
		true},
};

static const struct render_format formats[] = {
	{.name = "jumper",
		.help = "JUmPER's levels, their limits and tags, one object per line",
		.write = write_json,
		.tool = &tool_jumper},
	{.name = "jumper-text",
		.help = "JUmPER's own report",
		.write = write_text,
		.tool = &tool_jumper},
};

const struct tool tool_jumper = {.format = formats,
	.format_count = sizeof formats / sizeof formats[0],
	.option = options,
	.option_count = sizeof options / sizeof options[0],
	.pass = {.begin = levels_begin, LEVELS_PASS},
	.report = jumper_report};
