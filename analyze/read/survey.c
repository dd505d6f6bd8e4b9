/*
 * The first sweep over a run: which files there are, what each is by its first lines, the
 * manifest, the time zone, the events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "read/capture.h"
#include "read/csv.h"
#include "read/headerless.h"
#include "read/prefix.h"
#include "read/reading.h"

#define PROBE_LINE_MAX 16384 /* bytes of a line that a bid may see */
#define TABLES_NAMED   4 /* of a database that nobody claims */
#define PROBE_FURTHER  256 /* times PROBE_LINES, for what may stand behind other text */

struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err)
{
	const char *path = reading->file[file].path;
	struct input *in;
	struct log *log;
	int fd = -1;

	if (!path) {
		fd = fcntl(reading->file[file].fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0) {
			error_set(err, "%s: can't be read again: %s",
				reading->run->file[file].path, strerror(errno));
			return NULL;
		}
	}
	if (input_open(&in, path ? path : "-", fd, err) < 0)
		return NULL;
	log = xcalloc(1, sizeof *log);
	*log = (struct log){.in = in,
		.from_line = reading->file[file].from_line,
		.prefix = reading->file[file].prefix,
		.to_line = reading->file[file].to_line,
		.path = path,
		.fd = reading->file[file].fd,
		.name = reading->run->file[file].path,
		.run = run,
		.file = counts,
		.diags = diags,
		.zone = reading->zone,
		.units = reading->units,
		.near_ns = TIME_NONE,
		.columns = reading->columns,
		.blocks = {.size = 1},
		.sqlite = reading->file[file].sqlite};
	return log;
}

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
	g->probe->line[i].len = line.len < PROBE_LINE_MAX ? line.len : PROBE_LINE_MAX;
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

/* The first lines, copied into text, which they point into. */
static void fill_probe(
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
		add_line(&g, line);
	}
	for (size_t i = 0; i < probe->count; i++)
		probe->line[i].at = text->text + g.from[i];
}

/* A file of a directory by its name; the operand itself has been named already. */
static const char *file_word(const struct run *run, size_t i)
{
	return run->file_count > 1 || run->is_directory ? run->file[i].path : "it";
}

/* A job may print anything before MLPerf's first line. */
static const struct format *look_further(
	struct log *log, struct strbuf *text, struct strbuf *said)
{
	struct probe probe;

	for (int i = 0; i < PROBE_FURTHER; i++) {
		strbuf_clear(text);
		fill_probe(&probe, log, text, said);
		if (!probe.count)
			break;
		if (format_mllog.bid(&probe))
			return &format_mllog;
	}
	return NULL;
}

/* A bid that --columns does not overrule: the file has a header of its own. */
#define SURE_BITS 40

static bool is_sure(const struct format *format, const uint8_t *bid)
{
	return format && bid[format->kind] >= SURE_BITS;
}

/* --columns makes a log of what has rows of so many cells, each of which may be its
 * field.
 */
static const struct format *with_columns(
	const struct probe *probe, const char *columns, const struct format *otherwise)
{
	const struct format *format = otherwise;
	struct csv_row row, names;

	csv_row_init(&row);
	csv_row_init(&names);
	csv_split(&names, span_of(columns));
	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		if (!headerless_fits(&row, columns))
			continue;
		format = &format_nvidia_query;
		for (size_t k = 0; k < names.count; k++)
			if (span_is(names.cell[k], "pid"))
				format = &format_nvidia_apps;
	}
	csv_row_release(&row);
	csv_row_release(&names);
	return format;
}

/* What another program put before each line is no part of the log. */
static void cut_prefix(struct reading *reading, size_t i, struct probe *probe)
{
	struct run *run = reading->run;
	size_t words = probe->sqlite ? 0 : prefix_words(probe);

	if (!words)
		return;
	reading->file[i].prefix = words;
	if (prefix_is_mixed(probe))
		diag_add(&run->diags, true, "mixed", run->file[i].path, 1,
			(struct span){NULL, 0},
			"the lines are of several tasks ('%s'): what they asked is taken "
			"for one machine's",
			log_quote(probe->line[0]).text);
	diag_add(&run->diags, false, "prefix", run->file[i].path, 1,
		(struct span){NULL, 0}, "%zu word%s before each line cut off: '%s'",
		words, words > 1 ? "s" : "", log_quote(probe->line[0]).text);
	for (size_t k = 0; k < probe->count; k++)
		probe->line[k] = prefix_cut(probe->line[k], words);
}

/* What a file is; a sentence about one that nobody claims goes to *said. */
static int find_kind(
	struct reading *reading, size_t i, struct strbuf *said, struct error *err)
{
	struct run *run = reading->run;
	struct diag_list nowhere = DIAG_LIST_INIT;
	struct run_file scratch = {0};
	const struct format *format;
	struct quoted begins;
	struct probe probe;
	struct strbuf text, tables;
	struct log *log = reading_open(reading, i, run, &scratch, &nowhere, err);

