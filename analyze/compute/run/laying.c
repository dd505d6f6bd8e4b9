/* Ticks are counted as the aggregate counts them, from the first one at TIME_BEGIN. */
#include "compute/run/laying.h"

#include "base/timestamp.h"
#include "compute/run/state.h"

void laying_release(struct laying *laying)
{
	rounds_release(&laying->rounds);
}

bool laying_has_room(uint64_t ticks, int64_t step_ns)
{
	return ticks + SAMPLE_BATCH_ROWS <=
		(uint64_t)((TIME_DATED - TIME_BEGIN) / step_ns);
}

void laying_put(struct laying *laying, const struct run *run, struct sample_batch *batch)
{
	struct rounds *rounds = &laying->rounds;

	if (batch->timed || laying->step_ns <= 0 ||
		!laying_has_room(rounds->count, laying->step_ns))
		return;
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];

		/* Single CPUs stand behind the row of all together. */
		if (!device_is_core(&run->device[device]))
			rounds_add(rounds, run, &(struct round_row){.device = device});
		batch->t_ns[row] = TIME_BEGIN;
		if (rounds->count)
			batch->t_ns[row] +=
				(int64_t)(rounds->count - 1) * laying->step_ns;
	}
	batch->timed = true;
}

bool aggregate_lay(struct aggregate *agg)
{
	const struct run *run = agg->run;
	struct stretch events;
	bool any = false;

	if (agg->options.interval_ns <= 0 || run->started_ns != TIME_NONE ||
		run->ended_ns != TIME_NONE ||
		run_event_span(run, &events.from_ns, &events.to_ns))
		return false;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		if (source->seen &&
			(source->timed ||
				!laying_has_room(
					source->ticks.count, agg->options.interval_ns)))
			return false;
		any |= source->seen;
	}
	agg->options.laid = any;
	if (any)
		aggregate_restart(agg);
	return any;
}
