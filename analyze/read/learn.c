/*
 * What is to be known of a file before its rows can be read, and one line alone does not
 * tell: what another program put before its lines, the order of its dates, lines around
 * the rows that say the time, what a column "gpu" holds, the header that another file of
 * the log has.
 */
#include "read/learn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/headerless.h"
#include "read/identity.h"
#include "read/json.h"
#include "read/lines.h"
#include "read/log.h"
#include "read/nvidia_dmon.h"

/*
 * What another program put before the lines of a log, or around them: found by the first
 * lines, some of which are headers of nvidia-smi or rows behind it.
 */

/* Of dmon or pmon: "# gpu ...", "#Date ...". */
static bool is_scroll_header(struct span line)
{
	struct span rest = line, word = span_word(&rest);

	if (span_is(word, "#"))
		word = span_word(&rest);
	else if (!span_begins(word, "#"))
		return false;
	else
		word.at++, word.len--;
	if (word.len && word.at[word.len - 1] == ',') /* of the csv form */
		word.len--;
	return span_is_nocase(word, "gpu") || span_is_nocase(word, "date") ||
		span_is_nocase(word, "time");
}

/* What a name means in a query of GPUs, or else of processes; nothing: ROLE_IGNORED. */
static enum role header_role(struct span cell)
{
	struct span name = cell_strip_unit(cell);
	enum role role = column_role(SOURCE_NVIDIA_QUERY, name);

	return role != ROLE_IGNORED ? role : column_role(SOURCE_NVIDIA_APPS, name);
}

/* Of a query: the first cell is a known name, and so are most of the others. */
static bool is_csv_header(const struct csv_row *row)
{
	size_t known = 0;

	if (header_role(row->cell[0]) == ROLE_IGNORED)
		return false;
	for (size_t i = 0; i < row->count; i++)
		known += header_role(row->cell[i]) != ROLE_IGNORED;
	return row->count > 1 && 2 * known > row->count;
}

/* Of dmon or pmon, or of a query; then row holds its names. */
static bool header_is(struct csv_row *row, struct span line)
{
	if (is_scroll_header(line))
		return true;
	csv_split(row, line);
	return is_csv_header(row);
}

/* A row of a query without its header, or a line that says by itself what it is. */
static bool header_is_amounts(struct csv_row *row, struct span line)
{
	int64_t number;

	if (format_proc_stat.claims(line))
		return true;
	csv_split(row, line);
	return headerless_is_amount(row->cell[0]) ||
		(row->count > 1 && number_scaled(row->cell[0], 1, &number));
}

/* The same where any words may stand before it. */
static bool header_is_row(struct csv_row *row, struct span line)
{
	csv_split(row, line);
	return row->count > 1 &&
		(headerless_is_amount(row->cell[0]) || headerless_begins_with_time(row));
}

/* A header that has no time, of a query; row holds it. */
static bool header_is_timeless(const struct csv_row *row, struct span line)
{
	for (size_t i = 0; i < row->count; i++) {
		enum role role = header_role(row->cell[i]);

		if (role == ROLE_TIME || role == ROLE_EPOCH)
			return false;
	}
	return !is_scroll_header(line);
}

/* Strings of JSON objects as lines. */

/* Where loggers put what was said. */
static const char *const members[] = {"log", "message", "msg", "textPayload", "MESSAGE",
	"line", "body", "text", "event", "jsonPayload.message", "record.message",
	"fields.message"};

#define MEMBERS (sizeof members / sizeof members[0])

/* A row, and no sentence that begins with a number and a unit. */
static bool is_row(struct csv_row *row, struct span line)
{
	int64_t number;

	return header_is_row(row, line) &&
		(headerless_is_amount(row->cell[1]) ||
			number_scaled(row->cell[1], 1, &number));
}

