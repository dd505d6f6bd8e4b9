/*
 * What a line is by itself: a header of a query, or no row at all, by its first
 * character, its words, its cells.
 */
#include "read/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "model/metric.h"
#include "read/cells.h"
#include "read/clock_line.h"

bool line_is_complaint(struct span line)
{
	static const char *const words[] = {"error", "fail", "unable", "lost",
		"no devices", "insufficient", "not found", "not supported", "denied"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (span_has_nocase(line, words[i]))
			return true;
	return false;
}

bool line_is_failure(const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (!cell_is_failure(row->cell[i]))
			return false;
	return row->count > 0;
}

/* "sep=,": which character parts the cells, for Excel. */
static bool is_separator(struct span line)
{
	return line.len == 5 && span_has_nocase(line, "sep=");
}

bool line_is_text(struct span line)
{
	char *text = xstrndup(line.at, line.len);
	bool valid = strlen(text) == line.len && utf8_is_valid(text);
	size_t high = 0, control = 0;

	free(text);
	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.at[i];

		high += c >= 0x80;
		control += (c < 0x20 && !(c == '\t' || c == '\b' || c == '\033')) ||
			c == 0x7f;
	}
	return !control && (valid || 2 * high <= line.len);
}

/* "2026-05-01 10:00:00" of a loop around nvidia-smi, whose rows have slashes. */
static bool is_time_of_loop(struct span line)
{
	return line.len > 4 && line.at[4] == '-' && memchr(line.at, ':', line.len) &&
		clock_line_kind(line, CLOCK_LACKS_NOTHING) == CLOCK_TIME;
}

bool line_is_noise(const struct csv_row *row, struct span line)
{
	if (row->count == 1 && is_time_of_loop(line))
		return true;
	if (strchr("0123456789[\"", line.at[0]) || !line_is_text(line))
		return false;
	return line_is_echo(line) || is_separator(line) ||
		(row->count == 1 && !line_is_complaint(line));
}

bool line_is_prose(const struct csv_row *row, struct span line)
{
	if ((line.at[0] | 0x20) < 'a' || (line.at[0] | 0x20) > 'z' ||
		memchr(line.at, '\0', line.len) || line_is_complaint(line))
		return false;
	for (size_t i = 0; i < row->count; i++) {
		struct span rest = row->cell[i];
		int64_t quanta;

		if (span_begins(rest, "GPU-") || cell_is_missing(rest) ||
			number_cut(&rest, 1, &quanta))
			return false;
	}
	return true;
}

bool line_is_echo(struct span line)
{
	if (!line.len || (line.at[0] >= '0' && line.at[0] <= '9'))
		return false; /* as nearly all rows: looked at no further */
	if (span_has_nocase(line, "nvidia-smi has failed"))
		return false; /* it is what it says itself */
	return span_has_nocase(line, "nvidia-smi ") ||
		span_has_nocase(line, "nvidia-smi.exe ");
}

bool line_is_rule(struct span line)
{
	if (line.len < 3 || !strchr("-=*#_~+|", line.at[0]) || !line.at[0])
		return false;
	for (size_t i = 1; i < line.len; i++)
		if (line.at[i] != line.at[0] &&
			(!line.at[i] || !strchr("-=+|: ", line.at[i])))
			return false;
	return true;
}

/*
 * Names of columns as evidence: how many bits, and whether a line is a header at all.
 */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name is made of letters, digits, dots and underscores, with at most a unit behind. */
static bool may_be_name(struct span cell)
{
	size_t i = 0;

	if (!cell.len || !is_letter(cell.at[0]))
		return false;
	while (i < cell.len &&
		(is_letter(cell.at[i]) || cell.at[i] == '.' || cell.at[i] == '_' ||
			cell.at[i] == '@' || (cell.at[i] >= '0' && cell.at[i] <= '9')))
		i++;
	while (i < cell.len &&
		(cell.at[i] == ' ' || cell.at[i] == '\t' || cell.at[i] == '\r'))
		i++;
	return i == cell.len || cell.at[i] == '[';
}

/*
 * Whatever takes energy has a column of it, each row's own as often as a counter; no
 * other name is that common.
 */
