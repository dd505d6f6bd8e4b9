/*
 * What happens to a recorder, as a line of events.jsonl:
 * {..., "type":"recorder", "log":LOG, "state":STATE}, and what belongs to the state.
 * Nothing depends on it: a disk that is full has no room for it either. This room knows
 * nothing of what is recorded.
 */
#ifndef COLLECT_RECORDER_NOTE_H
#define COLLECT_RECORDER_NOTE_H

/* dir_fd: of the run directory. */
void recorder_note(int dir_fd, const char *log, const char *state);
void recorder_note_number(
	int dir_fd, const char *log, const char *state, const char *key, long long value);
void recorder_note_text(int dir_fd, const char *log, const char *state, const char *key,
	const char *value);

#endif
