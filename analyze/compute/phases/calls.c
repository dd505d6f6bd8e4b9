/*
 * Finds the calls of phases in the events of a run: whole calls, and pairs of begin
 * and end.
 */
#include "compute/phases/calls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/lookup.h"
#include "base/sort.h"

#define SPAN_LEVELS 8 /* what lies deeper is of the span at the last */

#define EVENT_NONE ((size_t)-1)

/* Spans: which events lie in which, by span_id and parent_span_id. */

#define DEPTH_MAX 64 /* of spans around one another */

static int by_own(const void *a, const void *b)
{
	const struct event_span *x = a, *y = b;

	return (x->own > y->own) - (x->own < y->own);
}

/* One that says its parent before those that don't. */
static int by_own_known(const void *a, const void *b)
{
	const struct event_span *x = a, *y = b;
	int order = by_own(a, b);

	return order ? order : (x->parent < y->parent) - (x->parent > y->parent);
}

/* Each span once. */
static void sort_known(struct event_spans *spans)
{
	size_t kept = 0;

	SORT(spans->known, spans->count, by_own_known);
	for (size_t i = 0; i < spans->count; i++)
		if (kept && spans->known[i].own == spans->known[kept - 1].own)
			spans->known[kept - 1].whole |= spans->known[i].whole;
		else
			spans->known[kept++] = spans->known[i];
	spans->count = kept;
}

static void event_spans_find(struct event_spans *spans, const struct run *run)
{
	static const char *const keys[] = {"span_id", "parent_span_id"};
	size_t known_cap = 0;

	*spans = (struct event_spans){.of = xcalloc(run->event_count, sizeof *spans->of)};
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		uint64_t id[2];

		if (event->type == EVENT_POINT)
			continue;
		event_ids(event, keys, 2, id);
		spans->of[i] =
			(struct event_span){id[0], id[1], event->type == EVENT_PHASE};
		if (!id[0])
			continue;
		ALLOC_NEXT(spans->known, spans->count, known_cap) = spans->of[i];
	}
	sort_known(spans);
}

static void event_spans_release(struct event_spans *spans)
{
	free(spans->of);
	free(spans->known);
	*spans = (struct event_spans){.of = NULL};
}

/* What is known of a span; NULL: nothing. */
static const struct event_span *find_span(const struct event_spans *spans, uint64_t own)
{
	const struct event_span key = {.own = own};

	return spans->count
		? bsearch(&key, spans->known, spans->count, sizeof key, by_own)
		: NULL;
}

/* The span around one; 0: nobody says it. */
static uint64_t parent_of(const struct event_spans *spans, uint64_t own)
{
	const struct event_span *found = find_span(spans, own);

	return found ? found->parent : 0;
}

/* The own one of an event too; 0: it says no more. */
static void event_spans_path(
	const struct event_spans *spans, size_t event, uint64_t path[SPAN_LEVELS])
{
	const struct event_span *span = &spans->of[event];
	uint64_t inner[DEPTH_MAX], id = span->own ? span->own : span->parent;
	size_t depth = 0, levels;

	memset(path, 0, SPAN_LEVELS * sizeof *path);
	if (!id)
		return;
	inner[depth++] = id;
	id = span->own && span->parent ? span->parent : parent_of(spans, id);
	for (; id && depth < DEPTH_MAX; id = parent_of(spans, id))
		inner[depth++] = id;
	levels = depth < SPAN_LEVELS ? depth : SPAN_LEVELS;
	for (size_t i = 0; i < levels; i++)
		path[i] = inner[depth - 1 - i];
}

/* Does another event say all of the call that this one begins? */
static bool event_spans_know_whole(const struct event_spans *spans, size_t begin)
{
	const struct event_span *found = find_span(spans, spans->of[begin].own);

	return found && found->whole;
}

/*
 * Files by process. The events of JSON lines come first in a run, file by file, as
 * many as the file has rows; this is how each event finds its file.
 */

/* A phase that begins, or is one, and who says so. */
struct named {
	const char *name;
	const struct writer *writer;
};

static bool is_runlog(const struct run *run, size_t file)
{
	return run->file[file].kind == SOURCE_RUNLOG;
}

/* By name, and of one name the earlier file first. */
static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->writer->from_ns != y->writer->from_ns)
		return x->writer->from_ns < y->writer->from_ns ? -1 : 1;
	return (x->writer->file > y->writer->file) - (x->writer->file < y->writer->file);
}

