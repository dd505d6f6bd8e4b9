/* From a gate to a document: doc_gate.c; see doc_run.h. */
#ifndef RENDER_DOC_GATE_H
#define RENDER_DOC_GATE_H

#include "model/gate.h"
#include "render/doc.h"
#include "render/render.h"

void doc_gate(struct doc *doc, const struct gate *gate, const struct render_options *opt);

/* "failed: 1 of 4 rules"; for every format with a title. */
void gate_verdict(struct strbuf *sb, const struct gate *gate);

#endif
