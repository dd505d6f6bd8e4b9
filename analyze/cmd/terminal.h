/* What the place that a result goes to can show. */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdio.h>

#include "cmd/options.h"
#include "render/render.h"

/* Width, colour and Unicode of a terminal; plain and 80 columns wide elsewhere. */
struct render_options terminal_options(const struct options *opt, FILE *file);

/* A sentence as one line that does nothing, whatever bytes it holds; the caller frees. */
char *terminal_line(const char *sentence);

#endif
