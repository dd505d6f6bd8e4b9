/*
 * The lines that the kernel has for a process, in /proc/PID/stat, io, status and
 * smaps_rollup, and what it says to whom waits for one that has ended (getrusage(2)).
 * Each function takes a line in, and gives false for one that is damaged; lines that
 * don't count here are fine.
 */
#ifndef READ_PROCESS_FILES_H
#define READ_PROCESS_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "read/tree_account.h"

/* "> 4711/stat": whose file the lines behind it are of. */
bool process_file_cut(struct span line, int32_t *pid, struct span *name);

/*
 * The name of a process may hold anything, newlines and brackets too: text is what came
 * so far, and false only means that a part of it may be missing. hz: the ticks of a
 * second.
 */
bool process_take_stat(struct tree_process *process, struct span text, int64_t hz);
bool process_take_io(struct tree_process *process, struct span line);
bool process_take_status(struct tree_process *process, struct span line);
bool process_take_usage(struct tree_process *process, struct span line);
bool process_take_rollup(struct tree_process *process, struct span line);

/* A number that no sum of such ones makes overflow. */
bool process_number(struct span word, int64_t *value);

#endif
