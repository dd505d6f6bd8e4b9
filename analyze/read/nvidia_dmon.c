/*
 * nvidia-smi dmon. Two header lines, names and units, that come again every so many rows;
 * the order of the columns is that of the letters behind -s, so only names count. "Date"
 * and "Time" are glued to the '#', "gpu" is not. Without -o there are no times at all;
 * with -o T there is a clock without a date, which passes midnight.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/format.h"
#include "read/identity.h"

struct dmon_source {
	struct sample_source source;
	struct log *log;
	struct columns columns;
	bool header_pending;
	int64_t day_ns, clock_ns; /* of -o T: the day so far, the last clock */
	struct span *word; /* of the current line */
	size_t words, word_cap;
};

/* Words between blanks or commas: the csv form may have both. */
static struct span next_word(struct span *rest)
{
	struct span word;

	while (rest->len &&
		(rest->at[0] == ',' || rest->at[0] == ' ' || rest->at[0] == '\t'))
		rest->at++, rest->len--;
	word = (struct span){rest->at, 0};
	while (rest->len && rest->at[0] != ',' && rest->at[0] != ' ' &&
		rest->at[0] != '\t')
		rest->at++, rest->len--, word.len++;
	return word;
}

static size_t split_words(struct dmon_source *d, struct span line)
{
	struct span word;

	d->words = 0;
	while ((word = next_word(&line)).len) {
		ALLOC_GROW(d->word, d->words + 1, d->word_cap);
		d->word[d->words++] = word;
	}
	return d->words;
}

/* Behind the '#' that the csv form may lack. */
static struct span without_hash(struct span line)
{
	if (span_begins(line, "#"))
		line.at++, line.len--;
	return line;
}

/* A header names the gpu and at least one column that is known. */
static bool is_header_line(struct span line)
{
	bool hash = span_begins(line, "#"), gpu = false, known = false;
	struct span word;

	if (!hash && !memchr(line.at, ',', line.len))
		return false;
	line = without_hash(line);
	while ((word = next_word(&line)).len) {
		gpu |= span_is(word, "gpu");
		known |= column_role(SOURCE_NVIDIA_DMON, word) == ROLE_METRIC;
	}
	return gpu && known;
}

/* The line of units names the unit of the GPU's index. */
static bool is_unit_line(struct span line)
{
	struct span word;

	if (span_begins(line, "#"))
		return true;
	while ((word = next_word(&line)).len)
		if (span_is_nocase(word, "idx"))
			return true;
	return false;
}

/* pmon's header has a pid behind the gpu and is another format. */
static bool has_word(struct span line, const char *wanted)
{
	while (line.len)
		if (span_is(next_word(&line), wanted))
			return true;
	return false;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (is_header_line(probe->line[i]) && !has_word(probe->line[i], "pid"))
			return 60;
	return 0;
}

static void name_columns(struct dmon_source *d, struct span line)
{
	columns_clear(&d->columns);
	split_words(d, without_hash(line));
	for (size_t i = 0; i < d->words; i++)
		columns_add(&d->columns, d->log, SOURCE_NVIDIA_DMON, d->word[i]);
	d->header_pending = true;
}

/*
 * The first row is on the day that puts it nearest to what is known of the run; a clock
 * that goes back by half a day has passed midnight.
 */
static int64_t add_day(struct dmon_source *d, int64_t clock_ns)
{
	if (!d->columns.has_row && d->log->near_ns == TIME_NONE && d->columns.has_time)
		log_note(d->log, false, "no-date", (struct span){NULL, 0},
			"the clock has no date and nothing else says the day; it is read "
			"as of 1970-01-01");
	if (!d->columns.has_row && d->log->near_ns != TIME_NONE) {
		int64_t from_ns = d->log->near_ns - NS_PER_DAY / 2 - clock_ns;

		d->day_ns = (from_ns / NS_PER_DAY + 1) * NS_PER_DAY;
	} else if (d->columns.has_row && clock_ns < d->clock_ns - NS_PER_DAY / 2) {
		d->day_ns += NS_PER_DAY;
	}
	d->clock_ns = clock_ns;
	return d->day_ns + clock_ns;
}

