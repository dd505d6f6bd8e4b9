/*
 * Names as sentences for people have them: anybody wrote them, and one of ten thousand
 * letters leaves nothing else to be read. Formats for programs have them whole.
 */
#ifndef RENDER_SHORT_NAME_H
#define RENDER_SHORT_NAME_H

#include "base/text.h"

/* Appends a name, a longer one than any that is read without its middle. */
void short_name(struct strbuf *sb, const char *name);
/* The same of a path of phases, as people read it. */
void short_phase(struct strbuf *sb, const char *path);

#endif
