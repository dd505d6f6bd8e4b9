/* What each file of a run is: who bids most for its first lines. */
#include "read/identify.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "model/measure.h"
#include "read/bare_rows.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/gpu_loss.h"
#include "read/header_words.h"
#include "read/headerless.h"
#include "read/learn.h"
#include "read/lines.h"
#include "read/listing.h"
#include "read/log.h"
#include "read/manifest.h"
#include "read/not_logs.h"
#include "read/nvidia_dmon.h"
#include "read/prefix.h"
#include "read/probe.h"
#include "read/read_run.h"
#include "read/reading.h"

/*
 * Whole captures: one text file that holds the outputs of many commands, each under a
 * banner that names it:
 *
 *   ################################
 *   # idle :: dmon
 *   # $ nvidia-smi dmon -c 5
 *   ################################
 *
 * The sections of commands that make logs are files of their own; help texts, tables
 * for people and the like are no data.
 *
 * Banners into windows of lines.
 */

#define BANNER_MIN 20 /* characters */

static bool is_banner(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] != '#')
			return false;
	return line.len >= BANNER_MIN;
}

static bool capture_begins(const struct probe *probe)
{
	for (size_t i = 0; i + 2 < probe->count; i++) {
		if (!is_banner(probe->line[i]))
			continue;
		for (size_t k = i + 1; k < probe->count && !is_banner(probe->line[k]);
			k++)
			if (span_begins(probe->line[k], "# $ "))
				return true;
	}
	return false;
}

static bool makes_log(struct span command)
{
	static const char *const options[] = {"--query-gpu", "--query-compute-apps",
		"--query-accounted-apps", " dmon", " pmon"};

	if (!span_has_nocase(command, "nvidia-smi") || span_has_nocase(command, "--help"))
		return false;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (span_has_nocase(command, options[i]))
			return true;
	return false;
}

struct section {
	bool in_banner, wanted;
	char *title; /* owned; NULL: none yet */
	uint64_t from; /* its first line; 0: no section is open */
};

static void close_section(
	struct reading *reading, size_t i, struct section *section, uint64_t last_line)
{
	if (section->from && section->wanted && section->from <= last_line) {
		struct reading_file *part = reading_add_part(reading, i, section->title);

		part->facts.from_line = section->from;
		part->facts.to_line = last_line;
	}
	free(section->title);
	*section = (struct section){0};
}

static void read_banner(struct section *section, struct span line)
{
	line.at++, line.len--;
	line = span_trim(line);
	if (!section->title) {
		section->title = xstrndup(line.at, line.len);
		/* it becomes a part of a file's name */
		for (char *c = section->title; *c; c++)
			*c = *c == '/' ? '-' : *c;
	} else if (span_begins(line, "$ ")) {
		section->wanted = makes_log(line);
	}
}

static void capture_split(struct reading *reading, size_t i)
{
	struct section section = {0};
	struct span line;
	struct peek g;
	uint64_t number = 0;

	peek_begin(&g, reading, i);
	while (g.log && log_line(g.log, &line)) {
		number = input_line_number(g.log->in);
		if (is_banner(line) && section.in_banner) {
			section.in_banner = false;
			section.from = number + 1;
		} else if (is_banner(line)) {
			close_section(reading, i, &section, number - 1);
			section.in_banner = true;
		} else if (section.in_banner && span_begins(line, "#")) {
			read_banner(&section, line);
		}
	}
	close_section(reading, i, &section, number);
	peek_end(&g);
}

#define PROBE_FURTHER 256 /* times PROBE_LINES, for what may stand behind other text */

/* A file of a directory by its name; the operand itself has been named already. */
static const char *file_word(const struct run *run, size_t i)
{
	return run->file_count > 1 || run->is_directory ? run->file[i].path : "it";
}

static bool is_sure(const struct format *format, const uint8_t *bid)
{
	return format && bid[format->kind] >= SURE_BITS;
}

/*
 * A job may print anything before the first line of a log, or what may well be one to
 * those who look at it alone.
 */
static const struct format *look_further(
	struct log *log, struct strbuf *text, uint8_t *bid, enum day_order *order)
{
	struct strbuf nobody = strbuf_new();
	const struct format *found = NULL;
	struct probe probe;

	for (int i = 0; i < PROBE_FURTHER && !found; i++) {
		const struct format *format;

		strbuf_clear(text);
		probe_fill(&probe, log, text, &nobody);
		if (!probe.count)
			break;
		format = format_of(log->opt->formats, &probe, bid);
		if (!is_sure(format, bid))
			continue;
		found = format;
		*order = day_order_find(&probe, log);
	}
	if (!found)
		memset(bid, 0, SOURCE_KIND_COUNT);
	strbuf_release(&nobody);
	return found;
}

