/*
 * Phases out of events: whole ones as the log has them, begin and end paired inside out
 * by name. A begin without an end runs to the run's end. Their statistics come from the
 * samples; here are only their names and times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/state.h"

static void add_phase(
	struct report *report, const struct event *event, int64_t end_ns, bool unfinished)
{
	struct phase *phase;

	ALLOC_GROW(report->phase, report->phase_count + 1, report->phase_cap);
	phase = &report->phase[report->phase_count++];
	*phase = (struct phase){.name = event->name ? event->name : "",
		.extras = event->extras,
		.start_ns = event->t_ns,
		.start_s = number_ratio(event->t_ns - report->started_ns, NS_PER_S),
		.seconds = number_ratio(end_ns - event->t_ns, NS_PER_S),
		.unfinished = unfinished};
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

/* By start; of equal starts the longer one is the outer and comes first. */
static int by_start(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->seconds != y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add_unfinished(
	struct report *report, const struct open_events *open, const struct run *run)
{
	for (size_t b = 0; b < open->buckets; b++)
		for (size_t at = open->head[b]; at; at = open->next[at - 1]) {
			const struct event *begin = &run->event[at - 1];

			add_phase(report, begin,
				report->ended_ns > begin->t_ns ? report->ended_ns
							       : begin->t_ns,
				true);
		}
}

void phase_report(struct report *report)
{
	const struct run *run = report->run;
	struct open_events open = {.buckets = 64};

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
			add_phase(report, event, event->end_ns, false);
			break;
		case EVENT_BEGIN:
			open_event(&open, run, i);
			break;
		case EVENT_END:
			begin = close_event(&open, run, event);
			if (begin)
				add_phase(report, begin, event->t_ns, false);
			break;
		case EVENT_POINT:
			break;
		}
	}
	add_unfinished(report, &open, run);
	free(open.head);
	free(open.next);
	if (report->phase_count)
		qsort(report->phase, report->phase_count, sizeof *report->phase,
			by_start);
}
