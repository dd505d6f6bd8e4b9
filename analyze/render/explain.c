/* What both formats of an explanation need. */
#include "render/explain.h"

const char *explain_method(const struct metric_stats *stats)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return "mean: (x + x') / 2 * dt, summed over all steps from one value to "
		       "the next that are no gap, divided by the sum of their dt";
	case KIND_SHARE:
		return "mean: 100 * the rise of the parts' ticks / the rise of user + "
		       "nice + system + idle + iowait + irq + softirq + steal, a "
		       "field's decrease counting as 0; where the log has percentages "
		       "of an interval, their mean by its length; n, min, max and "
		       "percentiles: of windows of at least 1 s";
	case KIND_TICKS:
	case KIND_COUNTER:
		return "increase: the sum of all steps from one value to the next; a "
		       "decrease is a reset, whose step is left out";
	case KIND_STATE:
	case KIND_FLAGS:
		return "a state holds until the next row; shares are of the covered "
		       "time";
	}
	return "";
}

const struct origin *explain_origin(
	const struct explain_input *in, const struct metric_stats *stats)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (o->source == stats->source && o->device == stats->device &&
			o->metric == stats->metric)
			return o;
	}
	return NULL;
}

bool explain_is_part(const struct origin *origin, const struct metric_stats *stats)
{
	return origin->source == stats->source && origin->device == stats->device &&
		metric_get(origin->metric)->kind == KIND_TICKS &&
		metric_get(stats->metric)->kind == KIND_SHARE;
}

uint64_t explain_refused(const struct run *run, enum source_kind kind)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			refused += run->file[i].refused;
	return refused;
}
