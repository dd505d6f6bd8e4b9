/*
 * What is to be known of a file before its rows can be read, and one line alone does not
 * tell: the order of its dates, lines around the rows that say the time, what a column
 * "gpu" holds, the header that another file of the log has.
 */
#include "read/learn.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/dmon_rows.h"
#include "read/formats.h"
#include "read/headerless.h"
#include "read/lines.h"
#include "read/log.h"

/* Dates in lines; each new one is held against the one before. */

#define WHEN_MAX 64 /* bytes of a date, its weekday and its clock */

/* "Wed 03/04/2024 10:00:00 PM" in some line. */
struct when {
	char text[WHEN_MAX];
	size_t len;
	size_t date, date_len; /* where the date is in it */
};

struct day_evidence {
	enum day_order order;
	bool either; /* a date that may be either has come */
	struct when last; /* the last date; len 0: none */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
}

static size_t digits(const char *at, const char *end)
{
	size_t count = 0;

	while (at + count < end && is_digit(at[count]))
		count++;
	return count;
}

/* "03/04/2024" around its first slash, with nothing glued to it; else false. */
static bool find_ends(struct span line, const char *slash, struct span *date)
{
	const char *from = slash, *end = line.at + line.len, *to = slash + 1;
	size_t count;

	while (from > line.at && is_digit(from[-1]))
		from--;
	count = digits(to, end);
	if (from == slash || slash - from > 2 || !count || count > 2)
		return false;
	to += count;
	if (to == end || *to != '/' || digits(to + 1, end) != 4)
		return false;
	to += 5;
	if ((from > line.at && !strchr(" \t,;\"'[(", from[-1])) ||
		(to < end && !strchr(" \t,;\"'])", *to)))
		return false;
	*date = (struct span){from, (size_t)(to - from)};
	return true;
}

/* A clock behind a date, with AM or PM. */
static const char *behind_clock(const char *at, const char *end)
{
	const char *to = at;

	while (to < end && (*to == ' ' || *to == '\t'))
		to++;
	if (to == end || !is_digit(*to))
		return at;
	while (to < end && (is_digit(*to) || *to == ':' || *to == '.'))
		to++;
	if (end - to >= 3 && *to == ' ' && strchr("AaPp", to[1]) && to[1] &&
		(to[2] | 0x20) == 'm' && (end - to == 3 || !is_letter(to[3])))
		to += 3;
	return to;
}

/* The word before a date, if it may be a weekday. */
static const char *before_weekday(const char *at, const char *begin)
{
	const char *from = at;

	while (from > begin && (from[-1] == ' ' || from[-1] == '.' || from[-1] == ','))
		from--;
	while (from > begin && is_letter(from[-1]))
		from--;
	return from;
}

static bool read_when(const struct when *when, enum day_order order,
	struct clock_line *clock, int64_t *t_ns)
{
	struct span text = {when->text, when->len};
	struct zone utc = ZONE_UTC;
	enum clock_result result;

	*clock = (struct clock_line){0};
	*t_ns = TIME_NONE;
	result = clock_line_read(clock, text, &utc, order, t_ns);
	return result == CLOCK_TIME || result == CLOCK_PART;
}

static bool set_when(
	struct when *when, const char *from, struct span date, const char *to)
{
	struct clock_line clock;
	int64_t t_ns;

	if (to - from > WHEN_MAX)
		return false;
	when->len = (size_t)(to - from);
	memcpy(when->text, from, when->len);
	when->date = (size_t)(date.at - from);
	when->date_len = date.len;
	return read_when(when, DAYS_UNKNOWN, &clock, &t_ns);
}

/* From one date to the next it is less than half a day. */
static bool passes_midnight(
	const struct when *before, const struct when *after, enum day_order order)
{
	struct clock_line clock;
	int64_t from_ns, to_ns;

	return read_when(before, order, &clock, &from_ns) && from_ns != TIME_NONE &&
		read_when(after, order, &clock, &to_ns) && to_ns != TIME_NONE &&
		to_ns >= from_ns && to_ns - from_ns < NS_PER_DAY / 2;
}

