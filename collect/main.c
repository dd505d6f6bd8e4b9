/*
 * The C part of collect: its first argument selects a subcommand. Users call the
 * script `collect`. Also the text of --help, and the environment as it was before the
 * script began.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "event.h"
#include "nvidia_smi.h"
#include "recorder.h"
#include "text.h"

/* What `collect --help` prints, and its commands'. */

/* Lines as they are printed, at most 80 columns wide. */
/* clang-format off */
static const char *const all[] = {
	"collect: records what a machine with GPUs does while a command runs.",
	"",
	"  collect -- python train.py                  into runs/TIME-HOST-PID",
	"  collect -o runs/try-1 -i 0.1 -- make bench  ten times a second",
	"  collect --pid 4711                          around a process that runs already",
	"  collect start runs/night --compress         in the background, until",
	"  collect stop runs/night",
	"  collect phase load -- cp data.tar /tmp      in COMMAND: one of its phases",
	"  collect event step n=100                    ... and work that it did",
	"",
	"usage: collect [-o DIR] [-i SECONDS] [OPTIONS] -- COMMAND [ARG...]",
	"       collect [-o DIR] [-i SECONDS] [OPTIONS] --pid PID",
	"       collect start DIR [-i SECONDS] [OPTIONS] [--pid PID]",
	"       collect stop DIR | status DIR",
	"       collect phase NAME -- COMMAND [ARG...]",
	"       collect begin NAME | end NAME | event TYPE [KEY=VALUE...]",
	"",
	"Records the GPUs and CPUs of this machine, and the processes of COMMAND, while",
	"it runs, as raw logs in a directory, and exits with COMMAND's status.",
	"",
	"  -o DIR      write there; DIR must be new or empty",
	"              (default: runs/<UTC>-<host>-<pid>)",
	"  -i SECONDS  time between samples, at least 0.01 (default: 1)",
	"  --label KEY=VALUE  write this label (commit=4f2a1c) into run.json; may be",
	"              given several times",
	"  --gpus LIST record these GPUs alone: indexes, UUIDs or bus ids, commas between",
	"  --pid PID   record around a process that runs already, with its descendants,",
	"              until it ends or a signal ends collect",
	"  --max-size SIZE  end the recording, not COMMAND, when the logs have so many",
	"              bytes; K, M, G behind it are powers of 1024",
	"  --compress  compress the logs with gzip when the recording ends",
	"  --session   record the whole session of COMMAND or PID: what others started,",
	"              too",
	"  --user, --job  record all processes of its user, of its Slurm job, beside them",
	"  -h, --help  print this help and exit",
	"  --version   print the version and exit",
	"",
	"start records in the background, until stop or until PID ends; status says",
	"whether the recording goes on, has ended or has died (exit status 0, 1, 2; 3: it",
	"is none). phase runs COMMAND as a phase of the recording around it; begin, end",
	"and event mark a moment in it. TYPE is any word but phase, begin and end.",
	"COLLECT_DIR, set for COMMAND, says which recording it is.",
	"COLLECT_PATIENCE is how many seconds nvidia-smi may take to answer (default:",
	"8); one that takes longer is not recorded.",
	"",
	"Exit status: COMMAND's, or the same signal (128+n in a shell); 125 if collect",
	"itself failed before COMMAND began; 126 if COMMAND can't be run; 127 if it is",
	"not found.",
	NULL,
};

static const char *const start[] = {
	"collect start: records in the background.",
	"",
	"  collect start runs/night --compress       until collect stop runs/night",
	"  collect start runs/server --pid 4711      until that process ends",
	"",
	"usage: collect start DIR [-i SECONDS] [OPTIONS] [--pid PID]",
	"",
	"Returns when the first samples are on disk. DIR must be new or empty. OPTIONS",
	"are those of collect (collect --help).",
	NULL,
};

static const char *const stop[] = {
	"collect stop: ends a recording.",
	"",
	"  collect stop runs/night",
	"",
	"usage: collect stop DIR",
	"",
	"Returns when the last samples are on disk, and compressed where --compress",
	"asked for that. COMMAND, or PID, goes on.",
	NULL,
};

static const char *const status_lines[] = {
	"collect status: says whether a recording goes on.",
	"",
	"  collect status runs/night",
	"",
	"usage: collect status DIR",
	"",
	"Exit status: 0 it goes on, 1 it has ended, 2 it has died, 3 DIR is none; 125",
	"nobody can tell.",
	NULL,
};

static const char *const phase[] = {
	"collect phase: runs a command as a phase of the recording around it.",
	"",
	"  collect phase load -- cp data.tar /tmp",
	"  collect phase train -- python train.py    phases that this marks are within it",
	"",
	"usage: collect phase NAME -- COMMAND [ARG...]",
	"",
	"Marks where COMMAND begins and ends in the recording that COLLECT_DIR names.",
	"Without one COMMAND runs all the same.",
	"",
	"Exit status: COMMAND's, or the same signal (128+n in a shell); 125 if collect",
	"itself failed before COMMAND began; 126 if COMMAND can't be run; 127 if it is",
	"not found.",
	NULL,
};

static const char *const marks[] = {
	"collect begin, end: mark where a phase of the recording around begins, and ends.",
	"",
	"  collect begin load",
	"  cat data/* >/dev/null",
	"  collect end load",
	"",
	"usage: collect begin NAME",
	"       collect end NAME",
	"",
	"The recording is the one that COLLECT_DIR names. collect phase needs no end: it",
	"runs a command.",
	NULL,
};

