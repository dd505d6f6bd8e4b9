/*
 * nvidia-smi pmon: a row is a process on a GPU at an instant; the command is the rest of
 * the line. A GPU on which nothing runs has a row of dashes: it says that somebody
 * looked.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/dmon_rows.h"
#include "read/identity.h"

/* nvidia-smi cuts a command off after fifteen letters. */
#define COMMAND_WORDS_MAX 8

struct pmon_source {
	struct sample_source source;
	struct dmon_rows rows;
	struct known_processes known;
};

static enum claim claims(struct span line)
{
	return dmon_is_header(SOURCE_NVIDIA_PMON, line) ? CLAIM_ON : CLAIM_NONE;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (claims(probe->line[i]))
			return 60;
	return 0;
}

/* "C", "C+G" */
static bool is_type(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] != '+' &&
			((word.at[i] | 0x20) < 'a' || (word.at[i] | 0x20) > 'z'))
			return false;
	return true;
}

/* Could the word stand in that column? None does: a dash is written there. */
static bool fits(const struct column *column, struct span word)
{
	int64_t value;

	if (column->role != ROLE_PID && column->role != ROLE_METRIC)
		return true;
	if (span_is(word, "-"))
		return true;
	if (column->role == ROLE_METRIC && column->kind == KIND_STATE)
		return is_type(word);
	return number_scaled(word, 1, &value);
}

/*
 * All but the first word of a row stand somewhere in a command: a lost end of line glued
 * it there.
 */
static bool has_row(const struct dmon_rows *rows, struct span command)
{
	const struct columns *columns = &rows->columns;
	struct span word;

	for (int from = 0;
		from < COMMAND_WORDS_MAX && dmon_word(&command, rows->commas, &word);
		from++) {
		struct span rest = command;
		size_t i = 1;

		while (i + 1 < columns->count && dmon_word(&rest, rows->commas, &word) &&
			fits(&columns->at[i], word))
			i++;
		if (i + 1 == columns->count)
			return true;
	}
	return false;
}

/*
 * The command takes the rest of the line, so the number of words does not tell whether
 * each stands where it should. False: refused.
 */
static bool accept_words(struct dmon_rows *rows)
{
	const struct column *column = rows->columns.at;
	size_t cells = rows->words;

	cells -= !rows->word[cells - 1].len; /* a process without a name */
	if (rows->commas && !columns_parted_alike(rows->word, cells, 0, 0)) {
		log_refuse(rows->log, "field-count",
			"a comma without the blank that stands behind the others");
		return false;
	}
	for (size_t i = 0; i < rows->columns.count; i++) {
		struct span word = rows->word[i];
		bool command = column[i].role == ROLE_COMMAND;

		if (command ? !has_row(rows, word) : fits(&column[i], word))
			continue;
		log_refuse(rows->log, "field-count",
			command ? "another row stands in the command '%s'"
				: "'%s' does not fit the column where it stands",
			log_quote(word).text);
		return false;
	}
	return true;
}

/* A type with a C computes, whatever else it does. */
static enum process_context context_of(struct span type)
{
	bool draws = false;

	for (size_t i = 0; i < type.len; i++) {
		if ((type.at[i] | 0x20) == 'c')
			return CONTEXT_COMPUTES;
		draws |= (type.at[i] | 0x20) == 'g';
	}
	return draws ? CONTEXT_DRAWS : CONTEXT_COMPUTES;
}

/* Pid, type and command; false: the pid is none. */
static bool read_process(struct dmon_rows *rows, struct process_id *id)
{
	for (size_t i = 0; i < rows->columns.count; i++) {
		struct span word = rows->word[i];
		uint64_t pid;

		if (rows->columns.at[i].role == ROLE_METRIC &&
			rows->columns.at[i].kind == KIND_STATE)
			id->context = context_of(word);
		if (rows->columns.at[i].role == ROLE_COMMAND && !cell_is_missing(word))
			id->command = word;
		if (rows->columns.at[i].role != ROLE_PID || cell_is_missing(word))
			continue;
		if (!number_unsigned(word, &pid) || pid > INT32_MAX) {
			log_refuse(rows->log, "bad-id", "'%s' is no pid",
				log_quote(word).text);
			return false;
		}
		id->pid = (int32_t)pid;
	}
	return true;
}

static void add_row(struct pmon_source *pmon, struct sample_batch *batch)
{
	struct dmon_rows *rows = &pmon->rows;
	struct log *log = rows->log;
	struct gpu_id gpu = {.place = -1, .host = rows->log->line_host};
	struct process_id id = {.pid = -1, .context = CONTEXT_ANY};
	int64_t wall_ns;
	uint32_t device;

	if (!dmon_ids(rows, &wall_ns, &gpu.index) || !read_process(rows, &id) ||
		!accept_words(rows))
		return;
	if (!columns_have(&rows->columns, ROLE_PID)) {
		log_refuse(
			log, "no-id", "the row does not say which process it is about");
		return;
	}
	if (!columns_accept_row(&rows->columns, log))
		return;
	device = id.gpu = identity_gpu(log->run, &gpu);
	if (id.gpu != IDENTITY_NONE && id.pid >= 0)
		device = identity_process(&pmon->known, log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(log, "too-many",
			"one GPU more than %d, or one process more than %d",
			IDENTITY_GPUS_MAX, IDENTITY_PROCESSES_MAX);
		return;
	}
	dmon_put(rows, batch, wall_ns, device);
	if (id.pid < 0)
		sample_batch_blank(batch, batch->rows - 1);
}

static int pmon_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct pmon_source *pmon = (struct pmon_source *)source;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_NVIDIA_PMON;
	pmon->rows.columns.bound = false;
	while (!sample_batch_full(batch) && dmon_next_row(&pmon->rows))
		add_row(pmon, batch);
	return batch->rows > 0;
}

static void pmon_free(struct sample_source *source)
{
	struct pmon_source *pmon = (struct pmon_source *)source;

	known_processes_release(&pmon->known);
	dmon_release(&pmon->rows);
	free(pmon);
}

static struct sample_source *pmon_open(struct log *log)
{
	struct pmon_source *pmon = xcalloc(1, sizeof *pmon);

	pmon->source = (struct sample_source){pmon_next, pmon_free};
	dmon_init(&pmon->rows, log, SOURCE_NVIDIA_PMON);
	return &pmon->source;
}

const struct format format_nvidia_pmon = {
	.kind = SOURCE_NVIDIA_PMON, .bid = bid, .claims = claims, .open = pmon_open};
