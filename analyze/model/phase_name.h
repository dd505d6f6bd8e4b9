/*
 * The path of a phase: its names from the outermost to the innermost, joined by
 * slashes ("train/epoch/step").
 *
 * Every path is unique. A slash in a name becomes %2F, and so does a percent sign
 * before 2F, 25 or 28 (%25). "(outside)" is the time in no phase; a phase of that name
 * becomes "%28outside)". The same escape protects the name for phases before or after
 * the recorded time.
 */
#ifndef MODEL_PHASE_NAME_H
#define MODEL_PHASE_NAME_H

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
