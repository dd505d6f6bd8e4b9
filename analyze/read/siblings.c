/*
 * The files of one log: it was rotated, or cut into pieces, and only one of them has the
 * header. They are known by names that differ in numbers alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/measure.h"
#include "read/glance.h"
#include "read/headerless.h"
#include "read/query_header.h"

static void join_names(struct strbuf *names, const struct csv_row *header)
{
	strbuf_clear(names);
	for (size_t i = 0; i < header->count; i++) {
		strbuf_adds(names, i ? "," : "");
		strbuf_add(names, header->cell[i].at, header->cell[i].len);
	}
}

/* The one header of that many names that a file has; false: it has none, or several. */
static bool find_header(
	struct reading *reading, size_t file, size_t cells, struct strbuf *names)
{
	struct strbuf other;
	struct glance g;
	struct span line;
	bool one = true;

	strbuf_init(&other);
	strbuf_clear(names);
	glance_begin(&g, reading, file);
	while (one && glance_on(&g, &line)) {
		if (!query_split_header(&g.row, line) || g.row.count != cells)
			continue;
		join_names(names->len ? &other : names, &g.row);
		one = !other.len ||
			span_equal((struct span){other.text, other.len},
				(struct span){names->text, names->len});
	}
	glance_end(&g);
	strbuf_release(&other);
	return one && names->len;
}

/* The cells of the first row, or what may be one. */
static size_t first_cells(struct reading *reading, size_t file)
{
	struct glance g;
	struct span line;
	size_t cells = 0;

	glance_begin(&g, reading, file);
	while (cells < 2 && glance_on(&g, &line)) {
		csv_split(&g.row, line);
		cells = g.row.count;
	}
	glance_end(&g);
	return cells;
}

/* Most of the first rows could be of those fields. */
static bool fits_rows(struct reading *reading, size_t file, const char *names)
{
	size_t rows = 0, fit = 0;
	struct glance g;
	struct span line;

	glance_begin(&g, reading, file);
	while (g.lines < PROBE_LINES && glance_on(&g, &line)) {
		csv_split(&g.row, line);
		rows++;
		fit += headerless_fits(&g.row, names);
	}
	glance_end(&g);
	return fit * 2 > rows;
}

static bool is_headed(const struct run_file *file)
{
	return file->kind == SOURCE_NVIDIA_QUERY &&
		file->bid[SOURCE_NVIDIA_QUERY] >= SURE_BITS;
}

/* No reader has the file, or one that does not know its columns. */
static bool is_headless(const struct run_file *file)
{
	return file->kind == SOURCE_NONE ||
		(file->kind == SOURCE_NVIDIA_QUERY && !is_headed(file));
}

static void ask_siblings(struct reading *reading, size_t file, struct strbuf *names)
{
	struct run *run = reading->run;
	size_t cells = 0;

	for (size_t i = 0; i < run->file_count; i++) {
		if (!is_headed(&run->file[i]) ||
			!name_is_sibling(run->file[i].path, run->file[file].path))
			continue;
		if (!cells)
			cells = first_cells(reading, file);
		if (cells < 2 || !find_header(reading, i, cells, names) ||
			!fits_rows(reading, file, names->text))
			continue;
		reading->file[file].by_sibling = xstrdup(names->text);
		run->file[file].kind = SOURCE_NVIDIA_QUERY;
		return;
	}
}

void reading_ask_siblings(struct reading *reading)
{
	struct strbuf names;

	strbuf_init(&names);
	for (size_t i = 0; i < reading->run->file_count; i++)
		if (is_headless(&reading->run->file[i]) && !reading->columns &&
			!reading->file[i].unread)
			ask_siblings(reading, i, &names);
	strbuf_release(&names);
}
