/* Maps of tables: JSON into names, and names of headers into fields. */
#include "read/maps.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/metric.h"
#include "read/cells.h"

static void release_map(struct table_map *map)
{
	free(map->name);
	for (size_t i = 0; i < map->identify_count; i++)
		free(map->identify[i]);
	free(map->identify);
	for (size_t i = 0; i < map->name_count; i++)
		free(map->names[i]);
	free(map->names);
	for (size_t i = 0; i < map->run_count; i++)
		free(map->run[i]);
	free(map->run);
	free(map->period);
	free(map->field);
	free(map->value);
	free(map->comment);
	for (size_t i = 0; i < map->column_count; i++) {
		free(map->column[i].name);
		free(map->column[i].field);
	}
	free(map->column);
}

void table_maps_release(struct table_maps *maps)
{
	for (size_t i = maps->carried; i < maps->count; i++)
		release_map(&maps->at[i]);
	free(maps->at);
	*maps = (struct table_maps){0};
}

/* What a text of the map is; NULL: it is none, and err is set. */
static char *take_text(
	const char *file, const cJSON *value, const char *what, struct error *err)
{
	if (cJSON_IsString(value) && value->valuestring[0])
		return xstrdup(value->valuestring);
	error_set(err, "%s: expected %s as text", file, what);
	return NULL;
}

/* A list of names. what: of which, for messages; text: of each. */
static int take_names(char ***names, size_t *count, const char *file, const cJSON *list,
	const char *what, const char *text, struct error *err)
{
	const cJSON *name;

	if (!cJSON_IsArray(list) || !list->child)
		return error_set(err, "%s: expected %s", file, what);
	*names = xcalloc((size_t)cJSON_GetArraySize(list), sizeof **names);
	cJSON_ArrayForEach(name, list)
	{
		char *taken = take_text(file, name, text, err);

		if (!taken)
			return -1;
		(*names)[(*count)++] = taken;
	}
	return 0;
}

static bool is_field(struct span name)
{
	return column_role(SOURCE_NVIDIA_QUERY, name) != ROLE_IGNORED ||
		column_role(SOURCE_NVIDIA_APPS, name) != ROLE_IGNORED;
}

static int take_columns(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	const cJSON *column;

	if (!cJSON_IsObject(object) || !object->child)
		return error_set(err,
			"%s: expected \"columns\": an object of fields by names of "
			"columns",
			file);
	map->column = xcalloc((size_t)cJSON_GetArraySize(object), sizeof *map->column);
	cJSON_ArrayForEach(column, object)
	{
		char *field = take_text(file, column, "the field of each column", err);

		if (!field)
			return -1;
		map->column[map->column_count++] =
			(struct mapped_column){xstrdup(column->string), field};
		if (!is_field(cell_strip_unit(span_of(field))))
			return error_set(err,
				"%s: unknown field '%s' of column '%s', expected a field "
				"of nvidia-smi --query-gpu or of the host, with its "
				"unit, or of "
				"--query-compute-apps",
				file, field, column->string);
	}
	return 0;
}

/* A key that may be left out, and has one value. */
static int take_choice(bool *chosen, const char *file, const cJSON *object,
	const char *key, const char *value, struct error *err)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	*chosen = member != NULL;
	if (!member || (cJSON_IsString(member) && text_equal(member->valuestring, value)))
		return 0;
	return error_set(err, "%s: expected \"%s\": \"%s\"", file, key, value);
}

static int take_cells(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	const cJSON *cells = cJSON_GetObjectItemCaseSensitive(object, "cells");

	if (!cells)
		return 0;
	map->cells = !cJSON_IsString(cells)		  ? CELLS_CSV
		: text_equal(cells->valuestring, "words") ? CELLS_WORDS
		: text_equal(cells->valuestring, "wide")  ? CELLS_WIDE
		: text_equal(cells->valuestring, "pairs") ? CELLS_PAIRS
							  : CELLS_CSV;
	return map->cells == CELLS_CSV
		? error_set(err,
			  "%s: expected \"cells\": \"words\", \"wide\" or \"pairs\"",
			  file)
		: 0;
}

