/*
 * Which process each event of a phase is of: by what the event says, and by its file
 * where each process has one. Several ids, as a host and a pid, tell a process together.
 * So do the spans that an event lies in: one that is in none of another's may be of any
 * process, two that differ are not of one.
 */
#ifndef COMPUTE_EVENT_PROCESS_H
#define COMPUTE_EVENT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/phases/event_span.h"
#include "compute/phases/writers.h"
#include "model/run.h"

struct event_process;

struct event_processes {
	struct event_process *at; /* [count] the first: nothing is known */
	size_t count, cap;
	uint32_t *of_event; /* [event_count] index */
	struct writers writers;
	struct event_spans spans;
};

/*
 * A number for what an event says of its process, and for the file that it is in (index
 * + 1; 0: not told): events of two numbers are of two processes, or of one that goes on
 * elsewhere.
 */
uint64_t event_process_hash(const struct event *event, size_t file);

void event_processes_find(struct event_processes *processes, const struct run *run);
void event_processes_release(struct event_processes *processes);

/* Of two indexes: does what is known of both differ? */
bool event_processes_differ(
	const struct event_processes *processes, uint32_t a, uint32_t b);

/*
 * What is known of one, a bit each; and a number for what of it is in a mask, which is
 * the same of all that don't differ there. Two differ if these numbers do, of what is
 * known of both.
 */
uint32_t event_process_known(const struct event_processes *processes, uint32_t index);
uint64_t event_process_key(
	const struct event_processes *processes, uint32_t index, uint32_t mask);

/* The same, but that one file may go on where the other ends. */
bool event_processes_are_two(
	const struct event_processes *processes, uint32_t a, uint32_t b);

#endif
