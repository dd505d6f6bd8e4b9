/* Rows of cells into lines of CSV, and which tables a log of such rows has. */
#include "read/recast.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/cells.h"
#include "read/csv.h"
#include "read/header_words.h"
#include "read/input.h"
#include "read/log.h"

/* Pieces of the recast's text, which moves while it grows. */
struct piece {
	size_t at, len;
};

struct cell {
	struct piece name, value;
};

/* Those of a row, or of a line that goes on as it is. */
struct row {
	struct piece table, text; /* text: the line; else cells: */
	size_t from, to; /* in recast->kept */
	uint64_t line;
	bool passes;
};

struct column {
	char *name, *field; /* owned; field NULL: not used */
	bool metric; /* of a device, and not constant */
	bool here; /* in the section, that the last header began */
	size_t spare; /* the next column of the same field, whose value counts where this
			 has none; 0: none */
	bool is_spare;
	struct span value; /* of the row at hand; at NULL: it has none */
};

struct recast {
	struct log *log;
	const struct recast_shape *shape;
	void *state; /* of the shape; owned */
	const char *table; /* the one that is wanted; NULL: all */
	struct strbuf text; /* of all cells since it was emptied */
	struct cell *cell; /* [cells] the stack; owned */
	size_t cells, cell_cap;
	struct cell *kept; /* [kept_count] those of the rows; owned */
	size_t kept_count, kept_cap;
	struct row *row; /* [rows] not given out yet, from next; owned */
	size_t rows, row_cap, next;
	struct column *column; /* [columns] owned */
	size_t columns, column_cap;
	bool header_due, header_said;
	int64_t step_ns;
	bool skipped; /* the first row of a map that says so */
	bool skip_first; /* a map of the shape says so */
	struct strbuf line, points, path;
	struct span ahead; /* a line that was put back; at NULL: none */
};

void recast_facts_release(struct recast_facts *facts)
{
	free(facts->table);
	free(facts->names);
	free(facts->fields);
	free(facts->read_as);
	*facts = (struct recast_facts){0};
}

struct log *recast_log(const struct recast *recast)
{
	return recast->log;
}

void *recast_state(struct recast *recast)
{
	return recast->state;
}

size_t recast_cells(const struct recast *recast)
{
	return recast->cells;
}

void recast_back(struct recast *recast, size_t cells)
{
	recast->cells = cells;
}

/* A line of CSV has no line breaks; any other byte that is no text's spoils the cell. */
static struct piece keep(struct recast *recast, struct span text)
{
	struct piece piece = {recast->text.len, text.len};

	strbuf_add(&recast->text, text.at, text.len);
	for (size_t i = piece.at; i < recast->text.len; i++)
		if ((unsigned char)recast->text.text[i] < ' ')
			recast->text.text[i] =
				strchr("\t\n\v\f\r", recast->text.text[i]) &&
					recast->text.text[i]
				? ' '
				: '?';
	return piece;
}

static struct span text_of(const struct recast *recast, struct piece piece)
{
	return (struct span){recast->text.text + piece.at, piece.len};
}

void recast_put(struct recast *recast, struct span name, struct span value)
{
	ALLOC_NEXT(recast->cell, recast->cells, recast->cell_cap) =
		(struct cell){keep(recast, name), keep(recast, span_trim(value))};
}

void recast_step(struct recast *recast, int64_t step_ns)
{
	recast->step_ns = step_ns > recast->step_ns ? step_ns : recast->step_ns;
}

void recast_skip_first(struct recast *recast)
{
	recast->skip_first = true;
}

static struct row *add_row(struct recast *recast, uint64_t line)
{
	ALLOC_GROW(recast->row, recast->rows + 1, recast->row_cap);
	recast->row[recast->rows] = (struct row){.line = line};
	return &recast->row[recast->rows++];
}

void recast_row(struct recast *recast, struct span table, uint64_t line)
{
	struct row *row;

	if (recast->table && !span_is(table, recast->table))
		return;
	row = add_row(recast, line);
	row->table = keep(recast, table);
	row->from = recast->kept_count;
	ALLOC_GROW(recast->kept, recast->kept_count + recast->cells, recast->kept_cap);
	if (recast->cells)
		memcpy(recast->kept + recast->kept_count, recast->cell,
			recast->cells * sizeof *recast->cell);
	row->to = recast->kept_count += recast->cells;
}

