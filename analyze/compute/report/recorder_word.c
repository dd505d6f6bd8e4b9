/* collect writes such a word in one way only; where it says more, a key is added. */
#include "compute/report/recorder_word.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const struct event *event)
{
	return event->t_ns != TIME_NONE && event->extras && event->type_name &&
		strcmp(event->type_name, "recorder") == 0;
}

bool recorder_word_leaves_out(const struct run *run, uint32_t device, int64_t from_ns)
{
	const char *uuid = run->device[device].uuid;

	for (size_t i = 0; uuid && i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (is_word(event) && event->t_ns >= from_ns &&
			strstr(event->extras, "\"gpus\":") &&
			!strstr(event->extras, uuid))
			return true;
	}
	return false;
}

/* The file that is named under the key "log", be it packed by now. */
static bool is_of_log(const struct event *event, const char *path)
{
	static const char key[] = "\"log\": \""; /* as extras are written */
	const char *found = strstr(event->extras, key), *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = found ? strcspn(found + sizeof key - 1, "\"") : 0;

	return length && strncmp(found + sizeof key - 1, name, length) == 0 &&
		(name[length] == '\0' || name[length] == '.');
}

bool recorder_word_ends_early(const struct run *run, enum source_kind kind)
{
	static const char words[] = "ends early";

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (!is_word(event) || !event->name ||
			strncmp(event->name, words, sizeof words - 1) != 0)
			continue;
		for (size_t f = 0; f < run->file_count; f++)
			if (run->file[f].kind == kind &&
				is_of_log(event, run->file[f].path))
				return true;
	}
	return false;
}

static bool is_index_of_one(const struct run *run, int32_t index)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	size_t count = 0;

	for (size_t i = 0; i < gpus->count; i++)
		count += run->device[gpus->at[i]].index == index;
	return count == 1;
}

static bool is_of(const struct event *event, int32_t index)
{
	static const char key[] = "\"gpu\":";
	const char *found = strstr(event->extras, key);

	return found && strtol(found + sizeof key - 1, NULL, 10) == index;
}

int64_t recorder_word_lost_ns(const struct run *run, uint32_t device)
{
	int32_t index = run->device[device].index;
	int64_t last_ns = TIME_NONE, lost_ns = TIME_NONE;

	for (size_t i = 0; index >= 0 && i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (!is_word(event) || !event->name || !is_of(event, index) ||
			(last_ns != TIME_NONE && event->t_ns < last_ns))
			continue;
		if (strcmp(event->name, "GPU lost") == 0)
			last_ns = lost_ns = event->t_ns;
		else if (strcmp(event->name, "GPU back") == 0) {
			last_ns = event->t_ns;
			lost_ns = TIME_NONE;
		}
	}
	return is_index_of_one(run, index) ? lost_ns : TIME_NONE;
}
