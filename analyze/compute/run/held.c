/* The logs of each GPU, and the stretches of them together. */
#include "compute/run/held.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/state.h"

/* By the first kind of log of the GPU that has rows with all the values. */
static void watch_gpu(struct aggregate *agg, size_t rule, struct gpu_watch *gpu)
{
	size_t plan = agg->watches.of_rule[rule];
	struct timing timing;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct source_state *source = &agg->source[kind];
		struct device_state *device = gpu->device < source->device_count
			? source->device[gpu->device]
			: NULL;
		struct watch *watch = device && device->watch && plan != SIZE_MAX
			? &device->watch[plan]
			: NULL;

		if (!watch || !watch->known ||
			(device->track.timed && !device->track.answers.any))
			continue;
		gpu->known = true;
		gpu->watch = watch;
		gpu->source = kind;
		gpu->rows = watch->known;
		gpu->always = watch->held == watch->known;
		gpu->first_ns = device->track.answers.first_ns;
		gpu->last_ns = device->track.answers.last_ns;
		timing = device_timing(agg, kind, device);
		gpu->interval_ns = timing.interval_ns;
		gpu->limit_ns = timing.limit_ns;
		watch_finish(watch, &agg->watches.plan[plan], &device->track,
			gpu->limit_ns, &gpu->at);
		return;
	}
}

/* From the first row of any log in the run's time to the last. */
static struct stretch all_logs(const struct held *held, const struct aggregate *agg)
{
	struct stretch all = {INT64_MAX, INT64_MIN}, run;

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (gpu->known && gpu->first_ns < all.from_ns)
			all.from_ns = gpu->first_ns;
		if (gpu->known && gpu->last_ns > all.to_ns)
			all.to_ns = gpu->last_ns;
	}
	if (!agg->options.window.set &&
		run_command_span(agg->run, &run.from_ns, &run.to_ns)) {
		all.from_ns = time_later(all.from_ns, run.from_ns);
		all.to_ns = time_earlier(all.to_ns, run.to_ns);
	}
	return all;
}

/* A log begins or ends with the others unless it is more than a gap apart from them. */
static bool begins_with(const struct gpu_watch *gpu, const struct stretch *all)
{
	return gpu->first_ns - all->from_ns <= gpu->limit_ns;
}

static bool ends_with(const struct gpu_watch *gpu, const struct stretch *all)
{
	return all->to_ns - gpu->last_ns <= gpu->limit_ns;
}

/*
 * Stretches of the run: of the GPUs of which it is not always true, if there are such.
 * False: of one of them they are not known.
 */
static bool join(struct held *held, const struct stretch *all)
{
	struct joint_part *part = xcalloc(held->gpu_count + 1, sizeof *part);
	size_t not_always = 0;
	bool known = true;

	for (size_t i = 0; i < held->gpu_count; i++)
		not_always += held->gpu[i].known && !held->gpu[i].always;
	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (!gpu->known || (not_always && gpu->always) ||
			gpu->first_ns > all->to_ns || gpu->last_ns < all->from_ns)
			continue;
		known &= gpu->at.listed;
		part[held->joined++] =
			(struct joint_part){gpu->at.at.at, gpu->at.at.count,
				{begins_with(gpu, all) ? all->from_ns : gpu->first_ns,
					ends_with(gpu, all) ? all->to_ns : gpu->last_ns}};
	}
	held->joint = joint_of(part, held->joined);
	free(part);
	return known && held->joined;
}

/* When the logs that begin together had begun, and the first of those that end together
 * ended. */
static struct stretch logged(const struct held *held, const struct stretch *all)
{
	struct stretch logged = *all;

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (!gpu->known)
			continue;
		if (gpu->first_ns > logged.from_ns && begins_with(gpu, all))
			logged.from_ns = gpu->first_ns;
		if (gpu->last_ns < logged.to_ns && ends_with(gpu, all))
			logged.to_ns = gpu->last_ns;
	}
	return logged;
}

void held_join(struct held *held, const struct aggregate *agg)
{
	struct stretch all = all_logs(held, agg), log = logged(held, &all);
	int128 all_ns = 0, gpu_ns = 0;

	if (!join(held, &all))
		return;
	held->first_s = held->last_s = 0;
	for (size_t i = 0; i < held->joint.count; i++) {
		const struct joint_stretch *s = &held->joint.at[i];
		int64_t ns = s->time.to_ns - s->time.from_ns;

		all_ns += ns;
		gpu_ns += s->gpu_ns;
		if (!i && s->time.from_ns <= log.from_ns)
			held->first_s = number_ratio(ns, NS_PER_S);
		if (i + 1 == held->joint.count && s->time.to_ns >= log.to_ns)
			held->last_s = number_ratio(ns, NS_PER_S);
	}
	held->seconds = number_ratio(all_ns, NS_PER_S);
	held->gpu_seconds = number_ratio(gpu_ns, NS_PER_S);
}

void held_find(struct held *held, struct aggregate *agg, size_t rule,
	const struct report *report)
{
	const struct device_list *gpus = &agg->run->of_kind[DEVICE_GPU];

	*held = (struct held){
		.seconds = NAN, .gpu_seconds = NAN, .first_s = NAN, .last_s = NAN};
	held->gpu = xcalloc(gpus->count + 1, sizeof *held->gpu);
	for (size_t i = 0; i < gpus->count; i++) {
		if (report && !report_counts_gpu(report, gpus->at[i]))
			continue;
		held->gpu[held->gpu_count].device = gpus->at[i];
		held->gpu[held->gpu_count].together = NAN;
		watch_gpu(agg, rule, &held->gpu[held->gpu_count++]);
	}
}

void held_release(struct held *held)
{
	for (size_t i = 0; i < held->gpu_count; i++)
		watched_release(&held->gpu[i].at);
	free(held->joint.at);
	free(held->gpu);
}

int64_t held_least_ns(const struct rule *rule)
{
	return (int64_t)(rule->stretch_s * 1e9);
}

bool held_counts(const struct rule *rule, const struct stretch *time)
{
	return time->to_ns - time->from_ns >= held_least_ns(rule);
}