/* A phase is written when it has ended. */
static void see_line(struct writer *writer, const struct event *event)
{
	int64_t t_ns = event->end_ns == TIME_NONE ? event->t_ns : event->end_ns;

	if (t_ns == TIME_NONE)
		return;
	if (writer->from_ns == TIME_NONE || t_ns < writer->from_ns)
		writer->from_ns = t_ns;
	if (writer->to_ns == TIME_NONE || t_ns > writer->to_ns)
		writer->to_ns = t_ns;
}

/* The phases of all files, by name if these are several, and what writer[file] is. */
static struct named *list_phases(
	const struct run *run, struct writer *writer, size_t *count)
{
	struct named *list = xmalloc((run->event_count + 1) * sizeof *list);
	size_t event = 0;

	*count = 0;
	for (size_t f = 0; f < run->file_count; f++) {
		writer[f] = (struct writer){f, TIME_NONE, TIME_NONE};
		if (!is_runlog(run, f))
			continue;
		for (uint64_t i = 0; i < run->file[f].rows && event < run->event_count;
			i++, event++) {
			const struct event *e = &run->event[event];

			see_line(&writer[f], e);
			if (e->name && (e->type == EVENT_PHASE || e->type == EVENT_BEGIN))
				list[(*count)++] = (struct named){e->name, &writer[f]};
		}
	}
	if (*count && list[0].writer != list[*count - 1].writer)
		SORT(list, *count, by_name);
	return list;
}

/*
 * [file_count] the files that share a name with another one, which was written while they
 * were. One that goes on where another ends is of the same process.
 */
static bool *find_sharing(const struct run *run, struct writer *writer)
{
	bool *shares = xcalloc(run->file_count + 1, sizeof *shares);
	size_t count;
	struct named *list = list_phases(run, writer, &count);
	const struct writer *last = NULL; /* of that name, the one that ends last */

	for (size_t i = 0; i < count; i++) {
		const struct writer *now = list[i].writer;

		if (!i || strcmp(list[i].name, list[i - 1].name) != 0)
			last = now;
		if (now != last && now->from_ns < last->to_ns)
			shares[now->file] = shares[last->file] = true;
		if (now->to_ns > last->to_ns)
			last = now;
	}
	free(list);
	return shares;
}

size_t *writers_of_events(const struct run *run)
{
	size_t *of = xcalloc(run->event_count + 1, sizeof *of), event = 0;

	for (size_t f = 0; f < run->file_count; f++)
		for (uint64_t i = 0; is_runlog(run, f) && i < run->file[f].rows &&
			event < run->event_count;
			i++)
			of[event++] = f + 1;
	return of;
}

static void writers_find(struct writers *writers, const struct run *run)
{
	bool *shares;

	writers->of_file = xcalloc(run->file_count + 1, sizeof *writers->of_file);
	writers->of_event = writers_of_events(run);
	shares = find_sharing(run, writers->of_file);
	for (size_t i = 0; i < run->event_count; i++)
		if (writers->of_event[i] && !shares[writers->of_event[i] - 1])
			writers->of_event[i] = 0;
	free(shares);
}

static void writers_release(struct writers *writers)
{
	free(writers->of_file);
	free(writers->of_event);
	*writers = (struct writers){NULL, NULL};
}

/* Were files (indexes) written at one time? Else one may go on where the other ends. */
static bool writers_at_one_time(const struct writers *writers, size_t a, size_t b)
{
	const struct writer *x = &writers->of_file[a], *y = &writers->of_file[b];

	return x->from_ns < y->to_ns && y->from_ns < x->to_ns;
}

/* Processes: each once; events have an index. */

/* A node alone may be one of a graph; with an id it says where that one counts. */
static const char *const keys[] = {"process_id", "pid", "rank", "local_rank", "worker",
	"worker_id", "host", "hostname", "node", "node_id", "node_rank"};

#define KEYS (sizeof keys / sizeof keys[0])
#define IDS  (KEYS - 3) /* the first of the keys */
#define ALL  (KEYS + SPAN_LEVELS)

struct event_process {
	uint64_t id[ALL]; /* of the keys, of the spans around; 0: not said */
	size_t file; /* index + 1; 0: other processes write there too */
};

