/* The calls of a run: those that stand whole in its log, and those of begin and end. */
#include "compute/phases/calls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/phases/open_events.h"

/* end: NULL: the begin says it, or there is none. */
static void add_call(struct calls *calls, size_t event, const struct event *end,
	int64_t end_ns, bool unfinished)
{
	const struct event *begin = &calls->run->event[event];

	ALLOC_GROW(calls->at, calls->count + 1, calls->cap);
	calls->at[calls->count++] = (struct call){begin, end, begin->t_ns, end_ns,
		calls->processes.of_event[event], unfinished};
}

/* The line that ends it, or says all of it. */
static const struct event *last_line(const struct call *call)
{
	return call->end ? call->end : call->event;
}

/* Of equal spans the outer one is said last; of those that never end, first. */
static int by_line(const struct call *x, const struct call *y)
{
	const struct event *a = last_line(x), *b = last_line(y);

	if (x->unfinished && y->unfinished)
		return (x->event > y->event) - (x->event < y->event);
	return (a < b) - (a > b);
}

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return by_line(x, y);
}

static void add_lost_end(struct calls *calls, size_t end)
{
	ALLOC_GROW(calls->lost_end, calls->lost_ends + 1, calls->lost_end_cap);
	calls->lost_end[calls->lost_ends++] = end;
}

static void take_event(struct calls *calls, struct open_events *open, size_t i)
{
	const struct event *event = &calls->run->event[i];
	size_t begin;

	if (event->t_ns == TIME_NONE)
		return;
	switch (event->type) {
	case EVENT_PHASE:
		add_call(calls, i, NULL, event->end_ns, false);
		break;
	case EVENT_BEGIN:
		if (!event_spans_know_whole(&calls->processes.spans, i))
			open_events_begin(open, i);
		break;
	case EVENT_END:
		begin = open_events_end(open, i);
		if (begin != EVENT_NONE)
			add_call(calls, begin, event, event->t_ns, false);
		else
			add_lost_end(calls, i);
		break;
	case EVENT_POINT:
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x > y) - (x < y);
}

/*
 * The events by time, as samples are: a log may hold the lines of several writers. Where
 * no begin waits for its end the order does not matter.
 */
static const struct event **in_order(const struct run *run)
{
	const struct event **event = xcalloc(run->event_count + 1, sizeof *event);
	bool ordered = true, paired = false;

	for (size_t i = 0; i < run->event_count; i++) {
		event[i] = &run->event[i];
		ordered = ordered && (!i || event[i - 1]->t_ns <= event[i]->t_ns);
		paired |= event[i]->type == EVENT_BEGIN || event[i]->type == EVENT_END;
	}
	if (paired && !ordered)
		qsort(event, run->event_count, sizeof *event, by_time);
	return event;
}

void calls_find(struct calls *calls, const struct run *run)
{
	const struct event **event = in_order(run);
	struct open_events *open;

	*calls = (struct calls){.run = run};
	event_processes_find(&calls->processes, run);
	open = open_events_new(run, &calls->processes);
	for (size_t i = 0; i < run->event_count; i++)
		take_event(calls, open, (size_t)(event[i] - run->event));
	free(event);
	for (size_t i = 0; i < run->event_count; i++)
		if (open_events_is_open(open, i))
			add_call(calls, i, NULL, INT64_MAX, true);
	open_events_free(open);
	if (calls->count)
		qsort(calls->at, calls->count, sizeof *calls->at, by_start);
}

void calls_release(struct calls *calls)
{
	free(calls->at);
	free(calls->lost_end);
	event_processes_release(&calls->processes);
	*calls = (struct calls){0};
}

const char *call_name(const struct call *call)
{
	return call->event->name ? call->event->name : "";
}