/* The object of a line, behind some words, and their number. */
static bool find_object(struct span line, struct span *object, size_t *words)
{
	*object = span_trim(line);
	for (*words = 0; *words <= PREFIX_WORDS_MAX; ++*words) {
		if (span_begins(*object, "{"))
			return true;
		prefix_word(object);
		*object = span_trim(*object);
	}
	return false;
}

/* How many lines have a header, or else a row, in a member. */
struct found {
	size_t words;
	size_t headers[MEMBERS], rows[MEMBERS];
	bool timed;
};

static void look_at(struct found *found, struct message *message, struct csv_row *row,
	struct span object)
{
	struct span line;

	if (!message_read(message, object, members[0], &ZONE_UTC))
		return;
	for (size_t m = 0; m < MEMBERS; m++) {
		message_take(message, members[m]);
		if (!message_line(message, &line) || !line.len)
			continue;
		if (header_is(row, line))
			found->headers[m]++;
		else
			found->rows[m] += is_row(row, line);
	}
	found->timed |= message->timed;
}

static bool message_find(
	const struct probe *probe, struct csv_row *row, struct prefix *prefix)
{
	struct message message = {0};
	struct found found = {0};
	bool any = false;

	for (size_t i = 0; i < probe->count; i++) {
		struct span object;
		size_t words;

		if (!find_object(probe->line[i], &object, &words) ||
			(any && words != found.words))
			continue;
		any = true;
		found.words = words;
		look_at(&found, &message, row, object);
	}
	message_release(&message);
	for (size_t m = 0; m < MEMBERS && any; m++) {
		if (!found.headers[m] && found.rows[m] * 10 < probe->count * 9)
			continue;
		*prefix = (struct prefix){.words = found.words,
			.member = members[m],
			.object_time = found.timed};
		return true;
	}
	return false;
}

/* The first line that is a header behind some words, and none with them. */

#define GLUE_MAX    160 /* bytes that may be glued to a header */
#define TRIED_LINES 3 /* of those without a header: all look alike */

/* A comma is that of a cell, but within parentheses, or before parts of a second. */
static bool has_cell(struct span before)
{
	int depth = 0;

	for (size_t i = 0; i < before.len; i++) {
		const char *c = before.at + i;

		depth += *c == '(';
		depth -= *c == ')' && depth;
		if (*c == ',' && !depth &&
			!(i >= 3 && c[-3] == ':' && is_digit(c[-2]) && is_digit(c[-1]) &&
				i + 1 < before.len && is_digit(c[1])))
			return true;
	}
	return false;
}

/* What is cut off is words, or a cell if it is a time; something is left. */
static bool cut_line(struct span line, const struct prefix *prefix, struct span *before,
	struct span *rest)
{
	if (!prefix_split(line, prefix, before, rest) || !rest->len)
		return false;
	if (prefix->glue == ',')
		before->len--;
	return !has_cell(*before);
}

static size_t words_of(const struct prefix *prefix)
{
	return prefix->words + (prefix->glues > 0);
}

/* A time whose zone is known: a word in capitals may be a level, as in Python's logs. */
static bool says_sure_time(struct span line, const struct prefix *prefix)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return clock_line_read(&clock, prefix_time(line, prefix), &utc, DAYS_UNKNOWN,
		       &t_ns) == CLOCK_TIME &&
		!(clock.zone_word.len && clock.zone_ns == TIME_NONE);
}

/* The longest run of words that is a time. */
static bool find_time(struct prefix *prefix, struct span line,
	bool (*says)(struct span line, const struct prefix *prefix))
{
	size_t words = words_of(prefix);

	for (size_t len = words; len > 0; len--)
		for (size_t from = 0; from + len <= words; from++) {
			prefix->time_from = from;
			prefix->time_to = from + len;
			if (says(line, prefix))
				return true;
		}
	prefix->time_from = prefix->time_to = 0;
	return false;
}