static struct event_process process_of(const struct event *event, size_t file)
{
	struct event_process process = {.file = file};

	event_ids(event, keys, KEYS, process.id);
	for (size_t i = 0; i < IDS; i++)
		if (process.id[i])
			return process;
	memset(process.id, 0, KEYS * sizeof *process.id);
	return process;
}

static uint64_t hash_of(const struct event_process *process)
{
	const struct span ids = {(const char *)process->id, sizeof process->id};

	return span_hash(ids, SPAN_HASH ^ process->file);
}

uint64_t event_process_hash(const struct event *event, size_t file)
{
	struct event_process process = process_of(event, file);

	return hash_of(&process);
}

static bool is_same(const struct event_process *a, const struct event_process *b)
{
	return a->file == b->file && memcmp(a->id, b->id, sizeof a->id) == 0;
}

/* known: of the processes so far. */
static uint32_t index_of(struct lookup *known, struct event_processes *processes,
	const struct event_process *process)
{
	uint64_t hash = hash_of(process);
	size_t at = lookup_first(known, hash);

	while (at != LOOKUP_NONE && !is_same(&processes->at[at], process))
		at = lookup_next(known, at);
	if (at != LOOKUP_NONE)
		return (uint32_t)at;
	ALLOC_NEXT(processes->at, processes->count, processes->cap) = *process;
	return (uint32_t)lookup_add(known, hash);
}

void event_processes_find(struct event_processes *processes, const struct run *run)
{
	const struct event_process nothing = {.file = 0};
	struct lookup known = LOOKUP_INIT;
	uint32_t last; /* who spoke before, as a rule goes on */

	*processes = (struct event_processes){.at = NULL};
	writers_find(&processes->writers, run);
	event_spans_find(&processes->spans, run);
	processes->of_event = xcalloc(run->event_count, sizeof *processes->of_event);
	last = index_of(&known, processes, &nothing);
	for (size_t i = 0; i < run->event_count; i++) {
		struct event_process process;

		if (run->event[i].type == EVENT_POINT)
			continue;
		process = process_of(&run->event[i], processes->writers.of_event[i]);
		event_spans_path(&processes->spans, i, process.id + KEYS);
		if (!is_same(&processes->at[last], &process))
			last = index_of(&known, processes, &process);
		processes->of_event[i] = last;
	}
	lookup_release(&known);
}

void event_processes_release(struct event_processes *processes)
{
	writers_release(&processes->writers);
	event_spans_release(&processes->spans);
	free(processes->at);
	free(processes->of_event);
	*processes = (struct event_processes){.at = NULL};
}

static bool ids_differ(const struct event_process *a, const struct event_process *b)
{
	for (size_t i = 0; i < ALL; i++)
		if (a->id[i] && b->id[i] && a->id[i] != b->id[i])
			return true;
	return false;
}

static bool files_differ(const struct event_process *a, const struct event_process *b)
{
	return a->file && b->file && a->file != b->file;
}

bool event_processes_differ(
	const struct event_processes *processes, uint32_t a, uint32_t b)
{
	const struct event_process *x = &processes->at[a], *y = &processes->at[b];

	return a != b && (files_differ(x, y) || ids_differ(x, y));
}

uint32_t event_process_known(const struct event_processes *processes, uint32_t index)
{
	const struct event_process *process = &processes->at[index];
	uint32_t known = process->file != 0;

	for (size_t i = 0; i < ALL; i++)
		known |= (uint32_t)(process->id[i] != 0) << (i + 1);
	return known;
}

uint64_t event_process_key(
	const struct event_processes *processes, uint32_t index, uint32_t mask)
{
	struct event_process process = processes->at[index];

	process.file = mask & 1 ? process.file : 0;
	for (size_t i = 0; i < ALL; i++)
		process.id[i] = mask >> (i + 1) & 1 ? process.id[i] : 0;
	return hash_of(&process);
}

/* The same, but that one file may go on where the other ends. */
static bool event_processes_are_two(
	const struct event_processes *processes, uint32_t a, uint32_t b)
{
	const struct event_process *x = &processes->at[a], *y = &processes->at[b];

	return a != b &&
		(ids_differ(x, y) ||
			(files_differ(x, y) &&
				writers_at_one_time(
					&processes->writers, x->file - 1, y->file - 1)));
}

