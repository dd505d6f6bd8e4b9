/*
 * What the documents of a gate, its calibration and its self-test share. Only doc_gate*.c
 * include this.
 */
#ifndef RENDER_DOC_GATE_PARTS_H
#define RENDER_DOC_GATE_PARTS_H

#include "model/gate.h"
#include "render/doc.h"
#include "render/gate_notes.h"

/* Of what only warns, nothing is as bad as what fails a gate. */
enum doc_tone doc_gate_tone(enum gate_outcome outcome, bool only_warns);

/* Sentences after one another; of those that are the same, one. */
void doc_gate_notes(struct doc *doc, const struct gate_note *note, size_t count);

/* A title over the rows of a rule: its name, and what it asks. */
void doc_gate_rule(struct doc *doc, const struct gate_rule *rule);

/*
 * Cells: which number it is, and of which run, if it is of one of several ("gpu0 in a";
 * NULL); a number with its unit; ">= 80", "+5 %"; a p.
 */
void doc_gate_subject(struct doc *doc, const struct comparison_row *row, const char *run);
void doc_gate_value(struct doc *doc, const struct comparison_row *row, double x);
void doc_gate_limit(struct doc *doc, const struct gate_rule *rule, enum gate_limit limit,
	const struct comparison_row *row);
void doc_gate_p(struct doc *doc, double p);

/*
 * A change from a base, in per cent of it or, where the limit is in the unit, in that;
 * with a sign before a rise.
 */
struct doc_cell *doc_gate_change(struct doc *doc, const struct comparison_row *row,
	enum gate_limit limit, double base, double change, const char *sign);

#endif
