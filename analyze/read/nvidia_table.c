/*
 * The table that nvidia-smi prints for people, once or again and again: two lines a GPU,
 *
 *   |   0  NVIDIA L40S          On  |   00000000:4A:00.0 Off |         0 |
 *   | N/A   53C    P0   305W / 350W |   11948MiB / 46068MiB |     93%   Default |
 *
 * below a line with the time, and a line a process. All drivers since 2011 print it so,
 * but for blanks.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cells.h"
#include "read/formats.h"
#include "read/gpu_loss.h"
#include "read/identity.h"
#include "read/log.h"

#define PANES	   3
#define PANE_WORDS 16

struct table_word {
	struct span text;
	uint32_t cell; /* among the words of the line, from 1, as awk counts */
};

struct table_pane {
	struct table_word word[PANE_WORDS];
	size_t words;
};

enum table_part {
	PART_NONE, /* between two tables */
	PART_GPUS,
	PART_PROCESSES,
	PART_OTHER /* MIG devices */
};

struct table_source {
	struct log *log;
	struct marker marker; /* times of the tables */
	enum table_part part;
	bool header_pending;
	struct table_pane pane[PANES];
	bool named; /* the first line of a GPU was read, whose second comes: */
	uint32_t device;
	/* GPUs of the table, by index */
	uint32_t *gpu; /* [gpu_count] device + 1; 0: not in the table; owned */
	size_t gpu_count, gpu_cap;
	struct known_processes processes;
};

/* The words between the bars, which may touch a word ("Off|"); how many panes. */
static size_t split(struct table_pane *pane, struct span line)
{
	size_t panes = 0;
	uint32_t cell = 0;
	struct span word;

	for (size_t i = 0; i < PANES; i++)
		pane[i].words = 0;
	while ((word = span_word(&line)).len) {
		bool bar = word.at[word.len - 1] == '|';

		cell++;
		word.len -= bar;
		if (word.len && panes && panes <= PANES &&
			pane[panes - 1].words < PANE_WORDS)
			pane[panes - 1].word[pane[panes - 1].words++] =
				(struct table_word){word, cell};
		panes += bar;
	}
	return panes ? panes - 1 : 0;
}

static bool is_table(struct span line)
{
	return span_begins(line, "| NVIDIA-SMI ");
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (is_table(probe->line[i]))
			return SURE_BITS;
	return 0;
}

static enum claim claims(struct span line)
{
	return span_begins(line, "|") || span_begins(line, "+-") ||
			span_begins(line, "|=")
		? is_table(line) ? CLAIM_ON : CLAIM_LINE
		: CLAIM_NONE;
}

/* "0  NVIDIA L40S  On": index and name of a GPU, whose bus id is in the next pane. */
static bool read_gpu(struct table_source *t, struct gpu_id *id)
{
	const struct table_pane *name = &t->pane[0], *bus = &t->pane[1];

	*id = (struct gpu_id){.index = -1, .place = -1, .host = t->log->line_host};
	if (name->words < 3 || !bus->words ||
		!memchr(bus->word[0].text.at, ':', bus->word[0].text.len) ||
		!cell_read_index(name->word[0].text, &id->index))
		return false;
	id->bus_id = bus->word[0].text;
	/* all words but the last one, which is about persistence */
	id->model.at = name->word[1].text.at;
	id->model.len = (size_t)(name->word[name->words - 2].text.at - id->model.at) +
		name->word[name->words - 2].text.len;
	return true;
}

/* "NVIDIA GeForce RTX 208..." without what drivers write or not. */
static struct span short_model(struct span model)
{
	if (span_begins(model, "NVIDIA "))
		model.at += 7, model.len -= 7;
	while (model.len && strchr(". ", model.at[model.len - 1]))
		model.len--;
	return model;
}

/* Tables of several hosts in one file: the GPU has another model than before. */
static bool is_of_other_host(const struct table_source *t, struct span model)
{
	const char *known = t->log->run->device[t->device].model;
	struct span was = short_model(span_of(known ? known : "")),
		    is = short_model(model);

	return strncasecmp(was.at, is.at, was.len < is.len ? was.len : is.len) != 0;
}