/* Gives each kind but the file's own a part of the file. */
static void add_parts(struct reading *reading, size_t i, uint32_t kinds, uint32_t timed)
{
	struct run *run = reading->run;
	enum source_kind first = 0;
	struct route route;

	/* what stands before any header: a reader of rows knows prose from data */
	while (!(kinds >> first & 1))
		first++;
	route = (struct route){.kinds = kinds,
		.rows = route_rows(reading->opt.formats, kinds),
		.own = run->file[i].kind,
		.owner = first};

	reading->file[i].facts.route = route;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct reading_file *part;
		struct run_file *counts;

		if (!(kinds >> kind & 1) || kind == run->file[i].kind)
			continue;
		route.own = kind;
		part = reading_add_part(reading, i, source_name(kind));
		part->facts.route = route;
		part->facts.timed = timed >> kind & 1;
		counts = &run->file[run->file_count - 1];
		counts->kind = kind;
		counts->bid[kind] = run->file[i].bid[kind];
	}
}

struct route_survey {
	uint32_t kinds, timed, again;
};

#define CLAIMED_LINES 8 /* of each kind; a bid sees them */

#define ALL_KINDS ((UINT32_C(1) << SOURCE_KIND_COUNT) - 1)

/* The first lines of a kind, copied. */
struct claimed {
	struct strbuf text;
	size_t from[CLAIMED_LINES], len[CLAIMED_LINES], count;
};

static void keep_claimed(struct claimed *claimed, struct span line)
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
	struct span word;
	bool commas;

	line = dmon_names(line, &commas);
	while (dmon_word(&line, commas, &word)) {
		enum role role = column_role(kind, cell_strip_unit(word));

		if (role == ROLE_TIME || role == ROLE_CLOCK)
			return true;
	}
	return false;
}

/*
 * The kinds of log whose lines are among the first ones of a file, a bit for each; those
 * of them that have a header with a time, and those that have several headers.
 */
static struct route_survey route_survey(struct reading *reading, size_t file)
{
	const struct format *const *formats = reading->opt.formats;
	struct claimed claimed[SOURCE_KIND_COUNT] = {0};
	struct route_survey found = {0};
	uint32_t headed = 0, rows = route_rows(formats, ALL_KINDS);
	struct span line;
	struct peek g;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		strbuf_init(&claimed[kind].text);
	peek_begin(&g, reading, file);
	while (peek_on(&g, &line)) {
		enum claim claim = CLAIM_NONE;
		enum source_kind kind =
			route_claimant(formats, ALL_KINDS, rows, line, &claim);

		if (kind != SOURCE_NONE)
			keep_claimed(&claimed[kind], line);
		if (claim == CLAIM_ON) {
			found.again |= headed & UINT32_C(1) << kind;
			headed |= UINT32_C(1) << kind;
		}
		if (claim == CLAIM_ON && has_time(kind, line))
			found.timed |= UINT32_C(1) << kind;
	}
	peek_end(&g);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		if (is_there(formats[kind], &claimed[kind]))
			found.kinds |= UINT32_C(1) << kind;
		strbuf_release(&claimed[kind].text);
	}
	/* a line that lost its mark is for the reader that misses it */
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (found.kinds >> kind & 1 && formats[kind]->marked)
			found.kinds &= ~(UINT32_C(1) << SOURCE_RUNLOG);
	return found;
}

/* Several recorders may have written the file. */
static void find_parts(struct reading *reading, size_t i)
{
	enum source_kind own = reading->run->file[i].kind;
	struct route_survey found = route_survey(reading, i);

	found.kinds |= UINT32_C(1) << own;
	reading->file[i].facts.timed = found.timed >> own & 1;
	reading->file[i].one_header = !(found.again >> own & 1);
	if (found.kinds & (found.kinds - 1))
		add_parts(reading, i, found.kinds, found.timed);
}

/* The first name that a kind of log does not have; names->count: it has all. */
static size_t unknown_name(const struct csv_row *names, enum source_kind source)
{
	size_t i = 0;

	while (i < names->count &&
		(span_is(names->cell[i], "?") ||
			column_role(source, cell_strip_unit(names->cell[i])) !=
				ROLE_IGNORED))
		i++;
	return i;
}

