/* The first line that is a header behind some words, and none with them. */
#include "read/prefix.h"

#include <string.h>

#include "base/number.h"
#include "read/cell.h"
#include "read/columns.h"
#include "read/csv.h"

struct span prefix_cut(struct span line, size_t words)
{
	struct span rest = line;

	while (words--)
		span_word(&rest);
	rest = span_trim(rest);
	return rest.len ? rest : line;
}

/* The same, if there is no comma among them: that would be a cell. */
static bool cut_blank(struct span line, size_t words, struct span *rest)
{
	*rest = prefix_cut(line, words);
	return rest->at > line.at && !memchr(line.at, ',', (size_t)(rest->at - line.at));
}

static struct span task_of(struct span line)
{
	struct span word = span_word(&line);
	uint64_t number;

	if (word.len < 2 || word.at[word.len - 1] != ':' ||
		!number_unsigned((struct span){word.at, word.len - 1}, &number))
		word.len = 0;
	return word;
}

bool prefix_is_mixed(const struct probe *probe)
{
	struct span first = {NULL, 0};

	for (size_t i = 0; i < probe->count; i++) {
		struct span task = task_of(probe->line[i]);

		if (!task.len)
			return false;
		if (!first.len)
			first = task;
		if (!span_equal(first, task))
			return true;
	}
	return false;
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

size_t prefix_words(const struct probe *probe)
{
	struct csv_row row;
	size_t words = 0;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !words; i++) {
		if (columns_is_echo(probe->line[i]))
			continue;
		if (is_header(&row, probe->line[i]))
			break;
		for (size_t k = 1; k <= PREFIX_WORDS_MAX && !words; k++) {
			struct span rest;

			if (cut_blank(probe->line[i], k, &rest) && is_header(&row, rest))
				words = k;
		}
	}
	csv_row_release(&row);
	return words;
}
