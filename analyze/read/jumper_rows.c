/* CSV goes through records.h, JSON through json_rows.h. */
#include "read/jumper_rows.h"

#include <string.h>

#include "base/number.h"

static const char *const no_tables[] = {NULL};

void jumper_rows_open(struct jumper_rows *rows, struct log *log)
{
	*rows = (struct jumper_rows){.log = log};
}

static bool has(struct span line, char c)
{
	return memchr(line.at, c, line.len) != NULL;
}

/* The first line that may be something tells: names hold no brace. */
static void begin(struct jumper_rows *rows)
{
	struct log *log = rows->log;
	struct span line = {NULL, 0};
	bool any;

	while ((any = !log->sqlite && log_line(log, &line)))
		if (has(line, '{') || has(line, ',') || line.at[0] == '[')
			break;
		else
			log_refuse(log, "prose", "'%s' before the names of the columns",
				log_quote(line).text);
	rows->begun = true;
	rows->is_json = any && (has(line, '{') || line.at[0] == '[');
	if (rows->is_json)
		json_rows_open(&rows->json, log, line);
	else
		records_open(&rows->records, log, no_tables);
	if (any && !rows->is_json)
		records_put_back(&rows->records, line);
}

void jumper_rows_close(struct jumper_rows *rows)
{
	if (rows->begun && rows->is_json)
		json_rows_close(&rows->json);
	else if (rows->begun)
		records_close(&rows->records);
}

bool jumper_rows_next(struct jumper_rows *rows)
{
	if (!rows->begun)
		begin(rows);
	if (rows->is_json) {
		if (!json_rows_next(&rows->json))
			return false;
		rows->cell = rows->json.cell;
		rows->count = rows->json.count;
		rows->names = rows->json.names;
		return true;
	}
	if (!records_next(&rows->records))
		return false;
	rows->cell = rows->records.cell;
	rows->count = rows->records.count;
	rows->lost = rows->records.broken;
	rows->torn = rows->records.torn;
	return true;
}

bool jumper_rows_fits(const struct jumper_rows *rows, size_t columns)
{
	if (rows->lost)
		return false;
	if (!columns)
		log_refuse(
			rows->log, "no-header", "a row before the names of its columns");
	else if (rows->torn && rows->count == columns)
		log_refuse(rows->log, "no-newline",
			"the file ends without a newline; the last field of its last row "
			"may be cut");
	else if (rows->torn)
		log_refuse(rows->log, "torn-line",
			"the file ends in the middle of a row: %zu of %zu fields",
			rows->count, columns);
	else if (rows->count != columns)
		log_refuse(rows->log, "field-count",
			"a row of %zu fields; the header has %zu", rows->count, columns);
	else
		return true;
	return false;
}

/* "name": as a member of JSON. */
static bool has_member(struct span line, const char *name)
{
	size_t len = strlen(name);

	for (; line.len > len + 1; line.at++, line.len--)
		if (line.at[0] == '"' && line.at[len + 1] == '"' &&
			memcmp(line.at + 1, name, len) == 0)
			return true;
	return false;
}

static bool list_has(const struct probe *probe, const char *const *name)
{
	for (; *name; name++) {
		bool found = false;

		for (size_t i = 0; i < probe->count && !found; i++)
			found = has_member(probe->line[i], *name);
		if (!found)
			return false;
	}
	return true;
}

static bool row_has(const struct csv_row *row, const char *const *name)
{
	while (*name && records_find(row->cell, row->count, *name) != SIZE_MAX)
		name++;
	return !*name;
}

bool jumper_probe_has(const struct probe *probe, const char *const *name)
{
	struct csv_row row;
	bool found = !probe->sqlite && list_has(probe, name);

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && !found && !probe->sqlite; i++) {
		csv_split(&row, probe->line[i]);
		found = row_has(&row, name);
	}
	csv_row_release(&row);
	return found;
}

bool jumper_time(const struct log *log, struct span cell, int64_t *t_ns)
{
	int64_t clock_ns, offset_ns = 0;
	int128 sum;

	if (!number_scaled(cell, NS_PER_S, &clock_ns))
		return false;
	(void)jumper_offset_ns(log->run, &offset_ns);
	sum = (int128)clock_ns + offset_ns;
	if (sum < 0 || sum >= TIME_END_NS)
		return false;
	*t_ns = (int64_t)sum;
	return true;
}

void jumper_say_clock(struct log *log)
{
	int64_t offset_ns;

	if (!jumper_offset_ns(log->run, &offset_ns))
		log_note(log, false, "no-date", (struct span){NULL, 0},
			"JUmPER's clock counts from an unknown moment, and no manifest "
			"and no history of cells beside it says from when; times count "
			"from 1970");
}

bool jumper_keep_offset(struct run *run, struct span clock, struct span since_1970)
{
	int64_t clock_ns, t_ns;
	struct strbuf text;

	if (!number_scaled(clock, NS_PER_S, &clock_ns) ||
		!time_parse_seconds(since_1970, &t_ns) || clock_ns < 0)
		return false;
	strbuf_init(&text);
	strbuf_addf(&text, "%lld", (long long)(t_ns - clock_ns));
	jumper_say(run, JUMPER_OFFSET_NS, (struct span){text.text, text.len});
	strbuf_release(&text);
	return true;
}