uint64_t recast_number(const struct recast *recast)
{
	return input_line_number(recast->log->in);
}

bool recast_torn(const struct recast *recast)
{
	return input_line_torn(recast->log->in);
}

void recast_line_row(struct recast *recast)
{
	recast_row(recast, span_of(""), recast_number(recast));
}

struct span recast_path(const struct recast *recast)
{
	return strbuf_span(&recast->path);
}

size_t recast_enter(struct recast *recast, struct span name)
{
	size_t before = recast->path.len;

	if (before)
		strbuf_addc(&recast->path, '.');
	strbuf_add(&recast->path, name.at, name.len);
	return before;
}

void recast_enter_list(struct recast *recast)
{
	strbuf_adds(&recast->path, "[]");
}

void recast_leave(struct recast *recast, size_t before)
{
	strbuf_cut(&recast->path, before);
}

void recast_refuse(struct recast *recast, uint64_t line, bool torn, const char *why,
	struct span quoted)
{
	struct log *log = recast->log;

	if (log->facts.recast.part)
		return;
	log->record = line;
	if (quoted.len)
		log_refuse(log, torn ? "torn-line" : "bad-record",
			"%s: '%s' (row skipped)", why, log_quote(quoted).text);
	else
		log_refuse(
			log, torn ? "torn-line" : "bad-record", "%s (row skipped)", why);
}

void recast_pass(struct recast *recast, struct span line, uint64_t number)
{
	struct row *row = add_row(recast, number);

	row->passes = true;
	row->text = keep(recast, line);
}

/* Memory is full, and so on: of a device, and it changes. */
static bool is_metric(enum source_kind kind, const char *field)
{
	struct span name = cell_strip_unit(span_of(field));
	const struct binding *binding = binding_find(kind, name);

	return binding && !metric_is_state(binding->metric) &&
		!span_is(name, "memory.total") && !span_is(name, "power.limit") &&
		!span_is(name, "ram.total") && !span_is(name, "swap.total");
}

/* A column of a field that others have, too, is behind them. */
static void chain_column(struct recast *recast, size_t at)
{
	struct column *column = recast->column;

	for (size_t i = at; i-- > 0;) {
		if (!text_equal(column[i].field, column[at].field))
			continue;
		column[i].spare = at;
		column[at].is_spare = true;
		return;
	}
}

static struct column *add_column(
	struct recast *recast, struct span name, const char *field)
{
	struct column *column;

	ALLOC_GROW(recast->column, recast->columns + 1, recast->column_cap);
	column = &recast->column[recast->columns++];
	*column = (struct column){.name = xstrndup(name.at, name.len)};
	if (!field || text_equal(field, "?"))
		return column;
	column->field = xstrdup(field);
	column->metric = is_metric(recast->log->facts.recast.kind, field);
	chain_column(recast, recast->columns - 1);
	return column;
}

static void add_late_column(struct recast *recast, struct span name)
{
	const struct recast_facts *facts = &recast->log->facts.recast;
	struct strbuf field = strbuf_new();

	if (facts->map)
		table_map_field(facts->map, name, &field);
	recast->header_due |= add_column(recast, name, field.text)->field != NULL;
	if (!recast->column[recast->columns - 1].field)
		log_note(recast->log, false, "unknown-column", name,
			"column '%s' ignored", log_quote(name).text);
	strbuf_release(&field);
}

/* Where the cells of a name go; they come in one order, as a rule. */
static size_t find_column(struct recast *recast, struct span name, size_t expected)
{
	if (expected < recast->columns && span_is(name, recast->column[expected].name))
		return expected;
	for (size_t i = 0; i < recast->columns; i++)
		if (span_is(name, recast->column[i].name))
			return i;
	return recast->columns;
}

static void add_quoted(struct strbuf *sb, struct span cell)
{
	strbuf_addc(sb, '"');
	for (size_t i = 0; i < cell.len; i++) {
		if (cell.at[i] == '"')
			strbuf_addc(sb, '"');
		strbuf_addc(sb, cell.at[i]);
	}
	strbuf_addc(sb, '"');
}

