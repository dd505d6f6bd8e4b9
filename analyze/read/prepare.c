/*
 * What must be known of a file before its samples are read, by a look at its first rows:
 * when it begins, and how many GPUs it is about if it has no ids.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "read/census.h"
#include "read/look.h"
#include "read/reading.h"
#include "read/stray_id.h"

/* The rows whose times decide how many GPUs an anonymous log is about. */
#define ANONYMOUS_ROWS 65536

/* ... and which GPUs a log with ids names. */
#define NAMED_ROWS 16384

#define COMMA_ROWS 3 /* that end with a comma: as a rule, and no damage */

/* A file that can't be opened once is left out altogether. */
void reading_lose(struct reading *reading, size_t file, const struct error *why)
{
	struct run *run = reading->run;

	reading->file[file].lost = true;
	diag_add(&run->diags, true, "unreadable", run->file[file].path, 0,
		(struct span){NULL, 0}, "%s", why->message);
}

/* Which of its GPUs are none. */
static void judge_ids(
	struct stray_ids *ids, struct run *run, const struct sample_batch *batch)
{
	uint32_t instead;
	size_t row = 0;

	if (run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	while ((row = stray_ids_take_turns(ids, batch, row)) < batch->rows)
		(void)stray_id(ids, run, NULL, batch, row++, &instead);
	stray_ids_end(ids, batch);
}

/* Reads the beginning of a file into a run of its own, which is thrown away. */
void reading_prepare(struct reading *reading, size_t file)
{
	struct reading_file *own = &reading->file[file];
	const struct format *format = format_get(reading->run->file[file].kind);
	struct look look = LOOK_INIT;
	size_t rows = 0;
	struct run_file scratch = {0};
	struct stray_ids ids = {.known = 0};
	struct sample_source *source;
	struct sample_batch batch;
	struct error err;
	struct run run;
	struct log *log;
	struct stream_key *row_key;

	if (own->prepared)
		return;
	own->prepared = true;
	run_init(&run, "");
	run_set_string(&run.query, reading->run->query);
	log = reading_open(reading, file, &run, &scratch, &run.diags, &err);
	if (!log) {
		reading_lose(reading, file, &err);
		run_release(&run);
		return;
	}
	sample_batch_init(&batch);
	log->asks = true;
	log->row_key = xcalloc(SAMPLE_BATCH_ROWS, sizeof *log->row_key);
	row_key = log->row_key;
	for (size_t i = 0; i < SAMPLE_BATCH_ROWS; i++)
		row_key[i].named = true; /* as those of all kinds but queries are */
	source = clock_steps_filter(format->open(log), log);
	while (rows < (log->anonymous ? ANONYMOUS_ROWS : NAMED_ROWS) &&
		sample_source_next(source, &batch, &err) > 0) {
		if (log->anonymous || !rows)
			look_at_batch(&look, &batch, row_key, &own->streams);
		if (reading->census)
			judge_ids(&ids, &run, &batch);
		rows += batch.rows;
		if (!log->anonymous && !reading->census)
			break;
	}
	own->first_ns = look.first_ns;
	own->clocked = log->clocked;
	own->commas_behind = log->rows_and_comma >= COMMA_ROWS &&
		log->rows_and_comma > log->rows_as_named;
	look.exact = log->exact;
	if (log->anonymous)
		look_tell_gpus(&look, own, &run);
	if (reading->census)
		census_add(reading->census, &run, streams_largest(&own->streams) == 1);
	stray_ids_release(&ids);
	sample_source_free(source);
	sample_batch_release(&batch);
	run_release(&run);
	look_release(&look);
	free(row_key);
}

static bool comes_before(const struct reading *reading, size_t a, size_t b)
{
	int64_t x = reading->file[a].first_ns, y = reading->file[b].first_ns;

	if ((x == TIME_NONE) != (y == TIME_NONE))
		return y == TIME_NONE;
	return x != y ? x < y : a < b;
}

size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		size_t at = count;

		if (reading->run->file[i].kind != kind)
			continue;
		reading_prepare(reading, i);
		for (; at > 0 && comes_before(reading, i, file[at - 1]); at--)
			file[at] = file[at - 1];
		file[at] = i;
		count++;
	}
	return count;
}