static bool has_metric(const struct csv_row *names, enum source_kind source)
{
	for (size_t i = 0; i < names->count; i++)
		if (column_role(source, cell_strip_unit(names->cell[i])) == ROLE_METRIC)
			return true;
	return false;
}

/* The kind of log that has the fields: a query, a table about the host alone, dmon, or
 * the same of processes. */
static enum source_kind headerless_source(const struct csv_row *names)
{
	enum source_kind table = SOURCE_NVIDIA_QUERY, scroll = SOURCE_NVIDIA_DMON;

	if (has_metric(names, SOURCE_HOST_TABLE) && !has_metric(names, table))
		return SOURCE_HOST_TABLE;
	for (size_t i = 0; i < names->count; i++)
		if (span_is_nocase(names->cell[i], "pid")) {
			table = SOURCE_NVIDIA_APPS;
			scroll = SOURCE_NVIDIA_PMON;
		}
	return unknown_name(names, scroll) > unknown_name(names, table) ? scroll : table;
}

/* --columns makes a log of what has rows of so many cells, each of which may be its
 * field.
 */
static const struct format *with_columns(const struct format *const *formats,
	const struct probe *probe, const char *columns, const struct format *otherwise)
{
	struct csv_row row = csv_row_new(), names;
	enum source_kind kind;
	bool fits = false;

	names = csv_row_of(span_of(columns));
	kind = headerless_source(&names);
	for (size_t i = 0; i < probe->count && !fits; i++) {
		csv_split(&row, probe->line[i]);
		fits = kind == SOURCE_NVIDIA_DMON || kind == SOURCE_NVIDIA_PMON
			? dmon_fits(kind, probe->line[i], &names)
			: headerless_fits(&row, columns);
	}
	csv_row_release(&row);
	csv_row_release(&names);
	return fits ? formats[kind] : otherwise;
}

/* "2 words and text up to ':' before each line" */
static void describe_prefix(
	struct strbuf *what, const struct prefix *prefix, const struct probe *probe)
{
	static const char *const lacks[] = {[CLOCK_LACKS_NOTHING] = "",
		[CLOCK_LACKS_YEAR] = "; they contain no year",
		[CLOCK_LACKS_DATE] = "; they contain no date"};

	if (prefix->words)
		strbuf_addf(
			what, "%zu word%s", prefix->words, prefix->words > 1 ? "s" : "");
	if (prefix->words && (prefix->glues || prefix->member))
		strbuf_adds(what, " and ");
	if (prefix->glues)
		strbuf_addf(what, "text up to '%c'", prefix->glue);
	if (prefix->member)
		strbuf_addf(what, "all but the string \"%s\" of each line's JSON",
			prefix->member);
	else
		strbuf_addf(what, " before each %s", prefix->rows_only ? "row" : "line");
	strbuf_adds(what, " cut off");
	if (prefix->host)
		strbuf_adds(what,
			prefix->glues ? ", used as the name of its file or host"
				      : ", the first one used as the host");
	if (prefix_has_time(prefix))
		strbuf_addf(what, ", their time used for rows without one%s",
			lacks[prefix->lacks]);
	if (prefix_is_timeless(probe, prefix))
		strbuf_adds(what, "; they contain no time, so the rows have no time");
}

static void say_prefix(struct reading *reading, size_t i, const struct prefix *prefix,
	const struct probe *probe)
{
	struct run *run = reading->run;
	struct strbuf what = strbuf_new();

	describe_prefix(&what, prefix, probe);
	diag_add(&run->diags, false, "prefix", run->file[i].path, 1, SPAN_NONE,
		"%s: '%s'", what.text, log_quote(probe->line[0]).text);
	strbuf_release(&what);
}

/* What another program put before each line is no part of the log. */
static void cut_prefix(struct reading *reading, size_t i, struct probe *probe)
{
	struct run *run = reading->run;
	struct prefix prefix = {0};

	if (!probe->sqlite)
		prefix = prefix_find(probe);
	if (!prefix_is_any(&prefix))
		return;
	reading->file[i].facts.prefix = prefix;
	if (prefix_is_mixed(probe, &prefix))
		diag_add(&run->diags, true, "mixed", run->file[i].path, 1, SPAN_NONE,
			"lines from several tasks ('%s') are read as if they came from "
			"one machine",
			log_quote(probe->line[0]).text);
	say_prefix(reading, i, &prefix, probe);
	for (size_t k = 0; k < probe->count; k++)
		probe->line[k] = prefix_cut(probe->line[k], &prefix);
}

