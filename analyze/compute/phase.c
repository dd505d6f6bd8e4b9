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

static bool same_name(const struct event *a, const struct event *b)
{
	return strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0;
}

/* The events that are still open, as a stack of their indexes. */
struct open_events {
	size_t *at;
	size_t count, cap;
};

/*
 * Takes the innermost open event of that name off the stack; NULL: there is none, or none
 * that began before this end.
 */
static const struct event *close_event(
	struct open_events *open, const struct run *run, const struct event *end)
{
	for (size_t i = open->count; i-- > 0;) {
		const struct event *begin = &run->event[open->at[i]];

		if (!same_name(begin, end) || begin->t_ns > end->t_ns)
			continue;
		memmove(&open->at[i], &open->at[i + 1],
			(open->count - i - 1) * sizeof *open->at);
		open->count--;
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

void phase_report(struct report *report)
{
	const struct run *run = report->run;
	struct open_events open = {0};

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i], *begin;

		if (event->t_ns == TIME_NONE)
			continue;
		switch (event->type) {
		case EVENT_PHASE:
			add_phase(report, event, event->end_ns, false);
			break;
		case EVENT_BEGIN:
			ALLOC_GROW(open.at, open.count + 1, open.cap);
			open.at[open.count++] = i;
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
	while (open.count) {
		const struct event *begin = &run->event[open.at[--open.count]];

		if (report->ended_ns > begin->t_ns)
			add_phase(report, begin, report->ended_ns, true);
		else
			add_phase(report, begin, begin->t_ns, true);
	}
	free(open.at);
	if (report->phase_count)
		qsort(report->phase, report->phase_count, sizeof *report->phase,
			by_start);
}
