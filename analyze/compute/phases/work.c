/*
 * Events sorted by kind and time: each kind is a run of neighbours, which work_count.c
 * counts. Knows no sample.
 */
#include "compute/phases/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/phases/event_process.h"
#include "compute/phases/work_count.h"

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int same_kind(const struct event *a, const struct event *b)
{
	int order = compare_text(a->type_name, b->type_name);

	return order ? order : compare_text(a->name, b->name);
}

/* Events of one time stay in the order of the log. */
static int by_kind(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;
	int order = same_kind(x, y);

	if (order)
		return order;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x > y) - (x < y);
}

static bool is_unit(const struct event *event, const struct compute_window *window)
{
	if (event->type != EVENT_POINT || event->t_ns == TIME_NONE ||
		(!event->name && !event->type_name))
		return false;
	/* what collect says of its own recorders is no work */
	if (event->type_name && strcmp(event->type_name, "recorder") == 0)
		return false;
	return window_has(window, event->t_ns);
}

/* Of events of one kind, by time; files: of the run's events. */
static struct work work_of(const struct event *const *event, size_t count,
	const struct run *run, const size_t *files, struct work_told *told)
{
	struct work work = {.type_name = event[0]->type_name,
		.name = event[0]->name,
		.events = count,
		.first_ns = event[0]->t_ns,
		.last_ns = event[count - 1]->t_ns};
	uint64_t *process = xcalloc(count, sizeof *process);

	for (size_t i = 0; i < count; i++)
		process[i] = event_process_hash(event[i], files[event[i] - run->event]);
	work_count(&work, told, event, process, count);
	free(process);
	return work;
}

/* A kind and the first of its events in the log. */
struct found {
	struct work work;
	struct work_told told;
	const struct event *first;
};

/* With a number before those without, more events before fewer. */
static int by_weight(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	bool n = x->work.n_is != WORK_NO_NUMBER, m = y->work.n_is != WORK_NO_NUMBER;

	if (n != m)
		return n ? -1 : 1;
	if (x->work.events != y->work.events)
		return x->work.events > y->work.events ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static struct found *find_kinds(const struct event *const *event, size_t count,
	const struct run *run, size_t *found)
{
	struct found *list = NULL;
	size_t *files = writers_of_events(run);
	size_t cap = 0, end;

	*found = 0;
	for (size_t i = 0; i < count; i = end) {
		struct found kind;

		for (end = i + 1; end < count && same_kind(event[i], event[end]) == 0;)
			end++;
		kind = (struct found){.first = event[i]};
		kind.work = work_of(&event[i], end - i, run, files, &kind.told);
		for (size_t k = i; k < end; k++)
			if (event[k] < kind.first)
				kind.first = event[k];
		if (kind.work.n_is == WORK_NO_NUMBER && kind.work.events < 2) {
			free(kind.told.piece);
			continue;
		}
		ALLOC_GROW(list, *found + 1, cap);
		list[(*found)++] = kind;
	}
	free(files);
	return list;
}

/* What has no length is no phase, but keeps its place. */
static void span_kinds(struct work_kinds *kinds)
{
	const struct phase_rules rules = {.single = true};
	bool any = false;

	run_init(&kinds->spans, "");
	for (size_t i = 0; i < kinds->count; i++) {
		struct event *span = run_add_event(&kinds->spans);

		span->t_ns = kinds->at[i].first_ns;
		if (kinds->at[i].last_ns == kinds->at[i].first_ns)
			continue;
		span->type = EVENT_PHASE;
		span->end_ns = kinds->at[i].last_ns;
		any = true;
	}
	if (any)
		kinds->map = phase_map_new(&kinds->spans, &rules);
}

void work_find(struct work_kinds *kinds, const struct run *run,
	const struct compute_window *window)
{
	const struct event **event = xcalloc(run->event_count + 1, sizeof *event);
	struct found *found;
	size_t units = 0, count;

	*kinds = (struct work_kinds){0};
	for (size_t i = 0; i < run->event_count; i++)
		if (is_unit(&run->event[i], window))
			event[units++] = &run->event[i];
	if (units)
		qsort(event, units, sizeof *event, by_kind);
	found = find_kinds(event, units, run, &count);
	free(event);
	if (count > WORK_KINDS_MAX) {
		qsort(found, count, sizeof *found, by_weight);
		kinds->left_out = count - WORK_KINDS_MAX;
		while (count > WORK_KINDS_MAX)
			free(found[--count].told.piece);
	}
	if (count)
		qsort(found, count, sizeof *found, by_first);
	kinds->at = xcalloc(count + 1, sizeof *kinds->at);
	kinds->told = xcalloc(count + 1, sizeof *kinds->told);
	kinds->count = count;
	for (size_t i = 0; i < count; i++) {
		kinds->at[i] = found[i].work;
		kinds->told[i] = found[i].told;
	}
	free(found);
	span_kinds(kinds);
}

void work_release(struct work_kinds *kinds)
{
	phase_map_free(kinds->map);
	run_release(&kinds->spans);
	for (size_t i = 0; i < kinds->count; i++)
		free(kinds->told[i].piece);
	free(kinds->told);
	free(kinds->at);
	*kinds = (struct work_kinds){0};
}

size_t work_of_call(const struct work_kinds *kinds, size_t call)
{
	return (size_t)(phase_map_tree(kinds->map)->calls.at[call].event -
		kinds->spans.event);
}
