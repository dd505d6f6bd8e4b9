/*
 * What another program put before the lines of a log, or around them: found by the first
 * lines, some of which are headers of nvidia-smi or rows behind it.
 */
#include "read/find_prefix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/headerless.h"
#include "read/json.h"
#include "read/lines.h"
#include "read/log.h"

/* The names of a header, the amounts of a row, wherever they are met. */

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

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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
	return find_time(prefix, line, says_sure_time) ||
		find_time(prefix, line, prefix_says_time);
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

/* Nearly all lines begin with so many words, a time among them, before amounts. */
static bool all_have_time(
	const struct probe *probe, struct csv_row *row, const struct prefix *prefix)
{
	bool whole = prefix->time_to - prefix->time_from == prefix->words;
	size_t fit = 0;

	for (size_t i = 0; i < probe->count; i++) {
		struct span before, rest;

		fit += cut_line(probe->line[i], prefix, &before, &rest) &&
			prefix_says_time(probe->line[i], prefix) &&
			(header_is_row(row, rest) ||
				(whole && header_is_amounts(row, rest)));
	}
	return fit && fit * 10 >= probe->count * 9;
}

/* Nearly all lines behind a header are times before so many cells as it has. */
static bool rows_have_time(const struct probe *probe, struct csv_row *row, size_t header,
	size_t cells, const struct prefix *prefix)
{
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
		fit += row->count == cells;
	}
	return fit && fit * 10 >= lines * 9;
}

/* The time before each row of a header that stands alone. */
static struct prefix find_before_rows(
	const struct probe *probe, struct csv_row *row, size_t header)
{
	size_t cells = row->count;

	if (!header_is_timeless(row, probe->line[header]))
		return (struct prefix){0};
	for (size_t k = 1; k <= PREFIX_WORDS_MAX; k++) {
		const struct prefix words = {.words = k, .time_to = k, .rows_only = true};
		const struct prefix cell = {.words = k - 1,
			.glue = ',',
			.glues = 1,
			.time_to = k,
			.rows_only = true};

		if (rows_have_time(probe, row, header, cells, &words))
			return words;
		if (rows_have_time(probe, row, header, cells, &cell))
			return cell;
	}
	return (struct prefix){0};
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
	struct csv_row row;

	csv_row_init(&row);
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
	else if (prefix_is_any(&prefix))
		prefix.host = are_hosts(probe, &row, &prefix);
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
	struct csv_row row;

	csv_row_init(&row);
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

/* Would some words of a line be a time, with those behind them? */
static bool is_time_with(struct span line, const struct prefix *prefix, const char *more)
{
	struct prefix some = *prefix;
	size_t words = words_of(prefix);

	for (some.time_from = 0; some.time_from < words; some.time_from++)
		for (some.time_to = some.time_from + 1; some.time_to <= words;
			some.time_to++) {
			struct span part = prefix_time(line, &some);
			struct zone utc = ZONE_UTC;
			struct clock_line clock = {0};
			char text[128];
			int64_t t_ns;

			snprintf(text, sizeof text, "%.*s %s",
				part.len < 80 ? (int)part.len : 80, part.at, more);
			if (clock_line_read(&clock, span_of(text), &utc, DAYS_UNKNOWN,
				    &t_ns) == CLOCK_TIME)
				return true;
		}
	return false;
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

const char *prefix_lacks(const struct probe *probe, const struct prefix *prefix)
{
	const char *lacks = NULL;
	struct csv_row row;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !lacks && !prefix_has_time(prefix); i++) {
		struct span line = probe->line[i], before, rest;

		if (!prefix_split(line, prefix, &before, &rest) ||
			!is_header_without_time(&row, rest))
			continue;
		lacks = is_time_with(line, prefix, "2024")	   ? "year"
			: is_time_with(line, prefix, "2024-01-01") ? "date"
								   : "time";
	}
	csv_row_release(&row);
	return lacks;
}