/*
 * Open begins. An end matches the innermost begin of the same name and process. If
 * there is none, it matches the innermost begin where one of both says less about its
 * process.
 *
 * Begins of one name and process are a stack, found by both or by name.
 */

struct stack {
	const char *name;
	uint32_t process;
	size_t top; /* event + 1; 0: it is empty */
};

struct open_events {
	const struct run *run;
	const struct event_processes *processes;
	struct stack *stack;
	size_t count, cap;
	size_t *below; /* [event_count] of a begin in its stack: event + 1 */
	bool *is_open; /* [event_count] */
	struct lookup of_both, of_name; /* of stack */
};

static const char *name_of(const struct open_events *open, size_t event)
{
	const char *name = open->run->event[event].name;

	return name ? name : "";
}

static uint64_t name_hash(const char *name, uint32_t process)
{
	return span_hash(span_of(name), SPAN_HASH ^ process);
}

/* Of the name and process of an event. NULL: none has begun. */
static struct stack *find_stack(const struct open_events *open, size_t event)
{
	const char *name = name_of(open, event);
	uint32_t process = open->processes->of_event[event];
	size_t at = lookup_first(&open->of_both, name_hash(name, process));

	for (; at != LOOKUP_NONE; at = lookup_next(&open->of_both, at)) {
		struct stack *stack = &open->stack[at];

		if (stack->process == process && strcmp(stack->name, name) == 0)
			return stack;
	}
	return NULL;
}

static struct stack *add_stack(struct open_events *open, size_t event)
{
	const char *name = name_of(open, event);
	uint32_t process = open->processes->of_event[event];

	lookup_add(&open->of_both, name_hash(name, process));
	lookup_add(&open->of_name, name_hash(name, 0));
	ALLOC_NEXT(open->stack, open->count, open->cap) =
		(struct stack){name, process, 0};
	return &open->stack[open->count - 1];
}

/* Indexes of events of the run, in its order. */
static void open_events_begin(struct open_events *open, size_t begin)
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
	size_t *found = NULL;

	for (size_t i = lookup_first(&open->of_name, name_hash(name, 0));
		i != LOOKUP_NONE; i = lookup_next(&open->of_name, i)) {
		struct stack *stack = &open->stack[i];
		size_t *at;

		if (!stack->top || strcmp(stack->name, name) != 0 ||
			event_processes_are_two(open->processes, stack->process, process))
			continue;
		at = innermost(open, stack, open->run->event[end].t_ns);
		if (*at && (!found || *at > *found))
			found = at;
	}
	return found;
}

/* The begin of that end, which is open no more. EVENT_NONE: there is none before it. */
static size_t open_events_end(struct open_events *open, size_t end)
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

/* end: NULL: the begin says it, or there is none. */
static void add_call(struct calls *calls, size_t event, const struct event *end,
	int64_t end_ns, bool unfinished)
{
	const struct event *begin = &calls->run->event[event];

	ALLOC_NEXT(calls->at, calls->count, calls->cap) = (struct call){begin, end,
		begin->t_ns, end_ns, calls->processes.of_event[event], unfinished};
}

/* The line that ends it, or says all of it. */
static const struct event *last_line(const struct call *call)
{
	return call->end ? call->end : call->event;
}

/* Of equal spans the outer one is said last; of those that never end, first. */
static int by_line(const struct call *x, const struct call *y)
{
	const struct event *a = last_line(x), *b = last_line(y);

	if (x->unfinished && y->unfinished)
		return (x->event > y->event) - (x->event < y->event);
	return (a < b) - (a > b);
}

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return by_line(x, y);
}

static void add_lost_end(struct calls *calls, size_t end)
{
	ALLOC_NEXT(calls->lost_end, calls->lost_ends, calls->lost_end_cap) = end;
}

static void take_event(struct calls *calls, struct open_events *open, size_t i)
{
	const struct event *event = &calls->run->event[i];
	size_t begin;

	if (event->t_ns == TIME_NONE)
		return;
	switch (event->type) {
	case EVENT_PHASE:
		add_call(calls, i, NULL, event->end_ns, false);
		break;
	case EVENT_BEGIN:
		if (!event_spans_know_whole(&calls->processes.spans, i))
			open_events_begin(open, i);
		break;
	case EVENT_END:
		begin = open_events_end(open, i);
		if (begin != EVENT_NONE)
			add_call(calls, begin, event, event->t_ns, false);
		else
			add_lost_end(calls, i);
		break;
	case EVENT_POINT:
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x > y) - (x < y);
}

