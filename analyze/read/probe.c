/* The first lines of a file; of a database the columns of its tables as lines. */
#include "read/probe.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "model/sample.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/dmon_rows.h"
#include "read/identify.h"
#include "read/log.h"

/*
 * The kinds of log whose lines are among the first ROUTE_LINES of the log, which is read
 * so far, a bit for each; those of them that have a header with a time, and those that
 * have several headers.
 */
#define ROUTE_LINES 16384

#define LINE_MAX     16384 /* bytes of a line that a bid may see */
#define TABLES_NAMED 4 /* of a database that nobody claims */

/* The lines of a probe that still grows: where they are in its text. */
struct growing {
	struct probe *probe;
	struct strbuf *text;
	size_t from[PROBE_LINES];
};

static void add_line(struct growing *g, struct span line)
{
	size_t i = g->probe->count++;

	g->from[i] = g->text->len;
	g->probe->line[i].len = line.len < LINE_MAX ? line.len : LINE_MAX;
	strbuf_add(g->text, line.at, g->probe->line[i].len);
}

/* The columns of a table as a line. */
static void add_columns(struct growing *g, struct sqlitefile *db, const char *table)
{
	struct strbuf columns;
	struct error err;

	if (sqlitefile_select(db, table, &err) < 0)
		return;
	strbuf_init(&columns);
	for (size_t c = 0; c < sqlitefile_columns(db); c++) {
		struct span name = sqlitefile_column(db, c);

		strbuf_adds(&columns, c ? "," : "");
		strbuf_add(&columns, name.at, name.len);
	}
	add_line(g, (struct span){columns.text, columns.len});
	strbuf_release(&columns);
}

/* The tables of a database; *said is what it is, should nobody claim it. */
static void add_tables(struct growing *g, struct log *log, struct strbuf *said)
{
	struct sqlitefile *db;
	struct error err;
	size_t tables = 0;

	if (log_open_sqlite(log, &db, &err) < 0) {
		strbuf_addf(said, "can't be used: %s", err.message);
		log_note(log, true, "read-error", (struct span){NULL, 0}, "%s",
			err.message);
		return;
	}
	strbuf_adds(said, "is an SQLite database");
	for (const char *table; (table = sqlitefile_table(db, tables)); tables++) {
		if (tables < TABLES_NAMED)
			strbuf_addf(said, "%s '%s'", tables ? "," : " with the tables",
				log_quote(span_of(table)).text);
		if (g->probe->count < PROBE_LINES)
			add_columns(g, db, table);
	}
	if (tables > TABLES_NAMED)
		strbuf_addf(said, " and %zu more", tables - TABLES_NAMED);
	sqlitefile_close(db);
}

void probe_fill(
	struct probe *probe, struct log *log, struct strbuf *text, struct strbuf *said)
{
	struct growing g = {.probe = probe, .text = text};
	struct span line;

	*probe = (struct probe){.count = 0};
	while (probe->count < PROBE_LINES && log_line(log, &line)) {
		if (!probe->count && span_begins(line, SQLITEFILE_MAGIC)) {
			probe->sqlite = log->sqlite = true;
			add_tables(&g, log, said);
			break;
		}
		if (!probe->count && foreign_is_tar(line)) {
			line.len = FOREIGN_TAR_HEADER;
			add_line(&g, line);
			break;
		}
		add_line(&g, line);
	}
	for (size_t i = 0; i < probe->count; i++)
		probe->line[i].at = text->text + g.from[i];
}

/* The claims of the formats, line by line. */

#define CLAIMED_LINES 8 /* of each kind; a bid sees them */

#define ALL_KINDS ((UINT32_C(1) << SOURCE_KIND_COUNT) - 1)

uint32_t route_rows(const struct format *const *formats, uint32_t kinds)
{
	uint32_t rows = 0;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (formats[kind]->claims_rows)
			rows |= UINT32_C(1) << kind;
	return rows & kinds;
}

