/*
 * From a gate, its calibration and its self-test to documents: doc_gate*.c; see
 * doc_run.h.
 */
#ifndef RENDER_DOC_GATE_H
#define RENDER_DOC_GATE_H

#include "model/gate.h"
#include "render/doc.h"
#include "render/render.h"

void doc_gate(struct doc *doc, const struct gate *gate, const struct render_options *opt);
void doc_gate_calibration(struct doc *doc, const struct calibration *calibration,
	const struct render_options *opt);
void doc_gate_selftest(struct doc *doc, const struct selftest *selftest,
	const struct render_options *opt);

#endif
