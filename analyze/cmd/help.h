/* What --help prints: of everything, or of one command. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* command: its name; NULL, or what is none: of everything. */
void help_print(FILE *out, const char *command);

/* Has the help of a command this option? Options of all, as --help, are in none. */
bool help_takes(const char *command, const char *option);
/* Of an operand that is no file: the command that may be meant, in a sentence; NULL: none
 * is near. To be freed. */
char *help_hint(const char *operand);

const char *help_command(size_t nth); /* NULL: there are no more */

#endif
