/*
 * What `collect --help` prints, and its commands'.
 * This room knows nothing but words.
 */
#ifndef COLLECT_HELP_H
#define COLLECT_HELP_H

#include <stdbool.h>

/* Says whether a word asks for help; NULL does not. */
bool help_is_asked(const char *word);

/* Prints that of the command argv[0], or behind "help" of argv[1], or of all. Returns 0,
 * or 1 where it could not be written. */
int help_main(int argc, char **argv);

#endif
