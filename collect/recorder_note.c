/* Lines of the type "recorder". */
#include "recorder_note.h"

#include "clock.h"
#include "event_line.h"

#include <stdbool.h>

static bool begin(struct event_line *line, const char *log, const char *state)
{
	struct instant now;

	instant_now(&now);
	if (event_line_begin(line, &now, "recorder") != 0)
		return false;
	event_line_text(line, "log", log);
	event_line_text(line, "state", state);
	return true;
}

void recorder_note(int dir_fd, const char *log, const char *state)
{
	struct event_line line;

	if (begin(&line, log, state))
		(void)event_line_append(&line, dir_fd);
}

void recorder_note_number(
	int dir_fd, const char *log, const char *state, const char *key, long long value)
{
	struct event_line line;

	if (!begin(&line, log, state))
		return;
	event_line_number(&line, key, value);
	(void)event_line_append(&line, dir_fd);
}

void recorder_note_text(int dir_fd, const char *log, const char *state, const char *key,
	const char *value)
{
	struct event_line line;

	if (!begin(&line, log, state))
		return;
	event_line_text(&line, key, value);
	(void)event_line_append(&line, dir_fd);
}
