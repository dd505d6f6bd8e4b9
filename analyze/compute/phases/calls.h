/*
 * Finds the calls of phases in the events of a run: whole calls, and pairs of begin
 * and end of one process, matched by name from the inside out. Also the spans and
 * processes of events, and events that are far from the run. Uses no sample.
 */
#ifndef COMPUTE_PHASES_CALLS_H
#define COMPUTE_PHASES_CALLS_H

#include "model/run.h"

struct event_process;

/*
 * Spans of an event, from the outermost on, by span_id and parent_span_id
 * (OpenTelemetry). `collect phase` sets the first; marks inside of it have the second.
 * They separate phases of concurrent processes.
 */

struct event_span {
	uint64_t own, parent; /* hashes of their texts; 0: not said */
	bool whole; /* one event says all of it */
};

struct event_spans {
	struct event_span *of; /* [event_count] */
	struct event_span *known; /* [count] all that have an own, ascending by it */
	size_t count;
};

/*
 * Files of events that belong to one process each: those that name the same phases,
 * such as one file per rank. A phase of one process is never inside that of another.
 */

/* A file of events, and from when to when its lines were written. */
struct writer {
	size_t file;
	int64_t from_ns, to_ns; /* TIME_NONE: it has no line with a time */
};

struct writers {
	struct writer *of_file; /* [file_count] */
	size_t *of_event; /* [event_count] index of the file + 1; 0: it shares no phase */
};

/* [event_count] the file that each event is in, index + 1; 0: not known. To be freed. */
size_t *writers_of_events(const struct run *run);

/*
 * The process of each event: by its ids (host and pid together), else by its file if
 * each process has one. Spans help: an event in no span may be of any process; two
 * different spans are different processes.
 */

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

struct call {
	const struct event *event; /* that began it; borrowed from the run */
	const struct event *end; /* that ended it; NULL: none of its own */
	int64_t start_ns, end_ns; /* without an end: INT64_MAX */
	uint32_t process; /* that it is of; index into the calls' processes */
	bool unfinished;
};

struct calls {
	/* by start; of equal starts the longer first, of equal spans the one whose end is
	 * logged later, of those without an end the one that begins earlier */
	struct call *at; /* [count] */
	size_t count, cap;
	size_t *lost_end; /* [lost_ends] the run's events that end what nothing began */
	size_t lost_ends, lost_end_cap;
	const struct run *run; /* borrowed */
	struct event_processes processes; /* until it is known which call is in which */
};

void calls_find(struct calls *calls, const struct run *run);
void calls_release(struct calls *calls);

const char *call_name(const struct call *call); /* "": it has none */

/*
 * Events whose time or length can't belong to the run: a damaged digit, or a clock
 * that was not set yet. docs/logs.md, "Events".
 */

struct far_event {
	size_t event; /* of the run's */
	int64_t t_ns; /* its begin or its end, whichever is further away */
	int64_t away_ns; /* ... from the run; negative: before it */
};

/*
 * In the order of the run's events, in *far, to be freed; returns how many. from_ns,
 * to_ns: of the run's samples; TIME_NONE: they have no times.
 */
size_t far_events_find(
	const struct run *run, int64_t from_ns, int64_t to_ns, struct far_event **far);

#endif