static bool take_gpu(struct table_source *t)
{
	struct gpu_id id;

	if (!read_gpu(t, &id))
		return false;
	t->device = identity_gpu(t->log->run, &id);
	t->named = t->device != IDENTITY_NONE;
	if (!t->named) {
		log_refuse(t->log, "too-many", "more than %d GPUs in a run (row skipped)",
			IDENTITY_GPUS_MAX);
		return true;
	}
	if (is_of_other_host(t, id.model)) {
		log_refuse(t->log, "stray-id",
			"%s is another model than before, '%s': tables of several hosts "
			"need a file each (GPU skipped)",
			t->log->run->device[t->device].name, log_quote(id.model).text);
		t->named = false;
		return true;
	}
	while (t->gpu_count <= (size_t)id.index) {
		ALLOC_NEXT(t->gpu, t->gpu_count, t->gpu_cap) = 0;
	}
	t->gpu[id.index] = t->device + 1;
	return true;
}

static size_t begin_row(
	struct table_source *t, struct sample_batch *batch, uint32_t device)
{
	size_t row = sample_batch_add(batch, t->marker.seen ? t->marker.t_ns : 0, device);

	batch->timed = t->marker.seen;
	batch->header[row] = t->header_pending;
	batch->line[row] = input_line_number(t->log->in);
	t->header_pending = false;
	t->log->file->rows++;
	return row;
}

/* A word as the value of a metric; what has none says why. */
static void put_word(struct table_source *t, struct sample_batch *batch, size_t row,
	const struct table_word *word, enum metric_id metric, enum unit unit)
{
	int64_t per_unit = metric_get(metric)->per_unit, value;
	size_t column = sample_batch_column(batch, metric);
	struct sample_column *to = &batch->column[column];

	sample_column_move(to, (struct sample_place){row, 0, word->cell});
	if (unit == UNIT_NONE && cell_is_state(word->text)) {
		sample_batch_put(batch, row, column,
			texts_number(&t->log->run->texts, word->text));
		return;
	}
	switch (cell_read(word->text, unit, per_unit, per_unit, &value)) {
	case CELL_VALUE:
		sample_batch_put(batch, row, column, value);
		return;
	case CELL_UNREADABLE:
		log_note(t->log, true, "bad-value", span_of(metric_get(metric)->name),
			"invalid value '%s' for %s (counted as not available)",
			log_quote(word->text).text, metric_get(metric)->name);
		break;
	case CELL_MISSING:
		if (span_is_nocase(word->text, "err!"))
			log_note(t->log, true, "gpu-error", word->text,
				"nvidia-smi printed '%s' (counted as not available)",
				log_quote(word->text).text);
		break;
	}
	to->presence[row] = PRESENCE_MISSING;
	to->value[row] = texts_number(&t->log->run->texts, word->text);
}

/* "305W / 350W": two words around a slash. False: no such pair stands there. */
static bool put_pair(struct table_source *t, struct sample_batch *batch, size_t row,
	const struct table_word *word, size_t words, enum metric_id used,
	enum metric_id total, enum unit unit)
{
	if (words < 3 || !span_is(word[1].text, "/"))
		return false;
	put_word(t, batch, row, &word[0], used, unit);
	put_word(t, batch, row, &word[2], total, unit);
	return true;
}

/* The second line of a GPU. False: it is no such line. */
static bool put_gpu(struct table_source *t, struct sample_batch *batch)
{
	const struct table_pane *left = &t->pane[0], *memory = &t->pane[1],
				*right = &t->pane[2];
	size_t row;

	/* "Not Supported": a GPU with the host's memory */
	if (left->words < 3 || memory->words < 2 || !right->words ||
		(!span_is(memory->word[1].text, "/") &&
			!span_is(memory->word[1].text, "Supported")))
		return false;
	row = begin_row(t, batch, t->device);
	put_word(t, batch, row, &left->word[0], METRIC_fan_pct, UNIT_PERCENT);
	put_word(t, batch, row, &left->word[1], METRIC_temperature_c, UNIT_CELSIUS);
	put_word(t, batch, row, &left->word[2], METRIC_pstate, UNIT_NONE);
	put_pair(t, batch, row, left->word + 3, left->words - 3, METRIC_power_w,
		METRIC_power_limit_w, UNIT_WATT);
	put_pair(t, batch, row, memory->word, memory->words, METRIC_mem_used_mib,
		METRIC_mem_total_mib, UNIT_MIB);
	put_word(t, batch, row, &right->word[0], METRIC_gpu_util_pct, UNIT_PERCENT);
	return true;
}