/* The lines are strings of JSON objects: the probe again, with their escapes undone. */
static void probe_strings(struct log *log, const struct prefix *prefix,
	struct probe *probe, struct strbuf *text)
{
	struct error err;
	struct strbuf nobody;

	log->facts.prefix = *prefix;
	if (input_rewind(log->in, &err) < 0)
		return;
	strbuf_init(&nobody);
	strbuf_clear(text);
	probe_fill(probe, log, text, &nobody);
	strbuf_release(&nobody);
}

/* So it has no row without one. */
static bool begins_with_header(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	bool header;

	header = query_split_header(&row, probe->line[0]);
	csv_row_release(&row);
	return header;
}

/* The fields of rows without a header. */
static void name_by_values(struct reading_file *file, const struct probe *probe)
{
	struct strbuf names;
	bool known;

	if (begins_with_header(probe))
		return;
	strbuf_init(&names);
	file->facts.maybe_pytyche = plausible_rows(probe, headerless_pytyche);
	free(file->facts.by_units);
	file->facts.by_units = NULL;
	known = headerless_by_shape(probe, &names);
	file->facts.bare = !known && bare_rows_probe(probe, &names);
	if ((known || file->facts.bare) && !worded_header_denies(probe, names.text))
		file->facts.by_units = xstrdup(names.text);
	strbuf_release(&names);
}

/* ... or of those below a header of words. */
static void name_by_words(struct reading_file *file, const struct probe *probe)
{
	struct worded_header header;

	worded_header_init(&header);
	if (worded_header_find(&header, probe)) {
		file->facts.worded_header = xstrndup(header.line.at, header.line.len);
		file->facts.worded_fields = xstrdup(header.fields.text);
		file->facts.worded_as = xstrdup(header.read_as.text);
		file->facts.map = header.map;
		if (header.map && header.map->order)
			file->facts.day_order = header.map->order;
		file->facts.worded_guess = header.guessed;
	}
	worded_header_release(&header);
}

static bool is_of_columns(enum source_kind kind)
{
	return kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_HOST_TABLE ||
		kind == SOURCE_NVIDIA_APPS;
}

static bool has_host_columns(const struct reading *reading, size_t i)
{
	struct csv_row names;
	bool has;

	if (!reading->opt.columns)
		return reading->run->file[i].bid[SOURCE_HOST_TABLE] > 0;
	names = csv_row_of(span_of(reading->opt.columns));
	has = has_metric(&names, SOURCE_HOST_TABLE);
	csv_row_release(&names);
	return has;
}

/* The columns about the host of a table about GPUs: the same lines, read once more. */
static void add_twin(struct reading *reading, size_t i)
{
	struct reading_file *part =
		reading_add_part(reading, i, source_name(SOURCE_HOST_TABLE));
	const struct file_facts *whole = &reading->file[i].facts;
	struct run *run = reading->run;

	run->file[run->file_count - 1].kind = SOURCE_HOST_TABLE;
	run->file[run->file_count - 1].bid[SOURCE_HOST_TABLE] =
		run->file[i].bid[SOURCE_HOST_TABLE];
	part->facts.twin = true;
	part->facts.route = whole->route;
	part->facts.map = whole->map;
	part->facts.day_order = whole->day_order;
	part->facts.worded_guess = whole->worded_guess;
	if (!whole->worded_header)
		return;
	part->facts.worded_header = xstrdup(whole->worded_header);
	part->facts.worded_fields = xstrdup(whole->worded_fields);
	part->facts.worded_as = xstrdup(whole->worded_as);
}

/* What a message says about a file; the probe goes on to other lines. */
struct first_line {
	size_t lines; /* of the probe */
	bool cells; /* it has commas */
	bool words; /* no line has two numbers: there is no table */
	bool bare; /* each line is one number */
	size_t names, fields; /* of a header, and of the row below; 0: there is none */
	char columns[1024]; /* ... which --columns could name so */
	bool nameless; /* the first line is a row, of which columns tells what is clear */
	const char *foreign; /* what the file is, though no log; NULL */
	struct quoted text;
};

#define SENTENCE_MAX 200

/* A file of one line is a tool's own sentence, as a rule: why there is no more. */
static struct quoted quote_first(const struct probe *probe)
{
	struct quoted quoted;
	struct strbuf sb;

	if (probe->count > 1)
		return log_quote(probe->line[0]);
	strbuf_init(&sb);
	diag_quote_most(&sb, probe->line[0], SENTENCE_MAX);
	snprintf(quoted.text, sizeof quoted.text, "%s", sb.text);
	strbuf_release(&sb);
	return quoted;
}