static bool read_ids(struct dmon_source *d, int64_t *wall_ns, struct gpu_id *id)
{
	int64_t date_ns = TIME_NONE, clock_ns = 0;
	uint64_t index = 0;
	bool good = true;

	*id = (struct gpu_id){.index = -1, .place = -1};
	for (size_t i = 0; i < d->columns.count && good; i++) {
		switch (d->columns.at[i].role) {
		case ROLE_DATE:
			good = time_parse_date(d->word[i], &date_ns);
			break;
		case ROLE_CLOCK:
			good = time_parse_clock(d->word[i], &clock_ns);
			break;
		case ROLE_INDEX:
			good = number_unsigned(d->word[i], &index) && index < 4096;
			id->index = (int32_t)index;
			break;
		case ROLE_IGNORED:
		case ROLE_KNOWN:
		case ROLE_METRIC:
		case ROLE_TIME:
		case ROLE_UUID:
		case ROLE_BUS_ID:
		case ROLE_MODEL:
		case ROLE_PID:
		case ROLE_COMMAND:
			break;
		}
		if (!good)
			log_refuse(d->log, "bad-id", "'%s' is no date, time or GPU index",
				log_quote(d->word[i]).text);
	}
	if (good)
		*wall_ns =
			date_ns != TIME_NONE ? date_ns + clock_ns : add_day(d, clock_ns);
	return good;
}

static bool accept_words(struct dmon_source *d, struct span line)
{
	bool torn = input_line_torn(d->log->in);

	if (is_header_line(line)) {
		name_columns(d, line);
		return false;
	}
	if (is_unit_line(line))
		return false;
	if (!d->columns.count) {
		log_refuse(d->log, "no-header", "'%s' stands before any header",
			log_quote(line).text);
		return false;
	}
	if (split_words(d, line) != d->columns.count) {
		if (torn)
			log_refuse(d->log, "torn-line",
				"the file ends in the middle of a line; the row is lost");
		else
			log_refuse(d->log, "field-count",
				"a row of %zu words; the header has %zu: '%s'", d->words,
				d->columns.count, log_quote(line).text);
		return false;
	}
	if (torn)
		columns_cut_last(d->log, &d->word[d->words - 1]);
	return true;
}

static void add_row(struct dmon_source *d, struct sample_batch *batch)
{
	struct gpu_id id;
	int64_t wall_ns;
	uint32_t device;

	if (!read_ids(d, &wall_ns, &id))
		return;
	if (!columns_accept_row(&d->columns, d->log))
		return;
	device = identity_gpu(d->log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(d->log, "too-many", "one GPU more than the %d of a run",
			IDENTITY_GPUS_MAX);
		return;
	}
	batch->timed = d->columns.timed;
	columns_put_row(&d->columns, d->log, batch,
		d->columns.timed ? time_from_wall(wall_ns, &d->log->zone) : 0, device,
		&d->header_pending, d->word);
}

static int dmon_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct dmon_source *d = (struct dmon_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_NVIDIA_DMON;
	d->columns.bound = false;
	while (!sample_batch_full(batch)) {
		if (!log_line(d->log, &line))
			break;
		if (accept_words(d, line))
			add_row(d, batch);
	}
	return batch->rows > 0;
}

static void dmon_free(struct sample_source *source)
{
	struct dmon_source *d = (struct dmon_source *)source;

	columns_release(&d->columns);
	free(d->word);
	log_free(d->log);
	free(d);
}

static struct sample_source *dmon_open(struct log *log)
{
	struct dmon_source *d = xcalloc(1, sizeof *d);

	d->source = (struct sample_source){dmon_next, dmon_free};
	d->log = log;
	return &d->source;
}

const struct format format_nvidia_dmon = {SOURCE_NVIDIA_DMON, bid, dmon_open, NULL};
