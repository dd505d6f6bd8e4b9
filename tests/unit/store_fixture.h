/*
 * Runs and samples for the tests of the store: made at random, put in, and compared with
 * what comes out. Include it behind cmocka.h.
 */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store_room.h"

static inline uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline uint64_t below(uint64_t *seed, uint64_t end)
{
	return next_random(seed) % end;
}

/* One row of a log, with all metrics. */
struct sample {
	int64_t t_ns;
	int32_t segment;
	uint32_t ordinal, device;
	uint8_t header;
	uint8_t presence[METRIC_COUNT];
	int64_t value[METRIC_COUNT];
};

struct samples {
	enum source_kind source;
	bool untimed;
	struct sample *at;
	size_t count, cap;
};

static inline int sample_order(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	if (a->ordinal != b->ordinal)
		return a->ordinal < b->ordinal ? -1 : 1;
	return a->device < b->device ? -1 : 1;
}

/* The words that states of random samples stand for, numbered from 1. */
#define WORDS 40

static inline void add_words(struct texts *texts)
{
	for (uint32_t i = 1; i <= WORDS; i++) {
		char word[16];

		snprintf(word, sizeof word, "word %u", (unsigned)i);
		assert_int_equal(texts_number(texts, span_of(word)), i);
	}
}

static inline int64_t random_value(uint64_t *seed, int64_t per_unit)
{
	switch (below(seed, 6)) {
	case 0:
		return 0;
	case 1:
		return (int64_t)below(seed, 100) * per_unit;
	case 2:
		return (int64_t)below(seed, 100000) * per_unit / 100;
	case 3:
		return -(int64_t)below(seed, 1000000);
	case 4:
		return (int64_t)next_random(seed);
	default:
		return below(seed, 2) ? INT64_MAX - (int64_t)below(seed, 3)
				      : INT64_MIN + (int64_t)below(seed, 3);
	}
}

/* Rows of some devices that take turns, with steps back, equal times and headers. */
static inline struct samples random_samples(
	enum source_kind source, uint32_t devices, size_t rows, uint64_t *seed)
{
	struct samples list = {.source = source};
	struct sample state[8] = {0};
	bool in_layout[METRIC_COUNT] = {false};

	assert_true(devices <= 8);
	for (uint32_t d = 0; d < devices; d++)
		state[d].t_ns = INT64_C(1700000000000000000) + (int64_t)d;
	for (size_t row = 0; row < rows; row++) {
		uint32_t device = (uint32_t)below(seed, devices);
		struct sample *s = &state[device];
		int64_t step = below(seed, 4) ? (int64_t)below(seed, 2000000000) : 0;

		s->header = row == 0 || below(seed, 50) == 0;
		s->ordinal = step ? 0 : s->ordinal + 1;
		s->t_ns += step;
		if (below(seed, 100) == 0) {
			s->segment++;
			s->ordinal = 0;
			s->t_ns -= INT64_C(100000000000) * (int64_t)below(seed, 3);
		}
		s->device = device;
		for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
			const struct metric *metric = metric_get(id);

			if (source_table_rank(source, metric->table) == SOURCE_TABLES)
				continue;
			if (s->header)
				in_layout[id] = below(seed, 3) > 0;
			s->presence[id] = !in_layout[id] ? PRESENCE_ABSENT
				: below(seed, 5)	 ? PRESENCE_VALUE
							 : PRESENCE_MISSING;
			s->value[id] = metric_is_text(id)
				? 1 + (int64_t)below(seed, WORDS)
				: random_value(seed, metric->per_unit);
		}
		ALLOC_GROW(list.at, list.count + 1, list.cap);
		list.at[list.count++] = *s;
	}
	return list;
}

static inline void add_samples(
	struct room *room, struct store *store, const struct samples *list, size_t size)
{
	struct sample_batch batch;