/*
 * The events by time, as samples are: a log may hold the lines of several writers. Where
 * no begin waits for its end the order does not matter.
 */
static const struct event **in_order(const struct run *run)
{
	const struct event **event = xcalloc(run->event_count + 1, sizeof *event);
	bool ordered = true, paired = false;

	for (size_t i = 0; i < run->event_count; i++) {
		event[i] = &run->event[i];
		ordered = ordered && (!i || event[i - 1]->t_ns <= event[i]->t_ns);
		paired |= event[i]->type == EVENT_BEGIN || event[i]->type == EVENT_END;
	}
	if (paired && !ordered)
		SORT(event, run->event_count, by_time);
	return event;
}

void calls_find(struct calls *calls, const struct run *run)
{
	const struct event **event = in_order(run);
	struct open_events open = {.run = run,
		.processes = &calls->processes,
		.below = xcalloc(run->event_count, sizeof *open.below),
		.is_open = xcalloc(run->event_count, sizeof *open.is_open)};

	*calls = (struct calls){.run = run};
	event_processes_find(&calls->processes, run);
	for (size_t i = 0; i < run->event_count; i++)
		take_event(calls, &open, (size_t)(event[i] - run->event));
	free(event);
	for (size_t i = 0; i < run->event_count; i++)
		if (open.is_open[i])
			add_call(calls, i, NULL, INT64_MAX, true);
	free(open.stack);
	free(open.below);
	free(open.is_open);
	lookup_release(&open.of_both);
	lookup_release(&open.of_name);
	SORT(calls->at, calls->count, by_start);
}

void calls_release(struct calls *calls)
{
	free(calls->at);
	free(calls->lost_end);
	event_processes_release(&calls->processes);
	*calls = (struct calls){0};
}

const char *call_name(const struct call *call)
{
	return call->event->name ? call->event->name : "";
}

/*
 * Events far from the run: the time of the run is extended by near events until none
 * is near; the rest are far. The limit depends on what the time of the run comes from.
 */

/* Jobs wait for days, and are begun again; no clock is off by as much. */
#define NEAR_NS (7 * NS_PER_DAY)

/* ... where one end of the run is not known, or no more than its events. */
#define NEAR_OPEN_NS (365 * NS_PER_DAY)

struct run_time {
	bool known;
	int64_t from_ns, to_ns;
	int64_t near_ns; /* at least */
	bool exact; /* ... and at most, but for the events of some files: */
	bool *apart; /* [file_count] a clock of another zone may have written it; owned */
};

static void widen(struct run_time *time, int64_t t_ns)
{
	if (t_ns == TIME_NONE)
		return;
	if (!time->known || t_ns < time->from_ns)
		time->from_ns = t_ns;
	if (!time->known || t_ns > time->to_ns)
		time->to_ns = t_ns;
	time->known = true;
}

/* A date that had to be guessed says nothing against one that did not. */
static bool has_guessed_dates(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "date-order") == 0 ||
			strcmp(run->diags.at[i].id, "no-date") == 0)
			return true;
	return false;
}

/* Of an event the instants that it has; returns how many. */
static size_t instants_of(const struct event *event, int64_t t_ns[2])
{
	size_t count = 0;

	if (event->t_ns != TIME_NONE)
		t_ns[count++] = event->t_ns;
	if (event->end_ns != TIME_NONE)
		t_ns[count++] = event->end_ns;
	return count;
}

/* The group of more than half of the instants, each of which has another one near. */
static void find_group(const struct run *run, struct run_time *time)
{
	int64_t *t_ns, from_ns, to_ns;
	size_t count = 0, first = 0;

	if (!run_event_span(run, &from_ns, &to_ns) || to_ns - from_ns <= NEAR_OPEN_NS)
		return;
	t_ns = xmalloc(2 * run->event_count * sizeof *t_ns);
	for (size_t i = 0; i < run->event_count; i++)
		count += instants_of(&run->event[i], t_ns + count);
	sort_int64(t_ns, count);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && t_ns[i] - t_ns[i - 1] <= NEAR_OPEN_NS)
			continue;
		if (2 * (i - first) > count) {
			widen(time, t_ns[first]);
			widen(time, t_ns[i - 1]);
		}
		first = i;
	}
	free(t_ns);
}

