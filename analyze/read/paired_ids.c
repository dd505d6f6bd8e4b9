/*
 * Logs name GPUs by ids of several sorts. Where one has only the UUID, another only the
 * index, and none both, a GPU would be two: the logs are paired before any is read.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"
#include "read/reading.h"
#include "read/streams.h"

/*
 * GPUs by the sorts of ids that they are known by. nvidia-smi names the GPUs of a call
 * in the order of their indexes, so that as many of another sort are the same in their
 * order. compute-apps name only GPUs that have processes: theirs are certain only
 * where there is one.
 */

enum {
	BY_INDEX = 1,
	BY_UUID = 2,
	BY_BUS_ID = 4,
	BY_SERIAL = 8
};

#define GROUPS_MAX 4 /* of sorts that have none in common */

/* The GPUs that are known by the same sorts of ids, in their order. */
struct group {
	unsigned sorts;
	uint32_t gpu[IDENTITY_GPUS_MAX];
	size_t count;
	bool by_processes; /* only logs of processes name one of them */
};

struct groups {
	struct group *at; /* [GROUPS_MAX] */
	size_t count;
};

static unsigned sorts_of(const struct device *gpu)
{
	return (gpu->index >= 0 ? BY_INDEX : 0) | (gpu->uuid ? BY_UUID : 0) |
		(gpu->bus_id ? BY_BUS_ID : 0) | (gpu->serial ? BY_SERIAL : 0);
}

/* Puts a GPU into its group; false: another group has one of its sorts, too. */
static bool put_gpu(
	struct groups *groups, const struct run *census, uint32_t gpu, bool by_processes)
{
	unsigned sorts = sorts_of(&census->device[gpu]);
	size_t i = 0;

	while (i < groups->count && groups->at[i].sorts != sorts)
		if (groups->at[i++].sorts & sorts)
			return false;
	if (i == GROUPS_MAX || !sorts)
		return false;
	if (i == groups->count)
		groups->at[groups->count++] = (struct group){.sorts = sorts};
	groups->at[i].gpu[groups->at[i].count++] = gpu;
	groups->at[i].by_processes |= by_processes;
	return true;
}

static void sort_by_index(struct group *group, const struct run *census)
{
	for (size_t i = 1; i < group->count; i++)
		for (size_t k = i; k > 0 &&
			census->device[group->gpu[k]].index <
				census->device[group->gpu[k - 1]].index;
			k--) {
			uint32_t gpu = group->gpu[k];

			group->gpu[k] = group->gpu[k - 1];
			group->gpu[k - 1] = gpu;
		}
}

static bool has_host(const struct run *census)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++)
		if (census->device[gpus->at[i]].host)
			return true;
	return false;
}

/* One group of the first so many GPUs, by their indexes if all have one. */
static void gather(struct groups *groups, const struct run *census, size_t count)
{
	struct group *all = &groups->at[0];

	*all = (struct group){.sorts = BY_INDEX, .count = count};
	for (size_t i = 0; i < count; i++) {
		all->gpu[i] = census->of_kind[DEVICE_GPU].at[i];
		all->sorts &= sorts_of(&census->device[all->gpu[i]]);
	}
	groups->count = count > 0;
}

/* shown: GPUs that other logs than those of processes name; they come first. */
static void fill_groups(struct groups *groups, const struct run *census, size_t shown)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];
	bool apart = true;

	for (size_t i = 0; i < gpus->count && apart; i++)
		apart = put_gpu(groups, census, gpus->at[i], i >= shown);
	if (!apart) /* some log names GPUs by two sorts: which are the same is known */
		gather(groups, census, shown);
	for (size_t i = 0; i < groups->count; i++)
		if (groups->at[i].sorts & BY_INDEX)
			sort_by_index(&groups->at[i], census);
}

/* Those that only processes name stay beside the others, unless there is but one. */
static void leave_processes(struct groups *groups)
{
	size_t kept = 0;
	bool single = true;

	for (size_t i = 0; i < groups->count; i++)
		single = single && groups->at[i].count == 1;
	for (size_t i = 0; i < groups->count; i++)
		if (single || !groups->at[i].by_processes)
			groups->at[kept++] = groups->at[i];
	groups->count = kept;
}

/*
 * The run gets the GPUs, each with all its ids. unnamed: of the rows without ids, which
 * are about these GPUs in their order; NULL.
 */
static void add_gpus(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	for (size_t k = 0; k < groups->at[0].count; k++) {
		struct gpu_id id = {.index = -1, .place = -1};
		uint32_t device;

		if (unnamed && unnamed->models.count)
			id.model =
				span_of(texts_word(&unnamed->models, (int64_t)(k + 1)));
		for (size_t i = 0; i < groups->count; i++) {
			const struct device *gpu = &census->device[groups->at[i].gpu[k]];

			if (gpu->uuid)
				id.uuid = span_of(gpu->uuid);
			if (gpu->bus_id)
				id.bus_id = span_of(gpu->bus_id);
			if (gpu->serial)
				id.serial = span_of(gpu->serial);
			if (gpu->model)
				id.model = span_of(gpu->model);
			if (gpu->index >= 0)
				id.index = gpu->index;
		}
		device = identity_gpu(run, &id);
		if (unnamed && device != IDENTITY_NONE)
			run->device[device].place = (int32_t)k;
	}
}

static bool has_index(const struct group *group, const struct run *census, int32_t index)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index == index)
			return true;
	return false;
}