	sample_batch_init(&batch);
	batch.source = list->source;
	for (size_t i = 0; i < list->count; i++) {
		const struct sample *s = &list->at[i];
		size_t row = sample_batch_add(&batch, s->t_ns, s->device);

		batch.timed = !list->untimed;

		batch.segment[row] = s->segment;
		batch.ordinal[row] = s->ordinal;
		batch.header[row] = s->header;
		for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
			size_t c;

			if (s->presence[id] == PRESENCE_ABSENT)
				continue;
			c = sample_batch_column(&batch, id);
			batch.column[c].presence[row] = s->presence[id];
			batch.column[c].value[row] = s->value[id];
		}
		if (batch.rows < size && i + 1 < list->count)
			continue;
		if (store_add(store, &batch, &room->err) < 0)
			fail_msg("%s", room->err.message);
		sample_batch_clear(&batch);
	}
	sample_batch_release(&batch);
}

static inline void check_row(
	const struct sample *want, const struct sample_batch *batch, size_t row)
{
	uint8_t presence[METRIC_COUNT] = {0};

	assert_int_equal(batch->t_ns[row], want->t_ns);
	assert_int_equal(batch->segment[row], want->segment);
	assert_int_equal(batch->ordinal[row], want->ordinal);
	assert_int_equal(batch->device[row], want->device);
	assert_int_equal(batch->header[row], want->header);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		presence[column->metric] = column->presence[row];
		if (column->presence[row] == PRESENCE_VALUE)
			assert_int_equal(column->value[row], want->value[column->metric]);
	}
	assert_memory_equal(presence, want->presence, sizeof presence);
}

/* The samples that the store gives are these, in its order. */
static inline void check_samples(struct room *room, struct store *store, const char *key,
	const struct samples *list)
{
	struct samples sorted = *list;
	struct texts texts = {0};
	struct sample_source *src;
	struct sample_batch batch;
	size_t seen = 0;
	int rc;

	sorted.at = xmalloc((list->count + 1) * sizeof *sorted.at);
	if (list->count)
		memcpy(sorted.at, list->at, list->count * sizeof *sorted.at);
	qsort(sorted.at, sorted.count, sizeof *sorted.at, sample_order);
	add_words(&texts);
	src = store_samples(store, key, list->source, &texts, &room->err);
	assert_non_null(src);
	sample_batch_init(&batch);
	while ((rc = sample_source_next(src, &batch, &room->err)) > 0) {
		assert_int_equal(batch.source, list->source);
		assert_int_equal(batch.timed, !list->untimed);
		for (size_t row = 0; row < batch.rows; row++) {
			assert_true(seen < sorted.count);
			check_row(&sorted.at[seen++], &batch, row);
		}
	}
	if (rc)
		fail_msg("%s", room->err.message);
	assert_int_equal(seen, sorted.count);
	assert_int_equal(sample_source_next(src, &batch, &room->err), 0);
	sample_batch_release(&batch);
	sample_source_free(src);
	texts_release(&texts);
	free(sorted.at);
}

static inline struct run make_run(const char *key, uint32_t gpus)
{
	struct run run;

	run_init(&run, "runs/a");
	run_set_string(&run.key, key);
	run.is_directory = true;
	snprintf(run.time_zone, sizeof run.time_zone, "UTC");
	snprintf(run.time_source, sizeof run.time_source, "default");
	for (uint32_t i = 0; i < gpus; i++)
		run_add_device(&run, DEVICE_GPU, (int32_t)i);
	add_words(&run.texts);
	return run;
}

static inline void finish(struct room *room, struct store *store, const struct run *run)
{
	struct report report;

	report_init(&report, run);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report.summary[key].number = NAN;
	if (store_finish_run(store, &report, NULL, &room->err) < 0)
		fail_msg("%s", room->err.message);
	report_release(&report);
}

static inline void load(struct room *room, struct store *store, const char *key,
	const struct samples *list)
{
	struct run run = make_run(key, 8);

	assert_int_equal(store_begin_run(store, &run, "shape", &room->err), 0);
	if (list)
		add_samples(room, store, list, 700);
	finish(room, store, &run);
	run_release(&run);
}

#endif
