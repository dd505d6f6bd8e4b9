/* nvidia-smi dmon and pmon: words into columns, clocks into days, rows into samples. */
#include "read/nvidia_dmon.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/gpu_loss.h"
#include "read/identity.h"
#include "read/lines.h"
#include "read/log.h"

/* A line into words: of tables for a terminal most bytes are blanks. */

bool dmon_word(struct span *rest, bool commas, struct span *word)
{
	const char *comma, *end;

	if (!commas) {
		*word = span_word(rest);
		return word->len > 0;
	}
	if (!rest->at)
		return false;
	end = rest->at + rest->len;
	comma = memchr(rest->at, ',', rest->len);
	*word = span_trim(
		(struct span){rest->at, (size_t)((comma ? comma : end) - rest->at)});
	*rest = comma ? (struct span){comma + 1, (size_t)(end - comma) - 1} : SPAN_NONE;
	return true;
}

/*
 * Eight bytes of text in one word, the first byte lowest on any machine: most runs of
 * blanks, and most words, are shorter, so one word shows where they end.
 */
#define EIGHT 8 /* bytes of a word */

/* The bytes from there on; behind the end, where nothing is read, NULs. at <= end. */
static uint64_t eight_load(const char *at, const char *end)
{
	unsigned char copy[EIGHT] = {0};
	const unsigned char *byte = (const unsigned char *)at;

	if (end - at < EIGHT) {
		memcpy(copy, at, (size_t)(end - at));
		byte = copy;
	}
	return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 |
		(uint64_t)byte[3] << 24 | (uint64_t)byte[4] << 32 |
		(uint64_t)byte[5] << 40 | (uint64_t)byte[6] << 48 |
		(uint64_t)byte[7] << 56;
}

/* How many of the first bytes are blanks. */
static unsigned eight_blanks(uint64_t word)
{
	uint64_t others = word ^ UINT64_C(0x2020202020202020);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : EIGHT;
}

/* How many of the first bytes are neither a blank nor a control character. A borrow
 * spoils only bytes behind the first one that is. */