/* Of a table of GPUs whose header is not understood. */
static void quote_header(struct first_line *first, const struct probe *probe)
{
	struct worded_header header;

	worded_header_init(&header);
	if (worded_header_guess(&header, probe)) {
		first->text = log_quote(header.line);
		first->names = header.names;
		first->fields = header.cells;
		snprintf(first->columns, sizeof first->columns, "%s", header.fields.text);
	}
	worded_header_release(&header);
}

/* Has the line two numbers that blanks part, or one in a row of cells? */
static bool has_numbers(struct span line)
{
	char mark = csv_separator(line);
	size_t numbers = mark && memchr(line.at, mark, line.len);
	int64_t number;

	for (size_t i = 0, from = 0; i <= line.len; i++) {
		if (i < line.len && !strchr(" \t,;|", line.at[i]))
			continue;
		numbers += number_scaled(
			(struct span){line.at + from, i - from}, 1, &number);
		from = i + 1;
	}
	return numbers > 1;
}

static void quote_row(struct first_line *first, struct span line)
{
	struct csv_row row = csv_row_of(line);
	struct strbuf names = strbuf_new();

	first->nameless = headerless_guess(&row, &names);
	snprintf(first->columns, sizeof first->columns, "%s", names.text);
	strbuf_release(&names);
	csv_row_release(&row);
}

static struct first_line first_line(const struct probe *probe)
{
	struct first_line first = {.lines = probe->count};

	if (!probe->count)
		return first;
	first.foreign = not_log_name(probe);
	first.text = quote_first(probe);
	first.cells = memchr(probe->line[0].at, ',', probe->line[0].len) != NULL;
	quote_header(&first, probe);
	first.words = first.bare = true;
	for (size_t i = 0; i < probe->count; i++) {
		int64_t number;

		first.words &= !has_numbers(probe->line[i]);
		first.bare &= number_scaled(probe->line[i], 1, &number);
	}
	if (first.bare)
		snprintf(first.columns, sizeof first.columns, "%s",
			header_field_of_file(probe->path));
	if (!first.names && first.cells)
		quote_row(&first, probe->line[0]);
	return first;
}

/* Why no format takes a file. tables: of a database; diags: what was found in the file.
 */
static void say_unknown(struct strbuf *said, const struct reading *reading, size_t i,
	const struct first_line *first, const struct strbuf *tables,
	const struct diag_list *diags)
{
	const char *file = file_word(reading->run, i);

	if (first->foreign)
		strbuf_addf(said, "%s is %s", file, first->foreign);
	else if (tables->len)
		strbuf_addf(said, "%s %s", file, tables->text);
	else if (!first->lines && diags->count)
		strbuf_addf(said, "%s has no lines: %s", file, diags->at[0].text);
	else if (!first->lines)
		strbuf_addf(said, "%s is empty", file);
	else if (first->lines == 1)
		strbuf_addf(said, "%s has one line: '%s'", file, first->text.text);
	else if (first->names != first->fields)
		strbuf_addf(said,
			"%s has a header of %zu names above rows of %zu fields: '%s'",
			file, first->names, first->fields, first->text.text);
	else if (first->names && !reading->opt.columns)
		strbuf_addf(said,
			"its header is '%s'. Complete the names of its columns (? skips "
			"one): --columns '%s'",
			first->text.text, first->columns);
	else if (first->nameless && !reading->opt.columns)
		strbuf_addf(said,
			"%s has rows without a header: '%s'. Complete the names of their "
			"columns (? skips one): --columns '%s'",
			file, first->text.text, first->columns);
	else if (first->bare && !reading->opt.columns)
		strbuf_addf(said,
			"%s has a number in each line: '%s'. Say of what, and how far "
			"apart they are: --columns %s --interval 1s",
			file, first->text.text, first->columns);
	else if (first->words)
		strbuf_addf(said, "%s is text without a table, which begins with '%s'",
			file, first->text.text);
	else
		strbuf_addf(said, "%s begins with '%s'%s", file, first->text.text,
			!first->cells ? ""
				: reading->opt.columns
				? ", and no row fits --columns"
				: ". If it is a table, name its columns: --columns "
				  "timestamp,utilization.gpu,?");
}

/* A file without a log may say why GPUs were not recorded: that line, owned by the
 * caller; NULL: it doesn't. */
static char *blind_line(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (gpu_loss_is_blind(probe->line[i]))
			return xstrndup(probe->line[i].at, probe->line[i].len);
	return NULL;
}