/* A row that tells of a period, not of an instant. */
static int take_period(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	const cJSON *period = cJSON_GetObjectItemCaseSensitive(object, "period");
	const cJSON *run = cJSON_GetObjectItemCaseSensitive(object, "run");

	if (!period && !run)
		return 0;
	if (run &&
		take_names(&map->run, &map->run_count, file, run,
			"\"run\": a list of names of columns", "each name of \"run\"",
			err) < 0)
		return -1;
	map->period = take_text(file, period, "\"period\"", err);
	return map->period ? 0 : -1;
}

/* How lines and times look, where they do not tell. */
static int take_lines(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	const cJSON *delimiter = cJSON_GetObjectItemCaseSensitive(object, "delimiter");
	const cJSON *comment = cJSON_GetObjectItemCaseSensitive(object, "comment");
	const cJSON *time = cJSON_GetObjectItemCaseSensitive(object, "time");

	if (delimiter &&
		(!cJSON_IsString(delimiter) || strlen(delimiter->valuestring) != 1 ||
			strchr("\" .0123456789", delimiter->valuestring[0])))
		return error_set(err,
			"%s: expected \"delimiter\": one character, such as \"|\"", file);
	map->delimiter = delimiter ? delimiter->valuestring[0] : '\0';
	if (comment &&
		!(map->comment = take_text(
			  file, comment, "\"comment\", how such lines begin,", err)))
		return -1;
	if (!time)
		return 0;
	map->order = !cJSON_IsString(time)		       ? DAYS_UNKNOWN
		: text_equal(time->valuestring, "day first")   ? DAY_FIRST
		: text_equal(time->valuestring, "month first") ? MONTH_FIRST
							       : DAYS_UNKNOWN;
	return map->order
		? 0
		: error_set(err,
			  "%s: expected \"time\": \"day first\" or \"month first\"",
			  file);
}

/* Rows of one value each. */
static int take_long(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, "field");
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "value");

	if (!field && !value)
		return 0;
	map->field = take_text(file, field, "\"field\", a column's name,", err);
	if (map->field)
		map->value = take_text(file, value, "\"value\", a column's name,", err);
	return map->value ? 0 : -1;
}

static int take_map(
	struct table_map *map, const char *file, const cJSON *object, struct error *err)
{
	static const char *const known[] = {"name", "about", "identify", "columns",
		"cells", "names", "first_row", "rows", "period", "run", "field", "value",
		"delimiter", "comment", "time"};
	const cJSON *member;
	size_t i;

	cJSON_ArrayForEach(member, object)
	{
		for (i = 0; i < sizeof known / sizeof known[0]; i++)
			if (strcmp(member->string, known[i]) == 0)
				break;
		if (i == sizeof known / sizeof known[0])
			return error_set(err,
				"%s: unknown key '%s', expected name, about, identify, "
				"columns, cells, names, first_row, rows, period, run, "
				"field, value, delimiter, comment or time",
				file, member->string);
	}
	map->name = take_text(
		file, cJSON_GetObjectItemCaseSensitive(object, "name"), "\"name\"", err);
	if (!map->name)
		return -1;
	if (take_names(&map->identify, &map->identify_count, file,
		    cJSON_GetObjectItemCaseSensitive(object, "identify"),
		    "\"identify\": a list of names that the header has",
		    "each name of \"identify\"", err) < 0)
		return -1;
	member = cJSON_GetObjectItemCaseSensitive(object, "names");
	if (member &&
		take_names(&map->names, &map->name_count, file, member,
			"\"names\": a list of names of the cells",
			"each name of \"names\"", err) < 0)
		return -1;
	if (take_cells(map, file, object, err) < 0 ||
		take_choice(&map->skip_first, file, object, "first_row", "skip", err) <
			0 ||
		take_choice(&map->sum, file, object, "rows", "sum", err) < 0)
		return -1;
	if (take_period(map, file, object, err) < 0 ||
		take_long(map, file, object, err) < 0 ||
		take_lines(map, file, object, err) < 0)
		return -1;
	return take_columns(
		map, file, cJSON_GetObjectItemCaseSensitive(object, "columns"), err);
}