static unsigned eight_solid(uint64_t word)
{
	uint64_t others = (word - UINT64_C(0x2121212121212121)) & ~word &
		UINT64_C(0x8080808080808080);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : EIGHT;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *pass_blanks(const char *at, const char *end)
{
	unsigned blanks;

	do
		at += blanks = eight_blanks(eight_load(at, end));
	while (blanks == EIGHT);
	return at;
}

static const char *pass_word(const char *at, const char *end)
{
	unsigned solid;

	do
		at += solid = eight_solid(eight_load(at, end));
	while (solid == EIGHT);
	return at;
}

/* As span_word() does, all words of a line. */
static void split_at_blanks(struct dmon_rows *s, struct span line)
{
	const char *at = line.at, *end = at + line.len;

	for (;;) {
		const char *from;

		at = pass_blanks(at, end);
		while (at < end && is_blank(*at))
			at++; /* a tab */
		if (at == end)
			return;
		from = at;
		at = pass_word(at, end);
		while (at < end && !is_blank(*at))
			at = pass_word(at + 1, end); /* another control character */
		ALLOC_NEXT(s->word, s->words, s->word_cap) =
			(struct span){from, (size_t)(at - from)};
	}
}

/* Cells between commas, or words up to the last column, which is the rest of the line. */
static void split_by_each(struct dmon_rows *s, struct span line, size_t columns)
{
	struct span word;

	while (!(s->rest && s->words + 1 == columns) &&
		dmon_word(&line, s->commas, &word)) {
		ALLOC_NEXT(s->word, s->words, s->word_cap) = word;
	}
	if (s->rest && s->words + 1 == columns && line.at) {
		ALLOC_NEXT(s->word, s->words, s->word_cap) =
			span_trim(line); /* a command may have no name */
	}
}

void dmon_split(struct dmon_rows *s, struct span line, size_t columns)
{
	s->words = 0;
	if (s->commas || s->rest || s->log->opt->general)
		split_by_each(s, line, columns);
	else
		split_at_blanks(s, line);
}

static bool has_commas(struct span line)
{
	return line.len && memchr(line.at, ',', line.len);
}

/* Behind the '#' that the csv form may lack. */
static struct span without_hash(struct span line)
{
	if (span_begins(line, "#"))
		line.at++, line.len--;
	return line;
}

struct span dmon_names(struct span line, bool *commas)
{
	*commas = has_commas(line);
	return without_hash(line);
}

/* What only a table of processes has: one damaged name does not hide them all. */
static bool is_of_process(struct span word)
{
	return span_is_nocase(word, "pid") || span_is_nocase(word, "type") ||
		span_is_nocase(word, "command");
}

bool dmon_is_header(enum source_kind kind, struct span line)
{
	bool commas = has_commas(line), gpu = false, metric = false, process = false;
	bool hash = span_begins(line, "#");
	bool unknown = false;
	struct span word;

	if (!commas && !hash)
		return false;
	line = without_hash(line);
	while (dmon_word(&line, commas, &word)) {
		enum role role = column_role(kind, cell_strip_unit(word));

		if (!gpu && role != ROLE_INDEX && role != ROLE_DATE && role != ROLE_CLOCK)
			return false;
		gpu |= role == ROLE_INDEX;
		metric |= role == ROLE_METRIC;
		process |= is_of_process(word);
		unknown |= role == ROLE_IGNORED;
	}
	/* another tool's table may have some of its names */
	return gpu && metric && (hash || !unknown) &&
		process == (kind == SOURCE_NVIDIA_PMON);
}

/* A metric is a number or a dash; states are left to the reader. */
static bool could_be(enum source_kind kind, struct span word, struct span name)
{
	const struct binding *binding = binding_find(kind, name);
	enum role role = column_role(kind, name);
	uint64_t pid;
	int32_t index;
	int64_t value;

	if (role == ROLE_INDEX)
		return cell_read_index(word, &index);
	if (role == ROLE_DATE)
		return time_parse_date(word, &value);
	if (role == ROLE_CLOCK)
		return time_parse_clock(word, &value);
	if (role == ROLE_METRIC)
		return metric_is_state(binding->metric) || cell_is_missing(word) ||
			number_scaled(word, 1, &value);
	return role != ROLE_PID || cell_is_missing(word) || number_unsigned(word, &pid);
}

bool dmon_fits(enum source_kind kind, struct span line, const struct csv_row *names)
{
	bool commas = has_commas(line), rest = false;
	struct span word;
	size_t i;

	for (i = 0; i < names->count && dmon_word(&line, commas, &word); i++) {
		if (!could_be(kind, word, names->cell[i]))
			return false;
		rest = column_role(kind, names->cell[i]) == ROLE_COMMAND;
	}
	return i == names->count && (rest || !dmon_word(&line, commas, &word));
}

/* The line of units names the unit of the GPU's index. */
static bool is_unit_line(struct span line)
{
	bool commas = has_commas(line);
	struct span word;

	if (span_begins(line, "#"))
		return true;
	if (!memchr(line.at, 'x', line.len) && !memchr(line.at, 'X', line.len))
		return false; /* as nearly all rows */
	while (dmon_word(&line, commas, &word))
		if (span_is_nocase(word, "idx"))
			return true;
	return false;
}

static void set_columns(struct dmon_rows *s, const struct span *name, size_t count)
{
	columns_clear(&s->columns);
	s->rows_in_place = 0;
	for (size_t i = 0; i < count; i++)
		columns_add(&s->columns, s->log, s->kind, name[i]);
	s->rest = s->columns.count &&
		s->columns.at[s->columns.count - 1].role == ROLE_COMMAND;
}

static void name_columns(struct dmon_rows *s, struct span line)
{
	s->rest = false;
	line = dmon_names(line, &s->commas);
	dmon_split(s, line, 0);
	set_columns(s, s->word, s->words);
	s->header_pending = true;
}

/* Nothing was said of its names, so that nothing would be if it came again. */
static bool is_quiet(const struct dmon_rows *s)
{
	for (size_t i = 0; i < s->columns.count; i++)
		if (s->columns.at[i].role == ROLE_IGNORED ||
			s->columns.at[i].role == ROLE_KNOWN || s->columns.at[i].spare)
			return false;
	return s->log->facts.gpu_column == GPU_COLUMN_NUMBER &&
		!s->log->facts.route.around && !prefix_is_any(&s->log->facts.prefix) &&
		!s->log->opt->general;
}

static bool is_again(const struct strbuf *kept, struct span line)
{
	return kept->len && span_equal((struct span){kept->text, kept->len}, line);
}

static void take_header(struct dmon_rows *s, struct span line)
{
	name_columns(s, line);
	strbuf_clear(&s->units);
	strbuf_clear(&s->header);
	if (is_quiet(s))
		strbuf_add(&s->header, line.at, line.len);
}

/* --columns, of a table whose header is lost, if the line could be a row of it. */
static void use_columns(struct dmon_rows *s, struct span line)
{
	struct csv_row names;

	names = csv_row_of(span_of(s->log->opt->columns));
	if (dmon_fits(s->kind, line, &names)) {
		s->commas = has_commas(line);
		set_columns(s, names.cell, names.count);
	}
	csv_row_release(&names);
}

/* A terminal shows ^C between whatever was written just before and after. */
static struct span without_interrupt(struct dmon_rows *s, struct span line)
{
	strbuf_clear(&s->text);
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] == '^' && i + 1 < line.len && line.at[i + 1] == 'C')
			i++;
		else
			strbuf_addc(&s->text, line.at[i]);
	return span_trim((struct span){s->text.text, s->text.len});
}