static bool find_any_time(struct prefix *prefix, struct span line)
{
	if (find_time(prefix, line, says_sure_time))
		return true;
	for (prefix->lacks = CLOCK_LACKS_NOTHING; prefix->lacks <= CLOCK_LACKS_DATE;
		prefix->lacks++)
		if (find_time(prefix, line, prefix_says_time))
			return true;
	prefix->lacks = CLOCK_LACKS_NOTHING;
	return false;
}

/* The lines that such a prefix could stand before, of a cell all of them times. */
static size_t count_fitting(const struct probe *probe, const struct prefix *prefix)
{
	size_t fit = 0;

	for (size_t i = 0; i < probe->count; i++) {
		struct span before, rest;

		fit += cut_line(probe->line[i], prefix, &before, &rest) &&
			(prefix->glue != ',' || prefix_says_time(probe->line[i], prefix));
	}
	return fit;
}

/* Quick: nearly all text is none. */
static bool may_begin_header(struct span text)
{
	size_t len = 0;

	if (span_begins(text, "#"))
		return true;
	while (len < text.len && !glued_is_border(text.at[len]) && text.at[len] != ' ')
		len++;
	return len && header_role((struct span){text.at, len}) != ROLE_IGNORED;
}

/* Behind a character of the line's next word there is a header. */
static bool find_glue(struct prefix *prefix, struct csv_row *row, struct span line)
{
	struct span before, rest;

	if (!prefix_split(line, prefix, &before, &rest))
		return false;
	for (size_t i = 0; i < rest.len && i < GLUE_MAX; i++) {
		struct span text =
			span_trim((struct span){rest.at + i + 1, rest.len - i - 1});

		if (rest.at[i] == ' ' || rest.at[i] == '\t')
			return false;
		if (!(glued_is_border(rest.at[i]) || (!i && rest.at[i] == '-')) ||
			rest.at[i] == '"' || !may_begin_header(text) ||
			!header_is(row, text))
			continue;
		prefix->glue = rest.at[i];
		for (size_t k = 0; k <= i; k++)
			prefix->glues += rest.at[k] == prefix->glue;
		return true;
	}
	return false;
}

/* What stands before a line that is a header behind it. */
static bool find_before(
	struct prefix *prefix, struct csv_row *row, const struct probe *probe, size_t at)
{
	struct span line = probe->line[at], before, rest;

	for (size_t k = 1; k <= PREFIX_WORDS_MAX; k++) {
		*prefix = (struct prefix){.words = k};
		if (cut_line(line, prefix, &before, &rest) && header_is(row, rest)) {
			find_any_time(prefix, line);
			return true;
		}
	}
	for (size_t k = 0; k < PREFIX_WORDS_MAX; k++) {
		*prefix = (struct prefix){.words = k};
		if (!find_glue(prefix, row, line) ||
			!cut_line(line, prefix, &before, &rest))
			continue;
		find_any_time(prefix, line);
		if ((prefix->glue != ',' || prefix->time_to) &&
			2 * count_fitting(probe, prefix) >= probe->count)
			return true;
	}
	*prefix = (struct prefix){0};
	return false;
}

/* "Thu Aug  8 15:42:09" before "2024,0,0": the time is a cell of the row. */
static bool cuts_time_cell(struct span line, struct span rest)
{
	const char *comma = memchr(line.at, ',', line.len);

	return comma && comma > rest.at &&
		clock_is_cell((struct span){line.at, (size_t)(comma - line.at)});
}

/* Nearly all lines begin with so many words, a time among them, before amounts. */
static bool all_have_time(
	const struct probe *probe, struct csv_row *row, const struct prefix *prefix)
{
	bool whole = prefix->time_to - prefix->time_from == prefix->words;
	size_t fit = 0;

	for (size_t i = 0; i < probe->count; i++) {
		struct span before, rest;

		fit += cut_line(probe->line[i], prefix, &before, &rest) &&
			!cuts_time_cell(probe->line[i], rest) &&
			prefix_says_time(probe->line[i], prefix) &&
			(header_is_row(row, rest) ||
				(whole && header_is_amounts(row, rest)));
	}
	return fit && fit * 10 >= probe->count * 9;
}

