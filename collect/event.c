/*
 * Marks moments of a running recording: lines of events.jsonl, in the form of a RunLog.
 * This room knows nothing of how the recording is made.
 */
#include "event.h"

#include "clock.h"
#include "command.h"
#include "event_line.h"
#include "jsonout.h"
#include "lock.h"
#include "random_id.h"
#include "regular.h"
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

static int line_begin(
	struct event_line *line, const struct instant *when, const char *type)
{
	if (event_line_begin(line, when, type) == 0)
		return 0;
	say("%s", strerror(errno));
	return -1;
}

/*
 * Returns -1 where the mark can't be written. A full disk stops the recording and never
 * the program that marks: then it is said for as long as the recording has not ended,
 * which says it at its end.
 */
static int line_end(struct event_line *line, const char *directory)
{
	int dir_fd = directory_open(directory);
	int failed, why;
	bool over;

	if (dir_fd < 0) {
		say("can't use the directory %s: %s", directory, strerror(errno));
		event_line_drop(line);
		return -1;
	}
	failed = event_line_append(line, dir_fd);
	why = errno;
	over = faccessat(dir_fd, LOCK_NAME, F_OK, 0) != 0;
	(void)close(dir_fd);
	if (failed == 0)
		return 0;
	if (!over || !regular_is_no_room(why))
		say("can't write %s/events.jsonl: %s", directory, regular_why(why));
	return regular_is_no_room(why) ? 0 : -1;
}

static const char *recording_directory(void)
{
	const char *directory = getenv("COLLECT_DIR");

	return directory != NULL && *directory != '\0' ? directory : NULL;
}

#define SPAN_BYTES 8 /* as OpenTelemetry's span ids have */
#define SPAN_SIZE  (2 * SPAN_BYTES + 1)

/* That of the `collect phase` around; "": there is none. */
static void span_around(char span[SPAN_SIZE])
{
	const char *around = getenv("COLLECT_SPAN");
	bool is = around != NULL && strlen(around) == SPAN_SIZE - 1;

	(void)strcpy(span, is ? around : "");
}

/* What is marked in a phase says so: another process may have one at the same time. */
static void line_span(struct event_line *line, const char *key, const char *span)
{
	if (span[0] != '\0')
		event_line_text(line, key, span);
}

/* What each line has already. */
static bool event_has(const char *key)
{
	return strcmp(key, "ts") == 0 || strcmp(key, "mono") == 0 ||
		strcmp(key, "boot") == 0 || strcmp(key, "type") == 0;
}

/* Writes ,"key":value of KEY=VALUE. Returns -1 for what is none, and for a key of the
 * pairs before it, of which each is cut at its end. */
static int line_pair(
	struct event_line *line, char *pair, char *const *before, size_t count)
{
	char *equals = strchr(pair, '=');

	if (equals == NULL || equals == pair) {
		say("%s is no KEY=VALUE", pair);
		return -1;
	}
	*equals = '\0';
	if (event_has(pair)) {
		say("an event can't have a key %s of its own", pair);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(before[i], pair) == 0) {
			say("the key %s stands twice", pair);
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
	char around[SPAN_SIZE];
	struct instant now;
	struct event_line line;

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
		say("%s: no recording around: COLLECT_DIR is not set, or empty", argv[0]);
		return EXIT_COLLECT;
	}
	if (line_begin(&line, &now, named ? argv[0] : argv[1]) != 0)
		return EXIT_COLLECT;
	if (named) {
		event_line_text(&line, "name", argv[1]);
		span_around(around);
		line_span(&line, "parent_span_id", around);
	}
	for (int i = 2; i < argc; i++) {
		if (line_pair(&line, argv[i], argv + 2, (size_t)(i - 2)) == 0)
			continue;
		event_line_drop(&line);
		return EXIT_COLLECT;
	}
	return line_end(&line, directory) == 0 ? 0 : EXIT_COLLECT;
}

struct phase {
	const char *name;
	char span[SPAN_SIZE], around[SPAN_SIZE]; /* "": none */
	struct instant begin;
};

static int phase_line(struct event_line *line, const struct phase *phase,
	const struct instant *when, const char *type)
{
	if (line_begin(line, when, type) != 0)
		return -1;
	event_line_text(line, "name", phase->name);
	line_span(line, "span_id", phase->span);
	line_span(line, "parent_span_id", phase->around);
	return 0;
}

/* Should its end be never marked, as this process is killed. Returns -1 where nothing can
 * be marked, which was said. */
static int phase_mark_begin(const struct phase *phase)
{
	const char *directory = recording_directory();
	struct event_line line;

	if (directory == NULL || phase->span[0] == '\0')
		return 0;
	if (phase_line(&line, phase, &phase->begin, "begin") != 0)
		return -1;
	return line_end(&line, directory);
}

/* The phase's line carries its end; the analysis subtracts the seconds, in which the
 * machine may have slept. */
static void phase_mark(const struct phase *phase, const struct instant *end)
{
	const char *directory = recording_directory();
	struct event_line line;

	if (directory == NULL) {
		say("phase %s is not marked: COLLECT_DIR is not set, or empty",
			phase->name);
		return;
	}
	if (phase_line(&line, phase, end, "phase") != 0)
		return;
	(void)fputs(",\"seconds\":", line.out);
	json_seconds(line.out, end->boot_ns - phase->begin.boot_ns);
	(void)line_end(&line, directory);
}

int phase_main(int argc, char **argv)
{
	struct signals signals;
	struct command command;
	struct phase phase;
	char **words = argv + 2;
	int status, failed;

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
	phase.name = argv[1];
	span_around(phase.around);
	if (random_id(phase.span, SPAN_BYTES) == 0)
		(void)setenv("COLLECT_SPAN", phase.span, 1);
	instant_now(&phase.begin);
	status = command_start(&command, words, &signals);
	if (status != 0)
		return status;
	failed = phase_mark_begin(&phase);
	command_wait(&command, &signals, NULL, NULL);
	command_bury(&command);
	if (failed == 0)
		phase_mark(&phase, &command.ended);
	return command_follow(&command);
}