/* A line of a table for people, or of words: a row begins with a number, and so does what
 * is left of one. */
static bool is_talk(struct span line)
{
	struct span word;

	if (line.len > 1 && strchr("+|", line.at[0]) && line.at[0])
		return line.at[line.len - 1] == line.at[0];
	word = span_word(&line);
	for (size_t i = 0; i < word.len; i++)
		if ((word.at[i] | 0x20) < 'a' || (word.at[i] | 0x20) > 'z')
			return i > 1 && word.at[i] == ':';
	return word.len > 1;
}

/* What a loop around nvidia-smi prints: the time, the echo of a command, a rule. */
static bool is_noise(struct dmon_rows *s, struct span line)
{
	bool rule = line_is_rule(line) && line.at[1] != ' '; /* "- - -" was a row */

	if (!line_is_echo(line) && !rule && (line_is_complaint(line) || !is_talk(line)) &&
		(columns_have(&s->columns, ROLE_DATE) ||
			clock_line_kind(line, CLOCK_LACKS_NOTHING) == CLOCK_NOT))
		return false;
	log_note(s->log, false, "noise", SPAN_NONE,
		"not a row: '%s' (line skipped, and others like it)",
		log_quote(line).text);
	return true;
}

/* So no row begins. */
static bool begins_with_letter(struct span line)
{
	return line.len && (line.at[0] | 0x20) >= 'a' && (line.at[0] | 0x20) <= 'z';
}

/* A line as a row; false: it is none. */
static bool take_row(struct dmon_rows *s, struct span line)
{
	bool torn = input_line_torn(s->log->in), whole;

	if (!s->columns.count && s->log->opt->columns)
		use_columns(s, line);
	if (!s->columns.count) {
		if (torn || !is_noise(s, line))
			log_refuse(s->log, "no-header",
				"row before any header: '%s' (row skipped)",
				log_quote(line).text);
		return false;
	}
	if (begins_with_letter(line) && gpu_loss_is_said(line)) {
		log_hear(s->log, line);
		log_refuse(s->log, "prose",
			"not a row: '%s', expected %zu words (line skipped)",
			log_quote(line).text, s->columns.count);
		return false;
	}
	dmon_split(s, line, s->columns.count);
	/* without a command the word before it may be the one that was cut */
	whole = s->words == s->columns.count &&
		!(torn && s->rest && !s->commas && !s->word[s->words - 1].len);
	if (!whole) {
		if (torn)
			log_refuse(s->log, "torn-line",
				"file ends inside a line (row skipped)");
		else if (!is_noise(s, line))
			log_refuse(s->log, "field-count",
				"expected %zu words, found %zu: '%s' (row skipped)",
				s->columns.count, s->words, log_quote(line).text);
		return false;
	}
	columns_end_row(&s->columns, s->log, &s->word[s->words - 1]);
	return true;
}

