/*
 * The begins of one name and process are a stack. The stacks are found by both in one
 * hash table, and by the name alone in another.
 */
#include "compute/phases/open_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct stack {
	const char *name;
	uint32_t process;
	size_t top; /* event + 1; 0: it is empty */
	size_t next, next_of_name; /* in the buckets: stack + 1; 0: the last */
};

struct open_events {
	const struct run *run;
	const struct event_processes *processes;
	struct stack *stack;
	size_t count, cap;
	size_t *below; /* [event_count] of a begin in its stack: event + 1 */
	bool *is_open; /* [event_count] */
	size_t *of_both, *of_name; /* [buckets] stack + 1 */
	size_t buckets; /* a power of two */
};

struct open_events *open_events_new(
	const struct run *run, const struct event_processes *processes)
{
	struct open_events *open = xcalloc(1, sizeof *open);

	*open = (struct open_events){.run = run, .processes = processes, .buckets = 64};
	while (open->buckets < run->event_count)
		open->buckets *= 2;
	open->below = xcalloc(run->event_count, sizeof *open->below);
	open->is_open = xcalloc(run->event_count, sizeof *open->is_open);
	open->of_both = xcalloc(open->buckets, sizeof *open->of_both);
	open->of_name = xcalloc(open->buckets, sizeof *open->of_name);
	return open;
}

void open_events_free(struct open_events *open)
{
	free(open->stack);
	free(open->below);
	free(open->is_open);
	free(open->of_both);
	free(open->of_name);
	free(open);
}

static const char *name_of(const struct open_events *open, size_t event)
{
	const char *name = open->run->event[event].name;

	return name ? name : "";
}

static size_t *bucket(
	const struct open_events *open, size_t *of, const char *name, uint32_t process)
{
	uint64_t hash = span_hash(span_of(name), SPAN_HASH ^ process);

	return &of[(hash ^ hash >> 32) & (open->buckets - 1)];
}

/* Of the name and process of an event. NULL: none has begun. */
static struct stack *find_stack(const struct open_events *open, size_t event)
{
	const char *name = name_of(open, event);
	uint32_t process = open->processes->of_event[event];
	size_t at = *bucket(open, open->of_both, name, process);

	for (; at; at = open->stack[at - 1].next) {
		struct stack *stack = &open->stack[at - 1];

		if (stack->process == process && strcmp(stack->name, name) == 0)
			return stack;
	}
	return NULL;
}

static struct stack *add_stack(struct open_events *open, size_t event)
{
	const char *name = name_of(open, event);
	uint32_t process = open->processes->of_event[event];
	size_t *both = bucket(open, open->of_both, name, process);
	size_t *named = bucket(open, open->of_name, name, 0);

	ALLOC_GROW(open->stack, open->count + 1, open->cap);
	open->stack[open->count++] = (struct stack){name, process, 0, *both, *named};
	*both = *named = open->count;
	return &open->stack[open->count - 1];
}

void open_events_begin(struct open_events *open, size_t begin)
{
	struct stack *stack = find_stack(open, begin);

	if (!stack)
		stack = add_stack(open, begin);
	open->below[begin] = stack->top;
	open->is_open[begin] = true;
	stack->top = begin + 1;
}

/* Where the innermost begin of a stack stands that is not behind a time; 0 there: none.
 */
static size_t *innermost(
	const struct open_events *open, struct stack *stack, int64_t t_ns)
{
	size_t *at = &stack->top;

	while (*at && open->run->event[*at - 1].t_ns > t_ns)
		at = &open->below[*at - 1];
	return at;
}

/* Of all stacks of its name whose process may be that of an end. NULL: none. */
static size_t *innermost_of_name(struct open_events *open, size_t end)
{
	const char *name = name_of(open, end);
	uint32_t process = open->processes->of_event[end];
	size_t *found = NULL, next;

	for (size_t i = *bucket(open, open->of_name, name, 0); i; i = next) {
		struct stack *stack = &open->stack[i - 1];
		size_t *at;

		next = stack->next_of_name;
		if (!stack->top || strcmp(stack->name, name) != 0 ||
			event_processes_are_two(open->processes, stack->process, process))
			continue;
		at = innermost(open, stack, open->run->event[end].t_ns);
		if (*at && (!found || *at > *found))
			found = at;
	}
	return found;
}

size_t open_events_end(struct open_events *open, size_t end)
{
	struct stack *stack = find_stack(open, end);
	size_t *at = stack ? innermost(open, stack, open->run->event[end].t_ns) : NULL;
	size_t begin;

	if (!at || !*at)
		at = innermost_of_name(open, end);
	if (!at)
		return EVENT_NONE;
	begin = *at - 1;
	*at = open->below[begin];
	open->is_open[begin] = false;
	return begin;
}

bool open_events_is_open(const struct open_events *open, size_t begin)
{
	return open->is_open[begin];
}
