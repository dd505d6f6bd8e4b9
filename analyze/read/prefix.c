/* The first line that is a header behind some words, and none with them. */
#include "read/prefix.h"

#include <string.h>

#include "base/number.h"
#include "read/cell.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/format.h"
#include "read/headerless.h"
#include "read/talk.h"

static struct span behind(struct span line, size_t words)
{
	while (words--)
		span_word(&line);
	return span_trim(line);
}

/* From a word on up to before another one. */
static struct span between(struct span line, size_t from, size_t to)
{
	struct span rest = line, word = {line.at, 0};
	const char *begin;

	line = behind(line, from);
	begin = line.at;
	rest = line;
	for (size_t i = from; i < to; i++)
		word = span_word(&rest);
	return (struct span){begin, (size_t)(word.at + word.len - begin)};
}

struct span prefix_cut(struct span line, const struct prefix *prefix)
{
	struct span rest = line, word = {NULL, 0};

	for (size_t i = 0; i < prefix->words; i++)
		word = span_word(&rest);
	return word.len ? span_trim(rest) : line;
}

struct span prefix_time(struct span line, const struct prefix *prefix)
{
	if (prefix->time_from == prefix->time_to)
		return (struct span){line.at, 0};
	return between(line, prefix->time_from, prefix->time_to);
}

/* The same, if there is no comma among them: that would be a cell. */
static bool cut_blank(struct span line, size_t words, struct span *rest)
{
	*rest = behind(line, words);
	return rest->len && !memchr(line.at, ',', (size_t)(rest->at - line.at));
}

/* "0:" of srun -l, or "web-1  |" of docker-compose; len 0: neither. */
static struct span task_of(struct span line)
{
	struct span word = span_word(&line), next = span_word(&line);
	uint64_t number;

	if (span_is(next, "|"))
		return word;
	if (word.len < 2 || word.at[word.len - 1] != ':' ||
		!number_unsigned((struct span){word.at, word.len - 1}, &number))
		word.len = 0;
	return word;
}

/* "node1:" of pdsh or clush; len 0: another word. */
static struct span host_of(struct span line)
{
	struct span word = span_word(&line);

	if (word.len < 2 || word.at[--word.len] != ':' || (word.at[0] | 0x20) < 'a' ||
		(word.at[0] | 0x20) > 'z')
		return (struct span){NULL, 0};
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("0123456789-._", word.at[i]) &&
			((word.at[i] | 0x20) < 'a' || (word.at[i] | 0x20) > 'z'))
			return (struct span){NULL, 0};
	return word;
}

/* Each line has such a word, and there are several of them. */
static bool differ(const struct probe *probe, struct span (*word_of)(struct span line))
{
	struct span first = {NULL, 0};
	bool others = false;

	for (size_t i = 0; i < probe->count; i++) {
		struct span word = word_of(probe->line[i]);

		if (!word.len)
			return false;
		if (!first.len)
			first = word;
		others |= !span_equal(first, word);
	}
	return others;
}

bool prefix_is_mixed(const struct probe *probe)
{
	return differ(probe, task_of);
}

struct span prefix_host(struct span line, const struct prefix *prefix)
{
	return prefix->host ? host_of(line) : (struct span){NULL, 0};
}

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

/* Of a query: the first cell is a known name, and so are most of the others. */
static bool is_csv_header(const struct csv_row *row)
{
	size_t known = 0;

	for (size_t i = 0; i < row->count; i++) {
		struct span name = cell_strip_unit(row->cell[i]);
		bool is_known = column_role(SOURCE_NVIDIA_QUERY, name) != ROLE_IGNORED ||
			column_role(SOURCE_NVIDIA_APPS, name) != ROLE_IGNORED;

		if (i == 0 && !is_known)
			return false;
		known += is_known;
	}
	return row->count > 1 && 2 * known > row->count;
}

static bool is_header(struct csv_row *row, struct span line)
{
	if (is_scroll_header(line))
		return true;
	csv_split(row, line);
	return is_csv_header(row);
}

/* Are those words a time, in whatever zone and order of days? */
static bool says_time(struct span line, const struct prefix *prefix)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return clock_line_read(&clock, prefix_time(line, prefix), &utc, DAYS_UNKNOWN,
		       &t_ns) == CLOCK_TIME;
}

/* The longest run of words that is a time. */
static void find_time(struct prefix *prefix, struct span line)
{
	for (size_t len = prefix->words; len > 0; len--)
		for (size_t from = 0; from + len <= prefix->words; from++) {
			prefix->time_from = from;
			prefix->time_to = from + len;
			if (says_time(line, prefix))
				return;
		}
	prefix->time_from = prefix->time_to = 0;
}

/* A row of a query without its header, or a line that says by itself what it is. */
static bool is_amounts(struct csv_row *row, struct span line)
{
	int64_t number;

	if (format_proc_stat.claims(line))
		return true;
	csv_split(row, line);
	return headerless_is_amount(row->cell[0]) ||
		(row->count > 1 && number_scaled(row->cell[0], 1, &number));
}

/* Nearly all lines begin with so many words that are a time, before amounts. */
static bool all_have_time(
	const struct probe *probe, struct csv_row *row, const struct prefix *prefix)
{
	size_t fit = 0;

	for (size_t i = 0; i < probe->count; i++) {
		struct span rest;

		fit += cut_blank(probe->line[i], prefix->words, &rest) &&
			says_time(probe->line[i], prefix) && is_amounts(row, rest);
	}
	return fit && fit * 10 >= probe->count * 9;
}

struct prefix prefix_find(const struct probe *probe)
{
	struct prefix prefix = {0};
	bool headed = false;
	struct csv_row row;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !prefix.words; i++) {
		if (talk_is_echo(probe->line[i]))
			continue;
		headed = is_header(&row, probe->line[i]);
		if (headed)
			break;
		for (size_t k = 1; k <= PREFIX_WORDS_MAX && !prefix.words; k++) {
			struct span rest;

			if (!cut_blank(probe->line[i], k, &rest) ||
				!is_header(&row, rest))
				continue;
			prefix.words = k;
			prefix.host = differ(probe, host_of);
			find_time(&prefix, probe->line[i]);
		}
	}
	for (size_t k = 1; k <= PREFIX_WORDS_MAX && !headed && !prefix.words; k++) {
		const struct prefix time = {.words = k, .time_to = k};

		if (all_have_time(probe, &row, &time))
			prefix = time;
	}
	csv_row_release(&row);
	return prefix;
}
