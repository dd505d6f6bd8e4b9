/*
 * What `collect --help` prints, and its commands'.
 * This room knows nothing but words.
 */
#include "help.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

static const char *const status[] = {
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
	{"status", status},
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

bool help_is_asked(const char *word)
{
	return word != NULL && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0);
}

int help_main(int argc, char **argv)
{
	bool behind = argc > 1 && strcmp(argv[0], "help") == 0;

	for (const char *const *line = help_of(argv[behind ? 1 : 0]); *line != NULL;
		line++)
		(void)puts(*line);
	return fflush(stdout) == 0 ? 0 : 1;
}
