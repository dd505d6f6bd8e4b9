/*
 * What the two rooms of the rules of a gate share: where the parser stands, and how it
 * refuses.
 */
#ifndef RULES_GATE_INTERNAL_H
#define RULES_GATE_INTERNAL_H

#include <cjson/cJSON.h>

#include "base/diag.h"
#include "model/gate.h"

struct gate_at {
	const char *file, *json;
	size_t nth; /* the rule; SIZE_MAX: beside the rules */
	const cJSON *object; /* of the rule, or the document */
	const char *within; /* the rule's key whose value the object is; NULL: of none */
	struct error *err;
};

/*
 * "FILE:LINE: "KEY" is VALUE: expected ..."; where the object has no such key, "... is
 * missing". Gives -1.
 */
int gate_refuse(const struct gate_at *at, const char *key, const char *expected);

/* What no single key of a rule can tell, once all are taken. -1: refused. */
int gate_check_rule(const struct gate_at *at, const struct gate_rule *rule);
/* The same of the rule's "instead", which is at `at`. */
int gate_check_instead(const struct gate_at *at, const struct gate_rule *rule);

#endif