static void take_date(struct day_evidence *e, struct span line, struct span date)
{
	const char *to = behind_clock(date.at + date.len, line.at + line.len);
	const char *from = before_weekday(date.at, line.at);
	struct clock_line clock;
	struct when when;
	int64_t t_ns;

	/* of one day only the last time counts */
	if (e->last.len && e->last.date_len == date.len &&
		memcmp(e->last.text + e->last.date, date.at, date.len) == 0) {
		if (set_when(&when, date.at, date, to))
			e->last = when;
		return;
	}
	if (!set_when(&when, from, date, to) && !set_when(&when, date.at, date, to))
		return;
	read_when(&when, DAYS_UNKNOWN, &clock, &t_ns);
	e->order = clock.order;
	e->either |= clock.either;
	if (e->last.len && e->order == DAYS_UNKNOWN) {
		bool us = passes_midnight(&e->last, &when, MONTH_FIRST);

		if (us != passes_midnight(&e->last, &when, DAY_FIRST))
			e->order = us ? MONTH_FIRST : DAY_FIRST;
	}
	e->last = when;
}

static void take_line(struct day_evidence *e, struct span line)
{
	const char *slash = line.at, *end = line.at + line.len;
	struct span date;

	while ((slash = memchr(slash, '/', (size_t)(end - slash)))) {
		if (find_ends(line, slash, &date)) {
			take_date(e, line, date);
			return;
		}
		slash++;
	}
}

enum day_order day_order_find(const struct probe *probe, struct log *log)
{
	struct day_evidence e = {0};
	struct span line;

	for (size_t i = 0; i < probe->count && e.order == DAYS_UNKNOWN; i++)
		take_line(&e, probe->line[i]);
	while (e.order == DAYS_UNKNOWN && e.either && log_line(log, &line))
		take_line(&e, line);
	return e.order;
}

/*
 * Lines that are only a time between the outputs of dmon, pmon and compute-apps, which
 * have none in their rows: those of a loop that asks once, says when, and sleeps. Such
 * a line before a table that runs on tells when it began, and nothing of the other
 * rows.
 */

#define LINES_SEEN 4096
#define ROWS_MAX   256 /* behind one line: more are no single look at the GPUs */
#define CELLS_SEEN 64

/* The rows behind one line with the time, by what each is about. */
struct looks {
	const struct format *format;
	bool headed, commas; /* there was a header, with them */
	uint64_t ids; /* of its columns, a bit for each that says what a row is about */
	bool timed; /* one of them is a time */
	uint64_t row[ROWS_MAX];
	size_t rows;
	bool again; /* a GPU, or a process, came twice */
	uint64_t times, count, bad; /* lines with the time; looks that had rows */
	struct clock_line clock;
};

static bool is_id(enum role role, struct span name)
{
	return role == ROLE_INDEX || role == ROLE_PID || role == ROLE_UUID ||
		role == ROLE_BUS_ID || role == ROLE_INSTANCE ||
		span_is_nocase(name, "type");
}

static bool has_commas(struct span line)
{
	return memchr(line.at, ',', line.len) != NULL;
}

static struct span without_hash(struct span line)
{
	if (span_begins(line, "#"))
		line.at++, line.len--;
	return line;
}

static bool take_header(struct looks *looks, struct span line)
{
	struct span word;

	if (looks->format->claims(line) != CLAIM_ON)
		return false;
	looks->headed = true;
	looks->commas = has_commas(line);
	looks->ids = 0;
	line = without_hash(line);
	for (int i = 0; i < CELLS_SEEN && dmon_word(&line, looks->commas, &word); i++) {
		enum role role = column_role(looks->format->kind, cell_strip_unit(word));

		looks->timed |= role == ROLE_TIME || role == ROLE_CLOCK;
		if (is_id(role, word))
			looks->ids |= UINT64_C(1) << i;
	}
	return true;
}

static void end_look(struct looks *looks)
{
	looks->count += looks->rows > 0;
	looks->bad += looks->again;
	looks->rows = 0;
	looks->again = false;
}