	if (!log)
		return -1;
	strbuf_init(&text);
	strbuf_init(&tables);
	fill_probe(&probe, log, &text, &tables);
	reading->file[i].sqlite = probe.sqlite;
	if (capture_begins(&probe)) {
		diag_list_release(&nowhere);
		strbuf_release(&text);
		strbuf_release(&tables);
		log_free(log);
		if (!said->len)
			strbuf_addf(
				said, "%s is a capture without a log", file_word(run, i));
		return capture_split(reading, i, err);
	}
	cut_prefix(reading, i, &probe);
	format = format_of(&probe, run->file[i].bid);
	if (reading->columns && !probe.sqlite && !is_sure(format, run->file[i].bid))
		format = with_columns(&probe, reading->columns, format);
	if (probe.count)
		begins = log_quote(probe.line[0]);
	if (!format && !probe.sqlite && probe.count == PROBE_LINES) {
		format = look_further(log, &text, &tables);
		if (format)
			run->file[i].bid[format->kind] = 1;
	}
	if (format)
		run->file[i].kind = format->kind;
	else if (!said->len && tables.len)
		strbuf_addf(said, "%s %s", file_word(run, i), tables.text);
	else if (!said->len && !probe.count)
		strbuf_addf(said, "%s is empty", file_word(run, i));
	else if (!said->len)
		strbuf_addf(said, "%s begins with '%s'", file_word(run, i), begins.text);
	strbuf_release(&text);
	strbuf_release(&tables);
	diag_list_release(&nowhere);
	log_free(log);
	return 0;
}

static int find_kinds(struct reading *reading, struct error *err)
{
	struct run *run = reading->run;
	struct strbuf said;
	size_t claimed = 0;

	strbuf_init(&said);
	for (size_t i = 0; i < run->file_count; i++) {
		struct error why;

		if (find_kind(reading, i, &said, &why) == 0)
			claimed += run->file[i].kind != SOURCE_NONE;
		else
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				(struct span){NULL, 0}, "%s", why.message);
	}
	if (!claimed && run->diags.count)
		error_set(err, "%s", run->diags.at[0].text);
	else if (!claimed && !run->file_count)
		error_set(
			err, "%s: the directory holds no file; expected logs", run->path);
	else if (!claimed)
		error_set(err,
			"%s: no log that is known: %s; expected logs of nvidia-smi "
			"(--query-gpu, dmon, pmon, --query-compute-apps), snapshots of "
			"/proc/stat or /proc/meminfo, gpu_tracker's recordings, CPU CSV, "
			"or events as JSON lines or MLPerf's",
			run->path, said.text);
	strbuf_release(&said);
	return claimed ? 0 : -1;
}

/* Reads all files of a kind without samples; what can't be opened any more is said. */
static void survey_kind(struct reading *reading, enum source_kind kind)
{
	struct run *run = reading->run;

	for (size_t i = 0; i < run->file_count; i++) {
		struct error err;
		struct log *log;

		if (run->file[i].kind != kind)
			continue;
		if (kind == SOURCE_MANIFEST && run->run_id) {
			diag_add(&run->diags, true, "second-manifest", run->file[i].path,
				0, (struct span){NULL, 0},
				"a second manifest; the run is what the first one says");
			continue;
		}
		log = reading_open(reading, i, run, &run->file[i], &run->diags, &err);
		if (!log) {
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				(struct span){NULL, 0}, "%s", err.message);
			continue;
		}
		format_get(kind)->survey(log);
		log_free(log);
	}
}

static int choose_zone(
	struct reading *reading, const struct read_options *opt, struct error *err)
{
	struct run *run = reading->run;
	const char *source = "default";
	struct error unknown;

	reading->zone = ZONE_UTC;
	if (opt->tz) {
		if (zone_parse(&reading->zone, opt->tz, err) < 0)
			return -1;
		source = "option";
	} else if (run->zone && zone_parse(&reading->zone, run->zone, &unknown) == 0) {
		source = "manifest";
	} else if (run->zone) {
		diag_add(&run->diags, true, "zone", "", 0, (struct span){NULL, 0},
			"the manifest's %s; times are read as UTC", unknown.message);
	}
	snprintf(run->time_zone, sizeof run->time_zone, "%s", reading->zone.name);
	snprintf(run->time_source, sizeof run->time_source, "%s", source);
	return 0;
}

int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err)
{
	struct reading *reading = xcalloc(1, sizeof *reading);

	reading->run = run;
	reading->columns = opt->columns;
	reading->zone = ZONE_UTC;
	reading->units = opt->units;
	if (reading_list(reading, opt, err) < 0 || find_kinds(reading, err) < 0)
		goto fail;
	survey_kind(reading, SOURCE_MANIFEST);
	if (run->run_id)
		run_set_string(&run->key, run->run_id);
	if (choose_zone(reading, opt, err) < 0)
		goto fail;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_has_events(kind))
			survey_kind(reading, kind);
	*out = reading;
	return 0;
fail:
	reading_free(reading);
	return -1;
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	for (size_t i = 0; i < reading->file_count; i++) {
		/* the sections of a capture share one */
		if (reading->file[i].fd >= 0 && !reading->file[i].from_line)
			close(reading->file[i].fd);
		free(reading->file[i].path);
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		diag_list_release(&reading->step_back[kind]);
	free(reading->file);
	free(reading);
}
