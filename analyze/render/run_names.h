/* Names of runs: unique ones for formats that use names as keys, short ones for lists. */
#ifndef RENDER_RUN_NAMES_H
#define RENDER_RUN_NAMES_H

#include <stddef.h>

#include "base/text.h"
#include "render/render.h"

/*
 * Unique names, as UTF-8: the paths; the second "a" is "a (2)". If `columns` is not 0,
 * they are for people: without control characters, backticks and bars, and cut at the
 * beginning to that width. Owned by the caller; run_names_free frees them.
 */
char **run_names_make(const struct render_input *in, size_t columns);
void run_names_free(char **names, size_t count);

/*
 * Lists name runs by the end of their paths: by as few last parts as tell all runs apart.
 * SIZE_MAX: by whole paths, as of one run. The names are members of an array of structs
 * of this size; `first` is that of its first one.
 */
size_t names_parts(const void *first, size_t count, size_t size);
const char *name_tail(const char *name, size_t parts); /* points into it */

/* The bytes before these ends, without the slash, where they are equal; else 0. */
size_t names_folder(const void *first, size_t count, size_t size, size_t parts);

/* The same for a run of a comparison; of many runs ask names_parts once. */
const char *compared_name(const struct comparison *comparison, size_t run);
size_t compared_parts(const struct comparison *comparison);

/*
 * Names in sentences: very long names are shortened. Formats for programs keep them
 * whole.
 */

/* Appends a name; a very long one without its middle. */
void short_name(struct strbuf *sb, const char *name);

/* The same for a path of phases. */
void short_phase(struct strbuf *sb, const char *path);

#endif