static void add_cell(struct strbuf *sb, struct span cell)
{
	bool special = cell.len &&
		(memchr(cell.at, ',', cell.len) || memchr(cell.at, '"', cell.len));

	if (special)
		add_quoted(sb, cell);
	else
		strbuf_add(sb, cell.at, cell.len);
}

static struct span value_of(const struct recast *recast, size_t at)
{
	struct span value = recast->column[at].value;

	while (cell_is_missing(value) && recast->column[at].spare) {
		at = recast->column[at].spare;
		if (!cell_is_missing(recast->column[at].value))
			return recast->column[at].value;
	}
	return value;
}

/* A line of the columns that are used: their fields, or their values. */
static void print_line(struct recast *recast, bool header)
{
	bool any = false;

	strbuf_clear(&recast->line);
	for (size_t i = 0; i < recast->columns; i++) {
		const struct column *column = &recast->column[i];

		if (!column->field || column->is_spare ||
			(recast->shape->sections && !column->here))
			continue;
		strbuf_adds(&recast->line, any ? "," : "");
		add_cell(&recast->line,
			header ? span_of(column->field) : value_of(recast, i));
		any = true;
	}
}

/* The values of a row's columns. False: it has none of a metric, and is no sample. */
static bool take_row(struct recast *recast, const struct row *row)
{
	bool any = false;
	size_t next = 0;

	for (size_t i = 0; i < recast->columns; i++)
		recast->column[i].value = SPAN_NONE;
	for (size_t i = row->from; i < row->to; i++) {
		struct span name = text_of(recast, recast->kept[i].name);
		size_t at = find_column(recast, name, next);

		if (at == recast->columns)
			add_late_column(recast, name);
		recast->column[at].value = text_of(recast, recast->kept[i].value);
		any |= recast->column[at].metric;
		next = at + 1;
	}
	return any;
}

/* Reads records until one gives a row; false: the end. */
static bool have_row(struct recast *recast)
{
	while (recast->next == recast->rows) {
		recast->rows = recast->next = recast->kept_count = recast->cells = 0;
		strbuf_clear(&recast->text);
		if (!recast->shape->next(recast) && !recast->rows)
			return false;
	}
	return true;
}

static bool has_field(const struct recast *recast)
{
	for (size_t i = 0; i < recast->columns; i++)
		if (recast->column[i].field)
			return true;
	return false;
}

/* The row has other columns than the last header: it begins a section. */
static void see_section(struct recast *recast)
{
	for (size_t i = 0; i < recast->columns && recast->shape->sections; i++) {
		struct column *column = &recast->column[i];

		recast->header_due |= column->here != (column->value.at != NULL);
		column->here = column->value.at != NULL;
	}
}

void recast_put_back(struct recast *recast, struct span line)
{
	recast->ahead = line;
}

bool recast_raw_line(struct recast *recast, struct span *line)
{
	bool more, again = recast->ahead.at != NULL;

	if (again)
		*line = recast->ahead;
	recast->ahead = SPAN_NONE;
	return again || log_raw_line(recast->log, line, &more);
}

bool recast_next_line(struct recast *recast, struct span *line)
{
	struct log *log = recast->log;

	if (!recast_raw_line(recast, line))
		return false;
	*line = span_trim(*line);
	log->record = recast_number(recast);
	if (recast_torn(recast)) {
		log_refuse(log, "torn-line", "file ends inside a line (row skipped)");
		return false;
	}
	return true;
}

void recast_points(struct recast *recast, struct span *line)
{
	struct strbuf *copy = &recast->points;

	strbuf_clear(copy);
	strbuf_add(copy, line->at, line->len);
	for (size_t i = 1; i + 1 < line->len; i++)
		if (line->at[i] == ',' && is_digit(line->at[i - 1]) &&
			is_digit(line->at[i + 1]))
			copy->text[i] = '.';
	*line = (struct span){copy->text, copy->len};
}

bool recast_has_header(const struct probe *probe, enum map_kind kind)
{
	struct csv_row row = csv_row_new();
	bool is = false;

	for (size_t i = 0; i < probe->count && !is; i++)
		is = table_maps_split(probe->maps, &row, probe->line[i], kind) != NULL;
	csv_row_release(&row);
	return is;
}

