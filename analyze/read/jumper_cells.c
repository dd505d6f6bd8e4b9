/*
 * JUmPER's history of the cells of a notebook, as CSV or as a list of JSON objects: each
 * becomes a phase, "cell 3", with its number and its code. Where no manifest says how far
 * its clock is from the time since 1970, the first cell does that has both.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/format.h"
#include "read/jumper_rows.h"

enum place {
	PLACE_INDEX,
	PLACE_CODE,
	PLACE_START,
	PLACE_END,
	PLACE_WALL_START, /* from here on older files lack it */
	PLACE_COUNT
};

static const char *const needed[] = {
	"cell_index", "raw_cell", "start_time", "end_time", NULL};
static const char *const wall_start = "wallclock_start_time";

struct cells {
	struct log *log;
	struct jumper_rows rows;
	size_t place[PLACE_COUNT]; /* SIZE_MAX: there is none */
	size_t width; /* of a row; 0: no header yet */
};

static int bid(const struct probe *probe)
{
	return jumper_probe_has(probe, needed) ? 61 : 0;
}

static bool find_places(struct cells *c)
{
	size_t found[PLACE_COUNT];

	for (size_t i = 0; needed[i]; i++) {
		found[i] = records_find(c->rows.cell, c->rows.count, needed[i]);
		if (found[i] == SIZE_MAX)
			return false;
	}
	found[PLACE_WALL_START] = records_find(c->rows.cell, c->rows.count, wall_start);
	memcpy(c->place, found, sizeof found);
	c->width = c->rows.count;
	return true;
}

/* The number and the code as a JSON object, to be freed. */
static char *extras_of(uint64_t index, struct span code)
{
	char *text = xstrndup(code.at, code.len);
	cJSON *object = cJSON_CreateObject();
	char *printed, *extras = NULL;

	cJSON_AddNumberToObject(object, "cell_index", (double)index);
	cJSON_AddStringToObject(object, "raw_cell", text);
	printed = cJSON_PrintUnformatted(object);
	if (printed)
		extras = xstrdup(printed);
	cJSON_free(printed);
	cJSON_Delete(object);
	free(text);
	return extras;
}

static void add_cell(struct cells *c, uint64_t index, int64_t start_ns, int64_t end_ns)
{
	struct event *event = run_add_event(c->log->run);
	struct strbuf name;

	strbuf_init(&name);
	strbuf_addf(&name, "cell %llu", (unsigned long long)index);
	event->at = log_place(c->log);
	event->type = EVENT_PHASE;
	event->t_ns = start_ns;
	event->end_ns = end_ns;
	event->type_name = run_keep(c->log->run, "phase");
	event->name = run_keep_and_free(c->log->run, strbuf_detach(&name));
	event->extras = run_keep_and_free(
		c->log->run, extras_of(index, c->rows.cell[c->place[PLACE_CODE]]));
	c->log->file->rows++;
}

/* pandas writes whole numbers with a point where a column lacks one somewhere. */
static bool read_index(struct span cell, uint64_t *index)
{
	int64_t tenths;

	if (!number_scaled(cell, 10, &tenths) || tenths < 0 || tenths % 10)
		return false;
	*index = (uint64_t)tenths / 10;
	return true;
}

static void take_row(struct cells *c)
{
	const struct span *cell = c->rows.cell;
	int64_t start_ns, end_ns;
	uint64_t index;

	if (!jumper_rows_fits(&c->rows, c->width))
		return;
	if (c->place[PLACE_WALL_START] != SIZE_MAX)
		(void)jumper_keep_offset(c->log->run, cell[c->place[PLACE_START]],
			cell[c->place[PLACE_WALL_START]]);
	if (!read_index(cell[c->place[PLACE_INDEX]], &index))
		log_refuse(c->log, "bad-id", "'%s' is no cell_index; expected a number",
			log_quote(cell[c->place[PLACE_INDEX]]).text);
	else if (!jumper_time(c->log, cell[c->place[PLACE_START]], &start_ns) ||
		!jumper_time(c->log, cell[c->place[PLACE_END]], &end_ns))
		log_refuse(c->log, "bad-time",
			"'%s' or '%s' is no time; expected seconds of JUmPER's clock",
			log_quote(cell[c->place[PLACE_START]]).text,
			log_quote(cell[c->place[PLACE_END]]).text);
	else if (end_ns < start_ns)
		log_refuse(c->log, "bad-phase",
			"a cell whose end, '%s', is before its start, '%s'",
			log_quote(cell[c->place[PLACE_END]]).text,
			log_quote(cell[c->place[PLACE_START]]).text);
	else
		add_cell(c, index, start_ns, end_ns);
}

static void cells_survey(struct log *log)
{
	struct cells c = {.log = log};

	jumper_rows_open(&c.rows, log);
	while (jumper_rows_next(&c.rows)) {
		if (!c.rows.lost && find_places(&c))
			continue;
		if (c.rows.names)
			c.width = 0; /* damaged: nobody knows what is what */
		else
			take_row(&c);
	}
	jumper_rows_close(&c.rows);
	if (log->file->rows)
		jumper_say_clock(log);
}

const struct format format_jumper_cells = {
	.kind = SOURCE_JUMPER_CELLS, .bid = bid, .survey = cells_survey};
