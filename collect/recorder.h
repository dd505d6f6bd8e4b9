/*
 * A recorder is a child process that writes one log. All keep one contract: say when
 * the first sample is written, take a last one on SIGTERM and exit, never outlive the
 * supervisor, never touch COMMAND's streams or terminal. As each log has its own
 * process, a write that hangs (a dead network file system) holds up neither another
 * log nor COMMAND. Knows nothing of what is recorded.
 */
#ifndef COLLECT_RECORDER_H
#define COLLECT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "signals.h"
#include "ticker.h"

struct punctuality;

/* What a recorder sees. */
struct recording {
	int stop_fd; /* a non-blocking signalfd: SIGTERM asks to stop; SIGCHLD */
	int report_fd; /* to the supervisor */
	pid_t supervisor;
	int64_t origin_ns; /* of all ticks, see ticker.h */
	struct punctuality *punctuality; /* of the recorder, over all its lives */
};

/* A recorder's life. It runs in its own process, which ends when it returns. */
typedef void recorder_body(void *job, const struct recording *recording);

/* Tells the supervisor that the first sample is on disk. */
void recording_ready(const struct recording *recording);

/* Tells the supervisor a sentence for people: why this log ends here. */
__attribute__((format(printf, 2, 3))) void recording_trouble(
	const struct recording *recording, const char *format, ...);

/* ... that is of an error: "ends early: No space left on device". no_room: of that sort.
 */
void recording_ends_early(
	const struct recording *recording, const char *why, bool no_room);

/* What the supervisor sees. */
struct recorder {
	const char *name; /* of its log */
	int64_t origin_ns; /* of its ticks */
	pid_t pid; /* its session's, too, in which its programs are */
	pid_t killed_pid; /* of the last one that was killed */
	int report_fd;
	bool reported; /* the first sample is on disk, or never will be */
	bool ready; /* it is */
	bool no_room; /* for the next sample */
	char trouble[256]; /* a sentence, or "" */
	bool trouble_said; /* by recorder_left() */
	struct punctuality *punctuality; /* shared with it, until this process ends */
	int64_t cpu_ns; /* that it took, with the programs that it ran; -1: not known */
	int64_t killed_cpu_ns; /* that those took that were killed before */
	struct backoff backoff;
	bool restarted;
};

/* Starts body(job) in a process of its own. name is borrowed. origin_ns: of its ticks, on
 * CLOCK_MONOTONIC. Returns 0, or -1 with errno. */
int recorder_start(struct recorder *recorder, const char *name, int64_t origin_ns,
	recorder_body *body, void *job);

/* The signal that has killed it, which is said once; 0: none has. */
int recorder_killed(struct recorder *recorder);

/* The signal that has stopped it, which is told to go on; 0: none has. */
int recorder_stopped(const struct recorder *recorder);

/* It has ended by itself, and says why, which is told once. */
bool recorder_left(struct recorder *recorder);

/* It records nothing any more: it has ended by itself, or was never started anew. */
bool recorder_has_ended(const struct recorder *recorder);

/*
 * Starts one that was killed once more, when struct backoff says. Returns 0, or -1 with
 * errno.
 */
int recorder_restart(struct recorder *recorder, recorder_body *body, void *job);

/*
 * Waits until each of the count recorders has reported, or until the deadline. Returns 0,
 * or the number of a signal that asks collect to end, as soon as one arrives.
 */
int recorders_await(struct recorder recorders[], size_t count, int64_t deadline_mono_ns,
	const struct signals *signals);

/* Asks each to stop and waits for them; kills those that take longer than the deadline.
 */
void recorders_stop(struct recorder recorders[], size_t count, int64_t deadline_mono_ns);

/*
 * What happens to a recorder, as a line of events.jsonl: {..., "type":"recorder",
 * "log":LOG, "state":STATE}, and what belongs to the state. Nothing depends on it: a
 * disk that is full has no room for it either.
 */

/* dir_fd: of the run directory. */
void recorder_note(int dir_fd, const char *log, const char *state);
void recorder_note_number(
	int dir_fd, const char *log, const char *state, const char *key, long long value);
void recorder_note_text(int dir_fd, const char *log, const char *state, const char *key,
	const char *value);

/* A process that ends when its parent ends. */

/*
 * Of a process that `parent` forked: it gets this signal when that one ends. False: that
 * one has ended already, or the kernel does not send it: no signal will come.
 */
bool lifeline_tie(pid_t parent, int number);

#endif
