/* Lines with a prefix that is known, cut in two. */
#include "read/prefix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/json.h"
#include "read/log.h"
#include "read/probe.h"

static bool prefix_says_time(struct span line, const struct prefix *prefix);

struct span prefix_word(struct span *rest)
{
	struct span word = span_word(rest);
	const char *end = word.at + word.len + rest->len, *close = NULL;

	if (word.len && word.at[0] == '(')
		close = memchr(word.at, ')', (size_t)(end - word.at));
	if (!close || close < rest->at)
		return word;
	word.len = (size_t)(close + 1 - word.at);
	*rest = (struct span){close + 1, (size_t)(end - close) - 1};
	return word;
}

bool prefix_has_time(const struct prefix *prefix)
{
	return prefix->time_from != prefix->time_to || prefix->object_time;
}

/* Behind the character that ends what is glued to a line; false: there is none. */
static bool cut_glued(struct span *line, const struct prefix *prefix)
{
	size_t count = 0;

	for (size_t i = 0; i < line->len; i++) {
		char c = line->at[i];

		if (c == prefix->glue && ++count == prefix->glues) {
			*line = (struct span){line->at + i + 1, line->len - i - 1};
			return true;
		}
		if (c == ' ' || c == '\t' || c == ',')
			return false;
	}
	return false;
}

/* What is cut off, and what is left; false: the line is shorter than that. */
static bool prefix_split(struct span line, const struct prefix *prefix,
	struct span *before, struct span *rest)
{
	*rest = line;
	for (size_t i = 0; i < prefix->words; i++)
		if (!prefix_word(rest).len)
			return false;
	*rest = span_trim(*rest);
	if (prefix->glues && !cut_glued(rest, prefix))
		return false;
	*before = (struct span){line.at, (size_t)(rest->at - line.at)};
	*rest = span_trim(*rest);
	return true;
}

struct span prefix_cut(struct span line, const struct prefix *prefix)
{
	struct span before, rest;

	if (!prefix_split(line, prefix, &before, &rest) ||
		(prefix->rows_only && !prefix_says_time(line, prefix)))
		return line;
	return rest;
}

struct span prefix_time(struct span line, const struct prefix *prefix)
{
	struct span before, rest, word = {line.at, 0}, time = {line.at, 0};

	if (prefix->time_from == prefix->time_to ||
		!prefix_split(line, prefix, &before, &rest))
		return time;
	for (size_t i = 0; i < prefix->time_to; i++) {
		word = prefix_word(&before);
		if (i == prefix->time_from)
			time = word;
	}
	time.len = (size_t)(word.at + word.len - time.at);
	return time;
}

/* Are those words a time, in whatever zone and order of days? */
static bool prefix_says_time(struct span line, const struct prefix *prefix)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return clock_line_read(&clock, prefix_time(line, prefix), &utc, DAYS_UNKNOWN,
		       &t_ns) == CLOCK_TIME;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* "node1:" of pdsh or clush; "logs/gpu0.csv:" of grep, up to the first colon of several.
 */
struct span prefix_host(struct span line, const struct prefix *prefix)
{
	const struct span none = {NULL, 0};
	struct span word, before, rest;
	bool letter = false;
	size_t len = 0;

	if (!prefix->host || !prefix_split(line, prefix, &before, &rest))
		return none;
	for (size_t i = 0; prefix->glues && i < prefix->words; i++)
		prefix_word(&before);
	word = prefix_word(&before);
	for (; len < word.len && word.at[len] != ':'; len++) {
		letter |= is_letter(word.at[len]);
		if (!is_letter(word.at[len]) && !strchr("0123456789-._/", word.at[len]))
			return none;
	}
	if (!letter || len == word.len ||
		(!prefix->glues && (len + 1 != word.len || !is_letter(word.at[0]))))
		return none;
	return (struct span){word.at, len};
}

/* A name is looked for at the begin and behind every character that may be a border. */

static bool is_of_name(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') ||
		c == '.' || c == '_';
}

/*
 * What no name holds and nobody writes to make one out of two: a colon, a quote, a
 * brace, but no blank, parenthesis, hyphen or slash.
 */
static bool glued_is_border(char c)
{
	return !is_of_name(c) && c && !strchr(" \t\r([-/", c);
}

/* Without it the numbers are other ones, or of other GPUs. */
static bool counts(enum role role)
{
	switch (role) {
	case ROLE_METRIC:
	case ROLE_TIME:
	case ROLE_EPOCH:
	case ROLE_DATE:
	case ROLE_CLOCK:
	case ROLE_INDEX:
	case ROLE_GPU:
	case ROLE_UUID:
	case ROLE_BUS_ID:
	case ROLE_BUS:
	case ROLE_SERIAL:
	case ROLE_HOST:
	case ROLE_PID:
		return true;
	case ROLE_IGNORED:
	case ROLE_KNOWN:
	case ROLE_MODEL:
	case ROLE_INSTANCE:
	case ROLE_COMMAND:
		break;
	}
	return false;
}

/* Behind a unit in brackets, if there is one. */
static struct span without_unit(struct span rest)
{
	struct span unit = span_trim(rest);
	const char *end;

	if (!span_begins(unit, "["))
		return rest;
	end = memchr(unit.at, ']', unit.len);
	if (!end)
		return rest;
	return (struct span){end + 1, unit.len - (size_t)(end + 1 - unit.at)};
}

/* The name that a text begins with, up to its end or to a border. */
static struct span name_at(enum source_kind source, struct span text)
{
	struct span name = {text.at, 0}, rest;

	while (name.len < text.len && is_of_name(text.at[name.len]))
		name.len++;
	rest = without_unit((struct span){text.at + name.len, text.len - name.len});
	if (!name.len || !counts(column_role(source, name)) ||
		(rest.len && !glued_is_border(rest.at[0])))
		name.len = 0;
	return name;
}

struct span glued_find(enum source_kind source, struct span name)
{
	struct span found = name_at(source, name);

	for (size_t i = 0; i < name.len && !found.len; i++) {
		struct span rest = {name.at + i + 1, name.len - i - 1};

		if (glued_is_border(name.at[i]) || (!i && name.at[0] == '-'))
			found = name_at(source, span_trim(rest));
	}
	return found;
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
		if (talk_is_echo(probe->line[i]))
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
