/* How much a row says, and what a log is known to be able to say. */
#include "compute/run/reply.h"

#include "base/alloc.h"

enum row_answer reply_answer(const struct reply *reply, const struct device *device)
{
	if (device->kind != DEVICE_GPU || reply->life)
		return ROW_SAYS_LIFE;
	if (reply->asked && !reply->any)
		return ROW_SAYS_NOTHING;
	return reply->asked_life ? ROW_SAYS_VALUE : ROW_SAYS_UNASKED;
}

void reply_elsewhere(struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	struct source_state *source = &agg->source[batch->source];
	uint32_t index = batch->device[row];
	struct reply reply = {0};
	enum row_answer answer;

	if (agg->run->device[index].kind != DEVICE_GPU)
		return;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (column->presence[row] != PRESENCE_ABSENT &&
			metric_get(column->metric)->kind != KIND_TICKS)
			reply_note(&reply, column->metric,
				column->presence[row] == PRESENCE_VALUE);
	}
	answer = reply_answer(&reply, &agg->run->device[index]);
	ALLOC_GROW(source->elsewhere, (size_t)index + 1, source->elsewhere_cap);
	while (source->elsewhere_count <= index)
		source->elsewhere[source->elsewhere_count++] = ROW_SAYS_NOTHING;
	if (answer > source->elsewhere[index])
		source->elsewhere[index] = answer;
	if (index < source->device_count && source->device[index])
		track_expect(&source->device[index]->track, answer);
}