/* "97 %", "97": no word that stands before the row. */
static bool is_value(struct span cell)
{
	int64_t number;

	return headerless_is_amount(cell) || number_scaled(cell, 1, &number);
}

/*
 * Nearly all lines behind a header are times, and other words, before so many cells as it
 * has. value: the first of these is one; else there is no word but the time.
 */
static bool rows_have_time(const struct probe *probe, struct csv_row *row, size_t header,
	size_t cells, const struct prefix *prefix, bool value)
{
	bool whole = prefix->time_to - prefix->time_from == words_of(prefix);
	size_t fit = 0, lines = 0;

	for (size_t i = header + 1; i < probe->count; i++) {
		struct span before, rest;

		if (header_is(row, probe->line[i])) {
			if (!header_is_timeless(row, probe->line[i]))
				return false; /* the time is a cell of its rows */
			continue;
		}
		lines++;
		if (!cut_line(probe->line[i], prefix, &before, &rest) ||
			!prefix_says_time(probe->line[i], prefix))
			continue;
		csv_split(row, rest);
		fit += row->count == cells && (value ? is_value(row->cell[0]) : whole);
	}
	return fit && fit * 10 >= lines * 9;
}

/* The words before each row of a header that stands alone, the last ones perhaps a cell.
 */
static struct prefix find_before_rows(
	const struct probe *probe, struct csv_row *row, size_t header)
{
	size_t cells = row->count;

	if (!header_is_timeless(row, probe->line[header]))
		return (struct prefix){0};
	for (int value = 1; value >= 0; value--)
		for (size_t i = 0; i < TRIED_LINES && header + 1 + i < probe->count; i++)
			for (size_t k = 0; k < 2 * PREFIX_WORDS_MAX; k++) {
				struct prefix prefix = {.words = k / 2,
					.glue = ',',
					.glues = 1,
					.rows_only = true};

				if (k % 2) {
					prefix.words++;
					prefix.glue = 0;
					prefix.glues = 0;
				}
				if (find_any_time(&prefix, probe->line[header + 1 + i]) &&
					rows_have_time(probe, row, header, cells, &prefix,
						value))
					return prefix;
			}
	return (struct prefix){0};
}

/*
 * A clock without a date is one if it goes on; a length that is measured anew for each
 * line (ts -i) does not. What begins within a minute counts from the first line (ts -s).
 */
static bool is_clock(struct prefix *prefix, const struct probe *probe)
{
	struct clock_line clock = {.lacks = prefix->lacks};
	int64_t first_ns = TIME_NONE, last_ns = 0, t_ns;
	bool back = false;

	for (size_t i = 0; i < probe->count; i++) {
		if (clock_line_read(&clock, prefix_time(probe->line[i], prefix),
			    &ZONE_UTC, DAYS_UNKNOWN, &t_ns) != CLOCK_TIME)
			continue;
		first_ns = first_ns == TIME_NONE ? t_ns : first_ns;
		back |= t_ns < last_ns;
		clock.near_ns = last_ns = t_ns;
	}
	prefix->elapsed = first_ns < 60 * NS_PER_S;
	return !back && last_ns != first_ns;
}

static struct prefix find_without_header(const struct probe *probe, struct csv_row *row)
{
	struct span before, rest;

	for (size_t i = 0; i < probe->count && i < TRIED_LINES; i++)
		for (size_t k = 1; k <= PREFIX_WORDS_MAX; k++) {
			struct prefix prefix = {.words = k};

			if (cut_line(probe->line[i], &prefix, &before, &rest) &&
				find_any_time(&prefix, probe->line[i]) &&
				all_have_time(probe, row, &prefix))
				return prefix;
		}
	return (struct prefix){0};
}

