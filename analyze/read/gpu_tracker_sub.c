/*
 * gpu_tracker's sub-tracking files: the starts and stops of code blocks, as CSV or in a
 * database: process_id, code_block_name, position (0 start, 1 stop), timestamp. A stop
 * ends the innermost start of the same process and block; a pair becomes a phase, a start
 * that is left its beginning. Files are paired each for itself: each is of one process.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/format.h"
#include "read/records.h"

enum place {
	PLACE_PROCESS,
	PLACE_NAME,
	PLACE_POSITION,
	PLACE_TIME,
	PLACE_COUNT
};

static const char *const place_name[] = {
	"process_id", "code_block_name", "position", "timestamp"};
static const char *const tables[] = {"data", NULL};

struct row {
	uint64_t process;
	struct span name;
	bool stop;
	int64_t t_ns;
};

#define BUCKETS 4096

/* A start; while it has no stop, in a chain of a hash table. */
struct open_block {
	uint64_t process;
	size_t event; /* index in the run */
	size_t next; /* in the chain: index + 1; 0: none */
};

struct blocks_open {
	struct open_block *at;
	size_t count, cap;
	/* by the hash of the block's name; index + 1, 0: none */
	size_t head[BUCKETS]; /* the newest that is open */
	size_t last[BUCKETS]; /* the newest, open or not */
};

/* The places of the columns; false: not a header, and they stay. */
static bool find_places(const struct span *cell, size_t count, size_t place[PLACE_COUNT])
{
	size_t found[PLACE_COUNT];

	for (enum place p = 0; p < PLACE_COUNT; p++) {
		for (found[p] = 0; found[p] < count; found[p]++)
			if (span_is(cell[found[p]], place_name[p]))
				break;
		if (found[p] == count)
			return false;
	}
	memcpy(place, found, sizeof found);
	return true;
}

static int bid(const struct probe *probe)
{
	size_t place[PLACE_COUNT];
	struct csv_row row;
	int bits = 0;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !bits; i++) {
		csv_split(&row, probe->line[i]);
		bits = find_places(row.cell, row.count, place) ? 60 : 0;
	}
	csv_row_release(&row);
	return bits;
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

static size_t bucket_of(struct span name)
{
	uint64_t hash = span_hash(name, SPAN_HASH);

	return (hash ^ hash >> 32) % BUCKETS;
}

static void start_block(struct log *log, struct blocks_open *open, const struct row *row)
{
	struct event *event = run_add_event(log->run);
	size_t bucket = bucket_of(row->name);
	struct strbuf extras;

	event->type = EVENT_BEGIN;
	event->t_ns = row->t_ns;
	event->name = xstrndup(row->name.at, row->name.len);
	run_set_string(&event->type_name, "code_block");
	strbuf_init(&extras);
	strbuf_addf(&extras, "{\"process_id\": %llu}", (unsigned long long)row->process);
	event->extras = strbuf_detach(&extras);
	ALLOC_GROW(open->at, open->count + 1, open->cap);
	open->at[open->count] = (struct open_block){
		row->process, log->run->event_count - 1, open->head[bucket]};
	open->head[bucket] = open->last[bucket] = ++open->count;
	log->file->rows++;
}

static bool is_block(
	const struct log *log, const struct open_block *block, struct span name)
{
	return span_is(name, log->run->event[block->event].name);
}

/* A stop without a start of its own: names the last start of that block, if there is one.
 */
static void refuse_stop(
	struct log *log, const struct blocks_open *open, const struct row *row)
{
	size_t last = open->last[bucket_of(row->name)];
	const struct open_block *other = last ? &open->at[last - 1] : NULL;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "a stop of process %llu in code block '%s' at ",
		(unsigned long long)row->process, log_quote(row->name).text);
	add_seconds(&text, row->t_ns);
	strbuf_adds(&text, " has no start of its own");
	if (other && is_block(log, other, row->name)) {
		strbuf_addf(&text, "; the last start is of process %llu, at ",
			(unsigned long long)other->process);
		add_seconds(&text, log->run->event[other->event].t_ns);
	}
	log_refuse(log, "stop-without-start", "%s", text.text);
	strbuf_release(&text);
}

static void refuse_order(
	struct log *log, const struct row *row, const struct event *start)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "process %llu starts code block '%s' at ",
		(unsigned long long)row->process, log_quote(row->name).text);
	add_seconds(&text, start->t_ns);
	strbuf_adds(&text, ", after it stops it at ");
	add_seconds(&text, row->t_ns);
	log_refuse(log, "start-after-stop", "%s", text.text);
	strbuf_release(&text);
}

static void stop_block(struct log *log, struct blocks_open *open, const struct row *row)
{
	size_t *link = &open->head[bucket_of(row->name)];
	struct event *event;

	while (*link &&
		(open->at[*link - 1].process != row->process ||
			!is_block(log, &open->at[*link - 1], row->name)))
		link = &open->at[*link - 1].next;
	if (!*link) {
		refuse_stop(log, open, row);
		return;
	}
	event = &log->run->event[open->at[*link - 1].event];
	if (event->t_ns > row->t_ns) {
		refuse_order(log, row, event);
		return;
	}
	event->type = EVENT_PHASE;
	event->end_ns = row->t_ns;
	*link = open->at[*link - 1].next;
	log->file->rows++;
}

static bool read_row(
	struct log *log, const struct span *cell, const size_t *place, struct row *row)
{
	struct span position = cell[place[PLACE_POSITION]];

	row->name = cell[place[PLACE_NAME]];
	row->stop = span_is(position, "1");
	if (!number_unsigned(cell[place[PLACE_PROCESS]], &row->process)) {
		log_refuse(log, "bad-id", "'%s' is no process_id; expected a number",
			log_quote(cell[place[PLACE_PROCESS]]).text);
	} else if (!row->stop && !span_is(position, "0")) {
		log_refuse(log, "bad-position",
			"'%s' is no position; expected 0 (start) or 1 (stop)",
			log_quote(position).text);
	} else if (!time_parse_seconds(cell[place[PLACE_TIME]], &row->t_ns)) {
		log_refuse(log, "bad-time",
			"'%s' is no time; expected seconds since 1970",
			log_quote(cell[place[PLACE_TIME]]).text);
	} else {
		return true;
	}
	return false;
}

static void tracker_survey(struct log *log)
{
	struct blocks_open *open = xcalloc(1, sizeof *open);
	size_t place[PLACE_COUNT], width = 0;
	struct records records;
	struct row row;

	records_open(&records, log, tables);
	while (records_next(&records)) {
		if (find_places(records.cell, records.count, place))
			width = records.count;
		else if (!width)
			log_refuse(log, "no-header",
				"a row before the names of its columns");
		else if (records.torn)
			log_refuse(log, "torn-line",
				"the file ends without a newline; the time of its last "
				"row may be cut");
		else if (records.count != width)
			log_refuse(log, "field-count",
				"a row of %zu fields; the header has %zu", records.count,
				width);
		else if (read_row(log, records.cell, place, &row))
			(row.stop ? stop_block : start_block)(log, open, &row);
	}
	records_close(&records);
	free(open->at);
	free(open);
}

const struct format format_gpu_tracker_sub = {
	SOURCE_GPU_TRACKER_SUB, bid, NULL, false, NULL, tracker_survey};
