/* Numbers that seldom change, as stretches of listings. */
#include "read/process_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

#define ALL 0 /* the course of all processes: when listings were */

static const enum metric_id metric_of[USE_NUMBERS] = {
	[PROCESS_MEMORY] = METRIC_process_gpu_mem_mib,
	[PROCESS_SM] = METRIC_process_sm_pct,
	[GPU_UTIL] = METRIC_gpu_util_pct};

void process_use_release(struct process_use *use)
{
	for (size_t i = 0; i < use->count; i++)
		free(use->course[i].stretch);
	free(use->course);
	*use = (struct process_use){0};
}

static void take_row(
	struct use_course *course, int64_t t_ns, int64_t value, int64_t gap_ns)
{
	struct use_stretch *last =
		course->count ? &course->stretch[course->count - 1] : NULL;
	int64_t step_ns = last ? t_ns - last->to_ns : 0;

	if (last && step_ns <= 0)
		return;
	if (last && step_ns <= gap_ns && step_ns > last->step_ns)
		last->step_ns = step_ns;
	if (last && last->value == value && step_ns <= gap_ns) {
		last->to_ns = t_ns;
		return;
	}
	step_ns = last ? last->step_ns : 0;
	ALLOC_NEXT(course->stretch, course->count, course->cap) =
		(struct use_stretch){t_ns, t_ns, step_ns, value};
}

/* A GPU by its place among the devices. */
static int32_t pid_of(const struct run *run, uint32_t device)
{
	return run->device[device].kind == DEVICE_GPU ? (int32_t)device
						      : run->device[device].index;
}

/* Of "/usr/bin/python3" its end, as the kernel would cut it; "[Not Found]" is none. */
static void name_program(struct use_course *course, const struct device *device)
{
	const char *name = device->kind == DEVICE_PROCESS ? device->model : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL;

	name = slash ? slash + 1 : name;
	snprintf(course->name, sizeof course->name, "%s",
		name && name[0] != '[' && name[0] != '-' ? name : "");
}

