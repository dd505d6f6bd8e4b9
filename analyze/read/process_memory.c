/* Memory that seldom changes, as stretches of listings. */
#include "read/process_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

#define ALL 0 /* the course of all processes: when listings were */

void process_memory_release(struct process_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		free(memory->course[i].stretch);
	free(memory->course);
	*memory = (struct process_memory){0};
}

static void take_row(
	struct memory_course *course, int64_t t_ns, int64_t value, int64_t gap_ns)
{
	struct memory_stretch *last =
		course->count ? &course->stretch[course->count - 1] : NULL;

	if (last && t_ns <= last->to_ns)
		return;
	if (!last || last->value != value || t_ns - last->to_ns > gap_ns) {
		int64_t step_ns = last ? last->step_ns : 0;

		ALLOC_GROW(course->stretch, course->count + 1, course->cap);
		course->stretch[course->count++] =
			(struct memory_stretch){t_ns, t_ns, step_ns, value};
		return;
	}
	if (t_ns - last->to_ns > last->step_ns)
		last->step_ns = t_ns - last->to_ns;
	last->to_ns = t_ns;
}

void process_memory_take(struct process_memory *memory, const struct run *run,
	const struct sample_batch *batch)
{
	const struct sample_column *mib =
		sample_batch_find(batch, METRIC_process_gpu_mem_mib);

	for (size_t row = 0; batch->timed && !memory->taken && row < batch->rows; row++) {
		uint32_t device = batch->device[row];
		int64_t value = sample_column_has(mib, row) ? mib->value[row] : -1;

		ALLOC_AT(memory->course, device + 1, memory->count, memory->cap);
		memory->course[device + 1].pid = run->device[device].index;
		take_row(&memory->course[device + 1], batch->t_ns[row], value,
			memory->gap_ns);
		take_row(&memory->course[ALL], batch->t_ns[row], 0, memory->gap_ns);
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct memory_course *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void process_memory_end(struct process_memory *memory)
{
	if (memory->count && !memory->taken)
		qsort(memory->course + 1, memory->count - 1, sizeof *memory->course,
			by_pid);
	memory->taken = true;
}

/* The stretch that a time is in, or at most a step behind; NULL: none. */
static const struct memory_stretch *stretch_at(
	const struct memory_course *course, int64_t t_ns, int64_t step_ns)
{
	size_t begun = sorted_up_to(course->stretch, course->count,
		sizeof *course->stretch, offsetof(struct memory_stretch, from_ns), t_ns);

	if (!begun || t_ns - course->stretch[begun - 1].to_ns > step_ns)
		return NULL;
	return &course->stretch[begun - 1];
}

/* The first course of a pid, or of the next one. */
static size_t first_of(const struct process_memory *memory, int32_t pid)
{
	const struct memory_course key = {.pid = pid};

	return 1 +
		sorted_before(&key, memory->course + 1, memory->count - 1,
			sizeof *memory->course, by_pid);
}

enum memory_held process_memory_add(
	const struct process_memory *memory, int32_t pid, int64_t t_ns, int64_t *sum)
{
	const struct memory_stretch *listing = NULL;
	enum memory_held held = HELD_NOT;

	if (memory->count)
		listing = stretch_at(&memory->course[ALL], t_ns, memory->gap_ns);
	if (!listing || t_ns - listing->to_ns > listing->step_ns)
		return HELD_UNKNOWN;
	for (size_t i = first_of(memory, pid);
		i < memory->count && memory->course[i].pid == pid; i++) {
		const struct memory_stretch *own =
			stretch_at(&memory->course[i], t_ns, listing->step_ns);

		if (own && own->value < 0)
			return HELD_UNKNOWN;
		if (own) {
			*sum += own->value;
			held = HELD_SOME;
		}
	}
	return held;
}
