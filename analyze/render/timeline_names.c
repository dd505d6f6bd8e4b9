/*
 * What is left of a phase's name where all of it has no room: without what it shares with
 * another one of its depth, where that is a number: "12" of "epoch 12".
 */
#include <ctype.h>
#include <string.h>

#include "render/timeline_parts.h"

/* Does a number begin there? A word that is left would be taken for another phase. */
static bool is_boundary(const char *name, size_t at)
{
	return at && isdigit((unsigned char)name[at]) &&
		!isdigit((unsigned char)name[at - 1]);
}

/* Where the numbers begin in which the two differ; 0: they share no part. */
static size_t shared(const char *name, const char *other)
{
	size_t at = 0;

	while (name[at] && name[at] == other[at])
		at++;
	while (at && !(is_boundary(name, at) && is_boundary(other, at)))
		at--;
	return at;
}

static bool ends_in(const char *name, const char *part)
{
	size_t len = strlen(name), part_len = strlen(part);

	return len >= part_len && strcmp(name + len - part_len, part) == 0 &&
		(len == part_len || is_boundary(name, len - part_len));
}

const char *timeline_short_name(
	const struct report *report, uint32_t depth, const char *name)
{
	size_t most = 0;

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		if (path->depth == depth && shared(name, path->name) > most)
			most = shared(name, path->name);
	}
	for (size_t i = 0; i < report->path_count && most; i++) {
		const struct phase_path *path = &report->path[i];

		if (path->depth == depth && strcmp(path->name, name) != 0 &&
			ends_in(path->name, name + most))
			return NULL;
	}
	return most ? name + most : NULL;
}
