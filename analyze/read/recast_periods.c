/*
 * Tables whose rows tell what a run used since its start, as codecarbon's emissions.csv:
 *
 *   timestamp,run_id,duration,cpu_energy
 *   2026-03-11T15:13:16,4b1c,120.5,0.0012
 *
 * A map says which column is how long that is ("period"), and of which run a row is. The
 * row becomes a sample at its time; before the first one of a run stands one at its
 * start, where all counters are 0. Whoever tells the time to the second tells the period
 * better: the samples are as far apart as the periods say.
 *
 * A file has many runs, as a rule: one is read, the one that is asked for.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "model/metric.h"
#include "read/cells.h"
#include "read/csv.h"
#include "read/input.h"
#include "read/log.h"
#include "read/read_run.h"
#include "read/recast.h"

#define PERIOD_MAX_S 1e9

enum use {
	USE_NONE,
	USE_TIME,
	USE_COUNTER,
	USE_VALUE
};

struct periods_column {
	char *name; /* owned */
	enum use use;
	double before; /* of a counter: what it had counted when the run began anew */
	double last;
};

struct periods_state {
	const struct table_map *map; /* NULL: no header yet */
	struct periods_column *column; /* [count] owned */
	size_t count, time, period;
	size_t *run; /* [runs] the columns of its name; owned */
	size_t runs;
	char separator;
	struct csv_row row;
	struct strbuf name, first; /* of the row's run; of the one that is read */
	bool any; /* a row of that run was read */
	int64_t start_ns;
	double last_s; /* its period */
};

static bool periods_is(const struct probe *probe)
{
	return recast_has_header(probe, MAP_OF_PERIODS);
}

static void forget_header(struct periods_state *own)
{
	for (size_t i = 0; i < own->count; i++)
		free(own->column[i].name);
	free(own->column);
	free(own->run);
	own->column = NULL;
	own->run = NULL;
	own->count = own->runs = 0;
}

static void periods_release(void *state)
{
	struct periods_state *own = state;

	forget_header(own);
	csv_row_release(&own->row);
	strbuf_release(&own->name);
	strbuf_release(&own->first);
}

static enum use use_of(const struct table_map *map, struct span name)
{
	struct strbuf text = strbuf_new();
	const struct binding *binding;
	enum use use = USE_NONE;

	if (table_map_field(map, name, &text)) {
		struct span field = cell_strip_unit((struct span){text.text, text.len});

		binding = binding_find(SOURCE_HOST_TABLE, field);
		if (column_role(SOURCE_HOST_TABLE, field) == ROLE_TIME)
			use = USE_TIME;
		else if (binding && metric_get(binding->metric)->kind == KIND_COUNTER)
			use = USE_COUNTER;
		else
			use = USE_VALUE;
	}
	strbuf_release(&text);
	return use;
}

/* The cells of a header. False: it has no time, or no period. */
static bool take_header(struct periods_state *own, const struct table_map *map)
{
	const struct csv_row *row = &own->row;

	forget_header(own);
	own->map = map;
	own->separator = row->separator;
	own->column = xcalloc(row->count, sizeof *own->column);
	own->time = SIZE_MAX;
	own->period = table_map_column(row, map->period);
	for (; own->count < row->count; own->count++) {
		struct span name = row->cell[own->count];
		struct periods_column *column = &own->column[own->count];

		column->name = xstrndup(name.at, name.len);
		column->use = use_of(map, name);
		if (column->use == USE_TIME)
			own->time = own->count;
	}
	own->run = xcalloc(map->run_count + 1, sizeof *own->run);
	for (size_t i = 0; i < map->run_count; i++) {
		own->run[own->runs] = table_map_column(row, map->run[i]);
		own->runs += own->run[own->runs] != SIZE_MAX;
	}
	return own->time != SIZE_MAX && own->period != SIZE_MAX;
}

/* "4b1c", or "4b1c/train" of a task. */
static void name_run(struct periods_state *own)
{
	strbuf_clear(&own->name);
	for (size_t i = 0; i < own->runs; i++) {
		struct span part = own->row.cell[own->run[i]];

		strbuf_adds(&own->name, own->name.len && part.len ? "/" : "");
		strbuf_add(&own->name, part.at, part.len);
	}
}

#define SHORT_NAME 8 /* of a UUID the first digits */

