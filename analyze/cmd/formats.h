/*
 * Which formats a command prints: for what it refuses, for its help, and for what shells
 * complete. "gate --calibrate" and "gate --selftest" are commands of their own here. One
 * that is in no table prints lines for people alone.
 */
#ifndef CMD_FORMATS_H
#define CMD_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

#define FORMATS_OF_RUNS "" /* hwsummarize RUN..., which has no name */

/* -1: it does not print this one, and a sentence says what it does. */
int formats_check(const char *command, const char *format, struct error *err);

/* What hwsummarize RUN... says of one that it does not print. */
void formats_refuse(const char *format, struct error *err);

/* Does it print this one, or does it with one of its options? */
bool formats_has(const char *command, const char *format);

/* Appends them, "text (default), json or csv", with those of its options. */
void formats_help(struct strbuf *sb, const char *command);

#endif
