/*
 * Parses and checks the rules of a gate: schema/gates or a file given by the user
 * (schema/rules.schema.json). An unknown key or number is an error.
 */
#ifndef RULES_GATE_H
#define RULES_GATE_H

#include "model/gate.h"

/*
 * Fills *rules from a JSON text. -1: err names the file, the line, what is there and what
 * was expected; release *rules in either case.
 */
int gate_rules_parse(
	struct gate_rules *rules, const char *file, const char *json, struct error *err);

/* The text of the rules that the program carries under a name; NULL: none. Static. */
const char *gate_rules_carried(const char *name);

/* Appends the names of all that are carried: "a, b". */
void gate_rules_list(struct strbuf *sb);

#endif
