/*
 * Which options belong to some commands only. One that would do nothing is refused: who
 * forgets the word gate would have a gate that can't fail.
 */
#ifndef CMD_BELONGS_H
#define CMD_BELONGS_H

#include "cmd/options.h"

/* command: its name; NULL: none stands there. A sentence, to be freed; NULL: all do. */
char *belongs_refuse(const struct options *opt, const char *command);

#endif
