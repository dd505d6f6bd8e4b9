/* What is known of processes, each once; the events have an index of it. */
#include "compute/phases/event_process.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A node alone may be one of a graph; beside an id it tells where that one counts. */
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

/* Indexes by what is known. */
struct known {
	uint32_t *at; /* [cap] index + 1; 0: free */
	size_t cap; /* a power of two */
};

static uint32_t *place_of(const struct known *known,
	const struct event_processes *processes, const struct event_process *process)
{
	uint64_t hash = hash_of(process);
	size_t at = (hash ^ hash >> 32) & (known->cap - 1);

	while (known->at[at] && !is_same(&processes->at[known->at[at] - 1], process))
		at = (at + 1) & (known->cap - 1);
	return &known->at[at];
}

static uint32_t index_of(struct known *known, struct event_processes *processes,
	const struct event_process *process)
{
	uint32_t *place = place_of(known, processes, process);

	if (!*place) {
		ALLOC_GROW(processes->at, processes->count + 1, processes->cap);
		processes->at[processes->count++] = *process;
		*place = (uint32_t)processes->count;
	}
	return *place - 1;
}

void event_processes_find(struct event_processes *processes, const struct run *run)
{
	const struct event_process nothing = {.file = 0};
	struct known known = {.cap = 64};
	uint32_t last; /* who spoke before, as a rule goes on */

	*processes = (struct event_processes){.at = NULL};
	writers_find(&processes->writers, run);
	event_spans_find(&processes->spans, run);
	while (known.cap < 2 * run->event_count)
		known.cap *= 2;
	known.at = xcalloc(known.cap, sizeof *known.at);
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
	free(known.at);
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

bool event_processes_are_two(
	const struct event_processes *processes, uint32_t a, uint32_t b)
{
	const struct event_process *x = &processes->at[a], *y = &processes->at[b];

	return a != b &&
		(ids_differ(x, y) ||
			(files_differ(x, y) &&
				writers_at_one_time(
					&processes->writers, x->file - 1, y->file - 1)));
}
