/* Begin and end meet in a hash table of the events that are open. */
#include "compute/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int64_t process_of(const struct event *event)
{
	static const char *const key[] = {
		"process_id", "pid", "rank", "local_rank", "worker", "worker_id"};
	double number;

	for (size_t i = 0; event->extras && i < sizeof key / sizeof key[0]; i++)
		if (strstr(event->extras, key[i]) &&
			event_number(event, key[i], &number) && number >= 0 &&
			number < 1e15)
			return (int64_t)number;
	return -1;
}

/* What the event says of its process, else whose file it is in. */
static int64_t writer_of(const struct calls *calls, const struct event *event)
{
	int64_t process = process_of(event);

	return process >= 0 ? process
			    : calls->writers.of_event[event - calls->run->event];
}

static void add_call(
	struct calls *calls, const struct event *event, int64_t end_ns, bool unfinished)
{
	ALLOC_GROW(calls->at, calls->count + 1, calls->cap);
	calls->at[calls->count++] = (struct call){
		event, event->t_ns, end_ns, writer_of(calls, event), unfinished};
}

static const char *name_of(const struct event *event)
{
	return event->name ? event->name : "";
}

/* The events that are still open, by name, the innermost first. */
struct open_events {
	size_t *head; /* [buckets] index of an event + 1; 0: none */
	size_t *next; /* [event_count] the same */
	size_t buckets; /* a power of two */
};

static size_t *bucket_of(const struct open_events *open, const struct event *event)
{
	uint64_t hash = span_hash(span_of(name_of(event)), SPAN_HASH);

	return &open->head[(hash ^ hash >> 32) & (open->buckets - 1)];
}

static void open_event(struct open_events *open, const struct run *run, size_t index)
{
	size_t *head = bucket_of(open, &run->event[index]);

	open->next[index] = *head;
	*head = index + 1;
}

/*
 * Takes the innermost open event of that name out; NULL: there is none, or none that
 * began before this end.
 */
static const struct event *close_event(
	struct open_events *open, const struct run *run, const struct event *end)
{
	for (size_t *at = bucket_of(open, end); *at; at = &open->next[*at - 1]) {
		const struct event *begin = &run->event[*at - 1];

		if (strcmp(name_of(begin), name_of(end)) != 0 || begin->t_ns > end->t_ns)
			continue;
		*at = open->next[*at - 1];
		return begin;
	}
	return NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->event < y->event) - (x->event > y->event);
}

static void add_unfinished(
	struct calls *calls, const struct open_events *open, const struct run *run)
{
	for (size_t b = 0; b < open->buckets; b++)
		for (size_t at = open->head[b]; at; at = open->next[at - 1])
			add_call(calls, &run->event[at - 1], INT64_MAX, true);
}

/* What of the calls lies in a window. */
static void cut(struct calls *calls, const struct compute_window *window)
{
	size_t kept = 0;

	for (size_t i = 0; i < calls->count; i++) {
		struct call call = calls->at[i];

		if (call.start_ns >= window->to_ns ||
			(call.end_ns <= window->from_ns &&
				call.start_ns < window->from_ns))
			continue;
		if (call.start_ns < window->from_ns)
			call.start_ns = window->from_ns;
		if (call.end_ns > window->to_ns && !call.unfinished)
			call.end_ns = window->to_ns;
		calls->at[kept++] = call;
	}
	calls->count = kept;
}

void calls_find(
	struct calls *calls, const struct run *run, const struct compute_window *window)
{
	struct open_events open = {.buckets = 64};

	*calls = (struct calls){.run = run};
	writers_find(&calls->writers, run);
	while (open.buckets < run->event_count)
		open.buckets *= 2;
	open.head = xcalloc(open.buckets, sizeof *open.head);
	open.next = xcalloc(run->event_count, sizeof *open.next);
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i], *begin;

		if (event->t_ns == TIME_NONE)
			continue;
		switch (event->type) {
		case EVENT_PHASE:
			add_call(calls, event, event->end_ns, false);
			break;
		case EVENT_BEGIN:
			open_event(&open, run, i);
			break;
		case EVENT_END:
			begin = close_event(&open, run, event);
			if (begin)
				add_call(calls, begin, event->t_ns, false);
			break;
		case EVENT_POINT:
			break;
		}
	}
	add_unfinished(calls, &open, run);
	free(open.head);
	free(open.next);
	writers_release(&calls->writers);
	if (window)
		cut(calls, window);
	if (calls->count)
		qsort(calls->at, calls->count, sizeof *calls->at, by_start);
}

void calls_release(struct calls *calls)
{
	free(calls->at);
	*calls = (struct calls){0};
}

const char *call_name(const struct call *call)
{
	return name_of(call->event);
}
