/* Names by patterns of fnmatch(3), several of which commas separate. */
#ifndef BASE_GLOBS_H
#define BASE_GLOBS_H

#include <stdbool.h>

/* Does one of them match the name? NULL: any name does. */
bool globs_match(const char *globs, const char *name);

#endif
