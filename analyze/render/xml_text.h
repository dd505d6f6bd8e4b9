/* Foreign text in XML and HTML: it stays text, in an element or between double quotes. */
#ifndef RENDER_XML_TEXT_H
#define RENDER_XML_TEXT_H

#include "base/text.h"

/* Appends it; what can't be shown stands as utf8_inert_whole has it. */
void xml_text(struct strbuf *sb, const char *text);

#endif
