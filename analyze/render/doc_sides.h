/*
 * Which runs a document sets beside one another, and how they differ: parts of the
 * documents of comparisons and of gates.
 */
#ifndef RENDER_DOC_SIDES_H
#define RENDER_DOC_SIDES_H

#include "model/comparison.h"
#include "render/doc.h"

/*
 * A pair of fields: the title, and the names of the runs of a side, of SIDES of all;
 * nothing of none.
 */
void doc_side(struct doc *doc, const char *title, const struct comparison *comparison,
	enum side side);

/* A part of its own: what of the runs' circumstances differs, if anything does. */
void doc_differences(struct doc *doc, const struct comparison *comparison);

#endif
