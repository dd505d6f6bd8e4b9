/*
 * Marks in a running recording: lines of events.jsonl in the form of a RunLog. The status
 * of a recording, and how to stop it. Knows nothing of how it is recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "log.h"

/* Opens it. Returns a descriptor; or says why not and returns -1 with errno. */
static int recording_open(const char *dir)
{
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0)
		say("can't use the directory %s: %s", dir, strerror(errno));
	return dir_fd;
}

/* Appends the line to the recording. A full disk must not end the program that marks; the
 * recording reports it. Returns 0; or says why not and returns -1. */
static int line_end(struct event_line *line, const char *directory)
{
	int dir_fd = recording_open(directory);
	bool failed;

	if (dir_fd < 0)
		return -1;
	failed = event_line_append(line, dir_fd) != 0 && errno != ENOSPC &&
		errno != EDQUOT && errno != EFBIG;
	if (failed)
		say("can't write %s/events.jsonl: %s", directory, file_why(errno));
	(void)close(dir_fd);
	return failed ? -1 : 0;
}

#define SPAN_BYTES 8 /* as OpenTelemetry's span ids have */
#define SPAN_SIZE  (2 * SPAN_BYTES + 1)

/* Marks name the phase around them: other processes may have phases at the same time. */
static void line_span(struct event_line *line, const char *key, const char *span)
{
	if (span != NULL && strlen(span) == SPAN_SIZE - 1)
		event_line_text(line, key, span);
}

/* Are so many words KEY=VALUE, of keys that collect doesn't write itself? Else says so.
 */
static bool pairs_are_good(char *const *pair, size_t count, bool named)
{
	static const char of_all[] = " ts mono boot type ",
			  of_named[] = " name seconds span_id parent_span_id ";

	for (; count > 0; count--, pair++) {
		const int size = (int)strcspn(*pair, "=");
		char key[64];

		(void)snprintf(key, sizeof key, " %.*s ", size, *pair);
		if (size == 0 || (*pair)[size] == '\0' || strstr(of_all, key) != NULL ||
			(named && strstr(of_named, key) != NULL)) {
			say("expected KEY=VALUE of a key that collect does not write "
			    "itself, found '%s'",
				*pair);
			return false;
		}
	}
	return true;
}

static void line_pairs(struct event_line *line, char *const *pair, size_t count)
{
	for (; count > 0; count--, pair++) {
		char *equals = strchr(*pair, '=');

		*equals = '\0';
		event_line_value(line, *pair, equals + 1);
		*equals = '=';
	}
}

int event_main(int argc, char **argv)
{
	const bool named = strcmp(argv[0], "event") != 0;
	const size_t pairs = (size_t)argc - 2;
	struct instant now;
	struct event_line line;

	instant_now(&now);
	if (!pairs_are_good(argv + 2, pairs, named))
		return EXIT_COLLECT;
	event_line_begin(&line, &now, named ? argv[0] : argv[1]);
	if (named) {
		event_line_text(&line, "name", argv[1]);
		line_span(&line, "parent_span_id", getenv("COLLECT_SPAN"));
	}
	line_pairs(&line, argv + 2, pairs);
	return line_end(&line, getenv("COLLECT_DIR")) == 0 ? 0 : EXIT_COLLECT;
}

struct phase {
	const char *name;
	char span[SPAN_SIZE], *around;
	char **pair; /* KEY=VALUE */
	size_t pairs;
	struct instant begin;
};

/*
 * A phase is marked twice: if this process is killed, its begin is there. The end has the
 * seconds between, in which the machine may have slept. Returns 0; or -1, which was said.
 */
static int phase_mark(
	const struct phase *phase, const struct instant *when, const char *type)
{
	const char *directory = getenv("COLLECT_DIR");
	struct event_line line;

	if (directory == NULL || *directory == '\0')
		return -1;
	event_line_begin(&line, when, type);
	event_line_text(&line, "name", phase->name);
	line_span(&line, "span_id", phase->span);
	line_span(&line, "parent_span_id", phase->around);
	if (when != &phase->begin) {
		(void)fputs(",\"seconds\":", line.out);
		json_seconds(line.out, when->boot_ns - phase->begin.boot_ns);
	}
	line_pairs(&line, phase->pair, phase->pairs);
	return line_end(&line, directory);
}

