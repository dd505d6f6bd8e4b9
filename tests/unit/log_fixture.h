/*
 * A small log, given as text, through the real reader: its rows as values, its counts and
 * diagnostics. For the tests of the readers; include it behind cmocka.h.
 */
#ifndef LOG_FIXTURE_H
#define LOG_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "cmd/formats.h"
#include "read/formats.h"
#include "read/identify.h"
#include "read/read_run.h"

/* 2025-03-01T10:00:00Z */
#define T0_NS (1740823200LL * NS_PER_S)

struct log_row {
	int64_t t_ns;
	uint32_t device, ordinal;
	int32_t segment;
	bool header;
	double value[METRIC_COUNT]; /* NAN: not available; INFINITY: no such column */
};

struct log_fixture {
	struct run run; /* prepare it before log_read: started_ns, query ... */
	struct zone zone;
	bool timed;
	struct log_row *row;
	size_t rows, cap;
};

static inline void log_init(struct log_fixture *fx)
{
	*fx = (struct log_fixture){.zone = ZONE_UTC};
	run_init(&fx->run, "run");
}

static inline void log_release(struct log_fixture *fx)
{
	run_release(&fx->run);
	free(fx->row);
}

static inline void log_take(struct log_fixture *fx, const struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->rows; i++) {
		struct log_row *row;

		ALLOC_GROW(fx->row, fx->rows + 1, fx->cap);
		row = &fx->row[fx->rows++];
		row->t_ns = batch->t_ns[i];
		row->device = batch->device[i];
		row->ordinal = batch->ordinal[i];
		row->segment = batch->segment[i];
		row->header = batch->header[i];
		for (int id = 0; id < METRIC_COUNT; id++)
			row->value[id] = INFINITY;
		for (size_t c = 0; c < batch->column_count; c++) {
			const struct sample_column *column = &batch->column[c];
			int64_t per_unit = metric_get(column->metric)->per_unit;

			if (column->presence[i] == PRESENCE_MISSING)
				row->value[column->metric] = NAN;
			if (column->presence[i] == PRESENCE_VALUE)
				row->value[column->metric] =
					number_ratio(column->value[i], per_unit);
		}
	}
	fx->timed = batch->timed;
}

/* What the run's files hold, given by reading->file. */
static inline void log_read_kind(
	struct log_fixture *fx, struct reading *reading, enum source_kind kind)
{
	struct sample_source *source = read_samples(reading, kind, (2 * NS_PER_S));
	struct sample_batch batch;
	struct error err;

	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &err) > 0)
		log_take(fx, &batch);
	sample_batch_release(&batch);
	sample_source_free(source);
}

#define LOG_FILES 4

/* Reads texts as logs of the kinds, as if they were files "log" of the run; samples. */
static inline void log_read_files(struct log_fixture *fx, size_t count,
	const enum source_kind *kind, const char *const *text)
{
	char path[LOG_FILES][32];
	struct reading_file file[LOG_FILES];
	struct reading reading = {.opt.formats = log_formats(),
		.run = &fx->run,
		.zone = fx->zone,
		.file = file,
		.file_count = count};

	assert_true(count <= LOG_FILES);
	for (size_t i = 0; i < count; i++) {
		int fd;

		snprintf(path[i], sizeof path[i], "/tmp/log_fixture.XXXXXX");
		fd = mkstemp(path[i]);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, text[i], strlen(text[i])), strlen(text[i]));
		close(fd);
		file[i] = (struct reading_file){.facts = {.path = path[i], .fd = -1},
			.whole = i,
			.first_ns = TIME_NONE};
		run_add_file(&fx->run, "log");
	}
	for (size_t i = 0; i < count; i++) {
		struct strbuf said;
		struct error err;

		strbuf_init(&said);
		assert_int_equal(reading_find_kind(&reading, i, &said, &err), 0);
		strbuf_release(&said);
		fx->run.file[i].kind = kind[i];
	}
	for (enum source_kind k = 0; k < SOURCE_KIND_COUNT; k++)
		if (source_has_samples(k))
			log_read_kind(fx, &reading, k);
	read_note_steps_back(&reading);
	for (size_t i = 0; i < count; i++) {
		reading_release_file(&file[i]);
		unlink(path[i]);
	}
}

/* Reads the bytes as a log of that kind, as if it were the file "log" of the run. */
static inline void log_read_bytes(
	struct log_fixture *fx, enum source_kind kind, const char *bytes, size_t len)
{
	char path[] = "/tmp/log_fixture.XXXXXX";
	struct reading_file file = {
		.facts = {.path = path, .fd = -1}, .first_ns = TIME_NONE};
	struct reading reading = {.opt.formats = log_formats(),
		.run = &fx->run,
		.zone = fx->zone,
		.file = &file,
		.file_count = 1};
	const struct format *format = log_formats()[kind];
	int fd = mkstemp(path);
	struct strbuf said;
	struct error err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
	run_add_file(&fx->run, "log");
	strbuf_init(&said);
	assert_int_equal(reading_find_kind(&reading, 0, &said, &err), 0);
	strbuf_release(&said);
	fx->run.file[0].kind = kind;
	if (format->survey) {
		struct log *log = reading_open(
			&reading, 0, &fx->run, &fx->run.file[0], &fx->run.diags, &err);

		assert_non_null(log);
		format->survey(log);
		log_free(log);
	} else {
		log_read_kind(fx, &reading, kind);
		read_note_steps_back(&reading);
	}
	reading_release_file(&file);
	unlink(path);
}

static inline void log_read(
	struct log_fixture *fx, enum source_kind kind, const char *text)
{
	log_read_bytes(fx, kind, text, strlen(text));
}

/* Accepted and refused rows of the file. */
static inline void log_expect_rows(
	const struct log_fixture *fx, uint64_t rows, uint64_t refused)
{
	assert_int_equal(fx->run.file[0].rows, rows);
	assert_int_equal(fx->run.file[0].refused, refused);
}

static inline const struct diag *log_diag(const struct log_fixture *fx, const char *id)
{
	for (size_t i = 0; i < fx->run.diags.count; i++)
		if (strcmp(fx->run.diags.at[i].id, id) == 0)
			return &fx->run.diags.at[i];
	return NULL;
}

/* The only diagnostics are: ids, each with its line and count; ends with NULL. */
static inline void log_expect_diags(const struct log_fixture *fx, ...)
{
	size_t expected = 0;
	const char *id;
	va_list ap;

	va_start(ap, fx);
	while ((id = va_arg(ap, const char *))) {
		int line = va_arg(ap, int), count = va_arg(ap, int);
		const struct diag *diag = log_diag(fx, id);

		if (!diag)
			fail_msg("no diagnostic %s", id);
		if (diag->line != (uint64_t)line || diag->count != (uint64_t)count)
			fail_msg("%s: line %d, %d times", id, (int)diag->line,
				(int)diag->count);
		expected++;
	}
	va_end(ap);
	for (size_t i = expected; i < fx->run.diags.count; i++)
		print_message(
			"# %s: %s\n", fx->run.diags.at[i].id, fx->run.diags.at[i].text);
	assert_int_equal(fx->run.diags.count, expected);
}

#define assert_double(a, b) assert_true((a) == (b))

#endif