/* "{...}" alone, but for a mark before it, which tells what it is (":::MLLOG"). */
static bool is_object(struct span before, struct span rest)
{
	return rest.len > 1 && rest.at[0] == '{' && rest.at[rest.len - 1] == '}' &&
		!span_has_nocase(before, ":::");
}

/* A logger's words before objects, with the time among them. */
static struct prefix find_before_objects(const struct probe *probe)
{
	struct span before, rest;

	for (size_t k = 1; k <= PREFIX_WORDS_MAX; k++) {
		struct prefix prefix = {.words = k};
		size_t objects = 0;

		for (size_t i = 0; i < probe->count; i++) {
			if (!cut_line(probe->line[i], &prefix, &before, &rest) ||
				!is_object(before, rest))
				continue;
			objects += objects || find_any_time(&prefix, probe->line[i]);
		}
		if (objects > 1 && 2 * objects > probe->count)
			return prefix;
	}
	return (struct prefix){0};
}

/* Each line has a host, and there are several. */
static bool have_hosts(const struct probe *probe, const struct prefix *prefix)
{
	struct span first = {NULL, 0};
	bool others = false;

	for (size_t i = 0; i < probe->count; i++) {
		struct span host = prefix_host(probe->line[i], prefix);

		if (!host.len)
			return false;
		if (!first.len)
			first = host;
		others |= !span_equal(first, host);
	}
	return others;
}

/* What is glued to headers is names of files, of which more may come; or it differs. */
static bool have_files(
	const struct probe *probe, struct csv_row *row, const struct prefix *prefix)
{
	struct span first = {NULL, 0}, before, rest;
	bool file = false;

	for (size_t i = 0; i < probe->count && prefix->glue == ':' && !file; i++) {
		struct span host = prefix_host(probe->line[i], prefix);

		if (!host.len || !prefix_split(probe->line[i], prefix, &before, &rest) ||
			!header_is(row, rest))
			continue;
		if (!first.len)
			first = host;
		file = !span_equal(first, host) || memchr(host.at, '.', host.len) ||
			memchr(host.at, '/', host.len);
	}
	return file;
}

static bool are_hosts(
	const struct probe *probe, struct csv_row *row, const struct prefix *prefix)
{
	struct prefix with_host = *prefix;

	with_host.host = true;
	return prefix->glues ? have_files(probe, row, &with_host)
			     : have_hosts(probe, &with_host);
}

struct prefix prefix_find(const struct probe *probe)
{
	struct prefix prefix = {0};
	bool headed = false;
	struct csv_row row = csv_row_new();

	if (message_find(probe, &row, &prefix)) {
		find_any_time(&prefix, probe->line[0]);
		csv_row_release(&row);
		return prefix;
	}
	for (size_t i = 0; i < probe->count && !headed; i++) {
		if (line_is_echo(probe->line[i]))
			continue;
		headed = header_is(&row, probe->line[i]);
		if (headed)
			prefix = find_before_rows(probe, &row, i);
		else
			headed = find_before(&prefix, &row, probe, i);
	}
	if (!headed)
		prefix = find_without_header(probe, &row);
	if (!headed && !prefix_is_any(&prefix))
		prefix = find_before_objects(probe);
	else if (headed && prefix_is_any(&prefix))
		prefix.host = are_hosts(probe, &row, &prefix);
	if (prefix.lacks == CLOCK_LACKS_DATE && !is_clock(&prefix, probe)) {
		prefix.time_from = prefix.time_to = 0;
		prefix.lacks = CLOCK_LACKS_NOTHING;
		if (!headed) /* nothing else shows it */
			prefix = (struct prefix){0};
	}
	csv_row_release(&row);
	return prefix;
}