/* "G", "C+G": what a process does on the GPU; "M+C" is one of MPS. */
static bool is_type(struct span word)
{
	return span_is(word, "C") || span_is(word, "G") || span_is(word, "C+G") ||
		span_is(word, "M+C");
}

/* "0   N/A  N/A   3794277   C   python   11942MiB"; false: no process. */
static bool put_process(struct table_source *t, struct sample_batch *batch)
{
	const struct table_pane *pane = &t->pane[0];
	const struct table_word *word = pane->word;
	struct process_id id = {.gpu = IDENTITY_NONE};
	uint64_t gpu;
	int64_t pid;
	uint32_t device;
	size_t type = 2;

	while (type < pane->words && !is_type(word[type].text))
		type++;
	if (type + 2 >= pane->words || !number_unsigned(word[0].text, &gpu) ||
		gpu >= t->gpu_count || !t->gpu[gpu] ||
		!number_up_to(word[type - 1].text, INT32_MAX, &pid))
		return false;
	id.gpu = t->gpu[gpu] - 1;
	id.pid = (int32_t)pid;
	id.context = span_is(word[type].text, "G") ? CONTEXT_DRAWS : CONTEXT_COMPUTES;
	id.command.at = word[type + 1].text.at;
	id.command.len = (size_t)(word[pane->words - 2].text.at - id.command.at) +
		word[pane->words - 2].text.len;
	device = identity_process(&t->processes, t->log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(t->log, "too-many",
			"more than %d processes in a run (row skipped)",
			IDENTITY_PROCESSES_MAX);
		return true;
	}
	put_word(t, batch, begin_row(t, batch, device), &word[pane->words - 1],
		METRIC_process_gpu_mem_mib, UNIT_MIB);
	return true;
}

static void begin_table(struct table_source *t)
{
	t->part = PART_GPUS;
	t->header_pending = true;
	t->gpu_count = 0;
}

static void take_bars(
	struct table_source *t, struct sample_batch *batch, struct span line)
{
	size_t panes;

	if (is_table(line)) {
		begin_table(t);
		return;
	}
	if (span_begins(line, "| Processes:") ||
		span_begins(line, "| Compute processes:"))
		t->part = PART_PROCESSES;
	else if (span_begins(line, "| MIG devices:"))
		t->part = PART_OTHER;
	panes = split(t->pane, line);
	if (t->named) {
		t->named = false;
		if (panes == PANES && put_gpu(t, batch))
			return;
		log_refuse(t->log, "field-count",
			"expected the second line of a GPU, found '%s' (GPU skipped)",
			log_quote(line).text);
	} else if (t->part == PART_GPUS && panes == PANES) {
		take_gpu(t);
	} else if (t->part == PART_PROCESSES && panes == 1) {
		put_process(t, batch);
	}
}

/* The file ends between the two lines of a GPU. */
static void end_table(struct table_source *t)
{
	if (t->named)
		log_refuse(t->log, "torn-line",
			"file ends between the two lines of a GPU (row skipped)");
	t->named = false;
}

static void take_line(
	struct table_source *t, struct sample_batch *batch, struct span line)
{
	if (input_line_torn(t->log->in) && !span_begins(line, "+")) {
		log_refuse(t->log, "torn-line", "file ends inside a line (row skipped)");
		t->named = false;
		return;
	}
	if (span_begins(line, "|")) {
		take_bars(t, batch, line);
		return;
	}
	if (marker_read_clock(&t->marker, t->log, batch, line)) {
		t->part = PART_NONE;
		return;
	}
	if (gpu_loss_is_said(line))
		log_hear(t->log, line);
}

static void table_fill(void *state, struct sample_batch *batch)
{
	struct table_source *t = state;
	struct span line;

	while (!sample_batch_full(batch)) {
		if (!log_line(t->log, &line)) {
			end_table(t);
			break;
		}
		take_line(t, batch, line);
	}
	t->marker.delivered |= batch->rows > 0;
}

static void table_end(void *state)
{
	struct table_source *t = state;

	known_processes_release(&t->processes);
	clocks_end(&t->marker.clocks, t->log->run);
	free(t->gpu);
}

const struct format format_nvidia_table = {.kind = SOURCE_NVIDIA_TABLE,
	.bid = bid,
	.claims = claims,
	.around = true,
	.state_size = sizeof(struct table_source),
	.fill = table_fill,
	.end = table_end};
