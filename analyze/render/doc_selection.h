/* What of a run was asked for, in words. */
#ifndef RENDER_DOC_SELECTION_H
#define RENDER_DOC_SELECTION_H

#include "base/text.h"
#include "model/report.h"
#include "render/doc.h"

/* "gpu1, *_w, from 10.0 s to 20.0 s"; nothing, if all was. Appends. */
void doc_selection(struct strbuf *sb, const struct report_filter *filter);

/* A field of it, "Only"; nothing, if all was asked for. */
void doc_only(struct doc *doc, const struct report_filter *filter);

#endif
