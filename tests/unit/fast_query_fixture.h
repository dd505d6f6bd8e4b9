/*
 * A log read the fast way and the general one, where all that the reading has to say must
 * be the same.
 */
#ifndef FAST_FIXTURE_H
#define FAST_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/formats.h"
#include "read/read_run.h"

static inline void tell_row(struct strbuf *told, const struct run *run,
	const struct sample_batch *batch, size_t row)
{
	strbuf_addf(told, "%lld %ld %lu %lu %d %llu", (long long)batch->t_ns[row],
		(long)batch->segment[row], (unsigned long)batch->ordinal[row],
		(unsigned long)batch->device[row], batch->header[row],
		(unsigned long long)batch->line[row]);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		int64_t value = column->value[row];

		if (column->presence[row] == PRESENCE_ABSENT)
			continue;
		strbuf_addf(told, " %s", metric_get(column->metric)->name);
		if (column->presence[row] == PRESENCE_MISSING ||
			metric_is_text(column->metric))
			strbuf_addf(told, "=%d'%s'", column->presence[row],
				value ? texts_word(&run->texts, (uint32_t)value) : "");
		else
			strbuf_addf(told, "=%lld", (long long)value);
	}
	strbuf_addc(told, '\n');
}

static inline void tell_samples(struct strbuf *told, struct reading *reading,
	struct run *run, enum source_kind kind)
{
	struct sample_source *source = read_samples(reading, kind, 2 * NS_PER_S);
	struct sample_batch batch;
	struct error err;

	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &err) > 0)
		for (size_t row = 0; row < batch.rows; row++)
			tell_row(told, run, &batch, row);
	sample_batch_release(&batch);
	sample_source_free(source);
}

static inline const char *or_none(const char *text)
{
	return text ? text : "-";
}

/* All that the reading of a file's query rows has to say. */
static inline void tell(
	struct strbuf *told, const char *path, const char *tz, bool general)
{
	struct zone zone;
	const struct read_options opt = {.formats = log_formats(),
		.path = &path,
		.path_count = 1,
		.zone = tz ? &zone : NULL,
		.general = general};
	struct reading *reading = NULL;
	struct error err;
	struct run run;

	if (tz)
		assert_int_equal(zone_parse(&zone, tz, &err), 0);
	run_init(&run, path);
	strbuf_init(told);
	if (read_survey(&reading, &run, &opt, &err) == 0) {
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
			if (source_has_samples(kind))
				tell_samples(told, reading, &run, kind);
		read_note_steps_back(reading);
		reading_free(reading);
	}
	for (size_t i = 0; i < run.device_count; i++)
		strbuf_addf(told, "%s %s %s %s %s %ld\n", run.device[i].name,
			or_none(run.device[i].uuid), or_none(run.device[i].bus_id),
			or_none(run.device[i].model), or_none(run.device[i].host),
			(long)run.device[i].index);
	for (size_t i = 0; i < run.file_count; i++)
		strbuf_addf(told, "%llu rows, %llu refused\n",
			(unsigned long long)run.file[i].rows,
			(unsigned long long)run.file[i].refused);
	for (size_t i = 0; i < run.diags.count; i++)
		strbuf_addf(told, "%s:%llu: %llu %s %s\n", run.diags.at[i].file,
			(unsigned long long)run.diags.at[i].line,
			(unsigned long long)run.diags.at[i].count, run.diags.at[i].id,
			run.diags.at[i].text);
	run_release(&run);
}

/* Both ways; the first line that differs is printed. */
static inline void compare(const char *path, const char *tz)
{
	struct strbuf fast, general;
	const char *a, *b;

	tell(&fast, path, tz, false);
	tell(&general, path, tz, true);
	if (strcmp(fast.text, general.text) == 0) {
		strbuf_release(&fast);
		strbuf_release(&general);
		return;
	}
	for (a = fast.text, b = general.text; *a && *a == *b;)
		a++, b++;
	while (a > fast.text && a[-1] != '\n')
		a--, b--;
	fail_msg("%s:\nfast:    %.*s\ngeneral: %.*s", path, (int)strcspn(a, "\n"), a,
		(int)strcspn(b, "\n"), b);
}

static inline uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Some bytes are others, some are gone, some lines come twice. */
static inline void damage(struct strbuf *to, const struct strbuf *from, uint64_t *seed)
{
	static const char odd[] = "0123456789 ,.-:/%[]\"\tMW\r\n\0xZe";
	uint64_t rarity = 20 + next_random(seed) % 2000;

	for (size_t i = 0; i < from->len; i++) {
		uint64_t chance = next_random(seed) % rarity;

		if (chance > 2)
			strbuf_addc(to, from->text[i]);
		else if (chance)
			strbuf_addc(to, odd[next_random(seed) % (sizeof odd - 1)]);
		if (chance == 2)
			strbuf_addc(to, from->text[i]);
	}
}

static inline void write_file(const char *path, const struct strbuf *text)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text->text, 1, text->len, file), text->len);
	assert_int_equal(fclose(file), 0);
}

/* A damaged copy, both ways. */
static inline void compare_damaged(
	const char *path, const struct strbuf *sound, uint64_t *seed, const char *tz)
{
	struct strbuf log;

	strbuf_init(&log);
	damage(&log, sound, seed);
	write_file(path, &log);
	compare(path, tz);
	strbuf_release(&log);
}

#endif