int table_maps_parse(
	struct table_maps *maps, const char *file, const char *json, struct error *err)
{
	cJSON *object = cJSON_ParseWithOpts(json, NULL, true);
	struct table_map map = {0};
	int result;

	if (cJSON_IsObject(object))
		result = take_map(&map, file, object, err);
	else
		result = error_set(err, "%s: expected a map of columns as JSON", file);
	cJSON_Delete(object);
	if (result < 0) {
		release_map(&map);
		return -1;
	}
	ALLOC_NEXT(maps->at, maps->count, maps->cap) = map;
	maps->hash = span_hash(span_of(json), maps->hash + SPAN_HASH);
	return 0;
}

struct span table_own_name(struct span name)
{
	for (size_t i = memchr(name.at, '[', name.len) ? name.len : 0; i > 3; i--)
		if (memcmp(name.at + i - 3, "[].", 3) == 0)
			return (struct span){name.at + i, name.len - i};
	return name;
}

/* In how many lists does a column stand? "Reason []" has a unit that is empty. */
static size_t depth_of(struct span name)
{
	size_t lists = 0;

	for (size_t i = 0; i + 1 < name.len; i++)
		lists += memcmp(name.at + i, "[]", 2) == 0 && i && name.at[i - 1] != ' ';
	return lists;
}

/* Cuts the first of several names: "power | temperature". */
static struct span next_name(struct span *names)
{
	struct span name = *names;

	for (size_t i = 0; i + 3 <= names->len; i++) {
		if (memcmp(names->at + i, " | ", 3) != 0)
			continue;
		name.len = i;
		*names = (struct span){names->at + i + 3, names->len - i - 3};
		return name;
	}
	names->len = 0;
	return name;
}

/* "GPU Load [%]" and "VDD_IN (mW)" without their units. */
static struct span without_unit(struct span name)
{
	size_t at = name.len;

	if (name.len && (name.at[name.len - 1] == ']' || name.at[name.len - 1] == ')'))
		while (at && name.at[at - 1] != '[' && name.at[at - 1] != '(')
			at--;
	return at > 1 && at < name.len ? span_trim((struct span){name.at, at - 1}) : name;
}

/* Is it the name, with a number for "#"? *number: those digits. */
static bool is_numbered(struct span name, struct span pattern, struct span *number)
{
	const char *hash = memchr(pattern.at, '#', pattern.len);
	size_t before = hash ? (size_t)(hash - pattern.at) : 0;
	size_t behind = hash ? pattern.len - before - 1 : 0;

	*number = SPAN_NONE;
	if (!hash || span_equal(name, pattern))
		return span_equal(name, pattern);
	if (name.len <= before + behind || memcmp(name.at, pattern.at, before) != 0 ||
		memcmp(name.at + name.len - behind, hash + 1, behind) != 0)
		return false;
	*number = (struct span){name.at + before, name.len - before - behind};
	for (size_t i = 0; i < number->len; i++)
		if (number->at[i] < '0' || number->at[i] > '9')
			return false;
	return true;
}

/* ... perhaps with any text for "*" before it? */
static bool is_named(struct span name, struct span pattern, struct span *number)
{
	if (!pattern.len || pattern.at[0] != '*')
		return is_numbered(name, pattern, number);
	pattern.at++, pattern.len--;
	for (; name.len; name.at++, name.len--)
		if (is_numbered(name, pattern, number))
			return true;
	return false;
}

/* ... or that without its unit, or within its list? */
static bool is_column(struct span cell, struct span pattern, struct span *number)
{
	struct span bare, own;

	*number = SPAN_NONE;
	if (pattern.len && pattern.at[0] != '*' && pattern.at[0] != '#' &&
		!memchr(cell.at, pattern.at[0], cell.len))
		return false; /* as most are: at once */
	bare = without_unit(cell);
	own = table_own_name(cell);
	return is_named(cell, pattern, number) ||
		(bare.len < cell.len && is_named(bare, pattern, number)) ||
		(own.len < cell.len && is_named(own, pattern, number));
}