/* "Linux 6.1.0 (node1)  06/10/2023  ...", as sysstat begins. */
static void find_banner(struct file_facts *facts, const struct probe *probe)
{
	struct span line = probe->count ? probe->line[0] : SPAN_NONE;
	const char *from, *to;

	if (!span_begins(line, "Linux ") || facts->banner_host)
		return;
	from = memchr(line.at, '(', line.len);
	to = from ? memchr(from, ')', (size_t)(line.at + line.len - from)) : NULL;
	if (to && to > from + 1)
		facts->banner_host = xstrndup(from + 1, (size_t)(to - from - 1));
}

/* null, [], or a word: what a program leaves that had nothing to say, or lost it. */
static bool holds_nothing(const char *text)
{
	cJSON *json = cJSON_ParseWithOpts(text, NULL, true);
	bool nothing =
		json && !cJSON_IsObject(json) && !(cJSON_IsArray(json) && json->child);

	cJSON_Delete(json);
	return nothing;
}

static void read_whole(struct reading *reading, size_t i, struct strbuf *text)
{
	struct span line;
	struct peek g;

	peek_begin(&g, reading, i);
	while (g.log && text->len < MANIFEST_MAX && log_line(g.log, &line)) {
		strbuf_add(text, line.at, line.len);
		strbuf_addc(text, '\n');
	}
	peek_end(&g);
}

/*
 * Is it a manifest that was cut off before it says so, or emptied, or one of somebody
 * else's that says something of a run? Any other JSON object that is whole, or a list
 * with something in it, may be anybody's.
 */
static bool is_other_manifest(struct reading *reading, size_t i, size_t lines)
{
	const struct run *run = reading->run;
	struct strbuf text;
	bool is;
	cJSON *json;

	if (!run->is_directory ||
		!span_is(name_unpacked(span_of(run->file[i].path)), "run.json"))
		return false;
	strbuf_init(&text);
	read_whole(reading, i, &text);
	json = cJSON_Parse(text.text);
	if (!lines || holds_nothing(text.text))
		is = true;
	else if (text.text[0] != '{')
		is = false;
	else
		is = json ? manifest_says_something(json) : lines < PROBE_LINES;
	cJSON_Delete(json);
	strbuf_release(&text);
	return is;
}

/* Of a file that broke before it could say what it is, which may have been a log. */
static void say_unread(struct run *run, size_t i, const struct diag_list *diags)
{
	for (size_t k = 0; k < diags->count; k++)
		if (strcmp(diags->at[k].id, "read-error") == 0)
			diag_add(&run->diags, true, "read-error", run->file[i].path,
				diags->at[k].line, SPAN_NONE, "%s", diags->at[k].text);
}

/* A JSON line that names an event: then its numbers are those of the event. */
static bool is_of_events(const struct recast_facts *facts)
{
	static const char *const words[] = {
		"event", "type", "message", "msg", "body", "phase", "level"};
	struct csv_row names = csv_row_of(span_of(facts->names));
	bool is = false;

	for (size_t i = 0; i < names.count; i++)
		for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
			is |= span_is(names.cell[i], words[k]);
	csv_row_release(&names);
	return is && !facts->map;
}

/* Makes the file that table, or a part of it, if it is one already. */
static void take_table(
	struct reading *reading, size_t i, const struct recast_found *found, bool part)
{
	struct run *run = reading->run;
	enum source_kind kind = found->facts.kind;

	if (part) {
		reading_add_part(reading, i, source_name(kind));
		i = reading->file_count - 1;
	}
	reading->file[i].facts.recast = found->facts;
	reading->file[i].facts.recast.part = part;
	if (found->facts.map)
		reading->file[i].facts.day_order = found->facts.map->order;
	reading->file[i].facts.twin = found->twin;
	run->file[i].kind = kind;
	run->file[i].bid[kind] = SURE_BITS;
}

/* Events that have several metrics are samples, too: the file stays one of events. */
static void take_table_of_events(
	struct reading *reading, size_t i, struct recast_found *found)
{
	if (found->facts.kind == SOURCE_NVIDIA_QUERY && found->metrics > 1)
		take_table(reading, i, found, true);
	else
		recast_facts_release(&found->facts);
}

/*
 * What is no table of lines, but may be recast to some. otherwise: the format that takes
 * the lines as they are, or NULL. False: it may not, and *said becomes what it is.
 */
static bool find_tables(struct reading *reading, size_t i, const struct format *otherwise,
	struct strbuf *said)
{
	struct recast_found found[SOURCE_KIND_COUNT] = {0};
	bool any = false;
	struct peek g;

