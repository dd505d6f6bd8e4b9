/*
 * The log of MSI Afterburner: lines of a kind and a time each, of which one has the names
 * of the columns, one for each column its unit, and all others a sample:
 *
 *   02, 12-08-2021 08:16:59, GPU usage           ,Power               ,
 *   03, 12-08-2021 08:16:59, 0                   ,%                   ,0.000 ,100.000
 *   80, 12-08-2021 08:17:00, 67.000              ,96.912              ,
 *
 * A name with its unit is what the columns of other tables are called.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/recast.h"

#define KIND  0
#define TIME  1
#define CELLS 2 /* before those of the columns */

static bool is_of_kind(struct csv_row *row, struct span line, const char *kind)
{
	csv_split(row, line);
	return row->count > CELLS && span_is(row->cell[KIND], kind);
}

/* A title, and the names of columns. */
static bool afterburner_is(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	bool title = false, is = false;

	for (size_t i = 0; i < probe->count && !is; i++) {
		title |= span_begins(probe->line[i], "00,") &&
			span_has_nocase(probe->line[i], "Hardware monitoring log");
		is = title && is_of_kind(&row, probe->line[i], "02");
	}
	csv_row_release(&row);
	return is;
}

struct afterburner_state {
	char **name; /* [count] owned, and each of them */
	size_t count;
};

static void forget_names(struct afterburner_state *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->name[i]);
	free(s->name);
	*s = (struct afterburner_state){0};
}

static void afterburner_release(void *state)
{
	forget_names(state);
}

static void take_names(struct afterburner_state *s, const struct csv_row *row)
{
	forget_names(s);
	s->name = xcalloc(row->count, sizeof *s->name);
	for (size_t i = CELLS; i < row->count; i++)
		s->name[s->count++] = xstrndup(row->cell[i].at, row->cell[i].len);
}

/* "03, TIME, 0, %": of the first column. */
static void take_unit(struct afterburner_state *s, const struct csv_row *row)
{
	struct strbuf name;
	uint64_t at;

	if (row->count <= CELLS + 1 || !number_unsigned(row->cell[CELLS], &at) ||
		at >= s->count || !row->cell[CELLS + 1].len)
		return;
	strbuf_init(&name);
	strbuf_addf(&name, "%s [", s->name[at]);
	for (size_t i = 0; i < row->cell[CELLS + 1].len; i++)
		if ((unsigned char)row->cell[CELLS + 1].at[i] < 0x80) /* no degree sign */
			strbuf_addc(&name, row->cell[CELLS + 1].at[i]);
	strbuf_addc(&name, ']');
	free(s->name[at]);
	s->name[at] = xstrdup(name.text);
	strbuf_release(&name);
}

static void put_sample(struct recast *recast, const struct afterburner_state *s,
	const struct csv_row *row)
{
	recast_put(recast, span_of("timestamp"), row->cell[TIME]);
	for (size_t i = 0; i < s->count; i++)
		recast_put(recast, span_of(s->name[i]), row->cell[CELLS + i]);
	recast_line_row(recast);
}

static bool afterburner_next(struct recast *recast)
{
	struct afterburner_state *s = recast_state(recast);
	struct csv_row row;
	struct span line;

	if (!recast_next_line(recast, &line))
		return false;
	row = csv_row_new();
	if (is_of_kind(&row, line, "02"))
		take_names(s, &row);
	else if (is_of_kind(&row, line, "03"))
		take_unit(s, &row);
	else if (!is_of_kind(&row, line, "80"))
		recast_noise(recast, line);
	else if (row.count >= CELLS + s->count)
		put_sample(recast, s, &row);
	else
		recast_refuse(recast, recast_number(recast), false,
			"expected a cell for each name", line);
	csv_row_release(&row);
	return true;
}

const struct recast_shape recast_afterburner = {.name = "a log of MSI Afterburner",
	.is = afterburner_is,
	.next = afterburner_next,
	.state_size = sizeof(struct afterburner_state),
	.release = afterburner_release};
