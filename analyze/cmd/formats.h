/*
 * Every log that can be read and every format that can be printed: the house's own, and
 * those of other tools (foreign/).
 */
#ifndef CMD_FORMATS_H
#define CMD_FORMATS_H

#include <stddef.h>

struct format;
struct render_format;
struct tool_option;

/* [SOURCE_KIND_COUNT] by kind: for read_options. */
const struct format *const *log_formats(void);

const struct render_format *output_find(const char *name); /* NULL: unknown */
const struct render_format *output_nth(size_t nth); /* NULL: there are no more */

/* What the formats of other tools can be asked; NULL: there are no more. */
#define TOOL_OPTIONS_MAX 16
const struct tool_option *tool_option_nth(size_t nth);

#endif