void recast_noise(struct recast *recast, struct span line)
{
	if (line.len)
		log_note(recast->log, false, "noise", SPAN_NONE,
			"not a row: '%s' (line skipped, and others like it)",
			log_quote(line).text);
}

/* The first row tells of the time since the boot. */
static bool is_skipped(struct recast *recast)
{
	const struct table_map *map = recast->log->facts.recast.map;

	if (recast->skipped || !(recast->skip_first || (map && map->skip_first)))
		return false;
	recast->skipped = true;
	return true;
}

bool recast_line(struct recast *recast, struct span *line)
{
	const struct recast_facts *facts = &recast->log->facts.recast;

	while (have_row(recast)) {
		const struct row *row = &recast->row[recast->next];
		bool header;

		recast->log->record = row->line;
		if (row->passes) {
			recast->next++;
			*line = text_of(recast, row->text);
			return true;
		}
		if (!take_row(recast, row) || !has_field(recast) || is_skipped(recast)) {
			recast->next++;
			continue;
		}
		see_section(recast);
		header = recast->header_due;
		if (header && !recast->header_said) /* else columns came late */
			log_note_header(
				recast->log, facts->map, facts->guessed, facts->read_as);
		recast->header_said |= header;
		recast->header_due = false;
		recast->next += !header;
		print_line(recast, header);
		*line = (struct span){recast->line.text, recast->line.len};
		return true;
	}
	return false;
}

static struct recast *begin(struct log *log, const struct recast_shape *shape)
{
	struct recast *recast = xcalloc(1, sizeof *recast);

	input_set_pieces(log->in, true);
	recast->log = log;
	recast->shape = shape;
	recast->state = xcalloc(1, shape->state_size);
	return recast;
}

struct recast *recast_open(struct log *log)
{
	const struct recast_facts *facts = &log->facts.recast;
	struct recast *recast = begin(log, facts->shape);
	struct csv_row names = csv_row_of(span_of(facts->names));
	struct csv_row fields = csv_row_of(span_of(facts->fields));

	recast->table = facts->table;
	for (size_t i = 0; i < names.count && i < fields.count; i++) {
		char *field = xstrndup(fields.cell[i].at, fields.cell[i].len);

		add_column(recast, names.cell[i], field);
		free(field);
	}
	csv_row_release(&names);
	csv_row_release(&fields);
	recast->header_due = true;
	return recast;
}

void recast_close(struct recast *recast)
{
	if (!recast)
		return;
	if (recast->shape->release)
		recast->shape->release(recast->state);
	for (size_t i = 0; i < recast->columns; i++) {
		free(recast->column[i].name);
		free(recast->column[i].field);
	}
	free(recast->column);
	free(recast->state);
	free(recast->cell);
	free(recast->kept);
	free(recast->row);
	strbuf_release(&recast->text);
	strbuf_release(&recast->line);
	strbuf_release(&recast->points);
	strbuf_release(&recast->path);
	free(recast);
}

static const struct recast_shape *const shapes[] = {&recast_wandb, &recast_gpustat,
	&recast_json, &recast_xml, &recast_indent, &recast_prom, &recast_tegrastats,
	&recast_words, &recast_periods, &recast_long, &recast_afterburner, &recast_pairs,
	&recast_wide, &recast_labels};

#define ROWS_SEEN 1024 /* of all tables */

/* The columns of a table, in the order in which they came. */
static void gather_columns(struct recast *recast, struct span table)
{
	for (size_t i = 0; i < recast->rows; i++) {
		const struct row *row = &recast->row[i];
		size_t next = 0;

		if (row->passes || !span_equal(text_of(recast, row->table), table))
			continue;
		for (size_t k = row->from; k < row->to; k++) {
			struct span name = text_of(recast, recast->kept[k].name);
			size_t at = find_column(recast, name, next);

			if (at == recast->columns)
				add_column(recast, name, NULL);
			next = at + 1;
		}
	}
}

static void forget_columns(struct recast *recast)
{
	for (size_t i = 0; i < recast->columns; i++) {
		free(recast->column[i].name);
		free(recast->column[i].field);
	}
	recast->columns = 0;
}

