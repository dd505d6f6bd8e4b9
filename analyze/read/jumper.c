/*
 * Performance data that JUmPER exported, as CSV or as a list of JSON objects: a row is
 * one measurement of one level, which only the file's name tells (perf_user.csv). Its
 * times are those of a clock that counts from an unknown moment; its GB are 2^30 bytes.
 * Of each single GPU only the system's rows tell all that it does. Read and written bytes
 * are not read: older versions print totals by the step, later ones rates, under the same
 * name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/format.h"
#include "read/identity.h"
#include "read/jumper_rows.h"

#define GPUS_MAX 256 /* in a row; further ones are not used */
#define GB	 1073741824LL

static const char *const needed[] = {"time", "memory", "cpu_util_avg", NULL};

struct jumper_column {
	struct column column;
	int32_t gpu; /* that it is of; -1: of the level */
};

struct jumper_source {
	struct sample_source source;
	struct log *log;
	struct jumper_rows rows;
	enum jumper_level level;
	struct jumper_column *column; /* [column_count]; 0: no header yet */
	size_t column_count, column_cap;
	size_t time_at;
	bool header_pending, bound, begun;
	uint32_t device; /* the level's, */
	uint32_t gpu[GPUS_MAX]; /* ... and those of the GPUs that have columns */
	bool has_gpu[GPUS_MAX];
};

static int bid(const struct probe *probe)
{
	return jumper_probe_has(probe, needed) ? 62 : 0;
}

static bool is_header(const struct jumper_rows *rows)
{
	for (const char *const *name = needed; *name; name++)
		if (records_find(rows->cell, rows->count, *name) == SIZE_MAX)
			return false;
	return true;
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
	log_note(log, false, "no-level", (struct span){NULL, 0},
		"the name of the file does not say which level it is of; taken for "
		"process, which JUmPER exports if nothing else is asked for");
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
	struct jumper_column *c = &s->column[at];
	struct column *column = &c->column;
	struct strbuf general;

	*c = (struct jumper_column){.column.role = ROLE_IGNORED, .gpu = -1};
	column->binding = binding_find(SOURCE_JUMPER, name);
	strbuf_init(&general);
	if (cut_gpu(name, &general, &c->gpu))
		column->binding = s->level == JUMPER_SYSTEM
			? binding_find(
				  SOURCE_JUMPER, (struct span){general.text, general.len})
			: NULL;
	strbuf_release(&general);
	for (size_t i = 0; column->binding && i < at; i++)
		if (s->column[i].column.binding == column->binding &&
			s->column[i].gpu == c->gpu)
			column->binding = NULL; /* the first one counts */
	if (at == s->time_at) {
		column->role = ROLE_TIME;
	} else if (column->binding) {
		const struct metric *metric = metric_get(column->binding->metric);

		column->role = ROLE_METRIC;
		column->kind = metric->kind;
		column->name = column->binding->name;
		column->bare = is_memory(name) ? GB : metric->per_unit;
	} else if (is_known(name)) {
		column->role = ROLE_KNOWN;
	} else {
		log_note(s->log, false, "unknown-column", name, "column '%s' is not used",
			log_quote(name).text);
	}
}

static void name_columns(struct jumper_source *s)
{
	const struct jumper_rows *r = &s->rows;

	s->time_at = records_find(r->cell, r->count, "time");
	ALLOC_GROW(s->column, r->count, s->column_cap);
	s->column_count = r->count;
	for (size_t i = 0; i < r->count; i++)
		add_column(s, i, r->cell[i]);
	memset(s->has_gpu, 0, sizeof s->has_gpu);
	for (size_t i = 0; i < r->count; i++)
		if (s->column[i].column.role == ROLE_METRIC && s->column[i].gpu >= 0)
			s->has_gpu[s->column[i].gpu] = true;
	s->header_pending = true;
	s->bound = false;
}

static void bind_batch(struct jumper_source *s, struct sample_batch *batch)
{
	for (size_t i = 0; i < s->column_count; i++)
		if (s->column[i].column.role == ROLE_METRIC)
			s->column[i].column.batch_column = sample_batch_column(
				batch, s->column[i].column.binding->metric);
	s->bound = true;
}

/* The devices are added with the first row, or known from another log. */
static void name_devices(struct jumper_source *s)
{
	const char *model = run_fact(s->log->run, JUMPER_FACT_GPU_NAME);

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

static void put_device(struct jumper_source *s, struct sample_batch *batch, int64_t t_ns,
	uint32_t device, int32_t gpu)
{
	size_t row = sample_batch_add(batch, t_ns, device);

	batch->line[row] = log_line_number(s->log);
	batch->header[row] = s->header_pending;
	s->header_pending = false;
	for (size_t c = 0; c < s->column_count; c++)
		if (s->column[c].column.role == ROLE_METRIC && s->column[c].gpu == gpu)
			columns_put_cell(&s->column[c].column, s->log, batch, row,
				s->rows.cell[c]);
}

static void take_row(struct jumper_source *s, struct sample_batch *batch)
{
	struct span cell;
	int64_t t_ns;

	if (!jumper_rows_fits(&s->rows, s->column_count))
		return;
	cell = s->rows.cell[s->time_at];
	if (!jumper_time(s->log, cell, &t_ns)) {
		log_refuse(s->log, "bad-time",
			"'%s' is no time; expected seconds of JUmPER's clock",
			log_quote(cell).text);
		return;
	}
	if (!s->begun)
		jumper_say_clock(s->log);
	s->begun = true;
	batch->timed = true;
	if (!s->bound)
		bind_batch(s, batch);
	name_devices(s);
	put_device(s, batch, t_ns, s->device, -1);
	for (int32_t gpu = 0; gpu < GPUS_MAX; gpu++)
		if (s->has_gpu[gpu] && s->gpu[gpu] != IDENTITY_NONE)
			put_device(s, batch, t_ns, s->gpu[gpu], gpu);
	s->log->file->rows++;
}

static int jumper_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct jumper_source *s = (struct jumper_source *)source;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_JUMPER;
	batch->snapshots = true;
	s->bound = false;
	while (batch->rows + 1 + GPUS_MAX <= SAMPLE_BATCH_ROWS &&
		jumper_rows_next(&s->rows)) {
		if (!s->rows.lost && is_header(&s->rows))
			name_columns(s);
		else if (s->rows.names)
			s->column_count = 0; /* damaged: nobody knows what is what */
		else
			take_row(s, batch);
	}
	return batch->rows > 0;
}

static void jumper_free(struct sample_source *source)
{
	struct jumper_source *s = (struct jumper_source *)source;

	jumper_rows_close(&s->rows);
	free(s->column);
	log_free(s->log);
	free(s);
}

static struct sample_source *jumper_open(struct log *log)
{
	struct jumper_source *s = xcalloc(1, sizeof *s);

	s->source = (struct sample_source){jumper_next, jumper_free};
	s->log = log;
	s->level = level_of(log);
	jumper_rows_open(&s->rows, log);
	return &s->source;
}

const struct format format_jumper = {
	.kind = SOURCE_JUMPER, .bid = bid, .open = jumper_open};
