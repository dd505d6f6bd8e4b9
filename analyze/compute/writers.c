/*
 * The events of JSON lines come first in a run, file by file, as many as the file has
 * rows; so nothing else needs to say whose they are.
 */
#include "compute/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A phase that begins, or is one, and the file that says so. */
struct named {
	const char *name;
	size_t file;
};

static bool is_runlog(const struct run *run, size_t file)
{
	return run->file[file].kind == SOURCE_RUNLOG;
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* The phases by their names, and in each name by file. */
static struct named *list_phases(const struct run *run, size_t *count)
{
	struct named *list = xmalloc((run->event_count + 1) * sizeof *list);
	size_t event = 0;

	*count = 0;
	for (size_t f = 0; f < run->file_count; f++) {
		if (!is_runlog(run, f))
			continue;
		for (uint64_t i = 0; i < run->file[f].rows && event < run->event_count;
			i++, event++) {
			const struct event *e = &run->event[event];

			if (e->name && (e->type == EVENT_PHASE || e->type == EVENT_BEGIN))
				list[(*count)++] = (struct named){e->name, f};
		}
	}
	if (*count)
		qsort(list, *count, sizeof *list, by_name);
	return list;
}

/* [file_count] the files that share a name with another one. */
static bool *find_sharing(const struct run *run)
{
	bool *shares = xcalloc(run->file_count + 1, sizeof *shares);
	size_t count;
	struct named *list = list_phases(run, &count);

	for (size_t i = 1; i < count; i++) {
		if (list[i].file == list[i - 1].file ||
			strcmp(list[i].name, list[i - 1].name) != 0)
			continue;
		shares[list[i].file] = shares[list[i - 1].file] = true;
	}
	free(list);
	return shares;
}

void writers_find(struct writers *writers, const struct run *run)
{
	bool *shares = find_sharing(run);
	size_t event = 0;

	writers->of_event = xmalloc((run->event_count + 1) * sizeof *writers->of_event);
	for (size_t i = 0; i < run->event_count; i++)
		writers->of_event[i] = WRITER_NONE;
	for (size_t f = 0; f < run->file_count; f++) {
		if (!is_runlog(run, f))
			continue;
		for (uint64_t i = 0; i < run->file[f].rows && event < run->event_count;
			i++, event++)
			if (shares[f])
				writers->of_event[event] = WRITER_NONE - 1 - (int64_t)f;
	}
	free(shares);
}

void writers_release(struct writers *writers)
{
	free(writers->of_event);
	writers->of_event = NULL;
}