/*
 * Units say nothing that is not known, but how many names there should be: fewer of them
 * show it in the rows, unless the last one takes the rest. A row may be glued to units.
 */
static void take_units(struct dmon_rows *s, struct span line)
{
	size_t names = s->columns.count;

	if (!names)
		return;
	dmon_split(s, without_hash(line), 0);
	if (s->words <= names && s->header.len) {
		strbuf_clear(&s->units);
		strbuf_add(&s->units, line.at, line.len);
	}
	if (s->words <= names)
		return;
	strbuf_clear(&s->header);
	log_refuse(s->log, "field-count",
		"more names than units: '%s'; a row is on the same line, or a column "
		"name is missing (row skipped)",
		log_quote(line).text);
	if (s->rest && s->words + 2 < 2 * names) /* too few for a row */
		columns_clear(&s->columns);
}

/* A lost end of line may put a header behind a row: it holds for the rows to come. */
static bool take_glued_header(struct dmon_rows *s, struct span line)
{
	const char *next = line.at, *end = line.at + line.len;
	struct span header = line;

	while ((next = memchr(next + 1, '#', (size_t)(end - next) - 1)))
		header = (struct span){next, (size_t)(end - next)};
	if (header.at == line.at || !dmon_is_header(s->kind, header))
		return false;
	log_refuse(s->log, "field-count",
		"header on the same line as a row: '%s' (row skipped)",
		log_quote(line).text);
	take_header(s, header);
	return true;
}

/*
 * The next row of the log, split into words; headers are taken in, what is no row is
 * refused. False: the end.
 */
static bool next_row(struct dmon_rows *s)
{
	struct span line;

	while (log_line(s->log, &line)) {
		if (memchr(line.at, '^', line.len))
			line = without_interrupt(s, line);
		if (!line.len ||
			(!columns_have(&s->columns, ROLE_DATE) &&
				columns_take_clock(&s->columns, s->log, line)))
			continue;
		if (line.at[0] == '#' && is_again(&s->units, line))
			continue;
		if (line.at[0] == '#' && is_again(&s->header, line))
			s->header_pending = true;
		else if (dmon_is_header(s->kind, line))
			take_header(s, line);
		else if (is_unit_line(line))
			take_units(s, line);
		else if (!take_glued_header(s, line) && take_row(s, line))
			return true;
	}
	return false;
}

/* On the day that puts it nearest to the row before, or to what is known of the run. */
static int64_t add_day(struct dmon_rows *s, int64_t clock_ns)
{
	if (!s->columns.has_row && s->log->near_ns == TIME_NONE && s->columns.has_time)
		log_note(s->log, false, "no-date", SPAN_NONE,
			"times have no date; 1970-01-01 is used");
	if (!s->columns.has_row)
		s->wall_ns = s->log->near_ns == TIME_NONE ? 0 : s->log->near_ns;
	s->wall_ns = clock_nearest_day(clock_ns, s->wall_ns) + clock_ns;
	return s->wall_ns;
}

/*
 * Time and GPU index of the row, wall_ns in the log's zone; false: refused. Without times
 * wall_ns means nothing.
 */
