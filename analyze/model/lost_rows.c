/* Refused lines, and the rows that they stand between. */
#include "model/lost_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"

void lost_rows_release(struct lost_rows *lost)
{
	free(lost->at);
	*lost = (struct lost_rows){0};
}

/* No row can stand between two lines that follow one another. */
void lost_rows_add(struct lost_rows *lost, uint64_t line, uint64_t rows)
{
	size_t at = lost->count;
	struct lost_stretch *last;

	while (at > lost->closed && lost->at[at - 1].line > line)
		at--;
	last = at > lost->closed ? &lost->at[at - 1] : NULL;
	if (last &&
		(line <= last->last_line + 1 ||
			lost->count - lost->closed >= LOST_ROWS_KEPT)) {
		if (line > last->last_line)
			last->last_line = line;
		last->rows += rows;
		return;
	}
	ALLOC_GROW(lost->at, lost->count + 1, lost->cap);
	memmove(&lost->at[at + 1], &lost->at[at], (lost->count - at) * sizeof *lost->at);
	lost->at[at] = (struct lost_stretch){
		line, line, lost->any ? lost->last_ns : INT64_MIN, INT64_MAX, rows};
	lost->count++;
}

/* As one with the last that was kept, if both stand between the same rows. */
static void keep_closed(struct lost_rows *lost, const struct lost_stretch *stretch)
{
	struct lost_stretch *last = lost->closed ? &lost->at[lost->closed - 1] : NULL;

	if (!last ||
		(lost->closed < LOST_ROWS_KEPT &&
			(last->after_ns != stretch->after_ns ||
				last->before_ns != stretch->before_ns))) {
		lost->at[lost->closed++] = *stretch;
		return;
	}
	last->last_line = stretch->last_line;
	last->after_ns = time_earlier(last->after_ns, stretch->after_ns);
	last->before_ns = time_later(last->before_ns, stretch->before_ns);
	last->rows += stretch->rows;
}

void lost_rows_keep(struct lost_rows *lost, const struct lost_stretch *stretch)
{
	ALLOC_GROW(lost->at, lost->closed + 1, lost->cap);
	keep_closed(lost, stretch);
	lost->count = lost->closed;
}

void lost_rows_place(
	struct lost_rows *lost, const int64_t *t_ns, const uint64_t *line, size_t rows)
{
	size_t open = lost->closed, kept;

	for (size_t row = 0; row < rows && open < lost->count; row++)
		while (open < lost->count && lost->at[open].line < line[row]) {
			struct lost_stretch stretch = lost->at[open++];

			if (row)
				stretch.after_ns = t_ns[row - 1];
			stretch.before_ns = t_ns[row];
			keep_closed(lost, &stretch);
		}
	if (!rows)
		return;
	lost->last_ns = t_ns[rows - 1];
	lost->any = true;
	for (kept = lost->closed; open < lost->count; open++) {
		lost->at[kept] = lost->at[open];
		lost->at[kept++].after_ns = lost->last_ns;
	}
	lost->count = kept;
}

uint64_t lost_rows_within(
	const struct lost_rows *lost, int64_t from_ns, int64_t to_ns, uint64_t *line)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < lost->count; i++) {
		const struct lost_stretch *at = &lost->at[i];

		/* a clock that was set back between them turns them round */
		if (time_earlier(at->after_ns, at->before_ns) >= to_ns ||
			time_later(at->after_ns, at->before_ns) <= from_ns)
			continue;
		if (!rows)
			*line = at->line;
		rows += at->rows;
	}
	return rows;
}
