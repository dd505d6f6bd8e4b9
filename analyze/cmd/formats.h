/*
 * Every log that can be read and every format that can be printed: the house's own, and
 * those of other tools (foreign/).
 */
#ifndef CMD_FORMATS_H
#define CMD_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

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

/*
 * Which formats a command prints. "gate --calibrate" and "gate --selftest" are commands
 * of their own here. A command that is in no table prints text for people only.
 */

/* -1: the command does not print this format; err says which one it may be. */
int formats_check(const char *command, const char *format, struct error *err);

/* Does the command print this format, or does it with one of its options? */
bool formats_has(const char *command, const char *format);

/* Appends the formats of a command and its options: "text (default), json or csv". */
void formats_help(struct strbuf *sb, const char *command);

#endif
