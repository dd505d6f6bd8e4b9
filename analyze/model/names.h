/* What names of files tell of how they belong together; nothing of what they hold. */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdbool.h>

#include "base/text.h"

/* Without the end that says what packed it: "gpu.csv" of "gpu.csv.gz". */
struct span name_unpacked(struct span name);

/*
 * Do two paths name files of one log, which was rotated or cut into pieces: of one
 * folder, and but for digits, dots and dashes the same?
 */
bool name_is_sibling(const char *a, const char *b);

#endif
