/*
 * gpu_tracker's sub-tracking files: the starts and stops of code blocks, as CSV or in a
 * database: process_id, code_block_name, position (0 start, 1 stop), timestamp. Files are
 * paired each for itself: each is of one process.
 */
#include <string.h>

#include "base/number.h"
#include "read/format.h"
#include "read/pairing.h"
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

struct sub {
	struct log *log;
	struct records records;
	struct pairing *pairing;
	size_t place[PLACE_COUNT], width; /* of the columns; width 0: no header yet */
	uint64_t holes; /* of the records, that are known */
};

/* The places of the columns; false: not a header, and they stay. */
static bool find_places(const struct span *cell, size_t count, size_t place[PLACE_COUNT])
{
	size_t found[PLACE_COUNT];

	for (enum place p = 0; p < PLACE_COUNT; p++) {
		found[p] = records_find(cell, count, place_name[p]);
		if (found[p] == SIZE_MAX)
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

/* Nobody writes a nought before a process id: it is the rest of one. */
static bool read_process(struct span cell, uint64_t *process)
{
	return number_unsigned(cell, process) && (cell.len == 1 || cell.at[0] != '0');
}

static bool is_name(struct span cell)
{
	return !memchr(cell.at, '\0', cell.len);
}

static bool is_position(struct span cell)
{
	return span_is(cell, "0") || span_is(cell, "1");
}

static bool is_row(const void *reader, const struct span *cell, size_t count)
{
	const struct sub *s = reader;
	uint64_t process;
	int64_t t_ns;

	return s->width && count == s->width &&
		read_process(cell[s->place[PLACE_PROCESS]], &process) &&
		is_name(cell[s->place[PLACE_NAME]]) &&
		is_position(cell[s->place[PLACE_POSITION]]) &&
		time_parse_seconds(cell[s->place[PLACE_TIME]], &t_ns);
}

static struct span cut_digits(struct span cell)
{
	size_t at = cell.len;

	while (at && cell.at[at - 1] >= '0' && cell.at[at - 1] <= '9')
		at--;
	return (struct span){cell.at + at, cell.len - at};
}

/*
 * Whose a lost row is, and whether a start or a stop: then its partner is known. shared:
 * its first cell is the last one of another row too, "1760000000.5?61".
 */
static bool add_timeless(
	struct sub *s, const struct span *cell, size_t count, bool shared)
{
	const size_t *place = s->place;
	struct pairing_row row = {.t_ns = TIME_NONE};
	struct span process;

	if (place[PLACE_PROCESS] >= count || place[PLACE_NAME] >= count ||
		place[PLACE_POSITION] >= count)
		return false;
	process = cell[place[PLACE_PROCESS]];
	if (shared && !place[PLACE_PROCESS])
		process = cut_digits(process);
	row.name = cell[place[PLACE_NAME]];
	row.stop = span_is(cell[place[PLACE_POSITION]], "1");
	if (!read_process(process, &row.process) || !is_name(row.name) ||
		!is_position(cell[place[PLACE_POSITION]]))
		return false;
	pairing_add(s->pairing, &row);
	return true;
}

/* What is left of a row that was refused; behind a torn one nothing can be mistaken. */
static void take_remains(struct sub *s)
{
	const struct records *r = &s->records;
	bool known;

	if (r->torn || !s->width)
		return;
	known = add_timeless(s, r->cell, r->count, false);
	if (known && (r->count + 1 == 2 * s->width || r->count == 2 * s->width))
		known = add_timeless(s, r->cell + r->count - s->width, s->width,
			r->count < 2 * s->width);
	if (!known)
		pairing_add_hole(s->pairing);
}

static bool read_row(struct log *log, const struct span *cell, const size_t *place,
	struct pairing_row *row)
{
	struct span position = cell[place[PLACE_POSITION]];

	row->name = cell[place[PLACE_NAME]];
	row->stop = span_is(position, "1");
	if (!read_process(cell[place[PLACE_PROCESS]], &row->process)) {
		log_refuse(log, "bad-id", "'%s' is no process_id; expected a number",
			log_quote(cell[place[PLACE_PROCESS]]).text);
	} else if (!is_name(row->name)) {
		log_refuse(log, "no-name", "'%s' is no name: it holds a NUL byte",
			log_quote(row->name).text);
	} else if (!is_position(position)) {
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

static void take_row(struct sub *s)
{
	const struct records *r = &s->records;
	struct pairing_row row;

	if (!s->width) {
		log_refuse(s->log, "no-header", "a row before the names of its columns");
		return;
	}
	if (!r->torn && r->count == s->width &&
		read_row(s->log, r->cell, s->place, &row)) {
		pairing_add(s->pairing, &row);
		return;
	}
	if (r->torn && r->count == s->width)
		log_refuse(s->log, "no-newline",
			"the file ends without a newline; the time of its last row may "
			"be cut");
	else if (r->torn)
		log_refuse(s->log, "torn-line",
			"the file ends in the middle of a row: %zu of %zu fields",
			r->count, s->width);
	else if (r->count != s->width)
		log_refuse(s->log, "field-count",
			"a row of %zu fields; the header has %zu", r->count, s->width);
	take_remains(s);
}

static void tracker_survey(struct log *log)
{
	struct sub s = {.log = log, .pairing = pairing_new(log)};
	struct records *r = &s.records;

	records_open(r, log, tables);
	r->is_row = is_row;
	r->reader = &s;
	while (records_next(r)) {
		if (r->holes > s.holes)
			pairing_add_hole(s.pairing);
		s.holes = r->holes;
		if (r->broken)
			take_remains(&s);
		else if (find_places(r->cell, r->count, s.place))
			s.width = r->count;
		else
			take_row(&s);
	}
	records_close(r);
	pairing_finish(s.pairing);
}

const struct format format_gpu_tracker_sub = {
	.kind = SOURCE_GPU_TRACKER_SUB, .bid = bid, .survey = tracker_survey};