/* The first lines of a table, all of its columns, as a format would see them. */
static void fill_probe(struct recast *recast, struct span table, struct probe *probe,
	struct strbuf *text)
{
	size_t from[PROBE_LINES + 1];

	*probe = (struct probe){.maps = recast->log->opt->maps,
		.recast = true,
		.path = recast->log->facts.path};
	strbuf_clear(text);
	from[probe->count++] = text->len;
	for (size_t i = 0; i < recast->columns; i++) {
		strbuf_adds(text, i ? "," : "");
		add_cell(text, span_of(recast->column[i].name));
	}
	for (size_t i = 0; i < recast->rows && probe->count < PROBE_LINES; i++) {
		const struct row *row = &recast->row[i];

		if (row->passes || !span_equal(text_of(recast, row->table), table))
			continue;
		take_row(recast, row);
		from[probe->count++] = text->len;
		for (size_t k = 0; k < recast->columns; k++) {
			strbuf_adds(text, k ? "," : "");
			add_cell(text, recast->column[k].value);
		}
	}
	from[probe->count] = text->len;
	for (size_t i = 0; i < probe->count; i++)
		probe->line[i] =
			(struct span){text->text + from[i], from[i + 1] - from[i]};
}

/* Is the column one of the table's own, and of no record around it? */
static bool is_own(struct span table, struct span name)
{
	size_t lists = 0;

	for (size_t i = 0; i + 1 < name.len; i++)
		lists += name.at[i] == '[' && name.at[i + 1] == ']';
	if (!table.len)
		return !lists;
	return name.len > table.len && memcmp(name.at, table.at, table.len) == 0;
}

/* Keeps of several columns of a time or an id the innermost; counts own metrics. */
static size_t settle_fields(struct strbuf *settled, struct span table, const char *names,
	const char *fields, enum source_kind kind)
{
	struct csv_row name = csv_row_of(span_of(names));
	struct csv_row field = csv_row_of(span_of(fields));
	size_t metrics = 0;

	for (size_t i = 0; i < field.count; i++) {
		bool again = false;
		char *text = xstrndup(field.cell[i].at, field.cell[i].len);

		for (size_t k = i + 1; k < field.count && !is_metric(kind, text); k++)
			again |= span_equal(field.cell[i], field.cell[k]);
		strbuf_adds(settled, i ? "," : "");
		strbuf_adds(settled, again ? "?" : text);
		if (!again && i < name.count && is_own(table, name.cell[i]))
			metrics += is_metric(kind, text);
		free(text);
	}
	csv_row_release(&name);
	csv_row_release(&field);
	return metrics;
}

/* Keeps a table, if it says more of a kind than the one before. */
static void keep_table(struct recast_found *found, const struct recast_shape *shape,
	struct span table, size_t rows, const struct worded_header *header,
	enum source_kind kind)
{
	struct strbuf fields = strbuf_new();
	size_t metrics;
	char *names = xstrndup(header->line.at, header->line.len);

	metrics = settle_fields(&fields, table, names, header->fields.text, kind);
	if (metrics * rows > found[kind].values) {
		recast_facts_release(&found[kind].facts);
		found[kind].values = metrics * rows;
		found[kind].metrics = metrics;
		found[kind].facts = (struct recast_facts){.shape = shape,
			.table = xstrndup(table.at, table.len),
			.names = xstrdup(names),
			.fields = xstrdup(fields.text),
			.read_as = xstrdup(header->read_as.text),
			.guessed = header->guessed,
			.map = header->map,
			.kind = kind};
	}
	free(names);
	strbuf_release(&fields);
}

/* Does a column, what stands before the records, or a line between them say the time? */
static bool has_time(const struct recast *recast, const char *fields)
{
	struct csv_row row = csv_row_of(span_of(fields));
	bool has = prefix_is_any(&recast->log->facts.prefix);

	for (size_t i = 0; i < row.count; i++) {
		enum role role =
			column_role(SOURCE_NVIDIA_QUERY, cell_strip_unit(row.cell[i]));

		has |= role == ROLE_TIME || role == ROLE_CLOCK || role == ROLE_ELAPSED;
	}
	for (size_t i = 0; i < recast->rows; i++)
		has |= recast->row[i].passes;
	csv_row_release(&row);
	return has;
}