static bool around_take_clock(
	struct looks *looks, struct span line, const struct log *log)
{
	int64_t t_ns;

	switch (clock_line_read(
		&looks->clock, line, &log->zone, log->facts.day_order, &t_ns)) {
	case CLOCK_NOT:
		return false;
	case CLOCK_PART:
		return true;
	case CLOCK_TIME:
	case CLOCK_CONTRADICTS:
		break;
	}
	looks->times++;
	end_look(looks);
	return true;
}

static void take_row(struct looks *looks, struct span line)
{
	uint64_t id = SPAN_HASH;
	struct span word;

	for (int i = 0; i < CELLS_SEEN && dmon_word(&line, looks->commas, &word); i++)
		if (looks->ids >> i & 1)
			id = span_hash(word, id);
	for (size_t i = 0; i < looks->rows; i++)
		looks->again |= looks->row[i] == id;
	looks->again |= looks->rows == ROWS_MAX;
	if (looks->rows < ROWS_MAX)
		looks->row[looks->rows++] = id;
}

void around_find(struct reading *reading, size_t file)
{
	struct looks looks = {
		.format = reading->opt.formats[reading->run->file[file].kind]};
	struct peek g;
	struct span line;

	reading->file[file].facts.route.around = true;
	peek_begin(&g, reading, file);
	while (!looks.timed && g.lines < LINES_SEEN && peek_on(&g, &line))
		if (!take_header(&looks, line) && line.at[0] != '#' &&
			!around_take_clock(&looks, line, g.log) && looks.headed)
			take_row(&looks, line);
	peek_end(&g);
	end_look(&looks);
	reading->file[file].facts.route.around = !looks.timed && looks.times &&
		looks.count && looks.bad * 10 <= looks.count;
}

/* Snapshots in time. */

/*
 * A column "gpu" of a wrapper: numbers of GPUs come again in turns, the shares of time
 * that a GPU worked don't. Looked at before the rows are read, because a GPU may idle
 * first.
 */

#define SHARE_MAX    100
#define HEADER_LINES 2048 /* among which the header is */
#define FEW_GPUS     16 /* numbers of GPUs that need not come without a hole */
#define FEW_RETURNS  4 /* of a number: fewer say nothing about what follows it */

/* The cells of the column, and of another one that says the GPU. */
struct cells {
	uint8_t *share;
	uint64_t *id; /* hash; 0: no such column */
	size_t count, cap, id_cap;
	bool percent, words; /* "17 %"; "GPU3", 4711: no share at all */
};

static void take_cell(struct cells *cells, struct span cell, uint64_t id)
{
	struct span rest = cell;
	int64_t percent;
	uint64_t number;

	if (number_unsigned(cell, &number) && number <= SHARE_MAX) {
		ALLOC_GROW(cells->share, cells->count + 1, cells->cap);
		ALLOC_GROW(cells->id, cells->count + 1, cells->id_cap);
		cells->share[cells->count] = (uint8_t)number;
		cells->id[cells->count++] = id;
		return;
	}
	if (number_cut(&rest, 1, &percent) && span_is(span_trim(rest), "%"))
		cells->percent = true;
	else
		cells->words = true;
}

/* What the shares have in common. */
struct gpu_column_pattern {
	size_t times[SHARE_MAX + 1], distinct, most, least;
	size_t low, high;
	size_t returns, alike; /* of a number, and those with the same one behind */
};

static void find_pattern(const struct cells *cells, struct gpu_column_pattern *p)
{
	int behind[SHARE_MAX + 1];

	*p = (struct gpu_column_pattern){.low = SHARE_MAX, .least = SIZE_MAX};
	memset(behind, -1, sizeof behind);
	for (size_t i = 0; i < cells->count; i++) {
		uint8_t last = i ? cells->share[i - 1] : 0;

		p->times[cells->share[i]]++;
		if (!i)
			continue;
		p->returns += behind[last] >= 0;
		p->alike += behind[last] == cells->share[i];
		behind[last] = cells->share[i];
	}
	for (size_t i = 0; i <= SHARE_MAX; i++) {
		if (!p->times[i])
			continue;
		p->distinct++;
		p->low = i < p->low ? i : p->low;
		p->high = i;
		p->most = p->times[i] > p->most ? p->times[i] : p->most;
		p->least = p->times[i] < p->least ? p->times[i] : p->least;
	}
}

