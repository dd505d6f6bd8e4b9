/*
 * On which line of a JSON text something stands: the parser does not keep it, and whoever
 * has to mend the text wants to know.
 */
#ifndef RULES_LINE_H
#define RULES_LINE_H

#include <stddef.h>

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