/* The words before two lines, but for the time. */
static bool same_task(struct span a, struct span b, const struct prefix *prefix)
{
	struct span before_a, before_b, rest;

	if (!prefix_split(a, prefix, &before_a, &rest) ||
		!prefix_split(b, prefix, &before_b, &rest))
		return false;
	for (size_t i = 0; i < words_of(prefix); i++) {
		struct span x = prefix_word(&before_a), y = prefix_word(&before_b);

		if ((i < prefix->time_from || i >= prefix->time_to) && !span_equal(x, y))
			return false;
	}
	return true;
}

bool prefix_is_mixed(const struct probe *probe, const struct prefix *prefix)
{
	size_t first = probe->count, other = probe->count;
	bool again = false;
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count && !again; i++) {
		struct span line = probe->line[i], before, rest;
		bool header = prefix_split(line, prefix, &before, &rest) &&
			header_is(&row, rest);

		if (header && first == probe->count)
			first = i;
		else if (header && other == probe->count &&
			!same_task(line, probe->line[first], prefix))
			other = i;
		else if (other < probe->count)
			again = same_task(line, probe->line[first], prefix);
	}
	csv_row_release(&row);
	return again && !prefix->host;
}

/* A header of rows without a time. */
static bool is_header_without_time(struct csv_row *row, struct span line)
{
	if (!header_is(row, line))
		return false;
	return header_is_timeless(row, line) ||
		(span_begins(line, "#") && !span_has_nocase(line, "date") &&
			!span_has_nocase(line, "time"));
}

bool prefix_is_timeless(const struct probe *probe, const struct prefix *prefix)
{
	bool timeless = false;
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count && !timeless && !prefix_has_time(prefix);
		i++) {
		struct span before, rest;

		timeless = prefix_split(probe->line[i], prefix, &before, &rest) &&
			is_header_without_time(&row, rest);
	}
	csv_row_release(&row);
	return timeless;
}

#define DATE_MAX 10 /* "03/04/2024" */

/* A date in some line, and what its weekday and its clock say. */
struct when {
	char date[DATE_MAX];
	size_t len; /* 0: none */
	int64_t t_ns[DAY_FIRST +
		1]; /* by order; TIME_NONE: it can't be so, or no clock */
};

struct day_evidence {
	enum day_order order;
	bool either; /* a date that may be either has come */
	struct when last; /* the last date */
};

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

/* "03/04/2024" or "03-04-2024" around its first slash, with nothing glued to it; else
 * false. */
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
	if (to == end || *to != *slash || digits(to + 1, end) != 4)
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

/* False: the text is no time, nor the date of one. */
static bool set_when(struct when *when, struct clock_line *clock, const char *from,
	struct span date, const char *to)
{
	struct span text = {from, (size_t)(to - from)};
	bool is = false;

	*when = (struct when){.len = date.len};
	memcpy(when->date, date.at, date.len);
	for (enum day_order order = DAY_FIRST + 1; order-- > DAYS_UNKNOWN;) {
		enum clock_result result;

		*clock = (struct clock_line){0};
		when->t_ns[order] = TIME_NONE;
		result = clock_line_read(
			clock, text, &ZONE_UTC, order, &when->t_ns[order]);
		if (result != CLOCK_TIME)
			when->t_ns[order] = TIME_NONE;
		is = result == CLOCK_TIME || result == CLOCK_PART;
	}
	return is;
}

/* From one date to the next it is less than half a day. */
static bool passes_midnight(
	const struct when *before, const struct when *after, enum day_order order)
{
	int64_t from_ns = before->t_ns[order], to_ns = after->t_ns[order];

	return from_ns != TIME_NONE && to_ns != TIME_NONE && to_ns >= from_ns &&
		to_ns - from_ns < NS_PER_DAY / 2;
}

