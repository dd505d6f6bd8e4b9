/*
 * What `collect --help` prints.
 * This room knows nothing but words.
 */
#include "help.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Lines as they are printed, at most 80 columns wide. */
/* clang-format off */
static const char *const help[] = {
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
};
/* clang-format on */

bool help_is_asked(const char *word)
{
	return word != NULL && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0);
}

int help_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (size_t i = 0; i < sizeof help / sizeof *help; i++)
		(void)puts(help[i]);
	return fflush(stdout) == 0 ? 0 : 1;
}
