/*
 * Marks moments of a running recording, lines of events.jsonl in the form of a RunLog;
 * asks one how it is, and tells it to stop. Knows nothing of how it is made.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "commands.h"
#include "log.h"
#include "run_dir.h"
#include "text.h"

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

/* What is marked in a phase says so: another process may have one at the same time. */
static void line_span(struct event_line *line, const char *key, const char *span)
{
	if (span != NULL && strlen(span) == SPAN_SIZE - 1)
		event_line_text(line, key, span);
}

static bool is_one_of(const char *const words[], const char *word)
{
	while (*words != NULL && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

/* What each line has already, and what has keys and a meaning of its own. */
static const char *const keys[] = {"ts", "mono", "boot", "type", NULL};
static const char *const reserved[] = {"phase", "begin", "end", NULL};

/* Writes ,"key":value of KEY=VALUE. Returns -1 for what is none, and for a key of the
 * pairs before it, of which each is cut at its end. */
static int line_pair(
	struct event_line *line, char *pair, char *const *before, size_t count)
{
	char *equals = strchr(pair, '=');

	if (equals == NULL || equals == pair) {
		say("%s is not of the form KEY=VALUE", pair);
		return -1;
	}
	*equals = '\0';
	if (is_one_of(keys, pair)) {
		say("an event can't have a key %s of its own", pair);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(before[i], pair) == 0) {
			say("the key %s is given twice", pair);
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

int event_main(int argc, char **argv)
{
	bool named = strcmp(argv[0], "event") != 0;
	const char *directory = recording_directory();
	struct instant now;
	struct event_line line;

	instant_now(&now);
	if (argc < 2 || (named && argc > 2)) {
		say("usage: collect %s %s", argv[0],
			named ? "NAME" : "TYPE [KEY=VALUE...]");
		return EXIT_COLLECT;
	}
	if (!named && is_one_of(reserved, argv[1])) {
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
		line_span(&line, "parent_span_id", getenv("COLLECT_SPAN"));
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
	char span[SPAN_SIZE], *around;
	struct instant begin;
};

/*
 * A phase is marked twice: should its end never come, as this process is killed, its
 * begin is there. The end has the seconds, in which the machine may have slept. Returns
 * -1 where nothing can be marked, which was said.
 */
static int phase_mark(
	const struct phase *phase, const struct instant *when, const char *type)
{
	const bool ends = when != &phase->begin;
	const char *directory = recording_directory();
	struct event_line line;

	if (directory == NULL && ends)
		say("phase %s is not marked: COLLECT_DIR is not set, or empty",
			phase->name);
	if (directory == NULL || (!ends && phase->span[0] == '\0'))
		return 0;
	if (line_begin(&line, when, type) != 0)
		return -1;
	event_line_text(&line, "name", phase->name);
	line_span(&line, "span_id", phase->span);
	line_span(&line, "parent_span_id", phase->around);
	if (ends) {
		(void)fputs(",\"seconds\":", line.out);
		json_seconds(line.out, when->boot_ns - phase->begin.boot_ns);
	}
	return line_end(&line, directory);
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
	phase.around = getenv("COLLECT_SPAN");
	if (phase.around != NULL)
		phase.around = strdup(phase.around);
	if (random_id(phase.span, SPAN_BYTES) == 0)
		(void)setenv("COLLECT_SPAN", phase.span, 1);
	instant_now(&phase.begin);
	status = command_start(&command, words, &signals);
	if (status != 0)
		return status;
	failed = phase_mark(&phase, &phase.begin, "begin");
	command_wait(&command, &signals);
	if (failed == 0)
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
		say("can't tell whether %s is being recorded: %s", dir,
			regular_why(errno));
		return STATE_UNKNOWN;
	}
	return faccessat(dir_fd, "run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? STATE_ENDED
									     : STATE_NONE;
}

/* -1 with errno: there is none that can be opened, which was said. */
static int recording_open(int argc, char **argv)
{
	int dir_fd, why;

	if (argc != 2) {
		say("usage: collect %s DIR", argv[0]);
		errno = EINVAL;
		return -1;
	}
	dir_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	why = errno;
	if (dir_fd < 0)
		say("can't use the directory %s: %s", argv[1], strerror(why));
	errno = why;
	return dir_fd;
}

int status_main(int argc, char **argv)
{
	int dir_fd = recording_open(argc, argv);
	enum state state;
	struct lock lock;

	if (dir_fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? STATE_NONE : STATE_UNKNOWN;
	state = look(dir_fd, argv[1], &lock);
	(void)close(dir_fd);
	switch (state) {
	case STATE_RECORDING:
		(void)printf("%s (process %d on %s)\n",
			lock.packing ? "compressing" : "recording", (int)lock.pid,
			lock.host);
		break;
	case STATE_ENDED:
		(void)printf("ended\n");
		break;
	case STATE_DIED:
		(void)printf("died\n");
		break;
	case STATE_NONE:
		say("%s is not a recording", argv[1]);
		break;
	case STATE_UNKNOWN:
		break;
	}
	return fflush(stdout) == 0 ? (int)state : EXIT_COLLECT;
}

/* What it seems to be from here may be another process: on another host, or in another
 * container. */
static bool is_seen(const struct lock *lock)
{
	struct utsname names;

	return lock->holder == lock->pid && uname(&names) == 0 &&
		strcmp(names.nodename, lock->host) == 0;
}

/* Tells the process of a recording to end. Returns 0, or -1 with errno. */
static int end_holder(const struct lock *lock)
{
	/* One that compresses would stop doing so. */
	if (lock->packing)
		return 0;
	if (kill(lock->pid, SIGTERM) != 0)
		return errno == ESRCH ? 0 : -1;
	/* One that is stopped heeds it when it continues. */
	(void)kill(lock->pid, SIGCONT);
	return 0;
}

/* Waits for as long as it takes: nvidia-smi may have to be killed, much compressed. */
static enum state await_end(int dir_fd, const char *dir, struct lock *lock)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	enum state state = STATE_RECORDING;
	bool said = false;

	while (state == STATE_RECORDING) {
		(void)nanosleep(&moment, NULL);
		state = look(dir_fd, dir, lock);
		if (state != STATE_RECORDING || !lock->packing || said)
			continue;
		say("the recording in %s has ended, its logs are being compressed", dir);
		said = true;
	}
	return state;
}

/* Returns the exit status. */
static int stop(int dir_fd, const char *dir)
{
	struct lock lock;

	switch (look(dir_fd, dir, &lock)) {
	case STATE_ENDED:
		return 0;
	case STATE_DIED:
		say("the recording in %s has died", dir);
		return EXIT_COLLECT;
	case STATE_NONE:
		say("%s is not a recording", dir);
		return EXIT_COLLECT;
	case STATE_UNKNOWN:
		return EXIT_COLLECT;
	case STATE_RECORDING:
		break;
	}
	if (!lock.alone)
		say("the recording in %s ends with its command", dir);
	else if (!is_seen(&lock))
		say("the recording in %s is process %d on another host or in another "
		    "container, %s",
			dir, (int)lock.pid, lock.host);
	else if (end_holder(&lock) != 0)
		say("can't stop the recording in %s: %s", dir, strerror(errno));
	else if (await_end(dir_fd, dir, &lock) == STATE_ENDED)
		return 0;
	else
		say("the recording in %s did not end whole", dir);
	return EXIT_COLLECT;
}

int stop_main(int argc, char **argv)
{
	int dir_fd = recording_open(argc, argv), status;

	if (dir_fd < 0)
		return EXIT_COLLECT;
	status = stop(dir_fd, argv[1]);
	(void)close(dir_fd);
	return status;
}
