/*
 * Marks moments of a running recording: lines of events.jsonl, in the form of a RunLog.
 * This room knows nothing of how the recording is made.
 */
#include "event.h"

#include "clock.h"
#include "command.h"
#include "jsonout.h"
#include "say.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Appends with one write: many processes mark at once, and O_APPEND keeps each write
 * whole and apart from the others.
 */
static int events_append(const char *directory, const char *line, size_t size)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
	int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = dir_fd < 0 ? -1 : openat(dir_fd, "events.jsonl", flags, 0666);
	ssize_t written;
	int why;

	if (fd < 0) {
		why = errno;
	} else {
		written = write(fd, line, size);
		why = written < 0 ? errno : ENOSPC;
		(void)close(fd);
		if (written == (ssize_t)size)
			why = 0;
	}
	if (dir_fd >= 0)
		(void)close(dir_fd);
	if (why == 0)
		return 0;
	say("can't write %s/events.jsonl: %s", directory, strerror(why));
	return -1;
}

/* A line under way. */
struct line {
	FILE *out;
	char *text;
	size_t size;
};

static int line_begin(struct line *line, int64_t real_ns, const char *type)
{
	char when[RFC3339_SIZE];

	line->text = NULL;
	line->out = open_memstream(&line->text, &line->size);
	if (line->out == NULL) {
		say("%s", strerror(errno));
		return -1;
	}
	clock_rfc3339(real_ns, when);
	(void)fprintf(line->out, "{\"ts\":\"%s\",\"type\":", when);
	json_string(line->out, type);
	return 0;
}

static int line_end(struct line *line, const char *directory)
{
	int failed;

	(void)fputs("}\n", line->out);
	failed = fclose(line->out);
	if (failed != 0)
		say("%s", strerror(errno));
	else
		failed = events_append(directory, line->text, line->size);
	free(line->text);
	return failed == 0 ? 0 : -1;
}

static const char *recording_directory(void)
{
	const char *directory = getenv("COLLECT_DIR");

	return directory != NULL && *directory != '\0' ? directory : NULL;
}

/* Writes ,"key":value of KEY=VALUE. Returns -1 for what is none. */
static int line_pair(struct line *line, char *pair)
{
	char *equals = strchr(pair, '=');

	if (equals == NULL || equals == pair) {
		say("%s is no KEY=VALUE", pair);
		return -1;
	}
	*equals = '\0';
	if (strcmp(pair, "ts") == 0 || strcmp(pair, "type") == 0) {
		say("an event can't have a key %s of its own", pair);
		return -1;
	}
	(void)fputc(',', line->out);
	json_string(line->out, pair);
	(void)fputc(':', line->out);
	if (json_is_number(equals + 1))
		(void)fputs(equals + 1, line->out);
	else
		json_string(line->out, equals + 1);
	return 0;
}

/* These have keys and a meaning of their own. */
static bool event_is_reserved(const char *type)
{
	return strcmp(type, "phase") == 0 || strcmp(type, "begin") == 0 ||
		strcmp(type, "end") == 0;
}

int event_main(int argc, char **argv)
{
	bool named = strcmp(argv[0], "event") != 0;
	const char *directory = recording_directory();
	struct instant now;
	struct line line;

	instant_now(&now);
	if (argc < 2 || (named && argc > 2)) {
		say("usage: collect %s %s", argv[0],
			named ? "NAME" : "TYPE [KEY=VALUE...]");
		return EXIT_COLLECT;
	}
	if (!named && event_is_reserved(argv[1])) {
		say("an event can't have the type %s: collect %s writes that", argv[1],
			argv[1]);
		return EXIT_COLLECT;
	}
	if (directory == NULL) {
		say("%s: no recording around: COLLECT_DIR is not set", argv[0]);
		return EXIT_COLLECT;
	}
	if (line_begin(&line, now.real_ns, named ? argv[0] : argv[1]) != 0)
		return EXIT_COLLECT;
	if (named) {
		(void)fputs(",\"name\":", line.out);
		json_string(line.out, argv[1]);
	}
	for (int i = 2; i < argc; i++) {
		if (line_pair(&line, argv[i]) == 0)
			continue;
		(void)fclose(line.out);
		free(line.text);
		return EXIT_COLLECT;
	}
	return line_end(&line, directory) == 0 ? 0 : EXIT_COLLECT;
}

/* The phase's line carries its end; the analysis subtracts the seconds. */
static void phase_mark(const char *name, int64_t took_ns, int64_t end_real_ns)
{
	const char *directory = recording_directory();
	struct line line;

	if (directory == NULL) {
		say("phase %s is not marked: COLLECT_DIR is not set", name);
		return;
	}
	if (line_begin(&line, end_real_ns, "phase") != 0)
		return;
	(void)fputs(",\"name\":", line.out);
	json_string(line.out, name);
	(void)fputs(",\"seconds\":", line.out);
	json_seconds(line.out, took_ns);
	(void)line_end(&line, directory);
}

int phase_main(int argc, char **argv)
{
	struct signals signals;
	struct command command;
	struct instant begin;
	char **words = argv + 2;
	int status;

	if (argc > 2 && strcmp(*words, "--") == 0)
		words++;
	if (argc < 3 || *words == NULL || strcmp(argv[1], "--") == 0) {
		say("usage: collect phase NAME -- COMMAND [ARG...]");
		return EXIT_COLLECT;
	}
	if (signals_take(&signals) != 0) {
		say("can't take signals: %s", strerror(errno));
		return EXIT_COLLECT;
	}
	instant_now(&begin);
	status = command_start(&command, words, &signals);
	if (status != 0)
		return status;
	command_wait(&command, &signals);
	command_bury(&command);
	phase_mark(argv[1], command.ended.mono_ns - begin.mono_ns, command.ended.real_ns);
	return command.exit_status;
}
