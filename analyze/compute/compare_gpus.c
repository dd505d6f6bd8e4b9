/* Which GPUs each run has. */
#include <string.h>

#include "base/alloc.h"
#include "compute/comparing.h"

static struct compared_gpu *find(struct comparing *c, const char *name)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->gpu_count; i++)
		if (strcmp(out->gpu[i].name, name) == 0)
			return &out->gpu[i];
	ALLOC_GROW(out->gpu, out->gpu_count + 1, out->gpu_cap);
	out->gpu[out->gpu_count] =
		(struct compared_gpu){xstrdup(name), xcalloc(c->runs_most, sizeof(bool))};
	return &out->gpu[out->gpu_count++];
}

void gpus_add(struct comparing *c, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++)
		if (report_counts_gpu(report, gpus->at[i]))
			find(c, report->run->device[gpus->at[i]].name)
				->has[c->out->run_count - 1] = true;
}
