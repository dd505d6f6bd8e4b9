/* What --help prints: of everything, or of one command. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>

/* command: its name; NULL, or what is none: of everything. */
void help_print(FILE *out, const char *command);

#endif
