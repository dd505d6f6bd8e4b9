/* Names of columns as evidence: how many bits, and whether a line is a header at all. */
#include "read/query_header.h"

#include <string.h>

#include "read/cell.h"
#include "read/columns.h"
#include "read/headerless.h"
#include "read/plausible.h"
#include "read/talk.h"

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
			(cell.at[i] >= '0' && cell.at[i] <= '9')))
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

/*
 * What the names of a header are evidence of, in bits; 0: it is no header of a query, -1:
 * it is one of another query of nvidia-smi.
 */
static int header_bits(const struct csv_row *row)
{
	bool time = false, id = false, metric = false, foreign = false, energy = false;

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
		metric |= role == ROLE_METRIC && !is_energy(name);
		energy |= is_energy(name) && name.len < row->cell[i].len;
		id |= role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID;
		foreign |= role == ROLE_IGNORED && memchr(name.at, '.', name.len);
	}
	return metric ? 40 : time && (id || energy) ? 20 : time && foreign ? 10 : 0;
}

/* The same of a line; where only other separators make it a header, it is split by them.
 */
static int line_bits(struct csv_row *row, struct span line)
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

/* The echo of a command, or a field of a help text: names, but of no columns. */
static bool is_talk(struct span line)
{
	return talk_is_echo(line) ||
		(span_begins(line, "\"") && !memchr(line.at, ',', line.len) &&
			csv_separator(line) == ',');
}

static bool is_header(const struct csv_row *row, struct span line)
{
	return header_bits(row) > 0 && !is_talk(line);
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

int query_bid(const struct probe *probe)
{
	struct csv_row row;
	struct strbuf names;
	int bits = 0;

	csv_row_init(&row);
	strbuf_init(&names);
	for (size_t i = 0; i < probe->count && bits >= 0 && bits < 40; i++) {
		int header;

		if (memchr(probe->line[i].at, '\0', probe->line[i].len) ||
			is_talk(probe->line[i]))
			continue;
		header = line_bits(&row, probe->line[i]);
		if (header < 0 || header > bits)
			bits = header;
		if (!bits && headerless_begins_with_time(&row))
			bits = 5; /* which fields, only the run's manifest may know */
	}
	if (bits >= 0 && bits < 20 && plausible_rows(probe, headerless_pytyche))
		bits = 20;
	if (bits >= 0 && bits < 15 && headerless_by_shape(probe, &names))
		bits = 15;
	csv_row_release(&row);
	strbuf_release(&names);
	return bits < 0 ? 0 : bits;
}

enum claim query_claims(struct span line)
{
	struct csv_row row;
	bool header;

	csv_row_init(&row);
	header = query_split_header(&row, line);
	csv_row_release(&row);
	return header ? CLAIM_ON : CLAIM_NONE;
}
