/* From a comparison to a document: doc_compare.c; see doc_run.h. */
#ifndef RENDER_DOC_COMPARE_H
#define RENDER_DOC_COMPARE_H

#include "model/comparison.h"
#include "render/doc.h"
#include "render/render.h"

void doc_compare(struct doc *doc, const struct comparison *comparison,
	const struct render_options *opt);

/* How it came out, in a sentence that stands elsewhere: runs have their whole names. */
void doc_compare_verdict(struct strbuf *text, const struct comparison *comparison,
	const struct render_options *opt);

#endif