static void take_date(struct day_evidence *e, struct span line, struct span date)
{
	const char *to = behind_clock(date.at + date.len, line.at + line.len);
	struct clock_line clock;
	struct when when;

	/* of one day only the last time counts */
	if (span_equal(date, (struct span){e->last.date, e->last.len})) {
		if (set_when(&when, &clock, date.at, date, to))
			e->last = when;
		return;
	}
	if (!set_when(&when, &clock, before_weekday(date.at, line.at), date, to) &&
		!set_when(&when, &clock, date.at, date, to))
		return;
	e->order = clock.order;
	e->either |= clock.either;
	if (e->last.len && e->order == DAYS_UNKNOWN) {
		bool us = passes_midnight(&e->last, &when, MONTH_FIRST);

		if (us != passes_midnight(&e->last, &when, DAY_FIRST))
			e->order = us ? MONTH_FIRST : DAY_FIRST;
	}
	e->last = when;
}

/* Takes the first date between such characters; false: the line has none. */
static bool take_dates(struct day_evidence *e, struct span line, char separator)
{
	const char *at = line.at, *end = line.at + line.len;
	struct span date;

	for (; (at = memchr(at, separator, (size_t)(end - at))); at++)
		if (find_ends(line, at, &date)) {
			take_date(e, line, date);
			return true;
		}
	return false;
}