/* Indexes from 0 on: what places mean anyway. */
static bool are_places(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index != (int32_t)k)
			return false;
	return true;
}

static bool have_models(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (!census->device[group->gpu[k]].model)
			return false;
	return true;
}

/*
 * Which GPUs the rows mean is told: the indexes are places, or the places indexes; the
 * models are known, or the rows say something else.
 */
static bool are_told(
	const struct group *group, const struct run *census, const struct stream *unnamed)
{
	int32_t places = (int32_t)stream_gpus(unnamed), met = 0;
	bool inside = true;

	if (unnamed->models.count)
		return have_models(group, census);
	if (unnamed->key.who)
		return true;
	for (int32_t place = 0; place < places; place++)
		met += has_index(group, census, place);
	for (size_t k = 0; k < group->count; k++) {
		int32_t index = census->device[group->gpu[k]].index;

		inside = inside && index >= 0 && index < places;
	}
	return inside || met == places;
}

static void say_paired(struct run *run, size_t count)
{
	diag_add(&run->diags, false, "paired-ids", "", 0, SPAN_NONE,
		"two logs name %zu GPU%s each by different kinds of id (index, UUID, bus "
		"id, serial, none). They are matched in order",
		count, count > 1 ? "s" : "");
}

/* Those of a log without ids beside those that others name. */
static void pair_unnamed(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	const struct group *group = &groups->at[0];
	size_t count = stream_gpus(unnamed);
	bool by_model = unnamed->models.count > 0;

	if (count == group->count) {
		bool places = are_places(group, census);

		if (!places || by_model)
			add_gpus(run, groups, census, unnamed);
		if (!places)
			say_paired(run, count);
		return;
	}
	if (by_model)
		add_gpus(run, groups, census, NULL);
	if (!are_told(group, census, unnamed))
		diag_add(&run->diags, true, "unpaired-ids", "", 0, SPAN_NONE,
			"one log names %zu GPU%s, another has rows of %zu without an id. "
			"They can't be matched, so GPUs may be counted twice",
			group->count, group->count > 1 ? "s" : "", count);
}

static void pair_groups(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	size_t count = groups->count ? groups->at[0].count : 0;
	bool alike = true;

	for (size_t i = 1; i < groups->count; i++)
		alike = alike && groups->at[i].count == count;
	if (groups->count > 1 && !alike) {
		diag_add(&run->diags, true, "unpaired-ids", "", 0, SPAN_NONE,
			"one log names %zu GPUs, another %zu by a different kind of id. "
			"They can't be matched, so GPUs may be counted twice",
			count, groups->at[1].count);
	} else if (groups->count > 1) {
		add_gpus(run, groups, census,
			unnamed && stream_gpus(unnamed) == count ? unnamed : NULL);
		say_paired(run, count);
	} else if (count && unnamed) {
		pair_unnamed(run, groups, census, unnamed);
	}
}

static void prepare_kind(struct reading *reading, enum source_kind kind)
{
	for (size_t i = 0; i < reading->file_count; i++)
		if (reading->run->file[i].kind == kind)
			reading_prepare(reading, i);
}

/* Of the streams that nothing tells from another, the one of the most GPUs; NULL. */
static const struct stream *find_unnamed(const struct reading *reading)
{
	const struct stream *most = NULL;

	for (size_t i = 0; i < reading->file_count; i++) {
		const struct streams *streams = &reading->file[i].facts.streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!most || stream_gpus(&streams->at[k]) > stream_gpus(most))
				most = &streams->at[k];
	}
	return most;
}

static bool names_gpus(enum source_kind kind)
{
	return kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_NVIDIA_DMON ||
		kind == SOURCE_NVIDIA_PMON || kind == SOURCE_NVIDIA_APPS;
}

/* Is there one log, all of whose rows have ids of the same sorts? Then no GPU has others
 * elsewhere. */
static bool is_alone(const struct reading *reading)
{
	size_t logs = 0, alone = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		if (!names_gpus(reading->run->file[i].kind))
			continue;
		logs++;
		alone += reading->file[i].one_header;
	}
	return logs == alone && alone <= 1 &&
		!run_count_devices(reading->run, DEVICE_GPU);
}

void gpu_ids_take(struct reading *reading)
{
	struct groups groups = {NULL, 0};
	struct run census;
	size_t shown;

	if (is_alone(reading)) {
		prepare_kind(reading, SOURCE_NVIDIA_QUERY);
		reading_join_streams(reading);
		return;
	}
	groups.at = xcalloc(GROUPS_MAX, sizeof *groups.at);
	run_init(&census, "");
	reading->census = &census;
	gpu_ids_add(&census, reading->run, true);
	prepare_kind(reading, SOURCE_NVIDIA_QUERY);
	reading_join_streams(reading);
	prepare_kind(reading, SOURCE_NVIDIA_DMON);
	prepare_kind(reading, SOURCE_NVIDIA_PMON);
	shown = run_count_devices(&census, DEVICE_GPU);
	prepare_kind(reading, SOURCE_NVIDIA_APPS);
	reading->census = NULL;
	if (!has_host(&census)) { /* which of several has a GPU is not told by others */
		fill_groups(&groups, &census, shown);
		leave_processes(&groups);
		pair_groups(reading->run, &groups, &census, find_unnamed(reading));
	}
	run_release(&census);
	free(groups.at);
}