void process_use_take(struct process_use *use, enum process_number number,
	const struct run *run, const struct sample_batch *batch)
{
	const struct sample_column *column = sample_batch_find(batch, metric_of[number]);
	enum device_kind kind = number == GPU_UTIL ? DEVICE_GPU : DEVICE_PROCESS;

	for (size_t row = 0; batch->timed && !use->taken && row < batch->rows; row++) {
		uint32_t device = batch->device[row];
		int64_t value = sample_column_has(column, row) ? column->value[row] : -1;

		ALLOC_AT(use->course, device + 1, use->count, use->cap);
		take_row(&use->course[ALL], batch->t_ns[row], 0, use->gap_ns);
		if (run->device[device].kind != kind)
			continue;
		use->any |= value >= 0;
		use->course[device + 1].pid = pid_of(run, device);
		use->course[device + 1].device = device;
		use->course[device + 1].gpu = run->device[device].parent;
		if (!use->course[device + 1].count)
			name_program(&use->course[device + 1], &run->device[device]);
		take_row(&use->course[device + 1], batch->t_ns[row], value, use->gap_ns);
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct use_course *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void process_use_end(struct process_use *use)
{
	if (use->count && !use->taken)
		qsort(use->course + 1, use->count - 1, sizeof *use->course, by_pid);
	use->taken = true;
}

/* The stretch that a time is in, or at most a step behind; NULL: none. */
static const struct use_stretch *stretch_at(
	const struct use_course *course, int64_t t_ns, int64_t step_ns)
{
	size_t begun = sorted_up_to(course->stretch, course->count,
		sizeof *course->stretch, offsetof(struct use_stretch, from_ns), t_ns);

	if (!begun || t_ns - course->stretch[begun - 1].to_ns > step_ns)
		return NULL;
	return &course->stretch[begun - 1];
}

/* The first course of a pid, or of the next one. */
static size_t first_of(const struct process_use *use, int32_t pid)
{
	const struct use_course key = {.pid = pid};

	return 1 +
		sorted_before(&key, use->course + 1, use->count ? use->count - 1 : 0,
			sizeof *use->course, by_pid);
}

/* Times of pmon are cut to seconds. */
static int64_t coarse_ns(const struct process_use *use)
{
	return use->source == SOURCE_NVIDIA_PMON ? NS_PER_S : 0;
}

/* Their processes have the names of scripts, or such as these give them. */
static const char *const interpreters[] = {
	"python", "perl", "ruby", "java", "julia", "node"};

/* May a process of that name be the one that is listed? Either name may be cut. */
static bool may_be(const struct use_course *course, const char *name)
{
	size_t len = strlen(course->name), other = name ? strlen(name) : 0;

	for (size_t i = 0; i < sizeof interpreters / sizeof interpreters[0]; i++)
		if (strncmp(course->name, interpreters[i], strlen(interpreters[i])) == 0)
			return true;
	return strncmp(course->name, name ? name : "", len < other ? len : other) == 0;
}

/* The last listing; NULL: it is too old. */
static const struct use_stretch *listing_at(const struct process_use *use, int64_t t_ns)
{
	const struct use_stretch *listing = NULL;

	if (use->count)
		listing = stretch_at(&use->course[ALL], t_ns, use->gap_ns);
	return listing && t_ns - listing->to_ns <= listing->step_ns ? listing : NULL;
}

/* A listing without processes has no row in one log, but in the other. */
static enum use_known known_by_pmon(const struct process_use use[USE_NUMBERS],
	const struct used_process *process, int64_t t_ns)
{
	int64_t sum = 0;

	return process_use_add(use, PROCESS_SM, process, t_ns, &sum, NULL) == USE_NONE
		? USE_NONE
		: USE_UNKNOWN;
}

enum use_known process_use_add(const struct process_use uses[USE_NUMBERS],
	enum process_number number, const struct used_process *process, int64_t t_ns,
	int64_t *sum, struct gpu_hold *hold)
{
	const struct process_use *use = &uses[number];
	const struct use_stretch *listing = listing_at(use, t_ns);
	enum use_known known = USE_NONE;

	if (!listing)
		return number == PROCESS_MEMORY ? known_by_pmon(uses, process, t_ns)
						: USE_UNKNOWN;
	for (size_t i = first_of(use, process->pid);
		i < use->count && use->course[i].pid == process->pid; i++) {
		const struct use_stretch *own =
			stretch_at(&use->course[i], t_ns, listing->step_ns);

		if ((own && own->to_ns < process->from_ns - coarse_ns(use)) ||
			!may_be(&use->course[i], process->name))
			continue;
		if (own && own->value < 0 && (number != PROCESS_SM || !use->any))
			return USE_UNKNOWN;
		if (own) {
			*sum += own->value > 0 ? own->value : 0;
			known = USE_SOME;
		}
		if (own && hold && use->course[i].gpu >= 0) {
			struct gpu_hold *on = &hold[use->course[i].gpu];

			on->processes++;
			on->memory |= own->value > 0;
		}
	}
	return known;
}

/* How many processes are listed on a GPU. */
static uint32_t listed_on(const struct process_use *use, uint32_t gpu, int64_t t_ns)
{
	const struct use_stretch *listing = listing_at(use, t_ns);
	uint32_t processes = 0;

	for (size_t i = 1; listing && i < use->count; i++)
		processes += use->course[i].count && use->course[i].gpu == (int32_t)gpu &&
			stretch_at(&use->course[i], t_ns, listing->step_ns);
	return processes;
}

int64_t process_use_util(const struct process_use use[USE_NUMBERS], const struct run *run,
	const struct gpu_hold *hold, bool shared, int64_t t_ns)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	int64_t sum = 0;

	for (size_t i = 0; i < gpus->count; i++) {
		uint32_t gpu = gpus->at[i];
		struct used_process of_gpu = {(int32_t)gpu, NULL, INT64_MIN};
		int64_t util = 0;

		if (!hold[gpu].memory && !(shared && hold[gpu].processes))
			continue;
		if (process_use_add(use, GPU_UTIL, &of_gpu, t_ns, &util, NULL) !=
			USE_SOME)
			return -1;
		if (shared)
			util = util * hold[gpu].processes /
				listed_on(&use[PROCESS_MEMORY], gpu, t_ns);
		sum += util;
	}
	return gpus->count ? sum / (int64_t)gpus->count : -1;
}

/* Whose the processes are. */

void process_use_snapshot(struct process_use *use, int64_t t_ns)
{
	if (!use->in_tree)
		use->tree_from_ns = use->tree_to_ns = t_ns;
	use->in_tree = true;
	if (t_ns - use->tree_to_ns > use->tree_step_ns)
		use->tree_step_ns = t_ns - use->tree_to_ns;
	if (t_ns > use->tree_to_ns)
		use->tree_to_ns = t_ns;
}

void process_use_own(
	struct process_use *use, const struct used_process *process, int64_t t_ns)
{
	for (size_t i = first_of(use, process->pid);
		i < use->count && use->course[i].pid == process->pid; i++) {
		struct use_course *course = &use->course[i];

		if (!may_be(course, process->name))
			continue;
		if (!course->own || process->from_ns < course->own_from_ns)
			course->own_from_ns = process->from_ns;
		if (!course->own || t_ns > course->own_to_ns)
			course->own_to_ns = t_ns;
		course->own = true;
	}
}

/* A process that has ended may stay listed for a moment, while the driver cleans up. */
#define LINGER_LISTINGS 2

/* It was listed from one time to the other, in all listings of that time; listing_ns:
 * from one of them to the next. */
static enum process_owner owner_then(const struct process_use *use,
	const struct use_course *course, int64_t listing_ns, int64_t from_ns,
	int64_t to_ns)
{
	int64_t step_ns = use->tree_step_ns;
	int64_t own_from_ns = course->own_from_ns - coarse_ns(use);
	int64_t own_to_ns = course->own_to_ns + coarse_ns(use) + step_ns +
		LINGER_LISTINGS * listing_ns;
	unsigned owner = OWNER_UNKNOWN;

	/* A pid may go between two snapshots. */
	if (course->own && to_ns >= own_from_ns &&
		from_ns <= course->own_to_ns + step_ns) {
		owner = OWNER_RUN;
		/* before and behind that it was another's */
		if (time_earlier(to_ns, use->tree_to_ns) > own_to_ns)
			owner |= OWNER_OTHER;
		to_ns = own_from_ns;
	}
	from_ns = time_later(from_ns, use->tree_from_ns);
	to_ns = time_earlier(to_ns, use->tree_to_ns);
	if (to_ns - from_ns > step_ns)
		owner |= OWNER_OTHER;
	return (enum process_owner)owner;
}

/* As bits: a pid may be the run's, and before or later another's. */
static enum process_owner owner_of(
	const struct process_use *use, const struct use_course *course)
{
	const struct use_course *all = &use->course[ALL];
	int64_t step_ns = all->stretch[all->count - 1].step_ns;
	unsigned owner = OWNER_UNKNOWN;

	for (size_t i = 0, end; i < course->count; i = end) {
		for (end = i + 1; end < course->count; end++)
			if (course->stretch[end].from_ns -
					course->stretch[end - 1].to_ns >
				step_ns + step_ns / 2)
				break;
		owner |= owner_then(use, course, step_ns, course->stretch[i].from_ns,
			course->stretch[end - 1].to_ns);
	}
	return (enum process_owner)owner;
}

void process_use_name_owners(const struct process_use use[USE_NUMBERS], struct run *run)
{
	bool joined = run_fact_is(run, RUN_FACT_HOST_PIDS, "true");

	for (int n = 0; n < PROCESS_NUMBERS; n++)
		for (size_t i = 1; i < use[n].count; i++) {
			const struct use_course *course = &use[n].course[i];

			if (!course->count || course->pid < 0)
				continue;
			run->device[course->device].owner |=
				(unsigned)owner_of(&use[n], course);
			joined |= run->device[course->device].owner & OWNER_RUN;
		}
	for (size_t i = 0; !joined && i < run->device_count; i++)
		run->device[i].owner = OWNER_UNKNOWN;
}