static bool come_in_turns(const struct cells *cells)
{
	struct gpu_column_pattern p;
	bool dense;

	find_pattern(cells, &p);
	dense = p.high - p.low + 1 == p.distinct;
	if (p.distinct == 1)
		return p.high < FEW_GPUS;
	if (dense && p.most <= 2 * p.least + 1)
		return true;
	if (p.returns < FEW_RETURNS)
		return p.high < FEW_GPUS;
	return p.alike * 10 >= p.returns * 9 && (dense || p.high < FEW_GPUS);
}

/* The share that stands beside an id first. */
struct pair {
	uint64_t id;
	uint8_t share;
};

/* Each id has one number of its own; *ids: how many there are. */
static bool go_with_ids(const struct cells *cells, size_t *ids)
{
	struct pair *pair = xmalloc((cells->count + 1) * sizeof *pair);
	size_t count = 0, matches = 0;
	bool taken[SHARE_MAX + 1] = {false}, apart = true;

	for (size_t i = 0; i < cells->count; i++) {
		size_t k = 0;

		while (k < count && pair[k].id != cells->id[i])
			k++;
		if (k == count && count <= SHARE_MAX) {
			pair[count++] = (struct pair){cells->id[i], cells->share[i]};
			apart = apart && !taken[cells->share[i]];
			taken[cells->share[i]] = true;
		}
		matches += k < count && pair[k].share == cells->share[i];
	}
	free(pair);
	*ids = count;
	return apart && matches * 10 >= cells->count * 9;
}

static enum gpu_column judge(const struct cells *cells)
{
	size_t ids;
	bool together;

	if (cells->percent)
		return GPU_COLUMN_SHARE;
	if (cells->words || !cells->count)
		return GPU_COLUMN_NUMBER;
	together = go_with_ids(cells, &ids);
	if (ids > 1)
		return together ? GPU_COLUMN_NUMBER : GPU_COLUMN_DOUBT;
	return come_in_turns(cells) ? GPU_COLUMN_NUMBER : GPU_COLUMN_DOUBT;
}

/* Where a header has the column, and another one that says the GPU. */
struct header_places {
	size_t count, gpu, id; /* count: there is none */
	bool has_share; /* a column says what the GPU did, and is known by its name */
};

static bool is_header(enum source_kind kind, struct csv_row *row, struct span line)
{
	if (kind == SOURCE_NVIDIA_QUERY)
		return query_split_header(row, line);
	csv_split(row, line);
	return row->count > 1 && line.at[0] != '#' && dmon_is_header(kind, line);
}

static struct header_places find_places(enum source_kind kind, const struct csv_row *row)
{
	struct header_places places = {row->count, row->count, row->count, false};

	for (size_t i = row->count; i-- > 0;) {
		enum role role = column_role(kind, cell_strip_unit(row->cell[i]));

		if (span_is_nocase(row->cell[i], "gpu"))
			places.gpu = i;
		else if (role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID)
			places.id = i;
		places.has_share |= columns_is_gpu_share(kind, row->cell[i]);
	}
	return places;
}

enum gpu_column gpu_column_find(struct reading *reading, size_t file)
{
	enum source_kind kind = reading->run->file[file].kind;
	struct header_places places = {0};
	struct cells cells = {0};
	enum gpu_column found;
	struct peek g;
	struct span line;

