/* The names of a header, the amounts of a row, wherever they are met. */
#include "read/header.h"

#include "base/number.h"
#include "read/cell.h"
#include "read/format.h"
#include "read/headerless.h"

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

enum role header_role(struct span cell)
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

bool header_is(struct csv_row *row, struct span line)
{
	if (is_scroll_header(line))
		return true;
	csv_split(row, line);
	return is_csv_header(row);
}

bool header_is_amounts(struct csv_row *row, struct span line)
{
	int64_t number;

	if (format_proc_stat.claims(line))
		return true;
	csv_split(row, line);
	return headerless_is_amount(row->cell[0]) ||
		(row->count > 1 && number_scaled(row->cell[0], 1, &number));
}

bool header_is_row(struct csv_row *row, struct span line)
{
	csv_split(row, line);
	return row->count > 1 &&
		(headerless_is_amount(row->cell[0]) || headerless_begins_with_time(row));
}

bool header_is_timeless(const struct csv_row *row, struct span line)
{
	for (size_t i = 0; i < row->count; i++) {
		enum role role = header_role(row->cell[i]);

		if (role == ROLE_TIME || role == ROLE_EPOCH)
			return false;
	}
	return !is_scroll_header(line);
}