static void take_line(struct day_evidence *e, struct span line)
{
	if (!take_dates(e, line, '/'))
		take_dates(e, line, '-');
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

static bool take_header(struct looks *looks, struct span line)
{
	struct span word;

	if (looks->format->claims(line) != CLAIM_ON)
		return false;
	looks->headed = true;
	looks->ids = 0;
	line = dmon_names(line, &looks->commas);
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

static enum gpu_column judge_gpu_column(const struct cells *cells)
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
	found = judge_gpu_column(&cells);
	free(cells.share);
	free(cells.id);
	return found != GPU_COLUMN_NUMBER && places.has_share ? GPU_COLUMN_UNUSED : found;
}

/*
 * Two amounts of memory in rows without a header, guessed to be what is used and what is
 * installed. An idle GPU changes neither: it is looked at until one changes.
 */

void memory_pair_settle(struct reading *reading, size_t file)
{
	char *fields = reading->file[file].facts.by_units;
	struct memory_pair pair;
	struct span line;
	struct peek g;

	if (!memory_pair_begin(&pair, fields))
		return;
	peek_begin(&g, reading, file);
	while (peek_on(&g, &line)) {
		csv_split(&g.row, line);
		if (memory_pair_take(&pair, &g.row))
			break;
	}
	peek_end(&g);
	if (pair.sum_stays)
		memory_pair_rename(&pair, fields);
}

/*
 * Ids that several GPUs have. Within one round of a query each index comes once: where
 * two of them have one bus id or UUID in a round, that is no id of a GPU.
 */

#define ROUND_ROWS	 64 /* of a round, that are looked at */
#define ROUNDS_LOOKED_AT 4

/* The columns of a header that say which GPU a row is about; SIZE_MAX: there is none. */
struct id_columns {
	size_t count, index, id[2], host; /* id: of the bus, and the UUID */
};

/* Rows since an index came that is not among theirs. */
struct id_round {
	uint64_t index[ROUND_ROWS], id[ROUND_ROWS][2]; /* id: a hash; 0: none */
	size_t rows;
	bool shared[2];
};

static struct id_columns find_id_columns(const struct csv_row *row)
{
	struct id_columns at = {row->count, SIZE_MAX, {SIZE_MAX, SIZE_MAX}, SIZE_MAX};

	for (size_t i = 0; i < row->count; i++) {
		enum role role =
			column_role(SOURCE_NVIDIA_QUERY, cell_strip_unit(row->cell[i]));

		if (role == ROLE_INDEX)
			at.index = i;
		else if (role == ROLE_BUS_ID)
			at.id[0] = i;
		else if (role == ROLE_UUID)
			at.id[1] = i;
		else if (role == ROLE_HOST)
			at.host = i;
	}
	return at;
}

/* Masks, which all GPUs have, are 0. */
static uint64_t hash_id(const struct csv_row *row, const struct id_columns *at, int which,
	struct span host)
{
	struct gpu_id id = {.index = -1};

	if (at->id[which] == SIZE_MAX)
		return 0;
	*(which ? &id.uuid : &id.bus_id) = row->cell[at->id[which]];
	if (!identity_is_own(&id))
		return 0;
	if (at->host != SIZE_MAX)
		host = row->cell[at->host];
	return span_hash(row->cell[at->id[which]], span_hash(host, SPAN_HASH));
}

static void round_add(struct id_round *round, uint64_t index, const uint64_t id[2])
{
	for (size_t i = 0; i < round->rows; i++)
		for (int which = 0; which < 2; which++)
			round->shared[which] |=
				id[which] && round->id[i][which] == id[which];
	round->index[round->rows] = index;
	memcpy(round->id[round->rows++], id, sizeof round->id[0]);
}

static bool round_ends(const struct id_round *round, uint64_t index)
{
	for (size_t i = 0; i < round->rows; i++)
		if (round->index[i] == index)
			return true;
	return round->rows == ROUND_ROWS;
}

/* One round like the others may end in the middle, as the file does. */
static void round_end(struct id_round *round, size_t *rounds, bool shared[2])
{
	for (int which = 0; which < 2; which++)
		shared[which] = (shared[which] || !*rounds) && round->shared[which];
	++*rounds;
	*round = (struct id_round){.rows = 0};
}

void shared_ids_find(struct reading *reading, size_t file)
{
	bool *shared = reading->file[file].facts.shared_id;
	struct id_columns at = {0};
	struct id_round round = {.rows = 0};
	size_t rounds = 0;
	struct peek g;
	struct span line;

	peek_begin(&g, reading, file);
	while (rounds < ROUNDS_LOOKED_AT && (at.count || g.lines < HEADER_LINES) &&
		peek_on(&g, &line)) {
		uint64_t index, id[2];

		if (is_header(SOURCE_NVIDIA_QUERY, &g.row, line)) {
			at = find_id_columns(&g.row);
			if (at.index == SIZE_MAX || at.id[0] == at.id[1])
				break;
			continue;
		}
		if (!at.count || g.row.count != at.count ||
			!number_unsigned(g.row.cell[at.index], &index))
			continue;
		if (round_ends(&round, index))
			round_end(&round, &rounds, shared);
		for (int which = 0; which < 2; which++)
			id[which] = hash_id(&g.row, &at, which, g.log->line_host);
		round_add(&round, index, id);
	}
	if (!rounds)
		round_end(&round, &rounds, shared);
	peek_end(&g);
	for (int which = 0; which < 2; which++)
		if (shared[which])
			diag_add(&reading->run->diags, true, "shared-id",
				reading->run->file[file].path, 0, SPAN_NONE,
				"several GPUs have the same %s; the index is used "
				"instead",
				which ? "UUID" : "bus id");
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
	struct strbuf other = strbuf_new();
	struct peek g;
	struct span line;
	bool one = true;

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

/* headed: [count] files of the run. */
static void ask_siblings(struct reading *reading, size_t file, const size_t *headed,
	size_t count, struct strbuf *names)
{
	struct run *run = reading->run;
	size_t cells = 0;

	for (size_t nth = 0; nth < count; nth++) {
		size_t i = headed[nth];

		if (!name_is_sibling(run->file[i].path, run->file[file].path))
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
	const struct run *run = reading->run;
	size_t *headed = xcalloc(run->file_count + 1, sizeof *headed), count = 0;
	struct strbuf names = strbuf_new();

	for (size_t i = 0; i < run->file_count; i++)
		if (is_headed(&run->file[i]))
			headed[count++] = i;
	for (size_t i = 0; i < run->file_count && count; i++)
		if (is_headless(&run->file[i]) && !reading->opt.columns &&
			!reading->file[i].unread)
			ask_siblings(reading, i, headed, count, &names);
	strbuf_release(&names);
	free(headed);
}
