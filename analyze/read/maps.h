/*
 * Tables of other tools: which names their headers have, and which fields of a query
 * those are. A map is data: schema/maps/NAME.json, or a file of the same form (--map).
 */
#ifndef READ_MAPS_H
#define READ_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "read/clock_line.h"
#include "read/csv.h"

/* A column by its name; "#" in it is a number of a GPU, and so it is in the field. */
struct mapped_column {
	char *name, *field; /* owned */
};

enum map_cells {
	CELLS_CSV,
	CELLS_WORDS, /* blanks: a table for people (recast_words.c) */
	CELLS_WIDE, /* two or more blanks (recast_wide.c) */
	CELLS_PAIRS /* commas, each behind its name (recast_pairs.c) */
};

struct table_map {
	char *name; /* of what writes such tables; owned */
	char **identify; /* [identify_count] names that all must be there; owned */
	size_t identify_count;
	struct mapped_column *column; /* [column_count] owned */
	size_t column_count;
	enum map_cells cells; /* what parts them */
	char **names; /* [name_count] of its cells, where words do not tell; owned */
	size_t name_count;
	bool skip_first; /* the first row tells of the time since the boot */
	char *period; /* the column of seconds since the run's start, of which a row tells
			 all; NULL: rows are samples; owned */
	char **run; /* [run_count] columns that say together of which run a row is; owned
		     */
	size_t run_count;
	char *field, *value; /* the columns of which value a row has, and of it; NULL: a
				row has several; owned */
	char delimiter; /* between cells; 0: a comma, semicolon or tab */
	char *comment; /* how lines begin that are no rows; NULL; owned */
	enum day_order order; /* of its dates; unknown: they tell */
	bool sum; /* the rows of one time are parts of one sample */
};

struct table_maps {
	struct table_map *at; /* [count] owned; the last ones go before */
	size_t count, cap;
	size_t carried; /* the first ones; what they point to is static */
	uint64_t hash; /* of their texts */
};

/* Adds the map that a JSON text is. -1: err says what was expected; maps is as before. */
int table_maps_parse(
	struct table_maps *maps, const char *file, const char *json, struct error *err);

/* All that the program carries; the caller's. */
struct table_maps table_maps_carried(void);

void table_maps_release(struct table_maps *maps); /* zeroed is empty */

/* Of "gpus[].power", a column of an element of a list, "power"; else the whole name. */
struct span table_own_name(struct span name);

enum map_kind {
	MAP_OF_SAMPLES,
	MAP_OF_WORDS, /* whose cells blanks part */
	MAP_OF_WIDE, /* ... two blanks */
	MAP_OF_PERIODS, /* a row tells of a period (recast_periods.c) */
	MAP_OF_LONG /* in long form, with the columns of both (recast_long.c) */
};

/* The map of that kind whose names a header has; NULL: none. maps: NULL: there are none.
 */
const struct table_map *table_maps_find(
	const struct table_maps *maps, const struct csv_row *header, enum map_kind kind);

/*
 * The same of a line, which is split by what parts the cells of such a table. A header
 * may stand in a comment.
 */
const struct table_map *table_maps_split(const struct table_maps *maps,
	struct csv_row *row, struct span line, enum map_kind kind);

/* What parts the cells below a header, which no map may have explained (NULL). */
char table_map_separator(const struct table_map *map, struct span header);

/* Is a line a comment? map: NULL is fine. */
bool table_map_skips(const struct table_map *map, struct span line);

/* The column of one of the names "a | b", of which the first goes before; SIZE_MAX. */
size_t table_map_column(const struct csv_row *header, const char *names);

/* Appends the field of a column, or "?", as --columns takes it. False: it has none. */
bool table_map_field(const struct table_map *map, struct span name, struct strbuf *field);

#endif
