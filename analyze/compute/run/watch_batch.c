/* The rows of a batch, of every GPU, for the conditions of every rule. */
#include "compute/run/state.h"

static bool has_gpu(const struct aggregate *agg)
{
	for (size_t i = 0; i < agg->groups.count; i++)
		if (agg->run->device[agg->groups.group[i].device].kind == DEVICE_GPU)
			return true;
	return false;
}

/* Of rows that can't be judged the first one ends what was open before, and that is all.
 */
static void watch_group(struct aggregate *agg, size_t plan,
	const struct sample_batch *batch, const struct row_group *group,
	const struct verdicts *verdicts, bool judged, int64_t near_ns,
	struct phase_map *phases)
{
	struct source_state *source = &agg->source[batch->source];
	struct device_state *device = source->device[group->device];
	struct row_group rows = *group;

	if (agg->run->device[group->device].kind != DEVICE_GPU ||
		(!judged && (!device->watch || !device->watch[plan].open)))
		return;
	if (!device->watch)
		device->watch = watches_new(&agg->watches, source->origin_ns);
	if (!judged)
		rows.count = 1;
	watch_take(&device->watch[plan], &agg->watches.plan[plan], batch, &rows, verdicts,
		near_ns, phases);
}

void aggregate_watch(
	struct aggregate *agg, const struct sample_batch *batch, int64_t near_ns)
{
	struct watch_list *list = &agg->watches;
	struct column_range range[METRIC_COUNT] = {{.known = false}};
	struct phase_map *phases = batch->timed ? aggregate_phases(agg) : NULL;
	struct verdicts verdicts;

	if (!has_gpu(agg))
		return;
	if (phases && !phase_map_tree(phases)->path_count)
		phases = NULL;
	for (size_t i = 0; i < list->count; i++) {
		bool judged = watch_plan_batch(&list->plan[i], &agg->run->texts, batch);

		verdicts.same = true;
		verdicts.all = VERDICT_UNKNOWN;
		if (judged)
			watch_judge(&list->plan[i], batch, range, &verdicts);
		for (size_t k = 0; k < agg->groups.count; k++)
			watch_group(agg, i, batch, &agg->groups.group[k], &verdicts,
				judged, near_ns, phases);
	}
}