static bool is_energy(struct span name)
{
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, name);

	return binding && binding->metric == METRIC_gpu_energy_j;
}

/* "pstate": scripts that name other columns in their own way call it so, too. */
static bool is_state(struct span name)
{
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, name);

	return binding && metric_is_state(binding->metric);
}

/*
 * What the names of a header are evidence of, in bits; 0: it is no header of a query, -1:
 * it is one of another query of nvidia-smi.
 */
static int header_bits(const struct csv_row *row)
{
	bool time = false, id = false, metric = false, foreign = false, energy = false,
	     state = false;
	size_t unknown = 0;

	for (size_t i = 0; i < row->count; i++) {
		struct span name = row->cell[i];
		enum role role;

		if (!may_be_name(name))
			continue; /* as most cells of a row */
		name = cell_strip_unit(name);
		role = column_role(SOURCE_NVIDIA_QUERY, name);
		if (span_is(name, "pid"))
			return -1; /* --query-compute-apps: about processes */
		time |= role == ROLE_TIME;
		state |= role == ROLE_METRIC && is_state(name);
		metric |= role == ROLE_METRIC && !is_energy(name) && !is_state(name);
		energy |= is_energy(name) && name.len < row->cell[i].len;
		id |= role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID;
		foreign |= role == ROLE_IGNORED && memchr(name.at, '.', name.len);
		unknown += role == ROLE_IGNORED;
	}
	/* the results of a benchmark may have a column of the driver's version, too */
	state &= time || id || unknown * 2 <= row->count;
	return metric			 ? 40
		: state			 ? 30
		: time && (id || energy) ? 20
		: time && foreign	 ? 10
					 : 0;
}

/* A field of the host, and a time, or only names that are known. */
static bool is_host_header(const struct csv_row *row)
{
	bool time = false, metric = false, known = true;

	for (size_t i = 0; i < row->count; i++) {
		enum role role = ROLE_IGNORED;

		if (may_be_name(row->cell[i]))
			role = column_role(
				SOURCE_HOST_TABLE, cell_strip_unit(row->cell[i]));
		known &= role != ROLE_IGNORED;
		time |= role == ROLE_TIME || role == ROLE_EPOCH || role == ROLE_CLOCK ||
			role == ROLE_ELAPSED;
		metric |= role == ROLE_METRIC;
	}
	return metric && (time || known);
}

bool host_split_header(struct csv_row *row, struct span line)
{
	char before = row->separator;

	if (query_is_talk(line))
		return false;
	row->separator = csv_separator(line);
	csv_split(row, line);
	if (is_host_header(row))
		return true;
	row->separator = before;
	csv_split(row, line);
	return is_host_header(row);
}

int query_line_bits(struct csv_row *row, struct span line)
{
	int bits;

	row->separator = ',';
	csv_split(row, line);
	bits = header_bits(row);
	if (bits || csv_separator(line) == ',')
		return bits;
	row->separator = csv_separator(line);
	csv_split(row, line);
	bits = header_bits(row);
	if (bits > 0)
		return bits;
	row->separator = ',';
	csv_split(row, line);
	return 0;
}

bool query_is_talk(struct span line)
{
	return line_is_echo(line) ||
		(span_begins(line, "\"") && !memchr(line.at, ',', line.len) &&
			csv_separator(line) == ',');
}

static bool is_header(const struct csv_row *row, struct span line)
{
	return header_bits(row) > 0 && !query_is_talk(line);
}

bool query_split_header(struct csv_row *row, struct span line)
{
	char before = row->separator, separator = csv_separator(line);

	if (separator != before) {
		row->separator = separator;
		csv_split(row, line);
		if (is_header(row, line))
			return true;
		row->separator = before;
	}
	csv_split(row, line);
	return is_header(row, line);
}

bool query_is_name(struct span cell)
{
	return span_has_nocase(cell, "nvidia-smi") ||
		(may_be_name(cell) &&
			column_role(SOURCE_NVIDIA_QUERY, cell_strip_unit(cell)) !=
				ROLE_IGNORED);
}