static void look_at_table(
	struct recast *recast, struct span table, struct recast_found *found)
{
	struct worded_header header;
	struct strbuf text = strbuf_new();
	struct probe probe;
	size_t rows = 0;

	for (size_t i = 0; i < recast->rows; i++)
		rows += !recast->row[i].passes &&
			span_equal(text_of(recast, recast->row[i].table), table);
	gather_columns(recast, table);
	worded_header_init(&header);
	fill_probe(recast, table, &probe, &text);
	/* what words alone explain may be a setting, or a result */
	if (worded_header_find(&header, &probe) && header.line.at == probe.line[0].at &&
		(header.map || has_time(recast, header.fields.text))) {
		keep_table(found, recast->shape, table, rows, &header,
			header.processes ? SOURCE_NVIDIA_APPS : SOURCE_NVIDIA_QUERY);
		if (!header.processes)
			keep_table(found, recast->shape, table, rows, &header,
				SOURCE_HOST_TABLE);
	}
	worded_header_release(&header);
	strbuf_release(&text);
	forget_columns(recast);
}

static bool is_first_of_table(const struct recast *recast, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!recast->row[i].passes &&
			span_equal(text_of(recast, recast->row[i].table),
				text_of(recast, recast->row[at].table)))
			return false;
	return !recast->row[at].passes;
}

/* The shapes that a log may have, one bit each. */
static unsigned shapes_of(struct log *log)
{
	struct strbuf text = strbuf_new(), nobody = strbuf_new();
	struct probe probe;
	unsigned may = 0;

	input_set_pieces(log->in, true);
	probe_fill(&probe, log, &text, &nobody);
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		may |= shapes[i]->is(&probe) ? 1u << i : 0;
	strbuf_release(&text);
	strbuf_release(&nobody);
	return may;
}

#define NAMES_SAID 8

/* What is known of no table: the first names of the one that has most. */
static void say_names(struct recast *recast, struct strbuf *said)
{
	const struct row *most = recast->row;
	size_t count;

	for (size_t i = 1; i < recast->rows; i++)
		if (recast->row[i].to - recast->row[i].from > most->to - most->from)
			most = &recast->row[i];
	count = recast->rows ? most->to - most->from : 0;
	if (!count)
		return;
	strbuf_addf(said,
		"is %s without a time and a metric of GPUs that are known. Its names: ",
		recast->shape->name);
	for (size_t i = 0; i < count && i < NAMES_SAID; i++) {
		struct span name = text_of(recast, recast->kept[most->from + i].name);

		strbuf_addf(said, "%s%s", i ? ", " : "", log_quote(name).text);
	}
	if (count > NAMES_SAID)
		strbuf_addf(said, " and %zu more", count - NAMES_SAID);
	strbuf_adds(said, ". If it is a log, write a map of its names: --map");
}

/* Looks for tables of one shape; false: there is none. */
static bool find_tables(struct log *log, const struct recast_shape *shape,
	struct recast_found *found, struct strbuf *said)
{
	struct recast *recast = begin(log, shape);
	bool any = false;

	log->recast = recast; /* raw lines are read as they are */
	while (recast->rows < ROWS_SEEN) {
		recast->cells = 0;
		if (!shape->next(recast))
			break;
	}
	for (size_t i = 0; i < recast->rows; i++)
		if (is_first_of_table(recast, i))
			look_at_table(
				recast, text_of(recast, recast->row[i].table), found);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		any |= found[kind].metrics > 0;
		found[kind].facts.step_ns = recast->step_ns;
	}
	if (!any && !said->len && shape != &recast_labels) /* it may be any text */
		say_names(recast, said);
	recast_close(recast);
	log->recast = NULL;
	return any;
}

void recast_find(struct log *log, struct recast_found *found, struct strbuf *said)
{
	unsigned may = shapes_of(log);
	struct error err;

	for (size_t i = 0; may >> i; i++)
		if (may >> i & 1 && input_rewind(log->in, &err) == 0 &&
			find_tables(log, shapes[i], found, said))
			return;
}