	peek_begin(&g, reading, file);
	while ((places.count || g.lines < HEADER_LINES) && peek_on(&g, &line)) {
		if (line.at[0] == '#' && dmon_is_header(kind, line))
			break; /* dmon's own */
		if (is_header(kind, &g.row, line)) {
			places = find_places(kind, &g.row);
			if (places.gpu == places.count)
				break;
		} else if (places.count && g.row.count == places.count) {
			take_cell(&cells, g.row.cell[places.gpu],
				places.id == places.count
					? 0
					: span_hash(g.row.cell[places.id], SPAN_HASH));
		}
	}
	peek_end(&g);
	found = judge(&cells);
	free(cells.share);
	free(cells.id);
	return found != GPU_COLUMN_NUMBER && places.has_share ? GPU_COLUMN_UNUSED : found;
}

/*
 * The files of one log: it was rotated, or cut into pieces, and only one of them has
 * the header. They are known by names that differ in numbers alone.
 */

static void join_names(struct strbuf *names, const struct csv_row *header)
{
	strbuf_clear(names);
	for (size_t i = 0; i < header->count; i++) {
		strbuf_adds(names, i ? "," : "");
		strbuf_add(names, header->cell[i].at, header->cell[i].len);
	}
}

/* The one header of that many names that a file has; false: it has none, or several. */
static bool find_header(
	struct reading *reading, size_t file, size_t cells, struct strbuf *names)
{
	struct strbuf other;
	struct peek g;
	struct span line;
	bool one = true;

	strbuf_init(&other);
	strbuf_clear(names);
	peek_begin(&g, reading, file);
	while (one && peek_on(&g, &line)) {
		if (!query_split_header(&g.row, line) || g.row.count != cells)
			continue;
		join_names(names->len ? &other : names, &g.row);
		one = !other.len ||
			span_equal((struct span){other.text, other.len},
				(struct span){names->text, names->len});
	}
	peek_end(&g);
	strbuf_release(&other);
	return one && names->len;
}

/* The cells of the first row, or what may be one. */
static size_t first_cells(struct reading *reading, size_t file)
{
	struct peek g;
	struct span line;
	size_t cells = 0;

	peek_begin(&g, reading, file);
	while (cells < 2 && peek_on(&g, &line)) {
		csv_split(&g.row, line);
		cells = g.row.count;
	}
	peek_end(&g);
	return cells;
}

/* Most of the first rows could be of those fields. */
static bool fits_rows(struct reading *reading, size_t file, const char *names)
{
	size_t rows = 0, fit = 0;
	struct peek g;
	struct span line;

	peek_begin(&g, reading, file);
	while (g.lines < PROBE_LINES && peek_on(&g, &line)) {
		csv_split(&g.row, line);
		rows++;
		fit += headerless_fits(&g.row, names);
	}
	peek_end(&g);
	return fit * 2 > rows;
}

static bool is_headed(const struct run_file *file)
{
	return file->kind == SOURCE_NVIDIA_QUERY &&
		file->bid[SOURCE_NVIDIA_QUERY] >= SURE_BITS;
}

/* No reader has the file, or one that does not know its columns. */
static bool is_headless(const struct run_file *file)
{
	return file->kind == SOURCE_NONE ||
		(file->kind == SOURCE_NVIDIA_QUERY && !is_headed(file));
}

static void ask_siblings(struct reading *reading, size_t file, struct strbuf *names)
{
	struct run *run = reading->run;
	size_t cells = 0;

	for (size_t i = 0; i < run->file_count; i++) {
		if (!is_headed(&run->file[i]) ||
			!name_is_sibling(run->file[i].path, run->file[file].path))
			continue;
		if (!cells)
			cells = first_cells(reading, file);
		if (cells < 2 || !find_header(reading, i, cells, names) ||
			!fits_rows(reading, file, names->text))
			continue;
		reading->file[file].facts.by_sibling = xstrdup(names->text);
		run->file[file].kind = SOURCE_NVIDIA_QUERY;
		return;
	}
}

void reading_ask_siblings(struct reading *reading)
{
	struct strbuf names;

	strbuf_init(&names);
	for (size_t i = 0; i < reading->run->file_count; i++)
		if (is_headless(&reading->run->file[i]) && !reading->opt.columns &&
			!reading->file[i].unread)
			ask_siblings(reading, i, &names);
	strbuf_release(&names);
}