/* The kind that claims a line, of all, or those of rows; SOURCE_NONE: it says nothing. */
static enum source_kind claimant(const struct format *const *formats, uint32_t all,
	uint32_t rows, struct span line, enum claim *claim)
{
	bool is_row = line.at[0] == '{' || (line.at[0] >= '0' && line.at[0] <= '9');

	for (uint32_t kinds = is_row ? rows : all; kinds; kinds &= kinds - 1) {
		enum source_kind kind = (enum source_kind)__builtin_ctz(kinds);
		const struct format *format = formats[kind];

		*claim = format->claims ? format->claims(line) : CLAIM_NONE;
		if (*claim)
			return kind;
	}
	return SOURCE_NONE;
}

/* ... whoever else owns it. */
static bool says_time(struct span line)
{
	struct clock_line clock = {0};
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return marker_is(line) ||
		clock_line_read(&clock, line, &utc, DAYS_UNKNOWN, &t_ns) != CLOCK_NOT;
}

bool route_is_own(
	struct route *route, const struct format *const *formats, struct span line)
{
	enum claim claim = CLAIM_NONE;
	enum source_kind kind =
		claimant(formats, route->kinds, route->rows, line, &claim);

	if (kind != SOURCE_NONE && claim == CLAIM_ON)
		route->owner = kind;
	if (kind != SOURCE_NONE)
		return kind == route->own;
	return route->owner == route->own ||
		((route->around || formats[route->own]->around) && says_time(line));
}

/* The first lines of a kind, copied. */
struct claimed {
	struct strbuf text;
	size_t from[CLAIMED_LINES], len[CLAIMED_LINES], count;
};

static void keep(struct claimed *claimed, struct span line)
{
	size_t i = claimed->count;

	if (i == CLAIMED_LINES)
		return;
	claimed->from[i] = claimed->text.len;
	claimed->len[i] = line.len;
	claimed->count++;
	strbuf_add(&claimed->text, line.at, line.len);
}

static bool is_there(const struct format *format, const struct claimed *claimed)
{
	struct probe probe = {.count = claimed->count};

	for (size_t i = 0; i < claimed->count; i++)
		probe.line[i] = (struct span){
			claimed->text.text + claimed->from[i], claimed->len[i]};
	return claimed->count && format->bid(&probe) >= SURE_BITS;
}

/* Of a header, in blanks or commas: does it name a time? */
static bool has_time(enum source_kind kind, struct span line)
{
	bool commas = memchr(line.at, ',', line.len) != NULL;
	struct span word;

	if (span_begins(line, "#"))
		line.at++, line.len--;
	while (scroll_word(&line, commas, &word)) {
		enum role role = column_role(kind, cell_strip_unit(word));

		if (role == ROLE_TIME || role == ROLE_CLOCK)
			return true;
	}
	return false;
}

struct route_survey route_survey(struct log *log)
{
	struct claimed claimed[SOURCE_KIND_COUNT] = {0};
	struct route_survey found = {0};
	uint32_t headed = 0, rows = route_rows(log->formats, ALL_KINDS);
	struct span line;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		strbuf_init(&claimed[kind].text);
	for (int i = 0; i < ROUTE_LINES && log_line(log, &line); i++) {
		enum claim claim = CLAIM_NONE;
		enum source_kind kind =
			claimant(log->formats, ALL_KINDS, rows, line, &claim);

		if (kind != SOURCE_NONE)
			keep(&claimed[kind], line);
		if (claim == CLAIM_ON) {
			found.again |= headed & UINT32_C(1) << kind;
			headed |= UINT32_C(1) << kind;
		}
		if (claim == CLAIM_ON && has_time(kind, line))
			found.timed |= UINT32_C(1) << kind;
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		if (is_there(log->formats[kind], &claimed[kind]))
			found.kinds |= UINT32_C(1) << kind;
		strbuf_release(&claimed[kind].text);
	}
	/* a line that lost its mark is for the reader that misses it */
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (found.kinds >> kind & 1 && log->formats[kind]->marked)
			found.kinds &= ~(UINT32_C(1) << SOURCE_RUNLOG);
	return found;
}