/* Nothing that a command does is from before it began; what was recorded for a while may
 * have begun at any time before. */
static bool spans_a_command(const struct run *run)
{
	int64_t from_ns, to_ns;

	return run_command_span(run, &from_ns, &to_ns) &&
		(run->command || run->exit_status >= 0 ||
			run_fact(run, RUN_FACT_EXIT_STATUS));
}

static struct run_time time_of(const struct run *run, int64_t from_ns, int64_t to_ns)
{
	struct run_time time = {.near_ns = NEAR_OPEN_NS, .exact = spans_a_command(run)};
	bool sampled = from_ns != TIME_NONE && !has_guessed_dates(run);

	if (sampled) {
		widen(&time, from_ns);
		widen(&time, to_ns);
	}
	widen(&time, run->started_ns);
	widen(&time, run->ended_ns);
	if (sampled || (run->started_ns != TIME_NONE && run->ended_ns != TIME_NONE))
		time.near_ns = NEAR_NS;
	return time;
}

/* How far from the run; 0: within it, negative: before it. */
static int64_t away(const struct run_time *time, int64_t t_ns)
{
	if (t_ns < time->from_ns)
		return t_ns - time->from_ns;
	return t_ns > time->to_ns ? t_ns - time->to_ns : 0;
}

static bool is_apart(const struct run_time *time, const struct event *event)
{
	return time->apart && event->at.line && time->apart[event->at.file];
}

static bool is_near(const struct run_time *time, const struct event *event, int64_t t_ns)
{
	int64_t length_ns = time->to_ns - time->from_ns, near_ns = time->near_ns;

	if (time->exact && !is_apart(time, event))
		near_ns = RUN_BESIDE_NS;
	else if (length_ns > near_ns)
		near_ns = length_ns;
	return llabs(away(time, t_ns)) <= near_ns;
}

/* Of a log whose times name no zone none lies at the run: the zone is another one. */
static void find_apart(struct run_time *time, const struct run *run)
{
	bool *apart = xcalloc(run->file_count + 1, sizeof *apart);

	for (size_t i = 0; i < run->file_count; i++)
		apart[i] = run->file[i].wall;
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		int64_t t_ns[2];
		size_t count = event->at.line ? instants_of(event, t_ns) : 0;

		for (size_t k = 0; k < count; k++)
			if (is_near(time, event, t_ns[k]))
				apart[event->at.file] = false;
	}
	time->apart = apart;
}

/* Whether it has grown. */
static bool grow(struct run_time *time, const struct run *run)
{
	struct run_time grown = *time;

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		int64_t t_ns[2];
		size_t count = is_apart(time, event) ? 0 : instants_of(event, t_ns);

		for (size_t k = 0; k < count; k++)
			if (is_near(time, event, t_ns[k]))
				widen(&grown, t_ns[k]);
	}
	if (grown.from_ns == time->from_ns && grown.to_ns == time->to_ns)
		return false;
	*time = grown;
	return true;
}

/* Its instant that is furthest away, if one is not near. */
static bool is_far(
	const struct run_time *time, const struct event *event, struct far_event *far)
{
	int64_t t_ns[2];
	size_t count = instants_of(event, t_ns);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		int64_t away_ns = away(time, t_ns[i]);

		if (is_near(time, event, t_ns[i]) ||
			(found && llabs(away_ns) <= llabs(far->away_ns)))
			continue;
		far->t_ns = t_ns[i];
		far->away_ns = away_ns;
		found = true;
	}
	return found;
}

size_t far_events_find(
	const struct run *run, int64_t from_ns, int64_t to_ns, struct far_event **far)
{
	struct run_time time = time_of(run, from_ns, to_ns);
	size_t count = 0, cap = 0;

	*far = NULL;
	if (!time.known)
		find_group(run, &time);
	if (!time.known)
		return 0;
	if (time.exact)
		find_apart(&time, run);
	while (grow(&time, run))
		continue;
	for (size_t i = 0; i < run->event_count; i++) {
		struct far_event found = {.event = i};

		if (!is_far(&time, &run->event[i], &found))
			continue;
		ALLOC_NEXT(*far, count, cap) = found;
	}
	free(time.apart);
	return count;
}
