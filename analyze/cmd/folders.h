/* Operands that are folders of runs: no log is in them, but runs are. */
#ifndef CMD_FOLDERS_H
#define CMD_FOLDERS_H

#include "cmd/command.h"
#include "cmd/options.h"

/*
 * Puts the runs of such a folder, by name, in the place of each operand that is one, and
 * says how many they are. A run is a directory in it that holds a file; what begins with
 * a dot does not count, nor does runs.db. The paths are the options'.
 */
void folders_open(struct options *opt, const struct console *console);

#endif