static bool read_ids(struct dmon_rows *s, int64_t *wall_ns, int32_t *gpu)
{
	const struct columns *columns = &s->columns;
	size_t date = columns_of(columns, ROLE_DATE),
	       clock = columns_of(columns, ROLE_CLOCK);
	size_t gpu_at = columns_of(columns, ROLE_INDEX), bad = columns->count;
	int64_t date_ns = TIME_NONE, clock_ns = 0, line_ns = TIME_NONE;

	*gpu = 0;
	if (!columns_line_time(&s->columns, s->log, &line_ns))
		return false;
	if (date < columns->count && !time_parse_date(s->word[date], &date_ns))
		bad = date;
	else if (clock < columns->count && !time_parse_clock(s->word[clock], &clock_ns))
		bad = clock;
	else if (gpu_at < columns->count && !cell_read_index(s->word[gpu_at], gpu))
		bad = gpu_at;
	if (bad < columns->count) {
		log_refuse(s->log, "bad-id",
			"invalid date, time or GPU index '%s' (row skipped)",
			log_quote(s->word[bad]).text);
		return false;
	}
	if (date_ns != TIME_NONE)
		*wall_ns = date_ns + clock_ns;
	else if (line_ns != TIME_NONE)
		*wall_ns = time_to_wall(line_ns, &s->log->zone);
	else
		*wall_ns = add_day(s, clock_ns);
	return true;
}

static void put_row(
	struct dmon_rows *s, struct sample_batch *batch, int64_t wall_ns, uint32_t device)
{
	batch->timed = s->columns.timed;
	columns_put_row(&s->columns, s->log, batch,
		s->columns.timed ? log_from_wall(s->log, wall_ns) : 0, device,
		&s->header_pending, s->word);
}

struct table {
	struct dmon_rows rows; /* which begin with the log */
	struct known_gpus gpus;
	struct known_processes processes; /* of pmon */
};

/* Of dmon: a row is a GPU at an instant. */
static void add_gpu(struct table *t, struct sample_batch *batch)
{
	struct dmon_rows *rows = &t->rows;
	struct gpu_id id = {.place = -1, .host = rows->log->line_host};
	int64_t wall_ns;
	uint32_t device;

	if (!read_ids(rows, &wall_ns, &id.index))
		return;
	if (!columns_accept_row(&rows->columns, rows->log))
		return;
	device = identity_gpu_again(&t->gpus, rows->log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(rows->log, "too-many",
			"more than %d GPUs in a run (row skipped)", IDENTITY_GPUS_MAX);
		return;
	}
	put_row(rows, batch, wall_ns, device);
}

/*
 * Of pmon: a row is a process on a GPU at an instant; the command is the rest of the
 * line. A GPU on which nothing runs has a row of dashes: it says that somebody looked.
 */

/* nvidia-smi cuts a command off after fifteen letters. */
#define COMMAND_WORDS_MAX 8

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

#define PADDED_ROWS 8 /* alike, so that one which differs is damaged */

/*
 * nvidia-smi pads its columns: their words end, and the command begins, equally far
 * behind the first word. Do these, in a log that has kept its blanks? No command has two
 * blanks.
 */
static bool is_in_place(struct dmon_rows *rows)
{
	const struct span *word = rows->word, *last = &word[rows->words - 1];
	const char *from = word->at + word->len;
	size_t place = 0, command = last->len ? (size_t)(last->at - from) : rows->command;
	bool alike;

	if ((last->len && last->at - (last[-1].at + last[-1].len) < 2) ||
		(from > rows->text.text && from <= rows->text.text + rows->text.len))
		return true; /* or the row had a ^C */
	for (word++; word < last; word++)
		place = place * 31 + (size_t)(word->at + word->len - from);
	alike = place == rows->place && command == rows->command;
	if ((!alike || span_has_nocase(*last, "  ")) &&
		rows->rows_in_place >= PADDED_ROWS)
		return false;
	rows->rows_in_place = alike ? rows->rows_in_place + 1 : 1;
	rows->place = place;
	rows->command = command;
	return true;
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
			"comma without a space, unlike the other commas (row skipped)");
		return false;
	}
	for (size_t i = 0; i < rows->columns.count; i++) {
		struct span word = rows->word[i];
		bool command = column[i].role == ROLE_COMMAND;

		if (command ? !has_row(rows, word) : fits(&column[i], word))
			continue;
		log_refuse(rows->log, "field-count",
			command ? "another row inside the command '%s' (row skipped)"
				: "'%s' doesn't fit its column (row skipped)",
			log_quote(word).text);
		return false;
	}
	if (!is_in_place(rows)) {
		log_refuse(rows->log, "field-count",
			"columns before '%s' are not where they are in other rows (row "
			"skipped)",
			log_quote(rows->word[cells - 1]).text);
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
	const struct columns *columns = &rows->columns;

	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC &&
			columns->at[i].kind == KIND_STATE)
			id->context = context_of(rows->word[i]);
	return columns_read_process(columns, rows->log, rows->word, id);
}

