/*
 * Phases as they are shown: their calls with names and times, and, path by path, how
 * often each was called and what the samples in it say.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/state.h"

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

/* A call without an end runs to the run's end. */
static void add_phase(struct report *report, const struct call *call, uint32_t path)
{
	int64_t end_ns = call->end_ns;
	struct phase *phase;

	if (call->unfinished)
		end_ns = report->ended_ns > call->start_ns ? report->ended_ns
							   : call->start_ns;
	ALLOC_GROW(report->phase, report->phase_count + 1, report->phase_cap);
	phase = &report->phase[report->phase_count++];
	*phase = (struct phase){.name = call_name(call),
		.path = path,
		.extras = call->event->extras,
		.start_ns = call->start_ns,
		.end_ns = end_ns,
		.start_s = number_ratio(call->start_ns - report->started_ns, NS_PER_S),
		.seconds = number_ratio(end_ns - call->start_ns, NS_PER_S),
		.unfinished = call->unfinished};
}

void phase_report(struct aggregate *agg, struct report *report)
{
	struct phase_stats *stats = aggregate_phases(agg);
	const struct calls *calls = phase_stats_calls(stats);

	for (size_t i = 0; i < calls->count; i++)
		add_phase(report, &calls->at[i], phase_stats_path(stats, i));
	if (report->phase_count)
		qsort(report->phase, report->phase_count, sizeof *report->phase,
			by_start);
	phase_stats_report(stats, report);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct source_state *source = &agg->source[kind];

		for (size_t i = 0; i < source->device_count; i++)
			if (source->device[i])
				phase_cells_report(&source->device[i]->in_phases, kind,
					(uint32_t)i, report);
	}
}