/* Is the run called so, or so in short? */
static bool is_called(struct span name, const char *asked)
{
	size_t len = strlen(asked);

	return span_begins(name, asked) &&
		(name.len == len || (len == SHORT_NAME && name.at[len] == '-'));
}

/* A number that is not negative; NAN: it is none. */
static double number_of(struct span cell)
{
	char text[64], *end;
	double x;

	if (!cell.len || cell.len >= sizeof text)
		return NAN;
	memcpy(text, cell.at, cell.len);
	text[cell.len] = '\0';
	x = strtod(text, &end);
	return !*end && x >= 0 && isfinite(x) ? x : (double)NAN;
}

static void put_time(struct recast *recast, int64_t t_ns)
{
	const struct periods_state *own = recast_state(recast);
	char text[32];

	snprintf(text, sizeof text, "%lld.%09lld", (long long)(t_ns / NS_PER_S),
		(long long)(t_ns % NS_PER_S));
	recast_put(recast, span_of(own->column[own->time].name), span_of(text));
}

static void put_counter(struct recast *recast, const char *name, double x)
{
	char text[64];

	snprintf(text, sizeof text, "%.15f", x);
	recast_put(recast, span_of(name), span_of(text));
}

/* Where the run begins, nothing is counted yet: of what its row counts. */
static void put_start(struct recast *recast, uint64_t line)
{
	struct periods_state *own = recast_state(recast);
	size_t cells = recast_cells(recast);

	put_time(recast, own->start_ns);
	for (size_t i = 0; i < own->count; i++) {
		struct periods_column *column = &own->column[i];

		column->before += column->last;
		column->last = 0;
		if (column->use == USE_COUNTER && number_of(own->row.cell[i]) > 0)
			put_counter(recast, column->name, column->before);
	}
	recast_row(recast, span_of(""), line);
	recast_back(recast, cells);
}

static void put_row(struct recast *recast, uint64_t line, double period_s)
{
	struct periods_state *own = recast_state(recast);

	put_time(recast, own->start_ns + llround(period_s * 1e9));
	for (size_t i = 0; i < own->count; i++) {
		struct periods_column *column = &own->column[i];
		struct span cell = own->row.cell[i];
		double x = column->use == USE_COUNTER ? number_of(cell) : (double)NAN;

		/* a period uses something: what counts 0 was not counted */
		if (x >= 0)
			column->last = x;
		if (column->before + x > 0)
			put_counter(recast, column->name, column->before + x);
		else if (isnan(x) && column->use != USE_TIME)
			recast_put(recast, span_of(column->name), cell);
	}
	recast_row(recast, span_of(""), line);
}

/* Is the row one of the run that is read? The first one says which, if nobody else does.
 */
static bool is_wanted(struct recast *recast)
{
	struct periods_state *own = recast_state(recast);
	struct log *log = recast_log(recast);
	const char *only = log->facts.only;
	struct span name;

	name_run(own);
	name = (struct span){own->name.text, own->name.len};
	if (only && !own->any && !is_called(name, only))
		return false;
	if (!own->any) {
		strbuf_clear(&own->first);
		strbuf_adds(&own->first, own->name.text);
	}
	if (strcmp(own->first.text, own->name.text) == 0)
		return true;
	if (!only)
		log_refuse(log, "other-run",
			"row of run '%s', but the first one is of '%s' (row skipped)",
			own->name.text, own->first.text);
	return false;
}

static void take_row(struct recast *recast, uint64_t line)
{
	struct periods_state *own = recast_state(recast);
	double period_s;
	int64_t t_ns;

	if (!is_wanted(recast))
		return;
	period_s = number_of(own->row.cell[own->period]);
	if (!(period_s <= PERIOD_MAX_S)) {
		recast_refuse(recast, line, false, "expected the seconds of a period",
			own->row.cell[own->period]);
		return;
	}
	if (!log_time(recast_log(recast), own->row.cell[own->time], &t_ns)) {
		recast_refuse(
			recast, line, false, "expected a time", own->row.cell[own->time]);
		return;
	}
	if (!own->any || period_s < own->last_s) {
		own->start_ns = t_ns - llround(period_s * 1e9);
		put_start(recast, line);
		own->last_s = 0;
	}
	recast_step(recast, llround((period_s - own->last_s) * 1e9));
	own->any = true;
	own->last_s = period_s;
	put_row(recast, line, period_s);
}

