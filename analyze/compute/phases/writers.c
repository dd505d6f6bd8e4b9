/*
 * The events of JSON lines come first in a run, file by file, as many as the file has
 * rows; so nothing else needs to say whose they are.
 */
#include "compute/phases/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A phase that begins, or is one, and who says so. */
struct named {
	const char *name;
	const struct writer *writer;
};

static bool is_runlog(const struct run *run, size_t file)
{
	return run->file[file].kind == SOURCE_RUNLOG;
}

/* By name, and of one name the earlier file first. */
static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->writer->from_ns != y->writer->from_ns)
		return x->writer->from_ns < y->writer->from_ns ? -1 : 1;
	return (x->writer->file > y->writer->file) - (x->writer->file < y->writer->file);
}

/* A phase is written when it has ended. */
static void see_line(struct writer *writer, const struct event *event)
{
	int64_t t_ns = event->end_ns == TIME_NONE ? event->t_ns : event->end_ns;

	if (t_ns == TIME_NONE)
		return;
	if (writer->from_ns == TIME_NONE || t_ns < writer->from_ns)
		writer->from_ns = t_ns;
	if (writer->to_ns == TIME_NONE || t_ns > writer->to_ns)
		writer->to_ns = t_ns;
}

/* The phases of all files, by name if these are several, and what writer[file] is. */
static struct named *list_phases(
	const struct run *run, struct writer *writer, size_t *count)
{
	struct named *list = xmalloc((run->event_count + 1) * sizeof *list);
	size_t event = 0;

	*count = 0;
	for (size_t f = 0; f < run->file_count; f++) {
		writer[f] = (struct writer){f, TIME_NONE, TIME_NONE};
		if (!is_runlog(run, f))
			continue;
		for (uint64_t i = 0; i < run->file[f].rows && event < run->event_count;
			i++, event++) {
			const struct event *e = &run->event[event];

			see_line(&writer[f], e);
			if (e->name && (e->type == EVENT_PHASE || e->type == EVENT_BEGIN))
				list[(*count)++] = (struct named){e->name, &writer[f]};
		}
	}
	if (*count && list[0].writer != list[*count - 1].writer)
		qsort(list, *count, sizeof *list, by_name);
	return list;
}

/*
 * [file_count] the files that share a name with another one, which was written while they
 * were. One that goes on where another ends is of the same process.
 */
static bool *find_sharing(const struct run *run, struct writer *writer)
{
	bool *shares = xcalloc(run->file_count + 1, sizeof *shares);
	size_t count;
	struct named *list = list_phases(run, writer, &count);
	const struct writer *last = NULL; /* of that name, the one that ends last */

	for (size_t i = 0; i < count; i++) {
		const struct writer *now = list[i].writer;

		if (!i || strcmp(list[i].name, list[i - 1].name) != 0)
			last = now;
		if (now != last && now->from_ns < last->to_ns)
			shares[now->file] = shares[last->file] = true;
		if (now->to_ns > last->to_ns)
			last = now;
	}
	free(list);
	return shares;
}

size_t *writers_of_events(const struct run *run)
{
	size_t *of = xcalloc(run->event_count + 1, sizeof *of), event = 0;

	for (size_t f = 0; f < run->file_count; f++)
		for (uint64_t i = 0; is_runlog(run, f) && i < run->file[f].rows &&
			event < run->event_count;
			i++)
			of[event++] = f + 1;
	return of;
}

void writers_find(struct writers *writers, const struct run *run)
{
	bool *shares;

	writers->of_file = xcalloc(run->file_count + 1, sizeof *writers->of_file);
	writers->of_event = writers_of_events(run);
	shares = find_sharing(run, writers->of_file);
	for (size_t i = 0; i < run->event_count; i++)
		if (writers->of_event[i] && !shares[writers->of_event[i] - 1])
			writers->of_event[i] = 0;
	free(shares);
}

void writers_release(struct writers *writers)
{
	free(writers->of_file);
	free(writers->of_event);
	*writers = (struct writers){NULL, NULL};
}

bool writers_at_one_time(const struct writers *writers, size_t a, size_t b)
{
	const struct writer *x = &writers->of_file[a], *y = &writers->of_file[b];

	return x->from_ns < y->to_ns && y->from_ns < x->to_ns;
}