	peek_begin(&g, reading, i);
	if (g.log)
		recast_find(g.log, found, said);
	peek_end(&g);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		if (!found[kind].metrics)
			continue;
		if (otherwise && otherwise->kind == SOURCE_RUNLOG &&
			is_of_events(&found[kind].facts)) {
			take_table_of_events(reading, i, &found[kind]);
			continue;
		}
		found[kind].twin = kind == SOURCE_HOST_TABLE && any;
		take_table(reading, i, &found[kind], any);
		any = true;
	}
	return any;
}

int reading_find_kind(
	struct reading *reading, size_t i, struct strbuf *said, struct error *err)
{
	struct run *run = reading->run;
	struct diag_list nowhere = DIAG_LIST_INIT;
	struct run_file scratch = {0};
	const struct format *format = NULL;
	struct first_line first = {0}; /* of a file that no format takes */
	char *blind = NULL; /* likewise */
	const char *refused;
	struct probe probe, whole; /* with what stands before each line */
	struct strbuf text, tables;
	struct log *log = reading_open(reading, i, run, &scratch, &nowhere, err);

	if (!log)
		return -1;
	if (reading->file[i].facts.path)
		run->file[i].hash = run->file[i].content_hash = reading_hash_part(
			&reading->file[i],
			content_on_disk(input_fd(log->in), run->file[i].size).hash);
	strbuf_init(&text);
	strbuf_init(&tables);
	log->facts.escapes = true;
	probe_fill(&probe, log, &text, &tables);
	reading->file[i].facts.sqlite = probe.sqlite;
	refused = not_log_refused(&probe, strcmp(run->file[i].path, run->path) != 0);
	if (refused) {
		if (!said->len)
			strbuf_addf(said, "%s is %s", file_word(run, i), refused);
		goto done;
	}
	if (capture_begins(&probe)) {
		if (!said->len)
			strbuf_addf(
				said, "%s is a capture without a log", file_word(run, i));
		capture_split(reading, i);
		goto done;
	}
	whole = probe;
	cut_prefix(reading, i, &probe);
	if (reading->file[i].facts.prefix.member) {
		probe_strings(log, &reading->file[i].facts.prefix, &probe, &text);
		whole = probe;
	}
	find_banner(&reading->file[i].facts, &probe);
	format = format_of(reading->opt.formats, &probe, run->file[i].bid);
	if (!probe.sqlite &&
		(!is_sure(format, run->file[i].bid) || format->kind == SOURCE_RUNLOG) &&
		find_tables(reading, i, format, &tables)) {
		format = NULL; /* each table has one */
		goto done;
	}
	if (reading->opt.columns && !probe.sqlite && !is_sure(format, run->file[i].bid))
		format = with_columns(
			reading->opt.formats, &probe, reading->opt.columns, format);
	if (format && !probe.sqlite)
		reading->file[i].facts.day_order = day_order_find(&whole, log);
	if (format && format->kind == SOURCE_NVIDIA_QUERY)
		name_by_values(&reading->file[i], &probe);
	if (format && is_of_columns(format->kind) &&
		(format->kind == SOURCE_NVIDIA_QUERY ||
			!is_sure(format, run->file[i].bid)))
		name_by_words(&reading->file[i], &probe);
	if (!format) { /* the lines go when more are looked at */
		first = first_line(&probe);
		blind = blind_line(&probe);
	}
	if (!format && !probe.sqlite && probe.count == PROBE_LINES)
		format = look_further(
			log, &text, run->file[i].bid, &reading->file[i].facts.day_order);
	if (!format && !probe.sqlite && is_other_manifest(reading, i, whole.count))
		format = reading->opt.formats[SOURCE_MANIFEST];
	reading->file[i].facts.escapes = log->escaped;
	if (format)
		run->file[i].kind = format->kind;
	else if (blind)
		run_add_fact(run, RUN_FACT_SMI_FAILED, span_of(blind));
	free(blind);
	if (!format && !said->len)
		say_unknown(said, reading, i, &first, &tables, &nowhere);
	if (!format && !probe.count)
		say_unread(run, i, &nowhere);
done:
	strbuf_release(&text);
	strbuf_release(&tables);
	diag_list_release(&nowhere);
	log_free(log);
	if (format && format->claims)
		find_parts(reading, i);
	if (format && format->kind == SOURCE_NVIDIA_QUERY && has_host_columns(reading, i))
		add_twin(reading, i);
	return 0;
}

/*
 * A wrapper's "gpu" may be a number, or what it found out about one; and it may say the
 * time before each look at the GPUs.
 */
