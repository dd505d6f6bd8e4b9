/* collect writes such a word in one way only; where it says more, a key is added. */
#include "compute/report/recorder_word.h"

#include <stdlib.h>
#include <string.h>

#include "model/recorder_facts.h"

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

/* Is the log of that name the file at path, be it packed by now? */
static bool is_log(const char *log, size_t length, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return length && strncmp(log, name, length) == 0 &&
		(name[length] == '\0' || name[length] == '.');
}

/* An event that says so of the log under its key "log"; extras are written like this. */
static bool event_ends(const struct event *event, const char *path)
{
	static const char key[] = "\"log\": \"";
	const char *log;

	if (!is_word(event) || !event->name ||
		strncmp(event->name, OBSERVER_EARLY, strlen(OBSERVER_EARLY)) != 0)
		return false;
	log = strstr(event->extras, key);
	return log && is_log(log + strlen(key), strcspn(log + strlen(key), "\""), path);
}

/* The manifest is written behind what a full disk had no room for. */
static bool manifest_ends(const char *early, const char *path)
{
	while (early) {
		if (is_log(early, strcspn(early, ","), path))
			return true;
		early = strchr(early, ',');
		if (early)
			early++;
	}
	return false;
}

bool recorder_word_ends_early(const struct run *run, enum source_kind kind)
{
	struct observer observer;

	(void)observer_read(run, &observer);
	for (size_t f = 0; f < run->file_count; f++) {
		const char *path = run->file[f].path;

		if (run->file[f].kind != kind)
			continue;
		if (manifest_ends(observer.early, path))
			return true;
		for (size_t i = 0; i < run->event_count; i++)
			if (event_ends(&run->event[i], path))
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