/* One of the names. *depth: the largest of the lists that those which are there are in.
 */
static bool has_name(const struct csv_row *header, const char *names, size_t *depth)
{
	struct span rest = span_of(names);
	bool has = false;

	while (rest.len) {
		struct span name = next_name(&rest);

		for (size_t i = 0; i < header->count; i++) {
			struct span cell = header->cell[i], number;

			if (!is_column(cell, name, &number))
				continue;
			*depth = depth_of(cell) > *depth ? depth_of(cell) : *depth;
			has = true;
		}
	}
	return has;
}

size_t table_map_column(const struct csv_row *header, const char *names)
{
	struct span rest = span_of(names);

	while (rest.len) {
		struct span name = next_name(&rest);

		for (size_t i = 0; i < header->count; i++)
			if (span_equal(header->cell[i], name))
				return i;
	}
	return SIZE_MAX;
}

/* What blanks part may be a table of JSON, too. */
static bool fits(const struct table_map *map, enum map_kind kind)
{
	return (kind != MAP_OF_WORDS || map->cells == CELLS_WORDS) &&
		(kind != MAP_OF_WIDE || map->cells == CELLS_WIDE) &&
		(kind == MAP_OF_PERIODS) == (map->period != NULL) &&
		(kind == MAP_OF_LONG) == (map->field != NULL);
}

static bool has_columns(
	const struct table_map *map, const struct csv_row *header, enum map_kind kind)
{
	return kind != MAP_OF_LONG ||
		(table_map_column(header, map->field) != SIZE_MAX &&
			table_map_column(header, map->value) != SIZE_MAX);
}

const struct table_map *table_maps_find(
	const struct table_maps *maps, const struct csv_row *header, enum map_kind kind)
{
	size_t deepest = 0;

	for (size_t i = 0; i < header->count; i++)
		if (depth_of(header->cell[i]) > deepest)
			deepest = depth_of(header->cell[i]);
	for (size_t i = maps ? maps->count : 0; i-- > 0;) {
		const struct table_map *map = &maps->at[i];
		size_t found = 0, depth = 0;

		if (!fits(map, kind))
			continue;
		while (found < map->identify_count &&
			has_name(header, map->identify[found], &depth))
			found++;
		if (found == map->identify_count && depth == deepest)
			return has_columns(map, header, kind) ? map : NULL;
	}
	return NULL;
}

bool table_map_skips(const struct table_map *map, struct span line)
{
	return map && map->comment && span_begins(line, map->comment);
}

char table_map_separator(const struct table_map *map, struct span header)
{
	return map && map->delimiter ? map->delimiter : csv_separator(header);
}

const struct table_map *table_maps_split(const struct table_maps *maps,
	struct csv_row *row, struct span line, enum map_kind kind)
{
	const struct table_map *map;

	for (size_t i = maps ? maps->count : 0; i-- > 0;) {
		const struct table_map *at = &maps->at[i];
		struct span names = line;

		if (!at->delimiter && !at->comment)
			continue;
		if (table_map_skips(at, line)) {
			names.at += strlen(at->comment);
			names.len -= strlen(at->comment);
		}
		row->separator = table_map_separator(at, names);
		csv_split(row, span_trim(names));
		map = table_maps_find(maps, row, kind);
		if (map == at)
			return map;
	}
	row->separator = csv_separator(line);
	csv_split(row, line);
	map = table_maps_find(maps, row, kind);
	return map && (map->delimiter && map->delimiter != row->separator) ? NULL : map;
}

bool table_map_field(const struct table_map *map, struct span name, struct strbuf *field)
{
	struct span number;

	for (size_t i = 0; i < map->column_count; i++) {
		if (!is_column(name, span_of(map->column[i].name), &number))
			continue;
		for (const char *c = map->column[i].field; *c; c++)
			if (*c == '#')
				strbuf_add(field, number.at, number.len);
			else
				strbuf_addc(field, *c);
		return true;
	}
	strbuf_addc(field, '?');
	return false;
}
