/* Which GPUs each run has. */
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/comparing.h"

static struct compared_gpu *find(struct comparing *c, const char *name)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->gpu_count; i++)
		if (strcmp(out->gpu[i].name, name) == 0)
			return &out->gpu[i];
	ALLOC_GROW(out->gpu, out->gpu_count + 1, out->gpu_cap);
	out->gpu[out->gpu_count] = (struct compared_gpu){xstrdup(name),
		xcalloc(c->runs_most, sizeof(bool)), xcalloc(c->runs_most, sizeof(bool))};
	return &out->gpu[out->gpu_count++];
}

void gpus_add(struct comparing *c, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	size_t run = c->out->run_count - 1;

	for (size_t i = 0; i < gpus->count; i++)
		if (report_counts_gpu(report, gpus->at[i]))
			find(c, report->run->device[gpus->at[i]].name)->has[run] = true;
	for (size_t i = 0; i < report->ending.gpu_count; i++) {
		const struct gpu_ending *gpu = &report->ending.gpu[i];

		if (gpu->lost && report_counts_gpu(report, gpu->device))
			find(c, report->run->device[gpu->device].name)->lost[run] = true;
	}
}
