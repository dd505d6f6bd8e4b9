/* All log formats and output formats: our own, and those of other tools (foreign/). */
#ifndef CMD_FORMATS_H
#define CMD_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

struct format;
struct render_format;
struct tool_option;

/* [SOURCE_KIND_COUNT] by kind, for read_options. */
const struct format *const *log_formats(void);

const struct render_format *output_find(const char *name); /* NULL: unknown */
const struct render_format *output_nth(size_t nth); /* NULL: no more */

/* Options of the formats of other tools; NULL: no more. */
#define TOOL_OPTIONS_MAX 16
const struct tool_option *tool_option_nth(size_t nth);
const struct tool *tool_of_option(const struct tool_option *option);

/*
 * Formats of a command. "gate --calibrate" and "gate --selftest" are commands of their
 * own here. A command without formats in the table prints only text.
 */

/* -1: the command does not print this format. */
int formats_check(const char *command, const char *format, struct error *err);

/* Does the command print this format, perhaps with one of its options? */
bool formats_has(const char *command, const char *format);

/* The format of the command that the name of its output asks for, as report.html or
 * runs.csv do; otherwise the default. */
const char *formats_of_file(const char *command, const char *path, const char *otherwise);

/* Appends the formats of a command: "text (default), json or csv". */
void formats_help(struct strbuf *sb, const char *command);

#endif