static const char *const event[] = {
	"collect event: marks what happened in the recording around.",
	"",
	"  collect event step n=100                  work: 100 steps were done",
	"  collect event checkpoint loss=0.31 path=ckpt/7",
	"",
	"usage: collect event TYPE [KEY=VALUE...]",
	"",
	"TYPE is any word but phase, begin and end. A VALUE that is a number is written",
	"as one. Events of a TYPE that repeat are units of work; with a number n they are",
	"so many. The recording is the one that COLLECT_DIR names.",
	NULL,
};
/* clang-format on */

static const struct {
	const char *command;
	const char *const *lines;
} helps[] = {
	{"start", start},
	{"stop", stop},
	{"status", status_lines},
	{"phase", phase},
	{"begin", marks},
	{"end", marks},
	{"event", event},
};

static const char *const *help_of(const char *command)
{
	for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
		if (strcmp(helps[i].command, command) == 0)
			return helps[i].lines;
	return all;
}

/* Says whether a word asks for help; NULL does not. */
static bool help_is_asked(const char *word)
{
	return word != NULL && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0);
}

/*
 * Prints that of the command argv[0], or behind "help" of argv[1], or of all. Returns
 * 0, or 1 where it could not be written.
 */
static int help_main(int argc, char **argv)
{
	bool behind = argc > 1 && strcmp(argv[0], "help") == 0;

	for (const char *const *line = help_of(argv[behind ? 1 : 0]); *line != NULL;
		line++)
		(void)puts(*line);
	return fflush(stdout) == 0 ? 0 : 1;
}

/*
 * The environment as it was before the script `collect` began. A shell drops what is
 * no name of a variable, as the functions that bash exports, and has values of its own
 * for IFS and PPID; COMMAND is to find what it would find without collect.
 *
 * The kernel knows what the shell was started with until the shell becomes something
 * else. No descriptor is free for certain, as COMMAND inherits all of them; so a child
 * of the shell holds the copy as its own, and is a child of what the shell becomes.
 */

#define HELD_FD	  3 /* of the one that holds it */
#define HELD_NAME "collect-environment"
#define HELD_S	  10 /* a script that died does not take it */

static bool copy(int from, int to)
{
	char text[16384];
	ssize_t got;

	while ((got = read(from, text, sizeof text)) > 0)
		if (write(to, text, (size_t)got) != got)
			return false;
	return got == 0;
}

/* The environment of a process, as a file in memory; -1: it can't be had. */
static int read_environment(const char *pid)
{
	char path[40];
	int from, held;

	(void)snprintf(path, sizeof path, "/proc/%.10s/environ", pid);
	from = open(path, O_RDONLY | O_CLOEXEC);
	held = from < 0 ? -1 : memfd_create(HELD_NAME, 0);
	if (held >= 0 && !copy(from, held)) {
		(void)close(held);
		held = -1;
	}
	if (from >= 0)
		(void)close(from);
	return held;
}

/*
 * keep PID: holds a copy of the environment that a process began with, until it is
 * taken; it is called collect-kept once it does.
 */
static int keep_main(int argc, char **argv)
{
	int fd = argc == 2 ? read_environment(argv[1]) : -1;

	if (fd < 0 || dup2(fd, HELD_FD) != HELD_FD)
		return EXIT_COLLECT;
	(void)alarm(HELD_S);
	(void)prctl(PR_SET_NAME, "collect-kept");
	for (;;)
		(void)pause();
}

/* Is it ours, whatever COLLECT_KEPT says? */
static bool is_held(const char *path)
{
	static const char ours[] = "/memfd:" HELD_NAME " ";
	char target[64];
	ssize_t length = readlink(path, target, sizeof target);

	return length > (ssize_t)(sizeof ours - 1) &&
		memcmp(target, ours, sizeof ours - 1) == 0;
}

/* All of a file, and a '\0' behind it; NULL: it can't be read. */
static char *read_whole(int fd, size_t *size)
{
	struct stat status;
	char *text;

	if (fstat(fd, &status) != 0)
		return NULL;
	*size = (size_t)status.st_size;
	text = malloc(*size + 1);
	if (text == NULL || pread(fd, text, *size, 0) != (ssize_t)*size) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* Its entries from now on are in the text, which stays. */
static void become_environment(char *text, size_t size)
{
	size_t count = 0, next = 0;
	char **entries;

	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		count++;
	entries = malloc((count + 1) * sizeof *entries);
	if (entries == NULL)
		return;
	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		entries[next++] = text + at;
	entries[next] = NULL;
	environ = entries;
}

/*
 * Takes the one that COLLECT_KEPT names; without one, or a sound one, nothing changes.
 */
static void kept_take(void)
{
	const char *word = getenv("COLLECT_KEPT");
	pid_t pid = word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
	char path[40], *text = NULL;
	size_t size = 0;
	int fd = -1;

	(void)unsetenv("COLLECT_KEPT");
	if (pid <= 0)
		return;
	(void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, HELD_FD);
	if (is_held(path))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	text = read_whole(fd, &size);
	(void)close(fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	if (text != NULL)
		become_environment(text, size);
}

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	bool for_people; /* who may ask for help behind it */
} commands[] = {
	{"record", record_main, true},
	{"phase", phase_main, true},
	{"begin", event_main, true},
	{"end", event_main, true},
	{"event", event_main, true},
	{"status", status_main, true},
	{"stop", stop_main, true},
	{"probe", probe_main, false},
	{"help", help_main, false},
	{"keep", keep_main, false},
};

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	kept_take();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return (commands[i].for_people && help_is_asked(argv[2])
					? help_main
					: commands[i].main)(argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
