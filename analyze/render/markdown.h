/*
 * Writes text so that CommonMark, GitHub and GitLab show it as plain text: no markup,
 * link, mention, reference, emoji or formula. Knows no report.
 */
#ifndef RENDER_MARKDOWN_H
#define RENDER_MARKDOWN_H

#include "base/text.h"

/*
 * Appends text on one line. Words of letters, digits and harmless punctuation stand as
 * they are, all others in code spans, which no renderer looks into; a bar is &#124;, so
 * that tables keep their columns. Bytes that can't be shown stand as in utf8_inert().
 * Words and texts that are too long for a page are cut.
 */
void markdown_text(struct strbuf *sb, const char *text);

/* A path, all of it as code; of one that is too long the end is kept. */
void markdown_path(struct strbuf *sb, const char *path);

/* A command, as one code span; not for tables. */
void markdown_code(struct strbuf *sb, const char *text);

#endif
