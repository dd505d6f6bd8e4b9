/*
 * Tables in long form: a row says one value, a column which one it is:
 *
 *   time,gpu,metric,value
 *   1777591226,0,util,40
 *   1777591226,0,power,90.5
 *
 * A map names these two columns ("field", "value"). Rows in succession that are equal
 * but for them become one row, with the values under their own names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/recast.h"

struct long_state {
	const struct table_map *map; /* NULL: no header yet */
	char **name; /* [count] of columns; owned, and each of them */
	size_t count, field, value;
	struct csv_row row;
	struct strbuf key; /* all but the value */
};

static bool long_is(const struct probe *probe)
{
	return recast_has_header(probe, MAP_OF_LONG);
}

static void forget_header(struct long_state *own)
{
	for (size_t i = 0; i < own->count; i++)
		free(own->name[i]);
	free(own->name);
	own->name = NULL;
	own->count = 0;
}

static void long_release(void *state)
{
	struct long_state *own = state;

	forget_header(own);
	csv_row_release(&own->row);
	strbuf_release(&own->key);
}

static void take_header(struct long_state *own, const struct table_map *map)
{
	forget_header(own);
	own->map = map;
	own->field = table_map_column(&own->row, map->field);
	own->value = table_map_column(&own->row, map->value);
	own->name = xcalloc(own->row.count, sizeof *own->name);
	for (; own->count < own->row.count; own->count++)
		own->name[own->count] = xstrndup(
			own->row.cell[own->count].at, own->row.cell[own->count].len);
}

/* What a row says besides the value. */
static void write_key(const struct long_state *own, struct strbuf *key)
{
	strbuf_clear(key);
	for (size_t i = 0; i < own->count; i++) {
		if (i != own->field && i != own->value)
			strbuf_add(key, own->row.cell[i].at, own->row.cell[i].len);
		strbuf_addc(key, '\n');
	}
}

/* True: the map knows it. */
static bool put_value(struct recast *recast, const struct long_state *own)
{
	struct strbuf field = strbuf_new();
	bool known = table_map_field(own->map, own->row.cell[own->field], &field);

	strbuf_release(&field);
	if (known)
		recast_put(recast, own->row.cell[own->field], own->row.cell[own->value]);
	return known;
}

static void put_rows(struct recast *recast, struct long_state *own)
{
	uint64_t number = recast_number(recast);
	struct strbuf key = strbuf_new();
	bool known, more = true;
	struct span line;

	for (size_t i = 0; i < own->count; i++)
		recast_put(recast, span_of(own->name[i]), own->row.cell[i]);
	write_key(own, &own->key);
	known = put_value(recast, own);
	while (more && recast_next_line(recast, &line)) {
		csv_split(&own->row, line);
		more = own->row.count == own->count;
		if (more)
			write_key(own, &key);
		more &= text_equal(key.text, own->key.text);
		if (more)
			known |= put_value(recast, own);
		else
			recast_put_back(recast, line);
	}
	if (known)
		recast_row(recast, span_of(""), number);
	strbuf_release(&key);
}

static bool long_next(struct recast *recast)
{
	struct long_state *own = recast_state(recast);
	const struct table_map *map;
	struct span line;

	if (!recast_next_line(recast, &line))
		return false;
	map = table_maps_split(
		recast_log(recast)->opt->maps, &own->row, line, MAP_OF_LONG);
	if (map)
		take_header(own, map);
	else if (!own->map)
		recast_noise(recast, line);
	else if (own->row.count == own->count)
		put_rows(recast, own);
	else
		recast_refuse(recast, recast_number(recast), false,
			"expected as many cells as the header has", line);
	return true;
}

const struct recast_shape recast_long = {.name = "a table in long form",
	.is = long_is,
	.next = long_next,
	.state_size = sizeof(struct long_state),
	.release = long_release};