int phase_main(int argc, char **argv)
{
	struct signals signals;
	struct command command;
	struct phase phase = {
		.name = argv[1], .around = getenv("COLLECT_SPAN"), .pair = argv + 2};
	char **words = argv + 2, **rest = words;
	int status;
	bool marked;

	(void)argc;
	while (*rest != NULL && strchr(*rest, '=') != NULL)
		rest++;
	if (*rest != NULL && strcmp(*rest, "--") == 0) {
		phase.pairs = (size_t)(rest - words);
		words = rest + 1;
	}
	if (*words == NULL) {
		say("phase needs a COMMAND after --");
		return EXIT_COLLECT;
	}
	if (!pairs_are_good(phase.pair, phase.pairs, true))
		return EXIT_COLLECT;
	if (signals_take(&signals) != 0) {
		say("can't take signals: %s", strerror(errno));
		return EXIT_COLLECT;
	}
	if (phase.around != NULL)
		phase.around = strdup(phase.around);
	if (random_id(phase.span, SPAN_BYTES) == 0)
		(void)setenv("COLLECT_SPAN", phase.span, 1);
	instant_now(&phase.begin);
	status = command_start(&command, words, &signals, false);
	if (status != 0)
		return status;
	marked = phase_mark(&phase, &phase.begin, "begin") == 0;
	command_wait(&command, &signals);
	if (marked)
		(void)phase_mark(&phase, &command.ended, "phase");
	return command_follow(&command);
}

enum state {
	STATE_RECORDING,
	STATE_ENDED,
	STATE_DIED,
	STATE_NONE,
	STATE_UNKNOWN = EXIT_COLLECT
};

static enum state look(int dir_fd, const char *dir, struct lock *lock)
{
	if (lock_read(dir_fd, lock) == 0)
		return lock->held ? STATE_RECORDING : STATE_DIED;
	if (errno == EINVAL)
		return STATE_DIED;
	if (errno != ENOENT) {
		say("can't tell whether %s is being recorded: %s", dir, file_why(errno));
		return STATE_UNKNOWN;
	}
	if (faccessat(dir_fd, "run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return STATE_ENDED;
	say("%s is not a recording", dir);
	return STATE_NONE;
}

int status_main(int argc, char **argv)
{
	int dir_fd = recording_open(argv[1]);
	enum state state;
	struct lock lock;

	(void)argc;
	if (dir_fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? STATE_NONE : STATE_UNKNOWN;
	state = look(dir_fd, argv[1], &lock);
	(void)close(dir_fd);
	if (state == STATE_RECORDING)
		(void)printf("recording (process %d on %s)\n", (int)lock.pid, lock.host);
	else if (state == STATE_ENDED || state == STATE_DIED)
		(void)printf("%s\n", state == STATE_ENDED ? "ended" : "died");
	return fflush(stdout) == 0 ? (int)state : EXIT_COLLECT;
}

/* Waits without a limit: to end nvidia-smi and to compress may take long. */
static enum state await_end(int dir_fd, const char *dir, struct lock *lock)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	enum state state = STATE_RECORDING;

	/* A process that is stopped heeds its signals when it continues. */
	(void)kill(lock->pid, SIGCONT);
	while (state == STATE_RECORDING) {
		(void)nanosleep(&moment, NULL);
		state = look(dir_fd, dir, lock);
	}
	return state;
}

int stop_main(int argc, char **argv)
{
	const char *dir = argv[1];
	int dir_fd = recording_open(dir);
	enum state state;
	struct utsname names;
	struct lock lock;

	(void)argc;
	if (dir_fd < 0)
		return EXIT_COLLECT;
	state = look(dir_fd, dir, &lock);
	if (state == STATE_ENDED)
		return 0;
	if (state == STATE_DIED)
		say("the recording in %s has died", dir);
	if (state != STATE_RECORDING)
		return EXIT_COLLECT;
	if (!lock.alone)
		say("the recording in %s ends with its command", dir);
	else if (lock.holder != lock.pid || uname(&names) != 0 ||
		strcmp(names.nodename, lock.host) != 0)
		/* On another host, or in another container, that id is another's. */
		say("the recording in %s is process %d on another host or in another "
		    "container, %s",
			dir, (int)lock.pid, lock.host);
	else if (kill(lock.pid, SIGTERM) != 0 && errno != ESRCH)
		say("can't stop the recording in %s: %s", dir, strerror(errno));
	else if (await_end(dir_fd, dir, &lock) == STATE_ENDED)
		return 0;
	else
		say("the recording in %s did not end completely", dir);
	return EXIT_COLLECT;
}
