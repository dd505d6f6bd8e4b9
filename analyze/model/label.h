/*
 * Labels: texts under keys, by which somebody tells runs apart (commit=4f2a1c). A run has
 * those that its recording says, and those that were given when it was loaded.
 */
#ifndef MODEL_LABEL_H
#define MODEL_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

#define LABEL_KEY_MAX	64 /* bytes, as below */
#define LABEL_VALUE_MAX 1024
#define LABELS_MAX	256 /* of a recording, or of a command line */

struct label {
	char *key; /* owned: letters, digits and _ . - */
	char *value; /* owned; may be empty */
	bool given; /* when the run was loaded; else by its recording */
};

struct label_list {
	struct label *at; /* [count] by key; no two are equal */
	size_t count, cap;
};

void label_list_release(struct label_list *list);

/* May this be a key? A value? */
bool label_is_key(struct span key);
bool label_is_value(struct span value);

/* Adds a label, or replaces that of the same key. Copies both. */
void label_set(struct label_list *list, struct span key, struct span value, bool given);
/* The same of all of these, as given. */
void label_set_all(struct label_list *list, const struct label_list *given);
/* As label_set of "KEY=VALUE"; -1: it is none, the key is there, or there are too many.
 */
int label_add(struct label_list *list, const char *text, struct error *err);

const struct label *label_find(const struct label_list *list, const char *key); /* NULL */
/* Has `list` all of these, with these values? */
bool label_matches(const struct label_list *list, const struct label_list *wanted);

#endif
