/*
 * What a path of phases is called: the names from the outermost on, with slashes between
 * them ("train/epoch/step"). No two paths are called alike, whatever their names are: of
 * a name a slash stands as %2F, a per cent sign before 2F, 25 or 28 as %25, and the name
 * "(outside)", which what lies in no phase is called, as "%28outside)", likewise that of
 * what of phases lies before or after the recorded time.
 */
#ifndef MODEL_PHASE_NAME_H
#define MODEL_PHASE_NAME_H

#include <stdbool.h>

#include "base/text.h"

#define PHASE_OUTSIDE "(outside)"
#define PHASE_BEYOND  "(beyond the recorded time)"

/* Appends a name as it stands in a path. */
void phase_path_add(struct strbuf *path, const char *name);

/* The last name in a path, as it stands there. */
const char *phase_path_last(const char *path);

/* Appends a path with the names as they were given; two paths may then be alike. */
void phase_path_read(struct strbuf *names, const char *path);

/* The same for people: what lies in no phase alone is called "(outside)". */
void phase_path_show(struct strbuf *shown, const char *path);

/*
 * Does a glob fit a path, or its last name; or these with the names as they were given?
 * One that begins with a slash only fits whole paths as they are ("/train").
 */
bool phase_fits(const char *glob, const char *path);

#endif