static void add_process(struct table *t, struct sample_batch *batch)
{
	struct dmon_rows *rows = &t->rows;
	struct log *log = rows->log;
	struct gpu_id gpu = {.place = -1, .host = rows->log->line_host};
	struct process_id id = {.pid = -1, .context = CONTEXT_ANY};
	int64_t wall_ns;
	uint32_t device;

	if (!read_ids(rows, &wall_ns, &gpu.index) || !read_process(rows, &id) ||
		!accept_words(rows))
		return;
	if (!columns_have(&rows->columns, ROLE_PID)) {
		log_refuse(log, "no-id", "row without a pid (row skipped)");
		return;
	}
	if (!columns_accept_row(&rows->columns, log))
		return;
	device = id.gpu = identity_gpu_again(&t->gpus, log->run, &gpu);
	if (id.gpu != IDENTITY_NONE && id.pid >= 0)
		device = identity_process(&t->processes, log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(log, "too-many",
			"more than %d GPUs or %d processes (row skipped)",
			IDENTITY_GPUS_MAX, IDENTITY_PROCESSES_MAX);
		return;
	}
	put_row(rows, batch, wall_ns, device);
	if (id.pid < 0)
		sample_batch_blank(batch, batch->rows - 1);
}

static void table_fill(void *state, struct sample_batch *batch)
{
	struct table *t = state;

	t->rows.columns.bound = false;
	while (!sample_batch_full(batch) && next_row(&t->rows))
		t->rows.kind == SOURCE_NVIDIA_DMON ? add_gpu(t, batch)
						   : add_process(t, batch);
}

static void table_end(void *state)
{
	struct table *t = state;
	struct dmon_rows *rows = &t->rows;

	known_processes_release(&t->processes);
	columns_release(&rows->columns);
	strbuf_release(&rows->text);
	strbuf_release(&rows->header);
	strbuf_release(&rows->units);
	free(rows->word);
}

static void table_begin(void *state, enum source_kind kind)
{
	struct table *t = state;

	t->rows.kind = kind;
}

static int table_bid(enum source_kind kind, const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (dmon_is_header(kind, probe->line[i]))
			return 60;
	return 0;
}

static int dmon_bid(const struct probe *probe)
{
	return table_bid(SOURCE_NVIDIA_DMON, probe);
}

static int pmon_bid(const struct probe *probe)
{
	return table_bid(SOURCE_NVIDIA_PMON, probe);
}

static enum claim dmon_claims(struct span line)
{
	return dmon_is_header(SOURCE_NVIDIA_DMON, line) ? CLAIM_ON : CLAIM_NONE;
}

static enum claim pmon_claims(struct span line)
{
	return dmon_is_header(SOURCE_NVIDIA_PMON, line) ? CLAIM_ON : CLAIM_NONE;
}

const struct format format_nvidia_dmon = {.kind = SOURCE_NVIDIA_DMON,
	.bid = dmon_bid,
	.claims = dmon_claims,
	.state_size = sizeof(struct table),
	.begin = table_begin,
	.fill = table_fill,
	.end = table_end};

const struct format format_nvidia_pmon = {.kind = SOURCE_NVIDIA_PMON,
	.bid = pmon_bid,
	.claims = pmon_claims,
	.state_size = sizeof(struct table),
	.begin = table_begin,
	.fill = table_fill,
	.end = table_end};
