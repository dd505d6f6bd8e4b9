/* The first lines of a file; of a database the columns of its tables as lines. */
#include "read/probe.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "model/sample.h"
#include "read/log.h"

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
		strbuf_addf(said, "can't be read: %s", err.message);
		log_note(log, true, "read-error", SPAN_NONE, "%s", err.message);
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

#define TAR_MAGIC_AT 257 /* of POSIX and GNU, behind a name and numbers ended by NUL */
#define TAR_SUM_AT   148 /* of the bytes of the header, in octal: as spaces they count */
#define TAR_SUM_LEN  8

/* Older tars have no magic: is the sum in the header that of its bytes? */
static bool has_tar_sum(const char *header)
{
	uint32_t sum = 0, said = 0;
	bool any = false;

	for (size_t i = 0; i < FOREIGN_TAR_HEADER; i++)
		sum += i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM_LEN
			? ' '
			: (unsigned char)header[i];
	for (size_t i = TAR_SUM_AT; i < TAR_SUM_AT + TAR_SUM_LEN; i++) {
		char c = header[i];

		if (c >= '0' && c <= '7') {
			said = 8 * said + (uint32_t)(c - '0');
			any = true;
		} else if (any || c != ' ') {
			break;
		}
	}
	return any && said == sum;
}

bool foreign_is_tar(struct span line)
{
	return line.len >= FOREIGN_TAR_HEADER && memchr(line.at, '\0', TAR_MAGIC_AT) &&
		(memcmp(line.at + TAR_MAGIC_AT, "ustar", strlen("ustar")) == 0 ||
			has_tar_sum(line.at));
}

void probe_fill(
	struct probe *probe, struct log *log, struct strbuf *text, struct strbuf *said)
{
	struct growing g = {.probe = probe, .text = text};
	struct span line;

	*probe = (struct probe){.maps = log->opt->maps, .path = log->facts.path};
	while (probe->count < PROBE_LINES && log_line(log, &line)) {
		if (!probe->count && span_begins(line, SQLITEFILE_MAGIC)) {
			probe->sqlite = log->facts.sqlite = true;
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