static void look_at_rows(struct reading *reading, size_t i)
{
	enum source_kind kind = reading->run->file[i].kind;

	if (kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_NVIDIA_DMON)
		reading->file[i].facts.gpu_column = gpu_column_find(reading, i);
	if (kind == SOURCE_NVIDIA_QUERY) {
		shared_ids_find(reading, i);
		bare_rows_settle(reading, i);
		memory_pair_settle(reading, i);
	}
	if (kind == SOURCE_NVIDIA_DMON || kind == SOURCE_NVIDIA_PMON ||
		kind == SOURCE_NVIDIA_APPS)
		around_find(reading, i);
}

/* The line of a message, as it was proposed. */
static bool says_nothing(const struct csv_row *names)
{
	static const char *const empty[] = {"?", "timestamp", "elapsed", "date", "clock"};
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		for (size_t k = 0; k < sizeof empty / sizeof *empty; k++)
			count += span_is(names->cell[i], empty[k]);
	return count == names->count;
}

static int check_names(const struct csv_row *names, struct error *err)
{
	enum source_kind source = headerless_source(names);
	size_t unknown = unknown_name(names, source);

	if (says_nothing(names))
		return error_set(err,
			"--columns: no field names a metric; replace each ? that you "
			"know, "
			"e.g. by utilization.gpu or power.draw");
	if (unknown < names->count)
		return error_set(err,
			"--columns: unknown field '%s' of %s (%s lists them; use ? for a "
			"cell to skip)",
			log_quote(names->cell[unknown]).text, source_name(source),
			source == SOURCE_NVIDIA_QUERY || source == SOURCE_NVIDIA_APPS
				? "nvidia-smi --help-query-gpu"
				: "its header");
	for (size_t i = 0; i < names->count; i++)
		for (size_t k = 0; k < i; k++)
			if (span_equal(names->cell[i], names->cell[k]) &&
				!span_is(names->cell[i], "?"))
				return error_set(err, "--columns: '%s' is given twice",
					log_quote(names->cell[i]).text);
	return 0;
}

int headerless_check(const char *fields, struct error *err)
{
	struct csv_row names;
	int result;

	names = csv_row_of(span_of(fields));
	result = check_names(&names, err);
	csv_row_release(&names);
	return result;
}

/* collect writes collect.pid before all else, and run.json before the first sample. */
static bool is_begun_by_collect(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++) {
		const char *slash = strrchr(run->file[i].path, '/');
		struct span name = span_of(slash ? slash + 1 : run->file[i].path);

		if (span_is(name, "collect.pid") || span_is(name, "collect.pid.new"))
			return true;
	}
	return false;
}

int reading_find_kinds(struct reading *reading, struct error *err)
{
	struct run *run = reading->run;
	struct strbuf said = strbuf_new();
	size_t claimed = 0, damage = 0, lacking = SIZE_MAX;

	for (size_t i = 0; i < run->file_count; i++) {
		struct error why;

		if (reading->file[i].unread)
			continue;
		if (reading->file[i].facts.route.kinds || reading->file[i].facts.twin ||
			reading->file[i].facts.recast.shape ||
			reading_find_kind(reading, i, &said, &why) == 0)
			claimed += run->file[i].kind != SOURCE_NONE;
		else
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				SPAN_NONE, "%s", why.message);
		look_at_rows(reading, i);
		lacking = reading->file[i].facts.only &&
				reading->file[i].facts.recast.shape != &recast_periods
			? i
			: lacking;
	}
	reading_drop_copies(reading);
	reading_ask_siblings(reading);
	while (damage < run->diags.count && !run->diags.at[damage].damage)
		damage++;
	if (lacking != SIZE_MAX) {
		claimed = 0;
		error_set(err, "%s: no such file, and '%s' names no run in %s", run->path,
			reading->file[lacking].facts.only, run->file[lacking].path);
	} else if (!claimed && damage < run->diags.count)
		error_set(err, "%s", run->diags.at[damage].text);
	else if (!claimed && is_begun_by_collect(run))
		error_set(err,
			"%s: nothing recorded: collect was killed before the first "
			"sample, or begins just now",
			run->path);
	else if (!claimed && !said.len)
		error_set(err, "%s: no logs in this directory", run->path);
	else if (!claimed)
		error_set(err,
			"%s: not a recognized log: %s (hwsummarize help logs lists the "
			"formats)",
			run->path, said.text);
	strbuf_release(&said);
	return claimed ? 0 : -1;
}