/* Where the file ends in the last cell, without a newline, that may be cut. */
static void take_whole_row(struct recast *recast)
{
	struct periods_state *own = recast_state(recast);
	struct log *log = recast_log(recast);
	size_t last = own->count - 1;

	if (recast_torn(recast)) {
		bool used = last == own->time || last == own->period ||
			own->column[last].use != USE_NONE;

		for (size_t i = 0; i < own->runs; i++)
			used |= last == own->run[i];
		if (used && (last == own->time || last == own->period)) {
			log_refuse(log, "torn-line",
				"file ends inside a line (row skipped)");
			return;
		}
		if (used)
			log_note(log, true, "no-newline", SPAN_NONE,
				"file ends without a newline; the last field of the row "
				"is ignored");
		own->row.cell[last] = SPAN_NONE;
	}
	take_row(recast, log->record);
}

static bool periods_next(struct recast *recast)
{
	struct log *log = recast_log(recast);
	struct periods_state *own = recast_state(recast);
	const struct table_map *map;
	struct span line;
	bool more;

	if (!log_raw_line(log, &line, &more))
		return false;
	line = span_trim(line);
	map = table_maps_split(log->opt->maps, &own->row, line, MAP_OF_PERIODS);
	if (map) {
		if (!take_header(own, map))
			own->map = NULL;
		return true;
	}
	own->row.separator = own->separator;
	csv_split(&own->row, line);
	log->record = recast_number(recast);
	if (!own->map)
		recast_noise(recast, line);
	else if (own->row.count == own->count)
		take_whole_row(recast);
	else if (line.len)
		log_refuse(log, "field-count",
			"expected %zu fields, found %zu (row skipped)", own->count,
			own->row.count);
	return true;
}

/* The runs of a file. */

struct named_runs {
	char **name; /* [count] in the order of the file; owned */
	size_t count, cap;
};

static bool has_name(const struct named_runs *runs, const char *name)
{
	for (size_t i = runs->count; i-- > 0;)
		if (strcmp(runs->name[i], name) == 0)
			return true;
	return false;
}

/* Do the first digits of all names say which run it is? */
static bool are_short(const struct named_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		const char *name = runs->name[i];

		if (strlen(name) <= SHORT_NAME || name[SHORT_NAME] != '-')
			return false;
		for (size_t k = 0; k < i; k++)
			if (memcmp(name, runs->name[k], SHORT_NAME) == 0)
				return false;
	}
	return true;
}

static void gather_runs(
	struct named_runs *runs, struct input *in, const struct table_maps *maps)
{
	struct periods_state own = {0};
	struct error err;
	struct span line;
	const struct table_map *map;

	while (input_line(in, &line, &err) > 0) {
		map = table_maps_split(maps, &own.row, line, MAP_OF_PERIODS);
		if (map && !take_header(&own, map))
			break;
		if (map)
			continue;
		if (!own.map)
			break;
		own.row.separator = own.separator;
		csv_split(&own.row, line);
		if (own.row.count != own.count)
			continue;
		name_run(&own);
		if (has_name(runs, own.name.text))
			continue;
		ALLOC_NEXT(runs->name, runs->count, runs->cap) = xstrdup(own.name.text);
	}
	periods_release(&own);
}

char **read_runs_of(const char *path, const struct table_maps *maps, size_t *count)
{
	struct named_runs runs = {0};
	struct input *in;
	struct error err;
	struct stat st;
	bool is_short;

	*count = 0;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
		input_open(&in, path, -1, &err) < 0)
		return NULL;
	gather_runs(&runs, in, maps);
	input_close(in);
	is_short = are_short(&runs);
	for (size_t i = 0; i < runs.count; i++) {
		struct strbuf operand = strbuf_new();

		strbuf_addf(&operand, "%s#%.*s", path, is_short ? SHORT_NAME : INT_MAX,
			runs.name[i]);
		free(runs.name[i]);
		runs.name[i] = strbuf_detach(&operand);
	}
	if (runs.count > 1) {
		*count = runs.count;
		return runs.name;
	}
	if (runs.count)
		free(runs.name[0]);
	free(runs.name);
	return NULL;
}

const struct recast_shape recast_periods = {.name = "a table of periods",
	.is = periods_is,
	.next = periods_next,
	.state_size = sizeof(struct periods_state),
	.release = periods_release};
