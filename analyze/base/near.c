/* Edits row by row, and a short list. */
#include "base/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t near_edits(const char *a, const char *b)
{
	size_t n = strlen(b), edits;
	size_t *row = xcalloc(n + 1, sizeof *row); /* of a so far, into b up to there */

	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t before = row[0]; /* without this letter of both */

		row[0] = i + 1;
		for (size_t k = 0; k < n; k++) {
			size_t changed = before + (a[i] != b[k]);

			before = row[k + 1];
			row[k + 1] = least(changed, least(before, row[k]) + 1);
		}
	}
	edits = row[n];
	free(row);
	return edits;
}

void near_offer(struct near *near, const char *name)
{
	size_t edits = near_edits(near->asked, name), at = near->count;

	if (3 * edits > strlen(name))
		return;
	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->name[i], name) == 0)
			return;
	while (at > 0 && near->edits[at - 1] > edits)
		at--;
	if (at == NEAR_MOST)
		return;
	near->count = least(near->count + 1, NEAR_MOST);
	for (size_t i = near->count - 1; i > at; i--) {
		near->name[i] = near->name[i - 1];
		near->edits[i] = near->edits[i - 1];
	}
	near->name[at] = name;
	near->edits[at] = edits;
}
