/* What the place that a result goes to can show. */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdio.h>

#include "cmd/options.h"
#include "render/render.h"

/* Width, colour and Unicode of a terminal; plain and 80 columns wide elsewhere. */
struct render_options terminal_options(const struct options *opt, FILE *file);

/* ... the width alone. */
int terminal_columns(FILE *file);

/* Can a line be wiped there? */
bool terminal_can_wipe(FILE *file);
/* Puts a text at the beginning of the line instead of what stands there, cut to its
 * width; wiped, it is as if it had not been. Both flush. */
void terminal_show(FILE *file, const char *text);
void terminal_wipe(FILE *file);

/* A sentence as one line that does nothing, whatever bytes it holds; the caller frees. */
char *terminal_line(const char *sentence);

#endif
