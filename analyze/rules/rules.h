/*
 * Parses and checks rules for findings: schema/findings or a file of the same form
 * (schema/findings/README.md). An unknown key or name is an error. Knows no run and
 * evaluates nothing. Also what the parser of gates shares: position in the JSON and
 * errors.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <cjson/cJSON.h>

#include "base/diag.h"
#include "model/rule.h"

/*
 * Adds the rule that a JSON text is. -1: err names the file, the key, what it says and
 * what was expected; the set is as it was.
 */
int rules_parse(
	struct rule_set *set, const char *file, const char *json, struct error *err);

/* All that the program carries, by the names of their files; static. */
const struct rule_set *rules_carried(void);

/* The parser's position: cJSON keeps no line numbers, and error messages need them. */

/* From 1. */
size_t line_at(const char *text, const char *at);

/*
 * Of a key of the nth object of the array in a document's object, or, of SIZE_MAX, of the
 * document's own; of NULL, of where that object begins. The text is valid JSON with at
 * most one array in the document. Where there is no such key: of its object.
 */
size_t line_of_key(const char *json, size_t nth, const char *key);

/* Where the value of that key begins in the text; NULL: there is no such key. */
const char *value_of_key(const char *json, size_t nth, const char *key);

#endif
